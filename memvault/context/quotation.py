"""Memory text set as a quotation: data with an owner, which cannot pose as anything else on the page it stands on."""

from __future__ import annotations

import re

from memvault.text.escape import one_line, printable

LONGEST_LABEL = 120
_DEEPER = 4  # what a body calls a heading stands below every heading of ours
_LOWEST = 6

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"( {0,3})(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"( {0,3})(?=(?:=+|-+)[ \t]*$)")
# A comment would hide what follows, or look like a mark of ours; the tags are ours and those that agents put around
# turns, tools and what hooks tell, and those of the models' own templates. Wide letters are read like narrow ones.
_TAG = re.compile(
    r"[<\uff1c\ufe64](?=!--|[|\uff5c]|<\s*/?\s*sys|\s*[/\uff0f]?\s*(?:memvault|system|assistant|human|user|developer|session-start"
    r"|post-tool-use|antml|function|tool|invoke|command|local-command|task-notification|teammate-message|bash-"
    r"|persisted-output|important\b|instruction|thinking|think\b|reasoning|prompt|admin|override"
    r"|(?:s|bos|eos|pad|unk)\s*[>\uff1e\ufe65]|start_of_turn|end_of_turn|begin_of_text|end_of_text))",
    re.IGNORECASE,
)
_TURN = re.compile(r"[\[\uff3b](?=\s*[/\uff0f]?\s*(?:inst|sys(?:tem)?|user|assistant)\s*[\]\uff3d])", re.IGNORECASE)
_IMAGE = re.compile(r"!(?=\[)")  # it would be loaded where an answer that repeats it is shown
_IMPORT = re.compile(r"(?<![\w\\])@")  # several agents read `@path` as an order to load that file


def quotation(text: str) -> str:
    """The text behind a `>` on every line, its headings lowered, its comments, tags and imports defused."""
    return "\n".join(f"> {line}" if line else ">" for line in _tamed(defused(printable(text.strip())).split("\n")))


def label(text: str) -> str:
    """The same for a title or a name, on one line and no longer than a line."""
    line = defused(one_line(text))
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1].rstrip()}…"


def defused(text: str) -> str:
    """The text with what agents obey spelled so that it is read instead."""
    return _IMPORT.sub(r"\\@", _IMAGE.sub(r"!\\", _TURN.sub(r"\\[", _TAG.sub("&lt;", text))))


def _tamed(lines: list[str]) -> list[str]:
    """The lines with headings of both sorts lowered; what stands between fences is code, and stays."""
    tamed: list[str] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            fence = "" if found and found[1].startswith(fence) else fence
            tamed.append(line)
        elif found:
            fence = found[1]
            tamed.append(line)
        else:
            tamed.append(_lowered(line, below_text=bool(tamed and tamed[-1].strip())))
    return tamed


def _lowered(line: str, *, below_text: bool) -> str:
    if below_text and _UNDERLINE.match(line):
        return _UNDERLINE.sub(r"\1\\", line, count=1)
    return _HEADING.sub(lambda found: found[1] + "#" * min(len(found[2]) + _DEEPER, _LOWEST), line, count=1)
