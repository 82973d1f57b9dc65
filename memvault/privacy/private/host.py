"""Host services for private text: an editor in memory, the system's keyring, no core dumps."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memvault.errors import NoKeychain, NoQuietPlace
from memvault.system import programs

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


def edit_in_memory(data: bytes, *, name: str, command: list[str]) -> bytes:
    """Return the bytes as the person left them; NoQuietPlace where no folder is in memory alone."""
    place = memory_folder()
    if place is None:
        raise NoQuietPlace
    with _guarded_folder(place) as folder:
        return programs.edit_in(
            folder, data, name=name, editor=[command[0], *_editor_options(command[0]), *command[1:]]
        )


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


# The system's keyring, through an optional package: stores a person's key.

PLACE = "the system's keyring"
_SERVICE, _NAME = "memvault", "private memories"
# Backends that store passwords in a file, or nowhere, by their module.
_UNSAFE_BACKENDS = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")


def has_keychain() -> bool:
    """Return whether a package for the system's keyring is installed."""
    try:
        return find_spec("keyring") is not None
    except ValueError:  # somebody put another module in its place
        return False


def fetch_key() -> str:
    """Return the stored key; empty where there is none, or nobody can be asked."""
    if not has_keychain():
        return ""
    try:
        return str(_import_keyring().get_password(_SERVICE, _NAME) or "")
    except Exception:  # each system has its own errors: locked, no session, no permission
        return ""


def store_key(text: str) -> None:
    """Store a key in the keyring; NoKeychain where it is refused, or would be stored in some file."""
    if not has_keychain():
        raise NoKeychain(reason="the package `keyring` is not installed")
    try:
        is_kept = _set_password(text)
    except Exception as error:  # as above; the message may repeat the key
        raise NoKeychain(reason=type(error).__name__) from None
    if not is_kept:
        raise NoKeychain(reason="no secure keyring backend is available")


def _set_password(text: str) -> bool:
    package = _import_keyring()
    if type(package.get_keyring()).__module__.startswith(_UNSAFE_BACKENDS):
        return False
    package.set_password(_SERVICE, _NAME, text)
    return True


def _import_keyring() -> Any:
    return import_module("keyring")


# For processes with private text in memory: no crash may write it to a disk.


def forbid_core_dumps() -> None:
    """Forbid core dumps; where the system has none, do nothing."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
