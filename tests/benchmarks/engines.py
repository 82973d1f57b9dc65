"""Four ways to search a conversation, each behind the same two calls: ours, Whoosh as it comes, SQLite FTS5, a scan."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from shutil import rmtree
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any
from weakref import finalize

from whoosh import index
from whoosh.fields import STORED, TEXT, Schema
from whoosh.qparser import OrGroup, QueryParser

from memvault.core.conversation import Turn
from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import ScoredUnit, score_units, strip_small_talk
from memvault.recall.ranking.weights import NOBODYS_ROLE, WEIGHTS, RankingWeights
from memvault.text.stem import stem
from memvault.text.terms import query_tokens
from tests.benchmarks.fts5 import in_memory
from tests.benchmarks.recalled import Hit
from tests.recall.ranking.turn_indexes import LONG, ROLES, MemoryShelf

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
LIMIT = 100

Ask = Callable[[str], list[Hit]]
Engine = Callable[[Sequence[Turn]], Ask]
Search = Callable[[str, int], list[int]]  # the numbers of so many texts, the best first

_WORD = re.compile(r"\w+")


def turns_of(conversation: Mapping[str, Any]) -> list[Turn]:
    """The turns of a conversation as a scorer's file holds them."""
    return [
        Turn(
            id=turn["id"],
            speaker=turn["speaker"],
            text=turn["text"],
            time=datetime.fromisoformat(turn["time"]) if turn.get("time") else None,
            session=turn.get("session", ""),
            role=turn["speaker"] if turn["speaker"] in ROLES else "",
        )
        for turn in conversation["turns"]
    ]


class Ours:
    """Scoring of units over a shelf in memory."""

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        weights: RankingWeights = WEIGHTS,
        long: int = LONG,
        has_small_talk: bool = False,
    ) -> None:
        self.shelf = MemoryShelf(turns, long=long)
        self._weights = weights
        self._has_small_talk = has_small_talk

    def scored(self, text: str) -> list[ScoredUnit]:
        """The best units."""
        return score_units(
            read_question(text, now=NOW, weights=self._weights), self.shelf, limit=LIMIT, weights=self._weights
        )

    def __call__(self, text: str) -> list[Hit]:
        wanted = {stem(token) for token in query_tokens(text)}
        return [Hit(self.shelf.ids[one.unit], self._shown(one.unit, wanted)) for one in self.scored(text)]

    def with_weights(self, weights: RankingWeights) -> Ours:
        """The same shelf, scored otherwise."""
        other = Ours.__new__(Ours)
        other.shelf, other._weights, other._has_small_talk = self.shelf, weights, self._has_small_talk
        return other

    def _shown(self, unit: int, wanted: Collection[str]) -> str:
        said = self.shelf.texts[unit]
        is_whole = self._has_small_talk or self.shelf.roles[unit] != NOBODYS_ROLE
        return said if is_whole else strip_small_talk(said, wanted)


def by_whoosh(texts: Iterable[str]) -> Search:
    """Whoosh with its default analyzer, fields and weights; any word may match, as its default of all finds nothing."""
    folder = mkdtemp()
    made = index.create_in(folder, Schema(text=TEXT, number=STORED))
    writer = made.writer()
    for number, text in enumerate(texts):
        writer.add_document(text=text, number=number)
    writer.commit()
    searcher, parser = made.searcher(), QueryParser("text", made.schema, group=OrGroup)

    def ask(text: str, limit: int) -> list[int]:
        query = parser.parse(" ".join(_WORD.findall(text)))
        return [hit["number"] for hit in searcher.search(query, limit=limit)]

    finalize(ask, _clear_away, searcher, folder)
    return ask


def _clear_away(searcher: Any, folder: str) -> None:
    searcher.close()
    rmtree(folder, ignore_errors=True)


def by_fts5(texts: Iterable[str]) -> Search:
    """SQLite's FTS5 with its Porter tokenizer, any word may match."""
    table = in_memory(texts)
    return lambda text, limit: table.ask(_WORD.findall(text), limit)


def by_scan(texts: Iterable[str]) -> Search:
    """What `grep` would give, ordered by how many different words of the question a text holds."""
    folded = [text.casefold() for text in texts]

    def ask(text: str, limit: int) -> list[int]:
        words = set(_WORD.findall(text.casefold()))
        counts = [sum(word in said for word in words) for said in folded]
        return sorted((at for at, count in enumerate(counts) if count), key=lambda at: -counts[at])[:limit]

    return ask


def _of_turns(search: Callable[[Iterable[str]], Search]) -> Engine:
    def engine(turns: Sequence[Turn]) -> Ask:
        ask = search(f"{turn.speaker}: {turn.text}" for turn in turns)
        return lambda text: [Hit(turns[number].id, turns[number].text) for number in ask(text, LIMIT)]

    return engine


OURS = "memvault"
SEARCHES: Mapping[str, Callable[[Iterable[str]], Search]] = MappingProxyType(
    {"Whoosh": by_whoosh, "FTS5": by_fts5, "scan": by_scan}
)
ENGINES: Mapping[str, Engine] = MappingProxyType(
    {OURS: Ours, **{name: _of_turns(search) for name, search in SEARCHES.items()}}
)
