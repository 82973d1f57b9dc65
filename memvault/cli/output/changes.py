"""What commands that write have in common: the person's editor, texts kept from getting lost, the way back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memvault.cli.context import Answer, Desk
from memvault.cli.output import memory
from memvault.cli.output.terminal import Paper
from memvault.errors import FAILED, MemvaultError, NoEditor
from memvault.text.display import printable

if TYPE_CHECKING:
    from pathlib import Path

    from memvault.agents.setup.hooks import Removed
    from memvault.api import Memvault
    from memvault.memories.edit import Changed
    from memvault.memories.forget import Moved
    from memvault.memories.screen import LeftOut


DRY_RUN = "This was a dry run: nothing was written."


def left_out(found: LeftOut) -> dict[str, object]:
    """What was left out of a text, for a program; nothing where nothing was."""
    told = {"redacted": found.sorts, "dropped": found.dropped}
    return {name: value for name, value in told.items() if value}


def remarks(found: LeftOut) -> tuple[str, ...]:
    """What is said of what was left out of a text."""
    sorts = f"Left out, as it looks like a secret: {', '.join(found.sorts)}." if found.sorts else ""
    dropped = f"Dropped altogether, as a secret stood in it: {', '.join(found.dropped)}." if found.dropped else ""
    return tuple(filter(None, (sorts, dropped)))


def warnings(found: LeftOut) -> tuple[str, ...]:
    """What somebody may not have meant to be left out."""
    return ("a <private> in it is never closed, so all that follows it was left out",) if found.unclosed else ()


def undo_hint(op: str, *, dry_run: bool) -> str:
    """How to take back what was just done; nothing where nothing was done."""
    return DRY_RUN if dry_run else f"Take it back with: memvault undo {op}" if op else ""


def written_by_hand(desk: Desk, vault: Memvault, data: bytes, *, name: str) -> bytes:
    """The bytes as the person's editor left them."""
    from memvault.system import programs  # deferred: starting programs is rare, and dear to import

    configured = vault.settings.text("user.editor")
    if not (desk.has_person or configured or {"VISUAL", "EDITOR"} & set(desk.environment)):
        # One of the usual editors would wait for keys that nobody presses.
        raise NoEditor(reason="there is no terminal here, and neither VISUAL nor EDITOR is set")
    command = programs.command(desk.environment, configured)
    return programs.edit(data, name=name, editor=command)


@contextmanager
def kept_if_refused(desk: Desk, data: bytes, *, name: str, again: str) -> Iterator[None]:
    """Where what is done with a text fails, keep the text and say where, and by what command to go on from there."""
    try:
        yield
    except MemvaultError:
        from shlex import quote  # deferred: most texts are taken

        kept = _keep(desk, data, name)
        desk.say(f"Your text is kept in {kept}. Go on from there with: {again} {quote(str(kept))}")
        raise


def _keep(desk: Desk, data: bytes, name: str) -> Path:
    from memvault.system import files, paths

    path = paths.state(desk.environment) / "unsaved" / f"{desk.now():%Y%m%dT%H%M%SZ}-{name}"
    turn = 2
    while path.exists():
        path, turn = path.with_stem(f"{path.stem}-{turn}"), turn + 1
    files.make_folder(path.parent)
    files.create(path, data)
    return path


# How commands that change one memory tell what came of it.


def changed(found: Changed, *, dry_run: bool, more: tuple[str, ...] = ()) -> Answer:
    """The answer to a change; `more` is said besides."""
    did = f"would be {found.did}" if dry_run else found.did
    problem = (f"its frontmatter cannot be read now: {found.memory.problem}",) if found.memory.problem else ()
    result: dict[str, object] = {"memory": found.memory, "did": found.did, "op": found.op, "dry_run": dry_run}
    return Answer(
        result=result | left_out(found.left_out),
        text=lambda paper: memory.named(found.memory, did, paper),
        talk=(*remarks(found.left_out), found.remark, *more, undo_hint(found.op, dry_run=dry_run)),
        warnings=(*problem, *warnings(found.left_out)),
    )


def moved(found: Moved, did: str, *, dry_run: bool) -> Answer:
    """The answer to a memory's going or coming back."""
    said = f"would be {did}" if dry_run else did
    return Answer(
        result={"memory": found.memory, "from": found.came_from, "op": found.op, "dry_run": dry_run},
        text=lambda paper: memory.named(found.memory, f"{said} (was {found.came_from})", paper),
        talk=(undo_hint(found.op, dry_run=dry_run),),
    )


# What commands that write into other programs' settings have in common: how a change of theirs is told.

_GONE = " (and the file with it, as it held nothing else)"


def spoken(words: tuple[str, ...]) -> str:
    """A command as it is told: words with blanks in quotes."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def diff(text: str, paper: Paper) -> str:
    """What differs in a file, behind an empty line; nothing where nothing does."""
    return f"\n{paper.styles.faint(printable(text))}" if text else ""


def removed(done: Removed, what: str) -> Answer:
    """The answer of a command that takes entries out."""
    return Answer(
        result=done,
        text=lambda paper: told_removed(done, what, paper),
        talk=(
            "" if done.files or done.failed else f"No {what} of memvault's are installed: there is nothing to remove.",
            DRY_RUN if done.dry_run else "",
        ),
        warnings=tuple(sentence.rstrip(".") for _, sentence in done.failed),
        exit_code=FAILED if done.failed else 0,
    )


def told_removed(done: Removed, what: str, paper: Paper) -> str:
    """Each file with what was taken out of it."""
    would = "Would remove" if done.dry_run else "Removed"
    return "\n".join(
        f"{would}: memvault's {what}, from {each.path}{_GONE if each.removed else diff(each.diff, paper)}"
        for each in done.files
    )
