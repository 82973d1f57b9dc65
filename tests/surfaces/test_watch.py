"""The watch: hints are gathered, everything is looked over in good time, trouble is told, no note is written."""

from __future__ import annotations

import errno
import queue
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from watchdog.events import (
    FileClosedEvent,
    FileClosedNoWriteEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileOpenedEvent,
    FileSystemEvent,
)
from watchdog.observers import Observer

from memvault.api import Memvault
from memvault.errors import BadConfigFile, NotAVault, Unreadable
from memvault.surfaces import watch as watching
from memvault.surfaces.cli.watch import _ended_by_signals
from memvault.surfaces.watch import LONGEST_WAIT, Lookout, Pace, ThreadBell, Watched, hints_at_change, keep_watch, watch

SOON = 30  # seconds after which a test that waits for the real thing gives up


class ScriptedBell:
    """A bell that is rung at given moments of its own clock, and silenced at the last."""

    def __init__(self, rings: list[float], *, until: float) -> None:
        self.now = 0.0
        self.over = False
        self.waits = 0
        self._rings = sorted(rings)
        self._until = until

    def wait(self, seconds: float) -> bool:
        self.waits += 1
        rung = bool(self._rings) and self._rings[0] <= self.now + seconds
        self.now = self._rings.pop(0) if rung else self.now + seconds
        self.over = self.now >= self._until
        return rung


def looks_at(
    rings: list[float], *, until: float, scan: float = 60, taken: int = 1
) -> tuple[list[float], ScriptedBell, Watched]:
    """When the watch looked, with a quiet time of 0.4 s."""
    bell = ScriptedBell(rings, until=until)
    looks: list[float] = []

    def look() -> int:
        looks.append(round(bell.now, 3))
        return taken

    seen = keep_watch(look, Pace(quiet=0.4, scan=scan, now=0.0), bell, lambda: bell.now)
    return looks, bell, seen


def test_a_burst_of_events_is_taken_in_once_after_a_quiet_moment() -> None:
    looks, _, seen = looks_at([1.0, 1.1, 1.2, 1.3], until=10)
    assert looks == [0, 1.7]
    assert seen == Watched(batches=2, notes=2)


def test_two_changes_apart_are_taken_in_one_by_one() -> None:
    looks, _, _ = looks_at([1.0, 5.0], until=10)
    assert looks == [0, 1.4, 5.4]


def test_a_busy_editor_does_not_put_it_off_for_ever() -> None:
    looks, _, _ = looks_at([n / 10 for n in range(10, 100)], until=10)
    assert looks[1] == 1.0 + LONGEST_WAIT
    assert len(looks) >= 3


def test_everything_is_looked_over_now_and_then_though_nothing_is_heard() -> None:
    looks, bell, seen = looks_at([], until=200, taken=0)
    assert looks == [0, 60, 120, 180]
    assert bell.waits <= 5  # asleep in between
    assert seen == Watched(batches=0, notes=0)


def test_a_scan_begins_anew_after_every_look() -> None:
    looks, _, _ = looks_at([50.0], until=115)
    assert looks == [0, 50.4, 110.4]


def test_it_ends_without_another_look_when_it_is_over() -> None:
    looks, _, _ = looks_at([1.0], until=1.2)
    assert looks == [0]


@pytest.mark.parametrize(
    ("event", "hints"),
    [
        (FileModifiedEvent("/v/2-memories/a.md"), True),
        (FileCreatedEvent("/v/a.md"), True),
        (FileDeletedEvent("/v/notes/a.md"), True),
        (FileClosedEvent("/v/a.md"), True),
        (FileMovedEvent("/elsewhere/a.md", "/v/a.md"), True),
        (FileMovedEvent("/v/.trash/a.md", "/v/a.md"), True),
        (FileModifiedEvent("/v/memvault.toml"), True),
        (FileModifiedEvent("/v/.memvaultignore"), True),
        (FileOpenedEvent("/v/a.md"), False),
        (FileClosedNoWriteEvent("/v/a.md"), False),
        (FileModifiedEvent("/v/.memvault/journal/d/2026-01.jsonl"), False),
        (FileModifiedEvent("/v/.obsidian/workspace.json"), False),
        (FileCreatedEvent("/v/.git/index.lock"), False),
        (FileCreatedEvent("/v/notes/.a.md.tmp"), False),
        (FileModifiedEvent("/elsewhere/a.md"), False),
    ],
)
def test_which_events_hint_at_a_change(event: FileSystemEvent, hints: bool) -> None:
    assert hints_at_change(event, Path("/v")) is hints


class TestTheLookout:
    @pytest.fixture
    def said(self) -> list[str]:
        return []

    @pytest.fixture
    def lookout(self, vault: Memvault, open_vault: Callable[..., Memvault], said: list[str]) -> Lookout:
        return Lookout(lambda: open_vault(vault.root), said.append)

    def test_takes_in_what_changed_and_says_how_much(self, lookout: Lookout, vault: Memvault, said: list[str]) -> None:
        assert lookout.look() == 0
        for name in ("one", "two", "three"):
            (vault.root / "2-memories" / f"{name}.md").write_text(f"The {name} note.", encoding="utf-8")
        assert lookout.look() == 3
        assert lookout.look() == 0
        assert said == ["took in 3 changed notes"]
        assert {hit.memory.name for hit in vault.recall("note").hits} == {"one", "two", "three"}

    def test_counts_a_moved_note_once(self, lookout: Lookout, vault: Memvault, said: list[str]) -> None:
        note = vault.root / "2-memories" / "one.md"
        note.write_text("A note.", encoding="utf-8")
        lookout.look()
        note.rename(vault.root / "1-hot" / "one.md")
        assert lookout.look() == 1
        assert said[-1] == "took in 1 changed note"

    def test_tells_trouble_and_goes_on(
        self, lookout: Lookout, said: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(_vault: Memvault) -> int:
            raise Unreadable(path="1-hot", reason="the disk is not there")

        with monkeypatch.context() as broken:
            broken.setattr(Memvault, "freshen", fails)
            assert lookout.look() == 0
        assert said == ["memvault: 1-hot cannot be read: the disk is not there."]
        assert lookout.look() == 0

    def test_opens_the_vault_anew_when_its_rules_changed(
        self, lookout: Lookout, vault: Memvault, said: list[str]
    ) -> None:
        (vault.root / "2-memories" / "hidden.md").write_text("To be hidden.", encoding="utf-8")
        assert lookout.look() == 1
        (vault.root / ".memvaultignore").write_text("hidden.md\n", encoding="utf-8")
        assert lookout.look() == 1
        assert "opened the vault anew" in said[1]
        assert vault.root == lookout.vault.root

    def test_keeps_watching_with_the_old_rules_where_the_new_ones_are_nonsense(
        self, lookout: Lookout, vault: Memvault, said: list[str]
    ) -> None:
        (vault.root / "memvault.toml").write_text("[recall\n", encoding="utf-8")
        assert lookout.look() == 0
        assert "cannot be read as TOML" in said[0]
        assert BadConfigFile.__name__ not in said[0]

    def test_ends_when_the_vault_is_gone(self, lookout: Lookout, vault: Memvault) -> None:
        vault.root.rename(vault.root.with_name("gone"))
        with pytest.raises(NotAVault):
            lookout.look()


def test_where_no_events_come_it_says_so_and_looks_more_often(
    vault: Memvault, open_vault: Callable[..., Memvault], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_observer: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    paces: list[float] = []

    def note_the_pace(_look: object, pace: Pace, *_: object) -> Watched:
        pace.looked(0.0)
        paces.append(pace.rest(0.0))
        return Watched(0, 0)

    monkeypatch.setattr(Observer, "start", fails)
    monkeypatch.setattr(watching, "keep_watch", note_the_pace)
    monkeypatch.setattr(watching.time, "monotonic", lambda: 0.0)
    said: list[str] = []
    watch(lambda: open_vault(vault.root), ThreadBell(), said.append)
    assert "inotify watch limit reached" in said[0]
    assert paces == [watching.POLL_SECONDS]


def test_a_note_written_by_another_program_is_taken_in_and_nothing_is_written(
    vault: Memvault, open_vault: Callable[..., Memvault]
) -> None:
    said: queue.Queue[str] = queue.Queue()
    seen: list[Watched] = []
    bell = ThreadBell()
    watcher = threading.Thread(target=lambda: seen.append(watch(lambda: open_vault(vault.root), bell, said.put)))
    watcher.start()
    try:
        assert said.get(timeout=SOON).startswith("Watching ")
        elsewhere, note = vault.root.with_name("new.md"), vault.root / "2-memories" / "new.md"
        elsewhere.write_text("Written by somebody else.", encoding="utf-8")
        before = elsewhere.stat()
        elsewhere.rename(note)
        assert said.get(timeout=SOON) == "took in 1 changed note"
        assert (note.stat().st_mtime_ns, note.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    finally:
        bell.silence()
        watcher.join(timeout=SOON)
    assert not watcher.is_alive()
    assert seen == [Watched(batches=1, notes=1)]


def test_signals_end_it_and_are_given_back_afterwards() -> None:
    ended: list[bool] = []
    before = signal.getsignal(signal.SIGTERM)
    with _ended_by_signals(lambda: ended.append(True)):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert ended == [True, True]
    assert signal.getsignal(signal.SIGTERM) is before
