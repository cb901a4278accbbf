"""The kernels of the play page against Python's, in a real browser, over the samples of every op.

Elementwise arithmetic, all ints and everything that moves are compared bit by bit. Transcendental functions may differ
by 4 units in the last place, and complex products and quotients too, because NumPy fuses their multiplications where
the processor can. Sums and products of matrices may differ by a stated part of the largest number.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.ops
from penstock.graph.declare.op_declaration import OPS
from penstock.show.play.play_scripts import play_kernels

from ..helpers import nightly
from ..op_samples import USERS_OPS, Call, all_known, calls, run, runnable
from ..random_graphs import DTYPES
from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of, case_of, difference, in_page

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

FUNCTIONS = frozenset((
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cos", "Cosh", "Elu", "Erf", "Exp", "Expm1", "Log",
    "Log1p", "Pow", "Rsqrt", "Selu", "Sigmoid", "Sin", "Sinh", "Softplus", "Sqrt", "Tan", "Tanh",
    "FixedUnigramCandidateSampler", "LearnedUnigramCandidateSampler", "LogUniformCandidateSampler",
    "UniformCandidateSampler",
))  # fmt: skip
"""Transcendental functions: 4 units in the last place."""
SUMS = frozenset((
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Conv3DBackpropFilterV2",
    "Conv3DBackpropInputV2", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput",
    "Cumprod", "Cumsum", "Einsum", "LogSoftmax", "MatMul", "Mean", "Prod", "ScatterNd", "SegmentMean",
    "SegmentProd", "SegmentSum", "Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
    "Sum", "LRN", "LRNGrad", "UnsortedSegmentProd", "UnsortedSegmentSum", "LinSpace",
))  # fmt: skip
"""What adds or multiplies many numbers, in an order that Python chooses by the shape: see `NEAR`."""
NEAR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-14, "complex64": 1e-6, "complex128": 1e-14}
"""The error that a sum may have, as a part of the largest number in its result."""


def allowed(op: str, dtype: str) -> dict[str, float]:
    """How far the page may be from Python: arguments of `difference`."""
    if op in ("Pow", "Log1p") and dtype.startswith("complex"):  # NumPy's own error: exp(y log x), log|1 + x|
        return {"ulps": 64.0}
    if op in SIGN_OF_ZERO:
        return {"ulps": 0.5}
    if op in FUNCTIONS or (op in COMPLEX_PRODUCTS and dtype.startswith("complex")):
        return {"ulps": 4.0}
    return {"near": NEAR.get(dtype, 0.0)} if op in SUMS else {}


SIGN_OF_ZERO = frozenset(("Max", "Maximum", "Min", "Minimum", "Relu", "Relu6"))
"""Of 0 and -0 NumPy takes the first or the second, as the processor does and as the dtype is."""
COMPLEX_PRODUCTS = frozenset((
    "Mul", "Square", "RealDiv", "Reciprocal", "SquaredDifference", "MulNoNan", "DivNoNan", "Sign", "Abs",
))  # fmt: skip


@cache
def sampled() -> list[Call]:
    """The samples of all ops that have a kernel, and whose operands are no TensorArrays."""
    found = [op for type, op in sorted(OPS.items()) if type in play_kernels() and not op.is_from_outside]
    return [call for op in found for call in calls(op) if runnable(call)]


def test_each_sample_gives_what_python_computes(page: Browser) -> None:
    cases, wanted, used = [], [], []
    for call in sampled():
        fetches, feeds = call.with_placeholders(all_known(call))
        fetches = [each for each in fetches if not each.dtype.is_variant]
        if not fetches or any(each.dtype.is_variant for each in feeds):
            continue  # see test_play_arrays_browser
        case = case_of(fetches, feeds)
        assert not any("given" in step for step in case["plan"]["steps"]), f"{call} is not computed"
        cases.append(case)
        wanted.append(run(fetches, feeds))
        used.append(call)
    found = in_page(page, cases)
    problems = []
    for call, made, want in zip(used, found, wanted, strict=True):
        if "fetches" not in made:
            problems.append(f"{call}: {made}")
            continue
        for got, expected in zip(made["fetches"], want, strict=True):
            told = difference(array_of(got), expected, **allowed(call.op.type, got["dtype"]))
            if told:
                problems.append(f"{call}: {told}")
    assert not problems, "\n".join(problems)
    assert len(cases) > 100


def of_sums() -> Iterator[tuple[str, list[tf.Tensor], dict[tf.Tensor, Any]]]:
    """Sums of numbers of many sizes, whose last bits show in which order they were added; means whose sum wraps."""
    rng = np.random.default_rng(0)
    for shape, axis in (((90, 1), 0), ((3, 90, 1), 1), ((2, 1, 45, 1), (1, 2)), ((90,), 0), ((5, 90), 1), ((90, 4), 0)):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, shape)
            numbers = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype("f4")
            yield f"Sum {shape} over {axis}", [tf.reduce_sum(x, axis)], {x: numbers}
            yield f"Mean {shape} over {axis}", [tf.reduce_mean(x, axis)], {x: numbers}
    for shape in ((90,), (90, 1), (90, 2)):
        with tf.Graph().as_default():
            x, ids = tf.placeholder(tf.float32, shape), np.repeat([0, 1, 3], 30)
            numbers = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype("f4")
            yield f"SegmentSum {shape}", [tf.segment_sum(x, ids)], {x: numbers}
    for dtype, number in (("int64", 2**62), ("int64", -(2**62) - 5), ("uint64", 2**63 + 9), ("int32", 2**31 - 1)):
        with tf.Graph().as_default():
            x = tf.placeholder(dtype, [2, 3])
            yield f"Mean {dtype} {number}", [tf.reduce_mean(x, 1)], {x: np.full((2, 3), number, dtype)}


def test_sums_are_added_in_pythons_order_and_wrap_as_its_own(page: Browser) -> None:
    names, fetches, feeds = zip(*of_sums(), strict=True)
    found = in_page(page, [case_of(*each) for each in zip(fetches, feeds, strict=True)])
    problems = []
    for name, made, fetch, fed in zip(names, found, fetches, feeds, strict=True):
        (want,) = run(fetch, fed)
        got = array_of(made["fetches"][0])
        if got.tobytes() != want.tobytes():
            problems.append(f"{name}: {got} is not {want}")
    assert not problems, "\n".join(problems)


SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e30, -1e-30, 65504.0, 1e-41, 7.0, 0.1, 1e300)


def special(dtype: str) -> Any:
    """Values at which a dtype is awkward."""
    made = tf.as_dtype(dtype)
    if dtype == "string":
        return np.array([b"", b"a", b"bc", b"\xff", b"\x00z"], object)
    if made.is_bool:
        return np.array([True, False])
    if made.is_integer:
        ends = {made.min, made.max, made.min + 1, made.max - 1, 0, 1, 2, 7, made.max // 2 + 1, max(made.min, -1),
                max(made.min, -3), max(made.min, -7), min(made.max, 1 << 31), min(made.max, (1 << 53) + 1)}  # fmt: skip
        return np.array(sorted(ends), object).astype(made.np)
    with np.errstate(all="ignore"):
        real = np.array(SPECIAL)
        if made.is_complex:
            finite = np.array([0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.0, 0.1])
            return (finite[:, None] + 1j * finite[None, ::-1]).reshape(-1).astype(made.np)
        return real.astype(made.np)


def of_special_values(part: int) -> Iterator[tuple[str, list[tf.Tensor], dict[tf.Tensor, Any]]]:
    """Every elementwise op in every dtype that it takes, on all pairs of special values.

    part: 0 or 1, each has every other dtype of an op, and from one op to the next other ones.
    """
    for number, (type, op) in enumerate(USERS_OPS.items()):
        places = [operand for _, _, operand in op.operands]
        if not op.facts.elementwise or type not in play_kernels() or type == "Select":
            continue
        targets: list[Any] = [None]
        if type == "Cast":
            targets = [d for d in DTYPES if d != "string"]
        for dtype, target in itertools.product(DTYPES, targets):
            if not tf.as_dtype(dtype).bit & places[0].allowed or dtype == target or (target and dtype == "string"):
                continue
            turn = number + DTYPES.index(dtype) + targets.index(target)
            if part != (0 if dtype == "bool" else turn % 2):  # some ops take bool alone
                continue
            values = special(dtype)
            pair = [np.repeat(values, len(values)), np.tile(values, len(values))] if len(places) == 2 else [values]
            if type in ("FloorDiv", "FloorMod") and values.dtype.kind in "iu":
                pair = [each[pair[1] != 0] for each in pair]
            if type == "Pow" and values.dtype.kind == "i":
                pair = [each[pair[1] >= 0] for each in pair]
            with tf.Graph().as_default():
                fed = {tf.placeholder(dtype, each.shape, name="x"): each for each in pair}
                made = op(*fed, target) if target else op(*fed)
            yield f"{type} {dtype}{' to ' + target if target else ''}", [made], fed


@pytest.mark.parametrize("part", [0, *nightly([1])])
def test_special_values_give_what_python_computes(page: Browser, part: int) -> None:
    cases, wanted, names = [], [], []
    with np.errstate(all="ignore"):
        for name, fetches, feeds in of_special_values(part):
            names.append(name)
            cases.append(case_of(fetches, feeds))
            wanted.append(run(fetches, feeds)[0])
    problems = []
    for name, case, made, want in zip(names, cases, in_page(page, cases), wanted, strict=True):
        if "fetches" not in made:
            problems.append(f"{name}: {made}")
            continue
        (got,) = made["fetches"]
        type, dtype = name.split()[:2]
        told = difference(array_of(got), want, **allowed(type, dtype))
        if told:
            place = int(told.rpartition("[")[2].rstrip("]") or 0)
            fed = [each["data"][place] for each in case["feeds"]]
            problems.append(f"{name}: {told} of {fed}")
    assert not problems, "\n".join(problems)


SEEDS = (
    "Cast", "Const", "Concat", "DynamicPartition", "DynamicStitch", "ExpandDims", "Fill", "Gather", "Multiplex",
    "NotEqual", "Pack", "Pad", "ParallelDynamicStitch", "Range", "Rank", "Reshape", "Reverse", "ReverseSequence",
    "ScatterNd", "Shape", "Size", "Slice", "Split", "Squeeze", "Stack", "StridedSlice", "StringToNumber",
    "TensorScatterUpdate", "Tile", "Transpose", "Unpack",
)  # fmt: skip
"""The ops of the pages with which the project began."""


def test_no_kernel_is_lost() -> None:
    assert play_kernels() >= set(SEEDS) and len(play_kernels()) >= 260


def test_every_kernel_is_that_of_an_op() -> None:
    for module in pkgutil.walk_packages(penstock.ops.__path__, "penstock.ops."):
        importlib.import_module(module.name)  # a program loads some of them on demand
    assert play_kernels() - set(OPS) == set()
