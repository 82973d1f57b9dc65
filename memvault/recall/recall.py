"""Find memories by what they say."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from memvault.core.memory import INNER, Memory
from memvault.core.query import ANY, Filters
from memvault.core.secrets.private_spans import without_private
from memvault.core.value import Frozen, field, replace
from memvault.core.weight import Use
from memvault.errors import BadInput
from memvault.recall.fold import Sayings
from memvault.recall.query import NOTHING_ASKED, Asked, Candidate, asked, candidates, labels, names, said
from memvault.recall.ranking.weights import pack
from memvault.recall.similarity import REST, Told, similarity, told
from memvault.recall.superseded import arranged, contradicting, linked
from memvault.storage.index.query import Found
from memvault.storage.index.rows import WHOLE
from memvault.storage.vault.context import Bench, for_anyone_meant
from memvault.text.terms import contains_phrase, phrases, query_terms

_CANDIDATES_PER_HIT, _CANDIDATES_LEAST = 4, 40
_PHRASE_CANDIDATES = 400
_DIGITS = 4  # of a similarity
_FOLLOWED = 3  # the hits whose links are followed
_REPLACING = frozenset({"supersedes", "superseded_by"})
_OWN = 0.05  # so much of its score is added to a memory of the project that is worked on
HEADER_TOKENS = 12  # the title line that goes with every text


class Ask(Frozen, kw_only=True):
    """What is looked for, and how much of it is wanted. Zero means: as the settings say."""

    query: str
    filters: Filters = ANY
    limit: int = 0
    budget: int = 0
    min_similarity: float | None = None
    whole_texts: bool = False
    fold: bool = True  # whether of memories that say the same one stands for all
    follow: bool = True  # whether what the best hits link to is given too, where there is room
    unread: bool = False  # whether texts are read later, by `with_text`: only for what is not folded


class Hit(Frozen, kw_only=True):
    """One memory that was found, with its best passage."""

    memory: Memory
    text: str
    similarity: float
    score: float
    weak: bool
    weight: float
    use: Use
    told: tuple[Told, ...] = ()  # for each word of the question, how far the memory says it
    alike: tuple[str, ...] = ()  # ids of memories that say the same, for which this one stands
    dated: bool = False  # made on the days of which the question speaks
    meaning: float = 0.0  # of its score, what lying near in meaning adds
    ties: float = 0.0  # of its score, what hanging together with the best adds
    own: float = 0.0  # of its score, what being of the project that is worked on adds
    superseded: bool = False  # another memory has taken its place
    contradicts: tuple[str, ...] = ()  # ids of memories that say otherwise, as far as that was found out
    via: str = ""  # the hit that links to it, where only that brought it here
    unread: Found | None = field(default=None, metadata=INNER)  # where its text stands, while that was not read


class Recalled(Frozen, kw_only=True):
    """The answer to a recall: hits, best first, what they cost, and what had to stay out."""

    query: str
    hits: tuple[Hit, ...]
    tokens: int
    budget: int
    left_out: int = 0
    searched: int = 0


class Sifted(Recalled, kw_only=True):
    """The answer to a recall that a language model was to look through: what it took out, or why it did not."""

    irrelevant: tuple[str, ...] = ()  # ids
    unsifted: str = ""  # the reason why there is no answer of the model, as its log has it


class _Drawn(NamedTuple):
    """A hit, its whole text as far as it was read, and a mark of that text where it is the one that was catalogued."""

    hit: Hit
    body: str = ""
    mark: Hashable = None


def recall(bench: Bench, ask: Ask) -> Recalled:
    """The memories that answer a question, best first, within the budget."""
    bench.freshen()
    return recall_fresh(bench, ask)


def recall_fresh(bench: Bench, ask: Ask) -> Recalled:
    """As `recall`, for a catalogue that was brought up to date a moment ago."""
    limit = ask.limit or bench.settings.whole("recall.limit")
    return answered(bench, ask, followed(bench, ask, best(bench, ask, limit), limit))


def with_text(bench: Bench, hit: Hit, query: str) -> tuple[Hit, str]:
    """A hit with its passage, and its whole text without private parts, read now."""
    if hit.unread is None:
        return hit, without_private(bench.text(hit.memory))
    body = bench.known_text(hit.unread)
    if body is not None:
        start, end, _ = hit.unread.span
        return replace(hit, text=(body[start:end] or body).strip(), unread=None), body
    # The file is another by now: what it says of the question is told by its text.
    body = bench.found_text(hit.unread)
    anew = _hit(bench, Candidate(hit.unread, dated=hit.dated), body, asked(bench, query), Ask(query=query))
    return replace(hit, text=anew.text, similarity=anew.similarity, weak=anew.weak, told=anew.told, unread=None), body


def answered(bench: Bench, ask: Ask, best_hits: list[Hit]) -> Recalled:
    """The answer that some hits make, best first, within the budget."""
    budget = ask.budget or bench.settings.whole("recall.budget")
    hits = standing(bench, best_hits)
    packed = pack(((hit, hit.text) for hit in hits), budget=budget, overhead=HEADER_TOKENS)
    kept = tuple(hit if hit.text == text else replace(hit, text=text) for hit, text in packed.kept)
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
    drawn = (each for each in _hits(bench, ask, limit, least) if each.hit.similarity >= least)
    hits = _own_first(bench, _first(bench, drawn, limit, fold=ask.fold))
    hits.sort(key=lambda hit: (-round(hit.score, 6), -hit.weight, hit.memory.path))
    return hits[:limit]


def _own_first(bench: Bench, hits: list[Hit]) -> list[Hit]:
    """The hits, where those of the project that is worked on go before others that are about as good."""
    if not any(hit.memory.more.get("project") for hit in hits) or not (project := bench.project.casefold()):
        return hits
    return [
        replace(hit, own=round(hit.score * _OWN, 4), score=hit.score * (1 + _OWN))
        if str(hit.memory.more.get("project", "")).casefold() == project
        else hit
        for hit in hits
    ]


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
                other = _hit(bench, Candidate(Found(memory, 0.0, WHOLE)), body, NOTHING_ASKED, ask)
                found.append(replace(other, via=f"{hit.memory.title} {relation} it"))
    return found


def standing(bench: Bench, hits: list[Hit]) -> list[Hit]:
    """The hits in their order, but what holds before what does not hold any more."""
    by_id = {hit.memory.id: hit for hit in hits}
    doubted = bench.catalogue.contradicted([*by_id])
    if not doubted and not any(_REPLACING.intersection(hit.memory.more) for hit in hits):
        return hits
    order = arranged(bench, [hit.memory for hit in hits])
    return [_with_standing(bench, by_id[memory.id], is_doubted=memory.id in doubted) for memory in order]


def _with_standing(bench: Bench, hit: Hit, *, is_doubted: bool) -> Hit:
    against = tuple(other.id for other in contradicting(bench, hit.memory)) if is_doubted else ()
    superseded = bool(hit.memory.more.get("superseded_by"))
    return replace(hit, superseded=superseded, contradicts=against) if superseded or against else hit


def _first(bench: Bench, drawn: Iterator[_Drawn], count: int, *, fold: bool) -> list[Hit]:
    """The first hits, and those that score the same as the last of them: files behind these are never opened."""
    taken: list[Hit] = []
    sayings = Sayings(bench)
    for hit, body, mark in drawn:
        twin = sayings.add(hit.memory, body, mark) if fold else None
        if twin is not None and _stands_for(bench, taken[twin].memory, hit.memory):
            sayings.drop()
            taken[twin] = replace(taken[twin], alike=(*taken[twin].alike, hit.memory.id))
        elif len(taken) >= count and round(hit.score, 6) < round(taken[-1].score, 6):
            break
        else:
            taken.append(hit)
    return taken


def _stands_for(bench: Bench, one: Memory, other: Memory) -> bool:
    """Whether one memory may be shown for both: not where it matters which of them holds."""
    if one.status != other.status or any(memory.more.get("superseded_by") for memory in (one, other)):
        return False
    return other.id not in bench.catalogue.contradicting(one.id)


def _hits(bench: Bench, ask: Ask, limit: int, least: float) -> Iterator[_Drawn]:
    """What the catalogue finds, best first, each with its whole text, read only when it is asked for.

    Of what the index tells not to be alike enough, most is left out.
    """
    if not query_terms(ask.query):
        yield from _without_words(bench, ask, limit)
        return
    quoted = phrases(ask.query)
    question = asked(bench, ask.query)
    for each in _matches(bench, ask, question, limit, least):
        found = each.found
        known = said(bench, each, question)
        if known is not None and least > 0 and round(similarity(known), _DIGITS) < least:
            continue
        if ask.unread and known is not None and not quoted:
            yield _Drawn(_hit(bench, each, None, question, ask, known))
            continue
        mark: Hashable = (found.memory.path, found.key)
        body = bench.known_text(found)
        if body is None:
            body, mark, known = bench.found_text(found), None, None
        if all(_says(found.memory, body, phrase) for phrase in quoted):
            yield _Drawn(_hit(bench, each, body, question, ask, known), body, mark)


def _matches(bench: Bench, ask: Ask, question: Asked, limit: int, least: float) -> Iterator[Candidate]:
    """What is found by words, and where that was chosen by what lies or hangs together with it."""
    filters = for_anyone_meant(bench, ask.filters)
    by_graph = bench.settings.flag("recall.graph")
    quoted = bool(phrases(ask.query))
    depth = _PHRASE_CANDIDATES if quoted else limit * _CANDIDATES_PER_HIT + _CANDIDATES_LEAST
    # Where more than words counts, what is unlike may yet lead on to others.
    by_words = bench.open_meaning is None and not by_graph
    matches = candidates(bench, question, filters, limit=depth, least=least if by_words else 0.0)
    if bench.open_meaning is not None:
        from memvault.recall.semantic import candidates_by_meaning  # deferred: few have chosen a model

        matches = candidates_by_meaning(bench, ask.query, matches, filters=filters, limit=depth)
    if by_graph:
        from memvault.recall.graph import candidates_by_graph  # deferred: off unless it is wanted

        matches = candidates_by_graph(bench, matches, filters=filters, limit=depth)
    return matches


def _without_words(bench: Bench, ask: Ask, limit: int) -> Iterator[_Drawn]:
    """A recall by conditions alone lists what meets them, the latest used first."""
    if ask.filters.empty:
        raise BadInput(what="the query", value=ask.query, reason="there is no word in it to look for")
    for memory in bench.catalogue.memories(for_anyone_meant(bench, ask.filters), limit=limit):
        if memory.more.get("cleared_at"):
            continue
        body = without_private(bench.text(memory))
        yield _Drawn(_hit(bench, Candidate(Found(memory, 0.0, WHOLE)), body, NOTHING_ASKED, ask), body)


def _hit(
    bench: Bench, match: Candidate, body: str | None, question: Asked, ask: Ask, known: Sequence[Told] | None = None
) -> Hit:
    """The hit with its passage as the file has it now, or not read yet; what it says may be known already."""
    memory, (start, end, heading) = match.found.memory, match.found.span
    unread, body = match.found if body is None else None, body or ""
    passage = body[start:end] or body
    if known is None:
        parts = {**labels(memory), "heading": heading, "text": passage, REST: "" if passage == body else body}
        known = told(question.words, question.rarity, parts, on_day=match.dated)
    alike = similarity(known)
    use, weight = bench.standing(match.found)
    return Hit(
        memory=memory,
        text=body.strip() if ask.whole_texts else passage.strip(),
        similarity=round(alike, _DIGITS),
        score=match.found.score,
        weight=weight,
        use=use,
        weak=bool(question.words) and alike < bench.settings.number("recall.weak_below"),
        told=tuple(known),
        dated=match.dated,
        meaning=match.meaning,
        ties=match.ties,
        unread=unread,
    )


def _says(memory: Memory, body: str, phrase: str) -> bool:
    return any(contains_phrase(text, phrase) for text in (body, memory.title, names(memory)))
