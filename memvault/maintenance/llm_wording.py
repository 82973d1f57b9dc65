"""Whether a text in other words still says what it said: nothing left out, nothing new, nothing turned round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from unicodedata import category

from memvault.core.secrets.private_spans import strip_private
from memvault.core.secrets.scan import find_secrets as leaks
from memvault.core.similarity.statements import Sense, Statement, cached_statements
from memvault.maintenance.rules import PlannedNote, RuleResult, VaultSnapshot
from memvault.maintenance.rules.merge_duplicates import RULE
from memvault.models.llm.ask import AskModel, Failure, Reason, fence_texts, read_prompt
from memvault.text.sentence.opposites import DENIALS
from memvault.text.sentence.reading import significant_terms
from memvault.text.sentence.terms import Term, TermKind
from memvault.text.sentence.wording import REFERRING_WORDS, word_set

_LONGER, _LONGER_BY = 1.1, 40  # how much longer a better wording may be: a share, and characters
_FEWEST_WORDS = 3  # what says less than that is understood from what stands before it
_MOST_ELIDED = 3
_WHOLE = ("```", "|", "#")  # code, rows and headings are taken as they stand

# What the scanner passes over and a reader does not: links, pictures, markup, struck-out text, tags, markers.
_MARKS = re.compile(
    r"!?\[\[[^\]\n]{0,500}\]\]|!?\[[^\]\n]{0,500}\]\([^)\n]{0,500}\)|<[^>\n]{0,500}>|(?<![^\s@])[^\s@]+@[^\s@]+\.\w+"
    r"|(?<!\w)[A-Za-z]\w{0,20}:[^\s)>\],;]*[^\s)>\].,;:!?]|//[^\s)>\],;]*[^\s)>\].,;:!?]"
    r"|(?<!\w)__\w+__(?!\w)|~~|==|%%|\$\$?|(?<!\S)\^[\w-]+"
    r"|(?<!\w)#\w[\w/-]*|^[ \t]*>|^(?:---+|\*\*\*+|___+)[ \t]*$|[\[\]{}\\<]",
    re.MULTILINE,
)

_JOINING_WORDS = word_set("and und et y e & also auch aussi también")
# What reaches beyond its own clause: a statement with one of these is neither joined to another nor shortened.
_REACHING_WORDS = DENIALS | word_set(
    "or if when while whenever unless until till because since although though but however whether that which who",
    "whose where only except excepting but either both than as so such via with for after before during to from by per",
    "oder wenn falls weil dass ob obwohl aber sondern bis seit während nur außer als damit bevor nachdem mit für",
    "ou si quand lorsque parce que qui dont mais sauf seulement pendant avant après pour avec jusque",
    "o u cuando porque aunque pero sino salvo solo sólo mientras antes después para con hasta donde quien",
)
# With one of these a sentence may begin that said the same the other way round: "in May", "when it rains".
_OPENING_WORDS = word_set(
    "in on at during after before when while if until since for every because unless within by",
    "im am bei nach vor wenn während seit für weil",
    "pendant après avant quand si pour en durante después antes cuando para",
)


def find_objection(text: str, proposal: str) -> str:
    """Return why a proposed wording must not replace a text; empty where it says the same and no more."""
    if len(proposal) > _LONGER * len(text) + _LONGER_BY:
        return "it is longer than what it words"
    marks, others = Counter(_MARKS.findall(text)), Counter(_MARKS.findall(proposal))
    if marks.keys() != others.keys() or not others <= marks:
        return "its links or marks are not the same"
    if _invisible_characters(proposal) - _invisible_characters(text):
        return "it has characters in it that cannot be seen"
    known, proposed = cached_statements(text), cached_statements(proposal)
    matches = [found for statement in proposed for found in _find_said(statement, known)]
    if None in matches:
        return "it says something else"
    matched = [statement for statement in matches if statement is not None]
    if not all(
        any(other.under == statement.under and _is_same(statement, other) for other in matched) for statement in known
    ):
        return "it leaves something out"
    return "" if _keeps_order(known, matched) else "it has another order where the order counts"


def _invisible_characters(text: str) -> set[str]:
    return {character for character in text if category(character)[0] == "C" and character not in "\n\t"}


# -- which of the statements of the text one of the proposal says


def _find_said(proposed: Statement, known: Sequence[Statement]) -> Sequence[Statement | None]:
    """Return the statements that are said by one of the proposal, in their order; None where it says anything else."""
    there = [statement for statement in known if statement.under == proposed.under]
    if proposed.sense[:1] and proposed.sense[0] in _WHOLE:
        return [next((statement for statement in there if statement.sense == proposed.sense), None)]
    there = [statement for statement in there if statement.is_step == proposed.is_step and not _is_whole(statement)]
    if (alone := next((statement for statement in there if _is_same(statement, proposed)), None)) is not None:
        return [alone]
    joined = None if proposed.is_step else _match_joined(_WordedSentence.from_statement(proposed), there)
    return [None] if joined is None else joined


def _is_whole(statement: Statement) -> bool:
    return statement.sense[0] in _WHOLE


def _is_same(one: Statement, other: Statement) -> bool:
    """Return whether two statements are word for word the same, but for what may stand in front as well as behind."""
    if one.is_step != other.is_step:
        return False
    mine, others = _WordedSentence.from_statement(one), _WordedSentence.from_statement(other)
    if not mine.terms or not others.terms or _is_whole(one) or _is_whole(other):
        return one.sense == other.sense
    return mine.matches_terms(others.terms, others) or any(
        mine.matches_terms(turned, others) for turned in others.reordered()
    )


@dataclass(frozen=True, slots=True)
class _WordedSentence:
    """A sentence by the terms that tell something, and the one that it opens with."""

    terms: tuple[Term, ...]
    first: Term | None

    @classmethod
    def from_statement(cls, statement: Statement) -> _WordedSentence:
        """Return the line that a statement is."""
        return cls(significant_terms(statement.terms), statement.terms[0] if statement.terms else None)

    def matches_terms(self, terms: Sequence[Term], other: _WordedSentence, *, since: int = 0) -> bool:
        """Return whether the terms of another line are this one's from a place to the end."""
        mine = self.terms[since:]
        return len(mine) == len(terms) and all(
            one.key == proposed.key
            and (one.capital == proposed.capital or one is self.first or proposed is other.first)
            for one, proposed in zip(mine, terms, strict=True)
        )

    def reordered(self) -> Iterator[tuple[Term, ...]]:
        """Yield the terms with what opens like a circumstance drawn to the front, or put behind again."""
        if any(term.key in REFERRING_WORDS for term in self.terms):
            return  # whom "it" means depends on what stands before it
        for place in range(1, len(self.terms)):
            if self.terms[place].key in _OPENING_WORDS or self.terms[0].key in _OPENING_WORDS:
                yield (*self.terms[place:], *self.terms[:place])

    @property
    def has_reaching_word(self) -> bool:
        """Return whether it has a word that could reach into what is joined to it."""
        return any(term.key in _REACHING_WORDS or term.kind is TermKind.SIGN for term in self.terms)


def _match_joined(line: _WordedSentence, known: Sequence[Statement]) -> list[Statement | None] | None:
    """Return the statements that a sentence joins with "and" around one subject; None where it says more."""
    plain = [
        (statement, own)
        for statement in known
        if not (own := _WordedSentence.from_statement(statement)).has_reaching_word and own.terms
    ]
    trail: list[Statement] = []
    rest, before = line.terms, None
    while rest:
        step = next(_next_matches(rest, line, plain, before), None)
        if step is None:
            return None
        statement, before, used = step
        trail.append(statement)
        rest = rest[used:]
    return [*trail] if len(trail) > 1 else None


def _next_matches(
    rest: Sequence[Term],
    line: _WordedSentence,
    known: Sequence[tuple[Statement, _WordedSentence]],
    before: _WordedSentence | None,
) -> Iterator[tuple[Statement, _WordedSentence, int]]:
    """Yield the statements that the rest of a sentence may go on with, longest first, and the terms each takes."""
    joint = 1 if before is not None and rest[0].key in _JOINING_WORDS else 0
    found = []
    for statement, own in known:
        for elided in range(_shared_prefix(own, before) + 1):
            part = own.terms[elided:]
            there = rest[joint : joint + len(part)]
            if part and (joint or not elided) and own.matches_terms(there, line, since=elided):
                found.append((statement, own, joint + len(part)))
    yield from sorted(found, key=lambda step: -step[2])


def _shared_prefix(line: _WordedSentence, before: _WordedSentence | None) -> int:
    """Return how many terms at the beginning may be left out, as the statement before it begins with them too."""
    if before is None:
        return 0
    same = 0
    for one, other in zip(line.terms, before.terms, strict=False):
        if one.key != other.key or one.kind not in (TermKind.WORD, TermKind.NAME) or one.dense:
            break
        same += 1
    return min(same, _MOST_ELIDED, len(line.terms) - 1)


# -- order


def _keeps_order(known: Sequence[Statement], matched: Sequence[Statement]) -> bool:
    """Return whether steps come in their order, and what points back comes right behind what it points to."""
    steps = [statement.number for statement in matched if statement.is_step]
    if any(later <= earlier for earlier, later in pairwise(steps)):
        return False
    befores: dict[Sense, set[Sense]] = {}
    for earlier, later in pairwise([None, *known]):
        if later is not None and _points_back(later):
            befores.setdefault(later.sense, set()).add(earlier.sense if earlier else ())
    return all(
        later is None or later.sense not in befores or (earlier.sense if earlier else ()) in befores[later.sense]
        for earlier, later in pairwise([None, *matched])
    )


def _points_back(statement: Statement) -> bool:
    if _is_whole(statement):
        return False
    terms = [term for term in significant_terms(statement.terms) if term.kind is not TermKind.SIGN]
    return len(terms) < _FEWEST_WORDS or any(term.key in REFERRING_WORDS for term in statement.terms)


# Have the model word what upkeep merged: taken where it says the same and no more, else the rules' text stands.

_LONGEST = 12_000  # characters; of a longer text no model gives all back
_FORM = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 2 * _LONGEST}},
    "required": ["text"],
}
_ABOUT_THE_TEXT: frozenset[Reason] = frozenset({"malformed", "oversized"})
"""After any other failure the next text would fare no better, and its time would be lost too."""


@dataclass(frozen=True, slots=True)
class WordingResult:
    """The text that stands, and what came of asking; the latter is empty where nobody was asked."""

    text: str
    note: str = ""
    failure: Failure | None = None


def reword_merges(result: RuleResult, snapshot: VaultSnapshot, ask: AskModel, *, seconds: float) -> RuleResult:
    """Return what the rules decided, with the merged texts as the model words them, as long as it answers."""
    texts: dict[str, WordingResult] = {}
    for made in _reworded_candidates(result, snapshot):
        found = reword_text(made.memory.body or "", ask, seconds=seconds)
        texts[made.memory.id] = found
        if found.failure is not None and found.failure.reason not in _ABOUT_THE_TEXT:
            break
    memories = (
        memory.with_changes(body=texts[memory.id].text) if memory.id in texts else memory for memory in result.memories
    )
    changes = (_with_wording(change, texts) if isinstance(change, PlannedNote) else change for change in result.changes)
    return replace(result, changes=tuple(changes), memories=tuple(memories))


def reword_text(text: str, ask: AskModel | None, *, seconds: float = 60.0) -> WordingResult:
    """Return a text as the model words it where it says the same and no more; else, and without a model, as it is."""
    if ask is None or not 0 < len(text) <= _LONGEST or strip_private(text) != text or leaks(text):
        return WordingResult(text)  # what would be taken out on the way would be missing from the answer
    found = ask(read_prompt("wording"), fence_texts([("The text", text)]), _FORM, seconds, purpose="wording of a merge")
    if isinstance(found, Failure):
        return WordingResult(text, f"the model gave no wording ({found.reason})", found)
    proposal = found.get("text") if isinstance(found, Mapping) else None
    if not isinstance(proposal, str):
        return WordingResult(
            text, "the model gave no wording (malformed)", Failure("malformed", "there is no text in it")
        )
    proposal = proposal.strip() + text[len(text.rstrip()) :]
    if against := find_objection(text, proposal):
        return WordingResult(text, f"the model's wording was not taken: {against}")
    return WordingResult(proposal, "worded by the model" if proposal != text else "")


def _reworded_candidates(result: RuleResult, snapshot: VaultSnapshot) -> Iterator[PlannedNote]:
    """Yield the merged memories whose text is nobody's own: what a source said whole already stays in its words."""
    bodies: dict[str, set[str]] = {}
    first = {memory.id: memory for memory in snapshot.memories}
    for memory in result.memories:
        into = memory.more.get("merged_into")
        if isinstance(into, str) and memory.id in first:
            bodies.setdefault(into, set()).add(snapshot.body(first[memory.id]).strip())
    for made in (change for change in result.changes if isinstance(change, PlannedNote)):
        own = bodies.get(made.memory.id, set())
        if RULE in made.about.rules and (made.memory.body or "").strip() not in own:
            yield made


def _with_wording(made: PlannedNote, texts: Mapping[str, WordingResult]) -> PlannedNote:
    found = texts.get(made.memory.id)
    if found is None or not found.note:
        return made
    return replace(made, memory=made.memory.with_changes(body=found.text), why=f"{made.why}; {found.note}")
