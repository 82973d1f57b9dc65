"""Cues in a prompt that warrant a search: many words, a question, a file, a time, a word of what was before."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from types import MappingProxyType

from memvault.text.terms import count_words

# Every prompt is tested, in a process that has just been started: so these are tables, not patterns to compile.

LONG = 10  # words
_LONGEST = 20_000  # characters that are looked at

_AROUND = ".,;:!()[]{}<>\"'`“”‘’„«»…*_、。，；：！（）「」『』"
_CLOSING = "\"'”’»)]*_!。」』）"


def _split_list(text: str, sign: str | None = None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(sign))


def _split_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_QUESTION_WORDS = _split_set(
    """
    what who whom whose when where why which how what's who's where's did does
    was wer wem wen wann wo warum wieso weshalb welche welcher welches welchen wie
    qui quoi quand où pourquoi comment quel quelle quels quelles
    qué quién quiénes cuándo dónde cuál cuáles cómo
    cosa chi dove perché quale quali
    quem onde quando qual quais porquê
    wat wanneer waar waarom welke hoe
    """
)
# A question may be asked behind these.
_BEFORE_QUESTIONS = _split_set("so and but also ok okay hey please tell show remind me explain now")
_TIMES = _split_set(
    """
    yesterday earlier recently lately ago previously
    gestern vorgestern neulich kürzlich vorhin damals
    hier avant-hier récemment auparavant
    ayer anteayer recientemente ieri recentemente ontem anteontem recentemente gisteren eergisteren onlangs
    """
)
_UNITS = _split_list(
    """
    night time week month year session summer winter spring autumn fall monday tuesday wednesday thursday friday
    saturday sunday
    """
)
_TIME_PHRASES = (
    *(f"last {unit}" for unit in _UNITS),
    *_split_list(
        """
    the other day / this morning / a while back / la dernière fois / tout à l'heure / la última vez / letzte woche /
    letzten monat / letztes jahr / letztes mal / letzte nacht / letzte sitzung / la semaine dernière /
    le mois dernier / l'année dernière / la semana pasada / el mes pasado / hace poco / el año pasado /
    settimana scorsa / mese scorso / anno scorso / l'ultima volta / semana passada / mês passado / ano passado /
    vorige week / vorige maand / vorige keer / afgelopen week
    """,
        "/",
    ),
)
_MEMORIES = _split_set(
    """
    remember recall remembered again previous usual
    erinnere erinnerst erinnern wieder nochmal nochmals
    rappelle rappelles souviens recuerda recuerdas recuerdo ricorda ricordi ricordo lembra lembras lembro weer onthoud
    """
)
_MEMORY_PHRASES = _split_list(
    """
    as before / as always / as discussed / as agreed / like before / we decided / we agreed / we discussed /
    we talked / we said / we chose / we tried / did we / i told / i said / i mentioned / you said / you told /
    you mentioned / you suggested / you wrote / my preference / my preferences / my favourite / my favorite /
    we left / left off / wie immer / wie besprochen / wie üblich / wie zuletzt / wir haben / wir hatten /
    comme d'habitude / comme avant / comme convenu / on avait / nous avions / como siempre / como antes / otra vez /
    habíamos / come sempre / come prima / como sempre / zoals altijd
    """,
    "/",
)
# "As we did before", but not "test before pushing" and "before the release".
_AFTER_BEFORE = _split_set("the a an you it we i they he she my your our each every any")
_DENSE_QUESTIONS = _split_list("什么 什麼 谁 誰 哪 怎么 怎麼 为什么 為什麼 吗 嗎 何 どこ いつ なぜ どう ですか ますか")
_DENSE_TIMES = _split_list("昨天 前天 上周 上週 上次 上个月 上個月 去年 刚才 剛才 昨日 先週 先月 前回 さっき この前")
_DENSE_MEMORIES = _split_list("记得 記得 上回 以前 之前 覚えて 前に いつもの")

_ENDINGS = _split_set(
    """
    py pyi js jsx ts tsx mjs cjs go rs rb php java kt swift c h cc cpp hpp cs sh zsh ps1 md mdx rst txt json jsonl toml
    yaml yml xml html htm css scss sql csv tsv ini cfg conf env lock log ipynb tex pdf doc docx xls xlsx png jpg jpeg
    svg vue lua ex exs hs ml scala dart gradle proto tf db sqlite
    """
)
_FILE_NAMES = _split_set("makefile dockerfile readme changelog jenkinsfile gemfile procfile")


CUES: Mapping[str, str] = MappingProxyType(
    {"question": "a question", "file": "a file", "time": "a time", "before": "what was before"}
)
"""The sorts of cue that can be switched off, each with what it is called."""


def find_cue(prompt: str, *, words: int = LONG, without: Container[str] = ()) -> str:
    """Return what in a prompt warrants a search; empty for "yes, go on". More than `words` words do, unless it is 0."""
    text = prompt[:_LONGEST].lower().replace("’", "'")
    return next((name for name, holds in _check_cues(text, words) if holds and name not in without), "")


def _check_cues(text: str, most: int) -> Iterator[tuple[str, bool]]:
    """Yield each sort of cue and whether it is there, the cheapest test first."""
    pieces = text.split()
    yield "a question", any(piece.rstrip(_CLOSING).endswith(("?", "？", "؟")) for piece in pieces) or "？" in text
    counted, dense = count_words(text)  # where words have no spaces, two characters are one
    yield "many words", 0 < most < counted + dense / 2
    cleaned = [piece.strip(_AROUND) for piece in pieces]
    line = f" {' '.join(cleaned)} "
    first = next((word for word in cleaned if word not in _BEFORE_QUESTIONS), "")
    yield "a question", first in _QUESTION_WORDS or _contains_mark(text, _DENSE_QUESTIONS)
    yield "a file", any(map(_is_file, cleaned))
    yield (
        "a time",
        any(map(_is_time, cleaned)) or _contains_phrase(line, _TIME_PHRASES) or _contains_mark(text, _DENSE_TIMES),
    )
    is_told = any(word in _MEMORIES for word in cleaned) or _speaks_of_before(cleaned)
    yield "what was before", is_told or _contains_phrase(line, _MEMORY_PHRASES) or _contains_mark(text, _DENSE_MEMORIES)


def _speaks_of_before(words: Sequence[str]) -> bool:
    return any(
        word == "before" and not (after in _AFTER_BEFORE or after.endswith("ing") or after[:1].isdecimal())
        for word, after in zip(words, (*words[1:], ""), strict=False)
    )


def _contains_phrase(line: str, phrases: tuple[str, ...]) -> bool:
    return any(f" {phrase} " in line for phrase in phrases)


def _contains_mark(text: str, marks: tuple[str, ...]) -> bool:
    return not text.isascii() and any(mark in text for mark in marks)


def _is_time(word: str) -> bool:
    year, _, rest = word.partition("-")
    is_date = len(year) == 4 and year.isdecimal() and rest.replace("-", "").isdecimal()
    return word in _TIMES or is_date


def _is_file(word: str) -> bool:
    if "://" in word or "@" in word.partition("/")[0]:
        return False
    path = word.replace("\\", "/")
    if path.startswith(("~/", "./", "../")) or (path.startswith("/") and len(path) > 2) or path[1:3] == ":/":
        return True
    name, _, ending = path.rpartition("/")[2].rpartition(".")
    is_named = bool(name) and ending in _ENDINGS
    return is_named or path in _FILE_NAMES or path.count("/") > 1 or (path.endswith("/") and len(path) > 2)
