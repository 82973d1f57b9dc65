"""Read rollouts of Codex: growing JSON Lines with the model's items among other lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from memvault.core.conversation import Conversation, Turn
from memvault.transcripts.formats.injected import typed_text, without_our_blocks
from memvault.transcripts.formats.lines import (
    ID_LENGTH,
    OpenAnswer,
    SourceLine,
    content_id,
    decode_line,
    describe_call,
    parse_message,
    split_lines,
)
from memvault.transcripts.model.record import (
    Raw,
    ReadPosition,
    ReadStart,
    TranscriptEntry,
    TranscriptRecord,
    UnreadableEntry,
    get_text,
    parse_moment,
)
from memvault.transcripts.model.redact import OPENING, make_title

NAME = "codex"
SPEAKERS = ("user", "assistant")
_KNOWN = re.compile(rb'"type"\s*:\s*"(?:session_meta|response_item|turn_context|event_msg)"')
_PAYLOAD = re.compile(rb'"payload"\s*:')
_FILE = re.compile(r"rollout-\d{4}-\d\d-\d\dT[\d-]{8}-(?P<id>[0-9a-f-]{36})(?:\.jsonl)?")
# Injected text in the user's place.
_PUT_IN = re.compile(
    r"\s*(?:<(?P<tag>environment_context|user_instructions|turn_aborted|permissions[\w ]*|skill|user_shell_command"
    r"|subagent_notification|hook_prompt|goal_context)\b|# AGENTS\.md instructions)"
)
_CALLS = frozenset({"function_call", "local_shell_call", "custom_tool_call"})
_SHELLS = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"})
_WRAPPED = re.compile(r"(?:/\S*/)?(?:ba|z|)sh -l?c ")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def is_codex(first: bytes) -> bool:
    """Return whether a file begins with a line of a rollout."""
    line = first.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return line.startswith(b"{") and bool(_KNOWN.search(line) and _PAYLOAD.search(line))


def matches_file_name(name: str) -> bool:
    """Return whether a file is named like a rollout."""
    return _FILE.fullmatch(name) is not None


_PROMPTS = frozenset(("instructions", "base_instructions", "dynamic_tools"))


def read_codex(chunks: Iterable[bytes], start: ReadStart) -> Iterator[TranscriptRecord]:
    """Yield the records of a rollout: lines are kept but for the client's own prompts, and messages become turns."""
    rollout = _Rollout(start)
    for line in split_lines(chunks, at=start.at):
        yield from rollout.read_entry(line, decode_line(line, f"line {line.number}"))
    yield from rollout.close_rollout()


class _Rollout:
    """The state of reading a rollout."""

    def __init__(self, start: ReadStart) -> None:
        self._start = start
        named = _FILE.fullmatch(start.name)
        self._head = start.head or Conversation(id=named["id"] if named else start.name, source=NAME, speakers=SPEAKERS)
        self._emitted_head: Conversation | None = None
        self._current: OpenAnswer | None = None
        self._read_end = start.at
        self._is_named = start.head is not None

    def read_entry(self, line: SourceLine, entry: Raw | UnreadableEntry) -> Iterator[TranscriptRecord]:
        """Yield the records of one line, and how far all is read."""
        if isinstance(entry, UnreadableEntry):
            self._read_end = line.at if entry.unfinished else line.to
            yield entry
            return
        self._read_head(entry)
        item = _payload_of(entry) if entry.get("type") == "response_item" else {}
        arguments = list(self._read_item(item, entry, line.at))
        self._read_end = line.to
        if self._head != self._emitted_head:
            self._emitted_head = self._head
            yield self._head
        yield from arguments
        if (kept := _without_prompts(entry)) is not None:
            yield TranscriptEntry(raw=kept)
        yield ReadPosition(self._read_end if self._current is None else self._current.at)

    def close_rollout(self) -> Iterator[TranscriptRecord]:
        """Yield the open turn at the end; one that may still go on is read when it is over."""
        if self._start.closed:
            yield from self._finish_answer()
        yield ReadPosition(self._read_end if self._current is None else self._current.at)

    def _read_item(self, item: Raw, entry: Raw, at: int) -> Iterator[TranscriptEntry]:
        role = get_text(item, "role")
        if item.get("type") == "message" and role == "user":
            # What the user typed, block by block, without injected text.
            texts = (text for text in _block_texts(item.get("content")) if not _PUT_IN.match(text))
            text = typed_text("\n\n".join(texts), self._start.marks)
            if text:
                yield from self._finish_answer()
                if not self._head.title and (title := make_title(text)):
                    self._head = replace(self._head, title=title, opening=text[:OPENING])
                yield TranscriptEntry(turn=self._make_turn(entry, role, text, at))
        elif item.get("type") == "message" and role == "assistant":
            text = without_our_blocks(parse_message(item.get("content")).text, self._start.marks)
            if text:
                self._open_answer(entry, at, text).add(text, (), at)
        elif item.get("type") in _CALLS and (done := _describe_call(item, self._head.project)):
            self._open_answer(entry, at, done).add("", (done,), at)

    def _open_answer(self, entry: Raw, at: int, data: str) -> OpenAnswer:
        if self._current is None:
            self._current = OpenAnswer(self._make_turn(entry, "assistant", data, at), at)
        return self._current

    def _finish_answer(self) -> Iterator[TranscriptEntry]:
        if self._current is not None:
            yield TranscriptEntry(turn=self._current.make_turn())
        self._current = None

    def _make_turn(self, entry: Raw, role: str, text: str, at: int) -> Turn:
        stamp = get_text(entry, "timestamp")
        return Turn(
            id=content_id([role, self._head.id, stamp or f"b{at}", text])[:ID_LENGTH],
            speaker=role,
            role=role,
            text=text,
            time=parse_moment(entry.get("timestamp"), self._start.zone),
            session=self._head.id,
        )

    # -- head

    def _read_head(self, entry: Raw) -> None:
        """Read id and folder from the first line; a fork has its parent's line after its own."""
        if entry.get("type") != "session_meta" or self._is_named:
            return
        self._is_named = True
        data = _payload_of(entry)
        self._head = replace(
            self._head, id=get_text(data, "id", "session_id") or self._head.id, project=get_text(data, "cwd")
        )


def _block_texts(content: object) -> list[str]:
    blocks = content if isinstance(content, list) else [{"type": "input_text", "text": content}]
    return list(filter(None, (parse_message([block]).text for block in blocks)))


def _without_prompts(entry: Raw) -> Raw | None:
    """Return an entry without the client's own prompts to the model; None where it holds nothing else."""
    payload = _payload_of(entry)
    role = get_text(payload, "role")
    if entry.get("type") == "turn_context" or role in ("developer", "system"):
        return None
    if role == "user" and all(_PUT_IN.match(block) for block in _block_texts(payload.get("content"))):
        return None
    if entry.get("type") != "session_meta" or not payload.keys() & _PROMPTS:
        return entry
    return {**entry, "payload": {name: value for name, value in payload.items() if name not in _PROMPTS}}


def _payload_of(entry: Raw) -> Raw:
    payload = entry.get("payload")
    return payload if isinstance(payload, Mapping) else {}


def _describe_call(item: Raw, folder: str) -> str:
    """Describe a tool call: a command without the shell around it, or the patched file."""
    name = get_text(item, "name") or "shell"
    arguments = _parse_arguments(item)
    command = arguments.get("command") or arguments.get("cmd") or arguments.get("input")
    line = " ".join(map(str, command)) if isinstance(command, list) else str(command or "")
    if patched := _PATCHED.search(line):
        return describe_call({"name": "Edit", "input": {"path": patched[1]}}, folder)
    if name in _SHELLS:
        return describe_call({"name": "Bash", "input": {"command": _WRAPPED.sub("", line, count=1)}}, folder)
    return "" if name == "update_plan" else describe_call({"name": name, "input": arguments}, folder)


def _parse_arguments(item: Raw) -> Raw:
    action = item.get("action")
    if isinstance(action, Mapping):
        return action
    data = item.get("arguments") or item.get("input")
    if not isinstance(data, str):
        return {}
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {"input": data}  # a tool with plain text input, such as a patch
    return found if isinstance(found, dict) else {"input": data}
