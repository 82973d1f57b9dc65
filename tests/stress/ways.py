"""Every way in which a verb writes: a vault that has been lived in, what is done to it, and what must hold however that ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from unittest.mock import patch

from memvault import Memvault, files
from memvault.errors import MemvaultError
from memvault.vault import frontmatter
from memvault.vault.merge import MARKERS

BEGAN = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
NOW = BEGAN + timedelta(days=75)
LATER = NOW + timedelta(minutes=1)
CACHE = "home/cache"
_ID = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NOBODY = 2**30  # no process has a number as high as this

SAID = {
    "boat": "The boat lies at the northern quay of Hollin.",
    "ferns": "Sara waters the ferns on the balcony every other morning.",
    "bicycle": "An old remark about the blue bicycle behind the shed.",
    "twins": "The staging database of the portal runs on host db7 in the Oslo data centre and is copied every night.",
    "thrown": "Tom plays the viola on Tuesdays and never on Sundays.",
    "archived": "The gauge below the bridge was painted yellow in March.",
    "doubled": "A heron stands in the shallows behind the mill each autumn.",
    "elsewhere": "The laptop knows that the ferry sails at seven.",
}
NEWS = "A wholly new sentence about the lighthouse keeper. " * 8
OLDER = b"an older bundle"
STAGING = ("2-memories/2026-03-30-staging-database.md", "2-memories/2026-03-30-staging-database-2.md")
TALK = "11111111-2222-4333-8444-555555555555"


@dataclass(frozen=True, slots=True)
class Stage:
    """A machine in one folder, always at the same place, set up anew for each try."""

    folder: Path

    @property
    def root(self) -> Path:
        """The vault."""
        return self.folder / "vault"

    def environment(self, home: str = "home") -> dict[str, str]:
        """Variables that keep everything within the folder."""
        names = {f"XDG_{kind}_HOME": str(self.folder / home / kind.lower()) for kind in ("CACHE", "CONFIG", "STATE")}
        return {**names, "HOME": str(self.folder / home), "PATH": os.environ.get("PATH", "")}

    def open(self, now: datetime = NOW, root: str = "vault", home: str = "home") -> Memvault:
        """The vault at some moment; searched without an index of words, which is no part of what is proved here."""
        return Memvault(
            self.folder / root,
            clock=lambda: now,
            zone=UTC,
            environment=self.environment(home),
            settings={"index.backend": "scan"},
        )

    def set_up(self, ground: Path) -> None:
        """Make it what the ground is."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ground, self.folder, symlinks=True)


Act = Callable[[Memvault], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of writing: what is done, which sentences it may take away, and which it brings."""

    name: str
    act: Act
    takes: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    over_git: bool = False
    may_be_repeated: bool = False  # doing it again brings it to its end, whatever became of the first time


def _edit(vault: Memvault) -> None:
    vault.edit("Boat", append="It was moved on Friday.", fields={"tags": ("boat", "quay")})


def _ingest(vault: Memvault) -> None:
    vault.ingest([Path(vault.environment["HOME"]).parent / f"{TALK}.jsonl"])


def _import(vault: Memvault) -> None:
    vault.bring_in("claude-memory", Path(vault.environment["HOME"]).parent / "claude")


def _export(vault: Memvault) -> None:
    vault.export(Path(vault.environment["HOME"]).parent / "out" / "bundle.zip", force=True)


WAYS = (
    Way(name="remember", act=lambda vault: vault.remember(NEWS, title="Lighthouse"), brings=(NEWS.strip(),)),
    Way(name="edit", act=_edit, brings=("It was moved on Friday.",)),
    Way(name="move", act=lambda vault: vault.move("Boat", "archived")),
    Way(name="forget", act=lambda vault: vault.forget("Boat")),
    Way(name="restore", act=lambda vault: vault.restore("Viola")),
    Way(name="restore-archived", act=lambda vault: vault.restore("Gauge")),
    Way(name="merge", act=lambda vault: vault.merge(*STAGING)),
    Way(name="link", act=lambda vault: vault.link("Boat", "Ferns", relation="supersedes")),
    Way(name="undo", act=lambda vault: vault.undo()),
    Way(name="maintain", act=lambda vault: vault.maintain(), may_be_repeated=True),
    Way(name="ingest", act=_ingest, brings=("my brother Aron repairs gauges",), may_be_repeated=True),
    Way(name="doctor-fix", act=lambda vault: vault.doctor(fix=True), may_be_repeated=True),
    Way(name="export", act=_export, may_be_repeated=True),
    Way(name="import", act=_import, brings=("tabs in all code",), may_be_repeated=True),
    Way(name="purge", act=lambda vault: vault.purge("Boat"), takes=("boat",)),
    Way(name="sync", act=lambda vault: vault.sync_run(), over_git=True, may_be_repeated=True),
)
BY_NAME = {way.name: way for way in WAYS}


# -- the ground


def lay(folder: Path, *, over_git: bool = False) -> Path:
    """Make a vault with something in it for each verb; it is copied for each try."""
    stage = Stage(folder)
    folder.mkdir(parents=True)
    (folder / "out").mkdir()
    (folder / "out" / "bundle.zip").write_bytes(OLDER)
    Memvault.init(stage.root, clock=lambda: BEGAN)
    _remember(stage)
    _lay_outside(folder)
    if over_git:
        _lay_over_git(stage)
    return folder


def _remember(stage: Stage) -> None:
    with stage.open(BEGAN) as vault:
        vault.remember(SAID["bicycle"], title="Bicycle", weight=0.3)
    with stage.open(BEGAN + timedelta(days=60)) as vault:
        for title in ("boat", "ferns"):
            vault.remember(SAID[title], title=title.title(), kind="semantic")
        for _ in range(2):
            vault.remember(SAID["twins"], title="Staging database", near="ignore")
        vault.remember(SAID["thrown"], title="Viola", kind="semantic")
        vault.remember(SAID["archived"], title="Gauge", kind="semantic")
        doubled = vault.remember(SAID["doubled"], title="Heron", kind="semantic").memory.path
    for day in range(61, 64):
        with stage.open(BEGAN + timedelta(days=day)) as vault:
            vault.show("Ferns")
    with stage.open(BEGAN + timedelta(days=64)) as vault:
        vault.forget("Viola")
        vault.move("Gauge", "archived")
        vault.pin("Ferns")
        ferns = vault.find("Ferns").path
    _damage(stage.root / doubled, stage.root / ferns)
    with stage.open() as vault:
        vault.freshen()


def _damage(heron: Path, ferns: Path) -> None:
    """Something for the doctor: copies that a syncing program left, one with other fields, one with another text."""
    for note, old, new in ((heron, "tags: []", "tags: [bird]"), (ferns, "every other morning", "every morning")):
        copy = note.with_name(f"{note.stem}.sync-conflict-20260130-093000-ABCDEF.md")
        copy.write_text(note.read_text().replace(old, new))


def _lay_outside(folder: Path) -> None:
    rows = (
        _turn("user", "I live in Hollin and my brother Aron repairs gauges for a living."),
        _turn("assistant", "Noted: Aron repairs gauges."),
        _turn("user", "Remember this: the spare modem lies in the green box."),
    )
    lines = [json.dumps({**row, "uuid": f"u{number}"}) + "\n" for number, row in enumerate(rows)]
    (folder / f"{TALK}.jsonl").write_text("".join(lines))
    (folder / "claude").mkdir()
    text = "---\nname: tabs\ndescription: Tabs\nmetadata:\n  type: feedback\n---\n\nNoor wants tabs in all code.\n"
    (folder / "claude" / "tabs.md").write_text(text)
    (folder / "claude" / "MEMORY.md").write_text("# Memory\n\n- [Tabs](tabs.md) - tabs\n")


def _turn(role: str, text: str) -> dict[str, object]:
    return {
        "type": role,
        "sessionId": TALK,
        "timestamp": "2026-04-13T10:00:00.000Z",
        "cwd": "/home/noor/boat",
        "message": {"role": role, "content": text},
    }


def _lay_over_git(stage: Stage) -> None:
    """A laptop that has handed something on, and a desk that has not fetched it and has changed the same note."""
    hub = stage.folder / "hub.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(hub)], check=True)
    with stage.open() as vault:
        vault.sync_init(remote="../hub.git")
        vault.sync_run()
        boat = vault.find("Boat").path
    subprocess.run(["git", "clone", "--quiet", str(hub), str(stage.folder / "laptop")], check=True)
    with stage.open(root="laptop", home="laptop-home") as vault:
        vault.sync_init()
        vault.edit("Boat", append=SAID["elsewhere"])
        vault.remember(f"{SAID['elsewhere']} It is red.", title="Ferry", near="ignore")
        vault.move("Ferns", "hot")
        vault.sync_run()
    note = stage.root / boat
    note.write_text(note.read_text().replace("\nThe boat", "\nTyped by hand.\n\nThe boat"))
    with stage.open() as vault:
        vault.edit("Ferns", append="They like the shade.")


# -- what must hold


@contextmanager
def same_chances() -> Iterator[None]:
    """Names made by chance come out the same each time, and are those of a process that is no more."""
    made = Random(7)
    with patch.object(os, "urandom", made.randbytes), patch.object(os, "getpid", lambda: _NOBODY):
        yield


def tree(stage: Stage) -> dict[str, bytes]:
    """Every note of the vault, the trash included."""
    notes = (path for path in stage.root.rglob("*.md") if ".git" not in path.relative_to(stage.root).parts)
    return {str(path.relative_to(stage.root)): masked(path.read_bytes()) for path in notes}


def masked(data: bytes) -> bytes:
    """A note but for its ids, which are another each time that it is made."""
    return _ID.sub(b"(an id)", data)


def talks(stage: Stage) -> str:
    """What the archived conversations say, as far as they are whole."""
    return "".join(_unpacked(path.read_bytes()) for path in sorted(stage.root.rglob("*.gz")))


def _unpacked(data: bytes) -> str:
    text = b""
    while data:
        member = zlib.decompressobj(wbits=31)
        try:
            text += member.decompress(data)
        except zlib.error:
            break
        data = member.unused_data
    return text.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Expected:
    """How a way ends when nothing goes wrong, and every content that a note has on the way there."""

    way: Way
    before: dict[str, bytes]
    after: dict[str, bytes]
    known: frozenset[bytes] = field(repr=False)


def troubles(stage: Stage, expected: Expected, *, acknowledged: bool) -> list[str]:
    """What the next command finds wrong; with `acknowledged`, what was said to be done must be there."""
    try:
        with stage.open(LATER) as vault:
            vault.remember("Another day has come.", title="Zz later")
            begun = [op.op for op in vault.log() if op.state == "begun"]
    except MemvaultError as error:
        return [f"the next command fails: {error}"]
    found = {path: data for path, data in tree(stage).items() if "zz-later" not in path}
    told = [f"{op} stands as begun" for op in begun]
    torn = [path for path, data in found.items() if not _is_whole(path, data, expected)]
    told += [f"{path} is neither as it was nor as it is to be" for path in torn]
    told += [*_lost(found, expected.way), *_torn_bundle(stage)]
    if acknowledged:
        told += _undone(stage, found, expected)
    return told + _litter(stage.root)


def repeated(stage: Stage, expected: Expected) -> list[str]:
    """What is wrong once the same was done again, where that brings it to its end."""
    try:
        with stage.open(LATER + timedelta(minutes=1)) as vault:
            expected.way.act(vault)
    except MemvaultError as error:
        return [f"doing it again fails: {error}"]
    found = tree(stage)
    return _lost(found, expected.way) + _missing(stage, found, expected.way)


def _is_whole(path: str, data: bytes, expected: Expected) -> bool:
    """Whether a note is as it was or as it is to be; what is made of whatever notes there are may be otherwise, and whole."""
    if data in expected.known:
        return True
    if path == "CLAUDE.md":
        return data.rstrip().endswith(b"-->")
    block = frontmatter.parse(data)
    return expected.way.over_git and bool(block.fields.get("id")) and not block.problem and not MARKERS.search(data)


def _torn_bundle(stage: Stage) -> list[str]:
    """What went out of the vault is the older bundle, or a whole one."""
    path = stage.folder / "out" / "bundle.zip"
    if path.read_bytes() == OLDER:
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            return [f"{name} in the bundle is damaged" for name in (archive.testzip(),) if name]
    except zipfile.BadZipFile as error:
        return [f"the bundle is torn: {error}"]


def _lost(found: dict[str, bytes], way: Way) -> list[str]:
    whole = _whole(found)
    kept = [text for name, text in SAID.items() if name not in way.takes and name != "elsewhere"]
    return [f"{text!r} is lost" for text in kept if text not in whole]


def _missing(stage: Stage, found: dict[str, bytes], way: Way) -> list[str]:
    whole = _whole(found) + talks(stage)
    still = [f"{SAID[name]!r} is there still" for name in way.takes if SAID[name] in whole]
    return still + [f"{text!r} is not there" for text in way.brings if text not in whole]


def _undone(stage: Stage, found: dict[str, bytes], expected: Expected) -> list[str]:
    after = expected.after
    differing = sorted(name for name in found.keys() | after.keys() if found.get(name) != after.get(name))
    told = [f"what was said to be done is not: {differing}"] if differing else []
    return told + _missing(stage, found, expected.way)


def _whole(found: dict[str, bytes]) -> str:
    return b"\n".join(found.values()).decode("utf-8", "replace")


def _litter(root: Path) -> list[str]:
    """Temporary files that nobody would ever clear away."""
    left = [path for path in root.rglob("*.tmp") if ".git" not in path.parts]
    return [f"{path.name} stays for good" for path in left if path not in files.leftovers(path.parent)]
