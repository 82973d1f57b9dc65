"""What the daemon answers, as a process of its own would: commands that only look, and the events of agents."""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from memvault import __version__
from memvault.agents.hooks.event import AfterReply, HookEvent, LeaveToCaller
from memvault.agents.hooks.handler import answer_early
from memvault.agents.spoken.listening import find_obeyed_command
from memvault.api import Memvault
from memvault.api.cache import OpenIndexCache, UnlockedMemories, used_megabytes
from memvault.core.settings import Settings
from memvault.daemon.server import (
    ASKED,
    RENEWED,
    DaemonLimits,
    DaemonRequest,
    DaemonServer,
    DeferredReply,
    Handler,
    SessionLocks,
)
from memvault.daemon.socket import open_socket
from memvault.daemon.watcher import WatcherPool
from memvault.errors import MemvaultError
from memvault.open_vault import ResourceCache, load_personal_settings, local_zone
from memvault.privacy.private.read import UnlockMessage, read_note
from memvault.system import daemon_protocol as protocol
from memvault.system import programs
from memvault.system.daemon import PROCESS_WIDE, append_log, find_folder

OpenNamedVault = Callable[[str | None], Memvault]
CommandRunner = Callable[[DaemonRequest, Mapping[str, str], OpenNamedVault], Sequence[bytes]]
"""Runs a command of the command line, which stands above the daemon; raises LeaveToCaller where it cannot."""

_COMPLETION = "_MEMVAULT_COMPLETE"
_TURN_SECONDS = 1.0  # what is left to be done for an event takes a few thousandths of one
# Within so long it is to have begun with an event; whoever asked waits a little longer, and then does it at home.
_EVENT_SECONDS = 2.2
_SESSION_END_SECONDS = 0.5


class RequestHandlers:
    """Answers requests with what is kept open; what it cannot answer in the very same words, it leaves alone."""

    def __init__(
        self,
        cache: ResourceCache,
        watchers: WatcherPool,
        unlocked: UnlockedMemories | None = None,
        *,
        run_command: CommandRunner,
    ) -> None:
        self._cache = cache
        self._watchers = watchers
        self._unlocked = UnlockedMemories() if unlocked is None else unlocked
        self._session_locks = SessionLocks()
        self._run_command = run_command

    def run_command(self, request: DaemonRequest) -> Sequence[bytes] | None:
        """Return the exit code of a command, its data and its messages."""
        try:
            environment = _caller_environment(request)
            return self._run_command(
                request,
                environment,
                lambda named: self._open_for_person(_resolve_path(named, request.folder), request.folder, environment),
            )
        except LeaveToCaller:
            return None

    def answer_event(self, request: DaemonRequest) -> DeferredReply | None:
        """Return what an agent is told at an event; the next one of that session finds all done that went with it."""
        environment = _caller_environment(request)

        @contextmanager
        def open_vault(named: str | None, event: HookEvent) -> Iterator[Memvault]:
            folder = event.folder or request.folder
            with (
                self._session_locks.hold_session(event.session, wait=_TURN_SECONDS),
                self._open_vault(
                    named,
                    folder,
                    environment,
                    agent=event.agent,
                    session=event.session,
                    hurried=True,
                    unattended=True,
                    patience=_seconds_left(request, event),
                ) as vault,
            ):
                is_command = event.name == "UserPromptSubmit" and vault.settings.text("model.provider") != "none"
                if is_command and find_obeyed_command(event.get_text("prompt"), vault.settings):
                    raise LeaveToCaller
                yield vault

        def is_awaited(event: HookEvent) -> bool:
            return _seconds_left(request, event) > 0 and request.is_awaited()

        rest = AfterReply()
        try:
            told = answer_early(
                request.data, _resolve_words(request), environment, rest, open_vault=open_vault, is_awaited=is_awaited
            )
        except LeaveToCaller:
            rest.discard()
            return None
        return DeferredReply((told,), lambda is_taken: rest.close(is_delivered=is_taken))

    def answer_tool(self, request: DaemonRequest) -> Sequence[bytes] | None:
        """Return what an agent finds by a tool that only looks; whatever goes wrong its server tells."""
        from memvault.agents.mcp import (
            caller,  # deferred: not every agent asks by tools
            queries,
        )

        visit, question = queries.decode_question(request.data)
        try:
            with self._open_vault(
                _resolve_path(visit.vault, request.folder),
                Path(visit.folder),
                _caller_environment(request),
                agent=visit.agent,
                session=visit.session,
                unattended=True,
            ) as vault:
                found = queries.answer_question(caller.McpCall.open_call(visit, vault, local_zone()), question)
        except (LeaveToCaller, MemvaultError):
            return None
        return (json.dumps(found).encode(),)

    def unlock_notes(self, request: DaemonRequest) -> Sequence[bytes]:
        """Hold private memories open for a while, which the caller has opened."""
        programs.forbid_core_dumps()
        message = UnlockMessage.decode(request.data)
        with Memvault(message.root, environment=_caller_environment(request), cache=self._cache) as vault:
            memories = [vault.run(read_note, path, note, version=version) for path, version, note in message.notes]
            self._is_watched(vault, _caller_environment(request))
        self._unlocked.hold_memories(message.root, memories, message.seconds, first=message.first)
        return (b"1",)

    def lock_notes(self, request: DaemonRequest) -> Sequence[bytes]:
        """Hold nothing of a vault open any more; how many memories that were."""
        return (str(self._unlocked.forget_memories(os.fsdecode(request.data))).encode(),)

    def _open_vault(
        self,
        named: str | None,
        folder: Path,
        environment: Mapping[str, str],
        *,
        agent: str = "",
        session: str = "",
        hurried: bool = False,
        unattended: bool = False,
        for_a_person: bool = False,
        patience: float | None = None,
    ) -> Memvault:
        """The vault as the caller would have opened it; where a person's own code or a model takes part, not here."""
        vault = Memvault(
            named,
            agent=agent,
            session=session,
            environment=environment,
            folder=folder,
            hurried=hurried,
            unattended=unattended,
            settings={} if patience is None else {"files.lock_seconds": patience},
            cache=self._cache,
            is_index_current=lambda catalogue: self._is_current(
                catalogue, hurried=hurried or (for_a_person and self._has_unlocked(vault))
            ),
        )

        settings = vault.settings
        sifts = settings.text("recall.filter") == "model" and settings.text("model.provider") != "none"
        if vault.loaded_extensions.extensions or (sifts and not hurried):
            raise LeaveToCaller
        if not self._is_watched(vault, environment) and not (for_a_person and self._has_unlocked(vault)):
            raise LeaveToCaller
        return vault

    def _is_watched(self, vault: Memvault, environment: Mapping[str, str]) -> bool:
        """Return whether a watcher has been watching the vault; the first call begins it."""
        root = vault.root
        return self._watchers.is_ready(vault.index_folder, lambda: Memvault(root, environment=environment))

    def _has_unlocked(self, vault: Memvault) -> bool:
        """Return whether only this process can give the whole answer, however long it takes."""
        return self._unlocked.find_memories(os.path.realpath(vault.root)) is not None

    def _open_for_person(self, named: str | None, folder: Path, environment: Mapping[str, str]) -> Memvault:
        """Return the vault for a command; what lies unlocked of it is found too, by a person and not by an agent."""
        vault = self._open_vault(named, folder, environment, for_a_person=True)
        vault.unlocked = self._unlocked.find_memories(os.path.realpath(vault.root))
        return vault

    def _is_current(self, catalogue: Path, *, hurried: bool) -> bool:
        """Whether no file need be looked at; where that would take long, the caller may as well wait for it itself."""
        is_current = self._watchers.is_current(catalogue, hurried=hurried)
        if not is_current and not hurried and self._watchers.is_busy(catalogue):
            raise LeaveToCaller
        return is_current


def _seconds_left(request: DaemonRequest, event: HookEvent) -> float:
    """Return how long whoever told of an event will still wait for us to begin."""
    within = _SESSION_END_SECONDS if event.name == "SessionEnd" else _EVENT_SECONDS
    return max(0.0, request.received_at + within - time.monotonic())


def _caller_environment(request: DaemonRequest) -> Mapping[str, str]:
    """Return the caller's variables, made to mean here what they mean there."""
    environment = dict(request.environment)
    if _COMPLETION in environment:
        raise LeaveToCaller
    if request.columns and not environment.get("COLUMNS", "").isdigit():
        environment["COLUMNS"] = str(request.columns)
    if named := environment.get("MEMVAULT_DIR"):
        environment["MEMVAULT_DIR"] = _resolve_path(named, request.folder) or named
    if hasattr(time, "tzset"):
        time.tzset()  # who stays for weeks sees the clock of the machine moved to another zone
    return environment


def _resolve_path(named: str | None, folder: Path) -> str | None:
    """Return a path as the caller means it, who is in another folder."""
    if not named or named.startswith("~"):
        return named
    return os.path.join(folder, named)  # noqa: PTH118 - pathlib would tidy it up, and an error repeats it


def _resolve_words(request: DaemonRequest) -> list[str]:
    """Return the words with the vault that they name."""
    return [
        _resolve_path(word, request.folder) or word if before == "--vault" else word
        for before, word in pairwise(("", *request.words))
    ]


# The daemon as a whole: what it keeps, what it answers, when it lets go, and how it is ended.

TOO_LARGE = "large"


class Daemon:
    """Keeps indexes open and watched, and lets go of them in time."""

    def __init__(self, settings: Settings, began: datetime, run_command: CommandRunner) -> None:
        self._settings = settings
        self._started_at = began
        self._cache = OpenIndexCache()
        self._watchers = WatcherPool()
        self._unlocked = UnlockedMemories()
        self._request_handlers = RequestHandlers(self._cache, self._watchers, self._unlocked, run_command=run_command)
        self._answered_before = 0
        self._run = os.urandom(8).hex()
        self.server: DaemonServer | None = None

    def list_handlers(self) -> Mapping[bytes, Handler]:
        """Return what is done for each kind of request."""
        return {
            protocol.RUN: self._request_handlers.run_command,
            protocol.HOOK: self._request_handlers.answer_event,
            protocol.TOOL: self._request_handlers.answer_tool,
            protocol.UNLOCK: self._request_handlers.unlock_notes,
            protocol.LOCK: self._request_handlers.lock_notes,
            protocol.RENEW: self._renew_server,
            protocol.STATUS: self._report_status,
            protocol.STOP: self._stop_server,
        }

    def release_unused(self) -> None:
        """Let go of what nobody asks for any more, and of everything where memory runs short."""
        assert self.server is not None
        self._cache.trim()
        self._watchers.trim()
        self._unlocked.trim()
        if self._unlocked.has_let_go:
            self.server.request_stop(RENEWED)
        if self.server.answered != self._answered_before:
            self._answered_before = self.server.answered
            gc.collect()
        if used_megabytes() > self._settings.number("live.memory_megabytes"):
            self._cache.trim(everything=True)
            self._watchers.trim(is_scarce=True)
            if used_megabytes() > self._settings.number("live.memory_megabytes"):
                self.server.request_stop(TOO_LARGE)

    def close(self) -> None:
        """Let go of everything."""
        self._unlocked.close()
        self._watchers.close()
        self._cache.close()

    def _report_status(self, _request: DaemonRequest) -> Sequence[bytes]:
        assert self.server is not None
        told: dict[str, Any] = {
            "process": os.getpid(),
            "version": __version__,
            "run": self._run,
            "since": f"{self._started_at:%Y-%m-%dT%H:%M:%SZ}",
            "answered": self.server.answered,
            "left_alone": self.server.left_alone,
            "vaults": len(self._watchers),
            "polled": self._watchers.list_polled(),
            "unlocked": len(self._unlocked),
            "megabytes": round(used_megabytes(), 1),
            "code": self.server.code.hex(),
            "variables": {name: os.environ[name] for name in PROCESS_WIDE if name in os.environ},
        }
        return (json.dumps(told).encode(),)

    def _renew_server(self, _request: DaemonRequest) -> Sequence[bytes]:
        """Say which run this is, and have another take its place: only the end of a process clears its memory."""
        assert self.server is not None
        self.server.request_stop(RENEWED)
        return (self._run.encode(),)

    def _stop_server(self, _request: DaemonRequest) -> Sequence[bytes]:
        assert self.server is not None
        self.server.request_stop(ASKED)
        return (b"",)


def serve_daemon(
    environment: Mapping[str, str],
    ready: Callable[[], object],
    ended: Callable[[Callable[[], object]], AbstractContextManager[None]],
    run_command: CommandRunner,
    *,
    limits: DaemonLimits | None = None,
) -> str:
    """Be the daemon of this user until it is over; says why it is. Raises PorterThere where there is one.

    `ready` is called when it can be asked, and `ended` is given the way to end it from outside. `run_command` runs what
    is asked of the command line.
    """
    settings = load_personal_settings(environment)
    with open_socket(find_folder(environment)) as doorstep:
        porter = Daemon(settings, datetime.now(UTC), run_command)
        gc.collect()
        gc.freeze()  # what is loaded now stays, and need not be looked through again and again
        server = porter.server = DaemonServer(
            doorstep,
            porter.list_handlers(),
            limits=limits or _make_limits(settings.number("live.idle_minutes") * 60),
            tick=porter.release_unused,
            note=lambda line: append_log(environment, line, datetime.now(UTC)),
        )
        try:
            with ended(lambda: server.request_stop(ASKED)):
                ready()
                why = server.serve_callers()
        finally:
            porter.close()
    append_log(environment, f"left: {why}", datetime.now(UTC))
    return why


def _make_limits(idle_seconds: float) -> DaemonLimits:
    usual = DaemonLimits(idle_seconds=idle_seconds)
    is_short = 0 < idle_seconds < usual.tick_seconds
    return DaemonLimits(idle_seconds=idle_seconds, tick_seconds=idle_seconds) if is_short else usual
