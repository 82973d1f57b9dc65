"""A ledger that lost what it marked is noticed, and a trifle is not taken for that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import Forgotten, MarksUnknown
from tests.conftest import Clock

FACT = "The gauge at Hollin falls dry at every spring tide, so move it to the downstream pier."
OTHER = "Neaps are small, and come with the half moon."


@pytest.fixture
def folder(vault: Memvault) -> Path:
    """The ledgers of a vault in which something was forgotten for good."""
    vault.purge(vault.remember(FACT).memory.id)
    return vault.root / ".memvault/ledger"


def own(folder: Path) -> Path:
    return next(folder.glob("*.jsonl"))


def blanked(folder: Path) -> None:
    own(folder).write_bytes(bytes(own(folder).stat().st_size))


def emptied(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def said(old: bytes, new: bytes) -> Callable[[Path], object]:
    return lambda folder: own(folder).write_bytes(own(folder).read_bytes().replace(old, new))


def lines_for(old: bytes, new: bytes) -> Callable[[Path], None]:
    """Whole lines in the place of those that have something."""

    def change(folder: Path) -> None:
        lines = own(folder).read_bytes().split(b"\n")
        own(folder).write_bytes(b"\n".join(new if old in line else line for line in lines))

    return change


LOST: dict[str, Callable[[Path], object]] = {
    "emptied": lambda folder: own(folder).write_bytes(b""),
    "gone": lambda folder: own(folder).unlink(),
    "zeroed": blanked,
    "marks without a name": said(b'"mac"', b'"mbc"'),
    "marks that are none": said(b'"mac":"', b'"mac":"z'),
    "lines that say nothing": lines_for(b'"tombstone"', b"nothing"),
    "lines of zeros": lines_for(b'"tombstone"', bytes(100)),
    "another key": lambda folder: (folder / "key").write_text("5" * 64 + "\n"),
    "all gone": emptied,
}


@pytest.mark.parametrize("damage", list(LOST))
def test_a_lost_mark_stops_storing_and_the_doctor_says_so(vault: Memvault, folder: Path, damage: str) -> None:
    LOST[damage](folder)
    for dry_run in (True, False):
        with pytest.raises(MarksUnknown):
            vault.remember(FACT, dry_run=dry_run)
    [found] = [finding for finding in vault.doctor().findings if finding.check == "marks"]
    assert found.severity == "error"
    assert vault.remember(FACT, again=True).op


@pytest.mark.parametrize(("old", "new"), [(b'"tombstone"', b'"tombstonf"'), (b'"e":', b'"f":'), (b'"t":', b't":')])
def test_a_mark_that_can_be_made_out_is_obeyed(vault: Memvault, folder: Path, old: bytes, new: bytes) -> None:
    said(old, new)(folder)
    with pytest.raises(Forgotten):
        vault.remember(FACT)
    assert vault.remember(OTHER).op


HARMLESS: dict[str, bytes] = {
    "a line that breaks off": b'{"t":"2026-01-29T10:00:00Z","e":"tombst',
    "zeros for a line": bytes(90),
    "a line made void": b" " * 90 + b"\n",
    "what git puts around lines": b"<<<<<<< ours\n=======\n>>>>>>> theirs\n",
}


@pytest.mark.parametrize("tail", list(HARMLESS))
def test_ledger_lines_without_marks_do_not_stop_a_merge(vault: Memvault, folder: Path, tail: str) -> None:
    with own(folder).open("ab") as ledger:
        ledger.write(HARMLESS[tail])
    assert vault.remember(OTHER).op
    with pytest.raises(Forgotten):
        vault.remember(FACT)
    assert not [finding for finding in vault.doctor().findings if finding.check == "marks"]


def test_a_line_that_broke_off_is_harmless_when_others_follow(vault: Memvault, folder: Path, clock: Clock) -> None:
    with own(folder).open("ab") as ledger:
        ledger.write(HARMLESS["a line that breaks off"])
    vault._vault.ledger.append([{"e": "seen", "id": "m"}], clock())
    assert vault.remember(OTHER).op


def test_a_run_killed_while_making_a_key_makes_another(vault: Memvault, clock: Clock) -> None:
    vault._vault.ledger.make_key(bytes(32), clock())
    (vault.root / ".memvault/ledger/key").unlink()
    vault.forget(vault.remember(FACT).memory.id)
    with pytest.raises(Forgotten):
        vault.remember(FACT)
    assert vault.remember(OTHER).op


def test_a_key_from_before_there_were_proofs_is_taken_as_it_is(vault: Memvault, folder: Path) -> None:
    lines_for(b'"e":"key"', b"")(folder)
    with pytest.raises(Forgotten):
        vault.remember(FACT)
    assert vault.remember(OTHER).op
