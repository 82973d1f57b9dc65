"""What the doctor only reports: the right file, the right words, and not a byte changed by `--fix`."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.maintenance.doctor import DoctorFinding
from tests.maintenance.doctor.conftest import Examine
from tests.maintenance.doctor.damage import (
    ID,
    Damage,
    a_folder_for_the_journal,
    all_of,
    differing,
    hard_link,
    journal,
    note,
    own_device,
    remove_folder,
    snapshot,
)


@dataclass(frozen=True)
class Case:
    """A damage, and the one finding it must lead to."""

    check: str
    damage: Damage
    path: str
    severity: str
    says: str


A = "2-memories/a.md"
TALK = "3-raw/transcripts/2026-01/2026-01-05-talk-0a1b2c3d.jsonl.gz"
CONFLICT = "2-memories/a.sync-conflict-20260129-093000-ABCDEFG.md"
JOURNAL = ".memvault/journal/elsewhere/2026-01.jsonl"
FUTURE = json.dumps({"t": "2031-01-01T00:00:00Z", "e": "touch", "id": ID})


def claims(path: str, text: str = "One.") -> Damage:
    """A note with an id that others have too."""
    return note(path, f"---\nid: {ID}\n---\n{text}\n")


def states(fields: str) -> Damage:
    """A note with these fields."""
    return note(A, f"---\n{fields}\n---\nText.\n")


CASES: dict[str, Case] = {
    "settings that are no TOML": Case(
        "settings", note("memvault.toml", "[recall\n"), "memvault.toml", "error", "cannot be read as TOML"
    ),
    "a setting that does not exist": Case(
        "settings", note("memvault.toml", "[recall]\nlimits = 3\n"), "memvault.toml", "error", "recall.limits"
    ),
    "a setting out of range": Case(
        "settings", note("memvault.toml", "[recall]\nlimit = 0\n"), "memvault.toml", "error", "recall.limit"
    ),
    "a setting outside all tables": Case(
        "settings", note("memvault.toml", "limit = 5\n"), "memvault.toml", "error", "limit"
    ),
    "a setting for oneself": Case(
        "settings", note("memvault.toml", '[user]\neditor = "rm"\n'), "memvault.toml", "warning", "only you may set it"
    ),
    "a tier renamed": Case(
        "folders", lambda root: (root / "1-hot").rename(root / "warm") and None, "1-hot/", "error", "lie in warm/ now"
    ),
    "a tier gone with its notes": Case(
        "folders", remove_folder("1-hot"), "1-hot/", "error", "1 note memvault knew there"
    ),
    "a file in a tier's place": Case(
        "folders", all_of(remove_folder("0-identity"), note("0-identity", "x")), "0-identity/", "error", "A file stands"
    ),
    "a vault within": Case(
        "nested", note("inner/.memvault/vault.json", "{}"), "inner/", "warning", "Another vault is in this folder"
    ),
    "a damaged conversation": Case(
        "conversations", note(TALK, b"\x1f\x8b\x08\0no member at all"), TALK, "error", "cannot be read"
    ),
    "latin-1": Case("encoding", note(A, "Café au lait.".encode("latin-1")), A, "warning", "not UTF-8"),
    "binary": Case("encoding", note(A, b"a\0b"), A, "warning", "NUL"),
    "utf-16": Case("encoding", note(A, "Wide.".encode("utf-16")), A, "note", "UTF-16"),
    "broken frontmatter": Case(
        "frontmatter", states("title: x\ntags: [a"), A, "warning", "Line 3: the value of `tags`"
    ),
    "no closing fence": Case("frontmatter", note(A, "---\ntitle: x\n\nText.\n"), A, "warning", "no closing"),
    "merge markers": Case(
        "merge-markers", note(A, "Both.\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n"), A, "error", "from line 2 on"
    ),
    "a conflict copy that differs": Case(
        "conflict-copies",
        all_of(note(A, "Ours."), note(CONFLICT, "Theirs.")),
        CONFLICT,
        "error",
        f"{A}, and the two differ",
    ),
    "a conflict copy of equal length": Case(
        "conflict-copies", all_of(note(A, "Ours."), note(CONFLICT, "OURS.")), CONFLICT, "error", "the two differ"
    ),
    "a conflict copy of nothing": Case(
        "conflict-copies", note(CONFLICT, f"---\nid: {ID}\n---\nTheirs."), CONFLICT, "warning", "is not there"
    ),
    "a note that is only called like a conflict copy": Case(
        "conflict-copies", note(CONFLICT, "My own."), CONFLICT, "note", "it counts as a note"
    ),
    "a conflict copy of one's own that is the same": Case(
        "conflict-copies",
        all_of(note("x/a.md", "Ours."), note("x/a (Case Conflict).md", "Ours.")),
        "x/a (Case Conflict).md",
        "warning",
        "the same to the last byte",
    ),
    "two notes with one id": Case(
        "twins",
        all_of(claims(A), claims("2-memories/b.md", "Two.")),
        "2-memories/b.md",
        "error",
        f"claims the id of {A}, with another text",
    ),
    "copies in two tiers": Case("twins", all_of(claims("1-hot/a.md"), claims(A)), A, "error", "with the same text"),
    "copies among one's own notes": Case(
        "twins", all_of(claims("x/a.md"), claims("y/a.md")), "y/a.md", "error", "with the same text"
    ),
    "copies that are both linked to": Case(
        "twins",
        all_of(claims(A), claims("2-memories/b.md"), note("2-memories/c.md", "See [[a]] and [[b]].")),
        "2-memories/b.md",
        "error",
        "with the same text",
    ),
    "an id that is none": Case("ids", states("id: 17"), A, "note", "no uuid"),
    "a name in two folders": Case(
        "shared-names",
        all_of(note(A, "One."), note("2-memories/sub/A.md", "Two.")),
        "2-memories/sub/A.md",
        "warning",
        f"[[a]] means {A}",
    ),
    "one's own name in two folders": Case(
        "shared-names", all_of(note("x/i.md", "One."), note("y/i.md", "Two.")), "y/i.md", "note", "2 notes"
    ),
    "a device's name": Case(
        "portable-names", note("2-memories/con.md", "Text."), "2-memories/con.md", "warning", "Windows"
    ),
    "a folder's name": Case(
        "portable-names", note("2-memories/a#b/c.md", "Text."), "2-memories/a#b/", "warning", "'#'"
    ),
    "archived by hand": Case("status", states("status: archived"), A, "warning", "does not lie"),
    "dates to come": Case(
        "dates",
        states("created: 2031-01-01\nlast_accessed: 2032-01-01T00:00:00Z"),
        A,
        "warning",
        "`created` and `last_accessed`",
    ),
    "a weight too heavy": Case("values", states("weight: 82"), A, "warning", "weight: 82"),
    "a status of one's own": Case("values", states("status: done"), A, "note", "status: done"),
    "statuses in one's own notes": Case(
        "values",
        all_of(*(note(f"x/{name}.md", "---\nstatus: done\n---\nText.\n") for name in "abc")),
        "x/a.md",
        "note",
        "this note and 2 more",
    ),
    "an empty note": Case("empty", note(A, b""), A, "note", "note is empty"),
    "a very long note": Case("too-long", note(A, "word " * 1_700_000), A, "note", "2,048 KB"),
    "a hard link": Case("borrowed", hard_link, "2-memories/one.md", "note", "hard links"),
    "a trigger in every other prompt": Case(
        "triggers", states("triggers: [it, e, harbour crane]"), A, "note", "triggers “it”, “e” load"
    ),
    "a trigger of another program's": Case(
        "triggers", states("source: import\ntriggers: [harbour crane]"), A, "note", "another program"
    ),
    "a link to nothing": Case(
        "links",
        note(A, "See [[nobody]], [[about-noor-halvorsen|her]] and ![[map.png]]."),
        A,
        "warning",
        "nobody, map.png,",
    ),
    "a relation to nothing": Case("links", states('extends: [[nothing]]\nrefines: ["[[lost]]"]'), A, "warning", "lost"),
    "a link into the trash": Case(
        "faded-links",
        all_of(note(".trash/gone.md", "Gone."), note(A, "See [[gone]].")),
        A,
        "note",
        "gone, which lies in the trash",
    ),
    "a link into the archive": Case("faded-links", note(A, "See [[nightly-csv-import]]."), A, "note", "in the archive"),
    "detail that is lost": Case(
        "references", states('refs:\n  deep_context: "[[a-detail]]"'), A, "warning", "[[a-detail]], is not there"
    ),
    "detail by the flat name": Case(
        "references", states("ref_deep_context: deep-context/x.md"), A, "warning", "deep-context/x.md, is not there"
    ),
    "artifacts elsewhere": Case(
        "references",
        states("refs:\n  artifacts: [/etc/passwd, https://a.example/b, src/c.py]"),
        A,
        "note",
        "refers to /etc/passwd, outside the vault",
    ),
    "too much identity": Case(
        "always-loaded", note("0-identity/a.md", "word " * 700), "0-identity/", "warning", "Tier 0 is"
    ),
    "too much that is hot": Case(
        "always-loaded", note("1-hot/a.md", "word " * 5_000), "1-hot/", "warning", "Tier 1 is"
    ),
    "a torn line": Case(
        "log-lines", journal('{"t":"2026-01-28T09:00:00Z","e":"x"}\n{"t":"20'), JOURNAL, "note", "1 of its 2 lines"
    ),
    "many torn lines": Case("log-lines", journal("nonsense\n" * 7), JOURNAL, "warning", "7 of its 7 lines"),
    "a ledger that is a folder": Case(
        "log-lines", note(".memvault/ledger/x.jsonl/y", ""), ".memvault/ledger/x.jsonl", "error", "it is a folder"
    ),
    "a journal from the future": Case(
        "log-dates",
        journal(FUTURE + "\n"),
        JOURNAL,
        "warning",
        "1 of its entries are dated in the future, as late as 2031-01-01",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.points(quick=18)
def test_doctor_reports_problems_and_fix_leaves_them_to_the_person(
    name: str, lived_in: Memvault, examine: Examine
) -> None:
    case = CASES[name]
    opened = case.check == "settings"  # with bad settings it cannot be opened again
    usual = examine().findings
    case.damage(lived_in.root)
    before = snapshot(lived_in.root, whole=True)
    findings = examine(opened=opened).findings
    found = [finding for finding in findings if finding.check == case.check and finding not in usual]
    assert [finding.path for finding in found] == [case.path]
    _says(found[0], case)
    assert found[0] in examine(opened=opened, fix=True).left
    assert differing(before, snapshot(lived_in.root, whole=True)) == set()


# -- what only some systems have


def needs(can: bool, what: str) -> None:
    if not can:
        pytest.skip(what)


def test_a_link_out_of_the_vault_is_not_followed(lived_in: Memvault, examine: Examine, tmp_path: Path) -> None:
    needs(sys.platform != "win32", "links need rights there")
    (tmp_path / "outside.md").write_text("<<<<<<< secret\n=======\n>>>>>>> more\n")
    (lived_in.root / A).symlink_to(tmp_path / "outside.md")
    (lived_in.root / "2-memories/linked").symlink_to(tmp_path)
    (lived_in.root / "2-memories/nowhere.md").symlink_to(tmp_path / "missing.md")
    found = {finding.path: (finding.check, finding.sentence) for finding in examine().findings}
    said = "It is a link that leads out of the vault, to {}: it is neither read nor written."
    assert found[A] == ("links-out", said.format(tmp_path / "outside.md"))
    assert found["2-memories/linked"] == ("links-out", said.format(tmp_path))
    assert found["2-memories/nowhere.md"][0] == "links-out"
    assert "merge-markers" not in {check for check, _ in found.values()}


def test_a_link_within_the_vault_is_worth_a_note(lived_in: Memvault, examine: Examine) -> None:
    needs(sys.platform != "win32", "links need rights there")
    (lived_in.root / A).symlink_to(lived_in.root / "README.md")
    found = next(finding for finding in examine().findings if finding.check == "borrowed")
    assert (found.path, found.severity) == (A, "note")
    assert "a symbolic link" in found.sentence


def test_a_pipe_is_no_note_and_nobody_waits_for_it(lived_in: Memvault, examine: Examine) -> None:
    needs(hasattr(os, "mkfifo"), "there are no pipes here")
    os.mkfifo(lived_in.root / A)
    found = next(finding for finding in examine().findings if finding.path == A)
    assert (found.check, found.sentence) == ("unreadable", "It cannot be read: it is not an ordinary file.")


def test_doctor_reports_unreadable_files_and_checks_the_rest(lived_in: Memvault, examine: Examine) -> None:
    needs(hasattr(os, "geteuid") and os.geteuid() != 0, "this user may read everything")
    note(A, "Mine.")(lived_in.root)
    note("2-memories/shut/b.md", "Mine.")(lived_in.root)
    note("2-memories/z.md", b"")(lived_in.root)
    (lived_in.root / A).chmod(0)
    (lived_in.root / "2-memories/shut").chmod(0)
    found = {finding.path: finding.check for finding in examine().findings}
    (lived_in.root / "2-memories/shut").chmod(0o700)
    assert found[A] == found["2-memories/shut/"] == "unreadable"
    assert found["2-memories/z.md"] == "empty"


@pytest.mark.parametrize(
    ("one", "other"), [("Tea.md", "tea.md"), ("caf\u00e9.md", "cafe\u0301.md")], ids=["case", "accent"]
)
def test_names_that_only_some_systems_tell_apart(one: str, other: str, lived_in: Memvault, examine: Examine) -> None:
    for name in (one, other):
        note(f"2-memories/{name}", f"Text of {name!a}.")(lived_in.root)
    needs(len(list((lived_in.root / "2-memories").glob("[Tt]ea.md"))) != 1, "this system does not")
    needs(len(list((lived_in.root / "2-memories").glob("caf*.md"))) != 1, "this system does not")
    first, second = sorted((f"2-memories/{one}", f"2-memories/{other}"))
    found = [finding for finding in examine().findings if finding.check == "case-twins"]
    assert [(finding.path, finding.severity) for finding in found] == [(second, "error")]
    assert first in found[0].sentence
    assert "shared-names" not in {finding.check for finding in examine().findings}


def test_a_name_that_is_no_text_can_be_printed(lived_in: Memvault, examine: Examine) -> None:
    needs(sys.platform == "linux", "names are always text here")
    note("2-memories/caf\udce9.md", "Text.")(lived_in.root)
    found = [finding for finding in examine().findings if finding.check == "portable-names"]
    assert [finding.path for finding in found] == ["2-memories/caf\\udce9.md"]
    for finding in examine(fix=True).findings:
        f"{finding.path}{finding.sentence}{finding.advice}".encode()


def test_a_journal_that_cannot_be_written(lived_in: Memvault, examine: Examine) -> None:
    a_folder_for_the_journal(lived_in.root)
    found = [finding for finding in examine().findings if finding.check == "log-writable"]
    assert [finding.path for finding in found] == [f".memvault/journal/{own_device(lived_in.root)}/2026-01.jsonl"]
    assert found[0].severity == "warning"
    assert "what is used and done will be forgotten" in found[0].sentence


def test_doctor_ignores_hidden_files(lived_in: Memvault, examine: Examine) -> None:
    before = examine().findings
    note("secret/a.md", "---\ntitle: [\n---\n")(lived_in.root)
    note("secret/b.md", b"\0")(lived_in.root)
    assert len(examine().findings) > len(before)
    note(".memvaultignore", "/secret/\n")(lived_in.root)
    # Opened again, as the ignore file is read when a vault is opened.
    with Memvault(lived_in.root, clock=lived_in._clock, environment=lived_in.environment) as again:
        assert again.doctor().findings == before


def _says(found: DoctorFinding, case: Case) -> None:
    assert case.says in found.sentence
    assert found.severity == case.severity
    assert found.sentence.endswith(".")
    assert not found.is_fixable
    assert found.fix_reason == ""
    assert found.advice or found.severity == "note", "who finds something says what to do"
