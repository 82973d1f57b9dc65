"""Find memories by what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from memvault.core.memory import Memory
from memvault.core.private import without_private
from memvault.core.query import ANY, Filters
from memvault.core.ranking.budget import pack
from memvault.core.ranking.similarity import NOWHERE, Places, found_in, similarity
from memvault.core.terms import query_terms
from memvault.core.weight import Use
from memvault.core.words import contains_phrase, phrases
from memvault.errors import BadInput
from memvault.index.catalogue import WHOLE, Found
from memvault.verbs.bench import Bench
from memvault.verbs.standing import arranged, contradicting, linked

_CANDIDATES_PER_HIT, _CANDIDATES_LEAST = 4, 40
_PHRASE_CANDIDATES = 400
_FOLLOWED = 3  # the hits whose links are followed
HEADER_TOKENS = 12  # the title line that goes with every text


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is looked for, and how much of it is wanted. Zero means: as the settings say."""

    query: str
    filters: Filters = ANY
    limit: int = 0
    budget: int = 0
    min_similarity: float | None = None
    whole_texts: bool = False
    follow: bool = True  # whether what the best hits link to is given too, where there is room


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory that was found, with its best passage."""

    memory: Memory
    text: str
    similarity: float
    score: float
    weight: float
    use: Use
    weak: bool
    found: Places = field(default_factory=lambda: NOWHERE)  # query term -> where in the memory it stands
    superseded: bool = False  # another memory has taken its place
    contradicts: tuple[str, ...] = ()  # ids of memories that say otherwise, as far as that was found out
    via: str = ""  # the hit that links to it, where only that brought it here


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answer to a recall: hits, best first, what they cost, and what had to stay out."""

    query: str
    hits: tuple[Hit, ...]
    tokens: int
    budget: int
    left_out: int = 0
    searched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted(Recalled):
    """The answer to a recall that a language model was to look through: what it took out, or why it did not."""

    irrelevant: tuple[str, ...] = ()  # ids
    unsifted: str = ""  # the reason why there is no answer of the model, as its log has it


def recall(bench: Bench, ask: Ask) -> Recalled:
    """The memories that answer a question, best first, within the budget."""
    bench.freshen()
    return recall_fresh(bench, ask)


def recall_fresh(bench: Bench, ask: Ask) -> Recalled:
    """As `recall`, for a catalogue that was brought up to date a moment ago."""
    limit = ask.limit or bench.settings.whole("recall.limit")
    return answered(bench, ask, followed(bench, ask, best(bench, ask, limit), limit))


def answered(bench: Bench, ask: Ask, best_hits: list[Hit]) -> Recalled:
    """The answer that some hits make, best first, within the budget."""
    budget = ask.budget or bench.settings.whole("recall.budget")
    hits = standing(bench, best_hits)
    packed = pack(((hit, hit.text) for hit in hits), budget=budget, overhead=HEADER_TOKENS)
    kept = tuple(replace(hit, text=text) for hit, text in packed.kept)
    if ask.whole_texts:
        bench.touch([hit.memory for hit in kept], why="recall")
    return Recalled(
        query=ask.query,
        hits=kept,
        tokens=packed.used,
        budget=budget,
        left_out=packed.left_out,
        searched=bench.catalogue.count(),
    )


def best(bench: Bench, ask: Ask, limit: int) -> list[Hit]:
    """The hits that are alike enough, best first."""
    least = bench.settings.number("recall.min_similarity") if ask.min_similarity is None else ask.min_similarity
    hits = _first((hit for hit in _hits(bench, ask, limit) if hit.similarity >= least), limit)
    hits.sort(key=lambda hit: (-round(hit.score, 6), -hit.weight, hit.memory.path))
    return hits[:limit]


def followed(bench: Bench, ask: Ask, hits: list[Hit], limit: int) -> list[Hit]:
    """The hits, and at the end, where there is room, what the best of them link to, marked by that link."""
    if not ask.follow or not ask.filters.empty:
        return hits
    known = {hit.memory.id for hit in hits}
    found = list(hits)
    for hit in [hit for hit in hits if not hit.weak][:_FOLLOWED]:
        for relation, memory in linked(bench, hit.memory):
            if len(found) < limit and memory.id not in known:
                known.add(memory.id)
                body = without_private(bench.text(memory))
                other = _hit(bench, Found(memory, 0.0, WHOLE), body, {}, ask)
                found.append(replace(other, via=f"{hit.memory.title} {relation} it"))
    return found


def standing(bench: Bench, hits: list[Hit]) -> list[Hit]:
    """The hits in their order, but what holds before what does not hold any more."""
    by_id = {hit.memory.id: hit for hit in hits}
    order = arranged(bench, [hit.memory for hit in hits])
    return [_with_standing(bench, by_id[memory.id]) for memory in order]


def _with_standing(bench: Bench, hit: Hit) -> Hit:
    against = tuple(other.id for other in contradicting(bench, hit.memory))
    superseded = bool(hit.memory.more.get("superseded_by"))
    return replace(hit, superseded=superseded, contradicts=against) if superseded or against else hit


def _first(hits: Iterator[Hit], count: int) -> list[Hit]:
    """The first hits, and those that score the same as the last of them: files behind these are never opened."""
    taken: list[Hit] = []
    for hit in hits:
        if len(taken) >= count and round(hit.score, 6) < round(taken[-1].score, 6):
            break
        taken.append(hit)
    return taken


def _hits(bench: Bench, ask: Ask, limit: int) -> Iterator[Hit]:
    """What the catalogue finds, best first, each read from its file only when it is asked for."""
    terms = query_terms(ask.query)
    if not terms:
        yield from _without_words(bench, ask, limit)
        return
    quoted = phrases(ask.query)
    depth = _PHRASE_CANDIDATES if quoted else limit * _CANDIDATES_PER_HIT + _CANDIDATES_LEAST
    rarity = bench.catalogue.rarity(terms)
    for found in bench.catalogue.search(terms, filters=ask.filters, limit=depth):
        body = without_private(bench.text(found.memory))
        if all(_says(found.memory, body, phrase) for phrase in quoted):
            yield _hit(bench, found, body, rarity, ask)


def _without_words(bench: Bench, ask: Ask, limit: int) -> Iterator[Hit]:
    """A recall by conditions alone lists what meets them, the latest used first."""
    if ask.filters.empty:
        raise BadInput(what="the query", value=ask.query, reason="there is no word in it to look for")
    for memory in bench.catalogue.memories(ask.filters, limit=limit):
        if memory.more.get("cleared_at"):
            continue
        body = without_private(bench.text(memory))
        yield _hit(bench, Found(memory, 0.0, WHOLE), body, {}, ask)


def _hit(bench: Bench, match: Found, body: str, rarity: Mapping[str, float], ask: Ask) -> Hit:
    """The hit with its passage as the file has it now."""
    memory, (start, end, heading) = match.memory, match.span
    passage = body[start:end] or body
    labels = {"title": memory.title, "tags": _names(memory), "triggers": "\n".join(memory.triggers)}
    found = found_in(rarity, {**labels, "heading": heading, "text": passage})
    alike = similarity(rarity, found)
    use = bench.uses([memory])[memory.id]
    return Hit(
        memory=memory,
        text=body.strip() if ask.whole_texts else passage.strip(),
        similarity=round(alike, 4),
        score=match.score,
        weight=bench.weight(memory, use),
        use=use,
        weak=bool(rarity) and alike < bench.settings.number("recall.weak_below"),
        found=found,
    )


def _names(memory: Memory) -> str:
    aliases = (alias for alias in memory.aliases if alias != memory.title)
    return "\n".join((*memory.tags, *memory.topics, *memory.people, *aliases))


def _says(memory: Memory, body: str, phrase: str) -> bool:
    return any(contains_phrase(text, phrase) for text in (body, memory.title, _names(memory)))
