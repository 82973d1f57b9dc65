"""A person's keys for private memories: what opens on this machine, and which recipients it seals to."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memvault.errors import BadKey, NoKey, StrangeRecipient
from memvault.privacy.private import age, host
from memvault.privacy.private.age import Keyring, identities_in
from memvault.privacy.private.store import Safe
from memvault.system import files

_ABOUT = "# Private memories are opened by this key alone. Keep a copy of it elsewhere."
_OTHERS = 0o077
_BEFORE = "# Kept, as older copies of private memories open with these only:"


@dataclass(frozen=True)
class Keys:
    """The key in the config folder or in the system's keyring, and one in another file, where that is named."""

    ring: Keyring
    named: Path | None = None

    # -- what opens

    @cached_property
    def own(self) -> tuple[str, ...]:
        """This machine's identities, the current one first; none where there is no key."""
        if self.ring.key.exists():
            return self.ring.identities()
        return identities_in(host.fetch())

    @property
    def place(self) -> Path | str:
        """Where this machine's key is kept, or would be."""
        return host.PLACE if self.own and not self.ring.key.exists() else self.ring.key

    @property
    def where(self) -> Path | str:
        """Where the key is that was asked for."""
        return self.named or self.place

    def identities(self) -> tuple[str, ...]:
        """All that may open a memory; NoKey where there is nothing."""
        named = self.ring.identities(self.named) if self.named else ()
        if not (named or self.own):
            raise NoKey(path=self.ring.key, command=self.ring.purpose)
        return (*named, *self.own)

    def current(self) -> str:
        """To what this machine's key opens is sealed; empty where there is none."""
        return age.recipient_of(self.own[0], path=self.place) if self.own else ""

    def older(self) -> tuple[str, ...]:
        """The same of the keys that this machine had before, which it keeps."""
        return tuple(age.recipient_of(one, path=self.place) for one in self.own[1:])

    def opens(self, recipients: Iterable[str]) -> bool:
        """Whether anything at hand opens what is sealed to those."""
        if not (self.named or self.own):
            return False
        return not frozenset(self.recipients_of_all()).isdisjoint(recipients)

    @property
    def was_here(self) -> bool:
        """Whether this machine had a key once, as it still knows what was admitted then."""
        return self.ring.public.exists()

    @property
    def exposed(self) -> str:
        """The file with the key, where others on this machine may read it; empty otherwise."""
        if sys.platform == "win32":
            return ""  # rights are lists there, and the user's own folders are private as they come
        try:
            return str(self.ring.key) if self.ring.key.stat().st_mode & _OTHERS else ""
        except OSError:
            return ""

    def recipients_of_all(self) -> tuple[str, ...]:
        """The same of each identity that is at hand."""
        return tuple(age.recipient_of(one, path=self.where) for one in self.identities())

    # -- to what is sealed

    def recipients(self, safe: Safe) -> tuple[str, ...]:
        """Those of a vault; StrangeRecipient where one was put there that this person has not admitted.

        The list travels with the vault, so whoever can write into a copy of it could have everything sealed to
        themselves as well.
        """
        found, known = safe.recipients(), self.admitted()
        for recipient in found:
            if recipient not in known:
                raise StrangeRecipient(path=safe.list_path, recipient=recipient)
        return found

    def admitted(self) -> frozenset[str]:
        """The recipients that were admitted on this machine, its own among them.

        One of its older keys is its own as well: a vault that was not sealed anew yet still names that.
        """
        known = self.ring.recipients() if self.ring.public.exists() else ()
        return frozenset((*known, *filter(None, [self.current()]), *self.older()))

    def admit(self, recipients: Iterable[str], *, but: Iterable[str] = ()) -> None:
        """Keep in mind that these are this person's own; the others no longer."""
        known = self.ring.recipients() if self.ring.public.exists() else ()
        kept = [one for one in dict.fromkeys((*known, *recipients)) if one not in frozenset(but)]
        files.make_folder(self.ring.folder)
        files.clear(self.ring.folder)
        files.overwrite(self.ring.public, "".join(f"{one}\n" for one in kept).encode())

    # -- making keys

    def make(self, *, in_keychain: bool) -> Keys:
        """Make this machine's first key; the same keys, with it."""
        return self._kept([age.generate().identity], in_keychain=in_keychain)

    def renewed(self) -> Keys:
        """Make another key, which is the current one from now on; those before it are kept."""
        in_keychain = bool(self.own) and not self.ring.key.exists()
        return self._kept([age.generate().identity, *self.own], in_keychain=in_keychain)

    def _kept(self, identities: list[str], *, in_keychain: bool) -> Keys:
        current, *before = identities
        text = "".join(f"{line}\n" for line in (_ABOUT, current, *([_BEFORE, *before] if before else [])))
        if in_keychain:
            host.store(text)
        else:
            files.make_folder(self.ring.folder)
            files.clear(self.ring.folder)
            (files.overwrite if before else files.create)(self.ring.key, text.encode())
        made = Keys(self.ring, self.named)
        if made.own[:1] != (current,):
            raise BadKey(path=made.place, reason="it did not keep what was put there")
        return made
