"""Which texts are near enough to be compared, found in time that grows with their number alone."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from math import log

from memvault.core.likeness.signature import LINE, Hashes, Rarity, distinct, sketch, whole

_FEWEST_MARKS = 2
_SHORT = 12  # words: a text so short has few marks to share

# What more texts share than these is a template: they are linked in a chain, not each with each.
_CROWD = 24

# A pair is offered when the words of the one, counted by their rarity, stand for this share in the other.
_LEAST_HELD = 0.45
_LEAST_HELD_OF_LINES = 0.25

_NUMBER_BITS = 24
_NUMBER = (1 << _NUMBER_BITS) - 1
_SLICES = 32


def candidates(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The pairs of ids whose texts may say the same: sorted within, each once, in an order that only they decide."""
    ids = sorted(texts)
    words, marks = _read(texts[id_] for id_ in ids)
    frequency: Counter[int] = Counter()
    for held in words:
        frequency.update(held)
    rarity = Rarity(frequency)
    for number, held in enumerate(words):
        marks.put(rarity.marks(held), number)
    scale = _Scale(words, frequency)
    for left, right in _meetings(marks, short=bytearray(len(held) <= _SHORT for held in words)):
        if scale.are_near(left, right):
            yield ids[left], ids[right]


class _Slices:
    """Marks with the numbers of the texts they stand in, in slices so that only a part is ever unpacked."""

    def __init__(self) -> None:
        self._slices = [(array("I"), array("I")) for _ in range(_SLICES)]

    def put(self, marks: Iterable[int], number: int) -> None:
        """Take in the marks of a text."""
        slices = self._slices
        for mark in marks:
            held, numbers = slices[mark % _SLICES]
            held.append(mark)
            numbers.append(number)

    def groups(self) -> Iterator[list[int]]:
        """For each mark that more texts than one have, their numbers in ascending order."""
        for marks, numbers in self._slices:
            count = Counter(marks)
            groups: defaultdict[int, list[int]] = defaultdict(list)
            for mark, number in zip(marks, numbers, strict=True):
                if count[mark] > 1:
                    groups[mark].append(number)
            yield from map(sorted, groups.values())


def _read(texts: Iterable[str]) -> tuple[list[array[int]], _Slices]:
    """The words of each text, and the marks of how they follow each other."""
    hashes = Hashes()
    words: list[array[int]] = []
    marks = _Slices()
    for number, text in enumerate(texts):
        found = hashes.of(text)
        words.append(distinct(found))
        marks.put(sketch(found) or (whole(text),), number)
    return words, marks


def _meetings(marks: _Slices, *, short: bytearray) -> Iterator[tuple[int, int]]:
    """The pairs of texts that share marks enough."""
    slices = tuple(array("Q") for _ in range(_SLICES))
    for numbers in marks.groups():
        for left, right in _linked(numbers):
            slices[left % _SLICES].append(left << _NUMBER_BITS | right)
    for pairs in slices:
        enough = (
            pair
            for pair, shared in Counter(pairs).items()
            if shared >= _FEWEST_MARKS or short[pair >> _NUMBER_BITS] or short[pair & _NUMBER]
        )
        for pair in sorted(enough):
            yield pair >> _NUMBER_BITS, pair & _NUMBER


def _linked(numbers: list[int]) -> Iterator[tuple[int, int]]:
    if len(numbers) <= _CROWD:
        yield from combinations(numbers, 2)
    else:
        yield from pairwise(numbers)
        yield from ((numbers[0], number) for number in numbers[2:])


class _Scale:
    """Weighs what two texts share: a word that few texts have tells more."""

    def __init__(self, words: list[array[int]], frequency: Mapping[int, int]) -> None:
        self._words = words
        self._weights = {word: log(1 + len(words) / count) for word, count in frequency.items()}
        self._totals = array("d", map(self._weigh, words))

    def _weigh(self, words: Iterable[int]) -> float:
        return sum(map(self._weights.__getitem__, words))

    def are_near(self, left: int, right: int) -> bool:
        """Whether the smaller of two texts stands in the larger as far as it must; of two lines less will do."""
        are_lines = max(len(self._words[left]), len(self._words[right])) <= LINE
        return self._held(left, right) >= (_LEAST_HELD_OF_LINES if are_lines else _LEAST_HELD)

    def _held(self, left: int, right: int) -> float:
        total = min(self._totals[left], self._totals[right])
        shared = set(self._words[left]).intersection(self._words[right])
        return self._weigh(shared) / total if total else 1.0
