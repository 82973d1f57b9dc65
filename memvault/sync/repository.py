"""The vault's working tree as git sees it: its state, and which files may leave this machine."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TypeVar, cast

from memvault.core.secrets.private_spans import has_private
from memvault.errors import IgnoredVault, NotSynced
from memvault.privacy.private.store import ENDING, RECIPIENTS
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE, TRANSCRIPTS, TRASH
from memvault.storage.vault.vault import Vault
from memvault.system import files
from memvault.system.git import Git
from memvault.system.git_objects import TreeEntry, index_rows
from memvault.system.git_repository import GitRepository
from memvault.system.paths import read_text

_Fact = TypeVar("_Fact")
_HEAD = "ref: refs/heads/"
_ELSEWHERE = "ref: refs/heads/.invalid"  # what stands there where git keeps its refs in tables
_IGNORED, _UNTRACKED, _REPOSITORY = "!!", "??", "160000"
_UNFINISHED = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_SPOKEN_OF = re.compile(r"`</?private>`", re.IGNORECASE)
_ZIP = b"PK\x03\x04"
_TEXTS = (".md", ".markdown", ".txt", ".json", ".jsonl", ".html")  # what is looked at of a zip
_LONGEST = 200_000_000  # bytes of them
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CONVERSATIONS = (".jsonl.gz", ".sealed.age")
# What editors lay beside a file while it is open or saved: vim, nano, emacs, sed, gedit, kate, LibreOffice and Word.
_OF_EDITORS = re.compile(
    r"sed[A-Za-z0-9]{6}|4913|\..*\.sw[a-p]|.*~|[.#]#.*|#.*#|.*\.save(\.\d+)?|\.goutputstream-\w+|\..*\.kate-swp"
    r"|\.~lock\..*#|~\$.*|.*\.tmp"
)


def open_git(context: VaultContext) -> Git:
    """Return git in the vault's folder; refused where a link leads git out of the vault."""
    files.check_write(context.vault.root / ".git")  # git itself follows a link there
    return Git(context.vault.root, context.environment)


class SyncTree:
    """A vault within the working tree that it lies in. Git is asked once for each fact, until something is changed."""

    def __init__(self, git: Git, context: VaultContext, repository: GitRepository) -> None:
        self.git = git
        self.context = context
        self.repository = repository
        inside = Path(os.path.realpath(context.vault.root)).relative_to(repository.top).as_posix()
        self.prefix = "" if inside == "." else f"{inside}/"  # of the vault's folder within the repository
        self.top = repository.top
        self._known: dict[str, object] = {}

    @classmethod
    def open(cls, context: VaultContext) -> SyncTree:
        """Return the tree that the vault lies in; NotSynced where there is none."""
        git = open_git(context)
        repository = git.repository
        if repository is None or repository.is_bare:
            raise NotSynced(path=context.vault.root)
        tree = cls(git, context, repository)
        if tree.prefix and git.try_run("check-ignore", "--quiet", "--", str(context.vault.root)).code == 0:
            raise IgnoredVault(path=context.vault.root, top=tree.top)
        return tree

    @property
    def root(self) -> Path:
        """Return the vault's own folder."""
        return self.context.vault.root

    def forget_facts(self, *names: str) -> None:
        """Ask git anew for some facts, or for all: something was committed, fetched or checked out."""
        for name in names or tuple(self._known):
            self._known.pop(name, None)

    def _ask_once(self, name: str, ask: Callable[[], _Fact]) -> _Fact:
        if name not in self._known:
            self._known[name] = ask()
        return cast("_Fact", self._known[name])

    def branch(self) -> str:
        """Return the name of the branch that is checked out, empty where none is."""
        named = read_text(self.repository.git_dir / "HEAD").strip()
        if named == _ELSEWHERE:
            named = f"ref: {self.git.try_run('symbolic-ref', '--quiet', 'HEAD').text}"
        return named.removeprefix(_HEAD) if named.startswith(_HEAD) else ""

    def refs(self) -> Mapping[str, str]:
        """Return all refs by their whole names, and what commits they are at."""
        rows = self._ask_once(
            "refs", lambda: self.git.run_text("for-each-ref", "--format=%(refname) %(objectname)").split("\n")
        )
        return dict(row.split(" ", 1) for row in rows if row)

    def head(self) -> str:
        """Return the commit that is checked out, empty before the first one."""
        if branch := self.branch():
            return self.refs().get(f"refs/heads/{branch}", "")
        return read_text(self.repository.git_dir / "HEAD").strip()

    def has_commits(self) -> bool:
        """Return whether anything was ever committed."""
        return bool(self.head())

    def git_path(self, name: str) -> Path:
        """Return where git keeps something of its own for this working tree."""
        return self.repository.git_dir / name

    def vault_path(self, path: str) -> str | None:
        """Return a path of the repository as seen from the vault; None outside it."""
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    def unfinished_merge(self) -> str:
        """Return the file of an unfinished merge or the like, empty where there is none."""
        return next((name for name in _UNFINISHED if self.git_path(name).exists()), "")

    def changed_files(self) -> tuple[str, ...]:
        """Return the vault's files that differ from the last commit, named from the vault's folder.

        What an editor lays down for a moment is none of them, nor what has vanished since git looked.
        """
        rows = [row for row in self._status() if row[0] != _IGNORED and not self._is_repository(row[1])]
        return tuple(path for state, path in rows if not _is_fleeting(self.root, path, is_new=state == _UNTRACKED))

    def inner_repositories(self) -> tuple[str, ...]:
        """Return the repositories inside the vault, which keep their own history."""
        untracked = (path for state, path in self._status() if state != _IGNORED and self._is_repository(path))
        linked = (path for path, mode in self._entries() if mode == _REPOSITORY)
        return tuple(dict.fromkeys(path.rstrip("/") for path in (*untracked, *linked)))

    def _status(self) -> tuple[tuple[str, str], ...]:
        """Return the state and the path of each file that differs, or is passed over.

        Git would look into repositories inside the vault by running itself there, where their own settings count.
        """
        kinds = ("--untracked-files=all", "--ignored=traditional", "--ignore-submodules=all", "--no-renames")
        rows = self._ask_once(
            "status", lambda: self.git.run_checked("status", "--porcelain=v1", "-z", *kinds, "--", ".").names()
        )
        return tuple((row[:2], row[3:].removeprefix(self.prefix)) for row in rows if len(row) > 3)

    def _is_repository(self, path: str) -> bool:
        return path.endswith("/") or (self.root / path / ".git").exists()

    def _entries(self) -> Iterator[tuple[str, str]]:
        """Yield the paths that git knows in the vault, and their modes."""
        rows = self._ask_once("entries", lambda: self.git.run_checked("ls-files", "-z", "--stage", "--", ".").names())
        for row in rows:
            about, _, path = row.partition("\t")
            yield path, about.split(" ", 1)[0]

    def tracked_files(self) -> tuple[str, ...]:
        """Return the vault's files that git tracks."""
        return tuple(dict.fromkeys(path for path, _ in self._entries()))

    def ignored_memories(self) -> tuple[str, ...]:
        """Return the vault's memories that git ignores, though none of our patterns does."""
        return tuple(path for state, path in self._status() if state == _IGNORED and self.is_note(path))

    def is_note(self, path: str) -> bool:
        """Return whether a file of the vault is a memory."""
        return self.context.vault.place_of(path) is not None


def _is_fleeting(root: Path, path: str, *, is_new: bool) -> bool:
    """Return whether a file is an editor's temporary one, or was never committed and has vanished."""
    if not os.path.lexists(root / path):
        return is_new
    return bool(_OF_EDITORS.fullmatch(path.rpartition("/")[2]))


def read_present(path: Path) -> bytes | None:
    """Return what a plain file holds; None where there is none, or none any more."""
    try:
        return None if path.is_symlink() or not path.is_file() else path.read_bytes()
    except FileNotFoundError:
        return None


def stay_here(vault: Vault, paths: Iterable[str]) -> list[str]:
    """Return the files that may not leave this machine: they are private, derived or in the trash."""
    layout, with_transcripts = vault.layout, vault.settings.flag("sync.transcripts")
    stays = (f"{STATE}/undo/", f"{STATE}/lock", f"{TRASH}/", *(() if with_transcripts else (layout.transcripts,)))

    def may_travel(path: str) -> bool:
        folder, _, name = path.rpartition("/")
        # Conversations stay private in their old folder, too, after a setting names another one.
        if not with_transcripts and name.endswith(_CONVERSATIONS) and TRANSCRIPTS in folder.split("/"):
            return False
        if path.startswith(layout.private):
            return name.endswith(ENDING) or name == RECIPIENTS
        is_temporary = name.startswith(".") and name.endswith(".tmp")
        is_ours = path.startswith(stays) or name.endswith((".agekey", "identity.txt")) or is_temporary
        return name == ".gitkeep" or not is_ours

    return [path for path in paths if not may_travel(path)]


def find_private_text(tree: SyncTree, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the files among some paths in which a person marked text as private."""
    # Of a link, git keeps only where it leads.
    full = ((path, read_present(tree.root / path)) for path in paths if not path.startswith(f"{STATE}/"))
    return tuple(path for path, data in full if data and is_private(data, is_note=tree.is_note(path)))


def is_private(data: bytes, *, is_note: bool) -> bool:
    """Return whether a file has text marked as private; outside memories, a mark in backquotes does not count."""
    if data.startswith(_ZIP):
        return _zip_is_private(data)
    if b"<" not in data:
        return False
    text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8", "replace")
    return has_private(text if is_note else _SPOKEN_OF.sub("", text))


def _zip_is_private(data: bytes) -> bool:
    """Return whether a zip holds such text; True for a bundle that cannot be read."""
    from zipfile import BadZipFile, ZipFile  # deferred, as is the other: in most vaults there is no zip

    from memvault.transfer.export import LINES, MANIFEST

    is_bundle = False
    try:
        with ZipFile(BytesIO(data)) as packed:
            texts = [member for member in packed.infolist() if member.filename.casefold().endswith(_TEXTS)]
            is_bundle = {MANIFEST, LINES} <= {member.filename for member in texts}
            if sum(member.file_size for member in texts) > _LONGEST:
                return is_bundle
            return any(is_private(packed.read(member), is_note=member.filename.endswith(".md")) for member in texts)
    except (BadZipFile, OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error):
        return is_bundle


# Merge commits, made without touching the person's index or files.

OURS = "memvault: what other machines did"
_INDEX = "memvault-index"  # within git's folder; made anew for each commit


def commit_merge(
    tree: SyncTree, changes: Mapping[str, TreeEntry | None], parents: tuple[str, str], words: tuple[str, ...]
) -> str:
    """Make a commit of the first of two with some changes, and both as its parents."""
    index = tree.git_path(_INDEX)
    for left in (index, index.with_name(f"{_INDEX}.lock")):
        files.remove_file(left)
    git = tree.git.with_index(index)
    git.run_text("read-tree", parents[0])
    git.run_text("update-index", "-z", "--index-info", given=index_rows(changes, len(parents[0])))
    whole = git.run_text("write-tree")
    files.remove_file(index)
    after = (word for parent in parents for word in ("-p", parent))
    signs = tree.git.settings.get("commit.gpgsign", "").casefold() in ("true", "yes", "on", "1")
    signed = ("-S",) if signs else ()
    return git.run_text(*words, "commit-tree", whole, *after, *signed, "-m", OURS)
