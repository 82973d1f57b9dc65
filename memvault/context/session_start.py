"""Inject what a session begins with: open tasks and reminders, who the user is, recent exchanges, news."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memvault.context.briefing import (
    BriefingPart,
    BriefingPiece,
    QuotedEntry,
    build_briefing,
    format_heading,
    make_piece,
    quote_label,
)
from memvault.context.claude_md import claude_md_blocks
from memvault.context.claude_md_text import INDEX_HEADING, BlockMemories, block_contains
from memvault.context.due import ReminderScene, due_parts, note_asked
from memvault.context.eligible import select_by_tier, still_holds
from memvault.context.gather import list_session_tasks, new_token
from memvault.context.injection_log import last_records
from memvault.context.person_card import CardStatement, build_card, card_part, find_statements
from memvault.context.prompt import (
    Injection,
    InjectionEvent,
    record_injection,
    session_context,
    tasks_part,
    unchanged_ids,
)
from memvault.context.recent_work import work_part
from memvault.context.session_index import build_folder_index, build_session_index, is_current
from memvault.core.ids import short_id
from memvault.core.kinds.infer_tags import DECISION, GOTCHA, PREFERENCE
from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.value import replace
from memvault.core.weight import UsageHistory
from memvault.memories.open_items import is_reminder
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.dates import read_moment
from memvault.text.display import format_count
from memvault.text.terms import clip_to_budget, text_cost

if TYPE_CHECKING:
    from memvault.core.plan import Operation


# Changes of a vault since a moment: memories made or changed by others, by hand or by maintenance.

_PLACES = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})
_UPKEEP = "maintain"
_MOST = 200  # of those that were made
_CHANGED_SINCE_NEWEST = "the newest memory"


@dataclass(frozen=True, slots=True)
class MemoryNews:
    """One memory that is new or was changed, and who did it, if that is known."""

    memory: Memory
    did: str  # made, merged or changed
    by: str = ""


def changed_since(context: VaultContext, since: datetime, *, apart_from: frozenset[str]) -> tuple[MemoryNews, ...]:
    """Return memories made or changed since, the newest first, without what some sessions did themselves."""
    found = {change.memory.id: change for change in _find_made(context, since)}
    own: set[str] = set()
    for id_, did, operation in _find_operations(context, since):
        if operation.session and operation.session in apart_from:
            own.add(id_)
        elif id_ not in found and (memory := context.index.memory_by_id(id_)):
            by = "upkeep" if operation.verb == _UPKEEP else operation.agent
            found[id_] = MemoryNews(memory, did, by)
    for _, entry in reversed(list(context.vault.journal.entries_since(since))):
        at, edited = read_moment(str(entry.get("t", ""))), str(entry.get("id", ""))
        is_new = entry.get("e") == "edit" and edited not in found and edited not in own
        if is_new and at is not None and at >= since and (memory := context.index.memory_by_id(edited)):
            found[edited] = MemoryNews(memory, "changed")  # by anyone
    return tuple(change for change in found.values() if str(change.memory.more.get("session", "")) not in apart_from)


def _find_made(context: VaultContext, since: datetime) -> Iterator[MemoryNews]:
    cache = context.index.derived.current()
    if _CHANGED_SINCE_NEWEST not in cache:  # without reading rows as long as none changes
        cache[_CHANGED_SINCE_NEWEST] = context.index.newest_memories(1)
    if not any(memory.created >= since for memory in cache[_CHANGED_SINCE_NEWEST]):
        return
    span = (since.timestamp(), context.now.timestamp())
    made = context.index.memories(Filters(places=_PLACES, made=(span,)), limit=_MOST)
    for memory in sorted(made, key=lambda memory: (memory.created, memory.path), reverse=True):
        is_merged = bool(memory.more.get("merged_from"))
        yield MemoryNews(memory, "merged" if is_merged else "made", str(memory.more.get("agent", "")))


def _find_operations(context: VaultContext, since: datetime) -> Iterator[tuple[str, str, Operation]]:
    """Yield what operations did to texts; weights and statuses that maintenance writes are no news."""
    for operation in context.vault.log.operations_since(since):
        for step in operation.steps:
            is_merged = "consolidate" in step.rules
            if step.id and step.do in ("create", "rewrite") and (is_merged or operation.verb != _UPKEEP):
                yield step.id, "merged" if is_merged else "changed", operation


_TASKS, _CHANGES = 3, 8
_TEXT_TOKENS = 400  # of each: one long text must not keep all others out
_INDEX_SHARE = 0.25
_WAY, _WAY_SHARE = "the way to recall", 0.1
_CARRIED = (Place.IDENTITY, Place.HOT)
_MOST_HOT = 60
_LISTED = Filters(places=frozenset({Place.MEMORIES, Place.FOREIGN}), statuses=frozenset({"active"}))
_MARKED = (PREFERENCE, DECISION, GOTCHA)
_MOST_LISTED, _MOST_MARKED = 600, 100  # of each mark: among the latest, the index finds enough to fill its room
_NEWEST = 20  # memories that show whether an index is current


@dataclass(frozen=True, slots=True, kw_only=True)
class _SessionState:
    """How a session begins: what it has already, whether it goes on with that, and since when it may lack news."""

    occasion: InjectionEvent
    known: frozenset[str]
    goes_on: bool
    since: datetime | None
    apart_from: frozenset[str]
    read: tuple[str, ...] = ()  # our blocks in the agent's instructions

    @property
    def is_compacted(self) -> bool:
        """Return whether it was made short: its own work is known, and what it was given is gone."""
        return self.occasion.source == "compact"

    @property
    def since_own(self) -> datetime | None:
        """Return since when a session that goes on may lack exchanges of others."""
        return self.since if self.goes_on else None


class _TopTiers(NamedTuple):
    """Tier 0 and the top of Tier 1 with their texts, each as a piece, and the usage of Tier 1."""

    identity: tuple[Memory, ...]
    hot: tuple[Memory, ...]
    pieces: Mapping[str, BriefingPiece]
    pasts: Mapping[str, UsageHistory]


def inject_session_start(context: VaultContext, occasion: InjectionEvent) -> Injection:
    """Return what a session begins with; a resumed one gets only what is new. The start is always recorded."""
    context = session_context(context, occasion)
    scene = _session_state(context, occasion)
    card, on_card, read = _card_part(context, scene)
    reminding = ReminderScene(occasion.session, occasion.project, occasion.state)
    tasks = list_session_tasks(context, occasion.project)[:_TASKS]
    since = max(
        filter(None, (context.now - timedelta(hours=context.settings.integer("inject.day_hours")), scene.since_own))
    )
    foremost = (
        card,
        *due_parts(context, reminding, is_whole=not scene.goes_on),
        tasks_part(context, [task for task in tasks if task.id not in scene.known]),
        work_part(context, occasion, since, others_only=scene.goes_on),
    )
    # Each memory once, in the part where it is worth most: later parts leave out what earlier ones have.
    above = _piece_ids(foremost) | on_card | {memory.id for memory in read}
    parts: tuple[BriefingPart, ...] = foremost
    if not scene.is_compacted:
        tiers, more = _tier_parts(context, scene, above) if not scene.goes_on else ((), ())
        read += more
        above |= _piece_ids(tiers) | {memory.id for memory in more}
        news = _find_news(context, scene, above)
        # The index is worth less than these, and shows more than any one of them.
        parts = (*foremost, _news_part(news), *tiers)
        if not scene.goes_on:
            parts = (*parts, _index_part(context, scene, above | {change.memory.id for change in news}))
    if not scene.goes_on and occasion.way:
        parts = (*parts, _way_part(occasion.way, parts))
    found = build_briefing(parts, new_token(), tokens=context.settings.integer("inject.start_tokens"))
    also = tuple(part.name for part in found.given if not part.pieces[0].id and part.name != _WAY)
    occasion.later(lambda: note_asked(context, reminding, found.given))
    return record_injection(context, occasion, found, also=also, read=read)


def _piece_ids(parts: Sequence[BriefingPart]) -> frozenset[str]:
    return frozenset(piece.id for part in parts for piece in part.pieces if piece.id)


def _session_state(context: VaultContext, occasion: InjectionEvent) -> _SessionState:
    """Return what the session has already: nothing after compaction, all of it if it goes on and is known."""
    rows = last_records(occasion.state, limit=0)
    own = [row for row in rows if occasion.session and row.session == occasion.session]
    others = [row for row in rows if row.session != occasion.session and row.project == occasion.project]
    before = [row for row in others if row.session == others[0].session]
    goes_on = occasion.source == "fork" or (occasion.source == "resume" and bool(own))
    since = own[0].at if goes_on and own else before[-1].at if before else None
    apart = {occasion.session, *(row.session for row in before)}
    return _SessionState(
        occasion=occasion,
        known=unchanged_ids(context, occasion) if goes_on else frozenset(),
        goes_on=goes_on,
        since=since.replace(microsecond=0) if since else None,  # operations are dated by the second
        apart_from=frozenset(filter(None, apart)),
        read=() if goes_on else claude_md_blocks(occasion.folder, occasion.home),
    )


# -- the card, Tier 0, the top of Tier 1, and the index


def _card_part(context: VaultContext, scene: _SessionState) -> tuple[BriefingPart, frozenset[str], tuple[Memory, ...]]:
    """Return the person card, the ids of all that stands on it, and what of it the agent reads in its instructions."""
    key = ("card", *_cache_key(context, scene))
    cache = context.index.derived.current()
    if key not in cache:
        cache[key] = build_card(find_statements(context, scene.occasion.project))
    chosen: list[CardStatement] = cache[key]
    read = [one.memory for one in chosen if any(one.line in block for block in scene.read)]
    left = scene.known | {memory.id for memory in read}
    has_it = scene.occasion.source == "fork"  # in the conversation that it goes on with
    fresh = [one for one in chosen if one.memory.id not in left and not has_it]
    return card_part(fresh), frozenset(one.memory.id for one in chosen), tuple(read)


def _tier_parts(
    context: VaultContext, scene: _SessionState, above: frozenset[str]
) -> tuple[tuple[BriefingPart, ...], tuple[Memory, ...]]:
    """Return Tier 0 and Tier 1 as they are shown, and those that the agent reads in its instructions anyway."""
    top = _top_tiers(context, scene)
    read = {
        memory.id: memory
        for memory in (*top.identity, *top.hot)
        if any(block_contains(block, memory) for block in scene.read)
    }
    identity, hot = (
        [one for one in found if one.id not in read and one.id not in above] for found in (top.identity, top.hot)
    )
    uses = context.memory_uses(hot, pasts=top.pasts)
    hot.sort(key=lambda memory: (not memory.pinned, -context.memory_weight(memory, uses[memory.id]), memory.path))
    parts = (
        BriefingPart("Tier 0", tuple(top.pieces[memory.id] for memory in identity), 0.25),
        BriefingPart("Tier 1", tuple(top.pieces[memory.id] for memory in hot), 0.2),
    )
    return parts, tuple(read.values())


def _top_tiers(context: VaultContext, scene: _SessionState) -> _TopTiers:
    """Return Tier 0 and the top of Tier 1, their texts read and cut once for each state of the vault."""
    key = ("foremost", *_cache_key(context, scene))
    cache = context.index.derived.current()
    known: _TopTiers | None = cache.get(key)
    if known is not None:
        return known
    identity, hot = (context.index.memories(Filters(places=frozenset({place}))) for place in _CARRIED)
    hot.sort(key=lambda memory: (not memory.pinned, -memory.weight, memory.path))
    material = _select_memories(context, scene, [*identity, *hot[:_MOST_HOT]])  # no more than could ever be shown
    pieces = {
        memory.id: make_piece(heading, memory, clip_to_budget((memory.body or "").strip(), _TEXT_TOKENS), why)
        for heading, why, memories in (
            ("Who the user is", "Tier 0", material.identity),
            ("In use now", "Tier 1", material.hot),
        )
        for memory in memories
    }
    usage = context.index.usage_histories([memory.id for memory in material.hot])
    made = _TopTiers(material.identity, material.hot, pieces, usage)
    if all(memory.body for memory in (*made.identity, *made.hot)):  # a text that could not be read may be, next time
        cache[key] = made
    return made


def _cache_key(context: VaultContext, scene: _SessionState) -> tuple[object, ...]:
    """Return what decides, beside the memories themselves, which of them are shown."""
    settings = context.settings
    return scene.occasion.project, settings.texts("inject.folders"), settings.kinds, context.here.date()


def _select_memories(context: VaultContext, scene: _SessionState, memories: Sequence[Memory]) -> BlockMemories:
    return select_by_tier(
        [memory for memory in memories if still_holds(context, memory)],
        context.read_text,
        now=context.here,
        folders=context.settings.texts("inject.folders"),
        project=scene.occasion.project,
        kinds=context.settings.kinds,
    )[0]


def _index_part(context: VaultContext, scene: _SessionState, without: frozenset[str]) -> BriefingPart:
    """Return the session index; beside one in the agent's instructions only that of a project it says nothing of."""
    name, whole, head = "the session index", context.settings.integer, "What there is to know"
    room = min(whole("claude_md.index_tokens"), int(whole("inject.start_tokens") * _INDEX_SHARE))
    text = _index_text(context, scene, room - int(text_cost(format_heading(head))) - 1, without)
    piece = BriefingPiece(entry=QuotedEntry(head, f"\n{text}\n"))
    return BriefingPart(name, (piece,) if text else (), _INDEX_SHARE)


def _way_part(way: str, above: Sequence[BriefingPart]) -> BriefingPart:
    """Return the way to recall, below what stands last; nothing where there is nothing to go on from."""
    heads = [piece.entry.heading for part in above for piece in part.pieces]
    pieces = (BriefingPiece(entry=QuotedEntry(heads[-1], f"\n{way}\n")),) if heads else ()
    return BriefingPart(_WAY, pieces, _WAY_SHARE)


def _index_text(context: VaultContext, scene: _SessionState, room: int, without: frozenset[str]) -> str:
    """Return the index in so many tokens, built once for each state of the vault."""
    blocks = _known_indexes(context, scene)
    key = ("index", room, without, blocks, *_cache_key(context, scene))
    cache = context.index.derived.current()
    known: str | None = cache.get(key)
    if known is None:
        index = _select_memories(context, scene, _latest_memories(context)).index
        others = len(context.index.matching_numbers(_LISTED)) - len(index)
        if blocks:
            index, others = tuple(each for each in index if _is_own(each, scene.occasion.project)), 0
            if any(short_id(each.id) in block for each in index for block in blocks):
                index = ()
        # Reminders have a part of their own, and come up when they should.
        listed = [memory for memory in index if memory.id not in without and not is_reminder(memory)]
        is_unopened = context.vault.vault_file.adopted and not context.settings.texts("inject.folders")
        if is_unopened and not (index or blocks):
            known = build_folder_index(_latest_memories(context), room)
        else:
            known = build_session_index(listed, room, unseen=max(0, others)).text
        cache[key] = known
    return known


def _is_own(memory: Memory, project: str) -> bool:
    return bool(project) and str(memory.more.get("project", "")).casefold() == project.casefold()


def _latest_memories(context: VaultContext) -> list[Memory]:
    """Return the latest memories, and the latest of each tag that has a section of its own in the index."""
    marked = (
        memory
        for tag in _MARKED
        for memory in context.index.memories(replace(_LISTED, tags=frozenset({tag})), limit=_MOST_MARKED)
    )
    latest = {memory.id: memory for memory in (*context.index.newest_memories(_MOST_LISTED), *marked)}
    return list(latest.values())


def _known_indexes(context: VaultContext, scene: _SessionState) -> tuple[str, ...]:
    """Return the session indexes of this vault in the agent's instructions: those that name a memory of it."""
    found = [block for block in scene.read if INDEX_HEADING in block]
    ours = [short_id(memory.id) for memory in context.index.newest_memories(_MOST_LISTED)] if found else []
    return tuple(block for block in found if any(id_ in block for id_ in ours))


# -- news


def _find_news(context: VaultContext, scene: _SessionState, above: frozenset[str]) -> list[MemoryNews]:
    """Return what others or maintenance changed since, and what is newer than the index that the agent reads."""
    found = changed_since(context, scene.since, apart_from=scene.apart_from) if scene.since else ()
    shown = _select_memories(context, scene, [change.memory for change in found])
    reachable = {memory.id for memory in (*shown.identity, *shown.hot, *shown.index)} - above
    news = {
        change.memory.id: change for change in found if change.memory.id in reachable and not is_reminder(change.memory)
    }
    for memory in _find_unlisted(context, scene):
        if memory.id not in above and not is_reminder(memory):
            news.setdefault(memory.id, MemoryNews(memory, "made"))
    return list(news.values())[:_CHANGES]


def _find_unlisted(context: VaultContext, scene: _SessionState) -> list[Memory]:
    """Return the latest memories that no index in the agent's instructions names, if there is one."""
    indexes = _known_indexes(context, scene)
    if not indexes:
        return []
    newest = _select_memories(context, scene, context.index.newest_memories(_NEWEST)).index
    if any(is_current(block, newest) for block in indexes):
        return []
    return [memory for memory in newest if not any(short_id(memory.id) in block for block in indexes)]


def _news_part(news: Sequence[MemoryNews]) -> BriefingPart:
    pieces = []
    for change in news:
        by = f" by {quote_label(change.by)}" if change.by else ""
        line = f"- {quote_label(change.memory.title)} ({short_id(change.memory.id)}): {change.did}{by}\n"
        pieces.append(BriefingPiece(entry=QuotedEntry("New or changed since the last session", line)))
    return BriefingPart(format_count(len(pieces), "change", "changes"), tuple(pieces), 0.1)
