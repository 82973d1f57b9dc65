"""The pages in one table, and the application that answers them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from functools import partial
from http import HTTPStatus
from importlib import import_module
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from memvault.api import Memvault, system_clock
from memvault.api.cache import OpenIndexCache, UnlockedMemories
from memvault.errors import BUSY, NOT_FOUND, REFUSED, MemvaultError
from memvault.open_vault import local_zone
from memvault.web.page import HERE, THEMES, Page, View


class PageRoute(NamedTuple):
    """A row of the table: the address, and the view that answers it; `acts` says that it is sent a form."""

    address: str
    view: str  # a function in a file of `web/views`
    acts: bool = False


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/", "tasks.show_today"),
    PageRoute("/done", "tasks.mark_done", acts=True),
    PageRoute("/task/finish", "tasks.finish_task", acts=True),
    PageRoute("/remember", "tasks.remember", acts=True),
    PageRoute("/inbox", "inbox.show_inbox"),
    PageRoute("/inbox/answer", "inbox.answer_card", acts=True),
    PageRoute("/search", "search.show_search"),
    PageRoute("/memory", "memory.show_memory"),
    PageRoute("/memory/edit", "memory.show_form"),
    PageRoute("/memory/save", "memory.save_memory", acts=True),
    PageRoute("/memory/act", "memory.act_on_memory", acts=True),
    PageRoute("/memory/history", "memory.show_history"),
    PageRoute("/image", "memory.send_image"),
    PageRoute("/conversations", "conversations.list_conversations"),
    PageRoute("/conversation", "conversations.show_conversation"),
    PageRoute("/given", "given.show_given"),
    PageRoute("/given/judge", "given.judge", acts=True),
    PageRoute("/log", "log.list_log"),
    PageRoute("/log/operation", "log.show_operation"),
    PageRoute("/log/undo", "log.undo", acts=True),
    PageRoute("/log/undo-to", "log.undo_to", acts=True),
    PageRoute("/health", "health.show_health"),
    PageRoute("/health/doctor", "health.show_findings"),
    PageRoute("/health/mend", "health.mend", acts=True),
    PageRoute("/health/maintain", "health.show_maintenance"),
    PageRoute("/health/maintain/run", "health.maintain", acts=True),
    PageRoute("/settings", "settings.show_settings"),
    PageRoute("/settings/set", "settings.change_setting", acts=True),
    PageRoute("/private", "private.show_private"),
    PageRoute("/private/unlock", "private.unlock", acts=True),
    PageRoute("/private/lock", "private.lock", acts=True),
    PageRoute("/keys", "tasks.show_keys"),
)
_STATUS: Mapping[int, HTTPStatus] = {
    NOT_FOUND: HTTPStatus.NOT_FOUND,
    REFUSED: HTTPStatus.CONFLICT,
    BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
}


_TYPING_SECONDS, _QUIET_SECONDS = 60.0, 1.0


def _is_typing(request: Request) -> bool:
    """Return whether a search is asked for letter by letter."""
    return "part" in request.query_params


class VaultPages:
    """The pages of one vault: what stays open between two requests, and how a request is answered."""

    def __init__(
        self,
        root: Path,
        *,
        environment: Mapping[str, str],
        clock: Callable[[], datetime] | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self._root = root
        self._environment = environment
        self._clock = clock or system_clock
        self._zone = zone
        self._memo: dict[str, Any] = {}
        self._typing: asyncio.Task[None] | None = None
        self._refreshed = -inf  # when the index was last compared with the files, by a clock of this process
        self.cache = OpenIndexCache()
        self.unlocked = UnlockedMemories()

    def build_app(self) -> Starlette:
        """Return the application; it is to stand behind the guard."""
        static = StaticFiles(directory=HERE / "static")
        routes = [
            *(self._make_route(row) for row in PAGES),
            Route("/theme", _set_theme, methods=["POST"]),
            Route("/alive", _answer_alive),
            Mount("/static", static),
        ]
        return Starlette(routes=routes, exception_handlers={HTTPException: self._show_http_error})

    def _make_route(self, row: PageRoute) -> Route:
        module, _, name = row.view.partition(".")
        view: View = getattr(import_module(f"memvault.web.views.{module}"), name)
        return Route(row.address, partial(self._answer, view), methods=["POST"] if row.acts else ["GET"])

    async def _answer(self, view: View, request: Request) -> Response:
        answer = await run_in_threadpool(self._answer_now, view, request)
        if _is_typing(request):
            self._typing = asyncio.create_task(self._refresh_after(self._typing))
        return answer

    async def _refresh_after(self, earlier: asyncio.Task[None] | None) -> None:
        """Compare the files once nobody has typed for a while, so that the next question need not wait for that."""
        if earlier is not None:
            earlier.cancel()
        await asyncio.sleep(_QUIET_SECONDS)
        await run_in_threadpool(self._refresh_behind)

    def _answer_now(self, view: View, request: Request) -> Response:
        with self._open_vault(request) as vault:
            vault.unlocked = self.unlocked.find_memories(str(self._root))
            page = Page(request, vault, self._zone or local_zone(), unlocked=self.unlocked, memo=self._memo)
            try:
                return view(page)
            except MemvaultError as error:
                code = _STATUS.get(error.exit_code, HTTPStatus.BAD_REQUEST)
                return page.render("error.html", code=code, error=error)

    def _open_vault(self, request: Request) -> Memvault:
        """Return the vault; whoever reads compares its files once, and whoever types finds them compared just now."""
        zone = self._zone or local_zone()  # the machine's own may change while this serves
        reads = request.method != "POST"
        is_fresh = [False]
        vault = Memvault(
            self._root,
            environment=self._environment,
            zone=zone,
            folder=self._root,
            cache=self.cache,
            clock=self._clock,
            is_index_current=(lambda _folder: is_fresh[0]) if reads else None,
        )
        if not reads:
            self._refreshed = -inf
        elif not (_is_typing(request) and monotonic() - self._refreshed < _TYPING_SECONDS):
            vault.refresh()
            self._refreshed = monotonic()
        is_fresh[0] = reads
        return vault

    def _refresh_behind(self) -> None:
        with Memvault(
            self._root, environment=self._environment, folder=self._root, cache=self.cache, clock=self._clock
        ) as vault:
            vault.refresh()
        self._refreshed = monotonic()

    async def _show_http_error(self, request: Request, error: Exception) -> Response:
        def show(page: Page) -> Response:
            assert isinstance(error, HTTPException)
            return page.render("error.html", code=HTTPStatus(error.status_code), error=error.detail)

        return await run_in_threadpool(self._answer_now, show, request)

    async def close_idle(self, seconds: float = 60.0) -> None:
        """Close, from time to time, what has lain idle for long."""
        while True:
            await asyncio.sleep(seconds)
            self.cache.trim()
            self.unlocked.trim()

    def close(self) -> None:
        """Close everything that was kept open."""
        self.cache.close()
        self.unlocked.close()


async def _set_theme(request: Request) -> Response:
    """Set light, dark, or as the system has it; a cookie that only says which."""
    from memvault.web.page import is_own_address

    form: Mapping[str, list[str]] = request.state.form
    theme, back = form.get("theme", [""])[0], form.get("back", ["/"])[0]
    answer = RedirectResponse(back if is_own_address(back) else "/", HTTPStatus.SEE_OTHER)
    if theme in THEMES:
        answer.set_cookie("memvault-theme", theme, max_age=366 * 86_400, httponly=True, samesite="strict")
    return answer


async def _answer_alive(_request: Request) -> Response:
    """Answer a page that has unsaved text, so that the process does not end under it."""
    return PlainTextResponse("yes\n")
