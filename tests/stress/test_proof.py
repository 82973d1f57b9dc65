"""The proof in its short form: a few moments of each way of writing; all of them are gone through on demand."""

from __future__ import annotations

import gc
import os
import subprocess
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from memvault.errors import GitFailed, UnfinishedMerge
from memvault.sync import checkout, merge_commits
from memvault.sync.repository import OURS
from memvault.system.git import Git, GitResult
from tests import points
from tests.stress import crash_states, deaths, faults, fuzz, lives
from tests.stress.disks import Model, Record, states
from tests.stress.judging import repeated, troubles
from tests.stress.stage import LATER
from tests.stress.trials import Trials
from tests.stress.ways import ALONE, BY_NAME, WAYS, Way

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="listens to the disk as only Linux lets it")  # noqa: PTH112

# How many times as many calls as others some ways make.
_STEPS = {"maintain": 7, "sync": 8, "purge": 2, "doctor-fix": 3, "init": 6, "hooks": 4}
# The others write by the same hands, and are gone through on demand.
_OTHERS = ("hooks", "init", "private-rekey")
every_way = pytest.mark.parametrize("way", ALONE, ids=lambda way: way.name)
most_ways = pytest.mark.parametrize(
    "way", [*ALONE, *(BY_NAME[name] for name in _OTHERS if name in BY_NAME)], ids=lambda way: way.name
)


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    return Trials(tmp_path_factory.mktemp("trials"))


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.points(quick=8)
@most_ways
def test_killed_at_any_step_nothing_is_lost_or_torn_and_the_next_command_is_clean(trials: Trials, way: Way) -> None:
    step = points.of(11 if way.name in deaths.TAKEN_BACK else 41, 1)
    kills, wrong = deaths.run(trials, way, step=_STEPS.get(way.name, 1) * step)
    assert wrong == []
    assert kills


@pytest.mark.points(only=True)
@pytest.mark.parametrize("way", [way for way in ALONE if not way.over_git], ids=lambda way: way.name)
def test_after_a_power_cut_whatever_was_said_to_be_done_is_there(trials: Trials, way: Way) -> None:
    models: tuple[Model, ...] = (
        ("ordered",) if way.name == "maintain" else ("ordered", "weak")
    )  # of which it has thousands
    for model in models:
        assert crash_states.run(trials, way, model, at_most=points.of(2, 40)).wrong == ()


@pytest.mark.points(quick=7)
@every_way
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # of git's pipes, whose calls are refused too
def test_whatever_the_system_refuses_is_told_plainly_and_nothing_is_left(trials: Trials, way: Way) -> None:
    step = _STEPS.get(way.name, 1) * points.of(293, 5)
    figures = faults.run(trials, way, step=step, first=points.of(17, 1), git_step=points.of(47, 2))
    gc.collect()  # those pipes, while it is known whose they are
    assert figures.wrong == []
    assert figures.faults


@pytest.mark.points(only=True)
def test_a_run_that_was_killed_between_merging_and_what_comes_of_it_leaves_no_merge_behind(trials: Trials) -> None:
    way = BY_NAME["sync"]
    expected, stage = trials.expected(way), trials.begin(way)
    with patch.object(merge_commits, "check_out", side_effect=KeyboardInterrupt), suppress(KeyboardInterrupt):
        trials.act(way)
    assert not (stage.root / ".git" / "MERGE_HEAD").exists()
    assert repeated(stage, expected) == []
    assert troubles(stage, expected, acknowledged=True) == []


@pytest.mark.points(only=True)
def test_git_has_moved_on_only_when_the_disk_has_what_came(trials: Trials) -> None:
    way = BY_NAME["sync"]
    expected, stage = trials.expected(way), trials.begin(way)
    with patch.object(checkout.files, "sync_files", side_effect=KeyboardInterrupt), suppress(KeyboardInterrupt):
        trials.act(way)
    assert git(stage.root, "log", "-1", "--format=%s") != OURS
    assert repeated(stage, expected) == []
    assert git(stage.root, "log", "-1", "--format=%s") == OURS
    assert troubles(stage, expected, acknowledged=True) == []


def test_what_is_staged_as_gone_is_committed_like_any_other_change(trials: Trials) -> None:
    stage = trials.begin(BY_NAME["sync"])
    git(stage.root, "rm", "--quiet", "2-memories/2026-03-30-staging-database.md")
    with stage.open() as vault:
        vault.sync_run()
    assert git(stage.root, "status", "--short") == ""
    assert "2-memories/2026-03-30-staging-database.md" not in git(stage.root, "ls-files")


@pytest.mark.parametrize("word", ["ls-tree", "cat-file", "merge-base"])
@pytest.mark.points(only=True)
def test_a_git_that_fails_is_not_taken_for_one_that_finds_nothing(trials: Trials, word: str) -> None:
    way = BY_NAME["sync"]
    expected, stage = trials.expected(way), trials.begin(way)
    real = Git._run_once

    def run(self: Git, words: tuple[str, ...], given: bytes, also: object) -> GitResult:
        return GitResult(128, b"", "fatal: out of memory") if words[0] == word else real(self, words, given, also)

    with patch.object(Git, "_run_once", run), pytest.raises(GitFailed):
        trials.act(way)
    assert repeated(stage, expected) == []
    assert troubles(stage, expected, acknowledged=True) == []


def test_of_a_memory_that_was_forgotten_twice_the_later_version_comes_back(trials: Trials) -> None:
    stage = trials.begin(BY_NAME["forget"])
    with stage.open(LATER) as vault:
        boat = vault.find("Boat")
        older = (stage.root / boat.path).read_bytes()
        vault.forget("Boat")
        (stage.root / boat.path).write_bytes(older + b"\nIt has a sail.\n")  # as it comes back from another machine
    with stage.open(LATER + timedelta(seconds=1)) as vault:
        vault.forget("Boat")
        vault.restore("Boat")
        assert "It has a sail." in (vault.show("Boat").memory.body or "")


def test_a_merge_that_a_person_has_begun_is_left_to_them(trials: Trials) -> None:
    stage = trials.begin(BY_NAME["sync"])
    (stage.root / ".git" / "MERGE_HEAD").write_text(f"{'0' * 40}\n")
    with stage.open(LATER) as vault, pytest.raises(UnfinishedMerge):
        vault.sync_run()


@pytest.mark.points(only=True)
def test_a_model_of_two_lists_agrees_with_a_vault_on_two_machines() -> None:
    lived, wrong = lives.run(seeds=range(points.of(1, 4)), steps=15)
    assert wrong == []
    assert lived.total() == points.of(1, 4) * 15


@pytest.mark.points
@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_what_nobody_would_make_is_answered(kind: str, tmp_path: Path) -> None:
    figures = fuzz.run(kind, tmp_path, inputs=points.of(60, 1_500))
    assert figures.wrong == []
    assert len(figures.outcomes) > 1


# -- the proof proves something


@pytest.mark.points(only=True)
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
