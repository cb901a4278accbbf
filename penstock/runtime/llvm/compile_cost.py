"""Predicted seconds of making machine code: writing the IR, compiling it, loading LLVM first.

The model is a fit to 1,200 random groups (1 to 95 ops, all dtypes, up to 8 inputs, reductions, functions): 7 ms a
module, 75 us a line of IR, more where a line becomes many instructions (a rounding to bfloat16, chains of bytes). The
prediction is 1.35 times the fit: at least the measured time in nine of ten there. Machines differ, and so does one
machine under load (a quarter of 216 fresh groups took longer on one with ten jobs for two cores, the worst 1.6 times as
long), so each compilation that really happens corrects the model (`Pace`).
"""

from __future__ import annotations

from typing import Final

MODULE: Final = 7e-3
"""Seconds for a module of no lines: pass managers, the target machine."""
LINE: Final = 75e-6
ROUNDING: Final = 1.15e-3
"""A call of the rounding to bfloat16 is inlined into four interleaved vectors of nine instructions."""
BYTE: Final = 0.35e-3
"""An instruction on bytes becomes a vector of 64 lanes, or pieces of one."""
MARGIN: Final = 1.35
LOAD: Final = 50e-3
"""Loading LLVM and its self-check, once in a process."""
LINK: Final = 0.5e-3
"""Reading code from the object cache and linking it."""
TEXT: Final = 0.3e-3
TEXT_EACH: Final = 60e-6
"""Seconds for the text of a module, and for each op: lowering, then IR."""
LINES: Final = 200
LINES_EACH: Final = 6
"""Lines of the module of a group, and for each of its ops, before they are written."""


def text_seconds(ops: int) -> float:
    """What writing the IR of a group of so many ops takes; 0 ops: the IR is at hand."""
    return TEXT + TEXT_EACH * ops if ops else 0.0


class Pace:
    """How fast this machine compiles, compared with the one that the model was fitted on: `factor` times as long."""

    __slots__ = ("factor",)

    def __init__(self) -> None:
        self.factor = 1.0

    def compiling(self, ir: str) -> float:
        """Predicted seconds of compiling this module."""
        return MARGIN * self.factor * _fit(ir)

    def compiling_unwritten(self, ops: int) -> float:
        """The same for a group of so many ops whose module is not written yet."""
        return MARGIN * self.factor * (MODULE + LINE * (LINES + LINES_EACH * ops))

    def heard(self, ir: str, seconds: float) -> None:
        """Learn from a compilation that took so long; each moves the pace by a quarter, since one may be held up."""
        found = min(max(seconds / _fit(ir), 0.125), 8.0)
        self.factor += (found - self.factor) / 4


PACE: Final = Pace()


def _fit(ir: str) -> float:
    narrow = ir.count(" i8 %") + ir.count(" i8 0")
    return MODULE + LINE * ir.count("\n") + ROUNDING * ir.count("@bf16") + BYTE * narrow
