"""A visitor of the page, without a browser: requests to the application itself, headers as they are given."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from html import unescape
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from memvault.api import Memvault
from memvault.web.app import VaultPages
from memvault.web.guard import BrowserGuard
from memvault.web.keys import PageKeys, VisitorTokens
from tests.conftest import Clock

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
VOID = {"meta", "link", "input", "img", "br", "hr", "path", "rect"}
Headers = Iterable[tuple[str, str]]


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")

    @property
    def location(self) -> str:
        return self.header("location")


class Visitor:
    """One who came with a key; `get` and `post` send what a browser would, unless told otherwise."""

    def __init__(self, vault: Memvault, clock: Clock, secret: bytes = b"s" * 32) -> None:
        self.keys = PageKeys(vault.state_folder)
        self.tokens = VisitorTokens(secret)
        self.pages = VaultPages(vault.root, environment=vault.environment, clock=clock, zone=clock().tzinfo)
        self.app = BrowserGuard(self.pages.build_app(), port=PORT, keys=self.keys, tokens=self.tokens, clock=clock)
        self.cookie = self.tokens.new_cookie()
        self.token = self.tokens.form_token(self.cookie)

    def usual_headers(self) -> list[tuple[str, str]]:
        return [("host", HOST), ("cookie", f"memvault-{PORT}={self.cookie}")]

    def form_headers(self) -> list[tuple[str, str]]:
        return [
            *self.usual_headers(),
            ("origin", f"http://{HOST}"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ]

    def get(self, address: str, headers: Headers | None = None) -> Answer:
        return self.send("GET", address, self.usual_headers() if headers is None else headers)

    def post(self, address: str, fields: Mapping[str, str] | None = None, headers: Headers | None = None) -> Answer:
        form = {"token": self.token, **(fields or {})}
        return self.send("POST", address, self.form_headers() if headers is None else headers, urlencode(form).encode())

    def send(self, method: str, address: str, headers: Headers, body: bytes = b"") -> Answer:
        return asyncio.run(_call(self.app, method, address, headers, body))


async def _call(app: Any, method: str, address: str, headers: Headers, body: bytes) -> Answer:
    parts = urlsplit(address)
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", PORT),
    }
    got: list[Any] = []
    sent = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        return next(sent, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        got.append(message)

    await app(scope, receive, send)
    start = next(message for message in got if message["type"] == "http.response.start")
    data = b"".join(message.get("body", b"") for message in got if message["type"] == "http.response.body")
    return Answer(start["status"], [(key.decode(), value.decode("latin-1")) for key, value in start["headers"]], data)


class Outline(HTMLParser):
    """What a browser would see: every tag with its attributes; what was opened is closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] in ("li", "p", "option") and self.open[-1] != tag:
            self.open.pop()  # these may be left open
        assert self.open.pop() == tag

    def links(self) -> list[str]:
        return [str(given["href"]) for tag, given in self.tags if tag == "a" and "href" in given]


def read_form(page: str, action: str) -> dict[str, str]:
    """Return the fields of a form on a page, as a browser would send them back."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', page, re.DOTALL)
    assert form, action
    text = form[0]
    found: dict[str, str] = {}
    for given in re.findall(r"<input ([^>]*)>", text):
        pairs = dict(re.findall(r'([\w-]+)="([^"]*)"', given))
        if "name" in pairs and pairs.get("type") not in ("radio", "checkbox"):
            found[pairs["name"]] = unescape(pairs.get("value", ""))
    for name, value in re.findall(r'<textarea [^>]*name="([^"]+)"[^>]*>\n(.*?)</textarea>', text, re.DOTALL):
        found[name] = unescape(value).replace("\n", "\r\n")  # as browsers do
    for name, options in re.findall(r'<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', text, re.DOTALL):
        chosen = re.search(r"<option selected>([^<]*)<", options) or re.search(r"<option>([^<]*)<", options)
        found[name] = unescape(chosen[1]) if chosen else ""
    return found
