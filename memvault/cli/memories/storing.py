"""How a text gets into the vault from the command line: what a person is asked, and what they are told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from memvault.cli.context import Answer, Desk
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import DRY_RUN, left_out, remarks, undo_hint, warnings
from memvault.cli.output.terminal import Paper
from memvault.core.ids import short
from memvault.errors import Forgotten

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.core.memory import Memory
    from memvault.memories.draft import Given
    from memvault.memories.remember import Remembered

NEW = ("kept", "quarantined")


class Guessed(TypedDict, total=False):
    """What was not told, and so was guessed."""

    title: str
    kind: str
    tags: tuple[str, ...]


def store(desk: Desk, vault: Memvault, text: str, given: Given, *, update: str, dry_run: bool) -> Remembered:
    """Remember a text. A person who is there is asked where it is not plain what they want; a script never is."""
    asks = desk.has_person and desk.is_watched and not desk.as_json and not dry_run
    if asks and not (given.get("near") or update):
        given = _with(given, near="hold")
    try:
        made = vault.remember(text, update=update, dry_run=dry_run, **given)
    except Forgotten:
        if given.get("again") or not (
            asks and desk.confirms("The same was forgotten or refused before. Remember it again?")
        ):
            raise
        return store(desk, vault, text, _with(given, again=True), update=update, dry_run=dry_run)
    if made.outcome != "held" or made.like is None:
        return made
    into = _wanted_in(desk, made.like)
    return vault.remember(text, update=into, dry_run=dry_run, **_with(given, near="ignore"))


def _with(given: Given, **more: Unpack[Given]) -> Given:
    changed = given.copy()
    changed.update(more)
    return changed


def _wanted_in(desk: Desk, like: Memory) -> str:
    """The path of the memory that a text is to be added to; empty where it is to be one of its own."""
    name = f"“{like.title}” ({short(like.id)})"
    return (
        like.path
        if desk.confirms(f"{name} says the same, or nearly. Add yours to it, instead of a new memory?")
        else ""
    )


def answer(made: Remembered, guessed: Guessed, *, dry_run: bool, more: tuple[str, ...] = ()) -> Answer:
    """What came of it, for a person and for a program; `more` is said besides."""
    told: dict[str, object] = {"memory": made.memory, "deep_context": made.deep_context, "op": made.op}
    told |= {"outcome": made.outcome} if made.outcome != "kept" else {}
    told |= {"like": made.like} if made.like else {}
    told |= left_out(made.left_out)
    talk = (_guesses(guessed), _whose(made), *_remarks(made), *more, _way_back(made, dry_run=dry_run))
    return Answer(
        result={**told, "guessed": guessed, "dry_run": dry_run},
        text=lambda paper: _made(made, paper, dry_run=dry_run),
        talk=tuple(filter(None, talk)),
        warnings=warnings(made.left_out),
    )


def _way_back(made: Remembered, *, dry_run: bool) -> str:
    return DRY_RUN if dry_run else undo_hint(made.op, dry_run=False)


def _whose(made: Remembered) -> str:
    """To which project it belongs, where it does; what is new alone can come to belong anywhere."""
    project = made.memory.more.get("project") if made.outcome in NEW else None
    if not project or made.memory.more.get("scope") == "global":
        return ""
    return f"Of the project {project}; `memvault edit {short(made.memory.id)} --set scope=global` makes it everybody's."


def _guesses(guessed: Guessed) -> str:
    said = [f"title “{guessed['title']}”"] if "title" in guessed else []
    said += [f"kind {guessed['kind']}"] if "kind" in guessed else []
    said += [f"#{tag}" for tag in guessed.get("tags", ())]
    return f"Guessed: {', '.join(said)}." if said else ""


def _remarks(made: Remembered) -> list[str]:
    """What the screens have to say."""
    said = [*remarks(made.left_out)]
    if made.outcome == "quarantined":
        said.append("It waits in quarantine: `memvault quarantine accept` takes it in, `refuse` lets it go.")
    if made.like and made.outcome == "kept":
        said.append(
            f"“{made.like.title}” ({short(made.like.id)}) says the same, or nearly. To have yours in that one instead: "
            f"undo this, and repeat it with --update {short(made.like.id)}."
        )
    return said


_DID = {
    "kept": ("remembered", "would be remembered"),
    "quarantined": ("put into quarantine", "would be put into quarantine"),
    "confirmed": ("known already; that it came up again is noted", "known already"),
    "added": ("added to", "would be added to"),
    "held": ("nothing done", "nothing done"),
}


def _made(made: Remembered, paper: Paper, *, dry_run: bool) -> str:
    memory = made.memory
    facts = [memory.kind, f"weight {memory.weight:g}", *(f"#{tag}" for tag in memory.tags), *layers.marks(memory)]
    detail = [paper.facts([f"in detail: {made.deep_context}"], "  ")] if made.deep_context else []
    did = _DID[made.outcome][dry_run]
    if made.outcome == "added" and not (made.op or dry_run):
        did = "says that already: nothing changed"
    return "\n".join([layers.named(memory, did, paper), paper.facts(facts, "  "), *detail])
