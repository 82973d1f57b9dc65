"""What speaks against a command: a text to be worked on, work that was asked for, a question, somebody else's words."""

from __future__ import annotations

import re

_QUESTION = r"[?？][\"'”’»)\]*_]*$"
_TEXT_WORK = (
    r"(?:(?:please|can you|could you|bitte|por favor)[, ]+)*(?:translate|summari[sz]e|paraphrase|rewrite|proofread"
    r"|rephrase|shorten|correct|edit|polish|analy[sz]e (?:this|the) (?:text|mail|letter|chat)"
    r"|here(?:'s| is) (?:the|a|my) (?:text|mail|letter|transcript|chat|draft)"
    r"|übersetze?|fasse? .{0,40} zusammen|traduce|traduis|corrige|résume|resume|翻译|翻訳)(?!\w)"
)
_WORK = (
    r"(?:(?:ok(?:ay)?|so|and|then|now|next|also|first|please|pls|just|hey|claude)[,:]? )*"
    r"(?:(?:can|could|would|will) you|please|i need|i want|help|let's|we need|you need|fix|add|write|implement|refactor"
    r"|update|make|create|run|rerun|test|build|review|explain|check|look|find|search|show|give|list|deploy|commit|push"
    r"|pull|merge|delete|remove|rename|change|replace|move|copy|convert|draft|generate|design|debug|investigate"
    r"|optimi[sz]e|clean|port|install|upgrade|migrate|set|use|read|open|compare|extract|parse|split|extend|continue"
    r"|finish|start|try|turn|wrap|schreib|implementier|füge|behebe|erstelle|prüfe|ändere|mach|écris|ajoute|corrige|crée"
    r"|vérifie|escribe|añade|arregla|implementa|crea|revisa|scrivi|aggiungi|correggi|escreva|adicione|corrija|schrijf"
    r"|voeg|maak)(?:e|en)?\b"
)
_NEXT = (
    r"(?:(?:ok(?:ay)?|so|and|also|then),? )*(?:now|then|next|please|pls|can you|could you|would you|will you|let's"
    r"|let us|continue|go on|carry on|jetzt|dann|maintenant|ahora|adesso|agora|nu)\b"
)
_SETS_TO_WORK = (
    r", (?:so|and so|therefore|then) (?:please )?"
    r"(?:be|do|don't|make|handle|use|check|keep|avoid|add|fix|write|test|ensure)\b"
)
_SAID_BY = r"(?:he|she|they|\w+) (?:says?|said|whispers?|whispered|writes|wrote|tells|told|adds|added|asked)\b"


def asks(sentence: str) -> bool:
    """Whether it is a question."""
    return re.search(_QUESTION, sentence.rstrip()) is not None


def is_text_work(sentence: str) -> bool:
    """Whether it hands over a text to be worked on, whose words are nobody's wish."""
    return re.match(_TEXT_WORK, sentence) is not None


def asks_for_work(sentence: str) -> bool:
    """Whether it asks for something to be done: what follows is likely a word on that."""
    return re.match(_WORK, sentence) is not None


def goes_on(sentence: str) -> bool:
    """Whether it turns to the next thing to be done, in so many words."""
    return re.match(_NEXT, sentence) is not None


def sets_to_work(sentence: str) -> bool:
    """Whether it draws from what it says what is to be done at once."""
    return re.search(_SETS_TO_WORK, sentence) is not None


def is_reported(text: str) -> bool:
    """Whether a text goes on to say who said what stands before it."""
    return re.match(_SAID_BY, text.lstrip()) is not None
