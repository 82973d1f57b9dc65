"""How the report looks: one sheet of style for light and dark, for small screens and large, and for paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from memvault.core.secrets.private_spans import strip_private
from memvault.text.display import clip_line, to_one_line

# Elements of a page: whatever is not markup already is escaped, so that no memory can say more than words.

AttributeValue = str | float | None


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


NOTHING = Markup("")
LONGEST_TITLE = 120
_EMPTY = frozenset({"meta", "circle", "line", "path", "rect"})


def escape_text(text: str, cells: int = 0) -> Markup:
    """Return text of a memory as it may stand on a page: on one line, without private spans, cut to so many cells."""
    return Markup(escape(clip_line(to_one_line(strip_private(text)), cells), quote=True))


def make_element(name: str, *children: str, **attributes: AttributeValue) -> Markup:
    """Return one element; an attribute that is None is left out, `class_` is `class`, `x_y` is `x-y`."""
    said = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    inner = join_markup(*children)
    if name in _EMPTY and not inner:
        return Markup(f"<{name}{said}>" if name == "meta" else f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{inner}</{name}>")


def join_markup(*parts: str, between: str = "") -> Markup:
    """Return parts one after the other, each escaped where it is not markup."""
    return Markup(between.join(part if isinstance(part, Markup) else escape_text(part) for part in parts))


def _attribute(key: str, value: str | float | None) -> str:
    name = key.rstrip("_") if key in ("class_", "for_") else _NAMES.get(key, key.replace("_", "-"))
    said = format_number(value) if isinstance(value, int | float) else escape_text(value or "")
    return f' {name}="{said}"'


_NAMES = {"view_box": "viewBox"}  # the one name that SVG spells with a capital


def format_number(value: float) -> str:
    """Return a number as short as it can be said with two decimals, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


STYLE = Markup("""
:root {
  color-scheme: light dark; --paper: #fcfbf8; --ink: #1f242c; --soft: #5a616d; --line: #e3dfd6;
  --wash: #f4f1ea; --identity: #6a4c9c; --hot: #b84e24; --memories: #1f7a76; --archived: #8b867b;
  --node: #4f9793; --hue-0: #1f7a76; --hue-1: #b84e24; --hue-2: #6a4c9c; --hue-3: #3e6fb0; --hue-4: #a03a63;
  --hue-5: #7c6a12; --hue-6: #4a7a35; --hue-7: #5a616d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --ink: #ebe8e1; --soft: #a6aab3; --line: #2d3138; --wash: #1c1f25; --identity: #b19be6;
    --hot: #ee8e62; --memories: #57bdb5; --archived: #8d8a82; --node: #3f8d87; --hue-0: #57bdb5;
    --hue-1: #ee8e62; --hue-2: #b19be6; --hue-3: #82aef0; --hue-4: #e887ae; --hue-5: #d3bd58; --hue-6: #98c97f;
    --hue-7: #a6aab3;
  }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header, footer { max-width: 1160px; margin: 0 auto; padding: 0 20px }
h1, h2, .figure b {
  font-family: ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Noto Serif",serif;
  font-weight: 500; letter-spacing: -.01em; line-height: 1.15;
}
header { padding-top: 56px; padding-bottom: 24px }
h1 { font-size: clamp(2.1rem,6vw,3.4rem); margin: .1em 0 .15em; overflow-wrap: anywhere }
.over {
  font-size: .8rem; letter-spacing: .12em; text-transform: uppercase; color: var(--memories); margin: 0;
  font-weight: 600;
}
.soft, .when, figcaption, footer { color: var(--soft) }
.lead { margin: 0; color: var(--soft) }
.figures {
  display: grid; grid-template-columns: repeat(2,1fr); gap: 0 24px; margin: 36px 0 0; padding: 0;
  list-style: none; border-top: 1px solid var(--line);
}
.figure { padding: 18px 0 16px; border-bottom: 1px solid var(--line) }
.figure b { display: block; font-size: 2.3rem }
.figure span { display: block; font-size: .86rem; color: var(--soft); line-height: 1.35; max-width: 15em }
section { padding: 48px 0 8px }
section+section { border-top: 1px solid var(--line) }
h2 { font-size: 1.55rem; margin: 0 0 .4em }
section>.told p { margin: 0 0 1em; color: var(--soft); max-width: 34em }
.shown { min-width: 0 }
figure { margin: 0 }
svg.plot { display: block; width: 100%; height: auto; overflow: visible }
svg.wide { display: none }
svg.narrow { max-width: 480px }
svg text { font-family: inherit; fill: var(--ink); font-size: 13px; unicode-bidi: isolate }
svg .small { font-size: 12px; fill: var(--soft) }
svg .label { font-size: 15px; font-weight: 600 }
svg .strong { font-weight: 700; fill: var(--ink) }
svg .name { fill: var(--ink) }
svg .word { font-size: inherit; fill: var(--ink) }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round }
.grid { stroke: var(--line) }
.axis { stroke: var(--soft) }
.threshold { stroke: var(--hot); stroke-width: 1.5; stroke-dasharray: 5 4 }
.today { stroke: var(--ink); stroke-width: 1 }
.fill-identity { fill: var(--identity) }
.fill-hot { fill: var(--hot) }
.fill-memories { fill: var(--memories) }
.fill-archived { fill: var(--archived) }
.curve { fill: none; stroke-width: 2.25; stroke-linecap: round; stroke-linejoin: round }
.past { stroke-width: 1.25; stroke-dasharray: 1 4 }
.thread { fill: none; stroke-width: 1; opacity: .55 }
.crossing { fill: var(--paper); stroke-width: 2.25 }
.day.level-0 { fill: var(--wash) }
.day { fill: var(--memories) }
.level-1 { fill-opacity: .28 }
.level-2 { fill-opacity: .5 }
.level-3 { fill-opacity: .74 }
.node { fill: var(--node) }
.tie { stroke: var(--memories) }
.tie-1 { stroke-width: 1; stroke-opacity: .22 }
.tie-2 { stroke-width: 1.6; stroke-opacity: .28 }
.tie-3 { stroke-width: 2.4; stroke-opacity: .34 }
.tie-4 { stroke-width: 3.4; stroke-opacity: .4 }
.hue-0 { stroke: var(--hue-0) }
.hue-1 { stroke: var(--hue-1) }
.hue-2 { stroke: var(--hue-2) }
.hue-3 { stroke: var(--hue-3) }
.hue-4 { stroke: var(--hue-4) }
.hue-5 { stroke: var(--hue-5) }
.hue-6 { stroke: var(--hue-6) }
.hue-7 { stroke: var(--hue-7) }
svg .ink-0 { fill: var(--hue-0) }
svg .ink-1 { fill: var(--hue-1) }
svg .ink-2 { fill: var(--hue-2) }
svg .ink-3 { fill: var(--hue-3) }
svg .ink-4 { fill: var(--hue-4) }
svg .ink-5 { fill: var(--hue-5) }
svg .ink-6 { fill: var(--hue-6) }
svg .ink-7 { fill: var(--hue-7) }
details { margin: 18px 0 24px; font-size: .9rem }
summary { cursor: pointer; color: var(--soft); width: max-content; max-width: 100% }
summary:hover { color: var(--ink) }
:focus-visible { outline: 2px solid var(--memories); outline-offset: 3px; border-radius: 2px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: 12px 0 20px; width: 100% }
caption { text-align: left; font-weight: 600; padding: 4px 0 }
th, td {
  text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere;
}
th { font-weight: 600; color: var(--soft); overflow-wrap: normal }
.n { text-align: right; white-space: nowrap }
.named { list-style: none; margin: 14px 0 0; padding: 0; counter-reset: fate; font-size: .92rem }
.named li { display: flex; gap: .7em; align-items: baseline; padding: 6px 0; border-bottom: 1px solid var(--line) }
.named b { font-weight: 500; min-width: 0; overflow-wrap: anywhere; flex: 1 }
.named i { font-style: normal; color: var(--soft); white-space: nowrap }
.lists { display: grid; gap: 24px 40px; margin-top: 18px }
.shown>.lists:first-child { margin-top: 0 }
.lists h3 { font-size: .95rem; margin: 0 }
.many b { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden }
bdi { unicode-bidi: isolate }
footer { padding-top: 40px; padding-bottom: 56px; font-size: .86rem }
footer p { margin: 0; padding-top: 28px; border-top: 1px solid var(--line) }
@media (min-width:620px) {
  main, header, footer { padding-left: 32px; padding-right: 32px }
  svg.wide { display: block }
  svg.narrow { display: none }
  .figures { grid-template-columns: repeat(3,1fr) }
  .lists { grid-template-columns: 1fr 1fr }
}
@media (min-width:1060px) {
  section { display: grid; grid-template-columns: 264px minmax(0,1fr); gap: 0 56px; padding: 64px 0 24px }
  .figures { grid-template-columns: repeat(6,1fr) }
  header { padding-top: 88px }
}
@media print {
  :root {
    color-scheme: light; --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; --wash: #eee;
    --identity: #6a4c9c; --hot: #b84e24; --memories: #1f7a76; --archived: #8b867b;
  }
  body { font-size: 10.5pt }
  header { padding-top: 0 }
  section { break-inside: avoid; padding: 20px 0 0 }
  svg.wide { display: block }
  svg.narrow { display: none }
  .fill-identity, .fill-hot, .fill-memories, .fill-archived, .day, .node {
    print-color-adjust: exact; -webkit-print-color-adjust: exact;
  }
  details:not([open]) { display: none }
}
""")


# What all plots are drawn with: two sizes of sheet, scales, axes, and the frame that a screen reader understands.

CELL = 6.6  # about as wide as one terminal cell of small text is on a plot


class PlotSheet(NamedTuple):
    """How wide a plot is drawn: a page is given each plot twice, for wide and for narrow screens."""

    name: str
    width: float

    @property
    def is_narrow(self) -> bool:
        """Return whether this is the sheet for small screens."""
        return self.name == "narrow"


WIDE = PlotSheet("wide", 760)
NARROW = PlotSheet("narrow", 340)


class Drawing(NamedTuple):
    """A drawing on one sheet."""

    height: float
    body: Markup


class PlotScale(NamedTuple):
    """From values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return where a value stands."""
        return self.start + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)


def make_plot(name: str, title: str, description: str, draw: Callable[[PlotSheet], Drawing]) -> Markup:
    """Return a drawing on both sheets, of which a screen shows the one that fits, with words for who cannot see it."""
    return join_markup(*(_make_svg(name, title, description, sheet, draw(sheet)) for sheet in (WIDE, NARROW)))


def _make_svg(name: str, title: str, description: str, sheet: PlotSheet, drawing: Drawing) -> Markup:
    heading, text = f"{name}-{sheet.name}-title", f"{name}-{sheet.name}-told"
    return make_element(
        "svg",
        make_element("title", title, id=heading),
        make_element("desc", description, id=text),
        drawing.body,
        class_=f"plot {sheet.name}",
        view_box=f"0 0 {format_number(sheet.width)} {format_number(drawing.height)}",
        role="img",
        aria_labelledby=f"{heading} {text}",
    )


def draw_text(x: float, y: float, said: str, kind: str = "", *, anchor: str | None = None) -> Markup:
    """Return some words at a place."""
    return make_element("text", said, x=x, y=y, class_=kind or None, text_anchor=anchor)


def draw_line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> Markup:
    """Return a line from here to there."""
    return make_element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def round_steps(high: float, *, about: int = 4) -> Iterator[float]:
    """Yield round numbers from 0 up to the first that is at least `high`."""
    size = next(
        part * 10**power
        for power in range(-2, 12)
        for part in (1, 2, 5)
        if part * 10**power * about >= high and (part * 10**power >= 1 or high < 1)
    )
    count = 0
    while True:
        yield count * size
        if count * size >= high:
            return
        count += 1


# The numbers behind each plot, as tables that open on demand, and lists of memories by name.


def make_details(name: str, *tables: str) -> Markup:
    """Return tables that open on demand."""
    return make_element(
        "details", make_element("summary", name), *(make_element("div", part, class_="scroll") for part in tables)
    )


def make_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return rows below headings; what begins with a digit in every row stands to the right."""
    lines = [list(row) for row in rows]
    right = [bool(lines) and all(_is_number(line[n]) for line in lines) for n in range(len(headings))]
    head = make_element(
        "tr",
        *(
            _table_cell("th", text, to_right=to_right, scope="col")
            for text, to_right in zip(headings, right, strict=True)
        ),
    )
    body = (
        make_element(
            "tr", *(_table_cell("td", text, to_right=to_right) for text, to_right in zip(line, right, strict=True))
        )
        for line in lines
    )
    return make_element(
        "table", make_element("caption", caption), make_element("thead", head), make_element("tbody", *body)
    )


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit()


def _table_cell(name: str, text: str, *, to_right: bool, scope: str | None = None) -> Markup:
    return make_element(name, text, class_="n" if to_right else None, scope=scope)


def title_markup(text: str) -> Markup:
    """Return a memory's title, whatever script it is in and however long."""
    return make_element("bdi", escape_text(text or "(no longer in the vault)", LONGEST_TITLE))


def named_list(rows: Iterable[tuple[str, str]], *, numbered: bool = False) -> Markup:
    """Return titles, each with a word beside it."""
    items = [
        make_element(
            "li",
            make_element("i", f"{number}") if numbered else NOTHING,
            make_element("b", title_markup(name)),
            make_element("i", said),
        )
        for number, (name, said) in enumerate(rows, 1)
    ]
    return make_element("ol", *items, class_="named many") if items else NOTHING


def side_by_side(*parts: tuple[str, Markup]) -> Markup:
    """Return the lists that are not empty, side by side."""
    return make_element(
        "div", *(make_element("div", make_element("h3", head), found) for head, found in parts if found), class_="lists"
    )


def make_section(name: str, heading: str, description: str, *shown: str) -> Markup:
    """Return one part of the page: what it is about, and beside it what there is to see."""
    head = f"{name}-heading"
    words_ = make_element("div", make_element("h2", heading, id=head), make_element("p", description), class_="told")
    return make_element("section", words_, make_element("div", *shown, class_="shown"), aria_labelledby=head)


def headline_figures(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return the headline figures as a list."""
    items = (
        make_element("li", make_element("b", value), make_element("span", meaning), class_="figure")
        for value, meaning in rows
    )
    return make_element("ul", *items, class_="figures")


def make_paragraph(*parts: str) -> Markup:
    """Return some words of ours."""
    return make_element("p", join_markup(*parts), class_="soft")
