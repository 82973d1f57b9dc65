"""Tell from a note's own words that its text comes from elsewhere: its source, an address, a line below its title."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from memvault.core.fields import RawValue
from memvault.core.memory import SOURCES

_WEB, _ELSEWHERE = "web", "import"

_ADDRESS = re.compile(r"\s*(?:\[\[|\[[^\]\n]{0,300}\]\(|[<\"(])?(?:(?:https?|ftp|gemini)://|www\.)", re.IGNORECASE)
_ANYWHERE = re.compile(r"(?:https?|ftp|gemini)://|\bwww\.|\[\[", re.IGNORECASE)
_DOMAIN = r"(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?"
_BARE = re.compile(rf"\s*(?:\[\[)?{_DOMAIN}(?:[/?#]\S*)?(?:\]\])?\s*", re.IGNORECASE)
_BARE_PAGE = re.compile(rf"\s*(?:\[\[)?{_DOMAIN}/\S*\s*", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# Words in the name of a field that say where the text is from, so that a bare name of a host is enough there.
_ORIGINS = frozenset(
    (
        "source",
        "url",
        "link",
        "href",
        "web",
        "website",
        "site",
        "page",
        "canonical",
        "clipped",
        "original",
        "via",
        "from",
    )
)
# What a text points to, and pictures: of no other field is its address the text's own.
_POINTERS = frozenset(
    ("see", "related", "repo", "repository", "image", "cover", "banner", "icon", "thumbnail", "avatar", "logo")
)

_HEAD = 1_000  # characters of a text: a clipper writes the address below the title
_LINE = re.compile(
    r"\b(?:copied|clipped|pasted|quoted|excerpt(?:ed)?|transcribed) (?:from|out of) (?:there|here|<?https?://|www\.|\[\[)"
    r"|^[\s>*+-]*(?:\*\*|__)?(?:(?:original|source|canonical|page|article)[ -]?(?:url|link|page)?|url"
    r"|(?:clipped|saved|retrieved|copied|imported) from)(?:\*\*|__)?\s*::?(?:\*\*|__)?\s*"
    r"(?:\[[^\]\n]{0,300}\]\(|<)?(?:https?|ftp)://\S+\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def find_origin(fields: Mapping[str, RawValue], body: str, known: Collection[str]) -> str:
    """Return the source that a note tells by other words than ours: a page's, or another's; empty where it tells none.

    A person says otherwise with `source: user`. The fields that memvault knows (`known`) say nothing of this.
    """
    said = " ".join(_texts_in(fields.get("source"))).strip()
    if said.casefold() in SOURCES:
        return ""
    if said and (_ANYWHERE.search(said) or _BARE.fullmatch(said)):
        return _WEB
    others = ((name, value) for name, value in fields.items() if name not in known and not name.startswith("ref_"))
    if any(_names_page(name, text) for name, value in others for text in _texts_in(value)):
        return _WEB
    if _LINE.search(body[:_HEAD]):
        return _WEB
    return _ELSEWHERE if said else ""


def _names_page(name: str, text: str) -> bool:
    words = {word.casefold() for word in _WORDS.findall(name)}
    if words & _POINTERS:
        return False
    bare = _BARE if words & _ORIGINS else _BARE_PAGE
    return _ADDRESS.match(text) is not None or bare.fullmatch(text) is not None


def _texts_in(value: RawValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case [[str(name)]]:  # an unquoted `[[x]]`, which YAML reads as a list within a list
            yield f"[[{name}]]"
        case list():
            yield from (text for part in value for text in _texts_in(part))
        case dict():
            yield from (text for part in value.values() for text in _texts_in(part))
