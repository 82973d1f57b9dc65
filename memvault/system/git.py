"""Run git on one working tree, without prompts and without running anything the repository names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from shlex import quote

from memvault.errors import GitFailed, GitLocked, NoGit
from memvault.system import files
from memvault.system.git_repository import (
    GitRepository,
    check_repository,
    find_repository,
    is_owned,
    local_repository,
    make_view,
)
from memvault.system.paths import git_folder, repository_top, shared_folder
from memvault.system.programs import find_program

# The locks that git lays while it works: whose they are, and which were left by a git that was killed.

_FOLDERS = ("refs", "logs")  # each ref has a lock of its own; all others lie at the top
_TAKEN = re.compile(r"'([^'\n]+\.lock)': File exists|could not lock config file ([^\n]+): File exists")
_NOT_OURS = (FileNotFoundError, ProcessLookupError, PermissionError)  # a process that has ended, or is somebody else's
_WAITING = ("--daemon", "fsmonitor--daemon", "credential-cache--daemon", "daemon")  # they stay, and hold no lock


@dataclass(frozen=True, slots=True)
class GitLock:
    """A lock file of git, and the processes that may hold it."""

    path: Path
    created: datetime
    holders: tuple[int, ...] | None  # None where nobody can tell

    @property
    def owner(self) -> str:
        """Return whose it is, as a clause."""
        if self.holders is None:
            return "nobody can tell here whether a git is still at work"
        if self.holders:
            return f"a git is at work there (process {self.holders[0]})"
        return "no git is at work there, so one that was killed may have left it"

    @property
    def is_left(self) -> bool:
        """Return whether it is sure that nobody holds it any more."""
        return self.holders == ()


def find_locks(folder: Path) -> Iterator[GitLock]:
    """Yield the locks on the repository that a folder lies in."""
    top = repository_top(folder)
    own = None if top is None else git_folder(top)
    if top is None or own is None:
        return
    for each in dict.fromkeys((own, shared_folder(own))):
        inside = (path for name in _FOLDERS for path in (each / name).rglob("*.lock"))
        yield from filter(None, (_read_lock(path, top) for path in sorted((*each.glob("*.lock"), *inside))))


def lock_owner(folder: Path, told: str) -> str:
    """Return whose the lock is that git named, as a clause."""
    top = repository_top(folder) or folder
    found = _read_lock(top / told, top)
    return found.owner if found else "it is free by now"


def remove_left_lock(folder: Path, told: str) -> bool:
    """Remove the lock that git named, if no process holds it; return whether it is gone."""
    top = repository_top(folder) or folder
    found = _read_lock(top / told, top)
    if found is not None and not found.is_left:
        return False
    files.remove_file(top / told)
    return True


def _read_lock(path: Path, top: Path) -> GitLock | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return GitLock(path, datetime.fromtimestamp(found.st_mtime, tz=UTC), _find_holders(path, top, found))


def _find_holders(path: Path, top: Path, found: os.stat_result) -> tuple[int, ...] | None:
    if not _sees_all_processes(found):
        return None
    try:
        running = [
            int(process.name)
            for process in Path("/proc").glob("[0-9]*")
            if _may_work_in(process, top) or _has_open(process, path)
        ]
    except OSError:  # of this process, which may open too few files to look
        return None
    return tuple(sorted(running))


def blocking_lock(told: str) -> str:
    """Return the lock that stopped git, by git's message; empty where none did."""
    found = _TAKEN.search(told)
    return "" if found is None else found[1] or f"{found[2]}.lock"


def _sees_all_processes(lock: os.stat_result) -> bool:
    """Return whether this system lists every process of the lock's owner."""
    return sys.platform == "linux" and lock.st_uid == os.getuid() and Path("/proc/self/comm").exists()


def _may_work_in(process: Path, top: Path) -> bool:
    """Return whether a process is a git that may be at work in a working tree."""
    try:
        if not (process / "comm").read_text().startswith("git"):
            return False
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        if any(word.endswith(_WAITING) for word in words[:3]):
            return False
        where = (process / "cwd").readlink()
        variables = (process / "environ").read_bytes().split(b"\0")
    except _NOT_OURS:
        return False
    is_told = any(word.startswith("--git-dir") for word in words)
    named = next((Path(os.fsdecode(one[8:])) for one in variables if one.startswith(b"GIT_DIR=")), None)
    is_named = named is not None and os.path.realpath(where / named) == os.path.realpath(git_folder(top) or top)
    return is_told or is_named or where.is_relative_to(top.resolve())


def _has_open(process: Path, lock: Path) -> bool:
    """Return whether a process, of whatever program, has a lock open."""
    try:
        return any(_is_open_as(entry, lock) for entry in (process / "fd").iterdir())
    except _NOT_OURS:
        return False


def _is_open_as(entry: Path, lock: Path) -> bool:
    try:
        return entry.readlink().name == lock.name and entry.samefile(lock)
    except _NOT_OURS:
        return False


_SECONDS = 120  # of anything that goes over a network; what is done here takes moments
_GRACE = 5  # seconds for a git that is told to end: it takes its locks away first
_TRIES = 20
_TRANSPORTS = ("file", "git", "http", "https", "ssh")  # all others are programs by the name that an address gives


@dataclass(frozen=True, slots=True)
class GitResult:
    """The result of a git command."""

    code: int
    out: bytes
    message: str

    @property
    def text(self) -> str:
        """Return the output as text, without the last line break."""
        return self.out.decode("utf-8", "surrogateescape").rstrip("\n")

    def names(self) -> tuple[str, ...]:
        """Return the output as names separated by NULs."""
        return tuple(name for name in self.out.decode("utf-8", "surrogateescape").split("\0") if name)


class Git:
    """Git in one folder."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        program = find_program("git", environment)
        if program is None:
            raise NoGit
        self._program = program
        self._index: Path | None = None
        self.environment: Mapping[str, str] = {
            **{name: value for name, value in environment.items() if name not in _OF_ANOTHER_RUN},
            # No pager, no editor, no question about a password: whoever waits here may be a timer.
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_MERGE_AUTOEDIT": "no",
            "GIT_PAGER": "cat",
            "LC_ALL": "C",
            "GIT_EDITOR": "true",
            "GIT_SEQUENCE_EDITOR": "true",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
        }

    @cached_property
    def repository(self) -> GitRepository | None:
        """Return the repository that the folder lies in, checked once for links that lead elsewhere."""
        found = find_repository(self.folder)
        if found is not None:
            check_repository(found)
            if not is_owned(found):
                # Git says whether a repository of somebody else's is one that this person trusts.
                words = [self._program, "rev-parse", "--git-dir"]
                ran = subprocess.run(words, cwd=found.top, env=dict(self.environment), capture_output=True, check=False)  # noqa: S603, RUF100
                if ran.returncode:
                    told = _last_words(GitResult(ran.returncode, b"", ran.stderr.decode("utf-8", "replace")))
                    raise GitFailed(command="git", folder=found.top, told=told)
        return found

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Return the settings in force: the person's own, and those allowed of the repository's."""
        rows = self.run_checked("config", "--list", "-z", good=(0, 1)).names()
        pairs = (row.partition("\n") for row in rows)
        return {key: value if mark else "true" for key, mark, value in pairs}

    def try_run(self, *words: str, given: bytes = b"") -> GitResult:
        """Run git and give back what came of it, whatever that is."""
        return self._run_retrying(words, given, {})

    def run_text(self, *words: str, given: bytes = b"") -> str:
        """Run git and give back its answer, or raise GitFailed with what it said (GitLocked where a lock stops it)."""
        return self.run_checked(*words, given=given).text

    def run_checked(self, *words: str, given: bytes = b"", good: Container[int] = (0,)) -> GitResult:
        """Run git and return its output as bytes, or raise GitFailed."""
        return self._check_result(words[0], self.try_run(*words, given=given), good)

    def run_on_paths(self, paths: Iterable[str], *words: str) -> str:
        """Run git on some paths, named from the folder and taken literally."""
        given = b"\0".join(path.encode("utf-8", "surrogateescape") for path in paths)
        literal = ("--literal-pathspecs", *words, "--pathspec-from-file=-", "--pathspec-file-nul")
        return self.run_text(*literal, given=given)

    def set_config(self, key: str, value: str) -> None:
        """Set something in the repository's own settings."""
        assert self.repository is not None
        self.run_text("config", "--file", str(self.repository.config_file), "--replace-all", key, value)
        self.__dict__.pop("settings", None)

    def fetch(self, remote: str) -> None:
        """Fetch from a remote of the repository."""
        self._check_result("fetch", self._run_remote("fetch", remote, "--quiet", "--no-recurse-submodules"))

    def push(self, remote: str, *refs: str) -> GitResult:
        """Push some refs to a remote of the repository."""
        return self._run_remote("push", remote, "--quiet", "--no-verify", "--recurse-submodules=no", refs=refs)

    def list_remote(self, address: str, *refs: str) -> GitResult:
        """Ask a repository elsewhere for some of its refs."""
        return self._run_remote("ls-remote", address, "--symref", refs=refs)

    def with_index(self, index: Path) -> Git:
        """Return the same with an index of its own, so that what a person has staged stays as it is."""
        other = copy(self)
        other._index = index
        return other

    def _run_remote(self, verb: str, remote: str, *words: str, refs: tuple[str, ...] = ()) -> GitResult:
        """Run what talks to another repository; one on this machine is served without its hooks and settings, too."""
        if remote.startswith("-"):
            return GitResult(128, b"", f"{remote} is no name of a remote")
        address = self.settings.get(f"remote.{remote}.url", remote)
        start = self.repository.top if self.repository else self.folder
        found = local_repository(address, start)
        served = () if found is None else (self._guarded_service(found, "receive" if verb == "push" else "upload"),)
        return self._run_retrying((verb, *words, *served, "--", remote, *refs), b"", self._transport_variables())

    def _guarded_service(self, other: GitRepository, side: str) -> str:
        """Return the option by which a repository on this machine is served over a guarded view of it."""
        view = make_view(other, self.environment)
        objects = other.common / "objects"
        places = f"GIT_COMMON_DIR={quote(view.as_posix())} GIT_OBJECT_DIRECTORY={quote(objects.as_posix())}"
        option = "receive-pack" if side == "receive" else "upload-pack"
        return f"--{option}={places} git-{option}"

    def _transport_variables(self) -> Mapping[str, str]:
        """Return the variables of a run that goes over a network: what the person's own settings say of it holds."""
        own = (key.split(".")[1] for key, value in self.settings.items() if _allows_transport(key, value))
        allowed = {"GIT_ALLOW_PROTOCOL": ":".join((*_TRANSPORTS, *own))}
        if "GIT_SSH_COMMAND" in self.environment or "GIT_SSH" in self.environment:
            return allowed
        ssh = self.settings.get("core.sshcommand", "ssh")
        is_openssh = Path(ssh.split(" ")[0]).stem == "ssh"  # others may not know the option
        return allowed | {"GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes" if is_openssh else ssh}

    def _run_retrying(self, words: tuple[str, ...], given: bytes, also: Mapping[str, str]) -> GitResult:
        for _ in range(_TRIES):
            ran = self._run_once(words, given, also)
            lock = "" if ran.code == 0 else blocking_lock(ran.message)
            if not lock:
                break
            remove_left_lock(self.folder, lock)
        return ran

    def _check_result(self, verb: str, ran: GitResult, good: Container[int] = (0,)) -> GitResult:
        if ran.code not in good:
            if lock := blocking_lock(ran.message):
                raise GitLocked(path=lock, whose=lock_owner(self.folder, lock))
            raise GitFailed(command=f"git {verb}", folder=self.folder, told=_last_words(ran))
        return ran

    def _run_once(self, words: Iterable[str], given: bytes, also: Mapping[str, str]) -> GitResult:
        try:
            process = subprocess.Popen(  # noqa: S603, RUF100 - the words are ours
                [self._program, *_ALWAYS, *words],
                cwd=self.folder,
                env={**self.environment, **self._location_variables(), **also},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            return GitResult(126, b"", error.strerror or str(error))
        with process:
            return _communicate(process, given)

    def _location_variables(self) -> Mapping[str, str]:
        """Return the variables that tell git where to look, so that it looks nowhere else."""
        repository = self.repository
        if repository is None:
            self.__dict__.pop("repository", None)  # it may be made next
            return {"GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
        index = {} if self._index is None else {"GIT_INDEX_FILE": str(self._index)}
        return {
            "GIT_DIR": str(repository.git_dir),
            "GIT_COMMON_DIR": str(make_view(repository, self.environment)),
            "GIT_WORK_TREE": str(repository.top),
            "GIT_OBJECT_DIRECTORY": str(repository.common / "objects"),
            **index,
        }


# Names as they are; and what was committed lasts, or a power cut would leave a history that git itself cannot read.
_ALWAYS = ("-c", "core.quotepath=off", "-c", "core.fsync=committed", "-c", "core.fsyncMethod=batch")


def _allows_transport(key: str, value: str) -> bool:
    return key.startswith("protocol.") and key.endswith(".allow") and key.count(".") == 2 and value != "never"


def _communicate(process: subprocess.Popen[bytes], given: bytes) -> GitResult:
    try:
        out, told = process.communicate(given, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        _end_process(process)
        return GitResult(124, b"", f"it took longer than {_SECONDS} seconds")
    except OSError as error:
        _end_process(process)
        return GitResult(126, b"", error.strerror or str(error))
    except BaseException:
        _end_process(process)
        raise
    return GitResult(process.returncode, out, told.decode("utf-8", "replace"))


def _end_process(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()


# A hook of git's own runs with these set, for the repository that it is a hook of.
_OF_ANOTHER_RUN = frozenset(
    (
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR"),
        *("GIT_EXTERNAL_DIFF", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY"),
        *("GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_WORK_TREE"),
    )
)


def _last_words(ran: GitResult) -> str:
    lines = [line.strip() for line in (ran.message or ran.text).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith("hint:")]
    return " / ".join(told[-3:]) or f"it ended with {ran.code}"


def is_work_tree(folder: Path) -> bool:
    """Return whether a folder lies in a git working tree."""
    return find_repository(folder) is not None


def own_environment() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ
