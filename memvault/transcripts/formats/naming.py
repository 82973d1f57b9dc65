"""Ids for what has none: taken from what is said, so that they are the same wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable

from memvault.core.secrets.private_spans import without_private
from memvault.transcripts.model.seen import Seen

_LENGTH = 16


class Naming:
    """Names the turns of one conversation that have no ids; the second that says the same is the second."""

    def __init__(self) -> None:
        self._seen = Seen()
        self._again: dict[str, int] = {}

    def name(self, *told: str) -> str:
        """The id that who said what and when gives a turn."""
        name = content_id(told)[:_LENGTH]
        if self._seen.add(name):
            self._again[name] = self._again.get(name, 1) + 1
            name = f"{name}-{self._again[name]}"
        return name


def content_id(told: Iterable[str]) -> str:
    """What stands for some texts, without what is private in them: nobody shall try guesses on it."""
    from hashlib import blake2b  # few sources need it

    made = blake2b(digest_size=16)
    for text in told:
        made.update(without_private(text).encode("utf-8", "replace") + b"\0")
    return made.hexdigest()
