"""Sealed originals: how it stands with them, and what they say to whoever has the key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memvault.errors import BadInput, BadKey, NoConversation, NoKey
from memvault.privacy.private import age
from memvault.privacy.private.keyring import Keyring
from memvault.privacy.private.shelf import Shelf
from memvault.storage.vault.context import Bench
from memvault.transcripts.search import archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A person's key, after it was asked for."""

    key: Path
    public: Path
    new: bool
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SealStatus:
    """Whether originals are sealed, to which key, and what is sealed already."""

    secrets: str  # the setting
    installed: bool
    key: Path
    has_key: bool
    recipients: tuple[str, ...]
    files: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsealed:
    """The lines of a conversation that were sealed, each with its secrets, in their order and once."""

    path: str
    lines: tuple[str, ...]


def make_key(keyring: Keyring, *, dry_run: bool) -> Made:
    """Make a person's key where there is none; one that is there is never replaced."""
    is_new = not (keyring.key.exists() or keyring.public.exists()) if dry_run else keyring.make()
    return Made(key=keyring.key, public=keyring.public, new=is_new, dry_run=dry_run)


def status(bench: Bench, keyring: Keyring) -> SealStatus:
    """How it stands with sealed originals in this vault."""
    sizes = [path.stat().st_size for path in Shelf(bench.vault.root, bench.vault.layout).every()]
    is_installed = age.is_installed()
    return SealStatus(
        secrets=bench.settings.text("transcripts.secrets"),
        installed=is_installed,
        key=keyring.key,
        has_key=keyring.key.exists(),
        recipients=_recipients(keyring) if is_installed else (),
        files=len(sizes),
        size=sum(sizes),
    )


def unsealed(bench: Bench, keyring: Keyring, ref: str, key: Path | None = None) -> Unsealed:
    """Open what was sealed of a conversation, with this person's key or with another that they name."""
    store, shelf = archive(bench), Shelf(bench.vault.root, bench.vault.layout)
    found = store.find(ref)
    if not found:
        raise NoConversation(ref=ref)
    if len(found) > 1:
        raise BadInput(what="the reference", value=ref, reason=f"{len(found)} conversations begin so; give more of it")
    identities = keyring.identities(key)
    lines = (
        line.decode("utf-8", "replace")
        for sealed in shelf.of(store.open(found[0]).head().id, found[0])
        for line in shelf.lines(sealed, identities, key=key or keyring.key)
    )
    return Unsealed(path=found[0], lines=tuple(dict.fromkeys(lines)))


def _recipients(keyring: Keyring) -> tuple[str, ...]:
    try:
        return keyring.recipients()
    except (NoKey, BadKey):
        return ()
