"""Where memvault cannot reach what was forgotten for good, and how a person does."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.errors import MemvaultError
from memvault.privacy.purge.subject import Subject
from memvault.storage.vault.layout import STATE
from memvault.system.git import Git


def beyond(git: Git | None, subject: Subject) -> Iterator[str]:
    """What memvault cannot reach, and how a person does."""
    if git is not None:
        yield from _in_git(git, subject)
    yield "Backups, snapshots and copies on other machines and in other programs (Obsidian's file recovery) are theirs."
    if subject.talk:
        yield "The agent's own transcript, which memvault only read, is where the agent keeps it: delete it there."
    elif subject.sources:
        yield "The agent's own transcripts, which memvault only read, are where the agent keeps them."
        yield "What else was said in the conversation it came from is still there, and is found by recall and dig."


def _in_git(git: Git, subject: Subject) -> Iterator[str]:
    """Every name that it ever had is asked for; git tells them from the top of the repository."""
    names = sorted(subject.past.names)
    try:
        logged = git.ask("--literal-pathspecs", "log", "--all", "--format=", "--name-only", "-z", "--", *names).names()
        staged = git.ask("--literal-pathspecs", "ls-files", "-z", "--full-name", "--", *names).names() if names else ()
        told = [
            git.ask("log", "--all", "--no-textconv", "--format=%h", "-1", f"-S{id_}", "--", STATE).text
            for id_ in subject.ids
        ]
    except MemvaultError:
        yield "Git could not be asked what its history holds."
        return
    known = sorted({name.strip() for name in logged} - {""}) if names else []
    for path in known:
        yield f"Git's history holds {path}; `git filter-repo --invert-paths --path '{path}'` rewrites it."
    for path in sorted(set(staged) - set(known)):
        yield f"Git's index holds {path}, which was staged; `git rm --cached '{path}'` takes it out."
    if any(told):
        yield f"Git's history of {STATE} tells of it: when, its file names and its title; `git filter-repo` as above."
    if known or any(told):
        yield "What was pushed is on the remote and in every clone until it is rewritten there, too."
