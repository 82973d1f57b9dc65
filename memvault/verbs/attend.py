"""Put what a moment calls for before a model, once in a session, and keep account of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memvault.core.cues import cue
from memvault.core.memory import Memory
from memvault.core.private import without_private
from memvault.core.tokens import clip, estimate
from memvault.errors import BadInput
from memvault.render.context import Entry, entry, page
from memvault.verbs.bench import Bench
from memvault.verbs.context import Wish, context, tasks_in_hand
from memvault.verbs.injected import Injection, keep, last
from memvault.verbs.shown import may_be_given
from memvault.verbs.todo import todo

RELEVANT = 0.4  # of a similarity from 0 to 1
_SHOWN = 3  # titles in the line for the user
_TASKS, _REMINDERS = 3, 5
_ENTRY_TOKENS = 150  # of each: all of them together must stay below what an agent takes


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
    tasks = tasks_in_hand(bench, occasion.project)[:_TASKS]
    due = _allowed(bench, (each.memory for each in todo(bench).reminders if each.is_due), occasion)[:_REMINDERS]
    entries = [_entry(bench, "In hand", memory) for memory in tasks]
    entries += [_entry(bench, "Due", memory) for memory in due]
    why = {memory.id: "a task in hand" for memory in tasks} | {memory.id: "it is due" for memory in due}
    return _put(
        bench, occasion, page(entries), [*tasks, *due], why, tokens=sum(estimate(each.text) for each in entries)
    )


def _allowed(bench: Bench, memories: Iterable[Memory], occasion: Occasion) -> list[Memory]:
    """Those of some memories that may be put before a model at work on this project."""
    folders, kinds = bench.settings.texts("inject.folders"), bench.settings.kinds
    return [each for each in memories if may_be_given(each, folders=folders, project=occasion.project, kinds=kinds)]


def _entry(bench: Bench, heading: str, memory: Memory) -> Entry:
    return Entry(heading, entry(memory, clip(without_private(bench.text(memory)), _ENTRY_TOKENS)))


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
