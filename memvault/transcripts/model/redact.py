"""Redact conversations: remove private spans and secrets from turns and raw lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.core.secrets.erase import Erase
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private
from memvault.core.secrets.scan import find_secrets, redact_secrets
from memvault.transcripts.model.record import UnreadableEntry

# Surrogates, as a cut string has them, are replaced.

_HALF = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return a text with its surrogates replaced, which no encoding carries."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def replace_all_surrogates(value: object) -> object:
    """Replace surrogates in every text and name of a value of any shape."""
    match value:
        case str():
            return replace_surrogates(value)
        case list():
            return [replace_all_surrogates(one) for one in value]
        case dict():
            return {replace_surrogates(name): replace_all_surrogates(one) for name, one in value.items()}
        case _:
            return value


# Ids, times and images cannot be told from secrets, and make up most of a transcript.
_PLAIN = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,20}Z?|(?:msg|req|toolu)_[A-Za-z0-9]{6,40}"
)
_PLAIN_ID = re.compile(r"[\w:.-]{1,12}|\d{1,20}", re.ASCII)
_STRUCTURE = frozenset({"type", "subtype", "role", "version", "userType", "model", "stop_reason", "service_tier"})
_PICTURES = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0")  # as PNG, JPEG, GIF, WebP and PDF begin
_PICTURE = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_LONG = 200  # searched alone; shorter texts are searched together
_WINDOW, _OVERLAP = 256 * 1024, 16 * 1024
_LEAST_NUMBER = 10**11
_MOST_KNOWN, _LONGEST_KNOWN = 500, 20_000
_MOST_NAMES = 5_000
_SHOWN = 200  # of an unreadable entry
_NAME = None  # the key of what is itself a member's name
_NO_ID = "private"
_END = re.compile("</private>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class Redactor:
    """Redacts one record after another; remembers recent texts."""

    def __init__(self, erase: Erase | None = None) -> None:
        """Erase purged text too, where anything was ever purged."""
        self._erase = erase
        self._cache: dict[str, str] = {}
        self._name_cache: dict[str, str] = {}

    def redact_text(self, text: str) -> str:
        """Return a text without private spans, secrets and surrogates."""
        known = self._cache.get(text)
        if known is None:
            known = _without_secrets(_without_private(replace_surrogates(text)))
            known = self._erase(known) if self._erase else known
            if len(self._cache) >= _MOST_KNOWN:
                self._cache.clear()
            if len(text) <= _LONGEST_KNOWN:
                self._cache[text] = known
        return known

    def redact_turn(self, turn: Turn) -> Turn:
        """Redact everything that a turn says."""
        return replace(
            turn,
            id=self.redact_id(turn.id),
            session=self.redact_id(turn.session) if turn.session else "",
            text=self.redact_text(turn.text),
            speaker=self.redact_text(turn.speaker),
            role=self.redact_text(turn.role),
            deeds=self._redact_texts(turn.deeds),
        )

    def redact_id(self, id_: str) -> str:
        """Redact the id of a turn, session or conversation; a wholly private one is replaced."""
        if _PLAIN.fullmatch(id_) or _PLAIN_ID.fullmatch(id_):
            return id_
        redacted = self.redact_text(id_)
        return redacted if redacted.strip() or redacted == id_ else _NO_ID

    def redact_fact(self, fact: Fact) -> Fact:
        """Redact a fact."""
        return replace(
            fact,
            text=self.redact_text(fact.text),
            speaker=self.redact_text(fact.speaker),
            about=self._redact_texts(fact.about),
        )

    def redact_trajectory(self, run: Trajectory) -> Trajectory:
        """Redact a topic."""
        return replace(run, summary=self.redact_text(run.summary), keywords=self._redact_texts(run.keywords))

    def redact_head(self, conversation: Conversation) -> Conversation:
        """Redact the head of a conversation, its id included."""
        title, project, speakers = (
            self._redact_title(conversation),
            self.redact_text(conversation.project),
            self._redact_texts(conversation.speakers),
        )
        return replace(
            conversation,
            id=self.redact_id(conversation.id),
            title=title,
            project=project,
            speakers=speakers,
            opening="",
        )

    def _redact_title(self, conversation: Conversation) -> str:
        """Redact a title; cut it anew where it held purged text, which is known by whole sentences only."""
        title = conversation.title
        if self._erase and conversation.opening:
            clean = _without_secrets(strip_private(replace_surrogates(conversation.opening)))
            line = first_line(self._erase(clean))
            title = title if line == first_line(clean) else line
        return self.redact_text(title).strip()

    def redact_unreadable(self, bad: UnreadableEntry) -> UnreadableEntry:
        """Redact an unreadable entry, with escaped characters decoded."""
        spelled = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), bad.text).replace("\\/", "/")
        return replace(bad, text=self.redact_text(spelled)[:_SHOWN], where=self.redact_text(bad.where))

    def redact_record(self, record: Mapping[str, object]) -> Mapping[str, object]:
        """Redact every text and name in a record; return the same object where nothing changes."""
        if self._erase is None and self._is_clean(_iter_leaves(record)):
            return record
        return _RecordRedactor(self).redact_members(record)

    def redact_name(self, name: str) -> str:
        """Redact the name of a member."""
        known = self._name_cache.get(name)
        if known is None:
            known = self.redact_text(name)
            if len(self._name_cache) >= _MOST_NAMES:
                self._name_cache.clear()
            self._name_cache[name] = known
        return known

    def _is_clean(self, leaves: Iterable[tuple[str | None, str]]) -> bool:
        short = []
        for key, text in leaves:
            if key is _NAME:
                if self.redact_name(text) != text:
                    return False
            elif len(text) > _LONG:
                if self.redact_text(text) != text:
                    return False
            elif key not in _STRUCTURE and not _PLAIN.fullmatch(text):
                short.append(f"{key}: {text}")
        page = "\n".join(short)
        return replace_surrogates(page) == page and "private>" not in page.lower() and not find_secrets(page)

    def _redact_texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.redact_text(text) for text in texts)


class _RecordRedactor:
    """One record, rebuilt without what may not be kept."""

    def __init__(self, cleaning: Redactor) -> None:
        self._cleaning = cleaning
        self._open_key = ""  # the name of the texts in which a private span is still open

    def redact_members(self, record: Mapping[str, object]) -> dict[str, object]:
        """Redact all members; two names that become one are kept apart."""
        members: dict[str, object] = {}
        for key, value in record.items():
            name, number = self._cleaning.redact_name(str(key)), 1
            while name in members:
                number += 1
                name = f"{self._cleaning.redact_name(str(key))}~{number}"
            members[name] = self._redact_value(value, str(key))
        return members

    def _redact_value(self, value: object, key: str) -> object:
        match value:
            case str():
                return value if _is_picture(key, value) else self._redact_keyed(self._outside_private(value, key), key)
            case list():
                return [self._redact_value(one, key) for one in value]
            case dict():
                return self.redact_members(value)
            case int() if abs(value) >= _LEAST_NUMBER:
                redacted = self._redact_keyed(str(value), key)
                return value if redacted == str(value) else redacted
            case _:
                return value

    def _outside_private(self, text: str, key: str) -> str:
        """Return a text outside of a private span that began in an earlier text of the same name."""
        if self._open_key and self._open_key == key:
            if not _END.search(text):
                return ""
            self._open_key = ""
        if has_unclosed_private(text):
            self._open_key = key
        return text

    def _redact_keyed(self, text: str, key: str) -> str:
        """Redact a text by itself, and as the value of its key: many a secret is one only by its name."""
        clean = self._cleaning.redact_text(text)
        if clean != text or len(text) > _LONG:
            return clean
        lead = f"{key}: "
        return redact_secrets(lead + text).removeprefix(lead)


def _is_picture(key: str, text: str) -> bool:
    return key in ("data", "base64") and text.startswith(_PICTURES) and _PICTURE.fullmatch(text) is not None


def _iter_leaves(value: object, key: str = "") -> Iterator[tuple[str | None, str]]:
    match value:
        case str():
            if not _is_picture(key, value):
                yield key, value
        case list():
            for one in value:
                yield from _iter_leaves(one, key)
        case Mapping():
            for name, one in value.items():
                yield _NAME, str(name)
                yield from _iter_leaves(one, str(name))
        case int() if abs(value) >= _LEAST_NUMBER:
            yield key, str(value)
        case _:
            return


def _without_private(text: str) -> str:
    """Return a text without private spans, nor the end of one that began elsewhere."""
    text = strip_private(text)
    return _END.split(text)[-1] if "<" in text else text


def _without_secrets(text: str) -> str:
    return redact_secrets(text) if len(text) <= _WINDOW else "".join(_redact_windows(text))


def _redact_windows(text: str) -> Iterator[str]:
    """Redact a long text window by window, overlapping, so that a secret on the border is seen whole."""
    done = 0
    for start in range(0, len(text), _WINDOW):
        for leak in find_secrets(text[start : start + _WINDOW + _OVERLAP]):
            begin, end = max(start + leak.start, done), start + leak.end
            if begin < min(end, start + _WINDOW):
                yield f"{text[done:begin]}[redacted: {leak.sort}]"
                done = end
    yield text[done:]


# The title of a conversation without one: the first line of what was said, cut to fit.

OPENING = 20_000
"""So much of what a title is cut from goes with it until it is cleaned: a sentence is only known as a whole."""
_LONGEST_TITLE = 80
_TITLE_LOOKED_AT = 1_000  # searched for secrets before it is cut, which may hide what they were


def make_title(text: str) -> str:
    """Return the title that a text gives; empty where it has none."""
    return first_line(redact_secrets(strip_private(text[:_TITLE_LOOKED_AT])))


def first_line(text: str) -> str:
    """Return the first line with text, cut to the length of a title."""
    line = next(filter(None, (part.strip() for part in text.splitlines())), "")
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1].rstrip()}…"
