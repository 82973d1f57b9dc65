"""`memvault ingest`: take conversations in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Argument, DryRun, Option, Several
from memvault.cli.output.report import Bar
from memvault.cli.output.terminal import Paper
from memvault.errors import Misused
from memvault.text.display import one_line, plural, size

if TYPE_CHECKING:
    from memvault.transcripts.ingest import Ingested, Taken


INGEST_EXAMPLES = (
    "memvault ingest --all",
    "memvault ingest ~/.claude/projects/-home-noor-gauges",
    "memvault ingest conversations.json --dry-run",
    "memvault ingest --format chat talk.json",
)

Paths = Annotated[
    Several, Argument(metavar="PATH", help="Files with conversations, or folders of them.", show_default=False)
]
All = Annotated[bool, Option("--all", help="The sessions of every project of Claude Code on this machine.")]
Format = Annotated[
    str,
    Option(
        "--format",
        metavar="FORMAT",
        help="claude-code, codex, chat, chatgpt or claude-ai; told from the file unless given.",
        show_default=False,
    ),
]
NoLearn = Annotated[bool, Option("--no-learn", help="Make no memories of it this time; the conversations are kept.")]

_SHOWN = 20


def ingest(
    desk: Desk,
    path: Paths = None,
    *,
    all_: All = False,
    format_: Format = "",
    no_learn: NoLearn = False,
    dry_run: DryRun = False,
) -> Answer:
    """Take conversations in: whole into the archive, and what is worth it into memories.

    Takes the transcripts of Claude Code, exports of ChatGPT and Claude.ai (also as .zip), and plain chats. What was
    taken in before is not taken in again, and of a transcript that grew only what is new. Secrets are left out.
    """
    if not (path or all_):
        raise Misused(reason="Name files or folders, or give --all.", command="memvault ingest")
    with desk.open() as vault:
        bar = Bar(desk, "Reading")
        try:
            found = vault.ingest(
                path or (), format=format_, everything=all_, learn=not no_learn, dry_run=dry_run, progress=bar
            )
        finally:
            bar.close()
    return Answer(
        result=_told(found),
        text=lambda paper: _text(found, paper),
        talk=_talk(found),
        warnings=(
            *(f"{name}: {why}" for name, why in (*found.failed, *_bad(found))),
            *([found.unsealed] if found.unsealed else []),
        ),
        exit_code=1 if found.failed and not found.taken and not found.unchanged else 0,
    )


def _text(found: Ingested, paper: Paper) -> str:
    shown = [_line(each, paper) for each in found.taken[:_SHOWN]]
    more = len(found.taken) - len(shown)
    return "\n".join([*shown, *([f"… and {plural(more, 'more', 'more')}."] if more > 0 else [])])


def _line(taken: Taken, paper: Paper) -> str:
    facts = [
        plural(taken.turns, "turn", "turns"),
        plural(taken.extracted.topics, "topic", "topics") if taken.extracted.topics else "",
        plural(_kept(taken), "memory", "memories") if _kept(taken) else "",
        taken.path,
    ]
    return "\n".join(
        (paper.styles.title(one_line(taken.title or taken.id or taken.source.name)), paper.facts(facts, "  "))
    )


def _kept(taken: Taken) -> int:
    return sum(one.outcome in ("kept", "quarantined", "added") for one in taken.learnt)


def _talk(found: Ingested) -> tuple[str, ...]:
    gone = plural(found.forgotten, "conversation was", "conversations were")
    lapsed = plural(found.lapsed, "conversation was", "conversations were")
    return (
        _done(found),
        *([f"{gone} forgotten for good, and not taken in."] if found.forgotten else []),
        *([f"{lapsed} kept for as long as you set, and not taken in again."] if found.lapsed else []),
    )


def _done(found: Ingested) -> str:
    turns = sum(each.turns for each in found.taken)
    if not found.taken:
        is_known = found.unchanged or found.failed or found.forgotten or found.lapsed
        nothing = "Nothing new" if is_known else "There is no conversation there"
        return f"{nothing}."
    said = f"{plural(len(found.taken), 'conversation', 'conversations')}, {plural(turns, 'turn', 'turns')}"
    if found.dry_run:
        return f"{said}; nothing was written (dry run). What is in the archive already would be passed over."
    memories = sum(map(_kept, found.taken))
    made = f", {plural(memories, 'memory', 'memories')} made" if memories else ""
    kept = f" Sealed {plural(found.sealed, 'line', 'lines')} with secrets." if found.sealed else ""
    return f"Took in {said}{made}; {size(found.size)} on disk. `memvault dig TOPIC` finds what was said.{kept}"


def _bad(found: Ingested) -> list[tuple[str, str]]:
    """What could not be read, the first of each file by its place."""
    told = []
    for taken in found.taken:
        told += [(taken.source.name, f"passed over {where}: {why}") for where, why in taken.told[:3]]
        if taken.bad > 3:
            told.append((taken.source.name, f"passed over {taken.bad - 3:,} more"))
    return told


def _told(found: Ingested) -> dict[str, object]:
    return {
        "conversations": [
            {
                "id": each.id,
                "title": each.title,
                "path": each.path,
                "source": str(each.source),
                "turns": each.turns,
                "kept": each.kept,
                "repeated": each.repeated,
                "bad": each.bad,
                "passed_over": [{"where": where, "why": why} for where, why in each.told],
                "facts": each.extracted.facts,
                "topics": each.extracted.topics,
                "learnt": each.learnt,
            }
            for each in found.taken
        ],
        "unchanged": found.unchanged,
        "forgotten": found.forgotten,
        "lapsed": found.lapsed,
        "failed": [{"path": name, "why": why} for name, why in found.failed],
        "size": found.size,
        "sealed": found.sealed,
        "dry_run": found.dry_run,
    }
