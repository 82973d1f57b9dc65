"""Markdown as a page shows it: raw HTML stays text, links lead to memories, and images come from the vault alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape

from memvault.text.display import spell_controls
from memvault.text.terms import locate_terms

IMAGES: Mapping[str, str] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
}
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n|]+)(?:\|([^\[\]\n]*))?\]\]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def render_markdown(text: str, folder: str = "") -> Markup:
    """Return a note's text as HTML; `folder` is where its images are looked for."""
    return Markup(_renderer().render(spell_controls(text), {"folder": folder}))


def memory_address(ref: str) -> str:
    """Return the address of a memory's page, by its id, its file's name or its title."""
    return f"/memory?id={quote(ref, safe='')}"


@cache
def _renderer() -> MarkdownIt:
    found = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    found.inline.ruler.before("link", "wikilink", _parse_wikilink)
    found.add_render_rule("image", _render_image)
    found.add_render_rule("link_open", _render_link)
    return found


def _parse_wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    at = _WIKILINK.match(state.src, state.pos, state.posMax)
    if at is None:
        return False
    if not silent:
        embeds, target, label = at[1], at[2].strip(), (at[3] or "").strip()
        if embeds and _image_ending(target):
            token = state.push("image", "img", 0)
            token.attrs = {"src": quote(target)}
            token.content = label or target
        else:
            name = target.partition("#")[0].rpartition("/")[2].removesuffix(".md") or target
            state.push("link_open", "a", 1).attrs = {"href": memory_address(name)}
            state.push("text", "", 0).content = label or target
            state.push("link_close", "a", -1)
    state.pos = at.end()
    return True


def _render_image(_self: Any, tokens: Sequence[Token], at: int, _options: Any, env: Mapping[str, str]) -> str:
    token = tokens[at]
    source = unquote(str(token.attrs.get("src", "")))
    label = token.content or source
    if _SCHEME.match(source) or source.startswith("//") or not _image_ending(source):
        return f'<span class="soft">[image: {escape(label)}]</span>'  # what lies elsewhere is not fetched
    place = quote(source, safe="")
    return f'<img src="/image?path={place}&amp;from={quote(env.get("folder", ""), safe="")}" alt="{escape(label)}">'


def _render_link(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Mapping[str, str]) -> str:
    token = tokens[at]
    target = str(token.attrs.get("href", ""))
    if _SCHEME.match(target) or target.startswith("//"):
        token.attrs["rel"] = "noreferrer noopener"
    elif not target.startswith(("/memory?", "#")):
        name = unquote(target).partition("#")[0].rpartition("/")[2]
        token.attrs["href"] = memory_address(name.removesuffix(".md")) if name else "#"
    return str(renderer.renderToken(tokens, at, options, env))


def _image_ending(name: str) -> str:
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    return ending if ending in IMAGES else ""


def mark_terms(text: str, terms: Collection[str]) -> Markup:
    """Return a text, escaped, with every word whose stem is among the terms set off."""
    text = spell_controls(text)
    return _mark_spans(text, locate_terms(text, terms))


def mark_words(text: str, words: Collection[str]) -> Markup:
    """Return a text, escaped, with some words set off, as they stand there."""
    text = spell_controls(text)
    wanted = sorted(filter(None, map(str.strip, words)), key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in wanted)
    return _mark_spans(text, (found.span() for found in re.finditer(pattern, text, re.IGNORECASE)) if wanted else ())


def _mark_spans(text: str, spans: Iterable[tuple[int, int]]) -> Markup:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [escape(text[at:start]), Markup("<mark>"), escape(text[start:end]), Markup("</mark>")]
        at = end
    return Markup("").join([*pieces, escape(text[at:])])
