"""What looks like a secret and is none: placeholders, examples out of manuals, code that names a secret."""

from __future__ import annotations

import re

_FEWEST_CHARACTERS = 5  # different ones; what has fewer is filled in, not made at random

_SAYS_SO = re.compile(
    r"(?i)example|placeholder|redacted|dummy|changeme|change[-_ ]me|replace|insert[-_]|goes[-_]here|your[-_]|"
    r"[-_]here\b|<[^>]{0,60}>|\.\.\.|…|x{5}|\*{3}|•{3}|0{8}|not[-_]a[-_]real|not[-_]real|fake"
)

# What the makers of a service print in their own manuals, so that everybody has it.
_PRINTED = frozenset(
    (
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
        "pk_test_TYooMQauvdEDq54NiTphI7jx",
    )
)

_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[]"  # a call, or a look into a table
    r"|[a-z_]\w*(?:\.[a-z_]\w*)+\Z"  # settings.password
    r"|(?:process\.)?env[.\[]|os\.environ"
    r"|[$%@&]\w*[{(]|\$\w+|%[\w]*%\Z|%[sd]\Z|\{\{?|\[|<|\(|\\|//|#\{"
    r"|[a-z][a-z0-9+.-]{1,15}://|/|~/|\./|[A-Z]:\\"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"  # the name of a variable
)
_EMPTY = re.compile(
    r"(?i)[x*.\-_•#0?]+|(?:my|the|your|some|a|new|old|db|user|api|test)?[-_]?"
    r"(?:pass(?:word|wd|phrase)?|passwort|pwd|secret|token|key|api[-_]?key|username|user|login)\d{0,3}"
)


def is_made_up(value: str) -> bool:
    """Whether a key or token only stands for one: it says so, or is one character over and over."""
    if _SAYS_SO.search(value) or any(printed in value for printed in _PRINTED):
        return True
    return len(set(value[4:] or value)) < _FEWEST_CHARACTERS


def is_placeholder(value: str) -> bool:
    """Whether a password only stands for one, or is code that fetches it from elsewhere."""
    return bool(_SAYS_SO.search(value) or _EMPTY.fullmatch(value) or _CODE.match(value))


def is_real(value: str) -> bool:
    """Whether a key or token may be one that opens something."""
    return not is_made_up(value)


def is_random(value: str) -> bool:
    """As `is_real`, for shapes that a word of a language or a file's name may have too."""
    return is_real(value) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_dense(value: str) -> bool:
    """As `is_random`, with a long run of letters and digits in it: names with hyphens have none."""
    return is_random(value) and re.search(r"[A-Za-z0-9_]{14}", value) is not None


def is_strange(value: str) -> bool:
    """Whether letters, digits and signs are mixed as in nothing but a password."""
    has_sign = re.search(r"[!@#$%^&*+=?~]", value) is not None
    return is_random(value) and is_pass(value) and has_sign


def is_pass(value: str) -> bool:
    """Whether a password may be one that opens something."""
    return not is_placeholder(value)
