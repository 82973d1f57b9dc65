"""`memvault private`: memories that are sealed to your own key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Limit, Option, Several, action_argument, check_action, split_values
from memvault.cli.private import keys as private_keys
from memvault.cli.private import notes
from memvault.cli.private.notes import PrivateOptions
from memvault.errors import Misused

PRIVATE_EXAMPLES = (
    "memvault private init",
    "memvault private search alarm code",
    "memvault private show 9c1f",
    "memvault private edit 9c1f   # in your editor, in memory alone",
    "memvault private unlock --for 30m",
    "memvault private originals 5f0c1234",
    "memvault private rekey",
)


class _PrivateAction(NamedTuple):
    """One action: what carries it out, its options, and how many words it takes at least and at most."""

    run: Callable[[CliContext, PrivateOptions], CommandResult | None]
    options: str = ""
    min_words: int = 0
    max_words: int | None = 0


_EDITING = "--key --dry-run --text --append --title --add-tag --remove-tag"
ACTIONS: Mapping[str, _PrivateAction] = MappingProxyType(
    {
        "list": _PrivateAction(notes.list_, "--key"),
        "show": _PrivateAction(notes.show, "--key --raw", 1, None),
        "search": _PrivateAction(notes.search, "--key --limit", 1, None),
        "edit": _PrivateAction(notes.edit, _EDITING, 1, None),
        "forget": _PrivateAction(notes.forget, "--key --yes --dry-run", 1, None),
        "purge": _PrivateAction(notes.purge, "--key --yes --dry-run", 1, None),
        "restore": _PrivateAction(notes.restore, "--key --dry-run", 1, None),
        "originals": _PrivateAction(notes.originals, "--key", 1, 1),
        "import": _PrivateAction(notes.import_bundle, "--dry-run", 1, 1),
        "status": _PrivateAction(private_keys.status),
        "init": _PrivateAction(private_keys.init, "--keyring --yes --dry-run"),
        "unlock": _PrivateAction(private_keys.unlock, "--key --for"),
        "lock": _PrivateAction(private_keys.lock),
        "rekey": _PrivateAction(private_keys.rekey, "--key --yes --dry-run"),
        "admit": _PrivateAction(private_keys.admit, "--key --dry-run", 1, 1),
        "dismiss": _PrivateAction(private_keys.dismiss, "--key --dry-run", 1, 1),
    }
)
_COMMAND = "memvault private"

Action = Annotated[str, action_argument(ACTIONS, f"What to do: {', '.join(ACTIONS)}; list unless you say otherwise.")]
Words = Annotated[
    Several,
    Argument(
        metavar="WORDS",
        help="The memory (by the beginning of its file's name or id, or its title); or what is looked for, a "
        "conversation, a bundle, a key (age1…).",
    ),
]
Key = Annotated[str, Option("--key", metavar="FILE", help="Open with the key in this file too.")]
Text = Annotated[str | None, Option("--text", metavar="TEXT", help="edit: the new text; `-` reads stdin.")]
Append = Annotated[str | None, Option("--append", metavar="TEXT", help="edit: text to add; `-` reads stdin.")]
Title = Annotated[str | None, Option("--title", metavar="TITLE", help="edit: a new title.")]
AddTag = Annotated[Several, Option("--add-tag", metavar="TAG", help="edit: a tag to add.")]
RemoveTag = Annotated[Several, Option("--remove-tag", metavar="TAG", help="edit: a tag to take away.")]
Raw = Annotated[bool, Option("--raw", help="show: the whole note as it was sealed, frontmatter and all.")]
For = Annotated[str, Option("--for", metavar="TIME", help="unlock: how long, such as 15m or 1h.")]
InKeyring = Annotated[bool, Option("--keyring", help="init: keep the key in the system's keyring, not in a file.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Agree beforehand to what would be asked.")]


def private(
    cli: CliContext,
    action: Action = "list",
    words: Words = None,
    *,
    key: Key = "",
    text: Text = None,
    append: Append = None,
    title: Title = None,
    add_tag: AddTag = None,
    remove_tag: RemoveTag = None,
    raw: Raw = False,
    limit: Limit = 0,
    for_: For = "",
    keyring: InKeyring = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> CommandResult | None:
    """Keep memories that nobody else is to read, sealed to a key that only you have.

    They are opened in memory alone, for you and for no agent; no index, log, export or assistant has them. Whoever
    loses the key loses them. `remember --private` makes one. The originals of lines with secrets can be sealed too.
    """
    check_action(action, ACTIONS, _COMMAND)
    from memvault.system import programs  # deferred: only what opens memories needs it

    programs.forbid_core_dumps()
    asked = PrivateOptions(
        words=" ".join(words or []),
        key=key,
        text=text,
        append=append,
        title=title,
        add_tag=split_values(add_tag),
        remove_tag=split_values(remove_tag),
        raw=raw,
        limit=limit,
        for_=for_,
        keyring=keyring,
        yes=yes,
        dry_run=dry_run,
    )
    _check_options(action, len(words or []), asked._replace(words="")._asdict())
    return ACTIONS[action].run(cli, asked)


def _check_options(action: str, words: int, options: Mapping[str, object]) -> None:
    row = ACTIONS[action]
    if words < row.min_words or (row.max_words is not None and words > row.max_words):
        reason = f"Say of what: {action} WORDS." if row.max_words or row.min_words else f"{action} takes no words."
        raise Misused(reason=reason, command=_COMMAND)
    given = {
        f"--{name.strip('_').replace('_', '-')}" for name, value in options.items() if value not in (None, "", 0, ())
    }
    if others := sorted(given.difference(row.options.split())):
        raise Misused(reason=f"{others[0]} does not go with {action}.", command=_COMMAND)
