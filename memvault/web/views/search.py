"""Search as you type: the hits with the reasons for each, and the filters that narrow them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from memvault.core.fields import STATUSES, TYPES
from memvault.core.query import NO_FILTERS, Filters
from memvault.recall.explain import HitEvidence, explain_hit, explain_weight
from memvault.recall.recall import RecallHit, RecallQuery, recall
from memvault.recall.show import ORDERS, ListedMemory, list_for_reader
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.dates import parse_since
from memvault.text.terms import query_terms
from memvault.transcripts.search import search_turns
from memvault.web.page import Page

TIERS: Mapping[str, int] = {"identity": 0, "hot": 1, "memories": 2, "archived": 3}
SPANS: Mapping[str, str] = {"today": "today", "7d": "last 7 days", "1m": "last month", "1y": "last year"}
_MOST_HITS, _MOST_TYPED, _MOST_LISTED, _MOST_TURNS = 30, 8, 60, 5
_NEWEST = "created"
_ROOM = 24_000  # tokens: a person scrolls
_TAGS = 12
_FACETS = "facets of the page"


class FilterChip(NamedTuple):
    """One value of a filter: its name, the address that adds or removes it, and whether it is set."""

    name: str
    address: str
    chosen: bool


class ShownHit(NamedTuple):
    """A hit with the reasons why it stands there."""

    hit: RecallHit
    reasons: list[str]


def show_search(page: Page) -> Response:
    """Show what a question finds, or the latest memories where there is none; `part` asks for the hits alone."""
    query = page.query("q")
    found = _find_hits(page, query) if query else _list_latest(page)  # first: that refreshes the index
    values: dict[str, Any] = {
        "query": query,
        "terms": frozenset(query_terms(query)),
        "order": page.query("order", _NEWEST),
        "orders": ORDERS,
        **found,
    }
    if page.query("part"):
        return HTMLResponse(page.render_text("search_results.html", **values))
    return page.render("search.html", chips=_list_chips(page), **values)


def _find_hits(page: Page, query: str) -> dict[str, Any]:
    limit = _MOST_TYPED if page.query("part") else _MOST_HITS
    ask = RecallQuery(query=query, filters=read_filters(page), limit=limit, budget=_ROOM)
    found = page.vault.run(recall, ask, asks_model=False)
    hits = [ShownHit(hit, _explain(query, hit, page)) for hit in found.hits]
    turns = page.vault.run(lambda context: [*search_turns(context, query, limit=_MOST_TURNS)])
    return {
        "hits": [shown for shown in hits if not shown.hit.weak],
        "weak": [shown for shown in hits if shown.hit.weak],
        "turns": [turn for turn in turns if turn.says_it] if read_filters(page).is_empty else [],
        "private": page.vault.private_hits(query, limit=_MOST_HITS),
        "searched": found.searched,
        "bounded": found.bounded or "",
        "has_more": limit == _MOST_TYPED == len(hits),
    }


def _explain(query: str, hit: RecallHit, page: Page) -> list[str]:
    weight = explain_weight(hit.memory, hit.weight, hit.use, page.now, page.vault.settings.decay)
    return explain_hit(query, HitEvidence.of(hit), weight_reason=weight)


def _list_latest(page: Page) -> dict[str, Any]:
    order, filters = page.query("order", _NEWEST), read_filters(page)
    if order == _NEWEST and filters.is_empty:
        return page.vault.run(_list_newest)
    found = page.vault.run(list_for_reader, filters, order=order, limit=_MOST_LISTED)
    return {"rows": found.rows, "total": found.total}


def _list_newest(context: VaultContext) -> dict[str, Any]:
    """Return the memories that were made last, without weighing all the others."""
    context.refresh()
    found = context.index.newest_memories(_MOST_LISTED)
    uses = context.memory_uses(found)
    rows = [ListedMemory(one, context.memory_weight(one, uses[one.id]), uses[one.id].last) for one in found]
    return {"rows": rows, "total": context.index.count()}


def read_filters(page: Page) -> Filters:
    """Return the filters that the address names; unknown words are left out."""
    since = page.query("since")
    return Filters(
        kinds=frozenset(page.queries("kind")) & frozenset(page.vault.settings.kinds),
        types=frozenset(page.queries("type")) & frozenset(TYPES),
        statuses=frozenset(page.queries("status")) & frozenset(STATUSES),
        tiers=frozenset(TIERS[name] for name in page.queries("tier") if name in TIERS),
        tags=frozenset(page.queries("tag")),
        people=frozenset(page.queries("person")),
        since=parse_since(since, page.now, page.zone) if since else None,
        pinned=True if page.query("pinned") else None,
    )


# -- chips


def _list_chips(page: Page) -> dict[str, list[FilterChip]]:
    """Return the filters in groups: the values that there are, and those that are set."""
    kinds, tags, people = page.vault.run(count_facets)
    groups: dict[str, Iterable[str]] = {
        "kind": kinds,
        "tier": TIERS,
        "status": STATUSES,
        "tag": dict.fromkeys((*page.queries("tag"), *tags)),
        "person": dict.fromkeys((*page.queries("person"), *people)),
        "since": SPANS,
    }
    return {group: [_make_chip(page, group, name) for name in names] for group, names in groups.items()}


def count_facets(context: VaultContext) -> tuple[list[str], list[str], list[str]]:
    """Return the kinds, tags and people that most memories bear, the most frequent first."""
    held = context.index.derived.current()
    known: tuple[list[str], list[str], list[str]] | None = held.get(_FACETS)
    if known is None:
        memories = context.index.memories(NO_FILTERS)
        kinds = Counter(memory.kind for memory in memories)
        tags = Counter(tag for memory in memories for tag in memory.tags)
        people = Counter(person for memory in memories for person in memory.people)
        known = tuple([name for name, _ in count.most_common(_TAGS)] for count in (kinds, tags, people))  # type: ignore[assignment]
        held[_FACETS] = known
    assert known is not None
    return known


def _make_chip(page: Page, group: str, name: str) -> FilterChip:
    pairs = [pair for pair in page.request.query_params.multi_items() if pair[0] not in ("part", "op", "note")]
    chosen = (group, name) in pairs
    kept = [pair for pair in pairs if pair != (group, name) and not (group == "since" and pair[0] == "since")]
    address = urlencode(kept if chosen else [*kept, (group, name)])
    return FilterChip(SPANS.get(name, name) if group == "since" else name, f"/search?{address}", chosen)
