"""What the warm process answers, as a process of its own would: commands that only look, and the events of agents."""

from __future__ import annotations

import gc
import io
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from memvault import __version__
from memvault.agents.hooks.event import Elsewhere, Rest
from memvault.agents.hooks.handler import first
from memvault.api import Memvault, local_zone
from memvault.cli.argv import Call, Words, plain_call
from memvault.cli.context import Desk
from memvault.cli.main import carried_out
from memvault.cli.parser import parse
from memvault.daemon import lifecycle, wanted
from memvault.daemon.cache import Pool, megabytes
from memvault.daemon.lifecycle import PROCESS_WIDE, Request
from memvault.daemon.server import ASKED, Early, Handler, Limits, Server, Turns
from memvault.daemon.socket import kept
from memvault.daemon.unlocked import Message, Unlocked
from memvault.daemon.wanted import Wishes
from memvault.daemon.watcher import Watches
from memvault.errors import MemvaultError
from memvault.open_vault import Shelf
from memvault.privacy.private import host
from memvault.system import ipc_protocol as protocol

if TYPE_CHECKING:
    from memvault.agents.hooks.event import Event


LOOKING = frozenset({"recall", "list", "show", "timeline"})
"""The commands that are answered: they ask nobody anything, and need nothing that a process has but one of."""

_NOT_FOR_US = frozenset({"-h", "--help", "--version", "-V", "--batch"})
_COMPLETION = "_MEMVAULT_COMPLETE"
_TURN_SECONDS = 1.0  # what is left to be done for an event takes a few thousandths of one
# Within so long it is to have begun with an event; whoever asked waits a little longer, and then does it at home.
_EVENT_SECONDS = 2.2
_AT_THE_END = 0.5
_parsing = Lock()


class Warm:
    """Answers requests with what is kept open; what it cannot answer in the very same words, it leaves alone."""

    def __init__(self, shelf: Shelf, watches: Watches, unlocked: Unlocked | None = None) -> None:
        self._shelf = shelf
        self._watches = watches
        self._unlocked = Unlocked() if unlocked is None else unlocked
        self._turns = Turns()

    def command(self, request: Request) -> Sequence[bytes] | None:
        """The exit code of a command, its data and its talk."""
        try:
            return self._command(request)
        except Elsewhere:
            return None

    def event(self, request: Request) -> Early | None:
        """What an agent is told at an event; the next one of that session finds all done that went with it."""
        environment = _environment(request)

        @contextmanager
        def opened(named: str | None, event: Event) -> Iterator[Memvault]:
            folder = event.folder or request.folder
            with (
                self._turns.turn(event.session, wait=_TURN_SECONDS),
                self._open(
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
                _check_no_model(vault, event)
                yield vault

        def is_awaited(event: Event) -> bool:
            return _seconds_left(request, event) > 0 and request.is_awaited()

        rest = Rest()
        try:
            told = first(request.data, _placed(request), environment, rest, opened=opened, is_awaited=is_awaited)
        except Elsewhere:
            rest.drop()
            return None
        return Early((told,), lambda is_taken: rest.close(given=is_taken))

    def tool(self, request: Request) -> Sequence[bytes] | None:
        """What an agent finds by a tool that only looks; whatever goes wrong its server tells."""
        from memvault.agents.mcp import (
            caller,  # deferred: not every agent asks by tools
            queries,
        )

        visit, question = queries.read(request.data)
        try:
            with self._open(
                _place(visit.vault, request.folder),
                Path(visit.folder),
                _environment(request),
                agent=visit.agent,
                session=visit.session,
                unattended=True,
            ) as vault:
                found = queries.answer(caller.Call.of(visit, vault, local_zone()), question)
        except (Elsewhere, MemvaultError):
            return None
        return (json.dumps(found).encode(),)

    def unlock(self, request: Request) -> Sequence[bytes]:
        """Hold private memories open for a while, which the caller has opened."""
        host.forbid()
        message = Message.read(request.data)
        with Memvault(message.root, environment=_environment(request), shelf=self._shelf) as vault:
            memories = [vault.private_read(one.path, one.note, version=one.version) for one in message.notes]
            self._is_watched(vault, _environment(request))
        self._unlocked.hold(message.root, memories, message.seconds, first=message.first)
        return (b"1",)

    def lock(self, request: Request) -> Sequence[bytes]:
        """Hold nothing of a vault open any more; how many memories that were."""
        return (str(self._unlocked.forget(os.fsdecode(request.data))).encode(),)

    def _command(self, request: Request) -> Sequence[bytes]:
        call = _understood(request.words)
        environment = _environment(request)
        stdin, stdout, stderr = (_Stream(terminal=terminal) for terminal in request.terminals)
        desk = Desk(
            environment=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            opened=lambda named: self._for_a_person(_place(named, request.folder), request.folder, environment),
        )
        try:
            code = carried_out(call, request.words, desk)
        except Exception:
            raise Elsewhere from None
        return str(code).encode(), stdout.data(), stderr.data()

    def _open(
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
            shelf=self._shelf,
            vouched=lambda catalogue: self._is_current(
                catalogue, hurried=hurried or (for_a_person and self._holds_open(vault))
            ),
        )

        settings = vault.settings
        sifts = settings.text("recall.filter") == "model" and settings.text("model.provider") != "none"
        if vault.additions.extensions or (sifts and not hurried):
            raise Elsewhere
        if not self._is_watched(vault, environment) and not (for_a_person and self._holds_open(vault)):
            raise Elsewhere
        return vault

    def _is_watched(self, vault: Memvault, environment: Mapping[str, str]) -> bool:
        """Whether a lookout has been watching the vault; the first call begins it."""
        root = vault.root
        return self._watches.is_ready(vault.catalogue_folder, lambda: Memvault(root, environment=environment))

    def _holds_open(self, vault: Memvault) -> bool:
        """Whether only this process can give the whole answer, however long it takes."""
        return self._unlocked.of(os.path.realpath(vault.root)) is not None

    def _for_a_person(self, named: str | None, folder: Path, environment: Mapping[str, str]) -> Memvault:
        """The vault for a command; what lies unlocked of it is found too, by a person and not by an agent."""
        vault = self._open(named, folder, environment, for_a_person=True)
        vault.unlocked = self._unlocked.of(os.path.realpath(vault.root))
        return vault

    def _is_current(self, catalogue: Path, *, hurried: bool) -> bool:
        """Whether no file need be looked at; where that would take long, the caller may as well wait for it itself."""
        is_current = self._watches.vouch(catalogue, hurried=hurried)
        if not is_current and not hurried and self._watches.is_busy(catalogue):
            raise Elsewhere
        return is_current


class _Stream(io.TextIOWrapper):
    """A stream in memory that stands for one of the caller's."""

    def __init__(self, *, terminal: bool) -> None:
        self._memory = io.BytesIO()
        self._terminal = terminal
        super().__init__(self._memory, encoding="utf-8", errors="backslashreplace")

    def isatty(self) -> bool:
        """Whether a person is at the caller's end."""
        return self._terminal

    def data(self) -> bytes:
        """All that was written."""
        self.flush()
        return self._memory.getvalue()

    def readable(self) -> bool:
        """It cannot be read: what the caller's stdin holds stays there."""
        raise Elsewhere


def _understood(words: Sequence[str]) -> Call:
    if Words.of(words).name not in LOOKING or any(map(_is_not_for_us, words)):
        raise Elsewhere
    try:
        with _parsing:  # typer was made for one command in a process
            call = plain_call(words) or parse(words)
    except Exception:
        raise Elsewhere from None
    if isinstance(call, int):
        raise Elsewhere
    return call


def _is_not_for_us(word: str) -> bool:
    """Whether a word asks for help, for stdin, or names a file as seen from the caller's folder."""
    return word.partition("=")[0] in _NOT_FOR_US or (word.endswith(".md") and bool({"/", "\\"} & set(word)))


def _seconds_left(request: Request, event: Event) -> float:
    """How long whoever told of an event will still wait for us to begin."""
    within = _AT_THE_END if event.name == "SessionEnd" else _EVENT_SECONDS
    return max(0.0, request.came + within - time.monotonic())


def _check_no_model(vault: Memvault, event: Event) -> None:
    """Raise Elsewhere where a spoken command may ask a language model, which takes its time."""
    is_command = event.name == "UserPromptSubmit" and vault.settings.text("model.provider") != "none"
    if is_command and vault.hear(event.text("prompt")) is not None:
        raise Elsewhere


def _environment(request: Request) -> Mapping[str, str]:
    """The caller's variables, made to mean here what they mean there."""
    environment = dict(request.environment)
    if _COMPLETION in environment:
        raise Elsewhere
    if request.columns and not environment.get("COLUMNS", "").isdigit():
        environment["COLUMNS"] = str(request.columns)
    if named := environment.get("MEMVAULT_DIR"):
        environment["MEMVAULT_DIR"] = _place(named, request.folder) or named
    if hasattr(time, "tzset"):
        time.tzset()  # who stays for weeks sees the clock of the machine moved to another zone
    return environment


def _place(named: str | None, folder: Path) -> str | None:
    """A path as the caller means it, who is in another folder."""
    if not named or named.startswith("~"):
        return named
    return os.path.join(folder, named)  # noqa: PTH118 - pathlib would tidy it up, and an error repeats it


def _placed(request: Request) -> list[str]:
    """The words with the vault that they name."""
    return [
        _place(word, request.folder) or word if before == "--vault" else word
        for before, word in pairwise(("", *request.words))
    ]


@lru_cache(maxsize=1)
def rehearse() -> None:
    """Load what the first request would load, and what is loaded where it is needed only."""
    from importlib import import_module

    for name in (
        "memvault.cli.find.recall",
        "memvault.cli.vault.list",
        "memvault.cli.find.show",
        "memvault.cli.find.show",
        "memvault.cli.find.batch",
        "memvault.core.json",
        "memvault.recall.recall",
        "memvault.storage.index.update",
        "memvault.agents.hooks.claim",
    ):
        import_module(name)


# The warm process as a whole: what it keeps, what it answers, when it lets go, and how it is ended.

LARGE = "large"


class Porter:
    """Keeps catalogues open and watched, and lets go of them in time."""

    def __init__(self, wishes: Wishes, began: datetime) -> None:
        self._wishes = wishes
        self._began = began
        self._pool = Pool()
        self._watches = Watches()
        self._unlocked = Unlocked()
        self._warm = Warm(self._pool, self._watches, self._unlocked)
        self._swept = 0
        self.server: Server | None = None

    def handlers(self) -> Mapping[bytes, Handler]:
        """What is done for each kind of request."""
        return {
            protocol.RUN: self._warm.command,
            protocol.HOOK: self._warm.event,
            protocol.TOOL: self._warm.tool,
            protocol.UNLOCK: self._warm.unlock,
            protocol.LOCK: self._warm.lock,
            protocol.STATUS: self._status,
            protocol.STOP: self._stop,
        }

    def tick(self) -> None:
        """Let go of what nobody asks for any more, and of everything where memory runs short."""
        assert self.server is not None
        self._pool.trim()
        self._watches.trim()
        self._unlocked.trim()
        if self.server.answered != self._swept:
            self._swept = self.server.answered
            gc.collect()
        if megabytes() > self._wishes.megabytes:
            self._pool.trim(everything=True)
            self._watches.trim(is_scarce=True)
            if megabytes() > self._wishes.megabytes:
                self.server.leave(LARGE)

    def close(self) -> None:
        """Let go of everything."""
        self._unlocked.close()
        self._watches.close()
        self._pool.close()

    def _status(self, _request: Request) -> Sequence[bytes]:
        assert self.server is not None
        told: dict[str, Any] = {
            "process": os.getpid(),
            "version": __version__,
            "since": f"{self._began:%Y-%m-%dT%H:%M:%SZ}",
            "answered": self.server.answered,
            "left_alone": self.server.left_alone,
            "vaults": len(self._watches),
            "polled": self._watches.polled(),
            "unlocked": len(self._unlocked),
            "megabytes": round(megabytes(), 1),
            "code": self.server.code.hex(),
            "variables": {name: os.environ[name] for name in PROCESS_WIDE if name in os.environ},
        }
        return (json.dumps(told).encode(),)

    def _stop(self, _request: Request) -> Sequence[bytes]:
        assert self.server is not None
        self.server.leave(ASKED)
        return (b"",)


def serve(
    environment: Mapping[str, str],
    ready: Callable[[], object],
    ended: Callable[[Callable[[], object]], AbstractContextManager[None]],
    *,
    limits: Limits | None = None,
) -> str:
    """Be the warm process of this user until it is over; says why it is. Raises PorterThere where there is one.

    `ready` is called when it can be asked, and `ended` is given the way to end it from outside.
    """
    wishes = wanted.wishes(environment)
    with kept(wanted.place(environment)) as doorstep:
        porter = Porter(wishes, datetime.now(UTC))
        rehearse()
        gc.collect()
        gc.freeze()  # what is loaded now stays, and need not be looked through again and again
        server = porter.server = Server(
            doorstep,
            porter.handlers(),
            limits=limits or _limits(wishes),
            tick=porter.tick,
            note=lambda line: lifecycle.note(environment, line, datetime.now(UTC)),
        )
        try:
            with ended(lambda: server.leave(ASKED)):
                ready()
                why = server.serve()
        finally:
            porter.close()
    lifecycle.note(environment, f"left: {why}", datetime.now(UTC))
    return why


def _limits(wishes: Wishes) -> Limits:
    usual = Limits(idle_seconds=wishes.idle_seconds)
    is_short = 0 < wishes.idle_seconds < usual.tick_seconds
    return Limits(idle_seconds=wishes.idle_seconds, tick_seconds=wishes.idle_seconds) if is_short else usual
