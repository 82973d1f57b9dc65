"""The warm process as a server sees it, which outlives some of them: asked first, and never waited for long."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from memvault.system import ipc_client as client
from memvault.system import ipc_protocol as protocol

_WITHIN = 3.0
_REST = 10.0  # times as long as it was waited for in vain


class Neighbour:
    """Has the warm process answer; each question is a connection of its own, so that any of them finds a new one."""

    def __init__(self, environment: Mapping[str, str], *, clock: Callable[[], float] = monotonic) -> None:
        self._environment = environment
        self._clock = clock
        self._code = client.package()  # now: what lies there later may be other code than ours
        self._rests_until = 0.0

    @property
    def _is_off(self) -> bool:
        return bool(self._environment.get(client.OFF))

    def told(self, question: bytes) -> Mapping[str, Any] | None:
        """Its answer; None where it is not there, of another version, or not quick, and the caller has to see to it.

        One that hangs takes no more than a tenth of the time.
        """
        began = self._clock()
        if self._is_off or began < self._rests_until:
            return None
        told = None
        with suppress(client.Lost):
            told = client.ask(
                protocol.TOOL, (), question, within=_WITHIN, environment=self._environment, code=self._code
            )
        if told is None or len(told) != 1:
            now = self._clock()
            self._rests_until = now + _REST * (now - began)
            return None
        found: Mapping[str, Any] = json.loads(told[0])
        return found

    def call_in(self) -> None:
        """Where there is none, and the user wants one, have the next question find it."""
        if self._is_off:
            return
        from memvault.daemon.wanted import is_to_be_started  # deferred, both: most find one

        if is_to_be_started(self._environment):
            from memvault.daemon.lifecycle import start

            with suppress(OSError):  # then the next question takes its time, and that is all
                start(self._environment, patient=False)
