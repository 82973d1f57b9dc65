"""One extension as it turned out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extension:
    """A person's own addition: where it lies, and what it adds or why it was left out."""

    name: str
    where: str
    adds: tuple[str, ...] = ()
    problem: str = ""
