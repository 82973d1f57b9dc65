"""Merge another machine's commits, find notes that git mixed, and take an unfinished merge back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from memvault.errors import ChangedMeanwhile, ContestedElsewhere, GitFailed, GitLocked, OtherVault, UnfinishedMerge
from memvault.storage import frontmatter
from memvault.storage.merging.merge_note import MARKERS
from memvault.storage.vault import vault_file as charter
from memvault.sync import merge_records, repository
from memvault.sync.checkout import check_out
from memvault.sync.commit import committer_options as committer
from memvault.sync.merge_driver import VAULT_FILE, MergeContext
from memvault.sync.merge_trees import SyncAccount, TreeMerge, changed_paths, note_id
from memvault.sync.repository import OURS, SyncTree
from memvault.system import files
from memvault.system.git_objects import Listing, list_commit, merge_base, read_blobs

_MERGES = 30  # that are looked at, the last ones
_TELLING = 12  # letters of a line that two memories hardly say alike by chance


def find_mixed_notes(tree: SyncTree) -> Iterator[tuple[str, str, str]]:
    """Yield the notes that have text of another memory, which that is, and the merge since which they have it.

    memvault's own merges are passed over, as they go by ids.
    """
    if not tree.has_commits():
        return
    log = tree.git.run_text("log", "--merges", f"--max-count={_MERGES}", "--format=%H%x09%P%x09%s", "HEAD")
    for row in log.splitlines():
        commit, parents, subject = row.split("\t", 2)
        if subject != OURS and len(parents.split()) == 2:
            yield from _mixed_in_merge(tree, commit, *parents.split())


def _mixed_in_merge(tree: SyncTree, commit: str, one: str, two: str) -> Iterator[tuple[str, str, str]]:
    made, sides = list_commit(tree.git, commit), (list_commit(tree.git, one), list_commit(tree.git, two))
    fresh = [
        path
        for path, entry in made.items()
        if _is_note(tree, path) and entry.is_plain and all(side.get(path) != entry for side in sides)
    ]
    if not fresh:
        return
    every = (merge_base(tree.git, one, two), *sides)
    known = _lines_by_id(tree, every, [path for path in changed_paths(*every) if _is_note(tree, path)])
    data = read_blobs(tree.git, (made[path].blob for path in fresh))
    for path in fresh:
        note = data[made[path].blob]
        own = known.get(note_id(note), {})
        strange = {line for line in _note_lines(note) if line not in own} if own else set()
        for id_, lines in known.items():
            shared, full = strange & lines.keys(), tree.top / path
            if shared and files.is_readable_file(full) and shared & _note_lines(full.read_bytes()):
                other = next(tree.vault_path(lines[line]) or id_ for line in shared)
                yield tree.vault_path(path) or path, other, commit
                break


def _lines_by_id(tree: SyncTree, every: Collection[Listing], paths: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the lines each memory had on any side, and in which file."""
    entries = [(path, side[path]) for side in every for path in paths if path in side and side[path].is_plain]
    data: Mapping[str, bytes] = read_blobs(tree.git, (entry.blob for _, entry in entries))
    found: dict[str, dict[str, str]] = {}
    for path, entry in entries:
        note = data.get(entry.blob, b"")
        if id_ := note_id(note):
            found.setdefault(id_, {}).update(dict.fromkeys(_note_lines(note), path))
    return found


def _note_lines(note: bytes) -> set[str]:
    lines = (line.strip() for line in frontmatter.parse(note).text.split("\n"))
    return {line for line in lines if len(line) >= _TELLING}


def _is_note(tree: SyncTree, path: str) -> bool:
    own = tree.vault_path(path)
    return own is not None and tree.is_note(own)


# What other machines did, merged with what was done here: a commit is made of both before any file is touched.

_TRIES = 3  # how often somebody may save or commit in the moment in which we do


def merge_context(tree: SyncTree) -> MergeContext:
    """Return what a merge has to know of this vault."""
    vault = tree.context.vault
    return MergeContext(
        charter.read_vault_file(tree.root).id,
        tree.context.zone,
        tree.context.settings.kinds,
        vault.layout.place_of,
        lambda: vault.ledger.decisions().ids_by_path,
    )


def merge_commit(tree: SyncTree, theirs: str, account: SyncAccount) -> None:
    """Bring what another machine committed into this tree; every contradiction is kept, and none decided."""
    check_same_vault(tree, theirs)
    tree.forget_facts()
    account.pulled += (
        int(tree.git.run_text("rev-list", "--count", theirs, "--not", "HEAD")) if tree.has_commits() else 0
    )
    for turn in range(_TRIES):
        attempt = SyncAccount()
        try:
            check_out(tree, _merged_commit(tree, theirs, attempt), merge_context(tree), attempt)
        except (GitFailed, GitLocked, ChangedMeanwhile):
            if turn == _TRIES - 1:
                raise
            tree.forget_facts()
            continue
        break
    account.parked += attempt.parked
    account.kept_ours += attempt.kept_ours
    account.aside += attempt.aside


def _merged_commit(tree: SyncTree, theirs: str, account: SyncAccount) -> str:
    """Return the commit to check out: theirs where nothing was done here, else a merge of both."""
    git = tree.git
    is_next = (
        not tree.has_commits() or git.run_checked("merge-base", "--is-ancestor", "HEAD", theirs, good=(0, 1)).code == 0
    )
    if is_next and (not tree.has_commits() or merge_records.has_all_records(tree, theirs)):
        return tree.refs()[theirs]
    head, other = tree.head(), tree.refs()[theirs]
    sides = (merge_base(git, head, other), list_commit(git, head), list_commit(git, other))
    settling = TreeMerge(tree, merge_context(tree), account, sides)
    changes = settling.merge_trees()
    if settling.outside:
        raise ContestedElsewhere(path=tree.top / settling.outside[0], count=len(settling.outside))
    return repository.commit_merge(tree, changes, (head, other), committer(tree))


def check_same_vault(tree: SyncTree, theirs: str) -> None:
    """Raise OtherVault where a commit is of another vault than this one."""
    found = tree.git.try_run("cat-file", "blob", f"{theirs}:{tree.prefix}{VAULT_FILE}")
    own = charter.read_vault_file(tree.root).id
    if found.code == 0 and own.encode() not in found.out:
        raise OtherVault(path=tree.root, remote=theirs)


# A merge that another program began in the vault, and could not end: taken back, so that it can be made anew.

_CLOSING = b">>>>>>> "


def check_no_merge(tree: SyncTree) -> None:
    """Raise UnfinishedMerge where git is in the middle of something that only its user can finish."""
    what = tree.unfinished_merge()
    if what and not can_take_back(tree):
        raise UnfinishedMerge(path=tree.top, what=what)


def can_take_back(tree: SyncTree) -> bool:
    """Return whether an unfinished merge left only the vault's files, and nobody has edited them since."""
    if tree.unfinished_merge() != "MERGE_HEAD" or len(files.read_file(tree.git_path("MERGE_HEAD")).split()) != 1:
        return False
    if tree.git.run_text("ls-files", "-z", "--resolve-undo", "--", ":/"):
        return False  # a person has settled a part of it
    unmerged = _unmerged_files(tree)
    return bool(unmerged) and all(_is_untouched(tree, *item) for item in unmerged.items())


def abort_merge(tree: SyncTree) -> None:
    """Give such a merge up; what lay in its files is kept a while, as after any change."""
    for path, blobs in _unmerged_files(tree).items():
        full = tree.top / path
        if full.is_file():
            whole = read_blobs(tree.git, blobs)
            files.replace_note(
                full, whole[blobs[0]], expected=files.read_file(full), hold=tree.context.vault.displaced_folder
            )
    if tree.git.try_run("merge", "--abort").code:
        raise UnfinishedMerge(path=tree.top, what="MERGE_HEAD")


def _unmerged_files(tree: SyncTree) -> dict[str, list[str]]:
    """Return the files that git could not merge, from the repository's top, each with its versions."""
    found: dict[str, list[str]] = {}
    for row in tree.git.try_run("ls-files", "-z", "--unmerged", "--full-name", "--", ":/").names():
        about, _, path = row.partition("\t")
        found.setdefault(path, []).append(about.split()[1])
    return found


def _is_untouched(tree: SyncTree, path: str, blobs: list[str]) -> bool:
    """Return whether a file is the vault's, and as git left it."""
    full = tree.top / path
    here = full.read_bytes() if full.is_file() else None
    is_left = here is None or (MARKERS.search(here) and _CLOSING in here)
    return tree.vault_path(path) is not None and bool(is_left or here in read_blobs(tree.git, blobs).values())
