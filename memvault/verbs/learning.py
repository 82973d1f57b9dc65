"""Make memories of what a conversation says that is worth it; of each of its turns once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from memvault.core.candidates import Candidate
from memvault.core.facts import facts
from memvault.core.memory import FieldValue
from memvault.errors import MemvaultError
from memvault.verbs.bench import Actor, Bench
from memvault.verbs.candidating import candidates_with_model
from memvault.verbs.capture import capture
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


def learn(bench: Bench, store: Talks, path: str, teacher: Teacher) -> tuple[Learnt, ...]:
    """Put what is worth it through the screens of storage; how far that went is a decision in the ledger."""
    there = store.open(path)
    head = there.head()
    done = bench.vault.ledger.decisions().learnt.get(head.id, 0)
    at_work = replace(bench, actor=Actor(agent=_AGENT, session=head.id))
    found: list[Learnt] = []
    stream = islice(there.turns(), done, None)
    while turns := list(islice(stream, _AT_ONCE)):
        # Drawn once more: what stands beside the conversation may be of any length.
        worth = candidates_with_model(turns, facts(turns), teacher.ask).candidates
        found += [_learnt(at_work, head.id, one, teacher) for one in worth]
        done += len(turns)
        bench.vault.try_ledger([{"e": "learnt", "talk": head.id, "to": done}], bench.now)
    return tuple(found)


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
