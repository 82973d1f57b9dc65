"""SQLite's FTS5 as it comes, with Porter's stemmer: what a program would pick that wants no search engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

Texts = tuple[str, ...]


class Table:
    """Texts under numbers, some columns to each."""

    def __init__(self, base: sqlite3.Connection, *columns: str) -> None:
        self._base, self._columns = base, columns

    def fill(self, rows: Iterable[tuple[int, Texts]]) -> None:
        """Make it, with all rows in one transaction."""
        names, marks = ", ".join(self._columns), ", ?" * len(self._columns)
        self._base.execute(f"create virtual table note using fts5({names}, tokenize = 'porter unicode61')")
        self._base.execute("begin")
        values = ((number, *texts) for number, texts in rows)
        self._base.executemany(f"insert into note (rowid, {names}) values (?{marks})", values)
        self._base.execute("commit")

    def change(self, number: int, texts: Texts) -> None:
        """Put texts in the place of those of that number."""
        columns = ", ".join(f"{name} = ?" for name in self._columns)
        self._base.execute(f"update note set {columns} where rowid = ?", (*texts, number))

    def merge(self) -> None:
        """Into one segment."""
        self._base.execute("insert into note (note) values ('optimize')")

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """The numbers of the rows with any of the words, best by bm25()."""
        wanted = " OR ".join(f'"{word}"' for word in words)
        found = self._base.execute("select rowid from note where note match ? order by rank limit ?", (wanted, limit))
        return [number for (number,) in found]


def in_memory(texts: Iterable[str]) -> Table:
    """One column of texts, numbered from 0."""
    table = Table(sqlite3.connect(":memory:", isolation_level=None), "text")
    table.fill((number, (text,)) for number, text in enumerate(texts))
    return table
