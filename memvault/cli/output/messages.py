"""What is said on stderr: labelled, wrapped between words, and with commands that work when they are copied."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from memvault.cli.commands import ALIASES, COMMANDS, MOVED
from memvault.cli.output.terminal import TextStyles
from memvault.text.display import cell_width, neutralize_text

_STYLES = {"error": "bad", "warning": "warning", "hint": "match"}
_NO_BREAK = "\ue000"  # stands for a blank within a command
_QUOTED = re.compile(r"`[^`\n]+`|(?<=: )memvault [^\n]+")
_NAMES = sorted({name.split()[0] for name in (*COMMANDS, *ALIASES, *MOVED)} - {"init", "setup"})
_COMMAND = re.compile(
    rf"(?<=`)memvault (?=(?:{'|'.join(_NAMES)})\b(?! --user))|(?<=: )memvault (?=(?:{'|'.join(_NAMES)}) )"
)


def format_message(text: str, label: str, *, width: int, styles: TextStyles, vault: str | None) -> str:
    """A message as a person reads it: what sort it is, and its text, whose commands are never broken."""
    head = f"{label}: " if label else ""
    whole = neutralize_text(name_vault(text, vault))
    whole = _QUOTED.sub(lambda found: found[0].replace(" ", _NO_BREAK), whole)
    room = max(20, width - len(head)) if width else 0
    lines = [part.replace(_NO_BREAK, " ") for line in whole.split("\n") for part in _wrap_words(line, room)]
    shown = getattr(styles, _STYLES[label])(f"{label}:") + " " if label else ""
    return "\n".join((" " * len(head) if number else shown) + line for number, line in enumerate(lines))


def _wrap_words(line: str, room: int) -> list[str]:
    """Break a line between words; a word that is too long, such as a command, stays whole for copying."""
    if not room or cell_width(line) <= room:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    lines = [""]
    for word in line.split():
        longer = f"{lines[-1]} {word}" if lines[-1] else margin + word
        if lines[-1] and cell_width(longer) > room:
            lines.append(margin + word)
        else:
            lines[-1] = longer
    return lines


def name_vault(text: str, vault: str | None) -> str:
    """Return a text whose commands name the vault that the line named."""
    return _COMMAND.sub(f"memvault --vault {quote_word(vault)} ", text) if vault else text


_OPTION = re.compile(r"`(--[a-z-]+)(?: ([A-Z]+|-))?`")
_LONGEST = 240  # characters of a line that is repeated


def repeat_with_options(text: str, name: str, words: Sequence[str], known: Container[str]) -> str:
    """Return a text in which an option that stands alone is the line that was typed, with that option.

    Secrets in the line are redacted; where one goes over several words, or the line is long, the text stays.
    """
    from memvault.core.secrets.scan import redact_secrets  # deferred: most messages have no such option

    shown = [redact_secrets(word) for word in words]
    if sum(map(len, shown)) > _LONGEST or redact_secrets(joined := " ".join(shown)) != joined:
        return text
    return _OPTION.sub(
        lambda found: f"`{repeat_command(name, shown, *found.groups(''))}`" if found[1] in known else found[0], text
    )


def repeat_command(name: str, words: Iterable[str], option: str, value: str = "") -> str:
    """Return the command line that was typed, with one option more, or with another value of it."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in (option, "--vault") and (value or word == "--vault"):
            next(rest, None)
        elif word not in (option, "--json", "--dry-run") and not word.startswith(("--vault=", f"{option}=")):
            kept.append(quote_word(word))
    return " ".join(["memvault", name, *kept, option, *([value] if value else [])])


def quote_word(word: str) -> str:
    """Return a word as a shell takes it."""
    from shlex import quote  # deferred: most messages name no vault

    return quote(word)
