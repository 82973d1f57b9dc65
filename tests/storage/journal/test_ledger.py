"""What was decided is never forgotten: ids, renames, tombstones, and what takes them back."""

from __future__ import annotations

import json
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.errors import Unwritable
from memvault.storage.journal import exchanges
from memvault.storage.journal.exchanges import Interaction, latest_exchanges, purge_exchanges, record_exchange
from memvault.storage.journal.ledger import Ledger, LedgerDecisions
from memvault.storage.pauses import PauseScope, start_pause
from tests.conftest import START

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
VECTOR = "71fc73a7c38d21d0b91fc0f223b9768e68c3617921aa02310caceaeb3ce49f0b"


def lay(folder: Path, device: str, *entries: dict[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{device}.jsonl").open("a") as ledger:
        ledger.write("".join(json.dumps(entry) + "\n" for entry in entries))


def given_id(id_: str, path: str, sha: str, at: str = "2026-01-28T09:00:01Z") -> dict[str, object]:
    return {"t": at, "e": "id", "id": id_, "path": path, "sha": sha}


def test_an_id_is_known_by_path_and_by_text(tmp_path: Path) -> None:
    lay(tmp_path, "here", given_id("m", "a.md", "aa"), given_id("m", "a.md", "bb"))
    decided = Ledger(tmp_path, "here").decisions()
    assert decided.ids_by_path == {"a.md": "m"}
    assert decided.ids_by_text == {"aa": "m", "bb": "m"}


def test_all_devices_are_folded_in_the_order_of_time(tmp_path: Path) -> None:
    lay(tmp_path, "zeta", given_id("m", "old.md", "aa", "2026-01-01T00:00:00Z"))
    lay(tmp_path, "alpha", given_id("m", "new.md", "aa", "2026-01-02T00:00:00Z"))
    assert Ledger(tmp_path, "here").decisions().paths_by_id == {"m": "new.md"}


def test_the_earliest_sight_counts(tmp_path: Path) -> None:
    lay(tmp_path, "here", {"t": "2026-01-05T00:00:00Z", "e": "seen", "id": "m"})
    lay(tmp_path, "there", {"t": "2026-01-09T00:00:00Z", "e": "seen", "id": "m", "at": "2026-01-03T00:00:00Z"})
    assert Ledger(tmp_path, "x").decisions().first_seen == {"m": datetime(2026, 1, 3, tzinfo=UTC)}


def test_foreign_and_torn_lines_stop_nothing(tmp_path: Path) -> None:
    lay(tmp_path, "here", {"e": "id", "id": 5}, {"e": "tombstone", "mac": []}, {"t": 7, "e": "seen", "id": "q"}, {"e": "new sort"})  # fmt: skip
    with (tmp_path / "here.jsonl").open("a") as ledger:
        ledger.write(
            "[]\nnot json\n" + json.dumps(given_id("m", "a.md", "aa")) + "\n" + '{"e":"tombstone","mac":"torn"}'
        )
    decided = Ledger(tmp_path, "here").decisions()
    assert decided.ids_by_path == {"a.md": "m"}
    assert decided.tombstones == set()


def test_a_line_after_a_torn_one_is_whole(tmp_path: Path) -> None:
    (tmp_path / "here.jsonl").write_text('{"t":"2026-01-01T0')
    Ledger(tmp_path, "here").append([{"e": "tombstone", "mac": "m"}], NOON)
    assert Ledger(tmp_path, "here").decisions().tombstones == {"m"}


MACS = st.sampled_from(["a", "b", "c"])
EVENTS = st.lists(st.tuples(st.sampled_from(["tombstone", "lift"]), MACS), max_size=12)


@given(EVENTS)
def test_a_text_is_forgotten_exactly_when_its_last_word_is_a_tombstone(events: list[tuple[str, str]]) -> None:
    decided = LedgerDecisions()
    for event, mac in events:
        decided.fold_entry({"t": "2026-01-01T00:00:00Z", "e": event, "mac": mac})
    last = {mac: event for event, mac in events}
    assert decided.tombstones == {mac for mac, event in last.items() if event == "tombstone"}


PATHS = st.sampled_from(["a.md", "b.md", "c.md"])


@given(st.lists(st.tuples(st.sampled_from("mno"), PATHS), max_size=12))
def test_a_path_never_means_a_memory_that_lies_elsewhere(rows: list[tuple[str, str]]) -> None:
    decided = LedgerDecisions()
    for id_, path in rows:
        decided.fold_entry(given_id(id_, path, "sha"))
    assert decided.paths_by_id == dict(rows)
    assert all(decided.paths_by_id[id_] == path for path, id_ in decided.ids_by_path.items())


# -- tombstones


@pytest.fixture
def keyed(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path, "here")
    ledger.make_key(bytes(31) + b"\x01", NOON)
    return ledger


def test_the_mac_is_the_one_on_the_format_page(keyed: Ledger) -> None:
    assert keyed.text_macs("High water at Hollin is 40 minutes after the harbour.") == [VECTOR]
    assert keyed.text_macs("  HIGH water\n\tat Hollin is 40 minutes  after the harbour. ") == [VECTOR]
    assert keyed.text_macs("High water at Hollin is 41 minutes after the harbour.") != [VECTOR]
    assert keyed.text_macs("e\u0301") == keyed.text_macs("é")


def test_the_key_is_made_once(keyed: Ledger, tmp_path: Path) -> None:
    keyed.make_key(bytes(32), NOON)
    assert (tmp_path / "key").read_text() == "0" * 63 + "1\n"


def test_under_two_keys_a_text_has_two_macs_the_first_keys_first(keyed: Ledger, tmp_path: Path) -> None:
    [one] = keyed.text_macs("tea")
    with (tmp_path / "key").open("a") as key:
        key.write("f" * 64 + "\nnot a key\n")
    macs = keyed.text_macs("tea")
    assert len(set(macs)) == 2
    assert macs[0] == one


def test_without_a_key_nothing_was_ever_forgotten(tmp_path: Path) -> None:
    assert Ledger(tmp_path, "here").text_macs("tea") == []


def test_forgetting_leaves_a_hash_and_not_the_text_and_restoring_lifts_it(vault: Memvault) -> None:
    made = vault.remember("Xanadu lies west.").memory
    vault.forget(made.id)
    folder = vault.root / ".memvault/ledger"
    ledger = Ledger(folder, "reader")
    assert set(ledger.text_macs("Xanadu lies west.")) < ledger.decisions().tombstones  # and one of its words undressed
    assert b"Xanadu" not in b"".join(path.read_bytes() for path in folder.iterdir())
    vault.restore(made.id)
    assert ledger.decisions().tombstones == set()


def test_a_lift_takes_back_what_any_of_the_keys_forgot(vault: Memvault) -> None:
    made = vault.remember("Xanadu lies west.").memory
    vault.forget(made.id)
    key = vault.root / ".memvault/ledger/key"
    key.write_text("0" * 64 + "\n" + key.read_text())  # another device's key came first by sorting
    vault.restore(made.id)
    assert Ledger(key.parent, "reader").decisions().tombstones == set()


def test_what_could_not_be_forgotten_has_no_tombstone(vault: Memvault) -> None:
    made = vault.remember("Xanadu lies west.").memory
    (vault.root / ".trash").write_text("a file is in the way")
    with pytest.raises(Unwritable):
        vault.forget(made.id)
    assert Ledger(vault.root / ".memvault/ledger", "reader").decisions().tombstones == set()


def test_a_damaged_key_file_does_not_keep_anything_from_being_forgotten(vault: Memvault) -> None:
    made = vault.remember("Xanadu lies west.").memory
    (vault.root / ".memvault/ledger").mkdir(parents=True, exist_ok=True)
    (vault.root / ".memvault/ledger/key").write_text("not a key\n")
    vault.forget(made.id)
    assert vault.status().memories == 0


# -- the log of recent exchanges: short, without secrets, told by project, and within reach of who wants it gone

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def one(asked: str = "Where is the modem?", minutes: int = 0, **more: object) -> Interaction:
    given: dict[str, object] = {"session": "s1", "project": "folder:gauges", "answered": "In the box.", **more}
    return Interaction(at=START + timedelta(minutes=minutes), asked=asked, **given)  # type: ignore[arg-type]


def test_the_newest_of_a_project_come_first(tmp_path: Path) -> None:
    for minutes in range(8):
        record_exchange(tmp_path, one(f"question {minutes}", minutes, files=("a.py",), did=("committed",)))
    record_exchange(tmp_path, one("elsewhere", 9, project="folder:other"))
    found = latest_exchanges(tmp_path, project="folder:Gauges")
    assert [each.asked for each in found] == [f"question {minutes}" for minutes in reversed(range(8))]
    assert (found[0].files, found[0].did, found[0].session) == (("a.py",), ("committed",), "s1")
    since = START + timedelta(minutes=6)
    assert [each.asked for each in latest_exchanges(tmp_path, project="folder:gauges", since=since)] == [
        "question 7",
        "question 6",
    ]
    assert [each.asked for each in latest_exchanges(tmp_path)[:1]] == ["elsewhere"]


def test_secrets_and_private_spans_stay_out_and_texts_are_cut(tmp_path: Path) -> None:
    asked = f"Use {TOKEN} for it. <private>The door code is 4711.</private> " + "word " * 500
    record_exchange(tmp_path, one(asked, answered=f"{'x' * 290} {TOKEN}", files=(f"notes/{TOKEN}.txt",)))
    [kept] = latest_exchanges(tmp_path)
    said = (tmp_path / "interactions.jsonl").read_text()
    assert TOKEN[:12] not in said
    assert "kumquat" not in said
    assert len(kept.asked) <= 300
    assert "\n" not in kept.asked


def test_what_says_nothing_or_the_same_again_is_not_kept(tmp_path: Path) -> None:
    assert not record_exchange(tmp_path, one("", answered="<private>all of it</private>"))
    assert record_exchange(tmp_path, one())
    assert not record_exchange(tmp_path, one(minutes=1))
    assert record_exchange(tmp_path, one(minutes=1, session="s2"))
    assert len(latest_exchanges(tmp_path)) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_this_person_may_read_the_log(tmp_path: Path) -> None:
    record_exchange(tmp_path / "state", one())
    assert stat.S_IMODE((tmp_path / "state/interactions.jsonl").stat().st_mode) == 0o600


def test_a_full_log_is_put_aside_and_what_is_in_it_still_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "_FULL", 1_000)
    for minutes in range(40):
        record_exchange(tmp_path, one(f"question {minutes}", minutes))
    assert [each.asked for each in latest_exchanges(tmp_path)[:2]] == ["question 39", "question 38"]
    assert sum(path.stat().st_size for path in tmp_path.glob("*.jsonl")) < 3_000


def test_lines_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    record_exchange(tmp_path, one("first"))
    with (tmp_path / "interactions.jsonl").open("ab") as log:
        log.write(b'{"t": 3}\n[]\n\xff\n{"t": "2026-01-29T09:30:00+00:00"')
    record_exchange(tmp_path, one("second", 1))
    assert [each.asked for each in latest_exchanges(tmp_path)] == ["second", "first"]


def test_a_session_that_was_not_to_be_remembered_is_not_told(tmp_path: Path) -> None:
    record_exchange(tmp_path, one("before", session="secret"))
    record_exchange(tmp_path, one("other", 1))
    start_pause(tmp_path, PauseScope("session", "secret"), now=START + timedelta(minutes=2))
    assert [each.asked for each in latest_exchanges(tmp_path)] == ["other"]


def test_a_session_or_a_text_can_be_taken_out(tmp_path: Path) -> None:
    record_exchange(tmp_path, one("The door code of the harbour office is kumquat, keep it.", session="s1"))
    record_exchange(tmp_path, one("Something else entirely.", 1, session="s2"))
    record_exchange(tmp_path, one("A third thing.", 2, session="s3"))
    assert purge_exchanges(tmp_path, texts=["the door code of the HARBOUR office is kumquat"]) == 1
    assert purge_exchanges(tmp_path, session="s2") == 1
    assert purge_exchanges(tmp_path, texts=["a"]) == 0
    assert [each.asked for each in latest_exchanges(tmp_path)] == ["A third thing."]
    assert "kumquat" not in (tmp_path / "interactions.jsonl").read_text()
    assert purge_exchanges(tmp_path / "nowhere", session="s2") == 0


def test_the_beginning_of_a_longer_text_that_was_cut_is_taken_out_too(tmp_path: Path) -> None:
    text = "The quay station floods in spring. " * 40
    record_exchange(tmp_path, one(text, answered=""))
    assert purge_exchanges(tmp_path, texts=[text]) == 1


def test_ten_sessions_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda n: record_exchange(tmp_path, one(f"question {n}", session=f"s{n}")), range(30)))
    assert {each.asked for each in latest_exchanges(tmp_path)} == {f"question {n}" for n in range(30)}
