"""A machine whose schedulers' programs are played: each call is noted, each answer is as the real one gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memvault.maintenance.schedule import ScheduledJob
from memvault.system.programs import Machine, SchedulerResult

VAULT_ID = "5f0c1234-0000-4000-8000-000000000000"
OTHER_ID = "77aa0001-0000-4000-8000-000000000000"

NO_CRONTAB = SchedulerResult(1, b"", "no crontab for noor")
NO_BUS = SchedulerResult(1, b"", "Failed to connect to bus: No medium found")
NOT_THERE = SchedulerResult(127, b"", "crontab is not installed")


def job(vault: str = "/home/noor/memory", *, program: str = "/opt/memvault", at: str = "04:17") -> ScheduledJob:
    """Upkeep of a vault, as it is scheduled."""
    command = (program, "--vault", vault, "maintain", "--scheduled")
    return ScheduledJob(vault_id=VAULT_ID, vault=vault, command=command, at=at)


@dataclass(frozen=True, slots=True)
class Played(Machine):
    """A machine that runs nothing: it notes calls, keeps a crontab and tasks, and fails where it is told to."""

    fails: dict[str, SchedulerResult] = field(default_factory=dict)  # by the beginning of a call
    calls: list[str] = field(default_factory=list)
    crontab: list[bytes] = field(default_factory=list)  # none, or one
    loaded: set[str] = field(default_factory=set)
    tasks: dict[str, bytes] = field(default_factory=dict)

    def run_program(self, program: str, *words: str, feed: bytes = b"") -> SchedulerResult:
        """Play a program."""
        call = " ".join((program, *words))
        self.calls.append(call)
        failing = next((ended for begin, ended in self.fails.items() if call.startswith(begin)), None)
        if failing:
            return failing
        return {
            "systemctl": self._systemctl,
            "crontab": self._crontab,
            "launchctl": self._launchctl,
            "schtasks": self._schtasks,
        }[program](words, feed)

    def changing(self) -> list[str]:
        """The calls that did more than ask."""
        asking = ("list-timers", "show", "-l", "print", "/Query")
        return [call for call in self.calls if not set(asking) & set(call.split())]

    def _systemctl(self, words: tuple[str, ...], _feed: bytes) -> SchedulerResult:
        match words[1:]:
            case ("enable", "--now", name):
                self.loaded.add(name)
            case ("disable", "--now", name):
                self.loaded.discard(name)
            case ("show", name, _):
                active = name in self.loaded
                next_run = "Fri 2026-01-30 04:31:22 UTC" if active else ""
                told = f"ActiveState={'active' if active else 'inactive'}\nNextElapseUSecRealtime={next_run}\n"
                return SchedulerResult(0, told.encode(), "")
        return SchedulerResult(0, b"", "")

    def _crontab(self, words: tuple[str, ...], feed: bytes) -> SchedulerResult:
        if words == ("-l",):
            return SchedulerResult(0, self.crontab[0], "") if self.crontab else NO_CRONTAB
        self.crontab[:] = [] if words == ("-r",) else [feed]
        return SchedulerResult(0, b"", "")

    def _launchctl(self, words: tuple[str, ...], _feed: bytes) -> SchedulerResult:
        match words:
            case ("bootstrap", domain, path):
                self.loaded.add(f"{domain}/{Path(path).stem}")
            case ("bootout", service):
                self.loaded.discard(service)
            case ("print", service) if service not in self.loaded:
                return SchedulerResult(113, b"", f"Could not find service {service}")
        return SchedulerResult(0, b"", "")

    def _schtasks(self, words: tuple[str, ...], _feed: bytes) -> SchedulerResult:
        name = words[2]
        match words[0], words[-1]:
            case "/Create", _:
                self.tasks[name] = Path(words[4]).read_bytes()
            case "/Delete", _:
                del self.tasks[name]
            case "/Query", _ if name not in self.tasks:
                return SchedulerResult(1, b"", "ERROR: The system cannot find the file specified.")
            case "/Query", "/XML":
                return SchedulerResult(0, self.tasks[name].decode("utf-16").encode(), "")  # as the console gives it
            case "/Query", _:
                return SchedulerResult(0, f'"\\{name}","30/01/2026 04:17:00","Ready"\r\n'.encode(), "")
        return SchedulerResult(0, b"", "")


def played(home: Path, platform: str = "linux", *, fails: Mapping[str, SchedulerResult] | None = None) -> Played:
    """A machine of its own, with its folders below `home`."""
    environment = {"HOME": str(home), "LOCALAPPDATA": str(home / "local")}
    return Played(environment, platform=platform, user=501, fails=dict(fails or {}))
