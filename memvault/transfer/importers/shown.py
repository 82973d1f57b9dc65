"""The files that a note shows, named within its text as Obsidian and markdown name them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memvault.core.ids import unquoted
from memvault.transfer.importers.markdown import MARKDOWN

_EMBEDDED = re.compile(r"!\[\[(?P<wiki>[^\]|#^\n]{1,300})|!\[[^\]\n]{0,300}\]\(<?(?P<link>[^)>\s\n]{1,300})")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_MOST = 50  # files of one note


def shown(text: str) -> tuple[str, ...]:
    """The files that a note shows, but for other notes and what lies on the web."""
    names = map(_name, _EMBEDDED.finditer(text)) if "![" in text else ()
    is_file = (name for name in names if "." in name and not name.casefold().endswith(MARKDOWN))
    return tuple(dict.fromkeys(name for name in is_file if not _ELSEWHERE.match(name)))[:_MOST]


def shown_as(text: str, names: Mapping[str, str]) -> str:
    """The text of a note that shows some files by other names."""

    def renamed(found: re.Match[str]) -> str:
        name = names.get(_name(found))
        if name is None:
            return found[0]
        which = "wiki" if found["wiki"] else "link"
        told = name if which == "wiki" else name.replace("%", "%25").replace(" ", "%20").replace(")", "%29")
        return found[0][: found.start(which) - found.start()] + told

    return _EMBEDDED.sub(renamed, text) if names else text


def _name(found: re.Match[str]) -> str:
    return (found["wiki"] or unquoted(found["link"])).strip()
