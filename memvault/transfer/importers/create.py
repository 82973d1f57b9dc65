"""One memory of another program on its way in: made through the screens, or left as it is where it is here already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import overload

from memvault.core.memory import FieldValue, Memory
from memvault.core.plan import About, Change, Create, Rewrite
from memvault.core.secrets.private_spans import without_private
from memvault.core.secrets.screens import TRIVIAL, Captured
from memvault.errors import BadInput, Forgotten, Trivial
from memvault.memories.draft import Draft
from memvault.memories.remember import remember
from memvault.memories.screen import LeftOut, marks_of, redacted
from memvault.storage.index.update import body_digest
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.system.files.spool import Place, Spool
from memvault.transcripts.formats.injected import spoken
from memvault.transfer.importers.attachments import Brought, Shelf, shown_as
from memvault.transfer.importers.item import LONGEST, Found, Names, Source, Unread, Wish, moment_of

# What became of the memories of an import, and the changes that bring them in.

TOLD = 1_000  # of what could not be read: the rest is counted


@dataclass(frozen=True, slots=True)
class One:
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
class Imported:
    """What was brought in, or would be in a dry run, and what could not be read."""

    source: str
    folder: Path
    memories: tuple[One, ...] = ()
    unread: tuple[Unread, ...] = ()
    more_unread: int = 0
    attached: int = 0  # files that came along
    op: str = ""
    dry_run: bool = False


class Changes(Sequence[Change]):
    """Changes of which the bytes are put by, so that the texts of a large import are never held together."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._kept: list[tuple[Create | Rewrite, Place]] = []

    def add(self, change: Create | Rewrite) -> None:
        """One more, at the end."""
        self._kept.append((replace(change, data=b""), self._spool.put(change.data)))

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Change]:
        return (self[number] for number in range(len(self._kept)))

    @overload
    def __getitem__(self, which: int) -> Change: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Change]: ...
    def __getitem__(self, which: int | slice) -> Change | Sequence[Change]:
        if isinstance(which, slice):
            return tuple(self[number] for number in range(*which.indices(len(self._kept))))
        bare, place = self._kept[which]
        return replace(bare, data=self._spool.get(place))

    def close(self) -> None:
        """Let go of the bytes."""
        self._spool.close()


Made = Create | Rewrite

_REF, _ARTIFACTS = "imported", "artifacts"
_MARK = 12
_SLUG, _SIGNS = re.compile(r"\w[-_]\w+[-_]\w+[-_]\w"), re.compile(r"[-_]+")  # four words: no sentence has fewer
_WEIGHT = 0.5  # nobody here has said how much it matters
_LONGEST_ORIGIN = 200


@dataclass(slots=True)
class Ground:
    """What one import knows of the vault, and of what it has brought in so far."""

    bench: Bench
    wish: Wish
    names: Names
    shelf: Shelf
    texts: dict[str, str]  # of every memory: the digest of its text, and where it lies
    taken: set[str] = field(default_factory=set)  # paths that are given away already

    @classmethod
    def of(cls, bench: Bench, wish: Wish, home: Path | None = None) -> Ground:
        """The ground as it is before anything is brought in."""
        texts = {text: path for path, (_, text) in bench.catalogue.files().items()}
        return cls(bench, wish, Names(bench.vault.charter.id, home), Shelf(bench.vault), texts)

    def free(self, path: str, *, exactly: bool = False) -> str:
        """That path, or one like it that nothing in the vault has, and nothing that comes in.

        Exactly that one, where the disk tells it from others that differ in their capitals alone.
        """
        fold = str if exactly and self._tells_capitals() else str.casefold
        stem, dot, ending = path.rpartition(".")
        number, found = 2, path
        while fold(found) in self.taken or self.bench.vault.exists(found):
            found, number = f"{stem}-{number}{dot}{ending}", number + 1
        self.taken.add(fold(found))
        return found

    def _tells_capitals(self) -> bool:
        return self.bench.vault.exists(".memvault") and not self.bench.vault.exists(".MEMVAULT")


def found_one(ground: Ground, source: Source, found: Found) -> tuple[One, tuple[Made, ...]]:
    """What becomes of a memory, and the changes that it takes."""
    bench, known_by = ground.bench, ground.names.told_apart(found)
    if known_by is None:
        return One("known", found.title, found.origin, why="it came in a moment ago"), ()
    found = known_by
    id_, bare = ground.names.ids(source, found)
    memory, left_out = _made(bench, source, found, id_)
    brought = ground.shelf.bring(found) if ground.wish.attachments else Brought()
    text = shown_as(memory.body or "", brought.names)
    there = bench.catalogue.known(id_) or _known_before(bench, bare, memory)
    if there is not None:
        return _again(bench, there, memory, text, brought, found)
    memory = _showing(memory, text, brought)
    if known := ground.texts.get(body_digest(text)):
        return One("known", memory.title, found.origin, known, why="the same text is here already"), brought.made
    memory = memory.changed(path=ground.free(memory.path))
    ground.texts[body_digest(text)] = memory.path
    made = Create(memory.path, codec.new_note(memory), f"from {source.title}", About(id=id_))
    why = f"left out, as it looks like a secret: {', '.join(left_out.sorts)}" if left_out.sorts else ""
    return One("new", memory.title, found.origin, memory.path, id_, why), (made, *brought.made)


def _made(bench: Bench, source: Source, found: Found, id_: str) -> tuple[Memory, LeftOut]:
    """The memory as it would be remembered, with an id that is always the same for the same origin."""
    text = _said(found)
    origin = redacted(without_private(" ".join(_fit(f"{source.name}:{found.origin}").split())))[:_LONGEST_ORIGIN]
    refs = {_ARTIFACTS: tuple(map(_fit, found.artifacts))} if found.artifacts else {}
    where: dict[str, FieldValue] = {
        name: value for name, value in (("scope", found.scope), ("project", found.project)) if value
    }
    draft = Draft(
        text=text,
        title=_fit(found.title),
        type=found.type,
        kind=found.kind if found.kind in bench.settings.kinds else "",
        tags=tuple(map(_fit, found.tags)),
        topics=found.topics,
        people=tuple(map(_fit, found.people)),
        triggers=found.triggers,
        aliases=tuple(map(_fit, found.aliases)),
        weight=_WEIGHT if found.weight is None else found.weight,
        pin=found.pinned,
        refs={**refs, _REF: (origin,)},  # so that what was forgotten is looked for in it, too
        more={**found.more, **where},
        created=moment_of(found.created, bench.zone),
        source="import",
        automatic=found.automatic,
        secrets="redact",
        near="ignore",
    )
    _check_slugs(bench, draft.aliases)
    done = remember(bench, draft, dry_run=True)
    memory = done.memory
    return memory.changed(id=id_, refs={**memory.refs, _REF: (origin, _mark(memory.body or ""))}), done.left_out


def _check_slugs(bench: Bench, names: Iterable[str]) -> None:
    """Refuse a name of a file that says what was forgotten, with other signs for its spaces."""
    told = " ".join(_SIGNS.sub(" ", name) + "." for name in names if _SLUG.search(name))
    if told and marks_of(bench, told):
        raise Forgotten()


def _said(found: Found) -> str:
    """The text without what memvault itself has put there; what says nothing, or is a book, is refused."""
    text = spoken(_fit(found.text))
    if len(text.encode()) > LONGEST:
        raise BadInput(what="the text", value=f"{len(text):,} characters", reason="it is too long for one memory")
    if not text:
        raise Trivial(reason="there is nothing in it")
    if reason := TRIVIAL["courtesies"](Captured(text)):
        raise Trivial(reason=reason)
    return text


def _fit(text: str) -> str:
    """A text without what no file can hold."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _known_before(bench: Bench, bare: str, made: Memory) -> Memory | None:
    """The memory that an earlier version brought in without asking for its place: only one that came with this text.

    Any other may be of another place, and is not to be written over.
    """
    there = bench.catalogue.known(bare)
    return there if there is not None and _came_with(bench, there, made.body or "") else None


def _came_with(bench: Bench, there: Memory, text: str) -> bool:
    return _mark(text) in there.refs.get(_REF, ()) or body_digest(text) == bench.catalogue.text_of(there.path)


def _showing(memory: Memory, text: str, brought: Brought) -> Memory:
    """The memory with the text that names its files as they are called here, known by both of its texts."""
    if text == memory.body:
        return memory
    refs: Mapping[str, tuple[str, ...]] = {
        **memory.refs,
        _ARTIFACTS: tuple(brought.names.get(name, name) for name in memory.refs.get(_ARTIFACTS, ())),
        _REF: (*memory.refs[_REF], _mark(text)),
    }
    return memory.changed(body=text, refs=refs)


def _again(
    bench: Bench, there: Memory, made: Memory, text: str, brought: Brought, found: Found
) -> tuple[One, tuple[Made, ...]]:
    """What is there already: renewed where only the other program changed it, else left as it is."""
    one = One("unchanged", there.title, found.origin, there.path, there.id)
    is_same = _came_with(bench, there, made.body or "")
    if is_same and (text == made.body or _came_with(bench, there, text)):
        return one, brought.made
    memory, note = bench.read(there)
    if _mark(memory.body or "") not in there.refs.get(_REF, ()):
        why = "" if is_same else "it was changed here too, and stays as it is"
        return (one if is_same else replace(one, outcome="yours", why=why)), ()
    data = codec.with_body(note.raw, f"{text}\n", path=there.path)
    data = codec.with_fields(data, {f"refs.{_REF}": _showing(made, text, brought).refs[_REF]}, path=there.path)
    change = Rewrite(there.path, data, note.version, "it was changed where it came from")
    return replace(one, outcome="renewed"), (change, *brought.made)


def _mark(text: str) -> str:
    return body_digest(text)[:_MARK]
