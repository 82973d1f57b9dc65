"""What a person says of what was given: that it is wrong, or that it was of no use for such a prompt."""

from __future__ import annotations

from typing import Literal

from memvault.context.eligible import find_topics, useless_topics
from memvault.context.injection_log import InjectionDetails, last_records
from memvault.core.memory import FieldValue
from memvault.core.plan import ChangeSubject, ListEdit, Plan, SetFields
from memvault.core.value import take_fields
from memvault.errors import NothingToDo
from memvault.memories.edit import ChangeResult
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import VaultContext

Verdict = Literal["wrong", "useless"]


def judge_memory(context: VaultContext, ref: str, verdict: Verdict, *, dry_run: bool = False) -> ChangeResult:
    """Record what a person says of a memory that was given; its text and its rank in a recall stay."""
    assert context.state is not None
    memory = context.find_memory(ref)
    fields: dict[str, FieldValue | None] = {}
    lists: dict[str, ListEdit] = {}
    if verdict == "wrong":
        fields["called_wrong"] = context.now.replace(microsecond=0)
        did = "taken out of what is given unasked, until somebody looks: memvault review"
        if memory.more.get("called_wrong"):
            raise NothingToDo(reason=f"“{memory.title}” is called wrong already.")
    else:
        rows = (row for row in last_records(context.state, limit=0) if memory.id in row.ids)
        topics = next((row.topics for row in rows if row.topics), find_topics(""))
        lists["unhelpful_for"] = ListEdit(topics)
        did = f"given less readily at prompts about {', '.join(topics)}"
        if set(topics) <= set(useless_topics(memory)):
            raise NothingToDo(reason=f"“{memory.title}” is {did} already.")
    if dry_run:
        return ChangeResult(memory, did)
    change = SetFields(memory.path, fields, did, about=ChangeSubject(id=memory.id), lists=lists)
    operation = apply_one(Plan("judge", (change,)), context)
    return ChangeResult(context.read_memory(memory)[0], did, operation.op)


def strip_receipt(shown: InjectionDetails) -> dict[str, object]:
    """Return a receipt without any text: ids, days, places and sorts of reasons, to be shown to others."""
    row = shown.injection
    given = [
        {
            "id": each.id,
            "why": each.why.partition("“")[0].strip(" :;"),
            "kind": each.memory.kind if each.memory else "",
            "source": each.memory.source if each.memory else "",
            "created": f"{each.memory.created:%Y-%m-%d}" if each.memory else "",
        }
        for each in shown.given
    ]
    return {**take_fields(row, "at", "event", "tokens"), "memories": given, "also": row.also}
