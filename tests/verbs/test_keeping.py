"""What is kept beside the notes is told in one place, and goes only when the person has set how long."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.interaction import Interaction
from memvault.core.settings import SETTINGS
from memvault.verbs import injected, interactions
from tests.conftest import START, Clock, Opener
from tests.verbs.talking import GAUGES, chat

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
}


@pytest.fixture
def full(vault: Memvault, tmp_path: Path) -> Memvault:
    """A vault with something in its trash, a conversation with a sealed original, and logs."""
    vault.forget(vault.remember("Neaps are small, and come with the half moon.", title="Neaps").memory.id)
    vault.ingest([chat(tmp_path / "talk.json", GAUGES)])
    talk = next(path for path in vault.root.rglob("*.jsonl.gz") if ".facts." not in path.name)
    Path(str(talk).replace(".jsonl.gz", ".1.sealed.age")).write_bytes(SEALED)
    state = vault.state_folder
    interactions.record(state, Interaction(at=START, session="one", asked="Where is the gauge?", answered="At Hollin."))
    injected.keep(state, injected.Injection(at=START, session="one", event="SessionStart", ids=("an id",)))
    for path in vault.root.rglob("*"):  # as old as the clock of the test has it
        if path.is_file():
            os.utime(path, (START.timestamp(), START.timestamp()))
    return vault


def left(vault: Memvault) -> set[str]:
    """Which stores hold anything."""
    return {store.store for store in vault.kept() if store.files}


def reopened(vault: Memvault, open_vault: Opener, **days: int) -> Memvault:
    return open_vault(vault.root, settings={f"keep.{name}_days": value for name, value in days.items()})


def test_every_store_is_told_with_its_size_its_days_and_its_settings(full: Memvault) -> None:
    stores = {store.store: store for store in full.kept()}
    assert set(stores) == STORES
    trash = stores["trash"]
    assert (trash.where, trash.files, trash.until) == (".trash", 1, "for good, unless you set how long")
    assert trash.size == sum(path.stat().st_size for path in (full.root / ".trash").iterdir())
    assert trash.first == trash.last == START
    assert stores["undo"].until == "90 days, and within 200 MB"
    assert all(name in SETTINGS for store in stores.values() for name in store.settings)


def test_nothing_goes_by_itself(full: Memvault, clock: Clock) -> None:
    before = left(full)
    clock.pass_(days=3650)
    assert full.maintain().expired == ()
    assert left(full) - {"census", "upkeep log"} == before - {"census", "upkeep log"}
    assert interactions.latest(full.state_folder)


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("trash", {"trash"}),
        ("conversations", {"conversations", "sealed originals"}),
        ("originals", {"sealed originals"}),
    ],
)
def test_what_is_older_than_the_person_wants_goes_and_nothing_else(
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
    assert [finding for finding in vault.doctor(deep=True).left if finding.severity == "error"] == []


def test_lines_of_logs_that_are_too_old_are_blanked(full: Memvault, open_vault: Opener, clock: Clock) -> None:
    vault = reopened(full, open_vault, logs=7)
    clock.pass_(days=8)
    late = Interaction(at=clock.now, session="two", asked="And the boat?", answered="At the quay.")
    interactions.record(vault.state_folder, late)
    vault.maintain()
    assert [one.session for one in interactions.latest(vault.state_folder)] == ["two"]
    assert injected.last(vault.state_folder) == ()
    assert "Hollin" not in (vault.state_folder / "interactions.jsonl").read_text()


def test_a_conversation_that_went_is_not_taken_in_again_while_the_limit_stands(
    full: Memvault, open_vault: Opener, clock: Clock, tmp_path: Path
) -> None:
    vault = reopened(full, open_vault, conversations=30)
    clock.pass_(days=31)
    assert len(vault.maintain().expired) == 3
    again = vault.ingest([tmp_path / "talk.json"])
    assert (again.forgotten, again.taken) == (1, ())
    assert full.ingest([tmp_path / "talk.json"]).taken[0].turns == len(GAUGES)


def test_no_vault_says_how_long_its_readers_keep_anything(full: Memvault) -> None:
    assert {SETTINGS[name].personal for name in SETTINGS if name.startswith("keep.")} == {True}


def test_what_was_thrown_away_lately_stays_however_old_it_is(full: Memvault, open_vault: Opener, clock: Clock) -> None:
    vault = reopened(full, open_vault, trash=30)
    clock.pass_(days=40)
    other = vault.remember("Springs come a day and a half after the full moon.", title="Springs").memory
    long_ago = (START - timedelta(days=900)).timestamp()
    os.utime(vault.root / other.path, (long_ago, long_ago))
    vault.forget(other.id)
    vault.maintain()
    assert [path.name for path in (vault.root / ".trash").iterdir()] == [other.path.rpartition("/")[2]]
    assert datetime.now(UTC) > START
