"""The parts of docs/settings.md and docs/errors.md that come from the code. `python -m tests.docs.tables --write` renews them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from inspect import getclosurevars
from pathlib import Path

from memvault import errors
from memvault.core.settings import PROFILES, SECTIONS, SETTING_ROWS, SetBy, Setting, to_toml
from memvault.core.settings.row import Check, check_folder, check_folder_or_top

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "settings.md", DOCS / "errors.md")

ERRORS = {
    error.__name__: error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, errors.MemvaultError) and error is not errors.MemvaultError
}
_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts"}
_SET_BY: Mapping[SetBy, str] = {"vault": "the vault, you", "person": "you", "machine": "you, for all vaults"}
_FOLDERS: dict[Check, str] = {
    check_folder: "a folder inside the vault",
    check_folder_or_top: "a folder inside the vault, or empty",
}
_BLOCK = re.compile(r"<!-- from the code: (?P<what>[\w -]+) -->\n.*?<!-- end -->", re.DOTALL)


def renewed(page: str) -> str:
    """The page with every part that comes from the code as the code has it now."""
    return _BLOCK.sub(
        lambda found: f"<!-- from the code: {found['what']} -->\n{_part(found['what'])}\n<!-- end -->", page
    )


def _part(what: str) -> str:
    if what in SECTIONS:
        return section(what)
    if what in ERRORS:
        return message(ERRORS[what])
    return {"profiles": profiles, "exit codes": exit_codes}[what]()


def section(name: str) -> str:
    """One section of the settings: what it is about, and its rows."""
    rows = [_row(row) for row in SETTING_ROWS if row.section == name]
    return "\n".join(
        [
            SECTIONS[name],
            "",
            "| setting | default | what it does | it may be | set by |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )


def _row(row: Setting) -> str:
    return f"| `{row.name}` | `{to_toml(row.default)}` | {row.help} | {_range(row)} | {_SET_BY[row.set_by]} |"


def _range(row: Setting) -> str:
    bounds = getclosurevars(row.check).nonlocals
    kind = _TYPES[type(row.default)]
    if "options" in bounds:
        return " or ".join(f"`{option}`" for option in bounds["options"])
    if "low" in bounds:
        return f"{kind} from {bounds['low']:,} to {bounds['high']:,}"
    return _FOLDERS.get(row.check, kind)


def profiles() -> str:
    """What each profile sets."""
    rows = [f"| `{name}` | {_given(name)} |" for name in PROFILES]
    return "\n".join(["| profile | sets |", "|---|---|", *rows])


def _given(name: str) -> str:
    return ", ".join(f"`{key} = {to_toml(value)}`" for key, value in PROFILES[name].items()) or "nothing: the defaults"


def message(error: type[errors.MemvaultError]) -> str:
    """What a person reads, and the exit code."""
    lines = [f"memvault: {error.sentence}", *([f"  {error.hint}"] if error.hint else [])]
    said = re.sub(r"\{(\w+)[^}]*\}", r"{\1}", "\n".join(lines))
    return f"```\n{said}\n[exit {error.exit_code}]\n```"


def exit_codes() -> str:
    """Which errors end with which exit code."""
    codes = sorted({error.exit_code for error in ERRORS.values()})
    return "\n".join(["| exit code | errors |", "|---|---|", *(f"| {code} | {_ending_with(code)} |" for code in codes)])


def _ending_with(code: int) -> str:
    named = (name for name, error in ERRORS.items() if error.exit_code == code)
    return ", ".join(f"[`{name}`](#{name.lower()})" for name in named)


if __name__ == "__main__":
    for path in PAGES:
        written = path.read_text(encoding="utf-8")
        if "--write" in sys.argv:
            path.write_text(renewed(written), encoding="utf-8")
        elif renewed(written) != written:
            sys.exit(f"{path.name} is behind the code; python -m tests.docs.tables --write renews it")
