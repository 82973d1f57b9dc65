"""The place where callers come to: held by one process of a user, and closed to everybody else."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hmac import compare_digest
from pathlib import Path

from memvault.errors import Busy, PorterThere, Unwritable
from memvault.system import daemon_client, files

_BACKLOG = 64
_PROOF_SECONDS = 0.2
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  # as macOS has it; Python does not name them


class ListenSocket:
    """A socket that takes only this user's own processes."""

    def __init__(self, place: Path, made: socket.socket, proofs: tuple[bytes, bytes] | None) -> None:
        self._socket = made
        self._proofs = proofs
        self._path = place / (daemon_client.PORT if proofs else daemon_client.SOCKET)
        self._inode = self._path.stat().st_ino

    def fileno(self) -> int:
        """Return what can be waited for."""
        return self._socket.fileno()

    def accept(self) -> socket.socket | None:
        """Return the next caller; None where it went again, or is somebody else."""
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return None
        if self._is_own(connection):
            return connection
        connection.close()
        return None

    def is_current(self) -> bool:
        """Return whether callers still find it: folders for things that pass are swept now and then."""
        try:
            return self._path.stat().st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Take no more callers."""
        if self.is_current():
            with suppress(OSError):
                self._path.unlink()
        self._socket.close()

    def _is_own(self, connection: socket.socket) -> bool:
        if self._proofs is None:
            return _find_peer_user(connection) in (None, os.geteuid())
        theirs, ours = self._proofs
        try:
            connection.settimeout(_PROOF_SECONDS)
            if not compare_digest(connection.recv(len(theirs), socket.MSG_WAITALL), theirs):
                return False
            connection.sendall(ours)
        except OSError:
            return False
        return True


def _find_peer_user(connection: socket.socket) -> int | None:
    """Return who is at the other end; None where the system does not say."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        elif sys.platform == "darwin":
            told = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)
        else:
            return None
    except OSError:
        return None
    return int.from_bytes(told[4:8], sys.byteorder)  # in both, the second of some numbers of four bytes


@contextmanager
def open_socket(place: Path) -> Iterator[ListenSocket]:
    """The socket of this user while this lasts; raises PorterThere where another process has it already."""
    files.make_folder(place)
    if not daemon_client.is_private(str(place)):
        raise Unwritable(path=place, reason="others can get at it, and this must be its owner's alone")
    try:
        with files.lock(place / daemon_client.LOCK, wait=0):
            doorstep = _listen_unix(place) if daemon_client.has_socket(str(place)) else _listen_port(place)
            files.overwrite_file(place / daemon_client.LEDGER, f"{os.getpid()}\n".encode())
            try:
                yield doorstep
            finally:
                doorstep.close()
                files.remove_file(place / daemon_client.LEDGER)
    except Busy as error:
        if error.data.get("path") != place / daemon_client.LOCK:
            raise
        raise PorterThere(path=place) from None


def _listen_unix(place: Path) -> ListenSocket:
    path = place / daemon_client.SOCKET
    path.unlink(missing_ok=True)  # whoever left it is gone: we hold the lock
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(str(path))
        path.chmod(0o600)
        made.listen(_BACKLOG)
        return ListenSocket(place, made, None)
    except BaseException:
        made.close()
        raise


def _listen_port(place: Path) -> ListenSocket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.bind(("127.0.0.1", 0))
        made.listen(_BACKLOG)
        theirs, ours = secrets.token_hex(16), secrets.token_hex(16)
        told = f"{made.getsockname()[1]} {theirs} {ours}\n"
        files.overwrite_file(place / daemon_client.PORT, told.encode())
        return ListenSocket(place, made, (theirs.encode(), ours.encode()))
    except BaseException:
        made.close()
        raise
