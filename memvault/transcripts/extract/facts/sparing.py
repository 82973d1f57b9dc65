"""What of an assistant's long answer is taken: its headlines, how it begins and ends, decisions and results."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memvault.transcripts.extract.facts.sentences import Said, length

WORDS_TAKEN_WHOLE = 60
_FEWEST, _MOST, _WORDS_FOR_ONE_MORE = 2, 10, 150
_LONGEST_HEADLINES = 300
_LONGEST_HEADLINE = 60

# How an answer begins and ends that says nothing yet, or nothing any more.
_OFFERS = re.compile(
    r"(?:certainly|sure|of course|absolutely|great|let's|let us|let me|here(?:'s| is| are)|below is|i'll|i will|i'd be"
    r"|i can|to help you|if you (?:have|need|want|would|'d)|would you|do you|feel free|hope|happy to"
    r"|please (?:let|share"
    r"|provide)|by following|this (?:should|will|approach|way)|with (?:this|these)|natürlich|gerne?|klar"
    r"|hier (?:ist|sind)"
    r"|wenn du|falls du|por supuesto|claro|aquí (?:está|tienes)|si (?:necesitas|tu|vous)|bien sûr|voici|n'hésite)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:because|caused? by|root cause|turn(?:s|ed) out|fixed|resolved|decided|recommend|suggest|instead of|so that"
    r"|result(?:s|ed)? (?:in|is|are|show)|pass(?:es|ed)?|fail(?:s|ed)?|now (?:works?|uses?|passes|has|runs)"
    r"|changed|added"
    r"|removed|created|renamed|moved|updated|replaced|in short|in summary|summary|conclusion|answer is|means that|must"
    r"|never|important|important:|note that|warning|beware|default|costs?|requires?|deadline|due|weil|deshalb|behoben"
    r"|geändert|empfehle|wichtig|ergebnis|porque|resultado|recomiendo|cambiado|parce que|résultat|recommande|corrigé)\b"
    r"|\d",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"(?:task|step|phase|option|part|schritt|paso|étape) \d+\.?", re.IGNORECASE)


def sparing(said: Sequence[Said]) -> tuple[Said, ...]:
    """The statements of an answer that are worth a fact; all of them where it is short."""
    words = sum(length(one.whole) for one in said)
    if words <= WORDS_TAKEN_WHOLE:
        return tuple(one for one in said if not one.heading)
    prose = [one for one in said if not (one.item or one.heading or one.asks or _is_offer(one.text))]
    most = min(_MOST, _FEWEST + int(words) // _WORDS_FOR_ONE_MORE)
    telling = [one for one in prose if _TELLS.search(one.text)]
    chosen = [*prose[:1], *telling[: most - 1], *prose[-1:]][: most + 1]
    taken = tuple(one for one in prose if any(one is other for other in chosen))
    headlines = _headlines(said)
    return (*taken[:1], *headlines, *taken[1:])


def _headlines(said: Sequence[Said]) -> tuple[Said, ...]:
    """What the headings and the beginnings of list items name, as one statement."""
    names = (one.text if one.heading else _lead(one.text) for one in said if one.heading or one.item)
    found: list[str] = []
    size = 0
    for name in dict.fromkeys(name[:_LONGEST_HEADLINE].strip(" :.") for name in names if name):
        if size + len(name) > _LONGEST_HEADLINES:
            break
        found.append(name)
        size += len(name) + 2
    return (Said("; ".join(found), item=True),) if len(found) > 1 else ()


def _lead(item: str) -> str:
    """What an item of a list is about, where it says so before a colon or a dash, or is nothing else."""
    lead, _, rest = item.partition(": ") if ": " in item else item.partition(" - ")
    if _NUMBERED.fullmatch(lead.strip(" :")):
        lead = rest
    return lead if len(lead) <= _LONGEST_HEADLINE else ""


def _is_offer(text: str) -> bool:
    return _OFFERS.match(text) is not None or text.endswith(":")
