"""The term index: what it holds is what was given, through commits, merges, other processes and bad luck."""

from __future__ import annotations

import os
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memvault.errors import Busy, DamagedIndex
from memvault.storage.index.postings import GONE, IndexSnapshot, PostingStore, write
from memvault.storage.index.postings import segment as segments
from memvault.storage.index.postings.contents import pack_postings, unpack_postings

FIELDS = ("text", "facts")
Texts = Mapping[str, Sequence[str]]
Counted = dict[str, dict[str, dict[int, int]]]  # field, term, key: how often
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals")


class MemoryPostings:
    """The oracle: everything in a dictionary."""

    def __init__(self) -> None:
        self.held: dict[int, Texts] = {}

    def replace(self, documents: Sequence[tuple[int, Texts]], gone: Sequence[range] = ()) -> None:
        self.held = {key: texts for key, texts in self.held.items() if not any(key in each for each in gone)}
        self.held |= dict(documents)

    def counted(self) -> Counted:
        found: Counted = {field: {} for field in FIELDS}
        for key, texts in self.held.items():
            for field in FIELDS:
                for term, count in Counter(texts.get(field, ())).items():
                    found[field].setdefault(term, {})[key] = count
        return found

    def lengths(self, field: str) -> dict[int, int]:
        return {key: len(texts.get(field, ())) for key, texts in self.held.items()}


def counted(reading: IndexSnapshot, wanted: Mapping[str, Set[str]]) -> Counted:
    """What a reading says of some terms, by key."""
    keys = reading.keys()
    found: Counted = {field: {} for field in FIELDS}
    for field in FIELDS:
        for term in wanted[field]:
            documents, frequencies = reading.postings(field, term)
            assert list(documents) == sorted(set(documents))
            assert reading.holder_count(field, term) == len(documents)
            held = dict(zip((keys[document] for document in documents), frequencies, strict=True))
            if held:
                found[field][term] = held
    return found


def check(reading: IndexSnapshot, oracle: MemoryPostings, terms: Sequence[str] = ()) -> None:
    wanted = oracle.counted()
    assert counted(reading, {field: {*terms, *wanted[field]} for field in FIELDS}) == wanted
    keys = reading.keys()
    assert sorted(key for key in keys if key != GONE) == sorted(oracle.held)
    assert (reading.count, reading.size) == (len(oracle.held), len(keys))
    for field in FIELDS:
        every = [length for section in reading.sections for length in section.lengths(field)]
        lengths = dict(zip(keys, every, strict=True))
        lengths.pop(GONE, None)
        assert lengths == oracle.lengths(field)
        assert reading.total_length(field) == sum(lengths.values())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "postings"


@pytest.fixture
def postings(folder: Path) -> Iterator[PostingStore]:
    opened = PostingStore(folder, FIELDS)
    yield opened
    opened.close()


def saying(key: int, text: str, facts: str = "") -> tuple[int, Texts]:
    return key, {"text": text.split(), "facts": facts.split()}


# -- the oracle

TERMS = ["heron", "swan", "rain", "größe", "поиск", "\ud800", "", "\0", "x" * 70_000, "🦩", "a\nb"]
LISTS = st.lists(st.sampled_from(TERMS), max_size=6)
DOCUMENTS = st.lists(st.tuples(st.integers(0, 40), LISTS, LISTS), max_size=6, unique_by=lambda made: made[0])
STEP = st.one_of(
    st.tuples(st.just("replace"), DOCUMENTS, st.lists(st.integers(0, 12), max_size=3)),
    st.sampled_from([("optimise",), ("merge",), ("reopen",)]),
)


@settings(max_examples=30)
@given(st.lists(STEP, min_size=1, max_size=8))
@pytest.mark.points(only=True)
def test_it_holds_what_was_given(steps: list[tuple[object, ...]]) -> None:
    with TemporaryDirectory() as spare:
        folder = Path(spare) / "postings"
        opened, oracle = PostingStore(folder, FIELDS), MemoryPostings()
        for number, step in enumerate(steps):
            match step:
                case ("replace", list(made), list(gone)):
                    # The number of the step stands in the key, so that none is used twice; they come in any order.
                    given = [(key << 8 | number, {"text": text, "facts": facts}) for key, text, facts in made]
                    ranges = [range(key << 8, (key + 1) << 8) for key in gone]
                    opened.replace(iter(given), iter(ranges))
                    oracle.replace(given, ranges)
                case ("optimise",):
                    opened.optimise()
                case ("merge",):
                    opened.merge_if_idle()
                case _:
                    opened.close()
                    opened = PostingStore(folder, FIELDS)
            check(opened.snapshot(), oracle, TERMS)
        opened.close()


@pytest.mark.parametrize("documents", [[0], [255, 256], [0, 70_000], [1 << 31, (1 << 32) - 1], list(range(0, 900, 3))])
@pytest.mark.parametrize("often", [1, 255, 256, 1 << 20])
def test_every_list_of_numbers_comes_back(documents: list[int], often: int) -> None:
    frequencies = [often, *([1] * (len(documents) - 1))]
    found = unpack_postings(pack_postings(documents, frequencies), len(documents))
    assert [list(each) for each in found] == [documents, frequencies]


# -- what it is read with


def test_nothing_is_in_a_folder_that_is_not_there(postings: PostingStore, folder: Path) -> None:
    reading = postings.snapshot()
    assert (reading.count, reading.size, list(reading.keys())) == (0, 0, [])
    assert reading.holder_count("text", "heron") == reading.total_length("text") == 0
    assert [list(each) for each in reading.postings("facts", "heron")] == [[], []]
    assert not folder.exists(), "looking makes nothing"


def test_a_reading_stays_what_it_was(postings: PostingStore) -> None:
    oracle = MemoryPostings()
    first = [saying(1, "a heron"), saying(2, "a swan")]
    postings.replace(first)
    oracle.replace(first)
    reading = postings.snapshot()
    assert postings.snapshot() is reading
    postings.replace([saying(3, "a heron")], [range(1, 2)])
    postings.optimise()
    check(reading, oracle)
    assert list(postings.snapshot().keys()) == [2, 3]


def test_documents_of_consecutive_keys_stay_side_by_side(
    postings: PostingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "MOST_TERMS", 3)
    made = [saying(talk << 8 | unit, "a heron stood there") for talk in (1, 2, 3) for unit in range(3)]
    postings.replace(made)
    oracle = MemoryPostings()
    oracle.replace(made)
    check(postings.snapshot(), oracle)
    keys = list(postings.snapshot().keys())
    assert len(postings.snapshot()._files) == 3
    assert all(keys.index(talk << 8) + unit == keys.index(talk << 8 | unit) for talk in (1, 2, 3) for unit in range(3))


def test_what_is_cached_has_an_end(folder: Path) -> None:
    opened = PostingStore(folder, FIELDS, cache_bytes=2_000)
    opened.replace([(key, {"text": [f"word{number}" for number in range(60)]}) for key in range(20)])
    reading = opened.snapshot()
    for number in range(60):
        assert len(reading.postings("text", f"word{number}")[0]) == 20
    assert opened.cache._taken <= 2_000
    opened.close()


def test_all_who_have_it_open_share_what_they_unfold_and_nobody_needs_the_others(folder: Path) -> None:
    one, two = PostingStore(folder, FIELDS), PostingStore(folder, FIELDS)
    one.replace([(key, {"text": ["heron"]}) for key in range(20)])
    found = one.snapshot().postings("text", "heron")
    assert two.snapshot().postings("text", "heron") is found
    one.replace([(20, {"text": ["heron"]})], [range(1)])
    one.close()
    assert two.cache._taken == 0, "who lets go of it wants the memory back"
    assert {*counted(two.snapshot(), {"text": {"heron"}, "facts": set()})["text"]["heron"]} == set(range(1, 21))
    two.close()


def test_what_is_just_let_go_of_is_handed_to_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = PostingStore(folder, FIELDS)
    one.replace([(key, {"text": ["heron"]}) for key in range(20)])
    one.snapshot()
    others: list[PostingStore] = []

    def close(descriptor: int) -> None:
        monkeypatch.undo()
        others.append(PostingStore(folder, FIELDS))
        others[0].snapshot()
        os.close(descriptor)

    monkeypatch.setattr(os, "close", close)
    one.close()
    assert len(others[0].snapshot().postings("text", "heron")[0]) == 20
    others[0].close()


def test_terms_are_told_by_their_beginning(postings: PostingStore) -> None:
    postings.replace([saying(1, "heron hero her", "hers"), *[saying(2, " ".join(f"z{n:03}" for n in range(200)))]])
    postings.replace([saying(3, "heroic her größe")])
    terms = postings.snapshot().terms
    assert list(terms("text", "her")) == ["her", "hero", "heroic", "heron"]
    assert list(terms("facts", "her")) == ["hers"]
    assert list(terms("text", "z1")) == [f"z{n}" for n in range(100, 200)]
    assert list(terms("text", "größ")) == ["größe"]
    assert list(terms("text", "x")) == list(terms("facts", "z")) == []
    assert len(list(terms("text", ""))) == 205


def test_keys_are_found_in_whichever_part_of_them_they_stand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_KEYS", 4)
    made = [saying(key, "a heron") for key in range(0, 90, 3)]
    for wanted in (range(1), range(2, 4), range(11, 13), range(9, 40), range(85, 200), range(500, 600), range(0)):
        opened, oracle = PostingStore(folder / str(wanted), FIELDS), MemoryPostings()
        for each in (opened, oracle):
            each.replace(made, ())
            each.replace([saying(1_000, "a swan")], [wanted])
        check(opened.snapshot(), oracle)
        opened.close()


# -- changes


def test_small_segments_become_one_and_a_large_one_is_left_alone(postings: PostingStore) -> None:
    postings.replace([saying(key, "a heron") for key in range(100)])
    for key in range(200, 205):
        postings.replace([saying(key, "a swan")])
    assert postings.merge_if_idle()
    assert [file.documents for file in postings.snapshot()._files] == [100, 5]
    assert not postings.merge_if_idle(), "there is nothing left to do"


def test_what_is_gone_takes_no_room_for_ever(postings: PostingStore) -> None:
    postings.replace([saying(key, "a heron") for key in range(10)])
    postings.replace([], [range(5)])
    assert postings.merge_if_idle()
    assert (postings.snapshot().size, postings.snapshot().count) == (5, 5)
    postings.replace([], [range(10)])
    assert (postings.snapshot().size, len(postings.snapshot()._files)) == (0, 0)


@posix
def test_another_writer_is_waited_for_and_no_longer(
    postings: PostingStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "WAIT_SECONDS", 0.0)
    postings.replace([saying(1, "a heron")])
    with write._open_writer(folder, FIELDS) as holder:
        with pytest.raises(Busy):
            PostingStore(folder, FIELDS).replace([saying(2, "a heron")])
        assert postings.snapshot().count == 1, "readers wait for nobody"
        holder.cancel()
    postings.replace([saying(2, "a heron")])
    assert postings.snapshot().count == 2


# -- bad luck

BEFORE = [saying(key, "a heron stood there", "rain") for key in range(40)]
AFTER = [saying(key, "a swan") for key in range(40, 50)]


def written(folder: Path) -> None:
    opened = PostingStore(folder, FIELDS)
    opened.replace(BEFORE)
    opened.close()


def test_an_index_of_another_machine_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder)
    monkeypatch.setattr(sys, "byteorder", {"little": "big", "big": "little"}[sys.byteorder])
    with pytest.raises(DamagedIndex, match="another version"):
        PostingStore(folder, FIELDS).snapshot()


def test_an_index_with_other_fields_is_neither_read_nor_written(folder: Path) -> None:
    written(folder)
    other = PostingStore(folder, ("text",))
    with pytest.raises(DamagedIndex, match="another version"):
        other.snapshot()
    with pytest.raises(DamagedIndex, match="another version"):
        other.replace(AFTER)
    PostingStore(folder, FIELDS).replace(AFTER)  # nothing is left locked


@posix
def test_readers_see_whole_commits_while_another_process_writes(folder: Path) -> None:
    written(folder)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            other = PostingStore(folder, FIELDS)
            for key in range(100, 140):
                other.replace([saying(key, "a swan"), saying(key + 1_000, "a swan")], [range(key - 1, key)])
            code = 0
        finally:
            os._exit(code)
    opened = PostingStore(folder, FIELDS)
    seen: array[int] = array("I")
    while not os.waitpid(child, os.WNOHANG)[0]:
        reading = opened.snapshot()
        keys = reading.keys()
        swans = [keys[document] for document in reading.postings("text", "swan")[0]]
        seen.append(len(swans))
        late = sorted(key for key in swans if key >= 1_100)
        assert late == list(range(1_100, 1_100 + len(late))), "commits come one after the other"
        assert [key for key in swans if key < 1_000] == [key - 1_000 for key in late[-1:]], "and each of them whole"
    assert opened.snapshot().holder_count("text", "swan") == 41
    opened.close()
