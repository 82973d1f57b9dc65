"""Private memories searched in memory: the words of their texts, ranked as any recall ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memvault.core.memory import Card, Memory
from memvault.core.query import Match
from memvault.core.secrets.private_spans import without_private
from memvault.core.settings import Settings
from memvault.core.weight import Use
from memvault.recall.ranking import notes
from memvault.recall.ranking.question import Question
from memvault.recall.recall import Hit
from memvault.recall.similarity import REST, similarity, told
from memvault.storage.index.rows import document_of
from memvault.storage.index.search.scan import ScanBackend
from memvault.storage.index.update import card_of

_CANDIDATES_PER_HIT, _CANDIDATES_LEAST = 4, 40  # as for any recall: what scores lower is not looked at closely


class Texts:
    """The texts of some memories, held in memory alone to be searched."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = tuple(memories)
        self._cards: tuple[Card, ...] = tuple(map(card_of, self.memories))
        self._backend = ScanBackend(None)
        self._backend.replace((document_of(number, card) for number, card in enumerate(self._cards)), ())

    def hits(self, query: str, *, now: datetime, settings: Settings, limit: int, least: float) -> tuple[Hit, ...]:
        """The memories that answer a question, best first, each with its best passage."""
        people = settings.texts("people.aliases")
        question = notes.asked(query, now=now, people=people, near=self._backend.near)
        rarity = self._backend.rarity([word.term for word in question.words])
        most = limit or settings.whole("recall.limit")
        depth = most * _CANDIDATES_PER_HIT + _CANDIDATES_LEAST
        matches = self._backend.search(question.words, keep=None, limit=depth)
        weak_below = settings.number("recall.weak_below")
        found = [self._hit(match, question, rarity, weak_below) for match in matches]
        found = [hit for hit in found if hit.similarity >= least]
        found.sort(key=lambda hit: (-round(hit.score, 6), hit.memory.path))
        return tuple(found[:most])

    def _hit(self, match: Match, question: Question, rarity: Mapping[str, float], weak_below: float) -> Hit:
        memory, card = self.memories[match.number], self._cards[match.number]
        body = without_private(memory.body or "")
        passage = card.passages[match.part] if match.part < len(card.passages) else body
        names = "\n".join((*memory.tags, *memory.topics, *memory.people))
        labels = {"title": memory.title, "tags": names, "triggers": "\n".join(memory.triggers)}
        parts = {**labels, "heading": card.headings, "text": passage, REST: "" if passage == body else body}
        said = told(question.words, rarity, parts, on_day=False)
        alike = similarity(said)
        return Hit(
            memory=memory.changed(body=None),
            text=passage.strip(),
            similarity=round(alike, 4),
            score=match.score,
            weak=alike < weak_below,
            weight=memory.weight,
            use=Use(memory.access_count, memory.last_accessed),
            told=tuple(said),
        )
