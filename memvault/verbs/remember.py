"""Make a new memory."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypedDict

from memvault.core.fields import SOURCES, TYPES
from memvault.core.kinds import Kinds
from memvault.core.marks import PREFERENCE, earned_tags
from memvault.core.memory import NOTHING, FieldValue, Memory, Place
from memvault.core.plan import Change, Create, Plan
from memvault.core.private import cleaned, is_unclosed
from memvault.core.screen import Captured, trivial
from memvault.core.slug import file_name
from memvault.core.titles import clip, guess_title
from memvault.errors import AlreadyThere, BadInput, Forgotten, MarksUnknown, Trivial
from memvault.vault import codec
from memvault.verbs import tombstones
from memvault.verbs.apply import apply_one
from memvault.verbs.belonging import belonging
from memvault.verbs.bench import Bench
from memvault.verbs.detail import body_of_detail, lead
from memvault.verbs.gate import (
    NOTHING_LEFT_OUT,
    LeftOut,
    Wish,
    fit,
    fit_text,
    fit_texts,
    marks_of,
    texts,
    without_secrets,
)
from memvault.verbs.given import settled, unheard
from memvault.verbs.screening import Known, keep_in_mind, known
from memvault.verbs.tainting import in_doubt

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
    created: datetime | None = None  # when it was said, where that was not now
    source: str = ""  # where it came from; whoever is at work, unless told
    automatic: bool = False  # nobody asked for it: it was picked up
    secrets: str = ""  # refuse, redact or keep; as the settings say, unless told
    again: bool = False  # a person wants it back, though it was forgotten
    near: str = ""  # what becomes of a text that is known nearly: tell, hold, confirm or ignore

    def wish(self, bench: Bench) -> Wish:
        """Who brings it, and what is to become of secrets in it."""
        is_person = not (bench.actor.agent or self.automatic)
        return Wish(by_person=is_person, automatic=self.automatic, secrets=self.secrets)


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
    left_out: LeftOut = NOTHING_LEFT_OUT
    why: str = ""  # why the reviewers rejected it

    @property
    def redacted(self) -> tuple[str, ...]:
        """The sorts of secrets that were left out."""
        return self.left_out.sorts


def remember(bench: Bench, draft: Draft, *, dry_run: bool = False) -> Remembered:
    """Write a new memory into Tier 2, under a name that nothing in the vault has yet, once it passed the screens."""
    draft, left_out = screened(bench, draft)
    lifted = wanted_back(bench, draft)
    memory = _memory(bench, draft, draft.text, str(uuid.uuid4()))
    like = _like(bench, draft, memory)
    near = _near(bench, draft)
    if like and like.says_all and (near == "confirm" or memory.place is Place.QUARANTINE):
        return _confirmed(bench, draft, like.memory, left_out, dry_run=dry_run)
    told = replace(Remembered(memory), like=like.memory if like else None, left_out=left_out)
    if like and near == "hold":
        return replace(told, outcome="held")
    return _written(bench, draft, told, lifted, dry_run=dry_run)


def _near(bench: Bench, draft: Draft) -> str:
    """What becomes of a text that is known nearly; only a person can be waited for."""
    is_person = draft.wish(bench).by_person
    return draft.near if draft.near and (is_person or draft.near != "hold") else "tell" if is_person else "confirm"


def _written(bench: Bench, draft: Draft, told: Remembered, lifted: tuple[Change, ...], *, dry_run: bool) -> Remembered:
    for _ in range(_NAME_TRIES):
        memory = _memory(bench, draft, draft.text, told.memory.id)
        # What waits in quarantine waits whole: a detail file elsewhere would be found before anybody accepted it.
        is_waiting = memory.place is Place.QUARANTINE
        detail = _detail(bench, memory, draft.text) if draft.significant and not is_waiting else None
        if detail is not None:
            refs = {**memory.refs, "deep_context": (detail.path,)}
            memory = memory.changed(body=lead(draft.text, detail), refs=refs, emotional_flag=True)
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


# -- the screens


def screened(bench: Bench, draft: Draft) -> tuple[Draft, LeftOut]:
    """The draft without private spans and secrets, and what was left out; one that is not to be kept is refused."""
    draft = _fit(bench, draft)
    _check_choices(bench, draft)
    is_cut = any(is_unclosed(text) for name in _TOLD for text in texts(getattr(draft, name)))
    draft = Draft(**{name: cleaned(getattr(draft, name)) for name in Draft.__slots__})
    captured = Captured(draft.text, bench.settings.whole("screen.trivial_below"), draft.automatic)
    if reason := (trivial(captured) if draft.automatic else "") or trivial(captured, bench.screens):
        raise Trivial(reason=reason)
    kept, left_out = without_secrets(bench, {name: getattr(draft, name) for name in _TOLD}, draft.wish(bench))
    draft = replace(draft, **{**kept, "text": str(kept["text"]).strip()})
    _check_values(draft, bench.settings.kinds)
    return draft, replace(left_out, unclosed=is_cut)


_TOLD = ("text", "title", "tags", "topics", "people", "triggers", "refs", "more")
_TEXTS = ("title", "type", "kind", "source", "secrets", "near")
_LISTS = ("tags", "topics", "people", "triggers")
_CHOICES = {"source": SOURCES, "secrets": ("refuse", "redact", "keep"), "near": ("tell", "hold", "confirm", "ignore")}
_QUARANTINED = ("tool", "web")


def _fit(bench: Bench, draft: Draft) -> Draft:
    """The draft as it was meant, lists as tuples and values as their fields hold them; what cannot be is refused."""
    given: dict[str, Any] = {"text": fit_text("the text", draft.text)}
    given |= {name: fit_text(f"`{name}`", getattr(draft, name)) for name in _TEXTS}
    given |= {name: fit_texts(f"`{name}`", getattr(draft, name)) for name in _LISTS}
    for name in ("refs", "more"):
        if not isinstance(getattr(draft, name), Mapping):
            raise BadInput(what=f"`{name}`", value=type(getattr(draft, name)).__name__, reason="it must have names")
    refs = fit("`refs`", draft.refs)
    given["refs"] = {key: (value,) if isinstance(value, str) else value for key, value in refs.items()}
    given["more"] = {name: value for name, value in settled(bench, draft.more).items() if value is not None}
    if draft.weight is not None and not isinstance(draft.weight, int | float):
        raise BadInput(what="the weight", value=type(draft.weight).__name__, reason="it must be a number from 0 to 1")
    return replace(draft, **given)


def _check_choices(bench: Bench, draft: Draft) -> None:
    for name, options in _CHOICES.items():
        value = getattr(draft, name)
        if value and value not in options:
            raise BadInput(what=f"`{name}`", value=value, reason=f"it must be one of {', '.join(options)}")
    if draft.source and SOURCES.index(draft.source) < SOURCES.index(bench.actor.source):
        raise BadInput(what="the source", value=draft.source, reason="an agent cannot speak as the user")


def _check_values(draft: Draft, kinds: Kinds) -> None:
    if not draft.text:
        raise BadInput(what="the text", value="", reason="there is nothing in it to remember")
    if draft.weight is not None and not 0 <= draft.weight <= 1:
        raise BadInput(what="the weight", value=draft.weight, reason="it must lie between 0 and 1")
    if draft.type and draft.type not in TYPES:
        raise BadInput(what="the type", value=draft.type, reason=f"it must be one of {', '.join(TYPES)}")
    if draft.kind and draft.kind not in kinds:
        raise BadInput(what="the kind", value=draft.kind, reason=f"it must be one of {', '.join(kinds)}")
    if draft.kind and (reason := unheard(kinds, draft.kind, draft.more)):
        raise BadInput(what="the kind", value=draft.kind, reason=reason)


def wanted_back(bench: Bench, draft: Draft) -> tuple[Change, ...]:
    """What takes a forgotten text's tombstones away, if a person wants it back; without that it is refused."""
    is_person = draft.wish(bench).by_person and draft.source not in _QUARANTINED
    others = () if is_person else [getattr(draft, name) for name in _TOLD if name != "text"]
    is_wanted = draft.again and is_person
    if draft.automatic and bench.actor.session and tombstones.is_purged(bench)(bench.actor.session):
        raise Forgotten()  # the whole session was
    try:
        dead = marks_of(bench, draft.text, others)
    except MarksUnknown:
        if is_wanted:  # whether it was forgotten or not
            return ()
        raise
    if dead and not is_wanted:
        raise Forgotten()
    return tombstones.again(bench, dead)


def _like(bench: Bench, draft: Draft, memory: Memory) -> Known | None:
    wanted = draft.near != "ignore" and bench.settings.flag("screen.duplicates")
    return known(bench, memory) if wanted else None


def _confirmed(bench: Bench, draft: Draft, memory: Memory, left_out: LeftOut, *, dry_run: bool) -> Remembered:
    """Nothing new: that it came up again is noted, unless it only waits in quarantine and nobody vouches for it."""
    if not dry_run and memory.place is not Place.QUARANTINE:
        session = bench.actor.session or f"device:{bench.vault.device}"
        bench.vault.try_journal([{"e": "confirm", "id": memory.id, "session": session}], bench.now)
        keep_in_mind(bench, draft.text, memory)
    return Remembered(memory, outcome="confirmed", like=memory, left_out=left_out)


# -- the memory


def formed(bench: Bench, draft: Draft) -> Memory:
    """The memory that a draft would become, with all that is in it: for what is sealed before it is written."""
    draft = _fit(bench, draft)
    _check_choices(bench, draft)
    draft = replace(draft, text=draft.text.strip())
    _check_values(draft, bench.settings.kinds)
    return _memory(bench, draft, draft.text, str(uuid.uuid4()))


def _memory(bench: Bench, draft: Draft, text: str, memory_id: str) -> Memory:
    title = clip(draft.title) or guess_title(text)
    memory_type = draft.type or "memory"
    kinds = bench.settings.kinds
    kind = draft.kind or kinds.owner(draft.more) or kinds.implied(memory_type) or kinds.guess(text)
    earned = earned_tags(text) if memory_type != "milestone" else ()  # it tells of many things, and is none of them
    tags = tuple(dict.fromkeys((*(tag.strip().lstrip("#") for tag in draft.tags), *earned)))
    created = min(draft.created or bench.now, bench.now)
    name = file_name(created.astimezone(bench.zone).date(), title, taken=lambda name: _taken(bench, name))
    place = Place.QUARANTINE if draft.source in _QUARANTINED else Place.MEMORIES
    agent_weight = bench.settings.number("remember.agent_weight" if bench.actor.agent else "remember.weight")
    return Memory(
        id=memory_id,
        path=bench.vault.layout.folder(place) + name,
        place=place,
        title=title,
        type=memory_type,
        kind=kind,
        created=created.replace(microsecond=0),
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
        more={
            **kinds[kind].filled(text, bench.now, bench.zone),
            **belonging(bench.project, kind=kind, text=text, kinds=kinds, given=draft.more),
            **draft.more,
            **_provenance(bench, draft),
        },
        body=text,
    )


def _provenance(bench: Bench, draft: Draft) -> dict[str, FieldValue]:
    actor = bench.actor
    said: dict[str, FieldValue] = {"source": draft.source or actor.source}
    said |= {name: value for name, value in (("agent", actor.agent), ("session", actor.session)) if value}
    return {**said, "tainted": True} if in_doubt(bench) else said


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
        body=body_of_detail(memory, text),
        refs={},
    )


def _plan(memory: Memory, detail: Memory | None, lifted: tuple[Change, ...]) -> Plan:
    whole = [Create(detail.path, codec.new_note(detail), "the detail behind it")] if detail else []
    return Plan(
        "remember", (*whole, Create(memory.path, codec.new_note(memory), f"remember “{memory.title}”"), *lifted)
    )
