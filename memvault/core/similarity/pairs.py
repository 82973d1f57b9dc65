"""Find texts that are near enough to be compared, in time that grows with their number alone."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import heappush, heappushpop
from itertools import chain, combinations, pairwise, repeat
from math import log
from operator import xor
from typing import TypeVar
from zlib import crc32

from memvault.text.statements.word_vectors import compare_vectors, text_vector
from memvault.text.terms import STOPWORDS, split_tokens

# The marks of a text: hashes of its content words that survive edits.

# A text's smallest hashes of neighboring words survive edits and re-ordered sentences; pairs among its rarest
# words survive another wording.
_SKETCH = 16
_RAREST = 6
_MOST_WORDS = 192
_LONG = 120

LINE = 7
"""Words up to which a text is so short that each of them counts."""

_ROOT = 7  # letters
_SHORTEST_INFLECTED = 3
_ENDING = re.compile(r"(?:ing|ed|es|s|e|y|en)$")

_WORD = (1 << 32) - 1
_STIR = 0x9E3779B97F4A7C15
_CACHE_LIMIT = 65_536
_AROUND = '.,;:!?"()[]*_'


class WordHashes(dict[str, tuple[int, ...]]):
    """The hashed stems of the content words of each piece of text without spaces, computed once."""

    def __missing__(self, piece: str) -> tuple[int, ...]:
        hashes: tuple[int, ...]
        bare = piece.strip(_AROUND).lower()
        if bare.isascii() and bare.isalpha():
            hashes = () if bare in STOPWORDS else (_hash_word(_rough_stem(bare)),)
        else:
            hashes = tuple(_hash_word(_rough_stem(token)) for token in split_tokens(piece) if token not in STOPWORDS)
        if len(self) < _CACHE_LIMIT:
            self[piece] = hashes
        return hashes

    def marks_without_one(self, text: str) -> Iterator[int]:
        """Yield the marks of a line without each of its pieces: two lines that differ in one share a mark."""
        pieces = {reduce(xor, found) for found in map(self.__getitem__, text.split()) if found}
        # Mixed with a constant, or two remaining pieces would count as neighbors.
        rest = reduce(xor, pieces, _STIR & _WORD)
        return (rest ^ piece for piece in pieces)


def _rough_stem(word: str) -> str:
    # A true stem costs twenty times as much and finds no pair more.
    return _ENDING.sub("", word)[:_ROOT] if len(word) > _SHORTEST_INFLECTED else word


def _hash_word(word: str) -> int:
    # The checksum is linear in its bits: without mixing, sums of it would collide.
    return (crc32(word.encode("utf-8", "surrogatepass")) * _STIR >> 24) & _WORD


class WordRarity:
    """The words that stand in more texts than one, from the rarest to the commonest."""

    def __init__(self, frequency: Mapping[int, int]) -> None:
        shared = sorted((count, word) for word, count in frequency.items() if count > 1)
        self._words = array("I", (word for _, word in shared))
        self._ranks = {word: rank for rank, word in enumerate(self._words, 1)}

    def rare_pair_marks(self, words: Sequence[int]) -> Iterator[int]:
        """Yield the marks of the word choice: pairs among a text's rarest, of a line each word, of a long text none."""
        if len(words) > _LONG:
            return
        if len(words) <= LINE:
            yield from words
        rarest = sorted(filter(None, map(self._ranks.get, words)))[:_RAREST]
        for left, right in combinations(rarest, 2):
            # Inverted, or neighbors in the text would be counted twice.
            yield self._words[left - 1] ^ self._words[right - 1] ^ _WORD


T = TypeVar("T")

_FEWEST_MARKS = 2
_SHORT = 12  # words: a text so short has few marks to share
_FEWEST_OF_TEMPLATE = 4  # words: with fewer, a line without one of them is like too many others

# A mark that more texts share is a template: they are linked in a chain, not each with each.
_CROWD = 24

# A pair is offered when the words of the one, counted by their rarity, stand for this share in the other.
_LEAST_HELD = 0.3
_LEAST_HELD_OF_LINES = 0.2

_LEAST_TEXTS = 64  # in a small vault a word that two texts share is as telling as in a large one
_NEAREST = 8  # of a thousand entries of one template each is compared with so many others at most

# Texts that share no word are found by the vectors of their words: those that differ in few signs are compared.
_FEWEST_WORDS, _MOST_MEANT = 3, 48  # a longer text says so much that its vector is near to many
_MOST_SIGNS, _ALL_SIGNS = 20, 64
_FEW_TEXTS = 256  # of so few each is compared with each
_LEAST_MEANT = 0.6
_NEAREST_IN_MEANING = 1
_WINDOW = 2_000

_NUMBER_BITS = 24
_NUMBER = (1 << _NUMBER_BITS) - 1
_SLICES = 32


def find_candidates(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of ids whose texts may say the same, each once, in an order that only the ids decide."""
    ids = sorted(texts)
    words, marks, gaps = _read_texts(texts[id_] for id_ in ids)
    frequency: Counter[int] = Counter()
    for held in words:
        frequency.update(held)
    rarity = WordRarity(frequency)
    for number, said in enumerate(words):
        marks.put(rarity.rare_pair_marks(said), number)
    scale = _RarityScale(words, frequency)
    nearest = _NearestTexts(len(ids))
    for left, right in _sharing_pairs(marks, short=bytearray(len(held) <= _SHORT for held in words)):
        part, rest = scale.shared_parts(left, right)
        are_lines = max(len(words[left]), len(words[right])) <= LINE
        if part >= (_LEAST_HELD_OF_LINES if are_lines else _LEAST_HELD):  # of the smaller, in the larger
            nearest.put(left, right, part + rest)
    # Among many lines of one template those would be crowded out that differ in a single piece, be it rare or common.
    brothers = _NearestTexts(len(ids))
    for numbers in gaps.groups():
        for left, right in link_members(numbers):
            brothers.put(left, right, sum(scale.shared_parts(left, right)))
    short = [
        number
        for number, held in enumerate(words)
        if _FEWEST_WORDS <= len(held) <= _MOST_MEANT and nearest.has_room(number)
    ]
    alike = _pairs_by_meaning({number: texts[ids[number]] for number in short}, len(ids))
    for left, right in sorted({*nearest.pairs(), *brothers.pairs(), *alike}):
        yield ids[left], ids[right]


def _pairs_by_meaning(texts: Mapping[int, str], count: int) -> set[tuple[int, int]]:
    """Return the pairs of texts that are nearest in meaning; each text is held against a window of others."""
    # Half of the words must be known: those that stand in any text count for nothing.
    telling = {number: " ".join(set(text.lower().split()) - STOPWORDS) for number, text in texts.items()}
    vectors = {number: vector for number, text in telling.items() if (vector := text_vector(text))}
    order = sorted(vectors, key=lambda number: (vectors[number][0], number))
    signs = [sum((value > 0) << place for place, value in enumerate(vectors[number])) for number in order]
    nearest = _NearestTexts(count, _NEAREST_IN_MEANING)
    most = _MOST_SIGNS if len(order) > _FEW_TEXTS else _ALL_SIGNS
    for place, number in enumerate(order):
        following = signs[place + 1 : place + 1 + _WINDOW]
        for step, differing in enumerate(map(int.bit_count, map(xor, following, repeat(signs[place]))), place + 1):
            if differing <= most:
                meant = compare_vectors(vectors[number], vectors[order[step]])
                if meant >= _LEAST_MEANT:
                    nearest.put(number, order[step], meant)
    return nearest.pairs()


class _MarkSlices:
    """Marks with the numbers of their texts, in slices so that only a part is ever unpacked."""

    def __init__(self) -> None:
        self._slices = [(array("I"), array("I")) for _ in range(_SLICES)]

    def put(self, marks: Iterable[int], number: int) -> None:
        """Add the marks of a text."""
        slices = self._slices
        for mark in marks:
            held, numbers = slices[mark % _SLICES]
            held.append(mark)
            numbers.append(number)

    def groups(self) -> Iterator[list[int]]:
        """Yield, for each mark that several texts have, their numbers in ascending order."""
        for marks, numbers in self._slices:
            count = Counter(marks)
            groups: defaultdict[int, list[int]] = defaultdict(list)
            for mark, number in zip(marks, numbers, strict=True):
                if count[mark] > 1:
                    groups[mark].append(number)
            yield from map(sorted, groups.values())


def _read_texts(texts: Iterable[str]) -> tuple[list[array[int]], _MarkSlices, _MarkSlices]:
    """Return the words of each text, the marks of their order, and those of the lines with a gap."""
    hashes = WordHashes()
    words: list[array[int]] = []
    marks, gaps = _MarkSlices(), _MarkSlices()
    for number, text in enumerate(texts):
        found = list(chain.from_iterable(map(hashes.__getitem__, text.split())))
        # Each word once; of a very long text a sample, the same words wherever they occur.
        once = set(found)
        words.append(array("I", once if len(once) <= _MOST_WORDS else sorted(once)[:_MOST_WORDS]))
        # Of all neighboring pairs those with the smallest hashes; of a text too short to have any, the whole.
        order = sorted(set(map(xor, found, found[1:])))[:_SKETCH]
        marks.put(order or (_hash_word(" ".join(text.casefold().split())),), number)
        if _FEWEST_OF_TEMPLATE <= len(found) <= _SHORT:
            gaps.put(hashes.marks_without_one(text), number)
    return words, marks, gaps


def _sharing_pairs(marks: _MarkSlices, *, short: bytearray) -> Iterator[tuple[int, int]]:
    """Yield the pairs of texts that share enough marks."""
    slices = tuple(array("Q") for _ in range(_SLICES))
    for numbers in marks.groups():
        for left, right in link_members(numbers):
            slices[left % _SLICES].append(left << _NUMBER_BITS | right)
    for pairs in slices:
        enough = (
            pair
            for pair, shared in Counter(pairs).items()
            if shared >= _FEWEST_MARKS or short[pair >> _NUMBER_BITS] or short[pair & _NUMBER]
        )
        for pair in sorted(enough):
            yield pair >> _NUMBER_BITS, pair & _NUMBER


def link_members(members: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield the pairs to compare: each with each, or in a crowd each with the next and the first."""
    if len(members) <= _CROWD:
        yield from combinations(members, 2)
    else:
        yield from pairwise(members)
        yield from ((members[0], member) for member in members[2:])


class _RarityScale:
    """A scale for what two texts share: a word that few texts have tells more."""

    def __init__(self, words: list[array[int]], frequency: Mapping[int, int]) -> None:
        self._words = words
        total = len(words) + _LEAST_TEXTS
        self._weights = {word: log(1 + total / count) ** 2 for word, count in frequency.items()}
        self._totals = array("d", map(self._weigh_words, words))

    def _weigh_words(self, words: Iterable[int]) -> float:
        return sum(map(self._weights.__getitem__, words))

    def shared_parts(self, left: int, right: int) -> tuple[float, float]:
        """Return how much of the smaller of two texts stands in the larger, and how much of the larger that is."""
        less, more = sorted((self._totals[left], self._totals[right]))
        if not less:
            return 1.0, 1.0 if more == less else 0.0
        common = self._weigh_words(set(self._words[left]).intersection(self._words[right]))
        return common / less, common / more


class _NearestTexts:
    """The few nearest texts of each text: a pair stays if it is among them for one of the two."""

    def __init__(self, count: int, most: int = _NEAREST) -> None:
        self._most = most
        self._found: list[list[tuple[float, int]]] = [[] for _ in range(count)]

    def put(self, left: int, right: int, nearness: float) -> None:
        """Add a pair."""
        self._keep(self._found[left], (nearness, -right))
        self._keep(self._found[right], (nearness, -left))

    def _keep(self, held: list[tuple[float, int]], one: tuple[float, int]) -> None:
        if len(held) < self._most:
            heappush(held, one)
        else:
            heappushpop(held, one)

    def has_room(self, number: int) -> bool:
        """Return whether a text has fewer than the most."""
        return len(self._found[number]) < self._most

    def pairs(self) -> set[tuple[int, int]]:
        """Return the pairs that stayed."""
        return {
            (min(number, -other), max(number, -other)) for number, held in enumerate(self._found) for _, other in held
        }


# Which duplicates become one memory together: all alike to one of them, and none against another.

Conflict = Callable[[str, str], bool]


def cluster_pairs(pairs: Iterable[tuple[str, str]], *, conflict: Conflict | None = None) -> list[list[str]]:
    """Return the groups that pairs of duplicates form, each sorted but for its base, which comes first.

    Every member is paired with the base. Two members that are not paired with each other stay together only if
    `conflict` says that they do not exclude each other; without it they do not stay together.
    """
    near: defaultdict[str, set[str]] = defaultdict(set)
    for left, right in pairs:
        if left != right:
            near[left].add(right)
            near[right].add(left)
    found: list[list[str]] = []
    free = set(near)
    for base in sorted(near, key=lambda id_: (-len(near[id_]), id_)):
        if base not in free:
            continue
        members = [base]
        for other in sorted(near[base] & free):
            strangers = (member for member in members[1:] if other not in near[member])
            if all(conflict and not conflict(*sorted((member, other))) for member in strangers):
                members.append(other)
        if len(members) > 1:
            free -= set(members)
            found.append(members)
    return sorted(found)
