"""What every scheduler promises, whichever it is; and how one is chosen, and its programs are run."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from memvault.core.settings import Settings
from memvault.errors import SchedulerFailed
from memvault.maintenance.schedule.install import AUTO, SCHEDULERS, Schedule, Scheduler
from memvault.system.programs import STAND_INS, Machine
from tests.maintenance.schedule.scheduler_programs import NO_BUS, OTHER_ID, VAULT_ID, Played, job, played

PLATFORMS = {"systemd": "linux", "launchd": "darwin", "cron": "linux", "windows": "win32"}
ODD = (
    "/home/noor/my memory",
    "/mnt/100% & more; $HOME `id` 'q' (1)",
    "/srv/a\\b\\\\c\\%d",
    "/home/Ångström/記憶 #1",
    "\\\\server\\share\\my vault\\",
)


@pytest.fixture(params=SCHEDULERS)
def scheduler(request: pytest.FixtureRequest, tmp_path: Path) -> Scheduler:
    return SCHEDULERS[request.param](played(tmp_path, PLATFORMS[request.param]))


def machine_of(scheduler: Scheduler) -> Played:
    return scheduler.machine  # type: ignore[return-value]


def test_at_first_there_is_nothing(scheduler: Scheduler) -> None:
    assert scheduler.find_entry(VAULT_ID) is None


def test_an_installed_job_is_found(scheduler: Scheduler) -> None:
    wanted = job(at="23:05")
    scheduler.install(wanted)
    found = scheduler.find_entry(VAULT_ID)
    assert found
    assert (found.scheduler, found.at, found.command) == (scheduler.name, "23:05", wanted.command)
    assert found.where == tuple(piece.where for piece in scheduler.make_pieces(wanted))
    assert found.active is not False


@pytest.mark.parametrize("path", ODD)
def test_no_path_is_too_odd(path: str, scheduler: Scheduler) -> None:
    wanted = job(path, program=f"{path}/memvault")
    scheduler.install(wanted)
    found = scheduler.find_entry(VAULT_ID)
    assert found
    assert found.command == wanted.command


def test_a_second_time_changes_nothing(scheduler: Scheduler, tmp_path: Path) -> None:
    scheduler.install(job())
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()}
    crontab = list(machine_of(scheduler).crontab)
    scheduler.install(job())
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()}
    assert (after, machine_of(scheduler).crontab) == (before, crontab)


def test_another_time_or_place_takes_the_place_of_the_old(scheduler: Scheduler) -> None:
    scheduler.install(job())
    scheduler.install(job("/elsewhere", at="06:30"))
    found = scheduler.find_entry(VAULT_ID)
    assert found
    assert (found.at, found.command) == ("06:30", job("/elsewhere").command)


def test_two_vaults_have_an_entry_each(scheduler: Scheduler) -> None:
    other = type(job())(vault_id=OTHER_ID, vault="/other", command=("/opt/memvault", "--vault", "/other"), at="05:00")
    scheduler.install(job())
    scheduler.install(other)
    scheduler.remove(VAULT_ID)
    assert scheduler.find_entry(VAULT_ID) is None
    left = scheduler.find_entry(OTHER_ID)
    assert left
    assert left.at == "05:00"


def test_a_removed_job_leaves_no_file(scheduler: Scheduler, tmp_path: Path) -> None:
    scheduler.install(job())
    scheduler.remove(VAULT_ID)
    assert scheduler.find_entry(VAULT_ID) is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert machine_of(scheduler).tasks == {}
    assert b"".join(machine_of(scheduler).crontab) == b""
    assert machine_of(scheduler).loaded == set()


INSTALLING = {
    "systemd": "systemctl --user enable",
    "launchd": "launchctl bootstrap",
    "cron": "crontab -",
    "windows": "schtasks /Create",
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_failed_install_is_reported_and_changes_nothing(name: str, tmp_path: Path) -> None:
    machine = played(tmp_path, PLATFORMS[name])
    scheduler = SCHEDULERS[name](machine)
    scheduler.install(job())
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    crontab = list(machine.crontab)
    machine.fails[INSTALLING[name]] = NO_BUS
    with pytest.raises(SchedulerFailed, match="No medium found") as failed:
        scheduler.install(job(at="06:30"))
    assert failed.value.advice
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert machine.crontab == crontab


# -- which one


def chosen(name: str, machine: Machine) -> str:
    machine.environment[STAND_INS] = "memvault:/opt/memvault"  # type: ignore[index]
    return Schedule(Path("/vault"), VAULT_ID, Settings(), machine).draft(scheduler=name).scheduler


@pytest.mark.parametrize(
    ("platform", "name"), [("linux", "systemd"), ("darwin", "launchd"), ("win32", "windows"), ("freebsd14", "cron")]
)
def test_the_usual_one_of_the_system(platform: str, name: str, tmp_path: Path) -> None:
    assert chosen(AUTO, played(tmp_path, platform)) == name


def test_cron_is_chosen_if_no_systemd_answers(tmp_path: Path) -> None:
    assert chosen(AUTO, played(tmp_path, fails={"systemctl": NO_BUS})) == "cron"
    assert chosen("systemd", played(tmp_path, fails={"systemctl": NO_BUS})) == "systemd"


# -- their programs


def stand_in(tmp_path: Path, text: str) -> str:
    path = tmp_path / "a stand-in.py"
    path.write_text(text)
    return f"crontab:{shlex.quote(sys.executable)} -I {shlex.quote(str(path))}"


def test_a_program_is_run_with_its_words_and_its_feed(tmp_path: Path) -> None:
    text = "import sys, os; print(sys.argv[1:], sys.stdin.read(), os.environ['LC_ALL'], os.environ['KEPT'])"
    machine = Machine({**os.environ, "KEPT": "yes", STAND_INS: stand_in(tmp_path, text)})
    ended = machine.run_program("crontab", "-", "a b", feed=b"fed")
    assert (ended.code, ended.out.split(b"\n")[0].rstrip()) == (0, b"['-', 'a b'] fed C yes")


def test_a_program_that_fails_is_told_with_its_own_words(tmp_path: Path) -> None:
    text = "import sys; sys.exit('You (noor) are not\\n allowed to use this program.')"
    machine = Machine({**os.environ, STAND_INS: f"true:false,{stand_in(tmp_path, text)}"})
    with pytest.raises(SchedulerFailed, match=r"`crontab -` .*You \(noor\) are not allowed to use this program\.$"):
        machine.require_program("crontab", "-", way_out="Ask.")


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    machine = Machine({"PATH": str(tmp_path)})
    with pytest.raises(SchedulerFailed, match="schtasks is not installed") as failed:
        machine.require_program("schtasks", "/Query", way_out="Go without.")
    assert failed.value.advice == "Go without."


@pytest.mark.skipif(sys.platform == "win32", reason="any file can be started there")
def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    (tmp_path / "crontab").write_text("no program")
    ended = Machine({"PATH": str(tmp_path)}).run_program("crontab", "-l")
    assert (ended.code, ended.message) == (127, "crontab cannot be started (Permission denied)")


# -- and memvault itself


@pytest.mark.parametrize(
    ("platform", "script"), [("linux", "memvault"), ("darwin", "memvault"), ("win32", "memvault.exe")]
)
def test_memvault_is_the_script_beside_the_interpreter(platform: str, script: str, tmp_path: Path) -> None:
    machine = Machine({}, platform=platform)
    python = tmp_path / "python"
    assert machine.memvault_command(str(python)) == (str(python), "-m", "memvault")
    (tmp_path / script).touch()
    assert machine.memvault_command(str(python)) == (str(tmp_path / script),)


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_a_virtual_environments_interpreter_is_not_followed_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    assert Machine({}).memvault_command(str(tmp_path / "python"))[0] == str(tmp_path / "python")
