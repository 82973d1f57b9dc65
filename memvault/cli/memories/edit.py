"""`memvault edit`: change a memory's text or fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import (
    AllowSecret,
    Argument,
    DryRun,
    Option,
    Redact,
    Ref,
    Several,
    listed,
    on_secrets,
    one_of,
    split,
)
from memvault.cli.output.changes import changed, kept_if_refused, written_by_hand
from memvault.core.fields import LISTS, RELATIONS, STATUSES, TYPES, moment
from memvault.core.ids import short
from memvault.core.kinds import KINDS, Kinds
from memvault.core.memory import FieldValue, Memory
from memvault.core.plan import Items
from memvault.errors import BadInput, Misused
from memvault.memories.reminders import moment as in_words
from memvault.memories.reminders import passed
from memvault.system import files

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.memories.edit import Changed


# Frontmatter fields as a person gives them on a command line: FIELD=VALUE, read by each field's own rule.

_WORDS = {"type": TYPES, "status": STATUSES}
_FOR_LIFE = frozenset({"id"})


def settings(
    pairs: Iterable[str], zone: tzinfo, kinds: Kinds = KINDS, *, now: datetime | None = None
) -> dict[str, FieldValue | None]:
    """What `--set` asks for; a list may be given at once, with commas, or an item at a time."""
    texts: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(what="--set", value=pair, reason="it must be FIELD=VALUE")
        texts.setdefault(known(name, kinds), []).append(value.strip())
    return {name: value_of(name, values, zone, kinds, now=now) for name, values in texts.items()}


def known(name: str, kinds: Kinds = KINDS) -> str:
    """The name, if memvault has a field of that name and it may be changed."""
    field = name.strip()
    if field.partition(".")[0] not in kinds.fields:
        raise BadInput(what="the field", value=field, reason=f"memvault has no field of that name{_near(field, kinds)}")
    if field in _FOR_LIFE:
        raise BadInput(what="the field", value=field, reason="a memory keeps its id for life")
    return field


def _near(name: str, kinds: Kinds) -> str:
    from difflib import get_close_matches  # deferred: only for a typing slip

    near = get_close_matches(name, kinds.fields, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def value_of(
    name: str, texts: list[str], zone: tzinfo, kinds: Kinds = KINDS, *, now: datetime | None = None
) -> FieldValue:
    """The value that the texts stand for, by the field's own rule; with `now`, a day may be given in words."""
    words = tuple(kinds) if name == "kind" else _WORDS.get(name, ())
    if words and texts[-1].casefold() not in words:
        raise BadInput(what=f"the {name}", value=texts[-1], reason=f"it must be one of {', '.join(words)}")
    top, _, below = name.partition(".")
    row = kinds.fields[top]
    items: list[str] = list(split(texts)) if top in LISTS else texts
    # A map is set key by key; a list takes every item given, anything else the last that was said.
    found = row.read({below: [*items]}, zone) if below else row.read([*items], zone)
    if found is None and not below:
        found = row.read(items[-1] if items else "", zone)
    if found is None and now is not None and row.read is moment:
        return in_words(texts[-1], now=now, zone=zone)
    if found is None:
        raise BadInput(what=f"the field {name}", value=", ".join(texts), reason=f"it says {row.meaning}")
    return found[below] if below and isinstance(found, dict) else found


def tagged(more: Iterable[str], fewer: Iterable[str]) -> dict[str, Items]:
    """What becomes of the tags, where some are added or taken away."""
    add, remove = (tuple(tag.lstrip("#") for tag in tags) for tags in (more, fewer))
    return {"tags": Items(add, remove)} if add or remove else {}


EDIT_EXAMPLES = (
    "memvault edit 5f0c   # opens your editor",
    'memvault edit 5f0c --append "Since May, three reviewers."',
    "memvault edit 5f0c --add-tag portal --remove-tag draft --weight 0.9",
    "memvault edit 5f0c --set due=2026-02-14 --unset condition",
)

Text = Annotated[
    str | None, Option("--text", metavar="TEXT", help="The new text; `-` reads stdin.", show_default=False)
]
Append = Annotated[
    str | None,
    Option("--append", metavar="TEXT", help="Text to add at the end; `-` reads stdin.", show_default=False),
]
Title = Annotated[str | None, Option("--title", metavar="TITLE", help="A new title.", show_default=False)]
Weight = Annotated[str | None, Option("--weight", metavar="0-1", help="How much it matters now.", show_default=False)]
Type = Annotated[str | None, one_of("--type", TYPES, "What sort of note it is: {}.")]
Kind = Annotated[str | None, one_of("--kind", KINDS, "How it behaves: {}.")]
Status = Annotated[str | None, one_of("--status", STATUSES, "Its status: {}.")]
AddTag = Annotated[Several, listed("--add-tag", "TAG", "A tag to add.")]
RemoveTag = Annotated[Several, listed("--remove-tag", "TAG", "A tag to take away.")]
Set = Annotated[Several, listed("--set", "FIELD=VALUE", "Any frontmatter field; repeat it for the items of a list.")]
File = Annotated[
    Path | None,
    Option(
        "--file",
        metavar="PATH",
        help="The whole note, frontmatter and all, as it stands in a file.",
        show_default=False,
    ),
]
Unset = Annotated[Several, listed("--unset", "FIELD", "A field to take away.")]


def edit(
    desk: Desk,
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
) -> Answer:
    """Change a memory's text or fields; with no option, in your editor.

    Only what you change is written; every other byte of the file stays. What is added goes onto whatever the note says
    by then. A new text takes the place of none that somebody changed meanwhile: yours is then kept in a file.
    """
    given = {"title": title, "weight": weight, "type": type_, "kind": kind, "status": status}
    body, addition = _texts(desk, text, append, file)
    secrets = on_secrets("edit", redact=redact, allow=allow_secret)
    with desk.open() as vault:
        kinds, now = vault.settings.kinds, desk.now()
        fields: dict[str, FieldValue | None] = {
            name: value_of(name, [said], desk.zone, kinds) for name, said in given.items() if said is not None
        }
        fields |= settings(set_ or [], desk.zone, kinds, now=now)
        fields |= dict.fromkeys(known(name, kinds) for name in split(unset))
        memory, raw = vault.source(ref)
        lists = tagged(split(add_tag), split(remove_tag))
        wanted = partial(vault.edit, memory.path, lists=lists, secrets=secrets, dry_run=dry_run)
        over = partial(wanted, version=memory.version)  # what takes the place of a text, is of the one that was seen
        if file is not None:
            found = over(whole=files.read(file), fields=fields)
        elif body is not None:
            found = over(body=body, fields=fields)
        elif fields or lists or addition is not None:
            found = wanted(append=addition, fields=fields)
        else:
            found = _by_hand(desk, vault, memory, raw, over)
    return changed(found, dry_run=dry_run, more=passed(fields, now=now, zone=desk.zone))


def _texts(desk: Desk, text: str | None, append: str | None, file: Path | None) -> tuple[str | None, str | None]:
    ways = {"--text": text, "--append": append, "--file": file}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise Misused(reason=f"{' and '.join(given)} exclude each other.", command="memvault edit")
    return (desk.read() if text == "-" else text), (desk.read() if append == "-" else append)


def _by_hand(desk: Desk, vault: Memvault, memory: Memory, raw: bytes, wanted: Callable[..., Changed]) -> Changed:
    """The note as the person's editor left it, written only if nobody changed it in the meantime."""
    name = memory.path.rpartition("/")[2]
    data = written_by_hand(desk, vault, raw, name=name)
    again = f"memvault edit {short(memory.id) or memory.path} --file"
    with kept_if_refused(desk, data, name=name, again=again):
        return wanted(whole=data)


# `memvault link`: say how one memory stands to another.

LINK_EXAMPLES = ("memvault link 5f0c 0d1c", "memvault link 5f0c 0d1c --relation contradicts")

Other = Annotated[str, Argument(metavar="OTHER", help="The memory it stands to, named likewise.", show_default=False)]
Relation = Annotated[str, one_of("--relation", RELATIONS, "How: {}. It extends the other unless you say otherwise.")]


def link(desk: Desk, ref: Ref, other: Other, *, relation: Relation = "extends", dry_run: DryRun = False) -> Answer:
    """Say how one memory stands to another.

    The link is written into the first memory as a wikilink, so Obsidian's graph shows it.
    """
    with desk.open() as vault:
        return changed(vault.link(ref, other, relation=relation, dry_run=dry_run), dry_run=dry_run)


# `memvault move`: put a memory into another tier or folder.

MOVE_EXAMPLES = ("memvault move 5f0c hot", "memvault move 5f0c 2-memories/work")

To = Annotated[
    str,
    Argument(
        metavar="TO", help="A tier (identity, hot, memories, archived, or 0 to 3), or a folder.", show_default=False
    ),
]


def move(desk: Desk, ref: Ref, to: To, *, dry_run: DryRun = False) -> Answer:
    """Put a memory into another tier or folder; its name stays, so links to it go on working."""
    with desk.open() as vault:
        return changed(vault.move(ref, to, dry_run=dry_run), dry_run=dry_run)


# `memvault pin`: keep a memory from ever decaying.

PIN_EXAMPLES = ("memvault pin 5f0c", 'memvault pin "Short answers first"')


def pin(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Keep a memory from ever decaying: its weight stays at 1."""
    with desk.open() as vault:
        return changed(vault.pin(ref, dry_run=dry_run), dry_run=dry_run)


# `memvault unpin`: let a pinned memory decay again.

UNPIN_EXAMPLES = ("memvault unpin 5f0c",)


def unpin(desk: Desk, ref: Ref, *, dry_run: DryRun = False) -> Answer:
    """Let a pinned memory decay again, like any other."""
    with desk.open() as vault:
        return changed(vault.unpin(ref, dry_run=dry_run), dry_run=dry_run)
