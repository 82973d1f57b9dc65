"""For whoever holds private text in the clear: that no crash leaves its memory on a disk."""

from __future__ import annotations

from contextlib import suppress


def forbid() -> None:
    """Leave no core file, whatever comes; where the system knows of none, there is nothing to forbid."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
