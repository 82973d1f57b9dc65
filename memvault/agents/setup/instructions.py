"""What leads to a vault from outside: a line in an agent's instructions, and the setting that names it for good."""

from __future__ import annotations

from pathlib import Path

from memvault.agents.setup.hooks import Entries, Lodging, Removed
from memvault.core.settings import lookup
from memvault.errors import BadConfigFile
from memvault.storage.vault import config
from memvault.text.managed_block import BEGIN, END, region, with_block

IMPORT, SETTING = "import", "setting"
_NAME = "user.vault"


def import_of(vault: Path, instructions: Path) -> Lodging:
    """The line by which Claude Code loads a vault's CLAUDE.md; a block of another sort that is there already stays."""
    # Only a blank needs it: what follows the @ is read up to the next one.
    target = (vault / "CLAUDE.md").as_posix().replace(" ", "\\ ")
    block = f"{BEGIN}\n@{target}\n{END}"
    return Lodging(
        path=instructions,
        what=IMPORT,
        agent="claude-code",
        stands=lambda text: (
            _block(text, instructions) is not None and _import(text, instructions) in ("", f"@{target}")
        ),
        put_in=lambda text: with_block(text.encode(), block, path=str(instructions)).decode(),
        take_out=lambda text, before: _without_import(text, before, instructions),
        empty="",
    )


def setting_of(vault: Path, own_config: Path) -> Lodging:
    """The line of the person's own config that names a vault for good."""
    row = lookup(_NAME)
    return Lodging(
        path=own_config,
        what=SETTING,
        agent=str(vault),  # so that what is taken out later is this one, and no other that a person wrote
        stands=lambda text: _named(text, own_config) == str(vault),
        put_in=lambda text: config.changed(text, row, str(vault)),
        take_out=lambda text, before: _without_name(text, before, str(vault), own_config),
        empty="",
    )


def remove_imports(entries: Entries, instructions: Path, *, dry_run: bool = False) -> Removed:
    """Take the line out of Claude Code's instructions, whichever vault it leads to."""
    return entries.remove_all([import_of(Path(), instructions)], dry_run=dry_run)


def remove_setting(entries: Entries, own_config: Path, *, dry_run: bool = False) -> Removed:
    """Have the person's config name no vault any more, if it was `setup` that had it do so."""
    page = entries.book.page(own_config.resolve())
    if page is None or page.what != SETTING:
        return Removed(files=(), dry_run=dry_run)
    return entries.remove_all([setting_of(Path(page.agent), own_config)], dry_run=dry_run)


def _block(text: str, path: Path) -> str | None:
    found = region(text.encode(), path=str(path))
    return None if found is None else text.encode()[found.start : found.end].decode()


def _import(text: str, path: Path) -> str:
    """The import that the block consists of; empty where it holds something else, or there is none."""
    lines = (_block(text, path) or "").splitlines()[1:-1]
    return lines[0] if len(lines) == 1 and lines[0].startswith("@") else ""


def _without_import(text: str, before: str, path: Path) -> str:
    if not _import(text, path):
        return text
    data = text.encode()
    found = region(data, path=str(path))
    assert found is not None
    head, tail = data[: found.start].decode(), data[found.end :].decode()
    rest = tail.removeprefix("\r\n") if tail.startswith("\r\n") else tail.removeprefix("\n")
    if not rest and head.strip() == before.strip() and head.startswith(before):
        return before  # all that stands before it beside the text is the gap that came with it
    return head + rest


def _named(text: str, path: Path) -> str:
    import tomllib  # deferred: only an installation asks

    try:
        user = tomllib.loads(text.removeprefix("\ufeff")).get("user", {})
    except tomllib.TOMLDecodeError as error:
        raise BadConfigFile(path=path, reason=error) from None
    return str(user.get("vault", "")) if isinstance(user, dict) else ""


def _without_name(text: str, before: str, vault: str, path: Path) -> str:
    row = lookup(_NAME)
    if _named(text, path) != vault:
        return text
    if config.changed(before, row, vault) == text:
        return before
    older = _named(before, path)
    return config.changed(text, row, older or None)
