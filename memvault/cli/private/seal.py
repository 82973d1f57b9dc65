"""`memvault seal`: the originals of lines with secrets, for those who want to keep them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option
from memvault.errors import Misused
from memvault.text.display import escape_controls, format_count, format_size

if TYPE_CHECKING:
    from memvault.transcripts.archive.originals import MakeKeyResult, SealStatus, UnsealResult


SEAL_EXAMPLES = (
    "memvault seal init",
    "memvault seal status",
    "memvault seal open 5f0c1234",
    "memvault seal open 5f0c1234 --key /media/stick/seal.agekey",
)

ACTIONS = ("status", "init", "open")
_COMMAND = "memvault seal"

Action = Annotated[
    str,
    Argument(
        metavar="ACTION",
        help="What to do: status, init or open; status unless you say otherwise.",
        show_default=False,
        autocompletion=lambda: list(ACTIONS),
    ),
]
Conversation = Annotated[
    str, Argument(metavar="CONVERSATION", help="A session's id, or how it begins.", show_default=False)
]
Key = Annotated[
    str, Option("--key", metavar="FILE", help="Open with the key in this file, not with the one in your config folder.")
]

_LOST = "Whoever loses this key loses the originals: keep a copy of it elsewhere."
_ON = "`memvault config --user transcripts.secrets seal` has originals sealed."


def seal(
    cli: CliContext,
    action: Action = "status",
    conversation: Conversation = "",
    *,
    key: Key = "",
    dry_run: DryRun = False,
) -> CommandResult:
    """Keep the originals of what secrets were taken out of, sealed to your own key, and open them again.

    The archive, and all that is searched, stays without secrets. Sealed are the lines of conversations that had any,
    from the moment on when you have a key and set it so. `open` prints them, and writes them nowhere.
    """
    _check_options(action, conversation, key=key, dry_run=dry_run)
    if action == "init":
        from memvault.api import Memvault

        return _key_result(Memvault.seal_init(environment=cli.environment, dry_run=dry_run))
    with cli.open_vault() as vault:
        if action == "open":
            return _open_result(vault.unseal(conversation, key=key or None))
        return _status_result(vault.seal_status())


def _check_options(action: str, conversation: str, *, key: str, dry_run: bool) -> None:
    if action not in ACTIONS:
        raise Misused(reason=f"{action!r} is none of {', '.join(ACTIONS)}.", command=_COMMAND)
    if (action == "open") != bool(conversation):
        reason = "Name the conversation to open." if action == "open" else f"{action} takes no conversation."
        raise Misused(reason=reason, command=_COMMAND)
    if (key and action != "open") or (dry_run and action != "init"):
        raise Misused(reason="--key goes with open, --dry-run with init.", command=_COMMAND)


def _key_result(made: MakeKeyResult) -> CommandResult:
    verb = "There is a key already:" if not made.new else "Would make your key:" if made.dry_run else "Made your key:"
    where = made.key if made.new or made.key.exists() else made.public
    return CommandResult(
        result={"key": made.key, "public": made.public, "new": made.new, "dry_run": made.dry_run},
        text=lambda _paper: f"{verb} {where}",
        messages=(_LOST, _ON),
    )


def _status_result(found: SealStatus) -> CommandResult:
    return CommandResult(
        result={
            "secrets": found.secrets,
            "installed": found.installed,
            "key": found.key,
            "has_key": found.has_key,
            "recipients": list(found.recipients),
            "files": found.files,
            "size": found.size,
        },
        text=lambda _paper: "\n".join(_status_lines(found)),
        messages=_status_advice(found),
    )


def _status_lines(found: SealStatus) -> list[str]:
    is_on = found.secrets == "seal"
    return [
        "Originals are sealed." if is_on else "Secrets are left out, and originals are not kept.",
        f"Key: {found.key if found.has_key else 'none here'}",
        *(f"Sealed to: {one}" for one in found.recipients),
        f"Sealed so far: {format_count(found.files, 'file', 'files')}, {format_size(found.size)}",
    ]


def _status_advice(found: SealStatus) -> tuple[str, ...]:
    if not found.installed:
        return ("Sealing needs more than memvault alone: `pip install 'memvault[private]'`.",)
    if not (found.has_key or found.recipients):
        return ("`memvault seal init` makes a key.",)
    return () if found.secrets == "seal" else (_ON,)


def _open_result(found: UnsealResult) -> CommandResult:
    return CommandResult(
        result={"path": found.path, "lines": list(found.lines)},
        text=lambda _paper: "\n".join(map(_escape_line, found.lines)),
        messages=() if found.lines else ("Nothing of that conversation is sealed.",),
    )


def _escape_line(line: str) -> str:
    """A line as it was, or where that could deceive a terminal, the same with all but ASCII spelled out."""
    if escape_controls(line) == line:
        return line
    try:
        return json.dumps(json.loads(line))
    except (ValueError, RecursionError):
        return escape_controls(line)
