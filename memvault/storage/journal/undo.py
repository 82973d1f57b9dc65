"""What was done to the vault, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memvault.core.ids import matches
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
from memvault.errors import Ambiguous, MemvaultError, NoOperation, NotFound, UndoRefused
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_is_own, is_own
from memvault.storage.vault.context import Bench
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.text.dates.dates import read_moment

# Which of the operations are asked for: whose, since when, and about which memory, under all the paths it has had.


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of the log: operations of which all that is given holds."""

    memory: str = ""
    agent: str = ""
    session: str = ""
    device: str = ""
    verb: str = ""
    since: datetime | None = None


EVERYTHING = Asked()


def of_these(operations: Sequence[Operation], asked: Asked, bench: Bench) -> list[Operation]:
    """Those of the operations, the newest first, that are asked for."""
    found = [op for op in operations if _is_meant(op, asked)]
    if not asked.memory:
        return found
    # Its paths are followed through all operations: somebody else may have moved it.
    about = {op.op for op in _about(operations, asked.memory, bench)}
    return [op for op in found if op.op in about]


def _is_meant(op: Operation, asked: Asked) -> bool:
    """Whether it is by whom and of when that was asked; agents, sessions and devices by how their names begin."""
    told = ((op.agent, asked.agent), (op.session, asked.session), (op.device, asked.device), (op.verb, asked.verb))
    if not all(name.casefold().startswith(wanted.casefold()) for name, wanted in told):
        return False
    if asked.since is None:
        return True
    at = read_moment(op.at)
    return at is not None and at >= asked.since


def _about(operations: Sequence[Operation], ref: str, bench: Bench) -> list[Operation]:
    try:
        memory = bench.find(ref)
    except NotFound:
        found = _of_one_gone(operations, ref)
        if not found:
            raise
        return found
    return list(_of(operations, memory.path, memory.id))


def _of(operations: Sequence[Operation], path: str, id_: str) -> Iterator[Operation]:
    """The operations on what lies at a path now, the newest first, back through its moves to where it was made."""
    paths = {path}
    for op in operations:
        touched = [step for step in reversed(op.steps) if _touches(step, paths, id_)]
        if touched:
            yield op
        for step in touched:
            _go_back(step, paths, is_return=bool(op.undoes))


def _touches(step: Step, paths: set[str], id_: str) -> bool:
    decided = step.entry.get("id") if step.entry else None
    return id_ in (step.id, decided) or step.path in paths or step.to in paths


def _go_back(step: Step, paths: set[str], *, is_return: bool) -> None:
    """The paths that were its own before a step: what lay at one of them before it was made is another."""
    if step.do == "move":
        paths.discard(step.to)
    if step.do == "create" and not is_return:
        paths.discard(step.path)
    elif step.path:
        paths.add(step.path)


def _of_one_gone(operations: Sequence[Operation], ref: str) -> list[Operation]:
    """The operations on a note that is not there any more, by its id, its path or the name of its file."""
    for at, op in enumerate(operations):
        for step in op.steps:
            if _names(step, ref):
                path = _led_to(step.to or step.path, operations[:at])
                return list(_of(operations, path, step.id or ref))
    return []


def _led_to(path: str, later: Sequence[Operation]) -> str:
    """Where the moves of later operations, the newest of which is the first, took what lay at a path."""
    for op in reversed(later):
        for step in op.steps:
            if step.do == "move" and step.path == path:
                path = step.to
    return path


def _names(step: Step, ref: str) -> bool:
    wanted = ref.removesuffix(".md").casefold()
    paths = (path.removesuffix(".md").casefold() for path in (step.path, step.to) if path)
    return bool(step.id and matches(step.id, ref)) or any(
        path == wanted or path.endswith(f"/{wanted}") for path in paths
    )


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
    from memvault.sync.repository import version  # deferred: to look at the log takes no git

    data = version(vault, op.op, step.path, step.before)
    if data is None:
        raise UndoRefused(ref=op.op, path=step.path, reason="is no longer kept as it was (see undo.keep_days)")
    return data
