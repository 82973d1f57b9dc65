"""Commit what changed in a vault in small units: a person's own changes apart from memvault's."""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memvault.core.plan import Operation
from memvault.storage.journal import tombstones
from memvault.storage.vault.layout import STATE
from memvault.sync.merge_trees import note_id
from memvault.sync.repository import SyncTree, find_private_text, may_travel
from memvault.system import files

_NAMED = 3
_UPKEEP = "maintain"


@dataclass(frozen=True, slots=True)
class CommitUnit:
    """One commit: its subject, and its files."""

    subject: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PendingCommits:
    """The commits that a run would make, and the files that it holds back for their private text."""

    units: tuple[CommitUnit, ...]
    held: tuple[str, ...]
    left_out: tuple[str, ...] = ()  # repositories inside the vault
    ignored: tuple[str, ...] = ()  # memories that git ignores


def pending_commits(tree: SyncTree) -> PendingCommits:
    """Sort the changes since the last commit by who made them, and leave out what must stay here."""
    settings = tree.context.settings
    can_travel = may_travel(tree.context.vault.layout, with_transcripts=settings.flag("sync.transcripts"))
    paths = [path for path in tree.changed_files() if can_travel(path)]
    held = find_private_text(tree, paths) if settings.text("sync.private_text") == "hold" else ()
    stays = {*held, *former_paths(tree, held, paths)}
    going = [path for path in paths if path not in stays]
    others = tree.inner_repositories(), tree.ignored_memories()
    if going and not tree.has_commits():
        return PendingCommits((CommitUnit("Start syncing this vault", tuple(going)),), held, *others)
    return PendingCommits(tuple(_split_units(tree, going)), held, *others)


def former_paths(tree: SyncTree, held: Sequence[str], changed: Sequence[str]) -> Iterator[str]:
    """Yield where held notes lay before they were moved; committed, these paths would be deletions elsewhere."""
    gone = [path for path in changed if not (tree.root / path).exists()] if held else []
    if not gone:
        return
    here = [(tree.root / path).read_bytes() for path in held]
    ids, names = {note_id(raw) for raw in here} - {""}, {path.rpartition("/")[2] for path in held}
    for path in gone:
        shown = tree.git.try_run("cat-file", "blob", f"HEAD:{tree.prefix}{path}")
        if shown.code:  # what nobody can look at stays, too
            yield path
            continue
        raw = shown.out
        lines = {line for line in raw.splitlines() if line.strip()}
        is_much_alike = any(2 * len(lines & set(other.splitlines())) >= len(lines) for other in here)
        id_ = note_id(raw)
        if id_ in ids or (not id_ and (path.rpartition("/")[2] in names or is_much_alike)):
            yield path


def commit_unit(tree: SyncTree, unit: CommitUnit) -> None:
    """Commit one unit; what else a person has staged stays staged."""
    if known := _known_to_git(tree, unit.paths):
        given = b"\0".join(path.encode("utf-8", "surrogateescape") for path in known)
        tree.git.run_text("update-index", "--add", "--remove", "-z", "--stdin", given=given)
    tree.git.run_on_paths(
        unit.paths, *committer_options(tree), "commit", "--quiet", "--no-verify", "--only", "-m", unit.subject
    )
    tree.forget_facts("refs", "status")


def _known_to_git(tree: SyncTree, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that git can add; those staged as removed it does not find any more."""
    gone = {path for path in paths if not os.path.lexists(tree.root / path)}
    staged = gone.difference(tree.tracked_files()) if gone else gone
    return tuple(path for path in paths if path not in staged)


def committer_options(tree: SyncTree) -> tuple[str, ...]:
    """Return options that name this machine as the committer, where git knows nobody."""
    if tree.git.settings.get("user.email") or {"GIT_AUTHOR_EMAIL", "EMAIL"} & set(tree.git.environment):
        return ()
    return ("-c", "user.name=memvault", "-c", f"user.email=memvault@{socket.gethostname() or 'localhost'}")


def _split_units(tree: SyncTree, paths: Sequence[str]) -> Iterator[CommitUnit]:
    """Yield a person's changes, then what memvault was asked for, then maintenance; records go with the last."""
    records = tuple(path for path in paths if path.startswith(f"{STATE}/"))
    verbs, purged = _last_verbs(tree), _PurgedFiles(tree)
    by: dict[str, list[str]] = {}
    for path in paths:
        if path not in records:
            verb = verbs.get((path, _file_digest(tree, path))) or (tombstones.PURGE if purged.was_purged(path) else "")
            by.setdefault(verb, []).append(path)
    if own := by.pop("", []):
        yield CommitUnit(f"By hand: {_summarize_names(tree, own)}", tuple(own))
    asked = sorted(by.items(), key=lambda item: (item[0] == _UPKEEP, item[0]))
    units = [
        CommitUnit(f"memvault {verb}: {_summarize_names(tree, touched)}", tuple(touched)) for verb, touched in asked
    ]
    if records and units:
        units[-1] = CommitUnit(units[-1].subject, (*units[-1].paths, *records))
    elif records:
        units = [CommitUnit("memvault: the records", records)]
    yield from units


def _last_verbs(tree: SyncTree) -> dict[tuple[str, str], str]:
    """Return the command that last gave a file the bytes it has, or removed it."""
    found: dict[tuple[str, str], str] = {}
    for operation in reversed(tree.context.vault.log.operations()):
        if operation.device == tree.context.vault.device:
            found |= dict.fromkeys(_operation_results(operation), operation.verb)
    return found


class _PurgedFiles:
    """The removed files that were purged here, which the operation log does not name."""

    def __init__(self, tree: SyncTree) -> None:
        self._tree = tree
        self._was_to_go = tombstones.past_purges(tree.context)

    def was_purged(self, path: str) -> bool:
        """Return whether a purge removed a file."""
        if self._was_to_go is None or os.path.lexists(self._tree.root / path):
            return False
        raw = self._tree.git.try_run("cat-file", "blob", f"HEAD:{self._tree.prefix}{path}").out
        return any(self._was_to_go(name) for name in (path, f"{path} {files.digest(raw)}", note_id(raw)) if name)


def _operation_results(operation: Operation) -> Iterator[tuple[str, str]]:
    for step in operation.steps:
        if step.do in ("move", "remove"):
            yield step.path, ""
        yield (step.to or step.path), step.after


def _file_digest(tree: SyncTree, path: str) -> str:
    full = tree.root / path
    return files.digest(full.read_bytes()) if full.is_file() and not full.is_symlink() else ""


def _summarize_names(tree: SyncTree, paths: Sequence[str]) -> str:
    """Name a few files and count the rest; removed ones are only counted, as their names may tell too much."""
    there = [path for path in paths if os.path.lexists(tree.root / path)]
    names = [path.rpartition("/")[2].removesuffix(".md") for path in there]
    gone = sum(path.rpartition("/")[2].removesuffix(".md") not in names for path in paths if path not in there)
    doubled = {name for name, count in Counter(names).items() if count > 1}
    shown = [path if name in doubled else name for path, name in zip(there, names, strict=True)][:_NAMED]
    parts = [", ".join(shown)] if shown else []
    parts += [f"{len(there) - _NAMED} more"] if len(there) > _NAMED else []
    parts += [f"{gone} {'note' if gone == 1 else 'notes'} removed"] if gone else []
    return " and ".join(parts)
