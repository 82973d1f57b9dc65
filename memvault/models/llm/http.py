"""One POST over HTTP: to the host that was named and no other, read as far as it is carried, over by the deadline."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

from memvault.models.llm.ask import MAX_ANSWER, Deadline, Failure

_CHUNK = 65_536
_LATE = Failure("late", "the server did not answer in time")


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server answered: its status, and the text where the status is a good one."""

    status: int
    text: str = ""


def post_body(
    url: str, body: bytes, headers: Mapping[str, str], deadline: Deadline, *, most: int = MAX_ANSWER
) -> HttpReply | Failure:
    """Post a body and read the reply, of so many bytes at most; no proxy is asked and no redirect followed."""
    request = Request(url, data=body, headers=dict(headers), method="POST")
    outcome: HttpReply | Failure = _LATE

    def send_request() -> None:
        nonlocal outcome
        outcome = _send_request(request, deadline, most)

    # Each read has its time, but a server that drips has any number of them: so the whole has its own.
    worker = Thread(target=send_request, daemon=True)
    worker.start()
    worker.join(max(0.0, deadline.left))
    return outcome


def endpoint_url(url: str, path: str) -> str:
    """Return the address of an endpoint on a server that may be named with its path or without."""
    parts = urlsplit(url)
    base = parts.path.rstrip("/")
    return parts._replace(path=base if base.endswith(path) else f"{base or '/v1'}{path}", fragment="").geturl()


def read_key(environment: Mapping[str, str], name: str) -> str:
    """Return the key that a variable holds; empty where it holds none."""
    key = environment.get(name, "").strip() if name else ""
    return key if key.isascii() and key.isprintable() else ""


def json_headers(key: str) -> dict[str, str]:
    """Return the headers of a request, with the key where there is one."""
    bearer = {"Authorization": f"Bearer {key}"} if key else {}
    return {"Content-Type": "application/json", "Accept": "application/json", **bearer}


def _send_request(request: Request, deadline: Deadline, most: int) -> HttpReply | Failure:
    opener = OpenerDirector()
    for handler in (HTTPHandler(), HTTPSHandler(), HTTPErrorProcessor(), HTTPDefaultErrorHandler()):
        opener.add_handler(handler)
    try:
        reply = opener.open(request, timeout=max(0.01, deadline.left))
        if reply is None:
            return Failure("unset", "model.url must begin with http:// or https://")
        with reply:
            body = bytearray()
            while chunk := reply.read1(_CHUNK):
                body += chunk
                if len(body) > most:
                    return Failure("oversized", f"the server gave more than {most:,} bytes")
                if deadline.left <= 0:
                    return _LATE
            return HttpReply(reply.status, body.decode("utf-8", "replace"))
    except HTTPError as error:
        error.close()
        return HttpReply(error.code)
    except (OSError, HTTPException, ValueError) as error:
        return _describe_error(error)


def _describe_error(error: Exception) -> Failure:
    """What went wrong on the way, in our own words: theirs may hold what was sent."""
    cause = error.reason if isinstance(error, URLError) else error
    match cause:
        case TimeoutError():
            return _LATE
        case ssl.SSLError():
            return Failure("failed", "no safe connection could be made (the server's certificate, or its protocol)")
        case ConnectionRefusedError() | socket.gaierror():
            return Failure("missing", "nobody listens at model.url")
        case _:
            return Failure("failed", f"the connection broke down ({type(cause).__name__})")
