"""Have a text reviewed before it is kept: by the model where there is one, by rules wherever it does not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from types import MappingProxyType

from memvault.memories.judges import JUDGES, Neighbour, is_trivial, nearest_of
from memvault.memories.verdict import SCHEMA, Answer, Outcome, Verdict, answer_of, consensus
from memvault.models.llm.ask import Ask, Failure, Scrub
from memvault.storage.vault.context import Bench

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
    from memvault.text.escape import one_line  # deferred, as what fences and scrubs

    return one_line(scrub(str(reason or "")))


def _redacted(text: str) -> str:
    from memvault.core.secrets.scan import redacted  # its patterns are many, and only needed where a model is asked

    return redacted(text)


def _prompt(text: str, nearest: Sequence[Neighbour], scrub: Scrub) -> str:
    """What every reviewer is shown; scrubbed before it is cut, as half a secret is known by no pattern."""
    from memvault.models.llm.fence import fenced  # it draws in the machine's cryptography

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
