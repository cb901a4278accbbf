"""The clock of a compiled loop, which machine code reads to end a chunk of iterations in time.

A look at the clock takes 25 to 100 ns, and an iteration may take 4. So the code counts its work in estimated
nanoseconds (`LoopCode.work`), and looks after each `SLICE` of them. The estimate need not be good: where it is wrong by
a factor of ten (numbers that are denormal, memory that no cache holds), the clock is read ten times as often or as
seldom. Measured times would be no bound: an iteration may be a thousand times as long as the ones before it.

    work    0 ... SLICE        -> late?  no: go on
            SLICE ... 2 SLICE  -> late?  yes: between two iterations (SOFT) the chunk ends,
                                              inside of one (HARD) the iteration is given up
"""

from __future__ import annotations

import ctypes
import os
import time
from functools import cache
from typing import Any, Final, NamedTuple

SLICE: Final = 100_000
"""Estimated nanoseconds of work between two looks at the clock."""
SEGMENT: Final = 1_000_000
"""Estimated nanoseconds of work in one iteration after which it looks at the clock before its end."""
CHUNK: Final = 0.02
"""Seconds after which no iteration begins any more, and the code returns to Python."""
LONGEST: Final = 0.05
"""Seconds after which an iteration is given up that is not at its end."""


class Clock(NamedTuple):
    """How machine code reads the clock.

    Attributes:
        text: the function `i64 @now()`.
        imports: addresses of what it calls.
        ticks: how many of its units are a second.
    """

    text: str
    imports: dict[str, int]
    ticks: int


@cache
def native_clock() -> Clock:
    """The clock of this system that never goes back."""
    libraries: Any = ctypes
    if os.name == "nt":
        kernel, frequency = libraries.windll.kernel32, ctypes.c_int64()
        kernel.QueryPerformanceFrequency(ctypes.byref(frequency))
        return Clock(_COUNTER, {"loop_clock": _address(kernel.QueryPerformanceCounter)}, frequency.value)
    function = ctypes.CDLL(None).clock_gettime
    return Clock(_SECONDS.format(clock=time.CLOCK_MONOTONIC), {"loop_clock": _address(function)}, 10**9)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_SECONDS = """
declare i32 @loop_clock(i32, ptr)
define internal i64 @now() #2 {{
  %time = alloca [2 x i64], align 16
  %unused = call i32 @loop_clock(i32 {clock}, ptr %time)
  %seconds = load i64, ptr %time
  %rest.at = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %rest.at
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %rest
  ret i64 %sum
}}
"""

_COUNTER = """
declare i32 @loop_clock(ptr)
define internal i64 @now() #2 {
  %time = alloca i64, align 16
  %unused = call i32 @loop_clock(ptr %time)
  %ticks = load i64, ptr %time
  ret i64 %ticks
}
"""

IS_LATE: Final = """
define internal i1 @is_late(ptr %frame, i64 %word) #2 {
  %end.at = getelementptr i64, ptr %frame, i64 %word
  %end = load i64, ptr %end.at
  %now = call i64 @now()
  %late = icmp sge i64 %now, %end
  ret i1 %late
}
"""
"""Whether the time in that word of the frame has come."""
