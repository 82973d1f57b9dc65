"""Which memories say the same or contradict each other, as last found out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memvault.index.tables import Tables

_MOST_VALUES = 500  # older versions of SQLite take no more than some hundred at a time

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

    def pairs(self, mark: str) -> list[PairRow] | None:
        """The pairs found among what has that mark; None where they were found among something else."""
        found = self._tables.one("select value from meta where name = 'compared'")
        if found != (mark,):
            return None
        return self._tables.all("select one, other, verdict, data from pair order by one, other")

    def drop_pair(self, one: str, other: str) -> None:
        """Forget what was found out about two memories: a person has settled it."""
        self._tables.run("delete from pair where one = ? and other = ?", sorted((one, other)))

    def contradicted(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of some memories of which any was found to say otherwise."""
        found: set[str] = set()
        for first in range(0, len(ids), _MOST_VALUES):
            some = ids[first : first + _MOST_VALUES]
            among = ",".join("?" * len(some))
            for side in ("one", "other"):
                query = f"select {side} from pair where {side} in ({among}) and verdict = 'contradiction'"
                found.update(row[0] for row in self._tables.all(query, some))
        return frozenset(found)

    def contradicting(self, id_: str) -> list[str]:
        """The memories that were found to say otherwise than this one."""
        query = (
            "select other from pair where one = ? and verdict = 'contradiction'"
            " union select one from pair where other = ? and verdict = 'contradiction'"
        )
        return [row[0] for row in self._tables.all(query, (id_, id_))]
