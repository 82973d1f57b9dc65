"""Word a statement so that it stands alone, and make its title."""

from __future__ import annotations

import re

from memvault.text.statements import tables
from memvault.text.statements.judge import JOINTS, RULED, SURE, Judgement, is_log

LONGEST_TITLE = 60
_LEAST_TITLE = 30  # characters that a cut leaves
_LONGEST_QUOTE = 24  # characters; what is longer between quotation marks is somebody's text
_QUOTE = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」")
_FIRST_MARK = 0xE000  # of a range that no text uses
_TEXT_WORK = re.compile(
    r"^\W*(?:please |can you |could you |kannst du |ok )*"
    r"(?:translate|summari[sz]e|paraphrase|rewrite|proofread|rephrase|tidy|correct"
    r"|übersetze?|traduce|traduis\S*|traduci|traduz|fasse?|resume|résume)\b[^:\n]*[:\n]",
    re.IGNORECASE,
)


class QuoteMask:
    """A turn in which each long quotation is one sign, so that no sentence is taken from within it."""

    def __init__(self, text: str) -> None:
        self._quotes: list[str] = []
        said = _drop_logs(text)
        self.text = _QUOTE.sub(self._hide, said)
        lines = frozenset(said.split("\n"))
        self.dropped = tuple(line.strip() for line in text.split("\n") if line not in lines)  # lines of logs
        handed = _TEXT_WORK.match(self.text)
        self._handed = " ".join(self.text[handed.end() :].split()) if handed else ""

    def _hide(self, found: re.Match[str]) -> str:
        if len(found[0]) <= _LONGEST_QUOTE:
            return found[0]
        self._quotes.append(found[0])
        return chr(_FIRST_MARK + len(self._quotes) - 1)

    def restore(self, text: str) -> str:
        """Return a part of the text with its quotations."""
        for place, quote in enumerate(self._quotes):
            text = text.replace(chr(_FIRST_MARK + place), quote)
        return text

    def is_handed_over(self, sentence: str) -> bool:
        """Return whether a sentence belongs to a text that was handed over to be worked on."""
        return bool(self._handed) and sentence in self._handed


def _drop_logs(text: str) -> str:
    """Return a text without lines of logs, and without the paragraph that begins with one."""
    opening, _, rest = text.partition("\n\n")
    kept = rest if is_log(opening.split("\n", 1)[0]) and "\n" in opening else text
    return "\n".join(line for line in kept.split("\n") if not is_log(line.rstrip()))


_THIRD = r"it|it's|they|they're|them|those|these|that's|he|she|he's|she's|him"
_OPENS_BACK = re.compile(rf"(?:{_THIRD}|this|that (?:is|was|one))\b", re.IGNORECASE)
_MEANS_BEFORE = re.compile(rf"\b(?:{_THIRD}|ça|cela|die kann)\b(?! (?:when|if|that|comes)\b)", re.IGNORECASE)
_ONE_OF_THEM = re.compile(
    r"(?<!the )(?<!each )(?<!next )\bones?\b(?= (?:that|without|with|in)\b|[,.]|$)"
    r"|\b(?:them|those|otherwise|either|that (?:order|way))\b",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(r"(?:i|we|my|our|ich|wir|je|j'|no|yo|eu)\b|我", re.IGNORECASE)
_FEWEST_WORDS = 3
_LONGEST_JOINED = 80
_WORDS_TO_MEAN = 3  # with so many before it, a pronoun means one of them


def state_alone(sentence: str, found: Judgement, before: str, *, is_same_turn: bool) -> str:
    """Word a kept sentence so that it can be understood alone, with the one before it if need be; else empty."""
    stated = _strip_leads(sentence[found.start : found.end])
    if found.start and (_means_another(stated) or not _OWN_SUBJECT.match(stated)):
        stated = _strip_leads(sentence[: found.end])
    if found.start == 0 and is_same_turn and _ONE_OF_THEM.search(stated) and len(stated) < _LONGEST_JOINED:
        return _finish(f"{before.strip()} {stated}")
    if not is_hanging(stated) or found.sureness == RULED:
        return _finish(stated)
    part = _strip_leads(sentence[found.says : found.end])
    if found.says and not is_hanging(part):
        return _finish(part)
    is_worth_it = found.sureness > SURE and len(before.split()) >= _FEWEST_WORDS
    return _finish(f"{before.strip()} {sentence.strip()}") if is_worth_it else ""


def _means_another(stated: str) -> bool:
    return is_hanging(stated) or _ONE_OF_THEM.search(stated) is not None


def is_hanging(sentence: str) -> bool:
    """Return whether a sentence means something that was said before it."""
    bare = tables.LEADS.sub("", sentence.lower())
    found = _MEANS_BEFORE.search(bare)
    return _OPENS_BACK.match(bare) is not None or (
        found is not None and len(bare[: found.start()].split()) < _WORDS_TO_MEAN
    )


def _strip_leads(text: str) -> str:
    found = tables.LEADS.match(text.strip().lower())
    bare = re.sub(
        rf"^(?:(?:it )?turns out (?:that )?|(?:{JOINTS}) )",
        "",
        text.strip()[found.end() if found else 0 :],
        flags=re.IGNORECASE,
    )
    return bare.strip(" ,;:-–—")


def _finish(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(" ,;")


_TITLE_LEADS = re.compile(
    r"^(?:i (?:think|believe|guess|mean) (?:that )?|(?:it )?turns out (?:that )?"
    r"|(?:please )?note that |please know that |agreed: |todo: |remember that )",
    re.IGNORECASE,
)
_TITLE_CUTS = (
    re.compile(r"[.!?。！？]\s*(?=\S)"),
    re.compile(r"[;:—–]\s|, (?=(?:but|so|because|and|which|who|since|as|not)\b)|，"),
    re.compile(r",\s| (?=(?:because|since|so|but|which|unless|when|if|while|where|weil|porque|parce)\b)"),
    re.compile(
        r" (?=(?:and|or|with|without|for|from|in|on|at|to|by|of|than|before|after|when|while|und|mit|y|con|et|avec)\b)"
    ),
    re.compile(r" "),
)


def make_title(text: str) -> str:
    """Make a title of what a statement says: whole clauses of it, at most sixty characters."""
    line = _TITLE_LEADS.sub("", " ".join(text.split())).strip(" .。;:,!")
    for cut in _TITLE_CUTS:
        if len(line) <= LONGEST_TITLE:
            break
        ends = [found.start() for found in cut.finditer(line) if _LEAST_TITLE <= found.start() <= LONGEST_TITLE]
        line = line[: ends[-1]].rstrip(" .,;:—–") if ends else line
    line = line[:LONGEST_TITLE]
    return f"{line[:1].upper()}{line[1:]}"
