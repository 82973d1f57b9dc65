"""Do what a spoken command wants, and tell in one sentence what was done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from memvault.agents.spoken.intent import (
    Dig,
    Done,
    Forget,
    Intent,
    ListTodo,
    Maintain,
    Pause,
    Remember,
    Resume,
    SaveProgress,
    Significant,
    Update,
    WhatAbout,
)
from memvault.agents.spoken.listening import find_command
from memvault.core.ids import short_id
from memvault.core.memory import FieldValue, Memory
from memvault.core.plan import Operation
from memvault.core.value import replace
from memvault.errors import BadInput, MemvaultError, NoIntent, NothingToDo
from memvault.storage import pauses as control
from memvault.storage.pauses import EVERYTHING, PausePeriod, PauseScope
from memvault.storage.vault.context import VaultContext

if TYPE_CHECKING:
    from memvault.context.briefing import BriefingPart
    from memvault.memories.edit import ChangeResult
    from memvault.memories.forget import ForgottenPart, MoveResult
    from memvault.memories.remember import RememberResult
    from memvault.memories.tasks import FinishedTask, TodoList
    from memvault.recall.recall import RecallResult
    from memvault.storage.journal.runs import MaintainResult
    from memvault.transcripts.dig import DigResult
    from memvault.transcripts.progress import ProgressResult


@dataclass(frozen=True, slots=True)
class EndedPauses:
    """The pauses that were ended."""

    pauses: tuple[PausePeriod, ...]


if TYPE_CHECKING:
    CommandOutcome = (
        RememberResult
        | ProgressResult
        | DigResult
        | RecallResult
        | MaintainResult
        | ForgottenPart
        | MoveResult
        | ChangeResult
        | FinishedTask
        | TodoList
        | PausePeriod
        | EndedPauses
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenContext:
    """What is known around a command: what was said before it, where it was said, and by whom."""

    previous_text: str = ""
    project: str = ""
    secrets: str = ""  # what becomes of them: refuse, redact or keep; as the settings say, unless told
    by_person: bool = False  # it is the person's own word, whoever carries it here
    said_at: datetime | None = None  # when it was said, where that was not now: days are counted from then
    source: str = ""  # where it comes from; whoever is at work, unless told
    near: str = ""  # what becomes of a text that is known nearly, as in a draft
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class SpokenResult:
    """A command, what came of it, one sentence that tells it, and what takes it back."""

    intent: Intent
    result: CommandOutcome
    sentence: str
    op: str = ""

    @property
    def is_question(self) -> bool:
        """Whether it asks for what is remembered."""
        return isinstance(self.intent, WhatAbout | Dig)


def say(context: VaultContext, text: str, spoken: SpokenContext) -> SpokenResult:
    """Do what a text asks for; raise NoIntent where it holds no command."""
    found = find_command(text, context.settings)
    if found is None:
        line = " ".join(text.split())
        raise NoIntent(text=line if len(line) <= 60 else f"{line[:59]}…", way_out=suggest_command(text))
    if spoken.by_person:
        context = _speak_as_person(context, found.intent)
    return execute_intent(context, found.intent, spoken)


def _speak_as_person(context: VaultContext, intent: Intent) -> VaultContext:
    """Return the context of a person who speaks; what they point to stays the agent's where it had read the web."""

    is_pointed_to = isinstance(intent, SaveProgress) or (isinstance(intent, Remember | Significant) and not intent.text)
    if is_pointed_to and context.is_session_tainted():
        return context
    return replace(context, actor=replace(context.actor, agent=""))


def execute_intent(context: VaultContext, intent: Intent, spoken: SpokenContext) -> SpokenResult:
    """Do what a command wants."""
    match intent:
        case Remember(text=text) | Significant(text=text):
            return _execute_remember(context, intent, text, spoken)
        case Forget() | Done() | ListTodo() | Update():
            return _settle(context, intent, spoken)
        case SaveProgress():
            return _execute_save(context, intent, spoken)
        case Dig(topic=topic):
            return _execute_dig(context, intent, topic, spoken)
        case WhatAbout(topic=topic):
            from memvault.recall.recall import RecallQuery as Wanted
            from memvault.recall.recall import recall

            found = recall(context, Wanted(query=topic), asks_model=False)
            return SpokenResult(
                intent, found, f"found {_format_count(len(found.hits), 'memory', 'memories')} about “{topic}”"
            )
        case Maintain():
            from memvault.maintenance.maintain import MaintainOptions, maintain

            done = maintain(context, MaintainOptions(dry_run=spoken.dry_run))
            did = (
                f"{_dry_run_prefix(spoken)}changed {_format_count(len(done.done), 'memory', 'memories')}"
                if done.done
                else "nothing was due"
            )
            return SpokenResult(intent, done, f"upkeep: {did}", done.op)
        case Pause():
            return _execute_pause(context, intent, spoken)
        case Resume():
            assert context.state is not None
            named = (EVERYTHING, PauseScope("project", spoken.project), PauseScope("session", context.actor.session))
            ended = control.end_pauses(context.state, named, now=context.now, dry_run=spoken.dry_run)
            return SpokenResult(
                intent,
                EndedPauses(ended),
                f"{_dry_run_prefix(spoken)}resumed {' and '.join(quiet.scope.description for quiet in ended)}",
            )


def question_answer(said: SpokenResult) -> BriefingPart | None:
    """Return what a question found, for the model that is to tell of it; None where the command was no question."""
    from memvault.context import prompt

    match said.intent, said.result:
        case WhatAbout(), result:
            recalled = cast("RecallResult", result)
            return prompt.answer_part(recalled.query, recalled.hits)
        case Dig(), result:
            dug = cast("DigResult", result)
            return prompt.answer_part(dug.topic, dug.memories, dug.conversations)
        case _:
            return None


def created_ids(said: SpokenResult) -> frozenset[str]:
    """Return the id of the memory that a command made: whoever spoke it has just said what is in it."""
    match said.intent:
        case Remember() | Significant() | Update() | SaveProgress():
            return frozenset({cast("RememberResult | ProgressResult", said.result).memory.id})
        case _:
            return frozenset()


def suggest_command(text: str) -> str:
    """Return what somebody may have meant by a text that is no command."""
    low = text.casefold()
    if any(word in low for word in ("remember", "memor", "merk", "note")) and not low.rstrip().endswith(("?", "？")):
        return 'Say it as `memvault agent say "remember this: …"`, or use `memvault remember "…"`.'
    if low.rstrip().endswith(("?", "？")):
        return "`memvault recall …` looks for an answer in the memories."
    return "It listens for “remember this: …”, “save progress”, “dig deeper into …”; docs/agents.md lists them all."


# -- one for each command; what a command needs is imported by it alone


def _execute_remember(
    context: VaultContext, intent: Remember | Significant, text: str, spoken: SpokenContext
) -> SpokenResult:
    from memvault.memories.draft import MemoryDraft
    from memvault.memories.remember import remember

    what = text or spoken.previous_text.strip()
    if not what:
        raise NothingToDo(reason="Nothing is known of what was said before. Say what to remember, behind a colon.")
    more, note = (
        _reminder_fields(context, intent, spoken) if isinstance(intent, Remember) and intent.to_do else ({}, "")
    )
    draft = MemoryDraft(
        text=what,
        kind="prospective" if isinstance(intent, Remember) and intent.to_do else "",
        more=more,
        significant=isinstance(intent, Significant),
        secrets=spoken.secrets,
        created=spoken.said_at,
        source=spoken.source,
        near=spoken.near,
    )
    made = remember(context, draft, dry_run=spoken.dry_run)
    did = {"quarantined": "put into quarantine", "confirmed": "known already"}.get(made.outcome, "remembered")
    as_ = " as significant" if isinstance(intent, Significant) and made.outcome == "kept" else ""
    return SpokenResult(
        intent, made, f"{_dry_run_prefix(spoken)}{did}{as_}: {_name_memory(made.memory)}{note}", made.op
    )


def _reminder_fields(
    context: VaultContext, intent: Remember, spoken: SpokenContext
) -> tuple[dict[str, FieldValue], str]:
    """Return what is said of a reminder, and the day that was understood: overdue, where it is over."""
    from memvault.core.kinds.prospective import reminder_fields
    from memvault.text.dates.dates import is_past
    from memvault.text.dates.reminders import describe_due, read_reminder

    now, zone = spoken.said_at or context.now, context.zone
    found = read_reminder(intent.sentence or intent.text, when=intent.when, now=now, zone=zone)
    fields = reminder_fields(found)
    if found.due is None:
        return fields, f"; {found.condition}" if found.condition else ""
    is_over = is_past(found.due, context.now, zone) and not found.repeat
    day = describe_due(found.due, found.repeat, zone=zone)
    return fields, f"; due {day}{', which is over, so it is overdue' if is_over else ''}"


def _settle(context: VaultContext, intent: Forget | Done | ListTodo | Update, spoken: SpokenContext) -> SpokenResult:
    from memvault.agents.spoken import settle
    from memvault.memories.forget import ForgottenPart

    would, before, said_at, dry_run = _dry_run_prefix(spoken), spoken.previous_text, spoken.said_at, spoken.dry_run
    match intent:
        case Forget(topic=topic):
            gone = settle.forget_spoken(context, topic, before=before, said_at=said_at, dry_run=dry_run)
            what = f"“{gone.part}”, of {_name_memory(gone.memory)}" if isinstance(gone, ForgottenPart) else ""
            return SpokenResult(intent, gone, f"{would}forgotten: {what or _name_memory(gone.memory)}", gone.op)
        case Done(topic=topic):
            done = settle.finish_spoken(context, topic, before=before, said_at=said_at, dry_run=dry_run)
            return SpokenResult(intent, done, f"{would}ticked off: {_name_memory(done.memory)}", done.op)
        case ListTodo():
            from memvault.memories.tasks import list_todo

            found = list_todo(context)
            return SpokenResult(intent, found, settle.describe_todo(found))
        case Update(text=text):
            made = settle.replace_spoken(context, text, secrets=spoken.secrets, said_at=said_at, dry_run=dry_run)
            old = f", in the place of {_name_memory(made.replaces)}" if made.replaces else ""
            return SpokenResult(intent, made, f"{would}remembered: {_name_memory(made.memory)}{old}", made.op)


def _name_memory(memory: Memory) -> str:
    return f"“{memory.title}” ({short_id(memory.id)})"


def _execute_save(context: VaultContext, intent: Intent, spoken: SpokenContext) -> SpokenResult:
    from memvault.transcripts.progress import save_progress

    made = save_progress(context, session=context.actor.session, dry_run=spoken.dry_run)
    did = "saved" if made.new else "brought up to date"
    return SpokenResult(intent, made, f"{_dry_run_prefix(spoken)}{did}: {_name_memory(made.memory)}", made.op)


def _execute_dig(context: VaultContext, intent: Intent, topic: str, spoken: SpokenContext) -> SpokenResult:
    from memvault.transcripts.dig import DigQuery as Wanted
    from memvault.transcripts.dig import dig

    found = dig(context, Wanted(topic=topic, dry_run=spoken.dry_run))
    memories = _format_count(len(found.memories), "memory", "memories")
    count = f"{memories} and {_format_count(len(found.topics), 'topic', 'topics')}"
    return SpokenResult(intent, found, f"found {count} on “{topic}”")


def _execute_pause(context: VaultContext, intent: Pause, spoken: SpokenContext) -> SpokenResult:
    assert context.state is not None
    session = context.actor.session
    if intent.session and not session:
        raise NothingToDo(reason="It is not known which session this is: `memvault agent pause --session ID` names it.")
    scope = PauseScope("session", session) if intent.session else EVERYTHING
    span = _pause_length(context, intent.until) if intent.until else intent.span
    quiet = control.start_pause(context.state, scope, now=context.now, span=span, dry_run=spoken.dry_run)
    end = quiet.until and quiet.until.astimezone(context.zone)
    until = f"until {end:%Y-%m-%d %H:%M}" if end else "until you say otherwise"
    return SpokenResult(intent, quiet, f"{_dry_run_prefix(spoken)}paused {scope.description}, {until}")


def _pause_length(context: VaultContext, until: str) -> timedelta:
    """Return how long it is until a day or an hour; a pause without the end that was meant would be another one."""
    from memvault.text.dates.due import read_due

    end = read_due(until, now=context.now, zone=context.zone)
    if end.moment is None or end.problem:
        reason = (
            "it is over" if end.problem == "over" else "that is no day or hour: say “for two hours”, or “until Monday”"
        )
        raise BadInput(what="the end of a pause", value=until, reason=reason)
    return end.moment - context.now


def _dry_run_prefix(spoken: SpokenContext) -> str:
    return "would have " if spoken.dry_run else ""


def _format_count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


# What a spoken command came to that another process carried out, as the log tells it.

_OPERATION_WORDS = {
    "remember": "remembered",
    "edit": "brought up to date",
    "maintain": "upkeep is done",
    "forget": "forgotten",
    "done": "ticked off",
    "work done": "ticked off",
}
_MAX_EVENT_TIME = timedelta(seconds=6)  # that one event is served


def describe_last_command(context: VaultContext) -> str:
    """Return one sentence on what was last done in this session, a few seconds ago; empty where nothing was."""
    since = (context.now - _MAX_EVENT_TIME).replace(microsecond=0)
    done = (
        one
        for one in context.vault.log.operations_since(since)
        if one.session == context.actor.session and one.verb in _OPERATION_WORDS
    )
    found = next(done, None)
    return "" if found is None else _OPERATION_WORDS[found.verb] + _describe_memory(context, found)


def _describe_memory(context: VaultContext, operation: Operation) -> str:
    made = [step.path for step in operation.steps if step.do in ("create", "rewrite")]
    if operation.verb == "maintain" or not made:
        return ""
    try:
        memory = context.find_memory(made[-1])
    except MemvaultError:  # moved on since
        return ""
    return f": {_name_memory(memory)}"
