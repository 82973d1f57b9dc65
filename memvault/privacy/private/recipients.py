"""Manage the recipients of what is sealed: first key, new key, other machines."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memvault.errors import BadInput, BadKey, MemvaultError, NoKey, NothingToDo, NotOpened
from memvault.privacy.private.read import UnopenedMemory, check_person
from memvault.privacy.private.store import ENDING, HEAD, RECIPIENTS, PrivateStore, has_sealed_name, is_sealed
from memvault.storage.finding import DoctorFinding, shell_command
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import is_conflict_copy
from memvault.system import age, files, paths
from memvault.system.age import PrivateKeys
from memvault.transcripts.archive.originals import SealedFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStatus:
    """The state of a person's keys, and of what is sealed in a vault."""

    key: Path | str  # where it is stored, or would be
    has_key: bool
    installed: bool  # whether anything can be sealed or opened here
    own: str = ""  # the recipient of this machine's key, if any
    recipients: tuple[str, ...] = ()  # whom this person seals to
    strange: tuple[str, ...] = ()  # those that only the vault names: nothing is sealed to them
    count: int = 0  # of sealed memories
    older: tuple[str, ...] = ()  # recipients of this machine's earlier keys that the vault still names
    closed: int = 0  # memories that this machine cannot open
    was_here: bool = False  # it had a key once
    exposed: str = ""  # the file with the key, where others on this machine may read it
    new: bool = False  # the key was made, or would be
    secrets: str = ""  # the setting that says whether originals of conversations are sealed
    files: int = 0  # sealed originals
    size: int = 0  # their bytes


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
    sizes = [path.stat().st_size for path in SealedFiles(context.vault.root, context.vault.layout).all_files()]
    status = KeyStatus(
        key=keys.own_place,
        has_key=bool(keys.own_identities),
        installed=age.is_installed(),
        count=len(store.memory_paths()),
        was_here=keys.had_key,
        exposed=keys.exposed_key,
        secrets=context.settings.text("transcripts.secrets"),
        files=len(sizes),
        size=sum(sizes),
    )
    if not status.installed:
        return status
    named, own, older = store.named_recipients(), keys.current_recipient(), keys.older_recipients()
    return replace(
        status,
        own=own,
        recipients=keys.confirmed_recipients(),
        strange=keys.unconfirmed_recipients(named),
        older=tuple(one for one in named if one in older),
        closed=sum(_is_closed(store, path, keys) for path in store.memory_paths()),
    )


def begin_sealing(context: VaultContext, keys: PrivateKeys, *, in_keyring: bool) -> KeyStatus:
    """Make this machine's key where it has none, name it in the vault, and confirm the others that the vault names.

    Whoever calls this has seen the keys of other machines in the list, and vouches for them.
    """
    store, is_new = PrivateStore(context.vault), not keys.own_identities
    if strange := keys.unconfirmed_recipients(store.named_recipients()):
        check_person(context)
    renewed = keys.make_key(in_keyring=in_keyring) if is_new else keys
    renewed.confirm_recipients(strange)
    with context.vault.lock_vault():
        _name_recipients(store, add=[renewed.current_recipient()])
        if strange:
            _reseal_all(store, renewed)
    return replace(key_status(context, renewed), new=is_new)


def rekey_all(context: VaultContext, keys: PrivateKeys, *, dry_run: bool = False) -> ResealResult:
    """Reseal everything to a new key. Killed at any point, all can be opened, and the next rekey continues.

    The new key is stored beside the old one before anything is sealed to it.
    """
    check_person(context)
    store, recipients = PrivateStore(context.vault), keys.recipients()
    _check_opens(store, keys)
    if dry_run:
        return ResealResult(count=len(store.memory_paths()), recipients=recipients, key=keys.own_place, dry_run=True)
    with context.vault.lock_vault():
        renewed = keys if _is_rekey_unfinished(store, keys) else keys.renew_key()
        own = renewed.current_recipient()
        before = [one for one in renewed.recipients_of_all() if one != own]
        renewed.confirm_recipients([], but=before)
        _name_recipients(store, add=[own], but=before)
        return _reseal_all(store, renewed)


def _is_rekey_unfinished(store: PrivateStore, keys: PrivateKeys) -> bool:
    """Return whether a rekey was cut short: the vault names an older key only, or a file opens with older ones only."""
    own, named = keys.current_recipient(), store.named_recipients()
    if own and own not in named and not frozenset(named).isdisjoint(keys.older_recipients()):
        return True
    current, paths = keys.own_identities[:1], store.all_paths() if own else ()
    return any(_is_closed(store, path, keys, current) and not _is_closed(store, path, keys) for path in paths)


def _is_closed(store: PrivateStore, path: str, keys: PrivateKeys, identities: Sequence[str] = ()) -> bool:
    """Return whether a memory is sealed to other keys than these; damage is reported elsewhere."""
    try:
        keys.unseal_bytes(store.read_sealed(path), path=path, identities=identities)
    except NotOpened as error:
        return bool(error.data["reason"] != age.DAMAGED)
    except NoKey:
        return True
    return False


def _check_opens(store: PrivateStore, keys: PrivateKeys) -> None:
    """Raise what keeps everything from being opened, before anything is changed."""
    first: MemvaultError | None = None
    for path in store.memory_paths():
        try:
            keys.unseal_bytes(store.read_sealed(path), path=path)
        except NotOpened as error:
            first = first or error
        else:
            return
    if first:
        raise first


def admit_recipient(context: VaultContext, keys: PrivateKeys, recipient: str, *, dry_run: bool = False) -> ResealResult:
    """Confirm a recipient as this person's own, and reseal everything to it too."""
    check_person(context)
    age.check_recipient(recipient)
    store, recipients = PrivateStore(context.vault), tuple(dict.fromkeys((*keys.recipients(), recipient)))
    if dry_run:
        return ResealResult(count=len(store.memory_paths()), recipients=recipients, dry_run=True)
    keys.confirm_recipients([recipient])
    with context.vault.lock_vault():
        _name_recipients(store, add=[recipient])
        return _reseal_all(store, keys)


def dismiss_recipient(
    context: VaultContext, keys: PrivateKeys, recipient: str, *, dry_run: bool = False
) -> ResealResult:
    """Reseal everything without a recipient; what it could open before, it still can from older copies."""
    check_person(context)
    store, sealed_to = PrivateStore(context.vault), keys.recipients()
    if recipient not in (*sealed_to, *store.named_recipients()):
        raise NothingToDo(reason=f"Nothing is sealed to {recipient}.")
    if recipient == keys.current_recipient():
        reason = "it is this machine's own key; `memvault private rekey` makes another"
        raise BadInput(what="the recipient", value=recipient, reason=reason)
    recipients = tuple(one for one in sealed_to if one != recipient)
    if not recipients:
        reason = "it is the only recipient; add another first: `memvault private admit`"
        raise BadInput(what="the recipient", value=recipient, reason=reason)
    if dry_run:
        return ResealResult(count=len(store.memory_paths()), recipients=recipients, dry_run=True)
    with context.vault.lock_vault():
        keys.confirm_recipients([], but=[recipient])
        _name_recipients(store, but=[recipient])
        return _reseal_all(store, keys)


def _name_recipients(store: PrivateStore, *, add: Sequence[str] = (), but: Iterable[str] = ()) -> None:
    named = store.named_recipients()
    changed = [one for one in dict.fromkeys((*named, *add)) if one not in frozenset(but)]
    if list(named) != changed:
        store.name_recipients(changed)


def _reseal_all(store: PrivateStore, keys: PrivateKeys) -> ResealResult:
    count = 0
    unopened: list[UnopenedMemory] = []
    for path in store.all_paths():
        try:
            sealed = store.read_sealed(path)
            store.change_note(path, keys.unseal_bytes(sealed, path=path), keys, expected=sealed)
            count += 1
        except (NotOpened, NoKey, BadKey) as error:
            unopened.append(UnopenedMemory(path, str(error.data.get("reason", error))))
    return ResealResult(count=count, recipients=keys.recipients(), shut=tuple(unopened), key=keys.own_place)


# The doctor looks at private memories: only sealed files lie there, and this machine can open what it should.


_OWN_FILES = (RECIPIENTS, ".gitkeep")


def check_private(context: VaultContext) -> Iterator[DoctorFinding]:
    """Find files in the clear where only sealed ones belong, names that tell something, keys that do not fit."""
    folder = context.vault.layout.private
    root = context.vault.root / folder
    names = sorted(path.name for path in root.iterdir()) if root.is_dir() and not files.find_link_out(root) else []
    found = [f"{folder}{name}" for name in names if not context.vault.hides(f"{folder}{name}")]
    for path in found:
        yield from _judge_file(path, context)
    if any(path.endswith((ENDING, RECIPIENTS)) for path in found):
        yield from _check_keys(context, f"{folder}{RECIPIENTS}")


def _judge_file(path: str, context: VaultContext) -> Iterator[DoctorFinding]:
    full = context.vault.root / path
    what = "folder" if full.is_dir() else "file"
    if what == "folder" or full.is_symlink() or not path.endswith(ENDING):
        if full.name not in _OWN_FILES and not full.name.startswith(".mv-"):
            yield DoctorFinding(
                severity="error",
                path=f"{path}/" if what == "folder" else path,
                sentence=f"This {what} lies in the clear where only sealed memories belong.",
                advice="`memvault remember --private --file FILE` seals its text; then delete or move it.",
            )
    elif not is_sealed(files.read_file(context.vault.absolute_path(path), limit=HEAD)):
        yield DoctorFinding(
            severity="error",
            path=path,
            sentence="It is named like a sealed memory and is none: it is damaged, or it is not encrypted.",
            advice="Seal its text with `memvault remember --private --file FILE`, or put back a copy of the file.",
        )
    elif not has_sealed_name(full.name) and not is_conflict_copy(full.name):
        yield DoctorFinding(
            severity="warning",
            path=path,
            sentence="Its name may tell what is in it: memvault would have drawn 16 hexadecimal digits.",
            advice="Rename it to such a name; nothing else refers to it.",
        )


def _check_keys(context: VaultContext, listing: str) -> Iterator[DoctorFinding]:
    try:
        found = key_status(context, PrivateKeys(paths.config_folder(context.environment)))
    except MemvaultError as error:
        yield DoctorFinding(severity="error", path=listing, sentence=str(error), advice=error.advice)
        return
    yield from _check_own_key(found)
    for strange in found.strange:
        yield DoctorFinding(
            severity="warning",
            path=listing,
            sentence=f"It names a key that was not confirmed on this machine, so nothing is sealed to it: {strange}.",
            advice=f"If it is yours: {shell_command('private', 'admit', strange)}; if not, `dismiss` takes it out.",
        )


def _check_own_key(found: KeyStatus) -> Iterator[DoctorFinding]:
    if found.exposed:
        yield DoctorFinding(
            severity="warning",
            path="",
            sentence=f"Others on this machine may read the key of the private memories, {found.key}.",
            advice=f"`chmod go= {shlex.quote(found.exposed)}` takes that right away; who read it, opens them.",
        )
    if not found.has_key:
        yield DoctorFinding(
            severity="error" if found.was_here and found.closed else "warning",
            path="",
            sentence=f"This machine opens no private memory of this vault: there is no key at {found.key}.",
            advice=f"Copy it from another machine, or have one more made by {shell_command('private', 'init')}.",
        )
    elif found.closed:
        yield DoctorFinding(
            severity="error",
            path="",
            sentence=f"Private memories are not sealed to the key of this machine: {found.closed:,} cannot be opened.",
            advice=f"On a machine that opens them: {shell_command('private', 'admit', found.own)}; "
            f"if their key is lost, {shell_command('private', 'status')} says what is left to do.",
        )
    elif found.older:
        yield DoctorFinding(
            severity="warning",
            path="",
            sentence="Private memories of this vault are still sealed to an older key of yours.",
            advice=f"{shell_command('private', 'rekey')} seals them to the key that you made since.",
        )
