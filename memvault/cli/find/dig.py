"""`memvault dig`: go deep into what was said and what faded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Limit, Option, Since, number_option
from memvault.cli.output import memory as layers
from memvault.cli.output import transcript
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.core.ids import short_id
from memvault.core.value import take_fields
from memvault.text.dates.dates import parse_since
from memvault.text.display import format_count
from memvault.text.terms import query_terms

if TYPE_CHECKING:
    from memvault.storage.transcript_index.rows import IndexedConversation
    from memvault.transcripts.dig import DigResult


DIG_EXAMPLES = (
    "memvault dig why we left the old host",
    "memvault dig gauge battery --map",
    "memvault dig gauge battery --restore",
)

Topic = Annotated[list[str], Argument(metavar="TOPIC", help="What is dug for, in plain words.")]
Budget = Annotated[int, number_option("--budget", metavar="TOKENS", help_="At most so many tokens; 8000 unless set.")]
Map = Annotated[bool, Option("--map", help="Only list what there is; open what you want afterwards.")]
Restore = Annotated[bool, Option("--restore", help="Bring the archived memories back that were found.")]


def dig(
    cli: CliContext,
    topic: Topic,
    *,
    limit: Limit = 0,
    budget: Budget = 0,
    map_: Map = False,
    restore: Restore = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Go deep into a topic: memories that faded and long files too, and the conversations in which it came up.

    First a map of what there is, then whole conversations, in order, with speakers and days, as far as the budget
    goes. For an agent that is a wall of text: have a subagent read it, and report what matters.
    """
    with cli.open_vault() as vault:
        found = vault.dig(" ".join(topic), limit=limit, budget=budget, map_only=map_, restore=restore, dry_run=dry_run)
    return _dig_result(found, mapped=True, dry_run=dry_run)


def _dig_result(found: DigResult, *, mapped: bool = False, dry_run: bool = False) -> CommandResult:
    return CommandResult(
        result=_build_json(found),
        text=lambda paper: format_dig(found, paper),
        messages=_list_messages(found, mapped=mapped, dry_run=dry_run),
        warnings=tuple(f"{path}: {why}" for path, why in found.unrestored),
    )


def format_dig(found: DigResult, paper: TerminalFormat) -> str:
    """The memories, the map and the conversations."""
    terms = frozenset(query_terms(found.topic))
    parts = []
    if found.memories:
        parts.append(paper.styles.title("Memories"))
        parts += [_format_memory(number, found, terms, paper) for number in range(len(found.memories))]
    if found.topics:
        parts.append(
            "\n".join(
                [paper.styles.title("Conversations"), *(transcript.format_topic(each, paper) for each in found.topics)]
            )
        )
    parts += [
        transcript.format_conversation(each.title, each.id, each.lines, terms, paper) for each in found.conversations
    ]
    return "\n\n".join(parts)


_OPEN = "`memvault session show TURN`"


# `memvault session show`: one conversation, in order.

SESSION_SHOW_EXAMPLES = ("memvault session show 5f0c1234:12", "memvault session show 5f0c1234:12 --around")

Turn = Annotated[str, Argument(metavar="TURN", help="A turn, or a conversation: its REF in `session list` and `dig`.")]
Around = Annotated[bool, Option("--around", help="Only a few turns before and after that one.")]


def session_show(cli: CliContext, turn: Turn, *, around: Around = False, budget: Budget = 0) -> CommandResult:
    """Read the whole conversation around a turn, with speakers and days, as far as the budget goes."""
    with cli.open_vault() as vault:
        found = vault.around(turn, budget=budget) if around else vault.open_conversation(turn, budget=budget)
    return _dig_result(found)


# `memvault session list`: the conversations that were taken in.

SESSION_LIST_EXAMPLES = ("memvault session list", "memvault session list --limit 50 --since 7d")
_USUAL = 20


def session_list(cli: CliContext, *, since: Since = None, limit: Limit = 0) -> CommandResult:
    """List the conversations of the archive, the latest first; `memvault session show REF` reads one."""
    from memvault.transcripts.dig import list_conversations  # deferred: `dig --help` needs no conversations

    earliest = None if since is None else parse_since(since, cli.now(), cli.zone)
    with cli.open_vault() as vault:
        found = vault.run(list_conversations)
    if earliest is not None:
        found = [one for one in found if one.last is not None and one.last >= earliest]
    shown = found[: limit or _USUAL]
    left = len(found) - len(shown)
    none = (
        "No conversation."
        if since
        else "No conversation is in this vault yet: `memvault session ingest` takes some in."
    )
    return CommandResult(
        result={"conversations": [_conversation_json(one) for one in shown], "total": len(found)},
        text=lambda paper: _format_sessions(shown, paper) if shown else "",
        messages=(
            f"{left:,} earlier ones: {cli.repeat_command('--limit', str(len(found)))}"
            if left
            else ""
            if shown
            else none,
        ),
    )


def _conversation_json(one: IndexedConversation) -> dict[str, object]:
    return {
        "ref": one.short,
        **take_fields(one.talk, "id", "source", "title", "project"),
        **take_fields(one, "path", "turns", "first", "last"),
    }


def _format_sessions(found: Sequence[IndexedConversation], paper: TerminalFormat) -> str:
    rows = [
        [
            one.short,
            paper.format_minute(one.last) if one.last else "",
            f"{one.turns:,}",
            one.talk.source,
            one.talk.title or one.talk.id,
        ]
        for one in found
    ]
    return format_table("REF | LAST | >TURNS | FROM? | TITLE~", rows, paper)


def _format_memory(number: int, found: DigResult, terms: frozenset[str], paper: TerminalFormat) -> str:
    hit = found.memories[number]
    return layers.format_hit(
        number + 1, hit.memory, hit.text, terms, paper, weight=hit.weight, weak=hit.weak, whole=False
    )


def _list_messages(found: DigResult, *, mapped: bool, dry_run: bool) -> tuple[str, ...]:
    would = "would be" if dry_run else "is"
    said = [found.bounded] if found.bounded else []
    said += [f"“{memory.title}” ({short_id(memory.id)}) {would} back in {memory.path}." for memory in found.restored]
    if mapped and not (found.memories or found.topics or found.left_out):
        among = format_count(found.searched, "turn", "turns")
        said.append(f"Nothing in the memories, nor in {among} of conversations, speaks of “{found.topic}”.")
        if not found.searched:
            said.append("No conversation is in this vault yet: `memvault session ingest` takes some in.")
    if found.left_out:
        more = format_count(found.left_out, "more", "more")
        said.append(f"{more} did not fit into {found.budget:,} tokens; --budget allows more, {_OPEN} reads one.")
    clipped = [each.ref for each in found.conversations if each.clipped]
    if clipped:
        said.append(f"The budget cut what surrounds {', '.join(clipped)}; {_OPEN} reads it whole.")
    return tuple(said)


def _build_json(found: DigResult) -> dict[str, object]:
    return {
        "topic": found.topic,
        "memories": [hit.to_json("memory", "text", "similarity") for hit in found.memories],
        "topics": found.topics,
        "conversations": found.conversations,
        "restored": [take_fields(memory, "id", "path", "title") for memory in found.restored],
        "unrestored": [{"path": path, "why": why} for path, why in found.unrestored],
        **take_fields(found, "tokens", "budget", "left_out", "searched"),
        "advice": "This may be long: have a subagent read it, and report what matters.",
    }
