"""Calls of ops as text: operands as they are, attributes by name, and none that has its default."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock.runtime.ir.call_text import call_text


@pytest.mark.parametrize(("op", "args", "text"), [
    ("MatMul", ("a", "b", False, False, False, False, False, False), "MatMul(a, b)"),
    ("MatMul", ("a", "b", True, False, False, False, False, False), "MatMul(a, b, transpose_a=True)"),
    ("Cast", ("a", tf.float32), "Cast(a, float32)"),
    ("Sum", ("a", "b", True), "Sum(a, b, keepdims=True)"),
    ("NoSuchOp", ("a", 1), "NoSuchOp(a, 1)"),
])  # fmt: skip
def test_a_call_shows_what_is_not_the_default(op: str, args: tuple[object, ...], text: str) -> None:
    assert call_text(op, args, format) == text


def test_a_loop_says_the_names_of_its_variables_and_nothing_of_a_limit_that_it_has_not() -> None:
    with tf.Graph().as_default() as graph:
        total = tf.placeholder(tf.float32, [], name="total")
        for limit in (None, 3):
            ends = tf.while_loop(
                lambda i, t: i < 5, lambda i, t: (i + 1, t * 2.0), [tf.constant(0), total], maximum_iterations=limit
            )
    with tf.Session(graph=graph) as session:
        limited = str(session.plan(ends))
        plan = str(session.plan(graph.get_tensor_by_name("while:1")))
    call = plan[plan.index("While(") :].partition("  #")[0]
    assert "None" not in call and call.endswith("variables=[i, t])"), call
    assert "variables=[i, t]" in limited and "operands=" not in limited.partition("While(")[2].partition("#")[0]


def test_a_plan_says_free_of_what_is_free_in_its_memory_plan() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        y = tf.cumsum(tf.matmul(x, tf.constant([[1.0]] * 3), name="product") + 1.0, name="sums")
    with tf.Session(graph=graph) as session:
        plan, memory = session.plan(y), session.memory(y, {x: [[1.0] * 3] * 2})
    freed = {word for line in str(plan).splitlines() for word in line.partition("  free ")[2].split()}
    ends = {str(b.slot): b.last for b in memory.buffers}
    assert freed == {slot for slot, last in ends.items() if last < memory.steps}
    assert "product:0: 8 bytes" in str(memory) and "x:0: 24 bytes" in str(memory) and " constant: " in str(memory)
