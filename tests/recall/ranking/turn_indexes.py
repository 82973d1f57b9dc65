"""A shelf in memory, for tests and benchmarks: made of turns, as an index makes its own of what it was given."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from memvault.core.conversation import Turn
from memvault.recall.ranking.weights import ASSISTANTS_ROLE, NOBODYS_ROLE, USERS_ROLE
from memvault.storage.index.search.bm25 import HEAD, similar_terms
from memvault.text.dates.expressions import find_spans
from memvault.text.dates.time_words import find_signals
from memvault.text.markdown import split_passages
from memvault.text.terms import extract_terms

LONG = 80
ROLES = {"user": USERS_ROLE, "assistant": ASSISTANTS_ROLE}
NOTHING: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


class MemoryShelf:
    """Turns of conversations as units: whole, or as passages where they are long."""

    statistics = None

    def __init__(self, turns: Iterable[Turn], *, long: int = LONG) -> None:
        self._long = long
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.lengths: list[int] = []
        self.turns: list[int] = []
        self.sittings: list[int] = []
        self.speakers: list[int] = []
        self.roles: list[int] = []
        self.days: list[int] = []
        self.signs: list[int] = []
        self.first_units: list[int] = []
        self.first_turns: list[int] = []
        self.sitting_lengths: list[int] = []
        self.runs = self.sittings
        self._said: list[tuple[tuple[int, int], ...]] = []
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        self._numbers: dict[str, int] = {}
        self._names: defaultdict[str, set[int]] = defaultdict(set)
        self._sittings: dict[str, int] = {}
        for number, turn in enumerate(turns):
            self._take(number, turn)
        self.first_units.append(len(self.lengths))
        self.first_turns.append(len(self.first_units) - 1)
        known = sorted({day for day in self.days if day})
        self.earliest, self.latest = (known[0], known[-1]) if known else (0, 0)
        self._by_day = sorted(range(len(self.days)), key=self.days.__getitem__)
        self._sorted_days = [self.days[unit] for unit in self._by_day]
        self._heads: defaultdict[str, list[str]] = defaultdict(list)
        for term in self._postings:
            self._heads[term[:HEAD]].append(term)

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[int]]:
        return self._postings.get(term, NOTHING)

    def near(self, term: str) -> Iterable[str]:
        return similar_terms(term, self._heads[term[:HEAD]])

    def speaking(self, term: str) -> Collection[int]:
        return self._names.get(term, ())

    def dated(self, first: int, last: int) -> Iterable[int]:
        days = self._sorted_days
        return self._by_day[bisect_left(days, first) : bisect_right(days, last)]

    def named_days(self, unit: int) -> Iterable[tuple[int, int]]:
        return self._said[unit]

    def _take(self, number: int, turn: Turn) -> None:
        self.first_units.append(len(self.lengths))
        role = ROLES.get(turn.role, NOBODYS_ROLE)
        speaker = self._numbers.setdefault(turn.speaker, len(self._numbers))
        if role == NOBODYS_ROLE:
            for name in extract_terms(turn.speaker):
                self._names[name].add(speaker)
        sitting = self._sittings.setdefault(turn.session, len(self._sittings))
        if sitting == len(self.sitting_lengths):
            self.sitting_lengths.append(0)
            self.first_turns.append(number)
        for text in _parts(turn.text, self._long):
            unit = len(self.lengths)
            found = extract_terms(text)
            for term, count in Counter(found).items():
                units, counts = self._postings.setdefault(term, ([], []))
                units.append(unit)
                counts.append(count)
            self.sitting_lengths[sitting] += len(found)
            self.lengths.append(len(found))
            self.texts.append(text)
            self.ids.append(turn.id)
            self.turns.append(number)
            self.sittings.append(sitting)
            self.speakers.append(speaker)
            self.roles.append(role)
            self.signs.append(find_signals(text))
            self.days.append(turn.time.toordinal() if turn.time else 0)
            self._said.append(_said(text, turn.time))


def _parts(text: str, long: int) -> Iterator[str]:
    if len(text.split()) <= long:
        yield text
        return
    yield from (text[part.start : part.end] for part in split_passages(text))


def _said(text: str, time: datetime | None) -> tuple[tuple[int, int], ...]:
    if time is None:
        return ()
    found = find_spans(text, now=time if time.tzinfo else time.replace(tzinfo=UTC))
    return tuple((place.days.first.toordinal(), place.days.last.toordinal()) for place in found if not place.days.side)
