"""Read transcripts of Claude Code: growing JSON Lines, which differ from version to version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats.injected import typed_text, without_our_blocks
from memvault.transcripts.formats.lines import (
    ID_LENGTH,
    MOST_CALLS,
    OpenAnswer,
    ParsedMessage,
    content_id,
    decode_line,
    parse_message,
    split_lines,
)
from memvault.transcripts.model.record import (
    Raw,
    ReadPosition,
    ReadStart,
    SeenSet,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    get_text,
    parse_moment,
)
from memvault.transcripts.model.redact import OPENING, make_title

NAME = "claude-code"
SPEAKERS = ("user", "assistant")
_MOST_HELD = 1_000  # lines without a session id
_MOST_SITTINGS = 8

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LINE = re.compile(rb'"(?:sessionId|leafUuid|messageId)"\s*:')
_API_ERROR = re.compile(r"API Error(?:: \d{3}\b| \()")  # as older versions wrote it, without a flag
_KIND = re.compile(rb'"type"\s*:\s*"[a-z-]+"')
# Title lines, the best first; a later line of one kind replaces an earlier one.
_TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
_PROMPT = len(_TITLES)  # the rank of a title that is only the beginning of the first prompt
_OVER = ("end_turn", "stop_sequence", "max_tokens", "refusal")
# Lines of a model or a program in a person's place.
_GENERATED_FLAGS = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


# What the client writes for itself: its prompts to the model, and what it sent. Nobody said any of it.
_CLIENT_KINDS = ("attachment", "prompt_snapshot", "skill_listing", "tools-used", "file-history-snapshot", "cost-state")
_CLIENT_PREFIX = "api-request"
_LONG_ENTRY = 4_000  # characters of an entry without a message, of a kind that is not known


def _is_client_prompt(entry: Raw) -> bool:
    """Return whether an entry is the client's own: what it tells the model of itself."""
    kind = get_text(entry, "type")
    if kind in _CLIENT_KINDS or kind.startswith(_CLIENT_PREFIX):
        return True
    if kind in SPEAKERS or any(kind == known for known, _ in _TITLES):
        return entry.get("isMeta") is True and not entry.get("toolUseResult")
    return "message" not in entry and len(str(entry)) > _LONG_ENTRY


def is_claude_code(first: bytes) -> bool:
    """Return whether one of a file's first lines is a line of such a transcript."""
    found = [part.strip() for part in first.split(b"\n") if part.strip()]
    if any(_LINE.search(part) and _KIND.search(part) for part in found if part[:1] == b"{" and part[-1:] not in b",]"):
        return True  # after a comma or bracket, it is a list item of another format
    return bool(found) and found[0].startswith(b"{") and bool(_LINE.search(first) and _KIND.search(first))


def matches_file_name(name: str) -> bool:
    """Return whether a file is named after a session."""
    return name.endswith(".jsonl") and _UUID.fullmatch(name.removesuffix(".jsonl")) is not None


def is_transcript(path: str) -> bool:
    """Return whether a file below the projects' folder is a conversation with a person, not among agents."""
    parts = path.replace("\\", "/").split("/")
    return parts[-1].endswith(".jsonl") and not parts[-1].startswith("agent-") and "subagents" not in parts


def read_claude_code(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield the records of a transcript: lines are kept but for the client's own prompts, and messages become turns."""
    if start.head:
        yield start.head
    session = _ClaudeSession(start)
    for entry, to in order_lines(_decode_lines(chunks, start)):
        yield from session.read_entry(entry, to)
    yield from session.close_session()


def _decode_lines(chunks: Iterable[bytes], start: ReadStart) -> Iterator[OrderedLine]:
    for line in split_lines(chunks, at=start.at):
        entry = decode_line(line, f"byte {line.at:,}" if start.at else f"line {line.number}")
        is_unfinished = isinstance(entry, UnreadableEntry) and entry.unfinished
        yield OrderedLine(entry, line.at, line.at if is_unfinished else line.to)


class _ClaudeSession:
    """The state of reading a transcript."""

    def __init__(self, start: ReadStart) -> None:
        self._start = start
        self._emitted_head = start.head
        name = start.name if _UUID.fullmatch(start.name) else ""
        self._head = start.head or Conversation(id=name, source=NAME, speakers=SPEAKERS)
        self._rank = _PROMPT if self._head.title else _PROMPT + 1
        self._held_entries: list[TranscriptEntry | UnreadableEntry] = []  # held until the session is known
        self._open_answers: dict[str, OpenAnswer] = {}  # by session: lines of several may be interleaved
        self._seen_ids = SeenSet()
        self._read_end = start.at

    def read_entry(self, entry: OrderedLine, to: int) -> Iterator[TranscriptRecord]:
        """Yield the records of one line, and how far all is read."""
        if isinstance(entry.content, UnreadableEntry):
            self._held_entries.append(entry.content)
        else:
            if not self._head.id:
                self._set_id(get_text(entry.content, "sessionId"))
            if not self._head.project and (folder := get_text(entry.content, "cwd")):
                self._head = replace(self._head, project=folder)
            for rank, (kind, member) in enumerate(_TITLES):
                if entry.content.get("type") == kind:
                    self._set_title(rank, get_text(entry.content, member, "title"))
            self._held_entries += self._read_known(entry.content, entry.at)
        self._read_end = to
        if not self._head.id and len(self._held_entries) > _MOST_HELD:
            self._set_id(self._start.name or NAME)
        yield from self._release_held()

    def close_session(self) -> Iterator[TranscriptRecord]:
        """Yield the open turns at the end; one that still goes on is read when it is over."""
        for session, one in tuple(self._open_answers.items()):
            if self._start.closed or one.is_over:
                self._held_entries += self._finish_answer(session)
        if any(isinstance(one, TranscriptEntry) for one in self._held_entries):
            self._set_id(self._head.id or self._start.name or NAME)
        yield from self._release_held()
        yield from self._held_entries
        yield self._read_position()

    def _release_held(self) -> Iterator[TranscriptRecord]:
        if not self._head.id or (
            self._emitted_head is None and all(isinstance(one, UnreadableEntry) for one in self._held_entries)
        ):
            return
        if self._head != self._emitted_head:
            yield self._head
            self._emitted_head = self._head
        yield from self._held_entries
        self._held_entries = []
        yield self._read_position()

    def _read_known(self, entry: Raw, at: int) -> Iterator[TranscriptEntry]:
        uuid = get_text(entry, "uuid")
        message = self._spoken_message(entry) if not (uuid and self._seen_ids.add(uuid)) else None
        if message is None:
            if not _is_client_prompt(entry):
                yield TranscriptEntry(raw=entry)
        elif entry["type"] == "user":
            yield from self._finish_answer(get_text(entry, "sessionId"))
            yield TranscriptEntry(turn=self._make_turn(entry, message, "user", at), raw=entry)
        else:
            yield from self._continue_answer(entry, message, at)
            yield TranscriptEntry(raw=entry)

    def _read_position(self) -> ReadPosition:
        return ReadPosition(
            min(self._read_end, *(one.at for one in self._open_answers.values()))
            if self._open_answers
            else self._read_end
        )

    # -- turns

    def _spoken_message(self, entry: Raw) -> ParsedMessage | None:
        """Return what a line says or does; None where nobody speaks in it."""
        holder = entry.get("message")
        if entry.get("type") not in SPEAKERS or not isinstance(holder, Mapping) or _is_generated(entry, holder):
            return None
        found = parse_message(holder.get("content"), folder=get_text(entry, "cwd"))
        if entry["type"] == "user":
            message = replace(found, text=typed_text(found.text, self._start.marks))
            return message if message.text and not found.has_result else None
        message = replace(found, text=without_our_blocks(found.text, self._start.marks))
        return message if (message.text or message.deeds) and not _API_ERROR.match(message.text) else None

    def _continue_answer(self, entry: Raw, said: ParsedMessage, at: int) -> Iterator[TranscriptEntry]:
        """Continue the open turn, or begin another: a turn is the words of one message, and the tool calls after it."""
        session, message = get_text(entry, "sessionId"), cast("Raw", entry["message"])
        name = get_text(message, "id")
        one = self._open_answers.get(session)
        if one is None or not (name in one.messages or not said.text or not one.texts):
            yield from self._finish_answer(session)
            one = self._open_answers[session] = OpenAnswer(self._make_turn(entry, said, "assistant", at), at)
        one.add(said.text, said.deeds, at)
        if name:
            one.messages.add(name)
        one.is_over = message.get("stop_reason") in _OVER
        if len(self._open_answers) > _MOST_SITTINGS:
            yield from self._finish_answer(next(iter(self._open_answers)))

    def _finish_answer(self, session: str) -> Iterator[TranscriptEntry]:
        one = self._open_answers.pop(session, None)
        if one:
            yield TranscriptEntry(turn=one.make_turn())

    def _make_turn(self, entry: Raw, message: ParsedMessage, role: str, at: int) -> Turn:
        if role == "user":
            self._set_title(_PROMPT, message.text)
        session, stamp = get_text(entry, "sessionId"), get_text(entry, "timestamp")
        return Turn(
            id=get_text(entry, "uuid") or content_id([role, session, stamp or f"b{at}", message.text])[:ID_LENGTH],
            speaker=role,
            role=role,
            text=message.text,
            time=parse_moment(entry.get("timestamp"), self._start.zone),
            session=session,
            deeds=tuple(dict.fromkeys(message.deeds))[:MOST_CALLS],
        )

    # -- head

    def _set_id(self, name: str) -> None:
        self._head = replace(self._head, id=name)

    def _set_title(self, rank: int, text: str) -> None:
        if not (rank < self._rank or rank == self._rank < _PROMPT):
            return
        if title := make_title(text):
            self._head, self._rank = replace(self._head, title=title, opening=text[:OPENING]), rank


def _is_generated(entry: Raw, holder: Raw) -> bool:
    """Return whether a program, a model's summary or a subagent made the line."""
    origin = entry.get("origin")
    is_program = isinstance(origin, Mapping) and origin.get("kind") not in (None, "human")
    is_result = "toolUseResult" in entry or "sourceToolAssistantUUID" in entry
    return is_program or is_result or holder.get("model") == "<synthetic>" or any(map(entry.get, _GENERATED_FLAGS))


# Lines that are a little out of order.

_MOST_COMPARED = 64  # lines
_ROOM = 4 * 1024 * 1024  # and no more bytes than these


@dataclass(frozen=True, slots=True)
class OrderedLine:
    """One line: its content or why it is unreadable, where it begins, and where it ends."""

    content: Raw | UnreadableEntry
    at: int
    to: int


@dataclass(frozen=True, slots=True)
class _WaitingLine:
    """A line that another may still come before."""

    entry: OrderedLine
    when: str
    uuid: str
    parent: str


def order_lines(entries: Iterable[OrderedLine]) -> Iterator[tuple[OrderedLine, int]]:
    """Yield every line, the earlier first and none before its parent, with how far all is read."""
    waiting: list[_WaitingLine] = []
    size, to, when = 0, 0, ""
    for entry in entries:
        one = _make_waiting(entry, when)
        when, to = one.when, entry.to
        size += entry.to - entry.at
        place = len(waiting)
        while place and _is_before(one, waiting[place - 1]):
            place -= 1
        waiting.insert(place, one)
        while len(waiting) > _MOST_COMPARED or (size > _ROOM and waiting):
            first = waiting.pop(0).entry
            size -= first.to - first.at
            yield first, _position_before(waiting, to)
    while waiting:
        first = waiting.pop(0).entry
        yield first, _position_before(waiting, to)


def _make_waiting(entry: OrderedLine, before: str) -> _WaitingLine:
    if isinstance(entry.content, UnreadableEntry):
        return _WaitingLine(entry, before, "", "")
    when = entry.content.get("timestamp")
    # UTC, as written; the Z is cut off, for it follows fractions too.
    is_told = isinstance(when, str) and when.endswith("Z") and when[10:11] == "T"
    time = str(when).removesuffix("Z") if is_told else before
    return _WaitingLine(entry, time, get_text(entry.content, "uuid"), get_text(entry.content, "parentUuid"))


def _is_before(one: _WaitingLine, other: _WaitingLine) -> bool:
    if other.uuid and other.uuid == one.parent:
        return False
    if one.uuid and one.uuid == other.parent:
        return True
    return bool(other.when) and one.when < other.when


def _position_before(waiting: list[_WaitingLine], to: int) -> int:
    return min((one.entry.at for one in waiting), default=to)
