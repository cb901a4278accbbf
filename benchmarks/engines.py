"""How is the same small program written for each engine?

An engine builds a graph of n additions, runs it, and runs one small addition. Each is imported in a process of its own,
so that none disturbs another; one that is not installed says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Engine:
    """One system under test.

    build: n -> (feed -> value): a chain of n additions `t = t + x` on vectors of four floats, built but not run; calling
    the result runs it. small: () -> (feed -> value): one addition, ready to run.
    """

    name: str
    version: str
    build: Callable[[int], Callable[[Array], Any]]
    small: Callable[[], Callable[[Array], Any]]


def penstock() -> Engine:
    """This project."""
    import penstock as tf

    def build(n: int) -> Callable[[Array], Any]:
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [4])
            t: Any = x
            for _ in range(n):
                t = tf.add(t, x)
        session = tf.Session(graph=graph)
        return lambda feed: session.run(t, {x: feed})

    return Engine("penstock", tf.__version__, build, lambda: build(1))


def tensorflow() -> Engine:
    """TensorFlow's graph mode, `tf.compat.v1`."""
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_eager_execution()

    def build(n: int) -> Callable[[Array], Any]:
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [4])
            t = x
            for _ in range(n):
                t = tf.add(t, x)
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        session = tf.Session(graph=graph, config=config)
        return lambda feed: session.run(t, {x: feed})

    return Engine("tensorflow", tensorflow.__version__, build, lambda: build(1))


def jax() -> Engine:
    """JAX: tracing to a jaxpr is its building, `jit` its plan."""
    import jax as module

    def chain(n: int) -> Callable[[Any], Any]:
        def f(x: Any) -> Any:
            t = x
            for _ in range(n):
                t = t + x
            return t

        return f

    def build(n: int) -> Callable[[Array], Any]:
        shape = module.ShapeDtypeStruct((4,), np.float32)
        lowered = module.jit(chain(n)).trace(shape)
        compiled: list[Any] = []

        def run(feed: Array) -> Any:
            if not compiled:
                compiled.append(lowered.lower().compile())
            return np.asarray(compiled[0](feed))

        return run

    return Engine("jax", module.__version__, build, lambda: build(1))


ENGINES: dict[str, Callable[[], Engine]] = {"penstock": penstock, "tensorflow": tensorflow, "jax": jax}
