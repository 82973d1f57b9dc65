"""Processes that go on for long: after a purge each ends and starts again, as only that clears what it has read."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memvault.errors import BadInput, Busy, MemvaultError
from memvault.system import files, paths

LOOPBACK = "127.0.0.1"
_HIGHEST_PORT = 65_535
_FOLDER, _MARK = "holders", "purged"
_LOOKS, _PAUSE = 100, 0.1  # ten seconds, in which a process has started again


def read_mark(environment: Mapping[str, str]) -> bytes:
    """Return the mark of the last purge on this machine; empty before the first one."""
    try:
        return files.read_file(paths.state_folder(environment) / _MARK)
    except MemvaultError:
        return b""


@contextmanager
def register_holder(environment: Mapping[str, str], mark: bytes) -> Iterator[None]:
    """Let a purge know of this process, and since which purge it has run, for as long as it runs."""
    path = paths.state_folder(environment) / _FOLDER / str(os.getpid())
    try:
        files.make_folder(path.parent)
        with files.lock(path, wait=0):
            files.overwrite_file(path.with_name(f"{path.name}.mark"), mark)
            yield
    except MemvaultError:  # a machine that can keep nothing
        yield


def renew_holders(environment: Mapping[str, str]) -> tuple[int, ...]:
    """Have all such processes start again; return those that have not after a while."""
    folder = paths.state_folder(environment) / _FOLDER
    if not folder.is_dir():
        return ()
    mark = os.urandom(8).hex().encode()
    files.overwrite_file(paths.state_folder(environment) / _MARK, mark)
    for _ in range(_LOOKS):
        if not (found := _older_holders(folder, mark)):
            break
        time.sleep(_PAUSE)
    return found


def open_port(port: int) -> socket.socket:
    """Return a socket that listens on the loopback interface, and on no other; port 0 is any that is free."""
    if not 0 <= port <= _HIGHEST_PORT:
        raise BadInput(what="the port", value=port, reason=f"it must lie between 0 and {_HIGHEST_PORT}")
    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise BadInput(what="the port", value=port, reason=error.strerror or error) from None
    # Every connection takes this over. Else the body of an answer waits 40 ms until its headers were acknowledged.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def restart_process(variables: Mapping[str, str]) -> None:
    """Take the place of this process by a new one; on Windows end, as whoever started this one would lose it."""
    if sys.platform == "win32":
        os._exit(0)
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **variables})


def _older_holders(folder: Path, mark: bytes) -> tuple[int, ...]:
    """Return the processes that run since before the mark; forget those that have ended."""
    return tuple(int(path.name) for path in sorted(folder.iterdir()) if path.name.isdigit() and _is_older(path, mark))


def _is_older(path: Path, mark: bytes) -> bool:
    told = path.with_name(f"{path.name}.mark")
    try:
        with files.lock(path, wait=0):
            for left in (told, path, path.with_name(f"{path.name}.turn")):
                files.remove_file(left)
            return False
    except Busy:
        try:
            return int(path.name) != os.getpid() and files.read_file(told) != mark
        except MemvaultError:
            return True
