"""`memvault edit`: change a memory's text or fields."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import (
    AllowSecret,
    Argument,
    DryRun,
    Option,
    Redact,
    Ref,
    Refs,
    Several,
    choice_option,
    secret_policy,
    split_values,
)
from memvault.cli.output.changes import change_result, keep_on_failure, write_in_editor
from memvault.core.fields import LISTS, RELATIONS, STATUSES, TYPES, clean_tag, read_date
from memvault.core.ids import short_id
from memvault.core.kinds import KINDS, Kinds
from memvault.core.memory import FieldValue
from memvault.core.plan import ListEdit
from memvault.errors import BadInput, Misused
from memvault.memories.edit import ChangeResult, link_memories, move_memory, pin_memories
from memvault.memories.open_items import due_remarks
from memvault.memories.open_items import parse_due as in_words
from memvault.system import files

if TYPE_CHECKING:
    from memvault.api import Memvault


# Frontmatter fields as a person gives them on a command line: FIELD=VALUE, read by each field's own rule.

_WORDS = {"type": TYPES, "status": STATUSES}
_FOR_LIFE = frozenset({"id"})


def parse_fields(
    pairs: Iterable[str], zone: tzinfo, kinds: Kinds = KINDS, *, now: datetime | None = None
) -> dict[str, FieldValue | None]:
    """What `--set` asks for; a list may be given at once, with commas, or an item at a time."""
    texts: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(what="--set", value=pair, reason="it must be FIELD=VALUE")
        texts.setdefault(check_field_name(name, kinds), []).append(value.strip())
    return {name: parse_field_value(name, values, zone, kinds, now=now) for name, values in texts.items()}


def check_field_name(name: str, kinds: Kinds = KINDS) -> str:
    """The name, if memvault has a field of that name and it may be changed."""
    field = name.strip()
    if field.partition(".")[0] not in kinds.fields:
        raise BadInput(
            what="the field", value=field, reason=f"memvault has no field of that name{_suggest_field(field, kinds)}"
        )
    if field in _FOR_LIFE:
        raise BadInput(what="the field", value=field, reason="a memory keeps its id for life")
    return field


def _suggest_field(name: str, kinds: Kinds) -> str:
    from difflib import get_close_matches  # deferred: only for a typing slip

    near = get_close_matches(name, kinds.fields, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def parse_field_value(
    name: str, texts: list[str], zone: tzinfo, kinds: Kinds = KINDS, *, now: datetime | None = None
) -> FieldValue:
    """The value that the texts stand for, by the field's own rule; with `now`, a day may be given in words."""
    words = tuple(kinds) if name == "kind" else _WORDS.get(name, ())
    if words and texts[-1].casefold() not in words:
        raise BadInput(what=f"the {name}", value=texts[-1], reason=f"it must be one of {', '.join(words)}")
    top, _, below = name.partition(".")
    row = kinds.fields[top]
    items: list[str] = list(split_values(texts)) if top in LISTS else texts
    # A map is set key by key; a list takes every item given, anything else the last that was said.
    found = row.read({below: [*items]}, zone) if below else row.read([*items], zone)
    if found is None and not below:
        found = row.read(items[-1] if items else "", zone)
    if found is None and now is not None and row.read is read_date:
        return in_words(texts[-1], now=now, zone=zone)["due"]
    if found is None:
        raise BadInput(what=f"the field {name}", value=", ".join(texts), reason=f"it says {row.meaning}")
    return found[below] if below and isinstance(found, dict) else found


def change_tags(more: Iterable[str], fewer: Iterable[str]) -> dict[str, ListEdit]:
    """What becomes of the tags, where some are added or taken away."""
    add, remove = tuple(map(clean_tag, more)), tuple(tag.lstrip("#") for tag in fewer)
    return {"tags": ListEdit(add, remove)} if add or remove else {}


EDIT_EXAMPLES = (
    "memvault edit 5f0c   # opens your editor",
    'memvault edit 5f0c --append "Since May, three reviewers."',
    "memvault edit 5f0c --add-tag portal --remove-tag draft --weight 0.9",
    "memvault edit 5f0c --set due=2026-02-14 --unset condition",
)

Text = Annotated[str | None, Option("--text", metavar="TEXT", help="The new text; `-` reads stdin.")]
Append = Annotated[str | None, Option("--append", metavar="TEXT", help="Text to add at the end; `-` reads stdin.")]
Title = Annotated[str | None, Option("--title", metavar="TITLE", help="A new title.")]
Weight = Annotated[str | None, Option("--weight", metavar="0-1", help="How much it matters now.")]
Type = Annotated[str | None, choice_option("--type", TYPES, "What sort of note it is: {}.")]
Kind = Annotated[str | None, choice_option("--kind", KINDS, "How it behaves: {}.")]
Status = Annotated[str | None, choice_option("--status", STATUSES, "Its status: {}.")]
AddTag = Annotated[Several, Option("--add-tag", metavar="TAG", help="A tag to add.")]
RemoveTag = Annotated[Several, Option("--remove-tag", metavar="TAG", help="A tag to take away.")]
Set = Annotated[
    Several, Option("--set", metavar="FIELD=VALUE", help="Any frontmatter field; repeat it for the items of a list.")
]
File = Annotated[
    Path | None, Option("--file", metavar="PATH", help="The whole note, frontmatter and all, as it stands in a file.")
]
Unset = Annotated[Several, Option("--unset", metavar="FIELD", help="A field to take away.")]


def edit(
    cli: CliContext,
    ref: Ref,
    *,
    text: Text = None,
    append: Append = None,
    title: Title = None,
    weight: Weight = None,
    type_: Type = None,
    kind: Kind = None,
    status: Status = None,
    add_tag: AddTag = None,
    remove_tag: RemoveTag = None,
    set_: Set = None,
    unset: Unset = None,
    file: File = None,
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Change a memory's text or fields; with no option, in your editor.

    Only what you change is written; every other byte of the file stays. What is added goes onto whatever the note says
    by then. A new text takes the place of none that somebody changed meanwhile: yours is then kept in a file.
    """
    given = {"title": title, "weight": weight, "type": type_, "kind": kind, "status": status}
    body, addition = _read_texts(cli, text, append, file)
    secrets = secret_policy("edit", redact=redact, allow=allow_secret)
    with cli.open_vault() as vault:
        kinds, now = vault.settings.kinds, cli.now()
        fields: dict[str, FieldValue | None] = {
            name: parse_field_value(name, [said], cli.zone, kinds) for name, said in given.items() if said is not None
        }
        fields |= parse_fields(set_ or [], cli.zone, kinds, now=now)
        fields |= dict.fromkeys(check_field_name(name, kinds) for name in split_values(unset))
        memory, _ = vault.source(ref)
        lists = change_tags(split_values(add_tag), split_values(remove_tag))
        wanted = partial(vault.edit, memory.path, lists=lists, secrets=secrets, dry_run=dry_run)
        over = partial(wanted, version=memory.version)  # what takes the place of a text, is of the one that was seen
        if file is not None:
            found = over(whole=files.read_file(file), fields=fields)
        elif body is not None:
            found = over(body=body, fields=fields)
        elif fields or lists or addition is not None:
            found = wanted(append=addition, fields=fields)
        else:
            found = edit_in_editor(cli, vault, memory.path, secrets=secrets, dry_run=dry_run)
    return change_result(found, dry_run=dry_run, more=due_remarks(fields, now=now, zone=cli.zone))


def _read_texts(
    cli: CliContext, text: str | None, append: str | None, file: Path | None
) -> tuple[str | None, str | None]:
    ways = {"--text": text, "--append": append, "--file": file}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise Misused(reason=f"{' and '.join(given)} exclude each other.", command="memvault edit")
    return (cli.read_stdin() if text == "-" else text), (cli.read_stdin() if append == "-" else append)


def edit_in_editor(
    cli: CliContext, vault: Memvault, ref: str, *, secrets: str = "", dry_run: bool = False
) -> ChangeResult:
    """The note as the person's editor left it, written only if nobody changed it in the meantime."""
    memory, raw = vault.source(ref)
    name = memory.path.rpartition("/")[2]
    data = write_in_editor(cli, vault, raw, name=name)
    again = f"memvault edit {short_id(memory.id) or memory.path} --file"
    with keep_on_failure(cli, data, name=name, again=again):
        return vault.edit(memory.path, whole=data, version=memory.version, secrets=secrets, dry_run=dry_run)


# `memvault vault link`: say how one memory stands to another.

LINK_EXAMPLES = ("memvault vault link 5f0c 0d1c", "memvault vault link 5f0c 0d1c --relation contradicts")

Other = Annotated[str, Argument(metavar="OTHER", help="The memory it stands to, named likewise.")]
Relation = Annotated[
    str, choice_option("--relation", RELATIONS, "How: {}. It extends the other unless you say otherwise.")
]


def link(
    cli: CliContext, ref: Ref, other: Other, *, relation: Relation = "extends", dry_run: DryRun = False
) -> CommandResult:
    """Say how one memory stands to another.

    The link is written into the first memory as a wikilink, so Obsidian's graph shows it.
    """
    with cli.open_vault() as vault:
        return change_result(vault.run(link_memories, ref, other, relation=relation, dry_run=dry_run), dry_run=dry_run)


# `memvault vault move`: put a memory into another tier or folder.

MOVE_EXAMPLES = ("memvault vault move 5f0c hot", "memvault vault move 5f0c 2-memories/work")

To = Annotated[str, Argument(metavar="TO", help="A tier (identity, hot, memories, archived, or 0 to 3), or a folder.")]


def move(cli: CliContext, ref: Ref, to: To, *, dry_run: DryRun = False) -> CommandResult:
    """Put a memory into another tier or folder; its name stays, so links to it go on working."""
    with cli.open_vault() as vault:
        return change_result(vault.run(move_memory, ref, to, dry_run=dry_run), dry_run=dry_run)


# `memvault vault pin`: keep memories from ever decaying.

PIN_EXAMPLES = ("memvault vault pin 5f0c 0d1c", 'memvault vault pin "Short answers first"')


def pin(cli: CliContext, refs: Refs, *, dry_run: DryRun = False) -> CommandResult:
    """Keep memories from ever decaying: their weight stays at 1."""
    with cli.open_vault() as vault:
        return change_result(*vault.run(pin_memories, refs, dry_run=dry_run), dry_run=dry_run)


# `memvault vault unpin`: let pinned memories decay again.

UNPIN_EXAMPLES = ("memvault vault unpin 5f0c",)


def unpin(cli: CliContext, refs: Refs, *, dry_run: DryRun = False) -> CommandResult:
    """Let pinned memories decay again, like any other."""
    with cli.open_vault() as vault:
        return change_result(*vault.run(pin_memories, refs, pinned=False, dry_run=dry_run), dry_run=dry_run)
