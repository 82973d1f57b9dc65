"""The one place that encrypts: age, by pyrage, which is there only for those who installed it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memvault.errors import BadInput, BadKey, NoSealing, NotOpened

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
