"""The parts of docs/settings.md and docs/errors.md that come from the code. `python -m tests.docs.tables --write` renews them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping
from inspect import getclosurevars
from pathlib import Path

from memvault import errors
from memvault.core.settings import to_toml
from memvault.core.settings.table import PROFILES, SECTIONS, SETTING_ROWS, SetBy, Setting
from memvault.errors import external

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "settings.md", DOCS / "errors.md")

ERRORS = {
    error.__name__: error
    for error in (*vars(errors).values(), *vars(external).values())
    if isinstance(error, type) and issubclass(error, errors.MemvaultError) and error is not errors.MemvaultError
}
_SET_BY: Mapping[SetBy, str] = {"vault": "vault", "person": "you", "machine": "machine"}
_BLOCK = re.compile(r"<!-- from the code: (?P<what>[\w -]+) -->\n.*?<!-- end -->", re.DOTALL)


def renewed(page: str) -> str:
    """The page with every part that comes from the code as the code has it now."""
    return _BLOCK.sub(
        lambda found: f"<!-- from the code: {found['what']} -->\n{_part(found['what'])}\n<!-- end -->", page
    )


def _part(what: str) -> str:
    return {"settings": settings, "profiles": profiles, "errors": messages}[what]()


def settings() -> str:
    """Every section of the settings: what it is about, and its rows."""
    return "\n\n".join(map(_section, SECTIONS))


def _section(name: str) -> str:
    """The heading, what the section is about with who may set it, unless that is the vault, and its rows."""
    rows = [row for row in SETTING_ROWS if row.section == name]
    usual = Counter(row.set_by for row in rows).most_common(1)[0][0]
    lines = [_row(row, "" if row.set_by == usual else f". Set by: {_SET_BY[row.set_by]}") for row in rows]
    said = "" if usual == "vault" else f" Set by: {_SET_BY[usual]}."
    return "\n".join([f"### {name}", "", f"{SECTIONS[name]}{said}", "", *lines])


def _row(row: Setting, remark: str) -> str:
    range_ = f" ({text})" if (text := _range(row)) else ""
    return f"- `{row.name}` = `{to_toml(row.default)}`: {row.help}{range_}{remark}"


def _range(row: Setting) -> str:
    bounds = getclosurevars(row.check).nonlocals
    if "options" in bounds:
        unnamed = [option for option in bounds["options"] if option not in row.help]
        return ", ".join(f"`{option}`" for option in bounds["options"]) if unnamed else ""
    return f"{bounds['low']:,} to {bounds['high']:,}" if "low" in bounds else ""


def profiles() -> str:
    """What each profile sets."""
    rows = [f"| `{name}` | {_given(name)} |" for name in PROFILES]
    return "\n".join(["| profile | sets |", "|---|---|", *rows])


def _given(name: str) -> str:
    return ", ".join(f"`{key} = {to_toml(value)}`" for key, value in PROFILES[name].items()) or "nothing: the defaults"


def messages() -> str:
    """Every error: its name, the exit code, and what a person reads; the hint stands below it when it happens."""
    rows = [f"- `{name}` ({error.exit_code}): {_text(error.sentence)}" for name, error in ERRORS.items()]
    return "\n".join(rows)


def _text(sentence: str) -> str:
    """A sentence with its blanks named."""
    named = re.sub(r"\{(\w+)[^}]*\}(?:\{\w+\})*", lambda found: found[1].upper(), sentence)
    return named.replace("\n", " ")


if __name__ == "__main__":
    for path in PAGES:
        written = path.read_text(encoding="utf-8")
        if "--write" in sys.argv:
            path.write_text(renewed(written), encoding="utf-8")
        elif renewed(written) != written:
            sys.exit(f"{path.name} is behind the code; python -m tests.docs.tables --write renews it")
