"""The operation log is chained: what was changed, added or cut off is told, and what was purged is no fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.storage.journal import chain
from memvault.storage.journal.chain_check import ChainBreak
from memvault.storage.journal.journal import Journal, append_records
from memvault.system import files
from tests.conftest import START, Clock


def own_log(vault: Memvault) -> Path:
    (found,) = vault.root.glob(".memvault/journal/*/*.jsonl")
    return found


def first_break(vault: Memvault) -> ChainBreak:
    return vault.audit_log().breaks[0]


@pytest.fixture
def busy(vault: Memvault, clock: Clock) -> Memvault:
    """A vault in which three things were done."""
    for title in ("Boat", "Gauge", "Meadow"):
        clock.pass_(minutes=1)
        vault.remember(f"The {title.lower()} lies north of Hollin.", title=title, kind="semantic")
    return vault


def change_line(path: Path, mark: bytes, change: Callable[[bytes], bytes]) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    (number,) = (number for number, line in enumerate(lines) if mark in line and b'"e":"step"' in line)
    lines[number] = change(lines[number])
    path.write_bytes(b"".join(lines))


def test_a_log_that_nobody_touched_follows(busy: Memvault) -> None:
    found = busy.audit_log()
    assert found.breaks == ()
    assert (found.devices, found.unchained, found.purged) == (1, 0, 0)
    assert found.records >= 9  # of each operation its head, a step and its end


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda line: line.replace(b"gauge", b"gorge"), "changed or added"),
        (lambda line: line + line.replace(b'"e":"step"', b'"e":"done"'), "changed or added"),
        (lambda _line: b"", "1 of the records that this link covers"),
        (lambda line: b" " * (len(line) - 1) + b"\n", "1 of the records that this link covers"),
    ],
    ids=["changed", "added", "removed", "blanked"],
)
def test_the_first_record_that_does_not_follow_is_told(
    busy: Memvault, change: Callable[[bytes], bytes], reason: str
) -> None:
    change_line(own_log(busy), b"gauge", change)
    found = first_break(busy)
    assert reason in found.reason
    assert (found.device, found.month, found.at) == (busy.device, "2026-01", "2026-01-29T09:32:00Z")


@pytest.mark.parametrize("which", [0, 1, -2])
def test_a_link_that_was_changed_or_removed_is_told(busy: Memvault, which: int) -> None:
    path = own_log(busy)
    lines = path.read_bytes().splitlines(keepends=True)
    links = [number for number, line in enumerate(lines) if b'"e":"link"' in line]
    record = json.loads(lines[links[which]])
    path.write_bytes(b"".join([*lines[: links[which]], *lines[links[which] + 1 :]]))
    assert "changed or added" in first_break(busy).reason
    forged = {**record, "d": record["d"][1:]}
    lines[links[which]] = json.dumps({**forged, "h": chain.link_hash(forged)}, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    assert busy.audit_log().breaks != ()


def test_what_is_gone_by_intent_is_counted_and_no_fault(busy: Memvault) -> None:
    before = busy.audit_log().records
    busy.purge("Gauge")
    found = busy.audit_log()
    assert found.breaks == ()
    assert found.purged == 1
    assert found.records > before
    assert b"gauge" not in own_log(busy).read_bytes().lower()
    busy.purge("Boat")
    assert (busy.audit_log().purged, busy.audit_log().breaks) == (2, ())


def test_an_older_log_is_anchored_once(vault: Memvault) -> None:
    path = vault.root / ".memvault/journal" / vault.device / "2025-12.jsonl"
    old = [{"e": sort, "op": f"20251201T00000{number}Z-abcd"} for number in range(70) for sort in ("op", "done")]
    files.make_folder(path.parent)
    append_records(path, old, START)
    assert (vault.audit_log().unchained, vault.audit_log().breaks) == (140, ())
    vault.remember("The boat lies north of Hollin.", title="Boat", kind="semantic")
    found = vault.audit_log()
    assert (found.unchained, found.breaks) == (0, ())
    assert all(len(line) < 4000 for line in own_log_lines(vault))
    append_records(path, [{"e": "op", "op": "20251202T000000Z-abcd"}], START)
    vault.remember("The gauge is read at six.", title="Gauge", kind="semantic")
    assert first_break(vault).month == "2025-12"


def own_log_lines(vault: Memvault) -> list[bytes]:
    return [line for path in vault.root.glob(".memvault/journal/*/*.jsonl") for line in path.read_bytes().splitlines()]


def test_a_clock_that_was_set_back_by_months_forks_no_chain(busy: Memvault, clock: Clock) -> None:
    clock.pass_(days=-70)
    busy.remember("The lamp stands in the hall.", title="Lamp", kind="semantic")
    clock.pass_(days=70)
    busy.remember("The pump stands in the yard.", title="Pump", kind="semantic")
    links = [json.loads(line) for line in own_log_lines(busy) if b'"e":"link"' in line]
    assert sorted(link["n"] for link in links) == list(range(1, len(links) + 1))
    assert busy.audit_log().breaks == ()


def test_lines_of_a_write_that_a_power_cut_tore_are_linked_when_their_operation_is_finished(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "desk")
    chain.append_chained(journal, "a", [{"e": "op", "op": "a"}, {"e": "done", "op": "a"}], START, durable=False)
    torn = [{"e": "op", "op": "b"}, {"e": "step", "op": "b"}]
    append_records(journal.device_files()["desk"][0], torn, START)
    chain.append_chained(journal, "b", [{"e": "done", "op": "b"}], START, durable=False)
    entries = [entry for _, entry in chain.read_lines(journal.device_files()["desk"][0].read_bytes())]
    assert len(chain.list_digests(entries[-1])) == 3


def test_a_chain_goes_on_behind_much_else_that_was_noted(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "desk")
    chain.append_chained(journal, "a", [{"e": "op", "op": "a"}], START, durable=False)
    journal.append([{"e": "use", "id": "x" * 500}] * 200, START)
    chain.append_chained(journal, "a", [{"e": "done", "op": "a"}], START, durable=False)
    entries = [entry for _, entry in chain.read_lines(journal.device_files()["desk"][0].read_bytes())]
    links = [entry for entry in entries if entry["e"] == "link"]
    assert [link["n"] for link in links] == [1, 2]
    assert links[1]["p"] == links[0]["h"]


# -- several machines


def test_an_operation_names_how_far_the_logs_of_other_machines_go(tmp_path: Path) -> None:
    desk, laptop = Journal(tmp_path, "desk"), Journal(tmp_path, "laptop")
    for op in ("a", "b"):
        chain.append_chained(desk, op, [{"e": "op", "op": op}, {"e": "done", "op": op}], START, durable=False)
    chain.append_chained(laptop, "c", [{"e": "op", "op": "c"}], START, durable=False)
    (own,), (other,) = (journal.device_files()[journal.device] for journal in (desk, laptop))
    heads = [entry for _, entry in chain.read_lines(other.read_bytes())][-1]["heads"]
    last = [entry for _, entry in chain.read_lines(own.read_bytes())][-1]
    assert heads == {"desk": last["h"]}
