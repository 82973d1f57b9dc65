"""Turns and conversations that are to be nowhere any more, known by their ids: what they said may be everybody's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memvault.core.secrets.erase import FORGOTTEN
from memvault.transcripts.model.record import Kept
from memvault.transcripts.model.talk import Talk

IsGone = Callable[[str, str], bool]
"""Whether a turn was forgotten for good, by its conversation's id and its own; without the latter, all of that."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SITTINGS = ("sessionId", "session_id")


def is_everywhere_one(id_: str) -> bool:
    """Whether an id is drawn so that no other conversation has it for something else."""
    return _UUID.fullmatch(id_) is not None


def is_talk_gone(talk: Talk | None, is_gone: IsGone) -> bool:
    """Whether a conversation was forgotten as a whole."""
    return talk is not None and is_gone(talk.id, "")


def without_gone(kept: Kept, talk: Talk | None, is_gone: IsGone) -> Kept | None:
    """What a source tells, without what was forgotten by its id; None where nothing of it may be kept."""
    turn, raw, name = kept.turn, kept.raw, talk.id if talk else ""
    # A conversation that goes on in a new file repeats the old one, under ids that tell.
    if any(is_everywhere_one(id_) and is_gone(id_, "") for id_ in sittings(kept)):
        return None
    if turn is not None and is_gone(name, turn.id):
        # Its place stays, as others are counted by it.
        return Kept(turn=replace(turn, text=FORGOTTEN, deeds=()), raw=None)
    if turn is None and raw is not None and is_gone(name, str(raw.get("uuid", ""))):
        return None
    return kept


def sittings(kept: Kept) -> tuple[str, ...]:
    """The ids of the sittings that a piece of a source names."""
    raw = kept.raw or {}
    return (kept.turn.session if kept.turn else "", *(str(raw.get(name, "")) for name in _SITTINGS))
