"""Find numbers that belong to one person: national ids, passports, bank accounts and payment cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.core.secrets.check_digits import ID_FORMS, SPACE, is_account, passes_luhn
from memvault.core.secrets.password_phrases import Span

CARD, ACCOUNT, PASSPORT, NATIONAL_ID = "card number", "IBAN", "passport number", "national id"
PERSONAL_NUMBERS = frozenset((CARD, ACCOUNT, PASSPORT, NATIONAL_ID))

_FEWEST_DIGITS = 5
# Groups of capitals and digits with one sign between them; what has no number in it is sorted out later.
_CANDIDATE = re.compile(rf"(?<![\w+])[A-Z0-9]{{1,35}}(?:(?:{SPACE}|[-./]{SPACE}?)[A-Z0-9]{{1,35}}){{0,12}}(?!\w)")
_DATE = re.compile(r"(?:\d{4}([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2\d{4})(?![-./]?\d)")
_REACH = 60  # characters between a number and its name

# A name in capitals is one as it stands; where it is a common word, too, it counts only so or before a sign.
_CAPITAL_NAMES = (
    "SSN|TIN|ITIN|SIN|TFN|NIE|NIR|NIF|NISS|INSEE|BSN|CPF|CF|RG|PPS|PPSN|CPR|CNP|EGN|OIB|AMKA|AFM|PAN|AVS|SVN"
)
_WORD_NAMES = (
    "social[ _-]?security|ssn|national[ _-]?(?:id|insurance|identity)|nino|ni[ _-](?:no|number)|nhs[ _-](?:no|number)|"
    "tax[ _-]?(?:id|file|payer)|utr|steuer[ _-]?id\\w*|steuernummer|id-?nr|identifikationsnummer|"
    "(?:sozial|renten|kranken)versicherungs?\\w*|sv-?n(?:umme)?r|ahv(?:-?n(?:umme)?r)?|"
    "(?:numéro|n°|nº|no) de sécu\\w*(?: sociale)?|sécurité sociale|numéro fiscal|dni|codice[ _-]?fiscale|c\\.f\\.|"
    "seguridad social|curp|cédula|burgerservice\\w*|sofi-?nummer|rijksregister\\w*|registre national|"
    "cpf|nif|nie|nir|bsn|contribuinte|cartão de cidadão|pesel|person(?:nummer|(?:al)?nummer)|personal[ _-]?(?:id|code)|"
    "fødselsnummer|fodselsnummer|cpr-?(?:nummer|nr)|henkilötunnus|hetu|rodné číslo|isikukood|asmens kodas|"
    "aadhaar|kimlik|cnp|jmbg|emšo|снилс|инн|身份证\\w*|주민등록번호|マイナンバー|"
    "health[ _-]?(?:card|insurance)|medicare|versichertennummer|identity[ _-](?:card|document|no|number)|id[ _-]card|"
    "(?:personal)?ausweis\\w*|carte (?:nationale )?d['’]identité|carta d['’]identità|documento d['’]?identi\\w+|"
    "identiteitskaart|driv(?:er'?s?|ing)[ _-]licen[cs]e|führerschein\\w*|permis de conduire|patente|rijbewijs"
)
_PASSPORT_NAMES = (
    "passport|passeport|pasaporte|passaporto|passaporte|paspoort|paszport\\w*|reisepass|pas(?:s)?-?(?:nr|nummer)|"
    "паспорт\\w*|护照\\w*|パスポート\\w*"
)
_END = r"(?:[ _-]?(?:no|nr|num|number|nummer|numer|id)\b\.?)?"
_NAMES = re.compile(
    rf"(?<![^\W_])(?:(?i:(?P<passport>{_PASSPORT_NAMES})|iban|{_WORD_NAMES}){_END}|(?:{_CAPITAL_NAMES}))(?![^\W\d_])"
)
_ONLY_CAPITALS = frozenset(("nie", "cnp", "patente", "id-nr", "cf", "inn", "nif", "nir"))
_SAID_BEHIND = re.compile(r"[\"'*]{0,2},?[ \t]+(?:is|ist|es|est|è|é|as|als)\b[^\n.;:\d]{0,24}$", re.IGNORECASE)


def find_personal_numbers(text: str, _lowered: str) -> Iterator[Span]:
    """Yield each number that its check digit or a name beside it shows to be one person's."""
    yield from ((PASSPORT, *match.span()) for match in _MACHINE_READABLE.finditer(text) if "<" in text)
    for match in _CANDIDATE.finditer(text):
        if sum(map(str.isdigit, match[0])) >= _FEWEST_DIGITS:
            yield from _judge_candidate(text, match)


_MACHINE_READABLE = re.compile(r"(?<![A-Z0-9<])(?=[A-Z0-9]{0,40}<)[A-Z0-9<]{30,44}(?![A-Z0-9<])")


def _judge_candidate(text: str, match: re.Match[str]) -> Iterator[Span]:
    bounds = [group.span() for group in re.finditer("[A-Z0-9]+", match[0])]
    # A name in capitals, or the word before, may look like the first group.
    for first, (begin, _) in enumerate(bounds):
        if not re.search(r"\d", match[0][begin : bounds[min(first + 1, len(bounds) - 1)][1]]):
            continue
        for _, end in reversed(bounds[first:]):
            value = match[0][begin:end]
            if sort := _sort_by_form(value, text[max(0, match.start() + begin - 24) : match.start() + begin]):
                yield sort, match.start() + begin, match.start() + end
                return
    if span := _named_span(text, match, bounds):
        yield span


def _named_span(text: str, match: re.Match[str], bounds: list[tuple[int, int]]) -> Span | None:
    """Return where a number stands that has its name right before or behind it."""
    start = next((begin for begin, end in bounds if re.search(r"\d", match[0][begin:end])), 0)
    letters = next(((begin, end) for begin, end in reversed(bounds) if end < start and start - end <= 1), None)
    if letters and letters[1] - letters[0] <= 2 and not _NAMES.fullmatch(match[0][slice(*letters)]):
        start = letters[0]  # the letters that a number begins with
    value = match[0][start:]
    bare = re.sub(r"\W", "", value)
    if not 7 <= len(bare) <= 22 or _DATE.match(value) or sum(map(str.isdigit, bare)) < _FEWEST_DIGITS:
        return None
    name = _find_name(text, match.start() + start, match.end())
    return (name, match.start() + start, match.end()) if name else None


def _find_name(text: str, start: int, end: int) -> str:
    before = re.split(r"[\n;!?]|\.\s+(?=[A-ZÄÖÜ])", text[max(0, start - _REACH) : start])[-1]
    names = [name for name in _NAMES.finditer(before) if _is_name(before, name)]
    # Another number between them is what the name names.
    if names and not re.search(r"\d{4}", before[names[-1].end() :]):
        return _sort_of(names[-1])
    behind = re.split(r"[\n.;!?]", text[end : end + _REACH], maxsplit=1)[0]
    for name in _NAMES.finditer(behind):
        if _is_name(behind, name) and _SAID_BEHIND.match(behind[: name.start()]):
            return _sort_of(name)
    return ""


def _is_name(around: str, name: re.Match[str]) -> bool:
    is_common = name[0].lower() in _ONLY_CAPITALS and not name[0].isupper()
    return not is_common or re.match(r"[\"' ]{0,2}[:=]", around[name.end() :]) is not None


def _sort_of(name: re.Match[str]) -> str:
    return PASSPORT if name["passport"] else ACCOUNT if name[0].lower().startswith("iban") else NATIONAL_ID


# -- numbers that are known by their form and check digits


def _sort_by_form(value: str, before: str) -> str:
    bare = re.sub(r"\W", "", value)
    if is_account(bare):
        return ACCOUNT
    is_id = any(form.fullmatch(value) and check(bare) for form, check in ID_FORMS.items())
    return NATIONAL_ID if is_id and not _OTHER_NUMBERS.search(before) else ""


# What counts the things of a shop or a house, and is nobody's.
_OTHER_NUMBERS = re.compile(
    r"(?i)(?:order|invoice|ticket|tracking|parcel|article|item|part|serial|sku|isbn|ean|gtin|build|version|imei|model|"
    r"bestell\w*|rechnung\w*|sendung\w*|artikel\w*|serien\w*|pedido|factura|commande|facture|ordine|fattura|phone|tel)"
    r"[ _-]?(?:no|nr|num|number|nummer|id|code|n[º°])?\.?[\"']?[ :=#]{0,3}\Z"
)


# -- payment cards

_LENGTHS = {"2": (16,), "3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "6": (16, 19)}
_BEGINNINGS = {"2": ("22", "23", "24", "25", "26", "27"), "3": ("30", "34", "35", "36", "37", "38")}
_FEWEST_DIFFERENT = 3  # different digits: what has fewer was filled in
_TEST_CARDS = frozenset(
    (
        *("4242424242424242", "4111111111111111", "5555555555554444", "378282246310005", "6011111111111117"),
        *("4000056655665556", "5105105105105100", "4012888888881881", "371449635398431", "3530111333300000"),
    )
)
_TESTING = re.compile(r"(?i)\b(?:test|tests|testing|sandbox|example|sample|dummy|fake|demo)\b")
# What stands on the back of a card, under whatever name.
_CHECK_NUMBER = re.compile(
    r"(?i)\b(?:prüf|sicher|security|crypto|vérif|segur|sicur|kontroll?|control|check|code|código|codice)[^\d\n]{0,24}"
    r"(?<![\d/.-])(\d{3,4})(?![\w/-]|[.,]\d)"
)
_CARD = re.compile(r"(?<![\w.+-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)")


def find_cards(text: str, _lowered: str) -> Iterator[Span]:
    """Yield card numbers: of the right length, beginning and check digit."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        # Where the text speaks of tests, a card number for testers is harmless.
        around = text[max(0, match.start() - 120) : match.start() + 80]
        if _is_card(digits, match[0]) and not (digits in _TEST_CARDS and _TESTING.search(around)):
            yield CARD, *match.span()
            if code := _CHECK_NUMBER.search(text, match.end(), match.end() + _REACH):
                yield CARD, *code.span(1)


def _is_card(digits: str, written: str) -> bool:
    if digits in _TEST_CARDS:
        return True
    if len(digits) not in _LENGTHS.get(digits[0], ()) or len(set(digits)) < _FEWEST_DIFFERENT:
        return False
    groups = re.split(r"[ -]", written)
    is_grouped = len(groups) == 1 or all(3 <= len(group) <= 7 for group in groups)
    return is_grouped and digits.startswith(_BEGINNINGS.get(digits[0], (digits[0],))) and passes_luhn(digits)
