"""The nodes of pooling by the largest number, as TensorFlow has them: MaxPool, MaxPoolGrad, MaxPoolGradGrad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int8, int16, int32, int64, uint8, uint16
from ..convolution.convolution_attributes import Format4, Padding, Pairs4, Steps4, check_pairs
from ..convolution.convolution_geometry import is_channels_first
from .pooling_families import MaxFamily
from .pooling_kernels import to_largest
from .window_geometry import Windows
from .window_shapes import Moves

Ordered: TypeAlias = Annotated[
    TensorLike, Operand("T", FLOATS | bits_of(int8, int16, int32, int64, uint8, uint16))
]  # fmt: skip
"""Floats, and the ints of which TensorFlow takes the largest."""


@op("MaxPool", graphdef="T=input ksize strides padding data_format explicit_paddings")
def max_pool_op(
    input: Ordered,
    ksize: Steps4,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.max_pool`: the largest number of each window of images."""


@op(
    "MaxPoolGrad",
    graphdef="T=orig_input ksize strides padding data_format explicit_paddings",
    unread="orig_output",
    gradient_note="one operand is the result for another: TensorFlow's gradient is by the last one alone",
)
def max_pool_grad_op(
    orig_input: Ordered,
    orig_output: Ordered,
    grad: Ordered,
    ksize: Steps4,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The gradient of MaxPool: `grad` at the first place of the largest number of each window of `orig_input`."""


@op("MaxPoolGradGrad", graphdef="T=orig_input ksize strides padding data_format _explicit_paddings=explicit_paddings",
    gradient_note="one operand is the result for another: TensorFlow's gradient is by the last one alone")  # fmt: skip
def max_pool_grad_grad_op(
    orig_input: Ordered,
    orig_output: Ordered,
    grad: Ordered,
    ksize: Steps4,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The gradient of MaxPoolGrad by its gradient: `grad` where `orig_input` first is `orig_output` in a window."""


def moves_of_images(
    ksize: tuple[int, ...], strides: tuple[int, ...], padding: str, pairs: tuple[int, ...], data_format: str
) -> Moves:
    """How the window moves; ValueRuleError where paddings do not fit the others."""
    check_pairs(padding, pairs, is_channels_first(data_format))
    return Moves(ksize, strides, padding, pairs)


def to_first_places(xp: Any, x: Any, y: Any, g: Any, windows: Windows) -> Any:
    """The gradient by x, which follows from x alone, as in TensorFlow."""
    return to_largest(xp, x, g, windows)


MAX_POOL = MaxFamily(max_pool_op, max_pool_grad_op, max_pool_grad_grad_op, moves_of_images, to_first_places)
MAX_POOL.attach()


# ---- samples ------------------------------------------------------------------------------------

CASES: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = (
    ((2, 4, 6, 3), ((1, 2, 2, 1), (1, 2, 2, 1), "VALID", (), "NHWC")),
    ((2, 5, 4, 2), ((1, 3, 2, 1), (1, 2, 1, 1), "SAME", (), "NHWC")),
    ((2, 3, 5, 4), ((1, 1, 3, 3), (1, 1, 1, 2), "SAME", (), "NCHW")),
    ((1, 4, 4, 1), ((1, 3, 3, 1), (1, 2, 2, 1), "EXPLICIT", (0, 0, 1, 0, 2, 1, 0, 0), "NHWC")),
    ((1, 2, 3, 4), ((1, 1, 1, 2), (1, 1, 1, 2), "VALID", (), "NHWC")),
    ((0, 4, 4, 2), ((1, 2, 2, 1), (1, 2, 2, 1), "SAME", (), "NHWC")),
)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "f4") -> Any:
    """Small whole numbers, of which many are equal."""
    return rng.integers(0 if dtype[0] == "u" else -3, 4, shape).astype(dtype)


@max_pool_op.samples
def max_pool_samples(rng: np.random.Generator) -> Samples:
    for shape, attrs in CASES:
        yield sample(rng.standard_normal(shape).astype("f4"), *attrs)
    shape, attrs = CASES[1]
    for dtype in ("f8", "f2", "i4", "u1"):
        yield sample(numbers(rng, shape, dtype), *attrs)


def attach_samples(family: MaxFamily, cases: Sequence[Any], dtypes: Sequence[str]) -> None:
    """Attach calls of the two gradients of a family: all cases in float32, and the second one in other dtypes."""
    every = [*[(case, "f4") for case in cases], *[(cases[1], dtype) for dtype in dtypes]]

    def calls(rng: np.random.Generator, at_outputs: bool) -> Samples:
        for (shape, attrs), dtype in every:
            x = numbers(rng, shape, dtype)
            y = family.pooled(x, attrs)
            yield sample(x, y, numbers(rng, y.shape if at_outputs else shape, dtype), *attrs)

    family.first.samples(lambda rng: calls(rng, at_outputs=True))
    family.second.samples(lambda rng: calls(rng, at_outputs=False))


attach_samples(MAX_POOL, CASES, ("f8", "f2", "i4"))
