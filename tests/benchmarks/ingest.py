"""What taking conversations in costs: turns a second, disk and memory; once more, and after they grew.

    python -m tests.benchmarks.ingest [--turns 2000 20000] [--megabytes 0]

Made-up chats (tests/benchmarks/chats.py), each a whole process of `memvault session ingest`; times are CPU time of that process.
`--megabytes N` also takes in one chat of so many megabytes of text, to see how much memory that needs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.benchmarks import chats

_TURNS_IN_A_MEGABYTE = 13_000

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Measure, and print a row for each step."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--turns", type=int, nargs="*", default=[2_000, 20_000])
    options.add_argument("--megabytes", type=int, default=0)
    given = options.parse_args()
    print(f"{'':28}{'turns':>9}{'CPU s':>9}{'turns/s':>9}{'text MB':>9}{'disk MB':>9}{'ratio':>7}{'RSS MB':>8}")
    for count in given.turns:
        _measured(list(_turns(count)))
    if given.megabytes:
        _measured(list(_turns(given.megabytes * _TURNS_IN_A_MEGABYTE)))


def _turns(count: int) -> Iterator[dict[str, str]]:
    """Made-up talk, one sitting after the other, until there are so many turns."""
    made = (talk for seed in range(count) for talk in chats.Chats(seed).talks(8))
    start = datetime(2025, 1, 6, 9, tzinfo=UTC)
    number = 0
    for sitting, talk in enumerate(made):
        for place, (who, text) in enumerate(talk):
            if number == count:
                return
            time = start + timedelta(days=sitting, minutes=place)
            speaker = "user" if who == "A" else "assistant"
            yield {
                "id": str(number),
                "session": str(sitting),
                "time": time.isoformat(),
                "speaker": speaker,
                "text": text,
            }
            number += 1


def _measured(turns: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        vault, source = place / "vault", place / "chat.json"
        _run(place, "init", str(vault))
        text = sum(len(turn["text"].encode()) for turn in turns)
        grown = turns[: len(turns) * 19 // 20]
        for name, part in (("taken in", grown), ("again", grown), ("grown by a twentieth", turns)):
            source.write_text(json.dumps({"id": "benchmark", "speakers": ["user", "assistant"], "turns": part}))
            seconds, memory = _run(place, "--vault", str(vault), "ingest", "--no-learn", str(source))
            new = 0 if name == "again" else len(part) - (len(grown) if part is turns else 0)
            disk = sum(path.stat().st_size for path in (vault / "3-raw").rglob("*.gz"))
            rate = f"{new / seconds:9.0f}" if new else f"{'':9}"
            megabytes = f"{text / 1e6:9.1f}{disk / 1e6:9.2f}{disk / text:7.2f}"
            print(f"{name:28}{len(part):9,}{seconds:9.2f}{rate}{megabytes}{memory:8.0f}")


def _run(home: Path, *words: str) -> tuple[float, float]:
    """The CPU seconds and the most megabytes of one process of memvault."""
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(  # noqa: S603, RUF100 - our own program
        [sys.executable, "-m", "memvault", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, words
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


if __name__ == "__main__":
    main()
