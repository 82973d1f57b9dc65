"""Git, run on one working tree: never asking anybody for anything, and its words given back as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Container, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from memvault.errors import GitFailed, GitLocked, NoGit
from memvault.host.git_locks import taken, whose

_SECONDS = 120  # of anything that goes over a network; what is done here takes moments
_GRACE = 5  # seconds for a git that is told to end: it takes its locks away first
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Ran:
    """What git answered."""

    code: int
    out: bytes
    told: str

    @property
    def text(self) -> str:
        """Its answer as one text, without the last line break."""
        return self.out.decode("utf-8", "surrogateescape").rstrip("\n")

    def names(self) -> tuple[str, ...]:
        """Its answer as names between NULs."""
        return tuple(name for name in self.out.decode("utf-8", "surrogateescape").split("\0") if name)


class Git:
    """Git in one folder."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        program = shutil.which("git", path=environment.get("PATH"))
        if program is None:
            raise NoGit
        self._program = program
        # No pager, no editor, no question about a password: whoever waits here may be a timer.
        quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "GIT_MERGE_AUTOEDIT": "no", "LC_ALL": "C"}
        ssh = {} if "GIT_SSH_COMMAND" in environment else {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
        inherited = {name: value for name, value in environment.items() if name not in _OF_ANOTHER_RUN}
        self.environment: Mapping[str, str] = {**inherited, **quiet, **ssh}

    def ask(self, *words: str, given: bytes = b"") -> Ran:
        """Run git and give back what came of it, whatever that is."""
        for _ in range(_TRIES):
            ran = self._run(words, given)
            if ran.code == 0 or not taken(ran.told):
                break
        return ran

    def do(self, *words: str, given: bytes = b"") -> str:
        """Run git and give back its answer, or raise GitFailed with what it said (GitLocked where a lock stops it)."""
        return self.answer(*words, given=given).text

    def answer(self, *words: str, given: bytes = b"", good: Container[int] = (0,)) -> Ran:
        """The same with the answer's bytes: an empty one must never be taken for that of a git that failed."""
        ran = self.ask(*words, given=given)
        if ran.code not in good:
            if lock := taken(ran.told):
                raise GitLocked(path=lock, whose=whose(self.folder, lock))
            raise GitFailed(command=f"git {words[0]}", folder=self.folder, told=_last_words(ran))
        return ran

    def on(self, paths: Iterable[str], *words: str) -> str:
        """Run git on some paths, named from the folder and taken literally."""
        given = b"\0".join(path.encode("utf-8", "surrogateescape") for path in paths)
        literal = ("--literal-pathspecs", *words, "--pathspec-from-file=-", "--pathspec-file-nul")
        return self.do(*literal, given=given)

    def with_index(self, index: Path) -> Git:
        """The same with an index of its own, so that what a person has staged stays as it is."""
        other = copy(self)
        other.environment = {**self.environment, "GIT_INDEX_FILE": str(index)}
        return other

    def _run(self, words: Iterable[str], given: bytes) -> Ran:
        try:
            process = subprocess.Popen(  # noqa: S603, RUF100 - the words are ours
                [self._program, *_ALWAYS, *words],
                cwd=self.folder,
                env=dict(self.environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            return Ran(126, b"", error.strerror or str(error))
        with process:
            return _heard(process, given)


# Names as they are; and what was committed lasts, or a power cut would leave a history that git itself cannot read.
_ALWAYS = ("-c", "core.quotepath=off", "-c", "core.fsync=committed", "-c", "core.fsyncMethod=batch")


def _heard(process: subprocess.Popen[bytes], given: bytes) -> Ran:
    try:
        out, told = process.communicate(given, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        return Ran(124, b"", f"it took longer than {_SECONDS} seconds")
    except OSError as error:
        _end(process)
        return Ran(126, b"", error.strerror or str(error))
    except BaseException:
        _end(process)
        raise
    return Ran(process.returncode, out, told.decode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()


# A hook of git's own runs with these set, for the repository that it is a hook of.
_OF_ANOTHER_RUN = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"}
)


def _last_words(ran: Ran) -> str:
    lines = [line.strip() for line in (ran.told or ran.text).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith("hint:")]
    return " / ".join(told[-3:]) or f"it ended with {ran.code}"


def is_work_tree(folder: Path) -> bool:
    """Whether a folder lies in a working tree of git's."""
    return any((each / ".git").exists() for each in (folder, *folder.parents))


def own_environment() -> Mapping[str, str]:
    """The environment of this process."""
    return os.environ
