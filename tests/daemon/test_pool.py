"""What is kept open is lent to one at a time, and let go of in time."""

from __future__ import annotations

from memvault.daemon.cache import OpenIndexCache, used_megabytes


class Thing:
    def __init__(self) -> None:
        self.there = True
        self.closed = False

    def is_current(self) -> bool:
        return self.there

    def close(self) -> None:
        self.closed = True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_thing_is_lent_to_one_at_a_time_and_the_last_one_back_goes_first() -> None:
    pool = OpenIndexCache()
    one, two = pool.take("key", Thing), pool.take("key", Thing)
    assert one is not two
    pool.put_back("key", one)
    pool.put_back("key", two)
    assert pool.take("key", Thing) is two
    assert pool.take("another", Thing) not in (one, two)
    assert not one.closed


def test_what_is_not_there_any_more_is_closed_and_not_lent() -> None:
    pool = OpenIndexCache()
    old = pool.take("key", Thing)
    pool.put_back("key", old)
    old.there = False
    assert pool.take("key", Thing) is not old
    assert old.closed


def test_what_lay_idle_for_long_is_closed_and_the_oldest_of_too_many() -> None:
    clock = Clock()
    pool = OpenIndexCache(idle_seconds=10, most=2, clock=clock)
    things = [pool.take(number, Thing) for number in range(4)]
    for number, thing in enumerate(things):
        clock.now += 1
        pool.put_back(number, thing)
    pool.trim()
    assert [thing.closed for thing in things] == [True, True, False, False]
    clock.now = 13.5
    pool.trim()
    assert [thing.closed for thing in things] == [True, True, True, False]
    pool.trim(everything=True)
    assert things[3].closed
    assert len(pool) == 0


def test_what_is_about_to_go_is_closed_and_after_the_end_everything() -> None:
    pool = OpenIndexCache()
    one, other, late = pool.take("key", Thing), pool.take("other", Thing), pool.take("key", Thing)
    pool.put_back("key", one)
    pool.put_back("other", other)
    pool.drop("key")
    assert (one.closed, other.closed) == (True, False)
    pool.close()
    assert other.closed
    pool.put_back("key", late)
    assert late.closed


def test_this_process_takes_some_memory_or_the_system_does_not_say() -> None:
    assert used_megabytes() == 0 or used_megabytes() > 5
