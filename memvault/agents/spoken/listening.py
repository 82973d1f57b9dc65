"""Whether a prompt may hold a spoken command at all: a glance that spares most prompts the reading."""

from __future__ import annotations

from collections.abc import Iterable

# Whatever a command begins with, or needs, has one of these in it.
COMMAND_HINTS = (
    *(
        "remember",
        "memor",
        "memvault",
        "significa",
        "progress",
        "dig ",
        "remind",
        "note",
        "memo",
        "forget",
        "tell you",
        "told you",
    ),
    *("incognito", "off the record", "tidy", "clean up", "maintain"),
    *("merk", "behalt", "erinner", "notiz", "bedeut", "fortschritt", "grab", "weißt du", "weisst du", "pflege"),
    *("retiens", "souviens", "rappelle", "mémor", "mémoi", "creuse"),
    *("recuerd", "recuérd", "recordar", "progreso", "profundiza", "ricord", "progressi", "lembr", "memóri"),
    *("onthoud", "herinner", "betekenisvol", "voortgang", "weet je nog", "geheugen"),
    *("记住", "記住", "提醒我", "进度", "進度", "记忆", "記憶", "深入", "还记得", "還記得", "意义"),
    *("覚えて", "進捗", "リマインド", "掘り下げ", "メモリ"),
)


def may_hold_command(prompt: str, *, phrases: Iterable[str] = ()) -> bool:
    """Whether it is worth reading a prompt for a command; `phrases` are a person's own, as in the settings."""
    low = prompt.lower()
    own = (" ".join(phrase.partition("=")[2].lower().split())[:4] for phrase in phrases)
    return any(hint in low for hint in COMMAND_HINTS) or any(start and start in low for start in own)
