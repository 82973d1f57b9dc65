"""The shape of the house, held to: imports only go down, nobody imports in a circle, one hand writes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import memvault

PACKAGE = Path(memvault.__file__).parent

# The floors from the ground up. A floor may import itself and whatever is below it.
FLOORS = (
    "errors",
    "text",
    "core",
    "system",
    "models",
    "storage",
    "extensions",
    "open_vault",
    "recall",
    "memories",
    "capture",
    "transcripts",
    "context",
    "privacy",
    "transfer",
    "sync",
    "maintenance",
    "team",
    "agents",
    "api",
    "web",
    "daemon",
    "cli",
    "__main__",
)
FLOOR = {name: number for number, name in enumerate(FLOORS)}

# Imports that go up. This list may only shrink.
UPWARD: Mapping[str, tuple[str, ...]] = {}

# What speaks the protocol for agents, and what comes with that; what serves the page.
MCP = frozenset({"mcp", "mcp_types", "pydantic"})
SERVING = frozenset({"uvicorn", "starlette", "anyio", "h11"})
PAGE = frozenset({"jinja2", "markupsafe", "markdown_it"})

# Other people's packages, each with the one place that may import it.
SEAMS: Mapping[str, tuple[str, ...]] = {
    "frontmatter": ("memvault.storage.vault.create",),
    "model2vec": ("memvault.models.embeddings",),
    "numpy": ("memvault.models.embeddings", "memvault.storage.index"),
    "jwt": ("memvault.team",),
    "pathspec": ("memvault.storage.vault",),
    "psycopg": ("memvault.team",),
    "pyrage": ("memvault.system.age",),
    "rich": ("memvault.cli",),
    "typer": ("memvault.cli",),
    "watchdog": ("memvault.daemon.notify",),
    "whoosh": ("memvault.storage.index.postings",),
    "yaml": ("memvault.storage.frontmatter",),
    **dict.fromkeys(MCP, ("memvault.agents.mcp",)),
    **dict.fromkeys(SERVING, ("memvault.agents.mcp", "memvault.team", "memvault.web")),
    **dict.fromkeys(PAGE, ("memvault.web",)),
}


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(source(path))


@cache
def parts(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a module, walked through once for all tests."""
    return tuple(ast.walk(tree(path)))


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in parts(path) if isinstance(node, ast.Call))


@pytest.fixture(scope="module", autouse=True)
def trees_are_let_go() -> Iterator[None]:
    """So many small things would slow down every test that follows."""
    yield
    for kept in (imports, parts, tree, source):
        kept.cache_clear()


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "memvault"


def is_in(module: str, places: tuple[str, ...]) -> bool:
    return any(f"{module}.".startswith(f"{place}.") for place in places)


@cache
def imports(path: Path) -> tuple[tuple[str, ast.stmt], ...]:
    """Every imported module: deferred imports and those for the type checker, too."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    for node in parts(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((target, node) for target in _targets(node))


def _targets(node: ast.ImportFrom) -> Iterator[str]:
    assert node.level == 0, "imports are absolute"
    assert node.module
    for alias in node.names:
        inner = PACKAGE.parent / Path(*node.module.split("."), alias.name)
        yield f"{node.module}.{alias.name}" if inner.with_suffix(".py").exists() or inner.is_dir() else node.module


def test_every_folder_has_its_floor() -> None:
    found = {floor_of(name_of(path)) for path in modules()} - {"memvault"}
    assert found == set(FLOORS)


def test_imports_only_go_down() -> None:
    rising = {
        (name_of(path), target)
        for path in modules()
        for target, _ in imports(path)
        if _is_rising(floor_of(name_of(path)), target)
    }
    listed = {(module, target) for module, targets in UPWARD.items() for target in targets}
    assert sorted(rising - listed) == [], "these go up"
    assert sorted(listed - rising) == [], "these go up no more: take them off the list"


def _is_rising(floor: str, target: str) -> bool:
    if floor == "memvault" or not target.startswith("memvault."):
        return False
    return FLOOR[floor_of(target)] > FLOOR[floor]


def test_other_peoples_packages_stay_behind_their_seams() -> None:
    astray = [
        f"{name_of(path)}:{node.lineno} imports {target}"
        for path in modules()
        for target, node in imports(path)
        if target.partition(".")[0] in SEAMS and not is_in(name_of(path), SEAMS[target.partition(".")[0]])
    ]
    assert astray == []


def test_what_speaks_mcp_stays_behind_its_door() -> None:
    speaking = {name_of(path) for path in modules() for name, _ in imports(path) if name.partition(".")[0] in MCP}
    assert speaking
    assert [module for module in speaking if not is_in(module, ("memvault.agents.mcp",))] == []


def test_interfaces_other_than_the_command_line_know_nothing_of_each_other() -> None:
    """The command line starts them; neither of them knows the other."""
    pairs = {(floor_of(name_of(path)), floor_of(target)) for path in modules() for target, _ in imports(path)}
    assert not {("web", "daemon"), ("daemon", "web"), ("web", "cli"), ("daemon", "cli")} & pairs


def test_no_module_imports_in_a_circle() -> None:
    """Nor do types: what is imported for the type checker counts. `memvault` itself only names what it offers."""
    graph = {name_of(path): {target for target, _ in imports(path)} for path in modules()}
    del graph["memvault"]
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail[trail.index(module) :], module))
        if module in done or module not in graph:
            return
        for target in sorted(graph[module] - {module}):
            visit(target, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


CLOCKS = {"now", "utcnow", "today", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter"}
# Each with its reason: waiting and the file system's own stamps are about the machine, not about memories.
MAY_READ_A_CLOCK = (
    "memvault.agents",
    "memvault.cli",
    "memvault.daemon",
    "memvault.models.llm.ask",
    "memvault.open_vault",
    "memvault.storage.index",
    "memvault.storage.journal.recover",
    "memvault.system.daemon",
    "memvault.system.files",
    "memvault.web",
)


def test_the_hall_has_the_only_clock() -> None:
    readers = {name_of(path): [node.lineno for node in calls(path) if _reads_a_clock(node)] for path in modules()}
    found = {module: lines for module, lines in readers.items() if lines}
    assert found
    assert {module: lines for module, lines in found.items() if not is_in(module, MAY_READ_A_CLOCK)} == {}


def _reads_a_clock(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in CLOCKS:
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id in {"datetime", "date", "time"}


WRITING_MODES = set("wax+")
# The editor gets a private copy; what is printed goes to a stream that is opened anew.
MAY_OPEN_FOR_WRITING = ("memvault.system.files", "memvault.system.programs", "memvault.cli.main")


def test_files_is_the_only_room_that_opens_for_writing() -> None:
    writing = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        if not is_in(name_of(path), MAY_OPEN_FOR_WRITING)
        for node in calls(path)
        if _writes(node)
    ]
    assert writing == []


def _writes(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in {"write_bytes", "write_text"}:
        return True
    has_mode = name == "open" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    return has_mode and bool(WRITING_MODES & set(str(node.args[1].value)))  # type: ignore[attr-defined]


def functions() -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    found = []
    for path in modules():
        for node in parts(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append((f"{name_of(path)}.{node.name}", node))
    return found


def test_functions_are_short() -> None:
    lengths = sorted((node.end_lineno or 0) - node.lineno + 1 for _, node in functions())
    assert lengths[int(len(lengths) * 0.9)] <= 28
    longest = [(name, n) for name, node in functions() if (n := (node.end_lineno or 0) - node.lineno + 1) > 60]
    assert not longest


def test_every_module_says_in_one_line_what_it_is() -> None:
    for path in modules():
        doc = ast.get_docstring(tree(path))
        assert doc, f"{name_of(path)} has no docstring"
        first = doc.splitlines()[0]
        assert first.endswith((".", "?")), f"{name_of(path)}: {first!r}"
        assert len(first) <= 140


def test_files_are_small_enough_to_read_at_once() -> None:
    long = {name_of(path): n for path in modules() if (n := len(source(path).splitlines())) > 480}
    assert not long


# A listing shows the architecture. Tables of rows may be a little longer than other folders.
MOST_ENTRIES, MOST_AT_THE_TOP, MOST_ROWS = 14, 26, 16
ROWS = {"cli", "core/kinds", "transcripts/formats", "transfer/importers", "models/llm"}


def is_in_use(entry: Path) -> bool:
    """Return whether an entry is more than the compiled rest of a folder that is no more."""
    return entry.is_file() or any(each.name != "__pycache__" for each in entry.iterdir())


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    full = {}
    for folder in {path.parent for path in modules()}:
        name = folder.relative_to(PACKAGE).as_posix()
        most = MOST_AT_THE_TOP if name == "." else MOST_ROWS if name in ROWS else MOST_ENTRIES
        entries = [entry for entry in folder.iterdir() if entry.name != "__pycache__" and is_in_use(entry)]
        if len(entries) > most:
            full[name] = len(entries)
    assert not full


# Names. A class is found by its name alone, and a function says what it does to what.

MOST_ONE_WORD = 0.2
METAPHORS = frozenset(
    {
        *(
            "bench",
            "desk",
            "door",
            "doorstep",
            "dress",
            "ear",
            "eyes",
            "hall",
            "house",
            "lookout",
            "neighbour",
            "porter",
        ),
        *("shelf", "strand", "veil"),
    }
)
BARE_PARTICIPLES = frozenset(
    {
        *("asked", "attended", "carried", "drawn", "dug", "found", "gathered", "given", "held", "kept", "laid", "made"),
        *("said", "seen", "settled", "shown", "spoken", "taken", "told", "worked_out", "written"),
    }
)


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for path in modules():
        for node in parts(path):
            if isinstance(node, ast.ClassDef):
                yield name_of(path), node


def test_a_class_name_stands_once_in_the_house() -> None:
    homes: dict[str, list[str]] = {}
    for module, node in classes():
        homes.setdefault(node.name, []).append(module)
    assert {name: homes for name, homes in homes.items() if len(homes) > 1} == {}


def test_most_functions_are_named_with_a_verb_and_a_noun() -> None:
    names = [node.name.strip("_") for _, node in functions() if not node.name.startswith("__")]
    assert sum("_" not in name for name in names) <= MOST_ONE_WORD * len(names)


def test_no_function_or_class_is_named_by_a_metaphor_or_a_bare_participle() -> None:
    def is_bad(name: str) -> bool:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_")
        return words in BARE_PARTICIPLES or not METAPHORS.isdisjoint(words.split("_"))

    named = {f"{module}: {node.name}" for module, node in [*functions(), *classes()] if is_bad(node.name)}
    kept = {name for name in named if name.startswith("memvault.errors.")}  # a code that programs know
    assert named - kept == set()
