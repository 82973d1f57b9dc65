"""Keywords: which tags and topics there are most of, and which stand together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from memvault.core.memory import Memory


@dataclass(frozen=True, slots=True)
class Keyword:
    """A tag or topic, and how many memories bear it."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Together:
    """Two keywords, by their number, and how many memories bear both."""

    one: int
    other: int
    count: int


@dataclass(frozen=True, slots=True)
class Keywords:
    """The most frequent keywords, and which go together."""

    words: tuple[Keyword, ...] = ()
    pairs: tuple[Together, ...] = ()


def keywords_of(memories: Iterable[Memory], *, most: int) -> Keywords:
    """The most frequent tags and topics, and how often any two of them stand in one memory."""
    sets = [_words(memory) for memory in memories]
    counts = Counter(word for words in sets for word in words)
    chosen = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    numbers = {word: number for number, (word, _) in enumerate(chosen)}
    pairs: Counter[tuple[int, int]] = Counter()
    for words in sets:
        present = sorted(numbers[word] for word in words if word in numbers)
        pairs.update((one, other) for at, one in enumerate(present) for other in present[at + 1 :])
    strongest = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return Keywords(
        tuple(Keyword(word, count) for word, count in chosen),
        tuple(Together(one, other, count) for (one, other), count in strongest),
    )


def _words(memory: Memory) -> set[str]:
    return {" ".join(word.casefold().split()) for word in (*memory.tags, *memory.topics) if word.strip()}
