"""Find linked memories: a walk from the hits over what they share, returning to the hits now and then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from heapq import nlargest

from memvault.core.memory import Memory
from memvault.core.query import NO_FILTERS, Filters
from memvault.recall.query import RecallCandidate
from memvault.recall.semantic import add_nearness, best_by_group
from memvault.storage.index.query import IndexHit
from memvault.storage.index.rows import WHOLE, fold_name
from memvault.storage.vault.context import VaultContext

GraphTie = tuple[str, str]  # its sort, and its name

ROUNDS = 4  # more of them change the order no further
_FROM = 60  # memories that are walked from in a round


def walk_graph(hits: Mapping[str, float], there: _MemoryTies, alpha: float = 0.85) -> dict[str, float]:
    """Return how often a walk is at each item: personalized PageRank over items and weighted ties, by a few rounds."""
    whole = sum(value for value in hits.values() if value > 0)
    if not whole:
        return {}
    begin = {item: value / whole for item, value in hits.items() if value > 0}
    here = dict(begin)
    for _ in range(ROUNDS):
        here = _walk_step(here, there)
        here = {item: alpha * here.get(item, 0.0) + (1 - alpha) * begin.get(item, 0.0) for item in (*here, *begin)}
    return here


def _walk_step(here: Mapping[str, float], there: _MemoryTies) -> dict[str, float]:
    """Step from each item to a tie, and from there to one of its items; an item without a tie stays."""
    at_ties: dict[GraphTie, float] = {}
    found: dict[str, float] = {}
    for item in nlargest(_FROM, here, key=here.__getitem__):
        mine = list(there.of(item))
        whole = sum(weight for _, weight in mine)
        if not whole:
            found[item] = found.get(item, 0.0) + here[item]
            continue
        for tie, weight in mine:
            at_ties[tie] = at_ties.get(tie, 0.0) + here[item] * weight / whole
    for tie, value in at_ties.items():
        sharers = list(there.sharing(tie))
        for item in sharers:
            found[item] = found.get(item, 0.0) + value / len(sharers)
    return found


# Candidates by links, people, tags and topics that they share with the best hits.

GRAPH_WEIGHT = 0.2  # how much the walk counts beside the best score that words earned
_SEEDS = 10
_COMMON = 50  # a tie that so many memories share counts for none
_LINK, _OTHER = 2.0, 1.0
_NEIGHBORS = 3  # of those that the walk alone finds, the nearest are hits whatever their words


def candidates_by_graph(
    context: VaultContext, found: Iterable[RecallCandidate], *, filters: Filters = NO_FILTERS, limit: int
) -> Iterator[RecallCandidate]:
    """Yield the candidates, with memories that share much with the best of them."""
    rows = list(found)
    if not rows:
        return
    by_path = {candidate.found.memory.path: candidate for candidate in rows}
    scores = {path: candidate.found.score for path, candidate in by_path.items()}
    hits = dict(sorted(scores.items(), key=lambda row: -row[1])[:_SEEDS])
    there = _MemoryTies(context, {path: by_path[path].found.memory for path in hits})
    near = walk_graph(hits, there, context.settings.number("recall.alpha"))
    top = max(near.values(), default=0.0)
    scale = max(scores.values()) / top if top else 0.0
    beside = near.keys() - by_path.keys()
    nearest = frozenset(nlargest(_NEIGHBORS, sorted(beside), key=near.__getitem__))
    for path in beside:
        by_path[path] = RecallCandidate(IndexHit(there.memories[path], 0.0, WHOLE), is_neighbor=path in nearest)
    allowed = None if filters == NO_FILTERS else {memory.path for memory in context.index.memories(filters)}
    gains = {path: value * scale for path, value in near.items()}
    for path, score in best_by_group(add_nearness(scores, gains, weight=GRAPH_WEIGHT), str, limit=limit):
        candidate = by_path[path]
        if allowed is None or path in allowed:
            gain = GRAPH_WEIGHT * gains.get(path, 0.0)
            yield candidate._replace(found=candidate.found._replace(score=score), graph=gain)


class _MemoryTies:
    """The ties between memories, looked up as the walk needs them."""

    def __init__(self, context: VaultContext, known: dict[str, Memory]) -> None:
        self.memories = known
        self._context = context
        self.of = cache(self._ties_of)
        self.sharing = cache(self._paths_sharing)

    def _ties_of(self, path: str) -> list[tuple[GraphTie, float]]:
        memory = self.memories[path]
        links = {*_link_names(memory), *self._context.index.links_from(path)}
        marks = [("person", name) for name in memory.people]
        marks += [("tag", name) for name in memory.tags]
        marks += [("keyword", name) for name in memory.topics]
        return [*((("link", name), _LINK) for name in links), *((mark, _OTHER) for mark in marks)]

    def _paths_sharing(self, tie: GraphTie) -> list[str]:
        found = {memory.path: memory for memory in self._find_sharers(tie) if not memory.more.get("cleared_at")}
        if len(found) > _COMMON:
            return []
        for path, memory in found.items():
            self.memories.setdefault(path, memory)
        return list(found)

    def _find_sharers(self, tie: GraphTie) -> list[Memory]:
        (sort, name), index = tie, self._context.index
        if sort == "link":
            meant = [memory for memory in index.find_memories(name) if name in _link_names(memory)]
            return [*meant, *index.links_to(name)]
        wanted = frozenset({name})
        filters = {"person": Filters(people=wanted), "tag": Filters(tags=wanted), "keyword": Filters(keywords=wanted)}
        return index.memories(filters[sort], limit=_COMMON + 1)


def _link_names(memory: Memory) -> set[str]:
    """Return all names by which links may mean a memory."""
    return {fold_name(name) for name in (memory.name, memory.title, *memory.aliases) if name}
