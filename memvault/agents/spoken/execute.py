"""Do what a spoken command wants, and tell in one sentence what was done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from memvault.agents.spoken.intent import (
    Dig,
    Intent,
    Maintain,
    Pause,
    Remember,
    Resume,
    SaveProgress,
    Significant,
    WhatAbout,
)
from memvault.core.ids import short
from memvault.core.plan import Operation
from memvault.errors import BadInput, MemvaultError, NothingToDo
from memvault.storage import pauses as control
from memvault.storage.pauses import EVERYTHING, Quiet, Scope
from memvault.storage.vault.context import Bench

if TYPE_CHECKING:
    from memvault.context.briefing import Part
    from memvault.memories.remember import Remembered
    from memvault.models.llm.ask import Ask
    from memvault.recall.recall import Recalled
    from memvault.storage.journal.runs import Maintained
    from memvault.transcripts.dig import Dug
    from memvault.transcripts.progress import Progress


@dataclass(frozen=True, slots=True)
class Ended:
    """The pauses that were ended."""

    pauses: tuple[Quiet, ...]


if TYPE_CHECKING:
    Result = Remembered | Progress | Dug | Recalled | Maintained | Quiet | Ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What is known around a command: what was said before it, where it was said, and who may be asked."""

    before: str = ""
    project: str = ""
    secrets: str = ""  # what becomes of them: refuse, redact or keep; as the settings say, unless told
    ask: Ask | None = None  # for a summary
    ask_wording: Ask | None = None  # for what upkeep merges
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A command, what came of it, one sentence that tells it, and what takes it back."""

    intent: Intent
    result: Result
    sentence: str
    op: str = ""

    @property
    def is_question(self) -> bool:
        """Whether it asks for what is remembered."""
        return isinstance(self.intent, WhatAbout | Dig)


def say(bench: Bench, intent: Intent, spoken: Spoken) -> Said:
    """Do what a command wants."""
    match intent:
        case Remember(text=text):
            return _remembered(bench, intent, text, spoken, kind="prospective" if intent.to_do else "")
        case Significant(text=text):
            return _remembered(bench, intent, text, spoken)
        case SaveProgress():
            return _saved(bench, intent, spoken)
        case Dig(topic=topic):
            return _dug(bench, intent, topic, spoken)
        case WhatAbout(topic=topic):
            return _recalled(bench, intent, topic)
        case Maintain():
            return _maintained(bench, intent, spoken)
        case Pause():
            return _paused(bench, intent, spoken)
        case Resume():
            return _resumed(bench, intent, spoken)


def answer(said: Said) -> Part | None:
    """What a question found, for the model that is to tell of it; None where the command was no question."""
    from memvault.context import prompt

    match said.intent, said.result:
        case WhatAbout(), found:
            return prompt.of_memories(cast("Recalled", found))
        case Dig(), found:
            return prompt.of_everything(cast("Dug", found))
        case _:
            return None


def made(said: Said) -> frozenset[str]:
    """The id of the memory that a command made: whoever spoke it has just said what is in it."""
    match said.intent:
        case Remember() | Significant() | SaveProgress():
            return frozenset({cast("Remembered | Progress", said.result).memory.id})
        case _:
            return frozenset()


def instead(text: str) -> str:
    """What somebody may have meant by a text that is no command."""
    low = text.casefold()
    if any(word in low for word in ("remember", "memor", "merk", "note")) and not low.rstrip().endswith(("?", "？")):
        return 'Say it as `memvault say "remember this: …"`, or use `memvault remember "…"`.'
    if low.rstrip().endswith(("?", "？")):
        return "`memvault recall …` looks for an answer in the memories."
    return "It listens for “remember this: …”, “save progress”, “dig deeper into …”; docs/speaking.md lists them all."


# -- one for each command; what a command needs is imported by it alone


def _remembered(bench: Bench, intent: Intent, text: str, spoken: Spoken, *, kind: str = "") -> Said:
    from memvault.memories.draft import Draft
    from memvault.memories.remember import remember

    what = text or spoken.before.strip()
    if not what:
        raise NothingToDo(reason="Nothing is known of what was said before. Say what to remember, behind a colon.")
    draft = Draft(text=what, kind=kind, significant=isinstance(intent, Significant), secrets=spoken.secrets)
    made = remember(bench, draft, dry_run=spoken.dry_run)
    did = {"quarantined": "put into quarantine", "confirmed": "known already"}.get(made.outcome, "remembered")
    as_ = " as significant" if isinstance(intent, Significant) and made.outcome == "kept" else ""
    told = f"{_would(spoken)}{did}{as_}: “{made.memory.title}” ({short(made.memory.id)})"
    return Said(intent, made, told + (_no_day(bench, what) if kind and "due" not in made.memory.more else ""), made.op)


def _no_day(bench: Bench, text: str) -> str:
    """What is said of a reminder whose only day is over: it is kept, and will not come up by itself."""
    from memvault.text.dates.due import read_due

    found = read_due(text, now=bench.now, zone=bench.zone)
    if found.trouble != "over" or found.moment is None:
        return ""
    return f"; {found.moment:%Y-%m-%d} is over, so it has no day: `memvault edit ID --set due=…` gives it one"


def _saved(bench: Bench, intent: Intent, spoken: Spoken) -> Said:
    from memvault.transcripts.progress import save_progress

    made = save_progress(bench, "", bench.actor.session, spoken.ask, dry_run=spoken.dry_run)
    did = "saved" if made.new else "brought up to date"
    return Said(intent, made, f"{_would(spoken)}{did}: “{made.memory.title}” ({short(made.memory.id)})", made.op)


def _dug(bench: Bench, intent: Intent, topic: str, spoken: Spoken) -> Said:
    from memvault.transcripts.dig import Dig as Wanted
    from memvault.transcripts.dig import dig

    found = dig(bench, Wanted(topic=topic, dry_run=spoken.dry_run))
    count = f"{_count(len(found.memories), 'memory', 'memories')} and {_count(len(found.topics), 'topic', 'topics')}"
    return Said(intent, found, f"found {count} on “{topic}”")


def _recalled(bench: Bench, intent: Intent, topic: str) -> Said:
    from memvault.recall.recall import Ask as Wanted
    from memvault.recall.recall import recall

    found = recall(bench, Wanted(query=topic))
    return Said(intent, found, f"found {_count(len(found.hits), 'memory', 'memories')} about “{topic}”")


def _maintained(bench: Bench, intent: Intent, spoken: Spoken) -> Said:
    from memvault.maintenance.maintain import Wanted, maintain

    done = maintain(bench, Wanted(dry_run=spoken.dry_run), ask=None if spoken.dry_run else spoken.ask_wording)
    did = f"{_would(spoken)}changed {_count(len(done.done), 'memory', 'memories')}" if done.done else "nothing was due"
    return Said(intent, done, f"upkeep: {did}", done.op)


def _paused(bench: Bench, intent: Pause, spoken: Spoken) -> Said:
    assert bench.state is not None
    session = bench.actor.session
    if intent.session and not session:
        raise NothingToDo(reason="It is not known which session this is: `memvault pause --session ID` names it.")
    scope = Scope("session", session) if intent.session else EVERYTHING
    span = _span(bench, intent.until) if intent.until else intent.span
    quiet = control.pause(bench.state, scope, now=bench.now, span=span, dry_run=spoken.dry_run)
    end = quiet.until and quiet.until.astimezone(bench.zone)
    until = f"until {end:%Y-%m-%d %H:%M}" if end else "until you say otherwise"
    return Said(intent, quiet, f"{_would(spoken)}paused {scope.words}, {until}")


def _span(bench: Bench, until: str) -> timedelta:
    """How long it is until a day or an hour; a pause without the end that was meant would be another one."""
    from memvault.text.dates.due import read_due

    end = read_due(until, now=bench.now, zone=bench.zone)
    if end.moment is None or end.trouble:
        reason = (
            "it is over" if end.trouble == "over" else "that is no day or hour: say “for two hours”, or “until Monday”"
        )
        raise BadInput(what="the end of a pause", value=until, reason=reason)
    return end.moment - bench.now


def _resumed(bench: Bench, intent: Intent, spoken: Spoken) -> Said:
    assert bench.state is not None
    named = (EVERYTHING, Scope("project", spoken.project), Scope("session", bench.actor.session))
    ended = control.resume(bench.state, named, now=bench.now, dry_run=spoken.dry_run)
    return Said(intent, Ended(ended), f"{_would(spoken)}resumed {' and '.join(quiet.scope.words for quiet in ended)}")


def _would(spoken: Spoken) -> str:
    return "would have " if spoken.dry_run else ""


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


# What a spoken command came to that another process carried out, as the log tells it.

_DID = {"remember": "remembered", "edit": "brought up to date", "maintain": "upkeep is done"}
_LONGEST = timedelta(seconds=6)  # that one event is served


def obeyed(bench: Bench, now: datetime) -> str:
    """One sentence on what was last done in this session, a few seconds ago; empty where that was nothing."""
    since = (now - _LONGEST).replace(microsecond=0)
    done = (one for one in bench.vault.log.since(since) if one.session == bench.actor.session and one.verb in _DID)
    found = next(done, None)
    return "" if found is None else _DID[found.verb] + _of_what(bench, found)


def _of_what(bench: Bench, operation: Operation) -> str:
    made = [step.path for step in operation.steps if step.do in ("create", "rewrite")]
    if operation.verb == "maintain" or not made:
        return ""
    try:
        memory = bench.find(made[-1])
    except MemvaultError:  # moved on since
        return ""
    return f": “{memory.title}” ({short(memory.id)})"
