"""The warm process at work: callers wait in a short queue, a few threads answer them, and it leaves when it should."""

from __future__ import annotations

import os
import select
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from queue import Empty, Full, Queue
from threading import Condition, Lock, Thread
from time import monotonic
from typing import NamedTuple, TypeVar

from memvault.daemon.lifecycle import Request
from memvault.daemon.socket import Doorstep
from memvault.system import ipc_protocol as protocol
from memvault.system.ipc_client import package
from memvault.system.ipc_protocol import Garbled


@dataclass(frozen=True, slots=True)
class Early:
    """An answer that is given before all is done that goes with it."""

    fields: Sequence[bytes]
    rest: Callable[[bool], object]
    """Does the rest, told whether the caller has got the answer."""


Handler = Callable[[Request], Sequence[bytes] | Early | None]
"""Answers a request with some fields; None leaves it to the caller."""

Result = TypeVar("Result")
_LEAST_SECONDS = 0.05  # for a word that may have come already
ASKED, IDLE, UPGRADED, STUCK, LOST = "asked", "idle", "upgraded", "stuck", "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is taken on, and for how long."""

    workers: int = 4
    waiting: int = 16
    waited_seconds: float = 1.2  # after which a caller has given up, or should
    talk_seconds: float = 1.0  # for a request to arrive, or an answer to be sent
    taken_seconds: float = 4.0  # since a caller came: by then they have the answer, or have gone
    stuck_seconds: float = 180.0  # more than anybody waits for a lock
    idle_seconds: float = 7200.0  # 0 for ever
    tick_seconds: float = 5.0
    last_seconds: float = 3.0  # for what is being answered when it is over


class _Caller(NamedTuple):
    connection: socket.socket
    came: float


class Server:
    """Answers callers until it is told to leave, or finds that it should."""

    def __init__(
        self,
        doorstep: Doorstep,
        handlers: Mapping[bytes, Handler],
        *,
        limits: Limits | None = None,
        tick: Callable[[], object] = lambda: None,
        note: Callable[[str], object] = lambda _line: None,
    ) -> None:
        self.limits = limits or Limits()
        self.started = monotonic()
        self.answered = 0
        self.left_alone = 0
        self._doorstep = doorstep
        self._handlers = handlers
        self._tick = tick
        self._note = note
        self.code = package()
        self._modules = _modules()
        self._queue: Queue[_Caller | None] = Queue(self.limits.waiting)
        self._busy: dict[int, float] = {}  # since when each thread is at work
        self._counting = Lock()
        self._last = self._looked = self.started
        self._why = ""
        self._bell, self._ringer = socket.socketpair()
        self._ringer.setblocking(False)

    def leave(self, why: str) -> None:
        """Have it end in good order; may be called from a signal's handler and from any thread."""
        self._why = self._why or why
        with suppress(OSError):
            self._ringer.send(b"!")

    def serve(self) -> str:
        """Answer callers until it is over; says why it is."""
        crew = [Thread(target=self._work, args=(number,), daemon=True) for number in range(self.limits.workers)]
        for thread in crew:
            thread.start()
        try:
            while not self._why:
                self._wait()
        finally:
            self._doorstep.close()
            self._dismiss(crew)
            self._bell.close()
            self._ringer.close()
        return self._why

    def _wait(self) -> None:
        heard = [self._doorstep.fileno(), self._bell.fileno()]
        ready, _, _ = select.select(heard, [], [], self.limits.tick_seconds)
        if heard[0] in ready and (connection := self._doorstep.accept()):
            self._take(connection)
        if monotonic() - self._looked >= self.limits.tick_seconds:
            self._look_after()
            self._looked = monotonic()

    def _take(self, connection: socket.socket) -> None:
        """Have a caller wait in the queue, or say that it is too long; nobody else puts anyone there."""
        self._last = monotonic()
        is_full = self._queue.full()
        try:
            connection.settimeout(self.limits.talk_seconds)
            connection.sendall(protocol.framed(protocol.BUSY if is_full else protocol.ACCEPTED))
        except OSError:
            is_full = True
        if is_full:
            connection.close()
        else:
            self._queue.put_nowait(_Caller(connection, self._last))

    def _look_after(self) -> None:
        """What is to be done now and then."""
        now, limits = monotonic(), self.limits
        since = min(self._busy.copy().values(), default=now)
        if now - since > limits.stuck_seconds:
            self.leave(STUCK)
        elif not self._doorstep.is_there():
            self.leave(LOST)
        elif self._is_replaced():
            self.leave(UPGRADED)
        elif limits.idle_seconds and not self._busy and now - self._last > limits.idle_seconds:
            self.leave(IDLE)
        else:
            self._quietly(self._tick)

    def _is_replaced(self) -> bool:
        """Whether other code lies where ours did; what we have not loaded yet would not go with what we have."""
        try:
            return package() != self.code or any(_stamp(path) != stamp for path, stamp in self._modules.items())
        except OSError:
            return True

    def _dismiss(self, crew: Sequence[Thread]) -> None:
        """Let what was begun be finished; whoever still waits does it without us."""
        with suppress(Empty):
            while caller := self._queue.get_nowait():
                with caller.connection, suppress(OSError):
                    caller.connection.sendall(protocol.framed(protocol.DECLINED))
        until = monotonic() + self.limits.last_seconds
        for _ in crew:
            with suppress(Full):
                self._queue.put_nowait(None)
        for thread in crew:
            thread.join(max(0.0, until - monotonic()))

    # -- in a thread

    def _work(self, number: int) -> None:
        while caller := self._queue.get():
            self._busy[number] = monotonic()
            try:
                with caller.connection:
                    self._answer(caller)
            except (OSError, Garbled):
                pass  # the caller has gone, or talks of something else
            finally:
                self._busy.pop(number, None)

    def _answer(self, caller: _Caller) -> None:
        connection = caller.connection
        until = monotonic() + self.limits.talk_seconds
        kind, fields = protocol.receive(connection.recv, until, connection.settimeout)
        request = replace(Request.of(fields), came=caller.came, is_awaited=lambda: _is_there(connection))
        found = self._found(kind, request, late=monotonic() - caller.came > self.limits.waited_seconds)
        early = found if isinstance(found, Early) else None
        is_taken = False
        try:
            connection.settimeout(self.limits.talk_seconds)
            connection.sendall(found if isinstance(found, bytes) else protocol.framed(protocol.DONE, found.fields))
            is_taken = early is not None and _is_taken(connection, caller.came + self.limits.taken_seconds)
        finally:
            if early:
                self._quietly(lambda: early.rest(is_taken))

    def _found(self, kind: bytes, request: Request, *, late: bool) -> bytes | Early:
        """The frame that answers, or an answer with which something is still to be done."""
        handler = self._handlers.get(kind)
        is_work = kind in protocol.WORK
        if is_work and request.code != self.code:
            if self._is_replaced():
                self.leave(UPGRADED)
            self._count(left_alone=1)
            return protocol.framed(protocol.OTHER)
        is_declined = late or handler is None or (is_work and not request.fits(os.environ))
        found = None if is_declined or handler is None else self._quietly(lambda: handler(request))
        if is_work:
            self._count(answered=found is not None, left_alone=found is None)
        if found is None:
            return protocol.framed(protocol.DECLINED)
        return found if isinstance(found, Early) else protocol.framed(protocol.DONE, found)

    def _count(self, *, answered: int = 0, left_alone: int = 0) -> None:
        with self._counting:
            self.answered += answered
            self.left_alone += left_alone

    def _quietly(self, act: Callable[[], Result]) -> Result | None:
        """What it gives; whatever goes wrong is noted by its name, and left to the caller, who may fare better."""
        try:
            return act()
        except Exception as error:  # its words may hold what was asked
            self._note(f"{type(error).__name__} while at work")
            return None


def _is_taken(connection: socket.socket, until: float) -> bool:
    """Whether a caller got the answer; on a busy machine what is left to be done would keep them from it."""
    try:
        connection.settimeout(max(_LEAST_SECONDS, until - monotonic()))
        return connection.recv(1) == protocol.TAKEN
    except OSError:
        return False


def _is_there(connection: socket.socket) -> bool:
    """Whether a caller still waits: they say nothing, and have not hung up."""
    try:
        connection.setblocking(False)
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def _modules() -> dict[str, int]:
    """The files of memvault that are loaded, with their stamps."""
    found = (getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("memvault."))
    return {path: _stamp(path) for path in found if path}


def _stamp(path: str) -> int:
    return os.stat(path).st_mtime_ns  # noqa: PTH116 - a path of the interpreter's own


# One after the other: who comes to a session waits until what was begun in it is done, answered or not.


class Turns:
    """Keeps those apart that come with one name; whoever has waited long enough goes on all the same."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._held: dict[str, int] = {}  # by how many: who waited long enough has not taken it from anybody

    @contextmanager
    def turn(self, name: str, *, wait: float) -> Iterator[None]:
        """Hold a name; without one there is nothing to hold."""
        if not name:
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: name not in self._held, wait)
            self._held[name] = self._held.get(name, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]
                self._changed.notify_all()
