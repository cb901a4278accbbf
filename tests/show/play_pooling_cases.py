"""Random arguments for the ops of pooling, as `play_random_cases` has them for others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penstock.graph.shapes.dtypes import as_dtype, of_numpy

from .play_random_cases import Args, Rng, bumped, cases_of, dtype_in, ints, places, values, wrong

_OF_IMAGES = "uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64"
_FLOATS = "float16 bfloat16 float32 float64"


def pooling(rng: Rng, rank: int, names: str, may_be_explicit: bool) -> tuple[list[int], list[int], Args]:
    """The sizes of an array, the positions of a window on it, and the attributes of the op."""
    is_first = bool(rng.random() < 0.3)

    def laid_out(spatial: list[int], batch: int, channels: int) -> list[int]:
        return [batch, channels, *spatial] if is_first else [batch, *spatial, channels]

    sizes = [int(n) for n in rng.integers(0 if wrong(rng) else 2, 6, rank)]
    window, steps = ([int(n) for n in rng.integers(1, 4, rank)] for _ in range(2))
    padding = str(rng.choice(["SAME", "VALID", "EXPLICIT"] if may_be_explicit else ["SAME", "VALID"]))
    pads = [int(rng.integers(0, k + int(wrong(rng)))) for k in window for _ in range(2)]
    pads = pads if padding == "EXPLICIT" else [0] * (2 * rank)
    positions = [
        -(-n // s) if padding == "SAME" else max(0, (n + pads[2 * i] + pads[2 * i + 1] - k) // s + 1)
        for i, (n, k, s) in enumerate(zip(sizes, window, steps, strict=True))
    ]
    batch, channels = int(rng.integers(0 if wrong(rng) else 1, 3)), int(rng.integers(1, 3))
    layout = {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[rank][is_first]
    pairs = tuple([0, 0, 0, 0, *pads] if is_first else [0, 0, *pads, 0, 0]) if padding == "EXPLICIT" else ()
    attrs: Args = [tuple(laid_out(window, 1, 1)), tuple(laid_out(steps, 1, 1)), padding]
    return laid_out(sizes, batch, channels), laid_out(positions, batch, channels), [
        *attrs, *([pairs] if names == _OF_IMAGES else []), layout
    ]  # fmt: skip


def largest(rank: int, role: str) -> Callable[[Rng], Args]:
    """Arguments of MaxPool, of its gradient or of the gradient of that: many numbers are equal."""
    names = _OF_IMAGES if rank == 2 else _FLOATS

    def make(rng: Rng) -> Args:
        sizes, positions, attrs = pooling(rng, rank, names, rank == 2)
        dtype = dtype_in(rng, names)
        x = values(rng, sizes, dtype)
        if role == "forward":
            return [x, *attrs]
        at = np.resize(x, positions) if x.size else values(rng, positions, dtype)
        last = sizes if role == "second" else positions
        return [x, np.asarray(at, x.dtype), values(rng, bumped(last, rng), of_numpy(x.dtype)), *attrs]

    return make


for _rank, _name in ((2, "MaxPool"), (3, "MaxPool3D")):
    for _role, _ending in (("forward", ""), ("first", "Grad"), ("second", "GradGrad")):
        cases_of(f"{_name}{_ending}")(largest(_rank, _role))


def with_places(role: str) -> Callable[[Rng], Args]:
    """Arguments of pooling that tells the places, of its gradient, or of the gradient of that."""

    def make(rng: Rng) -> Args:
        sizes, positions, attrs = pooling(rng, 2, _FLOATS, False)
        whole, dtype = bool(rng.random() < 0.5), dtype_in(rng, _OF_IMAGES)
        x, kind = values(rng, sizes, dtype), str(rng.choice(["int32", "int64"]))
        if role == "forward":
            return [x, *attrs[:3], as_dtype(kind), whole]
        g = values(rng, bumped(sizes if role == "second" else positions, rng), dtype, special=False)
        most = x.size if whole else x.size // max(1, len(x))
        return [x, g, places(rng, 0, most, bumped(positions, rng), kind), *attrs[:3], whole]

    return make


for _role, _name in (("forward", "MaxPool"), ("first", "MaxPoolGrad"), ("second", "MaxPoolGradGrad")):
    cases_of(f"{_name}WithArgmax")(with_places(_role))


def responses(operands: int) -> Callable[[Rng], Args]:
    """Arguments of local response normalization, of one operand, or of its gradient, of three."""

    def make(rng: Rng) -> Args:
        shape = [*map(int, rng.integers(0 if wrong(rng) else 1, 4, 3)), int(rng.integers(1, 7))]
        dtype, radius = dtype_in(rng, _FLOATS), -1 if wrong(rng) else int(rng.integers(0, 4))
        numbers = [1.0, float(rng.choice([0.1, 0.5])), float(rng.choice([0.5, 0.75, 1.0]))]
        return [*[values(rng, shape, dtype, special=False) for _ in range(operands)], radius, *numbers]

    return make


cases_of("LRN")(responses(1))
cases_of("LRNGrad")(responses(3))


@cases_of("GatherTree")
def _(rng: Rng) -> Args:
    shape = [int(n) for n in rng.integers(0 if wrong(rng) else 1, 5, 3)]
    ids, parents = (ints(rng, 0, most, bumped(shape, rng), "int32") for most in (4, shape[2]))
    return [ids, parents, ints(rng, 0, 6, bumped(shape[1:2], rng), "int32"), ints(rng, 0, 4, (), "int32")]


def mean(rank: int, is_gradient: bool) -> Callable[[Rng], Args]:
    """Arguments of AvgPool or of its gradient."""

    def make(rng: Rng) -> Args:
        sizes, positions, attrs = pooling(rng, rank, _FLOATS, False)
        dtype = dtype_in(rng, _FLOATS)
        if not is_gradient:
            return [values(rng, sizes, dtype), *attrs]
        return [np.array(sizes, "int32"), values(rng, bumped(positions, rng), dtype), *attrs]

    return make


for _rank, _name in ((2, "AvgPool"), (3, "AvgPool3D")):
    cases_of(_name)(mean(_rank, False))
    cases_of(f"{_name}Grad")(mean(_rank, True))
