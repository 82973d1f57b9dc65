"""Keywords: which tags and topics there are most of, and which stand together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memvault.core.memory import Memory
from memvault.text.spelling import key, normal


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallied:
    """A keyword in the spelling that is used most, by how many memories and topics of conversations it is borne."""

    name: str
    memories: int = 0
    topics: int = 0
    spellings: tuple[str, ...] = ()  # the other ones in use

    @property
    def total(self) -> int:
        """How many bear it, taken together."""
        return self.memories + self.topics


def borne_by(memory: Memory) -> tuple[str, ...]:
    """The tags and topics of a memory, as keywords."""
    return tuple(word for word in (*memory.tags, *memory.topics) if normal(word))


def tallied(memories: Iterable[Sequence[str]], topics: Iterable[Sequence[str]]) -> dict[str, Tallied]:
    """Every keyword by its key, the most borne first; what bears it in several spellings counts once."""
    spellings: dict[str, Counter[str]] = {}
    by_memories, by_topics = _counted(memories, spellings), _counted(topics, spellings)
    found = {
        one: Tallied(
            name=_most_used(used),
            memories=by_memories[one],
            topics=by_topics[one],
            spellings=tuple(sorted(used.keys() - {_most_used(used)})),
        )
        for one, used in spellings.items()
    }
    return dict(sorted(found.items(), key=lambda item: (-item[1].total, item[1].name)))


def _counted(sets: Iterable[Sequence[str]], spellings: dict[str, Counter[str]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for words in sets:
        for word in words:
            spellings.setdefault(key(word), Counter())[" ".join(word.split())] += 1
        counts.update({key(word) for word in words})
    return counts


def _most_used(used: Mapping[str, int]) -> str:
    return min(used, key=lambda word: (-used[word], word))


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
