"""Settings are shown with what they do, and set by changing one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.settings.table import SETTING_ROWS, VAULT
from memvault.errors import BadSetting, UnknownSetting


def test_all_settings_those_of_a_section_or_one(vault: Memvault) -> None:
    assert [row.name for row in vault.config()] == [row.name for row in SETTING_ROWS]
    assert {row.name.partition(".")[0] for row in vault.config("recall")} == {"recall"}
    [one] = vault.config("recall.limit")
    assert (one.name, one.value, one.default, one.set_by) == ("recall.limit", 10, 10, "vault")
    assert one.help
    with pytest.raises(UnknownSetting, match="did you mean"):
        vault.config("recall.limti")


def test_a_setting_changes_one_line_and_back(vault: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    path = vault.root / "memvault.toml"
    before = path.read_text().splitlines()
    assert vault.set_config("recall.limit", "5") == 5
    after = path.read_text().splitlines()
    assert [(old, new) for old, new in zip(before, after, strict=True) if old != new] == [("# limit = 10", "limit = 5")]
    assert open_vault(vault.root).config("recall.limit")[0].value == 5
    assert vault.set_config("recall.limit", None) == 10
    assert path.read_text().splitlines() == before


@pytest.mark.parametrize(
    "name", [row.name for row in SETTING_ROWS if row.set_by == VAULT and not isinstance(row.default, tuple)]
)
def test_every_default_can_be_written_out_and_is_read_back(vault: Memvault, name: str) -> None:
    default = vault.config(name)[0].default
    said = str(default).lower() if isinstance(default, bool) else str(default)
    assert vault.set_config(name, said) == default
    section, _, key = name.partition(".")
    assert tomllib.loads((vault.root / "memvault.toml").read_text())[section][key] == default


def test_a_dry_run_changes_nothing(vault: Memvault) -> None:
    before = (vault.root / "memvault.toml").read_bytes()
    assert vault.set_config("recall.limit", "5", dry_run=True) == 5
    assert (vault.root / "memvault.toml").read_bytes() == before


@pytest.mark.parametrize(("name", "value"), [("recall.limit", "many"), ("recall.limit", "0"), ("layout.hot", "../x")])
def test_a_value_that_will_not_do_is_refused_and_nothing_written(vault: Memvault, name: str, value: str) -> None:
    before = (vault.root / "memvault.toml").read_bytes()
    with pytest.raises(BadSetting):
        vault.set_config(name, value)
    assert (vault.root / "memvault.toml").read_bytes() == before


def test_what_is_about_the_person_holds_for_all_vaults_at_once(vault: Memvault, environment: dict[str, str]) -> None:
    with pytest.raises(BadSetting, match="--user"):
        vault.set_config("user.editor", "rm")
    assert Memvault.set_own_config("user.editor", "nano", environment=environment) == "nano"
    assert Memvault.own_config("user.editor", environment=environment)[0].value == "nano"
    path = Path(environment["XDG_CONFIG_HOME"]) / "memvault/config.toml"
    assert path.read_text() == '[user]\neditor = "nano"\n'
    Memvault.set_own_config("user.editor", None, environment=environment)
    assert Memvault.own_config("user.editor", environment=environment)[0].value == ""
