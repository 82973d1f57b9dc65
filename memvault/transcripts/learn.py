"""Learn memories from a conversation, once from each turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.capture import capture_reviewed
from memvault.core.conversation import Turn
from memvault.core.memory import FieldValue
from memvault.errors import BadInput, Forgotten, SecretFound, Trivial
from memvault.memories.draft import MemoryDraft
from memvault.models.llm.ask import AskModel
from memvault.storage.still_true import refer_to_files
from memvault.storage.vault.context import Actor, VaultContext
from memvault.storage.web_taint import is_tainted
from memvault.text.statements.judge import SURE
from memvault.text.statements.wording import make_title
from memvault.transcripts.extract.candidates import SORTS, MemoryCandidate, PassedSentence
from memvault.transcripts.extract.extract import Extraction, shorten_turn
from memvault.transcripts.extract.llm import candidates_with_model
from memvault.transcripts.model.tool_calls import SHELLS
from memvault.transcripts.model.web import reads_web

if TYPE_CHECKING:
    from memvault.transcripts.archive.archive import Archive

_AGENT = "memvault"
_FILE_TOOLS = ("Edit", "Write", "Read", "MultiEdit", "NotebookEdit")  # as calls of tools are described
_AT_ONCE = 1_000
_UNSURE_WEIGHT = 0.3  # of what may not be worth keeping
# Errors that are final; any other (a busy vault, a full disk) passes, and then learning is repeated.
_FINAL = (Forgotten, Trivial, SecretFound, BadInput)


@dataclass(frozen=True, slots=True)
class LearnResult:
    """What became of one statement: kept, quarantined, confirmed, added, obeyed, rejected or refused, and why."""

    text: str
    outcome: str
    id: str = ""
    why: str = ""


# What obeys a command spoken in a turn, given the text before it; None where the turn holds none.
ObeyTurn = Callable[..., LearnResult | None]


@dataclass(frozen=True, slots=True)
class LearnPolicy:
    """Which model and reviewers judge the statements; none where there is no model."""

    ask: AskModel | None = None
    reviewers: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = False  # whether this person's own agent wrote the transcript, on this machine
    obey: ObeyTurn | None = None


class TranscriptLearner:
    """What is learned from one conversation: from each turn once, by the mark in the ledger."""

    def __init__(self, context: VaultContext, archive: Archive, path: str, policy: LearnPolicy) -> None:
        self._transcript = archive.open_transcript(path)
        head = self._transcript.read_head()
        self._conversation = head.id
        # A statement in a project belongs to that project, wherever its transcript is ingested.
        folder = Path(head.project) if head.project else None
        self._context = replace(context, actor=Actor(agent=_AGENT, session=self._conversation), folder=folder)
        self._policy = policy
        self._done = context.vault.ledger.decisions().learned_turns.get(self._conversation, 0)
        known = islice(self._transcript.read_turns(), self._done)
        self._web_read = {turn.session for turn in known if _turn_reads_web(turn)}  # sessions that read the web
        self.results: list[LearnResult] = []
        self.passed: list[PassedSentence] = []  # what of people's words became no memory

    def learn_extraction(self, extraction: Extraction) -> None:
        """Learn from an extraction, and before it from turns that were skipped earlier."""
        self.learn_missed(extraction.start)
        if self._done == extraction.start:
            self._learn_turns(extraction.turns)

    def learn_missed(self, end: int | None = None) -> None:
        """Learn from earlier turns that were skipped: a run was killed, or learning was turned off."""
        stream = map(shorten_turn, islice(self._transcript.read_turns(), self._done, end))
        while (end is None or self._done < end) and (turns := tuple(islice(stream, _AT_ONCE))):
            self._learn_turns(turns)

    def _learn_turns(self, turns: Sequence[Turn]) -> None:
        times = {turn.id: turn.time for turn in turns}
        self._web_read |= {turn.session for turn in turns if _turn_reads_web(turn)} | self._marked_sessions(turns)
        doubtful = {turn.id for turn in turns if turn.session in self._web_read and turn.role != "user"}
        obeyed = self._obey_commands(turns)
        candidates = candidates_with_model(turns, self._policy.ask)
        self.passed += candidates.passed
        for one in candidates.found:
            if not obeyed.isdisjoint(one.turns):
                continue
            time = next((time for turn in one.turns if (time := times.get(turn))), None)
            # Text that may come from the web waits in quarantine; a file from elsewhere is an import, whoever speaks.
            source = one.source if self._policy.is_own else "import"
            source = source if doubtful.isdisjoint(one.turns) else "web"
            draft = _make_draft(self._conversation, one, source, time)
            draft = self._with_files(draft, turns)
            try:
                result = capture_reviewed(self._context, draft, self._policy.ask, reviewers=self._policy.reviewers)
                self.results.append(LearnResult(draft.text, result.outcome, result.memory.id, result.why))
            except _FINAL as error:
                self.results.append(LearnResult(draft.text, "refused", why=str(error)))
        self._done += len(turns)
        self._context.vault.try_ledger(
            [{"e": "learnt", "talk": self._conversation, "to": self._done}], self._context.now
        )

    def _with_files(self, draft: MemoryDraft, turns: Sequence[Turn]) -> MemoryDraft:
        """Return a draft that refers to those files which its turns, or the answer to them, read or changed."""
        folder = self._context.folder
        if folder is None or not self._policy.is_own or not folder.is_dir():
            return draft
        places = [at for at, turn in enumerate(turns) if turn.id in draft.refs["turns"]]
        near = [turns[at] for place in places for at in (place - 1, place, place + 1) if 0 <= at < len(turns)]
        words = (deed.split(" ", 1) for turn in near for deed in turn.deeds)
        named = [parts[1] for parts in words if len(parts) == 2 and parts[0] in _FILE_TOOLS]
        found = refer_to_files(folder, named, draft.text) if named else ()
        return replace(draft, refs={**draft.refs, "path": found}) if found else draft

    def _marked_sessions(self, turns: Sequence[Turn]) -> set[str]:
        """Return the sessions that are known to have read the web by what only this machine has seen."""
        state, now = self._context.state, self._context.now
        sessions = {turn.session for turn in turns} if state else set()
        talk = self._conversation
        return {each for each in sessions if state and is_tainted(state, session=each or talk, project="", now=now)}

    def _obey_commands(self, turns: Sequence[Turn]) -> frozenset[str]:
        """Obey what a person told memvault in these turns, and return which turns those are."""
        obeyed = set()
        for before, turn in zip(("", *(turn.text for turn in turns)), turns, strict=False):
            if turn.role != "user" or self._policy.obey is None:
                continue
            if found := self._policy.obey(self._context, turn, before, is_own=self._policy.is_own):
                self.results.append(found)
                obeyed.add(turn.id)
        return frozenset(obeyed)


def _make_draft(conversation: str, candidate: MemoryCandidate, source: str, times: datetime | None) -> MemoryDraft:
    more: dict[str, FieldValue] = {} if candidate.due is None else {"due": candidate.due}
    is_sure = candidate.sureness >= SURE
    if not is_sure:
        more["unsure"] = True
    filed = SORTS[candidate.sort]
    return MemoryDraft(
        text=candidate.text,
        title=make_title(candidate.text),
        kind=filed.kind,
        type=filed.type,
        tags=filed.tags,
        refs={"session": (conversation,), "turns": candidate.turns},
        more=more,
        created=times,
        weight=None if is_sure else _UNSURE_WEIGHT,
        source=source,
        automatic=True,
    )


def _turn_reads_web(turn: Turn) -> bool:
    for call in turn.deeds:
        tool, _, words = call.partition(" ")
        # A tool call is described without its server; an agent's own tools begin with a capital.
        name = f"mcp__server__{tool}" if tool.islower() else tool
        if reads_web(name, {"command": words} if tool in SHELLS else {}):
            return True
    return False
