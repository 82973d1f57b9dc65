"""What must not leave a machine, or not come back to it: private text, and what was forgotten for good."""

from __future__ import annotations

import shutil
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from memvault.errors import PrivateInGit, PrivateText
from memvault.sync.repository import is_private
from tests.conftest import write_own_config
from tests.sync.test_sync import Machine, git, hub, rewrite, settled, two
from tests.sync.test_sync_elsewhere import commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")

__all__ = ["hub", "two"]

Two = tuple[Machine, Machine, str]
_PRIVATE = "<private>A secret of hers.</private>"


def told(hub: Path) -> str:
    return git(hub, "log", "-p", "--all")


@pytest.mark.points(only=True)
def test_private_text_that_another_program_committed_is_not_pushed(two: Two, hub: Path) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "It is for sale.", _PRIVATE)
    commit(desk)
    with pytest.raises(PrivateText, match=Path(path).name) as caught:
        desk.sync()
    assert "secret" not in told(hub)
    with desk.open() as vault:
        assert any("private text" in problem for problem in vault.sync_status().problems)
        assert any("private text" in finding.sentence for finding in vault.doctor().findings)
    git(desk.root, *caught.value.advice.split("`")[1].split()[1:])  # what the advice says
    assert desk.sync().held == (path,)  # type: ignore[attr-defined]
    settled(desk, laptop)
    assert "secret" not in told(hub)
    assert _PRIVATE in desk.note(path).read_text()


@pytest.mark.points(only=True)
def test_a_bundle_in_the_vault_that_holds_private_text_stays(two: Two, hub: Path) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "It is for sale.", _PRIVATE)
    with desk.open() as vault:
        assert vault.export(desk.root / "whole.zip", with_private=True).inside
        assert vault.export(desk.root / "public.zip").notes == 0
    assert sorted(desk.sync().held) == sorted((path, "whole.zip"))  # type: ignore[attr-defined]
    settled(desk, laptop)
    assert not laptop.note("whole.zip").exists()
    assert laptop.note("public.zip").exists()
    commit(desk)
    with pytest.raises(PrivateText):
        desk.sync()
    assert "whole.zip" not in git(hub, "log", "--all", "--name-only")


def test_private_text_removed_in_a_later_commit_is_not_pushed(two: Two, hub: Path) -> None:
    desk, _laptop, path = two
    before = desk.note(path).read_text()
    for text in (f"{before}\n{_PRIVATE}\n", before):
        desk.note(path).write_text(text)
        commit(desk)
    with pytest.raises(PrivateText):
        desk.sync()
    write_own_config(desk.environment, '[sync]\nprivate_text = "push"\n')
    desk.sync()
    assert "secret" in told(hub)


def test_conversations_that_git_was_made_to_keep_are_not_pushed_unless_they_may(two: Two) -> None:
    desk, _laptop, _path = two
    kept = "3-raw/transcripts/talk.jsonl"
    desk.note(kept).parent.mkdir(parents=True, exist_ok=True)
    desk.note(kept).write_text("{}\n")
    git(desk.root, "add", "-f", kept)
    commit(desk)
    with pytest.raises(PrivateInGit):
        desk.sync()
    write_own_config(desk.environment, "[sync]\ntranscripts = true\n")
    assert desk.sync().pushed  # type: ignore[attr-defined]


def test_private_text_is_seen_in_whatever_file_it_stands(two: Two, hub: Path) -> None:
    desk, _laptop, path = two
    copy = path.replace(".md", ".sync-conflict-20260129-093000-ABCDEF.md")
    names = (copy, "templates/letter.md", "list.txt", "board.canvas")
    for name in names:
        desk.note(name).parent.mkdir(exist_ok=True)
        desk.note(name).write_text(f"Here: {_PRIVATE}\n")
    desk.note("utf16.txt").write_bytes(_PRIVATE.encode("utf-16"))
    desk.note("manual.txt").write_text("Put it between `<private>` and `</private>`.\n")
    done = desk.sync()
    assert set(done.held) == {*names, "utf16.txt"}  # type: ignore[attr-defined]
    assert "secret" not in told(hub)
    assert "manual.txt" in git(hub, "ls-tree", "-r", "--name-only", "main")


def test_messages_do_not_tell_what_was_forgotten(two: Two, hub: Path) -> None:
    desk, _laptop, path = two
    with desk.open() as vault:
        vault.forget(path)
    desk.sync()
    assert "1 note removed" in git(hub, "log", "-1", "--format=%s")
    assert Path(path).stem not in git(hub, "log", "-1", "--format=%B")


@pytest.mark.points(only=True)
def test_a_commit_says_that_a_purge_removed_it_and_nothing_more(two: Two, hub: Path) -> None:
    desk, _laptop, path = two
    desk.note("2-memories/other.md").write_text("By hand.\n")
    settled(desk)
    with desk.open() as vault:
        vault.purge(path)
    desk.note("2-memories/other.md").unlink()
    desk.sync()
    told = git(hub, "log", "-2", "--format=%s").splitlines()
    assert sorted(told) == ["By hand: 1 note removed", "memvault purge: 1 note removed"]


@pytest.mark.points(only=True)
def test_memories_purged_elsewhere_do_not_come_back(two: Two) -> None:
    desk, laptop, path = two
    with laptop.open() as vault:
        other = vault.remember(
            "Paint is in the shed.\n\nIts sail is as red as can be.", title="Paint", kind="semantic", near="ignore"
        ).memory.path
    settled(laptop, desk)
    with desk.open() as vault:
        vault.purge(path)
    rewrite(laptop, path, "It is for sale.", "It is for sale.\n\nIt was sold.")
    rewrite(laptop, other, "Paint is in the shed.", "Paint is in the shed.\n\nIt lies at the quay.")
    settled(desk, laptop)
    for machine in (desk, laptop):
        whole = "".join(file.read_text() for file in machine.root.rglob("[12]-*/**/*.md"))
        assert "lies at the quay" not in whole
        assert "is for sale" not in whole
        assert all(part in whole for part in ("as red as can be", "It was sold."))


def zipped(members: dict[str, bytes]) -> bytes:
    into = BytesIO()
    with ZipFile(into, "w", ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return into.getvalue()


def test_a_zip_is_looked_into_and_a_bundle_that_is_damaged_stays() -> None:
    bundle = {"manifest.json": b"{}", "memories.jsonl": b"{}\n", "notes/a.md": b"Of the quay.\n" * 90}
    whole = zipped(bundle)
    assert not is_private(whole, is_note=False)
    assert is_private(zipped({**bundle, "notes/a.md": _PRIVATE.encode()}), is_note=False)
    assert is_private(zipped({"mine/b.md": _PRIVATE.encode()}), is_note=False)
    assert not is_private(zipped({"about.txt": b"Put it between `<private>` and `</private>`."}), is_note=False)
    at = whole.index(b"notes/a.md") + len("notes/a.md")
    assert is_private(whole[:at] + b"\xff\xff\xff" + whole[at + 3 :], is_note=False)
    assert not is_private(b"PK\x03\x04 and nothing more", is_note=False)
