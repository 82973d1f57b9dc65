"""Make memories of what a conversation says that is worth it; of each of its turns once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.candidates import Candidate
from memvault.core.facts import facts
from memvault.core.memory import FieldValue
from memvault.core.talk import Fact, Turn
from memvault.errors import MemvaultError
from memvault.verbs.bench import Actor, Bench
from memvault.verbs.candidating import candidates_with_model
from memvault.verbs.capture import capture
from memvault.verbs.extraction import Drawn
from memvault.verbs.remember import Draft

if TYPE_CHECKING:
    from memvault.llm.seam import Ask
    from memvault.vault.talks.archive import Talks

_AGENT = "memvault"
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Learnt:
    """What became of one statement: kept, quarantined, confirmed, added, rejected or refused, and why."""

    text: str
    outcome: str
    id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Teacher:
    """Who is asked what is worth keeping; nobody, where there is no model."""

    ask: Ask | None = None
    reviewers: Mapping[str, str] = field(default_factory=dict)


class Lesson:
    """What is learnt of one conversation: each of its turns once, by the mark in the ledger."""

    def __init__(self, bench: Bench, store: Talks, path: str, teacher: Teacher) -> None:
        self._there = store.open(path)
        self._talk = self._there.head().id
        self._bench = replace(bench, actor=Actor(agent=_AGENT, session=self._talk))
        self._teacher = teacher
        self._done = bench.vault.ledger.decisions().learnt.get(self._talk, 0)
        self.learnt: list[Learnt] = []

    def take(self, drawn: Drawn) -> None:
        """Put what is worth it through the screens of storage; of what was passed over before, too."""
        self.catch_up(drawn.start)
        if self._done == drawn.start:
            self._learn(drawn.turns, drawn.facts)

    def catch_up(self, end: int | None = None) -> None:
        """The turns before a place that no memory was made of yet: a run was killed, or was told to make none."""
        stream = islice(self._there.turns(), self._done, end)
        while (end is None or self._done < end) and (turns := tuple(islice(stream, _AT_ONCE))):
            self._learn(turns, facts(turns))

    def _learn(self, turns: Sequence[Turn], drawn: Sequence[Fact]) -> None:
        worth = candidates_with_model(turns, drawn, self._teacher.ask).candidates
        self.learnt += [_learnt(self._bench, self._talk, one, self._teacher) for one in worth]
        self._done += len(turns)
        self._bench.vault.try_ledger([{"e": "learnt", "talk": self._talk, "to": self._done}], self._bench.now)


def _learnt(bench: Bench, talk: str, candidate: Candidate, teacher: Teacher) -> Learnt:
    try:
        made = capture(bench, _draft(talk, candidate), teacher.ask, reviewers=teacher.reviewers)
    except MemvaultError as error:
        return Learnt(candidate.text, "refused", why=str(error))
    return Learnt(candidate.text, made.outcome, made.memory.id, made.why)


def _draft(talk: str, candidate: Candidate) -> Draft:
    more: dict[str, FieldValue] = {} if candidate.due is None else {"due": candidate.due}
    return Draft(
        text=candidate.text,
        kind=candidate.kind,
        type=candidate.type,
        tags=candidate.tags,
        refs={"session": (talk,), "turns": candidate.turns},
        more=more,
        source=candidate.source,
        automatic=True,
    )
