"""The hall: one method for each verb, on one object.

Verbs are imported by the method that calls them, so that a recall does not pay for what it does not use.
"""

from __future__ import annotations

from memvault.api.change import Changing, Private
from memvault.api.context import Attending, Speaking
from memvault.api.find import Disclosing, Finding, Meaning
from memvault.api.setup import Installing
from memvault.api.sync import Moving, Syncing
from memvault.api.transcripts import Conversing, Observing
from memvault.open_vault import Clock, local_zone, system_clock

__all__ = ["Clock", "Memvault", "local_zone", "system_clock"]


class Memvault(
    Finding,
    Disclosing,
    Changing,
    Conversing,
    Attending,
    Observing,
    Speaking,
    Meaning,
    Moving,
    Private,
    Syncing,
    Installing,
):
    """An open vault. Use it as a context manager, or call `close` when done."""
