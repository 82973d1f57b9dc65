"""Many recalls in one go: JSON lines in, JSON lines out, for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.cli.context import CliContext, CommandResult, decode_text
from memvault.cli.output import hits as recalled
from memvault.cli.output.terminal import TerminalFormat
from memvault.cli.output.transcript import format_hit_line as disclosure_line
from memvault.cli.output.transcript import format_memory_line
from memvault.core.ids import short_id
from memvault.core.query import Filters
from memvault.core.value import take_fields
from memvault.errors import MemvaultError
from memvault.recall.recall import RecallHit, RecallQuery, RecallResult, recall
from memvault.system import files
from memvault.text.display import format_count
from memvault.text.terms import estimate_tokens
from memvault.transfer import json_values as jsonable

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.context.gather import ContextResult
    from memvault.transcripts.search import TurnHit


NO_LIMIT = 1_000_000


class BatchQuestion(NamedTuple):
    """One line of the input; `error` says why it cannot be answered."""

    id: object
    query: str = ""
    error: str = ""


class BatchTerms(NamedTuple):
    """What holds for every question."""

    limit: int
    conditions: Filters
    spoken: bool  # whether conversations are searched too


def answer_all(cli: CliContext, source: str, terms: BatchTerms) -> None:
    """Answer every line as it comes; a line that cannot be answered says why, and the rest goes on."""
    with cli.open_vault() as vault:
        vault.refresh()
        if terms.spoken:
            from memvault.transcripts.search import refresh_index  # deferred: most batches ask for memories

            vault.run(refresh_index)
        for line in (
            (decode_text(files.read_file(Path(source)), source).splitlines()) if source != "-" else (_stream_lines(cli))
        ):
            if line.strip():
                answer = _answer_question(vault, parse_question(line), terms)
                cli.print_data(jsonable.to_json_line(answer, ascii_only=cli.is_ascii_only))


def _stream_lines(cli: CliContext) -> Iterator[str]:
    """Lines of stdin, each as soon as it is there, so that a program may ask and wait."""
    for line in cli.stdin or ():
        cli.stdout.flush()
        yield line


def parse_question(line: str) -> BatchQuestion:
    """What one line asks."""
    try:
        said = json.loads(line)
    except ValueError as error:
        return BatchQuestion(None, error=f"this line is not JSON: {error}")
    if not isinstance(said, dict):
        return BatchQuestion(None, error='this line is not an object like {"id": 1, "query": "..."}')
    query = said.get("query")
    if not isinstance(query, str):
        return BatchQuestion(said.get("id"), error="this line has no text under `query`")
    return BatchQuestion(said.get("id"), query)


def _answer_question(vault: Memvault, asked: BatchQuestion, terms: BatchTerms) -> dict[str, object]:
    if asked.error:
        return {"id": asked.id, "error": asked.error}
    try:
        wanted = RecallQuery(
            query=asked.query,
            limit=terms.limit,
            budget=NO_LIMIT,
            min_similarity=0.0,
            filters=terms.conditions,
            fold=False,
        )
        found = vault.run(_choose_recall(terms), wanted, is_fresh=True, asks_model=False)
    except MemvaultError as error:
        return {"id": asked.id, "error": str(error)}
    ranked = getattr(found, "ranked", found.hits)
    hits = [_memory_json(hit) if isinstance(hit, RecallHit) else _turn_json(hit) for hit in ranked]
    return {"id": asked.id, "hits": hits}


def _choose_recall(terms: BatchTerms) -> Callable[..., RecallResult]:
    if not terms.spoken:
        return recall
    from memvault.transcripts.search import recall_with_turns  # deferred: most recalls ask for memories

    return recall_with_turns


def _memory_json(hit: RecallHit) -> dict[str, object]:
    memory = hit.memory
    return {
        **take_fields(memory, "id", "path", "title"),
        "score": round(hit.score, 6),
        "similarity": hit.similarity,
        "text": hit.text,
        "turn_ids": list(memory.refs.get("turns", ())),
    }


def _turn_json(hit: TurnHit) -> dict[str, object]:
    return {
        "id": hit.held.talk.id,
        "path": hit.held.path,
        "title": hit.held.talk.title,
        "ref": hit.ref,
        "speaker": hit.turn.speaker,
        "time": jsonable.to_json(hit.turn.time),
        "score": round(hit.score, 6),
        "similarity": hit.similarity,
        "text": hit.text,
        "turn_ids": [hit.turn.id],
    }


# A recall in few tokens, and a recall as a context for a model.

MAX_BUDGET = 1_000_000  # tokens: of what is only named, no text has to fit


# -- a line each


def brief_result(cli: CliContext, found: RecallResult, *, budget: int, any_: bool) -> CommandResult:
    """The hits on a line each, as far as a budget goes."""
    paper, again = cli.terminal_format(), cli.more_budget(budget)
    ranked: tuple[RecallHit | TurnHit, ...] = getattr(found, "ranked", found.hits)
    lines: list[str] = []
    room = budget
    for hit in ranked:
        text = _format_line(hit, paper)
        room -= estimate_tokens(f"{text}\n")
        if room < 0 and lines:
            break
        lines.append(text)
    left_out = len(ranked) - len(lines)
    more = f"{format_count(left_out, 'more', 'more')} did not fit: {again}" if left_out else ""
    return CommandResult(
        result={
            "query": found.query,
            "hits": [_line_json(hit) for hit in ranked[: len(lines)]],
            "tokens": estimate_tokens("\n".join(lines)),
            "budget": budget,
            "left_out": left_out,
            "searched": found.searched,
        },
        text=lambda _paper: "\n".join(lines),
        messages=(more, *recalled.recall_messages(found, any_=any_, explain=False, again=lambda: again)),
    )


def _format_line(hit: RecallHit | TurnHit, paper: TerminalFormat) -> str:
    if isinstance(hit, RecallHit):
        return format_memory_line(hit.memory, paper, weak=hit.weak)
    when = hit.turn.time
    day = paper.format_day(when) if when else ""
    return disclosure_line(hit.ref, day, f"{hit.turn.speaker}: {hit.text}", width=paper.width)


def _line_json(hit: RecallHit | TurnHit) -> dict[str, object]:
    if isinstance(hit, RecallHit):
        own = {
            "id": hit.memory.id,
            "short": short_id(hit.memory.id),
            "title": hit.memory.title,
            "kind": hit.memory.kind,
        }
        return {**own, "created": hit.memory.created, "similarity": hit.similarity, "weak": hit.weak}
    return {"ref": hit.ref, "speaker": hit.turn.speaker, "created": hit.turn.time, "similarity": hit.similarity}


# -- for a model


def context_result(cli: CliContext, found: ContextResult, *, explain: bool) -> CommandResult:
    """The text for the model on stdout; what was used, and with `explain` why, besides."""
    return CommandResult(
        result=found,
        text=lambda _paper: found.text,
        messages=(*(_list_reasons(found, cli.now()) if explain else []), _format_summary(cli, found)),
    )


def _list_reasons(found: ContextResult, now: datetime) -> list[str]:
    from memvault.context.gather import explain_relevance

    return [
        explain_relevance(
            hit.memory, given, hit.use, weight=hit.weight, days=max(0.0, (now - hit.use.last).total_seconds() / 86_400)
        )
        for hit, given in zip(found.hits, found.relevance, strict=True)
    ]


def _format_summary(cli: CliContext, found: ContextResult) -> str:
    if not found.hits:
        among = format_count(found.searched, "memory", "memories")
        if found.left_out:
            return f"Nothing fits into {found.budget:,} tokens: {cli.more_budget(found.budget)}"
        return f"Nothing among {among} is alike enough to “{found.query}” and meant for this project."
    kinds = dict.fromkeys((*found.used, *found.left_out_by_kind))
    parts = ", ".join(_format_share(found, kind) for kind in kinds)
    beside = f"; besides, {found.working_tokens:,} for what is in hand" if found.working else ""
    return f"{found.tokens:,} of {found.budget:,} tokens (estimated){parts and f': {parts}'}{beside}."


def _format_share(found: ContextResult, kind: str) -> str:
    left_out = found.left_out_by_kind.get(kind, 0)
    more = f", {left_out:,} left out" if left_out else ""
    return f"{kind} {found.used.get(kind, 0):,} (its share {found.shares.get(kind, 0):,}{more})"
