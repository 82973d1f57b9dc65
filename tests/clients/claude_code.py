"""A stage for the real Claude Code: a home of its own, a vault, a scripted model, and what the model received as text."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from memvault import Memvault
from memvault.system.programs import STAND_INS
from memvault.text.terms import estimate_tokens
from tests.clients.scripted_model import Reply, ScriptedModel, scripted_model

ROOT = Path(__file__).resolve().parents[2]
TOOLS = "Write,Edit,Read,Bash"
_SECONDS = 90.0

Message = Mapping[str, Any]


@dataclass
class Stage:
    """Everything of one scenario: where it plays, and what the model received."""

    client: str
    home: Path
    model: ScriptedModel
    vault: Memvault
    environment: dict[str, str]
    project: Path
    lines: list[str] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)  # what was written down already, of this conversation
    opening: str = ""  # the first message of the conversation

    @contextmanager
    def session(self, *options: str, folder: Path | None = None, **environment: str) -> Iterator[Session]:
        """Open a session of the client, and close it; what its last hooks start is waited for."""
        self.lines.append(f"\n# a session begins{' in ' + folder.name if folder else ''} {' '.join(options)}".rstrip())
        self.seen.clear()
        given = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        process = subprocess.Popen(
            [self.client, *given, "--allowedTools", TOOLS, *options],
            env={**self.environment, **environment},
            cwd=folder or self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            yield Session(self, process)
        finally:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            try:
                process.wait(_SECONDS)
            finally:
                process.kill()
                process.stdout.close()
                process.wait()
        self._await_saves()

    def run(self, *words: str, folder: Path | None = None) -> None:
        """Run memvault as a person does."""
        subprocess.run(
            [sys.executable, "-m", "memvault", "--vault", str(self.vault.root), *words],
            env=self.environment,
            cwd=folder or self.project,
            check=True,
            capture_output=True,
        )

    def _await_saves(self) -> None:
        """Wait for the processes that a session left behind: each holds the folder of this home in its environment."""
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                if b"save-progress" in words and os.fsencode(self.vault.root) in words:
                    with suppress(OSError, ChildProcessError):
                        pidfd = os.pidfd_open(int(process.name))
                        try:
                            select.select([pidfd], [], [], _SECONDS)
                        finally:
                            os.close(pidfd)


class Session:
    """One session: prompts go in, and what the model receives of them is written down."""

    def __init__(self, stage: Stage, process: subprocess.Popen[str]) -> None:
        self._stage, self._process = stage, process
        self.id = ""

    def say(self, prompt: str, *replies: Reply) -> None:
        """Type a prompt, have the model answer by a script, and write down what it received."""
        stage, before = self._stage, len(self._stage.model.requests)
        stage.model.answer_with(*replies)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        turn = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._process.stdin.write(json.dumps(turn) + "\n")
        self._process.stdin.flush()
        stage.lines.append(f"\n> {prompt}")
        for line in self._process.stdout:
            told = json.loads(line)
            self.id = told.get("session_id", self.id)
            if told.get("type") == "result":
                break
        for request in stage.model.requests[before:]:
            _write_down(stage, request["messages"])
        if len(stage.model.requests) == before:
            stage.lines.append("(nothing went to the model)")


def client_environment(home: Path) -> dict[str, str]:
    """Return the environment of a client that has its home to itself, and asks nobody but the scripted model."""
    return {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "TZ": "UTC",
    }


@contextmanager
def stage(client: str, home: Path) -> Iterator[Stage]:
    """Set a stage up: an empty vault, the hooks installed as a person installs them, and a project."""
    project = home / "gauges"
    project.mkdir(parents=True)
    program = home / "bin" / "memvault"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memvault "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {
        **client_environment(home),
        "PYTHONPATH": str(ROOT),
        "MEMVAULT_USER_VAULT": str(home / "vault"),
        STAND_INS: f"memvault:{program}",  # whose path is alike on every machine
        "MEMVAULT_SCHEDULE_AT_SESSION_START": "no",
        **{f"GIT_{who}_{what}": "gauges@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    Memvault.init(home / "vault")
    with scripted_model() as model, Memvault(home / "vault", environment=environment, zone=UTC) as vault:
        made = Stage(client, home, model, vault, {**environment, "ANTHROPIC_BASE_URL": model.address}, project)
        made.run("agent", "hooks", "install")
        yield made


# -- what the model received, as a person reads it

_HOOK = re.compile(r"(\w+)(?::\w+)? hook additional context: ", re.ASCII)
_BEHIND_OURS = re.compile(
    r"\n\n(?:Available agent types|The following skills|<system-reminder>|[A-Z][^\n]{0,200}:\n- )"
)
_OF_THE_CLIENT = re.compile(
    r"<(local-command-\w+|system-reminder|command-\w+)>.*?</\1>\s*"
    r"|CRITICAL: Respond with TEXT ONLY.*|This session is being continued.*",
    re.DOTALL,
)
_PART_OF = {"SessionStart": "start", "UserPromptSubmit": "prompts", "PreToolUse": "tools", "PostToolUse": "tools"}


def _write_down(stage: Stage, messages: Sequence[Message]) -> None:
    """Write down what a request holds that no request of the conversation held before it."""
    opening = json.dumps(messages[0]["content"]) if messages else ""
    opening = re.sub(r', "cache_control": \{[^}]*\}', "", opening)
    if opening != stage.opening:  # it was cleared or compacted, or another one begins
        stage.seen.clear()
    stage.opening = opening
    for message in messages:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            for text, event in _shown_parts(str(message["role"]), block):
                if text in stage.seen:
                    continue
                stage.seen.add(text)
                text = text.replace(str(stage.home), "~")  # of any length
                stage.lines += text.splitlines()
                if event:
                    part = _PART_OF.get(event, event)
                    stage.tokens[part] = stage.tokens.get(part, 0) + estimate_tokens(text)


def _shown_parts(role: str, block: Message) -> Iterator[tuple[str, str]]:
    """Yield what a block holds: each part as it is shown, and the event of a hook where it is ours."""
    match block.get("type"):
        case "tool_use":
            yield f"assistant calls {block['name']}: {json.dumps(block['input'], ensure_ascii=False)}", ""
        case "tool_result":
            told = block.get("content")
            text = told if isinstance(told, str) else " ".join(str(each.get("text", "")) for each in told or ())
            yield from _hook_parts(text)
            yield f"the tool answers ({block['tool_use_id'][-6:]})", ""
        case "text":
            yield from _hook_parts(block["text"])
            bare = _OF_THE_CLIENT.sub("", block["text"]).strip()
            if role != "system" and bare and not _HOOK.search(bare):
                yield f"{role}: {bare}", ""


def _hook_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield what our hooks put before the model, with the event at which they did."""
    found = list(_HOOK.finditer(text))
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        told = text[match.end() : end]
        told = told[: cut.start()] if (cut := _BEHIND_OURS.search(told)) else told
        lines = told.removesuffix("</system-reminder>").strip().splitlines()
        yield "\n".join([f"memvault at {match[1]}:", *(f"  {line}".rstrip() for line in lines)]), match[1]


def written_session(stage: Stage) -> str:
    """Return everything as one text, in which what differs from run to run is named alike."""
    text = "\n".join([*stage.lines, "", "# tokens of what memvault gave"])
    text += "".join(f"\n{part}: {count}" for part, count in sorted(stage.tokens.items())) + "\n"
    text = re.sub(r"the tool answers \(\w+\)", "the tool answers", text.replace(str(stage.home), "~"))
    text = re.sub(r'token="[0-9a-f]+"', 'token="…"', text)
    text = _number_ids(text)
    today = datetime.now(UTC).date()
    text = re.sub(r"\b20\d\d-\d\d-\d\d\b", lambda found: _name_day(found[0], today), text)
    return re.sub(r"\b\d\d:\d\d(?::\d\d)?Z?\b", "<time>", text).lstrip("\n")


def _name_day(text: str, today: date) -> str:
    days = (date.fromisoformat(text) - today) // timedelta(days=1)
    return text if abs(days) > 60 else f"<today{f'{days:+d}' if days else ''}>"


def _number_ids(text: str) -> str:
    """Return a text with its ids numbered in the order in which they come; a long one and its beginning are one."""
    known: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        return known.setdefault(found[0][:8], f"<id {len(known) + 1}>")

    return re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b", name, text)
