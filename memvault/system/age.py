"""Encrypt with age: the only user of pyrage, which is an optional package."""

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


class KeyPair(NamedTuple):
    """A new key: the identity that opens, and the recipient to seal to."""

    identity: str
    recipient: str


def is_installed() -> bool:
    """Return whether anything can be sealed or opened here."""
    try:
        return find_spec("pyrage") is not None
    except ValueError:  # somebody put another module in its place
        return False


def generate_key() -> KeyPair:
    """Make a key; NoSealing where age is not installed."""
    made = _import_pyrage().x25519.Identity.generate()
    return KeyPair(str(made), str(made.to_public()))


def recipient_of(identity: str, *, path: Path | str) -> str:
    """Return the recipient of an identity; the path is where the identity was read from."""
    return str(_parse_identity(identity, path).to_public())


def seal_bytes(data: bytes, recipients: Sequence[str], *, path: Path) -> bytes:
    """Encrypt bytes to recipients, any of whom can open them; the path names their list in errors."""
    age = _import_pyrage()
    try:
        keys = [age.x25519.Recipient.from_str(recipient) for recipient in recipients]
        return bytes(age.encrypt(data, keys))
    except (age.RecipientError, age.EncryptError) as error:
        raise BadKey(path=path, reason="it has no age recipient (age1…)") from error


def check_recipient(recipient: str) -> None:
    """Raise BadInput unless it is a valid recipient."""
    age = _import_pyrage()
    try:
        age.x25519.Recipient.from_str(recipient)
    except age.RecipientError:
        raise BadInput(what="the recipient", value=recipient, reason="it is not an age recipient (age1…)") from None


def unseal_bytes(data: bytes, identities: Sequence[str], *, path: Path | str, key: Path | str) -> bytes:
    """Decrypt the data of a path with the identities of a key file, or raise NotOpened."""
    age = _import_pyrage()
    keys = [_parse_identity(identity, key) for identity in identities]
    try:
        return bytes(age.decrypt(data, keys))
    except age.DecryptError as error:
        is_other = "matching" in str(error)
        reason = f"it was not sealed to the key in {key}" if is_other else "it is damaged"
        raise NotOpened(path=path, reason=reason) from error


def _parse_identity(identity: str, path: Path | str) -> ModuleType:
    age = _import_pyrage()
    try:
        return age.x25519.Identity.from_str(identity)  # type: ignore[no-any-return]
    except age.IdentityError:  # the message may repeat the key
        raise BadKey(path=path, reason="it has no age identity (AGE-SECRET-KEY-…)") from None


def _import_pyrage() -> ModuleType:
    try:
        import pyrage  # deferred: few seal anything
    except ImportError as error:
        raise NoSealing from error
    return pyrage  # type: ignore[no-any-return]


# A person's key files in the config folder: an identity that opens, and the recipients to seal to.

_IDENTITY, _RECIPIENT = "AGE-SECRET-KEY-", "age1"
_MOST = 100_000  # bytes of a key file


@dataclass(frozen=True, slots=True)
class Keyring:
    """The two key files of a purpose; the recipients alone are enough to seal."""

    folder: Path
    purpose: str = "seal"  # also the command that makes the key

    @property
    def key_path(self) -> Path:
        """Return the path of the identity."""
        return self.folder / f"{self.purpose}.agekey"

    @property
    def recipients_path(self) -> Path:
        """Return the path of the recipients, one a line."""
        return self.folder / f"{self.purpose}.recipients"

    def make_key(self) -> bool:
        """Make a key unless there is one, which is never replaced; return whether it was made."""
        files.clear_orphans(self.folder)
        if self.recipients_path.exists():
            return False
        is_new = not self.key_path.exists()
        if is_new:
            made = generate_key()
            text = f"# What was sealed is opened by this key alone. Keep a copy of it elsewhere.\n{made.identity}\n"
            files.make_folder(self.folder)
            files.create_file(self.key_path, text.encode())
        files.create_file(self.recipients_path, "".join(f"{one}\n" for one in self._own_recipients()).encode())
        return is_new

    def read_recipients(self) -> tuple[str, ...]:
        """Return the recipients to seal to; NoKey where there are none."""
        if not self.recipients_path.exists():
            return self._own_recipients()
        found = parse_recipients(files.read_file(self.recipients_path, limit=_MOST).decode("utf-8", "replace"))
        if not found:
            raise BadKey(path=self.recipients_path, reason="it has no age recipient (age1…)")
        return found

    def read_identities(self, path: Path | None = None) -> tuple[str, ...]:
        """Return the identities that open, from this person's own key or from a named file."""
        path = path or self.key_path
        if not path.exists():
            raise NoKey(path=path, command=self.purpose)
        found = parse_identities(files.read_file(path, limit=_MOST).decode("utf-8", "replace"))
        if not found:
            raise BadKey(path=path, reason="it has no age identity (AGE-SECRET-KEY-…)")
        return found

    def _own_recipients(self) -> tuple[str, ...]:
        return tuple(recipient_of(one, path=self.key_path) for one in self.read_identities())


def parse_identities(text: str) -> tuple[str, ...]:
    """Return the identities of a key file, one a line."""
    return _lines_with(text, _IDENTITY)


def parse_recipients(text: str) -> tuple[str, ...]:
    """Return the recipients of a list, one a line."""
    return _lines_with(text, _RECIPIENT)


def _lines_with(text: str, begin: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip().startswith(begin))
