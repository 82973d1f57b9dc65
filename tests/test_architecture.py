"""The shape of the house, held to: imports only go down, nobody imports in a circle, one hand writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import memvault

PACKAGE = Path(memvault.__file__).parent

# The rooms from the ground up. A room may import itself and whatever stands below it;
# rooms on one floor are strangers to one another.
FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"errors"}),
    frozenset({"core"}),
    frozenset({"files"}),
    frozenset({"vault", "index", "llm", "host", "render"}),
    frozenset({"verbs"}),
    frozenset({"api"}),
    frozenset({"resident"}),
    frozenset({"surfaces"}),
    frozenset({"__main__"}),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# What speaks the protocol for agents, and what comes with that.
MCP = frozenset({"mcp", "mcp_types", "pydantic", "uvicorn", "starlette", "anyio"})

OTHERS_PACKAGES_BY_ROOM = {
    "core": frozenset(),
    "errors": frozenset(),
    "files": frozenset(),
    "host": frozenset(),
    "render": frozenset(),
    "verbs": frozenset(),
    "api": frozenset(),
    "vault": frozenset({"yaml", "frontmatter", "pathspec", "pyrage"}),
    "index": frozenset({"whoosh", "numpy"}),
    "llm": frozenset({"numpy", "model2vec"}),
    "resident": frozenset({"watchdog"}),
    "surfaces": frozenset({"typer", "rich", *MCP}),
    "__main__": frozenset(),
}
OTHERS = frozenset().union(*OTHERS_PACKAGES_BY_ROOM.values())


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


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "memvault"


@cache
def imports(path: Path) -> tuple[tuple[str, ast.stmt, bool], ...]:
    """Every imported module, deferred ones too, and whether it is for the type checker alone."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, ast.stmt, bool]]:
    checking = {
        id(part)
        for node in parts(path)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for part in ast.walk(node)
    }
    for node in parts(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node, id(node) in checking) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((target, node, id(node) in checking) for target in _targets(node))


def _targets(node: ast.ImportFrom) -> Iterator[str]:
    assert node.level == 0, "imports are absolute"
    assert node.module
    for alias in node.names:
        inner = PACKAGE.parent / Path(*node.module.split("."), alias.name)
        yield f"{node.module}.{alias.name}" if inner.with_suffix(".py").exists() or inner.is_dir() else node.module


def test_imports_only_go_down() -> None:
    rising = [
        f"{module}:{node.lineno} imports {target}, which is not below it"
        for module, path in ((name_of(path), path) for path in modules())
        for target, node, _ in imports(path)
        if _is_rising(room_of(module), target)
    ]
    assert rising == []


def _is_rising(room: str, target: str) -> bool:
    if room == "memvault" or not target.startswith("memvault.") or room_of(target) == room:
        return False
    return FLOOR[room_of(target)] >= FLOOR[room]


def test_other_peoples_packages_stay_behind_their_seams() -> None:
    astray = [
        f"{name_of(path)}:{node.lineno} imports {target}"
        for path in modules()
        for target, node, _ in imports(path)
        if target.partition(".")[0] in OTHERS - OTHERS_PACKAGES_BY_ROOM.get(room_of(name_of(path)), frozenset())
    ]
    assert astray == []


def test_what_speaks_mcp_stays_behind_its_door() -> None:
    speaking = {name_of(path) for path in modules() for name, _, _ in imports(path) if name.partition(".")[0] in MCP}
    assert speaking
    assert [module for module in speaking if not module.startswith("memvault.surfaces.mcp.")] == []


def test_no_module_imports_in_a_circle() -> None:
    graph = {name_of(path): {t for t, _, checking in imports(path) if not checking} for path in modules()}
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
MAY_READ_A_CLOCK = {
    "memvault.api",
    "memvault.storage.journal.recover",
    "memvault.maintenance.doctor",
    "memvault.system.files",
    "memvault.index",
    "memvault.models.llm.ask",
    "memvault.resident",
    "memvault.surfaces",
}


def test_the_hall_has_the_only_clock() -> None:
    readers = {name_of(path): [node.lineno for node in calls(path) if _reads_a_clock(node)] for path in modules()}
    found = {module: lines for module, lines in readers.items() if lines}
    assert found
    allowed = {module for module in found for known in MAY_READ_A_CLOCK if f"{module}.".startswith(f"{known}.")}
    assert {module: lines for module, lines in found.items() if module not in allowed} == {}


def _reads_a_clock(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in CLOCKS:
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id in {"datetime", "date", "time"}


WRITING_MODES = set("wax+")


def test_files_is_the_only_room_that_opens_for_writing() -> None:
    writing = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        # The editor gets a private copy.
        if room_of(name_of(path)) not in {"files", "surfaces"} and name_of(path) != "memvault.system.programs"
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
    longest = [(name, n) for name, node in functions() if (n := (node.end_lineno or 0) - node.lineno + 1) > 48]
    assert not longest


def test_every_module_says_in_one_line_what_it_is() -> None:
    for path in modules():
        doc = ast.get_docstring(tree(path))
        assert doc, f"{name_of(path)} has no docstring"
        first = doc.splitlines()[0]
        assert first.endswith((".", "?")), f"{name_of(path)}: {first!r}"
        assert len(first) <= 140


def test_files_are_small_enough_to_read_at_once() -> None:
    long = {name_of(path): n for path in modules() if (n := len(source(path).splitlines())) > 380}
    assert not long
