"""Every error memvault raises on purpose: data in, one sentence out, an exit code and a hint."""

from __future__ import annotations

# In the order of the manual.
from memvault.errors.vault import *  # isort: skip
from memvault.errors.work import *  # isort: skip
from memvault.errors.external import *  # isort: skip

# Whoever reads a traceback, or catches one, is to know them by the name under which they are imported.
for _error in (value for value in list(globals().values()) if isinstance(value, type)):
    _error.__module__ = __name__
