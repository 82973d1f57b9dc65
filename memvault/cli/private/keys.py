"""The keys of private memories on the command line: made, renewed, another machine's admitted."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.private.notes import PrivateOptions, exposed_key_warnings, unopened_warnings
from memvault.errors import NothingToDo
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.privacy.private.recipients import KeyStatus, ResealResult

_COST = (
    "Private memories are sealed to a key that only you have. Whoever loses it loses them: without it nobody can open\n"
    "them, neither memvault nor whoever made it, and no copy, sync or undo brings them back.\n"
)


def status(cli: CliContext, _asked: PrivateOptions) -> CommandResult:
    """Where the key is, and to which keys is sealed."""
    with cli.open_vault() as vault:
        found = vault.private_status()
    return _key_result(found, talk=_status_advice(found))


def init(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Make a key where there is none, having said what its loss would cost; admit the keys that the vault names."""
    with cli.open_vault() as vault:
        found = vault.private_status()
        if asked.dry_run:
            return _key_result(found, talk=(DRY_RUN,))
        _confirm_key(cli, found, asked)
        found = vault.private_init(in_keyring=asked.keyring)
    return _key_result(found, talk=(*_copies_message(found), *_status_advice(found)))


def _confirm_key(cli: CliContext, found: KeyStatus, asked: PrivateOptions) -> None:
    """Have it agreed to that a key is made, and that the keys in the list are one's own."""
    strange = tuple(one for one in found.strange if one != found.own)
    if not found.has_key:
        cli.print_message(_COST)
    if strange:
        cli.print_message("The vault has its private memories sealed to these keys too:")
        cli.print_message("\n".join(f"  {one}" for one in strange))
    if asked.yes or (found.has_key and not strange):
        return
    question = "Make a key?" if not strange else "Are these keys yours, of other machines?"
    if not (cli.has_person and cli.confirm(question)):
        raise NothingToDo(reason="Nothing was made or admitted, as nobody agreed: --yes agrees beforehand.")


def rekey(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Seal everything to a new key."""
    with cli.open_vault() as vault:
        would = vault.private_rekey(key=asked.key or None, dry_run=True)
        what = f"{format_count(would.count, 'private memory', 'private memories')} would be sealed to a new key"
        if asked.dry_run:
            return _format_resealed(would, f"{what}.", (DRY_RUN,))
        if not asked.yes and not (cli.has_person and cli.confirm(f"{what}. Go on?")):
            raise NothingToDo(reason=f"{what}: --yes agrees to it.")
        done = vault.private_rekey(key=asked.key or None)
    talk = (
        f"The new key is the first in {done.key}: make a copy of it again.",
        "The old one stays there below it. It opens older copies, as in a backup or in what git keeps, and cannot be "
        "taken back from whoever has it.",
    )
    return _format_resealed(done, f"Sealed anew: {format_count(done.count, 'memory', 'memories')}.", talk)


def admit(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Seal everything to another machine's key too."""
    with cli.open_vault() as vault:
        done = vault.private_admit(asked.words, key=asked.key or None, dry_run=asked.dry_run)
    return _reseal_result(done, "and that machine opens them, once the vault has got there.")


def dismiss(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Seal everything to a key no longer."""
    with cli.open_vault() as vault:
        done = vault.private_dismiss(asked.words, key=asked.key or None, dry_run=asked.dry_run)
    return _reseal_result(done, "and that key opens what it could before only from older copies, as in what git keeps.")


def _reseal_result(done: ResealResult, what: str) -> CommandResult:
    count = format_count(done.count, "memory", "memories")
    did = f"Would seal anew: {count}." if done.dry_run else f"Sealed anew: {count}, {what}"
    return _format_resealed(done, did, (DRY_RUN,) if done.dry_run else ())


def _format_resealed(done: ResealResult, text: str, talk: tuple[str, ...]) -> CommandResult:
    result = {"count": done.count, "recipients": done.recipients, "key": done.key, "dry_run": done.dry_run}
    return CommandResult(result=result, text=lambda _paper: text, messages=talk, warnings=unopened_warnings(done.shut))


def _key_result(found: KeyStatus, *, talk: tuple[str, ...]) -> CommandResult:
    result = {
        "key": found.key,
        "has_key": found.has_key,
        "own": found.own,
        "recipients": found.recipients,
        "strange": found.strange,
        "count": found.count,
        "new": found.new,
        "older": found.older,
        "closed": found.closed,
    }
    return CommandResult(
        result=result,
        text=lambda _paper: "\n".join(_status_lines(found)),
        messages=talk,
        warnings=_status_warnings(found),
    )


def _status_warnings(found: KeyStatus) -> tuple[str, ...]:
    told = list(exposed_key_warnings(found.exposed))
    if found.closed and (found.has_key or found.was_here):
        count = format_count(found.closed, "private memory", "private memories")
        told.append(f"{count} cannot be opened by any key that is here")
    return tuple(told)


def _status_lines(found: KeyStatus) -> list[str]:
    remarks = {
        found.own: "this machine's key",
        **dict.fromkeys(found.outdated, "an older key of this machine"),
        **dict.fromkeys(found.strange, "not admitted here"),
    }
    verb = "Made your key" if found.new else "Key"
    elsewhere = "another key of yours" if found.is_admitted else "a key that is not here"
    return [
        f"{verb}: {found.key if found.has_key else 'none here'}",
        *(f"Sealed to: {one}  ({remarks.get(one, elsewhere)})" for one in found.recipients),
        f"Private memories: {found.count:,}",
    ]


def _copies_message(found: KeyStatus) -> tuple[str, ...]:
    if not found.new:
        return ()
    at = str(found.key)
    if "/" not in at and "\\" not in at:
        return ("Keep a copy of it elsewhere: the program that shows your keyring lists it as `memvault`.",)
    return (f"Keep a copy of it elsewhere, not in the vault, such as: cp {quote(at)} /media/stick/",)


def _status_advice(found: KeyStatus) -> tuple[str, ...]:
    if not found.has_key:
        return ("Create a key with `memvault private init`; it also says what losing the key means.",)
    if found.own and found.recipients and not found.is_admitted:
        return (f"On a machine that opens them: memvault private admit {found.own}", *_recovery_advice(found))
    if found.outdated:
        return ("`memvault private rekey` seals this vault to the new key as well.",)
    if others := [one for one in found.strange if one != found.own]:
        return (f"If it is yours: memvault private admit {others[0]}; if not: memvault private dismiss {others[0]}",)
    return ()


def _recovery_advice(found: KeyStatus) -> tuple[str, ...]:
    """What is left to do where no machine and no copy of the key opens them any more."""
    others = [one for one in found.recipients if one not in found.strange]
    if not (found.closed and others):
        return ()
    dismissed = "; ".join(f"memvault private dismiss {one}" for one in others)
    return (
        f"If there is a copy of the key that opens them, put it at {found.key}, or name it with --key. If it is lost, "
        "what is sealed to it stays closed for good. To have new ones sealed to the key that is here: "
        f"memvault private admit {found.own}; then: {dismissed}",
    )
