"""Which files of three commits are one memory, and which names are free: told without any git."""

from __future__ import annotations

from memvault.sync.merge_trees import FileVersions, TreeNames, pair_versions
from memvault.system.git_objects import FILE, TreeEntry

Side = dict[str, TreeEntry]


def side(**files: str) -> Side:
    """Files by their names, each as `id/text`, or as a text alone."""
    return {f"{name}.md": TreeEntry(FILE, content) for name, content in files.items()}


def id_of(_path: str, entry: TreeEntry) -> str:
    return entry.blob.partition("/")[0] if "/" in entry.blob else ""


def told(base: Side, ours: Side, theirs: Side) -> set[tuple[str, ...]]:
    """The versions as `path:content`, with a hyphen where there is none."""
    return {
        tuple(f"{each.path.removesuffix('.md')}:{each.entry.blob}" if each else "-" for each in versions)
        for versions in pair_versions(base, ours, theirs, id_of)
        if isinstance(versions, FileVersions)
    }


def test_a_name_that_went_to_another_memory_stands_for_both() -> None:
    found = told(side(a="1/old"), side(a="1/ours"), side(a="2/new"))
    assert found == {("a:1/old", "a:1/ours", "-"), ("-", "-", "a:2/new")}


def test_a_note_that_was_given_an_id_is_the_same_note() -> None:
    assert told(side(a="old"), side(a="1/old"), side(a="theirs")) == {("a:old", "a:1/old", "a:theirs")}
    assert told(side(a="old"), side(a="1/x"), side(a="2/y")) == {("a:old", "a:1/x", "a:2/y")}


def test_a_file_without_an_id_is_followed_while_it_is_unchanged() -> None:
    assert told(side(a="old"), side(b="old"), side(a="theirs")) == {("a:old", "b:old", "a:theirs")}
    assert told(side(a="old"), side(b="new"), side(a="theirs")) == {("a:old", "-", "a:theirs"), ("-", "b:new", "-")}


def test_copies_of_one_memory_each_go_their_own_way() -> None:
    found = told(side(a="1/old"), side(a="1/x", b="1/x"), side(a="1/y"))
    assert found == {("a:1/old", "a:1/x", "a:1/y"), ("-", "b:1/x", "-")}


def test_no_name_is_given_twice_on_any_disk() -> None:
    places = TreeNames(side(boat="one"), ())
    entry = TreeEntry(FILE, "two")
    assert places.place_file("boat.md", TreeEntry(FILE, "one"), "x") == "boat.md"
    assert places.place_file("boat.md", entry, "abcdefgh") == "boat-abcdefgh.md"
    assert places.place_file("Boat.md", entry, "12345678") == "Boat-12345678.md"
    assert places.place_file("boat.md", TreeEntry(FILE, "three"), "abcdefgh") == "boat-abcdef-2.md"
