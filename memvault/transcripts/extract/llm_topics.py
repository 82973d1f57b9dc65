"""Have a model divide a conversation into topics and name them; whatever it does not give, the rules do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memvault.core.conversation import Fact, Trajectory, Turn
from memvault.core.secrets.private_spans import strip_private
from memvault.models.llm.ask import AskModel, Failure, fence_texts
from memvault.models.llm.prompts import read_prompt
from memvault.text.spelling import Spellings, normalize_keyword, same_keyword
from memvault.transcripts.extract.chunks import redact_text, stops_asking
from memvault.transcripts.extract.topics import label_segments, segment_turns
from memvault.transcripts.extract.topics.boundaries import continued_turns
from memvault.transcripts.extract.topics.segments import LONGEST, split_sittings
from memvault.transcripts.extract.topics.terms import text_terms

Scrub = Callable[[str], str]

_BEFORE, _AFTER = 3, 2  # so many turns around the place in question are shown
_SHOWN_OF_A_TURN = 700
_SAME_TOPIC = {
    "type": "object",
    "properties": {"same_topic": {"type": "boolean"}},
    "required": ["same_topic"],
}

_SHOWN, _SHOWN_OF_A_LONG_TURN = 12_000, 1_500
_KNOWN_SHOWN = 40
_LONGEST_SUMMARY, _LONGEST_KEYWORD, _MOST_WORDS = 100, 40, 4
_FEWEST, _MOST = 2, 5
_LABEL = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1, "maxLength": 2 * _LONGEST_SUMMARY},
        "keywords": {"type": "array", "minItems": 1, "maxItems": 2 * _MOST, "items": {"type": "string"}},
    },
    "required": ["summary", "keywords"],
}
_JOINERS = "\u200c\u200d"  # nobody sees them, and words of many languages are not written without
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


# -- the same topic, or another


@dataclass(frozen=True, slots=True)
class TopicsResult:
    """The stretches of a conversation, and why the model was not heard to the end."""

    trajectories: tuple[Trajectory, ...]
    failure: Failure | None = None


def segment_with_model(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    ask: AskModel | None,
    *,
    seconds: float = 20.0,
    scrub: Scrub = redact_text,
) -> TopicsResult:
    """The stretches on one topic as a model tells them, pair by pair; an answer that is none means the same topic.

    Once the model cannot be asked any more, the rules divide the rest.
    """
    if ask is None:
        return TopicsResult(segment_turns(turns, facts), Failure("none", "no language model is configured"))
    judge = _TopicJudge(turns, ask, seconds, scrub)
    found: list[Trajectory] = []
    for first, end in split_sittings(turns):
        firm = continued_turns(turns, facts, first, end)
        begin = first
        for at in range(first + 1, end):
            if stops_asking(judge.failure):
                return TopicsResult((*found, *_segment_by_rules(turns, facts, begin, len(turns))), judge.failure)
            if at not in firm and not judge.is_same(at, first, end):
                found += _split_long(turns, facts, begin, at)
                begin = at
        found += _split_long(turns, facts, begin, end)
    return TopicsResult(tuple(found), judge.failure)


def _split_long(turns: Sequence[Turn], facts: Sequence[Fact], begin: int, end: int) -> Iterator[Trajectory]:
    """One stretch, or where it is too long to be read in one go, those that the rules make of it."""
    if end - begin <= LONGEST:
        yield Trajectory(first=begin, last=end - 1)
    else:
        yield from _segment_by_rules(turns, facts, begin, end)


def _segment_by_rules(turns: Sequence[Turn], facts: Sequence[Fact], begin: int, end: int) -> Iterator[Trajectory]:
    for one in segment_turns(turns[begin:end], facts):
        yield replace(one, first=one.first + begin, last=one.last + begin)


class _TopicJudge:
    """The model, asked about one place of a conversation after the other."""

    def __init__(self, turns: Sequence[Turn], ask: AskModel, seconds: float, scrub: Scrub) -> None:
        self._turns = turns
        self._ask = ask
        self._seconds = seconds
        self._scrub = scrub
        self._instructions = read_prompt("same-topic")
        self.failure: Failure | None = None

    def is_same(self, at: int, first: int, end: int) -> bool:
        """Whether a turn goes on with the topic before it; in doubt it does."""
        parts = (
            ("Before the mark", range(max(first, at - _BEFORE), at)),
            ("The turn behind the mark", range(at, at + 1)),
            ("After it", range(at + 1, min(end, at + 1 + _AFTER))),
        )
        asked = fence_texts([(title, "\n\n".join(map(self._turn_prompt, places))) for title, places in parts if places])
        answer = self._ask(self._instructions, asked, _SAME_TOPIC, self._seconds, purpose="same topic")
        if isinstance(answer, Failure):
            self.failure = answer
            return True
        return not (isinstance(answer, Mapping) and answer.get("same_topic") is False)

    def _turn_prompt(self, place: int) -> str:
        return _turn_text(self._turns[place], self._scrub, _SHOWN_OF_A_TURN)


def _turn_text(turn: Turn, scrub: Scrub, most: int) -> str:
    # Scrubbed before it is cut, as half a secret is known by no pattern.
    return f"{turn.speaker or turn.role or 'somebody'}: {scrub(strip_private(turn.text))[:most]}"


# -- names


@dataclass(frozen=True, slots=True)
class LabelsResult:
    """Stretches with their names, how many answers were not taken, and why the model was not heard to the end."""

    trajectories: tuple[Trajectory, ...]
    refused: int = 0
    failure: Failure | None = None


def label_with_model(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    trajectories: Sequence[Trajectory],
    ask: AskModel | None,
    *,
    known: Mapping[str, int],
    seconds: float = 30.0,
    scrub: Scrub = redact_text,
) -> LabelsResult:
    """Each stretch with the line and keywords that a model gives, where its turns bear them out; else by the rules."""
    failure = Failure("none", "no language model is configured") if ask is None else None
    spellings = Spellings(known)
    found: list[Trajectory] = []
    refused = 0
    for one in label_segments(turns, facts, trajectories, known=known):
        taken = None
        if ask is not None and not stops_asking(failure):
            text = scrub(_segment_text(turns[one.first : one.last + 1], scrub))
            shown = fence_texts([("The stretch", text), ("Known keywords", ", ".join(_likely_keywords(text, known)))])
            answer = ask(read_prompt("label"), shown, _LABEL, seconds, purpose="label of a topic")
            failure = answer if isinstance(answer, Failure) else failure
            taken = _accept_label(answer, text, spellings, scrub)
            refused += taken is None
        for word in taken[1] if taken else one.keywords:
            spellings.add(word)
        found.append(one if taken is None else replace(one, summary=taken[0], keywords=taken[1]))
    return LabelsResult(tuple(found), refused, failure)


def _segment_text(turns: Sequence[Turn], scrub: Scrub) -> str:
    """A stretch as it is shown: of one that is too long its beginning and its end."""
    lines = [_turn_text(turn, scrub, _SHOWN_OF_A_LONG_TURN) for turn in turns]
    whole = "\n\n".join(lines)
    half = _SHOWN // 2
    return whole if len(whole) <= _SHOWN else f"{whole[:half]}\n\n…\n\n{whole[-half:]}"


def _likely_keywords(text: str, known: Mapping[str, int]) -> list[str]:
    """The known keywords that may fit: those that share a word with the text, then those that are used most."""
    said = text_terms(text).keys()
    return sorted(known, key=lambda word: (said.isdisjoint(text_terms(word)), -known[word], word))[:_KNOWN_SHOWN]


def _accept_label(answer: object, text: str, known: Spellings, scrub: Scrub) -> tuple[str, tuple[str, ...]] | None:
    """The line and keywords of an answer, where the text bears them out."""
    match answer:
        case {"summary": str(summary), "keywords": list(words)} if all(isinstance(word, str) for word in words):
            line = _check_summary(summary, text, scrub)
            keywords = _check_keywords(words, text, known, scrub)
            return (line, keywords) if line and keywords else None
        case _:
            return None


def _check_summary(summary: str, text: str, scrub: Scrub) -> str:
    """The summary as one line; empty where it will not do."""
    line = scrub(strip_private(summary).strip())
    terms = text_terms(line).keys()
    is_borne_out = 2 * len(terms & text_terms(text).keys()) >= len(terms) > 0
    numbers = set(_NUMBER.findall(line)) <= set(_NUMBER.findall(text))
    fits = len(line) <= _LONGEST_SUMMARY and _is_one_line(line)
    return line if fits and is_borne_out and numbers else ""


def _is_one_line(text: str) -> bool:
    return all(char.isprintable() or char in _JOINERS for char in text)


def _check_keywords(words: Sequence[str], text: str, known: Spellings, scrub: Scrub) -> tuple[str, ...]:
    """The keywords in the spelling that stands, each once; none where they are too few, too many or mostly invented."""
    chosen: list[str] = []
    grounded = 0
    said = text_terms(text).keys()
    for word in words:
        name = normalize_keyword(word)
        if not name or len(name) > _LONGEST_KEYWORD or not _is_one_line(name) or scrub(word) != word:
            return ()
        if len(re.split(r"[\s-]+", name)) > _MOST_WORDS or "," in name:
            return ()
        if not any(same_keyword(name, other) for other in chosen):
            chosen.append(known.settle(name))
            grounded += not said.isdisjoint(text_terms(name)) or bool(known.find_exact(name))
    return tuple(chosen) if _FEWEST <= len(chosen) <= _MOST and 2 * grounded >= len(chosen) else ()
