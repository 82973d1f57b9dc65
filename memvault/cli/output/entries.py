"""What commands that write into other programs' settings have in common: how a change of theirs is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.context import Answer
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import Paper
from memvault.errors import FAILED
from memvault.text.escape import printable

if TYPE_CHECKING:
    from memvault.agents.setup.hooks import Removed


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
