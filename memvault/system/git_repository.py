"""Find a git repository, and build a guarded view of it in which nothing that lies in a vault can run."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from memvault.errors import GitFailed
from memvault.system import files, paths
from memvault.system.paths import git_folder, read_text, shared_folder

# What git keeps once for all working trees of a repository, apart from its settings, hooks, attributes and objects.
_SHARED_FOLDERS = ("refs", "logs", "worktrees", "reftable")
_SHARED_FILES = ("packed-refs", "shallow")
_NOT_WRITTEN = ("hooks", "lfs", "annex", "modules", "description")
# These stand above every `.gitattributes`: no filter, text conversion, diff or merge program is looked up for any file.
_ATTRIBUTES = b"* -filter -ident !diff !merge -working-tree-encoding\n"
_VIEWS_KEPT = 64
_SCP_LIKE = re.compile(r"[^/]*:")


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A working tree, git's folder of it, and the folder that it shares with other working trees of the repository."""

    top: Path
    git_dir: Path
    common: Path

    def config(self) -> tuple[ConfigItem, ...]:
        """Return the repository's own settings as they stand in its files, for reading and never for obeying."""
        items = read_config(self.common / "config")
        if last_value(items, "extensions.worktreeconfig").casefold() in ("true", "yes", "on", "1"):
            items += read_config(self.git_dir / "config.worktree")
        return items

    def setting(self, key: str) -> str:
        """Return one of the repository's own settings, empty where it has none."""
        return last_value(self.config(), key)

    @property
    def is_bare(self) -> bool:
        """Return whether it has no working tree."""
        return self.setting("core.bare").casefold() in ("true", "yes", "on", "1")

    @property
    def config_file(self) -> Path:
        """Return where its settings lie."""
        return self.common / "config"


def find_repository(folder: Path) -> GitRepository | None:
    """Return the repository whose working tree a folder lies in, or None."""
    start = Path(os.path.realpath(folder))
    for top in (start, *start.parents):
        if found := _repository_at(top):
            return found
    return None


def _repository_at(top: Path) -> GitRepository | None:
    """Return the repository of which a folder is the top of the working tree, or, if bare, the folder itself."""
    own = git_folder(top)
    if own is None:
        return None
    git_dir = Path(os.path.realpath(own))
    common = Path(os.path.realpath(shared_folder(git_dir)))
    return GitRepository(top, git_dir, common) if _is_git_folder(git_dir, common) else None


def _is_git_folder(git_dir: Path, common: Path) -> bool:
    return os.path.lexists(git_dir / "HEAD") and (common / "objects").is_dir()


def check_repository(repository: GitRepository) -> None:
    """Raise GitFailed where git would write outside of the vault: by a link, or into somebody else's repository."""
    if not _leads_back(repository):
        told = (
            f"{repository.top / '.git'} leads to {repository.git_dir}, which does not name this folder as its own "
            f"(`git --git-dir {repository.git_dir} config core.worktree {repository.top}` does)"
        )
        raise GitFailed(command="git", folder=repository.top, told=told)
    for folder in dict.fromkeys((repository.git_dir, repository.common)):
        for link in _find_links(folder):
            raise GitFailed(
                command="git", folder=repository.top, told=f"{link} is a link, and git would write through it"
            )


def _leads_back(repository: GitRepository) -> bool:
    """Return whether git's folder lies in the working tree, or names this working tree as its own."""
    top, git_dir = repository.top, repository.git_dir
    if git_dir.is_relative_to(top):
        return True
    back = read_text(git_dir / "gitdir").strip()
    if back and os.path.realpath(git_dir / back) == str(top / ".git"):
        return True
    named = repository.setting("core.worktree")
    return bool(named) and os.path.realpath(git_dir / named) == str(top)


def _find_links(git_dir: Path) -> Iterator[Path]:
    """Yield the links among what git writes; programs that keep their own in there may link it as they like."""
    yield from (path for path in git_dir.iterdir() if path.is_symlink() and path.name not in _NOT_WRITTEN)
    for name in ("refs", "logs"):
        for folder, names, plain in os.walk(git_dir / name):
            yield from (path for each in (*names, *plain) if (path := Path(folder, each)).is_symlink())
    if (git_dir / "objects").is_dir():
        yield from (path for path in (git_dir / "objects").iterdir() if path.is_symlink())


def is_owned(repository: GitRepository) -> bool:
    """Return whether the person who runs this owns the repository, by git's own rule."""
    if sys.platform == "win32":
        return True  # git asks there by itself, and for other reasons
    owners = {os.geteuid()} | (
        {int(os.environ["SUDO_UID"])} if os.geteuid() == 0 and "SUDO_UID" in os.environ else set()
    )
    return all(path.lstat().st_uid in owners for path in (repository.top, repository.git_dir))


def make_view(repository: GitRepository, environment: Mapping[str, str]) -> Path:
    """Return a folder that git may take for the shared one: the same refs, but only allowed settings and no hooks.

    Git reads its settings, hooks and attributes there and nowhere in the vault. Nothing in a view is changed once it is
    laid: other settings get another view.
    """
    views = paths.cache_folder(environment) / "git"
    text = write_config((*keep_allowed(repository.config()), *_fixed_settings(views)))
    packed = _file_state(repository.common / "packed-refs") if sys.platform == "win32" else ""
    named = f"{repository.common}\0{packed}\0{text}"
    view = views / hashlib.blake2b(named.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    if not (view / "info/attributes").is_file():
        views.mkdir(mode=0o700, parents=True, exist_ok=True)
        _build_view(view, repository.common, text)
        # Views of repositories and settings that were laid before many others go.
        found = sorted(views.iterdir(), key=lambda path: path.lstat().st_mtime, reverse=True)
        for old in found[_VIEWS_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
    return view


def _fixed_settings(views: Path) -> tuple[ConfigItem, ...]:
    """Return settings that hold whatever the person's own say: no program is looked for by a path within the vault."""
    return (
        ("core.fsmonitor", "false"),
        ("core.hookspath", str(views / "none")),
        ("submodule.recurse", "false"),
        # Where links need a right that few have, packed refs are a copy, which must never be written.
        *((("gc.auto", "0"), ("maintenance.auto", "false")) if sys.platform == "win32" else ()),
    )


def _file_state(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


def _build_view(view: Path, common: Path, config: str) -> None:
    made = Path(tempfile.mkdtemp(prefix="new-", dir=view.parent))
    try:
        files.create_file(made / "config", config.encode("utf-8", "surrogateescape"))
        (made / "info").mkdir()
        _link_or_copy(made / "info/exclude", common / "info/exclude")
        for name in (*_SHARED_FOLDERS, *_SHARED_FILES):
            _link_or_copy(made / name, common / name, is_folder=name in _SHARED_FOLDERS)
        files.create_file(made / "info/attributes", _ATTRIBUTES)
        made.rename(view)
    except OSError:
        if not (view / "info/attributes").is_file():  # else another process was quicker
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _link_or_copy(path: Path, real: Path, *, is_folder: bool = False) -> None:
    """Link one path to another, which need not exist yet; copy it where links need a special right."""
    if sys.platform != "win32":
        path.symlink_to(real)
    elif is_folder:
        from _winapi import CreateJunction

        real.mkdir(exist_ok=True)
        CreateJunction(str(real), str(path))
    elif real.is_file():
        files.create_file(path, real.read_bytes())


def local_repository(address: str, start: Path) -> GitRepository | None:
    """Return the repository on this machine that a remote's address names; None where it names another machine's."""
    if address.startswith("file://"):
        address = unquote(address.removeprefix("file://"))
    elif _SCP_LIKE.match(address) and not (sys.platform == "win32" and address[1:2] == ":"):
        return None
    for place in (start / address, start / f"{address}.git"):
        if found := _repository_at(place):
            return found
        bare = Path(os.path.realpath(place))
        if _is_git_folder(bare, bare):
            return GitRepository(bare, bare, bare)
    return None


# Read git's configuration files as data, and keep of a repository's own only the settings that are harmless.

ConfigItem = tuple[str, str | None]  # a key such as `remote.origin.url`; None where the file names it without a value

_HEADER = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}

# What git must know of a repository to read and write it, who commits, and where its branches go. Everything else that
# lies in a vault's `.git/config` may name a program, a place outside or a weaker guard, so nothing else is passed on.
ALLOWED_KEYS = frozenset(
    (
        *("core.autocrlf", "core.bare", "core.bigfilethreshold", "core.checkstat", "core.compression"),
        *("core.eol", "core.filemode", "core.ignorecase", "core.logallrefupdates", "core.longpaths"),
        *("core.precomposeunicode", "core.repositoryformatversion", "core.sharedrepository", "core.sparsecheckout"),
        *("core.sparsecheckoutcone", "core.symlinks", "core.trustctime"),
        *("commit.gpgsign", "extensions.noop", "extensions.objectformat", "extensions.refstorage", "index.sparse"),
        *("receive.denycurrentbranch", "receive.denydeletes", "receive.denynonfastforwards", "author.email"),
        *("author.name", "committer.email", "committer.name", "user.email", "user.name", "branch.*.merge"),
        *("branch.*.remote", "remote.*.fetch", "remote.*.url"),
    )
)


def read_config(path: Path) -> tuple[ConfigItem, ...]:
    """Return all that a configuration file sets, in its order; nothing where there is no such file."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return tuple(parse_config(text))


def parse_config(text: str) -> Iterator[ConfigItem]:
    """Return what a configuration file sets, as git reads it; lines that git could not read set nothing."""
    section = ""
    at, end = int(text.startswith("\ufeff")), len(text)
    while at < end:
        if text[at].isspace():
            at += 1
        elif text[at] in "#;":
            at = _end_of_line(text, at)
        elif found := _HEADER.match(text, at):
            name = found[1].lower()
            subsection = re.sub(r"\\(.)", r"\1", found[2] or "")
            section, at = (f"{name}.{subsection}" if subsection else name), found.end()
        elif section and (found := _NAME.match(text, at)):
            value, at = _read_value(text, found.end())
            yield f"{section}.{found[0].lower()}", value
        else:
            at = _end_of_line(text, at)


def keep_allowed(items: Iterable[ConfigItem]) -> Iterator[ConfigItem]:
    """Drop keys that are not allowed, remotes with names like options, and all but the first address of a remote."""
    known: set[str] = set()
    for key, value in items:
        section, _, name = key.partition(".")
        subsection, _, last = name.rpartition(".")
        pattern = f"{section}.*.{last}" if subsection else key
        if pattern not in ALLOWED_KEYS or subsection.startswith("-"):
            continue
        if last == "url" and key in known:
            continue
        known.add(key)
        yield key, value


def write_config(items: Iterable[ConfigItem]) -> str:
    """Return a configuration file that sets some items and nothing else."""
    return "".join(_lines_of(key, value) for key, value in items)


def last_value(items: Iterable[ConfigItem], key: str) -> str:
    """Return the value that counts of a key, empty where it has none."""
    for name, value in reversed(tuple(items)):
        if name == key:
            return "true" if value is None else value
    return ""


def _read_value(text: str, at: int) -> tuple[str | None, int]:
    """Return the value after a name, and where the next line begins."""
    while at < len(text) and text[at] in " \t":
        at += 1
    if text[at : at + 1] != "=":
        return None, _end_of_line(text, at)
    value, spaces, quoted, at = "", "", False, at + 1
    while at < len(text) and (sign := text[at]) != "\n":
        at += 1
        if sign in " \t\r" and not quoted:
            spaces += sign if value else ""
            continue
        if sign in "#;" and not quoted:
            return value, _end_of_line(text, at)
        if sign == '"':
            quoted = not quoted
            sign = ""
        elif sign == "\\":
            sign, at = _unescape(text, at)
        value, spaces = f"{value}{spaces}{sign}", ""
    return value, at


def _unescape(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 2] == "\r\n":
        return "", at + 2
    sign = text[at : at + 1]
    return ("" if sign == "\n" else _ESCAPES.get(sign, sign)), at + 1


def _end_of_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _lines_of(key: str, value: str | None) -> str:
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    header = f'[{section} "{_escape(subsection)}"]' if subsection else f"[{section}]"
    return f"{header}\n\t{name}" + ("\n" if value is None else f' = "{_escape(value)}"\n')


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\b", "\\b")
