"""A person's keys for private memories: what opens on this machine, and which recipients it seals to."""

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
    """The key in the config folder or in the system's keyring, and one in another file, where that is named."""

    keyring: Keyring
    named_file: Path | None = None

    # -- what opens

    @cached_property
    def own_identities(self) -> tuple[str, ...]:
        """This machine's identities, the current one first; none where there is no key."""
        if self.keyring.key_path.exists():
            return self.keyring.read_identities()
        return parse_identities(host.fetch_key())

    @property
    def own_place(self) -> Path | str:
        """Where this machine's key is kept, or would be."""
        return host.PLACE if self.own_identities and not self.keyring.key_path.exists() else self.keyring.key_path

    @property
    def key_place(self) -> Path | str:
        """Where the key is that was asked for."""
        return self.named_file or self.own_place

    def all_identities(self) -> tuple[str, ...]:
        """All that may open a memory; NoKey where there is nothing."""
        named = self.keyring.read_identities(self.named_file) if self.named_file else ()
        if not (named or self.own_identities):
            raise NoKey(path=self.keyring.key_path, command=self.keyring.purpose)
        return (*named, *self.own_identities)

    def current_recipient(self) -> str:
        """To what this machine's key opens is sealed; empty where there is none."""
        return age.recipient_of(self.own_identities[0], path=self.own_place) if self.own_identities else ""

    def older_recipients(self) -> tuple[str, ...]:
        """The same of the keys that this machine had before, which it keeps."""
        return tuple(age.recipient_of(one, path=self.own_place) for one in self.own_identities[1:])

    def can_open(self, recipients: Iterable[str]) -> bool:
        """Whether anything at hand opens what is sealed to those."""
        if not (self.named_file or self.own_identities):
            return False
        return not frozenset(self.recipients_of_all()).isdisjoint(recipients)

    @property
    def had_key(self) -> bool:
        """Whether this machine had a key once, as it still knows what was admitted then."""
        return self.keyring.recipients_path.exists()

    @property
    def exposed_key(self) -> str:
        """The file with the key, where others on this machine may read it; empty otherwise."""
        if sys.platform == "win32":
            return ""  # rights are lists there, and the user's own folders are private as they come
        try:
            return str(self.keyring.key_path) if self.keyring.key_path.stat().st_mode & _OTHERS else ""
        except OSError:
            return ""

    def recipients_of_all(self) -> tuple[str, ...]:
        """The same of each identity that is at hand."""
        return tuple(age.recipient_of(one, path=self.key_place) for one in self.all_identities())

    # -- to what is sealed

    def vault_recipients(self, safe: PrivateStore) -> tuple[str, ...]:
        """Those of a vault; StrangeRecipient where one was put there that this person has not admitted.

        The list travels with the vault, so whoever can write into a copy of it could have everything sealed to
        themselves as well.
        """
        found, known = safe.require_recipients(), self.admitted_recipients()
        for recipient in found:
            if recipient not in known:
                raise StrangeRecipient(path=safe.list_path, recipient=recipient)
        return found

    def admitted_recipients(self) -> frozenset[str]:
        """The recipients that were admitted on this machine, its own among them.

        One of its older keys is its own as well: a vault that was not sealed anew yet still names that.
        """
        known = self.keyring.read_recipients() if self.keyring.recipients_path.exists() else ()
        return frozenset((*known, *filter(None, [self.current_recipient()]), *self.older_recipients()))

    def admit_recipients(self, recipients: Iterable[str], *, but: Iterable[str] = ()) -> None:
        """Keep in mind that these are this person's own; the others no longer."""
        known = self.keyring.read_recipients() if self.keyring.recipients_path.exists() else ()
        kept = [one for one in dict.fromkeys((*known, *recipients)) if one not in frozenset(but)]
        files.make_folder(self.keyring.folder)
        files.clear_orphans(self.keyring.folder)
        files.overwrite_file(self.keyring.recipients_path, "".join(f"{one}\n" for one in kept).encode())

    # -- making keys

    def make_key(self, *, in_keychain: bool) -> PrivateKeys:
        """Make this machine's first key; the same keys, with it."""
        return self._store_keys([age.generate_key().identity], in_keychain=in_keychain)

    def renew_key(self) -> PrivateKeys:
        """Make another key, which is the current one from now on; those before it are kept."""
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
        made = PrivateKeys(self.keyring, self.named_file)
        if made.own_identities[:1] != (current,):
            raise BadKey(path=made.own_place, reason="it did not keep what was put there")
        return made
