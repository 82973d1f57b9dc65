"""Upkeep is scheduled once for each vault, whatever was there before, and says what it stands like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.cli.vault.maintain import SCHEDULERS as named_in_help
from memvault.core.settings import Settings
from memvault.core.settings.table import Value
from memvault.errors import BadInput, BadSetting, SchedulerFailed
from memvault.maintenance.schedule.install import AUTO, SCHEDULERS, Schedule
from memvault.system.programs import STAND_INS
from tests.maintenance.schedule.scheduler_programs import NO_BUS, NOT_THERE, VAULT_ID, Played, played

Made = Callable[..., Schedule]


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "memvault"
    path.touch()
    return str(path)


@pytest.fixture
def machine(tmp_path: Path, program: str) -> Played:
    found = played(tmp_path / "home")
    found.environment[STAND_INS] = f"memvault:{program}"  # type: ignore[index]
    return found


@pytest.fixture
def schedule(tmp_path: Path, machine: Played) -> Made:
    def made(root: str = "vault", **settings: Value) -> Schedule:
        (tmp_path / root).mkdir(exist_ok=True)
        given = {name.replace("_", ".", 1): value for name, value in settings.items()}
        return Schedule(tmp_path / root, VAULT_ID, Settings(given), machine)

    return made


def test_the_job_runs_maintain_for_this_vault_and_no_other(schedule: Made, tmp_path: Path, program: str) -> None:
    done = schedule().install()
    assert done.command == (program, "--vault", str(tmp_path / "vault"), "maintain", "--scheduled")
    assert (done.scheduler, done.at, done.changed, done.removed, done.warnings) == ("systemd", "04:17", True, (), ())


def test_the_time_is_the_one_given_or_the_settings(schedule: Made) -> None:
    assert schedule().draft().at == "04:17"
    assert schedule(schedule_at="05:30").draft().at == "05:30"
    assert schedule(schedule_at="05:30").draft(at="23:59").at == "23:59"


@pytest.mark.parametrize("at", ["24:00", "4:17", "04:60", "0417", "noon", "-1:00", "04:17:00", "٠٤:١٧"])
def test_a_wrong_time_is_refused(at: str, schedule: Made, machine: Played) -> None:
    with pytest.raises(BadSetting, match="it must be a time"):
        schedule().install(at=at)
    assert machine.changing() == []


def test_installing_again_changes_nothing_and_another_time_does(schedule: Made) -> None:
    schedule().install()
    assert schedule().install().changed is False
    assert schedule().install(at="06:30").changed is True
    assert schedule().status().at == "06:30"


def test_a_disabled_job_is_enabled_again(schedule: Made, machine: Played) -> None:
    schedule().install()
    machine.loaded.clear()
    assert "switched off" in schedule().status().problems[0]
    assert schedule().install().changed is True
    assert schedule().status().problems == ()


def test_one_vault_never_has_two_jobs(schedule: Made, machine: Played) -> None:
    schedule().install(scheduler="cron")
    assert b"BEGIN" in machine.crontab[0]
    done = schedule().install(scheduler="systemd")
    assert done.removed == ("cron",)
    assert machine.crontab == []
    assert schedule().install(scheduler="cron").removed == ("systemd",)
    assert schedule().status().scheduler == "cron"
    assert machine.loaded == set()


def test_should_the_new_one_fail_the_old_one_still_runs(schedule: Made, machine: Played) -> None:
    schedule().install(scheduler="cron")
    machine.fails["systemctl --user enable"] = NO_BUS
    with pytest.raises(SchedulerFailed, match="No medium found"):
        schedule().install(scheduler="systemd")
    found = schedule().status()
    assert (found.scheduler, found.problems) == ("cron", ())


def test_install_names_what_is_missing_without_systemd_and_cron(schedule: Made, machine: Played) -> None:
    machine.fails.update({"systemctl": NO_BUS, "crontab": NOT_THERE})
    assert schedule().status().installed is False
    with pytest.raises(SchedulerFailed, match="crontab is not installed"):
        schedule().install()


def test_a_dry_run_writes_nothing(schedule: Made, machine: Played, tmp_path: Path) -> None:
    done = schedule().install(dry_run=True)
    assert (done.changed, done.dry_run) == (True, True)
    assert (machine.changing(), list(tmp_path.rglob("*.timer"))) == ([], [])
    schedule().install()
    before = list(machine.changing())
    assert schedule().remove(dry_run=True).removed == ("systemd",)
    assert machine.changing() == before
    assert schedule().status().installed is True


@pytest.mark.parametrize("name", ["systemd", "launchd", "cron", "windows"])
def test_a_draft_can_be_made_of_any_and_writes_nothing(name: str, schedule: Made, machine: Played) -> None:
    draft = schedule().draft(scheduler=name)
    assert draft.scheduler == name
    assert all(piece.where and "maintain" in piece.text for piece in draft.pieces)
    assert machine.calls == []


def test_a_scheduler_of_another_system_is_refused(schedule: Made, machine: Played) -> None:
    with pytest.raises(BadInput, match="systemd or cron"):
        schedule().install(scheduler="launchd")
    with pytest.raises(BadInput, match="auto, systemd, launchd, cron, windows"):
        schedule().install(scheduler="at")
    assert machine.changing() == []


@pytest.mark.parametrize("name", ["a\nb", "a\x1bb", "a\x85b", "a\udcffb"])
def test_a_path_that_no_scheduler_takes_is_refused(name: str, machine: Played, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no scheduler takes"):
        Schedule(tmp_path / name, VAULT_ID, Settings(), machine).install()
    assert machine.changing() == []


def test_a_roundabout_path_is_straightened(schedule: Made, machine: Played, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    roundabout = Schedule(tmp_path / "vault" / ".." / "vault", VAULT_ID, Settings(), machine)
    assert roundabout.draft().command[2] == str((tmp_path / "vault").resolve())


def test_removing_takes_all_of_it_or_what_is_named(schedule: Made, machine: Played) -> None:
    schedule().install()
    assert schedule().remove(scheduler="cron").removed == ()
    assert schedule().status().installed is True
    done = schedule().remove()
    assert (done.removed, len(done.where)) == (("systemd",), 2)
    assert schedule().status().installed is False


# -- what may be wrong


def test_a_program_that_is_gone_is_told(schedule: Made, program: str) -> None:
    schedule().install()
    Path(program).unlink()
    [problem] = schedule().status().problems
    assert f"{program} is not there" in problem


def test_a_systemd_that_does_not_answer_is_told(schedule: Made, machine: Played) -> None:
    schedule().install()
    machine.fails["systemctl"] = NO_BUS
    [problem] = schedule().status().problems
    assert "does not answer" in problem
    assert "No medium found" in problem


def test_a_vault_that_moved_is_told_and_put_right(schedule: Made, tmp_path: Path) -> None:
    schedule().install()
    (tmp_path / "vault").rename(tmp_path / "moved")
    [problem] = schedule("moved").status().problems
    assert f"It runs for {tmp_path / 'vault'}" in problem
    done = schedule("moved").install()
    assert (done.changed, done.warnings) == (True, ())
    assert schedule("moved").status().problems == ()


def test_a_copy_of_the_vault_takes_over_and_says_so(schedule: Made, tmp_path: Path) -> None:
    schedule().install()
    [warning] = schedule("copy").install().warnings
    assert str(tmp_path / "vault") in warning


def test_two_that_somebody_made_are_told(schedule: Made, machine: Played, tmp_path: Path) -> None:
    schedule().install(scheduler="cron")
    crontab = machine.crontab[0]
    schedule().install(scheduler="systemd")
    machine.crontab[:] = [crontab]
    [problem] = schedule().status().problems
    assert problem.startswith("cron has an entry for this vault too")
    assert schedule().install().removed == ("cron",)


def test_files_that_somebody_broke_are_told(schedule: Made, tmp_path: Path) -> None:
    schedule().install()
    next(tmp_path.rglob("*.timer")).write_text("[Timer]\nOnCalendar=weekly\n")
    [problem] = schedule().status().problems
    assert "cannot be read" in problem


def test_manual_maintenance_is_warned_about_when_scheduling(schedule: Made) -> None:
    by_hand = schedule(decay_control="manual")
    assert "decay.control is manual" in by_hand.install().warnings[0]
    assert "decay.control is manual" in by_hand.status().problems[0]


def test_the_command_line_names_every_scheduler() -> None:
    assert named_in_help == (AUTO, *SCHEDULERS)


def test_the_hall_hands_out_the_schedule_of_its_vault(vault: Memvault) -> None:
    draft = vault.schedule().draft(scheduler="systemd")
    assert draft.command[-4:] == ("--vault", str(vault.root), "maintain", "--scheduled")
    assert Path(draft.pieces[0].where).is_relative_to(Path(vault.environment["XDG_CONFIG_HOME"]))
