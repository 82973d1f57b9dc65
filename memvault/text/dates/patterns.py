"""Match patterns over the tokens of a text, and find the longest that stands in a place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memvault.text.dates.calendar import DateContext, DateSpan
from memvault.text.dates.tokens import DateToken


@dataclass(frozen=True, slots=True)
class SlotValues:
    """The values of a pattern's slots: numbers by name, and the spans of expressions within it."""

    numbers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    days: tuple[DateSpan, ...] = ()

    def __getitem__(self, name: str) -> int:
        return self.numbers[name][0]

    @property
    def offset(self) -> int:
        """Return how far away from the current one: "last" is one back."""
        return self["which"] if "which" in self else self["behind"]

    def __contains__(self, name: str) -> bool:
        return name in self.numbers

    def with_number(self, name: str, meant: tuple[int, int]) -> SlotValues:
        """Return the same and one more number; the second of a name is called `name-2`."""
        return SlotValues({**self.numbers, f"{name}-2" if name in self else name: meant}, self.days)


ResolveDate = Callable[[SlotValues, DateContext], DateSpan | None]


REACH = 12  # pieces from the beginning of an expression to one that tells a time
TIME_CLASSES = frozenset(
    (
        *("weekday", "weak-day", "month", "weak-month", "season", "feast", "unit", "named", "part", "weekdays"),
        *("date", "day", "days", "day-month", "nth", "year", "year-month", "decade"),
    )
)
# Classes by the name under which their numbers are read.
_READ_AS = {"nth": "day", "weak-month": "month", "sure-month": "month", "weak-day": "weekday"}


class PatternSlot(NamedTuple):
    """A place in a pattern: some words, some classes, or an expression of another table."""

    words: frozenset[str]
    classes: tuple[tuple[str, int | None], ...]
    table: str
    is_optional: bool
    is_absent: bool  # what must not stand there, without which nothing is taken


class DatePattern(NamedTuple):
    """A pattern, and the function that resolves it."""

    slots: tuple[PatternSlot, ...]
    resolve: ResolveDate


class DateExpression(NamedTuple):
    """An expression of time: the place after its last token, and the days it means."""

    stop: int
    days: DateSpan


class DateGrammar:
    """Tables of patterns, each under a name by which others may hold its expressions.

    A pattern is made of slots: `a/b` for one of several words, `<class>` or `<class=number>`, `<TABLE>`, `?` after an
    optional slot, `!` before what must not follow. A table may hold its own expressions, though not first.
    """

    def __init__(self, tables: Mapping[str, Iterable[tuple[str, ResolveDate]]]) -> None:
        self._rules = {
            name: [DatePattern(tuple(map(_parse_slot, text.split())), read) for text, read in rows]
            for name, rows in tables.items()
        }
        self.tables = tuple(tables)
        self._by_key = {name: self._index_rules(rules) for name, rules in self._rules.items()}

    def _index_rules(self, rules: Iterable[DatePattern]) -> Mapping[str, list[DatePattern]]:
        index: defaultdict[str, list[DatePattern]] = defaultdict(list)
        for rule in rules:
            for key in self._opening_keys(rule):
                index[key].append(rule)
        return index

    def _opening_keys(self, rule: DatePattern, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return the words and classes that an expression may begin with."""
        keys: set[str] = set()
        for slot in rule.slots:
            if slot.table == "COUNT":
                keys |= {"<number>", "<few>", "<the>"}
            elif slot.table and slot.table not in seen:
                inner = self._rules[slot.table]
                keys |= {key for row in inner for key in self._opening_keys(row, seen | {slot.table})}
            keys |= slot.words | {f"<{name}>" for name, _ in slot.classes}
            if not slot.is_optional:
                break
        return keys

    def opening_rules(self, table: str, piece: DateToken) -> list[DatePattern]:
        """Return the rules of a table that may begin with a piece."""
        index = self._by_key[table]
        found = [*index.get(piece.key, ())]
        for name in piece.meanings:
            found += (rule for rule in index.get(f"<{name}>", ()) if rule not in found)
        return found


class DateSearch:
    """A search for expressions among the tokens of a text.

    Each table is searched once in each place, from the last place to the first: an expression within another stands
    after its first token and is known by then, so that the time grows with the text alone.
    """

    def __init__(self, grammar: DateGrammar, row: Sequence[DateToken], at: Callable[[int], DateContext]) -> None:
        self._grammar, self._row, self._at = grammar, row, at
        self._known: dict[tuple[str, int], DateExpression | None] = {}
        self._openings: dict[tuple[str, str, bool], list[DatePattern]] = {}
        far = REACH
        for place in reversed(range(len(row))):
            far = 0 if TIME_CLASSES & row[place].meanings.keys() else far + 1
            for table in grammar.tables if far < REACH else ():
                self.search_at(table, place)

    def search_at(self, table: str, place: int) -> DateExpression | None:
        """Return the longest expression of a table that begins in a place."""
        known = (table, place)
        if known not in self._known and place < len(self._row):
            best: DateExpression | None = None
            for rule in self._opening_rules(table, self._row[place]):
                for stop, got in self._match_slots(rule.slots, 0, place, SlotValues()):
                    if (
                        stop > place
                        and (best is None or stop > best.stop)
                        and (days := self._resolve_match(rule, got, place))
                    ):
                        best = DateExpression(stop, days)
            self._known[known] = best
        return self._known.get(known)

    def find_at(self, table: str, place: int) -> DateExpression | None:
        """Return the same, for places that were searched."""
        return self._known.get((table, place))

    def _opening_rules(self, table: str, piece: DateToken) -> list[DatePattern]:
        known = (table, piece.key, piece.is_capital)
        if known not in self._openings:
            self._openings[known] = self._grammar.opening_rules(table, piece)
        return self._openings[known]

    def _resolve_match(self, rule: DatePattern, got: SlotValues, place: int) -> DateSpan | None:
        try:
            return rule.resolve(got, self._at(place))
        except (ValueError, OverflowError):  # there is no such day
            return None

    def _match_slots(
        self, slots: tuple[PatternSlot, ...], number: int, place: int, got: SlotValues
    ) -> Iterator[tuple[int, SlotValues]]:
        """Yield the ways in which slots can be filled from a place on."""
        if number == len(slots):
            yield place, got
            return
        slot = slots[number]
        filled = self._fill_slot(slot, place, got) if place < len(self._row) else None
        if slot.is_absent:
            if filled is None:
                yield from self._match_slots(slots, number + 1, place, got)
            return
        if filled is not None:
            yield from self._match_slots(slots, number + 1, *filled)
        if slot.is_optional:
            yield from self._match_slots(slots, number + 1, place, got)

    def _fill_slot(self, slot: PatternSlot, place: int, got: SlotValues) -> tuple[int, SlotValues] | None:
        if slot.table == "COUNT":
            return self._read_count(place, got)
        if slot.table:
            inner = self.search_at(slot.table, place)
            return (inner.stop, SlotValues(got.numbers, (*got.days, inner.days))) if inner else None
        piece = self._row[place]
        if piece.key in slot.words:
            return place + 1, got
        for name, value in slot.classes:
            meant = piece.meanings.get(name)
            if meant is not None and value in (None, meant[0]):
                return place + 1, got.with_number(_READ_AS.get(name, name), meant)
        return None

    def _read_count(self, place: int, got: SlotValues) -> tuple[int, SlotValues] | None:
        """Read how many: a number in figures or words, "a few", "a couple of"."""
        row, stop = self._row, place
        following = row[place + 1].meanings if place + 1 < len(row) else {}
        if "few" in following and ("number" in row[place].meanings or "the" in row[place].meanings):
            stop += 1
        for name in ("few", "number"):
            if (count := row[stop].meanings.get(name)) is None:
                continue
            if name == "number" and count[0] >= 20 and stop + 2 < len(row) and row[stop + 1].key == "-":
                ones = row[stop + 2].meanings.get("number", (0, 0))[0]
                count, stop = ((count[0] + ones,) * 2, stop + 2) if 0 < ones < 10 else (count, stop)
            stop += 2 if row[stop + 1 : stop + 2] and row[stop + 1].key == "of" and name == "few" else 1
            return stop, got.with_number("count", count)
        return None


def _parse_slot(text: str) -> PatternSlot:
    is_optional, is_absent = text.endswith("?"), text.startswith("!")
    bare = text.removesuffix("?").removeprefix("!")
    if bare.startswith("<") and bare[1:-1].isupper():
        return PatternSlot(frozenset(), (), bare[1:-1], is_optional, is_absent)
    parts = bare.split("/")
    words = frozenset(part for part in parts if not part.startswith("<"))
    classes = tuple(_parse_class(part) for part in parts if part not in words)
    return PatternSlot(words, classes, "", is_optional, is_absent)


def _parse_class(text: str) -> tuple[str, int | None]:
    name, _, value = text[1:-1].partition("=")
    return name, int(value) if value else None
