"""`memvault forget --purge`: a memory taken out of everything, and the proof of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.context import Answer, Desk
from memvault.cli.output.changes import DRY_RUN
from memvault.errors import NothingToDo
from memvault.text.escape import printable
from memvault.text.figures import plural

if TYPE_CHECKING:
    from memvault.privacy.purge.purge import Purged
    from memvault.privacy.purge.verify import Verified

_FOR_GOOD = "No undo brings it back."


def answer(desk: Desk, ref: str, *, is_session: bool, verify: bool, yes: bool, dry_run: bool) -> Answer:
    """Purge a memory or a session after a question, and say what was done, what was proved, what is beyond reach."""
    with desk.open() as vault:
        would, _ = vault.purge(ref, is_session=is_session, dry_run=True)
        if dry_run:
            return Answer(result=_result(would, None), text=lambda _paper: printable(_would(would)), talk=(DRY_RUN,))
        if not yes and not (desk.has_person and desk.confirms(f"{_would(would)} {_FOR_GOOD} Go on?")):
            raise NothingToDo(reason=f"{_would(would)} --yes agrees to it.")
        done, proof = vault.purge(ref, is_session=is_session, verify=verify)
    return Answer(
        result=_result(done, proof),
        text=lambda _paper: printable("\n".join(_said(done, proof))),
        warnings=tuple(_warnings(done, proof)),
        talk=proof.beyond if proof else ("--verify proves it.",),
        exit_code=1 if done.blocks or (proof and (proof.found or proof.unread)) else 0,
    )


def _result(done: Purged, proof: Verified | None) -> dict[str, object]:
    return {"purged": done, "verified": proof}


def _would(done: Purged) -> str:
    files = plural(len(done.notes), "note goes", "notes go")
    named = f" ({', '.join((*done.notes, *done.talks))})" if done.notes or done.talks else ""
    talk = " and the conversation itself" if done.talks else ""
    return f"“{done.title}” is forgotten for good: {files}{talk}{named}, and all that was ever made of it."


def _said(done: Purged, proof: Verified | None) -> list[str]:
    rows = [
        f"“{done.title}” is forgotten for good",
        f"  {plural(len(done.notes), 'note', 'notes')}, and {plural(done.kept, 'copy', 'copies')} kept for undo",
        *(f"  the conversation itself: {path}" for path in done.talks),
        f"  {plural(done.turns, 'turn', 'turns')} of conversations, {plural(done.lines, 'line', 'lines')} of records",
        "  the index, to be built again",
    ]
    if proof and not (proof.found or proof.unread):
        rows.append(f"  verified: it is in none of {plural(proof.looked_at, 'file', 'files')}")
    return rows


def _warnings(done: Purged, proof: Verified | None) -> list[str]:
    found = [f"{path} says the same; it is yours to change, or to forget too" for path in done.left]
    found += [f"{path} names it, by a link or its title; it is yours to change" for path in done.linking]
    found += [f"{path} has damaged parts, into which nobody can look" for path in done.unseen]
    found += [f"{path} has a block that could not be written anew, and may show it still" for path in done.blocks]
    if proof:
        found += [f"it stands in {path} all the same" for path in proof.found]
        found += [f"{path} is sealed, and only its key opens it: it was not looked into" for path in proof.sealed]
        found += [f"{path} could not be looked into" for path in proof.unread]
    return found
