"""The ground: atomic, locked, durable writes, and the only room that opens a file for writing."""

from __future__ import annotations

from memvault.system.files.append_only import amend, append, extend, make_last, overwrite, remove
from memvault.system.files.atomic import discard, replace
from memvault.system.files.displaced import Late, release, settle, slots
from memvault.system.files.folders import below, check_inside, in_place, inside, make_folder, sync_folder
from memvault.system.files.links import allows, check_read, check_write, enclose, exit_on, is_there, leads_out
from memvault.system.files.locks import lock
from memvault.system.files.new_file import claim, create, finish_move, move
from memvault.system.files.reader import (
    Stamp,
    digest,
    digest_of,
    may_change_unseen,
    plain,
    plainly,
    read,
    read_known,
    read_stamped,
    stream,
)
from memvault.system.files.temp import clear, leftovers, sweep

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
