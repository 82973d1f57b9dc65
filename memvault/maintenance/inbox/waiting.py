"""Cards on what nobody vouches for: in quarantine, unsure, a rule that an agent wrote, or older than its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial

from memvault.core.memory import NO_FIELDS, FieldValue, Memory
from memvault.core.plan import Plan, SetFields
from memvault.maintenance.inbox.card import (
    EDIT,
    Card,
    CardKind,
    InboxQuery,
    build_card,
    forget_card,
    format_date,
    name_memory,
)
from memvault.memories.edit import MemoryEdit, edit_memory
from memvault.memories.quarantine import accept_waiting, refuse_waiting
from memvault.storage.journal.apply import apply_one
from memvault.storage.still_true import find_outdated, renew_references
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import list_waiting
from memvault.text.statements.judge import DECISION, PREFERENCE, RULED, judge_sentence
from memvault.transcripts.extract.sentences import split_sentences

_PROPOSED_FOR = timedelta(days=90)  # an older rule has been lived with, and is no proposal any more
_USUAL_WEIGHT = 0.5  # of a memory that nobody weighs
_RULE_SENTENCES = 5  # a rule stands at the beginning


def _origin(context: VaultContext, memory: Memory) -> str:
    agent, project = str(memory.more.get("agent", "")), str(memory.more.get("project", ""))
    through = f", through {agent}" if agent else ""
    where = f", in {project}" if project else ""
    return f"on {format_date(context, memory.created)}{through}{where}"


# -- quarantine


def _find_quarantined(context: VaultContext, _query: InboxQuery) -> Iterable[Card]:
    for memory in list_waiting(context):
        yield build_card(
            context,
            QUARANTINE,
            (memory,),
            question=f"Keep {name_memory(memory)}?",
            why=f"It came from {_SOURCE_NAMES.get(memory.source, memory.source)} {_origin(context, memory)}.",
        )


_SOURCE_NAMES = {"web": "the web", "tool": "a tool", "import": "an import"}


def _accept(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    return accept_waiting(context, ids, dry_run=dry_run).op


def _refuse(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    return refuse_waiting(context, ids, dry_run=dry_run).op


QUARANTINE = CardKind(
    name="quarantine",
    one="memory in quarantine",
    many="memories in quarantine",
    find=_find_quarantined,
    acts={"accept": ("keep", _accept), "refuse": ("refuse", _refuse), "edit": EDIT},
)


# -- kept with little sureness


def _find_unsure(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    for memory in query.own_memories:
        if memory.is_doubtful:
            is_wrong = bool(memory.more.get("called_wrong"))
            yield build_card(
                context,
                UNSURE,
                (memory,),
                question=f"Is {name_memory(memory)} {'right' if is_wrong else 'worth keeping'}?",
                why="You called it wrong, and it is given to nobody unasked since."
                if is_wrong
                else f"It was picked up {_origin(context, memory)}, and may not be.",
            )


def _keep_unsure(
    context: VaultContext, ids: tuple[str, ...], *, dry_run: bool, fields: Mapping[str, FieldValue] = NO_FIELDS
) -> str:
    weight = max(_USUAL_WEIGHT, context.find_memory(ids[0]).weight)
    edit = MemoryEdit(fields={"unsure": None, "called_wrong": None, "weight": weight, **fields})
    return edit_memory(context, ids[0], edit, dry_run=dry_run).op


UNSURE = CardKind(
    name="unsure",
    one="memory that may not be worth keeping",
    many="memories that may not be worth keeping",
    find=_find_unsure,
    acts={
        "accept": ("keep", _keep_unsure),
        "refuse": ("forget", forget_card),
        "pin": ("keep and pin", partial(_keep_unsure, fields={"pinned": True})),
        "edit": EDIT,
    },
)


# -- older than the files that it speaks of


def _find_outdated(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    for memory in query.own_memories:
        if memory.refs.get("path") and (change := find_outdated(context, memory)):
            yield build_card(
                context,
                OUTDATED,
                (memory,),
                question=f"Does {name_memory(memory)} still hold?",
                why=f"It was {change}.",
            )


def _confirm(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    memory = context.find_memory(ids[0])
    change = SetFields(memory.path, {}, "it still holds", lists={"refs.path": renew_references(context, memory)})
    return "" if dry_run else apply_one(Plan("review", (change,)), context).op


OUTDATED = CardKind(
    name="outdated",
    one="memory whose files changed",
    many="memories whose files changed",
    find=_find_outdated,
    acts={"accept": ("it still holds", _confirm), "refuse": ("forget", forget_card), "edit": EDIT},
)


# -- rules that an agent wrote


def _find_rules(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    for memory in query.own_memories:
        is_new = context.now - memory.created <= _PROPOSED_FOR
        is_others = memory.source != "user" or memory.more.get("tainted")
        if not (is_new and is_others) or memory.is_doubtful:
            continue
        if not states_rule(f"{memory.title}\n{context.read_text(memory)}"):
            continue
        yield build_card(
            context,
            RULE,
            (memory,),
            question=f"Is this a rule of yours: {name_memory(memory)}?",
            why=f"It was written by {_writer(memory)} {_origin(context, memory)}; only your own rules bind an agent.",
        )


def _writer(memory: Memory) -> str:
    return {"agent": "an agent", "hook": "a hook"}.get(memory.source, "another program")


def states_rule(text: str) -> bool:
    """Return whether a text begins with a rule: always, never, from now on."""
    judged = (judge_sentence(one.text) for one in split_sentences(text)[:_RULE_SENTENCES])
    return any(one.sureness == RULED and one.sort in (PREFERENCE, DECISION) for one in judged)


def _adopt_rule(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    memory = context.find_memory(ids[0])
    clean = {"tainted": None} if memory.more.get("tainted") else {}
    return edit_memory(context, ids[0], MemoryEdit(fields={"source": "user", **clean}), dry_run=dry_run).op


RULE = CardKind(
    name="rule",
    one="proposed rule",
    many="proposed rules",
    find=_find_rules,
    acts={
        "accept": ("it is my rule", _adopt_rule),
        "refuse": ("forget it", forget_card),
        "edit": EDIT,
    },
)
