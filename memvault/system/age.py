"""Encrypt and decrypt with a person's keys: the only user of age (pyrage, an optional package)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from memvault.errors import BadInput, BadKey, NoKey, NoKeychain, NoRecipients, NoSealing, NotOpened
from memvault.system import files

DAMAGED = "it is damaged"
"""The reason of NotOpened where the key fits, as far as can be seen."""


def is_installed(package: str = "pyrage") -> bool:
    """Return whether a package is there: by default the one without which nothing is sealed or opened."""
    try:
        return find_spec(package) is not None
    except ValueError:  # somebody put another module in its place
        return False


def check_recipient(recipient: str) -> None:
    """Raise BadInput unless it is a valid recipient."""
    age = _import_pyrage()
    try:
        age.x25519.Recipient.from_str(recipient)
    except age.RecipientError:
        raise BadInput(what="the recipient", value=recipient, reason="it is not an age recipient (age1…)") from None


def _generate_identity() -> str:
    return str(_import_pyrage().x25519.Identity.generate())


def _recipient_of(identity: str, path: Path | str) -> str:
    return str(_parse_identity(identity, path).to_public())


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
        from memvault.system.programs import install_command  # deferred: only where something is missing

        raise NoSealing(command=install_command("private")) from error
    return pyrage  # type: ignore[no-any-return]


# The system's keyring, through an optional package: stores a person's key where they want it there.

KEYRING_PLACE = "the system's keyring"
_SERVICE, _NAME = "memvault", "private memories"
# Backends that store passwords in a file, or nowhere, by their module.
_UNSAFE_BACKENDS = ("keyrings.alt", "keyring.backends.fail", "keyring.backends.null")


def _fetch_key() -> str:
    """Return the stored key; empty where there is none, or nobody can be asked."""
    if not is_installed("keyring"):
        return ""
    try:
        return str(import_module("keyring").get_password(_SERVICE, _NAME) or "")
    except Exception:  # each system has its own errors: locked, no session, no permission
        return ""


def _store_key(text: str) -> None:
    """Store a key in the keyring; NoKeychain where it is refused, or would be stored in some file."""
    if not is_installed("keyring"):
        raise NoKeychain(reason="the package `keyring` is not installed")
    package = import_module("keyring")
    try:
        is_safe = not type(package.get_keyring()).__module__.startswith(_UNSAFE_BACKENDS)
        if is_safe:
            package.set_password(_SERVICE, _NAME, text)
    except Exception as error:  # as above; the message may repeat the key
        raise NoKeychain(reason=type(error).__name__) from None
    if not is_safe:
        raise NoKeychain(reason="no secure keyring backend is available")


# A person's keys: what opens on this machine, and the recipients that this person has everything sealed to.

_IDENTITY, _RECIPIENT = "AGE-SECRET-KEY-", "age1"
_MOST = 100_000  # bytes of a key file
_ABOUT = "# What was sealed is opened by this key alone. Keep a copy of it elsewhere."
_BEFORE = "# Kept, as older copies open with these only:"
_OTHERS = 0o077


@dataclass(frozen=True)
class PrivateKeys:
    """The keys in a person's config folder or the system's keyring, and those in another file, if named.

    Earlier versions had files of their own for the originals of conversations, `seal.agekey` and `seal.recipients`:
    what they opened still opens, and where there are no others, they are what is sealed to.
    """

    folder: Path
    named_file: Path | None = None

    @property
    def key_path(self) -> Path:
        """Return the file of the identities, the current one first."""
        return self.folder / "private.agekey"

    @property
    def recipients_path(self) -> Path:
        """Return the list of the recipients that the person confirmed."""
        return self.folder / "private.recipients"

    @property
    def _earlier_key_path(self) -> Path:
        return self.folder / "seal.agekey"

    # -- identities

    @cached_property
    def own_identities(self) -> tuple[str, ...]:
        """Return this machine's identities, the current one first; none where there is no key."""
        earlier = _read_identities(self._earlier_key_path) if self._earlier_key_path.exists() else ()
        return tuple(dict.fromkeys((*self._main_identities, *earlier)))

    @cached_property
    def _main_identities(self) -> tuple[str, ...]:
        return _read_identities(self.key_path) if self.key_path.exists() else _lines_with(_fetch_key(), _IDENTITY)

    @property
    def _is_in_keyring(self) -> bool:
        return bool(self._main_identities) and not self.key_path.exists()

    @property
    def own_place(self) -> Path | str:
        """Return where this machine's key is stored, or would be."""
        if self._is_in_keyring:
            return KEYRING_PLACE
        return self.key_path if self._main_identities or not self.own_identities else self._earlier_key_path

    @cached_property
    def all_identities(self) -> tuple[str, ...]:
        """Return all identities that may open something; NoKey where there are none."""
        if self.named_file and not self.named_file.exists():
            raise NoKey(path=self.named_file)
        named = _read_identities(self.named_file) if self.named_file else ()
        if not (named or self.own_identities):
            raise NoKey(path=self.key_path)
        return (*named, *self.own_identities)

    def current_recipient(self) -> str:
        """Return the recipient of this machine's current key; empty where there is none."""
        return _recipient_of(self.own_identities[0], self.own_place) if self.own_identities else ""

    def older_recipients(self) -> tuple[str, ...]:
        """Return the recipients of the keys that this machine had before, and keeps."""
        return tuple(_recipient_of(one, self.own_place) for one in self.own_identities[1:])

    def recipients_of_all(self) -> tuple[str, ...]:
        """Return the recipients of all available identities."""
        place = self.named_file or self.own_place
        return tuple(_recipient_of(one, place) for one in self.all_identities)

    def can_open(self, recipients: Iterable[str]) -> bool:
        """Return whether any available key opens what is sealed to some recipients."""
        has_any = self.named_file or self.own_identities
        return bool(has_any) and not frozenset(self.recipients_of_all()).isdisjoint(recipients)

    @property
    def had_key(self) -> bool:
        """Return whether this machine had a key once, as it still has the list of recipients."""
        return self.recipients_path.exists()

    @property
    def exposed_key(self) -> str:
        """Return the key file if others on this machine may read it; empty otherwise."""
        if sys.platform == "win32":
            return ""  # Windows has access lists, and a user's own folders are private
        for path in (self.key_path, self._earlier_key_path):
            with suppress(OSError):
                if path.stat().st_mode & _OTHERS:
                    return str(path)
        return ""

    # -- recipients

    def recipients(self) -> tuple[str, ...]:
        """Return whom to seal to; NoRecipients where there is nobody. With a list, no key is read for that."""
        if not (found := self.confirmed_recipients()):
            raise NoRecipients(path=self.recipients_path)
        return found

    def confirmed_recipients(self) -> tuple[str, ...]:
        """Return the recipients in the person's own list; without a list that of the key, if there is one."""
        earlier = self.folder / "seal.recipients"
        path = self.recipients_path if self.recipients_path.exists() or self.key_path.exists() else earlier
        if not path.exists():
            return tuple(filter(None, (self.current_recipient(),)))
        found = parse_recipients(files.read_file(path, limit=_MOST))
        if not found:
            raise BadKey(path=path, reason="it has no age recipient (age1…)")
        return found

    def unconfirmed_recipients(self, named: Iterable[str]) -> tuple[str, ...]:
        """Return those recipients that a vault names and the person did not confirm: nothing is sealed to them.

        The list in a vault travels with it, so whoever can write into a copy of it could name themselves.
        """
        known = {self.current_recipient(), *self.older_recipients(), *self.confirmed_recipients()}
        return tuple(one for one in named if one not in known)

    def confirm_recipients(self, recipients: Iterable[str], *, but: Iterable[str] = ()) -> None:
        """Add recipients to the person's own list, and remove others."""
        known = dict.fromkeys((self.current_recipient(), *self.confirmed_recipients(), *recipients))
        self._prepare_folder()
        text = "".join(f"{one}\n" for one in known if one and one not in frozenset(but))
        files.overwrite_file(self.recipients_path, text.encode())

    # -- sealing and opening

    def seal_bytes(self, data: bytes) -> bytes:
        """Encrypt bytes to the person's recipients, any of whom can open them."""
        age = _import_pyrage()
        try:
            keys = [age.x25519.Recipient.from_str(recipient) for recipient in self.recipients()]
            return bytes(age.encrypt(data, keys))
        except (age.RecipientError, age.EncryptError) as error:
            raise BadKey(path=self.recipients_path, reason="it has no age recipient (age1…)") from error

    def unseal_bytes(self, data: bytes, *, path: Path | str, identities: Sequence[str] = ()) -> bytes:
        """Decrypt the data of a path with all identities, or with some, or raise NotOpened."""
        age = _import_pyrage()
        place = self.named_file or self.own_place
        keys = [_parse_identity(one, place) for one in identities or self.all_identities]
        try:
            return bytes(age.decrypt(data, keys))
        except age.DecryptError as error:
            is_other = "matching" in str(error)
            reason = f"it was not sealed to the key in {place}" if is_other else DAMAGED
            raise NotOpened(path=path, reason=reason) from error

    # -- making keys

    def make_key(self, *, in_keyring: bool) -> PrivateKeys:
        """Make this machine's first key; return the keys with it."""
        return self._store_keys([_generate_identity()], in_keyring=in_keyring)

    def renew_key(self) -> PrivateKeys:
        """Make a new current key; the earlier ones are kept."""
        return self._store_keys([_generate_identity(), *self.own_identities], in_keyring=self._is_in_keyring)

    def _store_keys(self, identities: list[str], *, in_keyring: bool) -> PrivateKeys:
        current, *before = identities
        text = "".join(f"{line}\n" for line in (_ABOUT, current, *([_BEFORE, *before] if before else [])))
        if in_keyring:
            _store_key(text)
        else:
            self._prepare_folder()
            (files.overwrite_file if before else files.create_file)(self.key_path, text.encode())
        keys = PrivateKeys(self.folder, self.named_file)
        if keys.own_identities[:1] != (current,):
            raise BadKey(path=keys.own_place, reason="the stored key could not be read back")
        return keys

    def _prepare_folder(self) -> None:
        files.make_folder(self.folder)
        files.clear_orphans(self.folder)


def _read_identities(path: Path) -> tuple[str, ...]:
    found = _lines_with(files.read_file(path, limit=_MOST).decode("utf-8", "replace"), _IDENTITY)
    if not found:
        raise BadKey(path=path, reason="it has no age identity (AGE-SECRET-KEY-…)")
    return found


def parse_recipients(data: bytes) -> tuple[str, ...]:
    """Return the recipients of a list, one a line."""
    return _lines_with(data.decode("utf-8", "replace"), _RECIPIENT)


def _lines_with(text: str, begin: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip().startswith(begin)))
