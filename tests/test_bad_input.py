"""Bad files: a clear word about each, everything else works, nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import MemvaultError

GARBAGE: dict[str, bytes] = {
    "broken yaml": b"---\ntitle: [unclosed\ntags: {\n---\nA walrus text.\n",
    "open fence": b"---\ntitle: never closed\n\nA walrus text.\n",
    "deep": b"---\nx: " + b"[" * 25_000 + b"]" * 25_000 + b"\n---\nA walrus text.\n",
    "bomb": b"---\na: &a [x,x,x,x]\n"
    + b"".join(b"%c: &%c [*%c,*%c,*%c,*%c]\n" % (c + 1, c + 1, c, c, c, c) for c in range(97, 115))
    + b"---\nA walrus text.\n",
    "latin": "---\ntitle: café\n---\nA walrus text.\n".encode("latin-1"),
    "utf16": "---\ntitle: wide\n---\nA walrus text.\n".encode("utf-16"),
    "binary": bytes(range(256)) * 64 + b" A walrus text.",
    "empty": b"",
    "only fence": b"---\n---\n",
    "tabs": b"---\n\ttitle: tab\n---\nA walrus text.\n",
    "bom": b"\xef\xbb\xbf---\ntitle: marked\n---\nA walrus text.\n",
    "crlf": b"---\r\ntitle: dos\r\n---\r\nA walrus text.\r\n",
    "merge": b"One.\n<<<<<<< ours\nA walrus text.\n=======\nA walrus book.\n>>>>>>> theirs\n",
    "one long line": b"walrus " * 200_000,
    "toml": b"+++\ntitle = 'hugo'\n+++\nA walrus text.\n",
    "template": b"---\ntitle: {{title}}\ndate: <% tp.date.now() %>\n---\nA walrus text.\n",
    "numbers": b"---\n2026: x\n1e3: y\ncreated: 2026-02-30\nweight: 82\nstatus: done\n---\nA walrus text.\n",
}


@pytest.fixture(scope="module")
def littered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memvault]:
    """One for all tests here, as each leaves it as it was."""
    folder = tmp_path_factory.mktemp("littered")
    Memvault.init(folder / "vault")
    with Memvault(folder / "vault", environment={"HOME": str(folder)}) as vault:
        for name, data in GARBAGE.items():
            (vault.root / "2-memories" / f"{name}.md").write_bytes(data)
        vault.remember("A sound memory about an ostrich.")
        yield vault


@pytest.mark.points(only=True)
def test_everything_else_works_and_every_text_is_found(littered: Memvault) -> None:
    assert littered.recall("ostrich").hits[0].memory.title == "A sound memory about an ostrich"
    found = {hit.memory.name for hit in littered.recall("walrus", limit=100).hits}
    assert found == GARBAGE.keys() - {"empty", "only fence", "binary", "merge"}
    assert littered.list().total == len(GARBAGE) + 1
    assert littered.status().problems > 0


@pytest.mark.parametrize("name", sorted(GARBAGE))
@pytest.mark.points(quick=5)
def test_a_change_is_made_exactly_or_refused_and_never_damages(littered: Memvault, name: str) -> None:
    path = littered.root / "2-memories" / f"{name}.md"
    before = path.read_bytes()
    try:
        littered.pin(f"2-memories/{name}.md")
    except MemvaultError:
        assert path.read_bytes() == before
    else:
        after = path.read_bytes()
        assert littered.find(f"2-memories/{name}.md").pinned
        assert len(before) < 20 or after[-14:] == before[-14:]
        littered.undo()
        assert path.read_bytes() == before


def test_links_that_lead_out_of_the_vault_are_not_followed(vault: Memvault, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("A giraffe outside.")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "deep.md").write_text("A giraffe in a folder.")
    try:
        (vault.root / "2-memories" / "link.md").symlink_to(tmp_path / "outside.md")
        (vault.root / "2-memories" / "loop").symlink_to(vault.root, target_is_directory=True)
        (vault.root / "2-memories" / "out").symlink_to(tmp_path / "folder", target_is_directory=True)
        (vault.root / "2-memories" / "nowhere.md").symlink_to(tmp_path / "missing.md")
    except OSError:
        pytest.skip("links cannot be made here")
    assert vault.recall("giraffe").hits == ()
    assert vault.remember("Goes on.").memory.path


def test_a_link_inside_the_vault_is_read_and_never_replaced(vault: Memvault) -> None:
    (vault.root / "real.txt").write_text("A heron by the river.")
    link = vault.root / "2-memories" / "heron.md"
    try:
        link.symlink_to(vault.root / "real.txt")
    except OSError:
        pytest.skip("links cannot be made here")
    assert vault.recall("heron").hits
    with pytest.raises(MemvaultError):
        vault.pin("heron")
    assert link.is_symlink()
    assert (vault.root / "real.txt").read_text() == "A heron by the river."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_named_like_a_note_does_not_hang_anything(vault: Memvault) -> None:
    os.mkfifo(vault.root / "2-memories" / "pipe.md")
    assert vault.list().total == 0


def test_a_reference_that_leads_outside_is_refused(vault: Memvault) -> None:
    for ref in ("../../etc/passwd", "/etc/passwd", "..", "2-memories/../../x.md", "\0", "a" * 10_000):
        with pytest.raises(MemvaultError):
            vault.show(ref)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads and writes everything")
def test_what_may_not_be_read_is_passed_over(vault: Memvault) -> None:
    made = vault.remember("Locked away.")
    vault.remember("Open to all.")
    (vault.root / made.memory.path).chmod(0)
    assert vault.recall("open").hits
    assert vault.status().problems == 1


def test_a_vault_that_cannot_be_written_can_still_be_read(vault: Memvault, open_vault, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from memvault.errors import Unwritable
    from memvault.system import files

    made = vault.remember("Written before the disk was full.")

    def full(*_args: object, **_kwargs: object) -> None:
        raise Unwritable(path="the disk", reason="no space left on device")

    for name in ("create_file", "replace_note", "append_line", "overwrite_file", "move_file"):
        monkeypatch.setattr(files, name, full)
    assert vault.recall("disk").hits
    assert vault.show(made.memory.id).memory.body
    with pytest.raises(Unwritable):
        vault.remember("Too late.")
    monkeypatch.undo()
    assert vault.remember("Space again.").op
