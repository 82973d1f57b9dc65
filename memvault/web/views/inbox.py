"""The inbox: all that waits for a person, as cards, with the acts and keys of `memvault review`."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from time import monotonic
from typing import NamedTuple

from starlette.responses import Response

from memvault.errors import MemvaultError
from memvault.maintenance.conflicts import preview_merge
from memvault.maintenance.inbox import CARD_KINDS, CardList, list_cards
from memvault.maintenance.inbox.card import SEPARATOR, Card
from memvault.maintenance.inbox.pairs import DUPLICATE
from memvault.web.page import Page

_COMPARED = 2_000  # memories; where there are more, pairs come from maintenance, or when they are asked for
_MOST = 40  # cards on a page; the others come when these are answered


_KEPT_SECONDS = 600.0


class _Sitting(NamedTuple):
    """The cards that are left, the last operation that they know of, and when they were found."""

    cards: CardList
    last: str
    made: float
    compares: bool


class ShownCard(NamedTuple):
    """A card, its place on the page, and the one text that its memories would have, were they merged."""

    place: int
    card: Card
    merged: str


def show_inbox(page: Page, *, code: HTTPStatus = HTTPStatus.OK, error: MemvaultError | None = None) -> Response:
    """Show the cards of all kinds, or of some; an act that could not be carried out is told of on its card."""
    only = tuple(name for name in page.queries("only") if name in CARD_KINDS)
    is_big = page.vault.run(lambda context: context.index.count()) > _COMPARED
    compares = not is_big or bool(page.query("compare"))
    everything = _find_cards(page, compares=compares)
    cards = [card for card in everything.cards if not only or card.kind in only]
    return page.render(
        "inbox.html",
        code=code,
        only=only,
        kinds=[(kind, everything.counts[kind.name]) for kind in CARD_KINDS.values() if everything.counts[kind.name]],
        cards=[
            ShownCard(place, card, _preview_merge(page, card) if card.kind == DUPLICATE.name else "")
            for place, card in enumerate(cards[:_MOST])
        ],
        total=len(cards),
        everything=len(everything.cards),
        compares=compares,
        error=error,
    )


def _find_cards(page: Page, *, compares: bool) -> CardList:
    """Return the cards of this sitting: those found before without the ones answered here, until none is left.

    To compare a big vault anew after each answer would have a person wait; what an answer brings up comes at the end.
    """
    known: _Sitting | None = page.memo.get("sitting")
    is_recent = known is not None and monotonic() - known.made < _KEPT_SECONDS
    if known and is_recent and known.compares >= compares and known.last == page.last_operation:
        return known.cards
    found = page.vault.run(list_cards, compares=compares)
    page.memo["sitting"] = _Sitting(found, page.last_operation, monotonic(), compares)
    return found


def _drop_card(page: Page, key: str, op: str) -> None:
    """Take an answered card out of the sitting, and with it whatever else asks about its memories."""
    known: _Sitting | None = page.memo.pop("sitting", None)
    if known is None or not op:
        return
    ids = set(key.split(SEPARATOR)[1:])
    left = tuple(card for card in known.cards.cards if ids.isdisjoint(card.key.split(SEPARATOR)[1:]))
    cards = CardList(left, Counter(card.kind for card in left))
    if left:
        page.memo["sitting"] = known._replace(cards=cards, last=op)


def _preview_merge(page: Page, card: Card) -> str:
    with suppress(MemvaultError):  # one may have gone; what is in the way is said when it is asked for
        return page.vault.run(preview_merge, [memory.id for memory in card.memories])
    return ""


def answer_card(page: Page) -> Response:
    """Carry out one act on a card; one whose memories were changed since it was shown is shown again instead."""
    key, act = page.field("key"), page.field("act")
    try:
        op = page.vault.act_on_card(key, act, version=page.field("version"))
    except MemvaultError as error:
        page.memo.pop("sitting", None)
        return show_inbox(page, code=HTTPStatus.CONFLICT, error=error)
    _drop_card(page, key, op)
    return page.redirect(op=op, note="" if op else "nothing")
