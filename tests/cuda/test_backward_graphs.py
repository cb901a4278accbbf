"""Backward graphs on a GPU: the gradients of every op's samples, and of a network, are those that NumPy computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.derivatives.gradient_paths import is_differentiable
from penstock.graph.model.nodes import Tensor
from penstock.runtime.backends import find_backend, missing_reason, register_backend

from ..helpers import at_most, every_case, own_backends, shares
from ..op_samples import USERS_OPS, calls, shown
from .fake_cupy import FakeGpu
from .test_on_device import near, on_device

PLACES = ["played", pytest.param("real", marks=pytest.mark.gpu)]


@pytest.fixture(params=PLACES, autouse=True)
def _gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The backend "gpu": the played one, and with `-m gpu` the real one."""
    if request.param == "played":
        own_backends(monkeypatch)
        register_backend(FakeGpu())
    elif find_backend("gpu") is None:
        pytest.skip(missing_reason("gpu"))
    yield


DIFFERENTIATED = sorted(t for t, o in USERS_OPS.items() if o.gradient_rule is not None)


def assert_near(graph: tf.Graph, fetches: list[Tensor], feeds: dict[Tensor, Any], label: object) -> None:
    """The values on the GPU, with and without passes and replayed, are those of the CPU."""
    with tf.Session(graph=graph, config=tf.SessionConfig(device="cpu", passes=())) as session:
        expected = session.run(fetches, feeds)
    for passes in ((), None):
        config = tf.SessionConfig(device="gpu", passes=passes)
        with tf.Session(graph=graph, config=config) as session:
            for _ in range(3):  # the last ones are replays
                for got, want in zip(session.run(fetches, feeds), expected, strict=True):
                    assert near(got, want), f"{label}: {shown(got)} there, {shown(want)} with NumPy"


@shares(1)
@every_case("type_", DIFFERENTIATED, parts=12, by_day=1)
def test_the_gradient_of_every_op_is_what_numpy_gives(type_: str, most: int) -> None:
    samples = list(filter(on_device, calls(USERS_OPS[type_])))
    for call in at_most(samples, most):  # each compiles kernels of its own
        places = [place for place in call.free if is_differentiable(tf.as_dtype(call.array(place).dtype))]
        with tf.Graph().as_default() as graph:
            xs = {place: tf.placeholder(call.array(place).dtype, call.array(place).shape) for place in places}
            outputs = [t for t in call.build(dict(xs)) if is_differentiable(t.dtype)]
            if not xs or not outputs:
                continue
            weights = [tf.ones_like(t) for t in outputs]
            found = tf.gradients(outputs, list(xs.values()), weights)
            slopes = [tf.convert_to_tensor(g) for g in found if g is not None]
        with np.errstate(all="ignore"):
            assert_near(graph, slopes, {x: call.array(place) for place, x in xs.items()}, call)


def test_the_gradients_of_a_network_and_of_recomputed_layers_are_those_of_numpy() -> None:
    rng = np.random.default_rng(3)
    with tf.Graph().as_default() as graph:
        x, labels = tf.placeholder(tf.float32, ["n", 4]), tf.placeholder(tf.float32, ["n", 3])
        first, bias, second = (tf.placeholder(tf.float32, shape) for shape in ([4, 5], [5], [5, 3]))
        hidden = tf.recompute_grad(lambda t: tf.nn.relu(tf.matmul(t, first) + bias) * tf.sigmoid(t[:, :1]))(x)
        logits = tf.matmul(hidden, second)
        loss = -tf.reduce_mean(tf.reduce_sum(labels * tf.log_softmax(logits), 1))
        fetches = [loss, *tf.gradients(loss, [x, first, bias, second])]
    shapes = {x: (6, 4), first: (4, 5), bias: (5,), second: (5, 3)}
    feeds = {t: rng.normal(size=shape).astype(np.float32) for t, shape in shapes.items()}
    assert_near(graph, fetches, {**feeds, labels: np.eye(3, dtype=np.float32)[rng.integers(0, 3, 6)]}, "network")


def test_gradients_through_partition_and_stitch_are_those_of_numpy() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 2])
        labels = tf.cast(x[:, 0] > 0.0, tf.int32)
        rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), labels, 2)
        parts = tf.dynamic_partition(x, labels, 2)
        y = tf.dynamic_stitch(rows, [tf.cumsum(parts[0]), tf.exp(parts[1])])
        slopes = tf.gradients(tf.reduce_sum(y * y), x)
    assert_near(graph, slopes, {x: np.linspace(-1, 1, 12, dtype=np.float32).reshape(6, 2)}, "partition")
