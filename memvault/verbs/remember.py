"""Make a new memory."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict

from memvault.core.fields import SOURCES, TYPES
from memvault.core.kinds import Kinds
from memvault.core.marks import PREFERENCE, earned_tags
from memvault.core.memory import NOTHING, FieldValue, Memory, Place
from memvault.core.plan import Change, Create, Note, Plan
from memvault.core.private import cleaned
from memvault.core.screen import Captured, normal, trivial
from memvault.core.slug import file_name
from memvault.core.titles import clip, guess_title
from memvault.errors import AlreadyThere, BadInput, Forgotten, SecretFound, Trivial
from memvault.vault import codec
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench
from memvault.verbs.change import Edit, edit
from memvault.verbs.screening import Known, keep_in_mind, known, redacted, sorts_of_secrets, tombstones

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
    source: str = ""  # where it came from; whoever is at work, unless told
    automatic: bool = False  # nobody asked for it: it was picked up
    secrets: str = ""  # refuse, redact or keep; as the settings say, unless told
    again: bool = False  # a person wants it back, though it was forgotten
    near: str = ""  # what becomes of a text that is known nearly: tell, hold, confirm or ignore


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
    source: str
    automatic: bool
    secrets: str
    again: bool
    near: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that was made, or would be in a dry run."""

    memory: Memory
    deep_context: str = ""  # the detail file made beside a significant memory
    op: str = ""  # what `undo` takes back; empty in a dry run
    outcome: str = "kept"  # kept, quarantined, confirmed (known), added (to what is known), held or rejected
    like: Memory | None = None  # the memory that says nearly the same
    redacted: tuple[str, ...] = ()  # the sorts of secrets that were left out
    why: str = ""  # why the reviewers rejected it


def remember(bench: Bench, draft: Draft, *, dry_run: bool = False) -> Remembered:
    """Write a new memory into Tier 2, under a name that nothing in the vault has yet, once it passed the screens."""
    draft, secrets = screened(bench, draft)
    draft = replace(draft, text=_checked(draft, bench.settings.kinds))
    lifted = _wanted_back(bench, draft)
    memory = _memory(bench, draft, draft.text, str(uuid.uuid4()))
    like = _like(bench, draft, memory)
    near = _near(bench, draft)
    if like and like.says_all and (near == "confirm" or memory.place is Place.QUARANTINE):
        return _confirmed(bench, draft, like.memory, secrets, dry_run=dry_run)
    told = replace(Remembered(memory), like=like.memory if like else None, redacted=secrets)
    if like and near == "hold":
        return replace(told, outcome="held")
    return _written(bench, draft, told, lifted, dry_run=dry_run)


def _near(bench: Bench, draft: Draft) -> str:
    """What becomes of a text that is known nearly; only a person can be waited for."""
    is_person = not (bench.actor.agent or draft.automatic)
    return draft.near if draft.near and (is_person or draft.near != "hold") else "tell" if is_person else "confirm"


def _written(bench: Bench, draft: Draft, told: Remembered, lifted: tuple[Change, ...], *, dry_run: bool) -> Remembered:
    for _ in range(_NAME_TRIES):
        memory = _memory(bench, draft, draft.text, told.memory.id)
        # What waits in quarantine waits whole: a detail file elsewhere would be found before anybody accepted it.
        is_waiting = memory.place is Place.QUARANTINE
        detail = _detail(bench, memory, draft.text) if draft.significant and not is_waiting else None
        if detail is not None:
            lead = _lead(draft.text, detail)
            refs = {**memory.refs, "deep_context": (detail.path,)}
            memory = memory.changed(body=lead, refs=refs, emotional_flag=True)
        outcome = "quarantined" if memory.place is Place.QUARANTINE else "kept"
        told = replace(told, memory=memory, deep_context=detail.path if detail else "", outcome=outcome)
        if dry_run:
            return told
        try:
            operation = apply_one(_plan(memory, detail, lifted), bench)
        except AlreadyThere:
            continue  # another writer took the name a moment ago
        keep_in_mind(bench, draft.text, memory)
        return replace(told, op=operation.op)
    raise AlreadyThere(path=told.memory.path)


def remember_in(bench: Bench, ref: str, draft: Draft, *, dry_run: bool = False) -> Remembered:
    """Add a text to a memory that is there, unless it says that already, and what is said of it to its fields."""
    draft, secrets = screened(bench, draft)
    text = _checked(draft, bench.settings.kinds)
    _wanted_back(bench, draft)
    memory, _ = bench.read(bench.find(ref))
    _check_trust(bench, draft, memory)
    lists = ("tags", "topics", "people", "triggers")
    given = {name: tuple(dict.fromkeys((*getattr(memory, name), *getattr(draft, name)))) for name in lists}
    fields: dict[str, FieldValue | None] = {
        name: value for name, value in given.items() if value != getattr(memory, name)
    }
    fields |= {"pinned": True} if draft.pin else {}
    fields |= {"emotional_flag": True} if draft.significant else {}
    fields |= {"weight": draft.weight} if draft.weight is not None else {}
    addition = "" if normal(text) in normal(memory.body or "") else text
    changed = edit(bench, memory.path, Edit(append=addition, fields=fields), dry_run=dry_run)
    if changed.op:
        keep_in_mind(bench, text, changed.memory)
    return Remembered(changed.memory, op=changed.op, outcome="added", redacted=secrets)


def _check_trust(bench: Bench, draft: Draft, memory: Memory) -> None:
    """A memory is trusted as its source is, so nothing less trusted is put into it."""
    if draft.source in _QUARANTINED:
        reason = "what comes from there waits in quarantine, and is added to nothing"
        raise BadInput(what="the source", value=draft.source, reason=reason)
    if memory.place is Place.IDENTITY and (bench.actor.agent or draft.automatic):
        raise BadInput(what="the memory", value=memory.title, reason="only a person changes what is in Tier 0")


# -- the screens


def screened(bench: Bench, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft without private spans and secrets, and the sorts of those; one that is not to be kept is refused."""
    _check_choices(bench, draft)
    draft = Draft(**{name: cleaned(getattr(draft, name)) for name in Draft.__slots__})
    captured = Captured(draft.text, bench.settings.whole("screen.trivial_below"), draft.automatic)
    if reason := (trivial(captured) if draft.automatic else "") or trivial(captured, bench.screens):
        raise Trivial(reason=reason)
    is_person = not (bench.actor.agent or draft.automatic)
    wanted = draft.secrets if is_person or draft.secrets != "keep" else ""  # only a person vouches for a secret
    policy = wanted or bench.settings.text("screen.secrets")
    if policy in ("keep", "off"):
        return draft, ()
    values = {name: getattr(draft, name) for name in _TOLD}
    sorts = sorts_of_secrets(values.values())
    if sorts and policy != "redact" and not draft.automatic:
        raise SecretFound(sorts=", ".join(sorts))
    return replace(draft, **{name: redacted(value) for name, value in values.items()}) if sorts else draft, sorts


_TOLD = ("text", "title", "tags", "topics", "people", "triggers", "refs", "more")
_CHOICES = {"source": SOURCES, "secrets": ("refuse", "redact", "keep"), "near": ("tell", "hold", "confirm", "ignore")}
_QUARANTINED = ("tool", "web")


def _check_choices(bench: Bench, draft: Draft) -> None:
    for name, options in _CHOICES.items():
        value = getattr(draft, name)
        if value and value not in options:
            raise BadInput(what=f"`{name}`", value=value, reason=f"it must be one of {', '.join(options)}")
    if draft.source and SOURCES.index(draft.source) < SOURCES.index(bench.actor.source):
        raise BadInput(what="the source", value=draft.source, reason="an agent cannot speak as the user")


def _wanted_back(bench: Bench, draft: Draft) -> tuple[Change, ...]:
    """What takes a forgotten text's tombstone away, if a person wants it back; without that it is refused."""
    dead = tombstones(bench, draft.text)
    is_person = not (bench.actor.agent or draft.automatic or draft.source in _QUARANTINED)
    if dead and not (draft.again and is_person):
        raise Forgotten()
    entries = ({"e": "tombstone", "mac": mac, "why": "forget"} for mac in dead)
    return tuple(Note({"e": "lift", "mac": entry["mac"]}, "it may be known again", entry) for entry in entries)


def _like(bench: Bench, draft: Draft, memory: Memory) -> Known | None:
    wanted = draft.near != "ignore" and bench.settings.flag("screen.duplicates")
    return known(bench, memory) if wanted else None


def _confirmed(bench: Bench, draft: Draft, memory: Memory, secrets: tuple[str, ...], *, dry_run: bool) -> Remembered:
    """Nothing new: that it came up again is noted, unless it only waits in quarantine and nobody vouches for it."""
    if not dry_run and memory.place is not Place.QUARANTINE:
        session = bench.actor.session or f"device:{bench.vault.device}"
        bench.vault.try_journal([{"e": "confirm", "id": memory.id, "session": session}], bench.now)
        keep_in_mind(bench, draft.text, memory)
    return Remembered(memory, outcome="confirmed", like=memory, redacted=secrets)


# -- the memory


def _checked(draft: Draft, kinds: Kinds) -> str:
    text = draft.text.strip()
    if not text:
        raise BadInput(what="the text", value=text, reason="there is nothing in it to remember")
    if draft.weight is not None and not 0 <= draft.weight <= 1:
        raise BadInput(what="the weight", value=draft.weight, reason="it must lie between 0 and 1")
    if draft.type and draft.type not in TYPES:
        raise BadInput(what="the type", value=draft.type, reason=f"it must be one of {', '.join(TYPES)}")
    if draft.kind and draft.kind not in kinds:
        raise BadInput(what="the kind", value=draft.kind, reason=f"it must be one of {', '.join(kinds)}")
    return text


def _memory(bench: Bench, draft: Draft, text: str, memory_id: str) -> Memory:
    title = clip(draft.title) if draft.title.strip() else guess_title(text)
    memory_type = draft.type or "memory"
    kinds = bench.settings.kinds
    kind = draft.kind or kinds.owner(draft.more) or kinds.implied(memory_type) or kinds.guess(text)
    tags = tuple(dict.fromkeys((*(tag.strip().lstrip("#") for tag in draft.tags), *earned_tags(text))))
    name = file_name(bench.now.astimezone(bench.zone).date(), title, taken=lambda name: _taken(bench, name))
    place = Place.QUARANTINE if draft.source in _QUARANTINED else Place.MEMORIES
    agent_weight = bench.settings.number("remember.agent_weight" if bench.actor.agent else "remember.weight")
    return Memory(
        id=memory_id,
        path=bench.vault.layout.folder(place) + name,
        place=place,
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
        more={**kinds[kind].filled(text, bench.now, bench.zone), **draft.more, **_provenance(bench, draft)},
        body=text,
    )


def _provenance(bench: Bench, draft: Draft) -> dict[str, FieldValue]:
    actor = bench.actor
    said: dict[str, FieldValue] = {"source": draft.source or actor.source}
    said |= {name: value for name, value in (("agent", actor.agent), ("session", actor.session)) if value}
    return said


def _taken(bench: Bench, name: str) -> bool:
    """Names are unique in the whole vault, so that a wikilink survives a move between tiers."""
    layout = bench.vault.layout
    # The catalogue is as the last look left it, so whatever may have come since is asked for by its path.
    folders = {layout.memories, layout.deep, layout.quarantine, layout.hot, layout.identity, *bench.catalogue.folders()}
    return _is_there(bench, name) or any(bench.vault.exists(folder + name) for folder in folders)


def _is_there(bench: Bench, name: str) -> bool:
    """Whether a note that the catalogue knows by that name has not gone since."""
    if not bench.catalogue.has_name(name):
        return False
    stem = name.rpartition(".")[0].casefold()
    found = (memory for memory in bench.catalogue.find(stem) if memory.name.casefold() == stem)
    return any(bench.vault.exists(memory.path) for memory in found)


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


def _plan(memory: Memory, detail: Memory | None, lifted: tuple[Change, ...]) -> Plan:
    whole = [Create(detail.path, codec.new_note(detail), "the detail behind it")] if detail else []
    return Plan(
        "remember", (*whole, Create(memory.path, codec.new_note(memory), f"remember “{memory.title}”"), *lifted)
    )
