"""A job of Windows as a tie: the system ends all programs in it when its last handle is closed, however we end."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from ctypes import c_int64, c_size_t, c_uint32, c_uint64, c_void_p

_EXTENDED_LIMITS = 9
_KILL_ON_CLOSE = 0x2000
_MAY_TERMINATE, _MAY_SET_QUOTA = 0x0001, 0x0100


class _Basic(ctypes.Structure):
    _fields_ = (
        ("process_time", c_int64),
        ("job_time", c_int64),
        ("flags", c_uint32),
        ("least_memory", c_size_t),
        ("most_memory", c_size_t),
        ("processes", c_uint32),
        ("affinity", c_size_t),
        ("priority", c_uint32),
        ("scheduling", c_uint32),
    )


class Limits(ctypes.Structure):
    """The limits of a job, as the system reads them."""

    _fields_ = (
        ("basic", _Basic),
        ("counters", c_uint64 * 6),
        ("process_memory", c_size_t),
        ("job_memory", c_size_t),
        ("peak_process_memory", c_size_t),
        ("peak_job_memory", c_size_t),
    )


class Job:
    """A job with one program in it; where the system gives none, the program runs without."""

    def __init__(self) -> None:
        self._job: int | None = _made()

    def words_for(self, words: Sequence[str]) -> list[str]:
        """The program itself."""
        return list(words)

    def inherited(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def take(self, pid: int) -> None:
        """Put the program into the job; all that it starts from now on is in it too."""
        if sys.platform == "win32" and self._job:
            calls = _calls()
            process = calls.OpenProcess(_MAY_TERMINATE | _MAY_SET_QUOTA, 0, pid)
            if process:
                calls.AssignProcessToJobObject(self._job, process)
                calls.CloseHandle(process)

    def trouble(self) -> None:
        """The system told at once."""

    def close(self) -> None:
        """Close the handle, and with it whatever still runs."""
        if sys.platform == "win32" and self._job:
            _calls().CloseHandle(self._job)
        self._job = None


def _made() -> int | None:
    if sys.platform == "win32":
        calls = _calls()
        job: int | None = calls.CreateJobObjectW(None, None)
        limits = Limits(basic=_Basic(flags=_KILL_ON_CLOSE))
        if job:
            calls.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        return job
    return None


if sys.platform == "win32":

    def _calls() -> ctypes.WinDLL:
        """The system's functions, told that a handle is as wide as a pointer."""
        calls = ctypes.WinDLL("kernel32")
        calls.CreateJobObjectW.restype = calls.OpenProcess.restype = c_void_p
        calls.CreateJobObjectW.argtypes = (c_void_p, c_void_p)
        calls.OpenProcess.argtypes = (c_uint32, c_uint32, c_uint32)
        calls.SetInformationJobObject.argtypes = (c_void_p, c_uint32, c_void_p, c_uint32)
        calls.AssignProcessToJobObject.argtypes = (c_void_p, c_void_p)
        calls.CloseHandle.argtypes = (c_void_p,)
        return calls
