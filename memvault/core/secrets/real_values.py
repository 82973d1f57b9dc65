"""Tell values that may be real secrets from placeholders, examples, code, and words of a language."""

from __future__ import annotations

import re
from itertools import pairwise

_FEWEST_CHARACTERS = 5  # different ones; what has fewer is filled in, not made at random

_SAYS_SO = re.compile(
    r"(?i)example|placeholder|redacted|dummy|removed|0123456789|changeit|changeme|"
    r"change[-_ ]me|replace|insert[-_]|goes[-_]here|your[-_]|"
    r"[-_]here\b|<[^>]{0,60}>|\.\.\.|…|x{5}|\*{3}|•{3}|0{8}|not[-_]a[-_]real|not[-_]real|fake"
)

# Keys that services print in their own manuals.
_PRINTED = frozenset(
    (
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
        "pk_test_TYooMQauvdEDq54NiTphI7jx",
    )
)

_CODE = re.compile(
    r"[A-Za-z_:][\w.:]*[(\[]"  # a call, or a look into a table
    r"|[a-z]{3,12}/[\w.+-]+;"  # a file in an address
    r"|(?:process\.)?env[.\[]|os\.environ"
    r"|[$%@&]\w*[{(]|\$\w+|%[\w]*%\Z|%[sd]\Z|\{\{?|\[|<|\(|\\|//|#\{"
    r"|[a-z][a-z0-9+.-]{1,15}://|//|~/|\./|[A-Z]:\\"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"  # the name of a variable
    r"|(?:arn|vault|ssm|sops|enc|ref\+\w+):|(?:ConvertTo|Get|New|Read)-[A-Z]|--?[A-Za-z]+\Z|[&!][a-z_]+\Z|([@#_%]{1,2})[\w.]+\1\Z"
    # a reference, an option, a tag
)
_DOTTED = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)+")  # settings.password
_LEAST_WITHOUT_DIGITS = 16
_MOST_DIGITS = 2  # of a name in code
_EMPTY = re.compile(
    r"(?i)[x*.\-_•#0?]+|(?:my|the|your|some|a|new|old|db|user|api|test)?[-_]?(?:[a-z]{1,12}[-_])?"
    r"(?:pass(?:word|wd|phrase)?|passwort|pwd|secret|token|key|api[-_]?key|username|user|login)\d{0,3}"
)
# What stands in manuals and development set-ups, and keeps nobody out.
_DEFAULT = re.compile(r"(?i)(?:postgres|root|guest|admin|anonymous|minioadmin|foobar|test|demo)\d{0,3}")

# What a name in code holds, or a label beside a field: `proxy_auth`, `ssl-keyfile-password`, `Your password`.
_OF_ONE = "(?:pass(?:word|wd|phrase)?|pwd|secret|token|keys?|auth|credentials?)"
_NAMES_ONE = re.compile(
    rf"(?i)(?:[a-z]*[_ -])+{_OF_ONE}(?:[_ -]+[a-z]+)*|{_OF_ONE}(?:[_ -]+[a-z]+)+|_?[a-z]+(?-i:Type|Bytes)"
)


def is_made_up(value: str) -> bool:
    """Return whether a key or token is only an example: it says so, or repeats one character."""
    if _SAYS_SO.search(value) or any(printed in value for printed in _PRINTED):
        return True
    return len(set(value[4:] or value)) < _FEWEST_CHARACTERS


def is_placeholder(value: str) -> bool:
    """Return whether a password is only a placeholder, or code that fetches it from elsewhere."""
    is_path = value[:1] == "/" and not is_entropic(value)
    is_code = (
        is_path or _CODE.match(value) or (_DOTTED.fullmatch(value) and sum(map(str.isdigit, value)) <= _MOST_DIGITS)
    )
    is_empty = _DEFAULT.fullmatch(value) or _EMPTY.fullmatch(value) or _NAMES_ONE.fullmatch(value)
    return bool(is_empty or is_code or _SAYS_SO.search(value))


def is_real(value: str) -> bool:
    """Return whether a key or token may be a working one."""
    return not is_made_up(value)


def is_random(value: str) -> bool:
    """Return the same as `is_real`, for shapes that a word or a file name may have too."""
    if not is_real(value) or not any(map(str.isalpha, value)):
        return False
    return any(map(str.isdigit, value)) or (len(value) >= _LEAST_WITHOUT_DIGITS and is_entropic(value))


def is_dense(value: str) -> bool:
    """Return the same as `is_random`, with a long run of letters and digits: names with hyphens have none."""
    return is_random(value) and re.search(r"[A-Za-z0-9_]{14}", value) is not None


def is_strange(value: str) -> bool:
    """Return whether letters, digits and signs are mixed as only in a password."""
    has_sign = re.search(r"[!@#$%^&*+=?~]", value) is not None
    return is_random(value) and is_pass(value) and has_sign


def is_pass(value: str) -> bool:
    """Return whether a password may be a working one."""
    return not is_placeholder(value)


_WORD = re.compile("(?=[a-z]*[aeiou])[a-z]{4,}")
_MOST_IN_WORDS = 0.35  # of the characters; names of code have 0.6, random text 0.1
_CAMEL_WORD = re.compile("[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{3,}(?![a-z])|[0-9]{4,}")
_LEAST_IN_CAMEL_WORDS = 0.82  # of the characters of a name in code; one random text in a hundred has so many
_LONGEST_NAME = 32
_FEWEST_CHANGES = 0.3  # of the neighboring characters that are of another sort; names of code have 0.2, random text 0.6


def is_entropic(value: str) -> bool:
    """Return whether a value is mixed of capitals, small letters and digits as only what was made at random is."""
    sorts = [_sort_of(char) for char in value if char.isalnum()]
    if len(sorts) < 16 or not {"a", "A"} <= set(sorts) or is_made_up(value):
        return False
    in_words = sum(map(len, _WORD.findall(value)))
    in_camel = sum(map(len, _CAMEL_WORD.findall(value)))
    if len(value) <= _LONGEST_NAME and in_camel >= _LEAST_IN_CAMEL_WORDS * len(sorts):
        return False
    changes = sum(one != other for one, other in pairwise(sorts))
    return changes >= _FEWEST_CHANGES * len(sorts) and in_words <= _MOST_IN_WORDS * len(sorts)


def _sort_of(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a"


_DATE = re.compile(
    r"(?:\d{4}([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2\d{4})(?![-./]?\d)|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\Z"
)


def is_date(value: str) -> bool:
    """Return whether a number is a day, parted or not."""
    return _DATE.match(value) is not None
