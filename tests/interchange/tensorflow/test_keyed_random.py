"""Stateless random nodes as TensorFlow 2 writes them give the numbers of `tf.random.stateless_uniform` and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf


def run(type: str, *more: Any, dtype: Any, seed: Any = (7, 8), algorithm: int = 1) -> Any:
    """What a node of this type gives of shape (2, 3)."""
    graph_def = tf.GraphDef()
    operands = {"shape": np.array([2, 3], "i4"), "seed": np.array(seed, "i8"), "alg": np.array(algorithm, "i4")}
    operands |= {f"more{i}": np.array(value, tf.as_dtype(dtype).np) for i, value in enumerate(more)}
    for name, array in operands.items():
        node = graph_def.node.add(name=name, op="Const")
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(array))
        node.attr["dtype"].type = tf.as_dtype(array.dtype).as_datatype_enum
    words = graph_def.node.add(name="words", op="StatelessRandomGetKeyCounter", input=["seed"])
    words.attr["Tseed"].type = tf.int64.as_datatype_enum
    inputs = ["shape", "words", "words:1", "alg", *(f"more{i}" for i in range(len(more)))]
    node = graph_def.node.add(name="node", op=type, input=inputs)
    node.attr["dtype"].type = tf.as_dtype(dtype).as_datatype_enum
    node.attr["Tshape"].type = tf.int32.as_datatype_enum
    with tf.Graph().as_default(), tf.Session() as session:
        results: Any = tf.import_graph_def(graph_def, return_elements=["node:0"], name="")
        return session.run(results[0])


@pytest.mark.parametrize("seed", [(7, 8), (-1, 2**40)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    ("type", "function"),
    [
        ("StatelessRandomUniformV2", tf.random.stateless_uniform),
        ("StatelessRandomNormalV2", tf.random.stateless_normal),
        ("StatelessTruncatedNormalV2", tf.random.stateless_truncated_normal),
    ],
)
def test_floats(type: str, function: Any, dtype: str, seed: tuple[int, int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        want = session.run(function([2, 3], np.array(seed), dtype=dtype))
    for algorithm in (1, 3):
        got = run(type, dtype=dtype, seed=seed, algorithm=algorithm)
        assert got.dtype == want.dtype and np.array_equal(got, want)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_ints(dtype: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        want = session.run(tf.random.stateless_uniform([2, 3], [7, 8], -5, 1000, dtype))
    assert np.array_equal(run("StatelessRandomUniformIntV2", -5, 1000, dtype=dtype), want)


def test_what_it_refuses() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"the random algorithm 2 is not here: 1 \(Philox\) is"):
        run("StatelessRandomUniformV2", dtype="float32", algorithm=2)
    with pytest.raises(ValueError, match=r"seed must have shape \[2\], not \[3\]"):
        run("StatelessRandomUniformV2", dtype="float32", seed=(1, 2, 3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval"):
        run("StatelessRandomUniformIntV2", 5, 5, dtype="int32")
