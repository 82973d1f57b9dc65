"""Where it cannot be told what was forgotten, nothing is stored; all else goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import Forgotten, MarksUnknown
from tests.conftest import Opener
from tests.transcripts.talking import GAUGES, chat

FACT = "The gauge at Hollin falls dry at every spring tide, so move it to the downstream pier."


@pytest.fixture
def ledgers(vault: Memvault) -> Path:
    """The folder with the marks of a text that was forgotten, which another machine wrote."""
    vault.forget(vault.remember(FACT).memory.id)
    folder = vault.root / ".memvault/ledger"
    own = next(folder.glob("*.jsonl"))
    own.rename(folder / "elsewhere.jsonl")
    return folder


def a_folder_in_its_place(folder: Path) -> None:
    (folder / "elsewhere.jsonl").unlink()
    (folder / "elsewhere.jsonl").mkdir()


def a_link_to_nowhere(folder: Path) -> None:
    (folder / "elsewhere.jsonl").unlink()
    (folder / "elsewhere.jsonl").symlink_to(folder / "gone")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "elsewhere.jsonl: it is a folder": a_folder_in_its_place,
    "elsewhere.jsonl": a_link_to_nowhere,
    "key": lambda folder: (folder / "key").unlink(),
    "key: it is damaged": lambda folder: (folder / "key").write_bytes(bytes(65)),
    "key: it is damaged ": lambda folder: (folder / "key").write_text(""),
}


@pytest.mark.parametrize("named", list(DAMAGES))
def test_nothing_is_stored_and_the_file_is_named(
    vault: Memvault, ledgers: Path, open_vault: Opener, tmp_path: Path, named: str
) -> None:
    DAMAGES[named](ledgers)
    agent = open_vault(vault.root, agent="claude-code", session="s-1")
    for store in (agent.remember, agent.capture, vault.remember):
        with pytest.raises(MarksUnknown) as found:
            store(FACT)
        assert str(ledgers / named.partition(":")[0].strip()) in str(found.value)
        assert named.partition(":")[2].strip() in str(found.value)
    taken = vault.ingest([chat(tmp_path / "talk.json", GAUGES)])
    assert "the list of forgotten memories" in taken.failed[0][1]
    assert not list(vault.root.rglob("*.jsonl.gz"))


@pytest.mark.parametrize("named", list(DAMAGES))
def test_what_is_there_is_found_and_kept_in_order(vault: Memvault, ledgers: Path, named: str) -> None:
    (vault.root / "2-memories/tides.md").write_text("Springs come a day and a half after the full moon.\n")
    DAMAGES[named](ledgers)
    assert vault.recall("when do springs come").hits
    vault.maintain()
    assert (vault.root / "2-memories/tides.md").exists()


def test_a_person_who_wants_it_all_the_same_gets_it(vault: Memvault, ledgers: Path) -> None:
    (ledgers / "key").write_bytes(b"")
    assert vault.remember(FACT, again=True).op


def test_no_new_key_takes_the_place_of_one_that_was_lost(vault: Memvault, ledgers: Path) -> None:
    other = vault.remember("Neaps are small, and come with the half moon.", again=True).memory
    kept = (ledgers / "key").read_bytes()
    (ledgers / "key").unlink()
    with pytest.raises(MarksUnknown):
        vault.forget(other.id)
    assert not (ledgers / "key").exists()
    (ledgers / "key").write_bytes(kept)
    with pytest.raises(Forgotten):
        vault.remember(FACT)
    assert vault.forget(other.id).op


def test_a_damaged_line_is_obeyed_as_long_as_its_mark_can_be_read(vault: Memvault, ledgers: Path) -> None:
    path = ledgers / "elsewhere.jsonl"
    lines = [line for line in path.read_bytes().split(b"\n") if line]
    assert all(b"tombstone" in line for line in lines[-2:])
    path.write_bytes(b"\n".join(line.replace(b'{"t":', b'\x00"t"\x00', 1) for line in lines) + b"\n")
    with pytest.raises(Forgotten):
        vault.remember(FACT)


def test_where_nothing_was_ever_forgotten_no_key_is_missed(vault: Memvault) -> None:
    assert not (vault.root / ".memvault/ledger/key").exists()
    assert vault.remember(FACT).op
