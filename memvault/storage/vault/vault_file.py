"""The vault file, `.memvault/vault.json`: that a folder is a vault, which one, and in what format."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memvault.core.ids import is_id
from memvault.core.value import Record
from memvault.errors import BadInput, EmptyClone, NotAVault, NoVault, Unreadable, VaultTooNew
from memvault.storage.vault.layout import CONFIG, STATE
from memvault.system import files
from memvault.text.dates.dates import write_moment

FORMAT = 1
NAME = "vault.json"
_BEGUN = "begun.json"
# The journal and the ledger are synced; these belong to one machine.
_NOT_FOR_GIT = b"/undo/\n/lock\n/lock.turn\n"


class VaultFile(Record):
    """A vault's id and format, and whether it was made of a folder of notes."""

    id: str
    adopted: bool = False
    format: int = FORMAT


def is_vault(folder: Path) -> bool:
    """Return whether a folder looks like a vault."""
    return (folder / STATE / NAME).is_file()


def read_vault_file(root: Path) -> VaultFile:
    """Read the vault file; a newer format, or no file, is an error that says so."""
    path = root / STATE / NAME
    files.check_read(path)  # a dangling link must not count as a missing vault
    if not path.is_file():
        raise NotAVault(path=root, missing=f"{STATE}/{NAME}")
    return _read_file(root, path)


def read_begun(root: Path) -> VaultFile | None:
    """Return the vault file of a creation that was cut short; None where there was none."""
    path = root / STATE / _BEGUN
    return _read_file(root, path) if path.is_file() else None


def _read_file(root: Path, path: Path) -> VaultFile:
    try:
        found = json.loads(files.read_file(path))
        charter = VaultFile(str(found["id"]), bool(found.get("adopted", False)), int(found["format"]))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise Unreadable(path=path, reason="it is not the JSON that memvault wrote there") from None
    if charter.format > FORMAT:
        raise VaultTooNew(path=root, found=charter.format, known=FORMAT)
    if not is_id(charter.id):
        raise Unreadable(path=path, reason="its id is not a uuid")
    return charter


def begin_vault(root: Path, charter: VaultFile, now: datetime) -> None:
    """Write what a folder is to become, so that an interrupted creation can be continued."""
    files.make_folder(root / STATE)
    data = {"format": charter.format, "id": charter.id, "adopted": charter.adopted, "created": write_moment(now)}
    files.overwrite_file(root / STATE / _BEGUN, (json.dumps(data, indent=1) + "\n").encode())
    files.overwrite_file(root / STATE / ".gitignore", _NOT_FOR_GIT)


def write_vault_file(root: Path, charter: VaultFile, now: datetime) -> None:
    """Write the vault file of a new vault."""
    begin_vault(root, charter, now)
    files.move_file(root / STATE / _BEGUN, root / STATE / NAME)


class VaultPlaces(Record):
    """Every place where a vault may be named, strongest first."""

    named: str | None  # --vault
    environment: str | None  # MEMVAULT_DIR
    folder: Path  # where the command was run
    configured: str  # user.vault
    # Whether this machine has used a vault before: asked where a program chose the folder.
    knows: Callable[[Path], bool] | None = None


def find_vault(where: VaultPlaces) -> Path:
    """Return the vault to use; the error names every place that was searched."""
    for label, value in (("--vault", where.named), ("MEMVAULT_DIR", where.environment)):
        if value:
            return _named_vault(label, value)
    if where.knows is not None:
        return _find_for_agent(where, where.knows)
    for folder in (where.folder, *where.folder.parents):
        if is_vault(folder):
            return folder
        if (folder / CONFIG).is_file():
            raise NotAVault(path=folder, missing=f"{STATE}/{NAME}")
    if where.configured:
        return _named_vault("user.vault in your config", where.configured)
    check_not_empty_clone(where.folder)
    looked = f"--vault (not given), MEMVAULT_DIR (not set), {where.folder} and the folders above it"
    raise NoVault(looked=f"{looked}, user.vault in your config (not set)")


def _find_for_agent(where: VaultPlaces, knows: Callable[[Path], bool]) -> Path:
    """Return the person's own vault, or the folder's if this machine knows it: a cloned repository may be one."""
    if where.configured:
        return _named_vault("user.vault in your config", where.configured)
    for folder in (where.folder, *where.folder.parents):
        if is_vault(folder) and knows(folder):
            return folder
    looked = "MEMVAULT_DIR (not set), user.vault in your config (not set)"
    raise NoVault(looked=f"{looked}, vaults of yours at {where.folder} and above it")


def check_not_empty_clone(folder: Path) -> None:
    """Raise EmptyClone where nothing of a repository is checked out, though its remote has branches."""
    own = folder / ".git"
    with suppress(OSError, UnicodeDecodeError):
        branch = (own / "HEAD").read_text(encoding="utf-8").strip().removeprefix("ref: ")
        packed = own / "packed-refs"
        lines = packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []
        loose = sorted(path.relative_to(own).as_posix() for path in (own / "refs").rglob("*") if path.is_file())
        known = [*loose, *(line.split()[1] for line in lines if line[:1].isalnum() and " " in line)]
        theirs = [name.split("/", 3)[3] for name in known if name.startswith("refs/remotes/") and name.count("/") > 2]
        pushed = [name for name in theirs if name != "HEAD"]
        # A clone's remote may name a branch that nobody pushed: then git checks nothing out.
        if branch.startswith("refs/heads/") and branch not in known and pushed:
            raise EmptyClone(path=folder, branch="main" if "main" in pushed else pushed[0])


def _named_vault(label: str, value: str) -> Path:
    if "\0" in value:
        raise BadInput(what=label, value=value, reason="a path cannot hold a NUL character")
    path = Path(value).expanduser().absolute()
    if not path.is_dir():
        raise NoVault(looked=f"{path} (from {label}; there is no such folder)")
    if not is_vault(path):
        check_not_empty_clone(path)
        missing = f"{STATE}/{NAME}" if (path / CONFIG).exists() else f"{CONFIG} and {STATE}/{NAME}"
        raise NotAVault(path=path, missing=missing)
    return path


def enclosing_vault(path: Path) -> Path | None:
    """Return the vault that a folder lies in, if any."""
    return next((folder for folder in path.absolute().parents if is_vault(folder)), None)
