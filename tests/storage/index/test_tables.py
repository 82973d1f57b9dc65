"""The tables of a catalogue: whoever comes first makes them, and nobody takes that for damage."""

from __future__ import annotations

import errno
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from memvault.errors import DamagedIndex, Unwritable
from memvault.storage.index.sqlite import Tables, disk_problem

SCHEMA = "create table one (name text); create index one_name on one (name); create table other (name text);"


def test_many_that_begin_at_the_same_moment_find_one_whole_set_of_tables(tmp_path: Path) -> None:
    together = Barrier(6)

    def begin(path: Path) -> int:
        together.wait()
        tables = Tables(path, version=3, schema=SCHEMA)
        try:
            return len(tables.fetch_all("select name from sqlite_master"))
        finally:
            tables.close()

    with ThreadPoolExecutor(6) as pool:
        for number in range(10):
            assert set(pool.map(begin, [tmp_path / f"{number}.sqlite"] * 6)) == {3}


def test_tables_that_were_half_made_when_somebody_was_killed_are_made(tmp_path: Path) -> None:
    path = tmp_path / "rows.sqlite"
    killed = sqlite3.connect(path, isolation_level=None)
    killed.execute("begin immediate")
    killed.execute("create table one (name text)")
    killed.close()
    tables = Tables(path, version=3, schema=SCHEMA)
    assert tables.fetch_one("pragma user_version") == (3,)
    tables.close()


def test_what_somebody_else_wrote_to_a_closed_file_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "rows.sqlite"
    opened(path, change="first").close()
    opened(path).close()
    data = path.read_bytes()
    path.write_bytes(data)
    with pytest.raises(DamagedIndex, match="somebody else"):
        opened(path)


def test_a_file_that_several_have_open_is_sealed_by_the_last(tmp_path: Path) -> None:
    path = tmp_path / "rows.sqlite"
    first = opened(path, change="first")
    second = opened(path, change="second")
    first.close()
    assert not list(tmp_path.glob("*.seal"))
    opened(path).close()
    second.close()
    assert len(list(tmp_path.glob("*.seal"))) == 1
    third = opened(path, change="third")
    assert not list(tmp_path.glob("*.seal")), "whoever is killed now leaves no seal that does not fit"
    third.close()
    fourth = opened(path)
    assert len(fourth.fetch_all("select name from one")) == 3
    fourth.close()


def opened(path: Path, *, change: str = "") -> Tables:
    tables = Tables(path, version=3, schema=SCHEMA)
    if change:
        tables.execute("insert into one values (?)", (change,))
    return tables


def test_a_full_disk_is_no_damage_and_what_is_there_can_still_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.sqlite"
    tables = opened(path, change="first")
    tables.execute(f"pragma max_page_count = {tables.fetch_all('pragma page_count')[0][0]}")
    with pytest.raises(Unwritable, match="the disk is full"), tables.transaction():
        tables.execute_many("insert into one values (?)", [("x" * 4_000,)] * 50)
    assert tables.fetch_all("select name from one") == [("first",)]
    tables.close()
    with monkeypatch.context() as full:
        full.setattr(Tables, "_enable_write_log", _refused)
        only_read = opened(path)
        assert only_read.fetch_all("select name from one") == [("first",)]
        with pytest.raises((Unwritable, DamagedIndex)):
            only_read.execute("insert into one values ('more')")
        only_read.close()
    opened(path).close()


def test_what_was_never_made_cannot_be_read_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tables, "_enable_write_log", _refused)
    with pytest.raises(Unwritable):
        opened(tmp_path / "rows.sqlite")


def _refused(tables: Tables) -> None:
    raise Unwritable(path="rows.sqlite", reason="the disk is full")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EMFILE])
def test_what_the_disk_refuses_is_no_damage(tmp_path: Path, code: int) -> None:
    assert disk_problem(OSError(code, "no"), tmp_path)
    assert not disk_problem(OSError(errno.EIO, "no"), tmp_path)
    assert not disk_problem(sqlite3.DatabaseError("file is not a database"), tmp_path)


def test_the_mark_of_a_file_is_another_after_every_change(tmp_path: Path) -> None:
    tables = Tables(tmp_path / "rows.sqlite", version=1, schema="create table meta (name text, value)")
    with closing(tables), closing(sqlite3.connect(tmp_path / "rows.sqlite", isolation_level=None)) as other:
        seen = [tables.change_mark()]
        assert tables.change_mark() == seen[0]
        tables.execute("insert into meta values ('turn', 1)")
        seen.append(tables.change_mark())
        other.execute("insert into meta values ('turn', 2)")
        seen.append(tables.change_mark())
        assert None not in seen
        assert len(set(seen)) == 3
        with tables.transaction():
            assert tables.change_mark() is None
