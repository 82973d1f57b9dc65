"""A `projects` folder as Claude Code leaves it: sessions of an older and a newer version, with all that is no talk in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

Line = dict[str, Any]

INJECTED = "<!-- memvault:begin v1 (recalled) -->\n> The spare key hangs behind the barometer.\n<!-- memvault:end -->"


@dataclass(frozen=True, slots=True)
class Session:
    """One transcript and the talk that is in it: who said what, in order."""

    path: Path
    id: str
    project: str
    title: str
    said: tuple[tuple[str, str], ...]
    bad: int = 0  # lines that cannot be read


@dataclass(slots=True)
class Script:
    """Writes the lines of one session, each a minute after the one before."""

    id: str
    cwd: str
    version: str
    at: datetime
    lines: list[str] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def put(self, kind: str, **members: object) -> str:
        """A line of some kind with what every line of a conversation carries; its uuid."""
        number = next(self._numbers)
        uuid = f"{self.id[:8]}-0000-4000-8000-{number:012d}"
        self.at += timedelta(minutes=1)
        common: Line = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": self.version,
            "gitBranch": "main",
            "type": kind,
            "uuid": uuid,
            "timestamp": self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        self.bare({**common, **members})
        return uuid

    def bare(self, line: Line) -> None:
        """A line of its own shape."""
        self.lines.append(json.dumps(line, ensure_ascii=False))

    def prompt(self, text: str, **members: object) -> None:
        """A person types something."""
        self.put("user", message={"role": "user", "content": text}, **members)
        self.said.append(("user", text))

    def unsaid(self, content: object, **members: object) -> None:
        """A line in a person's place that no person typed."""
        self.put("user", message={"role": "user", "content": content}, **members)

    def answer(self, text: str, *blocks: Line, **members: object) -> None:
        """An answer of one message, each block on a line of its own, its tools answered in between."""
        name = f"msg_{self.id[:4]}{len(self.lines):06d}"
        for block in ({"type": "text", "text": text}, *blocks):
            over = None if block["type"] != "text" or blocks else "end_turn"
            message = {"id": name, "type": "message", "role": "assistant", "model": "claude-opus-4", "content": [block]}
            self.put("assistant", message={**message, "stop_reason": over, "usage": {"output_tokens": 9}}, **members)
            if block["type"] == "tool_use":
                self.result(str(block["id"]))
        self.said.append(("assistant", text))

    def result(self, tool: str, output: str = "TOOL OUTPUT that nobody said") -> None:
        """What a tool answers."""
        content = [{"type": "tool_result", "tool_use_id": tool, "content": output}]
        self.unsaid(content, toolUseResult={"stdout": output, "stderr": "", "interrupted": False})

    def write(self, folder: Path, *, ended: bool = True) -> Path:
        """Put the transcript where Claude Code puts it."""
        path = folder / "".join(char if char.isalnum() else "-" for char in self.cwd) / f"{self.id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines) + ("\n" if ended else ""), encoding="utf-8")
        return path


def tool(name: str, number: int, **given: object) -> Line:
    """A tool is used."""
    return {"type": "tool_use", "id": f"toolu_{number:04d}", "name": name, "input": given}


def build(folder: Path) -> tuple[Session, ...]:
    """Fill a `projects` folder; its sessions, the oldest first."""
    folder.mkdir(parents=True, exist_ok=True)
    sessions = (older(folder), newer(folder), resumed(folder))
    idle = folder / "-home-ana-tide-clock" / "99999999-0000-4000-8000-000000000000.jsonl"
    idle.write_text('{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n', encoding="utf-8")
    (idle.with_name("88888888-0000-4000-8000-000000000000.jsonl")).write_bytes(b"")
    notes = folder / "-home-ana-tide-clock" / "memory"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("- [Tides](tides.md) - where the table comes from\n", encoding="utf-8")
    return sessions


def older(folder: Path) -> Session:
    """As versions of 2025 wrote it: todos with ids, request ids, helpers in the same file."""
    one = Script("11111111-aaaa-4bbb-8ccc-000000000001", "/home/ana/tide-clock", "1.0.24", _day(2025, 6, 20))
    one.bare({"type": "summary", "summary": "Tide clock drifts by a lunar day", "leafUuid": "0" * 8})
    one.unsaid("Caveat: The messages below were generated by the user while running local commands.", isMeta=True)
    one.unsaid("<command-name>/clear</command-name>\n<command-message>clear</command-message>")
    one.unsaid("<local-command-stdout>(no content)</local-command-stdout>")
    one.prompt("The tide clock drifts by fifty minutes a day. Where does that come from?")
    one.answer(
        "It counts solar days. A lunar day is 24 hours and 50 minutes, so the dial falls behind.",
        tool("Read", 1, file_path="/home/ana/tide-clock/src/dial.py"),
        requestId="req_011",
    )
    one.put(
        "user",
        isSidechain=True,
        message={"role": "user", "content": "Search the tree for uses of SOLAR_DAY and report."},
    )
    helper = [{"type": "text", "text": "A helper found SOLAR_DAY in three places."}]
    one.put("assistant", isSidechain=True, message={"id": "msg_side", "role": "assistant", "content": helper})
    one.prompt("Then use the lunar day, please, and keep the old constant for the calendar.")
    todos = [{"id": "1", "content": "Swap the constant", "status": "completed", "priority": "high"}]
    one.answer(
        "Done: dial.py now counts lunar days, calendar.py keeps SOLAR_DAY.",
        tool("TodoWrite", 2, todos=todos),
        tool("Edit", 3, file_path="/home/ana/tide-clock/src/dial.py", old_string="SOLAR_DAY", new_string="LUNAR_DAY"),
        tool("Bash", 4, command="python -m pytest tests/test_dial.py -q"),
        requestId="req_012",
    )
    one.lines.append('{"type":"user","uuid":"torn","message":{"role":"us')
    one.put(
        "assistant",
        isApiErrorMessage=True,
        message={
            "id": "e",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": "API Error: 529"}],
        },
    )
    one.unsaid([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    one.prompt("Danke. Wie spät ist Hochwasser am Steg von Hollin?")
    one.answer("Vierzig Minuten nach dem Hafen, bei Springtide eher fünfundvierzig.")
    one.lines.append(one.lines[-1])  # the same line once more
    path = one.write(folder, ended=False)
    return Session(path, one.id, one.cwd, "Tide clock drifts by a lunar day", tuple(one.said), bad=1)


def newer(folder: Path) -> Session:
    """As versions of 2026 write it: attachments, requests, titles, helpers in a folder of their own, kinds yet to come."""
    one = Script("22222222-aaaa-4bbb-8ccc-000000000002", "/home/ana/boat shed.é", "2.1.329", _day(2026, 11, 21))
    one.bare(
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "timestamp": "2026-11-21T07:00:00.000Z",
            "sessionId": one.id,
        }
    )
    hook = {"type": "hook_additional_context", "content": [INJECTED], "hookName": "SessionStart"}
    one.put("attachment", attachment=hook)
    one.bare({"type": "mode", "mode": "normal", "sessionId": one.id})
    one.prompt("Which paint did we settle on for the hull?", promptId="p1", origin={"kind": "human"})
    one.bare({"type": "api-request", "sessionId": one.id, "requestId": "req_1", "body": {"model": "claude-opus-5"}})
    one.put(
        "assistant",
        message={
            "id": "msg_think",
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "THOUGHT", "signature": "x"}],
        },
    )
    one.answer(
        "Red lead primer, then two coats of the green enamel.",
        tool("Write", 1, file_path=f"{one.cwd}/PAINT.md", content="x"),
    )
    one.put("system", subtype="stop_hook_summary", hookCount=1, level="suggestion")
    one.unsaid(
        "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>",
        origin={"kind": "task-notification"},
    )
    one.unsaid(
        [{"type": "text", "text": "<system-reminder>\nThe user opened a file.\n</system-reminder>"}], isMeta=True
    )
    text = "Look at this photo: is the seam dry enough?"
    reminder = {"type": "text", "text": "<system-reminder>Do not answer this.</system-reminder>"}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 40}}
    one.put(
        "user", message={"role": "user", "content": [{"type": "text", "text": text}, reminder, picture]}, promptId="p2"
    )
    one.said.append(("user", f"{text}\n\n\n\n[image]"))
    one.answer("No, the seam still shines: wait for one more dry day.")
    one.put("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 155_000})
    one.unsaid(
        "This session is being continued from a previous conversation that ran out of context.",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )
    one.prompt("The token of the weather feed is ghp_16C7e42F292c6912E7710c838347Ae178B4a, keep it out of PAINT.md.")
    one.answer("I will not write it down anywhere.")
    one.put("hologram", hologram={"frames": [1, 2, 3]}, message="a kind of line that nobody knows yet")
    one.bare({"type": "ai-title", "aiTitle": "Painting the hull", "sessionId": one.id})
    one.bare({"type": "custom-title", "customTitle": "Hull paint", "sessionId": one.id})
    one.bare({"type": "last-prompt", "lastPrompt": "keep it out", "sessionId": one.id})
    one.bare({"type": "cost-state", "sessionId": one.id, "totalCostUSD": 0.12})
    path = one.write(folder)
    helpers = path.with_suffix("") / "subagents"
    helpers.mkdir(parents=True)
    aside = Script(one.id, one.cwd, one.version, one.at)
    aside.put("user", isSidechain=True, agentId="a1", message={"role": "user", "content": "Compare enamel prices."})
    (helpers / "agent-a1.jsonl").write_text(aside.lines[0] + "\n", encoding="utf-8")
    (helpers / "agent-a1.meta.json").write_text('{"agentType":"general-purpose"}', encoding="utf-8")
    said = [
        (who, text.replace("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[redacted: GitHub token]"))
        for who, text in one.said
    ]
    return Session(path, one.id, one.cwd, "Hull paint", tuple(said))


def resumed(folder: Path) -> Session:
    """A session that was taken up again on another day, after a machine had gone down in the middle of a line."""
    one = Script("33333333-aaaa-4bbb-8ccc-000000000003", "/home/ana/tide-clock", "2.1.329", _day(2026, 12, 1))
    for number in range(12):
        one.prompt(f"What is the height of the tide at station {number}?", promptId=f"q{number}")
        one.answer(f"Station {number} has a mean range of {number + 2} metres.")
    one.lines.append("\x00\x00\x00\x00")
    one.at += timedelta(days=1)
    one.prompt("Good morning. Which station had six metres again?")
    one.answer("Station 4, on the north pier.")
    one.prompt("潮の満ち引きはどこで見られますか。")
    one.answer("北の桟橋で見られます。")
    path = one.write(folder)
    return Session(path, one.id, one.cwd, "What is the height of the tide at station 0?", tuple(one.said), bad=1)


def _day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 7, 0, tzinfo=UTC)
