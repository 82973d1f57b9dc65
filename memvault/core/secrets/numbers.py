"""Secrets made of digits or plain words: cards, secret numbers, the words that open a wallet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.core.secrets.harmless import is_placeholder
from memvault.core.secrets.password_phrases import Span

_CARD = re.compile(r"(?<![\w.+-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)")
_LENGTHS = {"2": (16,), "3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "6": (16, 19)}
_BEGINNINGS = {"2": ("22", "23", "24", "25", "26", "27"), "3": ("30", "34", "35", "36", "37", "38")}
_FEWEST_DIGITS = 3  # different ones: what has fewer was filled in
_TEST_CARDS = frozenset(
    (
        *("4242424242424242", "4111111111111111", "5555555555554444", "378282246310005", "6011111111111117"),
        *("4000056655665556", "5105105105105100", "4012888888881881", "371449635398431", "3530111333300000"),
    )
)
_TESTING = re.compile(r"(?i)\b(?:test|tests|testing|sandbox|example|sample|dummy|fake|demo)\b")
_PIN = re.compile(
    r"\b(?:PIN|Pin|CVV2?|CVC2?|(?i:card|bank|sim|phone|debit) pin)(?:[ -](?i:code|number|nummer))?"
    r"(?:[ \t](?:of|for|to|on|von|für|zur|de|du|della|del)\b[^\n.;:=]{1,40}?)?"
    r"(?:[ \t](?:is|ist|est|es|è|é|was|war|lautet))?[ \t]{0,2}[:=]?[ \t]{0,2}(\d{3,8})(?![\w.:/-])"
)
_SEED = re.compile(
    r"\b(?i:seed|recovery|mnemonic|backup|wallet)[ \w]{0,24}?(?i:phrase|words|seed|mnemonic)[^\n:=]{0,30}?"
    r"(?:[:=]|\bis\b)\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
)
_FLAG = re.compile(r"--(?:password|passwd|pass|token|secret|api-key)[ \t]{1,4}[\"']?([^\s\"'-][^\s\"']{3,100})")


def cards(text: str, _lowered: str) -> Iterator[Span]:
    """Card numbers: as long as those are, beginning as they do, and with the right last digit."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if _is_card(digits, match[0]) and not (digits in _TEST_CARDS and _is_testing(text, match.start())):
            yield "card number", *match.span()


def _is_testing(text: str, at: int) -> bool:
    """A number that the makers of cards give to testers is harmless where somebody speaks of tests."""
    return _TESTING.search(text[max(0, at - 120) : at + 80]) is not None


def _is_card(digits: str, written: str) -> bool:
    if digits in _TEST_CARDS:
        return True
    if len(digits) not in _LENGTHS.get(digits[0], ()) or len(set(digits)) < _FEWEST_DIGITS:
        return False
    groups = re.split(r"[ -]", written)
    is_grouped = len(groups) == 1 or all(3 <= len(group) <= 7 for group in groups)
    return is_grouped and digits.startswith(_BEGINNINGS.get(digits[0], (digits[0],))) and luhn(digits)


def luhn(digits: str) -> bool:
    """Whether the last digit is the one that the others ask for."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def pins(text: str, lowered: str) -> Iterator[Span]:
    """Secret numbers that are called so."""
    if "pin" in lowered or "cv" in lowered:
        yield from (("PIN", *match.span(1)) for match in _PIN.finditer(text))


def seeds(text: str, lowered: str) -> Iterator[Span]:
    """The words from which a wallet can be made again."""
    if any(word in lowered for word in ("phrase", "words", "seed", "mnemonic")):
        yield from (("recovery phrase", *match.span(1)) for match in _SEED.finditer(text))


def flags(text: str, _lowered: str) -> Iterator[Span]:
    """Passwords behind an option of a command."""
    if "--" in text:
        found = (match.span(1) for match in _FLAG.finditer(text) if not is_placeholder(match[1]))
        yield from (("password on a command line", *span) for span in found)
