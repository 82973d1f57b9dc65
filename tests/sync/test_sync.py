"""One vault on several machines, by a real git: what each did is on all, and a contradiction is decided by nobody."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import EmptyClone, GitFailed, NotSynced, OtherVault, PrivateInGit, UnfinishedMerge
from memvault.storage import frontmatter
from memvault.storage.vault import vault_file as charter
from tests import points
from tests.conftest import START, Clock, Once
from tests.stress import clones

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


class Machine:
    """A machine with a home of its own, and its copy of the vault."""

    def __init__(self, folder: Path, name: str, clock: Clock) -> None:
        self.root, self._clock = folder / name, clock
        home = folder / f"home-{name}"
        self.environment = {
            **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")},
            "HOME": str(home),
            "PATH": os.environ.get("PATH", ""),
        }

    def open(self) -> Memvault:
        self._clock.pass_(seconds=1)
        return Memvault(self.root, clock=self._clock, zone=UTC, environment=self.environment)

    def sync(self) -> object:
        with self.open() as vault:
            return vault.sync_run()

    def note(self, path: str) -> Path:
        return self.root / path


@pytest.fixture
def hub(tmp_path: Path, once: Once) -> Path:
    """An empty repository to sync over."""
    return Path(shutil.copytree(once("empty-hub", empty_hub), tmp_path / "hub.git"))


def empty_hub(path: Path) -> None:
    """Make one, without the samples of hooks that nobody runs."""
    git(path.parent, "init", "--quiet", "--bare", "--initial-branch=main", "--template=", str(path))


@pytest.fixture
def two(tmp_path: Path, hub: Path, clock: Clock, once: Once) -> tuple[Machine, Machine, str]:
    """Two machines with one vault, in which there is one memory; and where that lies."""
    laid_down = once("two-machines", _lay_down)
    for folder in sorted(laid_down.iterdir()):
        shutil.copytree(folder, tmp_path / folder.name, dirs_exist_ok=True)
    one, two = Machine(tmp_path, "desk", clock), Machine(tmp_path, "laptop", clock)
    for machine in (one, two):
        moved(machine.root, str(laid_down / "hub.git"), str(hub))
    clock.pass_(seconds=_OPENED)
    path = next(one.root.glob("2-memories/*-boat.md"))
    return one, two, path.relative_to(one.root).as_posix()


def moved(root: Path, old: str, new: str) -> None:
    """Have a copied repository use the copy of its remote, without starting git."""
    config = root / ".git" / "config"
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))


_OPENED = 2  # times that the machines were opened, a second apart


# So long that git takes another note with nearly the same text for it.
_BOAT = (
    "It lies at the quay.\n\nIts sail is red.\n\nIt is for sale.\n\nThe mast is of spruce, and new since the storm.\n\n"
    "Four people sleep in it.\n\nIt draws three feet.\n\nThe engine runs on petrol, and starts by hand."
)


def _lay_down(folder: Path) -> None:
    """The same with a remote there, and without what a machine works out of a vault, which is kept by where that lies."""
    folder.mkdir()
    clock, hub = Clock(), folder / "hub.git"
    one, two = Machine(folder, "desk", clock), Machine(folder, "laptop", clock)
    empty_hub(hub)
    Memvault.init(one.root, clock=clock)
    with one.open() as vault:
        vault.sync_init(remote=str(hub))
        vault.remember(_BOAT, title="Boat", kind="semantic")
        vault.sync_run()
    git(folder, "clone", "--quiet", str(hub), str(two.root))
    with two.open() as vault:
        vault.sync_init()
    assert clock.now == START + timedelta(seconds=_OPENED)
    for needless in (*folder.glob("home-*/cache"), *folder.glob("*/.git/hooks")):
        shutil.rmtree(needless)


def rewrite(machine: Machine, path: str, old: str, new: str) -> None:
    note = machine.note(path)
    assert old in note.read_text()
    note.write_text(note.read_text().replace(old, new))


def settled(*machines: Machine) -> list[object]:
    """Sync until each has what the others did: each once, and all but the last, who had everything by then, again."""
    return [machine.sync() for machine in (*machines, *machines[:-1])]


def test_changes_of_two_machines_reach_both(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "quay", "pier")
    rewrite(laptop, path, "for sale", "sold")
    with laptop.open() as vault:
        vault.pin(path)
    settled(desk, laptop)
    assert desk.note(path).read_bytes() == laptop.note(path).read_bytes()
    text = desk.note(path).read_text()
    assert all(part in text for part in ("pier", "sold", "pinned: true"))
    assert git(desk.root, "status", "--porcelain") == ""


@pytest.mark.skipif(os.name != "posix", reason="rights are lists elsewhere")
@pytest.mark.points(only=True)
def test_a_fresh_clone_is_closed_to_others_and_stays_so(
    two: tuple[Machine, Machine, str], tmp_path: Path, hub: Path, clock: Clock
) -> None:
    desk, _laptop, path = two
    other = Machine(tmp_path, "other", clock)
    before = os.umask(0o022)
    try:
        git(tmp_path, "clone", "--quiet", str(hub), str(other.root))
        with other.open() as vault:
            assert [found for found in vault.doctor().left if found.check == "permissions"]
            assert "permissions" in " ".join(vault.sync_init().done)
            assert vault.sync_init().done == ()
        rewrite(desk, path, "quay", "pier")
        desk.note("memvault.toml").write_text("[decay]\n")
        settled(desk, other)
        with other.open() as vault:
            assert [found for found in vault.doctor().left if found.check == "permissions"] == []
    finally:
        os.umask(before)
    assert "pier" in other.note(path).read_text()


BLOCKS = "# For agents\n\n<!-- memvault:begin v1 (generated; edit the vault, not this block) -->\n{}\n<!-- memvault:end -->\n{}"


@pytest.mark.points(only=True)
def test_a_block_that_both_machines_made_anew_contradicts_nothing(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, _path = two
    desk.note("CLAUDE.md").write_text(BLOCKS.format("As it was.", "By hand.\n"))
    settled(desk, laptop)
    desk.note("CLAUDE.md").write_text(BLOCKS.format("As the desk made it.", "By hand.\n\nOf the desk.\n"))
    laptop.note("CLAUDE.md").write_text("A head.\n\n" + BLOCKS.format("As the laptop made it.", "By hand.\n"))
    told = settled(desk, laptop)
    assert [done.kept_ours for done in told] == [()] * 3  # type: ignore[attr-defined]
    assert desk.note("CLAUDE.md").read_bytes() == laptop.note("CLAUDE.md").read_bytes()
    text = desk.note("CLAUDE.md").read_text()
    assert text.startswith("A head.")
    assert text.endswith("Of the desk.\n")
    assert text.count("made it.") == 1


@pytest.mark.points(only=True)
def test_lines_appended_on_two_machines_reach_both_without_conflict(
    two: tuple[Machine, Machine, str],
) -> None:
    desk, laptop, path = two
    for machine, lines in ((desk, ("Saw a seal.", "Fed it.")), (laptop, ("A bear was there.",))):
        for line in lines:
            with machine.open() as vault:
                vault.edit(path, append=line)
    told = settled(desk, laptop)
    assert [done.contested for done in told] == [()] * 3  # type: ignore[attr-defined]
    assert desk.note(path).read_bytes() == laptop.note(path).read_bytes()
    said = "A bear was there.\n\nSaw a seal.\n\nFed it.\n"
    assert frontmatter.parse(desk.note(path).read_bytes()).text.endswith(f"starts by hand.\n\n{said}")


@pytest.mark.points(only=True)
def test_a_contradiction_stays_beside_ours_and_is_listed(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "red", "green")
    rewrite(laptop, path, "red", "blue")
    done = settled(desk, laptop)
    found = [pair for each in done for pair in each.contested]  # type: ignore[attr-defined]
    assert len(found) == 1
    ours, theirs = found[0]
    assert ours == path
    texts = {frontmatter.parse(desk.note(each).read_bytes()).text.split("sail is ")[1][:4] for each in (ours, theirs)}
    assert texts == {"gree", "blue"}
    with desk.open() as vault:
        assert vault.list_conflicts().total == 1


@pytest.mark.points(only=True)
def test_an_edit_beats_a_deletion_but_not_a_forgetting(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, path = two
    desk.note(path).unlink()
    rewrite(laptop, path, "red", "blue")
    settled(desk, laptop)
    assert "blue" in desk.note(path).read_text()
    with desk.open() as vault:
        vault.forget(path)
    with laptop.open() as vault:
        vault.pin(path)  # its text is what was forgotten: there is nothing new in it to keep
    settled(desk, laptop)
    assert not desk.note(path).exists()
    assert not laptop.note(path).exists()


@pytest.mark.points(only=True)
def test_a_move_here_and_an_edit_there_both_happen(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, path = two
    with desk.open() as vault:
        moved = vault.move(path, "hot").memory.path
    laptop.note(path).write_text(
        laptop.note(path).read_text().split("It lies")[0] + "All of it is new.\n\nEvery line.\n"
    )
    settled(desk, laptop)
    for machine in (desk, laptop):
        assert not machine.note(path).exists()
        assert "All of it is new." in machine.note(moved).read_text()


@pytest.mark.points(only=True)
def test_two_memories_of_one_name_both_stay(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, _path = two
    for machine, text in ((desk, "Hers is short."), (laptop, "His is long.")):
        with machine.open() as vault:
            vault.remember(text, title="Rope", kind="semantic")
    settled(desk, laptop)
    with laptop.open() as vault:
        assert {row.memory.title for row in vault.list().rows} == {"Boat", "Rope"}
        assert vault.list().total == 3


def test_a_persons_changes_are_committed_apart_from_ours(two: tuple[Machine, Machine, str]) -> None:
    desk, _laptop, path = two
    rewrite(desk, path, "red", "green")
    with desk.open() as vault:
        vault.remember("Tom plays the viola.", title="Viola", kind="semantic")
    desk.sync()
    subjects = git(desk.root, "log", "--format=%s", "-2").splitlines()
    assert subjects == ["memvault remember: 2026-01-29-viola", f"By hand: {Path(path).stem}"]


def test_private_and_derived_files_are_never_pushed(two: tuple[Machine, Machine, str]) -> None:
    desk, _laptop, path = two
    rewrite(desk, path, "It is for sale.", "<private>The price is a secret of hers.</private>")
    for name in ("private/plain.md", "private/0a1b2c3d4e5f6071.md.age", ".trash/old.md", "seal.agekey"):
        desk.note(name).parent.mkdir(exist_ok=True)
        desk.note(name).write_text("not for others")
    done = desk.sync()
    assert done.held == (path,)  # type: ignore[attr-defined]
    tracked = git(desk.root, "ls-files").split()
    assert "private/0a1b2c3d4e5f6071.md.age" in tracked
    assert not {"private/plain.md", ".trash/old.md", "seal.agekey"} & set(tracked)
    assert "a secret of hers" not in git(desk.root, "log", "-p", "--all")


def test_private_files_that_were_committed_by_hand_are_not_pushed(two: tuple[Machine, Machine, str]) -> None:
    desk, _laptop, _path = two
    desk.note("private").mkdir(exist_ok=True)
    desk.note("private/plain.md").write_text("mine")
    git(desk.root, "add", "-f", "private/plain.md")
    git(desk.root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "by mistake")
    with pytest.raises(PrivateInGit):
        desk.sync()


def test_files_that_are_no_memories_and_contradict_keep_ours(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, _path = two
    for machine, days in ((desk, 10), (laptop, 20)):
        machine.note("memvault.toml").write_text(f"[recall]\nlimit = {days}\n")
    desk.sync()
    done = laptop.sync()
    assert done.kept_ours == ("memvault.toml",)  # type: ignore[attr-defined]
    assert laptop.note("memvault.toml").read_text() == "[recall]\nlimit = 20\n"


@pytest.mark.points(only=True)
def test_keys_of_two_devices_are_both_kept(two: tuple[Machine, Machine, str]) -> None:
    desk, laptop, _path = two
    for machine, text in ((desk, "Forget this."), (laptop, "Forget that.")):
        with machine.open() as vault:
            vault.forget(vault.remember(text, kind="semantic", near="ignore").memory.path)
    settled(desk, laptop)
    keys = desk.note(".memvault/ledger/key").read_text().split()
    assert (len(keys), keys) == (2, sorted(keys))
    for machine in (desk, laptop):
        assert machine.note(".memvault/ledger/key").read_text().split() == keys


def test_another_vault_is_not_merged_into_this_one(
    tmp_path: Path, clock: Clock, two: tuple[Machine, Machine, str], hub: Path
) -> None:
    other = Machine(tmp_path, "other", clock)
    Memvault.init(other.root, clock=clock)
    with other.open() as vault:
        vault.sync_init(remote=str(hub))
        with pytest.raises(OtherVault):
            vault.sync_run()


def test_sync_reports_a_vault_outside_git_and_an_unfinished_merge(
    tmp_path: Path, clock: Clock, two: tuple[Machine, Machine, str]
) -> None:
    lone = Machine(tmp_path, "lone", clock)
    Memvault.init(lone.root, clock=clock)
    with lone.open() as vault, pytest.raises(NotSynced):
        vault.sync_run()
    desk = two[0]
    desk.note(".git/MERGE_HEAD").write_text(git(desk.root, "rev-parse", "HEAD"))
    with pytest.raises(UnfinishedMerge):
        desk.sync()


def test_a_remote_that_is_not_there_loses_nothing(two: tuple[Machine, Machine, str], hub: Path) -> None:
    desk, _laptop, path = two
    hub.rename(hub.with_name("gone.git"))
    rewrite(desk, path, "red", "green")
    with pytest.raises(GitFailed, match="git fetch"):
        desk.sync()
    assert git(desk.root, "status", "--porcelain") == ""  # it was committed here all the same


def test_a_dry_run_changes_nothing(two: tuple[Machine, Machine, str]) -> None:
    desk, _laptop, path = two
    rewrite(desk, path, "red", "green")
    before = git(desk.root, "rev-parse", "HEAD")
    with desk.open() as vault:
        done = vault.sync_run(dry_run=True)
        assert [unit.subject for unit in done.committed] == [f"By hand: {Path(path).stem}"]
    assert git(desk.root, "rev-parse", "HEAD") == before


def test_setting_up_again_changes_nothing_and_status_says_what_is_amiss(two: tuple[Machine, Machine, str]) -> None:
    desk, _laptop, _path = two
    with desk.open() as vault:
        assert vault.sync_init().done == ()
        assert vault.sync_status().problems == ()
        git(desk.root, "config", "--unset", "merge.memvault.driver")
        assert len(vault.sync_status().problems) == 1


def test_own_lines_in_gitignore_and_gitattributes_stay(tmp_path: Path, clock: Clock) -> None:
    own = Machine(tmp_path, "own", clock)
    Memvault.init(own.root, clock=clock)
    own.note(".gitattributes").write_bytes(b"*.png binary\r\n")
    with own.open() as vault:
        vault.sync_init()
        vault.undo()
    assert own.note(".gitattributes").read_bytes() == b"*.png binary\r\n"


@pytest.mark.points(only=True)
def test_three_machines_at_work_at_once_lose_nothing_and_end_alike(tmp_path: Path) -> None:
    found = clones.run(tmp_path, rounds=points.of(2, 6), seed=7)
    assert found.merged > points.of(3, 10)
    assert found.troubles == []


@pytest.mark.parametrize("name", ["main", "master"])
def test_a_vault_goes_to_the_branch_that_others_will_check_out(tmp_path: Path, clock: Clock, name: str) -> None:
    git(tmp_path, "init", "--quiet", "--bare", f"--initial-branch={name}", "hub.git")
    one, two = Machine(tmp_path, "desk", clock), Machine(tmp_path, "laptop", clock)
    Memvault.init(one.root, clock=clock)
    with one.open() as vault:
        vault.sync_init(remote=str(tmp_path / "hub.git"))
        vault.sync_run()
    git(tmp_path, "clone", "--quiet", "hub.git", str(two.root))
    assert two.note(".memvault/vault.json").read_bytes() == one.note(".memvault/vault.json").read_bytes()


def test_a_second_vault_is_not_pushed_beside_the_first(
    two: tuple[Machine, Machine, str], tmp_path: Path, hub: Path, clock: Clock
) -> None:
    other = Machine(tmp_path, "other", clock)
    Memvault.init(other.root, clock=clock)
    git(other.root, "init", "--quiet", "--initial-branch=master")
    with other.open() as vault:
        vault.sync_init(remote=str(hub))
        with pytest.raises(OtherVault, match="origin/main"):
            vault.sync_run()
    assert git(hub, "branch", "--format=%(refname:short)").split() == ["main"]


def test_a_clone_in_which_nothing_is_checked_out_says_where_its_vault_is(
    two: tuple[Machine, Machine, str], tmp_path: Path, hub: Path, clock: Clock
) -> None:
    git(hub, "symbolic-ref", "HEAD", "refs/heads/master")
    other = Machine(tmp_path, "other", clock)
    git(tmp_path, "clone", "--quiet", str(hub), str(other.root))
    with pytest.raises(EmptyClone) as told:
        charter.find_vault(charter.VaultPlaces(named=str(other.root), environment="", folder=tmp_path, configured=""))
    assert "switch main`" in told.value.advice
    for packing in ((), ("pack-refs", "--all"), ("fetch", "--quiet")):
        if packing:
            git(other.root, *packing)
        with pytest.raises(EmptyClone):
            Memvault.init(other.root, clock=clock)
    assert sorted(path.name for path in other.root.iterdir()) == [".git"]
    git(other.root, "switch", "--quiet", "main")
    assert charter.read_vault_file(other.root) == charter.read_vault_file(two[0].root)
