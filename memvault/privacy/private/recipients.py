"""Manage the recipients of private memories: first key, new key, other machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.errors import BadInput, BadKey, MemvaultError, NoKey, NothingToDo, NotOpened
from memvault.privacy.private.keys import PrivateKeys
from memvault.privacy.private.read import UnopenedMemory, check_person
from memvault.privacy.private.store import PrivateStore
from memvault.storage.vault.context import VaultContext
from memvault.system import age


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStatus:
    """The state of the keys of a vault's private memories."""

    key: Path | str  # where it is stored, or would be
    has_key: bool
    own: str  # the recipient of this machine's key, if any
    recipients: tuple[str, ...]  # the recipients of this vault
    strange: tuple[str, ...]  # those not admitted on this machine
    count: int  # of sealed memories
    older: tuple[str, ...] = ()  # recipients of this machine's earlier keys
    closed: int = 0  # memories that this machine cannot open
    was_here: bool = False  # it had a key once
    exposed: str = ""  # the file with the key, where others on this machine may read it
    new: bool = False  # the key was made, or would be

    @property
    def is_admitted(self) -> bool:
        """Return whether this machine opens what is sealed from now on."""
        return not {self.own, *self.older}.isdisjoint(self.recipients)

    @property
    def outdated(self) -> tuple[str, ...]:
        """Return the older keys of this machine that the vault is still sealed to."""
        return tuple(one for one in self.recipients if one in self.older)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResealResult:
    """How many memories were resealed, and those that could not be opened and stay as they were."""

    count: int
    recipients: tuple[str, ...]
    shut: tuple[UnopenedMemory, ...] = ()
    key: Path | str = ""
    dry_run: bool = False


def key_status(context: VaultContext, keys: PrivateKeys) -> KeyStatus:
    """Return the state of the keys; needs no key and reveals no text."""
    store = PrivateStore(context.vault)
    listed, own = store.list_recipients(), ""
    strange: tuple[str, ...] = ()
    older: tuple[str, ...] = ()
    closed = 0
    if age.is_installed():
        own, older = keys.current_recipient(), keys.older_recipients()
        strange = tuple(one for one in listed if one not in keys.admitted_recipients())
        closed = _count_unopenable(store, keys)
    return KeyStatus(
        key=keys.own_place,
        has_key=bool(keys.own_identities),
        own=own,
        recipients=listed,
        strange=strange,
        count=len(store.memory_paths()),
        older=older,
        closed=closed,
        was_here=keys.had_key,
        exposed=keys.exposed_key,
    )


def _count_unopenable(store: PrivateStore, keys: PrivateKeys) -> int:
    """Count the memories that this machine cannot open; only those it opens can say which."""
    if keys.own_identities and keys.can_open(store.list_recipients()):
        return 0  # damage is reported elsewhere
    return sum(
        not (keys.own_identities and _can_open(store, path, keys.own_identities, keys)) for path in store.memory_paths()
    )


def begin_sealing(context: VaultContext, keys: PrivateKeys, *, in_keychain: bool) -> KeyStatus:
    """Make this machine's key where it has none, and seal to it where the vault has no list yet.

    Whoever calls this has seen the keys of other machines in the list, and vouches for them.
    """
    store, made = PrivateStore(context.vault), not keys.own_identities
    renewed = keys.make_key(in_keychain=in_keychain) if made else keys
    own = renewed.current_recipient()
    with context.vault.lock_vault():
        listed = store.list_recipients()
        if not listed:
            store.seal_to([own])
    renewed.admit_recipients([own, *listed])
    return replace(key_status(context, renewed), new=made)


def rekey_all(context: VaultContext, keys: PrivateKeys, *, dry_run: bool = False) -> ResealResult:
    """Reseal everything to a new key. Killed at any point, all can be opened, and the next rekey continues.

    The new key is stored beside the old one before anything is sealed to it.
    """
    check_person(context)
    store = PrivateStore(context.vault)
    old = keys.vault_recipients(store)
    _check_opens(store, keys)
    if dry_run:
        return ResealResult(count=len(store.memory_paths()), recipients=old, key=keys.own_place, dry_run=True)
    with context.vault.lock_vault():
        renewed = keys if _is_rekey_unfinished(store, keys) else keys.renew_key()
        own = renewed.current_recipient()
        before = [one for one in renewed.recipients_of_all() if one != own]
        recipients = tuple(dict.fromkeys((own, *(one for one in old if one not in before))))
        store.seal_to(recipients)
        done = _reseal_all(store, renewed, recipients)
        renewed.admit_recipients([own], but=before)
    return done


def _is_rekey_unfinished(store: PrivateStore, keys: PrivateKeys) -> bool:
    """Return whether a rekey was cut short: the list lacks the current key, or a file opens only with older ones."""
    own = keys.current_recipient()
    if own and own not in store.list_recipients():
        return True
    current, every = keys.own_identities[:1], keys.all_identities() if own else ()
    paths = store.all_paths() if own else ()
    return any(not _can_open(store, path, current, keys) and _can_open(store, path, every, keys) for path in paths)


def _can_open(store: PrivateStore, path: str, identities: Sequence[str], keys: PrivateKeys) -> bool:
    try:
        age.unseal_bytes(store.read_sealed(path), identities, path=path, key=keys.key_place)
    except NotOpened:
        return False
    return True


def _check_opens(store: PrivateStore, keys: PrivateKeys) -> None:
    """Raise what keeps everything from being opened, before anything is changed."""
    first: MemvaultError | None = None
    for path in store.memory_paths():
        try:
            age.unseal_bytes(store.read_sealed(path), keys.all_identities(), path=path, key=keys.key_place)
        except NotOpened as error:
            first = first or error
        else:
            return
    if first:
        raise first


def admit_recipient(context: VaultContext, keys: PrivateKeys, recipient: str, *, dry_run: bool = False) -> ResealResult:
    """Reseal everything to another machine's key too, and admit it as this person's own."""
    check_person(context)
    age.check_recipient(recipient)
    store = PrivateStore(context.vault)
    recipients = tuple(dict.fromkeys((*store.require_recipients(), recipient)))
    if dry_run:
        return ResealResult(count=len(store.memory_paths()), recipients=recipients, dry_run=True)
    keys.admit_recipients([recipient])
    keys.vault_recipients(store)  # an unadmitted recipient in the list must not get what was sealed before it came
    with context.vault.lock_vault():
        if recipient not in store.require_recipients():
            store.seal_to(recipients)
        return _reseal_all(store, keys, recipients)


def dismiss_recipient(
    context: VaultContext, keys: PrivateKeys, recipient: str, *, dry_run: bool = False
) -> ResealResult:
    """Reseal everything without a recipient; what it could open before, it still can from older copies."""
    check_person(context)
    store = PrivateStore(context.vault)
    listed = store.require_recipients()
    if recipient not in listed:
        raise NothingToDo(reason=f"Nothing is sealed to {recipient}.")
    if recipient == keys.current_recipient():
        reason = "it is this machine's own key; `memvault private rekey` makes another"
        raise BadInput(what="the recipient", value=recipient, reason=reason)
    if len(listed) == 1:
        reason = "it is the only recipient; add another first: `memvault private admit`"
        raise BadInput(what="the recipient", value=recipient, reason=reason)
    recipients = tuple(one for one in listed if one != recipient)
    if dry_run:
        return ResealResult(count=len(store.memory_paths()), recipients=recipients, dry_run=True)
    with context.vault.lock_vault():
        store.seal_to(recipients)
        keys.admit_recipients([], but=[recipient])
        return _reseal_all(store, keys, keys.vault_recipients(store))


def _reseal_all(store: PrivateStore, keys: PrivateKeys, recipients: tuple[str, ...]) -> ResealResult:
    count = 0
    unopened: list[UnopenedMemory] = []
    for path in store.all_paths():
        try:
            sealed = store.read_sealed(path)
            note = age.unseal_bytes(sealed, keys.all_identities(), path=path, key=keys.key_place)
            store.change_note(path, note, recipients, expected=sealed)
            count += 1
        except (NotOpened, NoKey, BadKey) as error:
            unopened.append(UnopenedMemory(path, str(error.data.get("reason", error))))
    return ResealResult(count=count, recipients=recipients, shut=tuple(unopened), key=keys.own_place)
