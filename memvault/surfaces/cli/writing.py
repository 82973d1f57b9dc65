"""What commands that write have in common: the person's editor, texts kept from getting lost, the way back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memvault.errors import MemvaultError, NoEditor
from memvault.surfaces.cli.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

    from memvault.api import Memvault

DRY_RUN = "This was a dry run: nothing was written."


def undo_hint(op: str, *, dry_run: bool) -> str:
    """How to take back what was just done; nothing where nothing was done."""
    return DRY_RUN if dry_run else f"Take it back with: memvault undo {op}" if op else ""


def written_by_hand(desk: Desk, vault: Memvault, data: bytes, *, name: str) -> bytes:
    """The bytes as the person's editor left them."""
    from memvault.host import editor  # deferred: starting programs is rare, and dear to import

    configured = vault.settings.text("user.editor")
    if not (desk.has_person or configured or {"VISUAL", "EDITOR"} & set(desk.environment)):
        # One of the usual editors would wait for keys that nobody presses.
        raise NoEditor(reason="there is no terminal here, and neither VISUAL nor EDITOR is set")
    command = editor.command(desk.environment, configured)
    return editor.edit(data, name=name, editor=command)


@contextmanager
def kept_if_refused(desk: Desk, data: bytes, *, name: str) -> Iterator[None]:
    """Where what is done with a text fails, keep the text and say where, so that no typing is lost."""
    try:
        yield
    except MemvaultError:
        desk.say(f"Your text is kept in {_keep(desk, data, name)}.")
        raise


def _keep(desk: Desk, data: bytes, name: str) -> Path:
    from memvault import files
    from memvault.host import folders

    path = folders.state(desk.environment) / "unsaved" / f"{desk.now():%Y%m%dT%H%M%SZ}-{name}"
    turn = 2
    while path.exists():
        path, turn = path.with_stem(f"{path.stem}-{turn}"), turn + 1
    files.make_folder(path.parent)
    files.create(path, data)
    return path
