"""Merges in the middle of other things: held and staged files, other programs' merges, and what lies outside the vault."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

import memvault
from memvault.api import Memvault
from memvault.errors import (
    ContestedElsewhere,
    IgnoredVault,
    LinkLeadsOut,
    LinkNotFollowed,
    MarksUnknown,
    OthersCommits,
    UnfinishedMerge,
)
from memvault.storage import frontmatter
from tests.conftest import Clock, write_own_config
from tests.sync.test_sync import Machine, git, hub, rewrite, settled, two

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")

__all__ = ["hub", "two"]


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is for whoever installed memvault: a git of another program's can call it."""
    monkeypatch.setenv("PYTHONPATH", str(Path(memvault.__file__).parents[1]))


Two = tuple[Machine, Machine, str]
_PRIVATE = "<private>A secret of hers.</private>"


def note_of(machine: Machine, title: str) -> str:
    return next(path.read_text() for path in machine.root.rglob("*.md") if f"title: {title}" in path.read_text())


def commit(machine: Machine, message: str = "by another program") -> None:
    git(machine.root, "add", "--all")
    git(machine.root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", message)


def pull(machine: Machine) -> subprocess.CompletedProcess[str]:
    words = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "pull", "-q", "--no-rebase", "--no-edit")
    return subprocess.run(words, cwd=machine.root, capture_output=True, text=True, check=False)


def replaced(machine: Machine, path: str) -> str:
    """Another memory that looks much like the one whose place it takes."""
    with machine.open() as vault:
        text = frontmatter.parse(machine.note(path).read_bytes()).text
        made = vault.remember(text.replace("quay", "moor"), title="Skiff", kind="semantic", again=True, near="ignore")
    machine.note(path).unlink()
    return made.memory.path


# -- which memory is which


@pytest.mark.points(only=True)
def test_a_memory_that_was_deleted_is_not_taken_for_one_that_is_new(two: Two) -> None:
    desk, laptop, path = two
    other = replaced(desk, path)
    rewrite(laptop, path, "red", "blue")
    settled(desk, laptop)
    for machine in (desk, laptop):
        assert "blue" in note_of(machine, "Boat")
        assert "quay" in note_of(machine, "Boat")
        assert "moor" in machine.note(other).read_text()
        assert "blue" not in machine.note(other).read_text()


@pytest.mark.parametrize("is_new_here", [True, False])
@pytest.mark.points(only=True)
def test_git_merges_do_not_take_a_deleted_memory_for_a_new_one(two: Two, *, is_new_here: bool) -> None:
    desk, laptop, path = two
    near, far = (desk, laptop) if is_new_here else (laptop, desk)
    replaced(near, path)
    rewrite(far, path, "red", "blue")
    for machine in (desk, laptop):
        commit(machine)
    git(desk.root, "push", "-q")
    assert pull(laptop).returncode == 0
    assert "blue" in note_of(laptop, "Boat")
    assert "moor" in note_of(laptop, "Skiff")
    assert "blue" not in note_of(laptop, "Skiff")


@pytest.mark.points(only=True)
def test_a_note_of_somebody_elses_is_not_written_into_where_it_is_contested(two: Two) -> None:
    desk, laptop, _path = two
    desk.note("ideas.md").write_text("# Ideas\n\nPaint it red.\n")
    with desk.open() as vault:
        vault.list()
    settled(desk, laptop)
    for machine, colour in ((desk, "green"), (laptop, "blue")):
        machine.note("ideas.md").write_text(f"# Ideas\n\nPaint it {colour}.\n")
    done = settled(desk, laptop)
    ((_ours, theirs),) = [pair for each in done for pair in each.contested]  # type: ignore[attr-defined]
    assert desk.note("ideas.md").read_text() == "# Ideas\n\nPaint it blue.\n"
    assert "green" in desk.note(theirs).read_text()
    with desk.open() as vault:
        assert vault.list_conflicts().total == 1


@pytest.mark.skipif(not hasattr(Path, "symlink_to"), reason="no links here")
@pytest.mark.points(only=True)
def test_a_link_or_a_folder_where_the_other_has_a_file_loses_neither(two: Two) -> None:
    desk, laptop, path = two
    desk.note("plan").mkdir()
    desk.note("plan/list.txt").write_text("first\n")
    laptop.note("plan").write_text("a file\n")
    laptop.note(path).unlink()
    laptop.note(path).symlink_to("nowhere.md")
    rewrite(desk, path, "red", "blue")
    settled(desk, laptop)
    for machine in (desk, laptop):
        assert machine.note("plan/list.txt").read_text() == "first\n"
        assert [file.read_text() for file in machine.root.glob("plan-*")] == ["a file\n"]
        assert "blue" in "".join(file.read_text() for file in machine.root.rglob("*.md") if file.is_file())


@pytest.mark.skipif(not hasattr(Path, "symlink_to"), reason="no links here")
@pytest.mark.parametrize("place", [".memvault/journal", ".memvault/ledger", "1-hot", "3-raw"])
@pytest.mark.points(only=True)
def test_a_link_out_of_the_vault_that_came_with_a_commit_is_not_checked_out(
    two: Two, tmp_path: Path, place: str
) -> None:
    desk, laptop, _ = two
    settled(desk, laptop)
    (tmp_path / "outside").mkdir()
    shutil.rmtree(desk.note(place), ignore_errors=True)
    desk.note(place).symlink_to(tmp_path / "outside")
    commit(desk)
    git(desk.root, "push", "--quiet", "origin", "HEAD:main")
    before = sorted(laptop.note(place).rglob("*"))
    with pytest.raises(LinkLeadsOut, match=place):
        laptop.sync()
    assert not laptop.note(place).is_symlink()
    assert sorted(laptop.note(place).rglob("*")) >= before
    with laptop.open() as vault:
        vault.remember("The oar leans against the wall.", title="Oar")
    git(laptop.root, "checkout", "--quiet", "-f", "origin/main")  # as a person would, past memvault
    with laptop.open() as vault:
        for act in (lambda: vault.remember("The sail hangs in the loft.", title="Sail"), vault.maintain):
            with suppress(LinkLeadsOut, LinkNotFollowed, MarksUnknown):
                act()
    assert not list((tmp_path / "outside").iterdir())


# -- what was not committed


@pytest.mark.points(only=True)
def test_a_held_note_takes_in_what_others_change_and_stops_no_run(two: Two) -> None:
    desk, laptop, path = two
    rewrite(laptop, path, "It is for sale.", _PRIVATE)
    rewrite(desk, path, "quay", "pier")
    settled(desk, laptop)
    assert all(part in laptop.note(path).read_text() for part in ("pier", _PRIVATE))
    rewrite(desk, path, "red", "blue")
    assert laptop.sync().held == (path,)  # type: ignore[attr-defined]
    settled(desk, laptop)
    assert all(part in laptop.note(path).read_text() for part in ("pier", "blue", _PRIVATE))
    assert "secret" not in git(laptop.root, "log", "-p", "--all")


@pytest.mark.points(only=True)
def test_a_held_note_that_others_contradict_is_contested_as_any_other(two: Two) -> None:
    desk, laptop, path = two
    rewrite(laptop, path, "It is for sale.", _PRIVATE)
    rewrite(desk, path, "It is for sale.", "It is sold.")
    settled(desk)
    ((_, theirs),) = laptop.sync().contested  # type: ignore[attr-defined]
    settled(laptop, desk)
    assert _PRIVATE in laptop.note(path).read_text()
    assert "It is sold." in laptop.note(theirs).read_text()
    assert "secret" not in git(laptop.root, "log", "-p", "--all")


@pytest.mark.points(only=True)
def test_a_held_note_that_was_moved_is_not_deleted_elsewhere(two: Two) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "It is for sale.", _PRIVATE)
    with desk.open() as vault:
        moved = vault.move(path, "hot").memory.path
    rewrite(laptop, path, "red", "blue")
    settled(desk, laptop)
    assert laptop.note(path).exists()
    assert all(part in desk.note(moved).read_text() for part in ("blue", _PRIVATE))
    assert not desk.note(path).exists()


def test_a_file_that_was_never_committed_makes_way_for_one_of_its_name(two: Two) -> None:
    desk, laptop, _path = two
    for machine, text in ((desk, "Hers is short."), (laptop, f"His is long. {_PRIVATE}")):
        id_ = f"{'01'[machine is laptop]}d4f1a52-7b0e-4c8e-9f3d-2f7a0a7f5c11"
        machine.note("2-memories/rope.md").write_text(f"---\nid: {id_}\n---\n{text}\n")
    settled(desk, laptop)
    texts = {file.read_text().split("---\n")[2] for file in laptop.root.glob("2-memories/rope*.md")}
    assert texts == {"Hers is short.\n", f"His is long. {_PRIVATE}\n"}


def test_files_a_person_staged_stay_staged_and_stop_nothing(two: Two) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "quay", "pier")
    desk.sync()
    rewrite(laptop, path, "red", "blue")
    laptop.note("private/").mkdir(exist_ok=True)
    laptop.note("private/plan.md").write_text("mine")
    git(laptop.root, "add", "-f", "private/plan.md")
    with laptop.open() as vault:
        vault.sync_run(push=False)
    assert git(laptop.root, "diff", "--cached", "--name-only").split() == ["private/plan.md"]
    assert all(part in laptop.note(path).read_text() for part in ("pier", "blue"))


def test_a_repository_inside_the_vault_is_left_out_and_named(two: Two) -> None:
    desk, _laptop, path = two
    inner = desk.note("code")
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "a.md").write_text("text")
    rewrite(desk, path, "red", "blue")
    done = desk.sync()
    assert (done.left_out, len(done.committed), done.pushed) == (("code",), 1, True)  # type: ignore[attr-defined]
    with desk.open() as vault:
        assert any("code" in problem for problem in vault.sync_status().problems)


# -- other programs' merges


@pytest.mark.points(only=True)
def test_a_merge_that_another_program_could_not_end_is_made_anew(two: Two) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "red", "green")
    rewrite(laptop, path, "red", "blue")
    commit(laptop)
    settled(desk)
    git(laptop.root, "config", "merge.memvault.driver", "false || git merge-file -L ours -L base -L theirs %A %O %B")
    assert pull(laptop).returncode != 0
    assert "<<<<<<<" in laptop.note(path).read_text()
    done = laptop.sync()
    assert len(done.contested) == 1  # type: ignore[attr-defined]
    assert "<<<<<<<" not in laptop.note(path).read_text()
    assert not laptop.note(".git/MERGE_HEAD").exists()


def test_a_merge_that_a_person_began_to_resolve_is_left_alone(two: Two) -> None:
    desk, laptop, path = two
    for machine, colour in ((desk, "green"), (laptop, "blue")):
        rewrite(machine, path, "red", colour)
        machine.note("memvault.toml").write_text(f"[recall]\nlimit = {len(colour)}\n")
        commit(machine)
    git(desk.root, "push", "-q")
    git(laptop.root, "config", "merge.memvault.driver", "false")
    assert pull(laptop).returncode != 0
    laptop.note("memvault.toml").write_text("[recall]\nlimit = 7\n")
    git(laptop.root, "add", "memvault.toml")
    with pytest.raises(UnfinishedMerge):
        laptop.sync()
    assert laptop.note("memvault.toml").read_text() == "[recall]\nlimit = 7\n"


@pytest.mark.parametrize("broken", ["a setting", "no program"])
@pytest.mark.points(only=True)
def test_git_marks_both_sides_if_memvault_cannot_merge(two: Two, broken: str) -> None:
    desk, laptop, path = two
    for machine, colour in ((desk, "green"), (laptop, "blue")):
        rewrite(machine, path, "red", colour)
        commit(machine)
    git(desk.root, "push", "-q")
    if broken == "a setting":
        laptop.note("memvault.toml").write_text("[undo\n")
    else:
        driver = git(laptop.root, "config", "--get", "merge.memvault.driver").strip()
        git(laptop.root, "config", "merge.memvault.driver", f"/nowhere/{driver}")
    assert pull(laptop).returncode != 0
    assert all(part in laptop.note(path).read_text() for part in ("<<<<<<<", "green", "blue", ">>>>>>>"))


@pytest.mark.points(only=True)
def test_a_hook_of_the_clone_is_not_run_and_refuses_nothing(two: Two) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "quay", "pier")
    desk.sync()
    rewrite(laptop, path, "red", "blue")
    hook = laptop.note(".git/hooks/pre-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no more >&2\nexit 1\n")
    hook.chmod(0o755)
    settled(laptop, desk)
    assert all(part in desk.note(path).read_text() for part in ("pier", "blue"))


def test_the_branch_goes_where_git_was_told_that_it_goes(two: Two, hub: Path) -> None:
    desk, laptop, path = two
    git(desk.root, "push", "-q", "origin", "main:shared")
    for machine in (desk, laptop):
        git(machine.root, "fetch", "-q")
        git(machine.root, "branch", "-q", "--set-upstream-to=origin/shared")
    before = git(hub, "rev-parse", "main")
    rewrite(desk, path, "red", "blue")
    settled(desk, laptop)
    assert "blue" in laptop.note(path).read_text()
    assert git(hub, "rev-parse", "main") == before


# -- a vault within a larger repository


@pytest.fixture
def within(tmp_path: Path, hub: Path, clock: Clock) -> tuple[Machine, Machine]:
    """Two clones of a repository of which the vault is a folder."""
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", str(hub), name)
        if name == "one":
            (tmp_path / "one/code.txt").write_text("first\nsecond\nthird\n")
            Memvault.init(tmp_path / "one/vault", clock=clock)
            machine = Machine(tmp_path / "one", "vault", clock)
            with machine.open() as vault:
                vault.sync_init()
                vault.remember("It lies at the quay.", title="Boat", kind="semantic")
            commit_all(tmp_path / "one")
            git(tmp_path / "one", "push", "-q", "-u", "origin", "main")
    return Machine(tmp_path / "one", "vault", clock), Machine(tmp_path / "two", "vault", clock)


def commit_all(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "code")


def test_commits_outside_the_vault_are_not_pushed_unasked(within: tuple[Machine, Machine], hub: Path) -> None:
    one, _two = within
    (one.root.parent / "code.txt").write_text("mine\n")
    commit_all(one.root.parent)
    before = git(hub, "rev-parse", "main")
    with pytest.raises(OthersCommits):
        one.sync()
    assert git(hub, "rev-parse", "main") == before
    write_own_config(one.environment, "[sync]\nwhole_repository = true\n")
    one.sync()
    assert git(hub, "show", "main:code.txt") == "mine\n"


def test_a_contradiction_outside_the_vault_is_named_and_nothing_is_touched(within: tuple[Machine, Machine]) -> None:
    one, two = within
    for machine, text in ((one, "mine"), (two, "yours")):
        (machine.root.parent / "code.txt").write_text(f"{text}\nsecond\nthird\n")
        commit_all(machine.root.parent)
    git(one.root, "push", "-q")
    with pytest.raises(ContestedElsewhere, match=r"code\.txt"):
        two.sync()
    assert git(two.root.parent, "status", "--porcelain", "vault", "code.txt") == ""
    assert not (two.root.parent / ".git/MERGE_HEAD").exists()


def test_sync_reports_a_vault_that_git_ignores(within: tuple[Machine, Machine], two: Two) -> None:
    one, _ = within
    git(one.root.parent, "rm", "-rq", "--cached", "vault")
    (one.root.parent / ".gitignore").write_text("vault/\n")
    with pytest.raises(IgnoredVault):
        one.sync()
    desk = two[0]
    desk.note(".git/info/exclude").write_text("2-memories/loose*\n")
    desk.note("2-memories/loose.md").write_text("text")
    assert desk.sync().ignored == ("2-memories/loose.md",)  # type: ignore[attr-defined]
