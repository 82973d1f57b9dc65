"""The hall: one method for each verb, on one object.

Verbs are imported by the method that calls them, so that a recall does not pay for what it does not use.
"""

from __future__ import annotations

from memvault.api.attending import Attending
from memvault.api.change import Changing
from memvault.api.context import Speaking
from memvault.api.disclosing import Disclosing
from memvault.api.find import Finding
from memvault.api.meaning import Meaning
from memvault.api.observing import Observing
from memvault.api.private import Private
from memvault.api.setup import Installing
from memvault.api.sync import Moving
from memvault.api.syncing import Syncing
from memvault.api.transcripts import Conversing
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
