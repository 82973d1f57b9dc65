"""A person's own key, in their config folder: an identity that opens, and the recipients to which is sealed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memvault.errors import BadKey, NoKey
from memvault.privacy.private import age
from memvault.system import files

_IDENTITY, _RECIPIENT = "AGE-SECRET-KEY-", "age1"
_MOST = 100_000  # bytes of a key file


@dataclass(frozen=True, slots=True)
class Keyring:
    """The two files of a purpose; the second alone is enough to seal."""

    folder: Path
    purpose: str = "seal"  # also the command that makes them

    @property
    def key(self) -> Path:
        """Where the identity lies."""
        return self.folder / f"{self.purpose}.agekey"

    @property
    def public(self) -> Path:
        """Where the recipients are listed, one a line."""
        return self.folder / f"{self.purpose}.recipients"

    def make(self) -> bool:
        """Make a key, unless there is one: what is there is never replaced. True where it was made."""
        files.clear(self.folder)
        if self.public.exists():
            return False
        is_new = not self.key.exists()
        if is_new:
            made = age.generate()
            text = f"# What was sealed is opened by this key alone. Keep a copy of it elsewhere.\n{made.identity}\n"
            files.make_folder(self.folder)
            files.create(self.key, text.encode())
        files.create(self.public, "".join(f"{one}\n" for one in self._own_recipients()).encode())
        return is_new

    def recipients(self) -> tuple[str, ...]:
        """To what is sealed; NoKey where nothing is said of it."""
        if not self.public.exists():
            return self._own_recipients()
        found = recipients_in(files.read(self.public, limit=_MOST).decode("utf-8", "replace"))
        if not found:
            raise BadKey(path=self.public, reason="it holds no recipient of age (age1…)")
        return found

    def identities(self, path: Path | None = None) -> tuple[str, ...]:
        """What opens: from this person's own key, or from a file that they name."""
        path = path or self.key
        if not path.exists():
            raise NoKey(path=path, command=self.purpose)
        found = identities_in(files.read(path, limit=_MOST).decode("utf-8", "replace"))
        if not found:
            raise BadKey(path=path, reason="it holds no identity of age (AGE-SECRET-KEY-…)")
        return found

    def _own_recipients(self) -> tuple[str, ...]:
        return tuple(age.recipient_of(one, path=self.key) for one in self.identities())


def identities_in(text: str) -> tuple[str, ...]:
    """The identities that a key file names, one a line."""
    return _lines(text, _IDENTITY)


def recipients_in(text: str) -> tuple[str, ...]:
    """The recipients that a list of them names, one a line."""
    return _lines(text, _RECIPIENT)


def _lines(text: str, begin: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip().startswith(begin))
