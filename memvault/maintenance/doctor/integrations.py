"""Checks of private memories: that only sealed files lie there, and that this machine can open what it seals."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import Finding, Unlock, command
from memvault.maintenance.doctor.scan import Entry, Survey
from memvault.privacy.private.recipients import Ready
from memvault.privacy.private.store import ENDING, HEAD, RECIPIENTS, is_opaque, is_sealed
from memvault.storage.vault.layout import is_conflict_copy
from memvault.sync import checkout
from memvault.system import files
from memvault.system.git import locks
from memvault.text.dates.dates import write_moment

_OWN = (RECIPIENTS, ".gitkeep")


def private(survey: Survey) -> Iterator[Finding]:
    """Files in the clear where only sealed ones belong, names that tell something, keys that do not fit."""
    folder = survey.vault.layout.private
    inside = [entry for entry in survey.entries if entry.path.startswith(folder) and entry.path != folder]
    sealed = [entry for entry in inside if entry.name.endswith(ENDING) and entry.is_file]
    yield from filter(None, map(_stranger, (entry for entry in inside if entry not in sealed)))
    for entry in sealed:
        yield from _judged(entry, survey)
    if sealed or f"{folder}{RECIPIENTS}" in survey.paths:
        yield from _keys(survey, folder, len(sealed))


def _stranger(entry: Entry) -> Finding | None:
    if entry.name in _OWN or entry.name.startswith(".mv-"):
        return None
    what = "folder" if entry.is_folder else "file"
    return Finding(
        severity="error",
        path=entry.path,
        sentence=f"This {what} lies in the clear where only sealed memories belong.",
        advice="`memvault remember --private --file FILE` seals its text; then delete it, or move it elsewhere.",
    )


def _judged(entry: Entry, survey: Survey) -> Iterator[Finding]:
    if not is_sealed(files.read(survey.vault.absolute(entry.path), limit=HEAD)):
        yield Finding(
            severity="error",
            path=entry.path,
            sentence="It is called like a sealed memory, and is none: it is damaged, or lies here in the clear.",
            advice="Seal its text with `memvault remember --private --file FILE`, or put back a copy of the file.",
        )
    elif not is_opaque(entry.name) and not is_conflict_copy(entry.name):
        yield Finding(
            severity="warning",
            path=entry.path,
            sentence="Its name may tell what is in it: memvault would have drawn 16 hexadecimal digits.",
            advice="Rename it to such a name; nothing else refers to it.",
        )


def _keys(survey: Survey, folder: str, count: int) -> Iterator[Finding]:
    listing = f"{folder}{RECIPIENTS}"
    try:
        found = survey.keys()
    except MemvaultError as error:
        yield Finding(severity="error", path=listing, sentence=str(error), advice=error.advice)
        return
    if not found.recipients:
        yield Finding(
            severity="error",
            path=listing,
            sentence=f"Nothing says to which keys private memories are sealed, and there are {count}.",
            advice=f"{command('private', 'init')} makes the list anew; or put back a copy of it.",
        )
    yield from _own_key(found)
    for strange in found.strange:
        yield Finding(
            severity="error",
            path=listing,
            sentence=f"It names a key that was not admitted on this machine: {strange}.",
            advice=f"If it is yours: {command('private', 'admit', strange)}; if not, `dismiss` takes it out.",
        )


def _own_key(found: Ready) -> Iterator[Finding]:
    if found.exposed:
        yield Finding(
            severity="warning",
            path="",
            sentence=f"Others on this machine may read the key of the private memories, {found.key}.",
            advice=f"`chmod go= {shlex.quote(found.exposed)}` takes that right away; who read it, opens them.",
        )
    if not found.has_key:
        yield Finding(
            severity="error" if found.was_here and found.closed else "warning",
            path="",
            sentence=f"This machine opens no private memory of this vault: there is no key at {found.key}.",
            advice=f"Copy it from another machine, or have one more made by {command('private', 'init')}.",
        )
    elif found.own and found.recipients and not found.is_admitted:
        yield Finding(
            severity="error" if found.closed else "warning",
            path="",
            sentence="Private memories are not sealed to the key of this machine, so it opens none of the new ones"
            + (f", and {found.closed:,} that are there cannot be opened." if found.closed else "."),
            advice=f"On a machine that opens them: {command('private', 'admit', found.own)}; if their key is lost, "
            f"{command('private', 'status')} says what is left to do.",
        )
    elif found.outdated:
        yield Finding(
            severity="warning",
            path="",
            sentence="Private memories of this vault are still sealed to an older key of yours.",
            advice=f"{command('private', 'rekey')} seals them to the key that you made since.",
        )


# Checks of what lies outside the vault: the hooks by which agents call memvault.


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


# Checks of a vault that travels over git: its merges ask memvault, in this clone too.


def sync(survey: Survey) -> Iterator[Finding]:
    """A clone in which git does not know how memories are merged; a vault that never travelled is let be."""
    if checkout.DRIVER not in checkout.bytes_of(survey.bench.vault.root / checkout.ATTRIBUTES).decode(
        "utf-8", "replace"
    ):
        return
    yield from _locked(survey)
    for problem in survey.syncing():
        yield Finding(
            severity="warning",
            path=checkout.ATTRIBUTES,
            sentence=problem,
            advice="`memvault sync status` tells how this clone stands; until `memvault sync init` has set it up, git "
            "merges memories as mere text.",
        )


def _locked(survey: Survey) -> Iterator[Finding]:
    now = survey.bench.now
    for lock in locks(survey.bench.vault.root):
        if lock.holders:
            continue  # a git at work is nothing amiss
        is_left = lock.is_left(now)
        yield Finding(
            severity="warning",
            path=survey.vault.relative(lock.path) or str(lock.path),
            sentence=f"This lock of git's is there since {write_moment(lock.laid)}, and {lock.whose}.",
            advice="Delete it." if is_left else "Delete it once you are sure that no git is at work there.",
            chore=Unlock(lock.path) if is_left else None,
        )
