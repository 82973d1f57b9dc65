"""The session index: one line for each memory, with stored values and absolute dates only."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from math import exp2

from memvault.context.briefing import quote_label
from memvault.core.ids import short_id
from memvault.core.kinds.infer_tags import DECISION, GOTCHA, PREFERENCE
from memvault.core.memory import Memory
from memvault.text.dates.dates import parse_day
from memvault.text.display import format_count
from memvault.text.keyword_spelling import keyword_key
from memvault.text.terms import text_cost

HALF_LIFE_DAYS = 90
_MOST_LINES, _MOST_WORDS = 20, 30
_STRONGEST = 3  # of many keywords only the commonest count, so that a long list of tags is no advantage
_FEW = 3  # among so few memories, a keyword they all have still tells something
_LONGEST_KEYWORD = 40
_SAYS_WHAT_IT_IS = frozenset({PREFERENCE, DECISION, GOTCHA, "identity"})
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class SessionIndex:
    """The index as text, and how many memories it could not list."""

    text: str
    unlisted: int = 0


@dataclass(slots=True)
class _IndexSection:
    """One heading with the units that may stand under it, in order, and how many of them do."""

    heading: str
    units: Sequence[str]
    share: float
    most: int
    taken: int = 0

    def cost_of_next(self) -> float:
        heading = 0.0 if self.taken else text_cost(f"#### {self.heading}\n\n\n")
        return heading + text_cost(self.units[self.taken])

    def take_units(self, room: float) -> float:
        """Take the next units while there is room; return how much of it was used."""
        used = 0.0
        while self.taken < min(len(self.units), self.most) and used + self.cost_of_next() <= room:
            used += self.cost_of_next()
            self.taken += 1
        return used


def build_session_index(memories: Iterable[Memory], budget: int, *, unseen: int = 0) -> SessionIndex:
    """Build the index within so many tokens; of memories that are `unseen` it only says how many there are."""
    ordered = sorted(memories, key=_newest_first)
    if not ordered:
        return SessionIndex("")
    words = {memory.id: _memory_keywords(memory) for memory in ordered}
    keywords = Counter(key for labels in words.values() for key in labels)
    preferences = [memory for memory in ordered if _has_tag(memory, PREFERENCE)]
    key = [memory for memory in ordered if _has_tag(memory, DECISION, GOTCHA) and not _has_tag(memory, PREFERENCE)]
    others = [memory for memory in ordered if not _has_tag(memory, PREFERENCE, DECISION, GOTCHA)]
    newest = _created_seconds(ordered[0])

    def rate_importance(memory: Memory) -> float:
        """Rate how common a memory's keywords are, times how new it is beside the newest, without the clock."""
        frequency = sum(sorted((keywords[word] for word in words[memory.id]), reverse=True)[:_STRONGEST])
        days = (newest - _created_seconds(memory)) / _DAY_SECONDS if memory_day(memory) else float("inf")
        return round(max(frequency, 1) * exp2(-days / HALF_LIFE_DAYS), 9)

    key.sort(key=lambda memory: (-rate_importance(memory), _newest_first(memory)))
    telling = _order_keywords(words.values(), keywords, len(ordered))
    sections = (
        _IndexSection("Preferences", _memory_lines(preferences), 0.25, _MOST_LINES),
        _IndexSection("Recent Activity", _memory_lines(others), 0.25, _MOST_LINES),
        _IndexSection("Key Decisions / Gotchas", _memory_lines(key), 0.35, _MOST_LINES),
        _IndexSection("Keyword Cloud", [f"{quote_label(word)}, " for word in telling], 0.15, _MOST_WORDS),
    )
    return _fill_sections(sections, len(ordered) + unseen, budget)


_MOST_FOLDERS = 12


def build_folder_index(memories: Iterable[Memory], budget: int) -> str:
    """Build an index of notes none of which may be given yet: their folders, their topics, and how to choose some."""
    notes = [memory for memory in memories if memory.folders]
    folders = Counter(memory.folders[0] for memory in notes).most_common(_MOST_FOLDERS)
    labels = [_memory_keywords(memory) for memory in notes]
    words = _order_keywords(labels, Counter(key for found in labels for key in found), len(notes))[:_MOST_WORDS]
    if not folders:
        return ""
    lines = [
        f"The user's own notes lie in {', '.join(f'{quote_label(name)} ({count})' for name, count in folders)}.",
        f"They speak of: {', '.join(map(quote_label, words))}." if words else "",
        "None of them is given unasked until the user chooses a folder:"
        f' `memvault config --user inject.folders "{quote_label(folders[0][0])}"`.',
    ]
    text = "\n".join(filter(None, lines))
    return text if text_cost(text) <= budget else ""


def memory_day(memory: Memory) -> str:
    """Return the day a memory was made, if its file says so; a file's own time stamp changes with every write."""
    if "created" in memory.stated:
        return f"{memory.created.astimezone(UTC):%Y-%m-%d}"
    day = parse_day(memory.name[:10])
    return day.isoformat() if day else ""


def is_current(text: str, newest: Iterable[Memory]) -> bool:
    """Return whether an index lists the newest of some memories; decisions, listed by importance, do not count."""
    dated = [memory for memory in newest if not _has_tag(memory, DECISION, GOTCHA)]
    return not dated or _memory_line(min(dated, key=_newest_first)) in text


def _fill_sections(sections: Sequence[_IndexSection], count: int, budget: int) -> SessionIndex:
    """Give each section its share first, then distribute what is left over once more."""
    room = budget - text_cost(_unlisted_line(count))
    left = room
    for shares in (True, False):
        for section in sections:
            left -= section.take_units(min(left, section.share * room) if shares else left)
    *listing, cloud = sections
    unlisted = count - sum(section.taken for section in listing)
    parts = [
        f"#### {section.heading}\n\n{''.join(section.units[: section.taken])}" for section in listing if section.taken
    ]
    if cloud.taken:
        words = "".join(cloud.units[: cloud.taken]).removesuffix(", ")
        parts.append(f"#### {cloud.heading}\n\n{words}\n")
    if unlisted:
        parts.append(_unlisted_line(unlisted))
    text = "\n".join(parts).rstrip("\n")
    return SessionIndex(text if text_cost(text) <= budget else "", unlisted)


def _unlisted_line(count: int) -> str:
    more = format_count(count, "more memory", "more memories")
    return f"Not listed: {more}.\n\n"


def _memory_lines(memories: Sequence[Memory]) -> list[str]:
    return [_memory_line(memory) for memory in memories[:_MOST_LINES]]


def _memory_line(memory: Memory) -> str:
    words = [tag for tag in (DECISION, GOTCHA) if _has_tag(memory, tag)]
    facts = ", ".join(filter(None, (*words, memory_day(memory), short_id(memory.id))))
    return f"- {quote_label(memory.title)} ({facts})\n"


def _has_tag(memory: Memory, *tags: str) -> bool:
    return any(tag.casefold().partition("/")[0] in tags for tag in memory.tags)


def _newest_first(memory: Memory) -> tuple[float, str, str]:
    return -_created_seconds(memory), memory.path, memory.id


def _created_seconds(memory: Memory) -> float:
    """Return when a memory was made, in seconds; one without a date counts as the oldest."""
    if "created" in memory.stated:
        return memory.created.timestamp()
    day = parse_day(memory.name[:10])
    return float(day.toordinal() - _EPOCH) * _DAY_SECONDS if day else float("-inf")


_EPOCH = 719_163  # the ordinal of 1970-01-01


# -- keywords

_OFTEN = 2  # a keyword of one memory alone leads no further than its title does


def _order_keywords(labels: Iterable[Mapping[str, str]], counts: Counter[str], many: int) -> list[str]:
    """Return the keywords that occur at least twice, the commonest first, each as it is written most."""
    everywhere = many if many >= _FEW else many + 1
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for found in labels:
        for key, word in found.items():
            spellings[key][word] += 1
    telling = sorted((-count, key) for key, count in counts.items() if _OFTEN <= count < everywhere)
    return [max(spellings[key].items(), key=lambda pair: (pair[1], pair[0]))[0] for _, key in telling]


def _memory_keywords(memory: Memory) -> dict[str, str]:
    """Return a memory's tags, topics, people and the names in its title, as written, by what spellings share."""
    labels = [*memory.tags, *memory.topics, *memory.people, *_NAME.findall(memory.title)]
    written = (" ".join(label.split()).strip("#,.:;") for label in labels)
    return {
        key: word
        for word in written
        if 1 < len(word) <= _LONGEST_KEYWORD
        and word.casefold() not in _SAYS_WHAT_IT_IS
        and not word.isdigit()
        and "`" not in word
        and (key := keyword_key(word))
    }


# A word with a capital inside, or one that no sentence begins with: SQLite, ADR-016, Hollin.
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Þ][\w-]+|\b\w*[a-z0-9][A-Z][\w-]*|\b[A-Z]{2,}[\w-]*")
