"""Keys on the command line: made, renewed, another machine's confirmed; and private memories unlocked for a while."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from shlex import quote
from typing import TYPE_CHECKING

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.private.notes import NONE_YET, PrivateOptions, exposed_key_warnings, unopened_warnings
from memvault.core.value import take_fields
from memvault.errors import BadInput, NoPorter, NotConfirmed
from memvault.system.programs import install_command
from memvault.text.dates.time_words import read_length
from memvault.text.display import format_count, format_size

if TYPE_CHECKING:
    from memvault.privacy.private.recipients import KeyStatus, ResealResult

_COST = (
    "Private memories are sealed to a key that only you have. Whoever loses it loses them: without it nobody can open\n"
    "them, neither memvault nor whoever made it, and no copy, sync or undo brings them back.\n"
)

_KEEP = "`memvault config --user transcripts.secrets seal`"


def status(cli: CliContext, _asked: PrivateOptions) -> CommandResult:
    """Where the key is, and to which keys is sealed."""
    with cli.open_vault() as vault:
        found = vault.private_status()
    return _key_result(found, messages=_status_advice(found))


def init(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Make a key where there is none, having said what its loss would cost; confirm the keys that the vault names."""
    with cli.open_vault() as vault:
        found = vault.private_status()
        if asked.dry_run:
            return _key_result(found, messages=(DRY_RUN,))
        _confirm_key(cli, found, asked)
        found = vault.private_init(in_keyring=asked.keyring)
    return _key_result(found, messages=(*_copies_message(found), *_status_advice(found)))


def _confirm_key(cli: CliContext, found: KeyStatus, asked: PrivateOptions) -> None:
    """Have it agreed to that a key is made, and that the keys which the vault names are one's own."""
    strange = found.strange
    if not found.has_key:
        cli.print_message(_COST)
    if strange:
        cli.print_message("The vault names these keys too:")
        cli.print_message("\n".join(f"  {one}" for one in strange))
    if asked.yes or (found.has_key and not strange):
        return
    question = "Make a key?" if not strange else "Are these keys yours, of other machines?"
    if not (cli.has_person and cli.confirm(question)):
        raise NotConfirmed(
            reason="Nothing was made or confirmed, as nobody agreed.", command=cli.repeat_command("--yes")
        )


def rekey(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Seal everything to a new key."""
    with cli.open_vault() as vault:
        would = vault.private_rekey(key=asked.key or None, dry_run=True)
        what = f"{format_count(would.count, 'private memory', 'private memories')} would be sealed to a new key"
        if asked.dry_run:
            return _format_resealed(would, f"{what}.", (DRY_RUN,))
        if not asked.yes and not (cli.has_person and cli.confirm(f"{what}. Go on?")):
            raise NotConfirmed(reason=f"{what}.", command=cli.repeat_command("--yes"))
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
    result = take_fields(done, "count", "recipients", "key", "dry_run")
    return CommandResult(result=result, text=lambda _paper: text, messages=talk, warnings=unopened_warnings(done.shut))


def _key_result(found: KeyStatus, *, messages: tuple[str, ...]) -> CommandResult:
    named = ("key", "has_key", "installed", "own", "recipients", "strange", "count", "new", "older", "closed")
    warnings = list(exposed_key_warnings(found.exposed))
    if found.closed and (found.has_key or found.was_here):
        count = format_count(found.closed, "private memory", "private memories")
        warnings.append(f"{count} cannot be opened by any key that is here")
    return CommandResult(
        result={name: getattr(found, name) for name in (*named, "secrets", "files", "size")},
        text=lambda _paper: "\n".join(_status_lines(found)),
        messages=messages,
        warnings=tuple(warnings),
    )


def _status_lines(found: KeyStatus) -> list[str]:
    verb = "Made your key" if found.new else "Key"
    own = "this machine's key"
    is_kept = found.secrets == "seal"
    files = format_count(found.files, "file", "files")
    originals = f"sealed, {files}, {format_size(found.size)}" if is_kept or found.files else "not kept"
    return [
        f"{verb}: {found.key if found.has_key else 'none here'}",
        *(f"Sealed to: {one}  ({own if one == found.own else 'another key of yours'})" for one in found.recipients),
        *(f"Named by the vault: {one}  (an older key of this machine)" for one in found.older),
        *(f"Named by the vault: {one}  (not confirmed here: nothing is sealed to it)" for one in found.strange),
        f"Private memories: {found.count:,}",
        f"Originals of lines with secrets: {originals}{'' if is_kept else f' ({_KEEP} has them sealed)'}",
    ]


def _copies_message(found: KeyStatus) -> tuple[str, ...]:
    if not found.new:
        return ()
    at = str(found.key)
    if "/" not in at and "\\" not in at:
        return ("Keep a copy of it elsewhere: the program that shows your keyring lists it as `memvault`.",)
    return (f"Keep a copy of it elsewhere, not in the vault, such as: cp {quote(at)} /media/stick/",)


def _status_advice(found: KeyStatus) -> tuple[str, ...]:
    if not found.installed:
        return (f"What sealing needs is not installed. Install it with: {install_command('private')}",)
    if not found.has_key:
        return ("Create a key with `memvault private init`; it also says what losing the key means.",)
    advice = [
        f"If it is yours: memvault private admit {one}; if not: memvault private dismiss {one}" for one in found.strange
    ]
    if found.closed:
        advice += _closed_advice(found)
    elif found.older:
        advice.append("`memvault private rekey` seals this vault to the new key as well.")
    return tuple(advice)


def _closed_advice(found: KeyStatus) -> Iterator[str]:
    """What is left to do where this machine, or no machine and no copy of the key, opens them."""
    yield f"On a machine that opens them: memvault private admit {found.own}"
    if others := [one for one in found.recipients if one != found.own]:
        dismissed = "; ".join(f"memvault private dismiss {one}" for one in others)
        yield (
            f"If there is a copy of the key that opens them, put it at {found.key}, or name it with --key. If it is "
            f"lost, what is sealed to it stays closed for good. To seal nothing more to it: {dismissed}"
        )


# Private memories unlocked for a while, in the memory of the daemon alone.

_LONGEST = timedelta(days=1)


def unlock(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Have recall find them for a while."""
    from memvault.privacy.private.read import unlock_memories

    with cli.open_vault() as vault:
        span = _parse_length(asked.for_, vault.settings.number("private.unlock_minutes"))
        found = vault.private_memories(key=asked.key or None)
        vault.refresh()  # the daemon is to answer the first recall already, and waits for no index
        root = vault.root
    if not found.found:
        return CommandResult(
            result={"unlocked": 0, "until": None}, messages=(NONE_YET,), warnings=unopened_warnings(found.shut)
        )
    if not unlock_memories(root, found.found, span.total_seconds(), environment=cli.environment):
        raise NoPorter
    until = cli.now() + span
    return CommandResult(
        result={"unlocked": len(found.found), "until": until},
        text=lambda paper: (
            f"Unlocked until {paper.format_minute(until)}: {format_count(len(found.found), 'memory', 'memories')}"
        ),
        messages=("`memvault recall` finds them too, for you and for no agent. End it with: memvault private lock",),
        warnings=unopened_warnings(found.shut),
    )


def _parse_length(text: str, usual: float) -> timedelta:
    if not text:
        return timedelta(minutes=usual)
    found = read_length(text)
    if found is None or not timedelta() < found <= _LONGEST:
        reason = "it must be a length of time, such as 15m or 1h, and no more than a day"
        raise BadInput(what="--for", value=text, reason=reason)
    return found


def lock(cli: CliContext, _asked: PrivateOptions) -> CommandResult:
    """Have them lie open no longer."""
    from memvault.privacy.private.read import lock_memories

    with cli.open_vault() as vault:
        was_open = lock_memories(vault.root, environment=cli.environment)
    said = "Locked." if was_open else "Nothing lay open."
    return CommandResult(result={"locked": was_open}, text=lambda _paper: said)
