"""Arguments and options as commands declare them: plain values, which only the parser turns into typer's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Declared:
    """What a parameter is on the command line; takes what typer's class of that name takes."""

    __slots__ = ("names", "rest")

    def __init__(self, *names: str, **rest: Any) -> None:
        self.names = names
        self.rest: Mapping[str, Any] = rest


class Argument(Declared):
    """A parameter that is told by its place."""

    __slots__ = ()


class Option(Declared):
    """A parameter that is told by its name."""

    __slots__ = ()


class BadValue(Exception):
    """What a callback raises when a value will not do."""
