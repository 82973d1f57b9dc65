"""Read the terms of a sentence from its pieces: number words, units, versions, months and phrases."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import lru_cache

from memvault.text.sentence.quantity import (
    MULTIPLIERS,
    ORDINALS,
    RANK,
    WORDS,
    Quantity,
    StatedDate,
    find_unit,
    is_scale,
    is_unit_name,
    month_alone,
    read_amount,
    read_day,
    read_time,
    weekday_number,
)
from memvault.text.sentence.terms import SentencePiece, Term, TermKind, clean_text, scan_pieces
from memvault.text.sentence.wording import NEUTRAL_WORDS, PHRASES, canonical_word, word_set
from memvault.text.terms import STOPWORDS

_CURRENCIES = "$€£¥"
_SYMBOL = re.compile(r"%|°[CF]?|[€£¥$]")
_NO_NUMBER_AFTER = word_set("no each every this that which any another the some")
_UNIT_AFTER = word_set("per a an each every in pro je par por cada")
_VERSION_WORDS = word_set("version versions ver release versión")
_VERSIONED = word_set(
    "python node nodejs java javascript ruby go golang php rust postgres postgresql redis django react vue angular",
    "ubuntu debian fedora macos ios android windows kubernetes terraform typescript npm pnpm yarn gcc openssl linux",
)
# Where an "a" stands before one of these it is a letter: column a and b.
_NOT_AFTER_ARTICLE = word_set("and or to in of is are was were on from with as by for at has will can must")
_ACRONYMS = word_set("US IT WHO AM LA")  # another word in small letters
_TWICE = {"twice": "2", "thrice": "3", "zweimal": "2", "dreimal": "3"}
_HUMP = re.compile(r"[^\W\d_A-Z][A-Z]")
_LONGEST_UNIT = 3


@lru_cache(maxsize=2_048)
def read_terms(text: str) -> tuple[Term, ...]:
    """Return the terms of a sentence, in order."""
    plain = clean_text(text)
    return _TermReader(plain, list(scan_pieces(plain))).read_terms()


def significant_terms(found: Sequence[Term]) -> tuple[Term, ...]:
    """Drop the terms that mean nothing by themselves."""
    following = (*found[1:], None)[: len(found)]
    return tuple(
        term
        for place, (term, after) in enumerate(zip(found, following, strict=True))
        if term.key not in NEUTRAL_WORDS or not _is_harmless(term, after, opens=place == 0)
    )


def _is_harmless(term: Term, after: Term | None, *, opens: bool) -> bool:
    if term.capital and not opens:
        return False
    if term.key not in ("a", "an"):
        return True
    return after is not None and after.kind is not TermKind.SIGN and after.key not in _NOT_AFTER_ARTICLE


class _TermReader:
    """Reads the pieces of one sentence from the first to the last."""

    def __init__(self, text: str, held: list[SentencePiece]) -> None:
        self._text = text
        self._pieces = held
        self._at = 0
        self._found: list[Term] = []
        self._forms: dict[str, Callable[[SentencePiece], None]] = {
            "word": self._read_word,
            "number": self._read_number,
            "dense": self._read_dense,
            "code": self._read_code,
            "date": self._read_date,
        }

    def read_terms(self) -> tuple[Term, ...]:
        """Return all terms."""
        while self._at < len(self._pieces):
            piece = self._pieces[self._at]
            self._at += 1
            self._forms.get(piece.form, self._read_other)(piece)
        return tuple(self._found)

    def _add_term(
        self,
        sort: TermKind,
        key: str,
        piece: SentencePiece,
        *,
        value: Quantity | StatedDate | None = None,
        capital: bool = False,
        dense: bool = False,
    ) -> None:
        """Add a term that reaches from a piece to the last one read."""
        last = self._pieces[self._at - 1]
        text = self._text[piece.start : last.end] if last.end > piece.end else piece.text
        self._found.append(Term(sort, key, text, value, capital, dense, piece.clause))

    def _next_piece(self, forms: tuple[str, ...], gaps: tuple[str, ...]) -> SentencePiece | None:
        """Return the next piece, if it has one of the forms and one of the gaps lies before it."""
        if not 0 < self._at < len(self._pieces):
            return None
        piece, last = self._pieces[self._at], self._pieces[self._at - 1]
        gap = " " if piece.start < last.end else self._text[last.end : piece.start]
        return piece if piece.form in forms and gap in gaps else None

    # -- one form each

    def _read_other(self, piece: SentencePiece) -> None:
        match piece.form:
            case "sign" | "symbol":
                is_and = piece.text == "&"
                self._add_term(
                    TermKind.WORD if is_and else TermKind.SIGN, "and" if is_and else piece.text.lower(), piece
                )
            case "time":
                self._add_term(TermKind.TIME, read_time(piece.text), piece)
            case "path":
                self._add_term(
                    TermKind.PATH, piece.text.replace("\\", "/").removeprefix("./").rstrip("/") or "/", piece
                )
            case "version":
                self._add_term(TermKind.VERSION, version_key(piece.text), piece)
            case "address":
                self._add_term(TermKind.NAME, piece.text.rstrip("/"), piece)
            case _:
                is_flag = piece.text.startswith("-")
                self._add_term(TermKind.NAME, piece.text if is_flag else piece.text.casefold(), piece)

    def _read_code(self, piece: SentencePiece) -> None:
        inner = " ".join(piece.text.strip("`").split())
        within = read_terms(inner)
        if len(within) == 1 and within[0].kind is not TermKind.WORD and within[0].text == inner:
            self._found.append(within[0])
        else:
            self._add_term(TermKind.NAME, inner, piece)

    def _read_date(self, piece: SentencePiece) -> None:
        day = read_day(piece.text)
        if day:
            self._add_term(TermKind.DATE, day.key, piece, value=day)
        elif (number := weekday_number(piece.text)) is not None:
            self._add_term(TermKind.DATE, f"weekday {number}", piece)
        else:
            self._add_term(TermKind.NUMBER, piece.text, piece)

    def _read_dense(self, piece: SentencePiece) -> None:
        self._add_term(TermKind.WORD, piece.text, piece, dense=True)

    def _read_number(self, piece: SentencePiece) -> None:
        amount = read_amount(piece.text.strip(_CURRENCIES + " %°CF"))
        symbol = _SYMBOL.search(piece.text)
        if symbol:
            scale = self._next_piece(("word",), ("", " "))
            if scale and is_scale(scale.text):
                self._at += 1
                amount = amount.with_unit(scale.text) or amount
            amount = amount.with_unit(symbol[0]) or amount
        self._add_amount(amount, piece)

    def _read_word(self, piece: SentencePiece) -> None:
        if piece.text == piece.lower and _is_ordinary(piece.text):
            self._found.append(Term(TermKind.WORD, canonical_word(piece.text), piece.text, clause=piece.clause))
            return
        if self._read_phrase(piece) or self._read_version(piece) or self._read_number_word(piece):
            return
        if piece.lower in _TWICE:
            amount = Quantity(_TWICE[piece.lower]).with_unit("times")
            self._add_term(TermKind.NUMBER, amount.key if amount else "", piece, value=amount)
        elif (day := weekday_number(piece.text)) is not None:
            self._add_term(TermKind.DATE, f"weekday {day}", piece)
        elif month := month_alone(piece.text, opens=self._at == 1):
            self._add_term(TermKind.DATE, month.key, piece, value=month)
        elif unit := self._read_lone_unit(piece):
            self._add_term(TermKind.UNIT, unit, piece)
        else:
            capital = piece.text[0].isupper()
            is_name = any(map(str.isdigit, piece.text)) or _HUMP.search(piece.text) is not None
            key = piece.text if piece.text in _ACRONYMS else canonical_word(piece.lower)
            self._add_term(TermKind.NAME if is_name else TermKind.WORD, key, piece, capital=capital)

    # -- words that belong together

    def _read_phrase(self, piece: SentencePiece) -> bool:
        for phrase, meaning in PHRASES.get(piece.lower, ()):
            following = self._pieces[self._at : self._at + len(phrase) - 1]
            if tuple(other.lower for other in following) == phrase[1:] and self._is_joined(piece, following):
                self._at += len(following)
                self._add_term(TermKind.WORD, meaning, piece)
                return True
        return False

    def _is_joined(self, piece: SentencePiece, following: list[SentencePiece]) -> bool:
        gap = self._text[piece.end : following[-1].start] if following else ""
        return not any(mark in gap for mark in ",;:.()") and all(other.clause == piece.clause for other in following)

    def _read_version(self, piece: SentencePiece) -> bool:
        after = self._next_piece(("number", "version"), (" ",))
        if piece.lower not in _VERSION_WORDS or after is None:
            return False
        self._at += 1
        self._add_term(TermKind.VERSION, version_key(after.text), piece)
        return True

    def _read_number_word(self, piece: SentencePiece) -> bool:
        if piece.lower in ORDINALS and (piece.lower != "second" or self._is_after(("the",))):
            self._add_rank(str(ORDINALS[piece.lower]), piece)
            return True
        if piece.lower not in WORDS or (piece.lower == "one" and self._is_after(_NO_NUMBER_AFTER)):
            return False
        self._add_amount(Quantity(str(self._read_number_words(WORDS[piece.lower]))), piece)
        return True

    def _read_number_words(self, number: int) -> int:
        """Return the number that continues in the words that follow: two hundred and fifty."""
        whole = 0
        while after := self._next_piece(("word",), (" ", "-")):
            value = WORDS.get(after.lower, 0)
            if after.lower in MULTIPLIERS:
                number *= MULTIPLIERS[after.lower]
                if number >= 1_000:
                    whole, number = whole + number, 0
            elif _can_follow(value, number):
                number += value
            elif after.lower != "and" or number % 100 or not number or not self._number_continues():
                break
            self._at += 1
        return whole + number

    def _number_continues(self) -> bool:
        following = self._pieces[self._at + 1 : self._at + 2]
        return bool(following) and following[0].lower in WORDS

    def _read_lone_unit(self, piece: SentencePiece) -> str:
        slashed = self._at > 1 and self._text[self._pieces[self._at - 2].end : piece.start] == "/"
        unit = find_unit(piece.text) if slashed else None
        if unit is None and is_unit_name(piece.text) and self._is_after(_UNIT_AFTER):
            unit = find_unit(piece.text)
        return f"{unit[0]} {unit[1]:g}" if unit else ""

    def _is_after(self, before: Container[str]) -> bool:
        return self._at > 1 and self._pieces[self._at - 2].lower in before

    # -- amounts

    def _add_amount(self, amount: Quantity, piece: SentencePiece) -> None:
        """Add an amount with what stands behind it: thousands, a unit, or letters that make it a name."""
        while after := self._next_piece(("word", "dense"), ("", " ", "-")):
            if after.form == "dense":
                amount = self._with_dense_unit(amount, after)
                break
            wider = amount.with_unit(after.text)
            if wider is None:
                if after.start == self._pieces[self._at - 1].end and not amount.dimension:
                    self._at += 1
                    if after.lower in ("st", "nd", "rd", "th"):
                        self._add_rank(amount.number, piece)
                    else:
                        self._add_term(TermKind.NAME, f"{piece.text}{after.text}".casefold(), piece)
                    return
                break
            self._at += 1
            amount = wider
        if not amount.dimension and "." in piece.text and self._names_a_program():
            self._add_term(TermKind.VERSION, version_key(piece.text), piece)
        else:
            self._add_term(TermKind.NUMBER, amount.key, piece, value=amount)

    def _with_dense_unit(self, amount: Quantity, after: SentencePiece) -> Quantity:
        for length in range(min(_LONGEST_UNIT, len(after.text)), 0, -1):
            wider = amount.with_unit(after.text[:length])
            if wider is not None:
                rest = after._replace(text=after.text[length:], start=after.start + length)
                self._pieces[self._at : self._at + 1] = [rest] if rest.text else []
                return wider
        return amount

    def _add_rank(self, number: str, piece: SentencePiece) -> None:
        rank = Quantity(number, dimension=RANK)
        self._add_term(TermKind.NUMBER, rank.key, piece, value=rank)

    def _names_a_program(self) -> bool:
        before = self._found[-1] if self._found else None
        if before is None or before.kind not in (TermKind.WORD, TermKind.NAME):
            return False
        return before.key in _VERSIONED or (before.capital and before.key not in STOPWORDS)


@lru_cache(maxsize=16_384)
def _is_ordinary(word: str) -> bool:
    """Return whether a word in small letters can be read without a look at its neighbors."""
    if not word.isalpha() or word in PHRASES or word in _VERSION_WORDS:
        return False
    if word in WORDS or word in ORDINALS or word in _TWICE or find_unit(word):
        return False
    return weekday_number(word) is None and month_alone(word, opens=False) is None


def _can_follow(value: int, number: int) -> bool:
    """Return whether a number word goes with those before it: five after twenty, fifty after two hundred."""
    if 0 < value < 10:
        return number % 100 >= 20 and not number % 10
    return 0 < value < 100 <= number and not number % 100


def version_key(text: str) -> str:
    """Return a version in a form that is equal for equal ones: v2.0.0 is 2."""
    digits, _, rest = text.casefold().lstrip("v").partition("-")
    parts = digits.split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts) + (f"-{rest}" if rest else "")
