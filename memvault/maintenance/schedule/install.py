"""Have upkeep run every day by itself: install that, take it away, look at it."""

from __future__ import annotations

import os
import plistlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Self

from memvault.core.settings import Settings, find_setting
from memvault.errors import BadInput, NoServices
from memvault.maintenance.schedule import ScheduledJob, ScheduleEntry, SchedulePiece, pieces_written
from memvault.maintenance.schedule.cron import CronScheduler
from memvault.maintenance.schedule.launchd import LaunchdScheduler, agents_folder
from memvault.maintenance.schedule.systemd import SystemdScheduler, command_line, unit_folder
from memvault.maintenance.schedule.windows import WindowsScheduler
from memvault.open_vault import OpenVault
from memvault.storage.vault.vault_file import read_vault_file
from memvault.system import files, paths
from memvault.system.programs import Machine

Scheduler = SystemdScheduler | LaunchdScheduler | CronScheduler | WindowsScheduler

AUTO = "auto"
SCHEDULERS: Mapping[str, Callable[[Machine], Scheduler]] = MappingProxyType(
    {"systemd": SystemdScheduler, "launchd": LaunchdScheduler, "cron": CronScheduler, "windows": WindowsScheduler}
)
# By platform, the usual one first; other systems have cron.
_USUAL_SCHEDULERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"linux": ("systemd", "cron"), "darwin": ("launchd", "cron"), "win32": ("windows",)}
)
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters, and bytes that are no text
_DUPLICATE = "{} has an entry for this vault too; `memvault vault schedule install` leaves only one."
_MANUAL = (
    "decay.control is manual, so a scheduled run leaves all to you; "
    "`memvault config decay.control auto` lets it do its work."
)


_NO_PROGRAM = 127


def has_scheduler(machine: Machine) -> bool:
    """Return whether a machine has a scheduler: systemd that runs for this person, or the program of another."""
    if machine.platform == "win32":
        return True
    if machine.platform == "darwin" or SystemdScheduler(machine).is_running():
        return True
    return machine.run_program("crontab", "-l").code != _NO_PROGRAM


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleDraft:
    """What would be installed: by which scheduler, what it runs when, and each text with its place."""

    scheduler: str
    at: str
    command: tuple[str, ...]
    pieces: tuple[SchedulePiece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleInstalled:
    """What was installed, and which entries of other schedulers gave way to it."""

    scheduler: str
    at: str
    command: tuple[str, ...]
    where: tuple[str, ...]
    missed: str
    changed: bool
    removed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRemoved:
    """Which schedulers had an entry, and where."""

    removed: tuple[str, ...]
    where: tuple[str, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleStatus:
    """Whether upkeep runs by itself, by which scheduler, when, and whether anything about it is wrong."""

    installed: bool
    scheduler: str = ""
    at: str = ""
    command: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    active: bool | None = None
    next_run: str = ""
    missed: str = ""
    problems: tuple[str, ...] = ()


class Schedule:
    """The daily upkeep of one vault on this machine."""

    def __init__(self, root: Path, vault_id: str, settings: Settings, machine: Machine) -> None:
        self._root = root
        self._id = vault_id
        self._settings = settings
        self._machine = machine

    @classmethod
    def of(cls, vault: OpenVault) -> Self:
        """Return the daily upkeep of an open vault."""
        return cls(vault.root, read_vault_file(vault.root).id, vault.settings, Machine(vault.environment))

    def is_available(self) -> bool:
        """Return whether this machine has a scheduler that is running, or programs to be asked."""
        return has_scheduler(self._machine)

    def draft(self, *, scheduler: str = AUTO, at: str = "") -> ScheduleDraft:
        """Return what `install` would install and where; nothing is written."""
        job, backend = self._make_job(at), self._choose_scheduler(scheduler)
        return ScheduleDraft(scheduler=backend.name, at=job.at, command=job.command, pieces=backend.make_pieces(job))

    def install(self, *, scheduler: str = AUTO, at: str = "", dry_run: bool = False) -> ScheduleInstalled:
        """Have this vault looked after every day, by one scheduler and no other."""
        with files.system_errors(self._root):
            return self._install_job(scheduler, at, dry_run=dry_run)

    def _install_job(self, scheduler: str, at: str, *, dry_run: bool) -> ScheduleInstalled:
        job, backend = self._make_job(at), self._choose_scheduler(scheduler)
        known = [one.name for one in self._list_schedulers()]
        if backend.name not in known:
            raise BadInput(what="the scheduler", value=backend.name, reason=f"this system has {' or '.join(known)}")
        pieces = backend.make_pieces(job)
        before = backend.find_entry(self._id)
        others = [
            other for other in self._list_schedulers() if other.name != backend.name and other.find_entry(self._id)
        ]
        if not dry_run:
            backend.install(job)
            for other in others:  # only now: should the new one fail, the old one still runs
                other.remove(self._id)
        return ScheduleInstalled(
            scheduler=backend.name,
            at=job.at,
            command=job.command,
            where=tuple(piece.where for piece in pieces),
            missed=backend.missed,
            changed=before is None or before.active is False or (before.at, before.command) != (job.at, job.command),
            removed=tuple(other.name for other in others),
            warnings=self._warnings(before),
            dry_run=dry_run,
        )

    def remove(self, *, scheduler: str = AUTO, dry_run: bool = False) -> ScheduleRemoved:
        """Take away what is installed for this vault, by all schedulers or by the one named."""
        with files.system_errors(self._root):
            backends = self._list_schedulers() if scheduler == AUTO else [self._choose_scheduler(scheduler)]
            found = [(backend, entry) for backend in backends if (entry := backend.find_entry(self._id))]
            for backend, _ in () if dry_run else found:
                backend.remove(self._id)
        return ScheduleRemoved(
            removed=tuple(backend.name for backend, _ in found),
            where=tuple(place for _, entry in found for place in entry.where),
            dry_run=dry_run,
        )

    def status(self) -> ScheduleStatus:
        """Return what is installed for this vault, and whether it can do its work."""
        with files.system_errors(self._root):
            found = [(backend, entry) for backend in self._list_schedulers() if (entry := backend.find_entry(self._id))]
        if not found:
            return ScheduleStatus(installed=False)
        [(backend, entry), *more] = found
        return ScheduleStatus(
            installed=True,
            scheduler=backend.name,
            at=entry.at,
            command=entry.command,
            where=entry.where,
            active=entry.active,
            next_run=entry.next_run,
            missed=backend.missed,
            problems=(
                *self._problems(entry),
                *(_DUPLICATE.format(other.name) for other, _ in more),
                *self._warnings(None),
            ),
        )

    # -- what it is about

    def _choose_scheduler(self, name: str) -> Scheduler:
        """Return the scheduler of that name; `auto` is the usual one, or cron where no systemd answers."""
        if name in SCHEDULERS:
            return SCHEDULERS[name](self._machine)
        if name != AUTO:
            reason = f"it must be one of {', '.join((AUTO, *SCHEDULERS))}"
            raise BadInput(what="the scheduler", value=name, reason=reason)
        usual, *others = self._list_schedulers()
        return others[0] if isinstance(usual, SystemdScheduler) and not usual.is_running() else usual

    def _list_schedulers(self) -> list[Scheduler]:
        """Return every scheduler that may have an entry on this machine."""
        names = _USUAL_SCHEDULERS.get(self._machine.platform, ("cron",))
        return [SCHEDULERS[name](self._machine) for name in names]

    def _make_job(self, at: str) -> ScheduledJob:
        vault = str(self._root.resolve() if ".." in self._root.parts else self._root)
        command = (*self._machine.memvault_command(), "--vault", vault, "maintain", "--scheduled")
        for word in command:
            if _UNFIT.search(word):
                raise BadInput(what="a path in a schedule", value=word, reason="no scheduler takes such a character")
        row = find_setting("schedule.at")
        time = str(row.from_text(at, where="--at")) if at else self._settings.text(row.name)
        return ScheduledJob(vault_id=self._id, vault=vault, command=command, at=time)

    # -- what is wrong with it

    def _warnings(self, before: ScheduleEntry | None) -> tuple[str, ...]:
        vault = _vault_in_command(before.command) if before else ""
        elsewhere = vault and not self._is_this(vault) and Path(vault).is_dir()
        return tuple(
            sentence
            for sentence, applies in (
                (_MANUAL, self._settings.text("decay.control") == "manual"),
                (f"It ran for {vault} so far, a vault with the same id; it runs for this one alone now.", elsewhere),
            )
            if applies
        )

    def _problems(self, entry: ScheduleEntry) -> list[str]:
        again = "`memvault vault schedule install` puts that right."
        if not (entry.command and entry.at):
            return [f"It was edited, so that what it runs when cannot be read here; {again}"]
        vault = _vault_in_command(entry.command)
        wrong = (
            (entry.trouble, bool(entry.trouble)),
            (f"{entry.command[0]} is not there; {again}", not Path(entry.command[0]).is_file()),
            (f"It runs for {vault or 'no vault by name'}, not for this one; {again}", not self._is_this(vault)),
            (f"{entry.scheduler} has it switched off; {again}", entry.active is False),
        )
        return [sentence for sentence, applies in wrong if applies]

    def _is_this(self, vault: str) -> bool:
        return bool(vault) and os.path.realpath(vault) == os.path.realpath(self._root)


def _vault_in_command(command: tuple[str, ...]) -> str:
    """Return the vault that a command names; empty where it names none."""
    return dict(pairwise(command)).get("--vault", "")


# The daemon as a service of this person's log-in: written down where systemd or launchd looks, or removed.

SERVICE_NAME = "memvault-porter"
_LABEL = "dev.memvault.porter"
_NEVER_IDLE = "MEMVAULT_LIVE_IDLE_MINUTES"
_WITHOUT = "Nothing was installed. `memvault config --user live.autostart true` does without a service."
_BY_HAND = "Nothing was taken away. Ask `{program}` about it."

# It ends well when it is told to, and badly when it was replaced by another version: then it is to come back.
_UNIT = """\
# Created and maintained by memvault; edits may be replaced.
# What `systemctl --user edit {name}.service` adds, beside this file, stays.

[Unit]
Description=memvault: answers from warm memory (memvault watch --serve)

[Service]
ExecStart={command}
Environment={variable}=0
Restart=on-failure
RestartSec=2
Nice=5

[Install]
WantedBy=default.target
"""


def installed_service(machine: Machine) -> Path | None:
    """Return the file that stands for the service; None where there is none."""
    path = _service_path(machine)
    return path if path is not None and path.is_file() else None


def install_service(machine: Machine, command: tuple[str, ...]) -> Path:
    """Have it run from now on whenever this person is logged in; what was there stays if that fails."""
    path = _service_path(machine)
    if path is None:
        raise NoServices()
    log = paths.state_folder(machine.environment, platform=machine.platform) / f"{SERVICE_NAME}.service.log"
    text = (
        _launchd_plist(command, log)
        if machine.platform == "darwin"
        else _UNIT.format(name=SERVICE_NAME, command=command_line(command), variable=_NEVER_IDLE)
    )
    was_there = path.is_file()
    with pieces_written([SchedulePiece(str(path), text)]):
        if machine.platform == "darwin":
            if was_there:
                machine.run_program("launchctl", "bootout", f"gui/{machine.user}/{_LABEL}")
            machine.require_program("launchctl", "bootstrap", f"gui/{machine.user}", str(path), way_out=_WITHOUT)
        else:
            machine.require_program("systemctl", "--user", "daemon-reload", way_out=_WITHOUT)
            machine.require_program("systemctl", "--user", "enable", "--now", path.name, way_out=_WITHOUT)
    return path


def remove_service(machine: Machine) -> Path | None:
    """Have it run no longer; the file that stood for it, None where there was none."""
    path = installed_service(machine)
    if path is None:
        return None
    if machine.platform == "darwin":
        machine.run_program("launchctl", "bootout", f"gui/{machine.user}/{_LABEL}")
    else:
        way_out = _BY_HAND.format(program=f"systemctl --user status {path.name}")
        machine.require_program("systemctl", "--user", "disable", "--now", path.name, way_out=way_out)
    files.remove_file(path)
    if machine.platform != "darwin":
        machine.run_program("systemctl", "--user", "daemon-reload")  # it is gone either way
    return path


def _service_path(machine: Machine) -> Path | None:
    if machine.platform == "darwin":
        return agents_folder(machine) / f"{_LABEL}.plist"
    if machine.platform != "linux":
        return None
    return unit_folder(machine) / f"{SERVICE_NAME}.service"


def _launchd_plist(command: tuple[str, ...], log: Path) -> str:
    plist = {
        "Label": _LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": {_NEVER_IDLE: "0"},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "StandardErrorPath": str(log),
    }
    return plistlib.dumps(plist, sort_keys=False).decode()
