"""What was asked of `memvault private`, and what its answers have in common."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from memvault.core import json as jsonable

if TYPE_CHECKING:
    from memvault.core.memory import Memory
    from memvault.privacy.private.read import Shut


class Asked(NamedTuple):
    """The words and options of one call."""

    words: str
    key: str = ""
    text: str | None = None
    append: str | None = None
    title: str | None = None
    add_tag: tuple[str, ...] = ()
    remove_tag: tuple[str, ...] = ()
    raw: bool = False
    limit: int = 0
    span: str = ""
    purge: bool = False
    keyring: bool = False
    yes: bool = False
    dry_run: bool = False


def told(memory: Memory, *, body: bool = False) -> dict[str, object]:
    """A private memory for a program: it lies in no tier, and its file's name says nothing."""
    found = jsonable.memory(memory, body=body)
    return {name: value for name, value in found.items() if name not in ("place", "tier", "name")} | {"private": True}


def unopened(shut: tuple[Shut, ...]) -> tuple[str, ...]:
    """What is said of files that could not be opened."""
    return tuple(f"{one.path} was not opened: {one.why}" for one in shut)


def open_to_others(key: str) -> tuple[str, ...]:
    """What is said of a file with the key that others may read; nothing where there is none."""
    return (f"others on this machine may read your key: chmod go= {quote(key)}",) if key else ()
