"""The page on the architecture: its tree is that of the package, and every row of "where a new … goes" is true."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.docs.tables import ERRORS
from tests.test_architecture import FLOORS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "memvault"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| `(\w+)` in `([\w/]+\.py)` \| ([^|]+) \|$", PAGE, re.MULTILINE)


def module_of(path: str) -> str:
    """The name of the module in a file below `memvault/`."""
    return "memvault." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def in_page(name: str, words: Iterable[str]) -> bool:
    """Whether a page of the manual has all of the words as code."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    return all(f"`{word}`" in text or f"`{word} " in text for word in words)


def in_folder(folder: str, things: Iterable[Any]) -> bool:
    """Whether all of the functions or classes come from modules of a folder."""
    return all(thing.__module__.startswith(module_of(folder)) for thing in things)


def files(folder: str) -> set[str]:
    return {path.stem for path in (PACKAGE / folder).iterdir() if path.suffix in (".py", ".txt")}


def has_command(row: Any) -> bool:
    return callable(row.load_function()) and bool(row.load_examples()) and "." in row.module


def has_hook(target: str) -> bool:
    module, _, name = target.partition(".")
    return callable(getattr(import_module(f"memvault.agents.hooks.{module}"), name))


def applied(table: Any) -> bool:
    source = (PACKAGE / "storage" / "journal" / "apply.py").read_text("utf-8")
    return all(re.search(rf"\b{one.__name__}\b", source) for one in get_args(table))


# What the third cell of a row says of all that the table has.
TRUE: dict[str, Callable[[Any], bool]] = {
    "command": lambda table: (
        all(map(has_command, table.values()))
        and set(table) <= set(re.findall(r"^### (.+)$", (ROOT / "docs" / "cli.md").read_text("utf-8"), re.MULTILINE))
    ),
    "setting": lambda table: in_page("settings.md", (row.name for row in table)),
    "error": lambda base: in_page("errors.md", ERRORS) and all(issubclass(one, base) for one in ERRORS.values()),
    "page": lambda table: (
        {row.view.partition(".")[0] for row in table} == files("web/views") - {"__init__"} and in_page("web.md", ())
    ),
    "frontmatter field": lambda table: in_page("format.md", (field.name for field in table)),
    "kind of memory": lambda table: set(table) <= files("core/kinds"),
    "card of the inbox": lambda table: (
        in_folder("maintenance/inbox", (kind.find for kind in table.values())) and in_page("cli.md", table)
    ),
    "maintenance rule": lambda table: (
        in_folder("maintenance/rules", (rule for _, rule in table))
        and in_page("maintenance.md", (name for name, _ in table))
    ),
    "decay model": lambda table: in_folder("core/weight", table.values()),
    "doctor check": lambda table: (
        in_folder("maintenance/doctor", (check for _, check in table))
        and in_page("errors.md", (name for name, _ in table))
    ),
    "scheduler": lambda table: set(table) <= files("maintenance/schedule"),
    "search backend": lambda table: set(table) <= files("storage/index/search"),
    "language model provider": lambda table: all(
        one in (ROOT / "docs" / "models.md").read_text("utf-8") for one in table
    ),
    "vector model": lambda table: set(table) <= files("models/embeddings"),
    "hook event": lambda table: all(map(has_hook, table.values())),
    "agent with hooks": lambda table: in_page("agents.md", table),
    "agent with MCP servers": lambda table: all(one in (ROOT / "docs" / "cli.md").read_text("utf-8") for one in table),
    "MCP tool": lambda table: in_page("agents.md", table),
    "spoken language": lambda table: set(table) <= files("agents/spoken/words") and len(table) > 5,
    "import source": lambda table: in_page("sync.md", table),
    "transcript format": lambda table: len(table) > 2 and len(files("transcripts/formats")) > 2,
    "format of a CLAUDE.md-like file": lambda table: in_page("agents.md", table),
    "shape of a secret": lambda table: len(table) > 50 and (ROOT / "tests" / "labelled" / "secrets.jsonl").exists(),
    "engine of shared vaults": lambda table: set(table) <= files("team/engines"),
    "kind of change": applied,
}


def test_the_tree_of_the_page_is_the_order_of_the_floors() -> None:
    listed = re.findall(r"^\| `(\w+)` \| [^|]+ \|$", PAGE.partition("## Invariants")[0], re.MULTILINE)
    assert listed == list(reversed(FLOORS))


def test_every_row_is_held_to() -> None:
    assert [name for name, *_ in ROWS] == list(TRUE)


@pytest.mark.parametrize(("name", "table", "file", "_and"), ROWS, ids=[row[0] for row in ROWS])
def test_a_new_thing_goes_where_the_row_says(name: str, table: str, file: str, _and: str) -> None:
    assert TRUE[name](getattr(import_module(module_of(file)), table))


def test_files_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+[\w-]+\.(?:py|md|txt))`", PAGE)) - {"models/llm/prompts/review-NAME.md"}
    assert [path for path in named if not (PACKAGE / path).exists() and not (ROOT / path).exists()] == []
