"""Memories that git mixed where it merged by itself: two much alike, of which it took one for the other's new name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from memvault.errors import ChangedMeanwhile, ContestedElsewhere, GitFailed, GitLocked, OtherVault, UnfinishedMerge
from memvault.storage import frontmatter
from memvault.storage.vault import vault_file as charter
from memvault.sync import merge_records, repository
from memvault.sync.checkout import land
from memvault.sync.commit import identity as committer
from memvault.sync.merge_driver import CHARTER, Known
from memvault.sync.merge_notes import Account, Settling, changed, note_id
from memvault.sync.merging.note import MARKERS
from memvault.sync.repository import OURS, Listing, Tree, base, contents, listing
from memvault.system import files

_MERGES = 30  # that are looked at, the last ones
_TELLING = 12  # letters of a line that two memories hardly say alike by chance


class Mixed(NamedTuple):
    """A note that says what another memory said, and the merge since which it does."""

    path: str
    other: str
    commit: str


def mixed(tree: Tree) -> Iterator[Mixed]:
    """The notes that are mixed still; merges of memvault's own are not looked at, as they go by ids."""
    if not tree.is_born():
        return
    told = tree.git.do("log", "--merges", f"--max-count={_MERGES}", "--format=%H%x09%P%x09%s", "HEAD")
    for row in told.splitlines():
        commit, parents, subject = row.split("\t", 2)
        if subject != OURS and len(parents.split()) == 2:
            yield from _in_merge(tree, commit, *parents.split())


def _in_merge(tree: Tree, commit: str, one: str, two: str) -> Iterator[Mixed]:
    made, sides = listing(tree.git, commit), (listing(tree.git, one), listing(tree.git, two))
    fresh = [path for path, entry in made.items() if _is_note(tree, path) and _is_made(path, made, sides)]
    if not fresh:
        return
    every = (base(tree.git, one, two), *sides)
    known = _lines_by_id(tree, every, [path for path in changed(*every) if _is_note(tree, path)])
    data = contents(tree.git, (made[path].blob for path in fresh))
    for path in fresh:
        note = data[made[path].blob]
        own = known.get(note_id(note), {})
        strange = {line for line in _lines(note) if line not in own} if own else set()
        for id_, lines in known.items():
            if (shared := strange & lines.keys()) and _still_says(tree, path, shared):
                yield Mixed(tree.own(path) or path, next(tree.own(lines[line]) or id_ for line in shared), commit)
                break


def _is_made(path: str, made: Listing, sides: tuple[Listing, Listing]) -> bool:
    """Whether a merge made a version that neither side had."""
    return made[path].is_plain and all(side.get(path) != made[path] for side in sides)


def _lines_by_id(tree: Tree, every: Collection[Listing], paths: Collection[str]) -> dict[str, dict[str, str]]:
    """What each memory said on any side, line by line, and where."""
    entries = [(path, side[path]) for side in every for path in paths if path in side and side[path].is_plain]
    data: Mapping[str, bytes] = contents(tree.git, (entry.blob for _, entry in entries))
    found: dict[str, dict[str, str]] = {}
    for path, entry in entries:
        note = data.get(entry.blob, b"")
        if id_ := note_id(note):
            found.setdefault(id_, {}).update(dict.fromkeys(_lines(note), path))
    return found


def _lines(note: bytes) -> set[str]:
    lines = (line.strip() for line in frontmatter.parse(note).text.split("\n"))
    return {line for line in lines if len(line) >= _TELLING}


def _still_says(tree: Tree, path: str, lines: set[str]) -> bool:
    full = tree.top / path
    return files.is_there(full) and bool(lines & _lines(full.read_bytes()))


def _is_note(tree: Tree, path: str) -> bool:
    own = tree.own(path)
    return own is not None and tree.is_note(own)


# What other machines did, merged with what was done here: a commit is made of both before any file is touched.

_TRIES = 3  # how often somebody may save or commit in the moment in which we do


def known(tree: Tree) -> Known:
    """What a merge has to know of this vault."""
    vault = tree.bench.vault
    return Known(
        charter.read(tree.root).id,
        tree.bench.zone,
        tree.bench.settings.kinds,
        vault.layout.place,
        lambda: vault.ledger.decisions().ids_by_path,
    )


def merge(tree: Tree, theirs: str, account: Account) -> None:
    """Bring what another machine committed into this tree; every contradiction is kept, and none decided."""
    check_same_vault(tree, theirs)
    tree.forget()
    account.pulled += int(tree.git.do("rev-list", "--count", theirs, "--not", "HEAD")) if tree.is_born() else 0
    for turn in range(_TRIES):
        told = Account()
        try:
            land(tree, _after_both(tree, theirs, told), known(tree), told)
        except (GitFailed, GitLocked, ChangedMeanwhile):
            if turn == _TRIES - 1:
                raise
            tree.forget()
            continue
        break
    account.parked += told.parked
    account.kept_ours += told.kept_ours
    account.aside += told.aside


def _after_both(tree: Tree, theirs: str, account: Account) -> str:
    """The commit to go on to: theirs, where nothing was done here, or one made of both."""
    git = tree.git
    is_next = not tree.is_born() or git.answer("merge-base", "--is-ancestor", "HEAD", theirs, good=(0, 1)).code == 0
    if is_next and (not tree.is_born() or merge_records.are_all_in(tree, theirs)):
        return tree.refs()[theirs]
    head, other = tree.head(), tree.refs()[theirs]
    sides = repository.base(git, head, other), repository.listing(git, head), repository.listing(git, other)
    settling = Settling(tree, known(tree), account, sides)
    changes = settling.settled()
    if settling.elsewhere:
        raise ContestedElsewhere(path=tree.top / settling.elsewhere[0], count=len(settling.elsewhere))
    return repository.made(tree, changes, (head, other), committer(tree))


def check_same_vault(tree: Tree, theirs: str) -> None:
    """OtherVault where a commit is of another vault than this one."""
    found = tree.git.ask("cat-file", "blob", f"{theirs}:{tree.prefix}{CHARTER}")
    own = charter.read(tree.root).id
    if found.code == 0 and own.encode() not in found.out:
        raise OtherVault(path=tree.root, remote=theirs)


# A merge that another program began in the vault, and could not end: taken back, so that it can be made anew.

_CLOSING = b">>>>>>> "


def check(tree: Tree) -> None:
    """UnfinishedMerge where git is in the middle of something that only whoever began it can end."""
    what = tree.unfinished()
    if what and not is_ours_to_settle(tree):
        raise UnfinishedMerge(path=tree.top, what=what)


def is_ours_to_settle(tree: Tree) -> bool:
    """Whether all that is left of a merge is files of the vault, at which nobody has worked since."""
    if tree.unfinished() != "MERGE_HEAD" or len(files.read(tree.in_git("MERGE_HEAD")).split()) != 1:
        return False
    if tree.git.do("ls-files", "-z", "--resolve-undo", "--", ":/"):
        return False  # a person has settled a part of it
    unmerged = _unmerged(tree)
    return bool(unmerged) and all(
        tree.own(item[0]) is not None and _is_untouched(tree, *item) for item in unmerged.items()
    )


def take_back(tree: Tree) -> None:
    """Give such a merge up; what lay in its files is kept a while, as after any change."""
    for path, blobs in _unmerged(tree).items():
        full = tree.top / path
        if full.is_file():
            whole = contents(tree.git, blobs)
            files.replace(full, whole[blobs[0]], expected=files.read(full), hold=tree.bench.vault.held)
    if tree.git.ask("merge", "--abort").code:
        raise UnfinishedMerge(path=tree.top, what="MERGE_HEAD")


def _unmerged(tree: Tree) -> dict[str, list[str]]:
    """The files that git could not merge, from the repository's top, and the versions that it has of them."""
    found: dict[str, list[str]] = {}
    for row in tree.git.ask("ls-files", "-z", "--unmerged", "--full-name", "--", ":/").names():
        about, _, path = row.partition("\t")
        found.setdefault(path, []).append(about.split()[1])
    return found


def _is_untouched(tree: Tree, path: str, blobs: list[str]) -> bool:
    full = tree.top / path
    here = full.read_bytes() if full.is_file() else None
    if here is None or (MARKERS.search(here) and _CLOSING in here):
        return True
    return here in contents(tree.git, blobs).values()
