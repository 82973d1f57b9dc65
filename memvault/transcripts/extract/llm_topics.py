"""Segment and label a conversation with a model; the rules fill in what it does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memvault.core.conversation import Fact, Trajectory, Turn
from memvault.models.llm.ask import AskModel, Failure, fence_texts, read_prompt
from memvault.text.keyword_spelling import Spellings, normalize_keyword, same_keyword
from memvault.transcripts.extract.labels import label_segments
from memvault.transcripts.extract.llm import scrub_text, stops_asking
from memvault.transcripts.extract.segments import LONGEST, continued_turns, segment_turns, split_sittings
from memvault.transcripts.extract.topic_terms import text_terms

_SECONDS_TO_COMPARE, _SECONDS_TO_LABEL = 20.0, 30.0  # for an answer
_BEFORE, _AFTER = 3, 2  # turns shown around the boundary
_SHOWN_OF_A_TURN = 700
_SAME_TOPIC = {"type": "object", "properties": {"same_topic": {"type": "boolean"}}, "required": ["same_topic"]}

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
_JOINERS = "\u200c\u200d"  # invisible, but many languages need them
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


# -- segments


def segment_with_model(turns: Sequence[Turn], facts: Sequence[Fact], ask: AskModel | None) -> tuple[Trajectory, ...]:
    """Segment turns by topic as a model decides, pair by pair; an invalid answer means the same topic.

    Once the model cannot be asked any more, the rules segment the rest.
    """
    if ask is None:
        return segment_turns(turns, facts)
    judge = _TopicJudge(turns, ask)
    found: list[Trajectory] = []
    for first, end in split_sittings(turns):
        firm = continued_turns(turns, facts, first, end)
        begin = first
        for at in range(first + 1, end):
            if stops_asking(judge.failure):
                return (*found, *_segment_by_rules(turns, facts, begin, len(turns)))
            if at not in firm and not judge.is_same(at, first, end):
                found += _split_long(turns, facts, begin, at)
                begin = at
        found += _split_long(turns, facts, begin, end)
    return tuple(found)


def _split_long(turns: Sequence[Turn], facts: Sequence[Fact], begin: int, end: int) -> Iterator[Trajectory]:
    """Yield a segment, or the rules' segments of one that is too long."""
    if end - begin <= LONGEST:
        yield Trajectory(first=begin, last=end - 1)
    else:
        yield from _segment_by_rules(turns, facts, begin, end)


def _segment_by_rules(turns: Sequence[Turn], facts: Sequence[Fact], begin: int, end: int) -> Iterator[Trajectory]:
    for one in segment_turns(turns[begin:end], facts):
        yield replace(one, first=one.first + begin, last=one.last + begin)


class _TopicJudge:
    """A model that is asked about one boundary after the other."""

    def __init__(self, turns: Sequence[Turn], ask: AskModel) -> None:
        self._turns, self._ask = turns, ask
        self._instructions = read_prompt("same-topic")
        self.failure: Failure | None = None

    def is_same(self, at: int, first: int, end: int) -> bool:
        """Return whether a turn continues the topic before it; in doubt it does."""
        parts = (
            ("Before the mark", range(max(first, at - _BEFORE), at)),
            ("The turn behind the mark", range(at, at + 1)),
            ("After it", range(at + 1, min(end, at + 1 + _AFTER))),
        )
        texts = [
            (title, _join_turns(self._turns[places.start : places.stop], _SHOWN_OF_A_TURN)) for title, places in parts
        ]
        shown = fence_texts([(title, text) for title, text in texts if text])
        answer = self._ask(self._instructions, shown, _SAME_TOPIC, _SECONDS_TO_COMPARE, purpose="same topic")
        if isinstance(answer, Failure):
            self.failure = answer
            return True
        return not (isinstance(answer, Mapping) and answer.get("same_topic") is False)


def _join_turns(turns: Sequence[Turn], most: int) -> str:
    # Scrubbed before they are cut, as no pattern finds half a secret.
    return "\n\n".join(f"{turn.speaker or turn.role or 'somebody'}: {scrub_text(turn.text)[:most]}" for turn in turns)


# -- names


def label_with_model(
    turns: Sequence[Turn],
    facts: Sequence[Fact],
    trajectories: Sequence[Trajectory],
    ask: AskModel | None,
    *,
    known: Mapping[str, int],
) -> tuple[Trajectory, ...]:
    """Label each segment with the line and keywords of a model, where the turns support them; else by the rules."""
    failure: Failure | None = None
    spellings = Spellings(known)
    found: list[Trajectory] = []
    for one in label_segments(turns, facts, trajectories, known=known):
        label = None
        if ask is not None and not stops_asking(failure):
            whole = _join_turns(turns[one.first : one.last + 1], _SHOWN_OF_A_LONG_TURN)
            half = _SHOWN // 2
            text = scrub_text(whole if len(whole) <= _SHOWN else f"{whole[:half]}\n\n…\n\n{whole[-half:]}")
            shown = fence_texts([("The stretch", text), ("Known keywords", ", ".join(_likely_keywords(text, known)))])
            answer = ask(read_prompt("label"), shown, _LABEL, _SECONDS_TO_LABEL, purpose="label of a topic")
            failure = answer if isinstance(answer, Failure) else failure
            label = _accept_label(answer, text, spellings)
        for word in label[1] if label else one.keywords:
            spellings.add(word)
        found.append(one if label is None else replace(one, summary=label[0], keywords=label[1]))
    return tuple(found)


def _likely_keywords(text: str, known: Mapping[str, int]) -> list[str]:
    """Return the known keywords that may fit: those that share a word with the text, then the most used."""
    terms_of_text = text_terms(text).keys()
    return sorted(known, key=lambda word: (terms_of_text.isdisjoint(text_terms(word)), -known[word], word))[
        :_KNOWN_SHOWN
    ]


def _accept_label(answer: object, text: str, known: Spellings) -> tuple[str, tuple[str, ...]] | None:
    """Return the line and keywords of an answer, where the text supports them."""
    match answer:
        case {"summary": str(summary), "keywords": list(words)} if all(isinstance(word, str) for word in words):
            line = scrub_text(summary).strip()
            terms = text_terms(line).keys()
            is_supported = 2 * len(terms & text_terms(text).keys()) >= len(terms) > 0
            has_its_numbers = set(_NUMBER.findall(line)) <= set(_NUMBER.findall(text))
            fits = len(line) <= _LONGEST_SUMMARY and _is_one_line(line)
            line = line if fits and is_supported and has_its_numbers else ""
            keywords = _check_keywords(words, text, known)
            return (line, keywords) if line and keywords else None
        case _:
            return None


def _is_one_line(text: str) -> bool:
    return all(char.isprintable() or char in _JOINERS for char in text)


def _check_keywords(words: Sequence[str], text: str, known: Spellings) -> tuple[str, ...]:
    """Return the keywords in their known spelling; none where they are too few, too many or mostly invented."""
    chosen: list[str] = []
    grounded = 0
    terms_of_text = text_terms(text).keys()
    for word in words:
        name = normalize_keyword(word)
        if not name or len(name) > _LONGEST_KEYWORD or not _is_one_line(name) or scrub_text(word) != word:
            return ()
        if len(re.split(r"[\s-]+", name)) > _MOST_WORDS or "," in name:
            return ()
        if not any(same_keyword(name, other) for other in chosen):
            chosen.append(known.settle(name))
            grounded += not terms_of_text.isdisjoint(text_terms(name)) or bool(known.find_exact(name))
    return tuple(chosen) if _FEWEST <= len(chosen) <= _MOST and 2 * grounded >= len(chosen) else ()
