"""Atomic, locked, durable writes: the only folder that opens a file for writing."""

from __future__ import annotations

from memvault.system.files.append_only import (
    append_line,
    extend_at,
    overwrite_file,
    overwrite_spans,
    remove_file,
    sync_files,
)
from memvault.system.files.atomic import (
    LateWrite,
    collect_late_writes,
    discard_note,
    list_slots,
    release_slot,
    replace_note,
)
from memvault.system.files.folders import check_inside, is_in_place, is_inside, list_files, make_folder, sync_folder
from memvault.system.files.links import (
    check_read,
    check_write,
    find_link_out,
    guard_vault,
    is_allowed_link,
    is_readable_file,
    leads_out,
)
from memvault.system.files.locks import lock
from memvault.system.files.new_file import create_claim, create_file, finish_move, move_file
from memvault.system.files.reader import (
    FileStamp,
    StatKey,
    describe_error,
    digest,
    digest_parts,
    may_change_unseen,
    open_stream,
    read_file,
    read_known,
    read_stamped,
    stat_key,
    system_errors,
)
from memvault.system.files.temp import clear_orphans, orphaned_files, remove_orphans
