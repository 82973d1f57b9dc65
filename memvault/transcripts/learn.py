"""Make memories of what a conversation says that is worth it; of each of its turns once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.capture.auto import capture
from memvault.core.memory import FieldValue
from memvault.errors import BadInput, Forgotten, SecretFound, Trivial
from memvault.memories.draft import Draft
from memvault.storage.vault.context import Actor, Bench
from memvault.text.markdown import guess_title
from memvault.transcripts.extract.candidates import Candidate
from memvault.transcripts.extract.extract import Drawn, shortened
from memvault.transcripts.extract.facts import facts
from memvault.transcripts.extract.llm import candidates_with_model
from memvault.transcripts.model.tool_calls import SHELLS
from memvault.transcripts.model.turn import Fact, Turn
from memvault.transcripts.model.web import reads_web

if TYPE_CHECKING:
    from memvault.models.llm.ask import Ask
    from memvault.transcripts.archive.archive import Talks

_AGENT = "memvault"
_AT_ONCE = 1_000
_LONGEST_NAME = 40  # of a speaker, before what they said
# What storage says for good; anything else (a busy vault, a full disk) passes, and then it is tried again.
_FINAL = (Forgotten, Trivial, SecretFound, BadInput)


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
    is_own: bool = False  # whether this person's own agent wrote the transcript, on this machine

    def source_of(self, candidate: Candidate, *, is_doubtful: bool) -> str:
        """How far a statement is trusted: what may come from the web waits in quarantine; a file that was brought is
        an import, whoever speaks in it.
        """
        if is_doubtful:
            return "web"
        return candidate.source if self.is_own else "import"


class Lesson:
    """What is learnt of one conversation: each of its turns once, by the mark in the ledger."""

    def __init__(self, bench: Bench, store: Talks, path: str, teacher: Teacher) -> None:
        self._there = store.open(path)
        head = self._there.head()
        self._talk = head.id
        # What was said in a project is that project's, wherever its transcript is taken in.
        folder = Path(head.project) if head.project else None
        self._bench = replace(bench, actor=Actor(agent=_AGENT, session=self._talk), folder=folder)
        self._teacher = teacher
        self._done = bench.vault.ledger.decisions().learnt.get(self._talk, 0)
        known = islice(self._there.turns(), self._done)
        self._web_read = {turn.session for turn in known if _reads_web(turn)}  # in these sittings the web was read
        self.learnt: list[Learnt] = []

    def take(self, drawn: Drawn) -> None:
        """Put what is worth it through the screens of storage; of what was passed over before, too."""
        self.catch_up(drawn.start)
        if self._done == drawn.start:
            self._learn(drawn.turns, drawn.facts)

    def catch_up(self, end: int | None = None) -> None:
        """The turns before a place that no memory was made of yet: a run was killed, or was told to make none."""
        stream = map(shortened, islice(self._there.turns(), self._done, end))
        while (end is None or self._done < end) and (turns := tuple(islice(stream, _AT_ONCE))):
            self._learn(turns, facts(turns))

    def _learn(self, turns: Sequence[Turn], drawn: Sequence[Fact]) -> None:
        said = {turn.id: turn.time for turn in turns}
        self._web_read |= {turn.session for turn in turns if _reads_web(turn)}
        doubtful = {turn.id for turn in turns if turn.session in self._web_read and turn.role != "user"}
        for one in candidates_with_model(turns, drawn, self._teacher.ask).candidates:
            time = next((time for turn in one.turns if (time := said.get(turn))), None)
            source = self._teacher.source_of(one, is_doubtful=not doubtful.isdisjoint(one.turns))
            self.learnt.append(_learnt(self._bench, _draft(self._talk, one, source, time), self._teacher))
        self._done += len(turns)
        self._bench.vault.try_ledger([{"e": "learnt", "talk": self._talk, "to": self._done}], self._bench.now)


def _learnt(bench: Bench, draft: Draft, teacher: Teacher) -> Learnt:
    try:
        made = capture(bench, draft, teacher.ask, reviewers=teacher.reviewers)
    except _FINAL as error:
        return Learnt(draft.text, "refused", why=str(error))
    return Learnt(draft.text, made.outcome, made.memory.id, made.why)


def _draft(talk: str, candidate: Candidate, source: str, said: datetime | None) -> Draft:
    more: dict[str, FieldValue] = {} if candidate.due is None else {"due": candidate.due}
    speaker, _, words = candidate.text.partition(": ")
    return Draft(
        text=candidate.text,
        title=guess_title(words if words and len(speaker) <= _LONGEST_NAME else candidate.text),
        kind=candidate.kind,
        type=candidate.type,
        tags=candidate.tags,
        refs={"session": (talk,), "turns": candidate.turns},
        more=more,
        created=said,
        source=source,
        automatic=True,
    )


def _reads_web(turn: Turn) -> bool:
    return any(_is_of_web(*deed.partition(" ")[::2]) for deed in turn.deeds)


def _is_of_web(tool: str, told: str) -> bool:
    # A deed names a server's tool without its server; an agent's own tools begin with a great letter.
    return reads_web(f"mcp__server__{tool}" if tool.islower() else tool, {"command": told} if tool in SHELLS else {})
