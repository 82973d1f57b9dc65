"""Settings on disk: a template that shows everything, and changes that touch one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.core.settings import find_setting
from memvault.core.settings.table import SETTING_ROWS, VAULT
from memvault.errors import BadConfigFile, BadSetting, UnknownSetting
from memvault.storage.vault import config

OPEN_ROWS = [row for row in SETTING_ROWS if row.set_by == VAULT]


def test_a_new_file_sets_nothing_and_shows_everything() -> None:
    text = config.config_template({})
    assert {name: table for name, table in tomllib.loads(text).items() if table} == {}
    for row in OPEN_ROWS:
        assert f"# {row.help}\n# {row.key} = " in text


def test_what_a_new_file_shows_as_defaults_are_the_defaults() -> None:
    live = "".join(
        line.removeprefix("# ") if " = " in line else line
        for line in config.config_template({}).splitlines(keepends=True)
    )
    tree = tomllib.loads(live)
    for row in OPEN_ROWS:
        assert row.accept(tree[row.section][row.key], where="the template") == row.default


def test_given_settings_stand_in_a_new_file_as_live_lines() -> None:
    text = config.config_template({"vault.profile": "minimal", "layout.home": "Brain"})
    tree = tomllib.loads(text)
    assert (tree["vault"], tree["layout"]) == ({"profile": "minimal"}, {"home": "Brain"})


def test_a_persons_own_layout_of_the_file_stays() -> None:
    before = "# mine\n[ recall ]\n  limit=3 # few\nbudget = 900\n\n[decay]\nmodel = 'weighted'\n"
    after = config.change_setting(before, find_setting("recall.budget"), 1000)
    assert after == before.replace("budget = 900", "budget = 1000")
    added = config.change_setting(before, find_setting("watch.scan_seconds"), 5)
    assert added == before + "\n[watch]\nscan_seconds = 5\n"


@given(st.lists(st.tuples(st.sampled_from(OPEN_ROWS), st.booleans()), max_size=8))
def test_any_series_of_changes_reads_back_as_the_last_of_each(changes: list[tuple[object, bool]]) -> None:
    text, wanted = config.config_template({}), {}
    for row, keep in changes:
        text = config.change_setting(text, row, row.default if keep else None)  # type: ignore[arg-type,attr-defined]
        wanted.pop(row.name, None)  # type: ignore[attr-defined]
        if keep:
            wanted[row.name] = row.default  # type: ignore[attr-defined]
    tree = tomllib.loads(text)
    found = {f"{section}.{key}": value for section, table in tree.items() for key, value in table.items()}
    assert {name: tuple(v) if isinstance(v, list) else v for name, v in found.items()} == wanted


def test_a_file_that_is_no_toml_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "memvault.toml"
    path.write_text("[recall]\nlimit = = 3\n")
    with pytest.raises(BadConfigFile, match="line 2"):
        config.load_vault_settings(path)


def test_the_environment_may_set_anything_by_its_name() -> None:
    assert config.from_environment({"MEMVAULT_RECALL_LIMIT": "4", "MEMVAULT_DIR": "/x"}) == {"recall.limit": 4}
    with pytest.raises(BadSetting, match="MEMVAULT_RECALL_LIMIT"):
        config.from_environment({"MEMVAULT_RECALL_LIMIT": "many"})


# -- settings are shown with what they do, and set by changing one line


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
