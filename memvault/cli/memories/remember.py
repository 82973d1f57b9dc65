"""`memvault remember`: make a memory."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack

from memvault.cli.context import CliContext, CommandResult, decode_text
from memvault.cli.options import (
    AllowSecret,
    Argument,
    DryRun,
    Option,
    Redact,
    Several,
    choice_option,
    secret_policy,
    split_values,
)
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import (
    keep_on_failure,
    redaction_messages,
    redaction_warnings,
    redactions_json,
    undo_message,
    write_in_editor,
)
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.fields import TYPES
from memvault.core.ids import short_id
from memvault.core.kinds import KINDS, implied_kind
from memvault.core.memory import SOURCES, Memory
from memvault.core.value import take_fields
from memvault.errors import BadInput, Forgotten, Misused
from memvault.memories.draft import MemoryDraft, MemoryFields
from memvault.memories.open_items import due_remarks, parse_due_fields
from memvault.memories.remember import RememberResult
from memvault.memories.remember import remember as create_memory
from memvault.system import files
from memvault.text.display import format_count
from memvault.transfer import json_values as jsonable

if TYPE_CHECKING:
    from memvault.api import Memvault


# How a text gets into the vault from the command line: what a person is asked, and what they are told of it.

NEW = ("kept", "quarantined")


class GuessedFields(TypedDict, total=False):
    """What was not told, and so was guessed."""

    title: str
    kind: str
    tags: tuple[str, ...]


def remember_or_ask(
    cli: CliContext, vault: Memvault, text: str, given: MemoryFields, *, update: str, dry_run: bool
) -> RememberResult:
    """Remember a text. A person who is there is asked where it is not plain what they want; a script never is."""
    asks = cli.has_person and cli.has_stderr_terminal and not cli.as_json and not dry_run
    if asks and not (given.get("near") or update):
        given = _change_fields(given, near="hold")
    try:
        made = _remember_in(vault, MemoryDraft(text=text, **given), update=update, dry_run=dry_run)
    except Forgotten:
        if given.get("again") or not (
            asks and cli.confirm("The same was forgotten or refused before. Remember it again?")
        ):
            raise
        return remember_or_ask(cli, vault, text, _change_fields(given, again=True), update=update, dry_run=dry_run)
    if made.outcome != "held" or made.like is None:
        return made
    draft = MemoryDraft(text=text, **_change_fields(given, near="ignore"))
    return _remember_in(vault, draft, update=_choose_update(cli, made.like), dry_run=dry_run)


def _remember_in(vault: Memvault, draft: MemoryDraft, *, update: str, dry_run: bool) -> RememberResult:
    if not update:
        return vault.run(create_memory, draft, dry_run=dry_run)
    from memvault.memories.edit import add_to_memory  # deferred: most memories are new ones

    return vault.run(add_to_memory, update, draft, dry_run=dry_run)


def _change_fields(given: MemoryFields, **more: Unpack[MemoryFields]) -> MemoryFields:
    changed = given.copy()
    changed.update(more)
    return changed


def _choose_update(cli: CliContext, like: Memory) -> str:
    """The path of the memory that a text is to be added to; empty where it is to be one of its own."""
    name = f"“{like.title}” ({short_id(like.id)})"
    return (
        like.path
        if cli.confirm(f"{name} says almost the same. Add yours to it instead of making a new memory?")
        else ""
    )


def remember_result(
    made: RememberResult, guessed: GuessedFields, *, dry_run: bool, more: tuple[str, ...] = ()
) -> CommandResult:
    """What came of it, for a person and for a program; `more` is said besides."""
    told: dict[str, object] = take_fields(made, "memory", "deep_context", "op")
    told |= {"outcome": made.outcome} if made.outcome != "kept" else {}
    told |= {"like": made.like} if made.like else {}
    told |= redactions_json(made.left_out)
    said = [f"title “{guessed['title']}”"] if "title" in guessed else []
    said += [f"kind {guessed['kind']}"] if "kind" in guessed else []
    said += [f"#{tag}" for tag in guessed.get("tags", ())]
    talk = (
        (f"Guessed: {', '.join(said)}." if said else ""),
        _project_message(made),
        *_screen_messages(made),
        *more,
        undo_message(made.op, dry_run=dry_run),
    )
    return CommandResult(
        result={**told, "guessed": guessed, "dry_run": dry_run},
        text=lambda paper: _format_made(made, paper, dry_run=dry_run),
        messages=tuple(filter(None, talk)),
        warnings=redaction_warnings(made.left_out),
    )


def _project_message(made: RememberResult) -> str:
    """To which project it belongs, where it does; what is new alone can come to belong anywhere."""
    project = made.memory.more.get("project") if made.outcome in NEW else None
    if not project or made.memory.more.get("scope") == "global":
        return ""
    named = str(project)
    if named.startswith(("commit:", "folder:")):  # a name of ours, where the project has none
        named = f"of this folder ({Path.cwd().name})"
    return f"Saved to project {named}. Make it global: memvault edit {short_id(made.memory.id)} --set scope=global"


def _screen_messages(made: RememberResult) -> list[str]:
    """What the screens have to say."""
    said = [*redaction_messages(made.left_out)]
    if made.outcome == "quarantined":
        said.append("It waits in quarantine: `memvault review` accepts or refuses it.")
    if made.like and made.outcome == "kept":
        said.append(
            f"“{made.like.title}” ({short_id(made.like.id)}) says almost the same. "
            "To add yours to it instead: "
            f"undo this, and repeat it with --update {short_id(made.like.id)}."
        )
    return said


_DID = {
    "kept": ("remembered", "would be remembered"),
    "quarantined": ("put into quarantine", "would be put into quarantine"),
    "confirmed": ("already known; the repeat was recorded", "already known"),
    "added": ("added to", "would be added to"),
    "held": ("nothing done", "nothing done"),
}


def _format_made(made: RememberResult, paper: TerminalFormat, *, dry_run: bool) -> str:
    memory = made.memory
    facts = [memory.kind, f"weight {memory.weight:g}", *(f"#{tag}" for tag in memory.tags), *memory.remarks]
    detail = [paper.join_facts([f"in detail: {made.deep_context}"], "  ")] if made.deep_context else []
    did = _DID[made.outcome][dry_run]
    if made.outcome == "added" and not (made.op or dry_run):
        did = "already says that: nothing changed"
    return "\n".join([layers.format_outcome(memory, did, paper), paper.join_facts(facts, "  "), *detail])


REMEMBER_EXAMPLES = (
    'memvault remember "Sara prefers tea to coffee"',
    "memvault remember --tag deploy,gotcha --file notes.md",
    "git log -1 | memvault remember - --title 'Last commit'",
    'memvault remember --update 5f0c "Since May, three reviewers."',
    'memvault remember "Renew the certificate" --due "next Friday" --priority 4',
    'memvault remember "The lift is out of order" --until Friday',
    "memvault remember --private - < letter.txt",
    "memvault remember   # opens your editor",
)

REFS = ("session", "deep_context", "artifacts")

Words = Annotated[Several, Argument(metavar="TEXT", help="What to remember; `-` reads stdin.")]
File = Annotated[Path | None, Option("--file", "-f", metavar="PATH", help="Take the text from a file.")]
Title = Annotated[str, Option("--title", metavar="TITLE", help="What to call it; guessed otherwise.")]
Type = Annotated[str, choice_option("--type", TYPES, "What sort of note it is: {}.")]
Kind = Annotated[str, choice_option("--kind", KINDS, "How it behaves: {}; guessed otherwise.")]
Tag = Annotated[Several, Option("--tag", metavar="TAG", help="A tag.")]
Topic = Annotated[Several, Option("--topic", metavar="TOPIC", help="What it is about.")]
Person = Annotated[Several, Option("--person", metavar="NAME", help="Whom it is about.")]
Trigger = Annotated[Several, Option("--trigger", metavar="PHRASE", help="A phrase that loads it.")]
Weight = Annotated[float | None, Option("--weight", metavar="0-1", help="How much it matters; 0.8 unless set.")]
Pin = Annotated[bool, Option("--pin", help="Keep it from ever decaying.")]
Significant = Annotated[
    bool, Option("--significant", help="It matters: it fades slowly; a long one gets a file for its detail.")
]
Refs = Annotated[
    Several, Option("--ref", metavar="KEY=VALUE", help=f"What it points to; KEY is {', '.join(REFS[:2])} or {REFS[2]}.")
]
Source = Annotated[
    str, choice_option("--source", SOURCES, "Where it comes from: {}. What is from tool or web waits apart.")
]
Again = Annotated[bool, Option("--again", help="Store it although the same was forgotten or refused before.")]
Anyway = Annotated[bool, Option("--anyway", help="Make a new memory, whatever says nearly the same.")]
Update = Annotated[str, Option("--update", metavar="MEMORY", help="Add it to that memory instead of making one.")]
Due = Annotated[
    str | None,
    Option(
        "--due",
        metavar="WHEN",
        help="When it is to be done: a date, `tomorrow at 9`, `in two weeks`, `every Thursday`.",
    ),
]
Until = Annotated[
    str,
    Option("--until", metavar="DAY", help="The last day on which it holds: afterwards it is only found, not given."),
]
Priority = Annotated[int | None, Option("--priority", metavar="1-5", help="How urgent it is; 5 is the most.")]
Private = Annotated[bool, Option("--private", help="Seal it to your own key: it is found by `memvault private` alone.")]
Condition = Annotated[str, Option("--condition", metavar="TEXT", help="What must come true before it can be done.")]

_EDITOR_NOTE = """

<!-- Write above this line what is to be remembered, in markdown. A heading becomes the title.
     Leave it empty to remember nothing. -->
"""


def remember(
    cli: CliContext,
    text: Words = None,
    *,
    file: File = None,
    title: Title = "",
    type_: Type = "",
    kind: Kind = "",
    tag: Tag = None,
    topic: Topic = None,
    person: Person = None,
    trigger: Trigger = None,
    weight: Weight = None,
    pin: Pin = False,
    significant: Significant = False,
    ref: Refs = None,
    source: Source = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    again: Again = False,
    anyway: Anyway = False,
    update: Update = "",
    due: Due = None,
    priority: Priority = None,
    condition: Condition = "",
    until: Until = "",
    private: Private = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Make a memory.

    The text comes from the command line, from stdin, from a file, or, where none is given, from your editor.
    --tag, --topic, --person and --trigger may be repeated, or hold several values with commas between.
    """
    given: MemoryFields = {"title": title, "type": type_, "kind": kind, "weight": weight, "pin": pin}
    given |= {
        "tags": split_values(tag),
        "topics": split_values(topic),
        "people": split_values(person),
        "triggers": split_values(trigger),
    }
    given |= {"refs": _parse_refs(ref), "significant": significant, "source": source, "again": again}
    given |= {
        "secrets": secret_policy("remember", redact=redact, allow=allow_secret),
        "near": _near_policy(anyway, update),
    }
    more = parse_due_fields(due, priority, condition, now=cli.now(), zone=cli.zone)
    given |= {"more": more | ({"until": until} if until else {})}
    if private:
        return _store_private(cli, text, file, given, update=update, dry_run=dry_run)
    made = _store_text(cli, text, file, given, update=update, dry_run=dry_run)
    if made is None:
        return _NOTHING
    guessed = _find_guesses(made, title=title, type_=type_, kind=kind, tags=given["tags"])
    over = due_remarks(made.memory.more, now=cli.now(), zone=cli.zone)
    return remember_result(made, guessed, dry_run=dry_run, more=over)


_NOTHING = CommandResult(result=None, messages=("Nothing was written, so no memory was made.",))


def _store_text(
    cli: CliContext, text: Words, file: File, given: MemoryFields, *, update: str, dry_run: bool
) -> RememberResult | None:
    with cli.open_vault() as vault:
        said = _read_text(cli, vault, text, file)
        if said is None:
            return None
        by_hand = cli.has_person and not (text or file)
        go_on = "memvault remember --file"
        with keep_on_failure(cli, said.encode(), name="memory.md", again=go_on) if by_hand else nullcontext():
            return remember_or_ask(cli, vault, said, given, update=update, dry_run=dry_run)


def _store_private(
    cli: CliContext, text: Words, file: File, given: MemoryFields, *, update: str, dry_run: bool
) -> CommandResult:
    """Seal it: no screen, no log and no folder on a disk sees the text."""
    if update:
        reason = "--update adds to a memory, and --private makes one: `memvault private edit --append` adds to those."
        raise Misused(reason=reason, command="memvault remember")
    from memvault.cli.private import notes
    from memvault.system import programs

    programs.forbid_core_dumps()
    with cli.open_vault() as vault:
        said = _read_text(cli, vault, text, file, is_private=True)
        return _NOTHING if said is None else notes.remember(vault, said, given, dry_run=dry_run)


def _near_policy(anyway: bool, update: str) -> str:
    if anyway and update:
        reason = "--anyway makes a new memory and --update adds to one: say only one of them."
        raise Misused(reason=reason, command="memvault remember")
    return "ignore" if anyway else ""


def _read_text(
    cli: CliContext, vault: Memvault, words: Several, file: Path | None, *, is_private: bool = False
) -> str | None:
    """The text from wherever it comes; None where an editor was opened and nothing written."""
    if file is not None:
        if words:
            raise BadInput(what="the text", value=" ".join(words)[:40], reason="--file gives the text already")
        return decode_text(files.read_file(file), str(file))
    if words and words != ["-"]:
        return " ".join(words)
    if words == ["-"] or not cli.has_person:
        return cli.read_stdin()
    name = "private.md" if is_private else "memory.md"
    saved = write_in_editor(cli, vault, _EDITOR_NOTE.encode(), name=name, is_private=is_private)
    above = decode_text(saved, "What the editor saved").partition(_EDITOR_NOTE.strip()[:30])[0].strip()
    return above or None


def _parse_refs(given: Several) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pair in given or []:
        key, _, value = (part.strip() for part in pair.partition("="))
        if key not in REFS or not value:
            raise BadInput(what="--ref", value=pair, reason=f"it must be KEY=VALUE, with KEY one of {', '.join(REFS)}")
        found[key] = (*found.get(key, ()), value)
    return found


def _find_guesses(made: RememberResult, *, title: str, type_: str, kind: str, tags: tuple[str, ...]) -> GuessedFields:
    """What was decided without being told, so that a person can put it right."""
    memory, told, guessed = made.memory, {tag.lstrip("#") for tag in tags}, GuessedFields()
    if made.outcome not in NEW:
        return guessed
    if not title.strip():
        guessed["title"] = memory.title
    if not (kind or implied_kind(type_ or "memory")):
        guessed["kind"] = memory.kind
    if earned := tuple(tag for tag in memory.tags if tag not in told):
        guessed["tags"] = earned
    return guessed


# `memvault session save`: keep what came of a session.

SAVE_PROGRESS_EXAMPLES = (
    "memvault session save",
    "memvault session save 'The gauges report again; Maja still has to sign.'",
    "memvault session save --transcript session.jsonl",
)

Text = Annotated[Several, Argument(metavar="TEXT", help="What came of it, in your own words.")]
Session = Annotated[str, Option("--session", metavar="ID", help="Which session; without it, the latest.")]
Transcript = Annotated[str, Option("--transcript", metavar="FILE", help="Take this transcript in first.")]


def save_progress(
    cli: CliContext, text: Text = None, *, session: Session = "", transcript: Transcript = "", dry_run: DryRun = False
) -> CommandResult:
    """Keep what came of a session: what was asked, decided, changed and left open, as a milestone.

    Run again, it brings the same milestone up to date. The memories that the session used are linked from it.
    """
    with cli.open_vault() as vault:
        found = vault.save_progress(" ".join(text or []), session=session, transcript=transcript, dry_run=dry_run)
    did = "would be " * dry_run + ("made" if found.new else "brought up to date")
    return CommandResult(
        result={
            "memory": jsonable.memory_to_json(found.memory, body=True),
            "session": found.session,
            "new": found.new,
            "used": [memory.id for memory in found.used],
            "op": found.op,
            "dry_run": dry_run,
        },
        text=lambda paper: layers.format_outcome(found.memory, did, paper),
        messages=(
            f"It links to {format_count(len(found.used), 'memory', 'memories')} that the session used."
            if found.used
            else "",
            "You had written into it, so what is new stands below." if found.kept_apart else "",
            undo_message(found.op, dry_run=dry_run),
        ),
    )
