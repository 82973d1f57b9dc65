"""The proof in its short form: a few moments of each way of writing; all of them are gone through on demand."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest

from memvault.errors import UnfinishedMerge
from memvault.verbs.sync import merging
from tests.stress import crash_states, deaths, faults, fuzz, lives
from tests.stress.disks import Model, Record, states
from tests.stress.trials import Trials
from tests.stress.ways import BY_NAME, LATER, WAYS, Way, repeated, troubles

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="listens to the disk as only Linux lets it")  # noqa: PTH112

# How many times as many calls as others some ways make.
_STEPS = {"maintain": 7, "sync": 4, "purge": 2, "doctor-fix": 3}
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    return Trials(tmp_path_factory.mktemp("trials"))


@every_way
def test_killed_at_any_step_nothing_is_lost_or_torn_and_the_next_command_is_clean(trials: Trials, way: Way) -> None:
    kills, wrong = deaths.run(trials, way, step=_STEPS.get(way.name, 1) * 19)
    assert wrong == []
    assert kills


@pytest.mark.parametrize("way", [way for way in WAYS if not way.over_git], ids=lambda way: way.name)
def test_after_a_power_cut_whatever_was_said_to_be_done_is_there(trials: Trials, way: Way) -> None:
    models: tuple[Model, ...] = (
        ("ordered",) if way.name == "maintain" else ("ordered", "weak")
    )  # of which it has thousands
    for model in models:
        assert crash_states.run(trials, way, model, at_most=3).wrong == ()


@every_way
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # of git's pipes, whose calls are refused too
def test_whatever_the_system_refuses_is_told_plainly_and_nothing_is_left(trials: Trials, way: Way) -> None:
    figures = faults.run(trials, way, step=_STEPS.get(way.name, 1) * 131, first=17)
    assert figures.wrong == []
    assert figures.faults


def test_a_run_that_was_killed_between_merging_and_what_comes_of_it_leaves_no_merge_behind(trials: Trials) -> None:
    way = BY_NAME["sync"]
    expected, stage = trials.expected(way), trials.begin(way)
    with patch.object(merging, "land", side_effect=KeyboardInterrupt), suppress(KeyboardInterrupt):
        trials.act(way)
    assert not (stage.root / ".git" / "MERGE_HEAD").exists()
    assert repeated(stage, expected) == []
    assert troubles(stage, expected, acknowledged=True) == []


def test_a_merge_that_a_person_has_begun_is_left_to_them(trials: Trials) -> None:
    stage = trials.begin(BY_NAME["sync"])
    (stage.root / ".git" / "MERGE_HEAD").write_text(f"{'0' * 40}\n")
    with stage.open(LATER) as vault, pytest.raises(UnfinishedMerge):
        vault.sync_run()


def test_a_model_of_two_lists_agrees_with_a_vault_on_two_machines() -> None:
    lives.run(lives=2, steps=12, derandomize=True)


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_what_nobody_would_make_is_answered(kind: str, tmp_path: Path) -> None:
    figures = fuzz.run(kind, tmp_path, inputs=150)
    assert figures.wrong == []
    assert len(figures.outcomes) > 1


# -- the proof proves something


def test_a_disk_that_is_told_nothing_loses_what_was_said_to_be_done(trials: Trials) -> None:
    way = WAYS[0]
    told = trials.record(way)
    deaf = Record(told.top, told.but, told.names, told.contents, told.folders)
    deaf.deeds = [deed for deed in told.deeds if "Synced" not in type(deed).__name__]
    wrong = []
    for state in list(states(deaf, "weak"))[::-4]:
        state.lay(trials.stage.folder)
        wrong += troubles(trials.stage, trials.expected(way), acknowledged=state.cut == len(deaf.deeds))
    assert any("neither as it was nor as it is to be" in trouble for trouble in wrong)
    assert any("what was said to be done is not" in trouble for trouble in wrong)
