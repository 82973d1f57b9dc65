"""Private memories unlocked for a while, in the memory of the daemon alone."""

from __future__ import annotations

from datetime import timedelta

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.private.notes import NONE_YET, PrivateOptions, unopened_warnings
from memvault.errors import BadInput, NoPorter
from memvault.text.dates.tokens import read_length
from memvault.text.display import format_count

_LONGEST = timedelta(days=1)


def unlock(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Have recall find them for a while."""
    from memvault.daemon import unlocked  # deferred: only a session needs the daemon

    with cli.open_vault() as vault:
        span = _parse_length(asked.span, vault.settings.number("private.unlock_minutes"))
        found = vault.private_memories(key=asked.key or None)
        vault.refresh()  # the daemon is to answer the first recall already, and waits for no index
        root = vault.root
    if not found.found:
        return CommandResult(
            result={"unlocked": 0, "until": None}, messages=(NONE_YET,), warnings=unopened_warnings(found.shut)
        )
    notes = [unlocked.UnlockedNote(one.memory.path, one.memory.version, one.note) for one in found.found]
    if not unlocked.unlock_notes(root, notes, span.total_seconds(), environment=cli.environment):
        raise NoPorter
    until = cli.now() + span
    return CommandResult(
        result={"unlocked": len(notes), "until": until},
        text=lambda paper: (
            f"Unlocked until {paper.format_minute(until)}: {format_count(len(notes), 'memory', 'memories')}"
        ),
        messages=("`memvault recall` finds them too, for you and for no agent. End it with: memvault private lock",),
        warnings=unopened_warnings(found.shut),
    )


def _parse_length(text: str, usual: float) -> timedelta:
    if not text:
        return timedelta(minutes=usual)
    found = read_length(text)
    if found is None or not timedelta() < found <= _LONGEST:
        reason = "it must be a length of time, such as 15m or 1h, and no more than a day"
        raise BadInput(what="--for", value=text, reason=reason)
    return found


def lock(cli: CliContext, _asked: PrivateOptions) -> CommandResult:
    """Have them lie open no longer."""
    from memvault.daemon import unlocked

    with cli.open_vault() as vault:
        was_open = unlocked.lock_notes(vault.root, environment=cli.environment)
    said = "Locked." if was_open else "Nothing lay open."
    return CommandResult(result={"locked": was_open}, text=lambda _paper: said)
