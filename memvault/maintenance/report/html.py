"""How the report is written: elements in which no memory can be more than words, and one sheet of style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from memvault.core.secrets.private_spans import strip_private
from memvault.text.display import clip_line, to_one_line

LONGEST_TITLE = 120


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


NOTHING = Markup("")


def escape_text(text: str, cells: int = 0) -> Markup:
    """Return text of a memory as it may stand on a page: on one line, without private spans, cut to so many cells."""
    return Markup(escape(clip_line(to_one_line(strip_private(text)), cells), quote=True))


def make_element(name: str, *children: str, **attributes: str | float | None) -> Markup:
    """Return one element; an attribute that is None is left out, `class_` is `class`, `x_y` is `x-y`."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{join_markup(*children)}</{name}>")


def join_markup(*parts: str, between: str = "") -> Markup:
    """Return parts one after the other, each escaped where it is not markup."""
    return Markup(between.join(part if isinstance(part, Markup) else escape_text(part) for part in parts))


def make_section(name: str, heading: str, description: str, *shown: str) -> Markup:
    """Return one part of the page: what it is about, and beside it what there is to see."""
    head = f"{name}-heading"
    about = make_element("div", make_element("h2", heading, id=head), make_element("p", description), class_="about")
    return make_element("section", about, make_element("div", *shown, class_="shown"), aria_labelledby=head)


def make_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return rows below headings; what begins with a digit in every row stands to the right."""
    lines = [list(row) for row in rows]
    right = [bool(lines) and all(_is_number(line[n]) for line in lines) for n in range(len(headings))]
    head = [_table_cell("th", text, is_right, scope="col") for text, is_right in zip(headings, right, strict=True)]
    body = (
        make_element("tr", *(_table_cell("td", text, is_right) for text, is_right in zip(line, right, strict=True)))
        for line in lines
    )
    table = make_element(
        "table",
        make_element("caption", caption),
        make_element("thead", make_element("tr", *head)),
        make_element("tbody", *body),
    )
    return make_element("div", table, class_="scroll")


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit()


def _table_cell(name: str, text: str, is_right: bool, scope: str | None = None) -> Markup:  # noqa: FBT001
    return make_element(name, text, class_="n" if is_right else None, scope=scope)


def make_bar(value: float, most: float) -> Markup:
    """Return a bar as long as a value's share of the greatest; the number stands beside it, so no reader needs it."""
    return make_element("meter", min=0, max=round(most, 4) or 1, value=round(value, 4), aria_hidden="true")


def title_markup(text: str) -> Markup:
    """Return a memory's title, whatever script it is in and however long."""
    return make_element("bdi", escape_text(text or "(no longer in the vault)", LONGEST_TITLE))


def named_list(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return titles, each with a word beside it."""
    items = [make_element("li", make_element("b", title_markup(name)), make_element("i", word)) for name, word in rows]
    return make_element("ol", *items, class_="named") if items else NOTHING


def side_by_side(*parts: tuple[str, Markup]) -> Markup:
    """Return the lists that are not empty, side by side."""
    shown = (make_element("div", make_element("h3", head), part) for head, part in parts if part)
    return make_element("div", *shown, class_="lists")


STYLE = Markup("""
:root {
  color-scheme: light dark; --paper: #fcfbf8; --ink: #1f242c; --soft: #5a616d; --line: #e3dfd6; --bar: #1f7a76;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #14161a; --ink: #ebe8e1; --soft: #a6aab3; --line: #2d3138; --bar: #57bdb5 }
}
* { box-sizing: border-box }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
main, header, footer { max-width: 1160px; margin: 0 auto; padding: 0 20px }
h1, h2 { font-weight: 500; line-height: 1.15 }
header { padding-top: 56px; padding-bottom: 24px }
h1 { font-size: clamp(2.1rem,6vw,3.4rem); margin: .1em 0 .15em }
.over { text-transform: uppercase; color: var(--bar); margin: 0; font-size: .8rem; font-weight: 600 }
.lead, .soft, .about p, footer, summary, .named i { color: var(--soft) }
.figures { display: flex; flex-wrap: wrap; gap: 18px 40px; margin: 36px 0 0; padding: 0; list-style: none }
.figures b { display: block; font-size: 2.3rem; font-weight: 500; line-height: 1.15 }
.figures span { font-size: .86rem; color: var(--soft) }
section { padding: 40px 0 8px; border-top: 1px solid var(--line) }
h2 { font-size: 1.55rem; margin: 0 0 .4em }
.about p { margin: 0 0 1em; max-width: 34em }
.shown, .named b { min-width: 0 }
details { margin: 18px 0 24px; font-size: .9rem }
summary { cursor: pointer }
:focus-visible { outline: 2px solid var(--bar); outline-offset: 3px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: 0 0 20px; width: 100%; overflow-wrap: normal }
caption { text-align: left; font-weight: 600; padding: 4px 0 }
th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top }
td bdi { overflow-wrap: anywhere }
th { font-weight: 600; color: var(--soft) }
.n { text-align: right; white-space: nowrap }
meter { appearance: none; width: 100%; min-width: 7em; height: 12px; background: none; border: 0 }
meter::-webkit-meter-bar { background: none; border: 0; border-radius: 0; height: 12px }
meter::-webkit-meter-optimum-value { background: var(--bar) }
meter::-moz-meter-bar { background: var(--bar) }
.named { list-style: none; margin: 0; padding: 0; font-size: .92rem }
.named li { display: flex; gap: .7em; padding: 6px 0; border-bottom: 1px solid var(--line) }
.named b { font-weight: 500; flex: 1 }
.named i { font-style: normal; white-space: nowrap }
.lists { display: grid; gap: 24px 40px; margin-top: 18px }
.lists h3 { font-size: .95rem; margin: 0 }
footer { padding-top: 40px; padding-bottom: 56px; font-size: .86rem }
@media (min-width:620px) { .lists { grid-template-columns: 1fr 1fr } }
@media (min-width:1060px) {
  section { display: grid; grid-template-columns: 264px minmax(0,1fr); gap: 0 56px; padding: 56px 0 24px }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; --bar: #1f7a76 }
  section { break-inside: avoid; padding: 20px 0 0 }
  meter { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  details:not([open]) { display: none }
}
""")
