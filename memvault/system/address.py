"""Where the warm process is found: one fixed place for each user, the same for who serves and who calls."""

import os
import sys

# No pathlib here: the caller of the warm process would wait longer for it than for the answer.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET, PORT, LOCK, LEDGER = "porter.sock", "porter.port", "porter.lock", "porter.pid"
_LONGEST_PATH = 100  # bytes of a socket's path; some systems take no more than 103


def folder(environment: "Mapping[str, str]", *, platform: str = sys.platform) -> str:
    """The folder that the warm process of this user is found in."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    # One that is not there, or not this user's to write to, is left as it is: it would be somebody else's to make.
    is_ours = runtime.startswith("/") and os.access(runtime, os.W_OK | os.X_OK)
    if is_ours and platform not in {"win32", "darwin"}:
        return f"{runtime}/memvault"
    return os.path.join(_state(environment, platform), "run")  # noqa: PTH118 - see above


def _state(environment: "Mapping[str, str]", platform: str) -> str:
    """The state folder, as `memvault.system.paths` has it."""
    home = environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~")  # noqa: PTH111
    if platform == "win32":
        return f"{environment.get('LOCALAPPDATA') or home + '/AppData/Local'}/memvault/state"
    if platform == "darwin":
        return f"{home}/Library/Application Support/memvault"
    given = environment.get("XDG_STATE_HOME", "")
    return f"{given if given.startswith('/') else home + '/.local/state'}/memvault"


def has_socket(place: str, *, platform: str = sys.platform) -> bool:
    """Whether it is a Unix socket that is listened at; elsewhere it is a port of this machine, and a secret."""
    return platform != "win32" and len(os.fsencode(f"{place}/{SOCKET}")) <= _LONGEST_PATH


def is_private(place: str) -> bool:
    """Whether the folder is this user's alone, so that nobody else can have put anything there."""
    try:
        found = os.lstat(place)
    except OSError:
        return False
    if sys.platform == "win32":
        return True  # what lies below a person's own profile is theirs
    return found.st_uid == os.geteuid() and found.st_mode & 0o170077 == 0o040000
