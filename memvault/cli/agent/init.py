"""`memvault init`: make a vault, or adopt a folder of notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.answer import Answer
from memvault.cli.context import Desk
from memvault.cli.declare import Argument, Option
from memvault.cli.options import DryRun
from memvault.cli.output.terminal import Paper
from memvault.text.figures import plural

if TYPE_CHECKING:
    from memvault.storage.vault.create import Made


INIT_EXAMPLES = (
    "memvault init ~/memory",
    "memvault init ~/memory --sample",
    "memvault init ~/Notes --home memvault   # adopts the notes that are there",
    "memvault init ~/Notes --inject Projects",
)


def init(
    desk: Desk,
    path: Annotated[str, Argument(metavar="PATH", help="The folder: a new one, or one with notes in it.")] = ".",
    *,
    profile: Annotated[
        str, Option("--profile", metavar="NAME", help="Which defaults: minimal, production or research.")
    ] = "production",
    sample: Annotated[bool, Option("--sample", help="Add a dozen memories to look at.")] = False,
    home: Annotated[
        str,
        Option("--home", metavar="FOLDER", help="Where the tier folders go, within the vault.", show_default=False),
    ] = "",
    inject: Annotated[
        str,
        Option(
            "--inject",
            metavar="FOLDERS",
            help="Folders of your notes that may be injected, with commas; written to your own config.",
            show_default=False,
        ),
    ] = "",
    nested: Annotated[bool, Option("--nested", help="Allow a vault inside another vault.")] = False,
    dry_run: DryRun = False,
) -> Answer:
    """Make a vault, or adopt a folder of notes.

    A folder that has notes in it already is adopted: not one of them is changed.
    """
    from memvault.api import Memvault, system_clock

    made = Memvault.init(
        path,
        profile=profile,
        home=home,
        sample=sample,
        nested=nested,
        inject=[name.strip() for name in inject.split(",") if name.strip()],
        dry_run=dry_run,
        clock=desk.clock or system_clock,
        environment=desk.environment,
    )
    return Answer(
        result={**_told(made), "dry_run": dry_run},
        text=lambda paper: _text(made, paper, dry_run=dry_run),
        talk=() if dry_run else (*_injected(made), _remember_hint(path)),
    )


def _injected(made: Made) -> tuple[str, ...]:
    if not made.inject:
        return ()
    return (f"Notes in {', '.join(made.inject)} may be injected. Written to {made.config}, for this vault.",)


def _remember_hint(path: str) -> str:
    return f'Remember something in it: memvault --vault {quoted(path)} remember "..."'


def quoted(path: str) -> str:
    """A path as a shell takes it."""
    return f'"{path}"' if " " in path else path


def _told(made: Made) -> dict[str, object]:
    return {
        "path": made.path,
        "id": made.id,
        "adopted": made.adopted,
        "notes": made.notes,
        "written": made.written,
        "inject": made.inject,
    }


def _text(made: Made, paper: Paper, *, dry_run: bool) -> str:
    verb = ("Would adopt" if dry_run else "Adopted") if made.adopted else ("Would make" if dry_run else "Made")
    what = f"{plural(made.notes, 'note', 'notes')} as a vault, changing none" if made.adopted else "a vault"
    head = paper.block(f"{verb} {what}: {made.path}")
    return "\n".join([head, *(f"  {name}" for name in made.written)] if dry_run else [head])
