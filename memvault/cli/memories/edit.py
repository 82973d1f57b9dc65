"""`memvault edit`: change a memory's text or fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.memories.fields import known, settings, tagged, value_of
from memvault.cli.options import AllowSecret, DryRun, Option, Redact, Ref, Several, listed, on_secrets, one_of, split
from memvault.cli.output.changes import kept_if_refused, written_by_hand
from memvault.cli.output.changing import changed
from memvault.core.fields import STATUSES, TYPES
from memvault.core.ids import short
from memvault.core.kinds import KINDS
from memvault.core.memory import FieldValue, Memory
from memvault.errors import Misused
from memvault.memories.reminding import passed
from memvault.system import files

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.memories.edit import Changed


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
