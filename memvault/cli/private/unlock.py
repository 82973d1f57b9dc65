"""Private memories unlocked for a while, in the memory of the warm process alone."""

from __future__ import annotations

from datetime import timedelta

from memvault.cli.context import Answer, Desk
from memvault.cli.private.notes import NONE_YET, Asked, unopened
from memvault.errors import BadInput, NoPorter
from memvault.text.dates.tokens import read_length
from memvault.text.display import plural

_LONGEST = timedelta(days=1)


def unlock(desk: Desk, asked: Asked) -> Answer:
    """Have recall find them for a while."""
    from memvault.daemon import unlocked  # deferred: only a session needs the warm process

    with desk.open() as vault:
        span = _span(asked.span, vault.settings.number("private.unlock_minutes"))
        found = vault.private_memories(key=asked.key or None)
        vault.freshen()  # the warm process is to answer the first recall already, and waits for no index
        root = vault.root
    if not found.found:
        return Answer(result={"unlocked": 0, "until": None}, talk=(NONE_YET,), warnings=unopened(found.shut))
    notes = [unlocked.Lying(one.memory.path, one.memory.version, one.note) for one in found.found]
    if not unlocked.unlock(root, notes, span.total_seconds(), environment=desk.environment):
        raise NoPorter
    until = desk.now() + span
    return Answer(
        result={"unlocked": len(notes), "until": until},
        text=lambda paper: f"Unlocked until {paper.minute(until)}: {plural(len(notes), 'memory', 'memories')}",
        talk=("`memvault recall` finds them too, for you and for no agent. End it with: memvault private lock",),
        warnings=unopened(found.shut),
    )


def _span(text: str, usual: float) -> timedelta:
    if not text:
        return timedelta(minutes=usual)
    found = read_length(text)
    if found is None or not timedelta() < found <= _LONGEST:
        reason = "it must be a length of time, such as 15m or 1h, and no more than a day"
        raise BadInput(what="--for", value=text, reason=reason)
    return found


def lock(desk: Desk, _asked: Asked) -> Answer:
    """Have them lie open no longer."""
    from memvault.daemon import unlocked

    with desk.open() as vault:
        was_open = unlocked.lock(vault.root, environment=desk.environment)
    said = "Locked." if was_open else "Nothing lay open."
    return Answer(result={"locked": was_open}, text=lambda _paper: said)
