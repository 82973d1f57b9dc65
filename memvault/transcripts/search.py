"""Search conversations: keep the transcript index up to date, and rank turns together with memories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.conversation import Turn
from memvault.core.query import Filters, Names
from memvault.core.value import Record, replace
from memvault.errors import MemvaultError
from memvault.recall.llm_filter import FILTER_WIDTH, FilterEntry, filter_entries
from memvault.recall.query import conversation_similarity
from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import ScoreParts, score_units, strip_small_talk
from memvault.recall.ranking.weights import pack_items
from memvault.recall.recall import (
    HEADER_TOKENS,
    RecallHit,
    RecallQuery,
    RecallResult,
    add_linked,
    filter_entry,
    find_top_hits,
    mark_superseded,
    tell_bounds,
)
from memvault.storage.journal import tombstones
from memvault.storage.transcript_index.index import IncomingConversation, IndexedState, Key, TranscriptIndex
from memvault.storage.transcript_index.rows import IndexedConversation
from memvault.storage.vault.context import VaultContext, names_of
from memvault.text.keyword_spelling import compose_renames, nearest_keys
from memvault.text.keyword_spelling import keyword_key as spelling_key
from memvault.text.terms import clip_to_budget, contains_phrase, query_terms
from memvault.transcripts.archive.archive import Archive, short_id

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel as AskModel
    from memvault.transcripts.archive.read import Transcript


_DEEPER = 20
_MENTIONED = 10
_BARE_QUESTION = re.compile(r"(?:[^.!?\n]{1,30}[.!,]\s{1,3})?[^.!?\n]{3,240}[?？؟]")  # a greeting may stand before it
_SAME_QUESTION = 0.6  # of its words are in the question of now
_ANSWERED_WITHIN = 3  # turns
_ANSWER_TOKENS = 150


class TurnHit(Record, kw_only=True):
    """A turn, or a passage of a long one, that matches a query."""

    held: IndexedConversation
    place: int  # of its turn
    turn: Turn
    text: str
    score: float
    similarity: float
    reasons: ScoreParts | None = None  # the parts of its score
    says_it: bool = True  # whether a term of the question is in it, not only around it

    @property
    def ref(self) -> str:
        """Return the reference that opens the turn."""
        return turn_reference(self.held, self.place)


def open_archive(context: VaultContext) -> Archive:
    """Return the archive of a vault's conversations."""
    return Archive(
        context.vault.root,
        context.vault.layout,
        load_eraser=partial(tombstones.purge_eraser, context),
        load_purged=partial(tombstones.purged_turns, context),
        load_expired=partial(tombstones.expired_conversations, context),
    )


def turn_reference(conversations: IndexedConversation, place: int) -> str:
    """Return the reference of a turn: its conversation, and its number counted from one."""
    return f"{conversations.short}:{place + 1}"


def refresh_index(context: VaultContext) -> TranscriptIndex:
    """Return the transcript index, updated to what the archive holds now."""
    index, archive = TranscriptIndex.of(context), open_archive(context)
    differing = index.find_changes(archive.list_conversations())
    if differing:
        with index.lock():  # the process that had it before may have indexed the same: compare again
            differing = index.find_changes(archive.list_conversations())
            for path in differing.gone:
                index.remove_path(path)
            for done, (path, key) in enumerate(differing.changed.items()):
                context.report_stage("Indexing conversations", done, len(differing.changed))
                with suppress(
                    MemvaultError
                ):  # `doctor` reports what cannot be read; the others are indexed all the same
                    index_conversation(index, archive, path, key)
    return index


def topic_keywords(context: VaultContext) -> list[tuple[str, ...]]:
    """Return the keywords of every topic."""
    return list(refresh_index(context).keyword_sets())


def search_turns(context: VaultContext, query: str, *, limit: int) -> Iterator[TurnHit]:
    """Yield the turns that match a query, best first; of each turn the best part."""
    index = TranscriptIndex.of(context)
    found = list(_find_turns(context, index, query, limit))
    parts = {(hit.held.number, hit.place): hit for hit in found}
    given: set[tuple[int, int]] = set()
    asked = frozenset(query_terms(query))
    for hit in found:
        answer = _find_answer(index, hit, parts) if _asks_the_same(hit, asked) else hit
        place = (answer.held.number, answer.place)
        if place not in given:
            given.add(place)
            yield answer


def _asks_the_same(hit: TurnHit, asked: frozenset[str]) -> bool:
    """Return whether a user's turn does nothing but ask what is asked now."""
    if hit.turn.role != "user" or not _BARE_QUESTION.fullmatch(hit.turn.text.strip()):
        return False
    terms = frozenset(query_terms(hit.turn.text))
    return len(terms & asked) >= _SAME_QUESTION * len(terms)


def _find_answer(index: TranscriptIndex, hit: TurnHit, parts: Mapping[tuple[int, int], TurnHit]) -> TurnHit:
    """Return the assistant's answer to a user's turn, as sure as the question; the hit itself if there is none."""
    for place, turn in enumerate(index.get_turns(hit.held.number, hit.place + 1, hit.place + _ANSWERED_WITHIN), 1):
        if turn.role == "assistant" and turn.text.strip():
            at = hit.place + place
            part = parts.get((hit.held.number, at))
            text = part.text if part else clip_to_budget(turn.text.strip(), _ANSWER_TOKENS)
            return replace(hit, place=at, turn=turn, text=text)
        if turn.role == "user":
            break
    return hit


def _find_turns(context: VaultContext, index: TranscriptIndex, query: str, limit: int) -> Iterator[TurnHit]:
    """Yield the turns that match a query, best first; of each turn the best part."""
    turn_index = index.turn_index()
    people = context.settings.texts("people.aliases")
    question = read_question(query, now=context.now.astimezone(context.zone), people=people)
    terms = frozenset(word.term for word in question.words)
    if context.open_semantic is None:
        scored = score_units(question, turn_index, limit=limit, statistics=turn_index.statistics)
    else:
        from memvault.recall.semantic import score_with_meaning  # deferred: few use a semantic model

        scored = score_with_meaning(
            context, query, turn_index, lambda wide: score_units(question, turn_index, limit=wide), limit=limit
        )
    units = index.get_units(turn_index.keys[one.unit] for one in scored)
    conversations = {unit.conversation: index.get_conversation(unit.conversation) for unit in units.values()}
    for one in scored:
        unit = units.get(turn_index.keys[one.unit])
        conversation = conversations.get(unit.conversation) if unit else None
        if unit is None or conversation is None:
            continue  # another process is indexing it again
        for turn in index.get_turns(unit.conversation, unit.turn, unit.turn):
            text = turn.text[unit.start : unit.stop].strip()
            yield TurnHit(
                held=conversation,
                place=unit.turn,
                turn=turn,
                text=text if turn.role else strip_small_talk(text, terms),  # people among themselves make small talk
                score=one.score,
                similarity=round(one.similarity, 4),
                reasons=one.reasons,
                says_it=one.reasons.words > 0 or one.reasons.meaning >= 1,
            )


def count_sure_turns(context: VaultContext, query: str) -> int:
    """Return how many turns match a query, weak matches aside, to mention them where no memory matches."""
    if not (query_terms(query) and open_archive(context).list_conversations()):
        return 0
    refresh_index(context)
    least = context.settings.number("recall.weak_below")
    return sum(each.says_it and each.similarity >= least for each in search_turns(context, query, limit=_MENTIONED))


# -- memories and conversations together


class CombinedResult(RecallResult, kw_only=True):
    """The result of memories and turns in one order, best first."""

    ranked: tuple[RecallHit | TurnHit, ...] = ()


def recall_with_turns(
    context: VaultContext, query: RecallQuery, *, is_fresh: bool = False, asks_model: bool = True
) -> CombinedResult:
    """Recall memories and turns, best first, within one budget.

    `is_fresh` says that both indexes were refreshed just now. A model filters them where the person wants that.
    """
    if not is_fresh:
        context.refresh()
        refresh_index(context)
    ask_model = context.ask_model("recall.filter") if asks_model else None
    if ask_model is None:
        return tell_bounds(context, _recall_turns(context, query))
    return tell_bounds(context, _recall_filtered_turns(context, query, ask_model))


def _recall_turns(context: VaultContext, ask: RecallQuery) -> CombinedResult:
    limit = ask.limit or context.settings.integer("recall.limit")
    least = context.settings.number("recall.min_similarity") if ask.min_similarity is None else ask.min_similarity
    return pack_combined(context, ask, find_combined(context, ask, limit, least=least))


def find_combined(context: VaultContext, ask: RecallQuery, limit: int, *, least: float) -> list[RecallHit | TurnHit]:
    """Return the memories and turns that are similar enough, in one order."""
    hits = mark_superseded(
        context, add_linked(context, ask, find_top_hits(context, replace(ask, min_similarity=least), limit), limit)
    )
    turns = [each for each in _filter_turns(context, ask, limit) if each.similarity >= least]
    if ask.min_similarity is None:  # a program with a threshold wants all above it; a person wants no "OK."
        weak = context.settings.number("recall.weak_below")
        turns = [each for each in turns if each.says_it or each.similarity >= weak]
    # Merge two lists: each keeps its order, and the more similar of the two next hits goes first.
    found: list[RecallHit | TurnHit] = []
    memories, theirs = list(reversed(hits)), list(reversed(turns))
    while memories and theirs:
        found.append(
            memories.pop() if conversation_similarity(memories[-1].matches) >= theirs[-1].similarity else theirs.pop()
        )
    return _fold_repeats([*found, *reversed(memories), *reversed(theirs)])[:limit]


def pack_combined(context: VaultContext, ask: RecallQuery, found: Sequence[RecallHit | TurnHit]) -> CombinedResult:
    """Pack memories and turns into a result within the budget."""
    budget = ask.budget or context.settings.integer("recall.budget")
    packed = pack_items(((each, each.text) for each in found), budget=budget, overhead=HEADER_TOKENS)
    result = tuple(replace(each, text=text) for each, text in packed.kept)
    memories = tuple(each for each in result if isinstance(each, RecallHit))
    if ask.whole_texts:
        context.record_uses([hit.memory for hit in memories], why="recall")
    turns = [each for each in result if isinstance(each, TurnHit)]
    context.mark_after_reading([hit.memory for hit in memories], talks=[each.held.talk.id for each in turns])
    return CombinedResult(
        query=ask.query,
        hits=memories,
        tokens=packed.used,
        budget=budget,
        left_out=packed.left_out,
        searched=context.index.count(),
        ranked=result,
    )


def _filter_turns(context: VaultContext, ask: RecallQuery, limit: int) -> Iterator[TurnHit]:
    """Yield the turns that meet the filters, best first; with filters more turns are searched."""
    if ask.filters.is_empty:
        return search_turns(context, ask.query, limit=limit)

    admitted = make_turn_filter(context, ask.filters)
    found = search_turns(context, ask.query, limit=limit * _DEEPER) if admitted else iter(())
    return islice(filter(admitted, found), limit)


def _fold_repeats(found: Sequence[RecallHit | TurnHit]) -> list[RecallHit | TurnHit]:
    """Drop a turn after the memory made of it, or the memory after the turn: both say the same."""
    result: list[RecallHit | TurnHit] = []
    seen: set[tuple[str, str]] = set()
    for each in found:
        turns = source_turns(each)
        if not turns or not seen.issuperset(turns):
            result.append(each)
        seen.update(turns)
    return result


def source_turns(each: RecallHit | TurnHit) -> set[tuple[str, str]]:
    """Return the turns that a hit is based on, each with its conversation."""
    if isinstance(each, TurnHit):
        return {(each.held.talk.id, each.turn.id)}
    refs = each.memory.refs
    return {(conversation, turn) for conversation in refs.get("session", ()) for turn in refs.get("turns", ())}


# Index a conversation of the archive: whole, or only what is new.

_INODE = 3  # the position of the inode in a stat key


def index_conversation(index: TranscriptIndex, archive: Archive, path: str, key: Key) -> None:
    """Read what is new of a conversation into the index."""
    transcript = archive.open_transcript(path)
    head = transcript.read_head()
    known = index.indexed_state(path)
    grown = known is not None and _has_only_grown(index, transcript, known, key)
    state = known.state if known and grown else {"member": 0, "side": 0}
    index.index_conversation(
        IncomingConversation(
            path=path,
            short=short_id(head.id),
            key=key,
            conversation=head,
            turns=transcript.read_turns(from_member=state["member"], start=known.turns if known and grown else None),
            facts=transcript.read_facts(from_member=state["side"]),
            trajectories=transcript.read_trajectories(from_member=state["side"]),
            state=lambda: {
                "member": transcript.turns_file.append_offset(),
                "side": transcript.facts_file.append_offset(),
            },
            grown=grown,
        )
    )


def _has_only_grown(index: TranscriptIndex, transcript: Transcript, known: IndexedState, key: Key) -> bool:
    """Return whether both files only grew, and no new fact belongs to an indexed turn."""
    before = known.key
    if key[_INODE] != before[_INODE] or any(key[at] < before[at] for at in (0, 4)):
        return False
    if transcript.turns_file.file_size() < known.state["member"] or transcript.renewed_from() >= max(
        known.state["side"], 1
    ):
        return False
    if transcript.last_fill() >= max(known.state["member"], 1):  # lost turns were restored to their places
        return False
    late = (fact for fact in transcript.read_facts(from_member=known.state["side"]) if fact.turns)
    return all(index.place_of(known.number, fact.turns[-1]) is None for fact in late)


# Filter memories and turns by a model; where it fails, by similarity.


def _recall_filtered_turns(context: VaultContext, ask: RecallQuery, ask_model: AskModel) -> CombinedResult:
    """Recall as `_recall_turns`, filtered by a model; unfiltered where the model fails."""
    if not query_terms(ask.query):
        return _recall_turns(context, ask)  # filters alone leave nothing to judge by
    limit = ask.limit or context.settings.integer("recall.limit")
    demanded = ask.min_similarity if ask.min_similarity is not None else 0.0
    least = context.settings.number("recall.min_similarity") if ask.min_similarity is None else demanded
    wide = find_combined(context, ask, max(limit, FILTER_WIDTH), least=demanded)
    seconds = context.settings.number("model.recall_seconds")
    entries = [_filter_entry(context, each) for each in wide]
    found = filter_entries(ask.query, entries, ask_model, least=least, seconds=seconds)
    if found.failure is not None:
        return replace(_recall_turns(context, ask), irrelevant=(), unsifted=found.failure.reason)
    staying = [each for each, entry in zip(wide, entries, strict=True) if entry.key in found.staying]
    return replace(pack_combined(context, ask, staying[:limit]), irrelevant=found.irrelevant, unsifted="")


def _filter_entry(context: VaultContext, each: RecallHit | TurnHit) -> FilterEntry:
    if isinstance(each, RecallHit):
        return filter_entry(each, context.read_text)
    return FilterEntry(each.ref, f"{each.turn.speaker} said", each.text, each.similarity, lambda: each.turn.text)


# Which turns meet the filters of a recall.

RAW = 3  # the tier of conversations

TurnFilter = Callable[["TurnHit"], bool]


def make_turn_filter(context: VaultContext, filters: Filters) -> TurnFilter | None:
    """Return a filter for turns; None where the filters exclude every turn, as they are about memories."""
    about_memories = (filters.kinds, filters.types, filters.tags, filters.statuses, filters.places)
    if any(about_memories) or filters.pinned is not None or (filters.tiers and RAW not in filters.tiers):
        return None
    checks = [*_people_checks(context, filters), *_keyword_checks(context, filters)]
    if (since := filters.since) is not None:
        checks.append(lambda hit: hit.turn.time is not None and hit.turn.time >= since)
    return lambda hit: all(check(hit) for check in checks)


def _people_checks(context: VaultContext, filters: Filters) -> list[TurnFilter]:
    """Return the checks for people: a person speaks in the turn or is named in it, by any name."""

    def mentions_name(hit: TurnHit, names: Names) -> bool:
        text = f"{hit.turn.speaker}\n{hit.turn.text}"
        return any(contains_phrase(text, name) for name in names)

    terms = [names_of(context, name) for name in filters.people]
    return [lambda hit, names=names: mentions_name(hit, names) for names in terms]  # type: ignore[misc]


def _keyword_checks(context: VaultContext, filters: Filters) -> list[TurnFilter]:
    """Return the checks for keywords: those of the turn's topic, in any spelling, after all renames."""
    if not filters.keywords:
        return []
    stands = compose_renames(context.vault.ledger.decisions().renames)

    def has_keyword(hit: TurnHit, word: str) -> bool:
        topic = TranscriptIndex.of(context).trajectory_at(hit.held.number, hit.place)
        names = {spelling_key(stands.get(spelling_key(each), each)) for each in (topic.keywords if topic else ())}
        return bool(nearest_keys(word, names))

    terms = [stands.get(spelling_key(word), word) for word in filters.keywords]
    return [lambda hit, word=word: has_keyword(hit, word) for word in terms]  # type: ignore[misc]
