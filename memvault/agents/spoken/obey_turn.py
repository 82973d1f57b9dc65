"""Obey the command that a person spoke in an archived turn, as of when it was said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memvault.agents.spoken.intent import Done, Forget, Intent, Remember, Significant, Update
from memvault.agents.spoken.listening import find_obeyed_command
from memvault.core.conversation import Turn
from memvault.errors import BadInput, Forgotten, NothingToDo, SecretFound, Trivial
from memvault.storage.vault.context import VaultContext
from memvault.transcripts.learn import LearnResult

_VERBS = frozenset(("remember", "forget", "done", "work done", "confirm"))
_MOST_BETWEEN = timedelta(minutes=1)  # a turn and the operation of a hook that obeyed it


def obey_turn(context: VaultContext, turn: Turn, before: str, *, is_own: bool) -> LearnResult | None:
    """Return what a spoken command in a turn came to, so that the turn is not learned besides; None without one.

    What a file from elsewhere says may add to the memories; it forgets, ticks off and replaces nothing.
    """
    heard = find_obeyed_command(turn.text, context.settings)
    if heard is None or not isinstance(heard.intent, Remember | Significant | Forget | Done | Update):
        return None
    if not is_own and isinstance(heard.intent, Forget | Done | Update):
        return LearnResult(turn.text, "refused", why="only what you say yourself forgets, ticks off or replaces")
    if _was_obeyed(context, turn):
        return LearnResult(turn.text, "obeyed", why="it was obeyed when it was said")
    return _obey(context, heard.intent, turn, before, is_own=is_own)


def _obey(context: VaultContext, intent: Intent, turn: Turn, before: str, *, is_own: bool) -> LearnResult:
    from memvault.agents.spoken.execute import SpokenContext, created_ids, execute_intent

    # "Remember this" means what stood before it, which others may have said.
    is_persons = is_own and bool(getattr(intent, "text", "") or getattr(intent, "topic", ""))
    if is_persons:
        context = replace(context, actor=replace(context.actor, agent=""))
    source = "user" if is_persons else "agent" if is_own else "import"
    spoken = SpokenContext(previous_text=before, secrets="redact", said_at=turn.time, source=source, near="confirm")
    try:
        said = execute_intent(context, intent, spoken)
    except (NothingToDo, BadInput, Forgotten, SecretFound, Trivial) as error:  # after any other it is tried again
        return LearnResult(turn.text, "refused", why=str(error))
    return LearnResult(turn.text, "obeyed", id=next(iter(created_ids(said)), ""), why=said.sentence)


def _was_obeyed(context: VaultContext, turn: Turn) -> bool:
    """Return whether a hook did at once what the turn asks for: an operation of its session stands beside it."""
    if turn.time is None or not turn.session:
        return False
    since, until = turn.time.replace(microsecond=0), (turn.time + _MOST_BETWEEN).isoformat()
    done = context.vault.log.operations_since(since)
    return any(one.session == turn.session and one.verb in _VERBS and one.at <= until for one in done)
