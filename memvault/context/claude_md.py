"""Keep the block in CLAUDE.md, or in another agent's instruction file, as the vault has it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.context.claude_md_text import BLOCK_FORMATS, BlockBudgets, BuiltBlock, OmittedMemory, build_block
from memvault.context.eligible import select_by_tier
from memvault.context.person_card import build_card, find_statements
from memvault.core.memory import Memory
from memvault.core.plan import CreateFile, Plan, PlanChange, RewriteNote, WriteOutside
from memvault.core.query import NO_FILTERS
from memvault.errors import BadInput, MemvaultError, NoPlaceForBlock, NotAPlainFile, NotText
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import refusal_reason
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system import project as projects
from memvault.text.managed_block import find_block, write_block

OWN_FILE = "CLAUDE.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeMdResult:
    """The result of updating a block: the file, the block, whether the file differed, and what is left out."""

    path: str
    format: str
    text: str
    changed: bool
    current: bool
    left_out: tuple[OmittedMemory, ...] = ()
    unlisted: int = 0
    notes: tuple[str, ...] = ()
    op: str = ""


@dataclass(frozen=True, slots=True)
class _BlockFile:
    """A file for a block: its real path, its vault path if it is in the vault, its bytes if it exists."""

    path: Path
    inside: str
    data: bytes | None


def write_claude_md(
    context: VaultContext,
    *,
    target: Path | None = None,
    format: str = "claude",  # noqa: A002 - the option's name
    project: str = "",
    check: bool = False,
    dry_run: bool = False,
) -> ClaudeMdResult:
    """Update the block in one file; with `check` or `dry_run`, only say whether it is current."""
    if format not in BLOCK_FORMATS:
        raise BadInput(what="the format", value=format, reason=f"it must be one of {', '.join(BLOCK_FORMATS)}")
    place = _find_file(context, target, format)
    context.refresh()
    memories = context.index.memories(NO_FILTERS)
    of = project or ("" if place.inside else projects.project_of(place.path.parent))
    built = _build_block(context, memories, context.read_text, format, of)
    data = _renew_block(place, built.text, format)
    differs = data != place.data
    op = ""
    if differs and not (check or dry_run):
        if not place.inside:
            files.make_folder(place.path.parent)
        op = apply_one(Plan("claude-md", (_plan_change(place, data),)), context).op
    # A rule file that somebody else began may lack what makes its agent read it.
    is_unread = BLOCK_FORMATS[format].preamble and b"alwaysApply: true" not in data
    name = place.path.name
    unread = [f"{name} lacks `alwaysApply: true` at its top, so that Cursor reads it only when asked to."]
    return ClaudeMdResult(
        path=place.inside or str(place.path),
        format=format,
        text=built.text,
        changed=bool(op),
        current=not differs or bool(op),
        left_out=built.left_out,
        unlisted=built.unlisted,
        notes=(*built.notes, *(unread if is_unread else ())),
        op=op,
    )


def plan_claude_md(
    context: VaultContext, memories: Sequence[Memory], read: Callable[[Memory], str]
) -> tuple[PlanChange, ...]:
    """Return the change that updates the vault's own CLAUDE.md; none if it is current or not wanted."""
    if context.settings.text("claude_md.write") == "manual":
        return ()
    try:
        place = _find_file(context, context.vault.root / OWN_FILE, "claude")
        if place.inside != OWN_FILE:
            return ()
        # A new file is begun in a vault of ours, and the block of another's only kept up where there is one.
        if (
            context.vault.vault_file.adopted
            if place.data is None
            else find_block(place.data, path=place.inside) is None
        ):
            return ()
        built = _build_block(context, memories, read, "claude", "")
        data = _renew_block(place, built.text, "claude")
    except MemvaultError:  # a file that cannot hold the block stops no maintenance; `claude-md` says what is wrong
        return ()
    return (_plan_change(place, data),) if data != place.data else ()


def _build_block(
    context: VaultContext,
    memories: Sequence[Memory],
    read: Callable[[Memory], str],
    format: str,  # noqa: A002
    project: str,
) -> BuiltBlock:
    number = context.settings.integer
    budgets = BlockBudgets(
        identity=number("claude_md.identity_tokens"),
        hot=number("claude_md.hot_tokens"),
        index=number("claude_md.index_tokens"),
    )
    material, notes = select_by_tier(
        memories,
        read,
        now=context.here,
        folders=context.settings.texts("inject.folders"),
        project=project,
        kinds=context.settings.kinds,
    )
    card = build_card(find_statements(context, project, planned=memories))
    built = build_block(material, budgets, format, {one.memory.id: one.line for one in card})
    return BuiltBlock(text=built.text, left_out=built.left_out, unlisted=built.unlisted, notes=(*built.notes, *notes))


def _renew_block(place: _BlockFile, block: str, format: str) -> bytes:  # noqa: A002
    shown = place.inside or str(place.path)
    return write_block(place.data or b"", block, preamble=BLOCK_FORMATS[format].preamble, path=shown)


def _plan_change(place: _BlockFile, data: bytes) -> PlanChange:
    version = "" if place.data is None else files.digest(place.data)
    had_one = place.data is not None and find_block(place.data, path=place.inside) is not None
    why = "brought its block up to date" if had_one else "added the block of what is remembered"
    if not place.inside:
        return WriteOutside(str(place.path), data, version, why)
    return CreateFile(place.inside, data, why) if place.data is None else RewriteNote(place.inside, data, version, why)


# -- the file


def _find_file(context: VaultContext, target: Path | None, format: str) -> _BlockFile:  # noqa: A002
    """Return the file for the block; refuse a missing folder, or a file that is no place for a block."""
    named = _file_for_target(context.vault.root if target is None else target.expanduser(), format)
    folder = Path(os.path.realpath(named.parent))
    # The folder of an agent's rules may be made in a folder that is there; any other was mistyped.
    parts = Path(BLOCK_FORMATS[format].file).parts
    is_rules = named.parts[-len(parts) :] == parts and named.parents[len(parts) - 1].is_dir()
    if not folder.is_dir() and not is_rules:
        raise NoPlaceForBlock(path=named, reason=f"there is no folder {named.parent}")
    path = folder / named.name
    if reason := refusal_reason(path):
        raise NoPlaceForBlock(path=named, reason=reason)
    root = Path(os.path.realpath(context.vault.root))
    inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
    if inside and context.vault.place_of(inside) is not None:
        raise NoPlaceForBlock(path=named, reason="it is a memory, and a block in it would be remembered in turn")
    return _BlockFile(path, inside, _read_data(path))


def _file_for_target(target: Path, format: str) -> Path:  # noqa: A002
    """Return the file that a target means: itself or, in a folder, the file that this agent looks for."""
    absolute = Path(os.path.abspath(target))  # noqa: PTH100 - without `..`, but links stay as they are named
    if not absolute.is_dir():
        return absolute
    parts = Path(BLOCK_FORMATS[format].file).parts
    # Where the rules folder itself was named, or the one above it, that much of the way is gone already.
    gone = next((count for count in range(len(parts) - 1, 0, -1) if absolute.parts[-count:] == parts[:count]), 0)
    usual = absolute.joinpath(*parts[gone:])
    tucked_away = absolute / ".claude" / OWN_FILE
    return tucked_away if format == "claude" and tucked_away.is_file() and not usual.exists() else usual


def _read_data(path: Path) -> bytes | None:
    if not os.path.lexists(path):
        return None
    if path.is_symlink() or (path.is_file() and path.stat().st_nlink > 1):
        what = "a symbolic link" if path.is_symlink() else "a file with several names (hard links)"
        raise NotAPlainFile(path=path, what=what)
    data = files.read_file(path)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise NotText(what=str(path), byte=error.start + 1) from None
    return data


# The blocks in the instruction files that Claude Code loads by itself.

_NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/memvault.md")
_OWN = ("CLAUDE.md", "rules/memvault.md")  # below the folder of its settings
_MOST_FOLDERS = 32  # above the one in which it works
_MOST_BYTES = 1_000_000
_IMPORT = re.compile(r"^@((?:\\ |\S)+\.md)\s*$", re.MULTILINE)


def claude_md_blocks(folder: Path | None, home: Path) -> tuple[str, ...]:
    """Return our blocks in the instructions that are loaded in a folder, with imports; `home` is Claude's."""
    found: dict[Path, str] = {}
    folders = (folder, *folder.parents)[:_MOST_FOLDERS] if folder else ()
    for path in (*(home / name for name in _OWN), *(each / name for each in folders for name in _NAMES)):
        if not (text := _read_text(path)):
            continue
        found[path] = _cut_block(text)
        for imported in _find_imports(text, path):
            if imported not in found:
                found[imported] = _cut_block(_read_text(imported))
    return tuple(block for block in found.values() if block)


def _find_imports(text: str, path: Path) -> Iterator[Path]:
    for found in _IMPORT.finditer(text):
        named = found[1].replace("\\ ", " ")
        with suppress(RuntimeError):  # a home that nobody knows
            yield path.parent / Path(named).expanduser()


def _read_text(path: Path) -> str:
    with suppress(MemvaultError, OSError, ValueError):  # what is imported may be no name of a file
        found = path.stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES:
            return files.read_file(path).decode(errors="replace").replace("\r\n", "\n")
    return ""


def _cut_block(text: str) -> str:
    data = text.encode()
    with suppress(MemvaultError):  # marks that do not match enclose nothing reliable
        if found := find_block(data, path=""):
            return data[found.start : found.end].decode()
    return ""
