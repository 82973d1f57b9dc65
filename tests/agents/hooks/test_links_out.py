"""Links that lead out of a vault: whatever is linked, and whatever is done, nothing outside is written, or read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.agents.hooks import handler
from tests import points
from tests.command_line import Line, Ran
from tests.transcripts.talking import CONCERT, GAUGES, chat

SESSION = "00000000-0000-4000-8000-000000000001"
SECRET = "heron"  # said by nothing in the vault
NOTE = f"---\nid: 11111111-2222-4333-8444-555555555555\n---\nThe {SECRET} nests at the third weir.\n"
LINE = json.dumps({"t": "2026-01-29T09:00:00Z", "e": "op", "op": "20260129T090000Z-aaaaaa", "verb": SECRET}) + "\n"

FOLDERS = (
    ".memvault",
    ".memvault/journal",
    ".memvault/journal/DEVICE",
    ".memvault/ledger",
    ".memvault/undo",
    ".memvault/undo/held",
    ".memvault/undo/seen",
    "0-identity",
    "1-hot",
    "2-memories",
    "2-memories/deep-context",
    "2-memories/sub",
    "3-raw",
    "3-raw/transcripts",
    "3-raw/archived",
    "quarantine",
    "private",
    "templates",
    "attachments",
    ".trash",
    ".obsidian",
    ".git",
)
FILES = (
    ".memvault/vault.json",
    ".memvault/lock",
    ".memvault/lock.turn",
    ".memvault/.gitignore",
    ".memvault/ledger/key",
    ".memvault/ledger/DEVICE.jsonl",
    ".memvault/journal/DEVICE/2026-01.jsonl",
    "private/.recipients",
    "CLAUDE.md",
    "Memories.base",
    "README.md",
    "memvault.toml",
    ".memvaultignore",
    ".gitignore",
    ".gitattributes",
    "2-memories/linked.md",
)
DEEDS: tuple[tuple[str, ...], ...] = (
    ("remember", "A boat lies in the boathouse at the quay.", "--title", "boat"),
    ("recall", f"{SECRET} weir nests"),
    ("show", "tea"),
    (
        "vault",
        "list",
    ),
    ("status",),
    ("edit", "tea", "--append", "And so does Noor, on most days of the week."),
    ("vault", "pin", "tea"),
    ("vault", "move", "tea", "hot"),
    ("forget", "tea"),
    ("vault", "restore", "tea"),
    ("undo",),
    ("session", "ingest", "WORK/longer.json"),
    ("session", "save", "The gauges are mended, and the poller runs again.", "--session", "talk-1"),
    ("dig", f"the {SECRET} and the weir"),
    ("import", "folder", "WORK/notes", "--yes"),
    ("export", "VAULT/PLACE.zip"),
    ("export", "VAULT/PLACE/out.zip"),
    ("private", "init", "--yes"),
    ("remember", "The spare key hangs in the shed.", "--private"),
    ("private", "list"),
    ("quarantine", "accept", "--all"),
    ("quarantine",),
    (
        "agent",
        "claude-md",
    ),
    ("maintain",),
    (
        "vault",
        "doctor",
    ),
    ("vault", "doctor", "fix"),
    ("config", "recall.limit", "20"),
    ("vault", "report", "--output", "VAULT/PLACE/page.html"),
    ("vault", "audit", "kept"),
    (
        "vault",
        "log",
    ),
    (
        "vault",
        "stats",
    ),
    (
        "vault",
        "reindex",
    ),
    ("vault", "purge", "coffee", "--yes", "--verify"),
    ("sync", "init"),
    ("sync", "run", "--no-push"),
)
EVENTS = (
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": f"Where does the {SECRET} nest, and who prefers tea?"},
    {"hook_event_name": "Stop", "last_assistant_message": "It is in the shed."},
    {"hook_event_name": "SessionEnd", "reason": "exit"},
)

Link = Callable[[Path, Path], None]


def straight(link: Path, target: Path) -> None:
    link.symlink_to(target, target_is_directory=target.is_dir())


def chain(link: Path, target: Path) -> None:
    between = target.parent.parent / "vault/between"
    straight(between, target)
    straight(link, between)


def dotted(link: Path, target: Path) -> None:
    link.symlink_to(os.path.relpath(target, link.parent), target_is_directory=target.is_dir())


def nowhere(link: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()
    straight(link, target)


def junction(link: Path, target: Path) -> None:
    subprocess.run(["cmd", "/c", "mklink", "/J", str(link), str(target)], check=True, capture_output=True)


LINKS: dict[str, Link] = {"straight": straight, "chain": chain, "dotted": dotted, "nowhere": nowhere}
if sys.platform == "win32":
    LINKS = {"junction": junction}
ALL_WAYS = (".memvault", ".memvault/journal", ".memvault/ledger", "1-hot", "3-raw/transcripts", ".memvault/ledger/key")
OTHERS = [
    *((place, "straight") for place in (*FOLDERS, *FILES) if place not in ALL_WAYS),
    *((place, kind) for place in (*ALL_WAYS, "memvault.toml") for kind in ("chain", "dotted", "nowhere")),
]
CASES = [*((place, "straight") for place in ALL_WAYS), *points.ends(OTHERS, at_most=12)]
if sys.platform == "win32":
    CASES = [(place, "junction") for place in FOLDERS]


@pytest.fixture(scope="session")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where a vault in which something of every sort was done is kept, once it was made."""
    return {"folder": tmp_path_factory.mktemp("lived-in")}


@pytest.fixture
def vault(line: Line, tmp_path: Path, lived_in: dict[str, Path]) -> Path:
    """A copy of that vault, and of what the machine keeps of its own."""
    kept, root = lived_in["folder"], tmp_path / "vault"
    if not (kept / "vault").is_dir():
        _live(line, root, tmp_path)
        shutil.copytree(root, kept / "vault", symlinks=True)
        shutil.copytree(tmp_path / "home", kept / "home", symlinks=True)
    else:
        shutil.copytree(kept / "vault", root, symlinks=True)
        shutil.copytree(kept / "home", tmp_path / "home", symlinks=True, dirs_exist_ok=True)
    _sources(tmp_path / "work")
    return root


def _live(line: Line, root: Path, folder: Path) -> None:
    _sources(folder / "sources")
    words: tuple[tuple[str, ...], ...] = (
        ("init", str(root)),
        ("remember", "Sara prefers tea to coffee, whatever the hour.", "--title", "tea"),
        ("remember", "The coffee machine in the kitchen is broken.", "--title", "coffee"),
        ("remember", "The old cupboard was thrown out last spring.", "--title", "cupboard"),
        ("forget", "cupboard"),
        ("ingest", str(folder / "sources/talk.json")),
        ("maintain",),
        ("claude-md",),
        ("private", "init", "--yes"),
        ("remember", "The safe is behind the picture.", "--private", "--title", "safe"),
        ("sync", "init"),
    )
    for each in words:
        line(*(each if each[0] == "init" else ("--vault", str(root), *each)))


def _sources(folder: Path) -> None:
    (folder / "notes").mkdir(parents=True, exist_ok=True)
    (folder / "notes/oar.md").write_text("The oar leans against the wall of the shed.\n")
    chat(folder / "talk.json", GAUGES)
    chat(folder / "longer.json", GAUGES, CONCERT)


def device(root: Path) -> str:
    return next((root / ".memvault/journal").iterdir()).name


def outside(root: Path, place: str, elsewhere: Path) -> Path:
    """What lies at a place, put outside with more that nobody in the vault is to hear of."""
    target, there = elsewhere / "room", root / place
    elsewhere.mkdir()
    if place in FOLDERS or place.replace(device(root), "DEVICE") in FOLDERS:
        if there.is_dir():
            shutil.move(there, target)
        target.mkdir(exist_ok=True)
        for name in (f"{SECRET}.md", "sub/other.md", "2026-01-29-other-11111111.jsonl.gz"):
            (target / name).parent.mkdir(exist_ok=True)
            (target / name).write_text(NOTE)
        for name in (f"{SECRET}.jsonl", "2026-02.jsonl", "other/2026-01.jsonl"):
            (target / name).parent.mkdir(exist_ok=True)
            (target / name).write_text(LINE)
        return target
    if there.exists():
        shutil.move(there, target)
    else:
        target.write_text(NOTE if place.endswith(".md") else "")
    if place in ("CLAUDE.md", "README.md"):
        target.write_text(f"{target.read_text()}\n{NOTE}")
    return target


def shape(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        stat = path.lstat()
        found[str(path)] = (stat.st_mode, stat.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
    return found


def told(ran: Ran) -> str:
    return ran.out + ran.err


def check(ran: Ran, words: tuple[str, ...]) -> None:
    """One plain sentence at most, and nothing of what lies outside; a question repeats itself, of course."""
    said = told(ran)
    assert "Traceback" not in said, (words, said)
    assert "Something went wrong inside" not in said, (words, said)
    assert "nests at the third" not in said, (words, said)
    if SECRET not in " ".join(words):
        assert SECRET not in said, (words, said)


@pytest.mark.points(quick=2)
@pytest.mark.parametrize(("place", "kind"), CASES)
def test_nothing_outside_is_written_or_read(
    place: str, kind: str, vault: Path, line: Line, environment: dict[str, str], tmp_path: Path
) -> None:
    place = place.replace("DEVICE", device(vault))
    target = outside(vault, place, tmp_path / "elsewhere")
    (vault / place).parent.mkdir(parents=True, exist_ok=True)
    LINKS[kind](vault / place, target)
    before = shape(tmp_path / "elsewhere")
    work = tmp_path / "work"
    for deed in DEEDS:
        words = tuple(
            word.replace("WORK", str(work)).replace("VAULT", str(vault)).replace("PLACE", place) for word in deed
        )
        check(line("--vault", str(vault), *words), deed)
        assert shape(tmp_path / "elsewhere") == before, deed
    around = {**environment, "MEMVAULT_DIR": str(vault), "MEMVAULT_SCHEDULE_AT_SESSION_START": "no"}
    for event in EVENTS:
        data = json.dumps({"cwd": str(work), "session_id": SESSION, **event}).encode()
        answer = handler.answer_event(data, [], around)
        assert SECRET.encode() not in answer.replace(b"does the heron nest", b"")
        assert shape(tmp_path / "elsewhere") == before, event
