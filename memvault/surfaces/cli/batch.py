"""Many recalls in one go: JSON lines in, JSON lines out, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault import files
from memvault.core.query import Filters
from memvault.errors import MemvaultError
from memvault.render import jsonable
from memvault.surfaces.cli.desk import Desk, decoded

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.verbs.recall import Hit

ALL_THE_TEXT = 1_000_000


class Question(NamedTuple):
    """One line of the input; `error` says why it cannot be answered."""

    id: object
    query: str = ""
    error: str = ""


def answer_all(desk: Desk, source: str, *, limit: int, conditions: Filters) -> None:
    """Answer every line as it comes; a line that cannot be answered says why, and the rest goes on."""
    with desk.open() as vault:
        vault.freshen()
        for line in _lines(desk, source):
            if line.strip():
                answer = _answer(vault, question(line), limit, conditions)
                desk.put(jsonable.line(answer, ascii_only=desk.takes_ascii_only))


def _lines(desk: Desk, source: str) -> Iterable[str]:
    if source != "-":
        return decoded(files.read(Path(source)), source).splitlines()
    return _arriving(desk)


def _arriving(desk: Desk) -> Iterator[str]:
    """Lines of stdin, each as soon as it is there, so that a program may ask and wait."""
    for line in desk.stdin or ():
        desk.stdout.flush()
        yield line


def question(line: str) -> Question:
    """What one line asks."""
    try:
        said = json.loads(line)
    except ValueError as error:
        return Question(None, error=f"this line is not JSON: {error}")
    if not isinstance(said, dict):
        return Question(None, error='this line is not an object like {"id": 1, "query": "..."}')
    query = said.get("query")
    if not isinstance(query, str):
        return Question(said.get("id"), error="this line has no text under `query`")
    return Question(said.get("id"), query)


def _answer(vault: Memvault, asked: Question, limit: int, conditions: Filters) -> dict[str, object]:
    if asked.error:
        return {"id": asked.id, "error": asked.error}
    try:
        found = vault.recall(
            asked.query, limit=limit, budget=ALL_THE_TEXT, min_similarity=0.0, filters=conditions, fresh=True
        )
    except MemvaultError as error:
        return {"id": asked.id, "error": str(error)}
    return {"id": asked.id, "hits": [_hit(hit) for hit in found.hits]}


def _hit(hit: Hit) -> dict[str, object]:
    memory = hit.memory
    # The turns of a conversation that a hit stands on: notes have none.
    return {
        "id": memory.id,
        "path": memory.path,
        "title": memory.title,
        "score": round(hit.score, 6),
        "text": hit.text,
        "turn_ids": [],
    }
