"""Notes saved twice within one tick of the disk's clock: the index says what stands there, not what stood there between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.storage.vault import listing
from memvault.storage.vault import vault as store
from memvault.system import files
from memvault.system.files import reader

NOTE = "2-memories/bird.md"


def put(vault: Memvault, text: str, path: str = NOTE) -> None:
    full = vault.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text)


def found(vault: Memvault, word: str) -> list[str]:
    return [hit.memory.path for hit in vault.recall(word).hits]


@pytest.fixture
def tick(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A disk whose clock stands at a whole second until it is told to go on; it is `away` from ours by so much."""

    def at(away: int) -> None:
        moment = 1_700_000_000 * 10**9
        monkeypatch.setattr(listing, "_KEY", lambda stat: (stat.st_size, moment, moment, stat.st_ino))
        monkeypatch.setattr(files, "may_change_unseen", reader.may_change_unseen)
        monkeypatch.setattr(reader.time, "time_ns", lambda: moment + away)

    return at


def test_a_second_save_of_the_same_size_in_the_same_tick_is_found(vault: Memvault, tick: Callable[[int], None]) -> None:
    tick(0)
    put(vault, "A plover sat there.")
    assert found(vault, "plover") == [NOTE]
    put(vault, "A curlew sat there.")
    assert found(vault, "curlew") == [NOTE]
    assert found(vault, "plover") == []


def test_it_is_looked_at_until_the_tick_is_over_and_then_no_more(
    vault: Memvault, tick: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tick(0)
    put(vault, "A plover sat there.")
    assert vault.refresh() == 1
    assert vault.refresh() == 0
    put(vault, "A curlew sat there.")
    assert vault.refresh() == 1
    tick(10**10)
    assert vault.refresh() == 0
    read: list[Path] = []
    monkeypatch.setattr(store.Vault, "read_note", lambda self, path, **_: read.append(path))
    assert vault.refresh() == 0
    assert read == []


def test_another_note_of_its_folder_is_taken_in_meanwhile(vault: Memvault, tick: Callable[[int], None]) -> None:
    tick(0)
    put(vault, "A plover sat there.")
    vault.refresh()
    put(vault, "A godwit stood there.", "2-memories/other.md")
    assert found(vault, "godwit") == ["2-memories/other.md"]
    put(vault, "A curlew sat there.")
    assert found(vault, "curlew") == [NOTE]


def test_a_note_that_moves_between_the_listing_and_the_reading_is_found_where_it_is(
    vault: Memvault, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault, "A plover sat there.")
    assert found(vault, "plover") == [NOTE]
    id_, moved, read = vault.find(NOTE).id, "1-hot/bird.md", store.Vault.read_note

    def note(self: store.Vault, path: str, **given: int) -> object:
        if path == moved and (vault.root / moved).exists():
            (vault.root / moved).rename(vault.root / NOTE)
        return read(self, path, **given)

    (vault.root / NOTE).rename(vault.root / moved)
    monkeypatch.setattr(store.Vault, "read_note", note)
    assert vault.find(id_).path == NOTE
    assert vault.refresh() == 0
