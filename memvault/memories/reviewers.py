"""Have a text reviewed before it is kept: by the model where there is one, by rules wherever it does not answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from types import MappingProxyType

from memvault.core.query import ANY
from memvault.core.secrets.private_spans import cleaned, without_private
from memvault.core.similarity.differences import differences
from memvault.core.similarity.score import likeness
from memvault.errors import BadInput
from memvault.memories.verdict import SCHEMA, Answer, Outcome, Verdict, answer_of, consensus
from memvault.models.llm.ask import Ask, Failure, Scrub
from memvault.storage.vault.context import Bench
from memvault.text.terms import STOPWORDS, query_words, tokens

# Reviewers that need no model: what a text's own words, and the memories nearest to it, say of its worth.

_READ = 4_000  # characters: what a text is about, it says by then
_PLAIN = 5.0  # what a text scores that nothing speaks for or against
_DIFFERING = 4.5  # the novelty of a text that says almost the same, but another number, date or name


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One of the memories nearest to a text: its id, its title and what it says."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern that speaks for a text or against it, by how much, and in what words that is told."""

    points: float
    told: str
    pattern: str


_IMPORTANT: tuple[Sign, ...] = (
    Sign(2.0, "it is called important", r"\b(important|crucial|critical|essential|significant|remember (this|that))\b"),
    Sign(2.0, "it is a rule", r"\b(always|never|must|mustn't|required?|mandatory|forbidden|do not|don't ever)\b"),
    Sign(2.0, "it is a decision", r"\b(decided|decision|chose|chosen|agreed|settled on|opted|approved|rejected)\b"),
    Sign(2.0, "it is a preference", r"\b(prefers?|likes?|loves?|hates?|dislikes?|favou?rite|allergic|avoids?)\b"),
    Sign(
        2.0,
        "it is a lesson",
        r"\b(learne?[dt]|lesson|turns? out|root cause|because|caused by|the fix|gotcha|pitfall)\b",
    ),
    Sign(
        1.5,
        "it is a commitment",
        r"\b(deadline|due|promised|appointment|renew|until|by (mon|tues|wednes|thurs|fri)day)\b",
    ),
    Sign(
        1.5, "it is about a person", r"\b(birthday|married|daughter|son|wife|husband|lives in|works (at|for|as)|born)\b"
    ),
    Sign(1.0, "it is exact", r"\d{2,}|https?://|`[^`]+`|[/\\]\w+[/\\]|\b[A-Z]{2,}-\d+\b"),
    Sign(
        -2.0,
        "it is of the moment",
        r"\b(right now|just now|at the moment|brb|one sec|hold on|let me (see|check|try))\b",
    ),
    Sign(
        -2.5,
        "it is small talk",
        r"\b(good (morning|night)|how are you|haha+|lol|you're welcome|no worries|have a nice)\b",
    ),
)

_USEFUL: tuple[Sign, ...] = (
    Sign(
        1.5, "it holds beyond today", r"\b(always|usually|every (time|day|week|month)|whenever|prefers?|uses|lives)\b"
    ),
    Sign(1.5, "it says how something is done", r"(?m)^\s*\d+[.)] |\b(steps?|first|then|install|in order to|how to)\b"),
    Sign(1.0, "it gives a reason", r"\b(because|since|so that|therefore|due to|as a result)\b"),
    Sign(1.0, "it names what it is about", r"(?<=\w )[A-Z][a-z]+\b|`[^`]+`|\b[\w-]+\.(py|md|js|ts|go|rs|toml|json)\b"),
    Sign(-2.5, "it is output of a tool", r"(?m)^(Traceback|\s+at \S+\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\$ )"),
    Sign(-2.0, "it only asks", r"\A[^.!\n]{0,200}\?\s*\Z"),
    Sign(-1.5, "it points to what is not in it", r"\A(it|this|that|these|those|they|he|she)\b(?! is (my|our|the))"),
    Sign(-2.0, "it asks the assistant for something", r"\A(please |can you |could you |would you )"),
)

_SAID_IN_PASSING = """
ok okay k thanks thank thx ty cool great nice good fine sure yep yeah yup nope nah right alright done got
perfect awesome sounds exactly indeed hmm hm uh um oh wow haha lol hi hello hey bye please sorry welcome worries
danke bitte gut ja nein genau merci oui non gracias vale sí grazie si obrigado sim
"""
_FILLER = frozenset(_SAID_IN_PASSING.split())


def is_trivial(text: str) -> bool:
    """Whether a text tells next to nothing: filler, or not two words with a meaning."""
    words = tokens(text[:_READ])
    telling = {word for word in words if word not in STOPWORDS and word not in _FILLER and any(map(str.isalnum, word))}
    # A script without spaces comes in pieces of one or two characters: its words cannot be counted like this.
    return len(telling) < (2 if text.isascii() else 1)


def importance(text: str, _nearest: Sequence[Neighbour] = ()) -> Answer:
    """How much depends on it that a text is not forgotten, by what its words give away."""
    score, reason = _scored(text, _IMPORTANT)
    return Answer(by="importance", importance=score, trivial=is_trivial(text), reason=reason)


def relevance(text: str, _nearest: Sequence[Neighbour] = ()) -> Answer:
    """How likely a text is of use in a later conversation, where it has to stand on its own."""
    score, reason = _scored(text, _USEFUL)
    return Answer(by="relevance", relevance=score, trivial=is_trivial(text), reason=reason)


def novelty(text: str, nearest: Sequence[Neighbour] = ()) -> Answer:
    """How much a text says that the memories nearest to it do not say."""
    alike, closest = nearest_of(text, nearest)
    score = 10 * (1 - alike)
    reason = f"{alike:.0%} of it is known already" if alike else "nothing like it is known"
    if closest and differences(closest.text[:_READ], text[:_READ]):
        score = max(score, _DIFFERING)
        reason = "it says otherwise than what is known"
    return Answer(by="novelty", novelty=round(score, 1), trivial=is_trivial(text), reason=reason)


def nearest_of(text: str, nearest: Sequence[Neighbour]) -> tuple[float, Neighbour | None]:
    """How alike the most alike of some memories is, from 0 to 1, and which one it is; the first of equals."""
    ranked = [(likeness(neighbour.text[:_READ], text[:_READ]), neighbour) for neighbour in nearest]
    return max(ranked, key=lambda pair: pair[0], default=(0.0, None))


Judge = Callable[[str, Sequence[Neighbour]], Answer]

JUDGES: Mapping[str, Judge] = MappingProxyType({"importance": importance, "relevance": relevance, "novelty": novelty})
"""The twin, by rules, of each reviewer that memvault has."""


def _scored(text: str, signs: Sequence[Sign]) -> tuple[float, str]:
    """What the signs in a text add up to, and the one that speaks loudest."""
    read = text[:_READ]
    found = [sign for sign in signs if re.search(sign.pattern, read, re.IGNORECASE if _any_case(sign) else 0)]
    # Nothing in a text of another language is a sign: it is taken as a plain one, which is kept.
    score = min(10.0, max(0.0, _PLAIN + sum(sign.points for sign in found)))
    loudest = max(found, key=lambda sign: abs(sign.points), default=None)
    return score, loudest.told if loudest else "nothing speaks for or against it"


def _any_case(sign: Sign) -> bool:
    return "[A-Z]" not in sign.pattern


_TEXT_SHOWN, _MEMORY_SHOWN, _MEMORIES_SHOWN = 12_000, 2_000, 5
_GRACE = 1.0  # seconds; a model keeps to its time by itself, and one that did not is not waited for
_LONGEST_ANSWERS = 2_500  # bytes of reasons in the journal, whose lines must be one write each

Reply = Answer | Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """The verdict on a text, what each reviewer said, and for whom of them the model did not answer."""

    verdict: Verdict
    answers: tuple[Answer, ...]
    failures: Mapping[str, Failure]
    updates: str = ""  # the id of the memory that already says most of it, where the outcome is an update

    @property
    def outcome(self) -> Outcome:
        """What becomes of the text."""
        return self.verdict.outcome


def review(
    bench: Bench,
    text: str,
    nearest: Sequence[Neighbour],
    ask: Ask | None,
    *,
    id: str = "",  # noqa: A002 - as the journal has it
    scrub: Scrub | None = None,
    reviewers: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> Reviewed:
    """Have a text reviewed side by side, and journal the verdict; nothing is stored or changed by it."""
    instructions = _shipped(ask) if reviewers is None else reviewers
    failures: dict[str, Failure] = {}
    answers: list[Answer] = []
    for name, reply in _replies(bench, text, nearest, ask, instructions, scrub).items():
        if isinstance(reply, Failure):
            failures[name] = reply
        answer = _twin(name, text, nearest) if isinstance(reply, Failure) else reply
        answers += [answer] if answer else []
    reviewed = _reviewed(text, nearest, answers, failures)
    if not dry_run:
        _journal(bench, reviewed, id)
    return reviewed


def _shipped(ask: Ask | None) -> Mapping[str, str]:
    if ask is None:
        return dict.fromkeys(JUDGES, "")
    from memvault.models.llm.prompts import reviewers  # read from files, and only where somebody is to be told them

    return reviewers()


def _twin(name: str, text: str, nearest: Sequence[Neighbour]) -> Answer | None:
    """What the rules say in a reviewer's place; for reviewers that somebody added there are none."""
    judge = JUDGES.get(name)
    return judge(text, nearest) if judge else None


def _reviewed(
    text: str, nearest: Sequence[Neighbour], answers: Sequence[Answer], failures: Mapping[str, Failure]
) -> Reviewed:
    verdict = consensus(answers, trivial=is_trivial(text))
    _, closest = nearest_of(text, nearest) if verdict.outcome == "update" else (0.0, None)
    if verdict.outcome == "update" and closest is None:
        verdict = Verdict(
            outcome="store", reason="there is no memory that it could update", importance=verdict.importance
        )
    return Reviewed(
        verdict=verdict,
        answers=tuple(answers),
        failures=MappingProxyType(dict(failures)),
        updates=closest.id if closest else "",
    )


# -- asking


def _replies(
    bench: Bench,
    text: str,
    nearest: Sequence[Neighbour],
    ask: Ask | None,
    instructions: Mapping[str, str],
    scrub: Scrub | None,
) -> dict[str, Reply]:
    if ask is None:
        return dict.fromkeys(instructions, Failure("none", "no language model is configured"))
    clean = scrub or _redacted
    prompt = _prompt(text, nearest, clean)
    seconds = bench.settings.number("model.review_seconds")

    def one(name: str) -> Reply:
        purpose = f"review: {name}"
        found = ask(instructions[name], prompt, SCHEMA, seconds, purpose=purpose)
        if isinstance(found, Failure):
            return found
        if not isinstance(found, Mapping):
            return Failure("malformed", "it is no object")
        return answer_of(name, {**found, "reason": _harmless(found.get("reason"), clean)})

    return _side_by_side(tuple(instructions), one, patience=seconds + _GRACE)


def _harmless(reason: object, scrub: Scrub) -> str:
    """A model's words as they may be kept and shown: it may have made up a secret, or a message to the terminal."""
    from memvault.text.display import one_line  # deferred, as what fences and scrubs

    return one_line(scrub(str(reason or "")))


def _redacted(text: str) -> str:
    from memvault.core.secrets.scan import redacted  # its patterns are many, and only needed where a model is asked

    return redacted(text)


def _prompt(text: str, nearest: Sequence[Neighbour], scrub: Scrub) -> str:
    """What every reviewer is shown; scrubbed before it is cut, as half a secret is known by no pattern."""
    from memvault.models.llm.ask import fenced  # it draws in the machine's cryptography

    memories = [
        (f"A memory that is there already ({number})", scrub(f"{memory.title}\n\n{memory.text}")[:_MEMORY_SHOWN])
        for number, memory in enumerate(nearest[:_MEMORIES_SHOWN], start=1)
    ]
    return fenced([("The text to be judged", scrub(text)[:_TEXT_SHOWN]), *memories])


def _side_by_side(names: Sequence[str], one: Callable[[str], Reply], *, patience: float) -> dict[str, Reply]:
    """Each reviewer's reply, all asked at once; whoever is not back in time is not waited for."""
    replies: SimpleQueue[tuple[str, Reply]] = SimpleQueue()

    def carry_out(name: str) -> None:
        try:
            replies.put((name, one(name)))
        except Exception as error:  # one reviewer's trouble is not the others'
            replies.put((name, Failure("failed", f"the reviewer broke down ({type(error).__name__})")))

    for name in names:
        Thread(target=carry_out, args=(name,), daemon=True).start()
    found: dict[str, Reply] = dict.fromkeys(names, Failure("late", "the reviewer was not back in time"))
    for _ in names:
        try:
            name, reply = replies.get(timeout=patience)
        except Empty:
            break
        found[name] = reply
    return found


# -- the journal


def _journal(bench: Bench, reviewed: Reviewed, id_: str) -> None:
    """Keep the verdict, without the text; an unwritable vault is no reason to fail a review."""
    about = reviewed.updates or id_
    entry: dict[str, object] = {
        "e": "verdict",
        **({"id": about} if about else {}),
        "outcome": reviewed.outcome,
        "answers": _records(reviewed.answers),
        **({"session": bench.actor.session} if bench.actor.session else {}),
    }
    bench.vault.try_journal([entry], bench.now)


def _records(answers: Sequence[Answer]) -> list[dict[str, object]]:
    records = [answer.record() for answer in answers]
    if sum(len(str(record.get("reason", "")).encode()) for record in records) > _LONGEST_ANSWERS:
        return [{name: value for name, value in record.items() if name != "reason"} for record in records]
    return records


# Hear what the reviewers say of a text, and store nothing.

_NEAREST = 5


def opinion(bench: Bench, text: str, ask: Ask | None, *, reviewers: Mapping[str, str]) -> Reviewed:
    """What would become of a text that had been picked up by itself, and what each reviewer says of it."""
    said = cleaned(text).strip()
    if not said:
        raise BadInput(what="the text", value=text, reason="there is nothing in it to judge")
    bench.freshen()
    return review(bench, said, neighbours(bench, said), ask, reviewers=reviewers, dry_run=True)


def neighbours(bench: Bench, text: str) -> tuple[Neighbour, ...]:
    """The memories that are nearest to a text by their words."""
    found = bench.catalogue.search(query_words(text), filters=ANY, limit=_NEAREST)
    memories = (hit.memory for hit in found)
    return tuple(Neighbour(one.id, one.title, without_private(bench.text(one))) for one in memories)
