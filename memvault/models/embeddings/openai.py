"""Any server that speaks the embeddings form of OpenAI's API: Ollama, LM Studio, llama.cpp and many more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import redact_secrets
from memvault.errors import NoVectors, VectorsNotInstalled
from memvault.models.embeddings import EmbeddingSource
from memvault.models.llm import http as wire
from memvault.models.llm.ask import Deadline, Failure
from memvault.models.placeholders import hide_personal

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows

_PATH = "/embeddings"
_INTERACTIVE_LIMIT = _BATCH = 32
_MAX_CHARACTERS = 8_000  # characters
_MAX_REPLY = 8_000_000  # bytes of a reply: thirty-two long rows, spelled out
_MAX_DIMENSIONS = 8_192
_WAIT_FOR_MANY = 30.0  # seconds for one of many batches, for which nobody waits


class OpenAIEmbedder:
    """A server that is sent texts; secrets, personal data and what is private never are."""

    interactive_limit = _INTERACTIVE_LIMIT
    is_loaded = False  # each text is a journey

    def __init__(self, source: EmbeddingSource) -> None:
        self._source = source
        self._dimensions = 0

    @property
    def model_id(self) -> str:
        """Where it is asked, and for which model."""
        return f"{self._source.url} {self._source.name}"

    def embed_texts(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text, asked for in batches."""
        try:
            from memvault.models.embeddings import normalize_rows
        except ImportError:
            from memvault.system.programs import install_command  # deferred: only where something is missing

            raise VectorsNotInstalled(name=self._source.name, command=install_command("semantic")) from None
        hide = hide_personal if self._source.hides_personal else str
        sent = [redact_secrets(hide(strip_private(text)))[:_MAX_CHARACTERS] or " " for text in texts]
        numbers: list[list[float]] = []
        for start in range(0, len(sent), _BATCH):
            numbers += self._request_rows(sent[start : start + _BATCH], in_haste=len(sent) <= _BATCH)
        return normalize_rows(numbers)

    def _request_rows(self, texts: Sequence[str], *, in_haste: bool) -> list[list[float]]:
        seconds = self._source.seconds if in_haste else max(self._source.seconds, _WAIT_FOR_MANY)
        body = json.dumps({"model": self._source.name, "input": list(texts), "encoding_format": "float"}).encode()
        key, name = wire.read_key(self._source.environment, self._source.key_env), self._source.key_env
        if name and not key:
            raise self._vectors_error(f"the variable {name}, which semantic.key_env names, holds no key")
        url = wire.endpoint_url(self._source.url, _PATH)
        found = wire.post_body(url, body, wire.json_headers(key), Deadline.within(seconds), most=_MAX_REPLY)
        if isinstance(found, Failure):
            raise self._vectors_error(found.detail.replace("model.url", "semantic.url"))
        if found.status != 200:
            raise self._vectors_error(_refusal_reason(found.status))
        try:
            data = json.loads(found.text)["data"]
            ordered = sorted(data, key=lambda row: row["index"])
            rows = [[float(number) for number in row["embedding"]] for row in ordered]
            places = [row["index"] for row in ordered]
        except (ValueError, RecursionError, LookupError, TypeError, OverflowError):
            raise self._vectors_error("there are no vectors in the server's reply") from None
        lengths = {len(row) for row in rows}
        self._dimensions = self._dimensions or (lengths.pop() if len(lengths) == 1 else 0)
        fits = 0 < self._dimensions <= _MAX_DIMENSIONS and all(len(row) == self._dimensions for row in rows)
        if places != list(range(len(texts))) or not fits:
            raise self._vectors_error("the vectors in the server's reply are not those that were asked for")
        return rows

    def _vectors_error(self, reason: str) -> NoVectors:
        return NoVectors(name=self._source.name or self._source.url, reason=reason)


def _refusal_reason(status: int) -> str:
    match status:
        case 401 | 403:
            return f"the server wants another key (status {status})"
        case 404:
            return "the server knows no such model, or no embeddings at semantic.url"
        case 429:
            return "the server has had too many requests"
        case _:
            return f"the server refuses the request (status {status})"
