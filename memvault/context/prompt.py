"""Inject what a prompt calls for, once in a session, and record it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.context.briefing import (
    RECALLED,
    Briefing,
    BriefingPart,
    BriefingPiece,
    QuotedEntry,
    build_briefing,
    make_piece,
    quote_label,
    quote_text,
)
from memvault.context.due import ReminderScene, reminders_part
from memvault.context.eligible import can_be_injected, find_topics
from memvault.context.gather import (
    WORKING_ROOM,
    ContextQuery,
    gather_context,
    list_session_tasks,
    new_token,
    task_entries,
)
from memvault.context.injection_log import InjectionRecord, already_injected, append_record
from memvault.context.person_card import call_statements, card_part, find_statements
from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import strip_private
from memvault.core.value import replace
from memvault.errors import BadInput
from memvault.storage.vault.context import VaultContext
from memvault.text.display import format_count
from memvault.text.statements.prompt_cues import CUES, find_cue
from memvault.text.terms import clip_to_budget, estimate_tokens, is_specific, normalize_prompt

if TYPE_CHECKING:
    from memvault.recall.recall import RecallHit
    from memvault.transcripts.dig import ConversationExcerpt


_TEXT_TOKENS = 300  # of each memory that a trigger loads
_LOOKED_AT = 4_000  # characters of a prompt: what is pasted behind them is no question
_MARK = 8
_IMPORTED = "import"  # another program's note may be asked for, but is not injected by a phrase it names


RunLater = Callable[[Callable[[], object]], object]
"""Has something done when there is time for it, before anything else is done in the session."""


def run_now(act: Callable[[], object]) -> None:
    """Do it now."""
    act()


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionEvent:
    """The event at which something is injected: its session, its project, and where this machine logs it."""

    event: str
    session: str
    project: str
    state: Path
    source: str = ""  # of a start: startup, clear, resume, compact or fork
    folder: Path | None = None  # in which the agent works
    home: Path = field(default_factory=Path)  # of the agent's own settings
    later: RunLater = run_now  # runs what logs the injection
    prompt: str = ""
    way: str = ""  # the sentence that says how the model recalls by itself


@dataclass(frozen=True, slots=True)
class Injection:
    """The text to inject and the notice to show the user. Both are empty when nothing is relevant."""

    text: str = ""
    sentence: str = ""


NO_INJECTION = Injection()


def inject_for_prompt(
    context: VaultContext,
    prompt: str,
    occasion: InjectionEvent,
    *,
    asked: BriefingPart | None = None,
    without: frozenset[str] = frozenset(),
) -> Injection:
    """Return the open tasks, what triggers in a prompt load and the few memories it calls for; each once.

    Before them stands what the person asked for in so many words; what it is `without`, the model has just read.
    """
    context = session_context(context, occasion)
    tasks = list_session_tasks(context, occasion.project)
    wanted = asked or BriefingPart("")
    known = unchanged_ids(context, occasion) | without | {piece.id for piece in wanted.pieces}
    triggered = _find_triggered(context, prompt, occasion)
    context.record_uses([memory for memory, _ in triggered], why="trigger")
    fresh = [(memory, phrase) for memory, phrase in triggered if memory.id not in known]
    named = tuple(
        make_piece(RECALLED, memory, memory_text(context, memory, _TEXT_TOKENS), f"trigger “{phrase}”")
        for memory, phrase in fresh[: context.settings.integer("inject.triggered")]
    )
    scene = ReminderScene(occasion.session, occasion.project, occasion.state)
    due = reminders_part(context, scene, prompt, known, without)
    without = known | {memory.id for memory, _ in triggered} | {memory.id for memory in tasks}
    without |= {piece.id for piece in due.pieces}
    called = card_part(call_statements(find_statements(context, occasion.project), prompt, without), share=0.2)
    without |= {piece.id for piece in called.pieces}
    parts = (
        wanted,
        tasks_part(context, [memory for memory in tasks if memory.id not in known]),
        due,
        called,
        BriefingPart("the triggered memories", named, 0.4),
        BriefingPart(
            "the similar memories", _drop_repeats(_find_similar(context, prompt, occasion, without), named), 0.4
        ),
    )
    room = context.settings.integer("inject.prompt_tokens") + (WORKING_ROOM if parts[1].pieces else 0)
    found = build_briefing(parts, new_token(), tokens=room)
    if not found.text:
        return NO_INJECTION
    return record_injection(context, occasion, found)


def session_context(context: VaultContext, occasion: InjectionEvent) -> VaultContext:
    """Return the context of an event's session, with an index that is refreshed now, and not again."""
    context.refresh()
    actor = replace(context.actor, session=occasion.session or context.actor.session)
    return replace(context, actor=actor, is_fresh=True)


def tasks_part(context: VaultContext, tasks: Sequence[Memory]) -> BriefingPart:
    """Return open tasks, as far as there is room."""
    pieces = (
        BriefingPiece(entry=each, id=memory.id, title=memory.title, why="an open task")
        for memory, each in task_entries(context, tasks)
    )
    return BriefingPart("the open tasks", tuple(pieces), 0.3)


def unchanged_ids(context: VaultContext, occasion: InjectionEvent) -> frozenset[str]:
    """Return the ids of what this session was given already and that has not changed since."""
    given = already_injected(occasion.state, occasion.session)
    now = context.index.text_digests(given)
    return frozenset(id_ for id_, mark in given.items() if not mark or now.get(id_, "").startswith(mark))


def keep_eligible(context: VaultContext, memories: Iterable[Memory], occasion: InjectionEvent) -> list[Memory]:
    """Return those of some memories that may be injected in this project."""
    folders, kinds = context.settings.texts("inject.folders"), context.settings.kinds
    fit = [
        each
        for each in memories
        if can_be_injected(each, folders=folders, project=occasion.project, kinds=kinds, now=context.here)
    ]
    if not any(each.refs.get("path") or each.more.get("branch") for each in fit):
        return fit
    from memvault.storage.still_true import look_into  # deferred: few memories name files or branches

    return [each for each in (look_into(context, one) for one in fit) if not each.more.get("elsewhere")]


def memory_text(context: VaultContext, memory: Memory, tokens: int) -> str:
    """Return a memory's text without its private spans, cut if it is long."""
    return clip_to_budget(strip_private(context.read_text(memory)).strip(), tokens)


def record_injection(
    context: VaultContext,
    occasion: InjectionEvent,
    found: Briefing,
    *,
    also: tuple[str, ...] = (),
    read: Sequence[Memory] = (),
) -> Injection:
    """Record what is given, and what the agent reads anyway; return the text and the notice for the user."""
    pieces = [piece for part in found.given for piece in part.pieces if piece.id]
    marks = context.index.text_digests([*(piece.id for piece in pieces), *(memory.id for memory in read)])

    def write_record() -> None:
        row = InjectionRecord(
            at=context.now,
            session=occasion.session,
            agent=context.actor.agent,
            event=occasion.event,
            project=occasion.project,
            ids=tuple(piece.id for piece in pieces),
            why={piece.id: piece.why for piece in pieces},
            tokens=estimate_tokens(found.text),
            source=occasion.source,
            marks={id_: digest[:_MARK] for id_, digest in marks.items()},
            also=also,
            topics=find_topics(occasion.prompt[:_LOOKED_AT]) if occasion.prompt else (),
        )
        append_record(occasion.state, row)

    occasion.later(write_record)
    if not found.text:
        return NO_INJECTION
    count = len({piece.id for piece in pieces})
    return Injection(found.text, f"memvault: {format_count(count, 'memory', 'memories')} given" if count else "")


def _find_triggered(context: VaultContext, prompt: str, occasion: InjectionEvent) -> list[tuple[Memory, str]]:
    """Return the memories whose trigger stands in a prompt, the longest phrase first."""
    found = {
        memory.id: (memory, phrase.strip())
        for memory, phrase in context.index.triggered_memories(normalize_prompt(prompt))
        if is_specific(phrase) and memory.more.get("source") != _IMPORTED
    }
    fit = [found[memory.id] for memory in keep_eligible(context, (memory for memory, _ in found.values()), occasion)]
    return sorted(fit, key=lambda pair: (-len(pair[1]), -pair[0].weight, pair[0].path))


def _find_similar(
    context: VaultContext, prompt: str, occasion: InjectionEvent, without: frozenset[str]
) -> tuple[BriefingPiece, ...]:
    """Return the few memories that are similar enough, if there is a cue to search."""
    switched_off = [CUES[name] for name in CUES if not context.settings.flag(f"inject.cue_{name}")]
    why = find_cue(prompt, words=context.settings.integer("inject.cue_words"), without=switched_off)
    most = context.settings.integer("inject.limit")
    if not (why and most):
        return ()
    wish = ContextQuery(
        query=prompt[:_LOOKED_AT],
        budget=context.settings.integer("inject.prompt_tokens"),
        project=occasion.project,
        limit=most,
        min_similarity=context.settings.number("inject.similarity"),
        without=without,
        unasked=True,
        since=context.now - timedelta(days=context.settings.integer("inject.week_days")),
    )
    try:
        found = gather_context(context, wish)
    except BadInput:
        return ()  # a prompt without a word in it
    return tuple(
        BriefingPiece(
            entry=each, id=hit.memory.id, title=hit.memory.title, why=f"{why}; similarity {hit.similarity:.2f}"
        )
        for hit, each in zip(found.hits, found.entries, strict=True)
    )


def _drop_repeats(pieces: tuple[BriefingPiece, ...], named: tuple[BriefingPiece, ...]) -> tuple[BriefingPiece, ...]:
    """Return the pieces that do not repeat what was named already."""
    if not (pieces and named):
        return pieces
    from memvault.recall.fold import overlaps  # deferred: seldom is there both

    # The texts as they are shown, without the line that names each memory.
    known, new = ([piece.entry.text.lstrip().partition("\n")[2] for piece in some] for some in (named, pieces))
    return tuple(
        piece for piece, text in zip(pieces, new, strict=True) if not any(overlaps(other, text) for other in known)
    )


# The answer to a spoken question, as the model is shown it.

_ASKED_FOR_TEXT_TOKENS = 250  # of each memory: several are to have room
_TALK_TOKENS = 500  # of each conversation
_MOST = 12


def answer_part(
    topic: str, hits: Iterable[RecallHit], conversations: Iterable[ConversationExcerpt] = ()
) -> BriefingPart:
    """Return what was asked for: the memories on a topic, the best first, and then the conversations about it."""
    pieces = []
    for hit in islice(hits, _MOST):
        text = clip_to_budget(strip_private(hit.text).strip(), _ASKED_FOR_TEXT_TOKENS)
        heading, why = f"What is remembered about {topic}", f"asked for: “{topic}”"
        pieces.append(make_piece(heading, hit.memory, text, why, contradicts=hit.contradicts))
    for talk in conversations:
        lines = "\n".join(f"{line.speaker}: {' '.join(line.text.split())}" for line in talk.lines)
        shown = quote_text(clip_to_budget(strip_private(lines), _TALK_TOKENS))
        entry = QuotedEntry("What was said about it", f"\n{quote_label(talk.title)} ({talk.ref})\n{shown}\n")
        pieces.append(BriefingPiece(entry=entry))
    return BriefingPart("what was asked for", tuple(pieces), 1.0)
