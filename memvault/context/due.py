"""The reminders that a session or a prompt is given: what is due, what fits, and what is asked about once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from memvault.context.briefing import BriefingPart, BriefingPiece, QuotedEntry, quote_label, quote_text
from memvault.context.eligible import can_be_injected
from memvault.context.injection_log import SESSION_START, InjectionRecord, last_records
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import MemvaultError
from memvault.memories.open_items import Reminder, describe_time, open_reminders
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.text.display import format_count
from memvault.text.terms import clip_to_budget, query_terms

_MOST, _MOST_FITTING, _MOST_ASKED, _MOST_NAMED = 6, 3, 2, 4
_TEXT_TOKENS = 100  # of each: one long text must not keep all others out
_SHARE = 0.15
_ASKED_AFTER = timedelta(days=7)
_ASKED_FILE = "asked.log"
_WITH_PROMPT = 4_000  # characters of a prompt: what is pasted behind them is about something else
_HEADING, _FITTING, _ASKING = (
    "Due",
    "To do, and it fits this prompt",
    "To do without a day: ask once whether it still is",
)
_LEAST_FITTING = 0.5  # of the words of a condition
_FEW = 2  # of which one is enough
_LEAST_SHARED = 0.4  # of the words of what is to be done, and two of them

# What stands in any condition and any errand.
_IDLE_TEXT = """
time next touch open work plan go come get back again see anyway start begin moment soon once when after if
remind remember call ask send buy ring write check tell look put take bring hand post give make file book pay
find need want let try use turn day week month year today tomorrow tonight morning evening
"""
_IDLE = frozenset(_IDLE_TEXT.split())
_NAME = re.compile(r"(?<=[\w,;:'’-]\s)[A-ZÀ-Þ][\w’'-]*[a-zà-ÿ][\w’'-]*")
_OF_THE_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE
)
_MOST_CAPITAL = 0.35  # of the words: where every noun begins with a capital, none is a name by that


@dataclass(frozen=True, slots=True)
class ReminderScene:
    """Where and when reminders may come up: the session, the project, the log of what was given."""

    session: str
    project: str
    state: Path


def due_parts(context: VaultContext, scene: ReminderScene, *, is_whole: bool) -> tuple[BriefingPart, ...]:
    """Return what is due as a session begins, and what to ask about; of one that goes on, only what is new of it."""
    found = _eligible(context, scene)
    rows = [] if is_whole else _given_since_start(scene)
    fresh = [each for each in found if not _was_given(each, rows, context.now, context.zone)]
    near = [each for each in fresh if each.urgency in ("today", "overdue", "soon") and not each.is_long_over]
    why = {"soon": "it is due soon"}
    pieces = [_piece(context, each, _HEADING, why.get(each.urgency, "it is due")) for each in near[:_MOST]]
    left = [*near[_MOST:], *(each for each in fresh if each.is_long_over)]
    asked = list(_to_ask(context, scene, found)) if is_whole else []
    return (
        BriefingPart("the reminders that are due", (*pieces, *_counted(left)), _SHARE),
        BriefingPart(
            "the reminders without a day",
            tuple(_piece(context, each, _ASKING, "it has no day, and is asked about once") for each in asked),
            _SHARE / 2,
        ),
    )


def note_asked(context: VaultContext, scene: ReminderScene, given: Iterable[BriefingPart]) -> None:
    """Record which reminders without a day the person was asked about, so that they are not asked again."""
    ids = [piece.id for part in given if part.name == "the reminders without a day" for piece in part.pieces]
    if ids:
        with suppress(MemvaultError, OSError):
            files.append_line(
                scene.state / _ASKED_FILE, "".join(f"{id_} {context.vault.device}\n" for id_ in ids).encode()
            )


def reminders_part(
    context: VaultContext, scene: ReminderScene, prompt: str, known: frozenset[str], without: frozenset[str]
) -> BriefingPart:
    """Return what became due since the session began, and the reminders that a prompt meets or is about.

    What it is `without`, the model has just read.
    """
    found = [each for each in _eligible(context, scene) if each.piece_id not in without]
    if not found:
        return BriefingPart("the reminders")
    rows = _given_since_start(scene)
    fresh = [each for each in found if not _was_given(each, rows, context.now, context.zone)]
    due = [each for each in fresh if each.is_due and not each.is_long_over][:_MOST]
    terms, low = frozenset(query_terms(prompt[:_WITH_PROMPT])), f" {prompt[:_WITH_PROMPT].casefold()} "
    fitting = [each for each in fresh if each not in due and each.piece_id not in known and _fits(each, terms, low)]
    pieces = [_piece(context, each, _HEADING, "it is due") for each in due]
    pieces += [_piece(context, each, _FITTING, "the prompt is about it") for each in fitting[:_MOST_FITTING]]
    return BriefingPart("the reminders", tuple(pieces), _SHARE)


def _eligible(context: VaultContext, scene: ReminderScene) -> list[Reminder]:
    folders, kinds = context.settings.texts("inject.folders"), context.settings.kinds
    found = [
        each
        for each in open_reminders(context)
        if (each.line and not each.memory.is_strangers)
        or can_be_injected(each.memory, folders=folders, project=scene.project, kinds=kinds, now=context.here)
    ]
    missed = [each for each in found if each.repeat and each.urgency == "overdue" and not each.line]
    if not missed:
        return found
    # What comes again was seen when it came up in any session since; else it comes up late.
    rows = last_records(scene.state, limit=0)
    seen = [
        each for each in missed if each.due and any(each.piece_id in row.ids and row.at >= each.due for row in rows)
    ]
    return [each for each in found if each not in seen]


# -- what a session has already


def _given_since_start(scene: ReminderScene) -> list[InjectionRecord]:
    """Return what the session was given since it began or was last compacted, the newest first."""
    found: list[InjectionRecord] = []
    for row in last_records(scene.state, scene.session, limit=0) if scene.session else ():
        found.append(row)
        if row.event == SESSION_START and row.source not in ("resume", ""):
            break
    return found


def _was_given(reminder: Reminder, rows: Sequence[InjectionRecord], now: datetime, zone: tzinfo) -> bool:
    """Return whether the session was given a reminder since it stands as it does now: once a day, and at its hour."""
    since = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    if reminder.due is not None and since < reminder.due <= now:
        since = reminder.due
    is_dated = reminder.urgency in ("today", "overdue", "soon")
    return any(reminder.piece_id in row.ids and (row.at >= since or not is_dated) for row in rows)


def _to_ask(context: VaultContext, scene: ReminderScene, found: Sequence[Reminder]) -> Iterator[Reminder]:
    """Yield the undated ones that are a week old, and that nobody was asked about; the most urgent first."""
    old = [
        each
        for each in found
        if each.due is None
        and not each.condition
        and not each.line
        and context.now - each.memory.created >= _ASKED_AFTER
    ]
    if not old:
        return
    path = scene.state / _ASKED_FILE
    known: set[str] = set()
    with suppress(MemvaultError, OSError):
        known = (
            {line.split()[0] for line in files.read_file(path).decode().splitlines() if line}
            if path.exists()
            else set()
        )
    yield from [each for each in old if each.piece_id not in known][:_MOST_ASKED]


# -- what a prompt is about


def _fits(reminder: Reminder, terms: frozenset[str], low: str) -> bool:
    """Return whether a prompt meets a reminder's condition, or is about what is to be done."""
    if reminder.condition:
        wanted = _telling(reminder.condition)
        if wanted:
            shared = len(wanted & terms)
            return shared >= _LEAST_FITTING * len(wanted)
    wanted = _telling(reminder.title)
    shared = len(wanted & terms)
    if shared > 1 and shared >= _LEAST_SHARED * len(wanted):
        return True
    if reminder.due is not None:  # its day brings it up: one word in common is no reason to do so before
        return False
    names = _names_in(reminder.title)
    return (shared > 0 and len(wanted) <= _FEW) or any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", low) for name in names
    )


def _telling(text: str) -> frozenset[str]:
    return frozenset(query_terms(text)) - _IDLE


def _names_in(text: str) -> Iterator[str]:
    """Yield the names of people and things in a text, in small letters."""
    found = [found[0] for found in _NAME.finditer(text)]
    if len(found) <= _MOST_CAPITAL * len(text.split()):
        yield from (
            name.casefold().removesuffix("'s").removesuffix("’s") for name in found if not _OF_THE_CALENDAR.match(name)
        )


# -- how they are shown


def _piece(context: VaultContext, reminder: Reminder, heading: str, why: str) -> BriefingPiece:
    """Return a reminder as one line with its day, and the rest of its text where it has more."""
    text = reminder.title if reminder.line else strip_private(context.read_text(reminder.memory)).strip()
    first, _, rest = clip_to_budget(text, _TEXT_TOKENS).partition("\n")
    facts = ", ".join(filter(None, (reminder.key, describe_time(reminder, context.zone))))
    shown = f"\n{quote_label(first)} ({facts})\n" + (f"{quote_text(rest)}\n" if rest.strip() else "")
    return BriefingPiece(entry=QuotedEntry(heading, shown), id=reminder.piece_id, title=reminder.title, why=why)


def _counted(left: Sequence[Reminder]) -> tuple[BriefingPiece, ...]:
    """Return one line for what has been over for long: how many, and the first of them."""
    if not left:
        return ()
    named = "; ".join(
        f"{quote_label(each.title)} ({each.key}, {each.days_over} days over)" for each in left[:_MOST_NAMED]
    )
    count = format_count(len(left), "more is over", "more are over")
    line = f"\n{count}: {named}{'; …' if len(left) > _MOST_NAMED else ''}. `memvault task list` lists them.\n"
    return (BriefingPiece(entry=QuotedEntry(_HEADING, line), title=count),)
