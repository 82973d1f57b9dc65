"""Every command of the README and the manual runs as it is written, but for those of a list that says why not.

Each page has a machine of its own, with the sample vault on it and a clock that stands still.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.docs.test_examples import Reader

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.name: path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# What is not run here, as a pattern of the whole line, and why.
NOT_RUN = {
    r"(python3 -m venv|pip install|uv tool install) .*": "fetches packages; the README's two lines are taken apart in test_manual",
    r"claude plugin .*": "needs Claude Code",
    r"git .*": "is git, not memvault",
    r"python -m (pytest|tests\.).*": "takes long, or is this run; that each module is there is checked below",
    r"memvault (setup|uninstall|agent hooks install --agent codex)( .*)?": "changes what agents and schedulers of this machine have; tests/agents",
    r"memvault vault schedule (install|status|remove).*": "asks the scheduler of this machine; tests/maintenance/schedule",
    r"memvault agent mcp( .*)?": "serves, or needs the settings of an agent; tests/agents/mcp",
    r"memvault vault watch (start|status|stop).*": "is about a process that stays; tests/daemon",
    r"memvault web.*": "starts a process that stays; tests/web",
    r"memvault private (unlock|lock).*": "needs the daemon; tests/daemon",
    r"memvault private originals .*": "needs a conversation with a secret; tests/cli/private",
    r"(apt-get|sudo|createdb|export) .*": "is about this machine and its PostgreSQL",
    r"memvault (team|worker|serve)( .*)?": "needs a PostgreSQL; tests/team",
    r"memvault model semantic (enable|disable).*": "downloads a model, or asks a server",
    r"memvault --vault ~/vault sync .*": "is about a second machine; tests/sync",
    r"memvault sync .*": "needs a repository on a server; tests/sync",
    r"memvault session show .*": "names a turn of a conversation of yours",
    r"memvault (config recall\.ranking recent|model review .*)": (
        "needs the package of the page; test_extending installs and uses it"
    ),
}

# What asks a question at a terminal, and the same without.
ASKS = {"memvault private init": "memvault private init --yes"}


CHATGPT = {
    "id": "c1",
    "title": "Tides",
    "create_time": 1767607200.0,
    "current_node": "a",
    "mapping": {
        "a": {
            "id": "a",
            "parent": None,
            "children": [],
            "message": {
                "id": "a",
                "author": {"role": "user"},
                "create_time": 1767607200.0,
                "content": {"content_type": "text", "parts": ["When is the next spring tide at Hollin?"]},
            },
        }
    },
}


def lines_of(page: str) -> list[str]:
    """The lines of the blocks to be typed, without their remarks."""
    lines = [line for block in BLOCK.findall(page) for line in block.splitlines()]
    return [re.sub(r"\s{2,}#.*$", "", line) for line in lines if line and not line.startswith("#")]


def reason(line: str) -> str:
    """Why that line is not run here; empty where it is."""
    return next((why for pattern, why in NOT_RUN.items() if re.fullmatch(pattern, line)), "")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A machine with the sample vault on it, in whose folder somebody sits."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    reader = Reader(tmp_path)
    assert "[exit" not in reader.play("$ memvault init memory --sample\n$ cd memory")
    (reader.home / ".claude" / "projects").mkdir(parents=True)
    return reader


@pytest.mark.parametrize("name", [name for name, path in PAGES.items() if BLOCK.search(path.read_text("utf-8"))])
def test_commands_run_as_written(name: str, machine: Reader) -> None:
    lay_files(machine.home)
    for line in lines_of(PAGES[name].read_text("utf-8")):
        if not reason(line):
            answer = machine.play("$ " + ASKS.get(line, line).replace("~/", f"{machine.home.as_posix()}/"))
            assert "[exit" not in answer, answer


def lay_files(home: Path) -> None:
    """The files that commands of the manual name, of another program each."""
    turns = [
        {
            "id": "1",
            "session": "s1",
            "time": "2026-01-05T10:00:00Z",
            "speaker": "Ann",
            "text": "The poller hung at night.",
        }
    ]
    talk = {"id": "talk-1", "speakers": ["Ann"], "turns": turns}
    Path("talk.json").write_text(json.dumps(talk), encoding="utf-8")
    Path("memories.json").write_text(json.dumps([{"id": "m1", "memory": "Ann likes tea."}]), encoding="utf-8")
    (home / "notes").mkdir()
    (home / "notes" / "tides.md").write_text("Springs come two days after the full moon.\n", encoding="utf-8")
    (home / "Downloads").mkdir()
    with zipfile.ZipFile(home / "Downloads" / "chatgpt.zip", "w") as packed:
        packed.writestr("conversations.json", json.dumps([CHATGPT]))


def test_every_exception_is_met() -> None:
    lines = [line for path in PAGES.values() for line in lines_of(path.read_text("utf-8"))]
    assert [pattern for pattern in NOT_RUN if not any(re.fullmatch(pattern, line) for line in lines)] == []


def test_modules_that_the_manual_starts_are_there() -> None:
    started = {
        name for path in PAGES.values() for name in re.findall(r"python -m (tests\.[\w.]+)", path.read_text("utf-8"))
    }
    assert len(started) > 15
    places = {name: ROOT / name.replace(".", "/") for name in started}
    files = {name: (place / "__main__.py", place.with_suffix(".py")) for name, place in places.items()}
    assert [name for name, found in files.items() if not any(path.exists() for path in found)] == []
