"""Many recalls in one go: JSON lines in, JSON lines out, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.cli.context import Answer, Desk, decoded
from memvault.cli.output import recall as recalled
from memvault.cli.output.transcript import line as disclosure_line
from memvault.cli.output.transcript import memory_line
from memvault.core import json as jsonable
from memvault.core.ids import short
from memvault.core.query import Filters
from memvault.errors import MemvaultError
from memvault.system import files
from memvault.text.display import plural
from memvault.text.terms import estimate

if TYPE_CHECKING:
    from datetime import datetime

    from memvault.api import Memvault
    from memvault.cli.output.terminal import Paper
    from memvault.context.gather import Context
    from memvault.recall.recall import Hit, Recalled
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


# A recall in few tokens, and a recall as a context for a model.

ENOUGH = 1_000_000  # tokens: of what is only named, no text has to fit


# -- a line each


def brief(found: Recalled, paper: Paper, *, budget: int, any_: bool) -> Answer:
    """The hits on a line each, as far as a budget goes."""
    ranked: tuple[Hit | Spoken, ...] = getattr(found, "ranked", found.hits)
    lines: list[str] = []
    room = budget
    for hit in ranked:
        text = _line(hit, paper)
        room -= estimate(f"{text}\n")
        if room < 0 and lines:
            break
        lines.append(text)
    left_out = len(ranked) - len(lines)
    more = f"{plural(left_out, 'more', 'more')} did not fit; --budget allows more." if left_out else ""
    return Answer(
        result={
            "query": found.query,
            "hits": [_told(hit) for hit in ranked[: len(lines)]],
            "tokens": estimate("\n".join(lines)),
            "budget": budget,
            "left_out": left_out,
            "searched": found.searched,
        },
        text=lambda _paper: "\n".join(lines),
        talk=(more, *recalled.remarks(found, any_=any_, explain=False)),
    )


def _line(hit: Hit | Spoken, paper: Paper) -> str:
    from memvault.recall.recall import Hit  # deferred: by now the recall itself has loaded it

    if isinstance(hit, Hit):
        return memory_line(hit.memory, paper, weak=hit.weak)
    when = hit.turn.time
    return disclosure_line(hit.ref, paper.day(when) if when else "", f"{hit.turn.speaker}: {hit.text}")


def _told(hit: Hit | Spoken) -> dict[str, object]:
    from memvault.recall.recall import Hit

    if isinstance(hit, Hit):
        own = {"id": hit.memory.id, "short": short(hit.memory.id), "title": hit.memory.title, "kind": hit.memory.kind}
        return {**own, "created": hit.memory.created, "similarity": hit.similarity, "weak": hit.weak}
    return {"ref": hit.ref, "speaker": hit.turn.speaker, "created": hit.turn.time, "similarity": hit.similarity}


# -- for a model


def in_context(found: Context, now: datetime, *, explain: bool) -> Answer:
    """The text for the model on stdout; what was used, and with `explain` why, besides."""
    return Answer(
        result=found, text=lambda _paper: found.text, talk=(*(_reasons(found, now) if explain else []), _summary(found))
    )


def _reasons(found: Context, now: datetime) -> list[str]:
    from memvault.context.quote import why

    return [
        why(hit.memory, given, hit.use, weight=hit.weight, days=max(0.0, (now - hit.use.last).total_seconds() / 86_400))
        for hit, given in zip(found.hits, found.relevance, strict=True)
    ]


def _summary(found: Context) -> str:
    if not found.hits:
        among = plural(found.searched, "memory", "memories")
        if found.left_out:
            return f"Nothing fits into {found.budget:,} tokens; --budget allows more."
        return f"Nothing among {among} is alike enough to “{found.query}” and meant for this project."
    kinds = dict.fromkeys((*found.used, *found.left_out_by_kind))
    parts = [_share(found, kind) for kind in kinds]
    beside = f"; besides, {found.working_tokens:,} for what is in hand" if found.working else ""
    return f"{found.tokens:,} of {found.budget:,} tokens (estimated): {', '.join(parts)}{beside}."


def _share(found: Context, kind: str) -> str:
    left_out = found.left_out_by_kind.get(kind, 0)
    more = f", {left_out:,} left out" if left_out else ""
    return f"{kind} {found.used.get(kind, 0):,} (its share {found.shares.get(kind, 0):,}{more})"
