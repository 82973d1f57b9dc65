"""`memvault recall`: find memories by what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Argument,
    Keyword,
    Kind,
    Limit,
    Option,
    Person,
    Several,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    build_filters,
    check_similarity,
    list_option,
    number_option,
    split_values,
)
from memvault.cli.output import recall as recalled
from memvault.core.query import Filters
from memvault.core.value import Record
from memvault.errors import Misused

RECALL_EXAMPLES = (
    "memvault recall who reviews the portal",
    "memvault recall '\"exact phrase\" budget' --tag work --since 3m",
    "memvault recall gauge battery --explain",
    "memvault recall gauge battery --brief",
    "memvault recall how do I change a battery --context --budget 2000",
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
    int, number_option("--budget", metavar="TOKENS", help_="At most so many tokens of text; 8000 unless set.")
]
LeastAlike = Annotated[
    float | None,
    Option(
        "--min-similarity",
        metavar="0-1",
        help="Leave weaker matches out.",
        show_default=False,
        callback=check_similarity,
    ),
]
Whole = Annotated[bool, Option("--text", help="Give the whole texts; that counts as using them.")]
Explain = Annotated[bool, Option("--explain", help="Say why each one was found, and why it stands where it does.")]
Brief = Annotated[bool, Option("--brief", help="Only a line each; `timeline` and `show` tell more.")]
Context = Annotated[
    bool, Option("--context", help="Give a model what it should know: quoted, each kind with its share.")
]
Project = Annotated[
    str,
    Option(
        "--project",
        metavar="NAME",
        help="With --context: for this project instead of the one of this folder.",
        show_default=False,
    ),
]
Include = Annotated[Several, list_option("--include", "WHAT", "Look there too: transcripts.")]
Batch = Annotated[
    str,
    Option("--batch", metavar="FILE", help="Answer many queries, in JSON lines; `-` reads stdin.", show_default=False),
]


def recall(
    cli: CliContext,
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
    brief: Brief = False,
    context: Context = False,
    project: Project = "",
    batch: Batch = "",
) -> CommandResult | None:
    """Find memories by what they say.

    The best come first, each with the passage that answers. Words need not stand exactly as you type them: endings
    and accents do not matter. Without words, conditions alone list what meets them.
    """
    conditions = build_filters(
        cli, kind=kind, type_=type_, tag=tag, keyword=keyword, person=person, since=since, tier=tier, status=status
    )
    words = " ".join(query or [])
    if not (words.strip() or batch) and conditions.is_empty:
        reason = "There is nothing to look for: give some words, or a condition such as --tag."
        raise Misused(reason=reason, command="memvault recall")
    asked = _RecallOptions(
        words, limit, budget, conditions, min_similarity, _includes_transcripts(include), text, explain
    )
    if batch:
        from memvault.cli.find.batch import BatchTerms, answer_all  # deferred: a person's recall has no use for it

        _refuse_together("--batch", {"--brief": brief, "--context": context})
        answer_all(cli, batch, BatchTerms(limit, conditions, asked.spoken))
        return None
    if context:
        return _recall_context(cli, asked, project, brief=brief)
    return _recall_brief(cli, asked) if brief else _recall_hits(cli, asked)


class _RecallOptions(Record):
    """What is looked for, and what is to be told of it."""

    words: str
    limit: int
    budget: int
    conditions: Filters
    min_similarity: float | None
    spoken: bool
    text: bool
    explain: bool


def _recall_hits(cli: CliContext, asked: _RecallOptions) -> CommandResult:
    with cli.open_vault() as vault:
        found = vault.recall(
            asked.words,
            limit=asked.limit,
            budget=asked.budget,
            filters=asked.conditions,
            min_similarity=asked.min_similarity,
            whole_texts=asked.text,
            spoken=asked.spoken,
        )
        reasons = recalled.weight_reasons(found, cli.now()) if asked.explain else None
        private = vault.private_hits(asked.words, limit=asked.limit) if asked.conditions.is_empty else ()
    answer = CommandResult(
        result=found,
        text=lambda paper: recalled.format_hits(found, paper, whole=asked.text, reasons=reasons),
        messages=recalled.recall_messages(found, any_=asked.conditions.is_empty, explain=asked.explain),
    )
    return recalled.add_private_hits(answer, found, private) if private else answer


def _recall_brief(cli: CliContext, asked: _RecallOptions) -> CommandResult:
    from memvault.cli.find import batch as disclosed  # deferred, here and below: most recalls give passages

    _refuse_together("--brief", {"--text": asked.text, "--explain": asked.explain})
    with cli.open_vault() as vault:
        found = vault.recall(
            asked.words,
            limit=asked.limit,
            budget=disclosed.MAX_BUDGET,
            filters=asked.conditions,
            min_similarity=asked.min_similarity,
            spoken=asked.spoken,
        )
        usual = vault.settings.integer("recall.budget")
    return disclosed.brief_result(
        found, cli.terminal_format(), budget=asked.budget or usual, any_=asked.conditions.is_empty
    )


def _recall_context(cli: CliContext, asked: _RecallOptions, project: str, *, brief: bool) -> CommandResult:
    from memvault.cli.find import batch as disclosed

    _refuse_together("--context", {"--text": asked.text, "--include": asked.spoken, "--brief": brief})
    with cli.open_vault() as vault:
        found = vault.context(
            asked.words,
            budget=asked.budget,
            project=project,
            here=not project,
            limit=asked.limit,
            min_similarity=asked.min_similarity,
            filters=asked.conditions,
        )
    return disclosed.context_result(found, cli.now(), explain=asked.explain)


def _refuse_together(name: str, others: Mapping[str, object]) -> None:
    for other, given in others.items():
        if given:
            raise Misused(reason=f"{name} and {other} exclude each other.", command="memvault recall")


def _includes_transcripts(include: Several) -> bool:
    for word in split_values(include):
        if word != "transcripts":
            raise Misused(reason=f"--include knows transcripts, and not {word}.", command="memvault recall")
    return bool(include)
