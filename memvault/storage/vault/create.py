"""Creates a vault, or adopts a folder of notes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from pathlib import Path

import frontmatter as python_frontmatter

from memvault.core.ids import derive_id
from memvault.core.settings import find_setting
from memvault.core.settings.table import Value, check_folder
from memvault.errors import AlreadyAVault, BadInput, VaultInsideVault
from memvault.storage import frontmatter
from memvault.storage.frontmatter import PlainScalar, Setting
from memvault.storage.vault import config
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.configure import ConfigFile, configure
from memvault.storage.vault.layout import CONFIG
from memvault.storage.vault.vault_file import VaultFile
from memvault.system import files
from memvault.text.dates.dates import write_moment

# The content of a new vault: the template folder and the sample memories.

_RELATIVE = frozenset({"created", "last_accessed", "due", "completed_at", "last_used_at", "expires_at", "cleared_at"})


def template_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file of the template, with its path in the vault."""
    shipped = package_files("memvault") / "_vault_template"
    # An editable install reads the checkout: the wheel's copy is made only when a wheel is built.
    yield from _walk_files(shipped if shipped.is_dir() else Path(__file__).resolve().parents[3] / "vault_template", "")


def _walk_files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _walk_files(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def sample_files(now: datetime, *, vault_id: str) -> Iterator[tuple[str, bytes]]:
    """Yield a dozen memories of all kinds, dated from now, with their paths in the standard layout."""
    for path, data in _walk_files(package_files("memvault.storage.vault") / "sample", ""):
        if path.endswith(".md"):
            post = python_frontmatter.loads(data.decode())
            fields: dict[str, Setting] = {"id": derive_id(vault_id, f"sample:{path}")}
            for name, value in post.metadata.items():
                fields[name] = _relative_moment(str(value), now) if name in _RELATIVE else _as_setting(value)
            yield path, frontmatter.compose(fields, post.content)


def _relative_moment(text: str, now: datetime) -> PlainScalar:
    days = float(text.removesuffix("d"))
    return PlainScalar(write_moment((now + timedelta(days=days)).astimezone(UTC)))


def _as_setting(value: object) -> Setting:
    match value:
        case bool():
            return PlainScalar("true" if value else "false")
        case int() | float():
            return PlainScalar(str(value))
        case list():
            return [str(item) for item in value]
        case dict():
            return {str(name): _as_setting(part) for name, part in value.items()}
        case _:
            return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateOptions:
    """What sort of vault to create."""

    profile: str = "production"
    home: str = ""  # in an adopted folder: where the tier folders go
    sample: bool = False
    nested: bool = False
    inject: tuple[str, ...] = ()  # folders of the person's notes that may be injected


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateResult:
    """A vault that was created, or would be in a dry run."""

    path: str
    id: str
    adopted: bool
    notes: int  # notes that existed already
    written: tuple[str, ...]
    inject: tuple[str, ...] = ()  # the folders that may be injected, now in the person's own config
    config: str = ""  # the person's own config, if it was written


def create_vault(
    path: Path, options: CreateOptions, own: ConfigFile, *, vault_id: str, now: datetime, dry_run: bool = False
) -> CreateResult:
    """Make a folder a vault; notes in it are not changed by a byte.

    What may be injected is the person's decision, so it goes into their `own` config under the vault's id.
    """
    root = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - without `..`, but links stay as they are named
    files.guard_vault(root)
    _check_options(root, options)
    begun = charter.read_begun(root)  # by an interrupted run: its template notes are not a person's
    notes = [] if begun and not begun.adopted else _notes_in(root)
    adopted, vault_id = bool(notes), begun.id if begun else vault_id
    settings: dict[str, Value] = {"vault.profile": options.profile} if options.profile != "production" else {}
    if options.home:
        settings["layout.home"] = options.home
    parts = dict(_initial_files(options, adopted=adopted, vault_id=vault_id, now=now))
    parts[CONFIG] = config.config_template(settings).encode()
    new = {name: data for name, data in parts.items() if not (root / name).exists()}
    if options.inject:
        configure(replace(own, vault_id=vault_id), "inject.folders", ", ".join(options.inject), dry_run=dry_run)
    if not dry_run:
        made = VaultFile(vault_id, adopted)
        charter.begin_vault(root, made, now)
        for name, data in sorted(new.items()):
            files.make_folder((root / name).parent)
            files.create_file(root / name, data)
        charter.write_vault_file(root, made, now)  # last: a folder is a vault only once all of it is there
    return CreateResult(
        path=str(root),
        id=vault_id,
        adopted=adopted,
        notes=len(notes),
        written=tuple(sorted(new)),
        inject=options.inject,
        config=str(own.path) if options.inject else "",
    )


def _check_options(root: Path, options: CreateOptions) -> None:
    for name, what, value in (
        ("vault.profile", "the profile", options.profile),
        ("layout.home", "the home folder", options.home),
    ):
        if reason := find_setting(name).check(value):
            raise BadInput(what=what, value=value, reason=reason)
    for name in options.inject:
        if reason := check_folder(name):
            raise BadInput(what="a folder to inject", value=name, reason=reason)
    if root.exists() and not root.is_dir():
        raise BadInput(what="the vault's path", value=str(root), reason="there is a file of that name")
    if charter.is_vault(root):
        raise AlreadyAVault(path=root)
    charter.check_not_empty_clone(root)  # it may hold a vault, and a second one could never be pushed
    outer = charter.enclosing_vault(root)
    if outer is not None and not options.nested:
        raise VaultInsideVault(path=root, outer=outer)


def _notes_in(root: Path) -> list[Path]:
    """Return the markdown files that are already there, hidden folders left out."""
    if not root.is_dir():
        return []
    return [each for each in root.rglob("*.md") if not any(part[0] == "." for part in each.relative_to(root).parts)]


def _initial_files(
    options: CreateOptions, *, adopted: bool, vault_id: str, now: datetime
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a new vault; an adopted folder gets none of the template."""
    prefix = f"{options.home}/" if options.home else ""
    if not adopted:
        yield from template_files()
    if options.sample:
        for name, data in sample_files(now, vault_id=vault_id):
            yield prefix + name, data
