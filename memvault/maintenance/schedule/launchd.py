"""An agent of the person's own launchd, on macOS."""

from __future__ import annotations

import plistlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from xml.parsers.expat import ExpatError

from memvault.errors import MemvaultError
from memvault.maintenance.schedule.job import Entry, Job, Piece, laid_down, name_for
from memvault.system import files, paths
from memvault.system.programs import Machine

_HEADER = "<!-- Created and maintained by memvault; edits may be replaced. -->"
_WITHOUT = (
    "Nothing was installed. Log in at this Mac's own screen and try again in a moment; "
    "`memvault schedule install --scheduler cron` does without."
)
_BY_HAND = "Nothing was taken away. `launchctl print {service}` says more."


@dataclass(frozen=True, slots=True)
class Launchd:
    """launchd, as one person's own agents have it."""

    name: ClassVar[str] = "launchd"
    missed: ClassVar[str] = (
        "A run missed while the Mac slept is made up for when it wakes; "
        "it also runs at each log-in, and once as soon as it is installed."
    )

    machine: Machine

    def pieces(self, job: Job) -> tuple[Piece, ...]:
        """The property list."""
        log = str(self._log(job.vault_id))
        told = {
            "Label": _label(job.vault_id),
            "ProgramArguments": list(job.command),
            "StartCalendarInterval": {"Hour": job.hour, "Minute": job.minute},
            "RunAtLoad": True,  # launchd forgets a time at which the Mac was off
            "ProcessType": "Background",
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
        page = plistlib.dumps(told, sort_keys=False).decode()
        return (Piece(str(self._path(job.vault_id)), page.replace("<plist ", f"{_HEADER}\n<plist ", 1)),)

    def find(self, vault_id: str) -> Entry | None:
        """What the property list says, and whether launchd has it."""
        path = self._path(vault_id)
        if not path.is_file():
            return None
        told = _read(path)
        return Entry(
            scheduler=self.name,
            where=(str(path),),
            at=_at(told.get("StartCalendarInterval")),
            command=tuple(map(str, told.get("ProgramArguments", ()))),
            active=self._is_loaded(vault_id),
        )

    def install(self, job: Job) -> None:
        """Write the property list, and have launchd read it; where that is so already, nothing happens."""
        pieces, path = self.pieces(job), self._path(job.vault_id)
        loaded = self._is_loaded(job.vault_id)
        if loaded and path.is_file() and files.read(path) == pieces[0].text.encode():
            return
        files.make_folder(self._log(job.vault_id).parent)
        with laid_down(pieces):
            if loaded:
                self.machine.tell("launchctl", "bootout", self._service(job.vault_id), way_out=_WITHOUT)
            self.machine.ask("launchctl", "enable", self._service(job.vault_id))  # it may have been switched off once
            self.machine.tell("launchctl", "bootstrap", self._domain, str(path), way_out=_WITHOUT)

    def remove(self, vault_id: str) -> None:
        """Have launchd forget it, and take the property list and the log away."""
        service = self._service(vault_id)
        if self._is_loaded(vault_id):
            self.machine.tell("launchctl", "bootout", service, way_out=_BY_HAND.format(service=service))
        files.remove(self._path(vault_id))
        files.remove(self._log(vault_id))

    @property
    def _domain(self) -> str:
        return f"gui/{self.machine.user}"

    def _service(self, vault_id: str) -> str:
        return f"{self._domain}/{_label(vault_id)}"

    def _is_loaded(self, vault_id: str) -> bool:
        return self.machine.ask("launchctl", "print", self._service(vault_id)).code == 0

    def _path(self, vault_id: str) -> Path:
        # Beside Application Support, where macOS looks for them.
        library = paths.state(self.machine.environment, platform="darwin").parents[1]
        return library / "LaunchAgents" / f"{_label(vault_id)}.plist"

    def _log(self, vault_id: str) -> Path:
        return paths.state(self.machine.environment, platform="darwin") / f"{name_for(vault_id)}.log"


def _label(vault_id: str) -> str:
    return f"dev.{name_for(vault_id).replace('-', '.')}"


def _read(path: Path) -> dict[str, Any]:
    try:
        told = plistlib.loads(files.read(path))
    except (ValueError, ExpatError, MemvaultError):  # somebody's slip: status says that it cannot be read
        return {}
    return told if isinstance(told, dict) else {}


def _at(interval: object) -> str:
    match interval:
        case {"Hour": int(hour), "Minute": int(minute)}:
            return f"{hour:02}:{minute:02}"
        case _:
            return ""
