"""Patterns over the pieces of a text, and how the longest that stands in a place is found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memvault.text.dates.calendar import At, Days
from memvault.text.dates.tokens import Piece


@dataclass(frozen=True, slots=True)
class Got:
    """What stood in the slots of a pattern: numbers by their names, and the days of expressions within it."""

    numbers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    days: tuple[Days, ...] = ()

    def __getitem__(self, name: str) -> int:
        return self.numbers[name][0]

    @property
    def away(self) -> int:
        """How far what is meant is from the one that is going on: "last" is one back."""
        return self["which"] if "which" in self else self["behind"]

    def __contains__(self, name: str) -> bool:
        return name in self.numbers

    def with_number(self, name: str, meant: tuple[int, int]) -> Got:
        """The same and one more number; the second of a name is known as such."""
        return Got({**self.numbers, f"{name}-2" if name in self else name: meant}, self.days)


Read = Callable[[Got, At], Days | None]


REACH = 12  # pieces from the beginning of an expression to one that tells a time
TELLING = frozenset(
    (
        *("weekday", "weak-day", "month", "weak-month", "season", "feast", "unit", "named", "part", "weekdays"),
        *("date", "day", "days", "day-month", "nth", "year", "year-month", "decade"),
    )
)
# Classes by the name under which their numbers are read.
_READ_AS = {"nth": "day", "weak-month": "month", "sure-month": "month", "weak-day": "weekday"}


class Slot(NamedTuple):
    """What may stand in one place of a pattern: some words, some classes, or an expression of another table."""

    words: frozenset[str]
    classes: tuple[tuple[str, int | None], ...]
    table: str
    is_optional: bool
    is_absent: bool  # what must not stand there, without which nothing is taken


class Rule(NamedTuple):
    """A pattern and how it is read."""

    slots: tuple[Slot, ...]
    read: Read


class Expression(NamedTuple):
    """An expression of time: the place behind its last piece, and what it comes to."""

    stop: int
    days: Days


class Grammar:
    """Tables of patterns, each table under a name by which others may hold its expressions.

    A pattern is made of slots: `a/b` for one of several words, `<class>` or `<class=number>`, `<TABLE>`, `?` behind
    what may be missing, `!` before what must not follow. A table may hold its own expressions, though not first.
    """

    def __init__(self, tables: Mapping[str, Iterable[tuple[str, Read]]]) -> None:
        self._rules = {name: [Rule(_slots(text), read) for text, read in rows] for name, rows in tables.items()}
        self.tables = tuple(tables)
        self._by_key = {name: self._index(rules) for name, rules in self._rules.items()}

    def _index(self, rules: Iterable[Rule]) -> Mapping[str, list[Rule]]:
        index: defaultdict[str, list[Rule]] = defaultdict(list)
        for rule in rules:
            for key in self._openings(rule):
                index[key].append(rule)
        return index

    def _openings(self, rule: Rule, seen: frozenset[str] = frozenset()) -> set[str]:
        """The words and classes that an expression may begin with."""
        keys: set[str] = set()
        for slot in rule.slots:
            if slot.table == "COUNT":
                keys |= {"<number>", "<few>", "<the>"}
            elif slot.table and slot.table not in seen:
                inner = self._rules[slot.table]
                keys |= {key for row in inner for key in self._openings(row, seen | {slot.table})}
            keys |= slot.words | {f"<{name}>" for name, _ in slot.classes}
            if not slot.is_optional:
                break
        return keys

    def openings(self, table: str, piece: Piece) -> list[Rule]:
        """The rules of a table that may begin with a piece."""
        index = self._by_key[table]
        found = [*index.get(piece.key, ())]
        for name in piece.means:
            found += (rule for rule in index.get(f"<{name}>", ()) if rule not in found)
        return found


class Search:
    """What stands where among the pieces of a text, by a grammar.

    Each table is searched once in each place, from the last place to the first: an expression within another stands
    behind its first piece and is known by then, so that the time grows with the text alone.
    """

    def __init__(self, grammar: Grammar, row: Sequence[Piece], at: Callable[[int], At]) -> None:
        self._grammar, self._row, self._at = grammar, row, at
        self._known: dict[tuple[str, int], Expression | None] = {}
        self._openings: dict[tuple[str, str, bool], list[Rule]] = {}
        far = REACH
        for place in reversed(range(len(row))):
            far = 0 if TELLING & row[place].means.keys() else far + 1
            for table in grammar.tables if far < REACH else ():
                self.at(table, place)

    def at(self, table: str, place: int) -> Expression | None:
        """The longest expression of a table that begins in a place."""
        known = (table, place)
        if known not in self._known and place < len(self._row):
            self._known[known] = self._longest(table, place)
        return self._known.get(known)

    def found(self, table: str, place: int) -> Expression | None:
        """The same, for places that were searched."""
        return self._known.get((table, place))

    def _longest(self, table: str, place: int) -> Expression | None:
        best: Expression | None = None
        for rule in self._rules(table, self._row[place]):
            for stop, got in self._matches(rule.slots, 0, place, Got()):
                if stop > place and (best is None or stop > best.stop) and (days := self._read(rule, got, place)):
                    best = Expression(stop, days)
        return best

    def _rules(self, table: str, piece: Piece) -> list[Rule]:
        known = (table, piece.key, piece.is_capital)
        if known not in self._openings:
            self._openings[known] = self._grammar.openings(table, piece)
        return self._openings[known]

    def _read(self, rule: Rule, got: Got, place: int) -> Days | None:
        try:
            return rule.read(got, self._at(place))
        except (ValueError, OverflowError):  # there is no such day
            return None

    def _matches(self, slots: tuple[Slot, ...], number: int, place: int, got: Got) -> Iterator[tuple[int, Got]]:
        """The ways in which slots can be filled from a place on."""
        if number == len(slots):
            yield place, got
            return
        slot = slots[number]
        filled = self._filled(slot, place, got) if place < len(self._row) else None
        if slot.is_absent:
            if filled is None:
                yield from self._matches(slots, number + 1, place, got)
            return
        if filled is not None:
            yield from self._matches(slots, number + 1, *filled)
        if slot.is_optional:
            yield from self._matches(slots, number + 1, place, got)

    def _filled(self, slot: Slot, place: int, got: Got) -> tuple[int, Got] | None:
        if slot.table == "COUNT":
            return self._count(place, got)
        if slot.table:
            inner = self.at(slot.table, place)
            return (inner.stop, Got(got.numbers, (*got.days, inner.days))) if inner else None
        piece = self._row[place]
        if piece.key in slot.words:
            return place + 1, got
        for name, value in slot.classes:
            meant = piece.means.get(name)
            if meant is not None and value in (None, meant[0]):
                return place + 1, got.with_number(_READ_AS.get(name, name), meant)
        return None

    def _count(self, place: int, got: Got) -> tuple[int, Got] | None:
        """How many: a number in figures or words, "a few", "a couple of"."""
        row, stop = self._row, place
        following = row[place + 1].means if place + 1 < len(row) else {}
        if "few" in following and ("number" in row[place].means or "the" in row[place].means):
            stop += 1
        for name in ("few", "number"):
            if (count := row[stop].means.get(name)) is None:
                continue
            if name == "number" and count[0] >= 20 and stop + 2 < len(row) and row[stop + 1].key == "-":
                ones = row[stop + 2].means.get("number", (0, 0))[0]
                count, stop = ((count[0] + ones,) * 2, stop + 2) if 0 < ones < 10 else (count, stop)
            stop += 2 if row[stop + 1 : stop + 2] and row[stop + 1].key == "of" and name == "few" else 1
            return stop, got.with_number("count", count)
        return None


def _slots(text: str) -> tuple[Slot, ...]:
    return tuple(map(_slot, text.split()))


def _slot(text: str) -> Slot:
    is_optional, is_absent = text.endswith("?"), text.startswith("!")
    bare = text.removesuffix("?").removeprefix("!")
    if bare.startswith("<") and bare[1:-1].isupper():
        return Slot(frozenset(), (), bare[1:-1], is_optional, is_absent)
    parts = bare.split("/")
    words = frozenset(part for part in parts if not part.startswith("<"))
    classes = tuple(_class(part) for part in parts if part not in words)
    return Slot(words, classes, "", is_optional, is_absent)


def _class(text: str) -> tuple[str, int | None]:
    name, _, value = text[1:-1].partition("=")
    return name, int(value) if value else None
