"""The schema, as its text stands: what Citus would need, and that no SQL is put together from what a caller gave."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import memvault.team
from memvault.team.engines.schema import DISTRIBUTED, MIGRATIONS, PARTITIONS

FOLDER = Path(memvault.team.__file__).parent
TEXT = "\n".join(MIGRATIONS.values())
RUNS = {"execute", "executemany", "copy", "stream"}


def test_every_key_of_a_distributed_table_begins_with_the_vault() -> None:
    for table in DISTRIBUTED:
        (body,) = re.findall(rf"create table {table} \((.*?)\) partition by hash \(vault\);", TEXT, re.DOTALL)
        assert re.search(r"primary key \(vault, ", body), table
        assert "unique" not in body
        assert "references" not in body


def test_every_distributed_table_has_all_its_partitions() -> None:
    for table in DISTRIBUTED:
        assert len(re.findall(rf"partition of {table} for values with \(modulus {PARTITIONS}, ", TEXT)) == PARTITIONS


def test_every_function_pins_what_it_looks_in_and_who_may_call_it() -> None:
    definers = re.findall(r"create function (\w+)\(.*?\$\$", TEXT, re.DOTALL)
    pinned = re.findall(
        r"create function (\w+)\([^$]*?security definer set search_path = memvault, pg_temp[a-z_= \n]* as \$\$", TEXT
    )
    assert set(definers) - set(pinned) == {"lexeme", "audit_line", "reader_names"}, "these touch no table"
    assert "revoke all on all functions in schema memvault from public" in TEXT


def test_all_sql_is_fixed_text_with_parameters() -> None:
    """What is executed is a literal, or a constant of its module."""
    found = []
    for path in sorted(FOLDER.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in RUNS:
                found += [f"{path.name}:{call.lineno}" for text in call.args[:1] if not _is_fixed(text, tree)]
    assert found == []


def _is_fixed(text: ast.expr, tree: ast.Module) -> bool:
    match text:
        case ast.Constant():
            return True
        case ast.Name(id=name):  # a constant, or a local that is one of them
            return name.isupper() or all(_is_fixed(value, tree) for value in _values_of(name, tree))
        case ast.JoinedStr(values=parts):
            return all(isinstance(part, ast.Constant) or _is_name(part) for part in parts)
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Name(id="MIGRATIONS")))):
            return True
        case ast.Tuple(elts=items):
            return all(_is_fixed(item.value if isinstance(item, ast.Starred) else item, tree) for item in items)
        case _:
            return False


def _is_name(part: ast.expr) -> bool:
    return isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) and part.value.id.isupper()


def _values_of(name: str, tree: ast.Module) -> list[ast.expr]:
    values: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == name:
                values.append(value)
            case ast.For(target=ast.Name(id=own), iter=each) if own == name:
                values.append(each)
            case ast.comprehension(target=ast.Name(id=own), iter=each) if own == name:
                values.append(each)
    return values or [ast.Set(elts=[])]
