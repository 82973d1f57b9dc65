"""What may be kept of a conversation: everything but private spans and secrets, in raw lines as in turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from memvault.core.secrets.erase import Erase
from memvault.core.secrets.private_spans import is_unclosed, without_private
from memvault.core.secrets.scan import found, redacted
from memvault.transcripts.model.record import Bad
from memvault.transcripts.model.summary import first_line
from memvault.transcripts.model.turn import Fact, Talk, Trajectory, Turn

# Letters that can be written down: halves of one, as a cut string has them, are replaced.

_HALF = re.compile("[\ud800-\udfff]")


def written(text: str) -> str:
    """The text with a mark in the place of every half of a letter, which no encoding carries."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def all_written(value: object) -> object:
    """The same for every text and every name in a value of any shape."""
    match value:
        case str():
            return written(value)
        case list():
            return [all_written(one) for one in value]
        case dict():
            return {written(name): all_written(one) for name, one in value.items()}
        case _:
            return value


# Ids, times, and pictures as text hold nothing that could be told from a secret, and are most of a transcript.
_PLAIN = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,20}Z?|(?:msg|req|toolu)_[A-Za-z0-9]{6,40}"
)
_PLAIN_ID = re.compile(r"[\w:.-]{1,12}|\d{1,20}", re.ASCII)
_STRUCTURE = frozenset({"type", "subtype", "role", "version", "userType", "model", "stop_reason", "service_tier"})
_PICTURES = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0")  # as PNG, JPEG, GIF, WebP and PDF begin
_PICTURE = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_LONG = 200  # looked through by itself; what is shorter together with others
_WINDOW, _OVERLAP = 256 * 1024, 16 * 1024
_LEAST_NUMBER = 10**11
_MOST_KNOWN, _LONGEST_KNOWN = 500, 20_000
_MOST_NAMES = 5_000
_SHOWN = 200  # of what could not be read
_NAME = None  # the key of what is itself the name of a member
_NO_ID = "private"
_END = re.compile("</private>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class Cleaning:
    """Cleans one record after another; a text that comes again soon is not looked through twice."""

    def __init__(self, erase: Erase | None = None) -> None:
        """What was forgotten for good is erased too, where anything ever was."""
        self._erase = erase
        self._known: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def text(self, text: str) -> str:
        """A text without private spans, secrets and halves of letters."""
        known = self._known.get(text)
        if known is None:
            known = _without_secrets(_public(written(text)))
            known = self._erase(known) if self._erase else known
            if len(text) <= _LONGEST_KNOWN:
                self._remember(text, known)
        return known

    def turn(self, turn: Turn) -> Turn:
        """The same for all that a turn says."""
        return replace(
            turn,
            id=self.id(turn.id),
            session=self.id(turn.session) if turn.session else "",
            text=self.text(turn.text),
            speaker=self.text(turn.speaker),
            role=self.text(turn.role),
            deeds=self._all(turn.deeds),
        )

    def id(self, id_: str) -> str:
        """The same for the id of a turn, a sitting or a conversation; one that was wholly private has another."""
        if _PLAIN.fullmatch(id_) or _PLAIN_ID.fullmatch(id_):
            return id_
        told = self.text(id_)
        return told if told.strip() or told == id_ else _NO_ID

    def fact(self, fact: Fact) -> Fact:
        """The same for a fact."""
        return replace(fact, text=self.text(fact.text), speaker=self.text(fact.speaker), about=self._all(fact.about))

    def trajectory(self, run: Trajectory) -> Trajectory:
        """The same for a topic."""
        return replace(run, summary=self.text(run.summary), keywords=self._all(run.keywords))

    def head(self, talk: Talk) -> Talk:
        """The same for what is known of a conversation, its id included."""
        title, project, speakers = self._title(talk), self.text(talk.project), self._all(talk.speakers)
        return replace(talk, id=self.id(talk.id), title=title, project=project, speakers=speakers, opening="")

    def _title(self, talk: Talk) -> str:
        """The title; cut anew where it told of what was forgotten, which is known by whole sentences alone."""
        title = talk.title
        if self._erase and talk.opening:
            clean = _without_secrets(without_private(written(talk.opening)))
            left = first_line(self._erase(clean))
            title = title if left == first_line(clean) else left
        return self.text(title).strip()

    def bad(self, bad: Bad) -> Bad:
        """The same for what could not be read: letters that are spelled out are seen as what they are."""
        spelled = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), bad.text).replace("\\/", "/")
        return replace(bad, text=self.text(spelled)[:_SHOWN], where=self.text(bad.where))

    def record(self, record: Mapping[str, object]) -> Mapping[str, object]:
        """The same for every text and name in a record, its own object where there is nothing to take out."""
        if self._erase is None and self._is_clean(_leaves(record)):
            return record
        return _Rebuilding(self).members(record)

    def name(self, name: str) -> str:
        """The same for the name of a member."""
        known = self._names.get(name)
        if known is None:
            known = self.text(name)
            if len(self._names) >= _MOST_NAMES:
                self._names.clear()
            self._names[name] = known
        return known

    def _is_clean(self, leaves: Iterable[tuple[str | None, str]]) -> bool:
        short = []
        for key, text in leaves:
            if key is _NAME:
                if self.name(text) != text:
                    return False
            elif len(text) > _LONG:
                if self.text(text) != text:
                    return False
            elif not _is_plain(key, text):
                short.append(f"{key}: {text}")
        page = "\n".join(short)
        return written(page) == page and "private>" not in page.lower() and not found(page)

    def _all(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.text(text) for text in texts)

    def _remember(self, text: str, clean: str) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[text] = clean


class _Rebuilding:
    """One record, made anew without what may not be kept."""

    def __init__(self, cleaning: Cleaning) -> None:
        self._cleaning = cleaning
        self._open = ""  # the name of the texts in which a private span began that did not end yet

    def members(self, record: Mapping[str, object]) -> dict[str, object]:
        """All members, under their names; two that become one are told apart."""
        made: dict[str, object] = {}
        for key, value in record.items():
            name, number = self._cleaning.name(str(key)), 1
            while name in made:
                number += 1
                name = f"{self._cleaning.name(str(key))}~{number}"
            made[name] = self._value(value, str(key))
        return made

    def _value(self, value: object, key: str) -> object:
        match value:
            case str():
                return value if _is_picture(key, value) else self._told(self._outside(value, key), key)
            case list():
                return [self._value(one, key) for one in value]
            case dict():
                return self.members(value)
            case int() if abs(value) >= _LEAST_NUMBER:
                told = self._told(str(value), key)
                return value if told == str(value) else told
            case _:
                return value

    def _outside(self, text: str, key: str) -> str:
        """What a text has outside of a private span that began in one before it, of the same name."""
        if self._open and self._open == key:
            if not _END.search(text):
                return ""
            self._open = ""
        if is_unclosed(text):
            self._open = key
        return text

    def _told(self, text: str, key: str) -> str:
        """A text by itself, and as the value of its key: many a secret is one only by its name."""
        clean = self._cleaning.text(text)
        if clean != text or len(text) > _LONG:
            return clean
        lead = f"{key}: "
        return redacted(lead + text).removeprefix(lead)


def _is_plain(key: str | None, text: str) -> bool:
    return key in _STRUCTURE or _PLAIN.fullmatch(text) is not None


def _is_picture(key: str, text: str) -> bool:
    return key in ("data", "base64") and text.startswith(_PICTURES) and _PICTURE.fullmatch(text) is not None


def _leaves(value: object, key: str = "") -> Iterator[tuple[str | None, str]]:
    match value:
        case str():
            if not _is_picture(key, value):
                yield key, value
        case list():
            for one in value:
                yield from _leaves(one, key)
        case Mapping():
            for name, one in value.items():
                yield _NAME, str(name)
                yield from _leaves(one, str(name))
        case int() if abs(value) >= _LEAST_NUMBER:
            yield key, str(value)
        case _:
            return


def _public(text: str) -> str:
    """A text without its private spans, also without what belongs to one that ends in it and began elsewhere."""
    text = without_private(text)
    return _END.split(text)[-1] if "<" in text else text


def _without_secrets(text: str) -> str:
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
