"""Two lines in the person's crontab, between marks; a pair of marks for each vault."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import ClassVar

from memvault.errors import SchedulerFailed
from memvault.maintenance.schedule import ScheduledJob, ScheduleEntry, SchedulePiece, job_name
from memvault.system.programs import Machine, scheduler_error

_TABLE = "your crontab"
_WITHOUT = "Your crontab was left as it was. Install cron if it is missing, or start `memvault maintain` yourself."
# What the different crons say where a person has no crontab yet. Any other failure must stay one:
# taken for an empty crontab, it would cost the person theirs.
_NONE_YET = re.compile(r"no crontab|can't open '[^']*': No such file", re.IGNORECASE)
_AT = re.compile(r"^(\d{1,2}) (\d{1,2}) \* \* \* (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CronScheduler:
    """cron, by way of the program crontab."""

    name: ClassVar[str] = "cron"
    missed: ClassVar[str] = (
        "cron forgets a run it missed, so there is a second one whenever the machine starts; "
        "fading goes by dates, so the next run catches up with all of it."
    )

    machine: Machine

    def make_pieces(self, job: ScheduledJob) -> tuple[SchedulePiece, ...]:
        """Return the marked lines."""
        begin, end = _line_marks(job.vault_id)
        line = " ".join(map(_quote_word, job.command))
        hour, minute = map(int, job.at.split(":"))
        text = (
            f"{begin} (created and maintained by memvault; edits down to END may be replaced)\n"
            f"{minute} {hour} * * * {line}\n"
            f"@reboot {line}\n"
            f"{end}\n"
        )
        return (SchedulePiece(_TABLE, text),)

    def find_entry(self, vault_id: str) -> ScheduleEntry | None:
        """Return what stands between the vault's marks."""
        try:
            found = _marked_lines(vault_id).search(self._read_table())
        except SchedulerFailed:  # who may not use cron has nothing in it
            return None
        if found is None:
            return None
        timed = _AT.search(found[0].decode("utf-8", "surrogateescape"))
        return ScheduleEntry(
            scheduler=self.name,
            where=(_TABLE,),
            at=f"{int(timed[2]):02}:{int(timed[1]):02}" if timed else "",
            command=_split_words(timed[3]) if timed else (),
        )

    def install(self, job: ScheduledJob) -> None:
        """Put the marked lines in place of the vault's older ones, or at the end."""
        before = self._read_table()
        text = self.make_pieces(job)[0].text.encode()
        found = _marked_lines(job.vault_id).search(before)
        if found:
            after = before[: found.start()] + text + before[found.end() :]
        else:
            after = before + (b"" if not before or before.endswith(b"\n") else b"\n") + text
        self._write_table(before, after, job.vault_id)

    def remove(self, vault_id: str) -> None:
        """Take the marked lines out."""
        before = self._read_table()
        self._write_table(before, _marked_lines(vault_id).sub(b"", before), vault_id)

    def _read_table(self) -> bytes:
        ended = self.machine.run_program("crontab", "-l")
        if ended.code and not _NONE_YET.search(ended.message):
            raise scheduler_error("crontab -l", ended, way_out=_WITHOUT)
        return b"" if ended.code else ended.out

    def _write_table(self, before: bytes, after: bytes, vault_id: str) -> None:
        _check_marks(after, vault_id)
        if before and not after:  # nothing but ours stood there: then there was no crontab before, and is none
            self.machine.require_program("crontab", "-r", way_out=_WITHOUT)
        elif after != before:
            self.machine.require_program("crontab", "-", feed=after, way_out=_WITHOUT)


def _line_marks(vault_id: str) -> tuple[str, str]:
    name = job_name(vault_id)
    return f"# BEGIN {name}", f"# END {name}"


def _marked_lines(vault_id: str) -> re.Pattern[bytes]:
    """Return the vault's marked lines, which hold no other mark: a lost END must not cost what follows."""
    begin, end = (re.escape(mark.encode()) for mark in _line_marks(vault_id))
    return re.compile(rb"^%b\b[^\n]*\n(?:(?!# (?:BEGIN|END) )[^\n]*\n)*?%b[^\n]*(?:\n|\Z)" % (begin, end), re.MULTILINE)


def _check_marks(table: bytes, vault_id: str) -> None:
    """Raise SchedulerFailed where marks of this vault are left over that make no pair."""
    rest = _marked_lines(vault_id).sub(b"", table)
    stray = next(
        (mark for mark in _line_marks(vault_id) if re.search(rb"^%b\b" % re.escape(mark.encode()), rest, re.M)), ""
    )
    if stray:
        raise SchedulerFailed(
            asked="crontab -",
            reason=f"your crontab has a line {stray!r} without the other one that belongs to it",
            way_out="Take that line out with `crontab -e`, and those of memvault next to it; then repeat the command.",
        )


def _quote_word(word: str) -> str:
    # For the shell first, which sees it last. To cron, `%` ends the command unless a backslash stands before it, and
    # some crons take two backslashes for one: so a quote is closed and opened between a backslash and either.
    apart = re.sub(r"\\(?=[\\%])", r"\\''", shlex.quote(word))
    return apart.replace("%", r"\%")


def _split_words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line.replace(r"\%", "%")))
    except ValueError:  # somebody's slip: status says that it cannot be read
        return ()
