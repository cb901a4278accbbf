"""The fuzz of pooling: compiled loops beside the plain kernels, bit for bit.

    python -m tests.fuzz.of_pooling --count 2000 --seed-start 0

Maxima and means of windows and their gradients, on random images, windows, strides, paddings and layouts, with NaN,
infinities, the smallest numbers and zeros of both signs among the numbers; arrays lie anywhere and are views or not;
one, two or three threads compute.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from penstock.errors import InvalidArgumentError
from penstock.graph.declare.op_declaration import find_op
from penstock.runtime.backends.registry import HOST
from penstock.runtime.kernels.fast_kernels import fast_kernel

from ..runtime.kernels.fences import Array, fenced, loops_at_once
from .of_rows import threads
from .seeds import seeds_of

MOST_COLUMNS: Final = 8
"""The most columns of a window for which there is a loop forward."""


class Case:
    """Images, and how a window moves over them."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.seed, self.threads, self.rng = seed, int(rng.integers(1, 4)), rng
        self.dtype = np.dtype(str(rng.choice(["f4", "f4", "f8"])))
        is_first = bool(rng.integers(0, 4) == 0)
        channels = int(rng.choice([1, 2, 7, 8, 16, 17, 32, 40]))
        sizes = [int(n) for n in rng.integers(1, 17, 2)]
        window = [int(n) for n in rng.choice([1, 2, 2, 3, 3, 5, 9], 2)]
        strides = [int(n) for n in rng.choice([1, 2, 2, 3, 4], 2)]
        self.padding = str(rng.choice(["SAME", "VALID", "EXPLICIT"]))
        pads = [int(rng.integers(0, size)) for size in window for _ in range(2)] if self.padding == "EXPLICIT" else []
        self.layout = "NCHW" if is_first else "NHWC"

        def laid_out(pair: list[int], others: tuple[int, int]) -> tuple[int, ...]:
            return (*others, *pair) if is_first else (others[0], *pair, others[1])

        self.shape = laid_out(sizes, (int(rng.integers(1, 5)), channels))
        self.window, self.strides = laid_out(window, (1, 1)), laid_out(strides, (1, 1))
        pairs = ((0, 0, 0, 0, *pads) if is_first else (0, 0, *pads, 0, 0)) if pads else ()
        self.of_max = (self.window, self.strides, self.padding, pairs, self.layout)
        self.of_mean = (self.window, self.strides, "VALID" if pads else self.padding, self.layout)
        self.columns = window[1]

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.shape} {self.of_max} {self.dtype}, {self.threads} threads"

    def _numbers(self, shape: tuple[int, ...]) -> Array:
        rng = self.rng
        is_whole = rng.integers(0, 2)
        numbers = (rng.integers(-3, 4, shape) if is_whole else rng.standard_normal(shape)).astype(self.dtype)
        special = np.array([np.nan, np.inf, -np.inf, np.finfo(self.dtype).min, -0.0, 0.0], self.dtype)
        numbers[rng.random(shape) < 0.05] = rng.choice(special)
        array = fenced(numbers, int(rng.choice([0, 8, 16]))).array
        match rng.integers(0, 5):
            case 0:
                array = np.asfortranarray(array)
            case 1:
                array = np.repeat(array, 2, axis=1)[:, ::2]
        return array

    def calls(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """The ops and their arguments; none where windows do not fit."""
        x = self._numbers(self.shape)
        try:
            y = plain("MaxPool", (x, *self.of_max))
            yield "MaxPool", (x, *self.of_max)
            yield "MaxPoolGrad", (x, y, self._numbers(y.shape), *self.of_max)
            z = plain("AvgPool", (x, *self.of_mean))
            yield "AvgPool", (x, *self.of_mean)
            yield "AvgPoolGrad", (np.array(self.shape, np.int32), self._numbers(z.shape), *self.of_mean)
        except InvalidArgumentError:
            return


def plain(op: str, args: tuple[Any, ...]) -> Array:
    """The result of the plain kernel."""
    found: Array = find_op(op).kernels["*"](HOST.xp, *args)
    return found


def is_same(a: Array, b: Array) -> bool:
    """Whether two results are equal in shape, dtype and bits, any NaN being like any other."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool((((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))).all())


def complaint(case: Case, kinds: Counter[str] | None = None) -> str | None:
    """What is wrong; None if loops and plain kernels agree."""
    with loops_at_once() as handed, threads(case.threads), np.errstate(all="ignore"):
        for op, args in case.calls():
            fast = fast_kernel(op, "numpy")
            assert fast is not None
            asked = len(handed.names)
            found, want = fast(HOST.xp, *args), plain(op, args)
            if kinds is not None:
                kinds[op] += 1
            if found is None:
                is_empty = any(isinstance(a, np.ndarray) and not a.size for a in (*args, want))
                if not is_empty and len(handed.names) == asked and case.columns <= MOST_COLUMNS:
                    return f"{op}: no loop"
            elif not is_same(found, want):
                return f"{op} differs"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    kinds, failures = Counter[str](), 0
    for seed in seeds_of("tests.fuzz.of_pooling", __doc__, arguments):
        found = complaint(Case(seed), kinds)
        if found is not None:
            failures += 1
            print(f"{Case(seed)}\n    {found}\n", flush=True)
    print(f"{sum(kinds.values())} calls, {failures} differ: {dict(kinds)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
