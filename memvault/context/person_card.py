"""The person card: what always holds of the person and the project, in whole sentences, for every model and prompt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from memvault.context.briefing import (
    CARD_HEADING,
    BriefingPart,
    BriefingPiece,
    QuotedEntry,
    bare_words,
    format_heading,
    quote_label,
)
from memvault.context.eligible import can_be_given, still_holds
from memvault.core.kinds.infer_tags import PREFERENCE, concerns_person
from memvault.core.memory import Memory, Place
from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.screens import is_courtesy
from memvault.memories.open_items import is_reminder
from memvault.storage.vault.context import VaultContext
from memvault.text.statements.standing import SURE, is_about_answers, is_errand, is_safety, rate_statement
from memvault.text.statements.topics import rate_topics
from memvault.text.statements.word_vectors import compare_meaning
from memvault.text.terms import query_terms, text_cost

CARD_TOKENS = 400
OF_A_BUDGET = 0.8
"""The part of a small budget that the card may take."""

_MOST_RATED = 400  # statements, the surest first
_PREFERRED, _NOT_PERSONAL, _IDENTITY = 1.0, 0.5, 2.0
_FOR_SAFETY = 0.1  # of the room, before what the prompt is about
# What speaks for a statement where there is no room for all: its topic and its meaning count up to 1 each.
_BY_WORD, _BY_SAFETY, _BY_ANSWER, _BY_RATING = 0.3, 0.15, 0.2, 0.1
_CALLED, _CALLED_TOKENS = 0.9, 120  # how near to a prompt, and how much at one prompt
_FITTING = 0.5  # how near to a question, where a context has room left
_COMMON = 0.1  # a word in more of the statements than this part tells nothing
_SURE_WITH_DAY = SURE + 1
_OF_REMINDERS = frozenset(("due", "repeat", "condition"))  # what comes up when it should, and not always
_MARKERS = re.compile(r"^(?:\s|>|(?:#{1,6}|[*+-])(?=\s))+")  # of a heading, a quotation and an item
_PLACES = frozenset({Place.IDENTITY, Place.HOT, Place.MEMORIES})


class CardStatement(NamedTuple):
    """One standing statement, the memory whose whole text it is, and how surely it belongs on the card."""

    memory: Memory
    text: str
    rating: float

    @property
    def line(self) -> str:
        """Return the statement as a line of the card, behind a title that says more than it."""
        title = "" if set(bare_words(self.memory.title)) <= set(bare_words(self.text)) else f"{self.memory.title}: "
        return f"- {_quote_statement(strip_private(title) + self.text)}\n"


def find_statements(
    context: VaultContext, project: str, *, planned: Sequence[Memory] | None = None
) -> list[CardStatement]:
    """Return the standing statements of this project and of all, the surest first.

    `planned` are all memories as they are to be, where that is not as they are indexed; new texts stand in them.
    """
    folders, kinds = context.settings.texts("inject.folders"), context.settings.kinds
    key, cache = ("statements", project, folders, kinds, context.here.date()), context.index.derived.current()
    if planned is None and key in cache:
        return list(cache[key])
    found = []
    rows = context.index.card_statements(_MOST_RATED)
    for known, text in rows if planned is None else _planned_statements(rows, planned):
        if known.place not in _PLACES or not known.is_trusted or known.is_doubtful:
            continue
        rating = rate_statement(text)
        # Many a preference is taken for something to do: what is surely one, and no order for once, stays.
        stands = concerns_person(text) or (rating >= SURE and not is_errand(text))
        # So does what is surely said of the person, and only names a day: "I'm pregnant and due in October".
        is_dated = _OF_REMINDERS.intersection(known.more) and not (stands and rating >= _SURE_WITH_DAY)
        if (
            is_dated
            or (is_reminder(known) and not stands)
            or not still_holds(context, known)
            or known.type == "milestone"  # it tells of many things, and holds of none
            or known.status != "active"
            or is_courtesy(text)
            or not can_be_given(known, folders=folders, project=project, kinds=kinds, now=context.here)
        ):
            continue
        kind = kinds.get(known.kind)
        rating += _PREFERRED if PREFERENCE in known.tags else 0.0
        rating += _IDENTITY if known.place is Place.IDENTITY else 0.0
        rating -= 0.0 if kind is not None and kind.personal else _NOT_PERSONAL
        found.append(CardStatement(known, text, rating))
    found.sort(key=lambda one: (-one.rating, one.memory.path))
    found = _drop_repeats(found)
    if planned is None:
        cache[key] = tuple(found)
    return found


def build_card(
    statements: Sequence[CardStatement], prompt: str = "", *, room: float = CARD_TOKENS
) -> list[CardStatement]:
    """Return what stands on the card, safety first: all statements, or those that the prompt calls for."""
    room -= text_cost(format_heading(CARD_HEADING))
    costs = {one.line: text_cost(one.line) for one in statements}
    if sum(costs.values()) <= room:
        chosen = list(statements)
    else:
        called = _order_by_call(statements, prompt)
        safe = _take([one for one in called if is_safety(one.text)], costs, room * _FOR_SAFETY)
        known = {one.line for one in safe}
        left = room - sum(costs[line] for line in known)
        chosen = safe + _take([one for one in called if one.line not in known], costs, left)
    return sorted(chosen, key=lambda one: (not is_safety(one.text), -one.rating, one.memory.path))


def call_statements(
    statements: Sequence[CardStatement], prompt: str, without: frozenset[str] = frozenset()
) -> list[CardStatement]:
    """Return the statements beyond the room of the card that a prompt calls for, but for some ids."""
    standing = {one.line for one in build_card(statements)}
    rest = [one for one in statements if one.line not in standing and one.memory.id not in without]
    return take_called(rest, prompt, least=_CALLED, room=_CALLED_TOKENS)


def take_called(
    statements: Iterable[CardStatement], prompt: str, *, room: float, least: float = _FITTING
) -> list[CardStatement]:
    """Return the statements that a prompt calls for, first those it calls for most, as far as there is room."""
    rate_call = _call_rater(prompt)
    called = [one for one in statements if rate_call(one.text) >= least]
    return _take(_order_by_call(called, prompt), {one.line: text_cost(one.line) for one in called}, room)


def card_part(chosen: Iterable[CardStatement], *, share: float = 1.0) -> BriefingPart:
    """Return the card as a part of a briefing."""
    pieces = (
        BriefingPiece(
            entry=QuotedEntry(CARD_HEADING, one.line), id=one.memory.id, title=one.memory.title, why="the person card"
        )
        for one in chosen
    )
    return BriefingPart("the person card", tuple(pieces), share)


def _planned_statements(rows: Iterable[tuple[Memory, str]], planned: Sequence[Memory]) -> Iterator[tuple[Memory, str]]:
    """Yield the statements of memories as they are to be: of what gets a new text, that of the text."""
    from memvault.storage.index.rows import standing_statement  # deferred: only upkeep plans memories
    from memvault.storage.index.update import index_entry

    known = {memory.id: memory for memory in planned}
    yield from ((known[row.id], text) for row, text in rows if row.id in known and known[row.id].body is None)
    for memory in planned:
        if memory.body is not None and (statement := standing_statement(index_entry(memory))):
            yield memory, statement.partition(" ")[2]


def _quote_statement(text: str) -> str:
    """Return a statement on one line that cannot pose as a heading, a quotation or an item of its own."""
    return quote_label(_MARKERS.sub("", text), longest=len(text) + 1)


def _drop_repeats(statements: Iterable[CardStatement]) -> list[CardStatement]:
    found: dict[str, CardStatement] = {}
    for one in statements:
        found.setdefault(" ".join(one.text.casefold().split()).rstrip(".!"), one)
    return list(found.values())


def _take(statements: Iterable[CardStatement], costs: dict[str, float], room: float) -> list[CardStatement]:
    taken = []
    for one in statements:
        if costs[one.line] <= room:
            room -= costs[one.line]
            taken.append(one)
    return taken


def _order_by_call(statements: Sequence[CardStatement], prompt: str) -> list[CardStatement]:
    """Return the statements in the order in which a prompt calls for them: by topic, by words, by worth."""
    words = {one.line: frozenset(query_terms(one.text)) for one in statements} if prompt else {}
    spread = Counter(word for found in words.values() for word in found)
    asked = {word for word in query_terms(prompt) if spread[word] <= _COMMON * len(statements)} if prompt else set()

    rate_text = _call_rater(prompt)

    def rate_call(one: CardStatement) -> float:
        """Rate how much a prompt calls for a statement, for the room that it takes."""
        called = rate_text(one.text) + _BY_WORD * len(words.get(one.line, asked) & asked)
        called += _BY_SAFETY if is_safety(one.text) else 0.0
        called += _BY_ANSWER if is_about_answers(one.text) else 0.0
        return (called + _BY_RATING * min(one.rating, SURE)) / sqrt(text_cost(one.line))

    return sorted(statements, key=lambda one: (one.rating < SURE, -rate_call(one), one.memory.path))


def _call_rater(prompt: str) -> Callable[[str], float]:
    """Return what rates how much a prompt calls for a text, by the topics and the meanings of words, about 0 to 2."""
    asked = rate_topics(prompt)
    asked_size = sqrt(sum(part * part for part in asked.values()))

    def rate(text: str) -> float:
        if not prompt:
            return 0.0
        topics = rate_topics(text)
        sizes = sqrt(sum(part * part for part in topics.values())) * asked_size
        shared = sum(part * asked[name] for name, part in topics.items()) / sizes if sizes else 0.0
        return shared + compare_meaning(text, prompt)

    return rate
