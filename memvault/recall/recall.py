"""Find memories by what they say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memvault.core.memory import OPTIONAL, Memory
from memvault.core.query import NO_FILTERS, Filters, RankedHit
from memvault.core.secrets.private_spans import strip_private
from memvault.core.value import Record, field, replace
from memvault.core.weight import MemoryUse
from memvault.errors import BadInput
from memvault.recall.fold import DuplicateFilter
from memvault.recall.query import (
    EMPTY_QUESTION,
    REST_LABEL,
    ParsedQuestion,
    RecallCandidate,
    TermMatch,
    find_candidates,
    match_terms,
    matched_terms,
    memory_labels,
    memory_names,
    parse_question,
    similarity,
)
from memvault.recall.ranking.question import describe_bounds
from memvault.recall.ranking.weights import pack_items
from memvault.recall.superseded import find_contradicting, find_linked, order_by_validity
from memvault.storage.index.query import IndexHit
from memvault.storage.index.rows import WHOLE
from memvault.storage.vault.context import VaultContext, expand_people
from memvault.text.terms import contains_phrase, query_terms, quoted_phrases

if TYPE_CHECKING:
    from memvault.models.llm.ask import AskModel, Failure
    from memvault.recall.llm_filter import FilterEntry

_CANDIDATES_PER_HIT, _CANDIDATES_LEAST = 4, 40
_PHRASE_CANDIDATES = 400
_REORDERED = 2  # times as many hits as are wanted, where another ranking orders them
_COUNTED = 1_000  # matches, to say how many more there are
_DIGITS = 4  # of a similarity
_FOLLOWED_HITS = 3  # the hits whose links are followed
_REPLACING_FIELDS = frozenset({"supersedes", "superseded_by"})
_OWN_PROJECT_SHARE = 0.05  # the share of its score that a memory of the current project gains
HEADER_TOKENS = 12  # the title line that goes with every text


class RecallQuery(Record, kw_only=True):
    """What to look for, and how much of it. Zero means: as the settings say."""

    query: str
    filters: Filters = NO_FILTERS
    limit: int = 0
    budget: int = 0
    min_similarity: float | None = None
    whole_texts: bool = False
    fold: bool = True  # whether one of several duplicates stands for all
    follow: bool = True  # whether what the best hits link to is added, where there is room
    unread: bool = False  # whether texts are read later, by `load_text`: only for what is not folded
    neighbors: bool = False  # whether the few that only the graph finds pass a threshold that was asked for
    ranked: bool = True  # whether hits are sure by how they stand to the best; if not, `stand_among` says that later


class RecallHit(Record, kw_only=True):
    """One memory that was found, with its best passage."""

    memory: Memory
    text: str
    similarity: float
    score: float
    weak: bool
    weight: float
    use: MemoryUse
    matches: tuple[TermMatch, ...] = ()  # for each word of the question, how far the memory matches it
    alike: tuple[str, ...] = ()  # ids of memories that say the same, for which this one stands
    dated: bool = False  # made on the days that the question names
    meaning: float = 0.0  # of its score, what meaning adds
    graph: float = 0.0  # of its score, what links to the best hits add
    own_project: float = 0.0  # of its score, what the current project adds
    superseded: bool = False  # another memory has replaced it
    contradicts: tuple[str, ...] = ()  # ids of memories found to contradict it
    via: str = ""  # the hit that links to it, where only that brought it here
    unread: IndexHit | None = None  # where its text stands, until it is read

    def to_json(self, *only: str) -> dict[str, object]:
        """Return the hit under the names that `--json` prints, whatever the command; only some of them, if named."""
        names = {"matches": "told", "graph": "ties", "own_project": "own"}
        form = {names.get(name, name): getattr(self, name) for name in type(self)._fields if name != "unread"}
        return {name: form[name] for name in only} if only else form

    def to_ranked(self, nearest: float) -> RankedHit:
        """Return what a ranking is told of the hit; `nearest` is the most that meaning adds to any hit."""
        return RankedHit(
            id=self.memory.id,
            title=self.memory.title,
            text=self.text,
            similarity=self.similarity,
            meaning=self.meaning / nearest if nearest > 0 else 0.0,
            weight=self.weight,
            created=self.memory.created,
            last_used=self.use.last,
            uses=self.use.count,
            own_project=self.own_project > 0,
        )


class RecallResult(Record, kw_only=True):
    """The result of a recall: hits, best first, what they cost, and what did not fit."""

    query: str
    hits: tuple[RecallHit, ...]
    tokens: int
    budget: int
    left_out: int = 0
    searched: int = 0
    # Where a language model was to filter: the ids of what it took out, and why it did not answer, as its log has it.
    irrelevant: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    unsifted: str | None = field(default=None, metadata=OPTIONAL)
    bounded: str | None = field(default=None, metadata=OPTIONAL)  # what of a very long question was not looked for


Found = TypeVar("Found", bound=RecallResult)


class _LoadedHit(NamedTuple):
    """A hit, its text if it was read, and a mark for that text if it is the indexed one."""

    hit: RecallHit
    body: str = ""
    mark: Hashable = None
    neighbor: bool = False  # whether it may be less similar than is asked for


def recall(
    context: VaultContext, request: RecallQuery, *, is_fresh: bool = False, asks_model: bool = True
) -> RecallResult:
    """Return the memories that answer a question, best first, within the budget.

    `is_fresh` says that the index was refreshed just now. A model filters the hits where the person wants that.
    """
    if not is_fresh:
        context.refresh()
    ask_model = context.ask_model("recall.filter") if asks_model else None
    found = _recall_ranked(context, request) if ask_model is None else _recall_filtered(context, request, ask_model)
    return tell_bounds(context, found)


def tell_bounds(context: VaultContext, found: Found) -> Found:
    """Return a result that says what of a very long question was not looked for."""
    bounded = describe_bounds(found.query, context.now.astimezone(context.zone))
    return replace(found, bounded=bounded) if bounded else found


def _recall_ranked(context: VaultContext, request: RecallQuery) -> RecallResult:
    limit = request.limit or context.settings.integer("recall.limit")
    if context.settings.text("recall.ranking") == "words" or not query_terms(request.query):
        hits = find_top_hits(context, request, limit)
    else:
        hits = _order_hits(context, request.query, find_top_hits(context, request, limit * _REORDERED))[:limit]
    return pack_hits(context, request, add_linked(context, request, hits, limit))


def _order_hits(context: VaultContext, question: str, hits: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the hits in the order of the chosen ranking; what it does not name follows as it stood."""
    from memvault.recall.ranking.rerank import order_hits  # deferred: few order hits by more than words

    nearest = max((hit.meaning for hit in hits), default=0.0)
    by_id = {hit.memory.id: hit for hit in hits}
    order = order_hits(context, question, [hit.to_ranked(nearest) for hit in hits])
    return [by_id[id_] for id_ in dict.fromkeys((*order, *by_id)) if id_ in by_id]


def _recall_filtered(context: VaultContext, ask: RecallQuery, ask_model: AskModel) -> RecallResult:
    """Recall with a model that looks through many hits; where it does not answer, recall without it."""
    from memvault.recall.llm_filter import FILTER_WIDTH  # deferred: most recalls ask nobody

    if not query_terms(ask.query):
        return _recall_ranked(context, ask)  # conditions alone leave nothing to judge by
    limit = ask.limit or context.settings.integer("recall.limit")
    # What a person asks for holds whoever judges; the threshold of the settings is for where no model does.
    least = ask.min_similarity if ask.min_similarity is not None else 0.0
    wide = find_top_hits(context, replace(ask, min_similarity=least), max(limit, FILTER_WIDTH))
    kept = filter_hits(
        ask.query,
        wide,
        ask_model,
        least=context.settings.number("recall.min_similarity") if ask.min_similarity is None else least,
        seconds=context.settings.number("model.recall_seconds"),
        whole=context.read_text,
    )
    if kept.failure is not None:
        return replace(_recall_ranked(context, ask), irrelevant=(), unsifted=kept.failure.reason)
    return replace(pack_hits(context, ask, list(kept.hits[:limit])), irrelevant=kept.irrelevant, unsifted="")


class FilteredHits(NamedTuple):
    """The hits that stay, in order, the ids of those the model took out, and why it did not answer."""

    hits: tuple[RecallHit, ...]
    irrelevant: tuple[str, ...] = ()
    failure: Failure | None = None


def filter_hits(
    question: str,
    hits: Sequence[RecallHit],
    ask: AskModel,
    *,
    least: float = 0.0,
    seconds: float = 5.0,
    whole: Callable[[Memory], str],
) -> FilteredHits:
    """Return the hits that the model does not name as irrelevant, in order; if it fails those that are alike enough."""
    from memvault.recall.llm_filter import filter_entries  # deferred: most recalls ask nobody

    found = filter_entries(question, [filter_entry(hit, whole) for hit in hits], ask, least=least, seconds=seconds)
    return FilteredHits(tuple(hit for hit in hits if hit.memory.id in found.staying), found.irrelevant, found.failure)


def filter_entry(hit: RecallHit, whole: Callable[[Memory], str]) -> FilterEntry:
    """Return a hit as a model that filters is shown it."""
    from memvault.recall.llm_filter import FilterEntry

    title, text = hit.memory.title, hit.text
    return FilterEntry(
        hit.memory.id, title, text, hit.similarity, lambda: "\n\n".join((title, text, whole(hit.memory)))
    )


def pack_hits(context: VaultContext, request: RecallQuery, best_hits: list[RecallHit]) -> RecallResult:
    """Return the hits that fit the budget, best first."""
    budget = request.budget or context.settings.integer("recall.budget")
    hits = mark_superseded(context, best_hits)
    packed = pack_items(((hit, hit.text) for hit in hits), budget=budget, overhead=HEADER_TOKENS)
    kept = tuple(hit if hit.text == text else replace(hit, text=text) for hit, text in packed.kept)
    if request.whole_texts:
        context.record_uses([hit.memory for hit in kept], why="recall")
    context.mark_after_reading([hit.memory for hit in kept])
    return RecallResult(
        query=request.query,
        hits=kept,
        tokens=packed.used,
        budget=budget,
        left_out=packed.left_out,
        searched=context.index.count(),
    )


def find_top_hits(context: VaultContext, request: RecallQuery, limit: int) -> list[RecallHit]:
    """Return the hits that are similar enough, best first."""
    least = request.min_similarity
    if least is None:
        least = context.settings.number("recall.min_similarity")
    loaded = (
        each for each in _find_hits(context, request, limit, least) if each.hit.similarity >= least or each.neighbor
    )
    hits: list[RecallHit] = []  # and those that score the same as the last: later files are never opened
    duplicates = DuplicateFilter(context)
    for hit, body, mark, _ in loaded:
        twin = duplicates.find_duplicate(hit.memory, body, mark) if request.fold else None
        if twin is not None and _can_stand_for(context, hits[twin].memory, hit.memory):
            duplicates.drop_last()
            hits[twin] = replace(hits[twin], alike=(*hits[twin].alike, hit.memory.id))
        elif len(hits) >= limit and round(hit.score, 6) < round(hits[-1].score, 6):
            break
        else:
            hits.append(hit)
    if any(hit.memory.more.get("project") for hit in hits) and (project := context.project.casefold()):
        # Hits of the current project go before others that are about as good.
        hits = [
            replace(
                hit, own_project=round(hit.score * _OWN_PROJECT_SHARE, 4), score=hit.score * (1 + _OWN_PROJECT_SHARE)
            )
            if str(hit.memory.more.get("project", "")).casefold() == project
            else hit
            for hit in hits
        ]
    hits.sort(key=lambda hit: (-round(hit.score, 6), -hit.weight, hit.memory.path))
    return hits[:limit]


def add_linked(context: VaultContext, request: RecallQuery, hits: list[RecallHit], limit: int) -> list[RecallHit]:
    """Add what the best hits link to at the end, where there is room, marked with that link."""
    if not request.follow or not request.filters.is_empty:
        return hits
    known = {hit.memory.id for hit in hits}
    found = list(hits)
    for hit in [hit for hit in hits if not hit.weak][:_FOLLOWED_HITS]:
        for relation, memory in find_linked(context, hit.memory):
            if len(found) < limit and memory.id not in known:
                known.add(memory.id)
                body = strip_private(context.read_text(memory))
                candidate = RecallCandidate(IndexHit(memory, 0.0, WHOLE))
                other = _build_hit(context, candidate, body, EMPTY_QUESTION, request)
                found.append(replace(other, via=f"{hit.memory.title} {relation} it"))
    return found


def mark_superseded(context: VaultContext, hits: list[RecallHit]) -> list[RecallHit]:
    """Order hits by validity, and mark what is superseded or contradicted, or may no longer hold."""
    if any(hit.memory.refs.get("path") or hit.memory.more.get("branch") for hit in hits):
        from memvault.storage.still_true import look_into  # deferred: few memories name files or branches

        hits = [replace(hit, memory=look_into(context, hit.memory)) for hit in hits]
    by_id = {hit.memory.id: hit for hit in hits}
    doubted = context.index.contradicted_among([*by_id])
    if not doubted and not any(_REPLACING_FIELDS.intersection(hit.memory.more) for hit in hits):
        return hits
    order = order_by_validity(context, [hit.memory for hit in hits])
    marked = []
    for memory in order:
        against = tuple(other.id for other in find_contradicting(context, memory)) if memory.id in doubted else ()
        superseded = bool(memory.more.get("superseded_by"))
        hit = by_id[memory.id]
        marked.append(replace(hit, superseded=superseded, contradicts=against) if superseded or against else hit)
    return marked


def _can_stand_for(context: VaultContext, one: Memory, other: Memory) -> bool:
    """Return whether one memory may be shown for both: not if it matters which of them holds."""
    if one.status != other.status or any(memory.more.get("superseded_by") for memory in (one, other)):
        return False
    return other.id not in context.index.contradicting_ids(one.id)


def _find_hits(context: VaultContext, request: RecallQuery, limit: int, least: float) -> Iterator[_LoadedHit]:
    """Yield what the index finds to be similar enough, best first, each with its whole text, read on demand."""
    if not query_terms(request.query):
        yield from _list_by_filters(context, request, limit)
        return
    quoted = quoted_phrases(request.query)
    question = parse_question(context, request.query)
    for each in _find_candidates(context, request, question, limit, least):
        found = each.found
        known = matched_terms(context, each, question)
        if (
            known is not None
            and least > 0
            and not _passes_as_neighbor(request, each)
            and round(similarity(known, found.standing if request.ranked else 1.0), _DIGITS) < least
        ):
            continue
        if request.unread and known is not None and not quoted:
            hit = _build_hit(context, each, None, question, request, known)
            yield _LoadedHit(hit, neighbor=_passes_as_neighbor(request, each))
            continue
        mark: Hashable = (found.memory.path, found.key)
        body = context.known_hit_text(found)
        if body is None:
            body, mark, known = context.hit_text(found), None, None
        texts = (body, found.memory.title, memory_names(found.memory)) if quoted else ()
        if all(any(contains_phrase(text, phrase) for text in texts) for phrase in quoted):
            hit = _build_hit(context, each, body, question, request, known)
            yield _LoadedHit(hit, body, mark, _passes_as_neighbor(request, each))


def _passes_as_neighbor(request: RecallQuery, match: RecallCandidate) -> bool:
    """Return whether a candidate need not be similar: the graph brought it, and the threshold is of the settings."""
    return match.is_neighbor and (request.neighbors or request.min_similarity is None)


def _find_candidates(
    context: VaultContext, request: RecallQuery, question: ParsedQuestion, limit: int, least: float
) -> Iterator[RecallCandidate]:
    """Return what words find and, where chosen, what is near in meaning or linked."""
    filters = expand_people(context, request.filters)
    by_graph = context.settings.flag("recall.graph")
    quoted = bool(quoted_phrases(request.query))
    depth = _PHRASE_CANDIDATES if quoted else limit * _CANDIDATES_PER_HIT + _CANDIDATES_LEAST
    # If more than words counts, a dissimilar memory may still lead to others.
    by_words = context.open_semantic is None and not by_graph
    matches = find_candidates(context, question, filters, limit=depth, least=least if by_words else 0.0)
    if context.open_semantic is not None:
        from memvault.recall.semantic import candidates_by_meaning  # deferred: few have chosen a model

        matches = candidates_by_meaning(context, request.query, matches, filters=filters, limit=depth)
    if by_graph:
        from memvault.recall.graph import candidates_by_graph  # deferred: off unless it is wanted

        matches = candidates_by_graph(context, matches, filters=filters, limit=depth)
    return matches


def _list_by_filters(context: VaultContext, request: RecallQuery, limit: int) -> Iterator[_LoadedHit]:
    """List what meets the conditions of a recall without words, the latest used first."""
    if request.filters.is_empty:
        raise BadInput(what="the query", value=request.query, reason="it has no word to search for")
    for memory in context.index.memories(expand_people(context, request.filters), limit=limit):
        if memory.more.get("cleared_at"):
            continue
        body = strip_private(context.read_text(memory))
        candidate = RecallCandidate(IndexHit(memory, 0.0, WHOLE))
        yield _LoadedHit(_build_hit(context, candidate, body, EMPTY_QUESTION, request), body)


def _build_hit(
    context: VaultContext,
    match: RecallCandidate,
    body: str | None,
    question: ParsedQuestion,
    request: RecallQuery,
    known: Sequence[TermMatch] | None = None,
) -> RecallHit:
    """Return the hit with its passage as the file has it now, or unread; its matches may be known already."""
    memory, (start, end, heading) = match.found.memory, match.found.span
    unread, body = match.found if body is None else None, body or ""
    passage = body[start:end] or body
    if known is None:
        rest = "" if passage == body else body
        parts = {**memory_labels(memory), "heading": heading, "text": passage, REST_LABEL: rest}
        known = match_terms(question.words, question.rarity, parts, on_day=match.dated)
    alike = similarity(known, match.found.standing if request.ranked else 1.0)
    use, weight = context.hit_use(match.found)
    return RecallHit(
        memory=memory,
        text=body.strip() if request.whole_texts else passage.strip(),
        similarity=round(alike, _DIGITS),
        score=match.found.score,
        weight=weight,
        use=use,
        weak=bool(question.words) and alike < context.settings.number("recall.weak_below"),
        matches=tuple(known),
        dated=match.dated,
        meaning=match.meaning,
        graph=match.graph,
        unread=unread,
    )


def count_more(context: VaultContext, request: RecallQuery, found: RecallResult) -> int:
    """Return how many more memories match, weak matches aside; none after a weak one, as there are hardly any."""
    shown = [hit for hit in found.hits if not hit.via]
    if len(shown) < (request.limit or context.settings.integer("recall.limit")) or shown[-1].weak:
        return 0
    known = {id_ for hit in shown for id_ in (hit.memory.id, *hit.alike)}
    if query_terms(request.query):
        least = max(context.settings.number("recall.weak_below"), request.min_similarity or 0.0)
        wide = replace(request, min_similarity=least, fold=False, unread=True)
        others = [hit.memory for hit in find_top_hits(context, wide, _COUNTED)]
    else:
        memories = context.index.memories(expand_people(context, request.filters), limit=_COUNTED)
        others = [memory for memory in memories if not memory.more.get("cleared_at")]
    return max(0, sum(memory.id not in known for memory in others) - found.left_out)


def stand_among(context: VaultContext, hits: Sequence[RecallHit], *, least: float) -> list[RecallHit]:
    """Return the hits that are similar enough where none but these may be had."""
    best = max((hit.score for hit in hits), default=0.0)
    if best <= 0:
        return list(hits)  # found by conditions alone
    weak_below = context.settings.number("recall.weak_below")
    alike = ((hit, round(similarity(hit.matches, hit.score / best), _DIGITS)) for hit in hits)
    return [
        replace(hit, similarity=sure, weak=sure < weak_below)
        for hit, sure in alike
        if sure >= least or hit.graph >= hit.score > 0  # what only the graph found was let through for its links
    ]


def load_text(context: VaultContext, hit: RecallHit, query: str) -> tuple[RecallHit, str]:
    """Return a hit with its passage, and its whole text without private parts, read now."""
    if hit.unread is None:
        return hit, strip_private(context.read_text(hit.memory))
    body = context.known_hit_text(hit.unread)
    if body is not None:
        start, end, _ = hit.unread.span
        return replace(hit, text=(body[start:end] or body).strip(), unread=None), body
    # The file has changed since: match its new text.
    body = context.hit_text(hit.unread)
    candidate = RecallCandidate(hit.unread, dated=hit.dated)
    anew = _build_hit(context, candidate, body, parse_question(context, query), RecallQuery(query=query))
    changes = {"similarity": anew.similarity, "weak": anew.weak, "matches": anew.matches}
    return replace(hit, text=anew.text, unread=None, **changes), body
