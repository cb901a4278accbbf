"""The kernels of the play page against Python's, in a real browser, over the samples of every op.

Elementwise arithmetic, all ints and everything that moves are compared bit by bit. Transcendental functions may differ
by 4 units in the last place, and complex products and quotients too, because NumPy fuses their multiplications where
the processor can. Sums and products of matrices may differ by a stated part of the largest number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from penstock.show.play_scripts import play_kernels

from ..op_samples import USERS_OPS, Call, all_known, calls, run, runnable
from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of, case_of, difference, in_page, kernel_page

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

FUNCTIONS = frozenset((
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cos", "Cosh", "Elu", "Erf", "Exp", "Expm1", "Log",
    "Log1p", "Pow", "Rsqrt", "Selu", "Sigmoid", "Sin", "Sinh", "Softplus", "Sqrt", "Tan", "Tanh",
))  # fmt: skip
"""Transcendental functions: 4 units in the last place."""
SUMS = frozenset((
    "Cumprod", "Cumsum", "Einsum", "LogSoftmax", "MatMul", "Mean", "Prod", "ScatterNd", "SegmentMean",
    "SegmentProd", "SegmentSum", "Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
    "Sum", "UnsortedSegmentProd", "UnsortedSegmentSum", "LinSpace",
))  # fmt: skip
"""What adds or multiplies many numbers, in an order that Python chooses by the shape: see `NEAR`."""
NEAR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-14, "complex64": 1e-6, "complex128": 1e-14}
"""The error that a sum may have, as a part of the largest number in its result."""


def allowed(op: str, dtype: str) -> dict[str, float]:
    """How far the page may be from Python: arguments of `difference`."""
    if op in FUNCTIONS or (op in COMPLEX_PRODUCTS and dtype.startswith("complex")):
        return {"ulps": 4.0}
    return {"near": NEAR.get(dtype, 0.0)} if op in SUMS else {}


COMPLEX_PRODUCTS = frozenset((
    "Mul", "Square", "RealDiv", "Reciprocal", "SquaredDifference", "MulNoNan", "DivNoNan", "Sign", "Abs",
))  # fmt: skip


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    found = Browser()
    found.open(kernel_page())
    yield found
    found.close()


@cache
def sampled() -> list[Call]:
    """The samples of all ops that have a kernel, and whose operands are no TensorArrays."""
    found = [op for type, op in USERS_OPS.items() if type in play_kernels()]
    return [call for op in found for call in calls(op) if runnable(call)]


def test_each_sample_gives_what_python_computes(page: Browser) -> None:
    cases, wanted, used = [], [], []
    for call in sampled():
        fetches, feeds = call.with_placeholders(all_known(call))
        fetches = [each for each in fetches if not each.dtype.is_variant]
        if not fetches:
            continue
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


