"""Random graphs with graphs inside ops, up to three deep, beside the reference executor.

Bodies use operands and what is outside of them (feeds, constants, intermediates), give views, updates in place and
their operands back, count their runs, and fail where a fed index is too large. A failure prints the seed and the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..helpers import nightly
from ..holders import RUNS, call, count_up, either, twice
from ..op_samples import same
from ..reference import Failure, reference

SHARE = 60
"""Seeds of one run of the suite."""

CONFIGS = (
    tf.SessionConfig(passes=(), arena=False),
    tf.SessionConfig(verify=True, check=True),
    tf.SessionConfig(passes=("merge", "fuse"), threads=2),
    tf.SessionConfig(passes=("fold", "simplify", "order"), arena=False, verify=True),
)


class Writer:
    """Builds one random graph: all values are float32 of shape (4, 3)."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.w = tf.placeholder(tf.float32, [4, 3], name="w")
        self.p = tf.placeholder(tf.bool, [], name="p")
        self.k = tf.placeholder(tf.int32, [], name="k")
        self.values = [self.x, self.w]

    def one(self, values: list[tf.Tensor]) -> tf.Tensor:
        return values[int(self.rng.integers(len(values)))]

    def step(self, values: list[tf.Tensor], depth: int) -> list[tf.Tensor]:
        """One more value, or several, made of some of `values`."""
        a, b = self.one(values), self.one(values)
        choice = int(self.rng.integers(16))
        if choice < 5:
            return [[tf.add, tf.multiply, tf.maximum, tf.subtract, tf.minimum][choice](a, b)]
        if choice == 5:
            return [tf.tanh(a) * 0.5 + tf.constant(self.rng.integers(3, size=3).astype("f4"))]
        if choice == 6:
            return [tf.reverse(a, [True, False])]
        if choice == 7:
            return [tf.concat(0, [a[2:], b[:2]])]
        if choice == 8:
            return [tf.tensor_scatter_nd_update(a, [[int(self.rng.integers(4))]], b[:1])]
        if choice == 9:
            return [tf.transpose(tf.reshape(tf.transpose(a), [3, 4]))]
        if choice == 10:
            return [count_up(a)] if self.rng.random() < 0.5 else [tf.gather(a, tf.pack([0, 1, 2, self.k])) * b]
        if choice == 11:
            return [t for t in tf.unpack(tf.pack([a, b]), 2) if self.rng.random() < 0.8]
        if depth == 3:
            return [a]
        return self.holder(values, depth)

    def holder(self, values: list[tf.Tensor], depth: int) -> list[tf.Tensor]:
        operands = [self.one(values) for _ in range(int(self.rng.integers(3)))]
        kind = int(self.rng.integers(4))
        if kind == 3:
            yes = self.function(values, depth, 2)
            return either(self.p, yes, self.function(values, depth, 2), operands)
        if kind == 2 and operands:
            return twice(self.function(values, depth, len(operands)), operands)
        return call(self.function(values, depth, int(self.rng.integers(1, 4))), operands)

    def function(self, outside: list[tf.Tensor], depth: int, results: int) -> Any:
        def function(*operands: tf.Tensor) -> list[tf.Tensor]:
            values = [*operands, *outside]
            for _ in range(int(self.rng.integers(1, 6))):
                values += self.step(values, depth + 1)
            recent = values[-4:] + list(operands)
            return [self.one(recent) for _ in range(results)]

        return function

    def program(self) -> list[tf.Tensor]:
        for _ in range(8):
            self.values += self.step(self.values, 0)
        return [self.one(self.values[-6:]) for _ in range(4)]


@pytest.mark.share(6)
@pytest.mark.parametrize("start", [*range(0, SHARE // 2, 5), *nightly(range(SHARE // 2, SHARE, 5))])
def test_random_graphs_with_bodies_are_what_the_reference_gives(start: int) -> None:
    for seed in range(start, start + 5):
        with tf.Graph().as_default() as graph:
            writer = Writer(seed)
            fetches = writer.program()
            rng = np.random.default_rng(seed)
            x, w = (rng.integers(-3, 4, (4, 3)).astype("f4") / 2 for _ in range(2))
            for which, index in ((True, 3), (False, 0), (True, 7)):
                feeds = {writer.x: x, writer.w: w, writer.p: np.array(which), writer.k: np.array(index, np.int32)}
                check(f"seed {seed}, {which}, {index}\n{graph.summary()}", fetches, feeds)


def check(told: str, fetches: list[tf.Tensor], feeds: dict[tf.Tensor, Any]) -> None:
    RUNS.clear()
    want = reference(fetches, feeds)
    runs = list(RUNS)
    for config in CONFIGS:
        RUNS.clear()
        session = tf.Session(config=config)
        try:
            got = session.run(fetches, feeds)
        except tf.errors.OpError as error:
            assert want.failures, f"{error}\n{config}\n{told}"
            assert Failure(error.op.name, type(error)) in want.failures, f"{error}\n{want.failures}\n{config}\n{told}"
            assert runs[: len(RUNS)] == RUNS, f"{runs}, not {RUNS}\n{config}\n{told}"
            continue
        assert not want.failures, f"{want.failures}\n{config}\n{told}"
        assert runs == RUNS, f"{runs}, not {RUNS}\n{config}\n{told}"
        for tensor, one, other in zip(fetches, got, want.of(fetches), strict=True):
            assert same(one, other), f"{tensor.name} is {one}, not {other}\n{config}\n{told}"
