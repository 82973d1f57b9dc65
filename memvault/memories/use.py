"""Say that a way of doing something was followed, and whether it worked."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from memvault.core.kinds.practice import NO_PRACTICE, Standing, standing
from memvault.core.memory import Memory
from memvault.core.plan import About, Items, Plan, SetFields
from memvault.core.secrets.private_spans import cleaned, is_unclosed
from memvault.errors import BadInput
from memvault.memories.screen import NOTHING_LEFT_OUT, LeftOut, check_not_forgotten, fit_text
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import Bench


@dataclass(frozen=True, slots=True)
class Used:
    """A memory that was followed, how it stands since, and where the note on it went."""

    memory: Memory
    ok: bool
    standing: Standing
    field: str = ""  # where the note stands now: what tells success, or how it fails
    op: str = ""
    left_out: LeftOut = NOTHING_LEFT_OUT


def used(bench: Bench, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False) -> Used:
    """Note that a memory was followed; a remark goes to what tells success, or to how it tends to fail."""
    memory = bench.find(ref)
    kind = bench.settings.kinds.get(memory.kind)
    if kind is None or not kind.has("usage_count"):
        raise BadInput(what="the memory", value=memory.title, reason=f"it is {memory.kind}, nothing that is followed")
    remark, left_out = _screened(bench, note, secrets)
    field = "" if not remark else "success_conditions" if ok else "failure_patterns"
    if dry_run:
        return Used(memory, ok, _standing(bench, memory), field, left_out=left_out)
    op = _noted(bench, memory, field, remark)
    session = {"session": bench.actor.session} if bench.actor.session else {}
    nonce = os.urandom(4).hex()  # several uses may fall into one second, and each counts
    bench.vault.journal.append([{"e": "use", "id": memory.id, "ok": ok, "nonce": nonce, **session}], bench.now)
    bench.touch([memory], why="used")
    bench.freshen()
    return Used(bench.read(memory)[0], ok, _standing(bench, memory), field, op, left_out)


def _screened(bench: Bench, note: str, secrets: str) -> tuple[str, LeftOut]:
    remark = " ".join(cleaned(fit_text("the note", note)).split())
    if not remark:
        return "", NOTHING_LEFT_OUT
    from memvault.memories.draft import Draft, screened  # deferred: most uses come without a remark

    draft, left_out = screened(bench, Draft(text=remark, secrets=secrets))
    check_not_forgotten(bench, (draft.text,), draft.wish(bench))
    return draft.text, replace(left_out, unclosed=is_unclosed(note))


def _standing(bench: Bench, memory: Memory) -> Standing:
    return standing(memory, bench.catalogue.practices([memory.id]).get(memory.id, NO_PRACTICE))


def _noted(bench: Bench, memory: Memory, field: str, remark: str) -> str:
    said = memory.more.get(field, ()) if field else ()
    before = said if isinstance(said, tuple) else (str(said),)
    if not field or remark in before:
        return ""
    why, lists = "a remark on its use", {field: Items((remark,))}  # others may remark on it at this moment
    change = SetFields(memory.path, {}, why, about=About(id=memory.id), lists=lists)
    return apply_one(Plan("used", (change,)), bench).op
