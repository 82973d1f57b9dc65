"""A person's keys for private memories: what opens on this machine, and which recipients are admitted."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memvault.errors import BadKey, NoKey, StrangeRecipient
from memvault.privacy.private import host
from memvault.privacy.private.store import PrivateStore
from memvault.system import age, files
from memvault.system.age import Keyring, parse_identities

_ABOUT = "# Private memories are opened by this key alone. Keep a copy of it elsewhere."
_OTHERS = 0o077
_BEFORE = "# Kept, as older copies of private memories open with these only:"


@dataclass(frozen=True)
class PrivateKeys:
    """The key in the config folder or the system's keyring, and one in another file, if named."""

    keyring: Keyring
    named_file: Path | None = None

    # -- identities

    @cached_property
    def own_identities(self) -> tuple[str, ...]:
        """Return this machine's identities, the current one first; none where there is no key."""
        if self.keyring.key_path.exists():
            return self.keyring.read_identities()
        return parse_identities(host.fetch_key())

    @property
    def own_place(self) -> Path | str:
        """Return where this machine's key is stored, or would be."""
        return host.PLACE if self.own_identities and not self.keyring.key_path.exists() else self.keyring.key_path

    @property
    def key_place(self) -> Path | str:
        """Return where the requested key is stored."""
        return self.named_file or self.own_place

    def all_identities(self) -> tuple[str, ...]:
        """Return all identities that may open a memory; NoKey where there are none."""
        named = self.keyring.read_identities(self.named_file) if self.named_file else ()
        if not (named or self.own_identities):
            raise NoKey(path=self.keyring.key_path, command=self.keyring.purpose)
        return (*named, *self.own_identities)

    def current_recipient(self) -> str:
        """Return the recipient of this machine's current key; empty where there is none."""
        return age.recipient_of(self.own_identities[0], path=self.own_place) if self.own_identities else ""

    def older_recipients(self) -> tuple[str, ...]:
        """Return the recipients of the keys that this machine had before, and keeps."""
        return tuple(age.recipient_of(one, path=self.own_place) for one in self.own_identities[1:])

    def can_open(self, recipients: Iterable[str]) -> bool:
        """Return whether any available key opens what is sealed to some recipients."""
        if not (self.named_file or self.own_identities):
            return False
        return not frozenset(self.recipients_of_all()).isdisjoint(recipients)

    @property
    def had_key(self) -> bool:
        """Return whether this machine had a key once, as it still knows the admitted recipients."""
        return self.keyring.recipients_path.exists()

    @property
    def exposed_key(self) -> str:
        """Return the key file if others on this machine may read it; empty otherwise."""
        if sys.platform == "win32":
            return ""  # Windows has access lists, and a user's own folders are private
        try:
            return str(self.keyring.key_path) if self.keyring.key_path.stat().st_mode & _OTHERS else ""
        except OSError:
            return ""

    def recipients_of_all(self) -> tuple[str, ...]:
        """Return the recipients of all available identities."""
        return tuple(age.recipient_of(one, path=self.key_place) for one in self.all_identities())

    # -- recipients

    def vault_recipients(self, store: PrivateStore) -> tuple[str, ...]:
        """Return the recipients of a vault; StrangeRecipient where this person has not admitted one.

        The list travels with the vault, so whoever can write into a copy of it could have everything sealed to
        themselves as well.
        """
        found, known = store.require_recipients(), self.admitted_recipients()
        for recipient in found:
            if recipient not in known:
                raise StrangeRecipient(path=store.list_path, recipient=recipient)
        return found

    def admitted_recipients(self) -> frozenset[str]:
        """Return the recipients admitted on this machine, with its own.

        Its older keys count as its own: a vault that was not resealed yet still names them.
        """
        known = self.keyring.read_recipients() if self.keyring.recipients_path.exists() else ()
        return frozenset((*known, *filter(None, [self.current_recipient()]), *self.older_recipients()))

    def admit_recipients(self, recipients: Iterable[str], *, but: Iterable[str] = ()) -> None:
        """Record that some recipients are this person's own, and others no longer."""
        known = self.keyring.read_recipients() if self.keyring.recipients_path.exists() else ()
        recipients_kept = [one for one in dict.fromkeys((*known, *recipients)) if one not in frozenset(but)]
        files.make_folder(self.keyring.folder)
        files.clear_orphans(self.keyring.folder)
        files.overwrite_file(self.keyring.recipients_path, "".join(f"{one}\n" for one in recipients_kept).encode())

    # -- making keys

    def make_key(self, *, in_keychain: bool) -> PrivateKeys:
        """Make this machine's first key; return the keys with it."""
        return self._store_keys([age.generate_key().identity], in_keychain=in_keychain)

    def renew_key(self) -> PrivateKeys:
        """Make a new current key; the earlier ones are kept."""
        in_keychain = bool(self.own_identities) and not self.keyring.key_path.exists()
        return self._store_keys([age.generate_key().identity, *self.own_identities], in_keychain=in_keychain)

    def _store_keys(self, identities: list[str], *, in_keychain: bool) -> PrivateKeys:
        current, *before = identities
        text = "".join(f"{line}\n" for line in (_ABOUT, current, *([_BEFORE, *before] if before else [])))
        if in_keychain:
            host.store_key(text)
        else:
            files.make_folder(self.keyring.folder)
            files.clear_orphans(self.keyring.folder)
            (files.overwrite_file if before else files.create_file)(self.keyring.key_path, text.encode())
        keys = PrivateKeys(self.keyring, self.named_file)
        if keys.own_identities[:1] != (current,):
            raise BadKey(path=keys.own_place, reason="the stored key could not be read back")
        return keys
