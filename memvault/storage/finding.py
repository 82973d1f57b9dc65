"""What is wrong with a vault, or worth knowing, and what would mend it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memvault.core.plan import LedgerNote, PlanChange

Severity = Literal["error", "warning", "note"]

# error: something cannot be read, may be lost, or waits for a person's word. warning: it works, but not as meant.
# note: good to know, and nothing needs to be done.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Chore:
    """What mends a thing that is no note: a function of the vault's context, and what else it is given."""

    why: str
    run: Callable[..., None]
    given: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """One thing that is wrong, or worth knowing: where, what, and how to mend it by hand."""

    severity: Severity
    path: str  # relative to the vault; empty where it is about no single file
    sentence: str
    advice: str = ""
    mends: tuple[
        PlanChange, ...
    ] = ()  # in the vault's files: applied as part of one operation, so undo takes them back
    chore: Chore | None = None  # for what is no note: index, permissions, leftovers
    then: str = ""  # what is left for a person to do once it is mended
    check: str = ""  # the name of the check that found it

    @property
    def is_fixable(self) -> bool:
        """Return whether `doctor fix` does something about it."""
        return bool(self.mends) or self.chore is not None

    @property
    def fix_reason(self) -> str:
        """Return what `doctor fix` does about it, in a clause; empty where it does nothing."""
        if self.chore is not None:
            return self.chore.why
        return self.mends[0].why if self.mends else ""

    @property
    def file_fixes(self) -> tuple[tuple[str, str], ...]:
        """Return the same for each file that is changed: its path, and what is done to it."""
        changed = [(change.path, change.why) for change in self.mends if not isinstance(change, LedgerNote)]
        return tuple(dict.fromkeys(changed)) if self.chore is None and changed else ((self.path, self.fix_reason),)


def shell_command(*words: str) -> str:
    """Return a command of memvault's as it can be copied into a shell."""
    return f"`memvault {' '.join(shlex.quote(word) for word in words)}`"
