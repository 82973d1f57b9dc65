"""One memory of another program on its way in: made through the screens, or left as it is where it is here already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from memvault.core.memory import Memory, Place
from memvault.core.plan import ChangeSubject, CreateFile, PlanChange, RewriteNote
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import redact_secrets
from memvault.core.secrets.screens import TRIVIA_SCREENS, Captured
from memvault.errors import BadInput, Forgotten, Trivial
from memvault.memories.draft import MemoryDraft
from memvault.memories.remember import remember
from memvault.memories.screen import Redactions, find_forgotten
from memvault.storage.index.update import body_digest
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.system.files.temp import Spool, SpoolPlace
from memvault.text.file_names import portability_problem
from memvault.transcripts.formats.injected import without_our_blocks
from memvault.transfer.importers.item import (
    LONGEST,
    FoundMemory,
    ImportOptions,
    ImportSource,
    OriginNames,
    UnreadItem,
    parse_when,
)
from memvault.transfer.importers.obsidian import AttachmentStore, NoteAttachments, rename_embeds

# What became of the memories of an import, and the changes that bring them in.

MOST_UNREAD = 1_000  # of what could not be read: the rest is counted


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What became of one memory, and why.

    It is new, renewed, unchanged, yours (changed here and there), merged, beside (it contradicts what is here), known
    (the same text is here already), or refused.
    """

    outcome: str
    title: str
    origin: str
    path: str = ""
    id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What was brought in, or would be in a dry run, and what could not be read."""

    source: str
    folder: Path
    memories: tuple[ImportOutcome, ...] = ()
    unread: tuple[UnreadItem, ...] = ()
    more_unread: int = 0
    attached: int = 0  # files that came along
    op: str = ""
    dry_run: bool = False


class SpooledChanges(Sequence[PlanChange]):
    """Changes of which the bytes are put by, so that the texts of a large import are never held together."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._kept: list[tuple[CreateFile | RewriteNote, SpoolPlace]] = []

    def add(self, change: CreateFile | RewriteNote) -> None:
        """Add a change at the end."""
        self._kept.append((replace(change, data=b""), self._spool.put(change.data)))

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[PlanChange]:
        return (self[number] for number in range(len(self._kept)))

    @overload
    def __getitem__(self, which: int) -> PlanChange: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[PlanChange]: ...
    def __getitem__(self, which: int | slice) -> PlanChange | Sequence[PlanChange]:
        if isinstance(which, slice):
            return tuple(self[number] for number in range(*which.indices(len(self._kept))))
        bare, place = self._kept[which]
        return replace(bare, data=self._spool.get(place))

    def close(self) -> None:
        """Let go of the bytes."""
        self._spool.close()


FileChange = CreateFile | RewriteNote

_REF, _ARTIFACTS = "imported", "artifacts"
_MARK = 12
_SLUG, _SIGNS = re.compile(r"\w[-_]\w+[-_]\w+[-_]\w"), re.compile(r"[-_]+")  # four words: no sentence has fewer
_WEIGHT = 0.5  # nobody here has said how much it matters
_LONGEST_ORIGIN = 200


@dataclass(slots=True)
class ImportContext:
    """What one import knows of the vault, and of what it has brought in so far."""

    context: VaultContext
    options: ImportOptions
    names: OriginNames
    attachments: AttachmentStore
    texts: dict[str, str]  # of every memory: the digest of its text, and where it lies
    taken: set[str] = field(default_factory=set)  # paths that are given away already

    @classmethod
    def open_context(cls, context: VaultContext, wish: ImportOptions, home: Path | None = None) -> ImportContext:
        """Return the context before anything is imported."""
        texts = {text: path for path, (_, text) in context.index.note_sizes().items()}
        return cls(context, wish, OriginNames(context.vault.vault_file.id, home), AttachmentStore(context.vault), texts)

    def claim_path(self, path: str, *, exactly: bool = False) -> str:
        """Return that path, or one like it that nothing in the vault and nothing that comes in has.

        Exactly that one, where the disk tells it from others that differ in their capitals alone.
        """
        vault = self.context.vault
        tells_capitals = exactly and vault.exists(".memvault") and not vault.exists(".MEMVAULT")
        fold = str if tells_capitals else str.casefold
        stem, dot, ending = path.rpartition(".")
        number, found = 2, path
        while fold(found) in self.taken or vault.exists(found):
            found, number = f"{stem}-{number}{dot}{ending}", number + 1
        self.taken.add(fold(found))
        return found


def import_memory(
    imports: ImportContext, source: ImportSource, found: FoundMemory
) -> tuple[ImportOutcome, tuple[FileChange, ...]]:
    """Return what becomes of a memory, and the changes that it takes."""
    context, numbered = imports.context, imports.names.number_origin(found)
    if numbered is None:
        return ImportOutcome("known", found.title, found.origin, why="it came in a moment ago"), ()
    found = numbered
    id_, bare = imports.names.make_ids(source, found)
    memory, left_out = _build_memory(context, source, found, id_)
    brought = imports.attachments.collect_files(found)
    text = rename_embeds(memory.body or "", brought.names)
    there = context.index.memory_by_id(id_)
    if there is None and (earlier := context.index.memory_by_id(bare)) is not None:
        # An earlier version imported it without its place. With another text, it may be of another place.
        there = earlier if _has_text(context, earlier, memory.body or "") else None
    if there is not None:
        return _update_existing(context, there, memory, text, brought, found)
    memory = _with_attachments(memory, text, brought)
    known = imports.texts.get(body_digest(text), "")
    if known and not found.path:  # a note under its own path is linked to by that, whatever another says
        why = "the same text is here already"
        return ImportOutcome("known", memory.title, found.origin, known, why=why), brought.made
    path = f"{context.vault.layout.memories}{found.path}"
    unfit = any(map(portability_problem, found.path.split("/")))
    is_memory = context.vault.place_of(path) is Place.MEMORIES
    kept = path if found.path and not unfit and is_memory and redact_secrets(found.path) == found.path else ""
    memory = memory.with_changes(path=imports.claim_path(kept or memory.path))
    if kept:
        memory = memory.with_changes(aliases=tuple(name for name in memory.aliases if name != memory.name))
    imports.texts[body_digest(text)] = memory.path
    made = CreateFile(memory.path, codec.encode_new(memory), f"from {source.title}", ChangeSubject(id=id_))
    why = f"left out, as it looks like a secret: {', '.join(left_out.sorts)}" if left_out.sorts else ""
    return ImportOutcome("new", memory.title, found.origin, memory.path, id_, why), (made, *brought.made)


def _build_memory(
    context: VaultContext, source: ImportSource, found: FoundMemory, id_: str
) -> tuple[Memory, Redactions]:
    """Return the memory as it would be remembered, with an id that is always the same for the same origin."""
    text = without_our_blocks(_clean_text(found.text))
    if len(text.encode()) > LONGEST:
        raise BadInput(what="the text", value=f"{len(text):,} characters", reason="it is too long for one memory")
    if not text:
        raise Trivial(reason="there is nothing in it")
    if reason := TRIVIA_SCREENS["courtesies"](Captured(text)):
        raise Trivial(reason=reason)
    origin = redact_secrets(strip_private(" ".join(_clean_text(f"{source.name}:{found.origin}").split())))[
        :_LONGEST_ORIGIN
    ]
    refs = {_ARTIFACTS: tuple(map(_clean_text, found.artifacts))} if found.artifacts else {}
    where = {name: value for name, value in (("scope", found.scope), ("project", found.project)) if value}
    draft = MemoryDraft(
        text=text,
        title=_clean_text(found.title),
        type=found.type,
        kind=found.kind if found.kind in context.settings.kinds else "",
        tags=tuple(map(_clean_text, found.tags)),
        topics=found.topics,
        people=tuple(map(_clean_text, found.people)),
        triggers=found.triggers,
        aliases=tuple(map(_clean_text, found.aliases)),
        weight=_WEIGHT if found.weight is None else found.weight,
        pin=found.pinned,
        refs={**refs, _REF: (origin,)},  # so that what was forgotten is looked for in it, too
        more={**found.more, **where},
        created=parse_when(found.created, context.zone),
        source="import",
        automatic=found.automatic,
        secrets="redact",
        near="ignore",
    )
    # A name of a file may say what was forgotten, with other signs for its spaces.
    sentences = " ".join(_SIGNS.sub(" ", name) + "." for name in draft.aliases if _SLUG.search(name))
    if sentences and find_forgotten(context, sentences):
        raise Forgotten()
    done = remember(context, draft, dry_run=True)
    refs = {**done.memory.refs, _REF: (origin, _text_mark(done.memory.body or ""))}
    more = {**done.memory.more, "source": found.source or "import"}
    return done.memory.with_changes(id=id_, refs=refs, more=more), done.left_out


def _clean_text(text: str) -> str:
    """Return a text without what no file can hold."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _has_text(context: VaultContext, there: Memory, text: str) -> bool:
    return _text_mark(text) in there.refs.get(_REF, ()) or body_digest(text) == context.index.text_digest(there.path)


def _with_attachments(memory: Memory, text: str, brought: NoteAttachments) -> Memory:
    """Return the memory with the text that names its files as they are called here, known by both of its texts."""
    if text == memory.body:
        return memory
    refs: Mapping[str, tuple[str, ...]] = {
        **memory.refs,
        _ARTIFACTS: tuple(brought.names.get(name, name) for name in memory.refs.get(_ARTIFACTS, ())),
        _REF: (*memory.refs[_REF], _text_mark(text)),
    }
    return memory.with_changes(body=text, refs=refs)


def _update_existing(
    context: VaultContext, there: Memory, made: Memory, text: str, brought: NoteAttachments, found: FoundMemory
) -> tuple[ImportOutcome, tuple[FileChange, ...]]:
    """Return what is there already: renewed where only the other program changed it, else left as it is."""
    one = ImportOutcome("unchanged", there.title, found.origin, there.path, there.id)
    is_same = _has_text(context, there, made.body or "")
    if is_same and (text == made.body or _has_text(context, there, text)):
        return one, brought.made
    memory, note = context.read_memory(there)
    if _text_mark(memory.body or "") not in there.refs.get(_REF, ()):
        why = "" if is_same else "it was changed here too, and stays as it is"
        return (one if is_same else replace(one, outcome="yours", why=why)), ()
    data = codec.replace_body(note.raw, f"{text}\n", path=there.path)
    data = codec.set_fields(data, {f"refs.{_REF}": _with_attachments(made, text, brought).refs[_REF]}, path=there.path)
    change = RewriteNote(there.path, data, note.version, "it was changed where it came from")
    return replace(one, outcome="renewed"), (change, *brought.made)


def _text_mark(text: str) -> str:
    return body_digest(text)[:_MARK]
