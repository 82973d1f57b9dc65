"""A recall in few tokens, and a recall as a context for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.context import Answer
from memvault.cli.output import recall as recalled
from memvault.cli.output.disclosure import line, memory_line
from memvault.core.ids import short
from memvault.text.figures import plural
from memvault.text.tokens import estimate

if TYPE_CHECKING:
    from datetime import datetime

    from memvault.cli.output.terminal import Paper
    from memvault.context.gather import Context
    from memvault.recall.recall import Hit, Recalled
    from memvault.transcripts.search import Spoken

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
    return line(hit.ref, paper.day(when) if when else "", f"{hit.turn.speaker}: {hit.text}")


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
