"""Check the chained operation logs of all devices: what does not follow, and what is gone by intent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.core.value import Record, field
from memvault.storage.journal.chain import LINK, is_chained, line_digest, link_hash, list_digests, read_lines
from memvault.storage.vault.context import VaultContext
from memvault.system import files

Entry = Mapping[str, object]


class ChainBreak(Record):
    """A record that does not follow from those before it: where it is, and what is amiss."""

    device: str
    month: str
    at: str
    op: str  # empty for a link
    reason: str


class LogAudit(Record):
    """What a check of the operation logs found."""

    devices: int
    records: int  # of the operation logs
    unchained: int  # of devices that have logged nothing since logs are chained
    purged: int  # whose texts are gone by intent
    breaks: tuple[ChainBreak, ...]  # in order; the first is the one to look at


class _DeviceLog(Record):
    """The operation log of one device, and its links."""

    device: str
    rows: list[tuple[str, str, Entry]] = field(default_factory=list)  # the month, the digest, the entry

    def links(self) -> list[Entry]:
        """Return the links in the order of the file."""
        return [entry for _, _, entry in self.rows if entry.get("e") == LINK]

    def records(self) -> list[tuple[str, str, Entry]]:
        """Return the rows of the operation log."""
        return [row for row in self.rows if row[2].get("e") != LINK]

    def hashes(self) -> set[str]:
        """Return the hashes of the links."""
        return {str(link.get("h", "")) for link in self.links()}


def audit_log(context: VaultContext) -> LogAudit:
    """Check that each record of each device's log follows from those before it."""
    logs = [_read_log(device, paths) for device, paths in context.vault.journal.device_files().items()]
    gone = {old: new for log in logs for link in log.links() for old, new in _gone_pairs(link)}
    chained = [log for log in logs if log.links()]
    breaks = [fault for log in chained for fault in _find_breaks(log, gone)]
    return LogAudit(
        devices=sum(bool(log.rows) for log in logs),
        records=sum(len(log.records()) for log in logs),
        unchained=sum(len(log.records()) for log in logs if not log.links()),
        purged=sum(_count_purged(log, gone) for log in chained),
        breaks=(*breaks, *_find_lost_ends(logs)),
    )


def _read_log(device: str, paths: list[Path]) -> _DeviceLog:
    log = _DeviceLog(device)
    for path in paths:
        for line, entry in read_lines(files.read_file(path)):
            if is_chained(entry) or entry.get("e") == LINK:
                log.rows.append((path.stem, line_digest(line), entry))
    return log


def _gone_pairs(link: Entry) -> Iterator[tuple[str, str]]:
    gone = link.get("gone")
    yield from ((str(old), str(new)) for old, new in (gone.items() if isinstance(gone, dict) else ()))


def _count_purged(log: _DeviceLog, gone: Mapping[str, str]) -> int:
    there = {digest for _, digest, _ in log.rows}
    return len({one for link in log.links() for one in list_digests(link) if one in gone and one not in there})


def _find_breaks(log: _DeviceLog, gone: Mapping[str, str]) -> Iterator[ChainBreak]:
    """Yield the records of a device that no link covers, and the links that cover what is not there, or hang loose."""
    linked = {digest for link in log.links() for digest in list_digests(link)}
    there, hashes, purged = {digest for _, digest, _ in log.rows}, log.hashes(), set(gone.values())
    for month, digest, entry in log.rows:
        if entry.get("e") != LINK:
            is_known = digest in linked or digest in purged
            reason = "" if is_known else "it was changed or added after it was logged"
        elif entry.get("h") != link_hash(entry):
            reason = "this link was changed"
        elif entry.get("p") and entry.get("p") not in hashes:
            reason = "the link before this one is missing or was changed"
        else:
            lost = sum(one not in there and one not in gone for one in list_digests(entry))
            reason = f"{lost} of the records that this link covers are missing or were changed" if lost else ""
        if reason:
            yield ChainBreak(log.device, month, str(entry.get("t", "")), str(entry.get("op", "")), reason)


def _find_lost_ends(logs: list[_DeviceLog]) -> Iterator[ChainBreak]:
    """Yield the devices whose logs lack links that another device has seen."""
    hashes = {log.device: log.hashes() for log in logs}
    told: set[str] = set()
    for log in logs:
        for month, _, entry in log.rows:
            heads = entry.get("heads")
            for device, head in heads.items() if isinstance(heads, dict) else ():
                if head not in hashes.get(device, set()) and device not in told:
                    told.add(device)
                    reason = f"{log.device} had seen records of it by then that are missing here"
                    yield ChainBreak(device, month, str(entry.get("t", "")), "", reason)
