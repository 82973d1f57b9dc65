"""Read the commands of each language: a file of phrases, so that who adds a language or a phrase writes no code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from memvault.agents.spoken.intent import Language, RuleGroup, rule_group

# A file has `openers`, `polite` and `tails`, then words that are used again as `NAME = …`, then groups of rules: what
# their sentences begin with or need, and a row for each with the command, what holds of it, two spaces and the pattern.

_FOLDER = Path(__file__).parent / "phrases"
_HEADS = ("openers", "polite", "tails", "begins", "needs")
# What may be used in every file.
_COMMON = {
    "SEPARATED": r"(?:\s*[:–—]|\s*-+(?=\s)|\s*\.{3}|\s*…)",
    "WHEN": r"(?P<when>[^,.!?:\n]{3,50}?)",
    "SAID": r"(?P<said>[^\n]{2,160}?)",
    "MORE": r"(?:[,;:–—、，][^\n]*)?",  # what is added behind a command that is complete
    "OPENERS": "ok(?:ay)?|hey|hi|claude|codex|cursor|gemini|super|perfekt|perfetto|perfecto|parfait|perfeito",
}


def read_language(code: str) -> Language:
    """Return the commands of a language, from its file."""
    words = dict(_COMMON)
    parts = (_FOLDER / f"{code}.txt").read_text(encoding="utf-8").split("\n\n")
    first, *groups = (part for part in parts if not re.match(r"[A-Z_]+ = ", part))
    for row in "\n".join(part for part in parts if re.match(r"[A-Z_]+ = ", part)).splitlines():
        name, _, pattern = row.partition(" = ")
        words[name] = _fill_in(pattern, words)
    head = _split_heads(_fill_in(first, words))[0]
    return Language(**head, groups=tuple(_read_group(_fill_in(part, words)) for part in groups))


def _read_group(text: str) -> RuleGroup:
    heads, table = _split_heads(text)
    return rule_group(table=table, **heads)


def _split_heads(text: str) -> tuple[dict[str, str], str]:
    """Split the rows that begin with a name and a colon from the rules."""
    rows = [row.partition(": ") for row in text.strip().splitlines()]
    heads = {name: said for name, _, said in rows if name in _HEADS}
    return heads, "\n".join("".join(row) for row in rows if row[0] not in _HEADS)


def _fill_in(pattern: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Z_]+)\}", lambda found: words[found[1]], pattern)


ENGLISH = read_language("en")
OTHERS: Mapping[str, Language] = MappingProxyType(
    {code: read_language(code) for code in ("de", "fr", "es", "it", "pt", "nl", "zh", "ja")}
)
