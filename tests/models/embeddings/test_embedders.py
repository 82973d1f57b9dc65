"""Servers that give no vectors, or lie; models whose files are damaged; and what is never sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("model2vec")

from memvault.errors import NoVectors  # noqa: E402
from memvault.models.embeddings import Embedder, EmbeddingSource, create_embedder  # noqa: E402
from tests.models.shelf_server import ShelfServer, serving_shelf, vector  # noqa: E402
from tests.models.static_model import make_model  # noqa: E402


@pytest.fixture
def server() -> Iterator[ShelfServer]:
    with serving_shelf() as found:
        yield found


def asking(server: ShelfServer, **given: object) -> Embedder:
    return create_embedder(
        EmbeddingSource(**{"environment": {}, "name": "small", "url": server.url, "seconds": 5.0, **given})
    )  # type: ignore[arg-type]


def test_rows_are_put_in_order(server: ShelfServer) -> None:
    server.how = "backwards"
    rows = asking(server).embed_texts(["a car", "a dog"])
    assert np.argmax(rows, axis=1).tolist() == [np.argmax(vector("a car")), np.argmax(vector("a dog"))]


@pytest.mark.parametrize("how", ["fewer", "shorter", "words", "twice", "{}", "[1]", "<html>", '{"data": [{}]}'])
def test_a_lying_server_is_found_out(server: ShelfServer, how: str) -> None:
    server.how = how
    with pytest.raises(NoVectors, match="vectors in the server's reply"):
        asking(server).embed_texts(["a car", "a dog"])


def test_endless_numbers_count_as_nothing(server: ShelfServer) -> None:
    server.how = "endless"
    assert np.isfinite(asking(server).embed_texts(["a car"])).all()


def test_rows_cannot_change_their_length_later(server: ShelfServer) -> None:
    made = asking(server)
    made.embed_texts(["a car"])
    server.how = '{"data": [{"index": 0, "embedding": [1, 2, 3]}]}'
    with pytest.raises(NoVectors):
        made.embed_texts(["a car"])


@pytest.mark.parametrize(
    ("status", "told"), [("401", "another key"), ("404", "no such model"), ("429", "too many"), ("500", "500")]
)
def test_a_refusal_is_told_without_the_words_of_the_server(server: ShelfServer, status: str, told: str) -> None:
    server.how = status
    with pytest.raises(NoVectors, match=told) as caught:
        asking(server).embed_texts(["a car"])
    assert "secret" not in str(caught.value)


def test_a_server_that_does_not_answer_is_not_waited_for(server: ShelfServer) -> None:
    server.how = "hang"
    with pytest.raises(NoVectors, match="in time"):
        asking(server, seconds=0.2).embed_texts(["a car"])


def test_secrets_and_what_is_private_are_never_sent(server: ShelfServer) -> None:
    key = "ghp_" + "x7Kq2mW9vT4bR8nL3cJ6hF1dS5gP0zAyUeQk"
    asking(server).embed_texts([f"the car's token is {key}", "seen <private>by nobody</private> at all"])
    sent = str(server.asked)
    assert key not in sent
    assert "by nobody" not in sent
    assert "redacted" in sent


def test_personal_data_are_never_sent_unless_the_person_wants_it(server: ShelfServer) -> None:
    text = "Anna: +49 170 1234567, DE89 3704 0044 0532 0130 00"
    asking(server).embed_texts([text])
    asking(server, hides_personal=False).embed_texts(["Anna: +49 170 1234567"])
    hidden, shown = server.asked
    assert "Anna: [phone number 1], [IBAN 2]" in str(hidden)
    assert "+49 170 1234567" in str(shown)


def test_the_key_comes_from_the_environment_alone(server: ShelfServer) -> None:
    asking(server, environment={"MY_KEY": "k-1"}, key_env="MY_KEY").embed_texts(["a car"])
    assert server.headers[0]["Authorization"] == "Bearer k-1"
    with pytest.raises(NoVectors, match="MY_KEY"):
        asking(server, key_env="MY_KEY").embed_texts(["a car"])


def test_an_address_may_be_whole_or_not(server: ShelfServer) -> None:
    for url in (server.host, server.url, f"{server.url}/embeddings"):
        asking(server, url=url).embed_texts(["a car"])
    assert set(server.requests) == {"/v1/embeddings"}


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_damaged_model_is_told(tmp_path: Path, name: str) -> None:
    make_model(tmp_path)
    (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(NoVectors, match="damaged"):
        create_embedder(EmbeddingSource(environment={}, name="tiny", folder=tmp_path)).embed_texts(["a car"])


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_half_a_model_is_no_model(tmp_path: Path, name: str) -> None:
    make_model(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(NoVectors, match="not on this machine"):
        create_embedder(EmbeddingSource(environment={}, name="tiny", folder=tmp_path)).embed_texts(["a car"])


def test_a_model_is_read_when_it_is_first_asked(tmp_path: Path) -> None:
    made = create_embedder(EmbeddingSource(environment={}, name="tiny", folder=make_model(tmp_path)))
    assert not made.is_loaded
    made.embed_texts(["a car"])
    assert made.is_loaded
