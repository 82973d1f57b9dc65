"""Serve the page on the loopback, until nobody has visited it for a while; find the process that does, or start it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo
from secrets import token_bytes
from time import monotonic

import anyio
import uvicorn

from memvault.api import Memvault
from memvault.errors import BadInput, Busy, OnlyAPerson, PageNotStarted
from memvault.system import files
from memvault.system.memory_holders import LOOPBACK, open_port, read_mark, register_holder, restart_process
from memvault.system.programs import start_memvault
from memvault.web.app import VaultPages
from memvault.web.guard import BrowserGuard
from memvault.web.keys import SECRET_BYTES, PageKeys, VisitorTokens

IDLE_SECONDS = 15 * 60
_LOOK_SECONDS = 1.0
_START_SECONDS = 15.0
_RENEWED = "MEMVAULT_WEB_RENEWED"  # by which a process that takes the place of another knows its socket and secret


def find_page(vault: Memvault) -> str:
    """Return an address that opens the page of this vault once; empty where no process serves it."""
    check_visitor(vault)
    keys = PageKeys(vault.state_folder)
    port = keys.find_port()
    if not port or not _answers(port):
        return ""
    return f"http://{LOOPBACK}:{port}/?key={keys.issue_key(vault.now())}"


def _answers(port: int) -> bool:
    """Return whether anybody answers at a port: a process that has just begun may not have said which is its own."""
    try:
        socket.create_connection((LOOPBACK, port), timeout=_LOOK_SECONDS).close()
    except OSError:
        return False
    return True


def check_visitor(vault: Memvault) -> None:
    """Refuse an agent: whoever sees the page acts as the person."""
    if vault.actor.agent:
        raise OnlyAPerson(does="opens the page")


def start_page(vault: Memvault, *, port: int = 0) -> str:
    """Start a process that serves the page of this vault, and return an address that opens it once."""
    words = ("--vault", str(vault.root), "web", "serve", "--port", str(port))
    start_memvault(words, dict(vault.environment))
    until = monotonic() + _START_SECONDS
    while monotonic() < until:
        if address := find_page(vault):
            return address
        time.sleep(0.05)
    raise PageNotStarted


def stop_page(vault: Memvault) -> bool:
    """Have the process that serves the page end; return whether there was one."""
    keys = PageKeys(vault.state_folder)
    if keys.find_port() is None:
        return False
    keys.ask_to_stop()
    until = monotonic() + _START_SECONDS
    while keys.find_port() is not None and monotonic() < until:
        time.sleep(0.05)
    return keys.find_port() is None


def serve_page(
    vault: Memvault,
    *,
    port: int = 0,
    clock: Callable[[], datetime] | None = None,
    zone: tzinfo | None = None,
    idle_seconds: float = IDLE_SECONDS,
    say: Callable[[str], None] = lambda _text: None,
) -> bool:
    """Serve the page until nobody comes any more, or somebody asks it to stop; return whether it was asked."""
    check_visitor(vault)
    keys = PageKeys(vault.state_folder)
    keys.prepare_folder()
    try:
        with files.lock(keys.lock_path, wait=0):
            keys.forget_port()
            try:
                return _PageServer(vault, keys, idle_seconds).serve(port, clock, zone, say)
            finally:
                keys.forget_port()
    except Busy:
        raise BadInput(what="the page", value=str(vault.root), reason="it is served already") from None


class _PageServer:
    """One process that serves the page of one vault."""

    def __init__(self, vault: Memvault, keys: PageKeys, idle_seconds: float) -> None:
        self._root = vault.root
        self._now = vault.now
        self._environment = vault.environment
        self._keys = keys
        self._idle_seconds = idle_seconds
        self._why = ""

    def serve(
        self, port: int, clock: Callable[[], datetime] | None, zone: tzinfo | None, say: Callable[[str], None]
    ) -> bool:
        """Serve until the end; where something is to be read no more, begin again in a new process."""
        listening, secret = _take_place() or (open_port(port), token_bytes(SECRET_BYTES))
        pages = VaultPages(self._root, environment=self._environment, clock=clock, zone=zone)
        with listening:
            taken = listening.getsockname()[1]
            guard = BrowserGuard(
                pages.build_app(), port=taken, keys=self._keys, tokens=VisitorTokens(secret), clock=self._now
            )
            self._keys.drop_keys()
            self._keys.save_port(taken)
            say(f"http://{LOOPBACK}:{taken}/?key={self._keys.issue_key(self._now())}")
            mark, spare = read_mark(self._environment), listening.dup()
            with register_holder(self._environment, mark):
                anyio.run(self._serve_socket, guard, pages, listening, mark)
            pages.close()
        if self._why == "renewed":
            spare.set_inheritable(True)
            restart_process({_RENEWED: f"{spare.fileno()}:{secret.hex()}"})
        spare.close()
        return self._why == "asked"

    async def _serve_socket(
        self, guard: BrowserGuard, pages: VaultPages, listening: socket.socket, mark: bytes
    ) -> None:
        server = uvicorn.Server(_server_config(guard))

        async def end_in_time() -> None:
            while not self._why:
                await anyio.sleep(_LOOK_SECONDS)
                self._why = self._find_end(guard, pages, mark)
            server.should_exit = True

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end_in_time)
            tasks.start_soon(pages.close_idle)
            await server.serve(sockets=[listening])
            tasks.cancel_scope.cancel()

    def _find_end(self, guard: BrowserGuard, pages: VaultPages, mark: bytes) -> str:
        """Return why to end: what was purged, or is private again, only a new process has not in its memory."""
        if read_mark(self._environment) != mark or pages.unlocked.has_let_go:
            return "renewed"
        if self._keys.is_asked_to_stop():
            return "asked"
        return "idle" if monotonic() - guard.last_visit > self._idle_seconds else ""


def _server_config(guard: BrowserGuard) -> uvicorn.Config:
    return uvicorn.Config(
        guard,
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="off",
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=64,
    )


def _take_place() -> tuple[socket.socket, bytes] | None:
    """Return the socket and the secret of the process whose place this one takes."""
    number, _, secret = os.environ.pop(_RENEWED, "").partition(":")
    with suppress(ValueError, OSError):
        return socket.socket(fileno=int(number)), bytes.fromhex(secret)
    return None
