"""Hits are ordered by a weighted sum, or by an extension, where the person chose that."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memvault.api import Memvault
from memvault.core.query import RankedHit
from memvault.core.settings import Settings
from memvault.recall.ranking.rerank import rank_by_weights
from tests.conftest import START, Opener

OLD_AND_NEW = {"old": START - timedelta(days=400), "new": START}


def make_hit(name: str, **given: object) -> RankedHit:
    usual = {"title": name, "text": "", "similarity": 0.5, "meaning": 0.0, "weight": 0.5, "created": START}
    return RankedHit(**{"id": name, **usual, "last_used": START, "uses": 0, "own_project": False, **given})  # type: ignore[arg-type]


def test_each_part_of_the_weighted_ranking_lifts_a_hit() -> None:
    plain = make_hit("plain")
    long_ago = make_hit("long ago", created=OLD_AND_NEW["old"], last_used=OLD_AND_NEW["old"])
    for better in (
        make_hit("similar", similarity=0.6),
        make_hit("near", meaning=0.2),
        make_hit("heavy", weight=0.9),
        make_hit("used", uses=20),
        make_hit("own", own_project=True),
    ):
        assert rank_by_weights([long_ago, plain, better], Settings(), START) == [better.id, "plain", "long ago"]


def write_two(vault: Memvault) -> None:
    for name, day in OLD_AND_NEW.items():
        path = vault.root / "2-memories" / f"{name}.md"
        extra = " The crane is the crane of the harbor." if name == "old" else ""
        path.write_text(
            f"---\ncreated: {day.date()}\nlast_accessed: {day.date()}\n---\nThe harbor crane is painted {name}.{extra}\n"
        )


def test_the_weighted_ranking_puts_what_is_new_before_what_says_it_a_little_better(
    vault: Memvault, open_vault: Opener
) -> None:
    write_two(vault)
    assert [hit.memory.name for hit in vault.recall("crane of the harbor").hits] == ["old", "new"]
    vault.set_config("recall.ranking", "weighted")
    assert [hit.memory.name for hit in open_vault(vault.root).recall("crane of the harbor").hits] == ["new", "old"]


def test_an_extension_orders_the_hits_and_what_it_leaves_out_follows(
    vault: Memvault, open_vault: Opener, environment: dict[str, str]
) -> None:
    write_two(vault)
    folder = Path(environment["XDG_CONFIG_HOME"], "memvault", "extensions")
    folder.mkdir(parents=True)
    # The example of a ranking that prefers what is new, three parts in ten.
    (folder / "recent.py").write_text(
        "def recent(question, hits, now):\n"
        "    def total(hit):\n"
        "        return 0.7 * hit.similarity + 0.3 / (1 + (now - hit.created).days / 10)\n"
        "    return [hit.id for hit in sorted(hits, key=total, reverse=True)][:1] + ['unknown']\n"
        "def extend(house):\n"
        "    house.ranking('recent', recent)\n"
    )
    open_vault(vault.root).set_config("recall.ranking", "recent")
    assert [hit.memory.name for hit in open_vault(vault.root).recall("crane of the harbor").hits] == ["new", "old"]
