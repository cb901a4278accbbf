"""Cost model of compilation: predicted seconds of writing the IR, compiling it and loading LLVM.

The model is a fit to 1,200 random groups (1 to 95 ops, all dtypes, up to 8 inputs, reductions, functions): 7 ms a
module, 75 us a line of IR, more for lines that become many instructions (a rounding to bfloat16, chains of bytes). The
prediction is 1.35 times the fit, which covers nine of ten measured times. Machines differ, and so does one machine
under load (a quarter of 216 fresh groups took longer on one with ten jobs for two cores, at most 1.6 times as long), so
each real compilation corrects the model (`CompileSpeed`).
"""

from __future__ import annotations

from typing import Final

from .toolchain import AS_IS

MODULE: Final = 7e-3
"""Seconds for an empty module: pass managers, the target machine."""
LINE: Final = 75e-6
ROUNDING: Final = 1.15e-3
"""A call of the rounding to bfloat16 is inlined into four interleaved vectors of nine instructions."""
BYTE: Final = 0.35e-3
"""An instruction on bytes becomes a vector of 64 lanes, or pieces of one."""
WITHOUT_PASSES: Final = 0.4
"""The part of that for a module without passes: a driver of 420 lines takes 20 ms where 63 are taken with them."""
MARGIN: Final = 1.35
LOAD: Final = 50e-3
"""Seconds to load LLVM and run its self-check, once per process."""
LINK: Final = 0.5e-3
"""Seconds to read code from the object cache and link it."""
TEXT: Final = 0.3e-3
TEXT_EACH: Final = 60e-6
"""Seconds to write the text of a module, and to lower and write each op."""
LINES: Final = 80
LINES_EACH: Final = 6
"""Estimated lines of a module that is not written yet, and of each op in it."""


def text_seconds(ops: int) -> float:
    """Predicted seconds to write the IR of a group of so many ops; 0 ops if the IR is written already."""
    return TEXT + TEXT_EACH * ops if ops else 0.0


class CompileSpeed:
    """The compile time of this machine: `factor` times that of the machine that the model was fitted on."""

    __slots__ = ("factor",)

    def __init__(self) -> None:
        self.factor = 1.0

    def predict(self, ir: str) -> float:
        """Predicted seconds to compile this module."""
        return MARGIN * self.factor * _fit(ir)

    def predict_unwritten(self, ops: int) -> float:
        """The same for a group of so many ops whose module is not written yet."""
        return MARGIN * self.factor * (MODULE + LINE * (LINES + LINES_EACH * ops))

    def update(self, ir: str, seconds: float) -> None:
        """Correct the factor by a measured compilation; only by a quarter, since one may have been delayed."""
        found = min(max(seconds / _fit(ir), 0.125), 8.0)
        self.factor += (found - self.factor) / 4


COMPILE_SPEED: Final = CompileSpeed()


def _fit(ir: str) -> float:
    if ir.startswith(AS_IS):
        return WITHOUT_PASSES * (MODULE + LINE * ir.count("\n"))
    narrow = ir.count(" i8 %") + ir.count(" i8 0")
    return MODULE + LINE * ir.count("\n") + ROUNDING * ir.count("@bf16") + BYTE * narrow
