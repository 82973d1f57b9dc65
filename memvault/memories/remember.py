"""Make a new memory."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from memvault.core.marks import PREFERENCE, earned_tags
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import Change, Create, Plan
from memvault.errors import AlreadyThere, Forgotten, MarksUnknown
from memvault.memories.belonging import belonging
from memvault.memories.detail import body_of_detail, lead
from memvault.memories.draft import TOLD, Draft, fitting, screened
from memvault.memories.screen import (
    NOTHING_LEFT_OUT,
    LeftOut,
    marks_of,
)
from memvault.memories.screening import Known, keep_in_mind, known
from memvault.memories.web_taint import in_doubt
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.text.file_names import file_name
from memvault.text.titles import clip, guess_title

_NAME_TRIES = 20
_QUARANTINED = ("tool", "web")


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
    memory = told.memory
    for _ in range(_NAME_TRIES):
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
            memory = _memory(bench, draft, draft.text, memory.id)  # another writer took the name a moment ago
            continue
        keep_in_mind(bench, draft.text, memory)
        return replace(told, op=operation.op)
    raise AlreadyThere(path=told.memory.path)


def wanted_back(bench: Bench, draft: Draft) -> tuple[Change, ...]:
    """What takes a forgotten text's tombstones away, if a person wants it back; without that it is refused."""
    is_person = draft.wish(bench).by_person and draft.source not in _QUARANTINED
    others = [getattr(draft, name) for name in TOLD if name != "text"]
    is_wanted = draft.again and is_person
    session = bench.actor.session
    if draft.automatic and (bench.actor.is_nameless or (session and tombstones.is_purged(bench)(session))):
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
    draft = fitting(bench, draft)
    return _memory(bench, draft, draft.text, str(uuid.uuid4()))


def _memory(bench: Bench, draft: Draft, text: str, memory_id: str) -> Memory:
    title = clip(draft.title) or guess_title(text)
    memory_type = draft.type or "memory"
    kinds = bench.settings.kinds
    kind = draft.kind or kinds.owner(draft.more) or kinds.implied(memory_type) or kinds.guess(text)
    earned = earned_tags(text) if memory_type != "milestone" else ()  # it tells of many things, and is none of them
    tags = tuple(dict.fromkeys((*(tag.strip().lstrip("#") for tag in draft.tags), *earned)))
    created = min(draft.created or bench.now, bench.now)
    name = file_name(_day(created, bench.zone), title, taken=lambda name: _taken(bench, name))
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
        aliases=tuple(dict.fromkeys((title, *filter(None, map(str.strip, draft.aliases))))),
        refs=draft.refs,
        more={
            **kinds[kind].filled(text, bench.now, bench.zone),
            **belonging(bench.project, kind=kind, text=text, kinds=kinds, given=draft.more),
            **draft.more,
            **_provenance(bench, draft),
        },
        body=text,
    )


def _day(moment: datetime, zone: tzinfo) -> date:
    try:
        return moment.astimezone(zone).date()
    except OverflowError:  # the first day that there is, in a zone in which it is the day before
        return moment.date()


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
