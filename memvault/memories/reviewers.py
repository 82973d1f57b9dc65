"""Have a text reviewed before it is kept: by the model where there is one, by rules wherever it does not answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import fsum
from queue import Empty, SimpleQueue
from threading import Thread
from types import MappingProxyType
from typing import Literal

from memvault.core.query import NO_FILTERS
from memvault.core.secrets.private_spans import strip_private, strip_private_values
from memvault.core.similarity.verdict import find_differences, text_similarity
from memvault.errors import BadInput
from memvault.models.llm.ask import AskModel, Failure, Scrub
from memvault.recall.ranking.question import query_words
from memvault.storage.vault.context import VaultContext
from memvault.text.terms import STOPWORDS, split_tokens

TRIVIAL_VOTES = 2
"""So many reviewers who call a text trivial have it rejected."""

LEAST_IMPORTANCE = 4.0
LEAST_RELEVANCE = 5.0
LEAST_NOVELTY = 4.0
"""Below these means a text is rejected, or (novelty) taken as an update of what is known."""

LEAST_OF_ONE = 3.0
"""The importance from which the word of a single reviewer is enough."""

UNKNOWN_IMPORTANCE = 5.0
"""What a text is stored with of which nobody said how important it is."""

LEAST_WEIGHT = 0.4

_LONGEST_REASON = 200

SCORES = ("importance", "relevance", "novelty")

SCHEMA: Mapping[str, object] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            **{score: {"type": "number", "minimum": 0, "maximum": 10} for score in SCORES},
            "trivial": {"type": "boolean"},
            "reason": {"type": "string"},
        },
        "required": ["reason"],
    }
)
"""The form of every reviewer's answer; what a reviewer does not judge is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """What one reviewer says: scores from 0 to 10, None for what it does not judge."""

    by: str
    importance: float | None = None
    relevance: float | None = None
    novelty: float | None = None
    trivial: bool | None = None
    reason: str = ""

    def journal_entry(self) -> dict[str, object]:
        """Return the answer without what was left out, as it is journaled."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None and value != ""}


def parse_answer(by: str, given: Mapping[str, object]) -> ReviewAnswer:
    """Return a reviewer's answer from values that fit the schema."""
    scores = {name: given.get(name) for name in SCORES}
    trivial = given.get("trivial")
    reason = " ".join(str(given.get("reason") or "").split())
    return ReviewAnswer(
        by=by,
        trivial=trivial if isinstance(trivial, bool) else None,
        reason=reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 1] + "…",
        **{name: float(score) for name, score in scores.items() if isinstance(score, int | float)},
    )


Outcome = Literal["store", "update", "reject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a text, why, and the weight that it is stored with."""

    outcome: Outcome
    reason: str
    importance: float = UNKNOWN_IMPORTANCE

    @property
    def weight(self) -> float:
        """Return a tenth of the importance, and never so little that it would fade at once."""
        return round(max(LEAST_WEIGHT, self.importance / 10), 6)


# The means below which a text is rejected or taken as an update, and in what words that is told; the first one counts.
_LEAST_MEANS: tuple[tuple[str, float, Outcome, str], ...] = (
    ("importance", LEAST_IMPORTANCE, "reject", "it is of little importance ({})"),
    ("relevance", LEAST_RELEVANCE, "reject", "it is of little use later on ({})"),
    ("novelty", LEAST_NOVELTY, "update", "most of it is known already (novelty {})"),
)


def combine_answers(answers: Sequence[ReviewAnswer], *, trivial: bool = False) -> Verdict:
    """Return the verdict that follows from the answers; `trivial` is what the rules say if nobody answered."""
    if len(answers) > 1:
        return _joint_verdict(answers)
    if answers:
        importance = UNKNOWN_IMPORTANCE if answers[0].importance is None else answers[0].importance
        return Verdict(
            outcome="store" if importance >= LEAST_OF_ONE else "reject",
            reason=f"the only reviewer who answered gives it importance {importance:g}",
            importance=importance,
        )
    if trivial:
        return Verdict(outcome="reject", reason="no reviewer answered, and by the rules it is trivial")
    return Verdict(outcome="store", reason="no reviewer answered, and nothing speaks against it")


def _joint_verdict(answers: Sequence[ReviewAnswer]) -> Verdict:
    votes = sum(answer.trivial is True for answer in answers)
    means = {name: _mean_score([getattr(answer, name) for answer in answers]) for name in SCORES}
    importance = UNKNOWN_IMPORTANCE if means["importance"] is None else means["importance"]
    if votes >= TRIVIAL_VOTES:
        reason = f"{votes} of {len(answers)} reviewers call it trivial"
        return Verdict(outcome="reject", reason=reason, importance=importance)
    for name, least, outcome, reason in _LEAST_MEANS:
        if (mean := means[name]) is not None and mean < least:
            return Verdict(outcome=outcome, reason=reason.format(f"{round(mean, 1):g}"), importance=importance)
    reason = f"{len(answers)} reviewers agree that it is worth keeping"
    return Verdict(outcome="store", reason=reason, importance=importance)


def _mean_score(scores: Sequence[float | None]) -> float | None:
    """Return the mean of the scores that were given; None where none was."""
    given = [score for score in scores if score is not None]
    return fsum(given) / len(given) if given else None  # exact, so that their order decides nothing


# Reviewers that need no model: what a text's own words, and the memories nearest to it, say of its worth.

_LONGEST_READ = 4_000  # characters: what a text is about, it says by then
_PLAIN_SCORE = 5.0  # what a text scores that nothing speaks for or against
_DIFFERING_NOVELTY = 4.5  # the novelty of a text that says almost the same, but another number, date or name


@dataclass(frozen=True, slots=True)
class ReviewNeighbor:
    """One of the memories nearest to a text: its id, its title and what it says."""

    id: str
    title: str
    text: str


# What speaks for a text or against it: by how much, in what words that is told, and a pattern. A pattern with capital
# letters in it heeds the case.
_IMPORTANT = r"""
2.0 it is called important: \b(important|crucial|critical|essential|significant|remember (this|that))\b
2.0 it is a rule: \b(always|never|must|mustn't|required?|mandatory|forbidden|do not|don't ever)\b
2.0 it is a decision: \b(decided|decision|chose|chosen|agreed|settled on|opted|approved|rejected)\b
2.0 it is a preference: \b(prefers?|likes?|loves?|hates?|dislikes?|favou?rite|allergic|avoids?)\b
2.0 it is a lesson: \b(learne?[dt]|lesson|turns? out|root cause|because|caused by|the fix|gotcha|pitfall)\b
1.5 it is a commitment: \b(deadline|due|promised|appointment|renew|until|by (mon|tues|wednes|thurs|fri)day)\b
1.5 it is about a person: \b(birthday|married|daughter|son|wife|husband|lives in|works (at|for|as)|born)\b
1.0 it is exact: \d{2,}|https?://|`[^`]+`|[/\\]\w+[/\\]|\b[A-Z]{2,}-\d+\b
-2.0 it is of the moment: \b(right now|just now|at the moment|brb|one sec|hold on|let me (see|check|try))\b
-2.5 it is small talk: \b(good (morning|night)|how are you|haha+|lol|you're welcome|no worries|have a nice)\b
"""

_USEFUL = r"""
1.5 it holds beyond today: \b(always|usually|every (time|day|week|month)|whenever|prefers?|uses|lives)\b
1.5 it says how something is done: (?m)^\s*\d+[.)] |\b(steps?|first|then|install|in order to|how to)\b
1.0 it gives a reason: \b(because|since|so that|therefore|due to|as a result)\b
1.0 it names what it is about: (?<=\w )[A-Z][a-z]+\b|`[^`]+`|\b[\w-]+\.(py|md|js|ts|go|rs|toml|json)\b
-2.5 it is output of a tool: (?m)^(Traceback|\s+at \S+\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\$ )
-2.0 it only asks: \A[^.!\n]{0,200}\?\s*\Z
-1.5 it points to what is not in it: \A(it|this|that|these|those|they|he|she)\b(?! is (my|our|the))
-2.0 it asks the assistant for something: \A(please |can you |could you |would you )
"""

_FILLER_WORDS = """
ok okay k thanks thank thx ty cool great nice good fine sure yep yeah yup nope nah right alright done got
perfect awesome sounds exactly indeed hmm hm uh um oh wow haha lol hi hello hey bye please sorry welcome worries
danke bitte gut ja nein genau merci oui non gracias vale sí grazie si obrigado sim
"""
_FILLER = frozenset(_FILLER_WORDS.split())


def is_trivial(text: str) -> bool:
    """Return whether a text tells next to nothing: filler, or not two words with a meaning."""
    words = split_tokens(text[:_LONGEST_READ])
    telling = {word for word in words if word not in STOPWORDS and word not in _FILLER and any(map(str.isalnum, word))}
    # A script without spaces comes in pieces of one or two characters: its words cannot be counted like this.
    return len(telling) < (2 if text.isascii() else 1)


def rate_importance(text: str, _nearest: Sequence[ReviewNeighbor] = ()) -> ReviewAnswer:
    """Return how much depends on it that a text is not forgotten, by what its words give away."""
    score, reason = _score_signs(text, _IMPORTANT)
    return ReviewAnswer(by="importance", importance=score, trivial=is_trivial(text), reason=reason)


def rate_relevance(text: str, _nearest: Sequence[ReviewNeighbor] = ()) -> ReviewAnswer:
    """Return how likely a text is of use in a later conversation, where it has to stand on its own."""
    score, reason = _score_signs(text, _USEFUL)
    return ReviewAnswer(by="relevance", relevance=score, trivial=is_trivial(text), reason=reason)


def rate_novelty(text: str, nearest: Sequence[ReviewNeighbor] = ()) -> ReviewAnswer:
    """Return how much a text says that the memories nearest to it do not say."""
    alike, closest = find_nearest(text, nearest)
    score = 10 * (1 - alike)
    reason = f"{alike:.0%} of it is known already" if alike else "nothing like it is known"
    if closest and find_differences(closest.text[:_LONGEST_READ], text[:_LONGEST_READ]):
        score = max(score, _DIFFERING_NOVELTY)
        reason = "it says otherwise than what is known"
    return ReviewAnswer(by="novelty", novelty=round(score, 1), trivial=is_trivial(text), reason=reason)


def find_nearest(text: str, nearest: Sequence[ReviewNeighbor]) -> tuple[float, ReviewNeighbor | None]:
    """Return how alike the most alike of some memories is, from 0 to 1, and which one it is; the first of equals."""
    ranked = [
        (text_similarity(neighbour.text[:_LONGEST_READ], text[:_LONGEST_READ]), neighbour) for neighbour in nearest
    ]
    return max(ranked, key=lambda pair: pair[0], default=(0.0, None))


RuleReviewer = Callable[[str, Sequence[ReviewNeighbor]], ReviewAnswer]

RULE_REVIEWERS: Mapping[str, RuleReviewer] = MappingProxyType(
    {"importance": rate_importance, "relevance": rate_relevance, "novelty": rate_novelty}
)
"""The twin, by rules, of each reviewer that memvault has."""


def _score_signs(text: str, table: str) -> tuple[float, str]:
    """Return what the signs in a text add up to, and the one that speaks loudest."""
    found: list[tuple[float, str]] = []
    for row in table.strip().splitlines():
        sign, _, pattern = row.partition(": ")
        points, _, reason = sign.partition(" ")
        if re.search(pattern, text[:_LONGEST_READ], 0 if "[A-Z]" in pattern else re.IGNORECASE):
            found.append((float(points), reason))
    # Nothing in a text of another language is a sign: it is taken as a plain one, which is kept.
    score = min(10.0, max(0.0, _PLAIN_SCORE + sum(points for points, _ in found)))
    return score, max(found, key=lambda sign: abs(sign[0]), default=(0.0, "nothing speaks for or against it"))[1]


_TEXT_SHOWN, _MEMORY_SHOWN, _MEMORIES_SHOWN = 12_000, 2_000, 5
_GRACE = 1.0  # seconds; a model keeps to its time by itself, and one that did not is not waited for
_LONGEST_ANSWERS = 2_500  # bytes of reasons in the journal, whose lines must be one write each

ReviewReply = ReviewAnswer | Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewResult:
    """The verdict on a text, what each reviewer said, and for whom of them the model did not answer."""

    verdict: Verdict
    answers: tuple[ReviewAnswer, ...]
    failures: Mapping[str, Failure]
    updates: str = ""  # the id of the memory that already says most of it, where the outcome is an update

    @property
    def outcome(self) -> Outcome:
        """Return what becomes of the text."""
        return self.verdict.outcome


def review_text(
    context: VaultContext,
    text: str,
    nearest: Sequence[ReviewNeighbor],
    ask: AskModel | None,
    *,
    id: str = "",  # noqa: A002 - as the journal has it
    scrub: Scrub | None = None,
    reviewers: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> ReviewResult:
    """Have a text reviewed side by side, and journal the verdict; nothing is stored or changed by it."""
    if reviewers is None and ask is not None:
        from memvault.models.llm.ask import read_reviewers  # read from files, and only where a model is told them

        reviewers = read_reviewers()
    instructions = dict.fromkeys(RULE_REVIEWERS, "") if reviewers is None else reviewers
    failures: dict[str, Failure] = {}
    answers: list[ReviewAnswer] = []
    for name, reply in _ask_reviewers(context, text, nearest, ask, instructions, scrub).items():
        if not isinstance(reply, Failure):
            answers.append(reply)
            continue
        failures[name] = reply
        if name in RULE_REVIEWERS:  # for one that somebody added there are no rules
            answers.append(RULE_REVIEWERS[name](text, nearest))
    verdict = combine_answers(answers, trivial=is_trivial(text))
    _, closest = find_nearest(text, nearest) if verdict.outcome == "update" else (0.0, None)
    if verdict.outcome == "update" and closest is None:
        verdict = Verdict(
            outcome="store", reason="there is no memory that it could update", importance=verdict.importance
        )
    reviewed = ReviewResult(
        verdict=verdict,
        answers=tuple(answers),
        failures=MappingProxyType(dict(failures)),
        updates=closest.id if closest else "",
    )
    if not dry_run:
        _journal_verdict(context, reviewed, id)
    return reviewed


# -- asking


def _ask_reviewers(
    context: VaultContext,
    text: str,
    nearest: Sequence[ReviewNeighbor],
    ask: AskModel | None,
    instructions: Mapping[str, str],
    scrub: Scrub | None,
) -> dict[str, ReviewReply]:
    if ask is None:
        return dict.fromkeys(instructions, Failure("none", "no language model is configured"))
    from memvault.core.secrets.scan import redact_secrets  # its patterns are many, and needed only here
    from memvault.text.display import to_one_line

    clean = scrub or redact_secrets
    prompt = _review_prompt(text, nearest, clean)
    seconds = context.settings.number("model.review_seconds")

    def ask_reviewer(name: str) -> ReviewReply:
        purpose = f"review: {name}"
        found = ask(instructions[name], prompt, SCHEMA, seconds, purpose=purpose)
        if isinstance(found, Failure):
            return found
        if not isinstance(found, Mapping):
            return Failure("malformed", "it is no object")
        # What a model made up is shown without secrets or terminal codes.
        return parse_answer(name, {**found, "reason": to_one_line(clean(str(found.get("reason") or "")))})

    return _run_parallel(tuple(instructions), ask_reviewer, patience=seconds + _GRACE)


def _review_prompt(text: str, nearest: Sequence[ReviewNeighbor], scrub: Scrub) -> str:
    """Return what every reviewer is shown; scrubbed before it is cut, as half a secret is known by no pattern."""
    from memvault.models.llm.ask import fence_texts  # it draws in the machine's cryptography

    memories = [
        (f"A memory that is there already ({number})", scrub(f"{memory.title}\n\n{memory.text}")[:_MEMORY_SHOWN])
        for number, memory in enumerate(nearest[:_MEMORIES_SHOWN], start=1)
    ]
    return fence_texts([("The text to be judged", scrub(text)[:_TEXT_SHOWN]), *memories])


def _run_parallel(
    names: Sequence[str], one: Callable[[str], ReviewReply], *, patience: float
) -> dict[str, ReviewReply]:
    """Return each reviewer's reply, all asked at once; whoever is not back in time is not waited for."""
    replies: SimpleQueue[tuple[str, ReviewReply]] = SimpleQueue()

    def carry_out(name: str) -> None:
        try:
            replies.put((name, one(name)))
        except Exception as error:  # one reviewer's trouble is not the others'
            replies.put((name, Failure("failed", f"the reviewer broke down ({type(error).__name__})")))

    for name in names:
        Thread(target=carry_out, args=(name,), daemon=True).start()
    found: dict[str, ReviewReply] = dict.fromkeys(names, Failure("late", "the reviewer was not back in time"))
    for _ in names:
        try:
            name, reply = replies.get(timeout=patience)
        except Empty:
            break
        found[name] = reply
    return found


# -- the journal


def _journal_verdict(context: VaultContext, reviewed: ReviewResult, id_: str) -> None:
    """Keep the verdict, without the text; an unwritable vault is no reason to fail a review."""
    about = reviewed.updates or id_
    records = [answer.journal_entry() for answer in reviewed.answers]
    if sum(len(str(record.get("reason", "")).encode()) for record in records) > _LONGEST_ANSWERS:
        records = [{name: value for name, value in record.items() if name != "reason"} for record in records]
    entry: dict[str, object] = {
        "e": "verdict",
        **({"id": about} if about else {}),
        "outcome": reviewed.outcome,
        "answers": records,
        **({"session": context.actor.session} if context.actor.session else {}),
    }
    context.vault.try_journal([entry], context.now)


# Hear what the reviewers say of a text, and store nothing.

_NEAREST = 5


def review_only(context: VaultContext, text: str) -> ReviewResult:
    """Return what would become of a text that had been picked up by itself, and what each reviewer says of it."""
    cleaned = strip_private_values(text).strip()
    if not cleaned:
        raise BadInput(what="the text", value=text, reason="there is nothing in it to judge")
    context.refresh()
    ask, nearest = context.ask_model(), find_neighbors(context, cleaned)
    return review_text(context, cleaned, nearest, ask, reviewers=context.reviewers(), dry_run=True)


def find_neighbors(context: VaultContext, text: str) -> tuple[ReviewNeighbor, ...]:
    """Return the memories that are nearest to a text by their words."""
    found = context.index.search(query_words(text), filters=NO_FILTERS, limit=_NEAREST)
    memories = (hit.memory for hit in found)
    return tuple(ReviewNeighbor(one.id, one.title, strip_private(context.read_text(one))) for one in memories)
