"""Which turns of conversations meet the conditions of a recall."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memvault.core.query import Filters
from memvault.core.settings.people import Names
from memvault.storage.vault.context import Bench, names_of
from memvault.text.spelling import key, nearest, renaming
from memvault.text.terms import contains_phrase

if TYPE_CHECKING:
    from memvault.transcripts.search import Spoken

RAW = 3  # the tier in which conversations lie

Admits = Callable[["Spoken"], bool]


def admits(bench: Bench, filters: Filters) -> Admits | None:
    """What tells whether a turn meets some conditions; None where no turn can, as they are about memories."""
    about_memories = (filters.kinds, filters.types, filters.tags, filters.statuses, filters.places)
    if any(about_memories) or filters.pinned is not None or (filters.tiers and RAW not in filters.tiers):
        return None
    checks = [*_since(filters), *_people(bench, filters), *_keywords(bench, filters)]
    return lambda spoken: all(check(spoken) for check in checks)


def _since(filters: Filters) -> list[Admits]:
    since = filters.since
    return [] if since is None else [lambda spoken: spoken.turn.time is not None and spoken.turn.time >= since]


def _people(bench: Bench, filters: Filters) -> list[Admits]:
    """A person is in a turn who says it or is named in it, by any name."""

    def is_in(spoken: Spoken, names: Names) -> bool:
        text = f"{spoken.turn.speaker}\n{spoken.turn.text}"
        return any(contains_phrase(text, name) for name in names)

    wanted = [names_of(bench, name) for name in filters.people]
    return [lambda spoken, names=names: is_in(spoken, names) for names in wanted]  # type: ignore[misc]


def _keywords(bench: Bench, filters: Filters) -> list[Admits]:
    """A turn bears the keywords of its topic, in whatever spelling, by the names that they were given since."""
    if not filters.keywords:
        return []
    stands = renaming(bench.vault.ledger.decisions().renames)

    def bears(spoken: Spoken, word: str) -> bool:
        topic = bench.talks().trajectory_at(spoken.held.number, spoken.place)
        names = {key(stands.get(key(each), each)) for each in (topic.keywords if topic else ())}
        return bool(nearest(word, names))

    wanted = [stands.get(key(word), word) for word in filters.keywords]
    return [lambda spoken, word=word: bears(spoken, word) for word in wanted]  # type: ignore[misc]
