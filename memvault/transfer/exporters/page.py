"""Memories as one page of markdown, for people and for whatever reads a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.storage.vault.context import Bench
from memvault.text.dates.dates import write_moment
from memvault.transfer.exporters.taken import Taken

_HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
_DEEPER = 2  # a memory's own headings stand below its title, which stands below its kind
_DEEPEST = 6


def made(bench: Bench, taken: tuple[Taken, ...]) -> bytes:
    """The memories under their kinds and titles, each with where it comes from."""
    by_kind: dict[str, list[Taken]] = {}
    for one in taken:
        by_kind.setdefault(one.memory.kind, []).append(one)
    parts = [f"# Memories, {write_moment(bench.now)[:10]}"]
    for kind in sorted(by_kind):
        parts.append(f"## {kind.capitalize()}")
        parts.extend("\n\n".join(_said(one)) for one in by_kind[kind])
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def _said(one: Taken) -> Iterator[str]:
    memory = one.memory
    yield f"### {' '.join(memory.title.split())}"
    facts = [f"created {write_moment(memory.created)[:10]}", *(f"#{tag}" for tag in memory.tags), *memory.people]
    yield f"*{' · '.join(facts)} · `{memory.path}`*"
    if text := _without_title(one.text, memory.title).strip():
        yield _HEADING.sub(_deeper, text)


def _without_title(text: str, title: str) -> str:
    first, _, rest = text.lstrip().partition("\n")
    return rest if first.strip() == f"# {title}" else text


def _deeper(found: re.Match[str]) -> str:
    return "#" * min(len(found[1]) + _DEEPER, _DEEPEST)
