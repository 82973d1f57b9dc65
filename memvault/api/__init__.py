"""The documented Python class: an open vault with a method for each verb."""

from __future__ import annotations

from memvault.api.memories import MemoryMethods
from memvault.api.private import PrivateMethods
from memvault.api.transfer import TransferMethods
from memvault.api.vault import VaultMethods
from memvault.open_vault import Clock, local_zone, system_clock

__all__ = ["Clock", "Memvault", "local_zone", "system_clock"]


class Memvault(MemoryMethods, PrivateMethods, VaultMethods, TransferMethods):
    """An open vault. Use it as a context manager, or call `close` when done."""
