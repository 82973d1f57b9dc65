"""What must not leave a machine, or not come back to it: private text, and what was forgotten for good."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memvault.errors import PrivateInGit, PrivateText
from tests.verbs.test_sync import Machine, git, hub, rewrite, settled, two
from tests.verbs.test_sync_elsewhere import commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")

__all__ = ["hub", "two"]

Two = tuple[Machine, Machine, str]
_PRIVATE = "<private>A secret of hers.</private>"


def told(hub: Path) -> str:
    return git(hub, "log", "-p", "--all")


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


def test_nor_where_it_was_taken_out_again_in_a_later_commit(two: Two, hub: Path) -> None:
    desk, _laptop, path = two
    before = desk.note(path).read_text()
    for text in (f"{before}\n{_PRIVATE}\n", before):
        desk.note(path).write_text(text)
        commit(desk)
    with pytest.raises(PrivateText):
        desk.sync()
    desk.note("memvault.toml").write_text('[sync]\nprivate_text = "push"\n')
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
    desk.note("memvault.toml").write_text("[sync]\ntranscripts = true\n")
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


def test_what_was_purged_elsewhere_does_not_come_back(two: Two) -> None:
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
