"""Transcripts of Claude Code: JSON Lines that grow, whose kinds differ from version to version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from memvault.core.talk import Talk, Turn
from memvault.core.talk.record import LONGEST, Bad, Kept, Raw, ReadTo, Record, Start, bad_bytes, moment, text_of
from memvault.core.talk.seen import Seen
from memvault.core.talk.sources.blocks import MOST_DEEDS, Message, message
from memvault.core.talk.sources.injected import spoken, typed
from memvault.core.talk.sources.lines import Line, decoded, lines

NAME = "claude-code"
SPEAKERS = ("user", "assistant")
LONGEST_TITLE = 80
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
    """Whether a file begins as such a transcript does."""
    line = next((part for part in first.split(b"\n") if part.strip()), b"")
    return line.lstrip().startswith(b"{") and bool(_LINE.search(first) and _KIND.search(first))


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
    for line in lines(chunks, at=start.at):
        yield from session.take(line)
    yield from session.close()


@dataclass(slots=True)
class _Answer:
    """A turn of the assistant that may still go on."""

    turn: Turn
    at: int  # where its first line begins: reading goes on from here while it is open
    messages: set[str] = field(default_factory=set)
    is_over: bool = False


class _Session:
    """What is known at some line of a transcript."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._head, self._told = start.head, start.head
        self._rank = _PROMPT if start.head and start.head.title else _PROMPT + 1
        self._open: dict[str, _Answer] = {}  # by sitting: lines of several may be interleaved
        self._seen = Seen()
        self._to = start.at

    def take(self, line: Line) -> Iterator[Record]:
        """What one line gives."""
        where = f"line {line.number}" if not self._start.at else f"byte {line.at:,}"
        bad = self._entry(line, where)
        if isinstance(bad, Bad):
            yield bad
            self._to = line.at if bad.unfinished else line.to
            return
        given = list(self._given(bad, line.at))
        yield from self._news()
        yield from given
        self._to = line.to
        yield self._read_to()

    def close(self) -> Iterator[Record]:
        """The turns that were open at the end; one that is still being given is read when it is over."""
        for session, one in tuple(self._open.items()):
            if self._start.closed or one.is_over:
                yield from self._finished(session)
        yield self._read_to()

    def _entry(self, line: Line, where: str) -> Raw | Bad:
        if line.data is None:
            return Bad(where=where, why=f"it is longer than {LONGEST // 1024 // 1024} MB")
        try:
            entry = decoded(line.data)
        except ValueError as error:
            return bad_bytes(
                where, str(error) if line.ended else "it is cut short", line.data, unfinished=not line.ended
            )
        return entry if isinstance(entry, dict) else bad_bytes(where, "it is no object", line.data)

    def _given(self, entry: Raw, at: int) -> Iterator[Record]:
        self._learn(entry)
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

    def _news(self) -> Iterator[Record]:
        if self._head and self._head != self._told:
            yield self._head
            self._told = self._head

    def _read_to(self) -> ReadTo:
        return ReadTo(min((one.at for one in self._open.values()), default=self._to))

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

    def _answered(self, entry: Raw, said: Message, at: int) -> Iterator[Record]:
        """The open turn goes on, or another begins: a turn has words of one message, and the deeds after them."""
        session, name = text_of(entry, "sessionId"), text_of(_inner(entry), "id")
        one = self._open.get(session)
        if one and (name in one.messages or not said.text or not one.turn.text):
            one.turn = _joined(one.turn, said)
        else:
            yield from self._finished(session)
            one = self._open[session] = _Answer(self._turn(entry, said, "assistant", at), at)
        if name:
            one.messages.add(name)
        one.is_over = _inner(entry).get("stop_reason") in _OVER
        if len(self._open) > _MOST_SITTINGS:
            yield from self._finished(next(iter(self._open)))

    def _finished(self, session: str) -> Iterator[Record]:
        one = self._open.pop(session, None)
        if one:
            yield Kept(turn=one.turn)

    def _turn(self, entry: Raw, said: Message, role: str, at: int) -> Turn:
        if role == "user":
            self._entitle(_PROMPT, said.text)
        return Turn(
            id=text_of(entry, "uuid") or f"b{at}",
            speaker=role,
            role=role,
            text=said.text,
            time=_time(entry, self._start),
            session=text_of(entry, "sessionId"),
            deeds=_few(said.deeds),
        )

    # -- the head

    def _learn(self, entry: Raw) -> None:
        session = text_of(entry, "sessionId")
        if self._head is None:
            name = self._start.name
            self._head = Talk(
                id=name if _UUID.fullmatch(name) else session or name or NAME, source=NAME, speakers=SPEAKERS
            )
        if not self._head.project and (folder := text_of(entry, "cwd")):
            self._head = replace(self._head, project=folder)
        for rank, (kind, member) in enumerate(_TITLES):
            if entry.get("type") == kind:
                self._entitle(rank, text_of(entry, member, "title"))

    def _entitle(self, rank: int, title: str) -> None:
        line = next(filter(None, (part.strip() for part in title.splitlines())), "")
        if line and self._head and (rank < self._rank or rank == self._rank < _PROMPT):
            cut = line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1].rstrip()}…"
            self._head, self._rank = replace(self._head, title=cut), rank


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


def _joined(turn: Turn, said: Message) -> Turn:
    text = "\n\n".join(filter(None, (turn.text, said.text)))
    return replace(turn, text=text if len(text) <= LONGEST else turn.text, deeds=_few((*turn.deeds, *said.deeds)))


def _few(deeds: tuple[str, ...]) -> tuple[str, ...]:
    """Each deed once, and no more than can be read."""
    return tuple(dict.fromkeys(deeds))[:MOST_DEEDS]
