"""Put before a model what a session begins with: what is in hand and due, who the user is, what was done lately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING

from memvault.context.briefing import Part, Piece, briefing
from memvault.context.claude_md import blocks
from memvault.context.claude_md_text import INDEX_HEADING, Material, carries
from memvault.context.eligible import sorted_out
from memvault.context.gather import new_token, tasks_in_hand
from memvault.context.injection_log import last
from memvault.context.prompt import Occasion, Put, allowed, at_hand, body_of, in_hand, put, unchanged
from memvault.context.quote import Entry, heading, label, quotation
from memvault.context.quote import entry as quote_entry
from memvault.context.session_index import cost, is_current, session_index
from memvault.core.ids import short
from memvault.core.marks import DECISION, GOTCHA, PREFERENCE
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.value import replace
from memvault.core.weight import Past
from memvault.memories.reminders import due
from memvault.memories.web_taint import is_tainted
from memvault.storage.journal.exchanges import Interaction, latest
from memvault.storage.vault.context import Bench
from memvault.text.dates.dates import read_moment
from memvault.text.display import plural
from memvault.text.terms import clip

if TYPE_CHECKING:
    from memvault.core.plan import Operation


# What became of a vault since a moment: memories that were made or changed by others, by hand or by upkeep.

_PLACES = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})
_UPKEEP = "maintain"
_MOST = 200  # of those that were made
_CHANGED_SINCE_NEWEST = "the newest memory"


@dataclass(frozen=True, slots=True)
class Change:
    """One memory that is new or no longer what it was, and who did it, as far as is known."""

    memory: Memory
    did: str  # made, merged or changed
    by: str = ""


def changed_since(bench: Bench, since: datetime, *, apart_from: frozenset[str]) -> tuple[Change, ...]:
    """The memories that were made or changed since, the newest first; what some sessions did themselves is left out."""
    found = {change.memory.id: change for change in _made(bench, since)}
    own: set[str] = set()
    for id_, did, operation in _done(bench, since):
        if operation.session and operation.session in apart_from:
            own.add(id_)
        elif id_ not in found and (memory := bench.catalogue.known(id_)):
            by = "upkeep" if operation.verb == _UPKEEP else operation.agent
            found[id_] = Change(memory, did, by)
    for id_ in _edited(bench, since):
        if id_ not in found and id_ not in own and (memory := bench.catalogue.known(id_)):
            found[id_] = Change(memory, "changed")
    return tuple(change for change in found.values() if str(change.memory.more.get("session", "")) not in apart_from)


def _made(bench: Bench, since: datetime) -> Iterator[Change]:
    if not _is_any_newer(bench, since):
        return
    span = (since.timestamp(), bench.now.timestamp())
    made = bench.catalogue.memories(Filters(places=_PLACES, made=(span,)), limit=_MOST)
    for memory in sorted(made, key=lambda memory: (memory.created, memory.path), reverse=True):
        is_merged = bool(memory.more.get("merged_from"))
        yield Change(memory, "merged" if is_merged else "made", str(memory.more.get("agent", "")))


def _is_any_newer(bench: Bench, since: datetime) -> bool:
    """Whether there is a memory at all that was made since, told without a look at the rows as long as none changes."""
    held = bench.catalogue.worked_out.now()
    if _CHANGED_SINCE_NEWEST not in held:
        held[_CHANGED_SINCE_NEWEST] = bench.catalogue.newest(1)
    return any(memory.created >= since for memory in held[_CHANGED_SINCE_NEWEST])


def _done(bench: Bench, since: datetime) -> Iterator[tuple[str, str, Operation]]:
    """What operations did to texts; what upkeep writes of weights and standing is no news."""
    for operation in bench.vault.log.since(since):
        for step in operation.steps:
            is_merged = "consolidate" in step.rules
            if step.id and step.do in ("create", "rewrite") and (is_merged or operation.verb != _UPKEEP):
                yield step.id, "merged" if is_merged else "changed", operation


def _edited(bench: Bench, since: datetime) -> Iterator[str]:
    """Texts that are not what they were, whoever wrote them: the newest first."""
    for entry in reversed(list(bench.vault.journal.since(since))):
        at = read_moment(str(entry.get("t", "")))
        if entry.get("e") == "edit" and isinstance(entry.get("id"), str) and at is not None and at >= since:
            yield str(entry["id"])


_TASKS, _REMINDERS, _CHANGES = 3, 5, 8
_DUE_TOKENS, _TEXT_TOKENS = 150, 400  # of each: one long text must not keep all others out
_ASKED_TOKENS, _ANSWERED_TOKENS, _MOST_FILES = 60, 80, 6
_INDEX_SHARE = 0.25
_CARRIED = (Place.IDENTITY, Place.HOT)
_MOST_HOT = 60
_LISTED = Filters(places=frozenset({Place.MEMORIES, Place.FOREIGN}), statuses=frozenset({"active"}))
_MARKED = (PREFERENCE, DECISION, GOTCHA)
_MOST_LISTED, _MOST_MARKED = 600, 100  # of each mark: among the latest, the index finds enough to fill its room
_NEWEST = 20  # memories, by which it is told whether an index is current


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """How a session begins: what it has before it already, whether that is nothing, and since when it may lack news."""

    occasion: Occasion
    known: frozenset[str]
    is_whole: bool
    since: datetime | None
    apart_from: frozenset[str]
    read: tuple[str, ...] = ()  # our blocks in the agent's instructions


@dataclass(frozen=True, slots=True)
class _Foremost:
    """Tier 0 and the top of Tier 1 with their texts, each of them as a piece, and how those of Tier 1 were used."""

    identity: tuple[Memory, ...]
    hot: tuple[Memory, ...]
    pieces: Mapping[str, Piece]
    pasts: Mapping[str, Past]


@dataclass(frozen=True, slots=True)
class _Standing:
    """Tier 0 and Tier 1 as they are to be given, and those of them that the agent reads in its instructions anyway."""

    parts: tuple[Part, ...] = ()
    read: tuple[Memory, ...] = ()


def at_start(bench: Bench, occasion: Occasion) -> Put:
    """What a session begins with; of what goes on, only what is new since; the start is kept in any case."""
    bench = at_hand(bench, occasion)
    tasks = tasks_in_hand(bench, occasion.project)[:_TASKS]
    scene = _scene(bench, occasion)
    foremost = (in_hand(bench, [task for task in tasks if task.id not in scene.known]), _due(bench, scene))
    standing = _standing(bench, scene, _ids(foremost)) if scene.is_whole else _Standing()
    # Each memory once, in the part where it is worth most: those of the parts above are left out of those below.
    above = _ids((*foremost, *standing.parts)) | {memory.id for memory in standing.read}
    news = _news(bench, scene, above)
    parts = (*foremost, *standing.parts, _lately(bench, scene), _told(news))
    # The index is worth less than these, and shows more than any one of them.
    without = above | {change.memory.id for change in news}
    index = _index(bench, scene, without) if scene.is_whole else _part("the session index", (), 0)
    found = briefing((*parts, index), new_token(), tokens=bench.settings.whole("inject.start_tokens"))
    also = tuple(part.name for part in found.given if not part.pieces[0].id)
    return put(bench, occasion, found, also=also, read=standing.read)


def _ids(parts: Sequence[Part]) -> frozenset[str]:
    return frozenset(piece.id for part in parts for piece in part.pieces if piece.id)


def _scene(bench: Bench, occasion: Occasion) -> _Scene:
    """After compaction nothing counts as given; a session that goes on has it all, unless nobody knows of it."""
    rows = last(occasion.state, limit=0)
    own = [row for row in rows if occasion.session and row.session == occasion.session]
    others = [row for row in rows if row.session != occasion.session and row.project == occasion.project]
    before = [row for row in others if row.session == others[0].session]
    goes_on = occasion.source == "fork" or (occasion.source == "resume" and bool(own))
    since = own[0].at if goes_on and own else before[-1].at if before else None
    apart = {occasion.session, *(row.session for row in before)}
    return _Scene(
        occasion=occasion,
        known=unchanged(bench, occasion) if goes_on else frozenset(),
        is_whole=not goes_on,
        since=since.replace(microsecond=0) if since else None,  # operations are dated by the second
        apart_from=frozenset(filter(None, apart)),
        read=() if goes_on else blocks(occasion.folder, occasion.home),
    )


def _part(name: str, pieces: Sequence[Piece], share: float) -> Part:
    return Part(name=name, pieces=tuple(pieces), share=share)


def _due(bench: Bench, scene: _Scene) -> Part:
    found = allowed(bench, due(bench), scene.occasion)
    new = [memory for memory in found if memory.id not in scene.known][:_REMINDERS]
    pieces = [_piece("Due", memory, body_of(bench, memory, _DUE_TOKENS), "it is due") for memory in new]
    return _part("the reminders that are due", pieces, 0.15)


# -- Tier 0, the top of Tier 1, and the index


def _standing(bench: Bench, scene: _Scene, above: frozenset[str]) -> _Standing:
    foremost = _foremost(bench, scene)
    both = (*foremost.identity, *foremost.hot)
    read = {memory.id: memory for memory in both if any(carries(block, memory) for block in scene.read)}
    identity, hot = (
        [one for one in found if one.id not in read and one.id not in above]
        for found in (foremost.identity, foremost.hot)
    )
    uses = bench.uses(hot, pasts=foremost.pasts)
    hot.sort(key=lambda memory: (not memory.pinned, -bench.weight(memory, uses[memory.id]), memory.path))
    parts = (
        _part("Tier 0", [foremost.pieces[memory.id] for memory in identity], 0.25),
        _part("Tier 1", [foremost.pieces[memory.id] for memory in hot], 0.2),
    )
    return _Standing(parts, tuple(read.values()))


def _foremost(bench: Bench, scene: _Scene) -> _Foremost:
    """Tier 0 and the top of Tier 1, their texts read and cut once for each state of the vault."""
    key = ("foremost", *_shown_by(bench, scene))
    held = bench.catalogue.worked_out.now()
    known: _Foremost | None = held.get(key)
    if known is not None:
        return known
    material = _material(bench, scene, _in_view(bench))
    identity = {memory.id: _whole("Who the user is", memory, "Tier 0") for memory in material.identity}
    hot = {memory.id: _whole("In use now", memory, "Tier 1") for memory in material.hot}
    made = _Foremost(material.identity, material.hot, {**identity, **hot}, bench.catalogue.pasts([*hot]))
    if all(memory.body for memory in (*made.identity, *made.hot)):  # a text that could not be read may be, next time
        held[key] = made
    return made


def _shown_by(bench: Bench, scene: _Scene) -> tuple[object, ...]:
    """What decides, beside the memories themselves, which of them are shown."""
    return scene.occasion.project, bench.settings.texts("inject.folders"), bench.settings.kinds


def _in_view(bench: Bench) -> list[Memory]:
    """Tier 0, and of Tier 1 no more than could ever be given: their texts are read."""
    identity, hot = (bench.catalogue.memories(Filters(places=frozenset({place}))) for place in _CARRIED)
    hot.sort(key=lambda memory: (not memory.pinned, -memory.weight, memory.path))
    return [*identity, *hot[:_MOST_HOT]]


def _material(bench: Bench, scene: _Scene, memories: Sequence[Memory]) -> Material:
    return sorted_out(
        memories,
        bench.text,
        folders=bench.settings.texts("inject.folders"),
        project=scene.occasion.project,
        kinds=bench.settings.kinds,
    )[0]


def _whole(head: str, memory: Memory, why: str) -> Piece:
    return _piece(head, memory, clip((memory.body or "").strip(), _TEXT_TOKENS), why)


def _piece(head: str, memory: Memory, text: str, why: str) -> Piece:
    return Piece(entry=Entry(head, quote_entry(memory, text)), id=memory.id, title=memory.title, why=why)


def _index(bench: Bench, scene: _Scene, without: frozenset[str]) -> Part:
    """The session index, unless the agent's instructions hold one: then what that lacks is told as news."""
    name, whole = "the session index", bench.settings.whole
    if _indexes(bench, scene):
        return _part(name, (), 0)
    head = "What there is to know"
    room = min(whole("claude_md.index_tokens"), int(whole("inject.start_tokens") * _INDEX_SHARE))
    text = _index_text(bench, scene, room - int(cost(heading(head))) - 1, without)
    return _part(name, [Piece(entry=Entry(head, f"\n{text}\n"))] if text else (), _INDEX_SHARE)


def _index_text(bench: Bench, scene: _Scene, room: int, without: frozenset[str]) -> str:
    """The index in so many tokens, made once for each state of the vault."""
    key = ("index", room, without, *_shown_by(bench, scene))
    held = bench.catalogue.worked_out.now()
    known: str | None = held.get(key)
    if known is None:
        index = _material(bench, scene, _listed(bench)).index
        others = len(bench.catalogue.numbers_of(_LISTED)) - len(index)
        listed = [memory for memory in index if memory.id not in without]
        known = session_index(listed, room, unseen=max(0, others)).text
        held[key] = known
    return known


def _listed(bench: Bench) -> list[Memory]:
    """The latest memories, and the latest of those that the index has a part of its own for."""
    marked = (
        memory
        for tag in _MARKED
        for memory in bench.catalogue.memories(replace(_LISTED, tags=frozenset({tag})), limit=_MOST_MARKED)
    )
    return list({memory.id: memory for memory in (*bench.catalogue.newest(_MOST_LISTED), *marked)}.values())


def _indexes(bench: Bench, scene: _Scene) -> tuple[str, ...]:
    """The session indexes of this vault in the agent's instructions: those that name a memory of it."""
    found = [block for block in scene.read if INDEX_HEADING in block]
    ours = [short(memory.id) for memory in bench.catalogue.newest(_MOST_LISTED)] if found else []
    return tuple(block for block in found if any(id_ in block for id_ in ours))


# -- what was done lately


def _lately(bench: Bench, scene: _Scene) -> Part:
    """The last exchanges of this project; to a session that goes on, those that others had meanwhile."""
    since = bench.now - timedelta(hours=bench.settings.whole("inject.day_hours"))
    if not scene.is_whole and scene.since:
        since = max(since, scene.since)
    most = bench.settings.whole("inject.exchanges")
    found = latest(scene.occasion.state, project=scene.occasion.project, since=since, limit=0) if most else ()
    fit = [one for one in found if scene.is_whole or one.session != scene.occasion.session][:most]
    told = (_exchange(one, bench.zone, is_doubtful=_is_doubtful(bench, one)) for one in fit)
    pieces = [Piece(entry=Entry("Done lately in this project", each)) for each in told]
    return _part(plural(len(pieces), "recent exchange", "recent exchanges"), pieces, 0.2)


@lru_cache(maxsize=64)  # where a process stays, session after session begins with the same ones
def _exchange(one: Interaction, zone: tzinfo, *, is_doubtful: bool) -> str:
    files = ", ".join(one.files[:_MOST_FILES]) + (" and others" if len(one.files) > _MOST_FILES else "")
    said = (
        ("Asked", clip(one.asked, _ASKED_TOKENS)),
        ("Answered", "" if is_doubtful else clip(one.answered, _ANSWERED_TOKENS)),
        ("Files", files),
    )
    lines = quotation("\n".join(f"{name}: {' '.join(text.split())}" for name, text in said if text))
    return f"\n{one.at.astimezone(zone):%Y-%m-%d %H:%M}, in a session with an agent\n{lines}\n"


def _is_doubtful(bench: Bench, one: Interaction) -> bool:
    """Whether the answer may be a stranger's words: the agent had read the web."""
    assert bench.state is not None
    return is_tainted(bench.state, session=one.session, project=one.project, now=one.at)


def _news(bench: Bench, scene: _Scene, above: frozenset[str]) -> list[Change]:
    """What others, or upkeep, made of the memories since; and what came after an index that the agent reads."""
    found = changed_since(bench, scene.since, apart_from=scene.apart_from) if scene.since else ()
    shown = _material(bench, scene, [change.memory for change in found])
    reachable = {memory.id for memory in (*shown.identity, *shown.hot, *shown.index)} - above
    news = {change.memory.id: change for change in found if change.memory.id in reachable}
    for memory in _unlisted(bench, scene):
        if memory.id not in above:
            news.setdefault(memory.id, Change(memory, "made"))
    return list(news.values())[:_CHANGES]


def _unlisted(bench: Bench, scene: _Scene) -> list[Memory]:
    """The latest memories that no index in the agent's instructions names, where there is such an index."""
    indexes = _indexes(bench, scene)
    if not indexes:
        return []
    newest = _material(bench, scene, bench.catalogue.newest(_NEWEST)).index
    if any(is_current(block, newest) for block in indexes):
        return []
    return [memory for memory in newest if not any(short(memory.id) in block for block in indexes)]


def _told(news: Sequence[Change]) -> Part:
    pieces = [Piece(entry=Entry("New or changed since the last session", _line(change))) for change in news]
    return _part(plural(len(pieces), "change", "changes"), pieces, 0.1)


def _line(change: Change) -> str:
    by = f" by {label(change.by)}" if change.by else ""
    return f"- {label(change.memory.title)} ({short(change.memory.id)}): {change.did}{by}\n"
