"""Find secrets by what stands beside them: a word for keys or passwords, a known half, the heading of a column."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice

from memvault.core.secrets.password_phrases import HOST, Span, find_names, is_ordinary
from memvault.core.secrets.real_values import is_entropic, is_made_up

_RUN = re.compile(r"(?<![\w+/=-])[A-Za-z0-9_+/=.~-]{16,200}+(?![\w+/=-])")
_BEFORE, _BEHIND = 80, 60  # characters in which a word for keys counts
_CUE = re.compile(
    r"(?i)(?:api|access|secret|signing|shared|master|auth|bot|deploy|licen[cs]e|webhook)[ _-]?keys?|(?<![a-z])keys?\b|"
    r"token|secret|passw|credential|authoriz|bearer|hmac|\bpsk\b|login|\bauth\b|schlüssel|geheimnis|zugangsdaten|\bclé\b|\bclave|"
    r"chiave|\bchave|identifiants|credencial|credenzial|cookie:|session_?id|licen[cs]e|lizenz|activation|ключ|токен|密钥|密码|キー|トークン"
)
# What names a value that anybody may see.
_PUBLIC = re.compile(
    r"(?i)public|publishable|pubkey|\bsite ?key|certificate|fingerprint|\bssh-\w+|ecdsa-|integrity|checksum|digest|"
    r"etag|commit|revision|base64,|"
    r"(?:sha|md)-?\d{1,3}\W{0,4}\Z|(?:hash|uuid|guid|nonce|\bid|[_-]id|trace|\bkid|version|path|file|url|href|src)\W{0,4}\Z"
)
_GROUPED = re.compile(r"[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,8}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DIGEST = re.compile(r"(?i)sha-?\d{1,3}[-:]|h1:")
_HEX = re.compile(r"[0-9a-fA-F]{24,128}")
_HALF = re.compile(r"(?<![A-Za-z0-9])(?:A(?:KI|SI|BI|CC)A[A-Z0-9]{16}|(?:AC|SK)[0-9a-f]{32})(?![A-Za-z0-9])")
_HALF_REACH = 200
_KEY_OF_HEX = re.compile(
    r"(?i)(?:key|token|secret|schlüssel|clé|clave|chiave|chave)[\"']?"
    r"(?:\s{0,2}(?:is|[:=])|\s(?:for|of|to|für|von|de|du|del|pour|para|per|di|do)\s[^\n.,;:]{1,30})\s{0,2}[\"']?\Z"
)
_KEY_OF_DATA = re.compile(r"(?i)cache|idempot|primary|foreign|partition|sort|lookup|etag|content|object|dedup|map")


def find_beside_cues(text: str, _lowered: str) -> Iterator[Span]:
    """Yield each random value that stands beside a word for keys, or beside the public half of a pair."""
    runs = list(_RUN.finditer(text))
    halves = [match.span() for match in _HALF.finditer(text)] if runs else []
    for run in runs:
        start, end = _value_span(run)
        before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
        is_random = is_entropic(text[start:end]) or _is_grouped_key(text[start:end])
        if not is_random and not (_HEX.fullmatch(text, start, end) and (halves or _names_key(before))):
            continue
        if is_made_up(text[start:end]) or _is_public(text, before, start, end):
            continue
        is_half = any(first - _HALF_REACH <= end and start <= last + _HALF_REACH for first, last in halves)
        if is_half or _has_cue(text, before, start, end):
            yield "key or token", start, end


def _names_key(before: str) -> bool:
    """Return whether a key is named right before a value, and no key of data such as a cache's."""
    return _KEY_OF_HEX.search(before) is not None and _KEY_OF_DATA.search(before) is None


def _is_grouped_key(value: str) -> bool:
    """Return whether a value is capitals and digits in groups, as keys that are typed by hand are."""
    return _GROUPED.fullmatch(value) is not None and sum(map(str.isdigit, value)) > 1 and any(map(str.isalpha, value))


def _value_span(run: re.Match[str]) -> tuple[int, int]:
    """Return where the value stands in a run that may begin with a name: `id=…`."""
    bare = run[0].rstrip("./-")
    begin = run.start() + bare.rstrip("=").rfind("=") + 1
    return begin, run.start() + len(bare)


def _is_public(text: str, before: str, start: int, end: int) -> bool:
    known = (_UUID, _HALF)
    return (
        any(form.fullmatch(text, start, end) for form in known)
        or _DIGEST.match(text, start) is not None
        or _PUBLIC.search(before) is not None
        or _is_address(text, start)
    )


def _has_cue(text: str, before: str, start: int, end: int) -> bool:
    line = text[end : end + _BEHIND].partition("\n")[0]
    above = ""
    if not before.strip(" \t\"'`*-"):
        bound = start - len(before)
        above = text[max(0, bound - _BEFORE) : bound].removesuffix("\n").rpartition("\n")[2]
    return any(map(_CUE.search, (before, line, above if above.rstrip().endswith(":") else "")))


_LEAST_CHUNK = 2  # characters: the value begins where the chunk does


def _is_address(text: str, start: int) -> bool:
    """Return whether a value is a part of an address or of a path."""
    chunk = re.split(r"[\s\"'`(<]", text[max(0, start - 300) : start + 2])[-1]
    is_base64 = len(chunk) == _LEAST_CHUNK and re.match(r"/[a-z.]+/", text[start : start + 40]) is None
    return "://" in chunk or (chunk.startswith(("/", "./", "~/")) and not is_base64)


# -- words

_CLAUSE = re.compile(r"[^\n;。]{8,400}")
_LOGIN = re.compile(
    r"(?i)\b(?:log|sign|get|got)(?:ged|ging)? ?(?:in|on) (?:with|using)\b|\blogin\b|zugangsdaten|anmeldedaten|"
    r"credential|identifiants|credenciales|credenziali|credenciais|\bse connecter avec\b"
)
_STRONG = re.compile(
    r"(?<![^\s\"'`“„«(:,])(?=[^\s\d]{0,40}\d)(?=[^\sA-Za-z]{0,40}[A-Za-z])[^\s\"'`“”«»<>|,()=]{8,40}(?!=)"
)
_SIGNS = frozenset("!#$^*~&_")
_LEAST_BEFORE_MARK = 12  # characters of a word in which a last `!` is a sign, at the end of a sentence too
_REFERENCE = re.compile(r"[A-Za-z/-]*#\d+|[a-z0-9_]+|[A-Z0-9_]+|\S+@\S+")


def find_strong_words(text: str, lowered: str) -> Iterator[Span]:
    """Yield each word built as only passwords are, in a clause that speaks of a password or of logging in."""
    if not _STRONG.search(text):
        return
    names = [start for start, _, is_key in find_names(lowered) if not is_key]
    for clause in _CLAUSE.finditer(text):
        begin, end = clause.span()
        named = bisect_left(names, begin)
        if (named < len(names) and names[named] < end) or _LOGIN.search(text, begin, end):
            for word in _STRONG.finditer(text, begin, end):
                bare = word[0].rstrip(".:?")
                if _is_strong(bare, is_last=not text[word.end() : end].strip()):
                    yield "password", word.start(), word.start() + len(bare)


def _is_strong(word: str, *, is_last: bool) -> bool:
    """Return whether letters, digits and signs are mixed; a mark that ends the sentence is no sign in short words."""
    if word.startswith("-") or "/" in word or "{" in word:
        return False  # an option of a command, a path, or code
    inner = word.rstrip("!") if is_last and len(word) < _LEAST_BEFORE_MARK else word
    return not _SIGNS.isdisjoint(inner) and not (_REFERENCE.fullmatch(word) or is_ordinary(word) or HOST.match(word))


# -- tables

_HEADINGS = ("pin", "puk", "cvv", "cvc", "ssn", "pass", "token", "secret", "key", "iban", "nif", "dni", "bsn", "code")
_HEADING = re.compile(
    r"(?i)(?<![^\W_])(?:pin|puk|cv[vc]|ssn|iban|nif|dni|bsn|key|code|pass(?:w\w*)?|token|secret|passport)s?\b"
)
_HEADING_CELL = re.compile(
    r"(?:[^=:(){}\[\]\"'$.]|\.(?!\w)){1,40}(?:\([^=(){}]{1,20}\))?"
)  # and no line of code, no file
_CELL_SIGNS = ("|", "\t", ";", ",", "  ")  # the last of any length
_LIST_SIGNS = (";", ",")  # at the end of a line: one of a list, or of code
_MOST_CELLS = 12


def find_in_columns(text: str, lowered: str, find: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    """Yield what is secret in the cells of tables because of the heading above it."""
    if "\n" not in text or not any(word in lowered for word in _HEADINGS):
        return
    lines = _split_lines(text)
    number = 0
    while number < len(lines) - 1:
        start, line = lines[number]
        sign = next((sign for sign in _CELL_SIGNS if sign in line), "")
        is_heading = sign and not line.rstrip().endswith(_LIST_SIGNS) and _HEADING.search(line)
        rows = _table_rows(lines, number, sign) if is_heading else []
        for column, heading in enumerate(_split_cells(line, sign, start) if rows else ()):
            if _HEADING_CELL.fullmatch(heading[1]) and _HEADING.search(heading[1]):
                yield from _find_in_cells(heading[1], [row[column] for row in rows], find)
        number += 1 + len(rows)


# -- answers

_QUESTION = re.compile(
    r"(?im)^([^\n]{6,160}?)(?:\?|\b(?:pls|please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|svp|"
    r"per favore))[ .!)]{0,3}\n"
    r"[ \t>*-]{0,4}(?:[^\s:]{1,20}(?: [^\s:]{1,20})?:[ \t])?"
    r"(?:(?:it['’]?s|it is|that['’]?s|es ist|das ist|c['’]est|es|è|é|sure|ok|yes|here|ja|oui|sì|sí|si|sim)[,:]?[ \t])"
    r"{0,3}"
    r"((?=[^\n]{0,60}\d)[^\n]{4,200})$"
)
_MOST_WORDS = 3  # of an answer that is a secret and nothing else


def find_in_answers(text: str, find: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    """Yield what is secret in a line because the line before asks for it."""
    for asked in _QUESTION.finditer(text) if "\n" in text else ():
        if len(asked[2].split()) <= _MOST_WORDS:
            yield from _find_in_cells(asked[1], [(asked.start(2), asked[2])], find)


def _split_lines(text: str) -> list[tuple[int, str]]:
    at, found = 0, []
    for line in text.split("\n"):
        found.append((at, line))
        at += len(line) + 1
    return found


def _table_rows(lines: list[tuple[int, str]], heading: int, sign: str) -> list[list[tuple[int, str]]]:
    """Return the cells of the rows under a heading: lines that are parted as often as it is."""
    count = len(_split_cells(lines[heading][1], sign, 0))
    rows = []
    if 1 < count <= _MOST_CELLS:
        for start, line in islice(lines, heading + 1, None):
            if len(cells := _split_cells(line, sign, start)) != count:
                break
            rows.append(cells)
    return rows


def _split_cells(line: str, sign: str, start: int) -> list[tuple[int, str]]:
    """Return each cell of a row with the place where its text begins."""
    cells = []
    for cell in line.split(sign):
        bare = cell.strip(" \t\"'`*")
        if bare or sign != "  ":  # more spaces part no more cells
            cells.append((start + (cell.index(bare) if bare else 0), bare))
        start += len(cell) + len(sign)
    return cells


def _find_in_cells(heading: str, cells: list[tuple[int, str]], find: Callable[[str], Iterator[Span]]) -> Iterator[Span]:
    told = ""
    places = []
    for start, cell in cells:
        told += f"{heading}: "
        places.append((len(told), len(told) + len(cell), start))
        told += f"{cell}\n"
    for sort, begin, end in find(told):
        for first, last, start in places:
            if first <= begin and end <= last:
                yield sort, start + begin - first, start + end - first
