"""To which keys private memories are sealed: the first one, a new one, another machine's, and one no longer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.errors import BadInput, BadKey, MemvaultError, NoKey, NothingToDo, NotOpened
from memvault.privacy.private import age
from memvault.privacy.private.keys import Keys
from memvault.privacy.private.read import Shut, check_person
from memvault.privacy.private.store import Safe
from memvault.storage.vault.context import Bench


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """How it stands with the keys of a vault's private memories."""

    key: Path | str  # where it is kept, or would be
    has_key: bool
    own: str  # the recipient of this machine's key; empty where there is none
    recipients: tuple[str, ...]  # those to which this vault's are sealed
    strange: tuple[str, ...]  # those of them that were not admitted on this machine
    count: int  # of sealed memories
    older: tuple[str, ...] = ()  # recipients of keys that this machine had before, and keeps
    closed: int = 0  # memories that no key of this machine opens
    was_here: bool = False  # it had a key once
    exposed: str = ""  # the file with the key, where others on this machine may read it
    new: bool = False  # the key was made, or would be

    @property
    def is_admitted(self) -> bool:
        """Whether this machine opens what is sealed from now on."""
        return not {self.own, *self.older}.isdisjoint(self.recipients)

    @property
    def outdated(self) -> tuple[str, ...]:
        """Older keys of this machine that this vault is still sealed to."""
        return tuple(one for one in self.recipients if one in self.older)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resealed:
    """Memories that were sealed anew, and those that could not be opened for that, which are as they were."""

    count: int
    recipients: tuple[str, ...]
    shut: tuple[Shut, ...] = ()
    key: Path | str = ""
    dry_run: bool = False


def standing(bench: Bench, keys: Keys) -> Ready:
    """How it stands; tells no text, and needs nothing that opens."""
    safe = Safe(bench.vault)
    listed, own = safe.listed(), ""
    strange: tuple[str, ...] = ()
    older: tuple[str, ...] = ()
    closed = 0
    if age.is_installed():
        own, older = keys.current(), keys.older()
        strange = tuple(one for one in listed if one not in keys.admitted())
        closed = _closed(safe, keys)
    return Ready(
        key=keys.place,
        has_key=bool(keys.own),
        own=own,
        recipients=listed,
        strange=strange,
        count=len(safe.paths()),
        older=older,
        closed=closed,
        was_here=keys.was_here,
        exposed=keys.exposed,
    )


def _closed(safe: Safe, keys: Keys) -> int:
    """How many memories are sealed to keys that this machine has not; which, only those that it opens can tell."""
    if keys.own and keys.opens(safe.listed()):
        return 0  # what is damaged is told elsewhere
    return sum(not (keys.own and _opens(safe, path, keys.own, keys)) for path in safe.paths())


def begin(bench: Bench, keys: Keys, *, in_keychain: bool) -> Ready:
    """Make this machine's key where it has none, and seal to it where this vault has no list yet.

    Whoever calls this has seen the keys of other machines in the list, and stands for them.
    """
    safe, made = Safe(bench.vault), not keys.own
    held = keys.make(in_keychain=in_keychain) if made else keys
    own = held.current()
    with bench.vault.locked():
        listed = safe.listed()
        if not listed:
            safe.seal_to([own])
    held.admit([own, *listed])
    return replace(standing(bench, held), new=made)


def rekey(bench: Bench, keys: Keys, *, dry_run: bool = False) -> Resealed:
    """Seal everything to a new key. Killed at any point, all can be opened, and the next rekey goes on from there.

    The new key is kept beside the old one before anything is sealed to it.
    """
    check_person(bench)
    safe = Safe(bench.vault)
    old = keys.recipients(safe)
    _check_opens(safe, keys)
    if dry_run:
        return Resealed(count=len(safe.paths()), recipients=old, key=keys.place, dry_run=True)
    with bench.vault.locked():
        held = keys if _goes_on(safe, keys) else keys.renewed()
        own = held.current()
        before = [one for one in held.recipients_of_all() if one != own]
        recipients = tuple(dict.fromkeys((own, *(one for one in old if one not in before))))
        safe.seal_to(recipients)
        done = _reseal(safe, held, recipients)
        held.admit([own], but=before)
    return done


def _goes_on(safe: Safe, keys: Keys) -> bool:
    """Whether the current key is new here already: this vault's list lacks it, or a file opens with older ones only."""
    own = keys.current()
    if not own:
        return False
    return own not in safe.listed() or any(_opens_with_older(safe, path, keys) for path in safe.all())


def _opens_with_older(safe: Safe, path: str, keys: Keys) -> bool:
    return not _opens(safe, path, keys.own[:1], keys) and _opens(safe, path, keys.identities(), keys)


def _opens(safe: Safe, path: str, identities: Sequence[str], keys: Keys) -> bool:
    try:
        age.unseal(safe.read(path), identities, path=path, key=keys.where)
    except NotOpened:
        return False
    return True


def _check_opens(safe: Safe, keys: Keys) -> None:
    """Raise what keeps everything from being opened: then nothing is changed."""
    first: MemvaultError | None = None
    for path in safe.paths():
        try:
            age.unseal(safe.read(path), keys.identities(), path=path, key=keys.where)
        except NotOpened as error:
            first = first or error
        else:
            return
    if first:
        raise first


def admit(bench: Bench, keys: Keys, recipient: str, *, dry_run: bool = False) -> Resealed:
    """Seal everything to another machine's key too, and keep in mind that it is this person's own."""
    check_person(bench)
    age.check(recipient)
    safe = Safe(bench.vault)
    recipients = tuple(dict.fromkeys((*safe.recipients(), recipient)))
    if dry_run:
        return Resealed(count=len(safe.paths()), recipients=recipients, dry_run=True)
    keys.admit([recipient])
    keys.recipients(safe)  # another stranger in the list is not to get what was sealed before it came
    with bench.vault.locked():
        if recipient not in safe.recipients():
            safe.seal_to(recipients)
        return _reseal(safe, keys, recipients)


def dismiss(bench: Bench, keys: Keys, recipient: str, *, dry_run: bool = False) -> Resealed:
    """Seal everything to that key no longer; what it could open before, it still can from older copies."""
    check_person(bench)
    safe = Safe(bench.vault)
    listed = safe.recipients()
    if recipient not in listed:
        raise NothingToDo(reason=f"Nothing is sealed to {recipient}.")
    if recipient == keys.current():
        reason = "it is the key that this machine opens them with; `memvault private rekey` makes another"
        raise BadInput(what="the recipient", value=recipient, reason=reason)
    if len(listed) == 1:
        reason = "nothing else is there to seal to; `memvault private admit` takes in another key first"
        raise BadInput(what="the recipient", value=recipient, reason=reason)
    recipients = tuple(one for one in listed if one != recipient)
    if dry_run:
        return Resealed(count=len(safe.paths()), recipients=recipients, dry_run=True)
    with bench.vault.locked():
        safe.seal_to(recipients)
        keys.admit([], but=[recipient])
        return _reseal(safe, keys, keys.recipients(safe))


def _reseal(safe: Safe, keys: Keys, recipients: tuple[str, ...]) -> Resealed:
    count = 0
    shut: list[Shut] = []
    for path in safe.all():
        try:
            sealed = safe.read(path)
            note = age.unseal(sealed, keys.identities(), path=path, key=keys.where)
            safe.change(path, note, recipients, expected=sealed)
            count += 1
        except (NotOpened, NoKey, BadKey) as error:
            shut.append(Shut(path, str(error.data.get("reason", error))))
    return Resealed(count=count, recipients=recipients, shut=tuple(shut), key=keys.place)
