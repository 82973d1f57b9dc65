"""A timer and a service of the person's own systemd."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from memvault.maintenance.schedule import (
    ScheduledJob,
    ScheduleEntry,
    SchedulePiece,
    job_name,
    pieces_written,
    read_text,
)
from memvault.system import files, paths
from memvault.system.programs import Machine

_WITHOUT = (
    "Nothing was installed. It takes a log-in session with systemd; "
    "`memvault vault schedule install --scheduler cron` does without."
)
_BY_HAND = "Nothing was taken away. `systemctl --user status {unit}` says more."
_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_AT = re.compile(r"^OnCalendar=\*-\*-\* (\d\d:\d\d):00$", re.MULTILINE)
_EXEC = re.compile(r"^ExecStart=(.+)$", re.MULTILINE)

# systemd refuses quotes in the path of a program, and puts variables into arguments alone.
_ENV = "/usr/bin/env"
_NOT_IN_A_PROGRAM = frozenset("\"'\\$")

_HEADER = """\
# Created and maintained by memvault; edits may be replaced.
# What `systemctl --user edit {unit}` adds, beside this file, stays.
"""

_SERVICE = """\

[Unit]
Description=memvault: daily upkeep of {vault} (memvault maintain)

[Service]
Type=oneshot
Nice=10
ExecStart={command}
"""

_TIMER = """\

[Unit]
Description=memvault: when to keep {vault} in order (daily)

[Timer]
OnCalendar=*-*-* {at}:00
RandomizedDelaySec=30m
Persistent=true

[Install]
WantedBy=timers.target
"""


@dataclass(frozen=True, slots=True)
class SystemdScheduler:
    """systemd, as one person's own services have it."""

    name: ClassVar[str] = "systemd"
    missed: ClassVar[str] = (
        "A run missed while the machine was off is made up for at the next log-in; "
        "`loginctl enable-linger` lets it run while you are logged out."
    )

    machine: Machine

    def is_running(self) -> bool:
        """Return whether this person's systemd is there to be asked."""
        return self.machine.run_program("systemctl", "--user", "list-timers").code == 0

    def make_pieces(self, job: ScheduledJob) -> tuple[SchedulePiece, ...]:
        """Return the service, which says what, and the timer, which says when."""
        service, timer = self._unit_paths(job.vault_id)
        vault = job.vault.replace("%", "%%")
        what = _HEADER.format(unit=service.name) + _SERVICE.format(vault=vault, command=command_line(job.command))
        when = _HEADER.format(unit=timer.name) + _TIMER.format(vault=vault, at=job.at)
        return SchedulePiece(str(service), what), SchedulePiece(str(timer), when)

    def find_entry(self, vault_id: str) -> ScheduleEntry | None:
        """Return what its two files say, and what systemd knows of the timer."""
        service, timer = self._unit_paths(vault_id)
        if not (service.is_file() or timer.is_file()):
            return None
        at, line = _AT.search(read_text(timer)), _EXEC.search(read_text(service))
        known, trouble = self._timer_state(timer.name)
        return ScheduleEntry(
            scheduler=self.name,
            where=(str(service), str(timer)),
            at=at[1] if at else "",
            command=_split_words(line[1]) if line else (),
            active=known["ActiveState"] == "active" if "ActiveState" in known else None,
            next_run=known.get("NextElapseUSecRealtime", ""),
            trouble=trouble,
        )

    def install(self, job: ScheduledJob) -> None:
        """Write the two files, and have systemd start the timer."""
        with pieces_written(self.make_pieces(job)):
            self._run_systemctl("daemon-reload", way_out=_WITHOUT)
            self._run_systemctl("enable", "--now", f"{job_name(job.vault_id)}.timer", way_out=_WITHOUT)

    def remove(self, vault_id: str) -> None:
        """Have systemd stop the timer, and take the files away."""
        service, timer = self._unit_paths(vault_id)
        here = self.is_running()
        if here and timer.is_file():
            self._run_systemctl("disable", "--now", timer.name, way_out=_BY_HAND.format(unit=timer.name))
        for path in (service, timer, timer.parent / "timers.target.wants" / timer.name):
            files.remove_file(path)
        if here:
            self.machine.run_program("systemctl", "--user", "daemon-reload")  # it is gone either way

    def _run_systemctl(self, *words: str, way_out: str) -> None:
        self.machine.require_program("systemctl", "--user", *words, way_out=way_out)

    def _unit_paths(self, vault_id: str) -> tuple[Path, Path]:
        folder, name = unit_folder(self.machine), job_name(vault_id)
        return folder / f"{name}.service", folder / f"{name}.timer"

    def _timer_state(self, timer: str) -> tuple[dict[str, str], str]:
        ended = self.machine.run_program(
            "systemctl", "--user", "show", timer, "--property=ActiveState,NextElapseUSecRealtime"
        )
        if ended.code:
            return {}, f"systemd does not answer here, so nothing starts it: {ended.message}"
        return dict(row.partition("=")[::2] for row in ended.out.decode("utf-8", "replace").splitlines()), ""


def unit_folder(machine: Machine) -> Path:
    """Return where a person's own systemd looks for units."""
    return paths.config_folder(machine.environment, platform="linux").parent / "systemd" / "user"


def command_line(command: tuple[str, ...]) -> str:
    """Return the words as systemd reads them back, whatever stands in them."""
    words = (_ENV, *command) if _NOT_IN_A_PROGRAM & set(command[0]) else command
    return " ".join(_quote_word(word.replace("%", "%%").replace("$", "$$")) for word in words)


def _quote_word(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _split_words(line: str) -> tuple[str, ...]:
    found = (re.sub(r"\\(.)", r"\1", match[1]) if match[2] is None else match[2] for match in _WORD.finditer(line))
    words = tuple(word.replace("$$", "$").replace("%%", "%") for word in found)
    return words[1:] if words[:1] == (_ENV,) else words
