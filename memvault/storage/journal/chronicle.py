"""Which of the operations are asked for: whose, since when, and about which memory, under all the paths it has had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memvault.core.ids import matches
from memvault.core.plan import Operation, Step
from memvault.errors import NotFound
from memvault.storage.vault.context import Bench
from memvault.text.dates.dates import read_moment


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
