"""Memories on their way in, from other programs: each once, however often it is brought."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from memvault.core.plan import Plan, path_of
from memvault.errors import BadInput, Busy, DamagedIndex, MemvaultError, NothingToDo, Unreadable
from memvault.memories.screen import redacted
from memvault.storage.journal.apply import Outcome, apply
from memvault.storage.permissions import check_is_person
from memvault.storage.vault.context import Bench
from memvault.text.markdown import guess_title
from memvault.transfer.importers import bundle, chatgpt, claude, json, markdown, mem0, obsidian
from memvault.transfer.importers.attachments import ATTACHMENTS
from memvault.transfer.importers.bundle import whole_one
from memvault.transfer.importers.create import TOLD, Changes, Ground, Imported, Made, One, found_one
from memvault.transfer.importers.item import Found, Item, Source, Unread, Whole, Wish

# A new one is a reader in a file of its own, and a row here.
SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        each.name: each
        for each in (
            bundle.SOURCE,
            json.SOURCE,
            markdown.SOURCE,
            obsidian.OBSIDIAN_SOURCE,
            obsidian.BASIC_MEMORY_SOURCE,
            claude.CLAUDE_MEMORY_SOURCE,
            claude.CLAUDE_MEM_SOURCE,
            claude.CLAUDE_AI_SOURCE,
            chatgpt.SOURCE,
            mem0.MEM0_SOURCE,
            mem0.MCP_MEMORY_SOURCE,
        )
    }
)

Progress = Callable[[int, int], None]

_HOPELESS = 100_000  # things in a row that are no memories
_LOOKED_AT = 1_000  # characters of a text, for a title


def unseen(_done: int, _all: int) -> None:
    """Progress that nobody watches."""


def bring_in(
    bench: Bench,
    name: str,
    path: Path | None,
    environment: Mapping[str, str],
    *,
    wish: Wish = Wish(),  # noqa: B008 - a value that never changes
    progress: Progress = unseen,
) -> Imported:
    """Bring another program's memories into the vault, all in one operation; what is there already stays as it is."""
    if name not in SOURCES:
        raise BadInput(what="the source", value=name, reason=f"it must be one of {', '.join(SOURCES)}")
    if wish.as_mine:
        check_is_person(bench, "brings in memories that are trusted as they were elsewhere")
    source = SOURCES[name]
    place = path or source.place(environment)
    if place is None:
        raise NothingToDo(reason=f"Say where the memories lie: memvault import {name} PATH.")
    if not place.exists():
        raise Unreadable(path=place, reason="there is no such file or folder")
    bench.freshen()
    bench = replace(bench, folder=None)  # what was remembered elsewhere does not belong to whatever is worked on here
    with closing(Changes()) as changes:
        work = _Work(Ground.of(bench, wish, _home(environment)), source, changes)
        work.read(place, progress)
        # One that cannot be written after all does not stop the others.
        outcome = apply(Plan("import", changes), bench, progress=progress) if changes and not wish.dry_run else None
        return work.told(place, outcome)


def _home(environment: Mapping[str, str]) -> Path | None:
    own = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(own) if own else None


@dataclass(slots=True)
class _Work:
    """One import: what came of what was read so far."""

    ground: Ground
    source: Source
    changes: Changes
    ones: list[One] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    more_unread: int = 0
    attached: int = 0

    def read(self, place: Path, progress: Progress) -> None:
        """Read all of a source; what cannot be read any further ends it, and what came before stays."""
        count = 0
        try:
            for item in self.source.read(place):
                self.take(item)
                count += 1
                progress(count, 0)
        except Unreadable as error:
            self._end(place, error)
        except OSError as error:
            self._end(place, Unreadable(path=place, reason=error.strerror or "the system refuses"))

    def _end(self, place: Path, error: Unreadable) -> None:
        if not self.ones:
            raise error
        self.take(Unread(place, str(error)))

    def take(self, item: Item) -> None:
        """Take in one thing that was read."""
        match item:
            case Unread() if len(self.unread) < TOLD:
                self.unread.append(item)
            case Unread():
                self.more_unread += 1
                if self.more_unread >= _HOPELESS and not self.ones:
                    raise Unreadable(path=item.path, reason=f"it does not look like {self.source.title}")
            case Found() | Whole():
                self._decide(item)

    def _decide(self, item: Found | Whole) -> None:
        try:
            one, made = self._made(item)
        except (DamagedIndex, Busy):
            raise
        except MemvaultError as error:
            one, made = _refused(item, error), ()
        self.ones.append(one)
        while self.ground.shelf.left:
            self.take(self.ground.shelf.left.pop(0))
        for change in made:
            self.changes.add(change)
            self.attached += change.path.startswith(ATTACHMENTS)

    def _made(self, item: Found | Whole) -> tuple[One, tuple[Made, ...]]:
        match item:
            case Found():
                return found_one(self.ground, self.source, item)
            case Whole():
                return whole_one(self.ground, item)

    def told(self, place: Path, outcome: Outcome | None) -> Imported:
        """What came of the whole import; what could not be written after all is refused."""
        failed = {path_of(change): error for change, error in outcome.refused} if outcome else {}
        ones = (
            replace(one, outcome="refused", why=str(failed[one.path])) if one.path in failed else one
            for one in self.ones
        )
        return Imported(
            source=self.source.name,
            folder=place,
            memories=tuple(ones),
            unread=tuple(self.unread),
            more_unread=self.more_unread,
            attached=self.attached - sum(path.startswith(ATTACHMENTS) for path in failed),
            op=outcome.operation.op if outcome and outcome.operation.steps else "",
            dry_run=self.ground.wish.dry_run,
        )


def _refused(item: Found | Whole, error: MemvaultError) -> One:
    if isinstance(item, Whole):
        return One("refused", "", item.path, why=str(error))
    title = item.title or guess_title(item.text[:_LOOKED_AT])
    return One("refused", redacted(title), redacted(item.origin), why=str(error))


__all__ = ["SOURCES", "Imported", "One", "Wish", "bring_in", "unseen"]
