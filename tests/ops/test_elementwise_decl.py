"""How the ops of a family, all of one form, are declared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.declare.signature import REALS
from penstock.ops.declare.elementwise_decl import binary, unary

from ..op_samples import same


@pytest.mark.parametrize("declare", [unary, binary])
def test_an_op_of_a_family_has_a_ufunc_or_a_kernel(declare: Any) -> None:
    with pytest.raises(TypeError, match="the op 'Neither' needs a ufunc or a kernel"):
        declare("neither", "Neither", REALS, "nothing.", example=("tf.neither(1)", "1"))
    assert "Neither" not in OPS


@pytest.mark.parametrize("size", [1 << 17, (3 << 16) + 7])
def test_a_large_operand_gives_what_its_parts_give(size: int) -> None:
    x = np.random.default_rng(0).uniform(-4, 4, size).astype("f4")
    y = x[::-1].copy()
    with tf.Graph().as_default() as graph:
        a, b = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        fetches = [tf.squared_difference(a, b), tf.softplus(a), tf.sigmoid(a), tf.floordiv(a, b), tf.mod(a, b)]
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
        parts = [
            session.run(fetches, {a: p, b: q}) for p, q in zip(np.array_split(x, 9), np.array_split(y, 9), strict=True)
        ]
        for found, *expected in zip(session.run(fetches, {a: x, b: y}), *parts, strict=True):
            assert same(found, np.concatenate(expected))
