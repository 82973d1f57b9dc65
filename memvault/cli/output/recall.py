"""What a recall prints: hits for a person, and what is said besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.output import memory
from memvault.cli.output.terminal import Paper
from memvault.core.value import replace
from memvault.text.display import plural
from memvault.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memvault.cli.context import Answer
    from memvault.recall.recall import Hit, Recalled
    from memvault.transcripts.search import Spoken


def text(found: Recalled, paper: Paper, *, whole: bool, reasons: list[str] | None = None) -> str:
    """The hits in their order, memories and turns of conversations; with reasons, why each stands there."""
    from memvault.recall.recall import Hit  # deferred: by now the recall itself has loaded it

    terms = frozenset(query_terms(found.query))
    parts = []
    ranked = getattr(found, "ranked", found.hits)
    for number, hit in enumerate(ranked):
        if not isinstance(hit, Hit):
            from memvault.cli.output import transcript  # deferred: most recalls ask for memories alone

            said = [transcript.spoken(number + 1, hit, terms, paper)]
            if reasons is not None:
                said.append(_why_spoken(hit, paper))
            parts.append("\n".join(said))
            continue
        lines = [_hit(number + 1, hit, terms, paper, whole=whole)]
        if reasons is not None:
            lines.append(_why(found.query, hit, reasons[found.hits.index(hit)], paper))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def with_private(answer: Answer, found: Recalled, private: Sequence[Hit]) -> Answer:
    """The answer with the private memories that lie open and are relevant, after all others and marked as private."""
    from memvault.cli.private.notes import hits_as_text, told_hit
    from memvault.core import json as jsonable  # deferred, here and below: seldom does anything lie open

    ranked = getattr(found, "ranked", found.hits)

    def text(paper: Paper) -> str:
        own = hits_as_text(private, found.query, paper, after=len(ranked))
        return "\n\n".join(filter(None, (answer.text(paper), own)))

    told = jsonable.plain(found)
    assert isinstance(told, dict)
    result = {**told, "private": [told_hit(hit) for hit in private]}
    return replace(answer, result=result, text=text, talk=answer.talk if ranked else ())


def _hit(rank: int, hit: Hit, terms: frozenset[str], paper: Paper, *, whole: bool) -> str:
    return memory.hit(
        rank,
        hit.memory,
        hit.text,
        terms,
        paper,
        weight=hit.weight,
        weak=hit.weak,
        whole=whole,
        contradicts=hit.contradicts,
        alike=hit.alike,
        via=hit.via,
    )


def _why(query: str, hit: Hit, reason: str, paper: Paper) -> str:
    from memvault.cli.output.why import Seen, why  # deferred: only where it is asked for

    read = "\n".join((hit.memory.title, hit.text))
    seen = Seen(
        told=hit.told,
        text=read,
        similarity=hit.similarity,
        weak=hit.weak,
        dated=hit.dated,
        meaning=hit.meaning,
        ties=hit.ties,
        own=hit.own,
    )
    return why(query, seen, paper, weight_reason=reason)


def _why_spoken(hit: Spoken, paper: Paper) -> str:
    from memvault.cli.output.why import why_spoken  # deferred: only where it is asked for

    return why_spoken(hit.reasons, hit.similarity, paper) if hit.reasons else ""


def reasons(found: Recalled, now: datetime) -> list[str]:
    """What the weight of each memory that was found rests on."""
    from memvault.cli.output.why import weight_reason

    return [weight_reason(hit.memory, hit.weight, hit.use, now) for hit in found.hits]


def remarks(found: Recalled, *, any_: bool, explain: bool) -> tuple[str, ...]:
    """What is said besides: that nothing was found, or what stayed out."""
    some = bool(getattr(found, "ranked", found.hits))
    return (_remark(found, any_=any_), _sifting(found) if explain and some else "")


def _remark(found: Recalled, *, any_: bool) -> str:
    if not found.searched and not getattr(found, "ranked", ()):
        return "There are no memories in this vault yet."
    ranked = getattr(found, "ranked", found.hits)
    if not ranked and (taken_out := _sifting(found)):
        return taken_out
    if not ranked and found.left_out:
        return f"What was found does not fit into {found.budget:,} tokens; --budget allows more."
    if not ranked:
        among = f"Nothing among {plural(found.searched, 'memory', 'memories')}" if any_ else "Nothing"
        meets = "" if any_ else " that meets these conditions" if found.query.strip() else " meets these conditions"
        return f"{among}{meets} says anything about “{found.query}”." if found.query.strip() else f"{among}{meets}."
    if found.left_out:
        return (
            f"{plural(found.left_out, 'more', 'more')} did not fit into {found.budget:,} tokens; --budget allows more."
        )
    return ""


def _sifting(found: Recalled) -> str:
    """What a language model did about the hits; nothing where it was not to do anything."""
    from memvault.recall.recall import Sifted  # deferred: by now the recall itself has loaded it

    if not isinstance(found, Sifted):
        return ""
    ranked = getattr(found, "ranked", found.hits)
    if found.unsifted:
        trouble = f"The language model did not look through the matches ({found.unsifted})"
        return f"{trouble}, so they stand as they were found." if ranked else ""
    if not found.irrelevant:
        return "The language model took nothing out." if ranked else ""
    matches = plural(len(found.irrelevant), "match", "matches")
    return f"The language model took out {matches} as irrelevant; `memvault config --user recall.filter off` shows all."
