"""A single elementwise step becomes machine code where NumPy needs several passes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.compiled.single_op import PromotedOp, is_worth_it
from penstock.runtime.ir.kernel_protocol import Kernel, KernelTier
from penstock.runtime.llvm import tier

from ...op_samples import same


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    before = jit.mode
    yield
    jit.mode = before


@pytest.mark.parametrize(
    ("op", "dtype", "wanted"),
    [
        ("Add", tf.float32, False),  # one pass of NumPy's
        ("Add", tf.bfloat16, True),
        ("Exp", tf.float16, True),
        ("Erf", tf.float32, True),
        ("Sigmoid", tf.float64, True),
        ("FloorDiv", tf.int32, False),  # a zero is an error of the run
        ("FloorDiv", tf.float32, True),
        ("Select", tf.float32, False),  # has a loop of its own
        ("Sum", tf.float32, False),
    ],
)
def test_what_takes_numpy_several_passes_is_worth_it(op: str, dtype: tf.DType, wanted: bool) -> None:
    assert bool(is_worth_it(OPS[op], dtype)) is wanted


@pytest.mark.parametrize(("op", "dtype"), [("sigmoid", "float32"), ("exp", "float16"), ("square", "bfloat16")])
def test_the_result_is_the_same_before_and_after(op: str, dtype: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(dtype, [None], name="x")
        y = getattr(tf, op)(x)
    array = np.linspace(-3, 3, 2000).astype(tf.as_dtype(dtype).np)
    found = []
    for mode in ("off", "now") if tier.on() else ("off",):
        jit.mode = mode
        with tf.Session(graph=graph) as session:
            record = tf.RunMetadata()
            found.append(session.run(y, {x: array}, run_metadata=record))
            assert record.steps[0].kernel == ("compiled" if mode == "now" else "")
    assert all(same(found[0], each) for each in found)


def test_a_kernel_that_takes_little_time_stays() -> None:
    jit.mode = "on"
    step = PromotedOp(OPS["Erf"], tf.float32, Kernel(lambda x: x)).kernel
    x = np.ones(10, np.float32)
    assert step.call(x) is x
    assert step.into is None
    assert step.now() == KernelTier("", "interpreted")
