"""The log of recent exchanges: short, without secrets, told by project, and within reach of who wants it gone."""

from __future__ import annotations

import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from memvault.storage.journal import exchanges
from memvault.storage.journal.exchanges import Interaction, latest_exchanges, purge_exchanges, record_exchange
from memvault.storage.pauses import PauseScope, start_pause
from tests.conftest import START

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
    assert "4711" not in said
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
    record_exchange(tmp_path, one("The door code of the harbour office is 4711, keep it.", session="s1"))
    record_exchange(tmp_path, one("Something else entirely.", 1, session="s2"))
    record_exchange(tmp_path, one("A third thing.", 2, session="s3"))
    assert purge_exchanges(tmp_path, texts=["the door code of the HARBOUR office is 4711"]) == 1
    assert purge_exchanges(tmp_path, session="s2") == 1
    assert purge_exchanges(tmp_path, texts=["a"]) == 0
    assert [each.asked for each in latest_exchanges(tmp_path)] == ["A third thing."]
    assert "4711" not in (tmp_path / "interactions.jsonl").read_text()
    assert purge_exchanges(tmp_path / "nowhere", session="s2") == 0


def test_the_beginning_of_a_longer_text_that_was_cut_is_taken_out_too(tmp_path: Path) -> None:
    text = "The quay station floods in spring. " * 40
    record_exchange(tmp_path, one(text, answered=""))
    assert purge_exchanges(tmp_path, texts=[text]) == 1


def test_ten_sessions_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda n: record_exchange(tmp_path, one(f"question {n}", session=f"s{n}")), range(30)))
    assert {each.asked for each in latest_exchanges(tmp_path)} == {f"question {n}" for n in range(30)}
