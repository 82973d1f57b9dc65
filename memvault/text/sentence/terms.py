"""The terms of a sentence: words, amounts, dates, versions, paths, names, signs; and which of them are names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple
from unicodedata import category, normalize

from memvault.text.sentence.quantity import DAY, DENSE_HALF, TIME, WEEKDAY, Quantity, StatedDate
from memvault.text.sentence.wording import expand_contraction, word_set
from memvault.text.terms import STOPWORDS


class TermKind(Enum):
    """The kinds of term, and of difference between two texts."""

    WORD = "word"
    SIGN = "sign"
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    VERSION = "version"
    PATH = "path"
    NAME = "name"
    UNIT = "unit"
    NEGATION = "negation"
    ANTONYM = "antonym"
    STATE = "state"
    QUANTIFIER = "quantifier"
    ORDER = "order"


# Named tuples here and in the scanner: a text has hundreds, and they are made in half the time of a dataclass.
class Term(NamedTuple):
    """One or more words of a sentence that mean one thing; equal keys mean the same."""

    kind: TermKind
    key: str
    text: str
    value: Quantity | StatedDate | None = None
    capital: bool = False  # written with a capital
    dense: bool = False  # in a script without spaces
    clause: int = 0  # which part of the sentence, as commas and the like divide it


# Which words of a sentence are names: those with a capital that the place does not account for.

_LEAST_PREFIX = 6  # Kubern(etes), Postgre(SQL), Germany and German
_SHORTEST_ABBREVIATION, _LONGEST_ABBREVIATION = 3, 6

OPENINGS = word_set(
    "use prefer avoid run keep write add make check set put start stop ask tell call send open close save read test",
    "build deploy merge push pull install remove delete update change move copy create enable disable allow deny",
    "restart release review commit rebase squash format lint store cache log monitor retry wait remember note todo",
    "never always usually often sometimes rarely only both each every most many several few everyone nobody nothing",
    "everything someone since after before when while until unless because although though however therefore first",
    "then next finally also instead currently today tomorrow yesterday now later soon here there yes no not new old",
)
"""What a sentence that names nobody begins with, where the word is not a function word anyway."""

AFTER_NAMES = word_set(
    "is was has had will can could should would may must does did likes loves hates prefers wants needs uses owns runs",
    "works lives leads manages said says thinks knows joined left moved wrote writes asked told met called sent drinks",
    "eats speaks plays drives teaches studies reports approved rejected decided agreed requires supports provides",
    "hat ist war wird kann mag wohnt arbeitet leitet est a aime habite travaille dirige es tiene vive trabaja",
)
"""What stands behind a name that opens a sentence."""

_TITLES = word_set("herr frau dr prof mr mrs ms mme monsieur madame señor señora don doña")
_HONOURED = re.compile(
    r"([\u3400-\u9fff]{1,4}|[\u30a1-\u30ff]{2,8})(?:さん|様|さま|氏|君|くん|ちゃん|先生|女士|老师|老師|经理)"
)

_GERMAN = word_set("der die das und ist nicht ein eine mit für auf wird werden im am zu dem den von sich auch wir")
_GERMAN_ENOUGH = 2


def is_german(terms: Sequence[Term]) -> bool:
    """Return whether a sentence is German, where a capital makes a noun and not a name."""
    return sum(term.key in _GERMAN for term in terms) >= _GERMAN_ENOUGH


def find_names(terms: Sequence[Term], others: Sequence[Term]) -> dict[str, Term]:
    """Return the names in a sentence by their keys, each with its term; the other sentence helps to tell."""
    if not any(term.capital or term.dense or term.kind is TermKind.NAME for term in terms):
        return {}
    known = {term.key for term in (*terms[1:], *others[1:]) if term.capital}
    common = {term.key for term in (*terms, *others) if term.kind is TermKind.WORD and not term.capital}
    found: dict[str, Term] = {}
    for place, term in enumerate(terms):
        if term.kind is TermKind.NAME:
            found[term.key] = term
        elif term.dense:
            found |= dict.fromkeys(_HONOURED.findall(term.key), term)
        elif term.capital and not (term.key in common or term.key in STOPWORDS) and _is_name(terms, place, known):
            found[term.key] = term
    return found


def _is_name(terms: Sequence[Term], place: int, known: set[str]) -> bool:
    """Return whether the capital of a word makes it a name, and not the start of a sentence or German."""
    term = terms[place]
    if place:
        before = terms[place - 1]
        return not is_german(terms) or before.capital or before.key in _TITLES
    if term.key in OPENINGS or len(terms) == 1:
        return False
    following = terms[1]
    is_subject = following.text.casefold() in AFTER_NAMES or term.text.endswith("'s")
    return is_subject or (not is_german(terms) and (term.key in known or following.capital))


def unmatched_names(mine: dict[str, Term], others: dict[str, Term], theirs: Sequence[Term]) -> list[Term]:
    """Return the names that the other sentence has in no form, spelled otherwise or as initials."""
    if not mine:
        return []
    said = {term.key for term in theirs} | others.keys() | set(_find_initials(theirs))
    said |= {key.casefold() for key in said}
    is_spelled_out = bool(others.keys() & set(_find_initials([*mine.values()])))
    return [
        term
        for key, term in mine.items()
        if key not in said
        and key.casefold() not in said
        and not is_spelled_out
        and not set(key.strip("[]").split()) <= said
        and not any(_is_short_form(key, other) for other in said)
    ]


def _is_short_form(left: str, right: str) -> bool:
    short, long = sorted((left, right), key=len)
    return len(short) >= _LEAST_PREFIX and long.startswith(short) and short.isalpha()


def _find_initials(terms: Sequence[Term]) -> Iterator[str]:
    """Yield the abbreviations of runs of capitals: New York City is NYC."""
    for start in range(len(terms)):
        for end in range(start + 1, min(start + _LONGEST_ABBREVIATION, len(terms)) + 1):
            if not terms[end - 1].capital:
                break
            if end > start + _SHORTEST_ABBREVIATION - 1:
                yield "".join(term.key[0] for term in terms[start:end])


# The pieces of a sentence, from which terms are read.

# Scripts that do not put spaces where others do: Thai, Lao, Burmese, Khmer, Han, kana, Hangul.
_DENSE = (
    "\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u31f0-\u31ff"
    "\u3400-\u9fff\ua960-\ua97f\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Letters of scripts with spaces: in "30秒" the number ends where the other script begins.
_LETTER = rf"[^\W\d_{_DENSE}]"
_BEFORE = rf"(?<![^\W{_DENSE}])"
_AFTER = rf"(?![^\W{_DENSE}])"
_EXTENSIONS = (
    "md|txt|py|js|mjs|ts|tsx|jsx|json|jsonl|ya?ml|toml|ini|cfg|conf|env|sh|bash|zsh|ps1|bat|exe|dll|so|go|rs|java|kt|c|h"
    "|cpp|hpp|cs|rb|php|pl|lua|sql|csv|tsv|xml|html?|css|scss|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34]|wav|zip"
    "|tar|gz|tgz|log|lock|db|sqlite|ipynb|tex|bib|key|pem|crt|service|plist|canvas|base"
)
_PATHS = (
    r"(?<![\w/.:~])(?:~|\.{1,2})?/[\w.@%+*~=/-]*[\w*/]",
    rf"{_BEFORE}[A-Za-z]:\\[^\s\"'`<>|]*[\w*\\]",
    r"\\\\[\w.$-]+\\[^\s\"'`<>|]*[\w*\\]",
    rf"{_BEFORE}[\w.@-]+(?:/[\w.@%+*=-]+){{1,}}/[\w.@%+*=-]*[\w*]/?",
    rf"{_BEFORE}[\w.-]+/[\w.-]*\w\.[a-z]\w{{0,7}}{_AFTER}",
    rf"{_BEFORE}(?:\*|[\w-]+)(?:\.[\w-]+)*\.(?:{_EXTENSIONS}){_AFTER}(?!\.\w)",
    r"(?<![\w.)/])\.[a-z][\w-]+(?:\.[\w-]+)*",
    rf"{_BEFORE}(?:[\w.-]+/)+(?=[\s,;).]|$)",
)
_VERSIONS = (
    rf"{_BEFORE}[vV]\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|dev|post|pre)[-.]?\d*)?{_AFTER}",
    rf"{_BEFORE}\d+(?:\.\d+){{2,}}(?:[-+][A-Za-z][\w.]*\w)?{_AFTER}",
    rf"{_BEFORE}\d+(?:\.\d+)*\.[xX*](?!\w)",
    rf"{_BEFORE}\d+\.\d+(?:a|b|rc|alpha|beta)\d+{_AFTER}",
)
_IDENTIFIERS = (
    rf"{_BEFORE}[A-Z][A-Z0-9]*-\d+{_AFTER}|{_BEFORE}{_LETTER}+(?:-{_LETTER}+)*-\d+{_AFTER}",
    r"(?<!\w)[#@][\w-]*\w|(?<![\w-])--?[A-Za-z][\w-]*|\$[A-Z_]{2,}",
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{20,}",
    rf"{_BEFORE}(?:{_LETTER}\+\+|[A-Z]#)",
    rf"{_BEFORE}(?:[\w-]+\.)*[\w-]{{2,}}\.[a-z]{{2,}}{_AFTER}",
    rf"{_BEFORE}\w*[^\W_]_\w+",
    rf"{_BEFORE}\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?:[:/]\d+)?{_AFTER}",
)
_MONTHS = "Jan|Feb|Mar|Apr|Avr|May|Mai|Jun|Jul|Jui|Aug|Ago|Sep|Oct|Okt|Nov|Dec|Dez|Dic|Ene|Abr"
_GROUPS = r"\d{1,3}(?:[ '\u202f\u00a0]\d{3})+(?![\d.])|\d+(?:[.,]\d+)*"
_FORMS = {
    "plain": rf"(?:[a-z]++|(?!{_MONTHS})[A-Z][a-z]++)(?=[ ,;!?)]|\.?(?:\s|$))",  # most words by far, found at once
    "blob": rf"[^\s{_DENSE}]{{400,}}",  # nothing to be read in it, and slow to try
    "code": r"``[^\n]+?``|`[^`\n]+`",
    "address": r"(?:(?:https?|ftp|file|ssh|git|obsidian)://|www\.)[^\s<>\"'`)\]|]*[^\s<>\"'`)\]|.,;:!?]"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "link": r"\[\[[^\[\]\n]+\]\]",
    "sign": r"\[[ xX]\](?=\s)|~~|!=|<=|>=|->|=>|<-|==|&&|\|\||[?<>=+&]|~(?=\d)|(?<=\s)[*/^](?=\s)",
    "date": rf"{_BEFORE}(?i:{DAY})|{WEEKDAY}",
    "time": rf"{_BEFORE}{TIME}",
    "path": "|".join(_PATHS),
    "identifier": "|".join((_IDENTIFIERS[-1], *_IDENTIFIERS[:-1])),
    "version": "|".join(_VERSIONS),
    "number": rf"(?:[$€£¥]\s?)?(?:(?<![\w.,)-])[-−+])?{_BEFORE}(?:{_GROUPS})(?:\s?(?:%|°[CF]?|[€£¥]|\$(?!\w)))?",
    "word": rf"{_LETTER}(?:[^\W_{_DENSE}]|'(?={_LETTER}))*",
    "dense": rf"(?:(?!{WEEKDAY}|{DENSE_HALF}\d)[{_DENSE}])+",
    "pause": r"[,;:()—–、，；：]|\.(?=\s)",
    "symbol": r"[^\w\s\x00-\x7f]",
}
# The spaces go with what follows: tried by themselves they would cost as much as a word.
_SCANNER = re.compile(r"\s*+(?:" + "|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items()) + ")")

_EMPHASIS = re.compile(
    r"(?P<code>`[^`\n]+`)|(?<![\w*_])(?P<mark>[*_]{1,3})(?=[^\s*_])(?P<text>.{1,400}?)(?<=[^\s*_])(?P=mark)(?![\w*_])",
    re.DOTALL,
)
_TYPOGRAPHY = str.maketrans(
    {**dict.fromkeys("‘’‛ʼ′´", "'"), **dict.fromkeys("“”„‟«»″", '"'), "‐": "-", "−": "-", "～": "~"}
)
_RAISED = str.maketrans({"²": "^2", "³": "^3", "½": " 1/2", "¼": " 1/4", "¾": " 3/4"})
_TURNING_WORDS = word_set("but however although though aber sondern mais pero sino")


class SentencePiece(NamedTuple):
    """A stretch of a sentence, by the form in which it is written."""

    form: str
    text: str
    start: int
    end: int
    lower: str = ""  # of a word: one of the words it stands for
    clause: int = 0


def clean_text(text: str) -> str:
    """Remove emphasis, and write signs that have several forms in one."""
    if not text.isascii():
        text = normalize("NFKC", text.translate(_RAISED)).translate(_TYPOGRAPHY)
    return _EMPHASIS.sub(_strip_emphasis, text) if "*" in text or "_" in text else text


def _strip_emphasis(found: re.Match[str]) -> str:
    return found["code"] or _EMPHASIS.sub(_strip_emphasis, found["text"])


def scan_pieces(text: str) -> Iterator[SentencePiece]:
    """Yield the pieces of a cleaned text; commas and the like only count the clauses."""
    clause = 0
    for found in _SCANNER.finditer(text):
        form = found.lastgroup or ""
        said, (start, end) = found[form], found.span(form)
        if form in ("plain", "word"):
            for lower in expand_contraction(said):
                clause += lower in _TURNING_WORDS
                yield SentencePiece("word", said, start, end, lower, clause)
        elif form == "pause":
            clause += 1
        elif form != "symbol" or category(said)[0] == "S":
            yield SentencePiece(form, said, start, end, clause=clause)
