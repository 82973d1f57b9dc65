"""Changes of one memory at once, by the command line: what adds something is never turned away, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from memvault.api import Memvault
from tests.command_line import Line
from tests.daemon.porters import SOON, machine


def gauge() -> str:
    """The memory's file, as it stands."""
    return next(Path("2-memories").glob("*gauge*")).read_text()


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have another writer add a line and a tag to the memory, when a command has read it and not written yet."""

    def arrange(extra: str) -> None:
        source = Memvault.source

        def read(self: Memvault, ref: str) -> object:
            found = source(self, ref)
            with Memvault(self.root, environment=self.environment) as other:
                path = other.path_of(ref)
                text = path.read_text().replace("weight:", f"tags:\n  - {extra}\nweight:", 1)
                path.write_text(f"{text.rstrip()}\n\nAdded by {extra}.\n")
            return found

        monkeypatch.setattr(Memvault, "source", read)

    return arrange


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (("--append", "Mine."), ("Mine.",)),
        (("--title", "Mine"), ("title: Mine",)),
        (("--set", "weight=0.3"), ("weight: 0.3",)),
        (("--add-tag", "mine"), ("- mine",)),
        (("--append", "Mine.", "--add-tag", "mine", "--weight", "0.3"), ("Mine.", "- mine", "weight: 0.3")),
    ],
)
def test_what_is_added_goes_onto_what_somebody_else_wrote_meanwhile(
    words: tuple[str, ...], seen: tuple[str, ...], in_vault: Line, meanwhile: Callable[[str], None]
) -> None:
    in_vault("remember", "The gauge at Hollin has a new lid.", "--title", "Gauge")
    meanwhile("other")
    ran = in_vault("edit", "Gauge", *words)
    assert ran.code == 0, ran.err
    text = gauge()
    assert all(said in text for said in (*seen, "- other", "Added by other."))


@pytest.mark.parametrize("way", ["--text", "--file"])
def test_a_text_takes_the_place_of_none_but_the_one_that_was_seen(
    way: str, in_vault: Line, meanwhile: Callable[[str], None], tmp_path: Path
) -> None:
    in_vault("remember", "The gauge at Hollin has a new lid.", "--title", "Gauge")
    (tmp_path / "note.md").write_text("Mine.\n")
    meanwhile("other")
    assert in_vault("edit", "Gauge", way, str(tmp_path / "note.md")).code == 5
    assert "Added by other." in gauge()


@pytest.mark.points(only=True)
def test_several_processes_edit_one_memory_and_each_has_its_way(in_vault: Line, environment: dict[str, str]) -> None:
    in_vault("remember", "The gauge at Hollin has a new lid.", "--title", "Gauge")
    edits = [("--append", f"Line {number}.") for number in range(3)] + [("--add-tag", f"tag{n}") for n in range(3)]
    edits += [("--set", "weight=0.3")]
    with ExitStack() as stack:
        running = [stack.enter_context(_edit(environment, words)) for words in edits]
        told = [process.communicate(timeout=SOON)[1].decode() for process in running]
    assert [process.returncode for process in running] == [0] * len(edits), told
    text = gauge()
    assert all(f"Line {number}." in text and f"tag{number}" in text for number in range(3)), text
    assert "weight: 0.3" in text


def _edit(environment: dict[str, str], words: tuple[str, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "memvault", "edit", "Gauge", *words],
        env=machine(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
