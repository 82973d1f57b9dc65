"""Set everything up part by part, and take it all back: each part says what it did and how it is undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memvault.agents.setup.agent import Ground, HookAgent, ServerAgent
from memvault.agents.setup.spots import present
from memvault.agents.setup.table import HOOKED, SERVED
from memvault.errors import MemvaultError
from memvault.system import files

State = Literal["done", "already", "would", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which parts are wanted, and for which agents."""

    hooks: tuple[str, ...] = ("claude-code",)
    servers: tuple[str, ...] = ("claude-code",)
    claude_md: bool = True
    schedule: bool = True
    profile: str = "production"
    check: bool = True
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """The agents that are to be set up: those that were named, or those that this person has."""

    hooks: tuple[str, ...]
    servers: tuple[str, ...]
    has_plugin: bool = False  # Claude Code has hooks and server from it already


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What became of one part: where, how it is undone, and what else there is to say."""

    part: str
    state: State
    did: str
    where: str = ""
    undo: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The vault, what became of each part, and what the check at the end showed."""

    vault: str
    steps: tuple[Step, ...]
    checked: bool | None = None  # None where nothing was to be checked
    complaint: str = ""
    dry_run: bool = False

    @property
    def ok(self) -> bool:
        """Whether every part was done, and the check held."""
        return self.checked is not False and all(step.state != "failed" for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """What became of each part that was taken back, and what stays: the vault, and a plugin, which is Claude Code's."""

    steps: tuple[Step, ...]
    vault: str = ""
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    dry_run: bool = False


Part = tuple[str, Callable[[], Step]]


def agents_here(ground: Ground, plugins: Sequence[str], named: AbstractSet[str] = frozenset()) -> Agents:
    """Those that were named; or Claude Code, unless the plugin serves it, and what else this person has."""
    usual = set() if plugins else {"claude-code"}

    def these(known: Mapping[str, HookAgent] | Mapping[str, ServerAgent], there: Sequence[str]) -> tuple[str, ...]:
        wanted = named or usual | (set(there) - {"claude-code"})
        return tuple(name for name in known if name in wanted)

    return Agents(
        hooks=these(HOOKED, present(HOOKED, ground)),
        servers=these(SERVED, present(SERVED, ground)),
        has_plugin=bool(plugins),
    )


def carry_out(parts: Iterable[Part]) -> tuple[Step, ...]:
    """Do each part; one that fails says why, and the others are done all the same."""
    return tuple(_tried(name, act) for name, act in parts)


def state_of(*, changed: bool, dry_run: bool) -> State:
    """How a part stands that was asked to change something."""
    if not changed:
        return "already"
    return "would" if dry_run else "done"


def _tried(name: str, act: Callable[[], Step]) -> Step:
    try:
        with files.plainly(Path(name)):
            return act()
    except MemvaultError as error:
        return Step(part=name, state="failed", did=str(error), notes=tuple(filter(None, (error.advice,))))
