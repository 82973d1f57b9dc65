"""An agent of the person's own launchd, on macOS."""

from __future__ import annotations

import plistlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from xml.parsers.expat import ExpatError

from memvault.errors import MemvaultError
from memvault.maintenance.schedule import ScheduledJob, ScheduleEntry, SchedulePiece, job_name, pieces_written
from memvault.system import files, paths
from memvault.system.programs import Machine

_HEADER = "<!-- Created and maintained by memvault; edits may be replaced. -->"
_WITHOUT = (
    "Nothing was installed. Log in at this Mac's own screen and try again in a moment; "
    "`memvault vault schedule install --scheduler cron` does without."
)
_BY_HAND = "Nothing was taken away. `launchctl print {service}` says more."


@dataclass(frozen=True, slots=True)
class LaunchdScheduler:
    """launchd, as one person's own agents have it."""

    name: ClassVar[str] = "launchd"
    missed: ClassVar[str] = (
        "A run missed while the Mac slept is made up for when it wakes; "
        "it also runs at each log-in, and once as soon as it is installed."
    )

    machine: Machine

    def make_pieces(self, job: ScheduledJob) -> tuple[SchedulePiece, ...]:
        """Return the property list."""
        log = str(self._log_path(job.vault_id))
        hour, minute = map(int, job.at.split(":"))
        plist = {
            "Label": _agent_label(job.vault_id),
            "ProgramArguments": list(job.command),
            "StartCalendarInterval": {"Hour": hour, "Minute": minute},
            "RunAtLoad": True,  # launchd forgets a time at which the Mac was off
            "ProcessType": "Background",
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
        page = plistlib.dumps(plist, sort_keys=False).decode()
        return (SchedulePiece(str(self._plist_path(job.vault_id)), page.replace("<plist ", f"{_HEADER}\n<plist ", 1)),)

    def find_entry(self, vault_id: str) -> ScheduleEntry | None:
        """Return what the property list says, and whether launchd has it."""
        path = self._plist_path(vault_id)
        if not path.is_file():
            return None
        plist = _read_plist(path)
        return ScheduleEntry(
            scheduler=self.name,
            where=(str(path),),
            at=_format_time(plist.get("StartCalendarInterval")),
            command=tuple(map(str, plist.get("ProgramArguments", ()))),
            active=self._is_loaded(vault_id),
        )

    def install(self, job: ScheduledJob) -> None:
        """Write the property list, and have launchd read it; where that is so already, nothing happens."""
        pieces, path = self.make_pieces(job), self._plist_path(job.vault_id)
        loaded = self._is_loaded(job.vault_id)
        if loaded and path.is_file() and files.read_file(path) == pieces[0].text.encode():
            return
        files.make_folder(self._log_path(job.vault_id).parent)
        with pieces_written(pieces):
            if loaded:
                self.machine.require_program("launchctl", "bootout", self._service_name(job.vault_id), way_out=_WITHOUT)
            self.machine.run_program(
                "launchctl", "enable", self._service_name(job.vault_id)
            )  # it may have been switched off once
            self.machine.require_program("launchctl", "bootstrap", self._user_domain, str(path), way_out=_WITHOUT)

    def remove(self, vault_id: str) -> None:
        """Have launchd forget it, and take the property list and the log away."""
        service = self._service_name(vault_id)
        if self._is_loaded(vault_id):
            self.machine.require_program("launchctl", "bootout", service, way_out=_BY_HAND.format(service=service))
        files.remove_file(self._plist_path(vault_id))
        files.remove_file(self._log_path(vault_id))

    @property
    def _user_domain(self) -> str:
        return f"gui/{self.machine.user}"

    def _service_name(self, vault_id: str) -> str:
        return f"{self._user_domain}/{_agent_label(vault_id)}"

    def _is_loaded(self, vault_id: str) -> bool:
        return self.machine.run_program("launchctl", "print", self._service_name(vault_id)).code == 0

    def _plist_path(self, vault_id: str) -> Path:
        return agents_folder(self.machine) / f"{_agent_label(vault_id)}.plist"

    def _log_path(self, vault_id: str) -> Path:
        return paths.state_folder(self.machine.environment, platform="darwin") / f"{job_name(vault_id)}.log"


def agents_folder(machine: Machine) -> Path:
    """Return where macOS looks for a person's own agents, beside Application Support."""
    return paths.state_folder(machine.environment, platform="darwin").parents[1] / "LaunchAgents"


def _agent_label(vault_id: str) -> str:
    return f"dev.{job_name(vault_id).replace('-', '.')}"


def _read_plist(path: Path) -> dict[str, Any]:
    try:
        plist = plistlib.loads(files.read_file(path))
    except (ValueError, ExpatError, MemvaultError):  # somebody's slip: status says that it cannot be read
        return {}
    return plist if isinstance(plist, dict) else {}


def _format_time(interval: object) -> str:
    match interval:
        case {"Hour": int(hour), "Minute": int(minute)}:
            return f"{hour:02}:{minute:02}"
        case _:
            return ""
