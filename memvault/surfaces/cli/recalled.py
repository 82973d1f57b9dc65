"""What a recall prints: hits for a person, and what is said besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.core.terms import query_terms
from memvault.render import layers, talk
from memvault.render.figures import plural
from memvault.render.paper import Paper

if TYPE_CHECKING:
    from datetime import datetime

    from memvault.verbs.recall import Hit, Recalled


def text(found: Recalled, paper: Paper, *, whole: bool, reasons: list[str]) -> str:
    """The hits in their order, memories and turns of conversations."""
    from memvault.verbs.recall import Hit  # deferred: by now the recall itself has loaded it

    terms = frozenset(query_terms(found.query))
    parts = []
    ranked = getattr(found, "ranked", found.hits)
    for number, hit in enumerate(ranked):
        if not isinstance(hit, Hit):
            parts.append(talk.spoken(number + 1, hit, terms, paper))
            continue
        lines = [_hit(number + 1, hit, terms, paper, whole=whole)]
        if reasons:
            lines.append(_why(found.query, hit, reasons[found.hits.index(hit)], paper))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _hit(rank: int, hit: Hit, terms: frozenset[str], paper: Paper, *, whole: bool) -> str:
    return layers.hit(
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
    from memvault.render.why import Seen, why  # deferred: only where it is asked for

    read = "\n".join((hit.memory.title, hit.text))
    seen = Seen(told=hit.told, text=read, similarity=hit.similarity, weak=hit.weak, dated=hit.dated)
    return why(query, seen, paper, weight_reason=reason)


def reasons(found: Recalled, now: datetime) -> list[str]:
    """What the weight of each memory that was found rests on."""
    from memvault.render.why import weight_reason

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
    from memvault.verbs.recall import Sifted  # deferred: by now the recall itself has loaded it

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
