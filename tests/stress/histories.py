"""Many random histories, each kept in every way: `python -m tests.stress.histories --count 2000 --first 0`."""

from __future__ import annotations

import argparse
import time

from memvault.maintenance.rules import apply_rules
from tests.maintenance.rules.histories import every, history
from tests.maintenance.rules.shelf import Shelf, day
from tests.maintenance.rules.test_laws import check_path_independence, schedules


def check(seed: int) -> int:
    """Live one history in every way and ask for a second run; says how many lives that were."""
    names = list(schedules(30, 0))
    for edits in (False, True):
        one = history(seed, edits=edits)
        check_path_independence(one, seed, names)
        shelf = one.lived(Shelf.run, every(20, one.days))
        again = apply_rules(shelf.survey(day(one.days)), shelf.rules).changes
        assert again == (), f"history {seed}: a second run would do {again}"
    return 2 * (len(names) + 2)


def main() -> None:
    """Check as many histories as asked for, from the first one on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    begun, lives = time.perf_counter(), 0
    for seed in range(given.first, given.first + given.count):
        lives += check(seed)
    took = time.perf_counter() - begun
    print(f"{2 * given.count} histories lived {lives} times in {took:.0f} s: each ended the same however it was kept")


if __name__ == "__main__":
    main()
