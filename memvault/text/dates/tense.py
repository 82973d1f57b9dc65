"""Whether the sentence around a place speaks of what was or of what is to come."""

from __future__ import annotations

from collections.abc import Sequence

from memvault.text.dates.calendar import Tense
from memvault.text.dates.tokens import Piece

_PAST_TEXT = """
was were wasn't weren't did didn't had hadn't went came saw met got gave took made said told knew thought felt found
left lost won bought brought taught caught sold sent spent built kept slept wrote read spoke broke chose drove ate
drank ran began swam sang flew grew threw wore held heard stood understood became paid put cut hurt led fell slid
shot done gone been seen taken given i've we've they've hat haben habe hast habt hatte hatten bin war
waren wurde wurden ging kam kamen sah traf trafen gab nahm fand blieb hemos han fue fui fuimos fueron
era estaba estuve estuvo estuvimos hice hizo hicimos tuve tuvo tuvimos vi vio vimos compré vino j'ai avons
avez ont était étais étions étaient avait avais avions
"""
_PAST = frozenset(_PAST_TEXT.split())
_FUTURE_TEXT = """
will shall won't i'll we'll you'll he'll she'll it'll they'll that'll going gonna plan plans planning planned hope
hoping intend want wants need needs must should let's upcoming scheduled due deadline remind reminder wird werde
werden werdet soll sollen sollte muss müssen will möchte wollen voy vamos va vas iré irá quiero debo tengo
tenemos vais allons dois doit faut ira irai
"""
_FUTURE = frozenset(_FUTURE_TEXT.split())
_LIMITS = frozenset(("by", "until", "till", "bis", "hasta", "para", "jusqu'à", "d'ici"))  # of what is not yet over
_ENDS = frozenset(".!?;\n")
_LEAST = 4
_NO_PAST = frozenset(
    ("hundred", "indeed", "speed", "embed", "exceed", "proceed", "succeed", "sacred", "breed", "greed")
)


def tenses(row: Sequence[Piece]) -> list[Tense | None]:
    """For each piece the tense of the verb before it in its sentence, else of the first behind it."""
    marks = [_mark(piece) for piece in row]
    before = _carried(row, marks)
    behind = _carried(row[::-1], marks[::-1])[::-1]
    limits: list[Tense | None] = [None, *("future" if piece.key in _LIMITS else None for piece in row)]
    return [mark or other or limit for mark, other, limit in zip(before, behind, limits, strict=False)]


def _carried(row: Sequence[Piece], marks: Sequence[Tense | None]) -> list[Tense | None]:
    carried: list[Tense | None] = []
    last: Tense | None = None
    for piece, mark in zip(row, marks, strict=True):
        last = None if piece.key in _ENDS else mark or last
        carried.append(last)
    return carried


def _mark(piece: Piece) -> Tense | None:
    if "since" in piece.means:
        return "past"
    if piece.key in _FUTURE:
        return "future"
    is_past = piece.key in _PAST or (piece.key.endswith("ed") and len(piece.key) > _LEAST and piece.key not in _NO_PAST)
    return "past" if is_past else None
