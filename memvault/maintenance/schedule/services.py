"""The warm process as a service of this person's log-in: written down where systemd or launchd looks, or removed."""

from __future__ import annotations

import plistlib
from pathlib import Path

from memvault.errors import NoServices
from memvault.maintenance.schedule.job import Piece
from memvault.maintenance.schedule.laid import laid_down
from memvault.maintenance.schedule.systemd import command_line
from memvault.system import files
from memvault.system import paths as folders
from memvault.system.machine import Machine

NAME = "memvault-porter"
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


def installed(machine: Machine) -> Path | None:
    """The file that stands for the service; None where there is none."""
    path = _path(machine)
    return path if path is not None and path.is_file() else None


def install(machine: Machine, command: tuple[str, ...]) -> Path:
    """Have it run from now on whenever this person is logged in; what was there stays if that fails."""
    path = _path(machine)
    if path is None:
        raise NoServices()
    log = folders.state(machine.environment, platform=machine.platform) / f"{NAME}.service.log"
    text = _plist(command, log) if machine.platform == "darwin" else _unit(command)
    was_there = path.is_file()
    with laid_down([Piece(str(path), text)]):
        if machine.platform == "darwin":
            if was_there:
                machine.ask("launchctl", "bootout", f"gui/{machine.user}/{_LABEL}")
            machine.tell("launchctl", "bootstrap", f"gui/{machine.user}", str(path), way_out=_WITHOUT)
        else:
            machine.tell("systemctl", "--user", "daemon-reload", way_out=_WITHOUT)
            machine.tell("systemctl", "--user", "enable", "--now", path.name, way_out=_WITHOUT)
    return path


def remove(machine: Machine) -> Path | None:
    """Have it run no longer; the file that stood for it, None where there was none."""
    path = installed(machine)
    if path is None:
        return None
    if machine.platform == "darwin":
        machine.ask("launchctl", "bootout", f"gui/{machine.user}/{_LABEL}")
    else:
        way_out = _BY_HAND.format(program=f"systemctl --user status {path.name}")
        machine.tell("systemctl", "--user", "disable", "--now", path.name, way_out=way_out)
    files.remove(path)
    if machine.platform != "darwin":
        machine.ask("systemctl", "--user", "daemon-reload")  # it is gone either way
    return path


def _path(machine: Machine) -> Path | None:
    if machine.platform == "darwin":
        library = folders.state(machine.environment, platform="darwin").parents[1]
        return library / "LaunchAgents" / f"{_LABEL}.plist"
    if machine.platform != "linux":
        return None
    return folders.config(machine.environment, platform="linux").parent / "systemd" / "user" / f"{NAME}.service"


def _unit(command: tuple[str, ...]) -> str:
    return _UNIT.format(name=NAME, command=command_line(command), variable=_NEVER_IDLE)


def _plist(command: tuple[str, ...], log: Path) -> str:
    told = {
        "Label": _LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": {_NEVER_IDLE: "0"},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "StandardErrorPath": str(log),
    }
    return plistlib.dumps(told, sort_keys=False).decode()
