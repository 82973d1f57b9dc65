"""The page on extensions: its files, taken from the page, are installed and used by the command line of a real process."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LaidDown

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"^\*\*`([\w.-]+)`\*\*\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))

Ran = subprocess.CompletedProcess[str]
Program = Callable[..., Ran]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the page, installed by pip into a folder of its own."""
    project, target = tmp_path_factory.mktemp("memvault-kitchen"), tmp_path_factory.mktemp("site")
    for name in ("pyproject.toml", "memvault_kitchen.py"):
        (project / name).write_text(SHOWN[name], encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    quiet = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    words = [*pip, "--target", str(target), str(project)]
    done = subprocess.run(words, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def program(tmp_path: Path, environment: dict[str, str], laid_down: LaidDown) -> Program:
    """Runs `memvault WORDS…` as a process, in a new vault."""
    vault = shutil.copytree(laid_down(False), tmp_path / "vault")

    def run(*words: str, site: Path | None = None, **variables: str) -> Ran:
        path = os.pathsep.join(str(folder) for folder in (ROOT, site) if folder)
        there = {**environment, "PYTHONPATH": path, "MEMVAULT_DIR": str(vault), "PYTHONIOENCODING": "utf-8"}
        line = [sys.executable, "-P", "-m", "memvault", *words]
        done = subprocess.run(
            line, env=there | variables, cwd=tmp_path, input="", capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr
        return done

    return run


def result(done: Ran) -> Any:
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["result"]


def config(environment: dict[str, str], *below: str) -> Path:
    folder = Path(environment["XDG_CONFIG_HOME"], "memvault", *below)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_page_shows_whole_files() -> None:
    assert set(SHOWN) == {"clients.py", "review-safety.md", "pyproject.toml", "memvault_kitchen.py"}


@pytest.mark.points(only=True)
def test_the_package_is_installed_and_all_it_adds_is_used(site: Path, program: Program, tmp_path: Path) -> None:
    loaded = result(program("status", "--json", site=site))["extensions"]
    adds = ["kind recipe", "reviewer diet", "screen shopping", "ranking recent"]
    assert [(one["name"], sorted(one["adds"]), one["problem"]) for one in loaded] == [("kitchen", sorted(adds), "")]

    bread = "Walnut bread: preheat the oven to 220 degrees. Serves 6."
    made = result(program("remember", bread, "--json", site=site))["memory"]
    assert (made["kind"], made["servings"]) == ("recipe", 6)
    assert "kind: recipe" in (tmp_path / "vault" / made["path"]).read_text(encoding="utf-8")
    listed = result(program("vault", "list", "--kind", "recipe", "--json", site=site))["memories"]
    assert [row["memory"]["id"] for row in listed] == [made["id"]]

    refused = program("remember", "Shopping list: flour, walnuts", site=site)
    assert refused.returncode == 5
    assert "it is a shopping list (the screen shopping)" in refused.stderr

    assert program("config", "recall.ranking", "recent", site=site).returncode == 0
    assert len(result(program("recall", "walnut oven", "--json", site=site))["hits"]) == 1


@pytest.mark.points(only=True)
def test_its_reviewer_reviews(site: Path, program: Program, environment: dict[str, str], tmp_path: Path) -> None:
    lay_model(environment, tmp_path, asked="**diet**")
    found = result(program("model", "review", "Mara is allergic to walnuts", "--json", site=site))
    scores = {said["by"]: said["importance"] for said in found["answers"]}
    assert scores == {"importance": 6, "relevance": 6, "novelty": 6, "diet": 10}
    assert (found["verdict"]["outcome"], found["failures"]) == ("store", {})


@pytest.mark.points(only=True)
def test_without_the_package_what_it_made_is_kept_and_the_vault_says_what_is_missing(
    site: Path, program: Program
) -> None:
    made = result(program("remember", "Serves 6: walnut bread", "--kind", "recipe", "--json", site=site))["memory"]
    assert program("config", "recall.ranking", "recent", site=site).returncode == 0
    missing = program("recall", "walnut")
    assert missing.returncode == 2
    assert "recall.ranking is 'recent', but there is no such" in missing.stderr
    assert program("config", "unset", "recall.ranking").returncode == 0
    shown = result(program("show", made["id"], "--json"))["memory"]
    assert shown["kind"] == "semantic"
    assert result(program("show", made["id"], "--json", site=site))["memory"]["servings"] == 6


@pytest.mark.points(only=True)
def test_the_single_file_screens_what_a_person_says(program: Program, environment: dict[str, str]) -> None:
    (config(environment, "extensions") / "clients.py").write_text(SHOWN["clients.py"], encoding="utf-8")
    told = re.search(r"^\$ memvault remember \"(.+)\"\n(error: .+)\n\[exit (\d)\]$", PAGE, re.MULTILINE)
    assert told
    refused = program("remember", told[1])
    assert (refused.stderr.strip(), refused.returncode) == (told[2], int(told[3]))
    assert program("remember", "The kitchen opens at nine").returncode == 0


@pytest.mark.points(only=True)
def test_the_reviewer_of_one_file_reviews(program: Program, environment: dict[str, str], tmp_path: Path) -> None:
    (config(environment, "prompts") / "review-safety.md").write_text(SHOWN["review-safety.md"], encoding="utf-8")
    lay_model(environment, tmp_path, asked="**safety**")
    found = result(program("model", "review", "Mara is allergic to walnuts", "--json"))
    assert {said["by"]: said["importance"] for said in found["answers"]} == {
        "importance": 6,
        "relevance": 6,
        "novelty": 6,
        "safety": 10,
    }
    assert "safety (reviewer safety)" in program("status").stdout


def lay_model(environment: dict[str, str], tmp_path: Path, *, asked: str) -> None:
    """Set up a model that gives a 10 to the reviewer whose instructions hold a word, and a 6 to the others."""
    script = tmp_path / "model.py"
    script.write_text(
        "import json, sys\n"
        f"found = {asked!r} in json.load(sys.stdin)['system']\n"
        "print(json.dumps({'importance': 10 if found else 6, 'reason': 'It is an allergy.'}))\n",
        encoding="utf-8",
    )
    words = json.dumps([sys.executable, str(script)])
    (config(environment) / "config.toml").write_text(
        f'[model]\nprovider = "command"\nreview_seconds = 60.0\ncommand = {words}\n', encoding="utf-8"
    )
