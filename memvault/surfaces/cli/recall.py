"""`memvault recall`: find memories by what they say."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from memvault.errors import Misused
from memvault.surfaces.cli import recalled
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Argument, Option
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import (
    Keyword,
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
    listed,
    number_of,
    split,
)

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
Include = Annotated[Several, listed("--include", "WHAT", "Look there too: transcripts.")]
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
    keyword: Keyword = None,
    person: Person = None,
    since: Since = None,
    tier: Tier = None,
    status: Status = None,
    min_similarity: LeastAlike = None,
    text: Whole = False,
    explain: Explain = False,
    include: Include = None,
    batch: Batch = "",
) -> Answer | None:
    """Find memories by what they say.

    The best come first, each with the passage that answers. Words need not stand exactly as you type them: endings
    and accents do not matter. Without words, conditions alone list what meets them.
    """
    conditions = filters(
        desk, kind=kind, type_=type_, tag=tag, keyword=keyword, person=person, since=since, tier=tier, status=status
    )
    words, spoken = " ".join(query or []), _wants_talk(include)
    if not (words.strip() or batch) and conditions.empty:
        reason = "There is nothing to look for: give some words, or a condition such as --tag."
        raise Misused(reason=reason, command="memvault recall")
    if batch:
        from memvault.surfaces.cli.batch import Terms, answer_all  # deferred: a person's recall has no use for it

        answer_all(desk, batch, Terms(limit, conditions, spoken))
        return None
    with desk.open() as vault:
        ask = partial(vault.recall, words, limit=limit, budget=budget, min_similarity=min_similarity)
        found = ask(filters=conditions, whole_texts=text, spoken=spoken)
        reasons = recalled.reasons(found, desk.now()) if explain else []
    return Answer(
        result=found,
        text=lambda paper: recalled.text(found, paper, whole=text, reasons=reasons),
        talk=recalled.remarks(found, any_=conditions.empty, explain=explain),
    )


def _wants_talk(include: Several) -> bool:
    for word in split(include):
        if word != "transcripts":
            raise Misused(reason=f"--include knows transcripts, and not {word}.", command="memvault recall")
    return bool(include)
