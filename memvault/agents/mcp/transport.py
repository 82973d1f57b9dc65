"""Who may call over HTTP: this machine, by a name that is its own, with the token, and no page of somebody else's."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Lets a request through to the server behind it, or refuses it before anything of it is read."""

    def __init__(self, app: App, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = frozenset(f"{name}:{port}" for name in _NAMES)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(_headers(scope)) if scope["type"] == "http" else None
        if scope["type"] in ("http", "lifespan") and refused is None:
            await self._app(scope, receive, send)
        elif refused is not None:
            await _answer(send, *refused)

    def _refused(self, headers: Mapping[bytes, list[bytes]]) -> tuple[int, str] | None:
        """Why a request is refused, if it is. Each of the headers may stand there once."""
        if _decoded(headers, b"host") not in self._hosts:
            return 421, "This server answers on this machine alone, by its own address."
        if b"origin" in headers and _decoded(headers, b"origin") not in self._origins:
            return 403, "A page of another origin may not call this server."
        if not self._has_token(headers):
            return 401, "The token is missing or wrong: send `Authorization: Bearer TOKEN`."
        return None

    def _has_token(self, headers: Mapping[bytes, list[bytes]]) -> bool:
        given = headers.get(b"authorization", [])
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        # The time that a comparison takes must not tell how much of the token was right.
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


def _headers(scope: Scope) -> Mapping[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value)
    return found


def _decoded(headers: Mapping[bytes, list[bytes]], name: bytes) -> str:
    given = headers.get(name, [])
    return given[0].decode("latin-1").lower() if len(given) == 1 else ""


async def _answer(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    headers += [(b"www-authenticate", b"Bearer")] if status == 401 else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})
