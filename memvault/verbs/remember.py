"""Make a new memory."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from memvault.core.fields import TYPES
from memvault.core.kinds import KINDS, guess, implied
from memvault.core.marks import PREFERENCE, earned_tags
from memvault.core.memory import NOTHING, FieldValue, Memory, Place
from memvault.core.plan import Create, Plan
from memvault.core.private import cleaned
from memvault.core.slug import file_name
from memvault.core.titles import clip, guess_title
from memvault.errors import AlreadyThere, BadInput
from memvault.vault import codec
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench

_LEAD_WORDS = 80
_NAME_TRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a new memory is to be; whatever is left out is guessed or takes its default."""

    text: str
    title: str = ""
    type: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    weight: float | None = None
    pin: bool = False
    significant: bool = False
    refs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: Mapping[str, FieldValue] = field(default_factory=lambda: NOTHING)


class Given(TypedDict, total=False):
    """What may be said of a new memory besides its text; the same names as in a draft."""

    title: str
    type: str
    kind: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    people: tuple[str, ...]
    triggers: tuple[str, ...]
    weight: float | None
    pin: bool
    significant: bool
    refs: Mapping[str, tuple[str, ...]]
    more: Mapping[str, FieldValue]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that was made, or would be in a dry run."""

    memory: Memory
    deep_context: str = ""  # the detail file made beside a significant memory
    op: str = ""  # what `undo` takes back; empty in a dry run


def remember(bench: Bench, draft: Draft, *, dry_run: bool = False) -> Remembered:
    """Write a new memory into Tier 2, under a name that nothing in the vault has yet."""
    bench.freshen()
    draft = Draft(**{name: cleaned(getattr(draft, name)) for name in Draft.__slots__})
    text = _checked(draft)
    memory_id = str(uuid.uuid4())
    for _ in range(_NAME_TRIES):
        memory = _memory(bench, draft, text, memory_id)
        detail = _detail(bench, memory, text) if draft.significant else None
        if detail is not None:
            memory = memory.changed(
                body=_lead(text, detail), refs={**memory.refs, "deep_context": (detail.path,)}, emotional_flag=True
            )
        if dry_run:
            return Remembered(memory, detail.path if detail else "")
        try:
            operation = apply_one(_plan(memory, detail), bench)
        except AlreadyThere:
            continue  # another writer took the name a moment ago
        return Remembered(memory, detail.path if detail else "", operation.op)
    raise AlreadyThere(path=memory.path)


def _checked(draft: Draft) -> str:
    text = draft.text.strip()
    if not text:
        raise BadInput(what="the text", value=text, reason="there is nothing in it to remember")
    if draft.weight is not None and not 0 <= draft.weight <= 1:
        raise BadInput(what="the weight", value=draft.weight, reason="it must lie between 0 and 1")
    if draft.type and draft.type not in TYPES:
        raise BadInput(what="the type", value=draft.type, reason=f"it must be one of {', '.join(TYPES)}")
    if draft.kind and draft.kind not in KINDS:
        raise BadInput(what="the kind", value=draft.kind, reason=f"it must be one of {', '.join(KINDS)}")
    return text


def _memory(bench: Bench, draft: Draft, text: str, memory_id: str) -> Memory:
    title = clip(draft.title) if draft.title.strip() else guess_title(text)
    memory_type = draft.type or "memory"
    kind = draft.kind or implied(memory_type) or guess(text)
    tags = tuple(dict.fromkeys((*(tag.strip().lstrip("#") for tag in draft.tags), *earned_tags(text))))
    name = file_name(bench.now.astimezone(bench.zone).date(), title, taken=lambda name: _taken(bench, name))
    agent_weight = bench.settings.number("remember.agent_weight" if bench.actor.agent else "remember.weight")
    return Memory(
        id=memory_id,
        path=bench.vault.layout.memories + name,
        place=Place.MEMORIES,
        title=title,
        type=memory_type,
        kind=kind,
        created=bench.now.replace(microsecond=0),
        last_accessed=bench.now.replace(microsecond=0),
        weight=agent_weight if draft.weight is None else draft.weight,
        pinned=draft.pin,
        emotional_flag=draft.significant,
        decay_eligible=PREFERENCE not in tags,
        tags=tags,
        topics=draft.topics,
        people=draft.people,
        triggers=draft.triggers,
        aliases=(title,),
        refs=draft.refs,
        more={**draft.more, **_provenance(bench)},
        body=text,
    )


def _provenance(bench: Bench) -> dict[str, FieldValue]:
    actor = bench.actor
    said: dict[str, FieldValue] = {"source": actor.source}
    said |= {name: value for name, value in (("agent", actor.agent), ("session", actor.session)) if value}
    return said


def _taken(bench: Bench, name: str) -> bool:
    """Names are unique in the whole vault, so that a wikilink survives a move between tiers."""
    folders = (bench.vault.layout.memories, bench.vault.layout.deep)
    return bench.catalogue.has_name(name) or any(bench.vault.exists(folder + name) for folder in folders)


def _detail(bench: Bench, memory: Memory, text: str) -> Memory:
    """The long file beside a significant memory; the memory itself keeps only what can be read at a glance."""
    title = f"{memory.title} (in detail)"
    name = file_name(
        bench.now.astimezone(bench.zone).date(),
        f"{memory.title} in detail",
        taken=lambda name: _taken(bench, name) or name == memory.path.rpartition("/")[2],
    )
    return memory.changed(
        id=str(uuid.uuid4()),
        path=bench.vault.layout.deep + name,
        place=Place.DEEP,
        title=title,
        type="reference",
        kind="semantic",
        aliases=(title,),
        triggers=(),
        decay_eligible=False,
        body=f"Detail of [[{memory.name}]].\n\n{text}",
        refs={},
    )


def _lead(text: str, detail: Memory) -> str:
    words = text.split()
    if len(words) <= _LEAD_WORDS:
        return f"{text}\n\nMore: [[{detail.name}]]"
    return f"{' '.join(words[:_LEAD_WORDS])} …\n\nMore: [[{detail.name}]]"


def _plan(memory: Memory, detail: Memory | None) -> Plan:
    whole = [Create(detail.path, codec.new_note(detail), "the detail behind it")] if detail else []
    return Plan("remember", (*whole, Create(memory.path, codec.new_note(memory), f"remember “{memory.title}”")))
