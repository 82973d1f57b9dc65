"""Settings on disk: read from TOML, and written by changing one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memvault import files
from memvault.core.settings import SECTIONS, SETTINGS, TABLE, Setting, Value, as_toml, read_table
from memvault.errors import BadConfigFile

if TYPE_CHECKING:
    from memvault.core.kinds import Kind

_HEADER = """\
# memvault: the settings of this vault.
# Every setting stands here as a comment with its default; remove the `# ` to change one.
# What is not set follows the program's defaults, also when they improve.
"""

# Comments, empty lines and plain section headers: what a new vault's file consists of.
_NOTHING_SET = re.compile(rb"(?:[ \t]*(?:#[^\r\n\x00-\x08]*|\[[a-z_]+\])?\r?\n)*")


def template(given: Mapping[str, Value]) -> str:
    """A whole memvault.toml: every setting as a comment, the given ones live."""
    parts = [_HEADER]
    for section, meaning in SECTIONS.items():
        # What a vault cannot decide does not stand in its file either, not even as a comment.
        rows = [_row(row, given.get(row.name)) for row in TABLE if row.section == section and not row.personal]
        if rows:
            parts.append(f"\n# {meaning}\n[{section}]\n" + "".join(rows))
    return "".join(parts)


def _row(row: Setting, value: Value | None) -> str:
    line = f"{row.key} = {as_toml(row.default if value is None else value)}"
    return f"# {row.help}\n{'# ' if value is None else ''}{line}\n"


def load(path: Path, *, personal: bool) -> dict[str, Value | Kind]:
    """The settings and kinds that a file sets; a missing file sets none."""
    if not path.exists():
        return {}
    try:
        tree = _tree(files.read(path))
    except ValueError as error:  # no TOML, or no text
        raise BadConfigFile(path=path, reason=error) from None
    return read_table(tree, where=str(path), personal=personal)


@lru_cache(maxsize=16)  # who stays opens the same vaults again and again
def _tree(data: bytes) -> Mapping[str, object]:
    if _NOTHING_SET.fullmatch(data):
        return {}
    import tomllib  # most vaults live with the defaults

    return tomllib.loads(data.decode("utf-8-sig"))


def from_environment(environment: Mapping[str, str]) -> dict[str, Value]:
    """Settings given as MEMVAULT_SECTION_KEY."""
    return {
        row.name: row.from_text(environment[name], where=f"the environment ({name})")
        for name, row in _variables().items()
        if name in environment
    }


@lru_cache(maxsize=1)
def _variables() -> Mapping[str, Setting]:
    return {f"MEMVAULT_{name.replace('.', '_').upper()}": row for name, row in SETTINGS.items()}


def changed(text: str, row: Setting, value: Value | None) -> str:
    """The file's text with one setting set, or taken back to its default where the value is None."""
    lines = text.splitlines(keepends=True)
    start, end = _section(lines, row.section)
    commented = None if value is None else f"{row.key} = {as_toml(value)}\n"
    if start is None:
        return text if commented is None else _with_new_section(text, row.section, commented)
    live = re.compile(rf"\s*{re.escape(row.key)}\s*=")
    idle = re.compile(rf"\s*#\s*{re.escape(row.key)}\s*=")
    for pattern in (live, idle):
        for number in range(start, end):
            if pattern.match(lines[number]):
                lines[number] = commented or f"# {row.key} = {as_toml(row.default)}\n"
                return "".join(lines)
    if commented is not None:
        lines.insert(start, commented)
    return "".join(lines)


def _section(lines: list[str], name: str) -> tuple[int | None, int]:
    header = re.compile(r"\s*\[([^\[\]]+)\]")
    start = None
    for number, line in enumerate(lines):
        found = header.match(line)
        if found and start is not None:
            return start, number
        if found and found[1].strip() == name:
            start = number + 1
    return start, len(lines)


def _with_new_section(text: str, section: str, line: str) -> str:
    gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}[{section}]\n{line}"
