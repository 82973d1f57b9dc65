"""Who may call over HTTP: nobody by another name, from another page, or without the token."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from memvault.agents.mcp.transport import RequestGuard, load_token
from memvault.errors import BadInput

TOKEN = "a-token-of-some-length"
OWN = [("host", "127.0.0.1:8765"), ("authorization", f"Bearer {TOKEN}")]


def status(*headers: tuple[str, str], kind: str = "http") -> int:
    """What a request with these headers is answered with; 200 where it was let through."""
    sent: list[int] = []

    async def inner(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        sent.append(200)

    async def send(message) -> None:  # type: ignore[no-untyped-def]
        sent.extend([message["status"]] if "status" in message else [])

    async def receive():  # type: ignore[no-untyped-def]
        raise AssertionError("nothing of a request is read before it is let through")

    scope = {"type": kind, "headers": [(name.encode(), value.encode()) for name, value in headers]}
    asyncio.run(RequestGuard(inner, port=8765, token=TOKEN)(scope, receive, send))
    return sent[0] if sent else 0


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LOCALHOST:8765"])
def test_this_machine_with_the_token_is_let_through(host: str) -> None:
    assert status(("host", host), OWN[1]) == 200


def test_a_page_of_our_own_origin_is_let_through() -> None:
    assert status(*OWN, ("origin", "http://localhost:8765")) == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://localhost:8766", "https://localhost:8765", "http://localhost"],
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    assert status(*OWN, ("origin", origin)) == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "localhost:80", "", "127.0.0.1:8765.evil.example"]
)
def test_a_foreign_host_is_refused(host: str) -> None:
    assert status(("host", host), OWN[1]) == 421


def test_no_host_or_two_are_refused() -> None:
    assert status(OWN[1]) == 421
    assert status(*OWN, ("host", "127.0.0.1:8765")) == 421


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer é"]
)
def test_a_wrong_token_is_refused(given: str) -> None:
    assert status(OWN[0], ("authorization", given)) == 401


def test_no_token_or_two_are_refused() -> None:
    assert status(OWN[0]) == 401
    assert status(*OWN, OWN[1]) == 401


def test_a_web_socket_gets_no_answer() -> None:
    assert status(*OWN, kind="websocket") == 0


# -- the token


def test_a_token_is_made_once_for_this_person_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "token"
    made = load_token(path)
    assert len(made) >= 32
    assert load_token(path) == made
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "short", "two words that are long enough", "ä" * 20])
def test_a_poor_token_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(BadInput, match="one word of 16 characters"):
        load_token(path)


@pytest.mark.skipif(sys.platform == "win32" or os.name != "posix", reason="Windows keeps other rights")
def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("a-token-of-some-length", encoding="utf-8")
    path.chmod(0o644)
    with pytest.raises(BadInput, match="chmod 600"):
        load_token(path)
