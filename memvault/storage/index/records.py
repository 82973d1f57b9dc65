"""What the catalogue knows of each memory, looked up by id, name, conditions, links and uses."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

from memvault import __version__
from memvault.core.ids import is_prefix
from memvault.core.memory import Memory, Place, Span
from memvault.core.query import Filters
from memvault.core.weight import NO_PAST
from memvault.storage.index.conditions import where
from memvault.storage.index.derived import Pasts, Told
from memvault.storage.index.pairs import Pairs
from memvault.storage.index.rows import TABLES, VERSION, WHOLE, Kept, data_of, folded, memory_of, span_of, spans_of
from memvault.storage.index.sqlite import Tables

# Another program may take words apart otherwise, so what it indexed is not what we would find.
_VERSION = crc32(f"{VERSION} {__version__}".encode()) & 0x7FFF_FFFF
SHORTEST_PART = 4
_KEPT = "select number, data, crc, id, spans, opens, size, mtime, ctime, inode from note"
_SELECT = "select note.data, note.crc, note.id from note"


class Records(Pasts, Pairs):
    """The rows of one catalogue."""

    def __init__(self, path: Path) -> None:
        super().__init__(Tables(path, version=_VERSION, schema=TABLES))

    def close(self) -> None:
        """Let go of the file."""
        self._tables.close()

    def select(self, rest: str, values: Sequence[object] = ()) -> list[Memory]:
        """The memories of the rows that the rest of a query picks; a damaged row is left out, and shows in `doctor`."""
        rows = self._tables.all(f"{_SELECT} {rest}", values)
        found = (memory_of(data, crc, id_) for data, crc, id_ in rows)
        return [memory for memory in found if memory is not None]

    def kept(self, numbers: Sequence[int]) -> dict[int, Kept]:
        """The rows of these numbers, as far as there are any and they are sound."""
        held = f"{_KEPT} where number in ({','.join('?' * len(numbers))})"
        rows = [(memory_of(row[1], row[2], row[3]), row) for row in self._tables.all(held, numbers)]
        pasts = self.pasts([memory.id for memory, _ in rows if memory is not None])
        return {
            row[0]: Kept(memory, spans_of(row[4]), row[5], row[6:], pasts.get(memory.id, NO_PAST))
            for memory, row in rows
            if memory is not None
        }

    def span(self, number: int, part: int) -> Span:
        """Where a passage of a memory stands in its text."""
        found = self._tables.one("select spans from note where number = ?", (number,))
        return span_of(spans_of(found[0]), part) if found else WHOLE

    def find(self, ref: str) -> list[Memory]:
        """The memories that a path, an id or its beginning, a file name, an alias, a title or a part of one means."""
        name = folded(ref)
        stem, low = name.removesuffix(".md"), ref.casefold()
        looks: list[tuple[str, Sequence[object]]] = [("where path = ?", (ref.replace(os.sep, "/"),))]
        if is_prefix(ref):  # "cafe" may begin an id and be a file's name: then it means both, and nobody guesses
            looks.append(("where (id >= ? and id < ?) or name = ?", (low, low + "g", stem)))
        looks.append(("where name = ?", (stem,)))
        looks.append(("where title = ?", (name,)))
        looks.append(("join mark on mark.number = note.number where sort = 'alias' and value = ?", (name,)))
        if len(name) >= SHORTEST_PART:
            looks.append(("where instr(title, ?)", (name,)))
        for rest, values in looks:
            if found := self.select(f"{rest} order by path", values):
                return found
        return []

    def has_name(self, name: str) -> bool:
        """Whether any note of the vault has that file name."""
        return self._tables.one("select 1 from note where name = ?", (folded(name.rpartition(".")[0]),)) is not None

    def folders(self) -> list[str]:
        """The folders that held notes when the files were looked over last, each with its closing slash."""
        return [row[0] for row in self._tables.all("select path from folder")]

    def memories(self, filters: Filters, *, limit: int = 0) -> list[Memory]:
        """The memories that meet some conditions, the latest used first."""
        condition, values = where(filters, self._spellings)
        most = f" limit {int(limit)}" if limit else ""
        return self.select(f"{condition} order by used desc, path{most}", values)

    def newest(self, limit: int) -> list[Memory]:
        """The memories that were made last."""
        return self.select("order by created desc, path limit ?", (limit,))

    def numbers_of(self, filters: Filters) -> set[int]:
        """The numbers of the memories that meet some conditions."""
        condition, values = where(filters, self._spellings)
        return {row[0] for row in self._tables.all(f"select number from note {condition}", values)}

    def _spellings(self, keyword: str) -> tuple[str, ...]:
        """The marks under which memories bear a keyword; a slip in its first letter is not looked for."""
        from memvault.text.spelling import keys, nearest  # deferred: most conditions name no keyword

        first = keys(keyword)[0][:1]
        near = "select distinct value from mark where sort = 'keyword' and value >= ? and value < ?"
        return nearest(keyword, [row[0] for row in self._tables.all(near, (first, f"{first}\U0010ffff"))])

    def count(self) -> int:
        """How many memories there are."""
        found = self._tables.one("select count(*) from note")
        return int(found[0]) if found else 0

    def problems(self) -> tuple[str, ...]:
        """The notes that could not be read whole, with why."""
        return tuple(f"{memory.path}: {memory.problem}" for memory in self.select("where problem = 1 order by path"))

    def twins(self) -> dict[str, list[str]]:
        """Ids that several notes claim, with the notes."""
        rows = self._tables.all("select claimed from note group by claimed having count(*) > 1")
        return {claimed: self._paths_claiming(claimed) for (claimed,) in rows}

    def _paths_claiming(self, claimed: str) -> list[str]:
        return [row[0] for row in self._tables.all("select path from note where claimed = ? order by path", (claimed,))]

    def links_to(self, name: str) -> list[Memory]:
        """The memories that link to a note of that name."""
        return self.select("join link on link.number = note.number where target = ? order by path", (folded(name),))

    def links_from(self, path: str) -> tuple[str, ...]:
        """The names that a note links to."""
        links = "select target from link join note on note.number = link.number where path = ? order by target"
        return tuple(row[0] for row in self._tables.all(links, (path,)))

    def text_of(self, path: str) -> str:
        """The digest of the text that is known of a path; empty where none is."""
        found = self._tables.one("select text from note where path = ?", (path,))
        return found[0] if found else ""

    def files(self) -> dict[str, tuple[int, str]]:
        """The size of each note, and the digest of its text, by path."""
        rows = self._tables.all("select path, size, text from note")
        return {path: (size, text) for path, size, text in rows}

    def stamps(self) -> dict[str, tuple[int, int]]:
        """The size of each note, and when it was last written to in nanoseconds, as they were when it was taken in."""
        return {path: (size, at) for path, size, at in self._tables.all("select path, size, mtime from note")}

    def take_in_news(self, name: str, offset: int, told: Told) -> None:
        """Fold further lines of a journal or a ledger in."""
        with self._tables.transaction():
            self._fold(told)
            for id_, is_archived in told.archived:
                self._mark_archived(id_, is_archived=is_archived)
            self._tables.run("replace into journal values (?, ?)", (name, offset))

    def _mark_archived(self, id_: str, *, is_archived: bool) -> None:
        """A foreign note is archived in the ledger alone: its file says nothing of it."""
        for memory in self.select("where id = ? and place = ?", (id_, Place.FOREIGN.value)):
            marked = memory.changed(status="archived" if is_archived else "active")
            data, crc = data_of(marked)
            row = (marked.status, data, crc, marked.path)
            self._tables.run("update note set status = ?, data = ?, crc = ? where path = ?", row)
            self._note_change()

    def triggered(self, said: str) -> list[tuple[Memory, str]]:
        """The memories with a trigger that stands in what was said, in the form of its key; each with that key."""
        from memvault.text.triggers import ranges  # deferred: a recall asks for none

        look = "select number, value from mark where sort = 'trigger' and value >= ? and value < ? and instr(?, value)"
        rows = [row for least, below in ranges(said) for row in self._tables.all(look, (least, below, said))]
        longest: dict[int, str] = dict(sorted(rows, key=lambda row: len(row[1])))
        return [
            (memory, value)
            for number, value in longest.items()
            for memory in self.select("where number = ?", (number,))
        ]

    def digests(self, ids: Iterable[str]) -> dict[str, str]:
        """The digests of the texts that are known of some memories."""
        look = "select text from note where id = ?"
        found = ((id_, self._tables.one(look, (id_,))) for id_ in ids)
        return {id_: row[0] for id_, row in found if row}

    def known(self, id_: str) -> Memory | None:
        """What is known of the memory with an id."""
        found = self.select("where id = ?", (id_,))
        return found[0] if found else None
