"""Find what reaches or dates a person: phone numbers, e-mail and street addresses, birth dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memvault.core.secrets.password_phrases import Span

PHONE, EMAIL, STREET, BIRTH_DATE = "phone number", "e-mail address", "street address", "birth date"


@dataclass(frozen=True, slots=True)
class ContactForm:
    """How one sort of contact looks, and the words of a sentence that is about it."""

    pattern: re.Pattern[str]
    told_by: re.Pattern[str]


_PHONE = (
    "(?<![\\w.+/-])(?:\\+\\d{1,3}|00\\d\\d)(?:[ \u00a0./()-]{0,3}\\d){6,13}(?![\\w-])"
    r"|(?<![\w.+/-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-])"
    r"|(?<![\w.+/-])0\d{1,5}[ /-]\d{3,}(?:[ -]?\d{2,}){0,4}(?![\w/-]|[.,]\d)"
    r"|(?i:\b(?:phone|tel|telephone|telefon|téléphone|teléfono|telefono|telefone|mobile|mobil|handy|cell|fax|móvil|"
    r"cellulare|whatsapp|portable|nummer|call)\b)[^\n\d;+(]{0,24}(?P<named>\+?\(?\d[\d ()/.-]{4,18}\d)(?![\w/-])"
)
_PART = r"[A-ZÀ-Þ][\w'’.-]{1,24}"
_KINDS = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Boulevard|Blvd|Terrace|Close|Crescent|"
    "Way"
)
_ENDINGS = (
    "stra(?:ß|ss)e|str\\.|weg|gasse|platz|allee|ufer|damm|ring|straat|laan|gracht|plein|kade|vej|gade|gatan|vägen|katu"
)
_BEGINNINGS = (
    "[Vv]ia|[Vv]iale|[Cc]orso|[Pp]iazza|[Cc]alle|C/|[Aa]venida|Avda\\.|[Pp]laza|[Pp]aseo|[Rr]ua|[Tt]ravessa|[Ll]argo|"
    "ul\\."
)
_STREET = (
    rf"(?<![\w.])\d{{1,5}}[a-zA-Z]? (?:{_PART} ){{1,3}}(?:{_KINDS})\b\.?"
    rf"|\b(?:[A-ZÄÖÜ][\w.-]{{0,24}}[ -])?(?:[A-ZÄÖÜ][a-zäöüß-]{{2,24}}(?:{_ENDINGS})|Straße) \d{{1,3}}[a-z]?\b"
    r"|\b\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|chemin|allée|impasse|quai|cours|route) "
    rf"(?:(?:de la|de l['’]|d['’]|de|du|des|la|le) ?)?{_PART}(?: {_PART}){{0,2}}"
    rf"|\b(?:{_BEGINNINGS}) ?(?:(?:de la|de los|de|del|della|dei|di|da|do|dos|das|las|los|la) )?"
    rf"{_PART}(?: {_PART}){{0,3}},? (?:n[.º°]? ?)?\d{{1,4}}\b"
)
_DAY = (
    r"\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)\b|"
    r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?(?: of| de)? [A-Za-zÀ-ÿ]{3,10}(?:,?(?: de| del)? \d{4})?|"
    r"[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?\b(?:,? \d{4})?"
)
_BORN = (
    r"\b(?:born|birth\w*|b-?day|dob|d\.o\.b\.|geboren|geb\.|geburts\w+|née?|naissance|anniversaire|naci(?:ó|do|da)|"
    r"nacimiento|cumpleaños|nascid[oa]|nasceu|nascimento|aniversário|nat[oa] (?:il|a)|nascita|compleanno|"
    r"geboortedatum)\b"
)
_BIRTH = rf"(?i:{_BORN})[^\n.;\d]{{0,30}}?(?P<named>{_DAY})"

CONTACT_FORMS: Mapping[str, ContactForm] = {
    EMAIL: ContactForm(
        re.compile(r"(?<![\w.+/-])(?!git@)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"),
        re.compile(r"(?i)e-?mail|\bmails?\b|address|adress|correo|courriel|indirizzo|posta|write to|schreib"),
    ),
    PHONE: ContactForm(
        re.compile(_PHONE),
        re.compile(
            r"(?i)phone|\bcall|\bring|\btel\b|mobile|\bcell|number|telefon|nummer|handy|erreich|téléphone|numéro|portable|"
            r"joindre|teléfono|número|móvil|llama|cellulare|numero|telefone|telemóvel|whatsapp|signal"
        ),
    ),
    STREET: ContactForm(
        re.compile(_STREET),
        re.compile(
            r"(?i)address|adress|\blive[sd]?\b|\bliving\b|mov(?:e|ed|ing) to|\bhome\b|wohn|zieh|zog|umzug|habit|"
            r"domicil|\bviv[eoi]|dirección|indirizzo|abit|endereço|morada|moro\b|mora\b|office|school|practice|praxis|büro"
        ),
    ),
    BIRTH_DATE: ContactForm(re.compile(_BIRTH), re.compile("")),  # its own words are what the sentence is about
}


def find_contacts(text: str) -> Iterator[Span]:
    """Yield where each contact stands and its sort, in order and apart."""
    found = [
        (match.span("named" if match.groupdict().get("named") else 0), sort)
        for sort, form in CONTACT_FORMS.items()
        for match in form.pattern.finditer(text)
    ]
    after = 0
    for (start, end), sort in sorted(found, key=lambda one: (one[0][0], -one[0][1])):
        if start >= after:
            yield sort, start, end
            after = end


_SENTENCE = re.compile(r"(?<=\w{4}[.!?…])\s+|(?<=。)|\n+")


def is_told(text: str, contact: Span) -> bool:
    """Return whether a sentence is about the contact in it: it says that somebody is called, lives or was born so."""
    sort, start, end = contact
    begin = max((found.end() for found in _SENTENCE.finditer(text, 0, start)), default=0)
    after = _SENTENCE.search(text, end)
    sentence = f"{text[begin:start]} {text[end : after.start() if after else len(text)]}"
    return CONTACT_FORMS[sort].told_by.search(sentence) is not None


def find_doubtful(text: str, *, own_words: bool) -> list[Span]:
    """Return the contacts that nobody meant to be kept, in order: the user did not say them of somebody."""
    return [span for span in find_contacts(text) if not (own_words and is_told(text, span))]


def redact_contacts(text: str, *, own_words: bool = False) -> str:
    """Return a text with a mark such as `[redacted: phone number]` in place of each contact nobody meant to be kept."""
    for sort, start, end in reversed(find_doubtful(text, own_words=own_words)):
        text = f"{text[:start]}[redacted: {sort}]{text[end:]}"
    return text
