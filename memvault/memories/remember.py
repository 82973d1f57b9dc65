"""Make a new memory."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from posixpath import normpath

from memvault.core.ids import target_name
from memvault.core.kinds import Kinds
from memvault.core.marks import PREFERENCE, concerns_person, earned_tags
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import Change, Create, Plan
from memvault.errors import AlreadyThere, Forgotten, MarksUnknown, MemvaultError
from memvault.memories.draft import TOLD, Draft, fitting, screened
from memvault.memories.screen import NOTHING_LEFT_OUT, Known, LeftOut, keep_in_mind, known, marks_of
from memvault.memories.web_taint import in_doubt
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH
from memvault.text.file_names import file_name
from memvault.text.markdown import clip, guess_title

# Which project a new memory belongs to, and whether it is for that project alone.


def belonging(
    project: str, *, kind: str, text: str, kinds: Kinds, given: Mapping[str, FieldValue]
) -> dict[str, FieldValue]:
    """The fields `project` and `scope` of a memory that is made within a project; what is given goes first."""
    if not project or "project" in given:
        return {}
    said: dict[str, FieldValue] = {"project": project}
    row = kinds.get(kind)
    if "scope" not in given and row is not None and row.personal and concerns_person(text):
        said["scope"] = "global"
    return said


# The long file behind a memory: how the two point at each other, and go the same ways.

_LEAD_WORDS = 80
_POINTER = "More: [[{}]]"
_HEAD = "Detail of [[{}]]."
_POINTER_SAID = r"\s*^More: \[\[[^\]\n]+\]\]\s*\Z"
_HEAD_SAID = r"\A\s*Detail of \[\[[^\]\n]+\]\]\.[ \t]*\n+"
_CUT = " …"


def lead(text: str, detail: Memory) -> str:
    """What stands in the memory itself: what can be read at a glance, and where the rest is."""
    words = text.split()
    short = text if len(words) <= _LEAD_WORDS else f"{' '.join(words[:_LEAD_WORDS])}{_CUT}"
    return f"{short}\n\n{_POINTER.format(detail.name)}"


def body_of_detail(memory: Memory, text: str) -> str:
    """What stands in the long file: whose detail it is, and the text."""
    return f"{_HEAD.format(memory.name)}\n\n{text}"


def said_by(memory: Memory, details: Iterable[Memory] = ()) -> tuple[str, ...]:
    """The texts that a memory stands for: what it says, without its pointers too, and what its detail files say."""
    bodies = (memory.body or "", *(detail.body or "" for detail in details))
    texts = (text.strip() for body in bodies for text in (body, _without_pointers(body)))
    found = tuple(dict.fromkeys(filter(None, texts)))
    return found or (memory.title,)


def _without_pointers(body: str) -> str:
    return re.sub(_HEAD_SAID, "", re.sub(_POINTER_SAID, "", body, flags=re.MULTILINE))


def details_of(bench: Bench, memory: Memory) -> list[Memory]:
    """The long files that are a memory's own: those it names, unless another memory points there too."""
    places = _WAITING if memory.place is Place.QUARANTINE else _ACCEPTED
    found = (_detail_of(bench, reference, places) for reference in memory.refs.get("deep_context", ()))
    return [detail for detail in found if detail is not None and _is_own(bench, memory, detail)]


def _detail_of(bench: Bench, reference: str, places: tuple[Place, ...]) -> Memory | None:
    link = reference.removeprefix("[[").removesuffix("]]")
    name = target_name(link)
    known = [other.path for other in bench.catalogue.find(name) if other.path == reference or other.name == name]
    beside = f"{bench.vault.layout.quarantine}{name}.md"
    path = next((path for path in (link, *known, beside) if _lies_in(bench, path, places)), "")
    return read_at(bench, path) if path else None


def _lies_in(bench: Bench, path: str, places: tuple[Place, ...]) -> bool:
    # A reference is somebody's text: it may lead round a corner.
    is_straight = normpath(path) == path and "\\" not in path
    return is_straight and bench.vault.place(path) in places and bench.vault.exists(path)


_ACCEPTED, _WAITING = (Place.DEEP,), (Place.DEEP, Place.QUARANTINE)
_UNTRUSTED = ("tool", "web")


def _is_own(bench: Bench, memory: Memory, detail: Memory) -> bool:
    others = {other.path for other in bench.catalogue.links_to(detail.name)} - {memory.path, detail.path}
    if others or detail.path == memory.path:
        return False
    # What came from the web may name any file as its detail; that alone does not make it so.
    is_theirs = detail.more.get("source") in _UNTRUSTED or f"[[{memory.name}]]" in (detail.body or "")
    return memory.place is not Place.QUARANTINE or detail.place is Place.QUARANTINE or is_theirs


def read_at(bench: Bench, path: str) -> Memory | None:
    """The memory that a file holds which the catalogue may not know; None where it cannot be read."""
    try:
        note = bench.vault.note(path)
    except MemvaultError:
        return None
    place = bench.vault.place(path) or Place.MEMORIES
    origin = codec.Origin(path, place, "", note.modified, note.modified, bench.zone, bench.settings.kinds)
    return codec.read(note.block, origin, version=note.version)


def gone_details(bench: Bench, memory: Memory) -> Iterator[tuple[Memory, str]]:
    """The detail files of a memory that went to the trash with it, and where each lay."""
    for path in memory.refs.get("deep_context", ()):
        if bench.vault.place(path) not in _WAITING or bench.vault.exists(path):
            continue
        steps = (step for op in bench.vault.log.operations() for step in op.steps)
        went = (step.to for step in steps if step.do == "move" and step.path == path)
        now_at = next((to for to in went if to.startswith(f"{TRASH}/") and bench.vault.exists(to)), "")
        detail = read_at(bench, now_at) if now_at else None
        if detail is not None:
            yield detail, path


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
