"""The clauses of a text, each a thing that it says, and the text without one of them, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memvault.text.sentence.terms import AFTER_NAMES
from memvault.text.sentence.wording import word_set

_SENTENCE = re.compile(r"[^\s].*?(?:[.!?…](?=\s|$)|[。！？]|(?=\n)|$)", re.DOTALL)
_ABBREVIATED = re.compile(r"(?:\b(?i:mr|mrs|ms|dr|prof|st|no|nr|e\.g|i\.e|etc|vs|z\.b)|(?<=\s)[A-Z])\.$")
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_JOINT = re.compile(
    r"\s*;\s+|\s*,\s+(?:(?:and|but|or|und|aber|oder|et|mais|y|pero)\s+)?|\s+(?:and|but|und|aber|et|mais|y|pero)\s+"
)
_CONTRARY = word_set("but aber mais pero")
_PRONOUNS = word_set("he she it they we i you er sie es ich wir il elle on nous él ella")
_SUBJECTS = _PRONOUNS | word_set(
    "the a an my your his her its our their this that there der die das ein eine",
    "le la les l un une mon ma son sa el los las una su mi",
)
_VERBS = AFTER_NAMES | word_set("are were have do may am been sind haben sont ont son están toca va")
_PHRASE = 3  # words that stand behind an article without a verb
_EXPLAINING = word_set("because since so which who that weil denn car parce porque que where when while if unless")


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a text says: where it stands, and the sentence or item that it is part of."""

    start: int
    end: int
    sentence: tuple[int, int]


def split_clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text, in order; code and headings are none."""
    found: list[Clause] = []
    offset = 0
    is_code = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        is_fence = bare.startswith(("```", "~~~"))
        is_code ^= is_fence
        if bare and not (is_code or is_fence or bare.startswith(("#", "|", ">"))):
            bullet = _BULLET.match(line.lstrip())
            start = offset + len(line) - len(line.lstrip()) + (bullet.end() if bullet else 0)
            for first, last in _split_sentences(text, start, offset + len(line.rstrip())):
                found += [Clause(*span, (first, last)) for span in _split_sentence(text, first, last)]
        offset += len(line)
    return tuple(found)


def _split_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    pending = start
    for found in _SENTENCE.finditer(text, start, end):
        if found.end() < end and _ABBREVIATED.search(text[pending : found.end()]):
            continue
        if text[pending : found.end()].strip():
            yield pending + len(text[pending : found.end()]) - len(text[pending : found.end()].lstrip()), found.end()
        pending = found.end()
    if text[pending:end].strip():
        yield pending + len(text[pending:end]) - len(text[pending:end].lstrip()), end


def _split_sentence(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a sentence: what stands by itself or has a verb between its commas and joining words."""
    stop = end - len(text[start:end]) + len(text[start:end].rstrip(" .!?…。！？"))
    joints = [found.span() for found in _JOINT.finditer(text, start, stop)]
    begin = start
    for first, last in joints:
        after = text[last : min((span[0] for span in joints if span[0] >= last), default=stop)]
        if text[begin:first].strip() and _stands_alone(after):
            yield begin, first
            begin = last
    yield begin, stop


def _stands_alone(part: str) -> bool:
    """Return whether what stands behind a comma or "and" is a clause, with a verb of its own."""
    words = [word.strip("'’,.").casefold() for word in part.split()]
    if len(words) < 2 or words[0] in _EXPLAINING:
        return False
    first, *rest = words
    if first in _VERBS or (part[0].islower() and first.endswith("s") and len(first) > 3 and first not in _SUBJECTS):
        return True
    if first in _PRONOUNS or (first in _SUBJECTS and len(words) > _PHRASE):
        return True
    has_verb = any(word in _VERBS or (word.endswith(("s", "t", "ed")) and len(word) > 3) for word in rest)
    return has_verb if first in _SUBJECTS or part[0].isupper() else len(words) > 2


def remove_clause(text: str, clause: Clause) -> str | None:
    """Return the text without a clause, all else word for word; None where the rest would lack its subject."""
    first, last = clause.sentence
    siblings = [each for each in split_clauses(text) if each.sentence == clause.sentence]
    place = next(number for number, each in enumerate(siblings) if each.start == clause.start)
    if len(siblings) == 1:
        return _remove_span(text, first, last)
    if place == len(siblings) - 1:
        return text[: siblings[place - 1].end] + text[clause.end :]
    after = siblings[place + 1]
    if place == 0:
        following = text[after.start : after.end].split()[0].strip("'’,").casefold()
        has_subject = following in _SUBJECTS or text[after.start].isupper()
        return text[: clause.start] + text[after.start :] if has_subject else None
    own, next_joint = text[siblings[place - 1].end : clause.start], text[clause.end : after.start]
    if own.strip(" ,").casefold() in _CONTRARY:
        joint = own
    else:
        joint = next_joint if "," in next_joint or ";" in next_joint else f", {next_joint.lstrip()}"
    return text[: siblings[place - 1].end] + joint + text[after.start :]


def _remove_span(text: str, start: int, end: int) -> str:
    """Return the text without a sentence, and without its line or bullet where nothing else stands there."""
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = text[line:start], text[end:line_end]
    if not after.strip() and (not before.strip() or _BULLET.fullmatch(before.lstrip())):
        return text[:line] + text[line_end + 1 :]
    return text[:start] + text[end:].lstrip(" ") if after.strip() else text[:start].rstrip(" ") + text[end:]
