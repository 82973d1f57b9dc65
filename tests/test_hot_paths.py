"""What must be quick loads what is listed, and nothing else."""

from __future__ import annotations

import sys

import pytest

from tests.hot_paths import ALLOWED, HEAVY, listed, loaded, ours

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems lock and watch by other modules")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, frozenset[str]]:
    return loaded(tmp_path_factory.mktemp("hot"))


@pytest.mark.points(only=True)
def test_each_hot_path_loads_the_modules_that_are_listed(found: dict[str, frozenset[str]]) -> None:
    assert {path: ours(names) for path, names in found.items()} == listed()


@pytest.mark.parametrize("path", ["version", "recall", "hook"])
def test_no_hot_path_loads_anything_heavy(path: str, found: dict[str, frozenset[str]]) -> None:
    assert HEAVY & found[path] - ALLOWED.get(path, frozenset()) == set()


def test_the_version_is_told_before_anything_is_imported(found: dict[str, frozenset[str]]) -> None:
    assert not {"pathlib", "datetime"} & found["version"]
