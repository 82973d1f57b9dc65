"""`memvault private` and `remember --private`: what is asked, what is told, and that no text reaches any disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from memvault.system import programs
from tests.command_line import Line
from tests.daemon.porters import at_home, machine, until
from tests.privacy.private.test_private_memories import NEEDLE, TEXT, holding, identity

pytest.importorskip("pyrage")

__all__ = ["at_home"]
SHARED = Path("/dev/shm")


@pytest.fixture
def with_key(in_vault: Line) -> Line:
    """In a vault whose person has a key, and one private memory."""
    in_vault("private", "init", "--yes")
    in_vault("remember", "--private", TEXT, "--title", "Spare key")
    return in_vault


def test_what_the_loss_of_a_key_costs_is_said_before_one_is_made(in_vault: Line, environment: dict[str, str]) -> None:
    key = Path(environment["XDG_CONFIG_HOME"]) / "memvault/private.agekey"
    asked = in_vault("private", "init", stdin=b"")
    assert (asked.code, key.exists()) == (2, False)
    assert "Whoever loses it loses them" in asked.err
    made = in_vault("private", "init", "--yes")
    assert f"Made your key: {key}" in made.out
    assert f"cp {key}" in made.err
    assert "AGE-SECRET-KEY" not in made.out + made.err
    again = in_vault("private", "init")
    assert "Made" not in again.out
    assert "loses" not in again.err


def test_a_memory_is_made_shown_found_changed_and_let_go(with_key: Line) -> None:
    assert "sealed" in with_key("remember", "--private", "-", "--title", "Letter", stdin=b"Dear Sara").out
    assert {row.split()[-1] for row in with_key("private").out.splitlines()[1:]} == {"Letter", "key"}
    assert "Dear Sara" in with_key("private", "show", "letter").out
    assert with_key("private", "show", "letter", "--raw").out.startswith("---\nid: ")
    with_key("private", "edit", "letter", "--text", "-", "--add-tag", "post", stdin=b"Dear Noor")
    hit = with_key("private", "search", "noor", "--json").json["result"]["hits"][0]
    assert (hit["memory"]["tags"], hit["memory"]["private"], hit["text"]) == (["post"], True, "Dear Noor")
    asked = with_key("private", "forget", "letter", stdin=b"")
    assert (asked.code, "--yes` agrees" in asked.err) == (2, True)
    gone = with_key("private", "forget", "letter", "--yes")
    assert "memvault private restore" in gone.err
    with_key("private", "restore", "letter")
    assert with_key("private", "--json").json["result"]["total"] == 2


def test_what_nobody_asked_to_find_is_in_no_answer(with_key: Line) -> None:
    for words in (
        ("recall", "spare key behind"),
        ("recall", "spare key behind", "--context"),
        (
            "vault",
            "list",
        ),
        ("dig", "spare key"),
        (
            "vault",
            "doctor",
        ),
        (
            "vault",
            "log",
        ),
        (
            "agent",
            "claude-md",
        ),
        ("export", "-", "--format", "jsonl", "--private"),
        ("status",),
    ):
        ran = with_key(*words)
        assert NEEDLE not in ran.out + ran.err
    assert "1 sealed memory" in with_key("status").out


def test_an_agent_is_told_no(with_key: Line) -> None:
    for action in ("list", "show", "search"):
        ran = with_key("private", action, *([] if action == "list" else ["key"]), CLAUDECODE="1")
        assert (ran.code, ran.out) == (5, "")
        assert "claude-code" in ran.err


def test_rekey_asks_first_and_says_what_it_cannot_do(with_key: Line) -> None:
    assert with_key("private", "rekey", stdin=b"").code == 2
    ran = with_key("private", "rekey", "--yes")
    assert "Sealed anew: 1 memory." in ran.out
    assert "cannot be taken back" in " ".join(ran.err.split())


def test_another_machines_key_is_admitted_and_dismissed(with_key: Line) -> None:
    _, recipient = identity()
    assert "Sealed anew: 1 memory" in with_key("private", "admit", recipient).out
    assert recipient in with_key("private", "status").out
    assert with_key("private", "dismiss", recipient).code == 0
    assert recipient not in with_key("private", "status").out


def test_without_a_daemon_unlock_says_what_it_needs(with_key: Line) -> None:
    ran = with_key("private", "unlock")
    assert (ran.code, "vault watch start" in ran.err) == (3, True)
    assert with_key("private", "lock").out == "Nothing lay open.\n"
    assert with_key("private", "unlock", "--for", "2 days").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("burn",),
        ("show",),
        ("list", "key"),
        ("admit", "a", "b"),
        ("show", "key", "--purge"),
        ("unlock", "--text", "x"),
        ("edit", "key", "--text", "a", "--append", "b"),
        ("show", "key", "--raw", "--json"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...], with_key: Line) -> None:
    assert with_key("private", *words).code == 2


def test_private_and_update_exclude_each_other(with_key: Line) -> None:
    assert with_key("remember", "--private", "--update", "tea", "More.").code == 2


# -- no text on any disk


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    """An editor that writes a line to what it was given, and notes where that lay."""
    script = tmp_path / "ed"
    script.write_text(
        f'#!/bin/sh\nfor last; do :; done\necho "$last" > {tmp_path}/where\nprintf "%s\\n" "{TEXT}" > "$last"\n'
    )
    script.chmod(0o700)
    return script


quiet = pytest.mark.skipif(programs.memory_folder() is None, reason="no folder here is memory")


@quiet
def test_the_editor_works_in_memory_alone(with_key: Line, editor: Path, tmp_path: Path) -> None:
    where = tmp_path / "where"
    with_key("remember", "--private", stdin=None, EDITOR=str(editor))
    assert where.read_text().startswith("/dev/shm/memvault-private-")
    assert with_key("private", "--json").json["result"]["total"] == 2
    with_key("private", "edit", "spare key", EDITOR=str(editor))
    assert not Path(where.read_text().strip()).parent.exists()
    script = tmp_path / "ed"
    script.unlink()
    assert not holding(tmp_path)


def test_where_no_folder_is_memory_no_editor_is_started(
    with_key: Line, editor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "memory_folder", lambda: None)
    ran = with_key("private", "edit", "spare key", EDITOR=str(editor))
    assert (ran.code, "--text -" in ran.err) == (1, True)
    assert not (tmp_path / "where").exists()


def test_a_mounted_disk_is_not_taken_for_memory(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda1 /dev/shm ext4 rw 0 0\n")
    assert programs.memory_folder(mounts) is None
    assert programs.memory_folder(tmp_path / "none") is None
    mounts.write_text("tmpfs /dev/shm tmpfs rw 0 0\n")
    assert programs.memory_folder(mounts) == (SHARED if sys.platform == "linux" else None)


def test_no_verb_leaves_a_word_on_any_disk(with_key: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    _, recipient = identity()
    for words in (
        ("remember", "--private", f"{TEXT} Twice."),
        ("remember", "--private", TEXT, "--weight", "7"),  # refused
        ("private",),
        ("private", "show", "spare key"),
        ("private", "search", NEEDLE),
        ("private", "edit", "spare key", "--append", f"{NEEDLE} again", "--add-tag", NEEDLE),
        ("private", "edit", "spare key", "--set", "no"),  # refused
        ("private", "admit", recipient),
        ("private", "rekey", "--yes"),
        ("recall", NEEDLE),
        ("maintain",),
        (
            "agent",
            "claude-md",
        ),
        (
            "vault",
            "reindex",
        ),
        ("report", "--no-open"),
        ("export", "all.zip", "--private"),
        ("private", "forget", "spare key", "--yes"),
        ("private", "restore", "spare key"),
    ):
        with_key(*words)
        assert not holding(tmp_path), words
        assert not [path for path in SHARED.glob("memvault-private-*") if holding(path)], words
    assert with_key("private", "search", NEEDLE, "--json").json["result"]["hits"]


@quiet
@pytest.mark.points(only=True)
def test_one_that_is_killed_while_the_editor_is_open_leaves_nothing(
    at_home: dict[str, str], with_key: Line, tmp_path: Path
) -> None:
    script = tmp_path / "ed"
    script.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" > {tmp_path}/where\nkill -9 $PPID\n')
    script.chmod(0o700)
    ran = subprocess.run(
        [sys.executable, "-m", "memvault", "private", "edit", "spare key"],
        env={**machine(at_home), "EDITOR": str(script)},
        cwd=os.getcwd(),  # noqa: PTH109 - where the vault is
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL
    until((tmp_path / "where").exists)
    folder = Path((tmp_path / "where").read_text().strip()).parent
    until(lambda: not folder.exists())
    assert not holding(tmp_path)
    assert "Spare key" in with_key("private").out
