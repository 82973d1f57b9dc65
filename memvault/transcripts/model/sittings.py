"""Where one sitting of a conversation ends and the next begins."""

from __future__ import annotations

from datetime import timedelta

from memvault.transcripts.model.talk import Turn

SITTING = timedelta(hours=4)
"""Who says nothing for so long has got up, though the window stays open."""


def is_other_sitting(before: Turn, turn: Turn) -> bool:
    """Whether a turn belongs to another sitting than the one before it."""
    return before.session != turn.session or pause(before, turn) >= SITTING


def pause(before: Turn, turn: Turn) -> timedelta:
    """The time between two turns; none where it is not known, or goes backwards."""
    if before.time is None or turn.time is None or (before.time.tzinfo is None) != (turn.time.tzinfo is None):
        return timedelta()
    return max(turn.time - before.time, timedelta())
