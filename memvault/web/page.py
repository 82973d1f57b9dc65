"""One request for a page: the vault opened for it, what was asked, and the answer made of a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from functools import cache, cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from memvault.api import Memvault
from memvault.core.ids import short_id
from memvault.core.memory import Memory
from memvault.core.plan import Operation
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import MemvaultError
from memvault.system.programs import obsidian_uri
from memvault.text.display import clip_line, format_count, format_size, spell_controls, to_one_line
from memvault.web.markdown import mark_terms, mark_words, memory_address, render_markdown

_DATED = re.compile(r"^\d{4}-\d\d-\d\d-")
HERE = Path(__file__).parent
_LONGEST_TITLE = 120  # cells
THEMES = ("auto", "light", "dark")
# What an act may answer besides an operation; a page never shows words that stand in its address.
NOTES: Mapping[str, str] = {
    "nothing": "Nothing had to be changed.",
    "set": "The setting was changed.",
    "mended": "What could be mended was mended.",
    "unlocked": "Your private memories are open in this page for a while.",
    "locked": "Your private memories are closed.",
}
# What a session was given, by the hook that was called.
OCCASIONS: Mapping[str, str] = {
    "SessionStart": "At the start",
    "UserPromptSubmit": "At a prompt",
    "PreToolUse": "Before an action",
}


class NavLink(NamedTuple):
    """An entry of the navigation: its address, its name, and the key that follows `g`."""

    address: str
    name: str
    key: str


NAVIGATION: tuple[NavLink, ...] = (
    NavLink("/", "Today", "t"),
    NavLink("/inbox", "Inbox", "i"),
    NavLink("/search", "Search", "s"),
    NavLink("/conversations", "Conversations", "c"),
    NavLink("/given", "Given", "g"),
    NavLink("/log", "Log", "l"),
    NavLink("/health", "Health", "h"),
    NavLink("/settings", "Settings", "e"),
)


class Page:
    """A request with its vault; views are functions of it."""

    def __init__(self, request: Request, vault: Memvault, zone: tzinfo, *, unlocked: Any, memo: dict[str, Any]) -> None:
        self.request = request
        self.memo = memo  # what takes long to find out, for the next request
        self.vault = vault
        self.zone = zone
        self.unlocked = unlocked
        self.form: Mapping[str, list[str]] = request.state.form

    @property
    def last_operation(self) -> str:
        """Return the name of the last operation on the vault, by whomever."""
        return next((op.op for op in self.vault.log(limit=1)), "")

    @property
    def now(self) -> datetime:
        """Return the time by the vault's clock."""
        return self.vault.now()

    def query(self, name: str, default: str = "") -> str:
        """Return what the address says under a name."""
        return self.request.query_params.get(name, default).strip()

    def queries(self, name: str) -> tuple[str, ...]:
        """Return all that the address says under a name, once each."""
        return tuple(dict.fromkeys(filter(None, map(str.strip, self.request.query_params.getlist(name)))))

    def number(self, name: str, default: int = 0) -> int:
        """Return a whole number of the address, from zero up."""
        value = self.query(name)
        return int(value) if value.isascii() and value.isdecimal() and len(value) < 7 else default

    def field(self, name: str) -> str:
        """Return a field of the form, as it was sent."""
        return self.form.get(name, [""])[0]

    def text(self, name: str) -> str:
        """Return a text of the form with plain line ends: a browser sends each as two characters."""
        return self.field(name).replace("\r\n", "\n").replace("\r", "\n")

    # -- answers

    def render(self, template: str, *, code: HTTPStatus = HTTPStatus.OK, **values: object) -> Response:
        """Return a page made of a template."""
        return HTMLResponse(self.render_text(template, **values), code)

    def render_text(self, template: str, **values: object) -> str:
        """Return the text of a page, or of a part of one."""
        theme = self.request.cookies.get("memvault-theme", "")
        return (
            load_templates(self.zone)
            .get_template(template)
            .render(
                page=self,
                vault_name=self.vault.root.name,
                here=self.here,
                path=self.request.url.path,
                navigation=NAVIGATION,
                themes=THEMES,
                theme=theme if theme in THEMES else "auto",
                form_token=self.request.state.form_token,
                done=self._find_done(),
                note=NOTES.get(self.query("note"), ""),
                **values,
            )
        )

    @cached_property
    def is_in_obsidian(self) -> bool:
        """Return whether the vault is one of Obsidian's, which opens no other folder."""
        return (self.vault.root / ".obsidian").is_dir()

    def obsidian_uri(self, memory: Memory) -> str:
        """Return the address under which Obsidian opens a memory."""
        return obsidian_uri(self.vault.root / memory.path)

    @property
    def here(self) -> str:
        """Return this page's own address, without what an act added to it."""
        pairs = [pair for pair in self.request.query_params.multi_items() if pair[0] not in ("op", "note", "part")]
        return self.request.url.path + (f"?{urlencode(pairs)}" if pairs else "")

    def _find_done(self) -> Operation | None:
        """Return the operation that an act was answered with."""
        from memvault.storage.journal.undo import find_operation

        ref = self.query("op")
        if not ref:
            return None
        try:
            return self.vault.run(find_operation, ref)
        except MemvaultError:
            return None

    def redirect(self, to: str = "", *, op: str = "", note: str = "") -> Response:
        """Return to a page after an act: the one that the form names, or another; with the operation, to be undone."""
        target = to or self.field("back")
        if not is_own_address(target):
            target = "/"
        added = urlencode({name: value for name, value in (("op", op), ("note", note)) if value})
        address, sign, anchor = target.partition("#")
        joined = f"{address}{'&' if '?' in address else '?'}{added}" if added else address
        return RedirectResponse(joined + sign + anchor, HTTPStatus.SEE_OTHER)


def is_own_address(address: str) -> bool:
    """Return whether an address leads to a page of ours."""
    if not address.startswith("/") or address.startswith("//") or "\\" in address or not address.isprintable():
        return False
    parts = urlsplit(address)
    return not (parts.scheme or parts.netloc)


# -- templates


@cache
def load_templates(zone: tzinfo) -> Environment:
    """Return the templates, in which everything is escaped, and what could deceive a reader is spelled out."""
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_spell_out,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "line": to_plain_line,
        "title_line": lambda text: clip_line(to_one_line(strip_private(str(text))), _LONGEST_TITLE),
        "file_title": _file_title,
        "day": lambda moment: _format_moment(moment, zone, "%Y-%m-%d"),
        "minute": lambda moment: _format_moment(moment, zone, "%Y-%m-%d %H:%M"),
        "exact": lambda text: Markup(escape(text)),  # as it stands, for a form that is sent back
        "markdown": render_markdown,
        "address": memory_address,
        "short": short_id,
        "occasion": lambda event: OCCASIONS.get(event, event),
        "size": format_size,
        "count": format_count,
        "terms": mark_terms,
        "differing": mark_words,
        "quoted": lambda text: quote(str(text), safe=""),
        "value": lambda value: format_value(value, zone),
    }
    return found


def _spell_out(value: Any) -> Any:
    return spell_controls(value) if type(value) is str else value


def to_plain_line(text: str) -> str:
    """Return a text on one line; tags stay as they are written."""
    return " ".join(spell_controls(text).split())


def _file_title(path: str) -> str:
    """Return the name of a memory's file as words, without folder, date and ending."""
    name = path.rpartition("/")[2].removesuffix(".md")
    return to_plain_line(_DATED.sub("", name).replace("-", " ")) or name


def _format_moment(moment: datetime | date | None, zone: tzinfo, form: str) -> Markup:
    if moment is None:
        return Markup("")
    if not isinstance(moment, datetime):
        return Markup(f"<time>{moment:%Y-%m-%d}</time>")
    local = moment.astimezone(zone)
    return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), format(local, form))


def format_value(value: object, zone: tzinfo) -> str:
    """Return the value of a field as a form has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        local = value.astimezone(zone)
        return local.isoformat(timespec="minutes")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {format_value(part, zone)}" for name, part in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value)


View = Callable[[Page], Response]
