"""Find and run other programs: the desktop, an editor, schedulers, memvault itself."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from memvault.errors import CannotOpen, NoEditor, NoQuietPlace, SchedulerFailed


def find_program(name: str, environment: Mapping[str, str]) -> str | None:
    """Return where a program lies, or None where there is none.

    Only whole paths in PATH are searched. Windows, and a PATH with a dot in it, would also look into the current
    folder, which may be a vault with anything in it.
    """
    if os.path.dirname(name):  # noqa: PTH120 - a name, which pathlib would change
        return name if _is_program(name) else None
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder):  # noqa: PTH117
            for ending in _program_endings(name, environment):
                if _is_program(path := os.path.join(folder, name + ending)):  # noqa: PTH118
                    return path
    return None


def _program_endings(name: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    if os.name != "nt":
        return ("",)
    endings = tuple(environment.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").lower().split(";"))
    return ("", *endings) if name.lower().endswith(endings) else endings


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113


# The desktop: open a note in Obsidian, or in whatever opens such files.


def obsidian_uri(path: Path) -> str:
    """Return the address under which Obsidian opens a file."""
    return f"obsidian://open?path={quote(str(path), safe='')}"


def open_target(target: str) -> None:
    """Hand an address or a file to the desktop."""
    try:
        if sys.platform == "win32":
            os.startfile(target)
            return
        opener = "/usr/bin/open"
        if sys.platform != "darwin":
            opener = find_program("xdg-open", os.environ) or find_program("gio", os.environ) or ""
        if not opener:
            raise CannotOpen(target=target, reason="xdg-open is not installed")
        run = subprocess.run([opener, target], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if run.returncode:
            raise CannotOpen(target=target, reason=f"{opener} ended with exit code {run.returncode}")
    except OSError as error:
        raise CannotOpen(target=target, reason=error.strerror or error) from None


# A person's editor, started on a text and waited for.

_USUAL = ("sensible-editor", "nano", "vim", "vi", "notepad")


def editor_command(environment: Mapping[str, str], configured: str = "") -> list[str]:
    """Return the editor's command: VISUAL, EDITOR, the setting, else what is usually there."""
    for said in (environment.get("VISUAL"), environment.get("EDITOR"), configured):
        if said and said.strip():
            try:
                return shlex.split(said, posix=os.name != "nt")
            except ValueError:
                raise NoEditor(reason=f"its command has an unfinished quote: {said}") from None
    found = next((path for name in _USUAL if (path := find_program(name, os.environ))), None)
    if found is None:
        raise NoEditor(reason="VISUAL and EDITOR are not set, and no usual editor is installed")
    return [found]


def edit_text(data: bytes, *, name: str, editor: list[str]) -> bytes:
    """Have the person edit a private copy of some bytes, never the note itself; return the result."""
    folder = Path(tempfile.mkdtemp(prefix="memvault-"))
    try:
        return _edit_in(folder, data, name=name, editor=editor)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _edit_in(folder: Path, data: bytes, *, name: str, editor: list[str]) -> bytes:
    path = folder / name
    try:
        path.write_bytes(data)
        if code := subprocess.run([*editor, str(path)], check=False).returncode:
            raise NoEditor(reason=f"{editor[0]} ended with exit code {code}; nothing was saved")
        return path.read_bytes()
    except OSError as error:
        raise NoEditor(reason=f"{editor[0]}: {error.strerror or error}") from None


# The same in memory alone, for private text.

_PLACES = (Path("/dev/shm"),)
_IN_MEMORY = ("tmpfs", "ramfs")
_PREFIX = "memvault-private-"
_VIM = ("-n", "-i", "NONE", "-c", "set nobackup nowritebackup noundofile")
# Options that keep an editor from writing elsewhere: copies, undo files, registers.
_EDITOR_OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"vim": _VIM, "nvim": _VIM, "nano": ("--ignorercfiles",)}
)
# Waits for our end and removes the folder, as nobody else could if we were killed.
_GUARD = "import shutil,sys;sys.stdin.read();shutil.rmtree(sys.argv[1],ignore_errors=True)"


def edit_in_memory(data: bytes, *, name: str, editor: list[str]) -> bytes:
    """Return the bytes as the person left them; NoQuietPlace where no folder is in memory alone."""
    place = memory_folder()
    if place is None:
        raise NoQuietPlace
    with _guarded_folder(place) as folder:
        return _edit_in(folder, data, name=name, editor=[editor[0], *_editor_options(editor[0]), *editor[1:]])


def memory_folder(mounts: Path = Path("/proc/mounts")) -> Path | None:
    """Return a folder that is in memory; None where there is none, or the system does not say."""
    if sys.platform != "linux":
        return None
    try:
        rows = [line.split() for line in mounts.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return None
    sorts = {row[1]: row[2] for row in rows if len(row) > 2}
    return next((place for place in _PLACES if sorts.get(str(place)) in _IN_MEMORY), None)


def _editor_options(program: str) -> tuple[str, ...]:
    """Return the options for an editor by its real name: `vi` is mostly another program."""
    true = Path(shutil.which(program) or program).resolve().name
    return _EDITOR_OPTIONS.get(true.partition(".")[0], ())


@contextmanager
def _guarded_folder(place: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with subprocess.Popen(
            [sys.executable, "-I", "-c", _GUARD, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def forbid_core_dumps() -> None:
    """Forbid core dumps; where the system has none, do nothing."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


# Starting a process of our own that outlives the one that starts it.


def start_memvault(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command of memvault with nobody listening; where it cannot be started, nothing is done."""
    # -P: a module of the folder that the agent works in is not to be taken for ours.
    start_detached([sys.executable, "-P", "-m", "memvault", *words], environment)


def start_detached(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command with nobody listening; where it cannot be started, nothing is done."""
    with suppress(OSError):
        subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0) if os.name == "nt" else 0,
        )


# The machine whose schedulers are meant, and the one place where their programs are run.

# "systemctl:/path/to/a/fake --option,crontab:true": programs to run instead, so that tests need no scheduler.
STAND_INS = "MEMVAULT_SCHEDULER_COMMANDS"
_PATIENCE = 60
_NOT_THERE = 127  # as shells have it


class SchedulerResult(NamedTuple):
    """The result of a scheduler's program."""

    code: int
    out: bytes
    message: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as its schedulers see it: its variables, its system, its user."""

    environment: Mapping[str, str]
    platform: str = sys.platform
    user: int = os.getuid() if sys.platform != "win32" else 0

    def run_program(self, program: str, *words: str, feed: bytes = b"") -> SchedulerResult:
        """Run a scheduler's program and see how it ends; one that is not there ends with 127."""
        # In the C locale, so that what they say can be understood whatever the person's language.
        environment = {**self.environment, "LC_ALL": "C"}
        try:
            done = subprocess.run(
                [*self._program_words(program), *words],
                input=feed,
                env=environment,
                capture_output=True,
                check=False,
                timeout=_PATIENCE,
            )
        except FileNotFoundError:
            return SchedulerResult(_NOT_THERE, b"", f"{program} is not installed")
        except OSError as error:
            return SchedulerResult(_NOT_THERE, b"", f"{program} cannot be started ({error.strerror or error})")
        except subprocess.TimeoutExpired:
            return SchedulerResult(_NOT_THERE, b"", f"{program} did not answer within {_PATIENCE} seconds")
        said = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split()) if done.returncode else ""
        return SchedulerResult(done.returncode, done.stdout, said or f"exit code {done.returncode}")

    def require_program(self, program: str, *words: str, feed: bytes = b"", way_out: str) -> None:
        """Run a scheduler's program; where it fails, say so and what may be done instead."""
        ended = self.run_program(program, *words, feed=feed)
        if ended.code:
            raise scheduler_error(" ".join((program, *words)), ended, way_out=way_out)

    def _program_words(self, name: str) -> list[str]:
        instead = dict(row.split(":", 1) for row in self.environment.get(STAND_INS, "").split(",") if ":" in row)
        if name in instead:
            return shlex.split(instead[name])
        # Windows would look into the current folder first, which may be a vault.
        return [find_program(name, self.environment) or name] if sys.platform == "win32" else [name]

    def memvault_command(self, python: str = sys.executable) -> tuple[str, ...]:
        """Return how this memvault is called from anywhere: its console script, or the interpreter."""
        [stand_in, *_] = self._program_words("memvault")
        if stand_in != "memvault":
            return (stand_in,)
        # Not resolved: behind the links of a virtual environment lies an interpreter that knows no memvault.
        script = Path(python).absolute().with_name("memvault.exe" if self.platform == "win32" else "memvault")
        return (str(script),) if script.is_file() else (str(Path(python).absolute()), "-m", "memvault")


def own_command(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command that runs this memvault, from any folder and by any program."""
    program = Machine(environment).memvault_command()
    # An agent starts us in the folder of a project, and no module of that project is to be taken for ours.
    return (program[0], "-P", *program[1:]) if program[1:2] == ("-m",) else program


def scheduler_error(asked: str, ended: SchedulerResult, *, way_out: str) -> SchedulerFailed:
    """Return the error for a scheduler's program that failed."""
    return SchedulerFailed(asked=asked, reason=ended.message.rstrip("."), way_out=way_out)


# The command that installs what an extra brings, into the environment that memvault runs in.

# The packages of an extra are named, never memvault by the name of its extra: what a registry has under that name may
# be anybody's.
_REQUIREMENT = re.compile(r"^\s*([^;]+?)\s*;\s*(.*)$")
_PIPX, _UV_RECEIPT = ("pipx", "venvs"), "uv-receipt.toml"


def install_command(
    extra: str, *, environment: Mapping[str, str] = os.environ, prefix: str = sys.prefix, python: str = sys.executable
) -> str:
    """Return the whole command that installs an extra's packages where this memvault is installed."""
    packages = [_quote_word(requirement) for requirement in _list_requirements(extra)]
    if not packages:
        return f"{_quote_word(python)} -m pip install --editable '.[{extra}]'   # in your clone of memvault"
    parts = Path(prefix).parts
    if _PIPX in pairwise(parts):
        return " ".join(("pipx inject", _quote_word(parts[-1]), *packages))
    from importlib.util import find_spec  # deferred, as below

    if find_spec("pip") is not None and not (Path(prefix) / _UV_RECEIPT).exists():
        return " ".join((_quote_word(python), "-m pip install", *packages))
    if find_program("uv", environment):
        return " ".join(("uv pip install --python", _quote_word(python), *packages))
    python = _quote_word(python)
    return " ".join((python, "-m ensurepip &&", python, "-m pip install", *packages))


def _list_requirements(extra: str) -> list[str]:
    """Return the packages that an extra names, with their versions; none where memvault was never installed."""
    from importlib import metadata  # deferred: only for whoever lacks something

    try:
        stated = metadata.requires("memvault") or []
    except metadata.PackageNotFoundError:
        return []
    found = (_REQUIREMENT.match(line) for line in stated)
    wanted = re.compile(rf"""extra\s*==\s*['"]{re.escape(extra)}['"]""")
    return [one[1] for one in found if one and wanted.search(one[2])]


def _quote_word(word: str) -> str:
    if os.name == "nt":
        return f'"{word}"' if re.search(r"[\s<>|&^]", word) else word
    return shlex.quote(word)
