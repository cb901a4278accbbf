"""A kernel is one record: what is put around its call keeps what can still be asked of it, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import HOST
from penstock.runtime.execution.bind import BINDERS
from penstock.runtime.ir.kernel_protocol import Kernel, KernelTier, RunContext


def test_a_call_around_a_kernel_promises_only_what_it_says() -> None:
    def plain(*arrays: Any) -> list[Any]:
        return list(arrays)

    kernel = Kernel(plain, plain, plain, makes_arrays=True, with_constants=lambda constants: kernel,
                    tier=lambda: KernelTier("compiled", "compiled"))  # fmt: skip
    assert kernel.around(max) == Kernel(max, tier=kernel.tier)
    assert kernel.around(max, min) == Kernel(max, min, tier=kernel.tier)
    assert kernel.around(max).now() == KernelTier("compiled", "compiled")
    assert Kernel(plain).now() == KernelTier("")


def test_a_kernel_that_asks_for_it_is_made_for_its_backend_node_and_session(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[RunContext] = []

    def made(context: RunContext) -> Any:
        heard.append(context)
        return lambda x: x + 1

    monkeypatch.setitem(BINDERS, "Tanh", lambda x: Kernel(np.tanh, in_context=made))
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.tanh(x, name="layer/y")
    with tf.Session(graph=graph) as session:
        for _ in range(2):
            assert session.run(y, {x: [1, 2, 3]}).tolist() == [2, 3, 4]
        (context,) = heard  # once for a program, not for each run
        assert (context.backend, context.node, context.session) == (HOST, "layer/y", session)


def test_a_context_does_not_keep_the_session() -> None:
    assert RunContext(HOST, "y").session is None


def test_a_recorded_run_tells_what_ran_each_step_and_how_far_it_is() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.reverse(tf.exp(x * 2.0), [True])
    tf.config.jit.mode = "off"
    try:
        with tf.Session(graph=graph) as session:
            record = tf.RunMetadata()
            session.run(y, {x: np.ones(5)}, run_metadata=record)
            assert [(step.op, step.kernel) for step in record.steps] == [("Fused", "interpreted"), ("Reverse", "")]
            assert record.steps[0].promotion.startswith("interpreted: penstock.config.jit.mode")
            assert record.steps[1].promotion == ""
    finally:
        tf.config.jit.mode = None
