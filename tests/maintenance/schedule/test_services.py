"""The daemon as a service: written down as systemd and launchd read it, and taken away without a trace."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

from memvault.errors import NoServices, SchedulerFailed
from memvault.maintenance.schedule import install
from tests.maintenance.schedule.scheduler_programs import NO_BUS, played

COMMAND = ("/opt/my programs/memvault", "watch", "--serve")


def test_systemd_is_told_to_keep_it_running(tmp_path: Path) -> None:
    machine = played(tmp_path, "linux")
    path = install.install_service(machine, COMMAND)
    text = path.read_text()
    assert 'ExecStart="/opt/my programs/memvault" watch --serve' in text
    assert "Restart=on-failure" in text
    assert install.installed_service(machine) == path
    assert machine.loaded == {"memvault-porter.service"}
    assert install.install_service(machine, COMMAND) == path
    assert install.remove_service(machine) == path
    assert (install.installed_service(machine), machine.loaded, path.exists()) == (None, set(), False)
    assert install.remove_service(machine) is None


def test_launchd_is_told_to_keep_it_running(tmp_path: Path) -> None:
    machine = played(tmp_path, "darwin")
    path = install.install_service(machine, COMMAND)
    told = plistlib.loads(path.read_bytes())
    assert told["ProgramArguments"] == list(COMMAND)
    assert told["KeepAlive"] == {"SuccessfulExit": False}
    assert len(machine.loaded) == 1
    assert install.install_service(machine, COMMAND) == path
    assert install.remove_service(machine) == path
    assert (machine.loaded, path.exists()) == (set(), False)


def test_a_refused_service_leaves_nothing_behind(tmp_path: Path) -> None:
    machine = played(tmp_path, "linux")
    machine.fails["systemctl --user enable"] = NO_BUS
    with pytest.raises(SchedulerFailed):
        install.install_service(machine, COMMAND)
    assert install.installed_service(machine) is None


def test_install_reports_a_system_without_services(tmp_path: Path) -> None:
    machine = played(tmp_path, "win32")
    with pytest.raises(NoServices):
        install.install_service(machine, COMMAND)
    assert (install.installed_service(machine), install.remove_service(machine)) == (None, None)
