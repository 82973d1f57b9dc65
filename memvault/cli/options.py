"""Options and arguments that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from memvault.cli.context import CliContext
from memvault.core.fields import STATUSES, TYPES
from memvault.core.kinds import KINDS
from memvault.core.query import Filters
from memvault.errors import BadInput, Misused
from memvault.text.dates.dates import parse_since

if TYPE_CHECKING:
    from memvault.privacy.audit import MemoryOrigin


# Arguments and options as commands declare them: plain values, which only the parser turns into typer's own.


class DeclaredParameter:
    """What a parameter is on the command line; takes what typer's class of that name takes."""

    __slots__ = ("names", "rest")

    def __init__(self, *names: str, **rest: Any) -> None:
        self.names = names
        self.rest: Mapping[str, Any] = {"show_default": False, **rest}


class Argument(DeclaredParameter):
    """A parameter that is told by its place."""

    __slots__ = ()


class Option(DeclaredParameter):
    """A parameter that is told by its name."""

    __slots__ = ()


class BadOptionValue(Exception):
    """What a callback raises when a value will not do."""


Several = list[str] | None


# What every command has: its type, and its default.
COMMON_OPTIONS: Mapping[str, tuple[Any, object]] = MappingProxyType(
    {
        "vault": (
            Annotated[
                str | None,
                Option("--vault", metavar="PATH", help="The vault to use; without it, the one that is found."),
            ],
            None,
        ),
        "as_json": (Annotated[bool, Option("--json", help="Answer in JSON, for programs.")], False),
        "no_color": (Annotated[bool, Option("--no-color", help="Print no colors.")], False),
    }
)

Ref = Annotated[str, Argument(metavar="MEMORY", help="An id (4 characters or more), a file name or a title.")]
Refs = Annotated[list[str], Argument(metavar="MEMORY", help="An id (4 characters or more), a file name or a title.")]
DryRun = Annotated[bool, Option("--dry-run", help="Only say what would be done; write nothing.")]


def check_not_negative(value: int) -> int:
    """A number of things or tokens, which cannot be negative."""
    if value < 0:
        raise BadOptionValue("it cannot be negative.")
    return value


def check_similarity(value: float | None) -> float | None:
    """A similarity, which lies between 0 and 1."""
    if value is not None and not 0 <= value <= 1:
        raise BadOptionValue("it must lie between 0 and 1.")
    return value


def number_option(name: str, *more: str, metavar: str, help_: str) -> Any:
    """An option that takes a whole number; 0 stands for the usual one."""
    return Option(name, *more, metavar=metavar, help=help_, callback=check_not_negative)


Limit = Annotated[int, number_option("--limit", "-n", metavar="N", help_="At most so many.")]


def choice_option(name: str, words: Iterable[str], help_: str) -> Any:
    """An option that takes one of a few words; `{}` in its help stands for them."""
    known = list(words)
    return Option(
        name, metavar=name.removeprefix("--").upper(), help=help_.format(", ".join(known)), autocompletion=lambda: known
    )


def action_argument(words: Iterable[str], help_: str) -> Any:
    """The argument that says what a command of several actions is to do."""
    return Argument(metavar="ACTION", help=help_, autocompletion=lambda: list(words))


def check_action(action: str, words: Iterable[str], command: str) -> None:
    """Complain of an action that a command does not know."""
    if action not in words:
        known = f"is none of {', '.join(words)}" if len(list(words)) > 1 else f"is not {', '.join(words)}"
        raise Misused(reason=f"{action!r} {known}{near_word(action, words)}.", command=command)


def near_word(typed: str, words: Iterable[str]) -> str:
    """The word that was probably meant, in a clause; empty where none is near."""
    from difflib import get_close_matches  # deferred: only for a typing slip

    near = get_close_matches(typed.casefold(), list(words), n=1, cutoff=0.75)
    return f" (did you mean {near[0]}?)" if near else ""


Redact = Annotated[bool, Option("--redact", help="Where there is a secret in it, store it without.")]
AllowSecret = Annotated[bool, Option("--allow-secret", help="Store it as it is, secrets and all.")]


def secret_policy(command: str, *, redact: bool, allow: bool) -> str:
    """What is to become of secrets, as the two options say; empty where neither was given."""
    if redact and allow:
        raise Misused(reason="--redact and --allow-secret exclude each other.", command=f"memvault {command}")
    return "redact" if redact else "keep" if allow else ""


Kind = Annotated[Several, choice_option("--kind", KINDS, "Only of this kind: {}.")]
Type = Annotated[Several, choice_option("--type", TYPES, "Only of this type: {}.")]
Status = Annotated[Several, choice_option("--status", STATUSES, "Only with this status: {}.")]
Tier = Annotated[
    Several, Option("--tier", metavar="TIER", help="Only of this tier: 0 identity, 1 hot, 2 memories, 3 archived.")
]
Tag = Annotated[Several, Option("--tag", metavar="TAG", help="Only with this tag, or one below it (work: work/acme).")]
Keyword = Annotated[
    Several,
    Option("--keyword", metavar="WORD", help="Only with this keyword, as a tag or topic, in whatever spelling."),
]
Person = Annotated[Several, Option("--person", metavar="NAME", help="Only about this person.")]
Scope = Annotated[
    Several, Option("--scope", metavar="NAME", help="Only what holds everywhere (`global`), or in this project.")
]
Since = Annotated[
    str | None,
    Option(
        "--since",
        metavar="WHEN",
        help="Only made or used since then: 2026-01-31, 12h, 7d, 2w, 3m, 1y, today, yesterday.",
    ),
]

_TIERS = {"0": 0, "1": 1, "2": 2, "3": 3, "identity": 0, "hot": 1, "memories": 2, "archived": 3}


def split_values(values: Several) -> tuple[str, ...]:
    """The values of an option that may be repeated, and may hold several with commas between."""
    parts = (part.strip() for value in values or [] for part in value.split(","))
    return tuple(dict.fromkeys(filter(None, parts)))


def check_choices(values: Several, what: str, options: Iterable[str]) -> frozenset[str]:
    """The values, each of which must be one of a few words."""
    known = list(options)
    found = frozenset(value.casefold() for value in split_values(values))
    for value in sorted(found - set(known)):
        raise BadInput(what=what, value=value, reason=f"it must be one of {', '.join(known)}")
    return found


def load_kinds(cli: CliContext, wanted: Several) -> Iterable[str]:
    """The kinds there are: ours, and where another is named, those that this vault describes."""
    if all(value.casefold() in KINDS for value in split_values(wanted)):
        return KINDS
    with cli.open_vault() as vault:
        return vault.settings.kinds


def build_filters(
    cli: CliContext,
    *,
    kind: Several = None,
    type_: Several = None,
    tag: Several = None,
    keyword: Several = None,
    person: Several = None,
    scope: Several = None,
    tier: Several = None,
    status: Several = None,
    since: str | None = None,
    pinned: bool | None = None,
) -> Filters:
    """The conditions that the options set."""
    return Filters(
        kinds=check_choices(kind, "the kind", load_kinds(cli, kind)),
        types=check_choices(type_, "the type", TYPES),
        tags=frozenset(tag.lstrip("#") for tag in split_values(tag)),
        keywords=frozenset(split_values(keyword)),
        people=frozenset(split_values(person)),
        scopes=frozenset(split_values(scope)),
        statuses=check_choices(status, "the status", STATUSES),
        tiers=frozenset(_TIERS[name] for name in check_choices(tier, "the tier", _TIERS)),
        since=None if since is None else parse_since(since, cli.now(), cli.zone),
        pinned=pinned,
    )


# Options that name an origin: where memories come from.

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
SOURCES = ("user", "agent", "hook", "import", "tool", "web")

Source = Annotated[str, choice_option("--source", SOURCES, "Only from this source: {}.")]
Session = Annotated[str, Option("--session", metavar="ID", help="Only from this session; how its id begins is enough.")]
Agent = Annotated[str, Option("--agent", metavar="NAME", help="Only what this program wrote.")]
Device = Annotated[str, Option("--device", metavar="NAME", help="Only what was written on this machine.")]
Tainted = Annotated[bool, Option("--tainted", help="Only what was written in a session that had read the web.")]


def build_origin(*, source: str, session: str, agent: str, device: str, tainted: bool) -> MemoryOrigin:
    """The origin that the options name."""
    from memvault.privacy.audit import MemoryOrigin  # deferred: a page of help needs none

    check_choices([source] if source else None, "the source", SOURCES)
    return MemoryOrigin(source=source.casefold(), session=session, agent=agent, device=device, tainted=tainted)
