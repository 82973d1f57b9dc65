"""`memvault recall`: find memories by what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Argument,
    Keyword,
    Kind,
    Limit,
    Option,
    Person,
    Scope,
    Several,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    build_filters,
    check_similarity,
    number_option,
    split_values,
)
from memvault.cli.output import hits as recalled
from memvault.core.value import replace
from memvault.errors import Misused
from memvault.recall.recall import RecallQuery, RecallResult, count_more
from memvault.recall.recall import recall as recall_memories
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.api import Memvault

RECALL_EXAMPLES = (
    "memvault recall who reviews the portal",
    "memvault recall '\"exact phrase\" budget' --tag work --since 3m",
    "memvault recall gauge battery --explain",
    "memvault recall gauge battery --brief",
    "memvault recall how do I change a battery --context --budget 2000",
    "memvault recall --batch questions.jsonl > answers.jsonl",
)

Query = Annotated[
    Several, Argument(metavar="QUERY", help='What is looked for, in plain words; "a phrase" in quotes as it stands.')
]
Budget = Annotated[
    int, number_option("--budget", metavar="TOKENS", help_="At most so many tokens of text; 8000 unless set.")
]
LeastAlike = Annotated[
    float | None, Option("--min-similarity", metavar="0-1", help="Leave weaker matches out.", callback=check_similarity)
]
Whole = Annotated[bool, Option("--text", help="Give the whole texts; that counts as using them.")]
Explain = Annotated[bool, Option("--explain", help="Say why each one was found, and why it stands where it does.")]
Brief = Annotated[bool, Option("--brief", help="Only a line each; `timeline` and `show` tell more.")]
Context = Annotated[
    bool, Option("--context", help="Give a model what it should know: quoted, each kind with its share.")
]
Project = Annotated[
    str, Option("--project", metavar="NAME", help="With --context: for this project instead of the one of this folder.")
]
Include = Annotated[Several, Option("--include", metavar="WHAT", help="Look there too: transcripts.")]
Batch = Annotated[str, Option("--batch", metavar="FILE", help="Answer many queries, in JSON lines; `-` reads stdin.")]


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
    scope: Scope = None,
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
    # fmt: off
    conditions = build_filters(
        cli, kind=kind, type_=type_, tag=tag, keyword=keyword, person=person, scope=scope, since=since, tier=tier,
        status=status,
    )
    # fmt: on
    words = " ".join(query or [])
    if not (words.strip() or batch) and conditions.is_empty:
        reason = "Give some words to search for, or a condition such as --tag."
        raise Misused(reason=reason, command="memvault recall")
    wanted = RecallQuery(
        query=words, filters=conditions, limit=limit, budget=budget, min_similarity=min_similarity, whole_texts=text
    )
    with_turns = _includes_transcripts(include)
    if batch:
        from memvault.cli.find.batch import BatchTerms, answer_all  # deferred: a person's recall has no use for it

        _refuse_together("--batch", {"--brief": brief, "--context": context})
        answer_all(cli, batch, BatchTerms(limit, conditions, with_turns))
        return None
    if context:
        _refuse_together("--context", {"--text": text, "--include": with_turns, "--brief": brief})
        return _recall_context(cli, wanted, project, explain=explain)
    if brief:
        _refuse_together("--brief", {"--text": text, "--explain": explain})
        return _recall_brief(cli, wanted, with_turns=with_turns)
    return _recall_hits(cli, wanted, with_turns=with_turns, explain=explain)


def run_recall(
    vault: Memvault, wanted: RecallQuery, *, with_turns: bool, is_fresh: bool = False, asks_model: bool = True
) -> RecallResult:
    """Recall memories, and with them turns of conversations where they are asked for."""
    if not with_turns:
        return vault.run(recall_memories, wanted, is_fresh=is_fresh, asks_model=asks_model)
    from memvault.transcripts.search import recall_with_turns  # deferred: most recalls ask for memories

    return vault.run(recall_with_turns, wanted, is_fresh=is_fresh, asks_model=asks_model)


def _recall_hits(cli: CliContext, wanted: RecallQuery, *, with_turns: bool, explain: bool) -> CommandResult:
    with cli.open_vault() as vault:
        found = run_recall(vault, wanted, with_turns=with_turns)
        reasons = recalled.weight_reasons(found, cli.now(), vault.settings.decay) if explain else None
        private = vault.private_hits(wanted.query, limit=wanted.limit) if wanted.filters.is_empty else ()
        hint = "" if with_turns else _hint_at_more(cli, vault, wanted, found)
    result = CommandResult(
        result=found,
        text=lambda paper: recalled.format_hits(found, paper, whole=wanted.whole_texts, reasons=reasons),
        messages=(
            *recalled.recall_messages(
                found, any_=wanted.filters.is_empty, explain=explain, again=lambda: cli.more_budget(found.budget)
            ),
            hint,
        ),
    )
    return recalled.add_private_hits(result, found, private) if private else result


def _hint_at_more(cli: CliContext, vault: Memvault, wanted: RecallQuery, found: RecallResult) -> str:
    """How many more memories match, or that conversations hold what no memory does."""
    if more := vault.run(count_more, wanted, found):
        again = cli.repeat_command("--limit", str(len(found.hits) + more))
        return f"{format_count(more, 'more', 'more')} matched: {again}"
    if not wanted.filters.is_empty or not all(hit.weak or hit.via for hit in found.hits):
        return ""
    from memvault.transcripts.search import count_sure_turns  # deferred: mostly a memory matches

    turns = vault.run(count_sure_turns, wanted.query)
    said = format_count(turns, "turn of a conversation matches", "turns of conversations match")
    return f"{said}; --include transcripts gives them." if turns else ""


def _recall_brief(cli: CliContext, wanted: RecallQuery, *, with_turns: bool) -> CommandResult:
    from memvault.cli.find.batch import MAX_BUDGET, brief_result  # deferred, here and below: most recalls give passages

    with cli.open_vault() as vault:
        found = run_recall(vault, replace(wanted, budget=MAX_BUDGET), with_turns=with_turns)
        budget = wanted.budget or vault.settings.integer("recall.budget")
    return brief_result(cli, found, budget=budget, any_=wanted.filters.is_empty)


def _recall_context(cli: CliContext, wanted: RecallQuery, project: str, *, explain: bool) -> CommandResult:
    from memvault.cli.find.batch import context_result

    with cli.open_vault() as vault:
        found = vault.context(
            wanted.query,
            budget=wanted.budget,
            project=project,
            here=not project,
            limit=wanted.limit,
            min_similarity=wanted.min_similarity,
            filters=wanted.filters,
        )
    return context_result(cli, found, explain=explain)


def _refuse_together(name: str, others: Mapping[str, object]) -> None:
    for other, given in others.items():
        if given:
            raise Misused(reason=f"{name} and {other} exclude each other.", command="memvault recall")


def _includes_transcripts(include: Several) -> bool:
    for word in split_values(include):
        if word != "transcripts":
            raise Misused(reason=f"--include knows transcripts, and not {word}.", command="memvault recall")
    return bool(include)
