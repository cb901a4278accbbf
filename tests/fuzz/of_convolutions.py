"""The fuzz of convolutions: compiled loops beside the plain kernels, on random geometries.

    python -m tests.fuzz.of_convolutions --count 2000 --seed-start 0

Images, windows, strides, dilations, paddings, groups, layouts and dtypes are random; arrays lie anywhere in memory, are
views or not; one, two or three threads compute. The loops add in another order than BLAS, so results are compared
with a bound on rounding: the number of terms times the sum of their absolute values times eps. In one case of four all
numbers are small whole ones, for which every order is exact, and bits are equal. Every case is computed on one thread,
too, whose bits must be those of several.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from penstock.graph.declare.op_declaration import find_op
from penstock.graph.shapes.dtypes import bfloat16
from penstock.ops.convolution.conv2d_ops import CONV2D
from penstock.ops.convolution.depthwise_ops import DEPTHWISE
from penstock.runtime.backends.registry import HOST
from penstock.runtime.kernels.convolution import fast_convolution
from penstock.runtime.kernels.fast_kernels import fast_kernel

from ..runtime.kernels.fences import Array, fenced, loops_at_once
from .of_rows import threads
from .seeds import seeds_of

DTYPES: Final = ("f4", "f4", "f4", "f8", "f2", "bf16")
KINDS: Final = ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", "DepthwiseConv2dNative",
                "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter")  # fmt: skip


def numpy_dtype(name: str) -> Any:
    """The NumPy dtype with that name."""
    return bfloat16.np if name == "bf16" else np.dtype(name)


class Case:
    """One call: the op, its arguments, the number of threads."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.seed, self.threads = seed, int(rng.integers(1, 4))
        self.kind = str(rng.choice(KINDS))
        self.is_whole = bool(rng.integers(0, 4) == 0)
        self.dtype = numpy_dtype(str(rng.choice(DTYPES)))
        is_depthwise = self.kind.startswith("Depthwise")
        family = DEPTHWISE if is_depthwise else CONV2D
        while True:
            x, w, attrs = self._geometry(rng, is_depthwise)
            try:
                y = family.output_shape(x, w, *attrs)
            except Exception:  # sizes that do not fit
                continue
            if 0 not in y:
                break
        self.x, self.w, self.attrs = x, w, attrs
        shapes = {"x": x, "w": w, "y": y}
        shift = int(rng.choice([0, 0, 8, 16, 1 if rng.integers(0, 4) == 0 else 32]))
        which = {"Filter": "xy", "Input": "wy"}.get(self.kind.partition("Backprop")[2], "xw")
        arrays = [self._array(rng, shapes[each], shift) for each in which]
        sizes = np.array(w if which == "xy" else x, np.int32)
        args = {"xw": arrays, "xy": [arrays[0], sizes, arrays[1]], "wy": [sizes, *arrays]}[which]
        self.args = (*args, *attrs)

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {self.kind} of {self.x}, {self.w}, {self.attrs}, {self.dtype}, {self.threads} threads"
        )

    def _geometry(self, rng: np.random.Generator, is_depthwise: bool) -> tuple[Any, Any, Any]:
        size = [int(rng.choice([1, 2, 3, 5, 8, 13, 14, 28, 33])) for _ in range(2)]
        window = [int(rng.choice([1, 2, 3, 3, 4, 5, 7, 9])) for _ in range(2)]
        if rng.integers(0, 5) == 0:
            window = [1, 1]
        stride = [int(rng.choice([1, 1, 1, 2, 3])) for _ in range(2)]
        dilation = [int(rng.choice([1, 1, 1, 2, 3])) for _ in range(2)]
        groups = 1 if is_depthwise or rng.integers(0, 6) else int(rng.choice([2, 3]))
        channels = [int(rng.choice([1, 2, 3, 5, 8, 15, 16, 17, 32, 33, 48, 64, 70, 100])) for _ in range(2)]
        first = bool(rng.integers(0, 4) == 0)
        padding = str(rng.choice(["SAME", "SAME", "VALID", "EXPLICIT"]))
        pads = [int(rng.integers(0, 4)) for _ in range(4)]
        spatial = [0, 0, *pads] if padding == "EXPLICIT" else []
        pairs = ([0, 0, *spatial] if first else [*spatial, 0, 0]) if spatial else []
        batch = int(rng.choice([1, 1, 2, 3, 9]))
        depth, filters = channels[0], channels[1]
        if is_depthwise:
            filters = int(rng.choice([1, 1, 1, 2, 3]))
        total = depth * groups
        x = (batch, total, *size) if first else (batch, *size, total)
        w = (*window, depth, filters * (1 if is_depthwise else groups))

        def steps(pair: list[int]) -> tuple[int, ...]:
            return (1, 1, *pair) if first else (1, *pair, 1)

        return x, w, (steps(stride), padding, tuple(pairs), "NCHW" if first else "NHWC", steps(dilation))

    def _array(self, rng: np.random.Generator, shape: tuple[int, ...], shift: int) -> Array:
        numbers = rng.integers(-4, 5, shape) if self.is_whole else rng.standard_normal(shape)
        array = fenced(numbers.astype(self.dtype), shift).array
        match rng.integers(0, 5):
            case 0:
                array = np.asfortranarray(array)
            case 1:
                array = np.repeat(array, 2, axis=1)[:, ::2]
        return array

    def failure(self) -> str | None:
        """What is wrong with the result of the loops, or None."""
        op, fast = find_op(self.kind), fast_kernel(self.kind, "numpy")
        assert fast is not None
        with threads(self.threads):
            got = fast(HOST.xp, *self.args)
        if got is None:
            return None if "Depthwise" in self.kind and self.w[1] > 7 else "no loop"
        with threads(1):
            alone = fast(HOST.xp, *self.args)
        want = op.kernels["*"](HOST.xp, *self.args)
        if got.shape != want.shape or got.dtype != want.dtype:
            return f"{got.dtype}{got.shape}, not {want.dtype}{want.shape}"
        if alone.tobytes() != got.tobytes():
            return "the bits depend on the threads"
        if self.is_whole:
            return None if (got == want).all() else "not the exact numbers"
        return self._far_off(op, got, want)

    def _far_off(self, op: Any, got: Array, want: Array) -> str | None:
        """The bound that a result breaks."""
        wide = [self._as_double(a) for a in self.args]
        exact = op.kernels["*"](HOST.xp, *wide)
        sums = op.kernels["*"](HOST.xp, *[np.abs(a) if isinstance(a, np.ndarray) else a for a in wide])
        terms = self.x[0] * want.size if "Filter" in self.kind else int(np.prod(self.w))
        eps = 2.0 ** {"f2": -10, "f4": -23, "f8": -52}.get(self.dtype.str[1:], -7)
        inner = max(eps if self.dtype.itemsize > 2 else 2.0**-23, 2.0**-52)
        bound = (
            sums * inner * (4 + 4 * terms**0.5)
            + np.abs(exact) * eps
            + (2.0**-24 if self.dtype == np.float16 else 1e-30)
        )
        bad = ~(np.abs(got.astype(np.float64) - exact) <= bound)
        return f"{int(bad.sum())} of {bad.size} elements are far off" if bad.any() else None

    def _as_double(self, argument: Any) -> Any:
        is_numbers = isinstance(argument, np.ndarray) and argument.dtype == self.dtype
        return argument.astype(np.float64) if is_numbers else argument


def complaint(case: Case) -> str | None:
    """What is wrong with the result of the loops; None if it is right."""
    with loops_at_once(), patch.object(fast_convolution, "FEWEST", 0), np.errstate(all="ignore"):
        return case.failure()


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    kinds, failures = Counter[str](), 0
    for seed in seeds_of("tests.fuzz.of_convolutions", __doc__, arguments):
        case = Case(seed)
        kinds[case.kind] += 1
        found = complaint(case)
        if found is not None:
            failures += 1
            print(f"{case}\n    {found}\n", flush=True)
    print(f"{sum(kinds.values())} calls, {failures} differ: {dict(kinds)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
