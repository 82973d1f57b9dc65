"""Keywords: the most frequent ones, and those that stand together."""

from __future__ import annotations

from datetime import UTC, datetime

from memvault.core.memory import Memory, Place
from memvault.recall.keywords import KeywordPair, map_keywords

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


def tagged(name: str, *, tags: tuple[str, ...] = (), topics: tuple[str, ...] = ()) -> Memory:
    return Memory(
        id=name,
        path=f"{name}.md",
        place=Place.MEMORIES,
        title=name,
        created=NOW,
        last_accessed=NOW,
        tags=tags,
        topics=topics,
    )


def test_keywords_are_the_most_frequent_tags_and_topics_with_those_they_stand_with() -> None:
    memories = [
        tagged("a", tags=("Tea", "home")),
        tagged("b", tags=("tea",), topics=("home",)),
        tagged("c", tags=("rare",)),
    ]
    found = map_keywords(memories, most=2)
    assert [(word.name, word.count) for word in found.words] == [("home", 2), ("tea", 2)]
    assert found.pairs == (KeywordPair(0, 1, 2),)


def test_a_keyword_counts_once_in_a_memory_however_it_is_spelled() -> None:
    found = map_keywords([tagged("a", tags=("Tea", " tea "), topics=("TEA", " "))], most=5)
    assert [(word.name, word.count) for word in found.words] == [("tea", 1)]
    assert found.pairs == ()
