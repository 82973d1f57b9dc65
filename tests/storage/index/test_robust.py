"""The catalogue under bad luck: killed writers, damaged files, other users, other versions, other processes."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Barrier, Thread

import pytest

from memvault import Memvault
from memvault.core.memory import IndexEntry
from memvault.core.query import NO_FILTERS
from memvault.errors import DamagedIndex, IndexFailed, MemvaultError, Unwritable
from memvault.storage.index import rows, sqlite
from memvault.storage.index.index import Index, IndexDiff, open_or_rebuild, set_aside
from memvault.storage.index.sqlite import Tables, disk_problem
from memvault.storage.vault.context import VaultContext
from memvault.system.files import StatKey
from tests.storage.index.cards import card, drawn, found, freshen, id_of, listing, notes
from tests.storage.index.crashes import paused, steps_of

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs fork, signals and owners of files")

leaky = pytest.mark.filterwarnings(  # Whoosh, when a file disappoints it, forgets to close it
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

BEFORE = notes(
    card("stays.md", "A heron that stays."),
    card("changes.md", "A heron that changes."),
    card("goes.md", "A heron that goes."),
    card("work/twin-b.md", "A heron of a twin.", id=id_of("twin")),
)
AFTER = notes(
    BEFORE["stays.md"],
    card("changes.md", "A swan that has changed."),
    card("comes.md", "A swan that comes."),
    card("work/twin-a.md", "A swan of a twin.", id=id_of("twin")),
    BEFORE["work/twin-b.md"],
)
VERSIONS = {"changes.md": 2}


# -- killed


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A catalogue that knows the notes as they were before."""
    folder = tmp_path / "prepared"
    with_before = Index.open(folder)
    freshen(with_before, BEFORE)
    with_before.close()
    return folder


def take_after_in(folder: Path) -> None:
    catalogue = Index.open(folder)
    freshen(catalogue, AFTER, VERSIONS)
    catalogue.close()


def check_whole(folder: Path) -> None:
    """What is known before the next comparison is true of one moment or the other; after it, of the files."""
    catalogue = Index.open(folder)
    early = set(found(catalogue, "heron swan"))
    assert early <= BEFORE.keys() | AFTER.keys()
    freshen(catalogue, AFTER, VERSIONS)
    assert not catalogue.compare_listing(listing(AFTER, VERSIONS))
    assert sorted(found(catalogue, "swan")) == ["changes.md", "comes.md", "work/twin-a.md"]
    assert sorted(found(catalogue, "heron")) == ["stays.md", "work/twin-b.md"]
    assert {memory.path for memory in catalogue.memories(NO_FILTERS)} == AFTER.keys()
    assert [memory.path for memory in catalogue.find_memories(id_of("twin"))] == ["work/twin-a.md"]
    in_rows, in_texts = catalogue.row_and_backend_numbers()
    assert in_rows == in_texts
    catalogue.close()


def check_killed(
    act: Callable[[Path], object], begin: Callable[[Path], object], tmp_path: Path, *, at_most: int
) -> None:
    """Whoever is killed at any step, or at so many of them, leaves what the next one makes whole."""
    begin(tmp_path / "whole")
    steps = steps_of(tmp_path / "whole", partial(act, tmp_path / "whole"))
    check_whole(tmp_path / "whole")
    for deadly in range(1, steps + 1, 1 if LONG else max(1, steps // at_most)):
        struck = tmp_path / f"struck-{deadly}"
        begin(struck)
        assert steps_of(struck, partial(act, struck), deadly=deadly) == 0, "it was killed"
        check_whole(struck)


@posix
@pytest.mark.points(only=True)
def test_killed_at_any_step_the_next_one_makes_it_whole(prepared: Path, tmp_path: Path) -> None:
    check_killed(take_after_in, partial(shutil.copytree, prepared), tmp_path, at_most=14)


@posix
@pytest.mark.points(only=True)
def test_killed_while_it_is_made_it_is_made_anew(tmp_path: Path) -> None:
    check_killed(take_after_in, lambda _folder: None, tmp_path, at_most=8)


def test_an_error_of_the_callers_own_is_told_as_it_is_and_leaves_the_rest_to_be_found(prepared: Path) -> None:
    catalogue = Index.open(prepared)

    def failing(diff: IndexDiff) -> Iterator[tuple[StatKey, IndexEntry]]:
        yield next(drawn(diff, AFTER))
        raise LookupError("the caller's own")

    with catalogue.lock():
        diff = catalogue.compare_listing(listing(AFTER, VERSIONS))
        with pytest.raises(LookupError, match="own"):
            catalogue.update_notes(diff, failing(diff), fallback_id=str)
    catalogue.close()
    check_whole(prepared)


# -- damaged

TEXTS = {
    "One": "A heron stands in the river by the old mill.",
    "Two": "The gauge below the heron colony keeps winter time.",
    "Three": "Herons dislike the radar mast.",
    "Four": "Maja is allergic to hazelnuts.",
}


@pytest.fixture
def whole_vault(tmp_path: Path, environment: dict[str, str]) -> Callable[[], Memvault]:
    Memvault.init(tmp_path / "vault")
    with Memvault(tmp_path / "vault", environment=environment) as vault:
        for title, text in TEXTS.items():
            vault.remember(text, title=title)
        vault.recall("heron")
    return lambda: Memvault(tmp_path / "vault", environment=environment)


def answers(vault: Memvault) -> tuple[object, ...]:
    """Questions that together read every part of an index."""
    hits = vault.recall("heron").hits
    return (
        [(hit.memory.title, hit.text) for hit in hits],
        [hit.memory.title for hit in vault.recall("hazelnuts").hits],
        sorted(row.memory.title for row in vault.list().rows),
        [vault.find(title).path for title in TEXTS],
        [vault.find(row.memory.id).id for row in vault.list(order="path").rows],
    )


def index_files(environment: dict[str, str]) -> list[Path]:
    cache = Path(environment["XDG_CACHE_HOME"])
    return sorted(path for path in cache.rglob("*") if path.is_file() and not path.name.startswith("lock"))


def flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def zero(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes(min(512, len(data) - at)) + data[at + 512 :]


def scribble(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(64) + data[at + 64 :]


DAMAGES = (flip, truncate, zero, scribble)


def heal_all(
    open_: Callable[[], Memvault], environment: dict[str, str], tmp_path: Path, seeds: range
) -> list[tuple[str, str]]:
    """Do damage with each seed; what was answered wrongly, or not at all."""
    with open_() as vault:
        right = answers(vault)
    cache, sound = Path(environment["XDG_CACHE_HOME"]), tmp_path / "sound"
    shutil.copytree(cache, sound)
    wrong = []
    for seed in seeds:
        chance = random.Random(seed)
        path = chance.choice([path for path in index_files(environment) if path.stat().st_size])
        damage = chance.choice(DAMAGES)
        if seed % 4 == 3:
            path.unlink()
        else:
            path.write_bytes(damage(path.read_bytes(), chance))
        what = f"{'missing' if seed % 4 == 3 else damage.__name__} {path.name} (seed {seed})"
        try:
            with open_() as vault:
                given = answers(vault)
        except Exception as error:
            wrong.append((what, repr(error)))
        else:
            wrong += [(what, str(given))] if given != right else []
        shutil.rmtree(cache)
        shutil.copytree(sound, cache)
    return wrong


@leaky
def test_a_damaged_index_never_answers_wrongly(
    whole_vault: Callable[[], Memvault], environment: dict[str, str], tmp_path: Path
) -> None:
    assert heal_all(whole_vault, environment, tmp_path, range(600 if LONG else 48)) == []


@posix
def test_an_index_deleted_under_an_open_vault_is_built_again(
    whole_vault: Callable[[], Memvault], environment: dict[str, str]
) -> None:
    with whole_vault() as vault:
        right = answers(vault)
        shutil.rmtree(environment["XDG_CACHE_HOME"])
        assert answers(vault) == right
        vault.remember("A swan came.", title="Five")
        assert [hit.memory.title for hit in vault.recall("swan").hits] == ["Five"]
    with whole_vault() as vault:
        assert [hit.memory.title for hit in vault.recall("swan").hits] == ["Five"]


# -- of another version


def test_an_index_of_another_version_is_built_again(
    whole_vault: Callable[[], Memvault], monkeypatch: pytest.MonkeyPatch
) -> None:
    with whole_vault() as vault:
        right = answers(vault)
    monkeypatch.setattr("memvault.storage.index.rows.VERSION", rows.VERSION + 1)
    with whole_vault() as vault:
        assert answers(vault) == right
    monkeypatch.undo()
    with whole_vault() as vault:
        assert answers(vault) == right


# -- of another user


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "index"
    Index.open(folder).close()
    folder.chmod(mode)
    with pytest.raises(MemvaultError, match="others"):
        Index.open(folder)


@posix
def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "index"
    Index.open(folder).close()
    myself = os.getuid()
    monkeypatch.setattr(os, "geteuid", lambda: myself + 1)
    monkeypatch.setattr(os, "getuid", lambda: myself + 1)
    with pytest.raises(MemvaultError, match=str(folder.name)):
        Index.open(folder)


@posix
def test_nothing_in_an_index_is_for_others_to_read(tmp_path: Path) -> None:
    Index.open(tmp_path / "index").close()
    assert (tmp_path / "index").stat().st_mode & 0o077 == 0


def test_no_class_of_ours_is_pickled_into_the_index(prepared: Path) -> None:
    tables_of_contents = list((prepared / "whoosh").glob("*.toc"))
    assert tables_of_contents
    assert all(b"memvault" not in path.read_bytes() for path in tables_of_contents)


# -- with other processes


@posix
def test_two_that_take_in_at_once_end_with_one_truth(prepared: Path) -> None:
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                take_after_in(prepared)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    check_whole(prepared)


@posix
def test_an_open_catalogue_sees_what_another_process_takes_in(prepared: Path) -> None:
    watching = Index.open(prepared)
    assert "changes.md" in found(watching, "heron")
    steps_of(prepared, lambda: take_after_in(prepared))
    assert not watching.compare_listing(listing(AFTER, VERSIONS))
    assert sorted(found(watching, "swan")) == ["changes.md", "comes.md", "work/twin-a.md"]
    watching.close()


@posix
def test_opening_waits_for_no_writer(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memvault.storage.index.index.WAIT_SECONDS", 0.1)
    with paused(prepared, lambda: take_after_in(prepared), at=0.5):
        Index.open(prepared).close()


@posix
@pytest.mark.points(only=True)
def test_killed_while_it_is_tidied_nothing_is_built_again(prepared: Path, tmp_path: Path) -> None:
    take_after_in(prepared)

    def tidy(folder: Path) -> None:
        catalogue = Index.open(folder)
        assert catalogue.tidy(), "of the first commit, more than a quarter is gone"
        catalogue.close()

    check_killed(tidy, partial(shutil.copytree, prepared), tmp_path, at_most=8)
    assert not list(tmp_path.glob("*.damaged"))


# -- the tables of a catalogue: whoever comes first makes them, and nobody takes that for damage

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


def test_two_processes_that_open_and_close_at_once_leave_no_seal_that_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.sqlite"
    opened(path, change="first").close()
    other = Thread(target=lambda: opened(path, change="second").close())
    real = sqlite.files.create_claim

    def create(seal: Path) -> None:
        if not other.ident:
            other.start()  # while one is about to write the seal, another opens, changes and closes the file
            other.join(0.3)
        real(seal)

    monkeypatch.setattr(sqlite.files, "create_claim", create)
    opened(path, change="third").close()
    other.join()
    left = opened(path)
    assert len(left.fetch_all("select name from one")) == 3
    left.close()


def test_an_index_that_another_process_began_anew_is_written_to_by_nobody_who_has_the_old_one(tmp_path: Path) -> None:
    old = Index.open(tmp_path / "index")
    set_aside(tmp_path / "index")
    new = Index.open(tmp_path / "index")
    with pytest.raises(DamagedIndex, match="begun it anew"), old.lock():
        pass
    with new.lock():
        pass
    old.close()
    new.close()


def test_of_two_that_find_an_index_damaged_the_second_takes_what_the_first_began(tmp_path: Path) -> None:
    tries = []

    def open_index() -> str:
        tries.append(len(list(tmp_path.glob("*.damaged"))))
        if len(tries) == 1:
            raise DamagedIndex(path=tmp_path, reason="it is torn")
        return "opened"

    assert open_or_rebuild(tmp_path / "index", open_index) == "opened"
    assert tries == [0, 0], "nothing was set aside"


def test_an_open_vault_sets_nothing_aside_that_another_process_began_anew(
    whole_vault: Callable[[], Memvault],
) -> None:
    with whole_vault() as vault, whole_vault() as other:
        right, seen = answers(vault), []

        def act(context: VaultContext) -> object:
            seen.append(context.index.folder)
            if len(seen) == 1:
                set_aside(context.index.folder)
                answers(other)  # begins it anew
                (context.index.folder / "mine").touch()
                raise DamagedIndex(path=context.index.folder / "rows.sqlite", reason="it is torn")
            return None

        vault.run(act)
        assert (seen[1] / "mine").exists(), "it is the one that the other began"
        assert answers(vault) == right


def test_a_question_that_fails_is_no_damage_and_leaves_the_index_as_it_is(
    whole_vault: Callable[[], Memvault], environment: dict[str, str]
) -> None:
    too_deep = " or ".join(["?"] * 2_000)
    with whole_vault() as vault:
        with pytest.raises(IndexFailed, match="Expression tree is too large"):
            vault.run(lambda context: context.index.select(f"where {too_deep}", [1] * 2_000))
        with pytest.raises(IndexFailed, match="ZeroDivisionError"):
            vault.run(lambda context: context.index.backend._run_guarded(lambda: 1 // 0))
        assert vault.recall("heron").hits
    assert not list(Path(environment["XDG_CACHE_HOME"]).rglob("*.damaged"))


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
        with pytest.raises(Unwritable):
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
