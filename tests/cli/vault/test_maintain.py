"""What `memvault maintain` says of notes that it does not touch."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import Line


def test_adopted_notes_that_fade_are_told_as_such_and_not_touched(line: Line) -> None:
    line("init", ".")
    folder = Path("Garden")
    folder.mkdir()
    for name in ("Beans", "Peas"):
        text = f"---\ncreated: 2019-01-01T00:00:00Z\nlast_accessed: 2019-01-01T00:00:00Z\nweight: 0.4\n---\n{name} climb.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    named = [row["title"] for row in line("stats", "--json").json["result"]["fading"]]
    assert sorted(named) == ["Beans", "Peas"], "they will fade as soon as somebody maintains the vault"
    ran = line("maintain")
    assert "2 of your notes count as faded; no file was touched." in ran.out
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    told = line("stats", "--json").json["result"]
    assert told["fading"] == []
    assert sorted(event["title"] for event in told["history"]["faded"]) == ["Beans", "Peas"]
