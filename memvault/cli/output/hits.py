"""What a recall prints: hits for a person, and what is said besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memvault.cli.context import CommandResult
from memvault.cli.output import memory
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import replace
from memvault.core.weight import Decay
from memvault.text.display import format_count
from memvault.text.terms import query_terms

if TYPE_CHECKING:
    from memvault.recall.recall import RecallHit, RecallResult


def format_hits(found: RecallResult, paper: TerminalFormat, *, whole: bool, reasons: list[str] | None = None) -> str:
    """The hits in their order, memories and turns of conversations; with reasons, why each stands there."""
    from memvault.recall.recall import RecallHit  # deferred: by now the recall itself has loaded it

    terms = frozenset(query_terms(found.query))
    parts = []
    ranked = getattr(found, "ranked", found.hits)
    for number, hit in enumerate(ranked):
        if not isinstance(hit, RecallHit):
            from memvault.cli.output import transcript  # deferred: most recalls ask for memories alone

            said = [transcript.format_turn_hit(number + 1, hit, terms, paper)]
            if reasons is not None:
                from memvault.recall.explain import explain_turn  # deferred: only where it is asked for

                said += _wrap_reasons(explain_turn(hit.reasons, hit.similarity) if hit.reasons else (), paper)
            parts.append("\n".join(said))
            continue
        lines = [_format_hit(number + 1, hit, terms, paper, whole=whole)]
        if reasons is not None:
            from memvault.recall.explain import HitEvidence, explain_hit  # deferred: only where it is asked for

            reason = reasons[found.hits.index(hit)]
            lines += _wrap_reasons(explain_hit(found.query, HitEvidence.of(hit), weight_reason=reason), paper)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _wrap_reasons(reasons: Sequence[str], paper: TerminalFormat) -> list[str]:
    return [paper.wrap_block(reason, "    ") for reason in reasons]


def add_private_hits(answer: CommandResult, found: RecallResult, private: Sequence[RecallHit]) -> CommandResult:
    """The answer with the private memories that lie open and are relevant, after all others and marked as private."""
    from memvault.cli.private.notes import format_hits, hit_as_json
    from memvault.transfer import json_values as jsonable  # deferred, here and below: seldom does anything lie open

    ranked = getattr(found, "ranked", found.hits)

    def format_all(paper: TerminalFormat) -> str:
        own = format_hits(private, found.query, paper, after=len(ranked))
        return "\n\n".join(filter(None, (answer.text(paper), own)))

    told = jsonable.to_json(found)
    assert isinstance(told, dict)
    result = {**told, "private": [hit_as_json(hit) for hit in private]}
    return replace(answer, result=result, text=format_all, messages=answer.messages if ranked else ())


def _format_hit(rank: int, hit: RecallHit, terms: frozenset[str], paper: TerminalFormat, *, whole: bool) -> str:
    return memory.format_hit(
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


def weight_reasons(found: RecallResult, now: datetime, decay: Decay) -> list[str]:
    """What the weight of each memory that was found rests on."""
    from memvault.recall.explain import explain_weight

    return [explain_weight(hit.memory, hit.weight, hit.use, now, decay) for hit in found.hits]


def recall_messages(found: RecallResult, *, any_: bool, explain: bool, again: Callable[[], str]) -> tuple[str, ...]:
    """What is said besides: that nothing was found, or what stayed out."""
    some = bool(getattr(found, "ranked", found.hits))
    return (
        found.bounded or "",
        _no_matches_message(found, any_=any_, again=again),
        _filter_message(found) if explain and some else "",
    )


def _no_matches_message(found: RecallResult, *, any_: bool, again: Callable[[], str]) -> str:
    if not found.searched and not getattr(found, "ranked", ()):
        return "There are no memories in this vault yet."
    ranked = getattr(found, "ranked", found.hits)
    if not ranked and (taken_out := _filter_message(found)):
        return taken_out
    if not ranked and found.left_out:
        return f"The matches do not fit into {found.budget:,} tokens: {again()}"
    if not ranked:
        about = f' for "{found.query}"' if found.query.strip() else ""
        searched = f"{format_count(found.searched, 'memory', 'memories')} searched" if any_ else "with these conditions"
        return f"No matches{about} ({searched})."
    if found.left_out:
        more = format_count(found.left_out, "more", "more")
        return f"{more} did not fit into {found.budget:,} tokens: {again()}"
    return ""


def _filter_message(found: RecallResult) -> str:
    """What a language model did about the hits; nothing where it was not to do anything."""
    if found.irrelevant is None:
        return ""
    ranked = getattr(found, "ranked", found.hits)
    if found.unsifted:
        trouble = f"The language model did not look through the matches ({found.unsifted})"
        return f"{trouble}, so they stand as they were found." if ranked else ""
    if not found.irrelevant:
        return "The language model took nothing out." if ranked else ""
    matches = format_count(len(found.irrelevant), "match", "matches")
    return f"The language model took out {matches} as irrelevant; `memvault config --user recall.filter off` shows all."
