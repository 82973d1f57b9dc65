"""Checks of what lies outside the vault: the hooks by which agents call memvault."""

from __future__ import annotations

from collections.abc import Iterator

from memvault.maintenance.doctor.finding import Finding
from memvault.maintenance.doctor.scan import Survey


def hooks(survey: Survey) -> Iterator[Finding]:
    """Hooks that cannot do their work, settings that cannot be read, hooks from two sides."""
    found = survey.hooks()
    for place in found.places:
        for problem in place.problems:
            sentence, _, advice = problem.partition("; ")
            yield Finding(severity="warning", path=place.path, sentence=_closed(sentence), advice=advice)
    for problem in found.problems:
        advice = "Mend that file; until then its program may stumble over it, and `memvault hooks` leaves it alone."
        yield Finding(severity="warning", path="", sentence=problem, advice=advice)
    for note in found.notes:
        yield Finding(
            severity="note", path="", sentence=note, advice="`memvault hooks uninstall` with --scope takes one away."
        )


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}."
