"""Ask the daemon and give up soon: the caller then does the work itself, with the same result."""

import _socket
import os
import sys
from time import monotonic

from memvault import __version__
from memvault.system import daemon_protocol as protocol

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Where the daemon is found: one fixed place for each user, the same for who serves and who calls.

SOCKET, PORT, LOCK, LEDGER = "porter.sock", "porter.port", "porter.lock", "porter.pid"
_LONGEST_PATH = 100  # bytes of a socket's path; some systems take no more than 103


def socket_folder(environment: "Mapping[str, str]", *, platform: str = sys.platform) -> str:
    """Return the folder in which this user's daemon is found."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    # One that is not there, or not this user's to write to, is left as it is: it would be somebody else's to make.
    is_ours = runtime.startswith("/") and os.access(runtime, os.W_OK | os.X_OK)
    if is_ours and platform not in {"win32", "darwin"}:
        return f"{runtime}/memvault"
    return os.path.join(_state_folder(environment, platform), "run")  # noqa: PTH118 - see above


def _state_folder(environment: "Mapping[str, str]", platform: str) -> str:
    """Return the state folder, as `memvault.system.paths` does."""
    home = environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~")  # noqa: PTH111
    if platform == "win32":
        return f"{environment.get('LOCALAPPDATA') or home + '/AppData/Local'}/memvault/state"
    if platform == "darwin":
        return f"{home}/Library/Application Support/memvault"
    given = environment.get("XDG_STATE_HOME", "")
    return f"{given if given.startswith('/') else home + '/.local/state'}/memvault"


def has_socket(place: str, *, platform: str = sys.platform) -> bool:
    """Return whether the daemon listens on a Unix socket; else on a local port, with a secret."""
    return platform != "win32" and len(os.fsencode(f"{place}/{SOCKET}")) <= _LONGEST_PATH


def is_private(place: str) -> bool:
    """Return whether only this user can write into the folder."""
    try:
        found = os.lstat(place)
    except OSError:
        return False
    if sys.platform == "win32":
        return True  # what lies below a person's own profile is theirs
    return found.st_uid == os.geteuid() and found.st_mode & 0o170077 == 0o040000


OFF = "MEMVAULT_NO_RESIDENT"
_ACCEPTED_WITHIN = 0.3
_ANSWERED_WITHIN = 3.0  # longer than an event is worked at there before it is left alone
_AT_THE_END = 0.7  # the end of a session has a second and a half in all
_SO_PEERCRED = getattr(_socket, "SO_PEERCRED", None)


class NoReply(Exception):
    """The daemon had begun, and gave no answer."""


def package_stamp() -> bytes:
    """Return which code this is: its version, where it lies, and when it was installed."""
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__init__.py")  # noqa: PTH100, PTH118, PTH120 - no pathlib
    return protocol.join_texts([__version__.encode(), os.fsencode(path), str(os.stat(path).st_mtime_ns).encode()])  # noqa: PTH116


def ask_hook(words: "Sequence[str]", raw: bytes) -> bytes | None:
    """Return the daemon's answer to an agent's event; None where nobody answers."""
    within = _AT_THE_END if b'"SessionEnd"' in raw[:100_000] else _ANSWERED_WITHIN
    if os.environ.get(OFF):
        return None
    told = send_request(protocol.HOOK, words, raw, within=within)
    return told[0] if told and len(told) == 1 else None


def ask_command(words: "Sequence[str]") -> tuple[int, bytes, bytes] | None:
    """Return a command's exit code, data and messages from the daemon; None where nobody answers."""
    encodings = [
        (getattr(stream, "encoding", None) or "").lower().replace("-", "") for stream in (sys.stdout, sys.stderr)
    ]
    if os.environ.get(OFF) or encodings != ["utf8", "utf8"]:  # which the daemon prints
        return None
    try:
        told = send_request(protocol.RUN, words, within=_ANSWERED_WITHIN)
    except NoReply:
        return None
    return (int(told[0]), told[1], told[2]) if told and len(told) == 3 else None


def send_request(
    kind: bytes,
    words: "Sequence[str]" = (),
    raw: bytes = b"",
    *,
    within: float,
    environment: "Mapping[str, str]" = os.environ,
    code: bytes = b"",
) -> list[bytes] | None:
    """Send a request and return the fields of the answer; None without a daemon of this version. May raise NoReply.

    `code` is what `package_stamp` gave when the caller began, where that may be long ago.
    """
    try:
        connection = open_connection(socket_folder(environment))
        if connection is None:
            return None
        request = protocol.make_frame(kind, _request_fields(words, raw, environment, code))
    except (OSError, ValueError):  # the folder that we are in may be gone
        return None
    try:
        return _exchange_frames(connection, request, within)
    finally:
        connection.close()


def _exchange_frames(connection: _socket.socket, frame: bytes, within: float) -> list[bytes] | None:
    if len(frame) > protocol.LONGEST:
        return None
    begun = False
    try:
        until = monotonic() + _ACCEPTED_WITHIN
        connection.settimeout(_ACCEPTED_WITHIN)
        connection.sendall(frame)
        kind, _ = protocol.receive_frame(connection.recv, until, connection.settimeout)
        if kind != protocol.ACCEPTED:
            return None
        begun = True
        kind, fields = protocol.receive_frame(connection.recv, monotonic() + within, connection.settimeout)
    except (OSError, protocol.ProtocolError):
        if begun:
            raise NoReply from None
        return None
    if kind != protocol.DONE:
        return None
    _confirm_reply(connection)
    return fields


def _confirm_reply(connection: _socket.socket) -> None:
    """Say that the answer has come: what is booked as given must have been."""
    try:
        connection.send(protocol.TAKEN)
    except OSError:
        return  # whoever has gone since books nothing


def open_connection(place: str) -> _socket.socket | None:
    """Connect to this user's daemon; None where there is none, or somebody else's."""
    if not is_private(place):
        return None
    if not has_socket(place):
        return _connect_by_port(place)
    made = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        made.settimeout(_ACCEPTED_WITHIN)
        made.connect(f"{place}/{SOCKET}")
        if _is_own_process(made):
            return made
    except OSError:
        pass
    made.close()
    return None


def _connect_by_port(place: str) -> _socket.socket | None:
    """Connect to a port; each side shows first that it can read the user's own file with the secrets."""
    with open(f"{place}/{PORT}", "rb") as file:  # noqa: PTH123 - no pathlib
        port, ours, theirs = file.read(200).split()
    made = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        made.settimeout(_ACCEPTED_WITHIN)
        made.connect(("127.0.0.1", int(port)))
        made.sendall(ours)
        if made.recv(len(theirs)) == theirs:
            return made
    except OSError:
        pass
    made.close()
    return None


def _is_own_process(connection: _socket.socket) -> bool:
    """Return whether this user's own process listens there, where the system can tell."""
    if _SO_PEERCRED is None:
        return True
    told = connection.getsockopt(_socket.SOL_SOCKET, _SO_PEERCRED, 12)
    return int.from_bytes(told[4:8], sys.byteorder) == os.geteuid()


def _request_fields(
    words: "Sequence[str]", raw: bytes, environment: "Mapping[str, str]", code: bytes = b""
) -> list[bytes]:
    """Return all that a command takes from outside itself."""
    return [
        code or package_stamp(),
        os.fsencode(os.getcwd()),  # noqa: PTH109 - no pathlib
        b"".join([b"01"[_is_terminal(number) :][:1] for number in range(3)]),
        str(_terminal_columns()).encode(),
        protocol.join_texts([os.fsencode(f"{name}={value}") for name, value in environment.items()]),
        protocol.join_texts([os.fsencode(word) for word in words]),
        raw,
    ]


def _is_terminal(number: int) -> bool:
    try:
        return os.isatty(number)
    except OSError:
        return False


def _terminal_columns() -> int:
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 0
