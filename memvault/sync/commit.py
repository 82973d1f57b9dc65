"""Commit what changed in a vault in small units: a person's own changes apart from memvault's."""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memvault.errors import GitFailed
from memvault.storage.journal import tombstones
from memvault.storage.vault.layout import STATE
from memvault.sync.merge_trees import note_id
from memvault.sync.repository import SyncTree, find_private_text, read_present, stay_here
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
    changed = tree.changed_files()
    staying = frozenset(stay_here(tree.context.vault, changed))
    paths = [path for path in changed if path not in staying]
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
    here = [read_present(tree.root / path) or b"" for path in held]
    ids, names = {note_id(raw) for raw in here} - {""}, {path.rpartition("/")[2] for path in held}
    for path in gone:
        shown = tree.git.try_run("cat-file", "blob", f"HEAD:{tree.prefix}{path}")
        if shown.code:  # what nobody can look at stays, too
            yield path
            continue
        lines, id_ = {line for line in shown.out.splitlines() if line.strip()}, note_id(shown.out)
        is_much_alike = any(2 * len(lines & set(other.splitlines())) >= len(lines) for other in here)
        if id_ in ids or (not id_ and (path.rpartition("/")[2] in names or is_much_alike)):
            yield path


def commit_unit(tree: SyncTree, unit: CommitUnit) -> None:
    """Commit one unit without what vanished meanwhile; what else a person has staged stays staged."""
    paths = unit.paths
    while paths:
        try:
            _commit_paths(tree, paths, unit.subject)
        except GitFailed:
            before, paths = paths, _without_vanished(tree, paths)
            if len(paths) == len(before):
                raise
        else:
            break
    tree.forget_facts("refs", "status", "entries")


def _commit_paths(tree: SyncTree, paths: Sequence[str], subject: str) -> None:
    # Git finds no file any more that is staged as removed.
    gone = {path for path in paths if not os.path.lexists(tree.root / path)}
    staged = gone.difference(tree.tracked_files()) if gone else gone
    if known := [path for path in paths if path not in staged]:
        given = b"\0".join(path.encode("utf-8", "surrogateescape") for path in known)
        tree.git.run_text("update-index", "--add", "--remove", "-z", "--stdin", given=given)
    tree.git.run_on_paths(paths, *committer_options(tree), "commit", "--quiet", "--no-verify", "--only", "-m", subject)


def _without_vanished(tree: SyncTree, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that are there, or that git knows, so that their removal can be committed."""
    tree.forget_facts("entries")
    gone = [path for path in paths if not os.path.lexists(tree.root / path)]
    known = tree.git.try_run("--literal-pathspecs", "ls-tree", "-z", "--name-only", "HEAD", "--", *gone).names()
    vanished = set(gone).difference(known, tree.tracked_files())
    return tuple(path for path in paths if path not in vanished)


def committer_options(tree: SyncTree) -> tuple[str, ...]:
    """Return options that name this machine as the committer, where git knows nobody."""
    if tree.git.settings.get("user.email") or {"GIT_AUTHOR_EMAIL", "EMAIL"} & set(tree.git.environment):
        return ()
    return ("-c", "user.name=memvault", "-c", f"user.email=memvault@{socket.gethostname() or 'localhost'}")


def _split_units(tree: SyncTree, paths: Sequence[str]) -> Iterator[CommitUnit]:
    """Yield a person's changes, then what memvault was asked for, then maintenance; records go with the last."""
    records = tuple(path for path in paths if path.startswith(f"{STATE}/"))
    found: dict[tuple[str, str], str] = {}
    for operation in reversed(tree.context.vault.log.operations()):
        for step in operation.steps if operation.device == tree.context.vault.device else ():
            if step.do in ("move", "remove"):
                found[step.path, ""] = operation.verb
            found[step.to or step.path, step.after] = operation.verb
    verbs, was_purged = found, tombstones.past_purges(tree.context)
    by: dict[str, list[str]] = {}
    for path in paths:
        if path not in records:
            data = read_present(tree.root / path)
            digest = "" if data is None else files.digest(data)
            is_purged = was_purged is not None and _names_removed(tree, path, was_purged)
            by.setdefault(verbs.get((path, digest)) or (tombstones.PURGE if is_purged else ""), []).append(path)
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


def _names_removed(tree: SyncTree, path: str, was_purged: Callable[[str], bool]) -> bool:
    """Return whether a purge removed a file: the operation log does not name it."""
    if os.path.lexists(tree.root / path):
        return False
    raw = tree.git.try_run("cat-file", "blob", f"HEAD:{tree.prefix}{path}").out
    return any(was_purged(name) for name in (path, f"{path} {files.digest(raw)}", note_id(raw)) if name)


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
