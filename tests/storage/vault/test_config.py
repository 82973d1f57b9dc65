"""Settings on disk: a template that shows everything, and changes that touch one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.settings import find_setting
from memvault.core.settings.table import SETTING_ROWS, VAULT
from memvault.errors import BadConfigFile, BadSetting
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
