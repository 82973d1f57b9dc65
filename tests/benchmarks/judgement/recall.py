"""How well notes are found, and what their similarity is worth."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.recall import answer_half, note_figures


def measure(half: Path) -> dict[str, str]:
    """Return the figures of one half."""
    return note_figures(answer_half(half))
