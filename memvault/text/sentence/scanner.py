"""Split a sentence into the pieces that terms are read from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import category, normalize

from memvault.text.sentence.days import DAY, DENSE_HALF, TIME, WEEKDAY
from memvault.text.sentence.wording import expand_contraction, word_set

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
_TURNS = word_set("but however although though aber sondern mais pero sino")


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
                clause += lower in _TURNS
                yield SentencePiece("word", said, start, end, lower, clause)
        elif form == "pause":
            clause += 1
        elif form != "symbol" or category(said)[0] == "S":
            yield SentencePiece(form, said, start, end, clause=clause)
