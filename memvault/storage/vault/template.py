"""What a new vault is laid down from: the template folder, and the sample memories."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from pathlib import Path

import frontmatter as python_frontmatter

from memvault.core.ids import derived_id
from memvault.storage import frontmatter
from memvault.storage.frontmatter import Plain, Setting
from memvault.text.dates.dates import write_moment

_RELATIVE = frozenset({"created", "last_accessed", "due", "completed_at", "last_used_at", "expires_at", "cleared_at"})


def parts() -> Iterator[tuple[str, bytes]]:
    """Every file of the template, with its path in the vault."""
    yield from _below(_root(), "")


def _root() -> Traversable:
    shipped = package_files("memvault") / "_vault_template"
    # An editable install reads the checkout: the wheel's copy is made only when a wheel is built.
    return shipped if shipped.is_dir() else Path(__file__).resolve().parents[3] / "vault_template"


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def samples(now: datetime, *, vault_id: str) -> Iterator[tuple[str, bytes]]:
    """A dozen memories of all kinds, dated from now, with their paths in the standard layout."""
    for path, data in _below(package_files("memvault.storage.vault") / "sample", ""):
        if path.endswith(".md"):
            yield path, _dated(data, now, derived_id(vault_id, f"sample:{path}"))


def _dated(data: bytes, now: datetime, memory_id: str) -> bytes:
    """Our own files, so python-frontmatter may read them; what is written goes through our own hand."""
    post = python_frontmatter.loads(data.decode())
    fields: dict[str, Setting] = {"id": memory_id}
    for name, value in post.metadata.items():
        fields[name] = _moment(str(value), now) if name in _RELATIVE else _setting(value)
    return frontmatter.compose(fields, post.content)


def _moment(text: str, now: datetime) -> Plain:
    days = float(text.removesuffix("d"))
    return Plain(write_moment((now + timedelta(days=days)).astimezone(UTC)))


def _setting(value: object) -> Setting:
    match value:
        case bool():
            return Plain("true" if value else "false")
        case int() | float():
            return Plain(str(value))
        case list():
            return [str(item) for item in value]
        case dict():
            return {str(name): _setting(part) for name, part in value.items()}
        case _:
            return str(value)
