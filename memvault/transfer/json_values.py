"""Values as `--json` prints them: plain data under stable names, dates in UTC, one envelope."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum

from memvault.core.memory import Memory
from memvault.errors import MemvaultError
from memvault.text.dates.dates import write_moment
from memvault.text.display import neutralize_json

SCHEMA = 1
_NOT_FLATTENED = frozenset({"body", "half_life", "more", "stated", "theirs"})


def memory_to_json(value: Memory, *, body: bool = False) -> dict[str, object]:
    """Return a memory under the names of its frontmatter, with its place; its text only when asked for."""
    own = {row.name: to_json(getattr(value, row.name)) for row in fields(value) if row.name not in _NOT_FLATTENED}
    more = {name: to_json(part) for name, part in sorted(value.more.items()) if name not in own}
    text = {"body": value.body or ""} if body else {}
    return {**own, "tier": value.tier, "name": value.name, "source": value.source, **more, **text}


def to_json(value: object) -> object:
    """Return any value as JSON knows it; a dataclass becomes an object with its field names."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Memory():
            return memory_to_json(value)
        case datetime():
            return write_moment(value)
        case Enum():
            return value.value
        case Mapping():
            return {str(name): to_json(part) for name, part in value.items()}
        case list() | tuple() | frozenset():
            return [to_json(part) for part in value]
        case _ if hasattr(value, "to_json"):
            return to_json(value.to_json())
        case _ if is_dataclass(value):
            shown = ((row, getattr(value, row.name)) for row in fields(value) if not row.metadata.get("inner"))
            return {
                row.name: to_json(part) for row, part in shown if part is not None or "optional" not in row.metadata
            }
        case _:
            return str(value)


def success_envelope(command: str, result: object, warnings: Sequence[str] = ()) -> dict[str, object]:
    """Return the envelope of a result."""
    return {"memvault": SCHEMA, "command": command, "ok": True, "result": to_json(result), "warnings": list(warnings)}


def error_envelope(command: str, error: MemvaultError, *, hint: str = "") -> dict[str, object]:
    """Return the envelope of an error."""
    details = {"code": error.code, "message": str(error), "hint": hint or error.advice, "exit_code": error.exit_code}
    return {"memvault": SCHEMA, "command": command, "ok": False, "error": details}


def to_json_line(value: object, *, ascii_only: bool) -> str:
    """Return the value as JSON on one line, in pure ASCII for a reader that may take nothing else."""
    return neutralize_json(json.dumps(to_json(value), ensure_ascii=ascii_only, separators=(", ", ": ")))


def to_json_page(value: object, *, ascii_only: bool) -> str:
    """Return the value as JSON on several lines, for a person to read and a program to parse."""
    return neutralize_json(json.dumps(to_json(value), ensure_ascii=ascii_only, indent=2))
