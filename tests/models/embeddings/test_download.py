"""Fetching a model: sizes first, gone on with where it was cut off, and never half a file under its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault.errors import NotDownloaded
from memvault.models.embeddings.model2vec import DownloadPlan, download_model, has_model, is_model_name, plan_download
from tests.models.shelf_server import ShelfServer, serving_shelf

NAME = "somebody/small-model"
FILES = {"config.json": b"{}", "tokenizer.json": b"t" * 100, "model.safetensors": bytes(range(256)) * 40}


@pytest.fixture
def server() -> Iterator[ShelfServer]:
    with serving_shelf() as found:
        found.files = dict(FILES)
        yield found


def plan(server: ShelfServer, folder: Path, name: str = NAME) -> DownloadPlan:
    return plan_download(name, folder, {"HF_ENDPOINT": server.host})


def unseen(_done: int, _whole: int) -> None:
    """Nobody watches."""


def test_sizes_are_told_before_anything_is_fetched(server: ShelfServer, tmp_path: Path) -> None:
    found = plan(server, tmp_path / "model")
    assert found.total_bytes == sum(map(len, FILES.values()))
    assert not (tmp_path / "model").exists()
    assert all(request.startswith("HEAD ") for request in server.requests)


def test_a_model_is_fetched_whole(server: ShelfServer, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = plan(server, tmp_path)
    download_model(found, lambda done, whole: told.append((done, whole)))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == FILES
    assert has_model(tmp_path)
    assert told[-1] == (found.total_bytes, found.total_bytes)
    assert told == sorted(told)


def test_what_was_cut_off_is_gone_on_with(server: ShelfServer, tmp_path: Path) -> None:
    found = plan(server, tmp_path)
    server.cut_after = 60
    server.files = {name: FILES[name] for name in FILES}
    del server.files["config.json"]
    (tmp_path / "config.json").write_bytes(FILES["config.json"])
    with pytest.raises(NotDownloaded):
        download_model(found, unseen)
    assert not has_model(tmp_path)
    assert not (tmp_path / "tokenizer.json").exists()
    download_model(found, unseen)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == FILES
    assert any(request.endswith("bytes=60-") for request in server.requests)


def test_a_server_that_begins_anew_is_followed(server: ShelfServer, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.part").write_bytes(b"something else")
    found = plan(server, tmp_path)
    server.how = "no-ranges"
    download_model(found, unseen)
    assert (tmp_path / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_a_file_of_another_size_is_not_taken(server: ShelfServer, tmp_path: Path) -> None:
    found = plan(server, tmp_path)
    server.files["tokenizer.json"] += b"longer"
    with pytest.raises(NotDownloaded):
        download_model(found, unseen)
    assert not (tmp_path / "tokenizer.json").exists()


def test_what_is_there_already_is_not_fetched_again(server: ShelfServer, tmp_path: Path) -> None:
    found = plan(server, tmp_path)
    download_model(found, unseen)
    server.requests.clear()
    download_model(found, unseen)
    assert server.requests == []


def test_a_model_that_nobody_has_is_told(server: ShelfServer, tmp_path: Path) -> None:
    server.files.clear()
    with pytest.raises(NotDownloaded, match="no model of that name"):
        plan(server, tmp_path)


def test_a_size_that_is_not_told_is_not_guessed(server: ShelfServer, tmp_path: Path) -> None:
    server.how = "no-length"
    with pytest.raises(NotDownloaded, match="how long"):
        plan(server, tmp_path)


def test_without_network_there_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotDownloaded, match=r"^somebody/small-model was not downloaded: 127.0.0.1:9 cannot be reached"):
        plan_download(NAME, tmp_path, {"HF_ENDPOINT": "http://127.0.0.1:9"})


@pytest.mark.parametrize("host", ["file:///etc", "ftp://somewhere", "nowhere"])
def test_only_the_web_is_asked(tmp_path: Path, host: str) -> None:
    with pytest.raises(NotDownloaded):
        plan_download(NAME, tmp_path, {"HF_ENDPOINT": host})


@pytest.mark.parametrize("name", ["", "model", "../x/y", "a/..", "a/b/c", "/etc/passwd", "a b/c", "a/b?x=1", "a/b#c"])
def test_what_is_no_name_is_not_asked_for(server: ShelfServer, tmp_path: Path, name: str) -> None:
    assert not is_model_name(name)
    with pytest.raises(NotDownloaded):
        plan(server, tmp_path, name)
    assert server.requests == []
