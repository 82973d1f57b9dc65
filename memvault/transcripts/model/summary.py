"""Summarize a session: what was asked, decided, changed and left open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memvault.core.conversation import Trajectory, Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import redact_secrets
from memvault.core.secrets.screens import Captured, check_courtesies
from memvault.text.markdown import guess_title
from memvault.transcripts.extract.candidates import MemoryCandidate

_MOST = 8  # lines of each kind
_OPEN, _DECIDED = "todo", ("decision", "preference")
_WRITING = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_READING = frozenset(("Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch"))
_READING_WORDS = ("read", "get", "list", "search", "fetch", "find", "query", "browse", "crawl", "scrape", "recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """The lines of each kind."""

    asked: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    learnt: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to say."""
        return not (self.asked or self.decided or self.learnt or self.changed or self.left_open)


def summarize_session(
    turns: Sequence[Turn], topics: Sequence[Trajectory], candidates: Sequence[MemoryCandidate]
) -> SessionSummary:
    """Summarize the turns of a session."""
    return SessionSummary(
        asked=_unique_lines(_user_requests(turns, topics)),
        decided=_unique_lines(one.text for one in candidates if one.sort in _DECIDED),
        learnt=_unique_lines(one.text for one in candidates if one.sort not in (*_DECIDED, _OPEN)),
        changed=_unique_lines(_changed_files(turns)),
        left_open=_unique_lines(one.text for one in candidates if one.sort == _OPEN),
    )


def _unique_lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (" ".join(line.split()) for line in lines))))[:_MOST]


def _user_requests(turns: Sequence[Turn], topics: Sequence[Trajectory]) -> Iterable[str]:
    """Yield the user's first request on each topic."""
    for topic in topics or (Trajectory(first=0, last=len(turns) - 1),):
        texts = (turn.text for turn in turns[topic.first : topic.last + 1] if turn.role == "user")
        first = next((text for text in texts if not check_courtesies(Captured(text))), "")
        if first:
            yield guess_title(first)


def _changed_files(turns: Sequence[Turn]) -> Iterable[str]:
    """Yield the written files, and then other actions, the last first; reading changes nothing."""
    deeds = list(dict.fromkeys(deed for turn in turns for deed in turn.deeds))
    files = dict.fromkeys(deed.partition(" ")[2] for deed in deeds if deed.partition(" ")[0] in _WRITING)
    if files:
        yield f"wrote {', '.join(filter(None, files))}"
    yield from (deed for deed in reversed(deeds) if deed.partition(" ")[0] not in _WRITING and not _only_reads(deed))


def _only_reads(deed: str) -> bool:
    tool = deed.partition(" ")[0]
    words = tool.replace("-", "_").split("_")  # as servers name their tools; an agent's own are NamedLikeThis
    return tool in _READING or (tool.islower() and any(word in _READING_WORDS for word in words))


# The title of a conversation without one: the first line of what was said, cut to fit.

OPENING = 20_000
"""So much of what a title is cut from goes with it until it is cleaned: a sentence is only known as a whole."""
_LONGEST = 80
_LOOKED_AT = 1_000  # searched for secrets before it is cut, which may hide what they were


def make_title(text: str) -> str:
    """Return the title that a text gives; empty where it has none."""
    return first_line(redact_secrets(strip_private(text[:_LOOKED_AT])))


def first_line(text: str) -> str:
    """Return the first line with text, cut to the length of a title."""
    line = next(filter(None, (part.strip() for part in text.splitlines())), "")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
