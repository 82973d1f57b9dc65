"""The person's switch: what is done by itself keeps quiet, what a person asks for is done."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.agents.hooks.handler import mark_incognito
from memvault.errors import BadInput, Incognito, MemvaultError, NothingToDo, Paused
from memvault.storage.pauses import (
    EVERYTHING,
    PauseScope,
    active_pause,
    end_pauses,
    hidden_sessions,
    hide_session,
    is_paused,
    is_purged_session,
    read_pauses,
    start_pause,
)
from memvault.system import project as projects
from tests.conftest import START, Clock, Opener
from tests.transcripts.archive import real_folder

HOUR = timedelta(hours=1)
FACT = "The gauge at Hollin Weir reports in feet, all the other thirty in metres."


def test_a_pause_of_everything_holds_until_it_is_ended(tmp_path: Path) -> None:
    start_pause(tmp_path, EVERYTHING, now=START)
    assert not is_paused(tmp_path, "p", "s", START - HOUR)
    assert is_paused(tmp_path, "p", "s", START + 1000 * HOUR)
    end_pauses(tmp_path, [EVERYTHING], now=START + HOUR)
    assert not is_paused(tmp_path, "p", "s", START + HOUR)
    assert is_paused(tmp_path, "p", "s", START + HOUR / 2)  # it was, at that time


def test_projects_and_sessions_are_told_apart(tmp_path: Path) -> None:
    start_pause(tmp_path, PauseScope("project", "Host/Owner/Name"), now=START)
    start_pause(tmp_path, PauseScope("session", "s1"), now=START)
    assert is_paused(tmp_path, "host/owner/name", "", START)
    assert is_paused(tmp_path, "another", "s1", START)
    assert not is_paused(tmp_path, "another", "s2", START)
    assert not is_paused(tmp_path, "", "", START)
    end_pauses(tmp_path, [PauseScope("project", "host/owner/name")], now=START + HOUR)
    assert not is_paused(tmp_path, "host/owner/name", "", START + HOUR)
    assert is_paused(tmp_path, "", "s1", START + HOUR)


def test_incognito_is_said_by_the_environment(tmp_path: Path) -> None:
    assert is_paused(tmp_path, "", "", START, {"MEMVAULT_INCOGNITO": "1"})
    assert not is_paused(tmp_path, "", "", START, {"MEMVAULT_INCOGNITO": "0"})
    assert not is_paused(tmp_path, "", "", START, {"MEMVAULT_INCOGNITO": ""})


def test_ending_what_is_not_paused_says_so(tmp_path: Path) -> None:
    with pytest.raises(NothingToDo):
        end_pauses(tmp_path, [EVERYTHING], now=START)
    start_pause(tmp_path, PauseScope("session", "s"), now=START)
    assert end_pauses(tmp_path, now=START, everything=True)[0].scope == PauseScope("session", "s")


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    start_pause(tmp_path, EVERYTHING, now=START, dry_run=True)
    assert not is_paused(tmp_path, "", "", START)
    start_pause(tmp_path, EVERYTHING, now=START)
    end_pauses(tmp_path, [EVERYTHING], now=START, dry_run=True)
    assert is_paused(tmp_path, "", "", START)


@pytest.mark.parametrize(
    "damage",
    [b"\xff\x00garbage\n", b'{"e":"pause"}\n', b"[]\n", b'{"e":"pause","of":"everything","name":"","at":"x"}\n'],
)
def test_a_line_that_cannot_be_read_takes_nothing_else_with_it(damage: bytes, tmp_path: Path) -> None:
    (tmp_path / "paused.jsonl").write_bytes(damage)
    start_pause(tmp_path, PauseScope("session", "s"), now=START)
    assert [quiet.scope.name for quiet in read_pauses(tmp_path)] == ["s"]


@pytest.mark.skipif(sys.platform == "win32", reason="folders are no files there in another way")
def test_a_file_that_cannot_be_read_counts_as_a_pause(tmp_path: Path) -> None:
    (tmp_path / "paused.jsonl").mkdir()
    assert is_paused(tmp_path, "", "", START)


def test_the_file_does_not_grow_without_end_and_sessions_stay(tmp_path: Path) -> None:
    start_pause(tmp_path, PauseScope("session", "first"), now=START)
    for number in range(400):
        start_pause(tmp_path, PauseScope("project", f"project-{number}" + "x" * 200), now=START, span=HOUR)
        start_pause(tmp_path, EVERYTHING, now=START + 2 * HOUR, span=HOUR)
    assert (tmp_path / "paused.jsonl").stat().st_size < 150_000
    assert is_paused(tmp_path, "", "first", START + 10 * HOUR)


steps = st.lists(st.tuples(st.sampled_from("pr"), st.sampled_from(["", "a", "b"]), st.integers(1, 3)), max_size=12)


@given(steps, st.integers(0, 40))
def test_what_holds_now_follows_from_the_last_word_on_it(moves: list[tuple[str, str, int]], later: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        state, now = Path(folder), START
        expected = {}
        for what, name, hours in moves:
            now += HOUR
            scope = PauseScope("session", name) if name else EVERYTHING
            if what == "p":
                start_pause(state, scope, now=now, span=hours * HOUR)
                expected[name] = now + hours * HOUR
            else:
                if expected.get(name, now) > now:
                    end_pauses(state, [scope], now=now)
                expected.pop(name, None)
        at = now + later * HOUR / 10
        for session in ("a", "b", "c"):
            wanted = any(expected.get(name, at) > at for name in ("", session))
            assert is_paused(state, "p", session, at) == wanted


# -- obeyed


def test_what_is_picked_up_by_itself_is_refused_and_what_a_person_says_is_kept(vault: Memvault) -> None:
    vault.pause()
    with pytest.raises(Paused):
        vault.capture(FACT)
    assert vault.remember(FACT).op
    vault.resume()
    assert vault.capture("Ilse has the calibration sheets of the harbour gauges in her office.").op


def test_a_paused_session_is_quiet_and_another_is_not(vault: Memvault, open_vault: Opener) -> None:
    vault.pause(session="s1")
    with pytest.raises(Paused):
        open_vault(vault.root, agent="claude-code", session="s1").capture(FACT)
    assert open_vault(vault.root, agent="claude-code", session="s2").capture(FACT).op


def test_a_paused_project_is_quiet(vault: Memvault) -> None:
    vault.pause(project="host/o/n")
    with pytest.raises(Paused):
        vault.capture(FACT, more={"project": "host/o/n"})
    assert vault.capture(FACT, more={"project": "host/o/other"}).op


def test_incognito_is_obeyed(vault: Memvault, environment: dict[str, str], open_vault: Opener) -> None:
    quiet = open_vault(vault.root, environment={**environment, "MEMVAULT_INCOGNITO": "1"})
    with pytest.raises(Incognito) as refused:
        quiet.capture(FACT)
    assert "memvault agent resume" not in refused.value.advice  # that would not end it
    assert quiet.find_pause() is not None
    assert vault.find_pause() is None


def test_this_folder_is_a_project(vault: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "somewhere").mkdir()
    monkeypatch.chdir(tmp_path / "somewhere")
    here = projects.project_of(tmp_path / "somewhere")
    assert vault.pause(here=True).scope == PauseScope("project", here)
    assert vault.find_pause(project=here) is not None
    with pytest.raises(BadInput):
        vault.pause(here=True, session="s")


def test_a_sweep_leaves_out_what_was_said_off_the_record(
    vault: Memvault, environment: dict[str, str], tmp_path: Path
) -> None:
    sessions = real_folder.build(Path(environment["HOME"]) / ".claude/projects")
    vault.pause(session=sessions[0].id)
    found = vault.ingest(everything=True)
    assert {taken.id for taken in found.taken} == {session.id for session in sessions[1:]}
    assert not any(sessions[0].id[:8] in path.name for path in (vault.root / "3-raw").rglob("*.gz"))
    assert vault.ingest([sessions[0].path]).taken or vault.ingest([sessions[0].path]).unchanged


def test_a_sweep_leaves_out_a_session_that_was_incognito(
    vault: Memvault, environment: dict[str, str], open_vault: Opener
) -> None:
    sessions = real_folder.build(Path(environment["HOME"]) / ".claude/projects")
    hidden, seen = sessions[0].id, sessions[1].id
    mark_incognito(open_vault(vault.root, environment={**environment, "MEMVAULT_INCOGNITO": "1"}), hidden)
    mark_incognito(vault, seen)  # it is not
    found = vault.ingest(everything=True)
    assert {taken.id for taken in found.taken} == {session.id for session in sessions[1:]}
    assert hidden not in (vault.state_folder / "incognito.jsonl").read_text()
    assert vault.ingest([sessions[0].path]).taken or vault.ingest([sessions[0].path]).unchanged


def test_which_sessions_were_incognito_is_kept_once_and_told_by_no_more_than_a_hash(tmp_path: Path) -> None:
    assert hidden_sessions(tmp_path) is None
    for session in ("one", "two", "ONE", ""):
        hide_session(tmp_path, session)
    is_hidden = hidden_sessions(tmp_path)
    assert is_hidden is not None
    assert [is_hidden(session) for session in ("one", "two", "three", "")] == [True, True, False, False]
    assert len((tmp_path / "incognito.jsonl").read_text().splitlines()) == 2


def test_where_that_cannot_be_read_any_session_may_have_been(tmp_path: Path) -> None:
    (tmp_path / "incognito.jsonl").mkdir()
    is_hidden = hidden_sessions(tmp_path)
    assert is_hidden is not None
    assert is_hidden("one")
    with pytest.raises(MemvaultError):
        hide_session(tmp_path, "one")  # rather than keep it nowhere, and say nothing
    with pytest.raises(MemvaultError):
        is_purged_session(tmp_path, "one")  # rather than leave its name out of what it writes


def test_of_a_conversation_only_what_was_said_during_a_pause_is_left_out(
    vault: Memvault, clock: Clock, tmp_path: Path
) -> None:
    from tests.transcripts.talking import GAUGES, chat

    source = chat(tmp_path / "talk.json", GAUGES)
    whole = vault.ingest([source], dry_run=True).taken[0].turns
    times = [line.time for line in _lines(vault, source)]
    middle = times[len(times) // 2]
    clock.now = middle
    vault.pause(span=HOUR * 1000)
    fresh = chat(tmp_path / "other.json", GAUGES, id_="talk-2")
    found = vault.ingest([fresh], automatic=True).taken[0].turns
    assert 0 < found < whole
    assert found == sum(time < middle for time in times)


def _lines(vault: Memvault, source: Path):  # type: ignore[no-untyped-def]
    id_ = vault.ingest([source]).taken[0].id
    return vault.around(f"{id_}:1", turns=1_000, budget=1_000_000).conversations[0].lines


def test_what_holds_now_is_told_with_its_end(tmp_path: Path) -> None:
    start_pause(tmp_path, EVERYTHING, now=START, span=HOUR)
    found = active_pause(tmp_path, "", "", START)
    assert found is not None
    assert (found.since, found.until, found.scope.description) == (START, START + HOUR, "everywhere")
