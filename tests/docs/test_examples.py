"""The examples of the manual: every ```console block is carried out, and what stands below each command is what it answers.

`pytest tests/docs tests/transcripts --rewrite-transcripts` writes the answers anew: review them before you keep them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.transcripts.harness import Player

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if BLOCK.search(path.read_text("utf-8"))
]


class Reader(Player):
    """Somebody who types what the page says, at a terminal, with the few words of a shell that the page needs."""

    def _memvault(self, words: list[str], piped: str | None, variables: dict[str, str]) -> tuple[str, int]:
        # These two show folders of this machine: wrapped, they would break at another place on each.
        width = {} if words[0] in ("init", "status") else {"TTY": "96"}
        return super()._memvault(words, piped, width | variables)

    def _own(self, words: list[str]) -> tuple[str, int]:
        match words:
            case ["cd", folder]:
                os.chdir(folder)
            case ["mkdir", folder]:
                Path(folder).mkdir()
            case ["mv", source, target]:
                Path(source).rename(Path(target, Path(source).name))
            case ["echo", text, ">", path]:
                self._write(Path(path), f"{text}\n".encode())
            case ["printf", *_, text, ">", path]:
                self._write(Path(path), text.replace("\\n", "\n").encode())
            case ["echo", text, ">>", path]:
                self._write(Path(path), Path(path).read_bytes() + f"{text}\n".encode())
            case _:
                return super()._own(words)
        return "", 0


def replayed(page: str, reader: Player) -> str:
    """The page with the answer of every command as it is now; on a page, stdout and stderr stand as on a terminal."""
    blocks = [[line for line in found.splitlines() if line.startswith("$ ")] for found in BLOCK.findall(page)]
    played = reader.play("\n".join(line for block in blocks for line in (";; block", *block)))
    played = re.sub(r"^! ", "", played, flags=re.MULTILINE).replace("~home/cache", "~/.cache")
    answers = iter(played.split(";; block\n\n")[1:])
    return BLOCK.sub(lambda _: f"```console\n{next(answers).strip()}\n```", page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_examples_answer_as_the_page_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    written = path.read_text(encoding="utf-8")
    now = replayed(written, Reader(tmp_path))
    rewrite = request.config.getoption("--rewrite-transcripts", default=False)
    if rewrite and now != written:
        path.write_text(now, encoding="utf-8")
    assert rewrite or now == written


def test_the_tutorial_is_made_of_examples() -> None:
    assert ROOT / "docs" / "tutorial.md" in PAGES
    assert len(BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text("utf-8"))) >= 12


def test_every_block_begins_with_a_command() -> None:
    assert [found for path in PAGES for found in BLOCK.findall(path.read_text("utf-8")) if found[:2] != "$ "] == []
