"""The watch: it says what it takes in, writes no note, and ends when it is told to."""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.cli.vault.watch import _stop_on_signals, watch_vault
from memvault.daemon.watcher import WatchResult
from memvault.errors import NoVault

SOON = 30  # seconds after which a test that waits for the real thing gives up


def test_a_note_written_by_another_program_is_taken_in_and_nothing_is_written(
    vault: Memvault, open_vault: Callable[..., Memvault]
) -> None:
    said: queue.Queue[str] = queue.Queue()
    seen: list[WatchResult] = []
    bell = threading.Event()
    watcher = threading.Thread(target=lambda: seen.append(watch_vault(lambda: open_vault(vault.root), bell, said.put)))
    watcher.start()
    try:
        assert said.get(timeout=SOON) == f"Watching {vault.root}; Ctrl-C ends it."
        elsewhere, note = vault.root.with_name("new.md"), vault.root / "2-memories" / "new.md"
        elsewhere.write_text("Written by somebody else.", encoding="utf-8")
        before = elsewhere.stat()
        elsewhere.rename(note)
        assert said.get(timeout=SOON) == "took in 1 changed note"
        assert (note.stat().st_mtime_ns, note.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    finally:
        bell.set()
        watcher.join(timeout=SOON)
    assert not watcher.is_alive()
    assert seen == [WatchResult(batches=1, notes=1)]


def test_where_there_is_no_vault_it_ends_at_once(tmp_path: Path, open_vault: Callable[..., Memvault]) -> None:
    with pytest.raises(NoVault):
        watch_vault(lambda: open_vault(tmp_path / "nothing"), threading.Event(), lambda _: None)


def test_signals_end_it_and_are_given_back_afterwards() -> None:
    ended: list[bool] = []
    before = signal.getsignal(signal.SIGTERM)
    with _stop_on_signals(lambda: ended.append(True)):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert ended == [True, True]
    assert signal.getsignal(signal.SIGTERM) is before
