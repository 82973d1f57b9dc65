"""`memvault sync`: one vault on several machines, over git."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option, action_argument, check_action
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import Misused
from memvault.sync.setup import SyncSetupResult, SyncStatus, init_sync, sync_status
from memvault.sync.sync import SyncResult, run_sync
from memvault.text.display import format_count, neutralize_text

SYNC_EXAMPLES = (
    "memvault sync init git@example.org:me/vault.git",
    "memvault sync run",
    "memvault sync run --dry-run",
    "memvault sync run --no-push",
    "memvault sync status",
)

ACTIONS = ("status", "init", "run")
_COMMAND = "memvault sync"
_SHOWN = 5

Action = Annotated[
    str,
    action_argument(
        ACTIONS, "What to do: status, init or run; status unless you say otherwise. (Git itself calls merge.)"
    ),
]
Words = Annotated[
    list[str] | None, Argument(metavar="ADDRESS", help="Of init: the repository to sync with, as git names it.")
]
NoPush = Annotated[bool, Option("--no-push", help="Fetch and merge, and hand nothing on.")]


def sync(
    cli: CliContext, action: Action = "status", words: Words = None, *, no_push: NoPush = False, dry_run: DryRun = False
) -> CommandResult:
    """Keep one vault alike on several machines, over any repository of git's.

    A run commits what changed here (your own changes apart from memvault's), merges what changed elsewhere, memory by
    memory, and pushes. Where two machines contradict each other, both versions stay, and `memvault review` shows
    them.
    """
    words = words or []
    _check_options(action, words, no_push=no_push)
    if action == "merge":
        return _merge_result(cli, words)
    with cli.open_vault() as vault:
        if action == "init":
            return _setup_result(vault.run(init_sync, remote=words[0] if words else "", dry_run=dry_run))
        if action == "run":
            return _sync_result(vault.run(run_sync, push=not no_push, dry_run=dry_run))
        return _status_result(vault.run(sync_status))


def _check_options(action: str, words: list[str], *, no_push: bool) -> None:
    if action != "merge":
        check_action(action, ACTIONS, _COMMAND)
    most = {"init": 1, "merge": 4}.get(action, 0)
    if len(words) > most or (action == "merge" and len(words) != most):
        raise Misused(reason=f"{action} takes {most or 'no'} more words, not {len(words)}.", command=_COMMAND)
    if no_push and action != "run":
        raise Misused(reason="--no-push goes with run.", command=_COMMAND)


def _merge_result(cli: CliContext, words: list[str]) -> CommandResult:
    """What git asks for: its three files, and the path that they are versions of."""
    from memvault.api import Memvault

    base, ours, theirs = (Path(word) for word in words[:3])
    done = Memvault.merge_for_git(base, ours, theirs, words[3], environment=cli.environment)
    return CommandResult(result={"path": words[3], "merged": done}, exit_code=0 if done else 1)


def _setup_result(done: SyncSetupResult) -> CommandResult:
    if not done.done:
        return CommandResult(result=done, messages=("All of it was in place already.",))
    head = "Would do" if done.dry_run else "Done"
    return CommandResult(
        result=done,
        text=lambda _paper: neutralize_text("\n".join([f"{head}:", *(f"  {step}" for step in done.done)])),
        messages=(DRY_RUN if done.dry_run else "`memvault sync run` commits and merges; run it on every machine.",),
    )


def _sync_result(done: SyncResult) -> CommandResult:
    hint = "There is no repository to sync with yet: `memvault sync init ADDRESS` names one."
    found = [f"{path} holds private text and stays on this machine" for path in done.held[:_SHOWN]]
    if len(done.held) > _SHOWN:
        found.append(f"so do {len(done.held) - _SHOWN} more notes")
    found += [f"{path} was changed on both sides: yours stays, theirs is in git's history" for path in done.kept_ours]
    found += [f"{path} had lost lines that were committed before: they are back" for path in done.put_back]
    found += [f"two files were to be {path}, so one of them is {other}" for path, other in done.aside]
    found += [f"{path} is a repository of its own, and does not travel with the vault" for path in done.left_out]
    if done.ignored:
        found.append(f"git passes over {done.ignored[0]} ({len(done.ignored)} such memories): a .gitignore says so")
    return CommandResult(
        result=done,
        text=lambda paper: "\n".join(_format_sync(done, paper)) or "Nothing new, here or there.",
        warnings=tuple(found),
        messages=(DRY_RUN if done.dry_run else "", "" if done.remote else hint),
    )


def _format_sync(done: SyncResult, paper: TerminalFormat) -> list[str]:
    verb = "would commit" if done.dry_run else "committed"
    rows = [paper.format_label(verb, unit.subject) for unit in done.committed[:_SHOWN]]
    if len(done.committed) > _SHOWN:
        rows.append(
            paper.format_label(verb, f"and {format_count(len(done.committed) - _SHOWN, 'commit', 'commits')} more")
        )
    if done.pulled:
        rows.append(paper.format_label("merged", format_count(done.pulled, "commit of others", "commits of others")))
    rows += [paper.format_label("beside", f"{theirs} says otherwise than {ours}") for ours, theirs in done.contested]
    if done.pushed:
        rows.append(paper.format_label("pushed", f"to {done.remote}"))
    return rows


def _status_result(found: SyncStatus) -> CommandResult:
    return CommandResult(
        result=found, text=lambda paper: "\n".join(_format_status(found, paper)), warnings=found.problems
    )


def _format_status(found: SyncStatus, paper: TerminalFormat) -> list[str]:
    rows = [
        paper.format_label("with", found.address or "nobody yet"),
        paper.format_label("waiting", format_count(found.waiting, "file", "files")),
        paper.format_label("ahead", format_count(found.ahead, "commit", "commits")),
        paper.format_label("behind", f"{format_count(found.behind, 'commit', 'commits')}, as far as was fetched"),
    ]
    if found.held:
        rows.append(paper.format_label("held", f"{format_count(len(found.held), 'note', 'notes')} with private text"))
    return rows
