"""Importing Whoosh without the weight of what it names but, in searching, never calls."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import ModuleType
from typing import Any


@contextmanager
def lean_import() -> Iterator[None]:
    """Stand in for an HTTP client and for asyncio, 25 ms of every start, while Whoosh is imported.

    Whoosh imports one for `urlretrieve`, which it does not use, and the other through a package whose
    `cached_property` the standard library has too. Whoever imports them afterwards gets the real ones.
    """
    wanted = {
        "urllib.request": _module("urllib.request", urlretrieve=None),
        "cached_property": _module("cached_property", cached_property=cached_property),
    }
    absent = {name: module for name, module in wanted.items() if name not in sys.modules}
    sys.modules.update(absent)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old escapes in its sources, told at every first compilation
            yield
    finally:
        for name in absent:
            del sys.modules[name]


def _module(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name, "Stands in while Whoosh is imported.")
    vars(module).update(content)
    return module
