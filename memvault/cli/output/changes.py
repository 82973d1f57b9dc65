"""What commands that write have in common: the person's editor, texts kept from getting lost, the way back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.output import memory as layers
from memvault.cli.output.terminal import TerminalFormat
from memvault.core.memory import Memory
from memvault.errors import FAILED, MemvaultError, NoEditor
from memvault.text.display import neutralize_text

if TYPE_CHECKING:
    from memvault.agents.setup.install import ServerInstallResult, ServerPlace
    from memvault.agents.setup.settings_files import RemovedEntries
    from memvault.api import Memvault
    from memvault.memories.edit import ChangeResult
    from memvault.memories.forget import MoveResult
    from memvault.memories.screen import Redactions


_NOTHING: Mapping[str, object] = MappingProxyType({})
DRY_RUN = "This was a dry run: nothing was written."


def redactions_json(found: Redactions) -> dict[str, object]:
    """What was left out of a text, for a program; nothing where nothing was."""
    told = {"redacted": found.sorts, "dropped": found.dropped}
    return {name: value for name, value in told.items() if value}


def redaction_messages(found: Redactions) -> tuple[str, ...]:
    """What is said of what was left out of a text."""
    sorts = f"Left out, as it looks like a secret: {', '.join(found.sorts)}." if found.sorts else ""
    dropped = f"Dropped altogether, as a secret stood in it: {', '.join(found.dropped)}." if found.dropped else ""
    return tuple(filter(None, (sorts, dropped)))


def redaction_warnings(found: Redactions) -> tuple[str, ...]:
    """What somebody may not have meant to be left out."""
    return ("a <private> in it is never closed, so all that follows it was left out",) if found.unclosed else ()


def undo_message(op: str, *, dry_run: bool) -> str:
    """Return the command that undoes what was just done; empty where nothing was done."""
    return DRY_RUN if dry_run else f"Undo: memvault undo {op}" if op else ""


def write_in_editor(cli: CliContext, vault: Memvault, data: bytes, *, name: str, is_private: bool = False) -> bytes:
    """The bytes as the person's editor left them; nothing of what is private is written outside memory."""
    from memvault.system import programs  # deferred: starting programs is rare, and dear to import

    configured = vault.settings.text("user.editor")
    if not (cli.has_person or configured or {"VISUAL", "EDITOR"} & set(cli.environment)):
        # One of the usual editors would wait for keys that nobody presses.
        raise NoEditor(reason="there is no terminal here, and neither VISUAL nor EDITOR is set")
    command = programs.editor_command(cli.environment, configured)
    edit = programs.edit_in_memory if is_private else programs.edit_text
    return edit(data, name=name, editor=command)


@contextmanager
def keep_on_failure(cli: CliContext, data: bytes, *, name: str, again: str) -> Iterator[None]:
    """Where what is done with a text fails, keep the text and say where, and by what command to go on from there."""
    try:
        yield
    except MemvaultError:
        from shlex import quote  # deferred: most texts are taken

        from memvault.system import files, paths

        path = paths.state_folder(cli.environment) / "unsaved" / f"{cli.now():%Y%m%dT%H%M%SZ}-{name}"
        turn = 2
        while path.exists():
            path, turn = path.with_stem(f"{path.stem}-{turn}"), turn + 1
        files.make_folder(path.parent)
        files.create_file(path, data)
        cli.print_message(f"Your text is kept in {path}. Go on from there with: {again} {quote(str(path))}")
        raise


# How commands that change memories tell what came of it.


def change_result(*found: ChangeResult, dry_run: bool, more: tuple[str, ...] = ()) -> CommandResult:
    """The answer to changes of one operation; `more` is said besides."""
    left_out = found[0].left_out
    problems = (f"its frontmatter cannot be read now: {one.memory.problem}" for one in found if one.memory.problem)
    return _outcome_result(
        [(one.memory, {"did": one.did}, f"would be {one.did}" if dry_run else one.did) for one in found],
        max(one.op for one in found),  # those that were so already have none
        redactions_json(left_out),
        messages=(*redaction_messages(left_out), *(one.remark for one in found), *more),
        warnings=(*problems, *redaction_warnings(left_out)),
        dry_run=dry_run,
    )


def move_result(*found: MoveResult, did: str, dry_run: bool) -> CommandResult:
    """The answer to memories' going or coming back, as one operation."""
    said = f"would be {did}" if dry_run else did
    rows = [(one.memory, {"from": one.came_from}, f"{said} (was {one.came_from})") for one in found]
    return _outcome_result(rows, found[0].op, dry_run=dry_run)


def _outcome_result(
    rows: Sequence[tuple[Memory, Mapping[str, object], str]],
    op: str,
    extra: Mapping[str, object] = _NOTHING,
    *,
    messages: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    dry_run: bool,
) -> CommandResult:
    """One memory's outcome, or a list of those of several; the members of one stand beside it."""
    listed = [{"memory": memory, **facts} for memory, facts, _ in rows]
    main = listed[0] if len(listed) == 1 else {"memories": listed}
    return CommandResult(
        result={**main, "op": op, "dry_run": dry_run, **extra},
        text=lambda paper: "\n".join(layers.format_outcome(memory, said, paper) for memory, _, said in rows),
        messages=(*messages, undo_message(op, dry_run=dry_run)),
        warnings=warnings,
    )


# What commands that write into other programs' settings have in common: how a change of theirs is told.

_GONE = " (and the file with it, as it held nothing else)"


def quote_command(words: tuple[str, ...]) -> str:
    """A command as it is told: words with blanks in quotes."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def format_diff(text: str, paper: TerminalFormat) -> str:
    """What differs in a file, behind an empty line; nothing where nothing does."""
    return f"\n{paper.styles.faint(neutralize_text(text))}" if text else ""


def install_result(
    done: ServerInstallResult,
    what: str,
    command: str,
    events: tuple[str, ...] = (),
    *,
    messages: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> CommandResult:
    """The answer of a command that puts entries in."""
    would = "Would install" if done.dry_run else "Installed" if done.changed else "Installed already"
    head = f"{would}: {what} ({done.scope})"
    return CommandResult(
        result=done,
        text=lambda paper: "\n".join(
            filter(None, (format_entry(head, events, done, done.backup, paper), format_diff(done.diff, paper)))
        ),
        messages=(*messages, DRY_RUN if done.dry_run else f"Undo: memvault {command} uninstall"),
        warnings=(*done.warnings, *warnings),
    )


def format_entry(
    head: str, events: tuple[str, ...], entry: ServerPlace | ServerInstallResult, backup: str, paper: TerminalFormat
) -> str:
    """An entry in an agent's settings: at which events, what it runs, in which file, and what that was before."""
    rows = (("at", ", ".join(events)), ("runs", quote_command(entry.command)), ("in", entry.path), ("before", backup))
    return "\n".join([head, *(paper.format_label(label, text) for label, text in rows if text)])


def remove_result(done: RemovedEntries, what: str) -> CommandResult:
    """The answer of a command that takes entries out."""
    return CommandResult(
        result=done,
        text=lambda paper: format_removed(done, what, paper),
        messages=(
            "" if done.files or done.failed else f"No {what} of memvault's are installed: there is nothing to remove.",
            DRY_RUN if done.dry_run else "",
        ),
        warnings=tuple(sentence.rstrip(".") for _, sentence in done.failed),
        exit_code=FAILED if done.failed else 0,
    )


def format_removed(done: RemovedEntries, what: str, paper: TerminalFormat) -> str:
    """Each file with what was taken out of it."""
    would = "Would remove" if done.dry_run else "Removed"
    return "\n".join(
        f"{would}: memvault's {what}, from {each.path}{_GONE if each.removed else format_diff(each.diff, paper)}"
        for each in done.files
    )
