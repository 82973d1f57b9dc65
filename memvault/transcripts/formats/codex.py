"""Rollouts of Codex: JSON Lines that grow, in which the model's items lie among much that nobody said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from memvault.transcripts.formats.injected import spoken, typed
from memvault.transcripts.formats.lines import MOST_DEEDS, Line, deed, lines, message, told
from memvault.transcripts.formats.ordering import content_id
from memvault.transcripts.model.record import Bad, Kept, Raw, ReadTo, Record, Start, moment, text_of
from memvault.transcripts.model.summary import OPENING, title_of
from memvault.transcripts.model.turn import Talk, Turn

NAME = "codex"
SPEAKERS = ("user", "assistant")
_NAME_LENGTH = 16
_KNOWN = re.compile(rb'"type"\s*:\s*"(?:session_meta|response_item|turn_context|event_msg)"')
_PAYLOAD = re.compile(rb'"payload"\s*:')
_FILE = re.compile(r"rollout-\d{4}-\d\d-\d\dT[\d-]{8}-(?P<id>[0-9a-f-]{36})(?:\.jsonl)?")
# What stands in the user's place and was typed by nobody.
_PUT_IN = re.compile(
    r"\s*(?:<(?P<tag>environment_context|user_instructions|turn_aborted|permissions[\w ]*|skill|user_shell_command"
    r"|subagent_notification|hook_prompt|goal_context)\b|# AGENTS\.md instructions)"
)
_CALLS = frozenset({"function_call", "local_shell_call", "custom_tool_call"})
_SHELLS = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"})
_WRAPPED = re.compile(r"(?:/\S*/)?(?:ba|z|)sh -l?c ")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def knows(first: bytes) -> bool:
    """Whether a file begins with a line of such a rollout."""
    line = first.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return line.startswith(b"{") and bool(_KNOWN.search(line) and _PAYLOAD.search(line))


def is_named_so(name: str) -> bool:
    """Whether a file has the name of a rollout."""
    return _FILE.fullmatch(name) is not None


def read(chunks: Iterable[bytes], start: Start) -> Iterator[Record]:
    """The talk in a rollout: every line is kept, and what was said becomes turns."""
    rollout = _Rollout(start)
    for line in lines(chunks, at=start.at):
        yield from rollout.take(line, told(line, f"line {line.number}"))
    yield from rollout.close()


@dataclass(slots=True)
class _Answer:
    """A turn of the assistant that may still go on."""

    turn: Turn  # as it began
    at: int  # where its first line begins: reading goes on from here while it is open
    texts: list[str] = field(default_factory=list)
    deeds: dict[str, None] = field(default_factory=dict)  # each once

    def whole(self) -> Turn:
        """The turn as it is now."""
        return replace(self.turn, text="\n\n".join(self.texts), deeds=tuple(self.deeds)[:MOST_DEEDS])


class _Rollout:
    """What is known at some line of a rollout."""

    def __init__(self, start: Start) -> None:
        self._start = start
        named = _FILE.fullmatch(start.name)
        self._head = start.head or Talk(id=named["id"] if named else start.name, source=NAME, speakers=SPEAKERS)
        self._told: Talk | None = None
        self._open: _Answer | None = None
        self._to = start.at
        self._is_named = start.head is not None

    def take(self, line: Line, entry: Raw | Bad) -> Iterator[Record]:
        """What one line gives, and that all before a byte is given."""
        if isinstance(entry, Bad):
            self._to = line.at if entry.unfinished else line.to
            yield entry
            return
        self._learn(entry)
        item = _inner(entry) if entry.get("type") == "response_item" else {}
        given = list(self._given(item, entry, line.at))
        self._to = line.to
        yield from self._known()
        yield from given
        yield Kept(raw=entry)
        yield ReadTo(self._to if self._open is None else self._open.at)

    def close(self) -> Iterator[Record]:
        """The turn that was open at the end; one that may still go on is read when it is over."""
        if self._start.closed:
            yield from self._finished()
        yield ReadTo(self._to if self._open is None else self._open.at)

    def _known(self) -> Iterator[Talk]:
        if self._head != self._told:
            self._told = self._head
            yield self._head

    def _given(self, item: Raw, entry: Raw, at: int) -> Iterator[Kept]:
        role = text_of(item, "role")
        if item.get("type") == "message" and role == "user":
            text = typed(_typed(item), self._start.marks)
            if text:
                yield from self._finished()
                self._entitle(text)
                yield Kept(turn=self._turn(entry, role, text, at))
        elif item.get("type") == "message" and role == "assistant":
            text = spoken(message(item.get("content")).text, self._start.marks)
            if text:
                self._answer(entry, at, text).texts.append(text)
        elif item.get("type") in _CALLS and (done := _deed(item, self._head.project)):
            self._answer(entry, at, done).deeds.setdefault(done)

    def _answer(self, entry: Raw, at: int, told: str) -> _Answer:
        if self._open is None:
            self._open = _Answer(self._turn(entry, "assistant", told, at), at)
        return self._open

    def _finished(self) -> Iterator[Kept]:
        if self._open is not None:
            yield Kept(turn=self._open.whole())
        self._open = None

    def _turn(self, entry: Raw, role: str, text: str, at: int) -> Turn:
        stamp = text_of(entry, "timestamp")
        return Turn(
            id=content_id([role, self._head.id, stamp or f"b{at}", text])[:_NAME_LENGTH],
            speaker=role,
            role=role,
            text=text,
            time=moment(entry.get("timestamp"), self._start.zone),
            session=self._head.id,
        )

    # -- the head

    def _learn(self, entry: Raw) -> None:
        """The first line says whose it is; a fork has that of its parent behind it."""
        if entry.get("type") != "session_meta" or self._is_named:
            return
        self._is_named = True
        told = _inner(entry)
        self._head = replace(
            self._head, id=text_of(told, "id", "session_id") or self._head.id, project=text_of(told, "cwd")
        )

    def _entitle(self, text: str) -> None:
        if not self._head.title and (title := title_of(text)):
            self._head = replace(self._head, title=title, opening=text[:OPENING])


def _inner(entry: Raw) -> Raw:
    payload = entry.get("payload")
    return payload if isinstance(payload, Mapping) else {}


def _typed(item: Raw) -> str:
    """What stands in the user's place, block by block, without those that nobody typed."""
    content = item.get("content")
    blocks = content if isinstance(content, list) else [{"type": "input_text", "text": content}]
    texts = (message([block]).text for block in blocks)
    return "\n\n".join(text for text in texts if text and not _PUT_IN.match(text))


def _deed(item: Raw, folder: str) -> str:
    """What was done with a tool: a command without the shell around it, or the file that was patched."""
    name = text_of(item, "name") or "shell"
    given = _arguments(item)
    command = given.get("command") or given.get("cmd") or given.get("input")
    line = " ".join(map(str, command)) if isinstance(command, list) else str(command or "")
    if patched := _PATCHED.search(line):
        return deed({"name": "Edit", "input": {"path": patched[1]}}, folder)
    if name in _SHELLS:
        return deed({"name": "Bash", "input": {"command": _WRAPPED.sub("", line, count=1)}}, folder)
    return "" if name == "update_plan" else deed({"name": name, "input": given}, folder)


def _arguments(item: Raw) -> Raw:
    action = item.get("action")
    if isinstance(action, Mapping):
        return action
    told = item.get("arguments") or item.get("input")
    if not isinstance(told, str):
        return {}
    try:
        found = json.loads(told)
    except (ValueError, RecursionError):
        return {"input": told}  # a tool that takes plain text, such as a patch
    return found if isinstance(found, dict) else {"input": told}
