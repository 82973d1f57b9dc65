"""Memories on their way in, from other programs: each once, however often it is brought."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from memvault.core.plan import CreateFile, Plan, RewriteNote, get_path
from memvault.core.secrets.scan import redact_secrets
from memvault.errors import BadInput, Busy, DamagedIndex, MemvaultError, NothingToDo, Unreadable
from memvault.storage.journal.apply import ApplyResult, apply
from memvault.storage.permissions import require_person
from memvault.storage.vault.context import VaultContext
from memvault.text.markdown import guess_title
from memvault.transfer.importers import bundle, chatgpt, claude, json, markdown, obsidian
from memvault.transfer.importers.bundle import import_note
from memvault.transfer.importers.create import (
    MOST_UNREAD,
    ImportContext,
    ImportOutcome,
    ImportResult,
    SpooledChanges,
    import_memory,
)
from memvault.transfer.importers.item import (
    BundleNote,
    FoundFile,
    FoundMemory,
    ImportItem,
    ImportOptions,
    ImportSource,
    UnreadItem,
    home_folder,
)

# A new one is a reader in a file of its own, and a row here.
SOURCES: Mapping[str, ImportSource] = MappingProxyType(
    {
        each.name: each
        for each in (
            bundle.BUNDLE_SOURCE,
            json.JSONL_SOURCE,
            markdown.FOLDER_SOURCE,
            obsidian.OBSIDIAN_SOURCE,
            obsidian.BASIC_MEMORY_SOURCE,
            claude.CLAUDE_MEMORY_SOURCE,
            claude.CLAUDE_MEM_SOURCE,
            claude.CLAUDE_AI_SOURCE,
            chatgpt.CHATGPT_SOURCE,
            json.MEM0_SOURCE,
            json.MCP_MEMORY_SOURCE,
        )
    }
)

Progress = Callable[[int, int], None]

_HOPELESS = 100_000  # things in a row that are no memories
_LOOKED_AT = 1_000  # characters of a text, for a title


def ignore_progress(_done: int, _all: int) -> None:
    """Ignore progress that nobody watches."""


def import_memories(
    context: VaultContext,
    name: str,
    path: Path | None,
    environment: Mapping[str, str],
    *,
    options: ImportOptions = ImportOptions(),  # noqa: B008 - a value that never changes
    progress: Progress = ignore_progress,
) -> ImportResult:
    """Bring another program's memories into the vault, all in one operation; what is there already stays as it is."""
    if name not in SOURCES:
        raise BadInput(what="the source", value=name, reason=f"it must be one of {', '.join(SOURCES)}")
    if options.as_mine:
        require_person(context, "brings in memories that are trusted as they were elsewhere")
    source = SOURCES[name]
    place = path or source.place(environment)
    if place is None:
        raise NothingToDo(reason=f"Say where the memories lie: memvault import {name} PATH.")
    if not place.exists():
        raise Unreadable(path=place, reason="there is no such file or folder")
    context.refresh()
    # What was remembered elsewhere does not belong to whatever is worked on here.
    context = replace(context, folder=None)
    with closing(SpooledChanges()) as changes:
        work = _ImportRun(ImportContext.open_context(context, options, home_folder(environment)), source, changes)
        work.read_source(place, progress)
        # One that cannot be written after all does not stop the others.
        is_due = bool(changes) and not options.dry_run
        outcome = apply(Plan("import", changes), context, progress=progress) if is_due else None
        return work.make_result(place, outcome)


@dataclass(slots=True)
class _ImportRun:
    """One import: what came of what was read so far."""

    imports: ImportContext
    source: ImportSource
    changes: SpooledChanges
    outcomes: list[ImportOutcome] = field(default_factory=list)
    unread: list[UnreadItem] = field(default_factory=list)
    more_unread: int = 0
    files: set[str] = field(default_factory=set)  # the paths of what comes as it is

    def read_source(self, place: Path, progress: Progress) -> None:
        """Read all of a source; what cannot be read any further ends it, and what came before stays."""
        count = 0
        try:
            for item in self.source.read(place):
                self.take_item(item)
                count += 1
                progress(count, 0)
        except Unreadable as error:
            self._end_early(place, error)
        except OSError as error:
            self._end_early(place, Unreadable(path=place, reason=error.strerror or "the system refuses"))

    def _end_early(self, place: Path, error: Unreadable) -> None:
        if not self.outcomes:
            raise error
        self.take_item(UnreadItem(place, str(error)))

    def take_item(self, item: ImportItem) -> None:
        """Take in one thing that was read."""
        match item:
            case UnreadItem() if len(self.unread) < MOST_UNREAD:
                self.unread.append(item)
            case UnreadItem():
                self.more_unread += 1
                if self.more_unread >= _HOPELESS and not self.outcomes:
                    raise Unreadable(path=item.path, reason=f"it does not look like {self.source.title}")
            case FoundFile():
                change = self.imports.attachments.bring_file(item)
                self._take_skipped()
                self._add_changes(() if change is None else (change,), files=True)
            case FoundMemory() | BundleNote():
                try:
                    if isinstance(item, FoundMemory):
                        one, made = import_memory(self.imports, self.source, item)
                    else:
                        one, made = import_note(self.imports, item)
                except (DamagedIndex, Busy):
                    raise
                except MemvaultError as error:
                    one, made = _refused_outcome(item, str(error)), ()
                self.outcomes.append(one)
                self._take_skipped()
                self._add_changes(made, files=False)

    def _take_skipped(self) -> None:
        while self.imports.attachments.skipped:
            self.take_item(self.imports.attachments.skipped.pop(0))

    def _add_changes(self, made: Sequence[CreateFile | RewriteNote], *, files: bool) -> None:
        """Add changes; of a note's the first is its own, and the others are of the files that it shows."""
        for change in made:
            self.changes.add(change)
        self.files |= {
            change.path for change in made if isinstance(change, CreateFile) and (files or not change.about.id)
        }

    def make_result(self, place: Path, outcome: ApplyResult | None) -> ImportResult:
        """Return what came of the whole import; what could not be written after all is refused."""
        failed = {get_path(change): error for change, error in outcome.refused} if outcome else {}
        ones = (
            replace(one, outcome="refused", why=str(failed[one.path])) if one.path in failed else one
            for one in self.outcomes
        )
        return ImportResult(
            source=self.source.name,
            folder=place,
            memories=tuple(ones),
            unread=tuple(self.unread),
            more_unread=self.more_unread,
            attached=len(self.files.difference(failed)),
            op=outcome.operation.op if outcome and outcome.operation.steps else "",
            dry_run=self.imports.options.dry_run,
        )


def _refused_outcome(item: FoundMemory | BundleNote, why: str) -> ImportOutcome:
    if isinstance(item, BundleNote):
        return ImportOutcome("refused", "", item.path, why=why)
    title = item.title or guess_title(item.text[:_LOOKED_AT])
    return ImportOutcome("refused", redact_secrets(title), redact_secrets(item.origin), why=why)


__all__ = ["SOURCES", "ImportOptions", "ImportOutcome", "ImportResult", "ignore_progress", "import_memories"]
