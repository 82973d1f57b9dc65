"""One thing that is asked of the warm process: all that a command takes from outside itself, and bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Self

from memvault.system.ipc_protocol import Garbled, unlisted

_FIELDS = 7
PROCESS_WIDE = ("HOME", "USERPROFILE", "TZ")
"""The variables that a process reads once for all it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A command or an event, with the caller's folder, terminals and variables."""

    code: bytes  # which memvault the caller is
    folder: Path
    terminals: tuple[bool, bool, bool]  # whether a person is at stdin, stdout, stderr
    columns: int  # of the terminal; 0 where there is none
    environment: Mapping[str, str]
    words: tuple[str, ...]
    data: bytes
    came: float = field(default_factory=monotonic)
    is_awaited: Callable[[], bool] = lambda: True  # whether its caller is still there

    @classmethod
    def of(cls, fields: Sequence[bytes]) -> Self:
        """The request in the fields of a frame."""
        if len(fields) != _FIELDS or len(fields[2]) != 3 or not fields[3].isdigit():
            raise Garbled
        code, folder, terminals, columns, variables, words, data = fields
        pairs = (os.fsdecode(variable).partition("=") for variable in unlisted(variables))
        stdin, stdout, stderr = (sign == ord("1") for sign in terminals)
        return cls(
            code=code,
            folder=Path(os.fsdecode(folder)),
            terminals=(stdin, stdout, stderr),
            columns=int(columns),
            environment={name: value for name, _, value in pairs},
            words=tuple(os.fsdecode(word) for word in unlisted(words)),
            data=data,
        )

    def fits(self, ours: Mapping[str, str]) -> bool:
        """Whether the caller agrees with this process in what a process has only one of: a home and a clock."""
        return all(self.environment.get(name) == ours.get(name) for name in PROCESS_WIDE)
