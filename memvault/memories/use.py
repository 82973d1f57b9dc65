"""Say that a way of doing something was followed, and whether it worked."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from memvault.core.kinds.practice import NO_PRACTICE, PracticeRecord, current_practice
from memvault.core.memory import Memory
from memvault.core.plan import ChangeSubject, ListEdit, Plan, SetFields
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private_values
from memvault.errors import BadInput
from memvault.memories.screen import NO_REDACTIONS, Redactions, check_not_forgotten, validate_text
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import VaultContext


@dataclass(frozen=True, slots=True)
class UseResult:
    """A memory that was followed, how it stands since, and where the note on it went."""

    memory: Memory
    ok: bool
    standing: PracticeRecord
    field: str = ""  # where the note stands now: what tells success, or how it fails
    op: str = ""
    left_out: Redactions = NO_REDACTIONS


def record_use(
    context: VaultContext, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False
) -> UseResult:
    """Note that a memory was followed; a remark goes to what tells success, or to how it tends to fail."""
    memory = context.find_memory(ref)
    kind = context.settings.kinds.get(memory.kind)
    if kind is None or not kind.has_field("usage_count"):
        raise BadInput(what="the memory", value=memory.title, reason=f"it is {memory.kind}, nothing that is followed")
    remark, left_out = _screen_note(context, note, secrets)
    field = "" if not remark else "success_conditions" if ok else "failure_patterns"
    if dry_run:
        return UseResult(memory, ok, _practice_standing(context, memory), field, left_out=left_out)
    op = _write_note(context, memory, field, remark)
    session = {"session": context.actor.session} if context.actor.session else {}
    nonce = os.urandom(4).hex()  # several uses may fall into one second, and each counts
    context.vault.journal.append([{"e": "use", "id": memory.id, "ok": ok, "nonce": nonce, **session}], context.now)
    context.record_uses([memory], why="used")
    context.refresh()
    return UseResult(context.read_memory(memory)[0], ok, _practice_standing(context, memory), field, op, left_out)


def _screen_note(context: VaultContext, note: str, secrets: str) -> tuple[str, Redactions]:
    remark = " ".join(strip_private_values(validate_text("the note", note)).split())
    if not remark:
        return "", NO_REDACTIONS
    from memvault.memories.draft import MemoryDraft, screen_draft  # deferred: most uses come without a remark

    draft, left_out = screen_draft(context, MemoryDraft(text=remark, secrets=secrets))
    check_not_forgotten(context, (draft.text,), draft.screen_policy(context))
    return draft.text, replace(left_out, unclosed=has_unclosed_private(note))


def _practice_standing(context: VaultContext, memory: Memory) -> PracticeRecord:
    return current_practice(memory, context.index.practice_records([memory.id]).get(memory.id, NO_PRACTICE))


def _write_note(context: VaultContext, memory: Memory, field: str, remark: str) -> str:
    said = memory.more.get(field, ()) if field else ()
    before = said if isinstance(said, tuple) else (str(said),)
    if not field or remark in before:
        return ""
    why, lists = "a remark on its use", {field: ListEdit((remark,))}  # others may remark on it at this moment
    change = SetFields(memory.path, {}, why, about=ChangeSubject(id=memory.id), lists=lists)
    return apply_one(Plan("used", (change,)), context).op
