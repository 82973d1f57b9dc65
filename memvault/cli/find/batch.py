"""Many recalls in one go: JSON lines in, JSON lines out, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.cli.context import Desk, decoded
from memvault.core import json as jsonable
from memvault.core.query import Filters
from memvault.errors import MemvaultError
from memvault.system import files

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.recall.recall import Hit
    from memvault.transcripts.search import Spoken

ALL_THE_TEXT = 1_000_000


class Question(NamedTuple):
    """One line of the input; `error` says why it cannot be answered."""

    id: object
    query: str = ""
    error: str = ""


class Terms(NamedTuple):
    """What holds for every question."""

    limit: int
    conditions: Filters
    spoken: bool  # whether conversations are searched too


def answer_all(desk: Desk, source: str, terms: Terms) -> None:
    """Answer every line as it comes; a line that cannot be answered says why, and the rest goes on."""
    with desk.open() as vault:
        vault.freshen()
        if terms.spoken:
            vault.freshen_talks()
        for line in _lines(desk, source):
            if line.strip():
                answer = _answer(vault, question(line), terms)
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


def _answer(vault: Memvault, asked: Question, terms: Terms) -> dict[str, object]:
    if asked.error:
        return {"id": asked.id, "error": asked.error}
    try:
        found = vault.recall(
            asked.query,
            limit=terms.limit,
            budget=ALL_THE_TEXT,
            min_similarity=0.0,
            filters=terms.conditions,
            fresh=True,
            spoken=terms.spoken,
            fold=False,
            sift=False,
        )
    except MemvaultError as error:
        return {"id": asked.id, "error": str(error)}
    return {"id": asked.id, "hits": [_hit(hit) for hit in getattr(found, "ranked", found.hits)]}


def _hit(hit: Hit | Spoken) -> dict[str, object]:
    from memvault.recall.recall import Hit  # deferred: by now the recall itself has loaded it

    return _memory(hit) if isinstance(hit, Hit) else _said(hit)


def _memory(hit: Hit) -> dict[str, object]:
    memory = hit.memory
    return {
        "id": memory.id,
        "path": memory.path,
        "title": memory.title,
        "score": round(hit.score, 6),
        "similarity": hit.similarity,
        "text": hit.text,
        # The turns of a conversation that it was made of: most memories have none.
        "turn_ids": list(memory.refs.get("turns", ())),
    }


def _said(hit: Spoken) -> dict[str, object]:
    return {
        "id": hit.held.talk.id,
        "path": hit.held.path,
        "title": hit.held.talk.title,
        "ref": hit.ref,
        "speaker": hit.turn.speaker,
        "time": jsonable.plain(hit.turn.time),
        "score": round(hit.score, 6),
        "similarity": hit.similarity,
        "text": hit.text,
        "turn_ids": [hit.turn.id],
    }
