"""Keep the block in CLAUDE.md, or in another agent's instruction file, as the vault has it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.context.claude_md_text import FORMATS, Budgets, Drawn, LeftOut, draw
from memvault.context.eligible import sorted_out
from memvault.core.memory import Memory
from memvault.core.plan import Change, Create, Outside, Plan, Rewrite
from memvault.core.query import ANY
from memvault.errors import BadInput, MemvaultError, NoPlaceForBlock, NotAPlainFile, NotText
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import STATE
from memvault.system import files
from memvault.system import project as projects
from memvault.text.managed_block import region, with_block

OWN = "CLAUDE.md"
_ENDINGS = (".md", ".mdc", ".markdown")
_CLOSED = frozenset({".git", ".hg", ".svn", STATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a block: the file, the block itself, whether the file differed, and what the block leaves out."""

    path: str
    format: str
    text: str
    changed: bool
    current: bool
    left_out: tuple[LeftOut, ...] = ()
    unlisted: int = 0
    notes: tuple[str, ...] = ()
    op: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """A file for a block: its real path, its vault path where it lies in the vault, its bytes if it is there."""

    path: Path
    inside: str
    data: bytes | None


def claude_md(
    bench: Bench,
    *,
    target: Path | None = None,
    format: str = "claude",  # noqa: A002 - the option's name
    project: str = "",
    check: bool = False,
    dry_run: bool = False,
) -> Written:
    """Bring the block in one file up to date; with `check` or `dry_run`, only say whether it is."""
    if format not in FORMATS:
        raise BadInput(what="the format", value=format, reason=f"it must be one of {', '.join(FORMATS)}")
    place = _place(bench, target, format)
    bench.freshen()
    memories = bench.catalogue.memories(ANY)
    of = project or ("" if place.inside else projects.of(place.path.parent))
    drawn = _drawn(bench, memories, bench.text, format, of)
    data = _renewed(place, drawn.text, format)
    differs = data != place.data
    op = ""
    if differs and not (check or dry_run):
        op = apply_one(Plan("claude-md", (_change(place, data),)), bench).op
    return Written(
        path=place.inside or str(place.path),
        format=format,
        text=drawn.text,
        changed=bool(op),
        current=not differs or bool(op),
        left_out=drawn.left_out,
        unlisted=drawn.unlisted,
        notes=(*drawn.notes, *_unread(place, data, format)),
        op=op,
    )


def upkeep(bench: Bench, memories: Sequence[Memory], read: Callable[[Memory], str]) -> tuple[Change, ...]:
    """The change that brings the vault's own CLAUDE.md up to date; none where it is so, or where nobody asked."""
    if bench.settings.text("claude_md.write") == "manual":
        return ()
    try:
        place = _place(bench, bench.vault.root / OWN, "claude")
        if place.inside != OWN or not _is_wanted(bench, place):
            return ()
        drawn = _drawn(bench, memories, read, "claude", "")
        data = _renewed(place, drawn.text, "claude")
    except MemvaultError:  # a file that cannot hold the block stops no maintenance; `claude-md` says what is wrong
        return ()
    return (_change(place, data),) if data != place.data else ()


def _is_wanted(bench: Bench, place: _Place) -> bool:
    if place.data is None:
        return not bench.vault.charter.adopted
    return region(place.data, path=place.inside) is not None


def _drawn(
    bench: Bench,
    memories: Sequence[Memory],
    read: Callable[[Memory], str],
    format: str,  # noqa: A002
    project: str,
) -> Drawn:
    number = bench.settings.whole
    budgets = Budgets(
        identity=number("claude_md.identity_tokens"),
        hot=number("claude_md.hot_tokens"),
        index=number("claude_md.index_tokens"),
    )
    material, notes = sorted_out(
        memories, read, folders=bench.settings.texts("inject.folders"), project=project, kinds=bench.settings.kinds
    )
    drawn = draw(material, budgets, format)
    return Drawn(text=drawn.text, left_out=drawn.left_out, unlisted=drawn.unlisted, notes=(*drawn.notes, *notes))


def _renewed(place: _Place, block: str, format: str) -> bytes:  # noqa: A002
    shown = place.inside or str(place.path)
    return with_block(place.data or b"", block, preamble=FORMATS[format].preamble, path=shown)


def _change(place: _Place, data: bytes) -> Change:
    version = "" if place.data is None else files.digest(place.data)
    had_one = place.data is not None and region(place.data, path=place.inside) is not None
    why = "brought its block up to date" if had_one else "added the block of what is remembered"
    if not place.inside:
        return Outside(str(place.path), data, version, why)
    return Create(place.inside, data, why) if place.data is None else Rewrite(place.inside, data, version, why)


def _unread(place: _Place, data: bytes, format: str) -> tuple[str, ...]:  # noqa: A002
    """A rule file that somebody else began may lack what makes its agent read it."""
    needed = FORMATS[format].preamble
    if not needed or b"alwaysApply: true" in data:
        return ()
    return (f"{place.path.name} lacks `alwaysApply: true` at its top, so that Cursor reads it only when asked to.",)


# -- the file


def _place(bench: Bench, target: Path | None, format: str) -> _Place:  # noqa: A002
    """The one file that is meant; a folder that is not there, or a file that is no place for a block, is refused."""
    named = _file(bench.vault.root if target is None else target.expanduser(), format)
    folder = Path(os.path.realpath(named.parent))
    if not folder.is_dir():
        raise NoPlaceForBlock(path=named, reason=f"there is no folder {named.parent}")
    path = folder / named.name
    if reason := place_reason(path):
        raise NoPlaceForBlock(path=named, reason=reason)
    root = Path(os.path.realpath(bench.vault.root))
    inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
    if inside and bench.vault.place(inside) is not None:
        raise NoPlaceForBlock(path=named, reason="it is a memory, and a block in it would be remembered in turn")
    return _Place(path, inside, _data(path))


def _file(target: Path, format: str) -> Path:  # noqa: A002
    """The file that a target means: itself, or in a folder the file that this format's agent looks for."""
    absolute = Path(os.path.abspath(target))  # noqa: PTH100 - without `..`, but links stay as they are named
    if not absolute.is_dir():
        return absolute
    parts = Path(FORMATS[format].file).parts
    # Where the rules folder itself was named, or the one above it, that much of the way is gone already.
    gone = next((count for count in range(len(parts) - 1, 0, -1) if absolute.parts[-count:] == parts[:count]), 0)
    usual = absolute.joinpath(*parts[gone:])
    tucked_away = absolute / ".claude" / OWN
    return tucked_away if format == "claude" and tucked_away.is_file() and not usual.exists() else usual


def place_reason(path: Path) -> str:
    """Why a file is no place for a block; empty where it is one."""
    closed = next((part for part in path.parts if part.casefold() in _CLOSED), "")
    if closed:
        return f"nothing but its owner writes into {closed}"
    if not path.name.casefold().endswith(_ENDINGS):
        return f"there is no such folder, and a file must end in {', '.join(_ENDINGS)}"
    return ""


def _data(path: Path) -> bytes | None:
    if not os.path.lexists(path):
        return None
    if path.is_symlink() or (path.is_file() and path.stat().st_nlink > 1):
        what = "a symbolic link" if path.is_symlink() else "a file with several names (hard links)"
        raise NotAPlainFile(path=path, what=what)
    data = files.read(path)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise NotText(what=str(path), byte=error.start + 1) from None
    return data


# What Claude Code reads of a vault by itself: the blocks in its instructions, in every file that it loads.

_NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/memvault.md")
_OWN = ("CLAUDE.md", "rules/memvault.md")  # below the folder of its settings
_MOST_FOLDERS = 32  # above the one in which it works
_MOST_BYTES = 1_000_000
_IMPORT = re.compile(r"^@((?:\\ |\S)+\.md)\s*$", re.MULTILINE)


def blocks(folder: Path | None, home: Path) -> tuple[str, ...]:
    """Our blocks in the instructions that are loaded in a folder, with those that they import; `home` is Claude's."""
    found: dict[Path, str] = {}
    for path in (*(home / name for name in _OWN), *_in_project(folder)):
        if not (text := _text(path)):
            continue
        found[path] = _block(text)
        for imported in _imports(text, path):
            if imported not in found:
                found[imported] = _block(_text(imported))
    return tuple(block for block in found.values() if block)


def _in_project(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    for each in (folder, *folder.parents)[:_MOST_FOLDERS]:
        yield from (each / name for name in _NAMES)


def _imports(text: str, path: Path) -> Iterator[Path]:
    for found in _IMPORT.finditer(text):
        named = found[1].replace("\\ ", " ")
        with suppress(RuntimeError):  # a home that nobody knows
            yield path.parent / Path(named).expanduser()


def _text(path: Path) -> str:
    with suppress(MemvaultError, OSError, ValueError):  # what is imported may be no name of a file
        found = path.stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES:
            return files.read(path).decode(errors="replace").replace("\r\n", "\n")
    return ""


def _block(text: str) -> str:
    data = text.encode()
    with suppress(MemvaultError):  # marks that do not belong together carry nothing that could be relied on
        if found := region(data, path=""):
            return data[found.start : found.end].decode()
    return ""
