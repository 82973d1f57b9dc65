"""What must hold of a vault and of the machine around it, however a way of writing ended."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from memvault.errors import AlreadyAVault, MemvaultError, NothingToDo
from memvault.storage import frontmatter
from memvault.storage.merging.merge_note import MARKERS
from memvault.system import files
from tests.stress.grounds import OLDER
from tests.stress.stage import LATER, NOW, SAID, Stage, masked
from tests.stress.ways import Way

_OWN = (".git", ".memvault")
_DERIVED = ("home/cache", "home/state", "laptop", "laptop-home", "hub.git", "carried", "out")
_SEALED = (".age", ".agekey", ".recipients", ".zip", ".gz")  # judged by what opens them
_KEYS = (".recipients",)


@dataclass(frozen=True, slots=True)
class Expected:
    """How a way ends when nothing goes wrong, and every content that a note has on the way there."""

    way: Way
    before: dict[str, bytes]
    after: dict[str, bytes]
    known: frozenset[bytes] = field(repr=False)

    def texts(self) -> frozenset[str]:
        """What notes say on the way, whatever stands above it."""
        return frozenset(frontmatter.parse(data).text for data in self.known)


def tree(stage: Stage) -> dict[str, bytes]:
    """Every file of the person's, in the vault and around it, but for its ids; private memories as they open."""
    return {name: masked(data) for name, data in (*_of_vault(stage), *_around(stage), *_opened(stage))}


def _of_vault(stage: Stage) -> Iterator[tuple[str, bytes]]:
    for path in stage.root.rglob("*"):
        inside = path.relative_to(stage.root)
        is_own = inside.parts[0] in _OWN or inside.suffix in (*_SEALED, ".tmp") or inside.name in _KEYS
        if not is_own and "transcripts" not in inside.parts and path.is_file():
            yield inside.as_posix(), path.read_bytes()


def _around(stage: Stage) -> Iterator[tuple[str, bytes]]:
    skipped = tuple(stage.folder / name for name in ("vault", *_DERIVED))
    for path in _below(stage.folder, skipped):
        if path.suffix not in (*_SEALED, ".tmp") and ".memvault" not in path.parts:
            yield f"around/{path.relative_to(stage.folder).as_posix()}", path.read_bytes()


def _below(folder: Path, skipped: tuple[Path, ...]) -> Iterator[Path]:
    for path in folder.iterdir():
        if path in skipped:
            continue
        if path.is_dir():
            yield from _below(path, skipped)
        else:
            yield path


def _opened(stage: Stage) -> Iterator[tuple[str, bytes]]:
    if any((stage.root / "private").glob("*.age")):
        with stage.open(LATER) as vault:
            opening = vault.private_memories()
        for memory in opening.memories:
            yield f"private/{memory.title}", f"{memory.title}\n{memory.body}".encode()
        for shut in opening.shut:
            yield f"private/{shut.path}", b"does not open"


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


def troubles(stage: Stage, expected: Expected, *, acknowledged: bool) -> list[str]:
    """What the next command finds wrong; with `acknowledged`, what was said to be done must be there."""
    try:
        with stage.open(LATER) as vault:
            vault.remember("Another day has come.", title="Zz later", near="ignore")
            begun = [op.op for op in vault.log() if op.state == "begun"]
            shown = not acknowledged or expected.way.shows is None or expected.way.shows(vault)
        found = {path: data for path, data in tree(stage).items() if "zz-later" not in path}
    except MemvaultError as error:
        return [f"the next command fails: {error}"]
    told = [f"{op} stands as begun" for op in begun]
    torn = [path for path, data in found.items() if not _is_whole(path, data, expected)]
    told += [f"{path} is neither as it was nor as it is to be" for path in torn]
    told += [*_lost(found, expected), *_torn_bundle(stage), *_gone(found, expected)]
    if acknowledged:
        told += _undone(stage, found, expected)
    return told + ([] if shown else ["what was said to be done does not show"]) + _litter(stage.root)


def repeated(stage: Stage, expected: Expected) -> list[str]:
    """What is wrong once the same was done again, where that brings it to its end."""
    try:
        with stage.open(LATER + timedelta(minutes=1)) as vault, suppress(NothingToDo, AlreadyAVault):
            expected.way.act(vault)
    except MemvaultError as error:
        return [f"doing it again fails: {error}"]
    found = tree(stage)
    told = [*_lost(found, expected), *_missing(stage, found, expected.way)]
    if expected.way.ends_alike:
        told += [f"{name} never came" for name in sorted(expected.after.keys() - found.keys())]
        told += [f"{path.name} stays for good" for path in (stage.folder / "home" / "config").rglob(".mv-*.tmp")]
    return told


def not_taken_back(stage: Stage, expected: Expected) -> list[str]:
    """What the log does not tell of what was interrupted and settled since, and what is otherwise once it is undone."""

    def differing() -> set[str]:
        found = {path: data for path, data in tree(stage).items() if "zz-later" not in path}
        return {path for path in found.keys() | expected.before.keys() if found.get(path) != expected.before.get(path)}

    changed = differing()
    with stage.open(LATER + timedelta(minutes=1)) as vault:
        interrupted = [op for op in vault.log() if op.steps and datetime.fromisoformat(op.at) == NOW]
        named = {path for op in interrupted for step in op.steps for path in (step.path, step.to) if path}
        for op in interrupted:
            vault.undo(op.op)
    told = [f"the log does not say that {path} was changed" for path in sorted(changed - named)]
    told += [f"the log says that {path} was changed" for path in sorted(named - changed)]
    return told + [f"{path} is not taken back" for path in sorted(differing())]


def _is_whole(path: str, data: bytes, expected: Expected) -> bool:
    """Whether a note is as it was or as it is to be; what is made of whatever notes there are may be otherwise, and whole."""
    if data in expected.known:
        return True
    if path.rpartition("/")[2] == "CLAUDE.md":
        return data.rstrip().endswith(b"-->")
    block = frontmatter.parse(data)
    is_sound = bool(block.fields.get("id")) and not block.problem and not MARKERS.search(data)
    return is_sound and (expected.way.over_git or (expected.way.makes_do and _is_said(block.text, expected)))


def _is_said(text: str, expected: Expected) -> bool:
    """Whether a note has a text that it was to have; what is said of it may be otherwise."""
    return text in expected.texts() or any(brought in text for brought in expected.way.brings)


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


def _lost(found: dict[str, bytes], expected: Expected) -> list[str]:
    had, whole = _whole(expected.before), _whole(found)
    kept = [text for name, text in SAID.items() if name not in expected.way.takes and text in had]
    return [f"{text!r} is lost" for text in kept if text not in whole]


def _gone(found: dict[str, bytes], expected: Expected) -> list[str]:
    """Files of other programs and of the person that were there before and after, and are not now."""
    stay = (name for name in expected.before.keys() & expected.after.keys() if name.startswith("around/"))
    return [f"{name} is gone" for name in sorted(stay) if name not in found]


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
    return [f"{path.name} stays for good" for path in left if path not in files.orphaned_files(path.parent)]
