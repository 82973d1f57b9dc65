"""What was done to the vault, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memvault.core.memory import NOTHING
from memvault.core.plan import (
    CLAUDE_MD,
    About,
    Change,
    Create,
    Move,
    Note,
    Operation,
    Outside,
    Plan,
    Remove,
    Rewrite,
    Step,
)
from memvault.errors import Ambiguous, MemvaultError, NoOperation, UndoRefused
from memvault.storage.journal.apply import apply_one
from memvault.storage.journal.chronicle import EVERYTHING, Asked, of_these
from memvault.storage.permissions import check_is_own, is_own
from memvault.storage.vault.context import Bench
from memvault.storage.vault.vault import Vault
from memvault.system import files


def log(bench: Bench, asked: Asked = EVERYTHING, *, limit: int = 0) -> list[Operation]:
    """The operations on this vault, the newest first; with `asked`, those alone."""
    found = of_these(bench.vault.log.operations(), asked, bench)
    return found[:limit] if limit else found


def operation(bench: Bench, ref: str = "") -> Operation:
    """One operation by its name or the beginning of it; without one, the last of this device that can be undone."""
    found = bench.vault.log.operations(whole=True)  # or another than the last would be taken for it
    if not ref:
        # What was done on another machine is nobody's last thing here: it takes its name to take that back.
        own = (op for op in found if op.device == bench.vault.device and _can_be_undone(op))
        return next(own, None) or _none("of this machine that could be undone")
    matching = [op for op in found if op.op.casefold().startswith(ref.casefold())]
    if len(matching) > 1:
        raise Ambiguous(ref=ref, count=len(matching), names=", ".join(op.op for op in matching[:5]))
    return matching[0] if matching else _none(repr(ref))


def _own_last(bench: Bench) -> Operation:
    """The last operation of the agent at work: nobody else's is to be taken back by guess."""
    own = (op for op in bench.vault.log.operations(whole=True) if is_own(bench.actor, op) and _can_be_undone(op))
    return next(own, None) or _none("of yours in this session that could be taken back")


def _can_be_undone(op: Operation) -> bool:
    return op.state == "done" and op.verb != "undo" and bool(op.steps)


def _none(which: str) -> Operation:
    raise NoOperation(which=which)


def undo(bench: Bench, ref: str = "", *, dry_run: bool = False) -> Operation:
    """Take an operation back byte for byte; where a person has edited since, nothing is changed."""
    op = operation(bench, ref) if ref or not bench.actor.agent else _own_last(bench)
    check_is_own(bench.actor, op, "takes back what somebody else did")
    if op.state == "undone":
        raise UndoRefused(ref=op.op, path="it", reason="was undone already")
    if op.verb == "purge":
        raise UndoRefused(ref=op.op, path="it", reason="was for good")
    changes = tuple(change for step in reversed(op.steps) for change in _inverse(op, step, bench.vault))
    changes += tuple(_vetoes(op)) if op.verb in REPEATED else ()
    if dry_run:
        return op
    apply_one(Plan("undo", changes, undoes=op.op), bench)
    return op


REPEATED = ("maintain",)  # what would do the same again by itself tomorrow


def _vetoes(op: Operation) -> Iterator[Change]:
    """What a run did and a person takes back, no run does again before its memory is used or edited."""
    for id_, rule in dict.fromkeys((step.id, rule) for step in op.steps for rule in step.rules if step.id):
        entry = {"e": "veto", "id": id_, "change": rule}
        yield Note(entry, "not to be done again by itself", {"e": "lift", "of": "veto", "id": id_, "change": rule})


def _inverse(op: Operation, step: Step, vault: Vault) -> list[Change]:
    why = f"undo {op.verb}"
    if step.rules == (CLAUDE_MD,) and _has_moved_on(step, vault):
        return []  # the page is made of the notes, and made again from them
    match step.do:
        case "create":
            _must_be(op, step.path, step.after, vault)
            return [Remove(step.path, step.after, why), *_unsaid(step, why)]
        case "rewrite":
            _must_be(op, step.path, step.after, vault)
            return [Rewrite(step.path, _kept(op, step, vault), step.after, why, _backwards(step))]
        case "move":
            _must_be(op, step.to, step.after, vault)
            _must_be_free(op, step.path, vault)
            data = _kept(op, step, vault) if step.before != step.after else None
            return [Move(step.to, step.path, why, NOTHING, data, step.after, _backwards(step))]
        case "remove":
            _must_be_free(op, step.path, vault)
            return [Create(step.path, _kept(op, step, vault), why)]
        case "outside":
            return [_outside_again(op, step, vault, why)]
        case "forgotten":
            raise UndoRefused(ref=op.op, path="a part of it", reason="was forgotten for good")
        case _:
            return [Note(step.inverse, why, step.entry)] if step.inverse else []


def _has_moved_on(step: Step, vault: Vault) -> bool:
    try:
        return vault.note(step.path).version != step.after
    except MemvaultError:
        return True


def _backwards(step: Step) -> About:
    """What was noted with a step, taken back with it."""
    return About(id=step.id, notes=tuple((inverse, entry) for entry, inverse in step.notes if inverse))


def _unsaid(step: Step, why: str) -> list[Change]:
    return [Note(inverse, why, entry) for entry, inverse in step.notes if inverse]


def _outside_again(op: Operation, step: Step, vault: Vault, why: str) -> Change:
    """A file outside the vault as it was.

    The log may have come with a vault from elsewhere: of one that this machine did not write, no file is touched here.
    """
    from memvault.context.claude_md import place_reason  # deferred: to look at the log takes no block

    path = Path(step.path)
    if op.device != vault.device or place_reason(path):
        raise UndoRefused(ref=op.op, path=path, reason="lies outside the vault, and was not written by this machine")
    if not step.after:
        if path.exists():
            raise UndoRefused(ref=op.op, path=path, reason="is in the way: another file has that name now")
        return Outside(step.path, _kept(op, step, vault), "", why)
    try:
        found = files.digest(files.read(path))
    except MemvaultError as error:
        raise UndoRefused(ref=op.op, path=path, reason=f"cannot be read ({error})") from None
    if found != step.after:
        raise UndoRefused(ref=op.op, path=path, reason="has been changed since")
    return Outside(step.path, _kept(op, step, vault) if step.before else None, step.after, why)


def _must_be(op: Operation, path: str, sha: str, vault: Vault) -> None:
    if not vault.exists(path):
        raise UndoRefused(ref=op.op, path=path, reason="is not there any more")
    try:
        found = vault.note(path).version
    except MemvaultError as error:
        raise UndoRefused(ref=op.op, path=path, reason=f"cannot be read ({error})") from None
    if found != sha:
        raise UndoRefused(ref=op.op, path=path, reason="has been changed since")


def _must_be_free(op: Operation, path: str, vault: Vault) -> None:
    if vault.exists(path):
        raise UndoRefused(ref=op.op, path=path, reason="is in the way: another file has that name now")


def _kept(op: Operation, step: Step, vault: Vault) -> bytes:
    from memvault.sync.earlier import version  # deferred: to look at the log takes no git

    data = version(vault, op.op, step.path, step.before)
    if data is None:
        raise UndoRefused(ref=op.op, path=step.path, reason="is no longer kept as it was (see undo.keep_days)")
    return data
