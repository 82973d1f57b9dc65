"""Conversations: all of them, what is found in them, and one to be read, with its topics."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.responses import Response

from memvault.core.conversation import Trajectory, Turn
from memvault.core.memory import Memory
from memvault.core.query import NO_FILTERS
from memvault.errors import NoConversation
from memvault.storage.transcript_index.rows import IndexedConversation
from memvault.storage.vault.context import VaultContext
from memvault.text.terms import extract_terms, query_terms
from memvault.transcripts.dig import find_turn
from memvault.transcripts.search import refresh_index, search_turns, turn_reference
from memvault.web.page import Page

_PER_PAGE, _TURNS, _MOST_FOUND = 50, 60, 40


class ShownTurn(NamedTuple):
    """A turn as it is read: its reference, the topic that begins with it, and whether it is one that was looked for."""

    ref: str
    turn: Turn
    topic: Trajectory | None
    found: bool


class OpenConversation(NamedTuple):
    """A part of a conversation, the way to its other parts, and the memories that came from it."""

    held: IndexedConversation
    turns: list[ShownTurn]
    topics: list[tuple[str, Trajectory]]
    first: int
    last: int
    memories: list[Memory]
    matches: list[str]  # the references of the turns that say what is looked for


def list_conversations(page: Page) -> Response:
    """List the conversations, the latest first; with a question, the turns that answer it."""
    query, at = page.query("q"), page.number("at")

    def load(context: VaultContext) -> dict[str, Any]:
        everything = refresh_index(context).conversations()
        hits = list(search_turns(context, query, limit=_MOST_FOUND)) if query else []
        return {"conversations": everything[at : at + _PER_PAGE], "total": len(everything), "hits": hits}

    return page.render(
        "conversations.html",
        query=query,
        terms=frozenset(query_terms(query)),
        at=at,
        step=_PER_PAGE,
        **page.vault.run(load),
    )


def show_conversation(page: Page) -> Response:
    """Show a part of a conversation around a turn, and find words in it."""
    ref, query = page.query("id"), page.query("q")
    terms = frozenset(query_terms(query))
    if not ref:
        raise NoConversation(ref="")
    found = page.vault.run(_open_conversation, ref, terms)
    return page.render("conversation.html", found=found, ref=ref, query=query, terms=terms)


def _open_conversation(context: VaultContext, ref: str, terms: frozenset[str]) -> OpenConversation:
    held, place = find_turn(context, ref)
    index = refresh_index(context)
    topics = index.get_trajectories(held.number)
    first = place // _TURNS * _TURNS
    last = min(held.turns, first + _TURNS) - 1
    begins = {topic.first: topic for topic in topics}
    is_turn = ref.rpartition(":")[2].isdecimal() and ":" in ref
    turns = [
        ShownTurn(turn_reference(held, at), turn, begins.get(at), is_turn and at == place)
        for at, turn in enumerate(index.get_turns(held.number, first, last), first)
    ]
    everything = index.get_turns(held.number, 0, held.turns - 1) if terms else []
    says = [at for at, turn in enumerate(everything) if terms & set(extract_terms(turn.text))]
    return OpenConversation(
        held,
        turns,
        [(turn_reference(held, topic.first), topic) for topic in topics],
        first,
        last,
        [memory for memory in _list_memories(context) if held.talk.id in memory.refs.get("session", ())],
        [turn_reference(held, at) for at in says],
    )


def _list_memories(context: VaultContext) -> list[Memory]:
    context.refresh()
    return context.index.memories(NO_FILTERS)
