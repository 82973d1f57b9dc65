"""The numbers behind each plot, as tables that open on demand, and lists of memories by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memvault.maintenance.report.markup import LONGEST_TITLE, NOTHING, Markup, element, join, words


def behind(name: str, *tables: str) -> Markup:
    """Tables that open on demand."""
    return element("details", element("summary", name), *(element("div", part, class_="scroll") for part in tables))


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Rows below headings; what begins with a digit in every row stands to the right."""
    lines = [list(row) for row in rows]
    right = [bool(lines) and all(_is_number(line[n]) for line in lines) for n in range(len(headings))]
    head = element(
        "tr",
        *(_cell("th", text, to_right=to_right, scope="col") for text, to_right in zip(headings, right, strict=True)),
    )
    body = (
        element("tr", *(_cell("td", text, to_right=to_right) for text, to_right in zip(line, right, strict=True)))
        for line in lines
    )
    return element("table", element("caption", caption), element("thead", head), element("tbody", *body))


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit()


def _cell(name: str, text: str, *, to_right: bool, scope: str | None = None) -> Markup:
    return element(name, text, class_="n" if to_right else None, scope=scope)


def title(text: str) -> Markup:
    """A memory's title, whatever script it is in and however long."""
    return element("bdi", words(text or "(no longer in the vault)", LONGEST_TITLE))


def named(rows: Iterable[tuple[str, str]], *, numbered: bool = False) -> Markup:
    """Titles, each with a word beside it."""
    items = [
        element("li", element("i", f"{number}") if numbered else NOTHING, element("b", title(name)), element("i", said))
        for number, (name, said) in enumerate(rows, 1)
    ]
    return element("ol", *items, class_="named many") if items else NOTHING


def lists(*parts: tuple[str, Markup]) -> Markup:
    """Lists side by side, those that are empty left out."""
    return element(
        "div", *(element("div", element("h3", head), found) for head, found in parts if found), class_="lists"
    )


def section(name: str, heading: str, told: str, *shown: str) -> Markup:
    """One part of the page: what it is about, and beside it what there is to see."""
    head = f"{name}-heading"
    words_ = element("div", element("h2", heading, id=head), element("p", told), class_="told")
    return element("section", words_, element("div", *shown, class_="shown"), aria_labelledby=head)


def figures(rows: Iterable[tuple[str, str]]) -> Markup:
    """Headline figures."""
    items = (element("li", element("b", value), element("span", meaning), class_="figure") for value, meaning in rows)
    return element("ul", *items, class_="figures")


def paragraph(*parts: str) -> Markup:
    """Some words of ours."""
    return element("p", join(*parts), class_="soft")
