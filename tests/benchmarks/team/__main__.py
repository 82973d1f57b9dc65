"""Shared vaults against one's own, in the same run: `python -m tests.benchmarks.team quality|speed|freshness|proofs`.

Each FILE of --data is as for `tests.benchmarks.retrieval`. PostgreSQL is the one of MEMVAULT_TEST_PG_DSN, or one that
is started here with Debian's package. The load of the machine stands beside every time: compare figures of one run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.benchmarks.team.quality import quality
from tests.benchmarks.team.speed import freshness, speed

_SERVER, _WORKER = "tests/team/test_server.py", "tests/team/test_worker.py"
PROOFS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "isolation: 10,000 grants x questions": (
            f"{_SERVER}::test_no_row_of_an_ungranted_vault_by_any_grants_and_questions",
        ),
        "isolation: tokens": ("tests/team/test_tokens.py",),
        "isolation: SQL as the server's role": (f"{_SERVER}::test_the_roles_own_nothing_and_see_only_what_is_granted",),
        "statistics: 100,000 foreign rows": (f"{_SERVER}::test_what_others_hold_changes_no_byte_of_an_answer",),
        "worker killed 50 times": (
            f"{_WORKER}::test_a_worker_that_is_killed_leaves_nothing_and_the_next_one_finishes",
        ),
        "server killed 10 times": (
            "tests/team/test_serving.py::test_a_server_that_is_killed_while_it_answers_gave_nothing_that_is_not_in_the_audit",
        ),
        "PostgreSQL killed 5 times": (
            "tests/team/test_postgresql.py::test_a_server_that_is_killed_under_writes_loses_nothing_that_was_committed",
        ),
        "second run: 0 rows": (f"{_WORKER}::test_a_second_run_writes_nothing",),
        "rebuild: the same": (f"{_WORKER}::test_what_grew_changed_and_went_equals_a_fresh_build",),
        "without [team]: nothing new imported": ("tests/test_architecture.py", "tests/test_hot_paths.py"),
    }
)


def proofs() -> None:
    """Run the tests of each row whole, and say which hold."""
    for row, names in PROOFS.items():
        words = (sys.executable, "-m", "pytest", "-n0", "-q", "-m", "", *names)
        ran = subprocess.run(words, env={**os.environ, "MEMVAULT_TESTS": "all"}, capture_output=True, check=False)
        last = ran.stdout.decode("utf-8", "replace").strip().splitlines()[-1:]
        print(f"{row}: {'holds' if not ran.returncode else 'FAILS'} ({''.join(last)})", flush=True)


def main() -> None:
    """Run what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "speed", "freshness", "proofs"))
    parser.add_argument("--data", type=Path, nargs="+", default=[])
    parser.add_argument(
        "--noise", type=int, default=0, help="quality: invented turns beside all conversations of a file"
    )
    parser.add_argument("--together", action="store_true", help="quality: only with the noise, in one vault")
    parser.add_argument("--every", type=int, default=1, help="quality: with noise, every so many questions")
    parser.add_argument("--big", type=int, default=100_000, help="speed: turns of the big vault")
    parser.add_argument("--small", type=int, default=10_000, help="speed, freshness: turns of the private vault")
    parser.add_argument("--units", type=int, default=1_000_000, help="speed: units of all vaults in the end")
    parser.add_argument("--rounds", type=int, default=20, help="freshness: commits")
    chosen = parser.parse_args()
    match chosen.what:
        case "quality":
            quality(chosen.data, chosen.noise, chosen.every, alone=not chosen.together)
        case "speed":
            speed(chosen.data[0], chosen.big, chosen.small, chosen.units)
        case "freshness":
            freshness(chosen.data[0], chosen.small, chosen.rounds)
        case _:
            proofs()


if __name__ == "__main__":
    main()
