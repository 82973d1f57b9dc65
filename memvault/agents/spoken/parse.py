"""Which command a prompt holds: found at the beginning of a sentence, dropped where anything speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memvault.agents.spoken.at_work import (
    begins_as_task,
    holds_task,
    is_for_now,
    is_like_code,
    is_of_programs,
    is_of_somebody,
    is_placed,
    is_task,
    sets_role,
)
from memvault.agents.spoken.english import ENGLISH
from memvault.agents.spoken.intent import BY_NAME, Intent, Pause
from memvault.agents.spoken.objections import asks, asks_for_work, goes_on, is_reported, is_text_work, sets_to_work
from memvault.agents.spoken.other_languages import OTHERS
from memvault.agents.spoken.own import own_rules
from memvault.agents.spoken.prompt_text import Page, Sentence, folded, stretches
from memvault.agents.spoken.rule import Language, Rule, Takes, after, before, words
from memvault.text.dates.lengths import read_length

LANGUAGES = (ENGLISH, *OTHERS.values())

_CREATES = frozenset(("remember", "significant"))
_COURTESY = (
    r"(?:,? (?:please|pls|plz|thanks|thank you|bitte|danke|s'il te pla[iî]t|por favor|per favore|alsjeblieft))+"
    r"(?P<end>[.!…]*)$"
)
_COURTEOUS = r"\b(?:please|pls|for|you\s*[?？])"
_FEW_WORDS = 4
_DRESS = ",;-–— \t"


class _Match(NamedTuple):
    rule: Rule
    sentence: Sentence
    end: int  # of the command's words
    asked: bool  # it is asked for politely
    length: str
    until: str
    said: str  # what was said before the command's own words, where a language puts it there


class Heard(NamedTuple):
    """A command, and what was said around it, which is for the assistant."""

    intent: Intent
    rest: str


def read(prompt: str, *, phrases: Iterable[str] = ()) -> Intent | None:
    """The first command that a prompt holds; None where it holds none, or where that is not sure.

    `phrases` are a person's own: "remember = merk dir". They may be said in any language; ours are in nine.
    """
    found = hear(prompt, phrases=phrases)
    return None if found is None else found.intent


def hear(prompt: str, *, phrases: Iterable[str] = ()) -> Heard | None:
    """The first command that a prompt holds, and what else the prompt says."""
    languages = (*own_rules(tuple(phrases)), *LANGUAGES)
    low = folded(prompt)
    near = tuple(language for language in languages if language.may_be_in(low))
    return _first(Page.of(prompt), near) if near else None


def _first(page: Page, languages: tuple[Language, ...]) -> Heard | None:
    earlier: list[str] = []
    for sentence in page.sentences():
        said = page.plain[sentence.start : sentence.end]
        for match in _matches(page, sentence, languages):
            if (text := _argument(page, match, earlier)) is not None:
                return Heard(_made(match, text), _around(page, sentence, text))
        earlier.append(said)
    return None


def _around(page: Page, sentence: Sentence, text: str) -> str:
    """What a prompt says beside a command and what that is about."""
    end = sentence.end
    if text and (found := page.prompt.rfind(text, sentence.start)) >= 0:
        end = max(end, found + len(text))
    return f"{page.prompt[: sentence.start]}{page.prompt[end:]}".strip()


def _matches(page: Page, sentence: Sentence, languages: tuple[Language, ...]) -> Iterator[_Match]:
    for language in languages:
        opened = before(language).match(page.plain, sentence.start, sentence.end)
        led = [(sentence.start, False)]
        if opened and opened.end() > sentence.start:
            led.append((opened.end(), bool(opened["asked"])))
        for at, asked in led:
            for rule in _rules(page, language, at, sentence.end):
                if found := _found(page, language, rule, at, sentence.end):
                    yield _match(page, rule, sentence, found, asked=asked)


def _found(page: Page, language: Language, rule: Rule, start: int, end: int) -> re.Match[str] | None:
    found = words(rule).match(page.plain, start, end)
    if found is None or rule.takes is not Takes.NOTHING:
        return found
    return found if after(language).match(page.plain, found.end(), end) else None


def _rules(page: Page, language: Language, start: int, end: int) -> Iterator[Rule]:
    """The rules that the words at a place may be meant by."""
    for group in language.groups:
        begins = page.plain.startswith(group.begins, start, end)
        if begins and (not group.needs or any(word in page.plain[start:end] for word in group.needs)):
            yield from group.rules


def _match(page: Page, rule: Rule, sentence: Sentence, found: re.Match[str], *, asked: bool) -> _Match:
    groups = found.groupdict()
    said = page.prompt[found.start("said") : found.end("said")] if groups.get("said") else ""
    return _Match(rule, sentence, found.end(), asked, groups.get("span") or "", groups.get("until") or "", said)


def _made(match: _Match, text: str) -> Intent:
    made = BY_NAME[match.rule.intent](text)
    return Pause(read_length(match.length), made.session, match.until) if isinstance(made, Pause) else made


# -- what follows the command


def _argument(page: Page, match: _Match, earlier: list[str]) -> str | None:
    """What is meant by a command; None where something speaks against its being one."""
    if earlier and is_text_work(earlier[0]):
        return None
    if match.rule.weak and any(asks_for_work(said) or asks(said) for said in earlier):
        return None
    match match.rule.takes:
        case Takes.NOTHING:
            return _nothing(page, match, earlier)
        case Takes.TOPIC:
            topic = match.said or _tidy(page.prompt[match.end : match.sentence.end]).rstrip("?？。.! ")
            return topic or None
        case Takes.CLAUSE:
            return _clause(page, match)
        case Takes.TEXT:
            return _text(page, match)


def _nothing(page: Page, match: _Match, earlier: list[str]) -> str | None:
    """What stands behind a command that is complete in itself: nothing, or for a memory what is told next."""
    said = page.plain[match.sentence.start : match.sentence.end]
    is_question = asks(said)
    if match.rule.alone and (page.prompt[match.sentence.end :].strip() or _is_told(earlier)):
        return None
    if match.rule.intent not in _CREATES:
        return "" if not is_question or match.asked else None
    if is_question and not re.search(_COURTEOUS, said):  # "can you remember this?" may be about having a memory at all
        return None
    return match.said or _up_to_request(page, match.sentence.end, match.sentence.paragraph_end, first=False)


def _is_told(earlier: list[str]) -> bool:
    """Whether more than a few words came before."""
    return sum(len(said.split()) for said in earlier) > _FEW_WORDS


def _clause(page: Page, match: _Match) -> str | None:
    text, said = page.prompt[match.end : match.sentence.end], page.plain[match.end : match.sentence.end]
    if (asks(said) and not match.asked) or sets_to_work(said):
        return None
    if match.rule.weak and (_is_of_work(said) or (_is_worked_on(page, match) and not is_of_somebody(text, said))):
        return None
    return _tidy(text).rstrip("?？ ") or None


def _is_of_work(said: str) -> bool:
    """Whether a clause is a word on the work at hand by itself."""
    return holds_task(said) or is_placed(said) or is_for_now(said)


def _is_worked_on(page: Page, match: _Match) -> bool:
    """Whether the sentence behind it begins with a task."""
    rest = page.plain[match.sentence.end : match.sentence.paragraph_end].lstrip()
    return begins_as_task(rest) or asks_for_work(rest)


def _text(page: Page, match: _Match) -> str | None:
    plain = page.plain[match.end : match.sentence.line_end]
    if plain.strip():
        if is_reported(plain) or (match.rule.doubtful and _is_doubted(page.plain[match.end : match.sentence.end])):
            return None
        found = _up_to_request(page, match.end, match.sentence.paragraph_end, first=True)
    else:
        found = page.prompt[match.end : _end_of_block(page, match.end)].strip()
    return None if asks(found) or not any(map(str.isalnum, found)) else found


def _is_doubted(said: str) -> bool:
    """Whether what is told is a part of a program, or a word on the work at hand."""
    return is_like_code(said) or sets_role(said) or (holds_task(said) and is_of_programs(said))


def _up_to_request(page: Page, start: int, end: int, *, first: bool) -> str:
    """What is told from a place on, up to where something is asked for; a first sentence is told whatever it says."""
    last = start
    for number, (begin, stop) in enumerate(stretches(page.plain[start:end])):
        part = page.plain[start + begin : start + stop]
        is_asked_for = goes_on(part) or asks(part) or is_task(part) or (not first and asks_for_work(part))
        if is_asked_for and not (first and number == 0):
            break
        last = start + stop
    return _tidy(page.prompt[start:last])


def _end_of_block(page: Page, start: int) -> int:
    """Where the paragraph ends that begins behind a colon."""
    found = re.search(r"\S[ \t]*\n[ \t]*(?=\n)", page.plain[start:])
    return start + found.start() + 1 if found else len(page.prompt)


def _tidy(text: str) -> str:
    text = text.strip().strip(_DRESS).strip()
    return re.sub(_COURTESY, r"\g<end>", text).strip()
