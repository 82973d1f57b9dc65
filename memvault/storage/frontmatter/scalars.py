"""One scalar as YAML text: plain where every reader sees the same string in it, quoted where one would not."""

from __future__ import annotations

import re

from memvault.storage.frontmatter.values import NULLS, Plain

# What YAML 1.1 or 1.2 reads as something other than text.
_NOT_TEXT = re.compile(
    r"""
      y | n | yes | no | on | off | true | false | ~ | null | = | <<
    | [-+]?(?: 0b[01_]+ | 0x[0-9a-f_]+ | 0o[0-7]+ )
    | [-+]?[0-9][0-9_]*(?: :[0-5]?[0-9] )*(?: \.[0-9_]* )?(?: e[-+]?[0-9]+ )?
    | [-+]?(?: \.[0-9_]* )?(?: e[-+]?[0-9]+ )?
    | [-+]?\.inf | \.nan
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?: (?: t | [ \t]+ )[0-9][0-9:.+\-z \t]* )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_INDICATOR = re.compile(r"[?:,\[\]{}#&*!|>'\"%@`]|-(?![0-9.])")
_AMBIGUOUS = re.compile(r":(?=\s|\Z)|\s#")
_AMBIGUOUS_IN_FLOW = re.compile(r":(?![0-9])|\s#|[,\[\]{}?]")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = re.compile('["\\\\]|' + _UNPRINTABLE.pattern)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def scalar(text: str, *, style: str = "", in_flow: bool = False) -> str:
    """The text on one line, in the quotes asked for where they can hold it."""
    printable = not _UNPRINTABLE.search(text)
    if style == '"' or not printable:
        return _double(text)
    if style == "'":
        return _single(text)
    if _can_be_plain(text, in_flow=in_flow):
        return str(text)
    return _single(text) if '"' in text or "\\" in text else _double(text)


def _can_be_plain(text: str, *, in_flow: bool) -> bool:
    if text in NULLS or text[0].isspace() or text[-1].isspace() or _INDICATOR.match(text):
        return False
    if (_AMBIGUOUS_IN_FLOW if in_flow else _AMBIGUOUS).search(text):
        return False
    return isinstance(text, Plain) or not _NOT_TEXT.fullmatch(text)


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda found: _escape(found[0]), text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}")
