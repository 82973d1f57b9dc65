"""Archives that others have made, and what becomes of damage in them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memvault.errors import Unreadable


@contextmanager
def intact(path: Path) -> Iterator[None]:
    """Turn whatever a damaged archive comes to into Unreadable."""
    from struct import error as Unpacked
    from zipfile import BadZipFile

    plain = (RuntimeError, ValueError, KeyError, OverflowError, OSError, EOFError)
    damage: tuple[type[Exception], ...] = (BadZipFile, zlib.error, Unpacked, *plain)
    with suppress(ImportError):  # some Pythons are built without it
        from lzma import LZMAError

        damage = (*damage, LZMAError)
    try:
        yield
    except damage as error:
        raise Unreadable(path=path, reason="it is damaged, or needs a password") from error
