"""`memvault import` and `memvault export`: memories from and for another vault, another program, or a person."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Argument,
    DryRun,
    Kind,
    Option,
    Person,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    build_filters,
    check_action,
    choice_option,
)
from memvault.cli.output.changes import undo_message
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.value import take_fields
from memvault.errors import Misused, Unreadable
from memvault.text.display import format_count, format_size, neutralize_text, to_one_line

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.transfer.export import ExportResult
    from memvault.transfer.importers.import_memories import ImportOutcome, ImportResult


IMPORT_EXAMPLES = (
    "memvault import claude-memory --dry-run",
    "memvault import bundle memories.zip",
    "memvault import obsidian ~/notes",
    "memvault import mem0 memories.json --yes",
)

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
SOURCES = (
    *("bundle", "jsonl", "folder", "obsidian", "basic-memory", "claude-memory"),
    *("claude-mem", "claude-ai", "chatgpt", "mem0", "mcp-memory"),
)
_TOLD = ("new", "renewed", "merged", "beside", "yours", "known", "refused")
_COUNTED = ("new", "renewed", "merged", "beside", "unchanged", "yours", "known", "refused")
_CHANGING = ("new", "renewed", "merged", "beside")
_SHOWN, _SHOWN_FIRST = 50, 20

Source = Annotated[
    str, Argument(metavar="SOURCE", help=f"Whose memories: {', '.join(SOURCES)}.", autocompletion=lambda: list(SOURCES))
]
Path_ = Annotated[
    str, Argument(metavar="PATH", help="The file or folder; where that program keeps its memories, else.")
]
Yes = Annotated[bool, Option("--yes", "-y", help="Bring them in without asking first.")]
AsMine = Annotated[
    bool, Option("--as-mine", help="Trust the notes of another vault's bundle as they were trusted there.")
]
Attachments = Annotated[bool, Option("--attachments", help="They come by now in any case.")]


def import_(
    cli: CliContext,
    source: Source,
    path: Path_ = "",
    *,
    yes: Yes = False,
    as_mine: AsMine = False,
    attachments: Attachments = False,  # noqa: ARG001 - spelled by whoever learned an earlier version
    dry_run: DryRun = False,
) -> CommandResult:
    """Bring in a bundle, or what another program remembers, each memory once.

    At a terminal it shows what would come, and asks. A second time, only what is new or was changed there is taken;
    what you changed here stays as it is. Secrets and private text are left out. What was brought in is found like any
    other memory, and never rises to Tier 0 or 1 by itself. One `memvault undo` takes all of it back. Conversations go
    to `memvault session ingest`.
    """
    if source not in SOURCES and not path:
        named = Path(source).expanduser()
        if not named.exists() and (named.suffix or len(named.parts) > 1):
            raise Unreadable(path=source, reason="there is no such file or folder")
        source, path = _guess_source(named), source
    check_action(source, SOURCES, "memvault import")
    with cli.open_vault() as vault:

        def import_from_source(*, dry_run: bool) -> ImportResult:
            return _import_bundle(cli, vault, source, path, as_mine=as_mine, dry_run=dry_run)

        if dry_run or yes or cli.as_json or not cli.has_person:
            return _import_result(import_from_source(dry_run=dry_run))
        found = import_from_source(dry_run=True)
        if not any(one.outcome in _CHANGING for one in found.memories):
            return _import_result(found, is_asked=True)
        cli.print_message(_format_imported(found, cli.terminal_format(), _SHOWN_FIRST))
        cli.print_message(_format_summary(found))
        is_wanted = cli.confirm("Bring them in?")
        return _import_result(import_from_source(dry_run=False) if is_wanted else found, is_asked=True, is_told=True)


def _guess_source(path: Path) -> str:
    """Whose memories a file or folder holds, by its name and what lies in it; its name where nobody can tell."""
    if path.is_dir():
        return "obsidian" if (path / ".obsidian").is_dir() else "folder"
    by_ending = {".jsonl": "jsonl", ".md": "folder", ".markdown": "folder", ".txt": "folder"}
    if path.suffix.casefold() == ".zip" and path.is_file():
        from zipfile import BadZipFile, ZipFile  # deferred: few import anything

        with suppress(BadZipFile, OSError), ZipFile(path) as packed:
            names = {name.rpartition("/")[2] for name in packed.namelist()}
            exports = {"memories.json": "claude-ai", "conversations.json": "chatgpt"}
            return next((source for name, source in exports.items() if name in names), "bundle")
    return by_ending.get(path.suffix.casefold(), str(path)) if path.is_file() else str(path)


def _import_bundle(cli: CliContext, vault: Memvault, source: str, path: str, **wish: bool) -> ImportResult:
    with cli.progress_bar("Importing") as bar:
        return vault.import_memories(source, path or None, progress=bar, **wish)


def _import_result(found: ImportResult, *, is_asked: bool = False, is_told: bool = False) -> CommandResult:
    """The answer; a dry run that was only made to ask says nothing of being one."""
    hint = "Nothing was brought in." if is_asked and not found.op else undo_message(found.op, dry_run=found.dry_run)
    summary = "" if is_told and not found.op else _format_summary(found)
    came_to_something = any(one.outcome != "refused" for one in found.memories)
    told = [f"{each.path}{f', {each.where}' if each.where else ''}: {each.why}" for each in found.unread[:_SHOWN]]
    more = len(found.unread) - len(told) + found.more_unread
    return CommandResult(
        result=_build_json(found),
        text=lambda paper: "" if is_told else _format_imported(found, paper, _SHOWN),
        messages=tuple(filter(None, (summary, hint))),
        warnings=tuple([to_one_line(line) for line in told] + ([f"{more:,} more could not be read"] if more else [])),
        exit_code=0 if came_to_something or not (found.unread or found.memories) else 1,
    )


def _format_imported(found: ImportResult, paper: TerminalFormat, most: int) -> str:
    told = [one for one in found.memories if one.outcome in _TOLD]
    more = [f"… and {len(told) - most:,} more."] if len(told) > most else []
    return "\n".join([*(_format_item(one, paper) for one in told[:most]), *more])


def _format_item(one: ImportOutcome, paper: TerminalFormat) -> str:
    title = paper.styles.title(to_one_line(one.title or one.origin))
    return f"{title}\n{paper.join_facts([one.outcome, to_one_line(one.path), to_one_line(one.why)], '  ')}"


def _format_summary(found: ImportResult) -> str:
    counts = Counter(one.outcome for one in found.memories)
    if not found.memories:
        return (
            f"Nothing in {found.folder} can be brought in."
            if found.unread
            else f"Nothing of that kind lies in {found.folder}."
        )
    told = ", ".join(f"{counts[word]:,} {word}" for word in _COUNTED if counts[word])
    files = f" And {format_count(found.attached, 'file', 'files')} that they name." if found.attached else ""
    return f"{format_count(len(found.memories), 'memory', 'memories')}: {told}.{files}"


def _build_json(found: ImportResult) -> dict[str, object]:
    return {
        "source": found.source,
        "folder": found.folder,
        "memories": [take_fields(one, "outcome", "id", "title", "path", "origin", "why") for one in found.memories],
        "unread": [take_fields(each, "path", "where", "why") for each in found.unread],
        **take_fields(found, "more_unread", "attached", "op", "dry_run"),
    }


# `memvault export`: memories for another vault, another program, or a person.

EXPORT_EXAMPLES = (
    "memvault export memories.zip",
    "memvault export memories.jsonl --since 2026-01-01",
    "memvault export work.md --tag work",
    "memvault export - --format jsonl > memories.jsonl",
)

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
FORMATS = ("bundle", "jsonl", "markdown")
_BY_ENDING = {".zip": "bundle", ".jsonl": "jsonl", ".md": "markdown", ".markdown": "markdown"}
_WARNED = 5

File = Annotated[str, Argument(metavar="FILE", help="Where to; - is stdout.")]
Format = Annotated[
    str, choice_option("--format", FORMATS, "As what: {}. By the file's ending unless you say otherwise.")
]
Private = Annotated[
    bool, Option("--private", help="Text marked as private too; in a bundle also what is sealed, as it is.")
]
Force = Annotated[bool, Option("--force", help="Write over a file that is there.")]


def export(
    cli: CliContext,
    file: File,
    *,
    format_: Format = "",
    tag: Tag = None,
    kind: Kind = None,
    type_: Type = None,
    tier: Tier = None,
    person: Person = None,
    status: Status = None,
    since: Since = None,
    private: Private = False,
    force: Force = False,
) -> CommandResult:
    """Write memories into one file, and change none of them.

    A bundle holds the notes byte for byte, with their hashes, and `memvault import` brings them into any vault. Lines
    of JSON are for programs, a page of markdown for people. What is in quarantine stays, and so does what is marked as
    private.
    """
    form = format_ or _BY_ENDING.get(Path(file).suffix.casefold(), "")
    if not form:
        raise Misused(reason=f"the name {file!r} does not say as what: give --format.", command="memvault export")
    if form == "bundle" and file == "-":
        raise Misused(reason="a bundle is no text: give it a file.", command="memvault export")
    chosen = build_filters(cli, kind=kind, type_=type_, tag=tag, person=person, since=since, tier=tier, status=status)
    with cli.open_vault() as vault:
        to = None if file == "-" else Path(file)
        done = vault.export(to, format=form, filters=chosen, with_private=private, force=force)
    return _export_result(done, file)


def _export_result(done: ExportResult, file: str) -> CommandResult:
    result = {"file": file, **take_fields(done, "format", "notes", "private", "unread")}
    result |= {"sealed": done.sealed} if done.sealed else {}
    warnings = [f"{path} holds private text and stays; --private takes it along" for path in done.private[:_WARNED]]
    if len(done.private) > _WARNED:
        warnings.append(f"so do {len(done.private) - _WARNED} more notes")
    warnings += [f"{path} cannot be read, and was left out" for path in done.unread[:_WARNED]]
    if done.inside:
        warnings.append(f"{file} lies in the vault: it goes where that goes, and no purge takes anything out of it")
    only = "goes along, but of other vaults only those of yours take it in (--as-mine)"
    warnings += [f"{path} {only}: {why}" for path, why in done.barred[:_WARNED]]
    if file == "-":
        text = done.data.decode("utf-8", "replace").rstrip("\n")
        return CommandResult(result={**result, "text": text}, text=lambda _paper: text, warnings=tuple(warnings))
    sealed = f", {format_count(done.sealed, 'sealed one', 'sealed ones')}" if done.sealed else ""
    head = f"{format_count(done.notes, 'memory', 'memories')}{sealed} in {file} ({format_size(len(done.data))})"
    return CommandResult(result=result, text=lambda _paper: neutralize_text(head), warnings=tuple(warnings))
