"""What an assistant proposed and the user took up: only both together are a decision."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PROPOSES = re.compile(
    r"\b(?:i(?:'d| would)? (?:suggest|recommend|propose|advise|go (?:with|for))|my (?:recommendation|suggestion) is"
    r"|(?:ich|wir) (?:würde|würden|schlage|empfehle)|mein vorschlag|te sugiero|recomiendo|propongo"
    r"|je (?:propose|recommande|suggère))\b"
    r"|\b(?:let's|we should|we could|how about|what about|should we|shall we|wir (?:sollten|könnten)|podríamos"
    r"|deberíamos"
    r"|on (?:pourrait|devrait))(?: also| just| then)? (?:us(?:e|ing)|go(?:ing)? with|switch|mov(?:e|ing) .*\bto"
    r"|keep|adopt"
    r"|stor(?:e|ing)|stay|stick|drop|replac|mak(?:e|ing)|split|put|pin|set|nam(?:e|ing)|call|support|nehmen"
    r"|nutzen|verwenden"
    r"|usar|utiliser|garder|prendre)\w*\b"
)
# What is done once, or only shows something, is no decision: to take a break, to run the tests, an example.
_ERRAND = re.compile(
    r"\b(?:suggest|recommend|propose|advise)(?: that)?(?: we| you| i)?(?: to| first| also)? "
    r"(?:tak(?:e|ing) a|run|check|look|see|try|start|begin|test|read|wait|restart|continu|mov(?:e|ing) on|proceed"
    r"|review|go"
    r" through|break|walk|add(?:ing)? (?:a )?tests?|debug|explor|creat|writ|fix|do|deploy|practic)\w*\b"
    r"|\b(?:examples?|hypothetical|illustrate|scenario|sure)\b|:$"
)
_CHOICE = re.compile(
    r"^(?:so |and |ok,? )?(?:(?:should|shall|do|can) we (?:keep|use|go|take|store|stay|put|make|drop|support|call"
    r"|have|want)"
    r"|which [\w -]{2,40}? (?:should|shall|do|would) (?:we|you (?:want|like|prefer))"
    r"|(?:sollen|wollen) wir|¿?(?:usamos|deberíamos usar)|est-ce qu'on (?:garde|utilise|prend))\b.{4,}"
)
_AGREES = re.compile(
    r"^(?:ok(?:ay)?[,.! ]+)*(?:(?:yes|yeah|yep|yup)\b(?! (?:that|it) (?:looks|is|was|makes))|agreed|i agree"
    r"|sounds? (?:good|great|right|like a plan)|perfect|good idea|great idea"
    r"|do (?:that|it)|let's do (?:that|it)|go (?:for|with) (?:it|that)|go ahead|makes sense|deal|exactly|ja"
    r"|einverstanden"
    r"|genau|machen wir|mach das|klingt gut|passt|sí|de acuerdo|vale|perfecto|hazlo|oui|d'accord|parfait|fais ça"
    r"|ça marche)\b"
)
_BUT = re.compile(r"\b(?:but|however|instead|rather|not|no|don't|aber|nicht|pero|no|mais|pas|lol|haha)\b|\?")
_LONGEST_ANSWER = 160
_LAST = 2  # sentences of a long answer in which something may be proposed: the rest explains
_SHORT_TURN = 8  # sentences


def proposal(sentences: Sequence[str]) -> str:
    """The last of some sentences that proposes to have something so or so; empty where none does."""
    shown = sentences if len(sentences) <= _SHORT_TURN else sentences[-_LAST:]
    return next((one for one in reversed(shown) if _is_proposal(one)), "")


def choice(sentences: Sequence[str]) -> str:
    """The last of some sentences that asks how to have something; empty where none does."""
    return next((one for one in reversed(sentences) if _CHOICE.match(plain(one)) and one.rstrip().endswith("?")), "")


def agrees(answer: str) -> bool:
    """Whether an answer takes up what was proposed, with no reserve."""
    low = plain(answer)
    return len(low) <= _LONGEST_ANSWER and _AGREES.match(low) is not None and not _BUT.search(low)


def picks(answer: str) -> bool:
    """Whether an answer says which one, in few words."""
    low = plain(answer)
    return (
        0 < len(low) <= _LONGEST_ANSWER
        and "?" not in low
        and not re.search(r"\b(?:not sure|don't know|maybe|later)\b", low)
    )


def plain(text: str) -> str:
    """Small letters, straight apostrophes, single spaces."""
    return " ".join(text.replace("’", "'").split()).casefold()


def _is_proposal(sentence: str) -> bool:
    low = plain(sentence)
    return _PROPOSES.search(low) is not None and not _ERRAND.search(low)
