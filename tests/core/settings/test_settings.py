"""Settings: one table, and checked values."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.settings import SETTINGS, Settings, find_setting, read_vault_settings, to_toml
from memvault.core.settings.table import PROFILES, SECTIONS, SETTING_ROWS
from memvault.errors import BadSetting, UnknownSetting


def test_every_default_passes_its_own_check() -> None:
    for row in SETTING_ROWS:
        assert row.accept(row.default, where="the table") == row.default


def test_every_setting_has_a_section_and_one_line_of_help() -> None:
    for row in SETTING_ROWS:
        assert row.section in SECTIONS
        assert row.help
        assert "\n" not in row.help


def test_every_profile_sets_what_exists_to_what_is_allowed() -> None:
    for values in PROFILES.values():
        for name, value in values.items():
            assert SETTINGS[name].accept(value, where="a profile") == value


def test_set_value_beats_profile_beats_default() -> None:
    plain = Settings()
    minimal = Settings({"vault.profile": "minimal"})
    own = Settings({"vault.profile": "minimal", "recall.limit": 33})
    assert (plain["recall.limit"], minimal["recall.limit"], own["recall.limit"]) == (10, 5, 33)


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"recall": {"limit": "ten"}}, "a whole number"),
        ({"recall": {"limit": True}}, "a whole number"),
        ({"recall": {"limit": 0}}, "between 1 and 1,000"),
        ({"decay": {"model": "wishful"}}, "weighted, biomimetic"),
        ({"layout": {"hot": "../elsewhere"}}, "inside the vault"),
        ({"layout": {"hot": ".hidden"}}, "hidden"),
        ({"people": {"aliases": "notes"}}, "a list of texts"),
    ],
)
def test_a_value_that_will_not_do_is_named_with_what_would(tree: dict[str, object], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        read_vault_settings(tree, where="memvault.toml")


def test_a_slip_of_the_pen_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(UnknownSetting, match=r"did you mean recall\.limit"):
        find_setting("recal.limit")
    with pytest.raises(UnknownSetting):
        read_vault_settings({"limit": 3}, where="memvault.toml")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("recall.limit", "7", 7),
        ("recall.min_similarity", "0.25", 0.25),
        ("files.shared", "yes", True),
        ("inject.folders", "work, home", ("work", "home")),
        ("decay.model", "biomimetic", "biomimetic"),
    ],
)
def test_words_on_a_command_line_become_values(name: str, text: str, value: object) -> None:
    assert find_setting(name).from_text(text, where="here") == value


@given(st.text() | st.integers(-(10**9), 10**9) | st.booleans() | st.lists(st.text(), max_size=4).map(tuple))
def test_to_toml_reads_back_the_same(value: str | int | bool | tuple[str, ...]) -> None:
    read = tomllib.loads(f"it = {to_toml(value)}")["it"]
    assert (tuple(read) if isinstance(read, list) else read) == value
