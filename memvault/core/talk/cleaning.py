"""What may be kept of a conversation: everything but private spans and secrets, in raw lines as in turns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from memvault.core.leaks import found, redacted
from memvault.core.private import without_private
from memvault.core.talk import Fact, Talk, Trajectory, Turn

# Ids, times, and pictures as text hold nothing that could be told from a secret, and are most of a transcript.
_PLAIN = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,20}Z?|(?:msg|req|toolu)_[A-Za-z0-9]{6,40}"
)
_STRUCTURE = frozenset({"type", "subtype", "role", "version", "userType", "model", "stop_reason", "service_tier"})
_PICTURE = re.compile(r"[A-Za-z0-9+/\r\n]{2000,}={0,2}")
_LONG = 200  # looked through by itself; what is shorter together with others
_WINDOW, _OVERLAP = 256 * 1024, 16 * 1024
_LEAST_NUMBER = 10**11
_MOST_KNOWN, _LONGEST_KNOWN = 500, 20_000


class Cleaning:
    """Cleans one record after another; a text that comes again soon is not looked through twice."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def text(self, text: str) -> str:
        """A text without private spans and secrets."""
        known = self._known.get(text)
        if known is None:
            known = _without_secrets(without_private(text))
            if len(text) <= _LONGEST_KNOWN:
                self._remember(text, known)
        return known

    def turn(self, turn: Turn) -> Turn:
        """The same for what was said and done in a turn."""
        return replace(turn, text=self.text(turn.text), speaker=self.text(turn.speaker), deeds=self._all(turn.deeds))

    def fact(self, fact: Fact) -> Fact:
        """The same for a fact."""
        return replace(fact, text=self.text(fact.text), speaker=self.text(fact.speaker), about=self._all(fact.about))

    def trajectory(self, run: Trajectory) -> Trajectory:
        """The same for a topic."""
        return replace(run, summary=self.text(run.summary), keywords=self._all(run.keywords))

    def head(self, talk: Talk) -> Talk:
        """The same for what is known of a conversation."""
        title, project = self.text(talk.title).strip(), self.text(talk.project)
        return replace(talk, title=title, project=project, speakers=self._all(talk.speakers))

    def record(self, record: Mapping[str, object]) -> Mapping[str, object]:
        """The same for every text in a record, its own object where there is nothing to take out."""
        leaves = list(_leaves(record))
        if any(len(text) > _LONG and self.text(text) != text for _, text in leaves):
            return self._rebuilt(record)
        short = [f"{key}: {text}" for key, text in leaves if len(text) <= _LONG and not _is_plain(key, text)]
        page = "\n".join(short)
        return self._rebuilt(record) if found(page) or "<private" in page.lower() else record

    def _rebuilt(self, record: Mapping[str, object]) -> Mapping[str, object]:
        return {key: self._value(value, key) for key, value in record.items()}

    def _value(self, value: object, key: str) -> object:
        match value:
            case str():
                return self._told(value, key)
            case list():
                return [self._value(one, key) for one in value]
            case dict():
                return {name: self._value(one, str(name)) for name, one in value.items()}
            case int() if abs(value) >= _LEAST_NUMBER:
                told = self._told(str(value), key)
                return value if told == str(value) else told
            case _:
                return value

    def _told(self, text: str, key: str) -> str:
        """A text by itself, and as the value of its key: many a secret is one only by its name."""
        clean = self.text(text)
        if clean != text or len(text) > _LONG:
            return clean
        lead = f"{key}: "
        return redacted(lead + text).removeprefix(lead)

    def _all(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.text(text) for text in texts)

    def _remember(self, text: str, clean: str) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[text] = clean


def _is_plain(key: str, text: str) -> bool:
    return key in _STRUCTURE or _PLAIN.fullmatch(text) is not None


def _leaves(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield key, value
        case list():
            for one in value:
                yield from _leaves(one, key)
        case dict():
            for name, one in value.items():
                yield from _leaves(one, str(name))
        case int() if abs(value) >= _LEAST_NUMBER:
            yield key, str(value)
        case _:
            return


def _without_secrets(text: str) -> str:
    if _PICTURE.fullmatch(text):
        return text
    return redacted(text) if len(text) <= _WINDOW else "".join(_by_windows(text))


def _by_windows(text: str) -> Iterator[str]:
    """A long text window by window, each reaching into the next, so that a secret on the border is seen whole."""
    done = 0
    for start in range(0, len(text), _WINDOW):
        for leak in found(text[start : start + _WINDOW + _OVERLAP]):
            begin, end = max(start + leak.start, done), start + leak.end
            if begin < min(end, start + _WINDOW):
                yield f"{text[done:begin]}[redacted: {leak.sort}]"
                done = end
    yield text[done:]
