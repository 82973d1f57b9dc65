"""Whether what a memory says of files and branches still holds: a file has a hash of the lines it speaks of."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.plan import ListEdit
from memvault.core.query import NO_FILTERS
from memvault.errors import MemvaultError
from memvault.storage.finding import DoctorFinding
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system.git import Git
from memvault.system.paths import repository_top
from memvault.system.project import project_of

OUTDATED, ELSEWHERE = "outdated", "elsewhere"
"""What a memory that was looked into says of itself, beside its own fields."""

_ROOTS_FILE = "roots.json"  # in the state folder: where each project lies on this machine
_MOST_ROOTS, _MOST_FILES, _MOST_BYTES = 200, 3, 1_000_000
_MOST_RENAMES = "500"  # commits in which a renamed file is looked for
_DIGEST = 8
_DEFAULT_BRANCHES = ("main", "master", "trunk", "develop", "HEAD", "")
_NAME = re.compile(r"`([^`\n]{2,80})`|\b([A-Za-z]\w*(?:_\w+|[a-z][A-Z]\w*)\w*|\w+\(\))")


def find_names(text: str) -> tuple[str, ...]:
    """Return what a text quotes as code, or names as code names things."""
    return tuple(dict.fromkeys((quoted or name).removesuffix("()") for quoted, name in _NAME.findall(text)))


def digest_lines(content: str, text: str) -> str:
    """Return a hash of the lines of a file that a text quotes or names; of all its lines, where it names none."""
    names = find_names(text)
    lines = [" ".join(line.split()) for line in content.splitlines()]
    named = [line for line in lines if any(name in line for name in names)]
    return hashlib.blake2b("\n".join(named or lines).encode(), digest_size=_DIGEST // 2).hexdigest()


def refer_to_files(folder: Path, paths: Iterable[str], text: str) -> tuple[str, ...]:
    """Return references to those files that a text speaks of: by their own name, or by a name that stands in them."""
    top = repository_top(folder) or folder
    found = []
    for path in dict.fromkeys(paths):
        inside = _inside(top, folder, path)
        content = _read_text(top / inside) if inside else None
        if content is None:
            continue
        stem = inside.rpartition("/")[2]
        is_named = stem.casefold() in text.casefold() or any(name in content for name in find_names(text))
        if is_named:
            found.append(f"{inside}@{digest_lines(content, text)}")
    return tuple(found[:_MOST_FILES])


def _inside(top: Path, folder: Path, path: str) -> str:
    """Return a path below the top of its repository; empty where it leads out of it."""
    with suppress(ValueError, OSError):
        return (folder / path).resolve().relative_to(top.resolve()).as_posix()
    return ""


def _read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.is_file() and path.stat().st_size <= _MOST_BYTES else None
    except (OSError, ValueError):
        return None


# -- where projects lie


def remember_root(state: Path, project: str, folder: Path) -> None:
    """Note where a project lies on this machine, so that its files are found from elsewhere."""
    top = str(repository_top(folder) or folder)
    known = _read_roots(state)
    if not project or known.get(project) == top:
        return
    known.pop(project, None)
    with suppress(MemvaultError, OSError):
        files.make_folder(state)
        kept = dict([*known.items(), (project, top)][-_MOST_ROOTS:])
        files.overwrite_file(state / _ROOTS_FILE, json.dumps(kept, ensure_ascii=False).encode())


def _read_roots(state: Path) -> dict[str, str]:
    path = state / _ROOTS_FILE
    with suppress(MemvaultError, OSError, ValueError, AttributeError):
        return {str(name): str(top) for name, top in json.loads(files.read_file(path)).items()} if path.exists() else {}
    return {}


def _root_of(context: VaultContext, memory: Memory) -> Path | None:
    project = str(memory.more.get("project", ""))
    if context.folder is not None and project in ("", project_of(context.folder)):
        return repository_top(context.folder) or context.folder
    known = _read_roots(context.state).get(project) if context.state and project else None
    return Path(known) if known and Path(known).is_dir() else None


# -- files that changed


def find_outdated(context: VaultContext, memory: Memory) -> str:
    """Return what became of the first file of a memory that is no longer as it was; empty where all are, or unknown."""
    return next((change for _, change in compare_files(context, memory) if change), "")


def compare_files(context: VaultContext, memory: Memory) -> Iterator[tuple[str, str | None]]:
    """Yield the files of a memory with what became of each: empty where it is as it was, None where nobody can tell."""
    references = [each.rpartition("@") for each in memory.refs.get("path", ())]
    # A text that was edited since names other lines than the hash is of.
    is_known = any(sign for _, sign, _ in references) and context.index.last_edit(memory.id) is None
    root = _root_of(context, memory) if is_known else None
    text = context.read_text(memory) if root else ""
    for path, sign, digest in references:
        yield (path, _change_of(root, path, digest, text) if root else None) if sign else (digest, None)


def _change_of(root: Path, path: str, digest: str, text: str) -> str | None:
    if not _inside(root, root, path):
        return None  # a reference may be a stranger's, and is followed nowhere else
    now_at, content = _read_current(root, path)
    if content is None:
        return f"written before {path} was removed"
    if digest_lines(content, text) == digest:
        return ""
    day = _changed_on(root / now_at)
    return f"written before {now_at} changed{f' on {day}' if day else ''}"


def _read_current(root: Path, path: str) -> tuple[str, str | None]:
    """Return where a file lies now and what it says; None where it went."""
    content = _read_text(root / path)
    if content is not None:
        return path, content
    now_at = find_renamed(root, path)
    return now_at, _read_text(root / now_at) if now_at else None


def renew_references(context: VaultContext, memory: Memory) -> ListEdit:
    """Return the change after which a memory refers to its files as they are now, and to none that went."""
    text, root = context.read_text(memory), _root_of(context, memory)
    gone, new = [], []
    for reference in memory.refs.get("path", ()) if root else ():
        path, _, digest = reference.rpartition("@")
        if root is None or not path or not _change_of(root, path, digest, text):
            continue
        now_at, content = _read_current(root, path)
        gone.append(reference)
        new += [] if content is None else [f"{now_at}@{digest_lines(content, text)}"]
    return ListEdit(tuple(new), tuple(gone))


def _changed_on(path: Path) -> str:
    with suppress(OSError):
        return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d}"
    return ""


def find_renamed(root: Path, path: str) -> str:
    """Return where git says that a file has gone; empty where it does not know."""
    told = _run_git(root, "log", "-M", "--diff-filter=R", "--name-status", "--format=", "-n", _MOST_RENAMES)
    rows = (line.split("\t") for line in reversed(told.splitlines()) if line.count("\t") == 2)
    went = {old: new for _, old, new in rows}
    seen: set[str] = set()
    while path in went and path not in seen:
        seen.add(path)
        path = went[path]
    return path if seen else ""


def _run_git(root: Path, *words: str) -> str:
    try:
        done = Git(root, os.environ).try_run(*words)
    except MemvaultError:
        return ""
    return done.text if done.code == 0 else ""


# -- branches


def name_branch(folder: Path) -> str:
    """Return the branch that a folder is on and its commit, where it is not one that everything comes to."""
    top = repository_top(folder)
    branch = _run_git(top, "rev-parse", "--abbrev-ref", "HEAD").strip() if top else ""
    if branch in _DEFAULT_BRANCHES or top is None:
        return ""
    return f"{branch}@{_run_git(top, 'rev-parse', '--short=12', 'HEAD').strip()}"


def find_elsewhere(context: VaultContext, memory: Memory) -> str:
    """Return the branch on which something was decided that is neither checked out nor merged here; else empty."""
    branch, _, commit = str(memory.more.get("branch", "")).rpartition("@")
    root = _root_of(context, memory) if branch else None
    if root is None:
        return ""
    return branch if _is_apart(str(root), branch, commit, _head_of(root)) else ""


def _head_of(root: Path) -> str:
    return (
        _run_git(root, "rev-parse", "--abbrev-ref", "HEAD").strip() + " " + _run_git(root, "rev-parse", "HEAD").strip()
    )


@lru_cache(maxsize=256)
def _is_apart(root: str, branch: str, commit: str, head: str) -> bool:
    """Return whether the work of a branch is not part of what is checked out."""
    if head.split(" ")[0] == branch:
        return False
    tip = _run_git(Path(root), "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}").strip()
    if tip and tip.startswith(commit):
        return True  # nothing was done on it since, so that it can have been merged nowhere
    try:
        return Git(Path(root), os.environ).try_run("merge-base", "--is-ancestor", tip or commit, "HEAD").code != 0
    except MemvaultError:
        return True


def look_into(context: VaultContext, memory: Memory) -> Memory:
    """Return a memory with a mark where its files have changed, or its branch is not merged here."""
    if not memory.refs.get("path") and not memory.more.get("branch"):
        return memory
    outdated, branch = find_outdated(context, memory), find_elsewhere(context, memory)
    marks = {OUTDATED: outdated, ELSEWHERE: f"decided on branch {branch}, not merged here" if branch else ""}
    said = {name: value for name, value in marks.items() if value}
    return memory.with_changes(more={**memory.more, **said}) if said else memory


def still_holds(context: VaultContext, memory: Memory) -> bool:
    """Return whether a memory may be given as a fact: its files are as they were, and its branch is merged here."""
    return not {OUTDATED, ELSEWHERE} & look_into(context, memory).more.keys()


def hash_references(
    context: VaultContext, refs: Mapping[str, tuple[str, ...]], text: str
) -> dict[str, tuple[str, ...]]:
    """Return references in which each file that a person named has its hash; one that is not there stays as it is."""
    bare = tuple(path for path in refs.get("path", ()) if "@" not in path)
    if not bare or context.folder is None:
        return dict(refs)
    top = repository_top(context.folder) or context.folder
    hashed = []
    for path in refs["path"]:
        inside = _inside(top, context.folder, path) if path in bare else ""
        content = _read_text(top / inside) if inside else None
        hashed.append(path if content is None else f"{inside}@{digest_lines(content, text)}")
    return {**refs, "path": tuple(hashed)}


def check_still_true(context: VaultContext) -> Iterator[DoctorFinding]:
    """Find memories that were written before a file that they speak of changed."""
    for memory in context.index.memories(NO_FILTERS):
        if memory.refs.get("path") and memory.status != "archived" and (changed := find_outdated(context, memory)):
            yield DoctorFinding(
                severity="note",
                path=memory.path,
                sentence=f"It was {changed}.",
                advice="Read it again: edit it where it no longer holds, or name the file anew with"
                f" `memvault edit {short_id(memory.id)} --set refs.path=PATH`.",
            )
