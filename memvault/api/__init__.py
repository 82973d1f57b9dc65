"""The hall: one method for each verb, on one object.

Verbs are imported by the method that calls them, so that a recall does not pay for what it does not use.
"""

from __future__ import annotations

from memvault.api.change import ChangeMethods, PrivateMethods
from memvault.api.context import SpokenMethods
from memvault.api.find import ContextMethods, FindMethods, SemanticMethods
from memvault.api.setup import SetupMethods
from memvault.api.sync import SyncMethods, TransferMethods
from memvault.api.transcripts import TranscriptMethods
from memvault.open_vault import Clock, local_zone, system_clock

__all__ = ["Clock", "Memvault", "local_zone", "system_clock"]


class Memvault(
    FindMethods,
    ContextMethods,
    ChangeMethods,
    TranscriptMethods,
    SpokenMethods,
    SemanticMethods,
    TransferMethods,
    PrivateMethods,
    SyncMethods,
    SetupMethods,
):
    """An open vault. Use it as a context manager, or call `close` when done."""
