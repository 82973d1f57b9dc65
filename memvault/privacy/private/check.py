"""Check private memories: that only sealed files lie there, and that this machine can open what it seals."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memvault.errors import MemvaultError
from memvault.privacy.private.recipients import KeyStatus, key_status
from memvault.privacy.private.store import ENDING, HEAD, RECIPIENTS, has_sealed_name, is_sealed
from memvault.storage.finding import DoctorFinding, shell_command
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import is_conflict_copy
from memvault.system import files, paths
from memvault.system.age import PrivateKeys

_OWN_FILES = (RECIPIENTS, ".gitkeep")


def check_private(context: VaultContext) -> Iterator[DoctorFinding]:
    """Find files in the clear where only sealed ones belong, names that tell something, keys that do not fit."""
    folder = context.vault.layout.private
    root = context.vault.root / folder
    names = sorted(path.name for path in root.iterdir()) if root.is_dir() and not files.find_link_out(root) else []
    found = [f"{folder}{name}" for name in names if not context.vault.hides(f"{folder}{name}")]
    for path in found:
        yield from _judge_file(path, context)
    if any(path.endswith((ENDING, RECIPIENTS)) for path in found):
        yield from _check_keys(context, f"{folder}{RECIPIENTS}")


def _judge_file(path: str, context: VaultContext) -> Iterator[DoctorFinding]:
    full = context.vault.root / path
    what = "folder" if full.is_dir() else "file"
    if what == "folder" or full.is_symlink() or not path.endswith(ENDING):
        if full.name not in _OWN_FILES and not full.name.startswith(".mv-"):
            yield DoctorFinding(
                severity="error",
                path=f"{path}/" if what == "folder" else path,
                sentence=f"This {what} lies in the clear where only sealed memories belong.",
                advice="`memvault remember --private --file FILE` seals its text; then delete or move it.",
            )
    elif not is_sealed(files.read_file(context.vault.absolute_path(path), limit=HEAD)):
        yield DoctorFinding(
            severity="error",
            path=path,
            sentence="It is named like a sealed memory and is none: it is damaged, or it is not encrypted.",
            advice="Seal its text with `memvault remember --private --file FILE`, or put back a copy of the file.",
        )
    elif not has_sealed_name(full.name) and not is_conflict_copy(full.name):
        yield DoctorFinding(
            severity="warning",
            path=path,
            sentence="Its name may tell what is in it: memvault would have drawn 16 hexadecimal digits.",
            advice="Rename it to such a name; nothing else refers to it.",
        )


def _check_keys(context: VaultContext, listing: str) -> Iterator[DoctorFinding]:
    try:
        found = key_status(context, PrivateKeys(paths.config_folder(context.environment)))
    except MemvaultError as error:
        yield DoctorFinding(severity="error", path=listing, sentence=str(error), advice=error.advice)
        return
    yield from _check_own_key(found)
    for strange in found.strange:
        yield DoctorFinding(
            severity="warning",
            path=listing,
            sentence=f"It names a key that was not confirmed on this machine, so nothing is sealed to it: {strange}.",
            advice=f"If it is yours: {shell_command('private', 'admit', strange)}; if not, `dismiss` takes it out.",
        )


def _check_own_key(found: KeyStatus) -> Iterator[DoctorFinding]:
    if found.exposed:
        yield DoctorFinding(
            severity="warning",
            path="",
            sentence=f"Others on this machine may read the key of the private memories, {found.key}.",
            advice=f"`chmod go= {shlex.quote(found.exposed)}` takes that right away; who read it, opens them.",
        )
    if not found.has_key:
        yield DoctorFinding(
            severity="error" if found.was_here and found.closed else "warning",
            path="",
            sentence=f"This machine opens no private memory of this vault: there is no key at {found.key}.",
            advice=f"Copy it from another machine, or have one more made by {shell_command('private', 'init')}.",
        )
    elif found.closed:
        yield DoctorFinding(
            severity="error",
            path="",
            sentence=f"Private memories are not sealed to the key of this machine: {found.closed:,} cannot be opened.",
            advice=f"On a machine that opens them: {shell_command('private', 'admit', found.own)}; "
            f"if their key is lost, {shell_command('private', 'status')} says what is left to do.",
        )
    elif found.older:
        yield DoctorFinding(
            severity="warning",
            path="",
            sentence="Private memories of this vault are still sealed to an older key of yours.",
            advice=f"{shell_command('private', 'rekey')} seals them to the key that you made since.",
        )
