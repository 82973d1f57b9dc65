"""Of all hooks that are called for one event, one serves it."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memvault.agents.hooks import event
from memvault.agents.hooks.event import claim_event
from tests import points

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)

ONE_OF_MANY = """
import sys, pathlib, datetime
from memvault.agents.hooks.event import claim_event
sys.stdin.buffer.read(1)
print(claim_event(pathlib.Path(sys.argv[1]), b"the event", datetime.datetime.now(datetime.UTC)))
"""


def aged(state: Path, seconds: float) -> None:
    for path in (state / "claims").iterdir():
        moment = (NOW - timedelta(seconds=seconds)).timestamp()
        os.utime(path, (moment, moment))


def test_the_first_serves_and_no_other(tmp_path: Path) -> None:
    assert claim_event(tmp_path, b"one", NOW)
    assert [claim_event(tmp_path, b"one", NOW) for _ in range(3)] == [False] * 3


def test_another_event_and_another_vault_have_their_own(tmp_path: Path) -> None:
    assert claim_event(tmp_path / "a", b"one", NOW)
    assert claim_event(tmp_path / "a", b"two", NOW)
    assert claim_event(tmp_path / "b", b"one", NOW)


def test_the_same_event_again_is_served_again(tmp_path: Path) -> None:
    assert claim_event(tmp_path, b"yes", NOW)
    aged(tmp_path, 4)
    assert not claim_event(tmp_path, b"yes", NOW)
    aged(tmp_path, 6)
    assert claim_event(tmp_path, b"yes", NOW)


def test_a_claim_from_the_future_binds_nobody(tmp_path: Path) -> None:
    assert claim_event(tmp_path, b"yes", NOW)
    aged(tmp_path, -3600)
    assert claim_event(tmp_path, b"yes", NOW)


def test_where_nothing_can_be_written_it_is_served(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("in the way")
    assert claim_event(tmp_path, b"one", NOW)
    assert claim_event(tmp_path, b"one", NOW)


def test_old_claims_are_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event, "_CLEANUP_PREFIX", "")
    for number in range(5):
        assert claim_event(tmp_path, b"%d" % number, NOW)
        aged(tmp_path, 60)
    assert claim_event(tmp_path, b"last", NOW)
    assert len([path for path in (tmp_path / "claims").iterdir() if not path.name.startswith(".")]) == 1


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.points(quick=1)
def test_of_several_processes_at_once_one_serves(is_there: bool, tmp_path: Path) -> None:
    if is_there:  # an old claim of the same event, which all see
        assert claim_event(tmp_path, b"the event", NOW)
        aged(tmp_path, 60)
    several = points.of(4, 10)
    words = [sys.executable, "-c", ONE_OF_MANY, str(tmp_path)]
    running = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
        for _ in range(several)
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.flush()
    assert sorted(process.communicate()[0].strip() for process in running) == [*["False"] * (several - 1), "True"]


def test_one_begins_to_write_for_an_event(tmp_path: Path) -> None:
    assert claim_event(tmp_path, b"one", NOW)
    assert [event.claim_write(tmp_path, b"one", NOW) for _ in range(3)] == [True, False, False]
    aged(tmp_path, 6)  # and the same event again is another one
    assert claim_event(tmp_path, b"one", NOW)
    assert event.claim_write(tmp_path, b"one", NOW)


def test_what_nobody_has_begun_to_write_can_be_given_back(tmp_path: Path) -> None:
    assert claim_event(tmp_path, b"one", NOW)
    event.release_claim(tmp_path, b"one")
    assert claim_event(tmp_path, b"one", NOW)
    assert event.claim_write(tmp_path, b"one", NOW)
    event.release_claim(tmp_path, b"one")
    assert not claim_event(tmp_path, b"one", NOW)
    event.release_claim(tmp_path, b"never claimed")


def test_where_no_mark_can_be_set_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("in the way")
    assert [event.claim_write(tmp_path, b"one", NOW) for _ in range(2)] == [True, True]
