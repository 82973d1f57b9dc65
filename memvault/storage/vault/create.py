"""Lay down a new vault, or adopt a folder of notes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from pathlib import Path

import frontmatter as python_frontmatter

from memvault.core.ids import derived_id
from memvault.core.settings import Value, lookup
from memvault.core.settings.row import folder
from memvault.errors import AlreadyAVault, BadInput, VaultInsideVault
from memvault.storage import frontmatter
from memvault.storage.frontmatter import Plain, Setting
from memvault.storage.vault import config
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.configure import ConfigFile, configure
from memvault.storage.vault.layout import CONFIG
from memvault.storage.vault.vault_file import Charter
from memvault.system import files
from memvault.text.dates.dates import write_moment

# What a new vault is laid down from: the template folder, and the sample memories.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What sort of vault to make."""

    profile: str = "production"
    home: str = ""  # for an adopted folder: where the tier folders go once they are needed
    sample: bool = False
    nested: bool = False
    inject: tuple[str, ...] = ()  # folders of the person's notes that may be injected


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A vault that was made, or would be in a dry run."""

    path: str
    id: str
    adopted: bool
    notes: int  # notes that were there already
    written: tuple[str, ...]
    inject: tuple[str, ...] = ()  # the folders that may be injected, as the person's own config says now
    config: str = ""  # the person's own config, where it was written to


def init(path: Path, wanted: Wanted, own: ConfigFile, *, vault_id: str, now: datetime, dry_run: bool = False) -> Made:
    """Make a folder a vault; notes that are in it already are not changed by a byte.

    What may be injected is the person's to say, so it goes into their `own` config under the vault's id.
    """
    root = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - without `..`, but links stay as they are named
    files.enclose(root)
    _check(root, wanted)
    begun = charter.begun(root)  # by one who was killed over it: the notes of the template are nobody's own
    notes = [] if begun and not begun.adopted else _notes_in(root)
    adopted, vault_id = bool(notes), begun.id if begun else vault_id
    settings: dict[str, Value] = {"vault.profile": wanted.profile} if wanted.profile != "production" else {}
    if wanted.home:
        settings["layout.home"] = wanted.home
    parts = dict(_parts(wanted, adopted=adopted, vault_id=vault_id, now=now))
    parts[CONFIG] = config.template(settings).encode()
    new = {name: data for name, data in parts.items() if not (root / name).exists()}
    if wanted.inject:
        configure(replace(own, vault_id=vault_id), "inject.folders", ", ".join(wanted.inject), dry_run=dry_run)
    if not dry_run:
        _write(root, new, Charter(vault_id, adopted), now)
    return Made(
        path=str(root),
        id=vault_id,
        adopted=adopted,
        notes=len(notes),
        written=tuple(sorted(new)),
        inject=wanted.inject,
        config=str(own.path) if wanted.inject else "",
    )


def _check(root: Path, wanted: Wanted) -> None:
    for name, what, value in (
        ("vault.profile", "the profile", wanted.profile),
        ("layout.home", "the home folder", wanted.home),
    ):
        if reason := lookup(name).check(value):
            raise BadInput(what=what, value=value, reason=reason)
    for name in wanted.inject:
        if reason := folder(name):
            raise BadInput(what="a folder to inject", value=name, reason=reason)
    if root.exists() and not root.is_dir():
        raise BadInput(what="the vault's path", value=str(root), reason="there is a file of that name")
    if charter.is_vault(root):
        raise AlreadyAVault(path=root)
    charter.check_checked_out(root)  # what lies there may be a vault: a second one could never be pushed beside it
    outer = charter.enclosing(root)
    if outer is not None and not wanted.nested:
        raise VaultInsideVault(path=root, outer=outer)


def _notes_in(root: Path) -> list[Path]:
    """The markdown files a person has there already; hidden folders are not theirs."""
    if not root.is_dir():
        return []
    found = (
        path for path in root.rglob("*.md") if not any(part.startswith(".") for part in path.relative_to(root).parts)
    )
    return list(found)


def _parts(wanted: Wanted, *, adopted: bool, vault_id: str, now: datetime) -> Iterator[tuple[str, bytes]]:
    """An adopted folder gets none of the template: its tier folders appear when first needed."""
    prefix = f"{wanted.home}/" if wanted.home else ""
    if not adopted:
        yield from parts()
    if wanted.sample:
        for name, data in samples(now, vault_id=vault_id):
            yield prefix + name, data


def _write(root: Path, parts: dict[str, bytes], made: Charter, now: datetime) -> None:
    charter.begin(root, made, now)
    for name, data in sorted(parts.items()):
        files.make_folder((root / name).parent)
        files.create(root / name, data)
    charter.write(root, made, now)  # last: a folder is a vault only once all of it is there
