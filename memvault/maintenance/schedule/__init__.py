"""The schedulers of this machine: what runs memvault once a day, whoever is or is not at work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from memvault.maintenance.schedule.cron import CronScheduler
from memvault.maintenance.schedule.job import Scheduler
from memvault.maintenance.schedule.launchd import LaunchdScheduler
from memvault.maintenance.schedule.systemd import SystemdScheduler
from memvault.maintenance.schedule.windows import WindowsScheduler
from memvault.system.programs import Machine

AUTO = "auto"

SCHEDULERS: Mapping[str, Callable[[Machine], Scheduler]] = MappingProxyType(
    {"systemd": SystemdScheduler, "launchd": LaunchdScheduler, "cron": CronScheduler, "windows": WindowsScheduler}
)

# By platform, the usual one first; other systems have cron.
_USUAL_SCHEDULERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"linux": ("systemd", "cron"), "darwin": ("launchd", "cron"), "win32": ("windows",)}
)


def names_on(machine: Machine) -> tuple[str, ...]:
    """Return the schedulers that there can be on a machine."""
    return _USUAL_SCHEDULERS.get(machine.platform, ("cron",))


def schedulers_on(machine: Machine) -> tuple[Scheduler, ...]:
    """Return every scheduler that may have an entry on this machine."""
    return tuple(SCHEDULERS[name](machine) for name in names_on(machine))


def choose_scheduler(name: str, machine: Machine) -> Scheduler:
    """Return the scheduler of that name; `auto` is the usual one of the system, or cron where no systemd answers."""
    if name != AUTO:
        return SCHEDULERS[name](machine)
    usual = SCHEDULERS[names_on(machine)[0]](machine)
    return CronScheduler(machine) if isinstance(usual, SystemdScheduler) and not usual.is_running() else usual
