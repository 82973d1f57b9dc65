"""Add to a memory that is there: a text, and whatever else is said of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memvault.core.kinds import Kinds
from memvault.core.memory import FieldValue, Memory
from memvault.core.plan import Items
from memvault.core.secrets.screens import normal
from memvault.errors import BadInput
from memvault.memories.draft import Draft, screened
from memvault.memories.edit import Edit, edit
from memvault.memories.given import unheard
from memvault.memories.remember import Remembered, wanted_back
from memvault.memories.screening import keep_in_mind
from memvault.storage.vault.context import Bench
from memvault.text.titles import clip

_LISTS = ("tags", "topics", "people", "triggers")
_WAITS_APART = ("tool", "web")


def remember_in(bench: Bench, ref: str, draft: Draft, *, dry_run: bool = False) -> Remembered:
    """Add a text to a memory that is there, unless it says that already, and what is said of it to its fields."""
    draft, left_out = screened(bench, draft)
    lifted = wanted_back(bench, draft)
    memory, _ = bench.read(bench.find(ref))
    _check_trust(bench, draft, memory)
    fields = _fields(draft, memory, bench.settings.kinds)
    lists = {name: Items(more) for name in _LISTS if (more := getattr(draft, name))} | _refs(draft, memory)
    addition = None if _says(memory.body or "", draft.text) else draft.text
    wanted = Edit(append=addition, fields=fields, lists=lists, secrets=draft.secrets, automatic=draft.automatic)
    changed = edit(bench, memory.path, wanted, along=lifted, dry_run=dry_run)
    if changed.op:
        keep_in_mind(bench, draft.text, changed.memory)
    return Remembered(changed.memory, op=changed.op, outcome="added", left_out=left_out)


def _says(body: str, text: str) -> bool:
    """Whether a text stands in another already, and not only as a piece of longer words."""
    return re.search(rf"(?<!\w){re.escape(normal(text))}(?!\w)", normal(body)) is not None


def _refs(draft: Draft, memory: Memory) -> dict[str, Items]:
    """What the draft points to, as far as the memory does not point there yet."""
    given = {key: tuple(dict.fromkeys(items)) for key, items in draft.refs.items()}
    return {f"refs.{key}": Items(items) for key, items in given.items() if set(items) - {*memory.refs.get(key, ())}}


def _fields(draft: Draft, memory: Memory, kinds: Kinds) -> dict[str, FieldValue | None]:
    """What the draft says besides its text, as far as the memory does not say so yet."""
    said: dict[str, FieldValue] = {"title": title} if (title := clip(draft.title)) else {}
    said |= {name: value for name in ("type", "kind") if (value := getattr(draft, name))}
    said |= {"weight": draft.weight} if draft.weight is not None else {}
    said |= {"pinned": True} if draft.pin else {}
    said |= {"emotional_flag": True} if draft.significant else {}
    said |= {**draft.more, **_kind_for(draft, memory, kinds)}
    return {name: value for name, value in said.items() if value != _now(memory, name)}


def _now(memory: Memory, name: str) -> object:
    return getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name)


def _kind_for(draft: Draft, memory: Memory, kinds: Kinds) -> Mapping[str, FieldValue]:
    """The kind that what is given belongs to, where the memory's own was only guessed from its words."""
    owner = "" if draft.kind else kinds.owner(draft.more)
    if not owner or owner == memory.kind or memory.kind not in kinds:
        return {}
    reason = unheard(kinds, memory.kind, draft.more)
    if reason and "kind" in memory.stated:
        reason = f"it is {memory.kind}, {reason} (name that kind too to make it one)"
        raise BadInput(what="the memory", value=memory.title, reason=reason)
    return {"kind": owner} if reason else {}


def _check_trust(bench: Bench, draft: Draft, memory: Memory) -> None:
    """A memory is trusted as its source is, so nothing less trusted is put into it."""
    if draft.source in _WAITS_APART:
        reason = "what comes from there waits in quarantine, and is added to nothing"
        raise BadInput(what="the source", value=draft.source, reason=reason)
    source = memory.more.get("source", bench.actor.source)
    if draft.source and draft.source != source and not draft.automatic:
        reason = f"the memory that it is added to comes from {source}, and keeps its source"
        raise BadInput(what="the source", value=draft.source, reason=reason)
