"""`memvault model semantic`: what it fetches, what it asks, and what it says where something is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("model2vec")

from tests.command_line import Line
from tests.models.shelf_server import ShelfServer, serving_shelf
from tests.models.static_model import make_model

FILES = ("config.json", "tokenizer.json", "model.safetensors")
NAME = "somebody/tiny"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ShelfServer]:
    folder = make_model(tmp_path / "shared")
    with serving_shelf() as found:
        found.files = {name: (folder / name).read_bytes() for name in FILES}
        yield found


def test_without_a_model_it_says_how_to_get_one(in_vault: Line) -> None:
    ran = in_vault("model", "semantic")
    assert ran.code == 0
    assert "No model finds by meaning" in ran.out
    assert "memvault model semantic enable" in ran.err


@pytest.mark.points(only=True)
def test_a_model_is_fetched_after_its_size_was_told(
    in_vault: Line, server: ShelfServer, environment: dict[str, str]
) -> None:
    environment["HF_ENDPOINT"] = server.host
    ran = in_vault("model", "semantic", "enable", "--model", NAME, "--yes")
    assert (ran.code, "with somebody/tiny: 1 text has a vector" in ran.out) == (0, True)
    assert f"{NAME} has " in ran.err
    assert f"fetched from {server.host} once" in ran.err
    environment["HF_ENDPOINT"] = "http://127.0.0.1:9"  # from here on there is no network
    in_vault("remember", "The surgeon said that the knee is fine.", "--title", "knee")
    assert "knee" in in_vault("recall", "physician").out
    status = in_vault("model", "semantic", "status", "--json").json["result"]
    assert (status["ready"], status["vectors"], status["behind"]) == (True, 2, 0)


def test_it_asks_before_it_downloads(in_vault: Line, server: ShelfServer) -> None:
    ran = in_vault("model", "semantic", "enable", "--model", NAME, stdin=b"", HF_ENDPOINT=server.host)
    assert ran.code == 2
    assert "Nothing was downloaded" in ran.err
    assert not [request for request in server.requests if request.startswith("GET")]


def test_a_dry_run_fetches_nothing(in_vault: Line, server: ShelfServer) -> None:
    ran = in_vault("model", "semantic", "enable", "--model", NAME, "--yes", "--dry-run", HF_ENDPOINT=server.host)
    assert ran.code == 2
    assert f"{NAME} has " in ran.err
    assert not [request for request in server.requests if request.startswith("GET")]


def test_without_network_there_is_one_clear_sentence(in_vault: Line) -> None:
    ran = in_vault("model", "semantic", "enable", "--yes", HF_ENDPOINT="http://127.0.0.1:9")
    assert ran.code == 1
    assert "was not downloaded: 127.0.0.1:9 cannot be reached from here." in ran.err


def test_a_model_in_a_folder_needs_no_network(in_vault: Line, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "own")
    assert in_vault("model", "semantic", "enable", "--model", str(folder)).code == 0
    assert str(folder) in in_vault("model", "semantic").out


def test_a_folder_may_be_named_from_here(in_vault: Line) -> None:
    folder = make_model(Path("own"))
    assert in_vault("model", "semantic", "enable", "--model", "./own").code == 0
    assert str(folder.resolve()) in in_vault("model", "semantic").out


def test_enabled_again_it_stays_with_what_was_chosen(in_vault: Line, server: ShelfServer, tmp_path: Path) -> None:
    in_vault("model", "semantic", "enable", "--url", server.url, "--name", "small")
    assert "with small: 1 text has" in in_vault("model", "semantic", "enable").out
    in_vault("model", "semantic", "enable", "--model", str(make_model(tmp_path / "own")))
    assert "own: 1 text has" in in_vault("model", "semantic", "enable").out
    assert "url" not in in_vault("model", "semantic").out


def test_a_server_is_asked_for_vectors(in_vault: Line, server: ShelfServer) -> None:
    ran = in_vault("model", "semantic", "enable", "--url", server.url, "--name", "small")
    assert ran.code == 0
    assert [asked["model"] for asked in server.asked] == ["small", "small"]
    assert "http" in in_vault("model", "semantic").out


def test_a_server_that_gives_none_is_not_chosen(in_vault: Line, server: ShelfServer) -> None:
    server.how = "500"
    ran = in_vault("model", "semantic", "enable", "--url", server.url, "--name", "small")
    assert ran.code == 1
    assert "gives no vectors" in ran.err
    assert "No model finds by meaning" in in_vault("model", "semantic").out


def test_a_dry_run_chooses_nothing(in_vault: Line, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "own")
    assert "Would find by meaning" in in_vault("model", "semantic", "enable", "--model", str(folder), "--dry-run").out
    assert "No model finds by meaning" in in_vault("model", "semantic").out


def test_disabling_takes_it_back_and_keeps_the_model(in_vault: Line, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "own")
    in_vault("model", "semantic", "enable", "--model", str(folder))
    ran = in_vault("model", "semantic", "disable")
    assert "Recalls go by words alone." in ran.out
    assert str(folder) in ran.err
    assert folder.is_dir()
    assert in_vault("model", "semantic", "disable").code == 2


def test_a_model_that_went_is_told_and_recalls_go_on(in_vault: Line, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "own")
    in_vault("model", "semantic", "enable", "--model", str(folder))
    (folder / "model.safetensors").unlink()
    ran = in_vault("model", "semantic")
    assert ran.code == 1
    assert "it is not on this machine" in ran.err
    assert "tea" in in_vault("recall", "tea").out


def test_it_works_where_there_is_no_vault(line: Line, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "own")
    assert "Recalls find by meaning now" in line("model", "semantic", "enable", "--model", str(folder)).out
    assert "Finds by meaning" in line("model", "semantic").out


def test_without_what_it_needs_it_says_what_to_install(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    ran = in_vault("model", "semantic", "enable", "--yes")
    assert ran.code == 1
    assert "-m pip install 'model2vec" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("rebuild",),
        ("status", "--model", "a/b"),
        ("enable", "--model", "a/b", "--url", "http://x/v1", "--name", "n"),
        ("enable", "--url", "http://x/v1"),
        ("enable", "--name", "n"),
        ("enable", "--url", "ftp://x", "--name", "n"),
    ],
)
def test_what_does_not_go_together_is_told(in_vault: Line, words: tuple[str, ...]) -> None:
    ran = in_vault("model", "semantic", *words)
    assert (ran.code, ran.out) == (2, "")


def test_a_vault_cannot_choose(in_vault: Line) -> None:
    before = Path("memvault.toml").read_bytes()
    ran = in_vault("config", "semantic.url", "http://somewhere.example/v1")
    assert (ran.code, Path("memvault.toml").read_bytes()) == (0, before)
    assert "config.toml, for this vault" in ran.err
