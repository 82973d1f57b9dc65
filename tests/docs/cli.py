"""The parts of docs/cli.md that come from the code: groups, usages, options. `python -m tests.docs.cli --write` renews them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from memvault.cli.commands import COMMANDS, GROUPS, HEADINGS
from memvault.cli.options import COMMON_OPTIONS, Argument, Option

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
# What comes from the code ends with a mark. It begins with a mark that names it, or with the heading of a command.
_BLOCK = re.compile(
    r"^(?:### (?P<name>[a-z -]+)\n|<!-- from the code: (?P<what>[a-z ]+) -->\n).*?<!-- end -->",
    re.DOTALL | re.MULTILINE,
)


def renewed(page: str) -> str:
    """The page with every part that comes from the code as the code has it now."""
    return _BLOCK.sub(_block, page)


def _block(found: re.Match[str]) -> str:
    if name := found["name"]:
        return f"### {name}\n\n{usage(name)}\n<!-- end -->"
    text = {"commands": commands, "common options": common, "shared options": shared}[found["what"]]()
    return f"<!-- from the code: {found['what']} -->\n{text}\n<!-- end -->"


def commands() -> str:
    """Every command, by group."""
    return "\n".join(f"- [{group}](#{_anchor(group)}): {_of_group(group)}" for group in (*HEADINGS, *GROUPS))


def _of_group(group: str) -> str:
    return ", ".join(name.removeprefix(f"{group} ") for name, row in COMMANDS.items() if row.group == group)


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def common() -> str:
    """The options that every command has."""
    return _list(_row(kind.__metadata__[0]) for kind, _ in COMMON_OPTIONS.values())


def shared() -> str:
    """The options that several commands have, in the same words."""
    return _list(_shared_rows())


def usage(name: str) -> str:
    """What one command does, how it is called where that is more than its name, its arguments, its options."""
    row = COMMANDS[name]
    infos = _infos(name)
    arguments = [_argument(part, info) for part, info in infos if isinstance(info, Argument)]
    options = [_row(info) for _, info in infos if isinstance(info, Option)]
    call = " ".join(["memvault", name, *arguments])
    rows = [(f"`{info.rest.get('metavar')}`", info.rest["help"]) for _, info in infos if isinstance(info, Argument)]
    in_common = _shared_rows()
    listed = _list([*(one for one in rows if one[0] != "`MEMORY`"), *(one for one in options if one not in in_common)])
    names = sorted({_first(row) for row in options if row in in_common} - {"--dry-run"})
    also = ", ".join(f"`{one}`" for one in names)
    return "\n\n".join(filter(None, (row.help, arguments and f"`{call}`", listed, also and f"Shared options: {also}.")))


def options_of(name: str) -> set[str]:
    """Every name by which one command has an option."""
    return {
        each for _, info in _infos(name) if isinstance(info, Option) for word in info.names for each in word.split("/")
    }


def _first(row: tuple[str, str]) -> str:
    """The first name in a row: `--limit` of "`--limit N`, `-n N`"."""
    return row[0].strip("`").split("`")[0].split()[0]


def _infos(name: str) -> list[tuple[Parameter, Any]]:
    parameters = signature(COMMANDS[name].load_function(), eval_str=True).parameters.values()
    return [(part, part.annotation.__metadata__[0]) for part in parameters if part.name != "cli"]


@cache
def _shared_rows() -> tuple[tuple[str, str], ...]:
    """The rows that three commands or more have, those of most commands first."""
    rows = Counter(_row(info) for name in COMMANDS for _, info in _infos(name) if isinstance(info, Option))
    return tuple(row for row, count in rows.most_common() if count >= 3)


def _argument(part: Parameter, info: Any) -> str:
    several = "..." if "list" in str(part.annotation) else ""
    return (
        f"{info.rest['metavar']}{several}"
        if part.default is Parameter.empty
        else f"[{info.rest.get('metavar')}{several}]"
    )


def _row(info: Any) -> tuple[str, str]:
    names = info.names
    value = f" {info.rest.get('metavar')}" if info.rest.get("metavar") else ""
    return ", ".join(f"`{name}{value}`" for name in names), info.rest["help"]


def _list(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {names}: {meaning}" for names, meaning in rows)


def sections(page: str) -> Iterator[tuple[str, str]]:
    """The sections of the page that are named after a command, with their text."""
    for part in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        yield title.strip(), text.partition("\n## ")[0]


if __name__ == "__main__":
    written = PAGE.read_text(encoding="utf-8")
    if "--write" in sys.argv:
        PAGE.write_text(renewed(written), encoding="utf-8")
    elif renewed(written) != written:
        sys.exit("docs/cli.md is behind the code; python -m tests.docs.cli --write renews it")
