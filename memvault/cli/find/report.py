"""`memvault report`: a page that shows the vault in pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from memvault.cli.context import Answer, Desk
from memvault.cli.find.stats import Days
from memvault.cli.options import Option

REPORT_EXAMPLES = (
    "memvault report --open",
    "memvault report --days 90 --output vault.html",
    "memvault report --output - > vault.html",
)

Output = Annotated[
    str,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write it there; - is stdout. Without it, into your cache folder.",
        show_default=False,
    ),
]
Open = Annotated[bool, Option("--open", help="Open it in the browser.")]


def report(desk: Desk, *, output: Output = "", days: Days = 30, open_: Open = False) -> Answer:
    """Write one page of HTML that shows the vault: its tiers, its weights, what is about to fade, when it is used, what
    it is about, what came and went. The page needs no network and no script."""
    to_stdout = output == "-"
    with desk.open() as vault:
        made = vault.report(Path(output) if output else None, days=days, write=not to_stdout)
    path = made.path
    if path is None:
        # A stdout that cannot carry every character is given them as HTML spells them.
        page = made.page.encode("ascii", "xmlcharrefreplace").decode() if desk.takes_ascii_only else made.page
        return Answer(result={"path": "", "page": made.page, "opened": False}, text=lambda _paper: page)
    if open_:
        from memvault.system import desktop  # deferred: few ask for it

        desktop.open_(str(path))
    return Answer(
        result={"path": str(path), "page": "", "opened": open_},
        text=lambda _paper: str(path),
        talk=("Wrote the report, and opened it." if open_ else "Wrote the report.",),
    )
