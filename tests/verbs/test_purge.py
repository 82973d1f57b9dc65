"""Forgotten for good: it is in no byte that memvault keeps, and nothing brings it back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import MemvaultError, NotFound
from tests.conftest import Clock, Opener

SECRET = "The key to the shed lies below the third blue flower pot."
OTHER = "The shed was painted green in the spring of last year."


def everything(vault: Memvault, environment: dict[str, str]) -> dict[Path, str]:
    """Every text that memvault keeps of a vault, in it and elsewhere, packed or not."""
    found = {}
    for place in (vault.root, Path(environment["HOME"])):
        for path in place.rglob("*"):
            if path.is_file():
                data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
                found[path] = " ".join(data.decode("utf-8", "replace").replace("\\n", " ").split())
    return found


def where(vault: Memvault, environment: dict[str, str], text: str = SECRET) -> list[str]:
    return sorted(str(path) for path, said in everything(vault, environment).items() if text in said)


def transcript(folder: Path, *said: tuple[str, str]) -> Path:
    """A conversation as Claude Code writes it."""
    path = folder / "11111111-2222-4333-8444-555555555555.jsonl"
    rows = [
        {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-{number:012d}",
            "sessionId": path.stem,
            "timestamp": f"2026-01-28T10:{number:02d}:00.000Z",
            "cwd": "/home/me/boat",
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(said)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def lived(vault: Memvault, clock: Clock) -> Memvault:
    """A vault in which a memory was made, changed, used, shown, merged over and kept by undo in many places."""
    made = vault.remember(f"{SECRET} {OTHER}", title="Where the key lies", kind="semantic")
    vault.remember("Tom plays the viola on Tuesdays.", kind="semantic")
    clock.pass_(hours=1)
    vault.edit(made.memory.id, append="It is the small key.")
    vault.move(made.memory.id, "hot")
    vault.recall("where is the key to the shed")
    vault.show(made.memory.id)
    vault.claude_md()
    vault.report()
    clock.pass_(days=1)
    vault.maintain()
    return vault


def test_it_is_in_no_byte_that_memvault_keeps(lived: Memvault, environment: dict[str, str]) -> None:
    id_ = lived.find("Where the key lies").id
    assert len(where(lived, environment)) > 3
    done, proof = lived.purge("Where the key lies", verify=True)
    assert proof is not None
    assert (proof.found, proof.unread) == ((), ())
    assert where(lived, environment) == []
    assert where(lived, environment, id_) == []
    assert where(lived, environment, "where-the-key-lies") == []
    assert min(len(done.notes), done.kept, done.lines) > 0


def test_what_else_there_is_stays(lived: Memvault) -> None:
    lived.purge("Where the key lies")
    assert [row.memory.title for row in lived.list().rows] == ["Tom plays the viola on Tuesdays"]
    assert lived.recall("who plays the viola").hits[0].memory.title.startswith("Tom")
    assert lived.doctor().left == () or all(found.severity == "note" for found in lived.doctor().left)


def test_it_is_neither_learnt_again_nor_brought_back(
    lived: Memvault, environment: dict[str, str], open_vault: Opener, clock: Clock
) -> None:
    lived.purge("Where the key lies")
    with pytest.raises(NotFound):
        lived.restore("Where the key lies")
    agent = open_vault(lived.root, agent="claude-code", session="s1")
    for text in (SECRET, f"By the way. {SECRET}", f"> {SECRET}", f"{SECRET} {OTHER}"):
        with pytest.raises(MemvaultError):
            agent.remember(text)
    clock.pass_(days=2)
    lived.maintain()
    for operation in lived.log()[:10]:
        try:
            lived.undo(operation.op)
        except MemvaultError:
            continue
    assert where(lived, environment) == []


def test_conversations_in_which_it_was_said_say_less_also_when_they_are_taken_in_again(
    vault: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    made = vault.remember(SECRET, title="Where the key lies", kind="semantic")
    source = transcript(
        tmp_path,
        ("user", f"Please note this. {SECRET} Thank you."),
        ("assistant", "I have noted where the key lies. What else?"),
        ("user", "We moor the boat at the east quay in winter."),
    )
    vault.ingest([source])
    assert any("transcripts" in path for path in where(vault, environment))
    done, proof = vault.purge(made.memory.id, verify=True)
    assert (done.turns, proof.found if proof else None) == (1, ())
    assert where(vault, environment) == []
    again = vault.ingest([source])
    assert where(vault, environment) == []
    assert sum(taken.turns for taken in again.taken) == 0  # nothing in it is new
    text = " ".join(everything(vault, environment)[path] for path in vault.root.rglob("*.jsonl.gz"))
    assert "Please note this. [forgotten] Thank you." in text
    assert "east quay" in text
    source.write_text(source.read_text().replace("winter", "summer and winter"))
    vault.ingest([source])
    assert where(vault, environment) == []


def test_the_turn_that_a_memory_was_made_of_goes_whole(
    vault: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    source = transcript(
        tmp_path,
        ("user", "We decided to use PostgreSQL for the gauge data, and not SQLite."),
        ("assistant", "Noted."),
    )
    vault.ingest([source])
    made = next(row.memory for row in vault.list().rows if "PostgreSQL" in (vault.root / row.memory.path).read_text())
    vault.purge(made.id)
    assert where(vault, environment, "PostgreSQL") == []
    vault.ingest([source])
    assert where(vault, environment, "PostgreSQL") == []
    assert vault.list().total == 0


def test_what_was_forgotten_already_is_purged_from_the_trash(lived: Memvault, environment: dict[str, str]) -> None:
    lived.forget("Where the key lies")
    assert where(lived, environment)
    lived.purge("Where the key lies")
    assert where(lived, environment) == []


def test_other_notes_that_say_the_same_are_named_and_left(lived: Memvault) -> None:
    own = lived.root / "diary.md"
    own.write_text(f"A long day.\n\n{SECRET}\n")
    done, proof = lived.purge("Where the key lies", verify=True)
    assert done.left == ("diary.md",)
    assert proof is not None
    assert proof.found == ()
    assert SECRET in own.read_text()


def test_a_dry_run_takes_nothing_out(lived: Memvault) -> None:
    before = {path: path.read_bytes() for path in lived.root.rglob("*") if path.is_file()}
    done, proof = lived.purge("Where the key lies", dry_run=True)
    assert (len(done.notes), proof) == (1, None)
    assert {path: path.read_bytes() for path in lived.root.rglob("*") if path.is_file()} == before


def test_a_proof_finds_what_is_there(lived: Memvault, tmp_path: Path) -> None:
    """The proof itself is put to the proof: something that says it is hidden where nothing takes it out."""
    hidden = lived.root / "attachments"
    hidden.mkdir()
    with gzip.open(hidden / "old.gz", "wb") as stream:
        stream.write(f"x {SECRET} x".encode())
    (hidden / "page.html").write_text(SECRET.replace(" lies ", "\n   lies "))
    _done, proof = lived.purge("Where the key lies", verify=True)
    assert proof is not None
    assert sorted(Path(path).name for path in proof.found) == ["old.gz", "page.html"]


def test_git_is_told_to_be_beyond_reach(lived: Memvault) -> None:
    lived.sync_init()
    lived.sync_run()
    _done, proof = lived.purge("Where the key lies", verify=True)
    assert proof is not None
    assert any("git filter-repo" in told for told in proof.beyond)
