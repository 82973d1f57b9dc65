"""Every error memvault raises on purpose: data in, one sentence out, an exit code and a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

# In the order of the manual.
from memvault.errors.vault import *  # isort: skip
from memvault.errors.work import *  # isort: skip

# Whoever reads a traceback, or catches one, is to know them by the name under which they are imported.
for _error in (value for value in list(globals().values()) if isinstance(value, type)):
    _error.__module__ = __name__

if TYPE_CHECKING:
    from memvault.errors.external import *
else:

    def __getattr__(name: str) -> object:
        """Load what lies beyond the vault once it is named: most calls meet none of it."""
        from importlib import import_module

        if not name.startswith("_"):
            for each, found in vars(import_module("memvault.errors.external")).items():
                if isinstance(found, type):
                    found.__module__, globals()[each] = __name__, found
        if name in globals():
            return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
