"""What each scheduler is given, to the letter, and that it means there what it should."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.errors import BadInput, SchedulerFailed
from memvault.maintenance.schedule import ScheduledJob
from memvault.maintenance.schedule.cron import CronScheduler
from memvault.maintenance.schedule.launchd import LaunchdScheduler
from memvault.maintenance.schedule.systemd import SystemdScheduler
from memvault.maintenance.schedule.windows import WindowsScheduler
from memvault.system.programs import SchedulerResult
from tests.maintenance.schedule.scheduler_programs import NO_BUS, VAULT_ID, job, played

LETTERS = st.text(st.sampled_from("ab %$'\"\\&;`(#~é記{}<>|*!"), min_size=1, max_size=12)
HOME = Path("/home/noor")

# -- systemd

SERVICE = """\
# Created and maintained by memvault; edits may be replaced.
# What `systemctl --user edit memvault-maintain-5f0c1234.service` adds, beside this file, stays.

[Unit]
Description=memvault: daily upkeep of /home/noor/my 100%% memory (memvault maintain)

[Service]
Type=oneshot
Nice=10
ExecStart=/opt/memvault --vault "/home/noor/my 100%% memory" maintain --scheduled
"""

TIMER = """\
# Created and maintained by memvault; edits may be replaced.
# What `systemctl --user edit memvault-maintain-5f0c1234.timer` adds, beside this file, stays.

[Unit]
Description=memvault: when to keep /home/noor/my 100%% memory in order (daily)

[Timer]
OnCalendar=*-*-* 04:17:00
RandomizedDelaySec=30m
Persistent=true

[Install]
WantedBy=timers.target
"""


def test_systemd_is_given_a_service_and_a_timer() -> None:
    service, timer = SystemdScheduler(played(HOME)).make_pieces(job("/home/noor/my 100% memory"))
    folder = HOME / ".config/systemd/user"
    assert (service.where, service.text) == (str(folder / "memvault-maintain-5f0c1234.service"), SERVICE)
    assert (timer.where, timer.text) == (str(folder / "memvault-maintain-5f0c1234.timer"), TIMER)


def exec_line(*command: str) -> str:
    wanted = ScheduledJob(vault_id=VAULT_ID, vault="/v", command=command, at="04:17")
    return SystemdScheduler(played(HOME)).make_pieces(wanted)[0].text.partition("ExecStart=")[2].strip()


def test_systemd_takes_signs_as_they_are() -> None:
    assert exec_line("/opt/m", 'a"b') == '/opt/m "a\\"b"'
    assert exec_line("/opt/m", "a\\b $HOME 5%") == '/opt/m "a\\\\b $$HOME 5%%"'
    assert exec_line("/opt/my tools/m 5%", "x") == '"/opt/my tools/m 5%%" x'
    assert exec_line("/opt/it's/m", "x") == '/usr/bin/env "/opt/it\'s/m" x'
    assert exec_line("/opt/$m", "x") == '/usr/bin/env "/opt/$$m" x'


def test_systemd_says_when_it_runs_next(tmp_path: Path) -> None:
    systemd = SystemdScheduler(played(tmp_path))
    systemd.install(job())
    found = systemd.find_entry(VAULT_ID)
    assert found
    assert (found.active, found.next_run) == (True, "Fri 2026-01-30 04:31:22 UTC")


def test_leftovers_of_a_missing_systemd_can_be_removed(tmp_path: Path) -> None:
    SystemdScheduler(played(tmp_path)).install(job())
    wants = tmp_path / ".config/systemd/user/timers.target.wants/memvault-maintain-5f0c1234.timer"
    wants.parent.mkdir()
    wants.write_text("")
    gone = SystemdScheduler(played(tmp_path, fails={"systemctl": NO_BUS}))
    found = gone.find_entry(VAULT_ID)
    assert found
    assert found.active is None
    gone.remove(VAULT_ID)
    assert gone.find_entry(VAULT_ID) is None
    assert not wants.exists()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here")
@pytest.mark.parametrize("name", ["plain", "my 100% $HOME 'a\" b\\c; & ä"])
def test_systemd_itself_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    program = tmp_path / name / "memvault"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    SystemdScheduler(played(tmp_path)).install(job(str(program.parent), program=str(program)))
    units = sorted(map(str, (tmp_path / ".config/systemd/user").iterdir()))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, check=False, text=True)
    assert "memvault" not in done.stderr, done.stderr


# -- launchd


def test_launchd_is_given_a_property_list() -> None:
    [piece] = LaunchdScheduler(played(HOME, "darwin")).make_pieces(job("/Users/noor/R & D <1>"))
    assert piece.where == str(HOME / "Library/LaunchAgents/dev.memvault.maintain.5f0c1234.plist")
    log = str(HOME / "Library/Application Support/memvault/memvault-maintain-5f0c1234.log")
    assert plistlib.loads(piece.text.encode()) == {
        "Label": "dev.memvault.maintain.5f0c1234",
        "ProgramArguments": ["/opt/memvault", "--vault", "/Users/noor/R & D <1>", "maintain", "--scheduled"],
        "StartCalendarInterval": {"Hour": 4, "Minute": 17},
        "RunAtLoad": True,
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    assert piece.text.splitlines()[2:4] == [
        "<!-- Created and maintained by memvault; edits may be replaced. -->",
        '<plist version="1.0">',
    ]
    assert "<string>/Users/noor/R &amp; D &lt;1&gt;</string>" in piece.text


def test_launchd_is_told_in_this_order(tmp_path: Path) -> None:
    machine = played(tmp_path, "darwin")
    launchd = LaunchdScheduler(machine)
    launchd.install(job())
    launchd.install(job())
    launchd.install(job(at="06:30"))
    launchd.remove(VAULT_ID)
    service = "gui/501/dev.memvault.maintain.5f0c1234"
    path = tmp_path / "Library/LaunchAgents/dev.memvault.maintain.5f0c1234.plist"
    once = [f"launchctl enable {service}", f"launchctl bootstrap gui/501 {path}"]
    assert machine.changing() == [*once, f"launchctl bootout {service}", *once, f"launchctl bootout {service}"]


@pytest.mark.parametrize("text", ["", "no list", "<plist><array/></plist>"])
def test_a_property_list_that_somebody_broke_is_found_all_the_same(text: str, tmp_path: Path) -> None:
    launchd = LaunchdScheduler(played(tmp_path, "darwin"))
    launchd.install(job())
    Path(launchd.make_pieces(job())[0].where).write_text(text)
    found = launchd.find_entry(VAULT_ID)
    assert found
    assert (found.at, found.command) == ("", ())
    launchd.install(job())
    assert launchd.find_entry(VAULT_ID).command == job().command  # type: ignore[union-attr]


# -- cron

REGION = b"""\
# BEGIN memvault-maintain-5f0c1234 (created and maintained by memvault; edits down to END may be replaced)
5 6 * * * /opt/memvault --vault '/my 100\\% "memory"' maintain --scheduled
@reboot /opt/memvault --vault '/my 100\\% "memory"' maintain --scheduled
# END memvault-maintain-5f0c1234
"""


def crontab_of(before: bytes, *, remove: bool = False) -> bytes:
    machine = played(HOME)
    machine.crontab.append(before)
    CronScheduler(machine).remove(VAULT_ID) if remove else CronScheduler(machine).install(
        job('/my 100% "memory"', at="06:05")
    )
    return machine.crontab[0] if machine.crontab else b""  # none is left where nothing is


def test_cron_is_given_marked_lines() -> None:
    [piece] = CronScheduler(played(HOME)).make_pieces(job('/my 100% "memory"', at="06:05"))
    assert piece.text.encode() == REGION
    assert crontab_of(b"") == REGION


def as_cron_runs(line: str, *, unfolds_backslashes: bool) -> str:
    """What cron hands to the shell: the command up to a bare `%`."""
    seen, signs = "", iter(line)
    for sign in signs:
        if sign == "%":
            return seen
        after = next(signs, "") if sign == "\\" else None
        dropped = after == "%" or (after == "\\" and unfolds_backslashes)
        seen += sign if after is None else after if dropped else sign + after
    return seen


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@given(st.lists(LETTERS, min_size=1, max_size=3), st.booleans())
def test_every_cron_gives_the_words_to_the_program_as_they_are(words: list[str], unfolds_backslashes: bool) -> None:
    wanted = ScheduledJob(vault_id=VAULT_ID, vault="/v", command=("printf", "%s\\0", *words), at="04:17")
    [piece] = CronScheduler(played(HOME)).make_pieces(wanted)
    line = re.search(r"^17 4 \* \* \* (.*)$", piece.text, re.MULTILINE)
    assert line
    command = as_cron_runs(line[1], unfolds_backslashes=unfolds_backslashes)
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True, env={"LC_ALL": "C"})
    assert ran.stdout.decode().split("\0")[:-1] == words


FOREIGN = st.lists(
    st.sampled_from(
        [
            b"MAILTO=noor",
            b"",
            b"# BEGIN of my jobs",
            b"0 5 * * * tar czf /b/home.tgz /home \xff\xfe",
            b"# END of my jobs",
            b"  # BEGIN memvault-maintain-5f0c1234",
            b"# BEGIN memvault-maintain-77aa0001 (made)\n1 1 * * * x\n# END memvault-maintain-77aa0001",
            b"# BEGIN memvault-maintain-5f0c12345",
        ]
    ),
    max_size=5,
).map(lambda lines: b"".join(line + b"\n" for line in lines))


@given(FOREIGN, FOREIGN)
def test_everything_outside_the_marks_stays_to_the_byte(above: bytes, below: bytes) -> None:
    assert crontab_of(above) == above + REGION
    assert crontab_of(above + REGION.replace(b"5 6", b"1 2") + below) == above + REGION + below
    assert crontab_of(above + REGION + below, remove=True) == above + below


def test_a_last_line_that_was_not_ended_is_ended_first() -> None:
    assert crontab_of(b"0 5 * * * x") == b"0 5 * * * x\n" + REGION


def test_marks_with_nothing_between_are_filled_again() -> None:
    assert crontab_of(b"# BEGIN memvault-maintain-5f0c1234\n# END memvault-maintain-5f0c1234\nx\n") == REGION + b"x\n"


@pytest.mark.parametrize("lost", [0, -1])
def test_a_lost_mark_costs_nobody_a_line(lost: int) -> None:
    lines = REGION.splitlines(keepends=True)
    del lines[lost]
    for remove in (False, True):
        with pytest.raises(SchedulerFailed, match="without the other one") as failed:
            crontab_of(b"".join(lines) + b"0 5 * * * mine\n", remove=remove)
        assert "crontab -e" in failed.value.advice


@pytest.mark.parametrize(
    "said",
    ["no crontab for noor", "crontab: no crontab for noor", "crontab: can't open 'noor': No such file or directory"],
)
def test_no_crontab_yet_is_an_empty_one(said: str) -> None:
    machine = played(HOME, fails={"crontab -l": SchedulerResult(1, b"", said)})
    CronScheduler(machine).install(job('/my 100% "memory"', at="06:05"))
    assert machine.crontab == [REGION]


@pytest.mark.parametrize("said", ["You (noor) are not allowed to use this program", "disk error", "exit code 1"])
def test_a_crontab_that_cannot_be_read_is_never_written(said: str) -> None:
    machine = played(HOME, fails={"crontab -l": SchedulerResult(1, b"", said)})
    assert CronScheduler(machine).find_entry(VAULT_ID) is None
    with pytest.raises(SchedulerFailed, match=re.escape(said)):
        CronScheduler(machine).install(job())
    assert machine.changing() == []


def test_lines_that_somebody_broke_are_found_all_the_same() -> None:
    for line in (b"17 4 * * * /opt/memvault 'unfinished", b"@daily /opt/memvault"):
        machine = played(HOME)
        machine.crontab.append(b"# BEGIN memvault-maintain-5f0c1234\n" + line + b"\n# END memvault-maintain-5f0c1234\n")
        found = CronScheduler(machine).find_entry(VAULT_ID)
        assert found
        assert found.command == ()


# -- Windows

SPACE = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}


def test_windows_is_given_a_task_in_utf_16(tmp_path: Path) -> None:
    machine = played(tmp_path, "win32")
    program = "C:\\Program Files\\memvault\\memvault.exe"
    WindowsScheduler(machine).install(job("C:\\Users\\Åsa\\R & D, 100%", program=program))
    data = machine.tasks["memvault-maintain-5f0c1234"]
    assert data.startswith((b"\xff\xfe", b"\xfe\xff"))
    root = ET.fromstring(data)
    told = {
        "t:Actions/t:Exec/t:Command": program,
        "t:Actions/t:Exec/t:Arguments": '--vault "C:\\Users\\Åsa\\R & D, 100%" maintain --scheduled',
        "t:Triggers/t:CalendarTrigger/t:StartBoundary": "2026-01-01T04:17:00",
        "t:Triggers/t:CalendarTrigger/t:ScheduleByDay/t:DaysInterval": "1",
        "t:Settings/t:StartWhenAvailable": "true",
        "t:Settings/t:MultipleInstancesPolicy": "IgnoreNew",
        "t:Settings/t:DisallowStartIfOnBatteries": "false",
        "t:Principals/t:Principal/t:LogonType": "InteractiveToken",
        "t:Principals/t:Principal/t:RunLevel": "LeastPrivilege",
    }
    assert {path: root.findtext(path, namespaces=SPACE) for path in told} == told


def test_windows_says_when_it_runs_next(tmp_path: Path) -> None:
    windows = WindowsScheduler(played(tmp_path, "win32"))
    windows.install(job())
    found = windows.find_entry(VAULT_ID)
    assert found
    assert (found.active, found.next_run) == (True, "30/01/2026 04:17:00")


def test_a_task_that_was_switched_off_is_seen(tmp_path: Path) -> None:
    machine = played(tmp_path, "win32")
    WindowsScheduler(machine).install(job())
    [(name, data)] = machine.tasks.items()
    off = data.decode("utf-16").replace("<Enabled>true</Enabled>\r\n    <Exec", "<Enabled>false</Enabled>\r\n    <Exec")
    machine.tasks[name] = off.encode("utf-16")
    found = WindowsScheduler(machine).find_entry(VAULT_ID)
    assert found
    assert found.active is False


@pytest.mark.parametrize("path", ["C:\\%TEMP%\\vault", "C:\\$(Arg0)"])
def test_a_path_that_windows_would_expand_is_refused(path: str) -> None:
    with pytest.raises(BadInput, match="variable"):
        WindowsScheduler(played(HOME, "win32")).make_pieces(job(path))


@pytest.mark.parametrize("data", [b"", b"<Task", b"\xff\xfe<", b"\xff\xff"])
def test_a_task_that_cannot_be_read_is_found_all_the_same(data: bytes) -> None:
    machine = played(
        HOME, "win32", fails={"schtasks /Query /TN memvault-maintain-5f0c1234 /XML": SchedulerResult(0, data, "")}
    )
    found = WindowsScheduler(machine).find_entry(VAULT_ID)
    assert found
    assert (found.at, found.command) == ("", ())
