"""Any server that speaks the embeddings form of OpenAI's API: Ollama, LM Studio, llama.cpp and many more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.scan import redacted
from memvault.errors import NoVectors
from memvault.models.embeddings import NEEDS_EXTRA, Source
from memvault.models.llm import http as wire
from memvault.models.llm.ask import Deadline, Failure
from memvault.models.llm.http import Reply

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows

_PATH = "/embeddings"
_AT_ONCE = _BATCH = 32
_LONGEST = 8_000  # characters
_MOST = 8_000_000  # bytes of a reply: thirty-two long rows, spelled out
_MOST_DIMENSIONS = 8_192
_WAIT_FOR_MANY = 30.0  # seconds for one of many batches, for which nobody waits


class OpenAI:
    """A server that is sent texts; secrets and what is private never are."""

    at_once = _AT_ONCE
    is_loaded = False  # each text is a journey

    def __init__(self, source: Source) -> None:
        self._source = source
        self._dimensions = 0

    @property
    def mark(self) -> str:
        """Where it is asked, and for which model."""
        return f"{self._source.url} {self._source.name}"

    def embed(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text, asked for in batches."""
        try:
            from memvault.models.embeddings import unit_rows
        except ImportError:
            raise self._trouble(NEEDS_EXTRA) from None
        sent = [redacted(without_private(text))[:_LONGEST] or " " for text in texts]
        numbers: list[list[float]] = []
        for start in range(0, len(sent), _BATCH):
            numbers += self._asked(sent[start : start + _BATCH], in_haste=len(sent) <= _BATCH)
        return unit_rows(numbers)

    def _asked(self, texts: Sequence[str], *, in_haste: bool) -> list[list[float]]:
        seconds = self._source.seconds if in_haste else max(self._source.seconds, _WAIT_FOR_MANY)
        body = json.dumps({"model": self._source.name, "input": list(texts), "encoding_format": "float"}).encode()
        found = wire.post(self._address, body, self._headers(), Deadline.within(seconds), most=_MOST)
        if isinstance(found, Failure):
            raise self._trouble(found.detail.replace("model.url", "semantic.url"))
        if found.status != 200:
            raise self._trouble(_refusal(found.status))
        return self._rows(found, len(texts))

    def _rows(self, reply: Reply, count: int) -> list[list[float]]:
        try:
            data = json.loads(reply.text)["data"]
            ordered = sorted(data, key=lambda row: row["index"])
            rows = [[float(number) for number in row["embedding"]] for row in ordered]
            places = [row["index"] for row in ordered]
        except (ValueError, RecursionError, LookupError, TypeError, OverflowError):
            raise self._trouble("there are no vectors in the server's reply") from None
        lengths = {len(row) for row in rows}
        self._dimensions = self._dimensions or (lengths.pop() if len(lengths) == 1 else 0)
        fits = 0 < self._dimensions <= _MOST_DIMENSIONS and all(len(row) == self._dimensions for row in rows)
        if places != list(range(count)) or not fits:
            raise self._trouble("the vectors in the server's reply are not those that were asked for")
        return rows

    @property
    def _address(self) -> str:
        url = urlsplit(self._source.url)
        path = url.path.rstrip("/")
        return url._replace(path=path if path.endswith(_PATH) else f"{path or '/v1'}{_PATH}", fragment="").geturl()

    def _headers(self) -> dict[str, str]:
        key = self._source.environment.get(self._source.key_env, "").strip() if self._source.key_env else ""
        if self._source.key_env and not (key and key.isascii() and key.isprintable()):
            raise self._trouble(f"the variable {self._source.key_env}, which semantic.key_env names, holds no key")
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        return {"Content-Type": "application/json", "Accept": "application/json", **bearer}

    def _trouble(self, reason: str) -> NoVectors:
        return NoVectors(name=self._source.name or self._source.url, reason=reason)


def make(source: Source) -> OpenAI:
    """The server of a source."""
    return OpenAI(source)


def _refusal(status: int) -> str:
    match status:
        case 401 | 403:
            return f"the server wants another key (status {status})"
        case 404:
            return "the server knows no such model, or no embeddings at semantic.url"
        case 429:
            return "the server has had too many requests"
        case _:
            return f"the server refuses the request (status {status})"
