"""What a spoken command came to that another process carried out, as the log tells it."""

from __future__ import annotations

from datetime import datetime, timedelta

from memvault.core.ids import short
from memvault.core.plan import Operation
from memvault.errors import MemvaultError
from memvault.storage.vault.context import Bench

_DID = {"remember": "remembered", "edit": "brought up to date", "maintain": "upkeep is done"}
_LONGEST = timedelta(seconds=6)  # that one event is served


def obeyed(bench: Bench, now: datetime) -> str:
    """One sentence on what was last done in this session, a few seconds ago; empty where that was nothing."""
    since = (now - _LONGEST).replace(microsecond=0)
    done = (one for one in bench.vault.log.since(since) if one.session == bench.actor.session and one.verb in _DID)
    found = next(done, None)
    return "" if found is None else _DID[found.verb] + _of_what(bench, found)


def _of_what(bench: Bench, operation: Operation) -> str:
    made = [step.path for step in operation.steps if step.do in ("create", "rewrite")]
    if operation.verb == "maintain" or not made:
        return ""
    try:
        memory = bench.find(made[-1])
    except MemvaultError:  # moved on since
        return ""
    return f": “{memory.title}” ({short(memory.id)})"
