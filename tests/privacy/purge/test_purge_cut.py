"""What breaks off within a forgotten sentence tells of it too: titles of conversations, and names of files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.privacy.purge.kept_copies import SentenceBeginnings
from tests.privacy.purge.test_purge import transcript as conversation

SAID = "Zyxomma keeps the spare vault codes beneath the turquoise flowerpot in Trondheim."
PART = "spare vault codes"
TALK = "11111111-2222-4333-8444-555555555555"


def transcript(folder: Path, *said: str) -> Path:
    """A conversation as Claude Code writes it, in which only the person speaks."""
    return conversation(folder, *(("user", text) for text in said))


def titled(folder: Path, *said: str) -> Path:
    """The same, with the first of what was said as a title that a person gave."""
    path = transcript(folder, *said[1:])
    with path.open("a") as file:
        file.write(json.dumps({"type": "custom-title", "customTitle": said[0], "sessionId": path.stem}) + "\n")
    return path


def rollout(folder: Path, *said: str) -> Path:
    """A conversation as Codex writes it."""
    path = folder / f"rollout-2026-01-28T10-00-00-{TALK}.jsonl"
    rows = [("session_meta", {"id": TALK, "cwd": "/home/me/boat"})]
    rows += [("response_item", {"type": "message", "role": "user", "content": text}) for text in said]
    stamps = (f"2026-01-28T10:{number:02d}:00.000Z" for number in range(60))
    lines = (
        {"timestamp": stamp, "type": kind, "payload": told} for stamp, (kind, told) in zip(stamps, rows, strict=False)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def title_in(talk: Path) -> str:
    """The title that a conversation of the archive has."""
    lines = [json.loads(line) for line in gzip.decompress(talk.read_bytes()).splitlines()]
    return str([line["head"].get("title") for line in lines if "head" in line][-1])


def where(vault: Memvault, environment: dict[str, str]) -> list[str]:
    """Every file that memvault keeps in which a part of it stands, or whose name tells it."""
    found = []
    for path in (path for place in (vault.root, Path(environment["HOME"])) for path in place.rglob("*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else b""
        data = data or (path.read_bytes() if path.is_file() else b"")
        if any(part in data or part.decode() in path.name for part in (PART.encode(), PART.replace(" ", "-").encode())):
            found.append(path.name)
    return found


@pytest.mark.parametrize("lead", ["", "Remember that ", "Please note this. ", "One more thing, so that it is there: "])
def test_purge_removes_titles_cut_within_a_sentence(
    vault: Memvault, tmp_path: Path, environment: dict[str, str], lead: str
) -> None:
    source = transcript(tmp_path, f"{lead}{SAID}", "We moor the boat at the east quay in winter.")
    vault.ingest([source], learn=False)
    made = vault.remember(SAID, near="ignore").memory
    assert len([name for name in where(vault, environment) if TALK[:8] in name]) > 0
    _, proof = vault.purge(made.id, verify=True)
    assert proof is not None
    assert proof.found == ()
    assert where(vault, environment) == []
    vault.ingest([source])
    vault.maintain()
    assert where(vault, environment) == []
    assert b"east quay" in gzip.decompress(next(vault.root.rglob(f"*{TALK[:8]}.jsonl.gz")).read_bytes())


def test_purge_removes_former_titles(vault: Memvault, tmp_path: Path, environment: dict[str, str]) -> None:
    source = transcript(tmp_path, f"Remember that {SAID}")
    vault.ingest([source], learn=False)
    vault.ingest([titled(tmp_path, "Of pots", f"Remember that {SAID}", "And the boat?")], learn=False)
    made = vault.remember(SAID, near="ignore").memory
    _, proof = vault.purge(made.id, verify=True)
    assert proof is not None
    assert proof.found == ()
    assert where(vault, environment) == []


LEADS = ["", "Remember that ", "Please note this. ", "One more thing, so that it is there: ", "A list:\n\n- "]


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("write", [transcript, rollout, titled])
@pytest.mark.points(quick=5)
def test_purge_keeps_the_text_out_of_later_titles(
    vault: Memvault, tmp_path: Path, environment: dict[str, str], lead: str, write: Callable[..., Path]
) -> None:
    vault.purge(vault.remember(SAID).memory.id)
    source = write(tmp_path, f"{lead}{SAID} As ever.", "We moor the boat at the east quay in winter.")
    for _ in range(2):
        vault.ingest([source])
        assert where(vault, environment) == []
        [talk] = vault.root.rglob(f"*{TALK[:8]}.jsonl.gz")
        assert "[forgotten]" in title_in(talk) or title_in(talk) == lead.partition("\n")[0]
        assert b"east quay" in gzip.decompress(talk.read_bytes())


@pytest.mark.parametrize("write", [transcript, rollout])
def test_purge_keeps_other_titles_and_writes_once(vault: Memvault, tmp_path: Path, write: Callable[..., Path]) -> None:
    asked = f"Where do we moor the boat in winter, at the east quay or rather at the west quay? {SAID[:30]} or not."
    vault.ingest([write(tmp_path, asked)])
    [talk] = vault.root.rglob(f"*{TALK[:8]}.jsonl.gz")
    before, title = talk.read_bytes(), title_in(talk)
    assert title == "Where do we moor the boat in winter, at the east quay or rather at the west qua…"
    vault.purge(vault.remember(SAID).memory.id)
    vault.ingest([write(tmp_path, asked)])
    assert talk.read_bytes() == before
    vault.ingest([write(tmp_path, asked, "At the east quay.")])
    assert list(vault.root.rglob(f"*{TALK[:8]}.jsonl.gz")) == [talk]
    assert talk.read_bytes().startswith(before)
    assert title_in(talk) == title
    assert gzip.decompress(talk.read_bytes()).count(b'"turn":') == 2


def test_verify_finds_cut_titles_and_file_names(vault: Memvault) -> None:
    made = vault.remember(SAID).memory
    hidden = vault.root / "attachments"
    hidden.mkdir()
    (hidden / "list.json").write_text(json.dumps({"title": "Remember that Zyxomma keeps the spare vault c…"}))
    (hidden / "names.txt").write_text("see 2026-01-28-remember-that-zyxomma-keeps-the-spare-vault-11111111.jsonl.gz\n")
    (hidden / "2026-01-28-remember-that-zyxomma-keeps-the-spare-vault-11111111.txt").write_text("")
    (hidden / "other.txt").write_text(
        "Zyxomma keeps the spare keys… and 2026-01-28-zyxomma-keeps-the-spare-keys-here.md\n"
    )
    _, proof = vault.purge(made.id, verify=True)
    assert proof is not None
    assert sorted(Path(path).suffix for path in proof.found) == [".json", ".txt", ".txt"]
    assert not any(path.endswith("other.txt") for path in proof.found)


def test_purge_lists_notes_with_the_cut_text_and_keeps_them(vault: Memvault) -> None:
    own = vault.root / "diary.md"
    own.write_text("Asked today: Remember that Zyxomma keeps the spare vault c…\n")
    done, proof = vault.purge(vault.remember(SAID).memory.id, verify=True)
    assert done.left == ("diary.md",)
    assert proof is not None
    assert proof.found == ()


def test_purge_keeps_texts_that_share_only_a_few_words() -> None:
    known = SentenceBeginnings.from_texts([SAID, "玄関の暗証番号は四七一一ではありません。"])
    assert known.is_cut_in("He said that Zyxomma keeps the spare vau…")
    assert known.is_cut_in("明日、玄関の暗証番号は四七…")
    assert not known.is_cut_in("Somebody called Zyxomma keeps the…")
    assert not known.is_cut_in("Zyxomma keeps the spare vault open… for all")
    assert not known.is_cut_in("また玄関の暗…")
    assert not known.is_named_in("2026-01-28-zyxomma-keeps-the-spare-vault.md")
