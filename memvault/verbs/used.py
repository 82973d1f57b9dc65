"""Say that a way of doing something was followed, and whether it worked."""

from __future__ import annotations

from dataclasses import dataclass

from memvault.core.memory import Memory
from memvault.core.plan import About, Plan, SetFields
from memvault.core.practice import NO_PRACTICE, Standing, standing
from memvault.core.private import cleaned
from memvault.errors import BadInput
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench


@dataclass(frozen=True, slots=True)
class Used:
    """A memory that was followed, how it stands since, and where the note on it went."""

    memory: Memory
    ok: bool
    standing: Standing
    field: str = ""  # where the note stands now: what tells success, or how it fails
    op: str = ""


def used(bench: Bench, ref: str, *, ok: bool, note: str = "", dry_run: bool = False) -> Used:
    """Note that a memory was followed; a remark goes to what tells success, or to how it tends to fail."""
    memory = bench.find(ref)
    kind = bench.settings.kinds.get(memory.kind)
    if kind is None or not kind.has("usage_count"):
        raise BadInput(what="the memory", value=memory.title, reason=f"it is {memory.kind}, nothing that is followed")
    remark = " ".join(cleaned(note).split())
    if remark:
        from memvault.verbs.remember import Draft, screened  # deferred: most uses come without a remark

        remark = screened(bench, Draft(text=remark))[0].text
    field = "" if not remark else "success_conditions" if ok else "failure_patterns"
    if dry_run:
        return Used(memory, ok, _standing(bench, memory), field)
    op = _noted(bench, memory, field, remark)
    session = {"session": bench.actor.session} if bench.actor.session else {}
    bench.vault.journal.append([{"e": "use", "id": memory.id, "ok": ok, **session}], bench.now)
    bench.touch([memory], why="used")
    bench.freshen()
    return Used(bench.read(memory)[0], ok, _standing(bench, memory), field, op)


def _standing(bench: Bench, memory: Memory) -> Standing:
    return standing(memory, bench.catalogue.practices([memory.id]).get(memory.id, NO_PRACTICE))


def _noted(bench: Bench, memory: Memory, field: str, remark: str) -> str:
    said = memory.more.get(field, ()) if field else ()
    before = said if isinstance(said, tuple) else (str(said),)
    if not field or remark in before:
        return ""
    change = SetFields(memory.path, {field: (*before, remark)}, "a remark on its use", about=About(id=memory.id))
    return apply_one(Plan("used", (change,)), bench).op
