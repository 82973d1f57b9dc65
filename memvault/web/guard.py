"""Who may see the page and what it may do: this machine, by its own name, with our cookie, from our own pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memvault.system.memory_holders import LOOPBACK
from memvault.web.keys import PageKeys, VisitorTokens

MOST_BYTES = 4 * 1024 * 1024  # of a form
_NAMES = (LOOPBACK, "localhost")
_MOST_FIELDS = 500
_FORM = "application/x-www-form-urlencoded"
_READS = frozenset({"GET", "HEAD"})
# From a page of ours, or typed, or opened by a program: a page elsewhere has no business with ours.
_OWN_SITES = frozenset({"", "none", "same-origin"})

SECURITY_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        # Not `no-referrer`: under it a browser sends our own forms with the origin "null".
        "referrer-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
        "cache-control": "no-store",
    }
)


class Refused(Exception):
    """A request that is not answered, with the status and the sentence that say why."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class BrowserGuard:
    """Lets a request through to the pages, or refuses it before anything of the vault is looked at."""

    def __init__(
        self, app: ASGIApp, *, port: int, keys: PageKeys, tokens: VisitorTokens, clock: Callable[[], datetime]
    ) -> None:
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in _NAMES)
        self._cookie = f"memvault-{port}"  # browsers keep cookies by host alone, whatever the port
        self._keys = keys
        self._tokens = tokens
        self._clock = clock
        self.last_visit = monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            answer = await self._check(request)
        except Refused as refused:
            answer = PlainTextResponse(f"{refused}\n", status_code=refused.status)
        if answer is not None:
            answer.headers.update(SECURITY_HEADERS)
            await answer(scope, receive, send)
            return
        self.last_visit = monotonic()
        await self._app(scope, receive, _with_headers(send))

    async def _check(self, request: Request) -> Response | None:
        """Return what is answered instead of a page; None where the page may answer."""
        host = _only_value(request, "host")
        if host not in self._hosts:
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST, "This page answers on this machine alone, by its own address."
            )
        if _only_value(request, "sec-fetch-site") not in _OWN_SITES:
            raise Refused(HTTPStatus.FORBIDDEN, "Another site may not call this page.")
        if request.method in _READS and "key" in request.query_params:
            return self._admit(request)
        cookie = self._read_cookie(request)
        if not self._tokens.knows_cookie(cookie):
            raise Refused(HTTPStatus.UNAUTHORIZED, "Run `memvault web` to open this page; its key works once.")
        form: Mapping[str, list[str]] = {}
        if request.method not in _READS:
            form = await self._check_form(request, host, cookie)
        request.state.form = form
        request.state.form_token = self._tokens.form_token(cookie)
        return None

    def _admit(self, request: Request) -> Response:
        """Turn a one-time key into a cookie, and have the browser forget the key."""
        if not self._keys.redeem_key(request.query_params["key"], self._clock()):
            raise Refused(HTTPStatus.UNAUTHORIZED, "This key was used, or is too old. Run `memvault web` again.")
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != "key"]
        answer = RedirectResponse(request.url.path + (f"?{urlencode(rest)}" if rest else ""), HTTPStatus.SEE_OTHER)
        answer.set_cookie(self._cookie, self._tokens.new_cookie(), httponly=True, samesite="strict")
        return answer

    async def _check_form(self, request: Request, host: str, cookie: str) -> Mapping[str, list[str]]:
        """Return the fields of a form that one of our own pages sent."""
        if request.method != "POST":
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "Pages are read with GET and changed with POST.")
        if _only_value(request, "origin") != f"http://{host}":
            raise Refused(HTTPStatus.FORBIDDEN, "A page of another origin may not change anything.")
        if _only_value(request, "sec-fetch-site") != "same-origin":
            raise Refused(HTTPStatus.FORBIDDEN, "Only a page of this site may change anything.")
        if _only_value(request, "content-type").partition(";")[0].strip() != _FORM:
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"A form is sent as {_FORM}.")
        form = _parse_form(await _read_body(request))
        if not self._tokens.knows_form(cookie, {name: values[0] for name, values in form.items()}):
            raise Refused(HTTPStatus.FORBIDDEN, "This form is of an earlier visit. Load the page again.")
        return form

    def _read_cookie(self, request: Request) -> str:
        found: list[str] = []
        for header in request.headers.getlist("cookie"):
            try:
                jar = SimpleCookie(header)
            except CookieError:
                continue
            found += [jar[self._cookie].value] if self._cookie in jar else []
        return found[0] if len(found) == 1 else ""


def _only_value(request: Request, name: str) -> str:
    """Return a header that stands there once; one that is repeated counts as none that fits."""
    values = request.headers.getlist(name)
    return values[0].lower() if len(values) == 1 else "" if not values else "?"


async def _read_body(request: Request) -> bytes:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BYTES:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A form is at most {MOST_BYTES:,} bytes long.")
    return data


def _parse_form(data: bytes) -> Mapping[str, list[str]]:
    try:
        pairs = parse_qsl(data.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "The form cannot be read.") from None
    form: dict[str, list[str]] = {}
    for name, value in pairs:
        form.setdefault(name, []).append(value)
    return form


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds what keeps a page to itself."""
    added: list[tuple[bytes, bytes]] = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]

    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            own: list[Any] = list(message.get("headers", []))
            given = {name.lower() for name, _ in added}
            message = {**message, "headers": [*(pair for pair in own if pair[0].lower() not in given), *added]}
        await send(message)

    return send_guarded
