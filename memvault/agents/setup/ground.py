"""What the verbs need that write into agents' settings: the machine, our own command, and the hand that writes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from memvault.agents.setup.clients import Ground
from memvault.agents.setup.hooks import Entries
from memvault.system import paths
from memvault.system.programs import Machine
from memvault.system.project import repository


def lay_out(
    environment: Mapping[str, str], folder: Path | None, now: datetime
) -> tuple[Ground, tuple[str, ...], Entries]:
    """The agents as seen from a folder, how memvault is called from anywhere, and what is known of its entries."""
    ground = Ground(environment=environment, project=project(folder or Path.cwd()))
    return ground, own_command(environment), Entries(paths.state(environment), now)


def own_command(environment: Mapping[str, str]) -> tuple[str, ...]:
    """How this memvault is called, from any folder and by any program."""
    return _from_anywhere(Machine(environment).memvault())


def _from_anywhere(program: tuple[str, ...]) -> tuple[str, ...]:
    """An agent starts us in the folder of a project, and no module of that project is to be taken for ours."""
    return (program[0], "-P", *program[1:]) if program[1:2] == ("-m",) else program


def project(folder: Path) -> Path:
    """The top of the repository that a folder lies in, which is where agents keep a project's settings; or itself."""
    return repository(folder) or folder
