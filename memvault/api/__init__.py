"""The documented Python class: an open vault with a method for each verb."""

from __future__ import annotations

from memvault.api.memories import MemoryMethods
from memvault.api.private import PrivateMethods
from memvault.api.vault import VaultMethods
from memvault.open_vault import system_clock

__all__ = ["Memvault", "system_clock"]


class Memvault(MemoryMethods, PrivateMethods, VaultMethods):
    """An open vault. Use it as a context manager, or call `close` when done."""
