"""Settings on disk: read from TOML, and written by changing one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from memvault.core.settings import (
    SETTINGS,
    PersonSettings,
    VaultSettings,
    read_person_settings,
    read_vault_settings,
    to_toml,
)
from memvault.core.settings.table import SECTIONS, SETTING_ROWS, VAULT, Setting, Value
from memvault.errors import BadConfigFile
from memvault.system import files

_HEADER = """\
# memvault: the settings of this vault.
# Every setting that a vault may have stands here as a comment with its default; remove the `# ` to change one.
# What is not set follows the program's defaults, also when they improve.
# All other settings are yours: `memvault config NAME VALUE` writes them to your own config.
"""

# Comments, empty lines and plain section headers: what a new vault's file consists of.
_NOTHING_SET = re.compile(rb"(?:[ \t]*(?:#[^\r\n\x00-\x08]*|\[[a-z_]+\])?\r?\n)*")


def config_template(given: Mapping[str, Value]) -> str:
    """Return a whole memvault.toml: every setting a vault may have as a comment, the given ones set."""
    parts = [_HEADER]
    for section, meaning in SECTIONS.items():
        # Settings that a vault may not set are not in its file, not even as comments.
        rows = [row for row in SETTING_ROWS if row.section == section and row.set_by == VAULT]
        parts += [f"\n# {meaning}\n[{section}]\n"] if rows else []
        for row in rows:
            value = given.get(row.name)
            line = f"# {row.key} = {to_toml(row.default)}" if value is None else f"{row.key} = {to_toml(value)}"
            parts.append(f"# {row.help}\n{line}\n")
    return "".join(parts)


def load_vault_settings(path: Path) -> VaultSettings:
    """Read a vault's file; a missing one sets nothing."""
    tree = _load_tree(path)
    return read_vault_settings(tree, where=str(path)) if tree else VaultSettings()


def load_person_settings(path: Path) -> PersonSettings:
    """Read a person's own config; a missing one sets nothing."""
    tree = _load_tree(path)
    return read_person_settings(tree, where=str(path)) if tree else PersonSettings()


def _load_tree(path: Path) -> Mapping[str, object]:
    if not path.exists():
        return {}
    try:
        return _parse_tree(files.read_file(path))
    except ValueError as error:  # no TOML, or no text
        raise BadConfigFile(path=path, reason=error) from None


@lru_cache(maxsize=16)  # a process that runs on opens the same vaults repeatedly
def _parse_tree(data: bytes) -> Mapping[str, object]:
    if _NOTHING_SET.fullmatch(data):
        return {}
    import tomllib  # deferred: most vaults have only defaults

    return tomllib.loads(data.decode("utf-8-sig"))


def from_environment(environment: Mapping[str, str]) -> dict[str, Value]:
    """Return the settings given as MEMVAULT_SECTION_KEY."""
    return {
        row.name: row.from_text(environment[name], where=f"the environment ({name})")
        for name, row in _variable_rows().items()
        if name in environment
    }


@lru_cache(maxsize=1)
def _variable_rows() -> Mapping[str, Setting]:
    return {f"MEMVAULT_{name.replace('.', '_').upper()}": row for name, row in SETTINGS.items()}


def change_setting(text: str, row: Setting, value: Value | None, *, vault_id: str = "") -> str:
    """Return the file's text with one setting set, or taken back to its default where the value is None.

    With `vault_id` it is the setting for that vault in a person's config.
    """
    line = None if value is None else f"{row.key} = {to_toml(value)}\n"
    section = section_for_vault(vault_id, row.section) if vault_id else row.section
    return _with_line(text, section, row.key, line, idle=f"# {row.key} = {to_toml(row.default)}\n")


def mark_answered(text: str, vault_id: str) -> str:
    """Return the text of a person's config with the note that they were asked about a vault's settings."""
    return _with_line(text, section_for_vault(vault_id), "asked", "asked = true\n", idle="")


def section_for_vault(vault_id: str, section: str = "") -> str:
    """Return the name of the table in a person's config that holds for one vault."""
    return f'vaults."{vault_id}".{section}' if section else f'vaults."{vault_id}"'


def _with_line(text: str, section: str, key: str, line: str | None, *, idle: str) -> str:
    lines = text.splitlines(keepends=True)
    start, end = _find_section(lines, section)
    if start is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return text if line is None else f"{text}{gap}[{section}]\n{line}"
    for pattern in (re.compile(rf"\s*{re.escape(key)}\s*="), re.compile(rf"\s*#\s*{re.escape(key)}\s*=")):
        for number in range(start, end):
            if pattern.match(lines[number]):
                lines[number] = line or idle
                return "".join(lines)
    if line is not None:
        lines.insert(start, line)
    return "".join(lines)


def _find_section(lines: list[str], name: str) -> tuple[int | None, int]:
    header = re.compile(r"\s*\[([^\[\]]+)\]")
    wanted, start = _bare_name(name), None
    for number, line in enumerate(lines):
        found = header.match(line)
        if found and start is not None:
            return start, number
        if found and _bare_name(found[1]) == wanted:
            start = number + 1
    return start, len(lines)


def _bare_name(header: str) -> str:
    """Return a table's name without the blanks and quotes that TOML allows in it."""
    return re.sub(r"[\s\"']", "", header)
