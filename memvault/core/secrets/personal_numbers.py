"""Find numbers that belong to one person: national ids, passports, bank accounts and payment cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.core.secrets.check_digits import ID_FORMS, SPACE, is_account, passes_luhn
from memvault.core.secrets.password_phrases import Span
from memvault.core.secrets.real_values import is_date

CARD, ACCOUNT, PASSPORT, NATIONAL_ID = "card number", "IBAN", "passport number", "national id"
PERSONAL_NUMBERS = frozenset((CARD, ACCOUNT, PASSPORT, NATIONAL_ID))

_FEWEST_DIGITS, _FEWEST_CHARACTERS = 4, 7
_FEWEST_OF_A_PASSPORT = 2  # digits among capitals in one group
_DIGEST = re.compile("[0-9a-f]{32}")
_DENSE = re.compile(rf"\d(?:[./-]?{SPACE}?[\dA-Z]){{4}}|\d[\da-z]{{5}}")
# Groups of capitals and digits with one sign between them; what has no number in it is sorted out later.
_GROUP = r"(?:[A-Z0-9]{1,35}|(?=[a-z]{0,2}\d)[a-z0-9]{7,35})(?!\w)"
_CANDIDATE = re.compile(rf"(?<![\w+]){_GROUP}(?:(?:{SPACE}|[-./]{SPACE}?){_GROUP}){{0,12}}")
_FILLED_IN = re.compile(r"(?:(\d)\1*\W)+(\d)\2*")  # 111-22-3333
_SCIENTIFIC = re.compile(r"\d\.\d+[eE]-?\d")
_MOST = 400  # characters in one go
_SHORTEST, _LONGEST = 9, 42  # characters of a number that is known by its form
_REACH = 60  # characters between a number and its name

# A name in capitals is one as it stands; where it is a common word, too, it counts only so or before a sign.
_CAPITAL_NAMES = (
    "SSN|TIN|ITIN|SIN|TFN|NIE|NIR|NIF|NISS|INSEE|BSN|CPF|CF|RG|PPS|PPSN|CPR|CNP|EGN|OIB|AMKA|AFM|PAN|AVS|SVN|CNI"
)
_WORD_NAMES = (
    "social[ _-]?security|ssn|national[ _-]?(?:id|insurance|identity)|nino|ni[ _-](?:no|number)|nhs[ _-](?:no|number)|"
    "tax[ _-]?(?:id|file|payer)|utr|steuer[ _-]?id\\w*|steuernummer|id-?nr|identifikationsnummer|"
    "(?:sozial|renten|kranken)versicherungs?\\w*|sv-?n(?:umme)?r|ahv(?:-?n(?:umme)?r)?|"
    "(?:numéro|n°|nº|no) de sécu\\w*(?: sociale)?|sécurité sociale|numéro fiscal|dni|codice[ _-]?fiscale|c\\.f\\.|"
    "seguridad social|curp|cédula|d\\.n\\.i\\.|n\\.i\\.[ef]\\.|"
    "burgerservice\\w*|sofi-?nummer|rijksregister\\w*|registre national|"
    "cpf|nif|nie|nir|bsn|contribuinte|cartão de cidadão|pesel|person(?:nummer|(?:al)?nummer)|personal[ _-]?(?:id|code)|"
    "fødselsnummer|fodselsnummer|cpr-?(?:nummer|nr)|henkilötunnus|hetu|rodné číslo|isikukood|asmens kodas|"
    "aadhaar|kimlik|cnp|jmbg|emšo|снилс|инн|身份证\\w*|주민등록번호|マイナンバー|"
    "health[ _-]?(?:card|insurance)|medicare|versichertennummer|identity[ _-](?:card|document|no|number)|id[ _-]card|"
    "(?:personal)?ausweis\\w*|carte (?:nationale )?d['’]identité|carta d['’]identità|documento d['’]?identi\\w+|"
    "identiteitskaart|driv(?:er'?s?|ing)[ _-]licen[cs]e|führerschein\\w*|permis de conduire|patente|rijbewijs"
)
_PASSPORT_NAMES = (
    "passport|passeport|pasaporte|passaporto|passaporte|paspoort|paszport\\w*|reisepass|pass?[ -]?(?:nr|nummer)|"
    "паспорт\\w*|护照\\w*|パスポート\\w*"
)
_END = r"(?:[ _-]?(?:no|nr|num|number|nummer|numer|id)(?![^\W_])\.?)?"
_NAMES = re.compile(
    rf"(?<![^\W_])(?:(?i:(?:(?P<passport>{_PASSPORT_NAMES})|{_WORD_NAMES}){_END})|(?:{_CAPITAL_NAMES}))(?![^\W\d_])"
)
_ONLY_CAPITALS = frozenset(("nie", "cnp", "patente", "cf", "inn", "nif", "nir"))
_AMBIGUOUS = frozenset(("SIN", "TIN", "CF", "RG", "PAN", "AVS", "CPR", "NIR", "PPS"))  # of other things, too
_SHORT_REACH = 12  # characters of such a name
_SAID_BEHIND = re.compile(r"[\"'*]{0,2},?[ \t]+(?:is|ist|es|est|è|é|as|als)\b[^\n.;:\d]{0,24}$", re.IGNORECASE)


def find_personal_numbers(text: str, _lowered: str) -> Iterator[Span]:
    """Yield each number that its check digit or a name beside it shows to be one person's."""
    if "<" in text:
        yield from ((PASSPORT, *match.span()) for match in _MACHINE_READABLE.finditer(text))
    after = 0
    for dense in _DENSE.finditer(text):
        if dense.start() >= after and (match := _find_candidate(text, max(after, dense.start() - _LONGEST), dense)):
            after = match.end()
            if len(match[0]) >= _FEWEST_CHARACTERS and not _is_no_number(match[0]):
                yield from _judge_candidate(text, match)


def _is_no_number(value: str) -> bool:
    """Return whether a value is a day, a measurement, or only filled in."""
    return is_date(value) or _SCIENTIFIC.search(value) is not None or _FILLED_IN.fullmatch(value) is not None


def _find_candidate(text: str, after: int, dense: re.Match[str]) -> re.Match[str] | None:
    """Return the groups around a place that is dense with digits."""
    found = _CANDIDATE.finditer(text, after, dense.end() + _MOST)
    return next((match for match in found if match.end() > dense.start()), None)


_MACHINE_READABLE = re.compile(r"(?<![A-Z0-9<])(?=[A-Z0-9]{0,40}<)(?=<{0,40}[A-Z0-9])[A-Z0-9<]{30,44}(?![A-Z0-9<])")


def _judge_candidate(text: str, match: re.Match[str]) -> Iterator[Span]:
    bounds = [group.span() for group in re.finditer("[A-Za-z0-9]+", match[0])]
    # A name in capitals, or the word before, may look like the first group.
    for first, (begin, _) in enumerate(bounds):
        if not re.search(r"\d", match[0][begin : bounds[min(first + 1, len(bounds) - 1)][1]]):
            continue
        for _, end in reversed(bounds[first:]):
            value = match[0][begin:end].upper()
            if not _SHORTEST <= len(value) <= _LONGEST or _DIGEST.fullmatch(match[0], begin, end):
                continue
            if sort := _sort_by_form(value, text[max(0, match.start() + begin - 24) : match.start() + begin]):
                yield sort, match.start() + begin, match.start() + end
                return
    if span := _named_span(text, match, bounds):
        yield span


def _named_span(text: str, match: re.Match[str], bounds: list[tuple[int, int]]) -> Span | None:
    """Return where a number stands that has its name right before or behind it."""
    start = next((begin for begin, end in bounds if re.search(r"\d", match[0][begin:end])), 0)
    letters = next(((begin, end) for begin, end in reversed(bounds) if end < start and start - end <= 1), None)
    if letters and letters[1] - letters[0] <= 2:
        begin, end = match.start() + letters[0], match.start() + letters[1]
        if not any(name.end() == end for name in _NAMES.finditer(text, max(0, begin - _REACH), end)):
            start = letters[0]  # the letters that a number begins with
    value = match[0][start:]
    bare = re.sub(r"\W", "", value)
    if not _FEWEST_CHARACTERS <= len(bare) <= 22 or _is_no_number(value):
        return None
    sort = _find_name(text, match.start() + start, match.end())
    fewest = _FEWEST_OF_A_PASSPORT if sort == PASSPORT and bare == value.upper() else _FEWEST_DIGITS
    return (sort, match.start() + start, match.end()) if sort and sum(map(str.isdigit, bare)) >= fewest else None


def _find_name(text: str, start: int, end: int) -> str:
    before = re.split(r"[\n;!?]|\.\s+(?=[A-ZÄÖÜ])", text[max(0, start - _REACH) : start])[-1]
    names = [name for name in _NAMES.finditer(before) if _is_name(before, name)]
    between = before[names[-1].end() :] if names else ""
    # Another number between them is what the name names; another name is what the number is.
    if names and not re.search(r"\d{4}", between) and not _OTHER_NUMBERS.search(between):
        return _sort_of(names[-1]) if len(between) <= _SHORT_REACH or names[-1][0] not in _AMBIGUOUS else ""
    behind = re.split(r"[\n.;!?]", text[end : end + _REACH], maxsplit=1)[0]
    for name in _NAMES.finditer(behind):
        if _is_name(behind, name) and _SAID_BEHIND.match(behind[: name.start()]):
            return _sort_of(name)
    return ""


def _is_name(around: str, name: re.Match[str]) -> bool:
    is_common = name[0].lower() in _ONLY_CAPITALS and not name[0].isupper()
    return not is_common or re.match(r"[\"' ]{0,2}[:=]", around[name.end() :]) is not None


def _sort_of(name: re.Match[str]) -> str:
    return PASSPORT if name["passport"] else NATIONAL_ID


# -- numbers that are known by their form and check digits


def _sort_by_form(value: str, before: str) -> str:
    bare = re.sub(r"\W", "", value)
    if is_account(bare):
        return ACCOUNT
    is_id = any(form.fullmatch(value) and check(bare) for form, check in ID_FORMS.items())
    return NATIONAL_ID if is_id and not _OTHER_NUMBERS.search(before) else ""


# What counts the things of a shop or a house, and is nobody's.
_OTHER_NUMBERS = re.compile(
    r"(?i)(?<![^\W_])(?:order|app|user|client|page|post|pixel|channel|message|fingerprint|s/n|invoice|ticket|tracking|parcel|article|item|part|serial|sku|isbn|ean|gtin|build|version|imei|model|"
    r"bestell\w*|rechnung\w*|sendung\w*|artikel\w*|serien\w*|pedido|factura|commande|facture|ordine|fattura|phone|tel)"
    r"[ _-]?(?:no|nr|num|number|nummer|id|code|n[º°])?\.?[\"']?[ :=#]{0,3}\Z"
)


# -- payment cards

_FORM = re.compile(
    r"(?:4\d{3}|5[1-5]\d\d|22[3-9]\d|222[1-9]|2[3-6]\d\d|27[01]\d|2720|35\d\d|6\d{3})\d{12}|3[47]\d{13}|3[068]\d{12}"
)
_RARE_FORM = re.compile(r"4\d{12}|[46]\d{18}|5[06-9]\d{14}")  # of articles and posts, too: only where a card is named
_NAMED = re.compile(r"(?i)card|kart|carte|carta|tarjeta|cartão|visa|maestro|\bpan\b")
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
_CARD = re.compile(r"\d(?<![\w.+-]\d)(?:[ .-]?\d){12,18}(?![\w-]|\.\d)")


def find_cards(text: str, _lowered: str) -> Iterator[Span]:
    """Yield card numbers, by length, beginning and check digit, and the check number behind each."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        around = text[max(0, match.start() - 120) : match.start() + 80]
        is_counted = _OTHER_NUMBERS.search(text[max(0, match.start() - 24) : match.start()])
        if _is_card(digits, match[0], around) and not is_counted:
            yield CARD, *match.span()
            if code := _CHECK_NUMBER.search(text, match.end(), match.end() + _REACH):
                yield CARD, *code.span(1)


def _is_card(digits: str, written: str, around: str) -> bool:
    if digits in _TEST_CARDS:  # where the text speaks of tests, a card number for testers is harmless
        return not _TESTING.search(around)
    is_form = _FORM.fullmatch(digits) or (_RARE_FORM.fullmatch(digits) and _NAMED.search(around))
    if not is_form or len(set(digits)) < _FEWEST_DIFFERENT:
        return False
    groups = re.split(r"[ .-]", written)
    is_parted = len(groups) > 2 and all(3 <= len(group) <= 7 for group in groups)
    return (len(groups) == 1 or is_parted) and passes_luhn(digits)
