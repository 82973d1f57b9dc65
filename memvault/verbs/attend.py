"""Put what a moment calls for before a model, once in a session, and keep account of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memvault.core.cues import cue
from memvault.core.memory import Memory
from memvault.errors import BadInput
from memvault.render.context import Entry, entry, page
from memvault.verbs.bench import Bench
from memvault.verbs.context import Wish, context
from memvault.verbs.injected import Injection, keep, last
from memvault.verbs.shown import may_be_given
from memvault.verbs.todo import todo
from memvault.verbs.work import open_tasks

RELEVANT = 0.4  # of a similarity from 0 to 1
_SHOWN = 3  # titles in the line for the user
_REMINDERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """When it is: the event, the session, the project, and where this machine keeps its account."""

    event: str
    session: str
    project: str
    state: Path


@dataclass(frozen=True, slots=True)
class Put:
    """What is given to the model, and the line that tells the user; both empty where nothing is relevant."""

    text: str = ""
    sentence: str = ""


NOTHING = Put()


def at_prompt(bench: Bench, prompt: str, occasion: Occasion, *, limit: int, budget: int) -> Put:
    """The few memories that a prompt calls for, none that this session was given already."""
    why = cue(prompt, words=bench.settings.whole("inject.cue_words"))
    if not why:
        return NOTHING
    given = {id_ for row in last(occasion.state, occasion.session, limit=0) for id_ in row.ids}
    wish = Wish(
        query=prompt,
        budget=budget,
        project=occasion.project,
        limit=limit,
        min_similarity=RELEVANT,
        without=frozenset(given),
    )
    try:
        found = context(bench, wish)
    except BadInput:
        return NOTHING  # a prompt without a word in it
    memories = [hit.memory for hit in found.hits]
    alike = {hit.memory.id: f"{why}; similarity {hit.similarity:.2f}" for hit in found.hits}
    return _put(bench, occasion, found.text, memories, alike, tokens=found.tokens)


def at_start(bench: Bench, occasion: Occasion) -> Put:
    """What is due, and the tasks in hand."""
    due = [reminder.memory for reminder in todo(bench).reminders if reminder.is_due][:_REMINDERS]
    folders, kinds = bench.settings.texts("inject.folders"), bench.settings.kinds
    allowed = [memory for memory in due if may_be_given(memory, folders=folders, project=occasion.project, kinds=kinds)]
    tasks = list(open_tasks(bench))
    entries = [_entry(bench, "In hand", memory) for memory in tasks] + [
        _entry(bench, "Due", memory) for memory in allowed
    ]
    why = {memory.id: "a task in hand" for memory in tasks} | {memory.id: "it is due" for memory in allowed}
    return _put(bench, occasion, page(entries), [*tasks, *allowed], why, tokens=0)


def _entry(bench: Bench, heading: str, memory: Memory) -> Entry:
    return Entry(heading, entry(memory, bench.text(memory)))


def _put(
    bench: Bench, occasion: Occasion, text: str, memories: Sequence[Memory], why: dict[str, str], *, tokens: int
) -> Put:
    if not text:
        return NOTHING
    row = Injection(
        at=bench.now,
        session=occasion.session,
        event=occasion.event,
        project=occasion.project,
        ids=tuple(memory.id for memory in memories),
        why=why,
        tokens=tokens,
    )
    keep(occasion.state, row)
    return Put(text, _sentence(memories))


def _sentence(memories: Sequence[Memory]) -> str:
    named = ", ".join(f"“{memory.title}”" for memory in memories[:_SHOWN])
    more = f" and {len(memories) - _SHOWN} more" if len(memories) > _SHOWN else ""
    return f"memvault: recalled {named}{more}" if memories else ""
