"""Forgotten for good: it is in no byte that memvault keeps, and nothing brings it back."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import Forgotten, MemvaultError, NotFound, UndoRefused
from memvault.privacy.purge import purge as purging
from memvault.web.report import write_report
from tests.conftest import Clock, Opener

SECRET = "The key to the shed lies below the third blue flower pot."
OTHER = "The shed was painted green in the spring of last year."
OTHERS_ID = "7d1f8f64-3c0e-4c52-9d43-5a8f5a3f9e01"


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
    write_report(vault)
    clock.pass_(days=1)
    vault.maintain()
    return vault


@pytest.mark.points(only=True)
def test_purge_removes_the_memory_from_every_byte(lived: Memvault, environment: dict[str, str]) -> None:
    id_ = lived.find("Where the key lies").id
    assert len(where(lived, environment)) > 3
    done, proof = lived.purge("Where the key lies", verify=True)
    assert proof is not None
    assert (proof.found, proof.unread) == ((), ())
    assert where(lived, environment) == []
    assert where(lived, environment, id_) == []
    assert where(lived, environment, "where-the-key-lies") == []
    assert min(len(done.notes), done.kept, done.lines) > 0


def test_purge_keeps_other_memories(lived: Memvault) -> None:
    lived.purge("Where the key lies")
    assert [row.memory.title for row in lived.list().rows] == ["Tom plays the viola on Tuesdays"]
    assert lived.recall("who plays the viola").hits[0].memory.title.startswith("Tom")
    assert lived.doctor().left == () or all(found.severity == "note" for found in lived.doctor().left)


@pytest.mark.points(only=True)
def test_purged_memory_is_not_learned_again_or_restored(
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


@pytest.mark.points(only=True)
def test_purge_redacts_conversations_and_later_ingests(
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


def test_purge_erases_the_source_turn_whole(vault: Memvault, tmp_path: Path, environment: dict[str, str]) -> None:
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


@pytest.mark.points(only=True)
def test_purge_removes_a_forgotten_memory_from_the_trash(lived: Memvault, environment: dict[str, str]) -> None:
    lived.forget("Where the key lies")
    assert where(lived, environment)
    lived.purge("Where the key lies")
    assert where(lived, environment) == []


@pytest.mark.points(only=True)
def test_purge_lists_other_notes_with_the_same_text_and_keeps_them(lived: Memvault) -> None:
    own = lived.root / "diary.md"
    own.write_text(f"A long day.\n\n{SECRET}\n")
    done, proof = lived.purge("Where the key lies", verify=True)
    assert done.left == ("diary.md",)
    assert proof is not None
    assert proof.found == ()
    assert SECRET in own.read_text()


def test_purge_dry_run_changes_nothing(lived: Memvault) -> None:
    before = {path: path.read_bytes() for path in lived.root.rglob("*") if path.is_file()}
    done, proof = lived.purge("Where the key lies", dry_run=True)
    assert (len(done.notes), proof) == (1, None)
    assert {path: path.read_bytes() for path in lived.root.rglob("*") if path.is_file()} == before


# -- what is another's stays


def test_purge_keeps_similar_sentences(vault: Memvault, clock: Clock) -> None:
    """A path within another path, a title within another title, a mention of it in somebody else's line."""
    (vault.root / "boat.md").write_text("---\ntitle: Meeting notes\n---\nThe boat lies at the east quay in winter.\n")
    (vault.root / "rowboat.md").write_text("---\ntitle: Meeting notes, part 1\n---\nThe rowboat is to be painted.\n")
    vault.list()
    vault.edit("rowboat.md", append="In green.")
    vault.edit("boat.md", append="Until March.")
    before = vault.log()
    kept = [path for path in (vault.root / ".memvault" / "undo").rglob("*") if path.is_file()]
    rowing = [path for path in kept if b"rowboat" in path.read_bytes()]
    assert rowing
    clock.pass_(hours=1)
    vault.purge("boat.md")
    assert not (vault.root / "boat.md").exists()
    assert [path for path in rowing if not path.exists()] == []
    assert [step.path for op in vault.log() for step in op.steps if step.path] == ["rowboat.md"]
    assert len(vault.log()) == len(before) + 1
    undone = vault.undo(next(op.op for op in vault.log() if op.steps and op.steps[0].path == "rowboat.md"))
    assert undone.steps
    assert "In green." not in (vault.root / "rowboat.md").read_text()


def test_purge_keeps_other_notes_from_the_same_path(vault: Memvault, clock: Clock) -> None:
    first = vault.remember("The mast was oiled in the spring of last year.", title="Mast").memory
    clock.pass_(minutes=1)
    vault.move(first.id, "hot")
    clock.pass_(minutes=1)
    vault.forget(first.id)
    clock.pass_(minutes=1)
    second = vault.remember("The sail was mended by a friend of ours in May.", title="Mast").memory
    assert second.path == first.path
    clock.pass_(minutes=1)
    vault.edit(second.id, append="With tape.")
    done, _ = vault.purge(first.id)
    assert [path.startswith(".trash/") for path in done.notes] == [True]
    assert vault.find(second.id).path == second.path
    edited = next(op for op in vault.log() if op.verb == "edit")
    assert [step.path for step in edited.steps] == [second.path]
    vault.undo(edited.op)
    assert "With tape." not in (vault.root / second.path).read_text()


def test_purge_keeps_trashed_memories_with_the_same_text(vault: Memvault) -> None:
    first = vault.remember(SECRET, title="Here").memory
    twin = vault.remember(SECRET, title="There", near="ignore", again=True).memory
    vault.forget(twin.id)
    done, _ = vault.purge(first.id, dry_run=True)
    assert done.notes == (first.path,)


def test_purge_keeps_uses_recorded_meanwhile(lived: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    from memvault.system import files

    real = files.overwrite_spans
    said: list[Path] = []

    def at_that_moment(path: Path, changes: object) -> None:
        if "journal" in str(path) and not said:
            said.append(path)
            files.append_line(path, b'{"t":"2026-01-30T10:30:01Z","e":"touch","id":"another"}\n')
        real(path, changes)  # type: ignore[arg-type]

    monkeypatch.setattr("memvault.system.files.overwrite_spans", at_that_moment)
    lived.purge("Where the key lies")
    assert '"id":"another"' in said[0].read_text()


def test_undo_refuses_an_operation_with_purged_steps(lived: Memvault) -> None:
    run = next(op for op in lived.log() if op.verb == "maintain")
    lived.purge("Where the key lies")
    with pytest.raises(UndoRefused, match="forgotten for good"):
        lived.undo(run.op)
    purged = next(op for op in lived.log() if op.verb == "purge")
    with pytest.raises(UndoRefused):
        lived.undo(purged.op)


def test_undo_of_an_older_operation_does_not_restore_purged_text(vault: Memvault, open_vault: Opener) -> None:
    twin = vault.remember(SECRET, title="There", near="ignore").memory
    vault.forget(twin.id)
    forgotten = vault.log()[0]
    made = vault.remember(SECRET, title="Here", near="ignore", again=True).memory
    vault.purge(made.id)
    vault.undo(forgotten.op)
    with pytest.raises(Forgotten):
        open_vault(vault.root, agent="claude-code", session="s1").remember(SECRET, near="ignore")
    assert vault.remember(SECRET, near="ignore", again=True).memory.id
    assert "shed" in vault.remember("The shed is open. " + SECRET, near="ignore").memory.title.lower()


def test_purge_does_not_mark_sentences_of_the_source_turn(vault: Memvault, tmp_path: Path) -> None:
    source = transcript(
        tmp_path,
        (
            "user",
            "We decided to use PostgreSQL for the gauge data, and not SQLite. Run the whole suite before committing.",
        ),
        ("assistant", "Noted."),
        ("user", "Please run it again. Run the whole suite before committing."),
    )
    vault.ingest([source])
    made = next(row.memory for row in vault.list().rows if "PostgreSQL" in (vault.root / row.memory.path).read_text())
    (vault.root / made.path).write_text(
        (vault.root / made.path).read_text().replace("Run the whole suite before committing.", "")
    )
    vault.purge(made.id)
    said = " ".join(gzip.decompress(path.read_bytes()).decode() for path in vault.root.rglob("*[0-9a-f].jsonl.gz"))
    assert "PostgreSQL" not in said
    assert "Please run it again. Run the whole suite before committing." in said


def test_purge_renames_conversations_named_after_it(vault: Memvault, tmp_path: Path) -> None:
    made = vault.remember(SECRET, title="Where the key lies").memory
    vault.ingest([transcript(tmp_path, ("user", SECRET), ("assistant", "Noted."))])
    assert list(vault.root.rglob("*blue*"))
    vault.purge(made.id)
    assert not list(vault.root.rglob("*blue*"))
    assert len(list(vault.root.rglob("*11111111.jsonl.gz"))) == 1
    again = vault.ingest([tmp_path / "11111111-2222-4333-8444-555555555555.jsonl"])
    assert sum(taken.turns for taken in again.taken) == 0
    assert not list(vault.root.rglob("*blue*"))


def test_purge_finds_the_text_inside_another_sentence(
    vault: Memvault, tmp_path: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    made = vault.remember(SECRET, title="Where the key lies").memory
    bare = SECRET.removesuffix(".")
    vault.ingest([transcript(tmp_path, ("user", f"Remember this: {bare.upper()}, please."), ("assistant", "Noted."))])
    vault.purge(made.id)
    assert where(vault, environment, bare.upper()) == []
    agent = open_vault(vault.root, agent="claude-code", session="s1")
    with pytest.raises(Forgotten):
        agent.remember(f"Again, as I said: {bare.lower()} - or so they say.")
    assert agent.remember("The key to the boat lies below the second blue bench.").memory.id


def test_purge_covers_earlier_versions(vault: Memvault, open_vault: Opener, clock: Clock) -> None:
    made = vault.remember(SECRET, title="Key").memory
    clock.pass_(minutes=1)
    vault.move(made.id, "hot")
    vault.edit(made.id, append="It is blue.")
    note = next((vault.root / "1-hot").glob("*.md"))
    note.write_text(note.read_text().replace(SECRET, "The lock was changed to one with a code."))
    vault.purge(made.id)
    with pytest.raises(Forgotten):
        open_vault(vault.root, agent="claude-code", session="s1").remember(SECRET)


@pytest.mark.points(only=True)
def test_maintain_applies_purges_from_other_machines(
    lived: Memvault, tmp_path: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    """The marks and the deletion arrive; what undo keeps here, the trash and conversations are obeyed by them."""
    lived.ingest([transcript(tmp_path, ("user", f"Please note this. {SECRET}"), ("assistant", "Noted."))])
    here = tmp_path / "other"
    shutil.copytree(lived.root, here)
    made = lived.find("Where the key lies")
    lived.purge(made.id)
    shutil.copytree(lived.root / ".memvault" / "ledger", here / ".memvault" / "ledger", dirs_exist_ok=True)
    (here / ".trash").mkdir(exist_ok=True)
    (here / made.path).rename(here / ".trash" / "x.md")
    (here / ".trash" / "anonymous.md").write_text(SECRET)
    (here / ".trash" / "twin.md").write_text(f"---\nid: {OTHERS_ID}\n---\n{SECRET}\n")
    other = open_vault(here)
    assert len(where(other, environment, made.id)) > 2
    other.maintain()
    assert [Path(path).name for path in where(other, environment)] == ["twin.md"]
    assert where(other, environment, made.id) == []


@pytest.mark.points(only=True)
def test_maintain_finishes_a_killed_purge(
    lived: Memvault, environment: dict[str, str], open_vault: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(_context: object, _found: object) -> None:
        raise Killed

    assert SECRET in (lived.root / "CLAUDE.md").read_text()
    with monkeypatch.context() as patched:
        patched.setattr("memvault.privacy.purge.purge.finish_purge", die)
        with pytest.raises(Killed):
            lived.purge("Where the key lies")
    assert where(lived, environment)
    open_vault(lived.root).maintain()
    assert where(lived, environment) == []
    assert "Where the key lies" not in (lived.root / "CLAUDE.md").read_text()


def test_purge_reports_blocks_it_cannot_rewrite(lived: Memvault) -> None:
    page = lived.root / "CLAUDE.md"
    page.write_text(page.read_text().replace("<!-- memvault:end -->", ""))
    done, proof = lived.purge("Where the key lies", verify=True)
    assert [Path(path).name for path in done.blocks] == ["CLAUDE.md"]
    assert proof is not None
    assert [Path(path).name for path in proof.found] == ["CLAUDE.md"]


def test_purge_keeps_record_lines_about_others_without_the_text(vault: Memvault, clock: Clock) -> None:
    gone = vault.remember("The gauge at the lock is read at six in the morning.", title="Reading the gauge").memory
    other = vault.remember("The dredger comes on the first Monday of each month.", title="Dredger").memory
    vault.edit(other.id, append=f"See [[{gone.name}]].")
    clock.pass_(hours=1)
    vault.show(other.id)
    vault.claude_md()
    clock.pass_(days=40)
    vault.maintain()
    before = vault.show(other.id).uses
    done, proof = vault.purge(gone.id, verify=True)
    assert proof is not None
    assert (done.blocks, done.linking, proof.found) == ((), (other.path,), ())
    run = next(op for op in vault.log() if op.verb == "maintain")
    assert other.path in {step.path for step in run.steps}
    assert vault.show(other.id).uses >= before > 0


# -- the proof


def test_verify_looks_into_archives_markup_and_names(
    lived: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    hidden = lived.root / "attachments"
    hidden.mkdir()
    with zipfile.ZipFile(hidden / "old.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", f"x {SECRET} x")
    (hidden / "page.html").write_text(f"<p>{SECRET.replace('third blue', '**third** <b>blue</b>')}</p>")
    (hidden / "the-key-to-the-shed-lies-below-the-third-blue-flower-pot.txt").write_text("")
    (hidden / "lines.html").write_text(SECRET.replace(" lies ", "\n   lies "))
    with gzip.open(hidden / "old.gz", "wb") as stream:
        stream.write(f"x {SECRET} x".encode())
    (hidden / "shut.age").write_bytes(b"age")
    unsaved = Path(environment["XDG_STATE_HOME"]) / "memvault" / "unsaved"
    unsaved.mkdir(parents=True, exist_ok=True)
    (unsaved / "x.md").write_text(SECRET)
    (lived.root / "diary.md").write_text("See [[2026-01-29-where-the-key-lies]] for that.\n")
    done, proof = lived.purge("Where the key lies", verify=True)
    assert proof is not None
    names = [Path(path).name for path in proof.found]
    found = {"old.zip", "old.gz", "x.md", "page.html", "lines.html"}
    assert {*found, "the-key-to-the-shed-lies-below-the-third-blue-flower-pot.txt"} <= set(names)
    assert [Path(path).name for path in proof.sealed] == ["shut.age"]
    assert done.linking == ("diary.md",)
    assert "diary.md" not in names


def test_verify_asks_git_for_every_former_path(lived: Memvault, tmp_path: Path, open_vault: Opener) -> None:
    top = tmp_path / "repository"
    top.mkdir()
    shutil.copytree(lived.root, top / "notes")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    vault = open_vault(top / "notes")
    inside = vault.find("Where the key lies").path
    git = ["git", "-C", str(top), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
    vault.move("Where the key lies", "hot" if "1-hot" not in inside else "memories")
    subprocess.run([*git, "add", "-A"], check=True)
    there = vault.find("Where the key lies").path
    _done, proof = vault.purge("Where the key lies", verify=True)
    assert proof is not None
    assert any(f"history holds notes/{inside};" in told for told in proof.beyond)
    assert any(f"index holds notes/{there}," in told for told in proof.beyond)
    assert any("history of .memvault has its dates" in told for told in proof.beyond)


# -- what was written elsewhere


def test_purge_deletes_reports_wherever_they_were_written_and_names_changed_ones(
    lived: Memvault, tmp_path: Path
) -> None:
    shown, changed = tmp_path / "a.html", tmp_path / "b.html"
    for path in (shown, changed):
        write_report(lived, path)
    assert "Where the key lies" in shown.read_text()
    changed.write_text(changed.read_text() + "<!-- a word of my own -->")
    done, _ = lived.purge("Where the key lies")
    assert (done.reports, done.exports) == ((str(shown),), (str(changed),))
    assert not shown.exists()
    assert changed.exists()


def test_purge_names_exports_that_still_have_it(lived: Memvault, tmp_path: Path) -> None:
    lived.export(tmp_path / "all.zip")
    lived.export(tmp_path / "all.jsonl", format="jsonl")
    (tmp_path / "all.jsonl").rename(tmp_path / "moved.jsonl")
    done, _ = lived.purge("Where the key lies")
    assert done.exports == (str(tmp_path / "all.zip"),)


@pytest.mark.points(only=True)
def test_reports_go_where_something_was_purged_on_another_machine(
    lived: Memvault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.html"
    write_report(lived, path)
    monkeypatch.setattr(purging, "delete_reports", lambda _context: ())
    monkeypatch.setattr(purging, "note_purged", lambda _context: None)  # as if it had come by a sync
    lived.purge("Where the key lies")
    assert path.exists()
    monkeypatch.undo()
    lived.maintain()
    assert not path.exists()


def test_purge_has_the_daemon_start_again_and_verify_tells_of_one_that_does_not(
    lived: Memvault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "renew_daemon", lambda _environment: False)
    _, proof = lived.purge("Where the key lies", verify=True)
    assert proof is not None
    assert any("memory of the daemon" in found for found in proof.found)
