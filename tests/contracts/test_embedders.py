"""One contract for all that give vectors: a row of length one for each text, alike for like texts, or NoVectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("model2vec")

from memvault.errors import NoVectors  # noqa: E402
from memvault.models.embeddings import EMBEDDERS, Embedder, EmbeddingSource  # noqa: E402
from tests.models.shelf_server import serving_shelf  # noqa: E402
from tests.models.static_model import make_model  # noqa: E402

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(params=sorted(EMBEDDERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def made(kind: str, folder: Path) -> Iterator[Embedder]:
    with serving_shelf() as server:
        source = EmbeddingSource(environment={}, name="tiny", folder=folder, url=server.url if kind == "openai" else "")
        yield EMBEDDERS[kind](source)


def like(rows: Rows, one: int, other: int) -> float:
    return float(rows[one] @ rows[other])


def test_every_text_has_a_row_of_length_one(made: Embedder) -> None:
    texts = ["my car", "the dog and the doctor", "dinner", "car automobile", "a job at the office"]
    rows = made.embed_texts(texts)
    assert rows.dtype == np.float32
    assert len(rows) == len(texts)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


def test_what_means_the_like_lies_near(made: Embedder) -> None:
    rows = made.embed_texts(["the automobile", "a car", "a puppy"])
    assert like(rows, 0, 1) > 0.9
    assert like(rows, 0, 2) < 0.7


def test_a_text_has_the_same_row_alone_as_among_others(made: Embedder) -> None:
    texts = [f"the car of the doctor, and dog {number}" for number in range(70)]
    assert made.embed_texts(texts)[66] == pytest.approx(made.embed_texts(texts[66:67])[0], abs=1e-6)


def test_texts_without_a_known_word_and_very_long_ones_harm_nothing(made: Embedder) -> None:
    rows = made.embed_texts(["", "   ", "ξένος λόγος", "car " * 100_000, "car"])
    assert np.isfinite(rows).all()
    assert (np.linalg.norm(rows, axis=1) < 1.001).all()
    assert like(rows, 3, 4) > 0.9


def test_the_mark_tells_models_apart(kind: str, made: Embedder, tmp_path: Path) -> None:
    other = make_model(tmp_path, {"vehicle": "car", "meal": "dinner"})
    another = EMBEDDERS[kind](EmbeddingSource(environment={}, name="other", folder=other, url="http://127.0.0.1:9/v1"))
    assert made.model_id
    assert made.model_id != another.model_id


def test_nobody_has_to_wait_for_more_than_it_says(made: Embedder) -> None:
    assert made.interactive_limit > 0


def test_a_model_that_is_not_there_is_told(kind: str, tmp_path: Path) -> None:
    nowhere = EMBEDDERS[kind](
        EmbeddingSource(environment={}, name="tiny", folder=tmp_path / "none", url="http://127.0.0.1:9/v1", seconds=1.0)
    )
    with pytest.raises(NoVectors):
        nowhere.embed_texts(["a car"])
