"""The lookout: whatever way a note is saved is one change, moves are moves, and it vouches only for what is so."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from memvault.api import Memvault
from memvault.cli.vault.watch import _stop_on_signals, watch_vault
from memvault.daemon import notify
from memvault.daemon.changes import POLL_SECONDS, ChangeSet, PollingSource
from memvault.daemon.watcher import VaultWatcher, WatchResult
from memvault.errors import NotAVault, NoVault, Unreadable
from memvault.storage.vault.context import VaultContext

SOON = 30  # seconds after which a test that waits for the real thing gives up
linux = pytest.mark.skipif(sys.platform != "linux", reason="only this kernel tells so much that one can vouch for it")

FIRST = "---\nid: 0b1f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11\n---\nThe walrus said nothing."
SECOND = FIRST.replace("nothing", "something remarkable")


def still() -> float:
    """A clock that stands: no debounce ends by itself, so what is taken in, and when, is decided by who asks."""
    return 0.0


@dataclass
class Watching:
    """A lookout at work, what it said, and a vault that it vouches for."""

    lookout: VaultWatcher
    vault: Memvault
    said: list[str] = field(default_factory=list)

    @property
    def memories(self) -> Path:
        return self.vault.root / "2-memories"

    def ids(self) -> dict[str, str]:
        return {row.memory.name: row.memory.id for row in self.vault.list().rows}

    def found(self, words: str) -> list[str]:
        return sorted(hit.memory.path for hit in self.vault.recall(words, min_similarity=0.0, limit=50).hits)


def unseen_by(context: VaultContext) -> list[str]:
    """What a look at every file finds that the catalogue does not know."""
    diff = context.index.compare_listing(context.vault.list_folders())
    return sorted([*diff.added, *diff.changed, *diff.gone])


@pytest.fixture
def watch(open_vault: Callable[..., Memvault]) -> Iterator[Callable[..., Watching]]:
    """Begins to watch a vault."""
    begun: list[VaultWatcher] = []

    def watch_(root: Path, **given: object) -> Watching:
        ready = threading.Event()
        said: list[str] = []
        given.setdefault("clock", still)
        lookout = VaultWatcher(
            lambda: open_vault(root),
            say=said.append,
            ready=lambda _root: ready.set(),
            **given,  # type: ignore[arg-type]
        )
        begun.append(lookout)
        vault = open_vault(root, is_index_current=lambda catalogue: lookout.is_index_current(catalogue, SOON))
        lookout.start()
        assert ready.wait(SOON)
        lookout.is_current(SOON)
        return Watching(lookout, vault, said)

    yield watch_
    for lookout in begun:
        if not lookout.is_over:
            lookout.stop()


@pytest.fixture
def watching(vault: Memvault, watch: Callable[..., Watching]) -> Watching:
    """A lookout at work on a vault with one note, `2-memories/walrus.md`."""
    (vault.root / "2-memories" / "walrus.md").write_text(FIRST)
    begun = watch(vault.root)
    assert begun.said == ["took in 1 changed note"]
    begun.said.clear()
    return begun


# -- how people's programs save


def in_place(note: Path) -> None:
    note.write_text("")
    note.write_text(SECOND)


def by_rename(note: Path) -> None:
    beside = note.with_name(f".{note.name}.tmp123")
    beside.write_text(SECOND)
    beside.replace(note)


def by_visible_rename(note: Path) -> None:
    beside = note.with_name(f"{note.stem}.tmp.md")
    beside.write_text(SECOND)
    beside.replace(note)


def with_a_backup(note: Path) -> None:
    note.with_name("4913").write_text("")  # whether a file can be made here
    note.with_name("4913").unlink()
    backup = note.with_name(f"{note.name}~")
    note.rename(backup)
    note.write_text(SECOND)
    backup.unlink()


def with_a_copy_kept(note: Path) -> None:
    shutil.copy2(note, note.with_name(f"{note.name}.bak"))
    note.write_text(SECOND)


def by_way_of_the_trash(note: Path) -> None:
    trash = note.parent.parent / ".trash"
    trash.mkdir(exist_ok=True)
    note.rename(trash / note.name)
    note.write_text(SECOND)


def little_by_little(note: Path) -> None:
    with note.open("w") as opened:
        for char in SECOND:
            opened.write(char)
            opened.flush()


@linux
@pytest.mark.parametrize(
    "save",
    [in_place, by_rename, by_visible_rename, with_a_backup, with_a_copy_kept, by_way_of_the_trash, little_by_little],
)
def test_however_a_program_saves_it_is_one_change_of_the_same_note(
    watching: Watching, save: Callable[[Path], None]
) -> None:
    before = watching.vault.find("walrus").id
    note = watching.memories / "walrus.md"
    save(note)
    written = note.stat()
    assert watching.found("remarkable") == ["2-memories/walrus.md"]
    assert watching.vault.find("walrus").id == before
    assert watching.said == ["took in 1 changed note"]
    assert (note.read_text(), note.stat().st_mtime_ns, note.stat().st_ino) == (
        SECOND,
        written.st_mtime_ns,
        written.st_ino,
    )


@linux
def test_what_memvault_wrote_itself_is_not_taken_in_twice(watching: Watching) -> None:
    watching.vault.remember("The heron stood in the reeds.", title="Heron")
    assert watching.vault.refresh() == 0 or watching.said == ["took in 1 changed note"]
    watching.said.clear()
    assert watching.lookout.is_current(SOON)
    os.utime(watching.memories)
    assert watching.lookout.is_current(SOON)
    assert watching.said == []


@linux
def test_two_saves_in_one_tick_of_the_disks_clock_are_both_seen(watching: Watching) -> None:
    (watching.memories / "walrus.md").write_text(SECOND.replace("remarkable", "agreeable!"))
    assert watching.found("agreeable")

    def pretend(context: VaultContext) -> None:  # that the stat key is still the one of the save before
        found = (watching.memories / "walrus.md").stat()
        key = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        context.index._tables.execute("update note set size = ?, mtime = ?, ctime = ?, inode = ?", key)

    (watching.memories / "walrus.md").write_text(SECOND)
    watching.vault.run(pretend)
    assert watching.found("remarkable")


# -- moves


@linux
def test_a_note_moved_to_another_tier_is_never_gone(watching: Watching) -> None:
    before = watching.vault.find("walrus").id
    low, high = watching.memories / "walrus.md", watching.vault.root / "1-hot" / "walrus.md"
    asked, over = threading.Semaphore(0), threading.Event()

    def move_to_and_fro() -> None:
        source, target = low, high
        while not over.is_set() and asked.acquire(timeout=SOON):
            source.rename(target)
            source, target = target, source

    mover = threading.Thread(target=move_to_and_fro)
    mover.start()
    for _ in range(60):
        asked.release()
        assert watching.vault.find(before).path in {"2-memories/walrus.md", "1-hot/walrus.md"}
    over.set()
    asked.release()
    mover.join(SOON)
    assert watching.lookout.is_current(SOON)
    assert watching.vault.find(before).path == ("1-hot/walrus.md" if high.exists() else "2-memories/walrus.md")


# -- what events do not tell


@linux
def test_what_changes_by_another_name_is_seen_too(watching: Watching, tmp_path: Path) -> None:
    elsewhere, hidden = tmp_path / "elsewhere.md", watching.vault.root / ".hidden" / "target.md"
    elsewhere.write_text("The heron waits.")
    os.link(elsewhere, watching.memories / "heron.md")
    hidden.parent.mkdir()
    hidden.write_text("The stork waits.")
    (watching.memories / "stork.md").symlink_to(hidden)
    assert watching.found("waits") == ["2-memories/heron.md", "2-memories/stork.md"]
    elsewhere.write_text("The heron sleeps.")
    hidden.write_text("The stork sleeps.")
    assert watching.found("sleeps") == ["2-memories/heron.md", "2-memories/stork.md"]


@linux
def test_a_link_is_a_note_whenever_it_leads_to_one(watching: Watching, tmp_path: Path) -> None:
    hidden, outside = watching.vault.root / ".hidden", tmp_path / "outside"
    hidden.mkdir()
    outside.mkdir()
    current = watching.vault.root / ".current"
    current.symlink_to(outside)
    (watching.memories / "heron.md").symlink_to("../.hidden/target.md")
    (watching.memories / "stork.md").symlink_to("../.current/target.md")
    assert watching.found("waits") == []
    for turn in ("waits", "sleeps"):
        (hidden / "target.md").write_text(f"It {turn}.")
        assert watching.found(turn) == ["2-memories/heron.md"]
        (hidden / "target.md").unlink()
        assert watching.found(turn) == []
    (hidden / "target.md").write_text("It wakes.")
    current.unlink()
    current.symlink_to(hidden)
    assert watching.found("wakes") == ["2-memories/heron.md", "2-memories/stork.md"]


@linux
def test_what_the_kernel_lost_is_looked_for_everywhere(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = [notify.InotifyEvent(-1, notify.OVERFLOW, 0, "")]
    real = notify.Inotify.read
    with monkeypatch.context() as overflown:
        overflown.setattr(notify.Inotify, "read", lambda self: lost if real(self) else [])
        (watching.memories / "sub").mkdir()
        (watching.memories / "sub" / "heron.md").write_text("The heron waits.")
        assert watching.found("heron") == ["2-memories/sub/heron.md"]
    (watching.memories / "sub" / "stork.md").write_text("The stork waits.")
    assert watching.found("stork") == ["2-memories/sub/stork.md"]


@linux
def test_the_index_is_tidied_when_nobody_writes_any_more_and_not_before(
    vault: Memvault, watch: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, tidied = [0.0], threading.Semaphore(0)
    monkeypatch.setattr(Memvault, "tidy_index", lambda _vault: tidied.release())
    watching = watch(vault.root, clock=lambda: now[0])
    (watching.memories / "heron.md").write_text("The heron waits.")
    assert watching.found("heron")
    assert not tidied.acquire(blocking=False)
    for later in (100.0, 200.0):
        with watching.lookout._changed:
            now[0] = later
            watching.lookout._changed.notify_all()
            assert watching.lookout._changed.wait_for(lambda: watching.lookout._timer._scan_at > now[0], SOON)
    assert tidied.acquire(timeout=SOON)
    watching.lookout.stop()
    assert not tidied.acquire(blocking=False)


@linux
def test_the_rules_are_read_anew_when_they_change(watching: Watching) -> None:
    (watching.vault.root / ".memvaultignore").write_text("walrus.md\n")
    assert watching.lookout.is_current(SOON)
    assert watching.found("walrus") == []
    assert watching.said[0] == "the settings changed: opened the vault anew"


@linux
def test_rules_that_are_nonsense_are_told_once_and_vouched_for_by_nobody(watching: Watching) -> None:
    config = watching.vault.root / "memvault.toml"
    before = config.read_text()
    config.write_text("[recall\n")
    assert not watching.lookout.is_current(SOON)
    assert not watching.lookout.is_current(SOON)
    assert len(watching.said) == 1
    assert "is not valid TOML" in watching.said[0]
    config.write_text(before)
    (watching.memories / "heron.md").write_text("The heron waits.")
    assert watching.found("heron")


@linux
def test_another_vault_put_in_its_place_is_not_vouched_for_until_it_was_looked_at(
    watching: Watching, tmp_path: Path, watch: Callable[..., Watching]
) -> None:
    root = watching.vault.root
    shutil.copytree(root, tmp_path / "copy")
    (tmp_path / "copy" / "2-memories" / "walrus.md").write_text(SECOND)
    root.rename(tmp_path / "away")
    (tmp_path / "copy").rename(root)
    assert watching.found("remarkable") == ["2-memories/walrus.md"]


@linux
def test_trouble_is_told_and_the_watch_goes_on(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_vault: Memvault, **_only: object) -> int:
        raise Unreadable(path="1-hot", reason="the disk is not there")

    note = watching.memories / "walrus.md"
    with monkeypatch.context() as broken:
        broken.setattr(Memvault, "refresh", fails)
        note.write_text(SECOND)
        assert not watching.lookout.is_current(SOON)
        assert not watching.lookout.is_current(SOON)
    assert watching.said == ["memvault: 1-hot cannot be read: the disk is not there."]
    assert watching.lookout.is_current(SOON)
    assert watching.found("remarkable")


@linux
def test_a_vault_that_is_away_while_it_is_to_be_followed_is_not_vouched_for(
    vault: Memvault, watch: Callable[..., Watching]
) -> None:
    root, away = vault.root, vault.root.with_name("away")
    turns = iter(range(9))
    is_back = threading.Event()

    class Late(notify.InotifySource):
        """One in whose second turn, after the vault's own folder was followed, the vault is away for a moment."""

        def watch_folders(self, below: str, folders: Iterable[str]) -> None:
            is_away = next(turns) == 1
            if is_away:
                root.rename(away)
            try:
                super().watch_folders(below, folders)
            finally:
                if is_away:
                    away.rename(root)
                    is_back.set()

    begun = watch(root, listen=lambda root_, heard, _say: Late(root_, heard))
    assert is_back.wait(SOON)  # its own thread moves the vault, before or after it says that it is ready
    (begun.memories / "heron.md").write_text("The heron waits.")
    assert begun.found("heron") == ["2-memories/heron.md"]
    assert next(turns) > 2


@linux
def test_the_vaults_own_folder_is_listened_to_before_anybody_is_told(
    vault: Memvault, open_vault: Callable[..., Memvault]
) -> None:
    followed: list[str] = []
    told: list[list[str]] = []
    ready = threading.Event()

    def ready_(_root: Path) -> None:
        told.append(followed.copy())
        ready.set()

    class Noting(notify.InotifySource):
        def watch_folders(self, below: str, folders: Iterable[str]) -> None:
            super().watch_folders(below, folders)
            followed.append(below)

    lookout = VaultWatcher(
        lambda: open_vault(vault.root), ready=ready_, listen=lambda root, heard, _say: Noting(root, heard)
    )
    lookout.start()
    assert ready.wait(SOON)
    lookout.stop()
    assert told == [[""]]


@linux
def test_another_folder_that_comes_between_looking_and_following_is_noticed(
    vault: Memvault, watch: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.root / "2-memories" / "walrus.md").write_text(FIRST)
    watching = watch(vault.root, clock=monotonic)
    root, away = watching.vault.root, watching.vault.root.with_name("away")
    other = root.with_name("other")
    shutil.copytree(root, other)
    (other / "2-memories" / "walrus.md").write_text(SECOND)
    real = Memvault.list_folders

    def swapped(vault: Memvault, folder: str = "") -> Iterator[str]:
        if other.exists():
            root.rename(away)
            other.rename(root)
        return real(vault, folder)

    monkeypatch.setattr(Memvault, "list_folders", swapped)
    watching.lookout._on_change(ChangeSet(everything=True))
    before = watching.lookout._done
    assert not watching.lookout.is_current(SOON)
    with watching.lookout._changed:
        assert watching.lookout._changed.wait_for(lambda: watching.lookout._done > before + 1, SOON)
    assert watching.lookout.is_current(SOON)
    assert watching.found("remarkable") == ["2-memories/walrus.md"]
    assert watching.said[-2:] == ["another folder is in its place: opened the vault anew", "took in 1 changed note"]


MOUNTED = """
import os, subprocess, sys, threading
from pathlib import Path
from memvault.api import Memvault
from memvault.daemon.watcher import VaultWatcher

def mount(*words):
    return subprocess.run(["mount", *words], capture_output=True, check=True)

root, other = Path(sys.argv[1]), Path(sys.argv[2])
ready = threading.Event()
lookout = VaultWatcher(lambda: Memvault(root, environment=dict(os.environ)), say=print, ready=lambda _: ready.set())
lookout.start()
assert ready.wait(30) and lookout.is_current(30)

def found(words):
    with Memvault(root, environment=dict(os.environ), is_index_current=lambda c: lookout.is_index_current(c, 30)) as vault:
        return [hit.memory.path for hit in vault.recall(words).hits]

print(found("osprey"))
mount("--bind", str(other), str(root / "2-memories/sub"))
print(lookout.is_current(30), found("osprey"))
(root / "2-memories/sub/new.md").write_text("A note of a gannet.")
print(lookout.is_current(30), found("gannet"))
subprocess.run(["umount", str(root / "2-memories/sub")], check=True)
print(lookout.is_current(30), found("osprey"))
lookout.stop()
"""


@linux
@pytest.mark.points(only=True)
def test_what_is_mounted_over_a_folder_of_the_vault_is_seen_at_once(
    vault: Memvault, tmp_path: Path, environment: dict[str, str]
) -> None:
    apart = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted by this user here")
    (vault.root / "2-memories" / "sub").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    (other / "osprey.md").write_text("A note of an osprey.")
    told = subprocess.run(
        [*apart, sys.executable, "-c", MOUNTED, str(vault.root), str(other)],
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=SOON,
        check=False,
    )
    anew = "other disks are mounted there: opened the vault anew"
    assert (told.stdout.splitlines(), told.stderr) == (
        [
            *("[]", anew, "took in 1 changed note", "True ['2-memories/sub/osprey.md']", "took in 1 changed note"),
            *("True ['2-memories/sub/new.md']", anew, "took in 2 changed notes", "True []"),
        ],
        "",
    )


def test_it_ends_when_the_vault_is_gone(watching: Watching) -> None:
    ended = threading.Event()
    watching.lookout._ended = ended.set
    watching.vault.root.rename(watching.vault.root.with_name("gone"))
    watching.lookout._on_change(ChangeSet(everything=True))
    with watching.lookout._changed:
        watching.lookout._asked = watching.lookout._begun + 1
        watching.lookout._changed.notify_all()
    assert ended.wait(SOON)
    assert not watching.lookout.is_current(SOON)
    with pytest.raises(NotAVault):
        watching.lookout.stop()


# -- without events


def test_where_no_events_come_everything_is_looked_over_often_and_nothing_vouched_for(
    vault: Memvault, watch: Callable[..., Watching]
) -> None:
    now = [0.0]
    begun = watch(vault.root, listen=lambda *_: PollingSource(), clock=lambda: now[0])
    assert not begun.lookout.is_current(SOON)
    with begun.lookout._changed:
        assert begun.lookout._changed.wait_for(lambda: begun.lookout._done, SOON)
        assert begun.lookout._timer.seconds_left(now[0]) == POLL_SECONDS
        (begun.memories / "heron.md").write_text("The heron waits.")
        now[0] = POLL_SECONDS
        begun.lookout._changed.notify_all()
        assert begun.lookout._changed.wait_for(lambda: begun.lookout._done == 2, SOON)
    assert begun.said == ["took in 1 changed note"]
    assert begun.lookout.stop() == WatchResult(batches=1, notes=1)


# -- what is vouched for


@linux
def test_whoever_is_vouched_for_looks_at_no_file(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    def listing(_self: object) -> None:
        raise AssertionError("nothing needs to be listed")

    assert watching.found("walrus")
    monkeypatch.setattr("memvault.storage.vault.vault.Vault.list_folders", listing)
    assert watching.found("walrus")
    (watching.memories / "heron.md").write_text("The heron waits.")
    assert watching.found("heron")


@linux
def test_a_catalogue_that_was_thrown_away_is_made_again_whoever_vouches(watching: Watching) -> None:
    shutil.rmtree(watching.vault.index_folder)
    assert watching.found("walrus") == ["2-memories/walrus.md"]
    (watching.memories / "heron.md").write_text("The walrus waits.")
    assert watching.found("walrus") == ["2-memories/heron.md", "2-memories/walrus.md"]


@linux
def test_another_catalogue_is_not_vouched_for(watching: Watching, tmp_path: Path) -> None:
    assert watching.lookout.is_index_current(watching.vault.index_folder, SOON)
    assert not watching.lookout.is_index_current(tmp_path / "another", SOON)


def test_nothing_is_vouched_for_before_it_began_and_after_it_ended(watching: Watching, vault: Memvault) -> None:
    assert not VaultWatcher(lambda: vault).is_current(SOON)
    watching.lookout.stop()
    assert not watching.lookout.is_current(SOON)


KILLED = """
import os, signal, sys
from memvault.api import Memvault
from memvault.storage.index.index import Index

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

Index._write_batch = killed
Memvault(sys.argv[1], environment=dict(os.environ)).refresh()
"""


@linux
@pytest.mark.parametrize("is_watched", [False, True])
@pytest.mark.points(only=True)
def test_killed_in_the_middle_of_indexing_it_is_right_again_by_itself(
    vault: Memvault, watch: Callable[..., Watching], environment: dict[str, str], is_watched: bool
) -> None:
    begun = watch(vault.root) if is_watched else None
    for number in range(5):
        (vault.root / "2-memories" / f"heron {number}.md").write_text("The heron waits.")
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(vault.root)], env={**os.environ, **environment}, check=False, timeout=SOON
    )
    assert ended.returncode < 0
    begun = begun or watch(vault.root)
    assert len(begun.found("heron")) == 5


FOLDERS = ("2-memories", "2-memories/work", "2-memories/work/deep", "1-hot", "notes", "notes/.memvault", ".trash")
places = st.builds(lambda folder, name: f"{folder}/{name}.md", st.sampled_from(FOLDERS), st.sampled_from("ab"))


@linux
class TestVouching:
    """Whatever people do to the files: what is vouched for is so."""

    @pytest.mark.points(only=True)
    def test_is_never_wrong(self) -> None:
        run_state_machine_as_test(Doings, settings=settings(max_examples=8, stateful_step_count=12, deadline=None))


class Doings(RuleBasedStateMachine):
    """A vault that things are done to, watched."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        top = Path(self._folder.name)
        names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
        self.environment = {name: str(top / "machine" / name) for name in names}
        self.root = top / "vault"
        self.turn = 0

    @initialize()
    def begin(self) -> None:
        Memvault.init(self.root)
        ready = threading.Event()
        self.lookout = VaultWatcher(self.opened, ready=lambda _root: ready.set(), clock=still)
        self.lookout.start()
        assert ready.wait(SOON)
        self.vault = self.opened()

    def opened(self) -> Memvault:
        return Memvault(self.root, environment=self.environment)

    @rule(place=places)
    def save(self, place: str) -> None:
        self.turn += 1
        (self.root / place).parent.mkdir(parents=True, exist_ok=True)
        (self.root / place).write_text(f"Turn {self.turn}.")

    @rule(before=places, after=places)
    def move(self, before: str, after: str) -> None:
        if (self.root / before).exists() and (self.root / after).parent.exists():
            (self.root / before).replace(self.root / after)

    @rule(before=st.sampled_from(FOLDERS), after=st.sampled_from(FOLDERS))
    def move_folder(self, before: str, after: str) -> None:
        old, new = self.root / before, self.root / after
        if old.exists() and new.parent.exists() and not new.exists() and old not in new.parents:
            old.rename(new)

    @rule(place=places)
    def delete(self, place: str) -> None:
        (self.root / place).unlink(missing_ok=True)

    @rule(folder=st.sampled_from(FOLDERS))
    def delete_folder(self, folder: str) -> None:
        shutil.rmtree(self.root / folder, ignore_errors=True)

    @rule(place=places, name=st.sampled_from("cd"))
    def link(self, place: str, name: str) -> None:
        source, target = self.root / place, self.root / "2-memories" / f"{name}.md"
        if source.exists() and target.parent.exists() and not target.exists():
            os.link(source, target)

    @rule(lines=st.sampled_from(("a.md\n", "work/\n", "")))
    def ignore(self, lines: str) -> None:
        (self.root / ".memvaultignore").write_text(lines)
        self.vault.close()
        self.vault = self.opened()

    @invariant()
    def what_is_vouched_for_is_so(self) -> None:
        if self.root.is_dir():
            assert self.lookout.is_current(SOON)
            assert self.vault.run(unseen_by) == []

    def teardown(self) -> None:
        if hasattr(self, "lookout"):
            self.lookout.stop()
            self.vault.close()
        self._folder.cleanup()


# -- the watch: it says what it takes in, writes no note, and ends when it is told to


def test_a_note_written_by_another_program_is_taken_in_and_nothing_is_written(
    vault: Memvault, open_vault: Callable[..., Memvault]
) -> None:
    said: queue.Queue[str] = queue.Queue()
    seen: list[WatchResult] = []
    bell = threading.Event()
    watcher = threading.Thread(target=lambda: seen.append(watch_vault(lambda: open_vault(vault.root), bell, said.put)))
    watcher.start()
    try:
        assert said.get(timeout=SOON) == f"Watching {vault.root}; Ctrl-C ends it."
        elsewhere, note = vault.root.with_name("new.md"), vault.root / "2-memories" / "new.md"
        elsewhere.write_text("Written by somebody else.", encoding="utf-8")
        before = elsewhere.stat()
        elsewhere.rename(note)
        assert said.get(timeout=SOON) == "took in 1 changed note"
        assert (note.stat().st_mtime_ns, note.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    finally:
        bell.set()
        watcher.join(timeout=SOON)
    assert not watcher.is_alive()
    assert seen == [WatchResult(batches=1, notes=1)]


def test_where_there_is_no_vault_it_ends_at_once(tmp_path: Path, open_vault: Callable[..., Memvault]) -> None:
    with pytest.raises(NoVault):
        watch_vault(lambda: open_vault(tmp_path / "nothing"), threading.Event(), lambda _: None)


def test_signals_end_it_and_are_given_back_afterwards() -> None:
    ended: list[bool] = []
    before = signal.getsignal(signal.SIGTERM)
    with _stop_on_signals(lambda: ended.append(True)):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert ended == [True, True]
    assert signal.getsignal(signal.SIGTERM) is before
