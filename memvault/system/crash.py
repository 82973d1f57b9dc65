"""A bug of ours, written down for whoever mends it, without a word of anybody's memories."""

from __future__ import annotations

import platform
import re
import traceback
from collections.abc import Container, Mapping, Sequence
from datetime import datetime

from memvault import __version__
from memvault.errors import Bug, MemvaultError
from memvault.system import files, paths

_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")


def record_bug(
    error: Exception, argv: Sequence[str], commands: Container[str], environment: Mapping[str, str], now: datetime
) -> Bug:
    """Return the error to tell, with where its details were kept; of `argv` only options and known commands are."""
    path = paths.state_folder(environment) / "crashes" / f"{now:%Y%m%dT%H%M%SZ}-{type(error).__name__}.txt"
    try:
        files.make_folder(path.parent)
        files.overwrite_file(path, format_crash(error, argv, commands).encode())
    except (MemvaultError, OSError):
        return Bug(kind=_error_kind(error), kept="MEMVAULT_DEBUG=1 shows the details.")
    return Bug(kind=_error_kind(error), kept=f"Its details, without the text of any memory, are in {path}.")


def format_crash(error: Exception, argv: Sequence[str], commands: Container[str]) -> str:
    """Return what went wrong and where: types, files and line numbers; never a value, for a value may be a memory."""
    names = [word.partition("=")[0] for word in argv]  # everything else may be somebody's words
    lines = [
        f"memvault {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}",
        " ".join(("command:", *(name for name in names if name in commands or _OPTION.fullmatch(name)))),
    ]
    seen: BaseException | None = error
    while seen is not None:
        frames = traceback.extract_tb(seen.__traceback__)
        lines += ["", _error_kind(seen), *(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames)]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(lines) + "\n"


def _error_kind(error: BaseException) -> str:
    number = f" (errno {error.errno})" if isinstance(error, OSError) and error.errno else ""
    return type(error).__name__ + number
