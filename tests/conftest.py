"""A vault, a memory factory, a fixed clock. No sleeping, no network."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memvault.api import Memvault
from memvault.extensions import load as extensions
from memvault.system import files, git
from tests import points
from tests.places import in_memory, processors

pytest_plugins = ("tests.command_line", "tests.machines", "tests.team.servers")

settings.register_profile(
    "short",
    max_examples=points.of(10, 100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

# A shell that starts the tests in the background has them ignore an interrupt, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is ignored is ignored by all that is started, too; what is handled is not. Whoever starts the tests with `nohup`
# wants them to outlive a terminal, and some of the programs that they start are to be ended by just that.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# Processes of their own are started by the hundred, and each would compile all of the package that has not been written.
sys.dont_write_bytecode = False

# Thousands of tests are held all along. To look them through for garbage again and again took a sixth of all the time.
gc.set_threshold(20_000, 20, 20)


HERE = Path(__file__).parent
# What may differ from one Python to the next: the contracts, the rules, reading and writing, and commands as they are typed.
EVERYWHERE = ("contracts/", "core/", "storage/frontmatter/", "transcripts/test_transcripts")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the temporary folders in memory where there is room: most of what the tests do is to make and remove files."""
    if not config.getoption("basetemp") and (folder := in_memory(os.environ)):
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors, where these are few: some test is always waiting for a process."""
    count = processors()
    return count + 1 if count <= 4 else count


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the other Pythons run, and leave out what only the run of all points, or a phase of its own, does."""
    for item in items:
        if item.path.relative_to(HERE).as_posix().startswith(EVERYWHERE):
            item.add_marker("everywhere")
    left_out = set() if points.ALL else points.left_out(items)
    for phase in ("postgres", "browser", "clients"):
        if phase not in config.option.markexpr:
            left_out.update(item for item in items if item.get_closest_marker(phase))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: no look for garbage needs to begin with it, nor any forked process copy it."""
    gc.collect()
    gc.freeze()


START = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is told to move on."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> datetime:
        """Let some time go by."""
        self.now += timedelta(**span)
        return self.now


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing here is about power cuts: what a killed process wrote is in the system's memory, synced or not."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: None)
        # Nor is there ever enough for git to tidy up, which it would look for after every run.
        tidy = ("-c", "maintenance.auto=false", "-c", "gc.auto=0")
        patched.setattr(git, "_ALWAYS", ("-c", "core.quotepath=off", "-c", "core.fsync=none", *tidy))
        patched.setenv("GIT_TEST_FSYNC", "0")  # for the runs of git that are the tests' own
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))  # of whoever is given no environment
        yield


@pytest.fixture(scope="session", autouse=True)
def ticks_are_over() -> Iterator[None]:
    """Most notes here are read within a tick of the disk's clock after they were made, which hardly any test is about."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "may_change_unseen", lambda *_moments: False)
        yield


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """Every test is on a machine of its own, with the same packages: they are read again where a folder has changed."""
    found: dict[tuple[tuple[str, int], ...], list[extensions.PackageExtension]] = {}
    look = extensions._scan_packages

    def offered(folders: list[str]) -> Iterator[extensions.PackageExtension]:
        stamp = tuple((folder, extensions._modified_at(folder)) for folder in folders)
        if stamp not in found:
            found[stamp] = list(look(folders))
        yield from found[stamp]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(extensions, "_scan_packages", offered)
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A machine of its own: nothing of the person who runs the tests is read or written."""
    home = tmp_path / "home"
    home.mkdir()
    return machine_at(home)


def machine_at(home: Path) -> dict[str, str]:
    """Name the folders of a machine that keeps everything below one."""
    return {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "PATH": os.environ.get("PATH", ""),
    }


def write_own_config(environment: Mapping[str, str], text: str) -> Path:
    """Write the config of the person whose machine it is, and return its path."""
    path = Path(environment["XDG_CONFIG_HOME"]) / "memvault" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


Opener = Callable[..., Memvault]


@pytest.fixture
def open_vault(clock: Clock, environment: dict[str, str]) -> Iterator[Opener]:
    """Opens vaults on the fixed clock, and closes them when the test is over."""
    opened: list[Memvault] = []

    def open_(path: Path, **given: object) -> Memvault:
        given.setdefault("environment", environment)
        vault = Memvault(path, clock=clock, zone=UTC, **given)  # type: ignore[arg-type]
        opened.append(vault)
        return vault

    yield open_
    for vault in opened:
        vault.close()


Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Folders by name that are made when the first test needs them, and are there for all others to copy."""
    folder = tmp_path_factory.mktemp("laid-down")
    whole: set[str] = set()

    def made(name: str, make: Callable[[Path], object]) -> Path:
        if name not in whole:
            shutil.rmtree(folder / name, ignore_errors=True)  # of one who failed to make it
            make(folder / name)
            whole.add(name)
        return folder / name

    return made


LaidDown = Callable[[bool], Path]


@pytest.fixture(scope="session")
def laid_down(once: Once) -> LaidDown:
    """Vaults as they are when they were just made, empty or with the samples: a copy takes half as long as another."""

    def made(sample: bool) -> Path:
        return once(
            "sample" if sample else "empty", lambda path: Memvault.init(path, sample=sample, clock=lambda: START)
        )

    return made


@pytest.fixture
def vault(tmp_path: Path, laid_down: LaidDown, open_vault: Opener) -> Memvault:
    """A fresh, empty vault."""
    return open_vault(shutil.copytree(laid_down(False), tmp_path / "vault"))


@pytest.fixture
def sample(tmp_path: Path, laid_down: LaidDown, open_vault: Opener) -> Memvault:
    """A vault with the sample memories."""
    return open_vault(shutil.copytree(laid_down(True), tmp_path / "vault"))
