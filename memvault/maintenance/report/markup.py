"""Elements of a page: whatever is not markup already is escaped, so that no memory can say more than words."""

from __future__ import annotations

from html import escape

from memvault.core.secrets.private_spans import without_private
from memvault.text.display import clip
from memvault.text.escape import one_line

Value = str | float | None


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


NOTHING = Markup("")
LONGEST_TITLE = 120
_EMPTY = frozenset({"meta", "circle", "line", "path", "rect"})


def words(text: str, cells: int = 0) -> Markup:
    """Text of a memory as it may stand on a page: on one line, without private spans, cut to so many cells."""
    return Markup(escape(clip(one_line(without_private(text)), cells), quote=True))


def element(name: str, *children: str, **attributes: Value) -> Markup:
    """One element; an attribute that is None is left out, `class_` is `class`, `x_y` is `x-y`."""
    said = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    inner = join(*children)
    if name in _EMPTY and not inner:
        return Markup(f"<{name}{said}>" if name == "meta" else f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{inner}</{name}>")


def join(*parts: str, between: str = "") -> Markup:
    """Parts one after the other, each escaped where it is not markup."""
    return Markup(between.join(part if isinstance(part, Markup) else words(part) for part in parts))


def _attribute(key: str, value: str | float | None) -> str:
    name = key.rstrip("_") if key in ("class_", "for_") else _NAMES.get(key, key.replace("_", "-"))
    said = number(value) if isinstance(value, int | float) else words(value or "")
    return f' {name}="{said}"'


_NAMES = {"view_box": "viewBox"}  # the one name that SVG spells with a capital


def number(value: float) -> str:
    """A number as short as it can be said with two decimals, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text
