"""Read git's configuration files as data, and keep of a repository's own only the settings that are harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ConfigItem = tuple[str, str | None]  # a key such as `remote.origin.url`; None where the file names it without a value

_HEADER = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}

# What git must know of a repository to read and write it, who commits, and where its branches go. Everything else that
# lies in a vault's `.git/config` may name a program, a place outside or a weaker guard, so nothing else is passed on.
ALLOWED_KEYS = frozenset(
    {
        "core.autocrlf",
        "core.bare",
        "core.bigfilethreshold",
        "core.checkstat",
        "core.compression",
        "core.eol",
        "core.filemode",
        "core.ignorecase",
        "core.logallrefupdates",
        "core.longpaths",
        "core.precomposeunicode",
        "core.repositoryformatversion",
        "core.sharedrepository",
        "core.sparsecheckout",
        "core.sparsecheckoutcone",
        "core.symlinks",
        "core.trustctime",
        "commit.gpgsign",
        "extensions.noop",
        "extensions.objectformat",
        "extensions.refstorage",
        "index.sparse",
        "receive.denycurrentbranch",
        "receive.denydeletes",
        "receive.denynonfastforwards",
        "author.email",
        "author.name",
        "committer.email",
        "committer.name",
        "user.email",
        "user.name",
        "branch.*.merge",
        "branch.*.remote",
        "remote.*.fetch",
        "remote.*.url",
    }
)


def read_config(path: Path) -> tuple[ConfigItem, ...]:
    """Return all that a configuration file sets, in its order; nothing where there is no such file."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return tuple(parse_config(text))


def parse_config(text: str) -> Iterator[ConfigItem]:
    """Return what a configuration file sets, as git reads it; lines that git could not read set nothing."""
    section = ""
    at, end = int(text.startswith("\ufeff")), len(text)
    while at < end:
        if text[at].isspace():
            at += 1
        elif text[at] in "#;":
            at = _end_of_line(text, at)
        elif found := _HEADER.match(text, at):
            section, at = _section_of(found), found.end()
        elif section and (found := _NAME.match(text, at)):
            value, at = _read_value(text, found.end())
            yield f"{section}.{found[0].lower()}", value
        else:
            at = _end_of_line(text, at)


def keep_allowed(items: Iterable[ConfigItem]) -> Iterator[ConfigItem]:
    """Drop keys that are not allowed, remotes with names like options, and all but the first address of a remote."""
    known: set[str] = set()
    for key, value in items:
        section, _, name = key.partition(".")
        subsection, _, last = name.rpartition(".")
        pattern = f"{section}.*.{last}" if subsection else key
        if pattern not in ALLOWED_KEYS or subsection.startswith("-"):
            continue
        if last == "url" and key in known:
            continue
        known.add(key)
        yield key, value


def write_config(items: Iterable[ConfigItem]) -> str:
    """Return a configuration file that sets some items and nothing else."""
    return "".join(_lines_of(key, value) for key, value in items)


def last_value(items: Iterable[ConfigItem], key: str) -> str:
    """Return the value that counts of a key, empty where it has none."""
    for name, value in reversed(tuple(items)):
        if name == key:
            return "true" if value is None else value
    return ""


def _section_of(found: re.Match[str]) -> str:
    name = found[1].lower()
    subsection = re.sub(r"\\(.)", r"\1", found[2] or "")
    return f"{name}.{subsection}" if subsection else name


def _read_value(text: str, at: int) -> tuple[str | None, int]:
    """Return the value after a name, and where the next line begins."""
    while at < len(text) and text[at] in " \t":
        at += 1
    if text[at : at + 1] != "=":
        return None, _end_of_line(text, at)
    value, spaces, quoted, at = "", "", False, at + 1
    while at < len(text) and (sign := text[at]) != "\n":
        at += 1
        if sign in " \t\r" and not quoted:
            spaces += sign if value else ""
            continue
        if sign in "#;" and not quoted:
            return value, _end_of_line(text, at)
        if sign == '"':
            quoted = not quoted
            sign = ""
        elif sign == "\\":
            sign, at = _unescape(text, at)
        value, spaces = f"{value}{spaces}{sign}", ""
    return value, at


def _unescape(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 2] == "\r\n":
        return "", at + 2
    sign = text[at : at + 1]
    return ("" if sign == "\n" else _ESCAPES.get(sign, sign)), at + 1


def _end_of_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _lines_of(key: str, value: str | None) -> str:
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    header = f'[{section} "{_escape(subsection)}"]' if subsection else f"[{section}]"
    return f"{header}\n\t{name}" + ("\n" if value is None else f' = "{_escape(value)}"\n')


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\b", "\\b")
