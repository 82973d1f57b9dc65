"""What a sentence is made of, as far as two can be compared: words, amounts, dates, versions, paths, names, signs."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from memvault.text.sentence.days import Day
from memvault.text.sentence.quantity import Quantity


class Sort(Enum):
    """What a term is; and in what sort of thing two texts can differ."""

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
    """A word or more of a sentence that mean one thing; equal keys mean the same."""

    sort: Sort
    key: str
    text: str
    value: Quantity | Day | None = None
    capital: bool = False  # written with a capital
    dense: bool = False  # in a script without spaces
    clause: int = 0  # which part of the sentence, as commas and the like divide it
