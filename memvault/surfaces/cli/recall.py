"""`memvault recall`: find memories by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.core.terms import query_terms
from memvault.errors import Misused
from memvault.render import layers
from memvault.render.figures import plural
from memvault.render.paper import Paper
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Argument, Option
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import (
    Kind,
    Limit,
    Person,
    Several,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    filters,
    from_0_to_1,
    number_of,
)

if TYPE_CHECKING:
    from datetime import datetime

    from memvault.verbs.recall import Hit, Recalled

EXAMPLES = (
    "memvault recall who reviews the portal",
    "memvault recall '\"exact phrase\" budget' --tag work --since 3m",
    "memvault recall gauge battery --explain",
    "memvault recall --batch questions.jsonl > answers.jsonl",
)

Query = Annotated[
    Several,
    Argument(
        metavar="QUERY",
        help='What is looked for, in plain words; "a phrase" in quotes as it stands.',
        show_default=False,
    ),
]
Budget = Annotated[
    int, number_of("--budget", metavar="TOKENS", help_="At most so many tokens of text; 8000 unless set.")
]
LeastAlike = Annotated[
    float | None,
    Option(
        "--min-similarity",
        metavar="0-1",
        help="Leave weaker matches out.",
        show_default=False,
        callback=from_0_to_1,
    ),
]
Whole = Annotated[bool, Option("--text", help="Give the whole texts; that counts as using them.")]
Explain = Annotated[bool, Option("--explain", help="Say why each one was found, and why it stands where it does.")]
Batch = Annotated[
    str,
    Option("--batch", metavar="FILE", help="Answer many queries, in JSON lines; `-` reads stdin.", show_default=False),
]


def recall(
    desk: Desk,
    query: Query = None,
    *,
    limit: Limit = 0,
    budget: Budget = 0,
    kind: Kind = None,
    type_: Type = None,
    tag: Tag = None,
    person: Person = None,
    since: Since = None,
    tier: Tier = None,
    status: Status = None,
    min_similarity: LeastAlike = None,
    text: Whole = False,
    explain: Explain = False,
    batch: Batch = "",
) -> Answer | None:
    """Find memories by what they say.

    The best come first, each with the passage that answers. Words need not stand exactly as you type them: endings
    and accents do not matter. Without words, conditions alone list what meets them.
    """
    conditions = filters(desk, kind=kind, type_=type_, tag=tag, person=person, since=since, tier=tier, status=status)
    words = " ".join(query or [])
    if not (words.strip() or batch) and conditions.empty:
        reason = "There is nothing to look for: give some words, or a condition such as --tag."
        raise Misused(reason=reason, command="memvault recall")
    if batch:
        from memvault.surfaces.cli.batch import answer_all  # deferred: a person's recall has no use for it

        answer_all(desk, batch, limit=limit, conditions=conditions)
        return None
    with desk.open() as vault:
        found = vault.recall(
            words,
            limit=limit,
            budget=budget,
            min_similarity=min_similarity,
            filters=conditions,
            whole_texts=text,
        )
        reasons = _reasons(found, desk.now()) if explain else []
    return Answer(
        result=found,
        text=lambda paper: _text(found, paper, whole=text, reasons=reasons),
        talk=(_remark(found, any_=conditions.empty), _sifting(found) if explain and found.hits else ""),
    )


def _text(found: Recalled, paper: Paper, *, whole: bool, reasons: list[str]) -> str:
    terms = frozenset(query_terms(found.query))
    parts = []
    for number, hit in enumerate(found.hits):
        lines = [_hit(number + 1, hit, terms, paper, whole=whole)]
        if reasons:
            lines.append(_why(found.query, hit, reasons[number], paper))
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
        via=hit.via,
    )


def _why(query: str, hit: Hit, reason: str, paper: Paper) -> str:
    from memvault.render.why import why  # deferred: only where it is asked for

    return why(query, hit.found, paper, similarity=hit.similarity, weak=hit.weak, weight_reason=reason)


def _reasons(found: Recalled, now: datetime) -> list[str]:
    from memvault.render.why import weight_reason

    return [weight_reason(hit.memory, hit.weight, hit.use, now) for hit in found.hits]


def _remark(found: Recalled, *, any_: bool) -> str:
    if not found.searched:
        return "There are no memories in this vault yet."
    if not found.hits and (taken_out := _sifting(found)):
        return taken_out
    if not found.hits:
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
    if found.unsifted:
        trouble = f"The language model did not look through the matches ({found.unsifted})"
        return f"{trouble}, so they stand as they were found." if found.hits else ""
    if not found.irrelevant:
        return "The language model took nothing out." if found.hits else ""
    matches = plural(len(found.irrelevant), "match", "matches")
    return f"The language model took out {matches} as irrelevant; `memvault config --user recall.filter off` shows all."
