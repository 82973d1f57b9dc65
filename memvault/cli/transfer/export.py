"""`memvault export`: memories for another vault, another program, or a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    Argument,
    Kind,
    Option,
    Person,
    Since,
    Status,
    Tag,
    Tier,
    Type,
    build_filters,
    choice_option,
)
from memvault.core.value import take_fields
from memvault.errors import Misused
from memvault.text.display import escape_controls, format_count, format_size

if TYPE_CHECKING:
    from memvault.transfer.export import ExportResult


EXPORT_EXAMPLES = (
    "memvault export memories.zip",
    "memvault export memories.jsonl --since 2026-01-01",
    "memvault export work.md --tag work",
    "memvault export - --format jsonl > memories.jsonl",
)

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
FORMATS = ("bundle", "jsonl", "markdown")
_BY_ENDING = {".zip": "bundle", ".jsonl": "jsonl", ".md": "markdown", ".markdown": "markdown"}
_SHOWN = 5

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
    warnings = [f"{path} holds private text and stays; --private takes it along" for path in done.private[:_SHOWN]]
    if len(done.private) > _SHOWN:
        warnings.append(f"so do {len(done.private) - _SHOWN} more notes")
    warnings += [f"{path} cannot be read, and was left out" for path in done.unread[:_SHOWN]]
    if done.inside:
        warnings.append(f"{file} lies in the vault: it goes where that goes, and no purge takes anything out of it")
    only = "goes along, but of other vaults only those of yours take it in (--as-mine)"
    warnings += [f"{path} {only}: {why}" for path, why in done.barred[:_SHOWN]]
    if file == "-":
        text = done.data.decode("utf-8", "replace").rstrip("\n")
        return CommandResult(result={**result, "text": text}, text=lambda _paper: text, warnings=tuple(warnings))
    sealed = f", {format_count(done.sealed, 'sealed one', 'sealed ones')}" if done.sealed else ""
    head = f"{format_count(done.notes, 'memory', 'memories')}{sealed} in {file} ({format_size(len(done.data))})"
    return CommandResult(result=result, text=lambda _paper: escape_controls(head), warnings=tuple(warnings))
