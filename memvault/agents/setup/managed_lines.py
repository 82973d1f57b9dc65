"""What leads to a vault from outside: a line in an agent's instructions, and the setting that names it for good."""

from __future__ import annotations

from pathlib import Path

from memvault.agents.setup.settings_files import ManagedFile, RemovedEntries, SettingsWriter
from memvault.core.settings import find_setting
from memvault.errors import BadConfigFile
from memvault.storage.vault import config
from memvault.text.managed_block import BEGIN, END, find_block, write_block

IMPORT, SETTING = "import", "setting"
_NAME = "user.vault"


def claude_import(vault: Path, instructions: Path) -> ManagedFile:
    """The line by which Claude Code loads a vault's CLAUDE.md; a block of another sort that is there already stays."""
    # Only a blank needs it: what follows the @ is read up to the next one.
    target = (vault / "CLAUDE.md").as_posix().replace(" ", "\\ ")
    block = f"{BEGIN}\n@{target}\n{END}"
    return ManagedFile(
        path=instructions,
        what=IMPORT,
        agent="claude-code",
        is_installed=lambda text: (
            _find_block(text, instructions) is not None and _find_import(text, instructions) in ("", f"@{target}")
        ),
        add_entries=lambda text: write_block(text.encode(), block, path=str(instructions)).decode(),
        remove_entries=lambda text, before: _remove_import(text, before, instructions),
        new_text="",
    )


def vault_setting(vault: Path, own_config: Path) -> ManagedFile:
    """Return the line of the person's own config that names a vault for good."""
    row = find_setting(_NAME)
    return ManagedFile(
        path=own_config,
        what=SETTING,
        agent=str(vault),  # so that what is taken out later is this one, and no other that a person wrote
        is_installed=lambda text: _find_vault_name(text, own_config) == str(vault),
        add_entries=lambda text: config.change_setting(text, row, str(vault)),
        remove_entries=lambda text, before: _remove_vault_name(text, before, str(vault), own_config),
        new_text="",
    )


def remove_imports(entries: SettingsWriter, instructions: Path, *, dry_run: bool = False) -> RemovedEntries:
    """Take the line out of Claude Code's instructions, whichever vault it leads to."""
    return entries.remove_all([claude_import(Path(), instructions)], dry_run=dry_run)


def remove_setting(entries: SettingsWriter, own_config: Path, *, dry_run: bool = False) -> RemovedEntries:
    """Have the person's config name no vault any more, if it was `setup` that had it do so."""
    page = entries.backups.read_backup(own_config.resolve())
    if page is None or page.what != SETTING:
        return RemovedEntries(files=(), dry_run=dry_run)
    return entries.remove_all([vault_setting(Path(page.agent), own_config)], dry_run=dry_run)


def _find_block(text: str, path: Path) -> str | None:
    found = find_block(text.encode(), path=str(path))
    return None if found is None else text.encode()[found.start : found.end].decode()


def _find_import(text: str, path: Path) -> str:
    """Return the import that the block consists of; empty where it holds something else, or there is none."""
    lines = (_find_block(text, path) or "").splitlines()[1:-1]
    return lines[0] if len(lines) == 1 and lines[0].startswith("@") else ""


def _remove_import(text: str, before: str, path: Path) -> str:
    if not _find_import(text, path):
        return text
    data = text.encode()
    found = find_block(data, path=str(path))
    assert found is not None
    head, tail = data[: found.start].decode(), data[found.end :].decode()
    rest = tail.removeprefix("\r\n") if tail.startswith("\r\n") else tail.removeprefix("\n")
    if not rest and head.strip() == before.strip() and head.startswith(before):
        return before  # all that stands before it beside the text is the gap that came with it
    return head + rest


def _find_vault_name(text: str, path: Path) -> str:
    import tomllib  # deferred: only an installation asks

    try:
        user = tomllib.loads(text.removeprefix("\ufeff")).get("user", {})
    except tomllib.TOMLDecodeError as error:
        raise BadConfigFile(path=path, reason=error) from None
    return str(user.get("vault", "")) if isinstance(user, dict) else ""


def _remove_vault_name(text: str, before: str, vault: str, path: Path) -> str:
    row = find_setting(_NAME)
    if _find_vault_name(text, path) != vault:
        return text
    if config.change_setting(before, row, vault) == text:
        return before
    older = _find_vault_name(before, path)
    return config.change_setting(text, row, older or None)
