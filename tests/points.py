"""How many of many points a run goes through: a fixed part in daily use, every one where `MEMVAULT_TESTS=all` asks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

ALL = os.environ.get("MEMVAULT_TESTS") == "all"

Number = TypeVar("Number", int, float)
Thing = TypeVar("Thing")


def of(quick: Number, whole: Number) -> Number:
    """Choose between the number for daily use and the one for the whole."""
    return whole if ALL else quick


def chosen(kinds: Sequence[object]) -> list[int]:
    """Number the points to stop at, from 1: the first, the last, and the first of each kind; or every one."""
    if ALL:
        return list(range(1, len(kinds) + 1))
    first = {kind: at for at, kind in reversed(list(enumerate(kinds, 1)))}
    return sorted({*first.values(), len(kinds)} if kinds else ())


def ends(things: Sequence[Thing], *, at_most: int) -> list[Thing]:
    """Choose the first, the last, and as many evenly between them as are wanted; or every one."""
    if ALL or len(things) <= at_most:
        return list(things)
    gap = (len(things) - 1) / (at_most - 1)
    return [things[round(number * gap)] for number in range(at_most)]
