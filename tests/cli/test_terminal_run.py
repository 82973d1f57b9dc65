"""What a newcomer does, in a real terminal: install, adopt, mend, empty the inbox by keys, leave again."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault import Memvault
from tests.conftest import machine_at

ROOT = Path(__file__).parents[2]
TMUX = shutil.which("tmux")

pytestmark = [
    pytest.mark.points(only=True),
    pytest.mark.skipif(TMUX is None, reason="tmux is not installed, so there is no real terminal to try"),
    pytest.mark.parametrize("columns", [80, 120]),
]

_PATIENCE = 60.0
_FIRST_RECALL = 60.0  # seconds from the installation to the first answer


class Screen:
    """A terminal of some width in which a person types."""

    def __init__(self, columns: int, home: Path, socket: str) -> None:
        self._tmux = [str(TMUX), "-L", socket]
        self.columns = columns
        variables = {**machine_at(home), "PS1": "$ ", "TERM": "screen-256color", "PYTHONPATH": str(ROOT)}
        words = [
            "env",
            "-i",
            *(f"{name}={value}" for name, value in variables.items()),
            "bash",
            "--noprofile",
            "--norc",
        ]
        size = ("-x", str(columns), "-y", "50")
        self._ask("new-session", "-d", *size, "-c", str(home), shlex.join([*words, "-i"]))
        self._ask("set-option", "-g", "history-limit", "20000")
        self._number = 0
        python = f"{shlex.quote(sys.executable)} -m memvault"
        self.run(f'memvault() {{ {python} "$@"; }}')

    def _ask(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], check=True, capture_output=True, text=True).stdout

    def close(self) -> None:
        """End the terminal."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)

    def text(self) -> str:
        """Return all that was ever on the screen, wrapped lines joined."""
        return self._ask("capture-pane", "-p", "-J", "-S", "-")

    def lines(self) -> list[str]:
        """Return the lines as they stand on the screen."""
        return self._ask("capture-pane", "-p", "-S", "-").splitlines()

    def wait_for(self, wanted: str, *, since: int = 0) -> str:
        """Return the text since a place once it holds what is wanted."""
        end = time.monotonic() + _PATIENCE
        while wanted not in (text := self.text()[since:]):
            if time.monotonic() > end:
                raise AssertionError(f"{wanted!r} never came:\n{text[-3000:]}")
            time.sleep(0.05)
        return text

    def press(self, *keys: str) -> None:
        """Press keys, one by one."""
        for key in keys:
            self._ask("send-keys", key)

    def run(self, command: str, *, keys: str = "", ready: str = "") -> str:
        """Run a command, press keys once something is there, and return what came of it."""
        self._number += 1
        self._ask("send-keys", "-l", f"{command}; echo end-$(({self._number}))-of-it")
        since = len(self.text().rstrip())
        self.press("Enter")
        if ready:
            self.wait_for(ready, since=since)
            self.press(*keys)
        return self.wait_for(f"end-{self._number}-of-it\n", since=since)


@pytest.fixture
def screen(columns: int, tmp_path: Path) -> Iterator[Screen]:
    home = tmp_path / "home"
    home.mkdir()
    screen = Screen(columns, home, f"memvault-{os.getpid()}-{columns}")
    yield screen
    screen.close()


NOTES = {
    "About me.md": "I am Noor, harbour master of Brekvik. I prefer short answers.\n",
    "Projects/Atlas.md": "Atlas moves the gauges to UTC by December. [[Note 1]]\n",
    "Projects/Borealis.md": "Borealis brings the northern lights to the quay. [[Note 2]]\n",
    "Projects/Cedar.md": "Cedar plants forty trees at the slip. [[Note 3]]\n",
}


def adopted(folder: Path) -> dict[str, bytes]:
    """Write 300 notes, four of which say who their person is and what is current; return every byte."""
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    old = time.time() - 400 * 86_400
    for number in range(296):
        path = folder / ("Areas", "Resources", "Journal")[number % 3] / f"Note {number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Number {number} says how deep berth {number} is: {number % 9} fathoms.\n")
        os.utime(path, (old, old))
    return notes_of(folder)


def notes_of(folder: Path) -> dict[str, bytes]:
    return files_of(folder, "*.md")


def files_of(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    found = (path for path in folder.rglob(pattern) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


# What the person of the home has of Claude Code already, in a hand of its own.
CLAUDE = {
    "settings.json": b'{\r\n\t"model": "opus",  "hooks": {"Stop": [ ]}, "caf\\u00e9": 1}',
    "CLAUDE.md": b"Answer in English.\n\n\n- no final line end",
    "commands/tide.md": b"Tell the tide.\n",
}


def test_from_the_installation_to_the_first_answer_is_less_than_a_minute(screen: Screen, tmp_path: Path) -> None:
    began = time.monotonic()
    venv.create(tmp_path / "env", with_pip=True)
    done = screen.run(f"unset PYTHONPATH; {tmp_path}/env/bin/pip install -q {shlex.quote(str(ROOT))} && echo installed")
    if "installed" not in done:
        pytest.skip("memvault cannot be installed here: there is no network, or no index")
    own = f"{tmp_path}/env/bin/memvault"
    screen.run(f"{own} init ~/memory && cd ~/memory && {own} remember 'Sara prefers tea over coffee in the morning'")
    answer = screen.run(f"{own} recall 'what does Sara drink?'")
    assert "Sara prefers tea" in answer
    assert time.monotonic() - began < _FIRST_RECALL


def test_notes_are_adopted_the_agent_is_told_the_five_right_things_and_leaving_costs_no_byte(
    screen: Screen, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / "notes"
    before, claude = adopted(folder), tmp_path / "home" / ".claude"
    for name, data in CLAUDE.items():
        (claude / name).parent.mkdir(parents=True, exist_ok=True)
        (claude / name).write_bytes(data)
    screen.run("memvault setup ~/notes --yes --no-mcp --no-schedule --no-check")
    # Who you are, three projects, and the notes of the projects; the other folders are for nobody.
    asked = screen.run("cd ~/notes; memvault review --only adoption", keys="aaaarrra", ready="Is this who you are")
    assert "May assistants be given notes in Projects" in asked
    assert "8 cards answered. Nothing waits for you any more." in asked
    screen.run("memvault agent claude-md")
    page = (folder / "CLAUDE.md").read_text("utf-8")
    for told in ("harbour master of Brekvik", "short answers", "gauges to UTC", "northern lights", "forty trees"):
        assert told in page, told
    event = json.dumps(
        {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": str(tmp_path / "home"), "source": "startup"}
    )
    (tmp_path / "home" / "event.json").write_text(event)
    assert "Atlas" in screen.run("memvault hook < ~/event.json") + page
    assert "fathoms" not in page
    assert files_of(claude) != CLAUDE
    screen.run("memvault uninstall --yes")
    after = notes_of(folder)
    assert {name: after[name] for name in before} == before
    assert files_of(claude) == CLAUDE


def test_a_wrong_memory_is_found_and_mended(screen: Screen, tmp_path: Path) -> None:
    editor = tmp_path / "home" / "editor.sh"
    editor.write_text("#!/bin/sh\nsed -i 's/port 5432/port 6543/' \"$1\"\n")
    editor.chmod(0o755)
    screen.run("memvault init ~/memory > /dev/null; cd ~/memory")
    screen.run("memvault remember 'The staging database listens on port 5432.' --title 'Staging port' > /dev/null")
    assert "5432" in screen.run("memvault recall 'which port has staging?'")
    screen.run(f"EDITOR={editor} memvault edit 'Staging port'")
    found = screen.run("clear; memvault recall 'which port has staging?'")
    assert "6543" in found
    assert "port 5432" in screen.run("memvault undo > /dev/null; memvault show 'Staging port'")


def test_an_inbox_of_thirty_is_emptied_by_keys(screen: Screen, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "memory"
    Memvault.init(folder, environment=machine_at(tmp_path / "home"))
    for number in range(30):
        text = f"---\ntitle: Berth {number}\nsource: web\n---\nBerth {number} is {number % 9} fathoms deep.\n"
        (folder / "quarantine" / f"berth-{number}.md").write_text(text)
    keys = "ar" * 15
    ran = screen.run("cd ~/memory; memvault review --only quarantine", keys=keys, ready="1 of 30")
    assert "30 cards answered. Nothing waits for you any more." in ran
    assert max(map(len, screen.lines())) <= screen.columns
    assert list((folder / "quarantine").glob("*.md")) == []
    assert len(list((folder / "2-memories").glob("berth-*.md"))) == 15
    assert "Nothing waits for you." in screen.run("memvault review --only quarantine")
