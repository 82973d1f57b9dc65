"""The one place that encrypts: age, by pyrage, which is there only for those who installed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.errors import BadInput, BadKey, NoKey, NoSealing, NotOpened
from memvault.system import files

if TYPE_CHECKING:
    from types import ModuleType


class Pair(NamedTuple):
    """A new key: the identity that opens, and the recipient to which is sealed."""

    identity: str
    recipient: str


def is_installed() -> bool:
    """Whether anything can be sealed or opened here."""
    try:
        return find_spec("pyrage") is not None
    except ValueError:  # somebody put something else in its place
        return False


def generate() -> Pair:
    """Make a key; NoSealing where age is not installed."""
    made = _pyrage().x25519.Identity.generate()
    return Pair(str(made), str(made.to_public()))


def recipient_of(identity: str, *, path: Path | str) -> str:
    """To what is sealed that an identity opens; the path is where it was read from."""
    return str(_identity(identity, path).to_public())


def seal(data: bytes, recipients: Sequence[str], *, path: Path) -> bytes:
    """Encrypt to recipients, of whom any opens it; the path is where they were read from."""
    age = _pyrage()
    try:
        keys = [age.x25519.Recipient.from_str(recipient) for recipient in recipients]
        return bytes(age.encrypt(data, keys))
    except (age.RecipientError, age.EncryptError) as error:
        raise BadKey(path=path, reason="it holds no recipient of age (age1…)") from error


def check(recipient: str) -> None:
    """Raise BadInput unless it can be sealed to that recipient."""
    age = _pyrage()
    try:
        age.x25519.Recipient.from_str(recipient)
    except age.RecipientError:
        raise BadInput(what="the recipient", value=recipient, reason="it is none of age's (age1…)") from None


def unseal(data: bytes, identities: Sequence[str], *, path: Path | str, key: Path | str) -> bytes:
    """Decrypt what lies at a path with the identities that were read from a place for keys, or raise NotOpened."""
    age = _pyrage()
    keys = [_identity(identity, key) for identity in identities]
    try:
        return bytes(age.decrypt(data, keys))
    except age.DecryptError as error:
        is_other = "matching" in str(error)
        reason = f"it was not sealed to the key in {key}" if is_other else "it is damaged"
        raise NotOpened(path=path, reason=reason) from error


def _identity(identity: str, path: Path | str) -> ModuleType:
    age = _pyrage()
    try:
        return age.x25519.Identity.from_str(identity)  # type: ignore[no-any-return]
    except age.IdentityError:  # its words may repeat what it was given
        raise BadKey(path=path, reason="it holds no identity of age (AGE-SECRET-KEY-…)") from None


def _pyrage() -> ModuleType:
    try:
        import pyrage  # deferred: few seal anything
    except ImportError as error:
        raise NoSealing from error
    return pyrage  # type: ignore[no-any-return]


# A person's own key, in their config folder: an identity that opens, and the recipients to which is sealed.

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
            made = generate()
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
        return tuple(recipient_of(one, path=self.key) for one in self.identities())


def identities_in(text: str) -> tuple[str, ...]:
    """The identities that a key file names, one a line."""
    return _lines(text, _IDENTITY)


def recipients_in(text: str) -> tuple[str, ...]:
    """The recipients that a list of them names, one a line."""
    return _lines(text, _RECIPIENT)


def _lines(text: str, begin: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip().startswith(begin))
