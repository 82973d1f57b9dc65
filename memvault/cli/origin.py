"""Options that name an origin: where memories come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.cli.declare import Option
from memvault.cli.options import chosen, one_of

if TYPE_CHECKING:
    from memvault.privacy.audit import Origin

# Spelled out, as the rooms that know them are not to be imported for a page of help; a test compares.
SOURCES = ("user", "agent", "hook", "import", "tool", "web")

Source = Annotated[str, one_of("--source", SOURCES, "Only from this source: {}.")]
Session = Annotated[
    str,
    Option("--session", metavar="ID", help="Only from this session; how its id begins is enough.", show_default=False),
]
Agent = Annotated[str, Option("--agent", metavar="NAME", help="Only what this program wrote.", show_default=False)]
Device = Annotated[
    str, Option("--device", metavar="NAME", help="Only what was written on this machine.", show_default=False)
]
Tainted = Annotated[bool, Option("--tainted", help="Only what was written in a session that had read the web.")]


def origin(*, source: str, session: str, agent: str, device: str, tainted: bool) -> Origin:
    """The origin that the options name."""
    from memvault.privacy.audit import Origin  # deferred: a page of help needs none

    chosen([source] if source else None, "the source", SOURCES)
    return Origin(source=source.casefold(), session=session, agent=agent, device=device, tainted=tainted)
