"""The ground: atomic, locked, durable writes, and the only room that opens a file for writing."""

from __future__ import annotations

from memvault.files.amending import amend
from memvault.files.claiming import claim
from memvault.files.folders import below, check_inside, in_place, inside, make_folder, sync_folder
from memvault.files.held import Late, release, settle, slots
from memvault.files.lasting import make_last
from memvault.files.locking import lock
from memvault.files.naming import create, finish_move, move
from memvault.files.ours import append, extend, overwrite, remove
from memvault.files.reading import Stamp, digest, digest_of, may_change_unseen, read, read_known, read_stamped, stream
from memvault.files.replacing import discard, replace
from memvault.files.temporary import clear, leftovers, sweep
from memvault.files.trouble import plain, plainly
from memvault.files.walls import allows, check_read, check_write, enclose, exit_on, is_there, leads_out

__all__ = [
    "Late",
    "Stamp",
    "allows",
    "amend",
    "append",
    "below",
    "check_inside",
    "check_read",
    "check_write",
    "claim",
    "clear",
    "create",
    "digest",
    "digest_of",
    "discard",
    "enclose",
    "exit_on",
    "extend",
    "finish_move",
    "in_place",
    "inside",
    "is_there",
    "leads_out",
    "leftovers",
    "lock",
    "make_folder",
    "make_last",
    "may_change_unseen",
    "move",
    "overwrite",
    "plain",
    "plainly",
    "read",
    "read_known",
    "read_stamped",
    "release",
    "remove",
    "replace",
    "settle",
    "slots",
    "stream",
    "sweep",
    "sync_folder",
]
