"""Whether a rule bears on an edit or a command that is about to be made, by what both of them name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from memvault.text.stem import stem
from memvault.text.terms import STOPWORDS

LONGEST = 60
"""Words of a rule that is given whole at the moment of action."""

BEARS = 1.0
"""From this rating on a rule is taken to bear on an action."""

_NORM = re.compile(
    r"\b(?:never|not|no|none|nobody|nothing|only|must|always|cannot|every|each|all|any|anything|use|keep|avoid"
    r"|instead|rather|prefer|before|default|banned|frozen|forbidden|off limits|decided|agreed|read-only|unless|without"
    r"|nie|niemals|immer|nur|kein\w*|jamais|toujours|nunca|siempre|statt)\b|n't\b",
    re.IGNORECASE,
)
# A rule of where something goes, or of what is not to be touched, bears on a file by its path alone.
_OF_PLACES = re.compile(
    r"\b(?:edit\w*|touch\w*|chang\w*|modif\w*|frozen|generated|read-only|in place|append\w*|appear\w*|writ\w+|put"
    r"|commit\w*|delet\w*|renam\w*|mov\w+)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?:,|;| -|—)? (?:because|since|as|so that|decided (?:after|with)|after the|weil|parce que)\b.*$", re.IGNORECASE
)
# What a rule forbids, or what its moment is, bears by this one word.
_BANNED = re.compile(
    r"(?:\b(?:never|not?|avoid|without|over|instead of|rather than)|n't)"
    r"(?: (?:use|using|run|running|call|calling|add|adding|any|new|more|the|an?))* ([\w.-]*\w)",
    re.IGNORECASE,
)
_MOMENT = re.compile(r"\b(?:before|when|whenever|after)(?: (?:you|i|we|every|each|any|the|an?))* (\w+)", re.IGNORECASE)
_UNDER = re.compile(r"\b(?:under|inside|below|within) `?((?:[\w.-]+/)+[\w.-]*)")
_LITERAL = re.compile(
    r"`([^`]+)`|((?:[\w.-]+/)+[\w.-]*|\.\w{2,}\b|\w+\.\w{1,5}\b(?<!\.\d)|\w+_\w+|\w+\(\)|\b[A-Z]{2,}\b"
    r"|\b[a-z]+[A-Z]\w*)"
)
_WORD = re.compile(r"[a-zà-ÿ]{2,}|[A-ZÀ-Þ]?[a-zà-ÿ]+|[A-Z]+(?![a-z])|\d+")
_EDITS = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit"))
# Commands that only look.
_LOOKING_TEXT = """
ls cat head tail less more grep rg ag find fd du df wc file stat tree pwd which whereis echo printf diff cmp man
type test true history env printenv id whoami date ps top sort uniq cut column jq
"""
_LOOKS = frozenset(_LOOKING_TEXT.split())
_LOOKING_GIT_TEXT = "status log diff show branch blame remote describe rev-parse ls-files fetch grep reflog"
_LOOKING_GIT = frozenset(_LOOKING_GIT_TEXT.split())
_DATABASES = frozenset(["psql", "mysql", "sqlite3", "mariadb"])
_CHANGES_ROWS = re.compile(r"\b(?:insert|update|delete|drop|alter|create|truncate|grant)\b|<| -f ", re.IGNORECASE)
_MESSAGE = re.compile(r"""( -\w*m| --message)(?: +|=)(?:'[^']*'|"[^"]*")""")
_PROSE = frozenset(["md", "mdx", "txt", "rst", "adoc", "org", "tex"])
_WRITING_ABOUT = frozenset(["doc", "note", "report", "readme", "book", "public", "page", "text"])


def _read_table(text: str) -> Mapping[str, str]:
    rows = (row.partition(":") for row in " ".join(text.split()).split(";"))
    return {word.strip(): others.strip() for word, _, others in rows}


# What a file's ending and a command's words stand for.
_ENDINGS = _read_table(
    """
    ipynb: notebook; sql: sql query; r: script; py: script python; sh: script shell; csv: data; parquet: data; tsx:
    frontend react; jsx: frontend react; vue: frontend; css: style; scss: style; ts: typescript; js: javascript; go: go;
    rs: rust; yml: config; yaml: config; toml: config; md: doc; lock: lockfile dependency; proto: schema; tf: terraform;
    env: secret; pem: secret key; png: image; jpg: image; tif: image print; svg: image icon
    """
)
_STANDS_FOR = _read_table(
    """
    prod: production; fri: friday; sat: saturday; sun: sunday; mon: monday; deploy: production release; push: push
    remote; curl: send outside service network; wget: network outside; scp: send copy; rsync: copy; install:
    dependency package; rm: delete remove; mv: move rename; sed: edit; drop: delete; psql: database sql; mysql:
    database sql; docker: container; kubectl: cluster; pytest: test; sample: random; rand: random; shuffle: random;
    tag: release; commit: commit; force: force; main: main branch; db: database; repo: repository; config: config
    settings; auth: authentication login; img: image; def: function; func: function; fn: function
    """
)
# Verbs of commands, parts of any project and sorts of files: alone they say nothing of what an action is about.
_GENERAL = """
    api csv css html http js json md pdf py sql toml ts url xml yaml
    add app apply backup branch build call change check class clean client code command comment commit config copy
    create data database default deploy directory doc edit export file fix folder format function get git image
    import index install item key lib line link list load make message move name new note open option output
    package page path print project pull push query read release remote remove rename repo repository report run save
    script sell send server service set settings source src start step stop store style sync table tag test text
    tool type update upload user value version view work write
"""
_BY_PATH, _BY_TEXT, _BY_COMMAND, _BY_FOLDER, _BY_SUBJECT, _BY_LITERAL = 0.6, 0.4, 0.6, 0.2, 0.4, 1.0
_SHORTEST, _LONGER, _MOST_TEXT = 4, 6, 20_000


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """An edit or a command: the words of its path or command, of what changes, of the folder; its text and verbs."""

    named: frozenset[str]
    changed: frozenset[str]
    folder: frozenset[str]
    raw: str
    verbs: frozenset[str]
    is_edit: bool
    is_prose: bool


class ActionRule(NamedTuple):
    """A rule as it is compared: its words in order, what it names literally, what decides it, if it is of places."""

    words: tuple[str, ...]
    literals: tuple[str, ...]
    banned: frozenset[str]
    moments: frozenset[str]  # the verbs of the commands before or after which it holds
    under: tuple[str, ...]  # the folders that it is about
    is_of_places: bool


def is_rule(text: str) -> bool:
    """Return whether a text says how things are to be done, and is short enough to be given whole."""
    return len(text.split(maxsplit=LONGEST + 1)) <= LONGEST and _NORM.search(text.replace("’", "'")) is not None


def parse_rule(text: str) -> ActionRule:
    """Return a rule as it is compared; the reason that it gives bears on nothing."""
    rule = _REASON.sub("", text.replace("’", "'"))
    found = (next(filter(None, match.groups())).strip() for match in _LITERAL.finditer(rule))
    literals = tuple(dict.fromkeys(one.strip(".").lstrip("/") for one in found if len(one.strip("./()")) > 1))
    words = tuple(dict.fromkeys(stem(word) for word in _split_words(rule) if word not in STOPWORDS and len(word) > 1))
    banned, moments = (
        frozenset(stem(part) for one in pattern.findall(rule) for part in _split_words(one)[:1]) & {*words}
        for pattern in (_BANNED, _MOMENT)
    )
    under = tuple(one.rstrip(".") for one in _UNDER.findall(rule))
    return ActionRule(words, literals, banned - _general_words(), moments, under, _OF_PLACES.search(rule) is not None)


def read_action(tool: str, given: Mapping[str, object], folder: str = "") -> PlannedAction | None:
    """Return what a call of a tool is about to do; None where it changes nothing."""
    if tool in ("Bash", "PowerShell"):
        return _read_command(_get_text(given, "command"), folder)
    if tool == "apply_patch":
        return _read_patch(
            _get_text(given, "input") or _get_text(given, "command") or _get_text(given, "patch"), folder
        )
    path = _get_text(given, "file_path") or _get_text(given, "notebook_path")
    if not path or tool not in _EDITS:
        return None
    edits = given.get("edits")
    pairs = [one for one in edits if isinstance(one, Mapping)] if isinstance(edits, list) else [given]
    old = "\n".join(_get_text(one, "old_string") for one in pairs)
    new = "\n".join(_get_text(one, "new_string") for one in pairs)
    new = "\n".join(filter(None, (new, _get_text(given, "content"), _get_text(given, "new_source"))))
    return _make_edit(path, old, new, folder)


def rate_bearing(rule: ActionRule, action: PlannedAction) -> float:
    """Rate how surely a rule bears on an action; from `BEARS` on it does."""
    if rule.under and not any(_has_literal(one, action) for one in rule.under):
        return 0.0
    named = changed = 0.0
    many = 0
    is_told, is_at_home = False, not action.folder.isdisjoint(rule.words)
    for place, word in enumerate(rule.words):
        by_name = any(_is_same(word, other) for other in action.named)
        by_change = any(_is_same(word, other) for other in action.changed)
        subject = _BY_SUBJECT if place == 0 else 0.0
        named += (_BY_PATH if action.is_edit else _BY_COMMAND) + subject if by_name else 0.0
        changed += _BY_TEXT if by_change else 0.0
        many += by_name or by_change
        is_told = is_told or ((by_name or by_change) and word not in _general_words())
        named += _BY_FOLDER if not by_name and word in action.folder else 0.0
    literals = [one for one in rule.literals if _has_literal(one, action)]
    if _is_decided(rule, action) and (literals or not any("/" in one for one in rule.literals)):
        return BEARS + named + changed
    literal = _BY_LITERAL if literals else 0.0
    if not is_told and not any(is_at_home or stem(one.lower()) not in _general_words() for one in literals):
        return 0.0
    if not (literal or many > 1 or (rule.is_of_places and action.is_edit)):
        return 0.0  # one word alone is said of much
    if not action.is_edit:
        return named + literal
    if action.is_prose and not (_WRITING_ABOUT & set(rule.words)) and not rule.is_of_places:
        changed = 0.0
    needs_change = not (rule.is_of_places or literal or changed)
    return 0.0 if needs_change else named + changed + literal


def _is_decided(rule: ActionRule, action: PlannedAction) -> bool:
    """Return whether an action brings in what a rule forbids or is its moment, or says two words that it joins."""
    if action.is_prose:
        return False
    brought = action.changed & frozenset(map(stem, _split_words(action.raw))) if action.is_edit else action.named
    if rule.banned & brought or rule.moments & action.verbs:
        return True
    pairs = zip(rule.words, rule.words[1:], strict=False)
    return any(
        {one, other} & brought and re.search(rf"(?i)\b{one}[ _-]?{other}", action.raw)
        for one, other in pairs
        if len(one) > 2
    )


@cache
def _general_words() -> frozenset[str]:
    return frozenset(map(stem, _GENERAL.split()))


def _has_literal(literal: str, action: PlannedAction) -> bool:
    low = literal.lower()
    if "/" in low:  # a path is touched where it is, not where it is spoken of
        touched = action.raw.partition("\n")[0] if action.is_edit else action.raw
        return re.search(rf"(?<![\w.-]){re.escape(low.strip('/'))}(?![\w-])", touched.lower()) is not None
    if "." in low or low.endswith("()"):
        return low.removesuffix(")") in action.raw.lower()
    # A name of capitals may be a part of another: "ORM" in "gorm".
    words = action.named | action.changed
    return any(
        low == word or (literal.isupper() and len(low) > 2 and low in word) or stem(low) == word for word in words
    )


def _is_same(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return word == other or (
        len(shorter) >= _SHORTEST and longer.startswith(shorter) and len(longer) - len(shorter) < _LONGER
    )


def _read_command(command: str, folder: str) -> PlannedAction | None:
    """Return what a command touches: not what it only looks at, and not what a message about it says."""
    doing = [part for part in re.split(r"&&|\|\||[;\n]", _MESSAGE.sub(r"\1", command)) if not _only_looks(part)]
    if not doing:
        return None
    text = "\n".join(doing)
    words = _spread(_split_words(text))
    verbs = frozenset(stem(word) for part in doing for word in _split_words(" ".join(part.split()[:2])))
    return PlannedAction(words, words, _folder_words(folder), text[:_MOST_TEXT], verbs, is_edit=False, is_prose=False)


def _only_looks(line: str) -> bool:
    """Return whether a line of a command, piped or not, changes nothing."""
    return all(_is_look(words, line) for part in line.split("|") if (words := part.split()))


def _is_look(words: Sequence[str], line: str) -> bool:
    program, *rest = words
    name = program.rpartition("/")[2]
    if name in _DATABASES:
        return _CHANGES_ROWS.search(line) is None
    if ">" in "".join(rest).replace("2>&1", "").replace(">/dev/null", "") and name in ("echo", "printf", "cat"):
        return False
    return name in _LOOKS or name in ("cd", "#") or (name == "git" and next(iter(rest), "") in _LOOKING_GIT)


def _read_patch(patch: str, folder: str) -> PlannedAction | None:
    paths = re.findall(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", patch, re.MULTILINE)
    if not paths:
        return None
    lines = [line for line in patch.splitlines() if not line.startswith(("***", "@@", "+++", "---"))]
    old, new = ("\n".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
    return _make_edit(" ".join(paths), old, new, folder)


def _make_edit(path: str, old: str, new: str, folder: str) -> PlannedAction:
    inside = path.removeprefix(folder).lstrip("/") if folder else path
    before, after = set(_split_words(old[:_MOST_TEXT])), set(_split_words(new[:_MOST_TEXT]))
    ending = path.rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""
    named = _spread([*_split_words(inside), *_ENDINGS.get(ending, "").split(), ending])
    return PlannedAction(
        named,
        _spread(before ^ after),
        _folder_words(folder),
        f"{inside}\n{new[:_MOST_TEXT]}",
        frozenset(),
        is_edit=True,
        is_prose=ending in _PROSE,
    )


def _folder_words(folder: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _split_words(folder.rpartition("/")[2]))


def _spread(words: Sequence[str] | set[str]) -> frozenset[str]:
    """Return the stems of words and of what they stand for."""
    every = [*words, *(other for word in words for other in _STANDS_FOR.get(word, "").split())]
    return frozenset(stem(word) for word in every if word and word not in STOPWORDS)


def _split_words(text: str) -> list[str]:
    """Return the words of names and of prose in small letters: `PieChart`, `set_seed` and `a/b.go` are several."""
    return [word.lower() for word in _WORD.findall(text)]


def _get_text(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""
