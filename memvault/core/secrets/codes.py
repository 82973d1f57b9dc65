"""Find codes that only what stands around them shows to be secret: PINs, recovery codes, seeds of authenticators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memvault.core.secrets.password_phrases import Span
from memvault.core.secrets.real_values import is_date

# -- PINs: a pin is a part of a plug, a mark on a map or a thing to bowl at as well

_LINK = (
    r"(?:[:=]|,(?= \d{4}\b)|\b(?:is|was|ist|lautet|war|est|es|era|è|é|er|är|jest|(?:set|changed) to|type|enter|dial)\b|"
    r"['’]s\b)"
)
_CARD_CODE = r"code de (?:la|ma) carte(?: bleue)?|codice della carta|código d[ae] (?:la )?(?:tarjeta|cartão)"
_DOOR_CODE = (
    r"code (?:for|of|to) (?:the |our |my )?(?:[a-z]{2,12} )?(?:garage|door|gate|alarm|safe|lock(?:er|box)?|shed)"
)
_UNIT = r" ?(?:mm|cm|m|km|kg|g|l|ml|v|a|ohm|ms|€|eur|euros?|usd|yen|jpy|points|years?|jahre?|ans|años|anni)\b"
_PIN_NAME = (
    r"(?<![^\W_])(?:PINs?|PUKs?|(?i:pin|puk|geheimzahl|unlocks? (?:with|(?:my|our|the|his|her) [a-z]{3,10})|"
    rf"{_CARD_CODE}|{_DOOR_CODE}))"
    r"(?:[ _-]?(?i:code|number|nummer|nr\.?|no\.?))?(?!\w)"
)
_QUOTE = "[\"'`*]{0,2}"
_PIN_AFTER = re.compile(
    rf"{_PIN_NAME}{_QUOTE}(?:(?P<told>[^\n.;!?:=]{{0,50}}?[ \t]*{_LINK}[ \t]{{0,2}})|[ \t]{{1,2}}){_QUOTE}"
    rf"(?P<digits>\d{{4}} \d{{4}}|\d{{3,8}})(?![\w:/-]|[.,]\d|{_UNIT})"
)
_PIN_AHEAD = re.compile(
    rf"(?<![\w.:/-])(?P<digits>\d{{3,8}}){_QUOTE},?[ \t]{{1,3}}(?P<told>"
    r"(?:that['’]s|(?:das |es )?(?:is|ist|est|es|è|as|als|como|comme))"
    rf"[ \t](?:[^\W\d]{{1,20}}[ \t]){{0,4}}){_PIN_NAME}"
)
_CHECK_NUMBER = re.compile(
    rf"(?<![^\W_])(?i:cvv2?|cvc2?|cid|csc|security code)(?:[ -](?i:code|number|nummer))?{_QUOTE}"
    rf"[ \t]{{0,2}}(?:{_LINK})?[ \t]{{0,2}}{_QUOTE}"
    r"(?P<digits>\d{3,4})(?![\w:/-]|[.,]\d)"
)
_AROUND = 70  # characters
_OWNED = re.compile(
    r"(?i)card|bank|\bsim\b|phone|mobile|handy|tablet|account|atm|voicemail|alarm|door|gate|\bsafe\b|locker|login|unlock|"
    r"banking|debit|credit|visa|karte|konto|tür|safe|tarjeta|móvil|cuenta|cajero|carte|téléphone|compte|carta|bancomat|"
    r"cellulare|cartão|telemóvel|celular|conta|pas\b|telefo|\b(?:my|our|mein|meine|unser|mon|ma|mi|mijn|min|minha|meu)\b"
)
_OF_A_THING = re.compile(
    r"(?i)connect|header|gpio|solder|netlist|\bboard|pcb|fpga|\bchip|socket|\bplug|stecker|buchse|platine|\bwir[ei]|cable|"
    r"kabel|\bground\b|\bgnd\b|\bvcc\b|\bvolt|jumper|d-sub|\bobd\b|uart|jtag|pinout|schematic|datasheet|conector|broche|"
    r"\bmaps?\b|marker|landkarte|stadtplan|coordinate|bowl|\blanes?\b|knock|\bstrikes?\b|alley|league|kegel|rolling|hinge|"
    r"bobby|firing|locating|dowel|hairpin|address|postal|delivery|district|\broad\b|nagar|\bpriority"
)
_FEWEST_UNOWNED = 4  # digits
_ONLY_A_LINK = re.compile(rf"[ \t]*{_LINK}[ \t]*")
_OF_CODE = re.compile(r" = \d|[({;]|#define|_PIN\b")
_BY_DEFAULT = re.compile(r"(?i)default|factory|voreingestellt|par défaut|por defecto|predefinit|padrão|standaard")
_MARKS = ("pin", "puk", "geheimzahl", "unlock", "code ", "codice ", "código ")


def find_pins(text: str, lowered: str) -> Iterator[Span]:
    """Yield the secret numbers of cards, phones and doors, and no number of a pin of another sort."""
    if any(mark in lowered for mark in _MARKS):
        for pattern in (_PIN_AFTER, _PIN_AHEAD):
            yield from (
                ("PIN", *match.span("digits")) for match in pattern.finditer(text) if _is_pin(text, match, pattern)
            )
    if any(mark in lowered for mark in ("cv", "cid", "csc", "security code")):
        yield from (("PIN", *match.span("digits")) for match in _CHECK_NUMBER.finditer(text))


def _is_pin(text: str, match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    before = re.split(r"[\n.;!?]", text[max(0, match.start() - _AROUND) : match.start()])[-1]
    behind = re.split(r"[\n.;!?]", text[match.end() : match.end() + _AROUND], maxsplit=1)[0]
    clause = f"{before} {match[0]} {behind}"
    if _OF_A_THING.search(clause) or _BY_DEFAULT.search(clause):
        return False
    if _OWNED.search(f"{before} {match[0]}") or re.search(r"\bP(?:IN|UK)|(?i:geheim|cart|tarjeta)", match[0]):
        return True
    if match["told"] is None or len(match["digits"]) < _FEWEST_UNOWNED:
        return False
    # A pin in small letters that nobody owns: only where its number stands right behind it, and in no code.
    return pattern is _PIN_AHEAD or (
        _ONLY_A_LINK.fullmatch(match["told"]) is not None and _OF_CODE.search(clause) is None
    )


# -- codes of locks: what opens a door, a safe, a bicycle

_LOCK = re.compile(
    r"\b(?:doors?|gate|safe|lock(?:er|box)?|padlock|garage|keypad|entrance|shed|barrier|(?:haus|keller|garagen)?tür|tor|"
    r"haustor|tresor|schloss|fahrradschloss|zahlenschloss|porte|portail|immeuble|coffre|cadenas|portone|cancello|porta|"
    r"cassaforte|lucchetto|puerta|portal|caja fuerte|candado|portão|cofre|cadeado|deur|poort|kluis|fietsslot|"
    r"alarm|alarmanlage|alarme|allarme|alarma)\b|"
    r"digicode|(?:tür|tor|tresor|schloss|alarm)code"
)
_LOCK_CODE = re.compile(
    r"code\b|codes\b|combo\b|combination|kombination|codice|combinazion|códig|combinaci|combinaç|combinaison"
)
_OTHER_CODE = re.compile(
    r"zip|post|area|country|vorwahl|error|fehler|status|exit|promo|discount|coupon|voucher|gutschein|dress|booking|flight|"
    r"colou?r|farb|articl|artik|artíc|artigo|model|source|review|line|zeile|message|meldung|product|item|"
    r"bar ?code|qr|tax|building|changes|ändert"
)
_LOCK_NUMBER = re.compile(
    r"(?<![\w.,:/#-])(?<!\b(?:at|um|in|im|en|em) )(?:\d{1,2}(?:-\d{1,2}){2,4}|\d{1,3}[A-Z]\d{1,3}|"
    r"\d\d(?: \d\d){2,3}(?! ?\d)|\d{3,8}[A-Z#*]?)"
    rf"(?![\w:/%-]|[.,]\d|{_UNIT})"
)
_CLAUSE = re.compile(r"[^\n.;!?。]{6,200}")
_LOCK_MARKS = ("code", "códig", "codic", "combo", "combi", "kombi", "lock", "schloss", "cadenas", "candado", "cadeado")
_LOCK_REACH = 45  # characters from the name of a lock or of its code to the number


def find_lock_codes(text: str, lowered: str) -> Iterator[Span]:
    """Yield the number that opens a lock, where a clause names the lock and, for plain digits, its code too."""
    if not any(mark in lowered for mark in _LOCK_MARKS):
        return
    for clause in _CLAUSE.finditer(lowered):
        locks = list(_LOCK.finditer(lowered, *clause.span()))
        if not locks or _OTHER_CODE.search(clause[0]) or _OF_A_THING.search(clause[0]):
            continue
        codes = list(_LOCK_CODE.finditer(lowered, *clause.span()))
        for number in _LOCK_NUMBER.finditer(text, *clause.span()):
            named = max((match.end() for match in (*locks, *codes) if match.end() <= number.start()), default=-1_000)
            begun = [code for code in codes if code.start() < number.start()]
            is_its_number = not begun and any(0 < number.start() - lock.end() < 2 for lock in locks)  # locker 112
            is_code = (bool(codes) and not is_its_number) or number[0].count("-") > 1
            if is_code and number.start() - named <= _LOCK_REACH and not is_date(number[0]):
                yield "PIN", *number.span()


# -- what restores an account or a wallet

_SEED = re.compile(
    r"\b(?i:seed|recovery|mnemonic|backup|wallet|phrase)[^\n:=]{0,60}?"
    r"(?:[:=]|\bis\b)\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
)
_RESTORING = re.compile(
    r"\b(?:recovery|backup|back-up|restore|rescue|scratch|one[- ]time|single[- ]use|emergency|2fa|two[- ]factor|"
    r"wiederherstellungs|notfall|backup-|récupération|secours|recuperación|respaldo|recupero|recuperação|herstel)"
    r"[ -]?(?:codes?|keys?|passwords?|schlüssel|tan)?\b"
)
_CODE_WORD = re.compile(r"code|key|schlüssel|clé|clave|códig|codic|codici|chiave|chave")
_CODE = (
    r"(?:\d{4,5}[ -]\d{4,5}|(?=[a-f ]{0,8}\d)[0-9a-f]{4} [0-9a-f]{4}|(?=[a-z]{0,9}\d)[a-z0-9]{8,16}|\d{6,10}|"
    r"(?=[A-Za-z-]{0,9}\d)[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,7})"
)
_CODES = re.compile(rf"(?<![\w-])(?:{_CODE})(?![\w-])")
_BETWEEN = re.compile(r"(?:[\s,;|/*•`\"'-]|\d{1,2}[.)]\s|(?:and|und|et|y|e)\s){1,12}")
_REACH = 60


def find_recovery_codes(text: str, lowered: str) -> Iterator[Span]:
    """Yield each code of a list that restores an account, and the words from which a wallet can be restored."""
    if any(word in lowered for word in ("phrase", "words", "seed", "mnemonic")):
        yield from (("recovery phrase", *match.span(1)) for match in _SEED.finditer(text))
    if _CODE_WORD.search(lowered):
        for name in _RESTORING.finditer(lowered):
            if _CODE_WORD.search(lowered, max(0, name.start() - 12), name.end() + 20):
                yield from _codes_behind(text, name.end())


def _codes_behind(text: str, after: int) -> Iterator[Span]:
    code = _CODES.search(text, after, after + _REACH + 40)
    while code and not is_date(code[0]):
        yield "recovery code", *code.span()
        gap = _BETWEEN.match(text, code.end())
        code = _CODES.match(text, gap.end()) if gap else None


# -- seeds of authenticators

_SEED_CUES = (
    *("authenticat", "otp", "2fa", "two-factor", "two factor", "zwei-faktor", "zweifaktor", "mfa", "setup key", "seed"),
    *("secret", "geheim", "dos pasos", "en dos", "double auth", "secrète", "due fattori", "dois fatores"),
)
_BASE32 = re.compile(
    r"(?<![\w/+=-])(?:(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{1,4}|(?:[a-z2-7]{4} ){3,15}[a-z2-7]{1,4}|[A-Z2-7]{16,64}={0,6})"
    r"(?![\w/+=-])"
)
_SEED_REACH = 120
_SURE_SEED = 24  # characters, in which more digits may stand than in a number of months or models
_NO_VOWELS = re.compile("(?<![A-Z0-9])[B-DF-HJ-NP-TV-XZ]{4}(?![A-Z0-9])")  # no word


def find_authenticator_seeds(text: str, lowered: str) -> Iterator[Span]:
    """Yield the keys in base 32 from which an authenticator makes its codes, where the text speaks of such."""
    if any(cue in lowered for cue in _SEED_CUES):
        for match in _BASE32.finditer(text):
            around = lowered[max(0, match.start() - _SEED_REACH) : match.end() + _SEED_REACH // 2]
            digits = sum(map(str.isdigit, match[0]))  # words of four letters have none, and years little else
            most = len(match[0]) / (3 if len(match[0]) < _SURE_SEED else 2)
            fewest = 1 + match[0].islower() - (_NO_VOWELS.search(match[0]) is not None)
            if fewest <= digits <= most and any(cue in around for cue in _SEED_CUES):
                yield "authenticator seed", *match.span()
