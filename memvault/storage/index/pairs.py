"""Which memories say the same or contradict each other, as last found out."""

from __future__ import annotations

from collections.abc import Iterable

from memvault.storage.index.sqlite import Tables

PairRow = tuple[str, str, str, str]  # the two ids, the verdict, and the rest as text


class Pairs:
    """The table of pairs, with a mark of what they were found among."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def keep_pairs(self, mark: str, rows: Iterable[PairRow]) -> None:
        """Put these pairs in the place of those kept so far."""
        with self._tables.transaction():
            self._tables.run("delete from pair")
            self._tables.run_many("insert or replace into pair values (?, ?, ?, ?)", rows)
            self._tables.run("replace into meta values ('compared', ?)", (mark,))
            self._note_pairs()

    def pairs(self, mark: str) -> list[PairRow] | None:
        """The pairs found among what has that mark; None where they were found among something else."""
        found = self._tables.one("select value from meta where name = 'compared'")
        if found != (mark,):
            return None
        return self._tables.all("select one, other, verdict, data from pair order by one, other")

    def drop_pair(self, one: str, other: str) -> None:
        """Forget what was found out about two memories: a person has settled it."""
        with self._tables.transaction():
            self._tables.run("delete from pair where one = ? and other = ?", sorted((one, other)))
            self._note_pairs()

    def _note_pairs(self) -> None:
        """Say that what was found out is not what it was; of the memories themselves that says nothing."""
        found = self._tables.one("select value from meta where name = 'paired'")
        self._tables.run("replace into meta values ('paired', ?)", (found[0] + 1 if found else 1,))

    def doubted(self) -> frozenset[str]:
        """The memories of which any was found to say otherwise."""
        rows = self._tables.all("select one, other from pair where verdict = 'contradiction'")
        return frozenset([id_ for row in rows for id_ in row])

    def contradicting(self, id_: str) -> list[str]:
        """The memories that were found to say otherwise than this one."""
        query = (
            "select other from pair where one = ? and verdict = 'contradiction'"
            " union select one from pair where other = ? and verdict = 'contradiction'"
        )
        return [row[0] for row in self._tables.all(query, (id_, id_))]
