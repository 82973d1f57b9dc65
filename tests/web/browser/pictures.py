"""Pictures of each view for the manual: `python -m tests.web.browser.pictures [FOLDER]` draws them anew."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.web.browser.chromium import ROOT, browser, missing, served
from tests.web.browser.demo import SESSION, make_demo

# name, address, width, height, theme
VIEWS: tuple[tuple[str, str, int, int, str], ...] = (
    ("today", "/", 1100, 760, "light"),
    ("inbox", "/inbox", 1100, 700, "light"),
    ("search", "/search?q=who+reviews+the+portal%3F", 1100, 640, "light"),
    ("memory", "/memory?id=Deploy+the+portal", 1100, 700, "dark"),
    ("edit", "/memory/edit?id=Deploy+the+portal", 1100, 760, "light"),
    ("conversation", f"/conversation?id={SESSION}", 1100, 700, "light"),
    ("given", "/given", 1100, 520, "light"),
    ("log", "/log", 1100, 640, "dark"),
    ("health", "/health", 1100, 820, "light"),
    ("settings", "/settings?q=recall", 1100, 640, "light"),
    ("narrow", "/search?q=harbour", 360, 700, "light"),
)


def draw(folder: Path, only: tuple[str, ...] = ()) -> None:
    """Draw the pictures into a folder."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
        environment = {name: str(home / name.lower()) for name in names} | {
            "MEMVAULT_NO_RESIDENT": "1",
            "PATH": "/usr/bin:/bin",
        }
        vault = make_demo(home / "notebook", environment)
        with served(vault) as address, browser() as found:
            context = found.new_context()
            page = context.new_page()
            page.goto(address)
            start = address.partition("/?")[0]
            for name, view, width, height, theme in VIEWS:
                if not only or name in only:
                    _draw_view(page, start + view, (width, height), theme, folder / f"web-{name}.png")


def _draw_view(page: Any, address: str, size: tuple[int, int], theme: str, target: Path) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    page.evaluate("document.activeElement && document.activeElement.blur()")
    page.screenshot(path=str(target))
    _shrink(target)


def _shrink(target: Path) -> None:
    """Save a picture with a palette of 64 colors, where there is something that can."""
    try:
        from PIL import Image
    except ImportError:
        return
    image = Image.open(target).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    image.save(target, optimize=True)


if __name__ == "__main__":
    if reason := missing():
        sys.exit(reason)
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "assets"
    given.mkdir(parents=True, exist_ok=True)
    draw(given, tuple(sys.argv[2:]))
