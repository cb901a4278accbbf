"""The CUDA sources of a plan are listed without a GPU and without CuPy, and are those that a GPU compiles."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import register_backend
from penstock.runtime.base.launch_count import LAUNCHES
from penstock.runtime.cuda.cuda_prelude import PRELUDE
from penstock.runtime.nest.sequential.nest_table import nest_of

from ..helpers import own_backends
from .fake_cupy import FakeGpu


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def explained(graph: tf.Graph, fetches: Any, feed: dict[Any, Any], device: str = "cpu") -> Any:
    with tf.Session(graph=graph, config=tf.SessionConfig(device=device)) as session:
        return session.explain(fetches, feed)


def test_a_group_that_asks_for_a_gpu_shows_its_cuda_where_there_is_none(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    with tf.device("/gpu:0"):
        y = tf.sqrt(x * x + 1.0, name="root")
    before = LAUNCHES.count
    code = explained(graph, y, {x: np.ones(1000, "f4")}).code("root")
    assert code.formula == "Sqrt(Add(Mul(%0, %0), %1))"
    assert "%4 = sqrt(%3)  float32\ny0[i, j] = %4" in code.nest
    assert "sqrtf(v3)" in code.cuda
    assert code.kernels[0][0] == "fused, 1 blocks of 256 threads"
    assert code.ir == code.reason == ""
    text = str(code)
    assert text.index("formula") < text.index("nest:") < text.index("CUDA kernel fused")
    assert LAUNCHES.count == before
    assert "cupy" not in sys.modules


def test_the_device_can_be_chosen(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.sqrt(x * x + 1.0, name="root")
    found = explained(graph, y, {x: np.ones(10, "f4")})
    assert found.code("root").cuda == ""
    assert "sqrtf" in found.code("root", "gpu").cuda
    assert "sqrtf" in explained(graph, y, {x: np.ones(10, "f4")}, "gpu").code("root").cuda
    assert explained(graph, y, {x: np.ones(10, "f4")}, "gpu").code("root", "cpu").cuda == ""


def test_sizes_that_only_the_run_knows_are_assumed(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n", 6], name="x")
    i = tf.placeholder(tf.int32, ["n"], name="i")
    y = tf.transpose(tf.dynamic_partition(x, i, 2)[0], name="turned")
    code = explained(graph, y, {x: np.ones((9, 6), "f4"), i: np.zeros(9, "i4")}).code("turned", "gpu")
    assert code.operands[0].endswith("float32 [1024, 6], unknown sizes taken as 1024")
    assert "PS_KERNEL" in code.cuda


def test_index_ops_show_their_kernels(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [40, 8], name="x")
    i = tf.placeholder(tf.int32, [40], name="i")
    nodes = {
        "turned": tf.transpose(x, name="turned"), "taken": tf.gather(x, i, name="taken"),
        "joined": tf.concat(0, [x, x], name="joined"), "padded": tf.pad(x, [[1, 1], [0, 2]], name="padded"),
        "back": tf.reverse_sequence(x, [3] * 40, 1, name="back"), "cut": tf.dynamic_partition(x, i, 3, name="cut"),
        "put": tf.tensor_scatter_nd_update(x, tf.expand_dims(i, 1), x, name="put"),
    }  # fmt: skip
    feed = {x: np.ones((40, 8), "f4"), i: np.zeros(40, "i4")}
    found = explained(graph, list(nodes.values()), feed)
    for name in nodes:
        code = found.code(name, "gpu")
        assert "PS_KERNEL" in code.cuda, name
        assert PRELUDE not in code.cuda
        assert code.nest or name == "cut", name  # a partition is no nest
    assert found.code("taken", "gpu").nest == str(nest_of("take", 0, "i4", 1))
    assert found.code("turned", "gpu").nest == "for i, j\n%0 = x0[i, j]  uint32\ny0[i, j] = %0"
    needed = "the work after these kernels needs a value that the host reads from the GPU"
    assert found.code("cut", "gpu").reason == needed


def test_what_has_no_kernel_says_so(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.complex64, [4], name="x")
    i = tf.placeholder(tf.int32, [2], name="i")
    y = tf.exp(x) * x
    nodes = [y, tf.cumsum(tf.cast(i, tf.float32), name="sums"), tf.transpose(tf.reshape(x, i), i, name="turned")]
    found = explained(graph, nodes, {x: np.ones(4, "c8"), i: np.ones(2, "i4")})
    assert found.code(y.op.name, "gpu").reason.startswith("the group runs op by op with CuPy: ")
    assert found.code("sums", "gpu").reason == "no kernel of Penstock's runs: CuPy's cumsum"
    assert "known only in the run" in found.code("turned", "gpu").reason
    with pytest.raises(KeyError, match="nowhere"):
        found.code("nowhere", "gpu")


def test_what_is_shown_is_what_is_compiled(graph: tf.Graph, sources: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    own_backends(monkeypatch)
    register_backend(FakeGpu())
    x = tf.placeholder(tf.float32, ["n", 8], name="x")
    i = tf.placeholder(tf.int32, ["n"], name="i")
    y = tf.reduce_max(tf.sqrt(x * x + 1.0) - x, 1, name="most")
    z = tf.gather(tf.transpose(x, name="turned"), i, name="taken")
    feed = {x: np.ones((64, 8), "f4"), i: np.zeros(64, "i4")}
    with tf.Session(graph=graph, config=tf.SessionConfig(device="gpu")) as session:
        shown = [session.explain([y, z], feed).code(n) for n in ("most", "taken", "turned")]
        session.run([y, z], feed)
    for code in shown:
        assert any(code.cuda in compiled for compiled in sources), code.node
