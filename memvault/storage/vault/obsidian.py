"""What a folder's own Obsidian settings say of its notes: which are templates, and which are a day's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path

from memvault.core.value import Record
from memvault.errors import MemvaultError
from memvault.system import files

_FOLDER = ".obsidian"
_TEMPLATE_FILES = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
_DAILY_FILE = "daily-notes.json"
_TEMPLATE_NAMES = frozenset({"template", "templates", "_template", "_templates"})
_USUAL_FORMAT = "YYYY-MM-DD"
_LONGEST = 1_000_000  # bytes of a file of settings
# A day's name as Obsidian spells its format, and as Python reads it; longer signs first.
_SIGNS: Mapping[str, str] = {
    "YYYY": "%Y",
    "MMMM": "%B",
    "dddd": "%A",
    "MMM": "%b",
    "ddd": "%a",
    "YY": "%y",
    "MM": "%m",
    "DD": "%d",
    "Do": "%d",
    "M": "%m",
    "D": "%d",
}
_SIGN = re.compile(r"\[(?P<said>[^\]]*)\]|" + "|".join(sorted(_SIGNS, key=len, reverse=True)) + r"|%")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")


class ObsidianSettings(Record):
    """Where the templates and the daily notes of a folder lie, and how a day's note is named."""

    templates: tuple[str, ...] = ()
    daily: str = ""
    daily_format: str = _USUAL_FORMAT

    def is_template(self, path: str) -> bool:
        """Return whether a note is a template: by the settings, or as it lies in a folder of that name in any case."""
        folders = path.split("/")[:-1]
        is_named = any(part.casefold() in _TEMPLATE_NAMES for part in folders)
        return is_named or any(path.casefold().startswith(f"{folder}/".casefold()) for folder in self.templates)

    def daily_date(self, path: str) -> date | None:
        """Return the day of a daily note; None where it is none."""
        stem = path.rpartition(".")[0]
        if self.daily:
            if not stem.casefold().startswith(f"{self.daily}/".casefold()):
                return None
            stem = stem[len(self.daily) + 1 :]
        name = self.daily_format.rpartition("/")[2]
        spelled = name if all(sign in name for sign in "YMD") else self.daily_format  # folders say the rest of the day
        named = "/".join(stem.split("/")[-1 - spelled.count("/") :])
        with suppress(ValueError, re.error):  # a format that names a part of a day twice
            form = _SIGN.sub(_python_sign, spelled)
            return datetime.strptime(_ORDINAL.sub("", named), form).date()  # noqa: DTZ007 - a day, and no moment
        return None


def _python_sign(found: re.Match[str]) -> str:
    if found["said"] is not None:
        return found["said"].replace("%", "%%")
    return _SIGNS.get(found[0], "%%")


def read_obsidian_settings(root: Path) -> ObsidianSettings:
    """Return what the settings of an Obsidian vault say; what cannot be read says nothing."""
    templates = [_folder_name(_read_settings(root, name).get(key)) for name, key in _TEMPLATE_FILES]
    daily = _read_settings(root, _DAILY_FILE)
    form = daily.get("format")
    return ObsidianSettings(
        templates=tuple(dict.fromkeys(filter(None, templates))),
        daily=_folder_name(daily.get("folder")),
        daily_format=form if isinstance(form, str) and form.strip() else _USUAL_FORMAT,
    )


def _read_settings(root: Path, name: str) -> Mapping[str, object]:
    with suppress(MemvaultError, OSError, ValueError):
        found = json.loads(files.read_file(root / _FOLDER / name, limit=_LONGEST))
        return found if isinstance(found, dict) else {}
    return {}


def _folder_name(value: object) -> str:
    return value.strip().strip("/") if isinstance(value, str) else ""
