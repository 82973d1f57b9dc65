"""The daemon at work: callers wait in a short queue, a few threads answer them, and it leaves when it should."""

from __future__ import annotations

import os
import select
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Condition, Lock, Thread
from time import monotonic
from typing import NamedTuple, Self, TypeVar

from memvault.daemon.socket import ListenSocket
from memvault.system import daemon_protocol as protocol
from memvault.system.daemon import PROCESS_WIDE
from memvault.system.daemon_client import package_stamp
from memvault.system.daemon_protocol import ProtocolError, split_texts

_FIELDS = 7  # of a request


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonRequest:
    """A command or an event, with the caller's folder, terminals and variables."""

    code: bytes  # which memvault the caller is
    folder: Path
    terminals: tuple[bool, bool, bool]  # whether a person is at stdin, stdout, stderr
    columns: int  # of the terminal; 0 where there is none
    environment: Mapping[str, str]
    words: tuple[str, ...]
    data: bytes
    received_at: float = field(default_factory=monotonic)
    is_awaited: Callable[[], bool] = lambda: True  # whether its caller is still there

    @classmethod
    def from_fields(cls, fields: Sequence[bytes]) -> Self:
        """Return the request in the fields of a frame."""
        if len(fields) != _FIELDS or len(fields[2]) != 3 or not fields[3].isdigit():
            raise ProtocolError
        code, folder, terminals, columns, variables, words, data = fields
        pairs = (os.fsdecode(variable).partition("=") for variable in split_texts(variables))
        stdin, stdout, stderr = (sign == ord("1") for sign in terminals)
        return cls(
            code=code,
            folder=Path(os.fsdecode(folder)),
            terminals=(stdin, stdout, stderr),
            columns=int(columns),
            environment={name: value for name, _, value in pairs},
            words=tuple(os.fsdecode(word) for word in split_texts(words)),
            data=data,
        )

    def is_compatible(self, ours: Mapping[str, str]) -> bool:
        """Return whether the caller agrees with this process in what a process has only one of: a home and a clock."""
        return all(self.environment.get(name) == ours.get(name) for name in PROCESS_WIDE)


@dataclass(frozen=True, slots=True)
class DeferredReply:
    """An answer that is given before all is done that goes with it."""

    fields: Sequence[bytes]
    finish: Callable[[bool], object]
    """Does the rest, told whether the caller has got the answer."""


Handler = Callable[[DaemonRequest], Sequence[bytes] | DeferredReply | None]
"""Answers a request with some fields; None leaves it to the caller."""

Result = TypeVar("Result")
_LEAST_SECONDS = 0.05  # for a word that may have come already
ASKED, IDLE, UPGRADED, STUCK, LOST = "asked", "idle", "upgraded", "stuck", "lost"
RENEWED = "to start again with nothing in its memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonLimits:
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


class _WaitingCaller(NamedTuple):
    connection: socket.socket
    received_at: float


class DaemonServer:
    """Answers callers until it is told to leave, or finds that it should."""

    def __init__(
        self,
        doorstep: ListenSocket,
        handlers: Mapping[bytes, Handler],
        *,
        limits: DaemonLimits | None = None,
        tick: Callable[[], object] = lambda: None,
        note: Callable[[str], object] = lambda _line: None,
    ) -> None:
        self.limits = limits or DaemonLimits()
        self.started = monotonic()
        self.answered = 0
        self.left_alone = 0
        self._listen_socket = doorstep
        self._handlers = handlers
        self._tick = tick
        self._note = note
        self.code = package_stamp()
        found = (
            getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("memvault.")
        )
        self._modules = {path: _stamp_file(path) for path in found if path}
        self._queue: Queue[_WaitingCaller | None] = Queue(self.limits.waiting)
        self._busy: dict[int, float] = {}  # since when each thread is at work
        self._counting = Lock()
        self._last = self._looked = self.started
        self._why = ""
        self._bell, self._ringer = socket.socketpair()
        self._ringer.setblocking(False)

    def request_stop(self, why: str) -> None:
        """Have it end in good order; may be called from a signal's handler and from any thread."""
        self._why = self._why or why
        with suppress(OSError):
            self._ringer.send(b"!")

    def serve_callers(self) -> str:
        """Answer callers until it is over; says why it is."""
        crew = [Thread(target=self._run_worker, args=(number,), daemon=True) for number in range(self.limits.workers)]
        for thread in crew:
            thread.start()
        try:
            while not self._why:
                self._wait_for_callers()
        finally:
            self._listen_socket.close()
            self._stop_workers(crew)
            self._bell.close()
            self._ringer.close()
        return self._why

    def _wait_for_callers(self) -> None:
        heard = [self._listen_socket.fileno(), self._bell.fileno()]
        ready, _, _ = select.select(heard, [], [], self.limits.tick_seconds)
        if heard[0] in ready and (connection := self._listen_socket.accept()):
            self._last = monotonic()
            is_full = self._queue.full()
            try:
                connection.settimeout(self.limits.talk_seconds)
                connection.sendall(protocol.make_frame(protocol.BUSY if is_full else protocol.ACCEPTED))
            except OSError:
                is_full = True
            if is_full:
                connection.close()
            else:
                self._queue.put_nowait(_WaitingCaller(connection, self._last))
        if monotonic() - self._looked >= self.limits.tick_seconds:
            now, limits = monotonic(), self.limits
            since = min(self._busy.copy().values(), default=now)
            if now - since > limits.stuck_seconds:
                self.request_stop(STUCK)
            elif not self._listen_socket.is_current():
                self.request_stop(LOST)
            elif self._is_replaced():
                self.request_stop(UPGRADED)
            elif limits.idle_seconds and not self._busy and now - self._last > limits.idle_seconds:
                self.request_stop(IDLE)
            else:
                self._try_action(self._tick)
            self._looked = monotonic()

    def _is_replaced(self) -> bool:
        """Return whether other code lies where ours did; what we have not loaded yet would not go with what we have."""
        try:
            return package_stamp() != self.code or any(
                _stamp_file(path) != stamp for path, stamp in self._modules.items()
            )
        except OSError:
            return True

    def _stop_workers(self, crew: Sequence[Thread]) -> None:
        """Let what was begun be finished; whoever still waits does it without us."""
        with suppress(Empty):
            while caller := self._queue.get_nowait():
                with caller.connection, suppress(OSError):
                    caller.connection.sendall(protocol.make_frame(protocol.DECLINED))
        until = monotonic() + self.limits.last_seconds
        for _ in crew:
            with suppress(Full):
                self._queue.put_nowait(None)
        for thread in crew:
            thread.join(max(0.0, until - monotonic()))

    # -- in a thread

    def _run_worker(self, number: int) -> None:
        while caller := self._queue.get():
            self._busy[number] = monotonic()
            try:
                with caller.connection:
                    self._answer_caller(caller)
            except (OSError, ProtocolError):
                pass  # the caller has gone, or talks of something else
            finally:
                self._busy.pop(number, None)

    def _answer_caller(self, caller: _WaitingCaller) -> None:
        connection = caller.connection
        until = monotonic() + self.limits.talk_seconds
        kind, fields = protocol.receive_frame(connection.recv, until, connection.settimeout)
        request = replace(
            DaemonRequest.from_fields(fields),
            received_at=caller.received_at,
            is_awaited=lambda: _is_caller_waiting(connection),
        )
        found = self._build_reply(kind, request, late=monotonic() - caller.received_at > self.limits.waited_seconds)
        early = found if isinstance(found, DeferredReply) else None
        is_taken = False
        try:
            connection.settimeout(self.limits.talk_seconds)
            connection.sendall(found if isinstance(found, bytes) else protocol.make_frame(protocol.DONE, found.fields))
            is_taken = early is not None and _is_reply_taken(connection, caller.received_at + self.limits.taken_seconds)
        finally:
            if early:
                self._try_action(lambda: early.finish(is_taken))

    def _build_reply(self, kind: bytes, request: DaemonRequest, *, late: bool) -> bytes | DeferredReply:
        """Return the frame that answers, or an answer with which something is still to be done."""
        handler = self._handlers.get(kind)
        is_work = kind in protocol.WORK
        if is_work and request.code != self.code:
            if self._is_replaced():
                self.request_stop(UPGRADED)
            self._count_answer(left_alone=1)
            return protocol.make_frame(protocol.OTHER)
        is_declined = late or handler is None or (is_work and not request.is_compatible(os.environ))
        found = None if is_declined or handler is None else self._try_action(lambda: handler(request))
        if is_work:
            self._count_answer(answered=found is not None, left_alone=found is None)
        if found is None:
            return protocol.make_frame(protocol.DECLINED)
        return found if isinstance(found, DeferredReply) else protocol.make_frame(protocol.DONE, found)

    def _count_answer(self, *, answered: int = 0, left_alone: int = 0) -> None:
        with self._counting:
            self.answered += answered
            self.left_alone += left_alone

    def _try_action(self, act: Callable[[], Result]) -> Result | None:
        """What it gives; whatever goes wrong is noted by its name, and left to the caller, who may fare better."""
        try:
            return act()
        except Exception as error:  # its words may hold what was asked
            self._note(f"{type(error).__name__} while at work")
            return None


def _is_reply_taken(connection: socket.socket, until: float) -> bool:
    """Return whether a caller got the answer; on a busy machine what is left to be done would keep them from it."""
    try:
        connection.settimeout(max(_LEAST_SECONDS, until - monotonic()))
        return connection.recv(1) == protocol.TAKEN
    except OSError:
        return False


def _is_caller_waiting(connection: socket.socket) -> bool:
    """Return whether a caller still waits: they say nothing, and have not hung up."""
    try:
        connection.setblocking(False)
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def _stamp_file(path: str) -> int:
    return os.stat(path).st_mtime_ns  # noqa: PTH116 - a path of the interpreter's own


# One after the other: who comes to a session waits until what was begun in it is done, answered or not.


class SessionLocks:
    """Keeps those apart that come with one name; whoever has waited long enough goes on all the same."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._held_names: dict[str, int] = {}  # by how many: who waited long enough has not taken it from anybody

    @contextmanager
    def hold_session(self, name: str, *, wait: float) -> Iterator[None]:
        """Hold a name; without one there is nothing to hold."""
        if not name:
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: name not in self._held_names, wait)
            self._held_names[name] = self._held_names.get(name, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._held_names[name] -= 1
                if not self._held_names[name]:
                    del self._held_names[name]
                self._changed.notify_all()
