"""Verifying tells damage from a person's edits, and names what may bring back what was lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.maintenance.doctor import DoctorFinding, DoctorResult
from memvault.storage.file_digests import FILE
from tests.conftest import Clock
from tests.maintenance.doctor.damage import snapshot
from tests.transcripts.talking import CONCERT, GAUGES, chat

TEXT = "The gauge at Hollin falls dry at every spring tide, so move it to the downstream pier.\n\nNeaps are small."


@pytest.fixture
def note(vault: Memvault) -> Path:
    """A note that memvault wrote, and that the catalogue knows."""
    made = vault.remember(TEXT, title="Gauge").memory
    vault.recall("where is the gauge")
    return vault.root / made.path


def verify(vault: Memvault, *, accept: bool = False) -> DoctorResult:
    return vault.doctor(verify=True, accept=accept)


def found(diagnosis: DoctorResult, check: str) -> list[DoctorFinding]:
    return [finding for finding in diagnosis.left if finding.check == check]


def with_its_time(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change a file as a disk does that goes bad: its time stays what it was."""
    stat = path.stat()
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def flipped(data: bytes) -> bytes:
    at = data.index(b"Hollin")
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def zeroed(data: bytes) -> bytes:
    at = data.index(b"Hollin")
    return data[:at] + bytes(16) + data[at + 16 :]


# -- what is as it should be


@pytest.mark.points(only=True)
def test_a_vault_that_is_well_is_well(vault: Memvault, note: Path, clock: Clock, tmp_path: Path) -> None:
    vault.ingest([chat(tmp_path / "talk.json", GAUGES, CONCERT)])
    vault.edit("Gauge", append="In green.")
    vault.move("Gauge", "hot")
    other = vault.remember("The quartet plays on Saturday in the chapel.").memory
    vault.forget(other.id)
    for _ in range(2):
        diagnosis = verify(vault)
        assert [finding for finding in diagnosis.left if finding.severity != "note"] == []
        assert diagnosis.verified is not None
        assert (diagnosis.verified.damaged, diagnosis.verified.missing, diagnosis.verified.edited) == ([], [], [])
        assert diagnosis.verified.as_written >= 1
        clock.pass_(days=40)
        vault.maintain()
    assert vault.doctor().verified is None


def test_nothing_in_the_vault_is_changed_by_looking(vault: Memvault, note: Path) -> None:
    with_its_time(note, flipped)
    before = snapshot(vault.root, whole=True)
    verify(vault)
    assert snapshot(vault.root, whole=True) == before


def test_an_edit_by_hand_is_no_damage(vault: Memvault, note: Path) -> None:
    note.write_text(note.read_text().replace("spring tide", "neap tide"))
    (vault.root / "2-memories/mine.md").write_text("# Tides\nSprings come a day after the full moon.\n")
    diagnosis = verify(vault)
    assert diagnosis.verified is not None
    path = note.relative_to(vault.root).as_posix()
    assert (diagnosis.verified.edited, diagnosis.verified.own) == ([path], ["2-memories/mine.md"])
    assert diagnosis.verified.damaged == []
    vault.maintain()
    note.write_text("all of it was deleted but this")
    tally = verify(vault).verified
    assert tally is not None
    assert tally.damaged == []
    assert (tally.edited, tally.own) == ([path], ["2-memories/mine.md"])


def test_a_version_put_back_by_hand_is_no_damage(vault: Memvault, note: Path) -> None:
    before = note.read_bytes()
    vault.edit("Gauge", append="In green.")
    verify(vault)
    with_its_time(note, lambda _data: before)
    tally = verify(vault).verified
    assert tally is not None
    assert (tally.damaged, len(tally.edited)) == ([], 1)


def test_a_note_that_was_renamed_or_moved_by_hand_is_not_missed(vault: Memvault, note: Path) -> None:
    note.rename(vault.root / "1-hot/another name.md")
    tally = verify(vault).verified
    assert tally is not None
    assert tally.missing == []


# -- what is damaged


DAMAGES: dict[str, Callable[[Path], object]] = {
    "its bytes are others than they were": lambda path: with_its_time(path, flipped),
    "zero bytes": lambda path: path.write_bytes(zeroed(path.read_bytes())),
    "it is empty": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("upkept", [False, True])
@pytest.mark.parametrize("said", list(DAMAGES))
def test_damage_is_told(vault: Memvault, note: Path, said: str, upkept: bool) -> None:
    if upkept:
        vault.maintain()
        note = vault.root / vault.find("Gauge").path
    DAMAGES[said](note)
    if upkept:  # nor is it taken over by what looks at the notes meanwhile
        vault.recall("where is the gauge")
    for _ in range(2):
        diagnosis = verify(vault)
        [finding] = found(diagnosis, "damaged")
        assert said in finding.sentence
        assert (finding.severity, vault.root / finding.path) == ("error", note)
        assert not diagnosis.is_sound
        assert diagnosis.verified is not None
        assert diagnosis.verified.damaged == [finding.path]
        if not upkept:
            break  # without recorded digests the index is the only witness, and a recall brings it up to date


def test_a_person_s_note_is_guarded_too(vault: Memvault) -> None:
    own = vault.root / "diary.md"
    own.write_text("At Hollin the gauge fell dry.\n")
    verify(vault)
    with_its_time(own, flipped)
    assert [finding.path for finding in found(verify(vault), "damaged")] == ["diary.md"]


@pytest.mark.parametrize("upkept", [False, True])
@pytest.mark.parametrize("said", list(DAMAGES))
@pytest.mark.points(only=True)
def test_accepted_damage_is_reported_no_more(
    vault: Memvault, note: Path, said: str, upkept: bool, clock: Clock
) -> None:
    if upkept:
        vault.maintain()
        note = vault.root / vault.find("Gauge").path
    DAMAGES[said](note)
    [finding] = found(verify(vault), "damaged")
    assert "doctor accept" in finding.advice
    accepted = verify(vault, accept=True)
    assert found(accepted, "damaged") == []
    assert accepted.verified is not None
    assert len(accepted.verified.damaged) == 1
    for _ in range(2):
        assert found(verify(vault), "damaged") == []
        clock.pass_(days=1)
        vault.maintain()
    note = vault.root / vault.find("Gauge").path
    stat = note.stat()
    os.utime(note, ns=(stat.st_atime_ns, stat.st_mtime_ns + 10**9))  # as a copy of it would have another time
    vault.maintain()
    assert found(verify(vault), "damaged") == []


def test_a_note_that_was_accepted_is_guarded_as_any_other(vault: Memvault, note: Path) -> None:
    note.write_bytes(b"")
    verify(vault, accept=True)
    with_its_time(note, lambda _data: b"At Hollin")
    assert ["others than they were" in one.sentence for one in found(verify(vault), "damaged")] == [True]


def test_doctor_names_the_undo_copy_of_a_damaged_note(vault: Memvault, note: Path, clock: Clock) -> None:
    vault.edit("Gauge", append="In green.")
    clock.pass_(minutes=1)
    vault.undo()
    kept = vault.edit("Gauge", append="In blue.").op
    clock.pass_(minutes=1)
    vault.undo()
    vault.recall("where is the gauge")
    with_its_time(note, flipped)
    [finding] = found(verify(vault), "damaged")
    assert ".memvault/undo/" in finding.advice
    assert kept[:8] in finding.advice


# -- what is missing


def test_a_lost_note_is_told_until_somebody_says_that_it_is_meant(vault: Memvault, note: Path, clock: Clock) -> None:
    note.unlink()
    for _ in range(2):
        [finding] = found(verify(vault), "missing")
        assert vault.root / finding.path == note
        assert "doctor accept" in finding.advice
    verify(vault, accept=True)
    assert found(verify(vault), "missing") == []
    clock.pass_(hours=1)
    vault.remember(TEXT, title="Gauge", again=True)
    assert note.exists()
    note.unlink()
    assert len(found(verify(vault), "missing")) == 1


def test_a_note_of_a_persons_own_that_went_is_told_once(vault: Memvault) -> None:
    own = vault.root / "diary.md"
    own.write_text("At Hollin the gauge fell dry.\n")
    verify(vault)
    own.unlink()
    [finding] = found(verify(vault), "gone")
    assert (finding.path, finding.severity) == ("diary.md", "note")
    assert found(verify(vault), "gone") == []


# -- records


def own_ledger(vault: Memvault) -> Path:
    return next(path for path in (vault.root / ".memvault/ledger").glob("*.jsonl"))


def own_journal(vault: Memvault) -> Path:
    return next((vault.root / ".memvault/journal").glob("*/*.jsonl"))


def cut(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize("record", [own_ledger, own_journal])
def test_a_record_that_was_cut_or_changed_is_told_by_what_it_was(
    vault: Memvault, note: Path, record: Callable[[Memvault], Path]
) -> None:
    vault.forget("Gauge")
    vault.remember("Neaps are small, and come with the half moon.")
    verify(vault)
    path = record(vault)
    whole = path.read_bytes()
    cut(path)
    assert ["bytes shorter" in finding.sentence for finding in found(verify(vault), "records-whole")] == [True]
    path.write_bytes(whole.replace(b"gauge", b"gouge").replace(b"tombstone", b"tombstona"))
    assert ["is not what it holds now" in one.sentence for one in found(verify(vault), "records-whole")] == [True]
    path.write_bytes(whole + b'{"t":"2026-01-30T10:30:01Z","e":"touch","id":"another"}\n')
    assert found(verify(vault), "records-whole") == []
    path.write_bytes(path.read_bytes() + bytes(40))
    assert ["zero bytes" in finding.sentence for finding in found(verify(vault), "records-whole")] == [True]
    path.unlink()
    assert ["is nowhere" in finding.sentence for finding in found(verify(vault), "records-whole")] == [True]


def without_the_last(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:-1])


def with_zeros(data: bytes) -> bytes:
    return data + bytes(40) + b"\n"


@pytest.mark.parametrize(
    ("record", "loss"),
    [(own_journal, with_zeros), (own_journal, None), (own_ledger, without_the_last), (own_ledger, None)],
)
def test_accepted_losses_are_recorded_and_reported_no_more(
    vault: Memvault, note: Path, clock: Clock, record: Callable[[Memvault], Path], loss: Callable[[bytes], bytes] | None
) -> None:
    vault.forget("Gauge")
    vault.remember("Neaps are small, and come with the half moon.")
    verify(vault)
    path = record(vault)
    if loss is None:
        path.unlink()
    else:
        path.write_bytes(loss(path.read_bytes()))
    told = found(verify(vault), "records-whole")
    assert told
    assert all("doctor accept" in one.advice for one in told)
    assert found(verify(vault, accept=True), "records-whole") == []
    clock.pass_(days=1)
    vault.remember("The ferry comes at six.")
    vault.maintain()
    assert found(verify(vault), "records-whole") == []


def test_kept_bytes_that_undo_would_bring_back_damaged_are_told(vault: Memvault, note: Path) -> None:
    vault.edit("Gauge", append="In green.")
    [kept] = (vault.root / ".memvault/undo").glob("2*/*")
    kept.write_bytes(flipped(kept.read_bytes()))
    assert [vault.root / finding.path for finding in found(verify(vault), "undo-bytes")] == [kept]


# -- conversations


def test_turns_that_are_gone_from_the_archive_are_told(vault: Memvault, tmp_path: Path) -> None:
    for number, sitting in enumerate((GAUGES, CONCERT, GAUGES)):
        source = chat(tmp_path / "talk.json", *([GAUGES, CONCERT, GAUGES][: number + 1]))
        vault.ingest([source])
        del sitting
    assert found(verify(vault), "turns") == []
    path = next(path for path in vault.root.rglob("*.jsonl.gz") if ".facts." not in path.name)
    whole = path.read_bytes()
    starts = [at for at in range(len(whole)) if whole.startswith(b"\x1f\x8b\x08\x04", at)]
    assert len(starts) >= 3
    path.write_bytes(whole[: starts[1]] + whole[starts[2] :])
    diagnosis = verify(vault)
    assert ["gone from the middle" in finding.sentence for finding in found(diagnosis, "turns")] == [True]
    assert len(found(diagnosis, "records-whole")) == 1
    path.write_bytes(whole[: starts[-1]])
    diagnosis = verify(vault)
    assert ["its end is gone" in finding.sentence for finding in found(diagnosis, "turns")] == [True]
    path.write_bytes(flipped_in_the_middle(whole))
    assert found(verify(vault), "conversations")
    moved = path.with_name("renamed-by-hand-" + path.name)
    path.rename(moved)
    moved.write_bytes(whole)
    path.with_name(path.name.replace(".jsonl", ".facts.jsonl")).rename(
        moved.with_name(moved.name.replace(".jsonl", ".facts.jsonl"))
    )
    diagnosis = verify(vault)
    assert (found(diagnosis, "turns"), found(diagnosis, "records-whole")) == ([], [])


def flipped_in_the_middle(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


# -- the digests themselves


def test_a_purge_leaves_nothing_to_be_missed(vault: Memvault, note: Path, tmp_path: Path) -> None:
    vault.ingest([chat(tmp_path / "talk.json", GAUGES)])
    verify(vault)
    assert "gauge" in (vault.state_folder / FILE).read_text()
    vault.purge("Gauge")
    assert note.name not in (vault.state_folder / FILE).read_text()
    assert [finding for finding in verify(vault).left if finding.severity == "error"] == []
    vault.purge("talk-1", is_session=True)
    assert [finding for finding in verify(vault).left if finding.severity == "error"] == []


def test_progress_is_told_for_every_file(vault: Memvault, note: Path) -> None:
    told: list[tuple[int, int]] = []
    vault.doctor(verify=True, progress=lambda done, whole: told.append((done, whole)))
    assert told[-1][0] == len(told)
    assert all(done <= whole for done, whole in told)


# -- what is sealed


@pytest.fixture
def private(vault: Memvault) -> Path:
    """A private memory, sealed to a key of this machine."""
    pytest.importorskip("pyrage")
    vault.private_init()
    made = vault.remember_privately("The pass phrase is below the third flower pot.")
    return vault.root / made.path


def middle(data: bytes) -> bytes:
    at = len(data) - 20
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


SEALED: dict[str, tuple[Callable[[bytes], bytes], bool]] = {
    "it does not open with the key to which it was sealed": (middle, True),
    "its bytes are others than they were": (middle, False),
}


@pytest.mark.parametrize("why", list(SEALED))
def test_a_sealed_file_that_nobody_can_open_is_told(
    vault: Memvault, private: Path, environment: dict[str, str], why: str
) -> None:
    change, has_key = SEALED[why]
    assert found(verify(vault), "sealed") == []
    if has_key:
        private.write_bytes(change(private.read_bytes()))
    else:
        with_its_time(private, change)
        for path in Path(environment["XDG_CONFIG_HOME"]).rglob("*"):
            if path.is_file() and b"AGE-SECRET-KEY" in path.read_bytes():
                path.unlink()
    [finding] = found(verify(vault), "sealed")
    assert why in finding.sentence
    assert vault.root / finding.path == private


def test_a_sealed_file_that_was_accepted_is_guarded_as_any_other(vault: Memvault, private: Path) -> None:
    verify(vault)
    private.write_bytes(b"something else altogether, put there on purpose")
    [finding] = found(verify(vault), "sealed")
    assert "doctor accept" in finding.advice
    assert found(verify(vault, accept=True), "sealed") == []
    for _ in range(2):
        assert found(verify(vault), "sealed") == []
    with_its_time(private, lambda data: data[:-1] + b"!")
    assert found(verify(vault), "sealed")
