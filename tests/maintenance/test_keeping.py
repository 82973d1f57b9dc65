"""What is kept beside the notes is told in one place, and goes only when the person has set how long."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.context import injection_log as injected
from memvault.core.conversation import Conversation, Turn
from memvault.core.settings import SETTINGS
from memvault.errors import Unwritable
from memvault.storage.journal import exchanges
from memvault.storage.journal.exchanges import Interaction
from memvault.system import files
from memvault.transcripts.archive.read import Transcript
from memvault.transcripts.model.record import TranscriptEntry, UnexpiredRecords
from tests.conftest import START, Clock, Opener
from tests.transcripts.talking import CONCERT, GAUGES, chat

SEALED = b"age-encryption.org/v1\n-> X25519 key\nbody\n--- mac\n" + bytes(40)  # as far as it is seen without a key
STORES = {
    "trash",
    "undo",
    "journals",
    "ledgers",
    "conversations",
    "sealed originals",
    "exchanges and injections",
    "what agents did",
    "upkeep log",
    "census",
    "marks of sessions",
    "private memories",
    "hook log",
}


@pytest.fixture
def full(vault: Memvault, tmp_path: Path, clock: Clock) -> Memvault:
    """A vault with something in its trash, a conversation with a sealed original, and logs."""
    clock.now = datetime.now(UTC).replace(microsecond=0)  # when a file was thrown away is the system's to tell
    vault.forget(vault.remember("Neaps are small, and come with the half moon.", title="Neaps").memory.id)
    vault.ingest([chat(tmp_path / "talk.json", GAUGES)])
    talk = next(path for path in vault.root.rglob("*.jsonl.gz") if ".facts." not in path.name)
    Path(str(talk).replace(".jsonl.gz", ".1.sealed.age")).write_bytes(SEALED)
    state = vault.state_folder
    exchanges.record_exchange(
        state, Interaction(at=clock.now, session="one", asked="Where is the gauge?", answered="At Hollin.")
    )
    injected.append_record(
        state, injected.InjectionRecord(at=clock.now, session="one", event="SessionStart", ids=("an id",))
    )
    for path in vault.root.rglob("*"):  # as old as the clock of the test has it
        if path.is_file():
            os.utime(path, (clock.now.timestamp(), clock.now.timestamp()))
    return vault


def archived(vault: Memvault) -> list[Turn]:
    """The turns of the only conversation."""
    [path] = (path for path in vault.root.rglob("*.jsonl.gz") if ".facts." not in path.name)
    return list(Transcript(path, path.with_name(path.name.replace(".jsonl", ".facts.jsonl"))).read_turns())


def found_by(vault: Memvault, check: str) -> list[str]:
    return [finding.sentence for finding in vault.doctor(verify=True).left if finding.check == check]


def left(vault: Memvault) -> set[str]:
    """Which stores hold anything."""
    return {store.store for store in vault.list_stores() if store.files}


def reopened(vault: Memvault, open_vault: Opener, **days: int) -> Memvault:
    return open_vault(vault.root, settings={f"keep.{name}_days": value for name, value in days.items()})


def test_every_store_is_listed_with_its_size_days_and_settings(full: Memvault, clock: Clock) -> None:
    stores = {store.store: store for store in full.list_stores()}
    assert set(stores) == STORES
    trash = stores["trash"]
    assert (trash.where, trash.files, trash.until) == (".trash", 1, "for good, unless you set how long")
    assert trash.size == sum(path.stat().st_size for path in (full.root / ".trash").iterdir())
    assert trash.first == trash.last == clock.now
    assert stores["undo"].until == "90 days, and within 200 MB"
    assert all(name in SETTINGS for store in stores.values() for name in store.settings)


def test_nothing_goes_by_itself(full: Memvault, clock: Clock) -> None:
    before = left(full)
    clock.pass_(days=3650)
    assert full.maintain().expired == ()
    assert left(full) - {"census", "upkeep log"} == before - {"census", "upkeep log"}
    assert exchanges.latest_exchanges(full.state_folder)


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("trash", {"trash"}),
        ("conversations", {"conversations", "sealed originals"}),
        ("originals", {"sealed originals"}),
    ],
)
def test_retention_removes_what_is_older_than_set_and_nothing_else(
    full: Memvault, open_vault: Opener, clock: Clock, name: str, gone: set[str]
) -> None:
    vault = reopened(full, open_vault, **{name: 30})
    vault.maintain()
    before = left(vault)
    assert gone <= before
    clock.pass_(days=29)
    assert vault.maintain().expired == ()
    clock.pass_(days=2)
    would = vault.maintain(dry_run=True).expired
    assert left(vault) == before
    assert vault.maintain().expired == would
    assert len(would) >= len(gone)
    assert left(vault) == before - gone
    assert vault.maintain().expired == ()
    assert vault.log()[0].verb in ("let-go", "maintain")
    assert [finding for finding in vault.doctor(verify=True).left if finding.severity == "error"] == []


def test_lines_of_logs_that_are_too_old_are_blanked(full: Memvault, open_vault: Opener, clock: Clock) -> None:
    vault = reopened(full, open_vault, logs=7)
    clock.pass_(days=8)
    late = Interaction(at=clock.now, session="two", asked="And the boat?", answered="At the quay.")
    exchanges.record_exchange(vault.state_folder, late)
    vault.maintain()
    assert [one.session for one in exchanges.latest_exchanges(vault.state_folder)] == ["two"]
    assert injected.last_records(vault.state_folder) == ()
    assert "Hollin" not in (vault.state_folder / "interactions.jsonl").read_text()


def test_a_conversation_that_went_is_not_taken_in_again_while_the_limit_stands(
    full: Memvault, open_vault: Opener, clock: Clock, tmp_path: Path
) -> None:
    vault = reopened(full, open_vault, conversations=30)
    clock.pass_(days=31)
    assert len(vault.maintain().expired) == 3
    again = vault.ingest([tmp_path / "talk.json"])
    assert (again.lapsed, again.forgotten, again.taken) == (1, 0, ())
    assert vault.ingest([tmp_path / "talk.json"]).lapsed == 1
    assert full.ingest([tmp_path / "talk.json"]).taken[0].turns == len(GAUGES)


def test_new_turns_of_an_expired_conversation_are_ingested(
    full: Memvault, open_vault: Opener, clock: Clock, tmp_path: Path
) -> None:
    vault = reopened(full, open_vault, conversations=30)
    clock.pass_(days=31)
    vault.maintain()
    later = clock.now.date().isoformat()
    source = chat(tmp_path / "talk.json", GAUGES, CONCERT, days=("2026-01-05", later))
    found = vault.ingest([source])
    assert (found.lapsed, found.forgotten) == (0, 0)
    assert [taken.turns for taken in found.taken] == [len(CONCERT)]
    there = archived(vault)
    assert [turn.text for turn in there if turn.text != "[forgotten]"] == [text for _, text in CONCERT]
    assert [turn.id for turn in there] == [f"0.{n}" for n in range(len(GAUGES))] + [
        f"1.{n}" for n in range(len(CONCERT))
    ]
    assert vault.ingest([source]).taken == ()
    assert archived(vault) == there
    assert found_by(vault, "turns") == []
    clock.pass_(days=31)
    assert len(vault.maintain().expired) == 2
    again = vault.ingest([source])
    assert (again.lapsed, again.taken) == (1, ())


def test_each_machine_keeps_a_conversation_as_long_as_its_own_person_says(
    full: Memvault, open_vault: Opener, clock: Clock, tmp_path: Path
) -> None:
    clock.pass_(days=31)
    assert len(reopened(full, open_vault, conversations=30).maintain().expired) == 3
    patient = reopened(full, open_vault, conversations=3650)
    found = patient.ingest([tmp_path / "talk.json"])
    assert (found.lapsed, [taken.turns for taken in found.taken]) == (0, [len(GAUGES)])


def test_a_session_that_goes_on_in_another_file_brings_nothing_back_that_went(clock: Clock) -> None:
    old, new = "0b0f6c1e-0000-4000-8000-000000000001", "0b0f6c1e-0000-4000-8000-000000000002"
    ends = {old: START}
    rest = UnexpiredRecords(Conversation(id=new, source="claude-code"), ends.get, is_there=False)
    told = [
        TranscriptEntry(turn=Turn(id="1", speaker="user", text="Before.", session=old, time=START)),
        TranscriptEntry(raw={"sessionId": old, "type": "tool"}),
        TranscriptEntry(turn=Turn(id="2", speaker="user", text="Since.", session=old, time=START + timedelta(hours=1))),
        TranscriptEntry(raw={"sessionId": new, "type": "tool"}),
        TranscriptEntry(turn=Turn(id="3", speaker="user", text="Now.", session=new)),
    ]
    assert list(rest.filter_records(told)) == told[2:]


def test_no_vault_says_how_long_its_readers_keep_anything(full: Memvault) -> None:
    assert {SETTINGS[name].set_by for name in SETTINGS if name.startswith("keep.")} == {"person"}


def test_recently_trashed_files_stay_however_old_they_are(full: Memvault, open_vault: Opener, clock: Clock) -> None:
    vault = reopened(full, open_vault, trash=30)
    clock.pass_(days=40)
    other = vault.remember("Springs come a day and a half after the full moon.", title="Springs").memory
    long_ago = (START - timedelta(days=900)).timestamp()
    os.utime(vault.root / other.path, (long_ago, long_ago))
    vault.forget(other.id)
    vault.maintain()
    assert [path.name for path in (vault.root / ".trash").iterdir()] == [other.path.rpartition("/")[2]]


def test_another_of_the_same_name_that_was_thrown_away_by_hand_lately_stays(
    full: Memvault, open_vault: Opener, clock: Clock
) -> None:
    [thrown] = (full.root / ".trash").iterdir()
    thrown.unlink()
    journal = next((full.root / ".memvault/journal").glob("*/*.jsonl"))
    told = journal.read_text(encoding="utf-8")
    clock.pass_(days=-400)  # so long ago does the journal say that memvault threw the first one away
    then, now = clock.now.date().isoformat(), (clock.now + timedelta(days=400)).date().isoformat()
    journal.write_text(told.replace(now, then), encoding="utf-8")
    clock.pass_(days=400)
    thrown.write_text("Thrown away by hand, a minute ago.\n", encoding="utf-8")
    assert reopened(full, open_vault, trash=30).maintain().expired == ()
    assert thrown.exists()


# -- what is not the vault's


@pytest.fixture
def victim(tmp_path: Path, clock: Clock) -> Path:
    """A folder outside the vault, with files in it and below it."""
    folder = tmp_path / "Documents"
    (folder / "2024").mkdir(parents=True)
    for name in ("thesis.odt", "2024/taxes.pdf", "2024/talk.jsonl.gz", "2024/letter.sealed.age"):
        (folder / name).write_bytes(b"mine")
    return folder


LINKED = (".trash", ".trash/more", "3-raw", "3-raw/transcripts", "3-raw/transcripts/2024", ".memvault/undo/more")


@pytest.mark.skipif(sys.platform == "win32", reason="makes symbolic links")
@pytest.mark.parametrize("name", LINKED)
def test_a_link_in_the_vault_leads_upkeep_to_nothing_outside(
    vault: Memvault, open_vault: Opener, clock: Clock, victim: Path, name: str
) -> None:
    link = vault.root / name
    if link.exists():
        shutil.rmtree(link)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim, target_is_directory=True)
    before = sorted(victim.rglob("*"))
    clock.now = datetime.now(UTC) + timedelta(days=400)
    strict = reopened(vault, open_vault, trash=1, conversations=1, originals=1)
    assert strict.maintain().expired == ()
    assert sorted(victim.rglob("*")) == before
    assert {path.stat().st_size for path in victim.rglob("*.*")} == {4}


@pytest.mark.skipif(sys.platform == "win32", reason="makes symbolic links")
def test_a_link_that_leads_to_the_notes_themselves_costs_none(
    vault: Memvault, open_vault: Opener, clock: Clock
) -> None:
    note = vault.root / vault.remember("Neaps are small, and come with the half moon.", title="Neaps").memory.path
    (vault.root / ".trash").symlink_to(note.parent, target_is_directory=True)
    clock.now = datetime.now(UTC) + timedelta(days=400)
    assert reopened(vault, open_vault, trash=1).maintain(only=()).expired == ()
    assert list(vault.root.rglob(note.name)) != []


@pytest.mark.skipif(sys.platform == "win32", reason="makes symbolic links")
def test_the_doctor_warns_of_a_folder_of_the_vault_that_is_a_link(vault: Memvault, victim: Path) -> None:
    (vault.root / ".trash").symlink_to(victim, target_is_directory=True)
    (vault.root / "elsewhere").symlink_to(victim, target_is_directory=True)
    found = {finding.path: finding.severity for finding in vault.doctor().left}
    assert (found[".trash"], found["elsewhere"]) == ("error", "note")


# -- what cannot go


def test_files_that_cannot_be_removed_are_reported_and_stop_nothing(
    full: Memvault, open_vault: Opener, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = full.root / ".trash/ro/a.md"
    kept.parent.mkdir()
    kept.write_text("Kept by the system.\n", encoding="utf-8")
    vault = reopened(full, open_vault, trash=30)
    clock.pass_(days=31)
    remove = files.remove_file

    def refusing(path: Path) -> None:
        if path == kept:
            raise Unwritable(path=path, reason="permission is denied")
        remove(path)

    monkeypatch.setattr(files, "remove_file", refusing)
    for count in (1, 0):
        found = vault.maintain()
        assert len(found.expired) == count
        assert [path for path, _ in found.refused] == [".trash/ro/a.md"]
        assert "cannot be removed: permission is denied" in found.refused[0][1]
        assert found.skipped == ""
    assert (full.root / "CLAUDE.md").exists()
    monkeypatch.undo()
    assert vault.maintain().expired == (".trash/ro/a.md",)


def test_a_file_that_goes_while_the_stores_are_counted_is_kept_no_more(
    full: Memvault, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = files.list_files

    def going(root: Path, folder: Path) -> Iterator[Path]:
        for path in below(root, folder):
            yield path if folder.name != ".trash" else path.with_name("gone")

    monkeypatch.setattr(files, "list_files", going)
    stores = {store.store: store for store in full.list_stores()}
    assert (stores["trash"].files, stores["undo"].files > 0) == (0, True)
