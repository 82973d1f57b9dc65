"""A CLAUDE.md, or another page of instructions: each of its sections is a memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from memvault.storage import frontmatter
from memvault.system import files
from memvault.system import project as projects
from memvault.text.markdown import Sort, blocks
from memvault.transcripts.formats.injected import spoken
from memvault.transfer.importers.encoded import in_utf8
from memvault.transfer.importers.item import LONGEST, Found, Item, Unread

_HOME = ".claude"
_DEEPEST = 3  # what stands below a smaller heading belongs to the section above it
_LOADED = re.compile(r"^@\S+[ \t]*$", re.MULTILINE)  # another file that is read in its place


def sections(path: Path) -> Iterator[Item]:
    """Every section that says something, but for the block that memvault itself keeps there."""
    raw, stamp = files.read_stamped(path, limit=LONGEST + 1)
    if len(raw) > LONGEST:
        yield Unread(path, "it is too long for a page of instructions")
        return
    try:
        text = _LOADED.sub("", spoken(frontmatter.parse(in_utf8(raw)).text))
    except ValueError as error:
        yield Unread(path, str(error))
        return
    project, scope = _belongs(path)
    place = path.parent.parent if path.parent.name == _HOME else path.parent
    for number, (title, said) in enumerate(_parts(text)):
        if said:
            yield Found(
                text=said,
                origin=f"{place.name}/{path.name}#{title or number}",
                place=path.parent,
                title=title.rpartition(" > ")[2] if title else "",
                created=datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC),
                project=project,
                scope=scope,
            )


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Each stretch between two headings, with the headings that it stands below."""
    above: list[tuple[int, str]] = []
    begin = 0
    for block in blocks(text):
        if block.sort is not Sort.HEADING or block.level > _DEEPEST:
            continue
        yield " > ".join(title for _, title in above), text[begin : block.start].strip()
        above = [(level, title) for level, title in above if level < block.level] + [(block.level, block.title)]
        begin = block.end
    yield " > ".join(title for _, title in above), text[begin:].strip()


def _belongs(path: Path) -> tuple[str, str]:
    """The project whose page it is, and its scope; the page in the agent's own folder is for every project."""
    folder = path.absolute().parent
    if folder.name != _HOME:
        return projects.of(folder), "project"
    return ("", "global") if (folder / "projects").is_dir() else (projects.of(folder.parent), "project")
