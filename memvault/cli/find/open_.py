"""`memvault open`: a memory in Obsidian, or in what opens such files."""

from __future__ import annotations

from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.options import Option, Ref

OPEN_EXAMPLES = ("memvault open 5f0c", "memvault open --print 5f0c")

Print = Annotated[bool, Option("--print", help="Only print the address; open nothing.")]


def open_(desk: Desk, ref: Ref, *, print_: Print = False) -> Answer:
    """Open a memory in Obsidian, where the vault is one of Obsidian's, or else in what opens such files."""
    from memvault.system import desktop

    with desk.open() as vault:
        path = vault.path_of(ref)
        target = desktop.obsidian_uri(path) if (vault.root / ".obsidian").is_dir() else str(path)
    if not print_:
        desktop.open_(target)
    return Answer(
        result={"path": str(path), "target": target, "opened": not print_},
        text=lambda _paper: target if print_ else "",
        talk=() if print_ else (f"Opened {target}.",),
    )
