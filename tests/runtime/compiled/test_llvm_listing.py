"""Every stage of a fused group can be printed."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock.runtime.llvm import tier
from penstock.runtime.observe.explain import Explanation


def explained() -> Explanation:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["rows", 3], name="x")
        scale = tf.placeholder(tf.float32, ["rows", 1], name="scale")
        shifted = tf.subtract(x * scale, 1.0, name="shifted")
        total = tf.reduce_sum(tf.exp(shifted, name="power"), 1, name="total")
        index = tf.placeholder(tf.int32, [None], name="index")
        half = tf.floordiv(index, index + 1, name="half")
    with tf.Session(graph=graph) as session:
        return session.explain([total, half], {x: [[1, 2, 3]], scale: [[2]], index: [3]})


def test_a_listing_shows_formula_nest_operands_and_ir() -> None:
    code = explained().code("power")
    assert code.formula == "Sum(Exp(Sub(Mul(%0, %1), %2)), 1)"
    assert code.nest == "\n".join([
        "for i, j",
        "%0 = x0[i, j]  float32",
        "%1 = x1[i]  float32",
        "%2 = x2[i]  float32",
        "%3 = multiply(%0, %1)  float32",
        "%4 = subtract(%3, %2)  float32",
        "%5 = exp(%4)  float32",
        "%6 = reduce add over j: %5  float32",
        "y0[i] = %6",
    ])  # fmt: skip
    assert code.operands[0] == "%0 x:0  float32, one number each 4 bytes"
    assert code.operands[1] == "%1 scale:0  float32, one number for a whole row"
    assert code.operands[3] == "%5 float32, reduced by add, one number each 4 bytes"
    if tier.on():
        assert "define void @loop(" in code.ir
        assert "define void @reduce(" in code.ir
        assert "numpy_exp_f_f" in code.ir
        assert "loop" in code.optimised
        assert "loop" in code.assembly
    assert str(code).startswith(f"group {code.node}\nformula: Sum(")


def test_a_listing_says_why_a_group_is_interpreted() -> None:
    code = explained().code("half")
    assert code.ir == ""
    assert code.reason == "the group computes the divisor of FloorDiv, which must be checked for zeros"
    assert str(code).endswith(f"interpreted: {code.reason}")


def test_a_node_in_no_group_has_no_listing() -> None:
    with pytest.raises(KeyError, match="no fused group holds a node of that name; the groups are"):
        explained().code("x")
