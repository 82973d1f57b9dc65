"""What every kind promises, ours and a user's own alike."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.fields import COMMON_FIELDS, SCOPES, RawValue, YamlValue, to_yaml_value
from memvault.core.kinds import KINDS, Kind, Kinds
from memvault.core.kinds.custom import FIELD_FORMS, read_kinds
from memvault.core.memory import Memory
from memvault.core.settings import Settings, read_vault_settings
from memvault.errors import BadKind

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
RECIPE = {
    "meaning": "a dish",
    "cues": ["preheat * oven", "tablespoon*", "serves four"],
    "fields": {
        "servings": "number",
        "tried": "date",
        "cuisine": "text",
        "vegan": "flag",
        "made": "count",
        "with": "list",
    },
}


def with_recipe() -> Kinds:
    return KINDS.with_custom(read_kinds({"recipe": RECIPE}, where="memvault.toml"))


ALL = with_recipe()
EVERY = pytest.mark.parametrize("kind", ALL.values(), ids=list(ALL))


@EVERY
def test_it_says_what_it_is(kind: Kind) -> None:
    assert kind.name == kind.name.casefold().strip()
    assert kind.heading
    assert kind.meaning
    assert kind.scope in SCOPES


@EVERY
def test_its_life_and_its_share_are_sound(kind: Kind) -> None:
    assert kind.half_life_days > 0
    assert 0 <= kind.share <= 0.5
    assert kind.idle_hours >= 0


@EVERY
def test_its_fields_belong_to_it_alone_and_say_what_they_are(kind: Kind) -> None:
    others = {row.name for row in COMMON_FIELDS} | {
        row.name for other in ALL.values() if other is not kind for row in other.fields
    }
    names = [row.name for row in kind.fields]
    assert len(names) == len(set(names))
    assert not others & set(names)
    assert not set(names) & set(Memory.__slots__)
    assert all(row.meaning for row in kind.fields)
    assert all(ALL.kind_with_fields([name]) == kind.name for name in names)


@EVERY
@given(text=st.text(max_size=300))
def test_it_reads_any_text_and_takes_only_fields_of_its_own(kind: Kind, text: str) -> None:
    found = kind.read_fields(text, NOW, UTC)
    assert set(found) <= {row.name for row in kind.fields}
    for name, value in found.items():
        assert ALL.fields[name].read(_raw(to_yaml_value(value)), UTC) is not None


def _raw(value: YamlValue) -> RawValue:
    return [*value] if isinstance(value, list) else str(getattr(value, "text", value))


@EVERY
def test_it_settles_as_a_kind_that_lasts_longer(kind: Kind) -> None:
    if kind.settles_as:
        assert ALL[kind.settles_as].half_life_days > kind.half_life_days


@EVERY
def test_each_of_its_cues_can_be_met(kind: Kind) -> None:
    for cue in kind.list_cues():
        assert cue.phrases
        assert all(phrase == " ".join(phrase.split()) for phrase in cue.phrases)


@pytest.mark.parametrize(
    ("kind", "text", "field", "value"),
    [
        ("prospective", "Renew it by next Friday", "due", "2026-01-30"),
        ("procedural", "Release\n\n1. Tag it.\n2. Push it.\n\nMore.", "steps", ["Tag it.", "Push it."]),
        ("procedural", "- [ ] Stop\n- [x] Start\n", "steps", ["Stop", "Start"]),
        ("semantic", "The gauge probably drifts.", "confidence", "0.5"),
        ("semantic", "Verified: the gauge drifts.", "confidence", "0.95"),
    ],
)
def test_a_new_memory_learns_from_its_own_text(kind: str, text: str, field: str, value: object) -> None:
    assert _raw(to_yaml_value(KINDS[kind].read_fields(text, NOW, UTC)[field])) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("prospective", "Renew it some day"),
        ("procedural", "One thing:\n\n1. Tag it."),
        ("procedural", "```\n1. no\n2. step\n```"),
        ("semantic", "Gauges drift."),
        ("semantic", "It was probably verified."),
        ("episodic", "Yesterday it rained."),
    ],
)
def test_what_a_text_does_not_say_for_certain_is_left_out(kind: str, text: str) -> None:
    assert dict(KINDS[kind].read_fields(text, NOW, UTC)) == {}


# -- a user's own


def test_a_kind_of_ones_own_is_guessed_by_its_cues() -> None:
    kinds = with_recipe()
    assert kinds.guess_kind("Preheat the big oven.") == kinds.guess_kind("Two tablespoons of oil.") == "recipe"
    assert kinds.guess_kind("Preheat the lamp. An oven is hot.") != "recipe"  # a gap ends with its sentence
    assert "recipe" not in KINDS


def test_settings_carry_it_to_whoever_asks() -> None:
    settings = Settings(read_vault_settings({"kinds": {"recipe": RECIPE}}, where="memvault.toml").given)
    assert settings.kinds["recipe"].meaning == "a dish"
    assert set(FIELD_FORMS) == set(RECIPE["fields"].values())  # type: ignore[attr-defined]
    assert Settings().kinds is KINDS


@given(st.lists(st.sampled_from("preheat oven a the tablespoons . , \n é 1".split(" ")), max_size=400).map(" ".join))
def test_cues_take_a_bounded_look_at_any_text(text: str) -> None:
    assert with_recipe().guess_kind(text) in ALL


BAD = [
    ("kinds", 3),
    ("kinds", {f"k{number}": {} for number in range(21)}),
    ("kinds.Recipe", {"Recipe": {}}),
    ("kinds.semantic", {"semantic": {}}),
    ("kinds.recipe", {"recipe": 3}),
    ("kinds.recipe.colour", {"recipe": {"colour": "red"}}),
    ("kinds.recipe.scope", {"recipe": {"scope": "world"}}),
    ("kinds.recipe.heading", {"recipe": {"heading": ""}}),
    ("kinds.recipe.share", {"recipe": {"share": 0.9}}),
    ("kinds.recipe.share", {"recipe": {"share": True}}),
    ("kinds.recipe.half_life_days", {"recipe": {"half_life_days": 0}}),
    ("kinds.recipe.half_life_days", {"recipe": {"half_life_days": float("nan")}}),
    ("kinds.recipe.cues", {"recipe": {"cues": "bake"}}),
    ("kinds.recipe.cues", {"recipe": {"cues": ["x" * 81]}}),
    ("kinds.recipe.cues", {"recipe": {"cues": ["(a+)+$"]}}),
    ("kinds.recipe.cues", {"recipe": {"cues": ["* bake"]}}),
    ("kinds.recipe.cues", {"recipe": {"cues": ["a * b * c * d"]}}),
    ("kinds.recipe.cues", {"recipe": {"cues": ["ab*"]}}),
    ("kinds.recipe.cues", {"recipe": {"cues": ["<past>"]}}),
    ("kinds.recipe.cues", {"recipe": {"cues": [3]}}),
    ("kinds.recipe.fields", {"recipe": {"fields": ["servings"]}}),
    ("kinds.recipe.fields.due", {"recipe": {"fields": {"due": "date"}}}),
    ("kinds.recipe.fields.path", {"recipe": {"fields": {"path": "text"}}}),
    ("kinds.recipe.fields.oven", {"recipe": {"fields": {"oven": "heat"}}}),
    ("kinds.bb.fields.x1", {"aa": {"fields": {"x1": "text"}}, "bb": {"fields": {"x1": "text"}}}),
]


@pytest.mark.parametrize(("name", "tables"), BAD, ids=[f"{name}-{number}" for number, (name, _) in enumerate(BAD)])
def test_what_will_not_do_is_refused_by_its_row(name: str, tables: object) -> None:
    with pytest.raises(BadKind) as refused:
        list(read_kinds(tables, where="memvault.toml"))
    assert refused.value.data["name"] == name
    assert "memvault.toml" in str(refused.value)
