"""How many of many points a run goes through: a fixed part in daily use, every one where `MEMVAULT_TESTS=all` asks for it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import pytest

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
    if at_most == 1:
        return list(things[:1])
    gap = (len(things) - 1) / (at_most - 1)
    return [things[round(number * gap)] for number in range(at_most)]


def left_out(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Name the tests that only the run of all points goes through.

    Of a family, one function with many parameters, `quick` says how many run in daily use: the first, the last, and
    as many evenly between them.
    """
    out: set[pytest.Item] = set()
    families: defaultdict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        for mark in item.iter_markers("points"):
            if mark.kwargs.get("only"):
                out.add(item)
            elif quick := mark.kwargs.get("quick"):
                families[item.nodeid.partition("[")[0], quick].append(item)
    for (_, quick), family in families.items():
        out.update(set(family) - set(ends(family, at_most=quick)))
    return out
