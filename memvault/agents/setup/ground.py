"""What the verbs need that write into agents' settings: the machine, our own command, and the hand that writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from memvault.agents.setup.clients import AgentFolders
from memvault.agents.setup.hooks import HookStatus, SettingsWriter
from memvault.maintenance.doctor.finding import DoctorFinding
from memvault.system import paths
from memvault.system.programs import own_command
from memvault.system.project import repository_top


def locate_agents(
    environment: Mapping[str, str], folder: Path | None, now: datetime
) -> tuple[AgentFolders, tuple[str, ...], SettingsWriter]:
    """The agents as seen from a folder, how memvault is called from anywhere, and what is known of its entries."""
    ground = AgentFolders(environment=environment, project=find_project_root(folder or Path.cwd()))
    return ground, own_command(environment), SettingsWriter(paths.state_folder(environment), now)


def find_project_root(folder: Path) -> Path:
    """The top of the repository that a folder lies in, which is where agents keep a project's settings; or itself."""
    return repository_top(folder) or folder


def find_hook_problems(status: HookStatus) -> Iterator[DoctorFinding]:
    """Find hooks that cannot do their work, settings that cannot be read, hooks from two sides."""
    for place in status.places:
        for problem in place.problems:
            sentence, _, advice = problem.partition("; ")
            sentence = sentence if sentence.endswith(".") else f"{sentence}."
            yield DoctorFinding(severity="warning", path=place.path, sentence=sentence, advice=advice)
    for problem in status.problems:
        advice = "Fix that file. Until then its program may fail to read it, and `memvault hooks` leaves it alone."
        yield DoctorFinding(severity="warning", path="", sentence=problem, advice=advice)
    for note in status.notes:
        advice = "`memvault hooks uninstall` with --scope takes one away."
        yield DoctorFinding(severity="note", path="", sentence=note, advice=advice)
