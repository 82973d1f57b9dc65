"""Settle what is remembered already by a word: let it go, tick it off, or put something in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.errors import MemvaultError, NothingToDo
from memvault.memories.draft import MemoryDraft
from memvault.memories.edit import ChangeResult
from memvault.memories.forget import ForgottenPart, MoveResult, find_part, forget_memory, forget_part, rewrite_without
from memvault.memories.open_items import list_open_tasks
from memvault.memories.remember import RememberResult, remember
from memvault.memories.tasks import FinishedTask, TodoList, finish_task, list_todo, mark_done
from memvault.recall.recall import RecallQuery, recall
from memvault.storage.vault.context import VaultContext
from memvault.text.sentence.clauses import remove_clause
from memvault.text.statements.chatter import CHATTER_WORDS
from memvault.text.terms import extract_terms

_TITLE_HEAD = 20  # letters of a title by which a text begins that has no other
_WHOLE_NAME = re.compile(r"[^\s“”\"']*\w[@/_][^\s“”\"']*\w|\b\w*\d[\w.-]*")
_MOST_NAMED = 5
_LEAST_SHARED = 0.5  # of the telling words of what somebody names
_OF_TIME = frozenset(("now", "actually", "jetzt", "maintenant", "ahora", "adesso", "agora", "nu"))


def forget_spoken(
    context: VaultContext, topic: str, *, before: str = "", said_at: datetime | None = None, dry_run: bool = False
) -> MoveResult | ForgottenPart:
    """Forget the one memory that is meant, or the part of it; where several may be, name them and forget none."""
    found = _last_made(context) if not topic else ()
    if found:
        return forget_memory(context, found[0].path, dry_run=dry_run)
    topic = _require_topic(topic, before)
    hits = recall(context, RecallQuery(query=topic, follow=False), asks_model=False).hits
    found = _choose(context, topic, (hit.memory for hit in hits if _names_whole(context, topic, hit.memory)), said_at)
    memory = _only_one(found, topic, "forget")
    if strange := _other_spelling(context, topic, memory):
        raise NothingToDo(
            reason=f"Is “{strange}” meant? It stands in “{memory.title}”, spelled otherwise. "
            f"`memvault forget {short_id(memory.id)}` forgets it."
        )
    if _means_part(context, topic, memory):
        return forget_part(context, memory.path, topic, dry_run=dry_run)
    return forget_memory(context, memory.path, dry_run=dry_run)


def _means_part(context: VaultContext, topic: str, memory: Memory) -> bool:
    """Return whether words are about one clause of a memory, and not about what all of it is called."""
    text = context.read_text(memory)
    is_own_title = bool(memory.title) and memory.title.rstrip("…")[:_TITLE_HEAD] not in text
    named = frozenset(extract_terms(topic)) - CHATTER_WORDS - _OF_TIME
    if is_own_title and named <= frozenset(extract_terms(memory.title)):
        return False
    clause = find_part(text, topic)
    return clause is not None and remove_clause(text, clause) is not None


def _names_whole(context: VaultContext, topic: str, memory: Memory) -> bool:
    """Return whether a memory has the addresses, paths and numbers of somebody's words whole: not ann.lee@ for ann@."""
    text = f"{memory.title}\n{context.read_text(memory)}"
    return all(
        re.search(rf"(?<![\w@.+-]){re.escape(name.rstrip('.,;:!?'))}(?![\w@+-]|[./]\w)", text, re.IGNORECASE)
        for name in _WHOLE_NAME.findall(topic)
    )


def _other_spelling(context: VaultContext, topic: str, memory: Memory) -> str:
    """Return the word of a memory that a name in somebody's words only means in another spelling; empty if none."""
    words = re.findall(r"\w+", f"{memory.title}\n{context.read_text(memory)}")
    known = {word.casefold() for word in words}
    for name in re.findall(r"\w+", topic):
        terms, lower = frozenset(extract_terms(name)), name.casefold()
        if name[0].isupper() and terms and not {lower, lower.removesuffix("s")} & known:
            alike = next((word for word in words if frozenset(extract_terms(word)) & terms), "")
            if alike and not alike.casefold().startswith(lower):
                return alike
    return ""


def finish_spoken(
    context: VaultContext, topic: str, *, before: str = "", said_at: datetime | None = None, dry_run: bool = False
) -> ChangeResult | FinishedTask:
    """Tick off the one reminder or task that is meant; where several may be, name them and tick off none."""
    topic = _require_topic(topic, before)
    tasks = list_open_tasks(context)
    todo = [reminder.memory for reminder in list_todo(context).reminders]
    meant = _only_one(_choose(context, topic, (*todo, *tasks), said_at), topic, "task done")
    if meant in tasks:
        return finish_task(context, task=meant.path, dry_run=dry_run)
    return mark_done(context, meant.path, dry_run=dry_run)


def replace_spoken(
    context: VaultContext, text: str, *, secrets: str = "", said_at: datetime | None = None, dry_run: bool = False
) -> RememberResult:
    """Remember a text in the place of the memory that it corrects, which is kept, or of the one clause of it."""
    hits = recall(context, RecallQuery(query=text, follow=False), asks_model=False).hits
    live = [hit.memory for hit in hits if not hit.superseded]
    older = next(iter(_choose(context, text, live, said_at)), None)
    draft = MemoryDraft(text=text, secrets=secrets, near="ignore" if older else "")
    if older is not None and _means_part(context, text, older):
        clause = find_part(context.read_memory(older)[0].body or "", text)
        along = rewrite_without(context, older, clause) if clause else ()
        return remember(context, draft, along=along, dry_run=dry_run)
    return remember(context, draft, replaces=older, dry_run=dry_run)


def describe_todo(found: TodoList) -> str:
    """Return one sentence on what is still to be done."""
    if not found.reminders:
        return "nothing is on your list"
    days = (f" ({each.due:%Y-%m-%d})" if each.due else "" for each in found.reminders)
    named = [f"“{each.memory.title}”{day}" for each, day in zip(found.reminders, days, strict=True)]
    more = f", and {len(named) - 2 * _MOST_NAMED} more" if len(named) > 2 * _MOST_NAMED else ""
    return f"on your list: {', '.join(named[: 2 * _MOST_NAMED])}{more}"


def _require_topic(topic: str, before: str) -> str:
    """Return what is meant: what was named, else what was just spoken of."""
    meant = topic or before.strip()
    if not meant:
        raise NothingToDo(reason="It is not known what is meant. Name it: “forget the old gate code”.")
    return meant


def _last_made(context: VaultContext) -> tuple[Memory, ...]:
    """Return the memory that was last made in this session, which is what "forget that" means."""
    session = context.actor.session
    made = (one for one in context.vault.log.operations() if session and one.session == session)
    last = next((one for one in made if one.verb == "remember"), None)
    path = next((step.path for step in reversed(last.steps) if step.do == "create"), "") if last else ""
    try:
        return (context.find_memory(path),) if path else ()
    except MemvaultError:  # it is gone
        return ()


def _choose(
    context: VaultContext, topic: str, memories: Iterable[Memory], said_at: datetime | None
) -> tuple[Memory, ...]:
    """Return the memories that share most telling words with what somebody names, of those there were by then."""
    words = frozenset(extract_terms(topic)) - CHATTER_WORDS - _OF_TIME
    shares = []
    for memory in (each for each in memories if said_at is None or each.created <= said_at):
        text = frozenset(extract_terms(f"{memory.title}\n{context.read_text(memory)}"))
        shares.append((len(words & text) / len(words) if words else 0.0, memory))
    most = max((share for share, _ in shares), default=0.0)
    return tuple(memory for share, memory in shares if share == most >= _LEAST_SHARED)


def _only_one(found: tuple[Memory, ...], topic: str, verb: str) -> Memory:
    if not found:
        raise NothingToDo(reason=f"Nothing that is remembered speaks of “{topic}”.")
    if len(found) > 1:
        named = ", ".join(f"“{memory.title}” ({short_id(memory.id)})" for memory in found[:_MOST_NAMED])
        raise NothingToDo(reason=f"Which of them? {named}. Say it in more words, or use `memvault {verb} ID`.")
    return found[0]
