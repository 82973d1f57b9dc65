"""What a text is called: its heading, or its first sentence cut to a line."""

from __future__ import annotations

import re

LONGEST = 72
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?…])\s|(?<=\d[!?…])\s|(?<=[。！？])|\n")
_MARKUP = re.compile(r"^[\s>*+\-#]+(?:\[[ xX]\]\s*)?|[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\[\[(?:[^\]|]*\|)?|\]\]")
_DATED = re.compile(r"^\d{4}-\d{2}-\d{2}[ _-]+")


def heading_of(body: str) -> str | None:
    """The first heading of a markdown text, if it stands near the top."""
    found = _HEADING.search(body[:4_000])
    return _plain(found[1]) or None if found else None


def title_from_name(name: str) -> str:
    """A title from a file's name: without its date, with spaces for hyphens."""
    bare = _DATED.sub("", name)
    return bare if " " in bare else bare.replace("-", " ").replace("_", " ").strip() or name


def guess_title(text: str) -> str:
    """A title for a new memory: its heading, else its first sentence, at most a line long."""
    heading = heading_of(text)
    if heading and text.lstrip().startswith("#"):
        return clip(heading)
    first = next((part for part in _SENTENCE_END.split(text.strip()[:2_000]) if part and part.strip()), "")
    return clip(_plain(first)) or "Untitled"


def clip(title: str) -> str:
    """A title cut at a word, with an ellipsis, so that it fits on a line."""
    line = " ".join(title.split()).rstrip(".。;:, ")
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    return (cut.rpartition(" ")[0] if " " in cut[LONGEST // 2 :] else cut).rstrip(" ,;:-") + "…"


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split())
