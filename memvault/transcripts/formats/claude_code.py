"""Transcripts of Claude Code: JSON Lines that grow, whose kinds differ from version to version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from memvault.transcripts.formats.injected import spoken, typed
from memvault.transcripts.formats.lines import MOST_DEEDS, Line, Message, lines, message, told
from memvault.transcripts.formats.ordering import Entry, content_id, ordered
from memvault.transcripts.model.record import LONGEST, Bad, Kept, Raw, ReadTo, Record, Seen, Start, moment, text_of
from memvault.transcripts.model.summary import OPENING, title_of
from memvault.transcripts.model.turn import Talk, Turn

NAME = "claude-code"
SPEAKERS = ("user", "assistant")
_NAME_LENGTH = 16
_MOST_HELD = 1_000  # lines that do not say whose they are
_MOST_SITTINGS = 8

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LINE = re.compile(rb'"(?:sessionId|leafUuid|messageId)"\s*:')
_API_ERROR = re.compile(r"API Error(?:: \d{3}\b| \()")  # as older versions wrote it, without a mark
_KIND = re.compile(rb'"type"\s*:\s*"[a-z-]+"')
# Where a title stands, from the best; a later line of one sort replaces an earlier one.
_TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
_PROMPT = len(_TITLES)  # the rank of a title that is only the beginning of the first prompt
_OVER = ("end_turn", "stop_sequence", "max_tokens", "refusal")
# A model's or a program's words in a person's place.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def knows(first: bytes) -> bool:
    """Whether one of a file's first lines is a line of such a transcript."""
    found = [part.strip() for part in first.split(b"\n") if part.strip()]
    if any(_LINE.search(part) and _KIND.search(part) for part in found if part[:1] == b"{" and part[-1:] not in b",]"):
        return True  # behind a comma or bracket, it is an item of a list in some other format
    return bool(found) and found[0].startswith(b"{") and bool(_LINE.search(first) and _KIND.search(first))


def is_named_so(name: str) -> bool:
    """Whether a file has the name of such a transcript: that of its session."""
    return name.endswith(".jsonl") and _UUID.fullmatch(name.removesuffix(".jsonl")) is not None


def is_transcript(path: str) -> bool:
    """Whether a file below the projects' folder is a talk with a person, and not one among agents."""
    parts = path.replace("\\", "/").split("/")
    return parts[-1].endswith(".jsonl") and not parts[-1].startswith("agent-") and "subagents" not in parts


def read(chunks: Iterable[bytes], start: Start) -> Iterator[Record]:
    """The talk in a transcript: every line is kept, and what was said becomes turns."""
    if start.head:
        yield start.head
    session = _Session(start)
    for entry, to in ordered(_entry(line, start) for line in lines(chunks, at=start.at)):
        yield from session.take(entry, to)
    yield from session.close()


def _entry(line: Line, start: Start) -> Entry:
    entry = told(line, f"line {line.number}" if not start.at else f"byte {line.at:,}")
    return Entry(entry, line.at, line.at if isinstance(entry, Bad) and entry.unfinished else line.to)


@dataclass(slots=True)
class _Answer:
    """A turn of the assistant that may still go on."""

    turn: Turn  # as it began
    at: int  # where its first line begins: reading goes on from here while it is open
    texts: list[str] = field(default_factory=list)
    size: int = 0
    deeds: dict[str, None] = field(default_factory=dict)  # each once
    messages: set[str] = field(default_factory=set)
    is_over: bool = False

    def add(self, said: Message, at: int) -> None:
        """More was said and done."""
        self.at = min(self.at, at)
        if said.text and self.size + len(said.text) <= LONGEST:
            self.texts.append(said.text)
            self.size += len(said.text)
        for deed in said.deeds:
            if len(self.deeds) < MOST_DEEDS:
                self.deeds.setdefault(deed)

    def whole(self) -> Turn:
        """The turn as it is now."""
        return replace(self.turn, text="\n\n".join(self.texts), deeds=tuple(self.deeds))


class _Session:
    """What is known at some line of a transcript."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._told = start.head
        name = start.name if _UUID.fullmatch(start.name) else ""
        self._head = start.head or Talk(id=name, source=NAME, speakers=SPEAKERS)
        self._rank = _PROMPT if self._head.title else _PROMPT + 1
        self._held: list[Kept | Bad] = []  # what comes before it is known whose it is
        self._open: dict[str, _Answer] = {}  # by sitting: lines of several may be interleaved
        self._seen = Seen()
        self._to = start.at

    def take(self, entry: Entry, to: int) -> Iterator[Record]:
        """What one line gives, and that all before a byte is given."""
        if isinstance(entry.told, Bad):
            self._held.append(entry.told)
        else:
            self._learn(entry.told)
            self._held += self._given(entry.told, entry.at)
        self._to = to
        if not self._head.id and len(self._held) > _MOST_HELD:
            self._name(self._start.name or NAME)
        yield from self._let_go()

    def close(self) -> Iterator[Record]:
        """The turns that were open at the end; one that is still being given is read when it is over."""
        for session, one in tuple(self._open.items()):
            if self._start.closed or one.is_over:
                self._held += self._finished(session)
        if any(isinstance(one, Kept) for one in self._held):
            self._name(self._head.id or self._start.name or NAME)
        yield from self._let_go()
        yield from self._held
        yield self._read_to()

    def _let_go(self) -> Iterator[Record]:
        if not self._head.id or (self._told is None and all(isinstance(one, Bad) for one in self._held)):
            return
        if self._head != self._told:
            yield self._head
            self._told = self._head
        yield from self._held
        self._held = []
        yield self._read_to()

    def _given(self, entry: Raw, at: int) -> Iterator[Kept]:
        uuid = text_of(entry, "uuid")
        said = self._said(entry) if not (uuid and self._seen.add(uuid)) else None
        if said is None:
            yield Kept(raw=entry)
        elif entry["type"] == "user":
            yield from self._finished(text_of(entry, "sessionId"))
            yield Kept(turn=self._turn(entry, said, "user", at), raw=entry)
        else:
            yield from self._answered(entry, said, at)
            yield Kept(raw=entry)

    def _read_to(self) -> ReadTo:
        return ReadTo(min(self._to, *(one.at for one in self._open.values())) if self._open else self._to)

    # -- turns

    def _said(self, entry: Raw) -> Message | None:
        """What a line says or does; None where nobody speaks in it."""
        holder = entry.get("message")
        if entry.get("type") not in SPEAKERS or not isinstance(holder, Mapping) or _is_made(entry, holder):
            return None
        found = message(holder.get("content"), folder=text_of(entry, "cwd"))
        if entry["type"] == "user":
            said = replace(found, text=typed(found.text, self._start.marks))
            return said if said.text and not found.has_result else None
        said = replace(found, text=spoken(found.text, self._start.marks))
        return said if (said.text or said.deeds) and not _API_ERROR.match(said.text) else None

    def _answered(self, entry: Raw, said: Message, at: int) -> Iterator[Kept]:
        """The open turn goes on, or another begins: a turn has words of one message, and the deeds after them."""
        session, name = text_of(entry, "sessionId"), text_of(_inner(entry), "id")
        one = self._open.get(session)
        if one is None or not (name in one.messages or not said.text or not one.texts):
            yield from self._finished(session)
            one = self._open[session] = _Answer(self._turn(entry, said, "assistant", at), at)
        one.add(said, at)
        if name:
            one.messages.add(name)
        one.is_over = _inner(entry).get("stop_reason") in _OVER
        if len(self._open) > _MOST_SITTINGS:
            yield from self._finished(next(iter(self._open)))

    def _finished(self, session: str) -> Iterator[Kept]:
        one = self._open.pop(session, None)
        if one:
            yield Kept(turn=one.whole())

    def _turn(self, entry: Raw, said: Message, role: str, at: int) -> Turn:
        if role == "user":
            self._entitle(_PROMPT, said.text)
        session, stamp = text_of(entry, "sessionId"), text_of(entry, "timestamp")
        return Turn(
            id=text_of(entry, "uuid") or content_id([role, session, stamp or f"b{at}", said.text])[:_NAME_LENGTH],
            speaker=role,
            role=role,
            text=said.text,
            time=_time(entry, self._start),
            session=session,
            deeds=tuple(dict.fromkeys(said.deeds))[:MOST_DEEDS],
        )

    # -- the head

    def _learn(self, entry: Raw) -> None:
        if not self._head.id:
            self._name(text_of(entry, "sessionId"))
        if not self._head.project and (folder := text_of(entry, "cwd")):
            self._head = replace(self._head, project=folder)
        for rank, (kind, member) in enumerate(_TITLES):
            if entry.get("type") == kind:
                self._entitle(rank, text_of(entry, member, "title"))

    def _name(self, name: str) -> None:
        self._head = replace(self._head, id=name)

    def _entitle(self, rank: int, text: str) -> None:
        if not (rank < self._rank or rank == self._rank < _PROMPT):
            return
        if title := title_of(text):
            self._head, self._rank = replace(self._head, title=title, opening=text[:OPENING]), rank


def _is_made(entry: Raw, holder: Raw) -> bool:
    """Whether a program, a model's summary or an agent's helper speaks, and nobody of the two."""
    origin = entry.get("origin")
    made = isinstance(origin, Mapping) and origin.get("kind") not in (None, "human")
    is_result = "toolUseResult" in entry or "sourceToolAssistantUUID" in entry
    return made or is_result or holder.get("model") == "<synthetic>" or any(map(entry.get, _NOT_SAID))


def _inner(entry: Raw) -> Raw:
    holder = entry.get("message")
    return holder if isinstance(holder, Mapping) else {}


def _time(entry: Raw, start: Start) -> datetime | None:
    return moment(entry.get("timestamp"), start.zone)
