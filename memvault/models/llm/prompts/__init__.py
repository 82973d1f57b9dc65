"""What a model is told, as texts beside the code; every `review-NAME.md` is a reviewer."""

from __future__ import annotations

from importlib.resources import files as package_files

_FIRST = ("importance", "relevance", "novelty")
_REVIEW, _ENDING = "review-", ".md"


def read_prompt(name: str) -> str:
    """The instructions of that name."""
    return (package_files(__name__) / f"{name}{_ENDING}").read_text(encoding="utf-8")


def read_reviewers() -> dict[str, str]:
    """The instructions of every reviewer by name: the three that memvault cannot do without, then all others."""
    shipped = (entry.name for entry in package_files(__name__).iterdir())
    found = {
        name[len(_REVIEW) : -len(_ENDING)] for name in shipped if name.startswith(_REVIEW) and name.endswith(_ENDING)
    }
    return {name: read_prompt(_REVIEW + name) for name in (*_FIRST, *sorted(found.difference(_FIRST)))}
