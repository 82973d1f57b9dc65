"""Vectors beside the index: kept by key, found again, and thrown away when in doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

from memvault.storage.index.vectors import VectorStore  # noqa: E402 - it stands on numpy


def rows(*directions: float) -> object:
    """Rows of length one, each turned by so much of a quarter."""
    turned = np.array(directions) * np.pi / 2
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


@pytest.fixture
def vectors(tmp_path: Path) -> VectorStore:
    return VectorStore(tmp_path / "vectors", "a model")


def test_a_key_is_as_like_as_its_row(vectors: VectorStore) -> None:
    vectors.add_vectors([([3, 1], rows(0.0, 1.0))])
    vectors.add_vectors([([7], rows(0.5))])
    found = vectors.similarities([1, 3, 7], rows(0.0)[0])  # type: ignore[index]
    assert found == pytest.approx([0.0, 1.0, np.sqrt(0.5)], abs=1e-2)


def test_they_are_there_for_whoever_comes_next(vectors: VectorStore) -> None:
    vectors.add_vectors([([1], rows(0.0)), ([2, 5], rows(0.5, 1.0))])
    again = VectorStore(vectors.folder, "a model")
    assert again.keys.tolist() == [1, 2, 5]
    assert again.missing_keys([1, 2, 3, 4]) == [3, 4]
    assert again.size == sum(path.stat().st_size for path in vectors.folder.iterdir()) - 40


def test_a_key_without_a_vector_neither_gains_nor_loses(vectors: VectorStore) -> None:
    vectors.add_vectors([([1, 3], rows(0.0, 1.0))])
    assert vectors.similarities([1, 2, 3], rows(0.0)[0])[1] == pytest.approx(0.5, abs=1e-2)  # type: ignore[index]


def test_the_vectors_of_another_model_are_thrown_away(vectors: VectorStore) -> None:
    vectors.add_vectors([([1], rows(0.0))])
    assert VectorStore(vectors.folder, "another model").keys.tolist() == []
    assert list(vectors.folder.iterdir()) == []


@pytest.mark.parametrize("damage", ["cut", "longer", "key", "head", "empty", "text"])
def test_a_damaged_file_is_thrown_away_and_its_keys_are_missing(vectors: VectorStore, damage: str) -> None:
    vectors.add_vectors([([1], rows(0.0))])
    vectors.add_vectors([([2], rows(0.5))])
    path = sorted(vectors.folder.iterdir())[0]
    data = path.read_bytes()
    vectors.close()
    flipped = bytearray(data)
    flipped[42 if damage == "key" else 9] ^= 0xFF
    path.write_bytes(
        {"cut": data[:-1], "longer": data + b"x", "empty": b"", "text": b"not vectors at all" * 9}.get(damage, flipped)
    )
    again = VectorStore(vectors.folder, "a model")
    assert again.keys.tolist() == [2]
    assert again.missing_keys([1, 2]) == [1]


def test_numbers_that_are_none_harm_nothing(vectors: VectorStore) -> None:
    vectors.add_vectors([([1, 2], rows(0.0, 0.5))])
    path = next(vectors.folder.iterdir())
    data = path.read_bytes()
    vectors.close()
    path.write_bytes(data[:-8] + b"\x00\x00\xc0\x7f" + data[-4:])  # a scale that is not a number
    again = VectorStore(vectors.folder, "a model")
    assert np.isfinite(again.similarities([1, 2], rows(0.0)[0])).all()  # type: ignore[index]


def test_what_is_gone_is_let_go_once_it_is_more_than_what_stays(vectors: VectorStore) -> None:
    vectors.add_vectors([([1, 2, 3, 4], rows(0, 0.2, 0.4, 0.6))])
    vectors.keep_keys([1, 2, 3])
    assert vectors.keys.tolist() == [1, 2, 3, 4]
    vectors.keep_keys([2])
    assert vectors.keys.tolist() == [2]
    assert vectors.similarities([2], rows(0.2)[0]) == pytest.approx([1.0], abs=1e-2)  # type: ignore[index]


def test_many_small_files_become_one(vectors: VectorStore) -> None:
    for key in range(12):
        vectors.add_vectors([([key], rows(key / 12))])
    vectors.keep_keys(range(12))
    assert len(list(vectors.folder.iterdir())) == 1
    assert vectors.keys.tolist() == list(range(12))


def test_purged_means_that_no_byte_of_it_stays(vectors: VectorStore) -> None:
    vectors.add_vectors([([1, 2], rows(0.0, 0.37))])
    gone = np.rint(rows(0.37) / np.abs(rows(0.37)).max() * 127).astype("i1").tobytes()
    assert any(gone in path.read_bytes() for path in vectors.folder.iterdir())
    vectors.purge_except([1])
    assert not any(gone in path.read_bytes() for path in vectors.folder.iterdir())
    vectors.purge_except([])
    assert list(vectors.folder.iterdir()) == []


def test_rows_of_another_length_are_passed_over(vectors: VectorStore) -> None:
    vectors.add_vectors([([1], rows(0.0))])
    assert vectors.similarities([1], np.ones(3, np.float32)).tolist() == [0.0]


# -- what stands out


def test_what_stands_out_is_given_with_how_far(vectors: VectorStore) -> None:
    vectors.add_vectors([(list(range(20)), rows(*[1.0] * 19, 0.0))])
    found = vectors.nearest_keys(range(20), rows(0.0)[0], count=5)  # type: ignore[index]
    assert list(found) == [19]
    assert found[19] == pytest.approx(0.95 / np.sqrt((0.0475 * 20 + 0.1) / 30) - 1, abs=0.05)


def test_of_two_the_nearer_one_stands_out_too(vectors: VectorStore) -> None:
    vectors.add_vectors([([1, 2], rows(0.0, 1.0))])
    assert list(vectors.nearest_keys([1, 2], rows(0.0)[0], count=5)) == [0]  # type: ignore[index]


def test_where_all_are_alike_nothing_stands_out(vectors: VectorStore) -> None:
    vectors.add_vectors([([1, 2, 3], rows(0.5, 0.5, 0.5))])
    assert vectors.nearest_keys([1, 2, 3], rows(0.0)[0], count=5) == {}  # type: ignore[index]


def test_those_that_are_asked_for_are_told_too(vectors: VectorStore) -> None:
    vectors.add_vectors([(list(range(30)), rows(*[1.0] * 27, 0.0, 0.05, 0.1))])
    keys, asked = range(30), rows(0.0)[0]  # type: ignore[index]
    assert sorted(vectors.nearest_keys(keys, asked, count=1)) == [27]
    assert sorted(vectors.nearest_keys(keys, asked, count=1, also=[29, 3])) == [27, 29]


def test_without_any_vector_nothing_stands_out(vectors: VectorStore) -> None:
    assert vectors.nearest_keys([], rows(0.0)[0], count=5) == {}  # type: ignore[index]
    assert vectors.nearest_keys([1, 2], rows(0.0)[0], count=5) == {}  # type: ignore[index]
