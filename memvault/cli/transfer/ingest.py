"""`memvault session ingest`: take conversations in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option, Several
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.errors import Misused
from memvault.text.display import clip_line, format_count, format_size, to_one_line

if TYPE_CHECKING:
    from memvault.transcripts.ingest import IngestedConversation, IngestResult


INGEST_EXAMPLES = (
    "memvault session ingest --all",
    "memvault session ingest ~/.claude/projects/-home-noor-gauges",
    "memvault session ingest conversations.json --dry-run",
    "memvault session ingest --format chat talk.json --why",
)

Paths = Annotated[Several, Argument(metavar="PATH", help="Files with conversations, or folders of them.")]
All = Annotated[bool, Option("--all", help="The sessions of every project of Claude Code on this machine.")]
Format = Annotated[
    str,
    Option(
        "--format",
        metavar="FORMAT",
        help="claude-code, codex, chat, chatgpt or claude-ai; told from the file unless given.",
    ),
]
NoLearn = Annotated[bool, Option("--no-learn", help="Make no memories of it this time; the conversations are kept.")]
Why = Annotated[bool, Option("--why", help="What people said that became no memory, sentence by sentence, and why.")]

_SHOWN = 20
_LONGEST_SENTENCE = 100


def ingest(
    cli: CliContext,
    path: Paths = None,
    *,
    all_: All = False,
    format_: Format = "",
    no_learn: NoLearn = False,
    why: Why = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Take conversations in: whole into the archive, and what is worth it into memories.

    Takes the transcripts of Claude Code, exports of ChatGPT and Claude.ai (also as .zip), and plain chats. What was
    taken in before is not taken in again, and of a transcript that grew only what is new. Secrets are left out.
    """
    if not (path or all_):
        raise Misused(reason="Name files or folders, or give --all.", command="memvault session ingest")
    with cli.open_vault() as vault, cli.progress_bar("Reading", in_bytes=True) as bar:
        found = vault.ingest(
            path or (), format=format_, everything=all_, learn=not no_learn, dry_run=dry_run, progress=bar
        )
    return CommandResult(
        result=_build_json(found, why=why),
        text=lambda paper: _format_taken(found, paper, why=why),
        messages=(*_list_messages(found), *([_summarize_passed(found)] if why and not dry_run else [])),
        warnings=(
            *(f"{name}: {why}" for name, why in (*found.failed, *_damaged_warnings(found))),
            *([found.unsealed] if found.unsealed else []),
        ),
        exit_code=1 if found.failed and not found.taken and not found.unchanged else 0,
    )


def _format_taken(found: IngestResult, paper: TerminalFormat, *, why: bool) -> str:
    shown = [
        "\n".join((_format_file(each, paper), *(_format_passed(each) if why else ())))
        for each in found.taken[: None if why else _SHOWN]
    ]
    more = len(found.taken) - len(shown)
    return "\n".join([*shown, *([f"… and {format_count(more, 'more', 'more')}."] if more > 0 else [])])


def _format_file(taken: IngestedConversation, paper: TerminalFormat) -> str:
    facts = [
        format_count(taken.turns, "turn", "turns"),
        format_count(taken.topics, "topic", "topics") if taken.topics else "",
        format_count(_count_memories(taken), "memory", "memories") if _count_memories(taken) else "",
        taken.path,
    ]
    return "\n".join(
        (paper.styles.title(to_one_line(taken.title or taken.id or taken.source.name)), paper.join_facts(facts, "  "))
    )


def _format_passed(taken: IngestedConversation) -> Iterator[str]:
    for text, why in _list_passed(taken):
        yield f"  {why}: {clip_line(to_one_line(text), _LONGEST_SENTENCE)}"


def _list_passed(taken: IngestedConversation) -> Iterator[tuple[str, str]]:
    """Yield what became no memory, and why: passed over by the judge, or refused by a screen or a reviewer."""
    yield from ((one.text, one.why) for one in taken.passed)
    yield from ((one.text, one.why or one.outcome) for one in taken.learnt if one.outcome in ("refused", "rejected"))


def _summarize_passed(found: IngestResult) -> str:
    """Say how many sentences were kept, and how many passed over, with the reasons."""
    kept = sum(map(_count_memories, found.taken))
    reasons = Counter(why for taken in found.taken for _, why in _list_passed(taken))
    told = ", ".join(f"{count:,} {why}" for why, count in reasons.most_common())
    return f"Kept {kept:,}, passed over {reasons.total():,}{f': {told}' if told else ''}."


def _count_memories(taken: IngestedConversation) -> int:
    return sum(one.outcome in ("kept", "quarantined", "added") for one in taken.learnt)


def _list_messages(found: IngestResult) -> tuple[str, ...]:
    gone = format_count(found.forgotten, "conversation was", "conversations were")
    lapsed = format_count(found.lapsed, "conversation was", "conversations were")
    return (
        _format_summary(found),
        *([f"{gone} forgotten for good, and not taken in."] if found.forgotten else []),
        *([f"{lapsed} kept for as long as you set, and not taken in again."] if found.lapsed else []),
    )


def _format_summary(found: IngestResult) -> str:
    turns = sum(each.turns for each in found.taken)
    if not found.taken:
        is_known = found.unchanged or found.failed or found.forgotten or found.lapsed
        nothing = "Nothing new" if is_known else "There is no conversation there"
        return f"{nothing}."
    said = f"{format_count(len(found.taken), 'conversation', 'conversations')}, {format_count(turns, 'turn', 'turns')}"
    if found.dry_run:
        return f"{said}; nothing was written (dry run). What is in the archive already would be passed over."
    memories = sum(map(_count_memories, found.taken))
    made = f", {format_count(memories, 'memory', 'memories')} made" if memories else ""
    obeyed = sum(one.outcome == "obeyed" for each in found.taken for one in each.learnt)
    made += f", {format_count(obeyed, 'spoken command', 'spoken commands')} obeyed" if obeyed else ""
    kept = f" Sealed {format_count(found.sealed, 'line', 'lines')} with secrets." if found.sealed else ""
    return f"Took in {said}{made}; {format_size(found.size)} on disk. `memvault dig TOPIC` finds what was said.{kept}"


def _damaged_warnings(found: IngestResult) -> list[tuple[str, str]]:
    """What could not be read, the first of each file by its place."""
    told = []
    for taken in found.taken:
        told += [(taken.source.name, f"passed over {where}: {why}") for where, why in taken.told[:3]]
        if taken.bad > 3:
            told.append((taken.source.name, f"passed over {taken.bad - 3:,} more"))
    return told


def _build_json(found: IngestResult, *, why: bool) -> dict[str, object]:
    return {
        "conversations": [
            {
                **take_fields(each, "id", "title", "path", "source", "turns", "kept", "repeated", "bad"),
                "passed_over": [{"where": where, "why": why} for where, why in each.told],
                "facts": each.facts,
                "topics": each.topics,
                "learnt": each.learnt,
                **({"not_kept": [{"text": text, "why": why} for text, why in _list_passed(each)]} if why else {}),
            }
            for each in found.taken
        ],
        **take_fields(found, "unchanged", "forgotten", "lapsed"),
        "failed": [{"path": name, "why": why} for name, why in found.failed],
        **take_fields(found, "size", "sealed", "dry_run"),
    }
