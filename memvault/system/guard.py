"""Call foreign code so that whatever it raises is returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from memvault.core.value import Record

T = TypeVar("T")


class ExtensionError(Record):
    """An error that foreign code raised, an exit or an interruption of its own included."""

    error: BaseException

    @property
    def name(self) -> str:
        """Return the name of the error."""
        return type(self.error).__name__


def call_guarded(act: Callable[[], T]) -> T | ExtensionError:
    """Call foreign code and return its result, or the error it raised; only a person's Ctrl-C is raised."""
    try:
        return act()
    except BaseException as error:
        if is_interruption(error):
            raise
        return ExtensionError(error)


def is_interruption(error: BaseException) -> bool:
    """Return whether a person interrupted, rather than the code raising KeyboardInterrupt itself."""
    return any(isinstance(one, KeyboardInterrupt) and not _began_at_raise(one) for one in _error_chain(error))


def _error_chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that were being handled when it came."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__context__


def _began_at_raise(error: BaseException) -> bool:
    """Return whether an error began at a `raise` statement; a signal interrupts anywhere else."""
    import opcode  # deferred: hardly anybody is ever interrupted

    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and opcode.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"
