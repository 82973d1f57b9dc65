"""Who writes what an event asks for, where the warm process and its caller may both be at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memvault.agents.hooks.event import Event

if TYPE_CHECKING:
    from memvault.api import Memvault

_ONCE = frozenset({"PostToolUse"})  # what is done for a prompt is looked up instead, for the person is told of it


class Elsewhere(BaseException):
    """The caller had better do it itself; no handler of ordinary trouble may take it for some."""


class Written(BaseException):
    """Another process has written it; what, it says in a few words where anybody is to be told."""

    def __init__(self, did: str) -> None:
        super().__init__()
        self.did = did


class Hand:
    """One process's right to write for an event; the vault asks for it under its lock, before anything is written."""

    def __init__(self, vault: Memvault, event: Event, raw: bytes, is_awaited: Callable[[], bool] | None) -> None:
        self._vault = vault
        self._event = event
        self._raw = raw
        self._is_awaited = is_awaited  # whether somebody else still waits for us, who would do it otherwise
        self.has_begun = False

    def check(self) -> None:
        """Raise Elsewhere where nobody waits any more for what we have not begun."""
        if self.has_begun or self._is_awaited is None or self._is_awaited():
            return
        from memvault.agents.hooks.claim import give_back

        give_back(self._vault.state_folder, self._raw)
        raise Elsewhere

    def begin(self) -> None:
        """Take the right to write; raise Elsewhere or Written where another process has it."""
        if self.has_begun:
            return
        self.check()
        from memvault.agents.hooks.claim import begins

        if not begins(self._vault.state_folder, self._raw, self._vault.now()):
            self._leave_to_the_other()
        self.has_begun = True

    def _leave_to_the_other(self) -> None:
        """Raise what is to be raised; come back where the other has died before it wrote anything."""
        if self._is_awaited is not None:
            raise Elsewhere
        if self._event.name in _ONCE:
            raise Written("")
        if self._event.name == "UserPromptSubmit" and (did := self._vault.obeyed_before()):
            raise Written(did)
