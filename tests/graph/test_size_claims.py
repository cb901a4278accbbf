"""Claims about sizes: each goes to the call that made it, and to no other."""

from __future__ import annotations

import ast
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.building.builder import infer, infer_with_claims
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dimension import merge_dims
from penstock.graph.shapes.size_claims import claiming

from ..package_modules import package_modules

N = tf.Dimension("n")
PACKAGE = Path(tf.__file__).parent


def claims_of(graph: tf.Graph) -> list[tuple[str, str, Any]]:
    return [(op.name, str(dim), size) for op, dim, size in graph.equations]


def test_a_merge_outside_of_an_inference_reaches_no_later_call() -> None:
    with tf.Graph().as_default() as graph:
        tf.TensorShape(["n"]).merge_with([3])
        N.merge_with(4)
        tf.placeholder(tf.float32, ["n"])
    assert graph.equations == []


def test_a_nested_inference_keeps_its_claims() -> None:
    def outer() -> int:
        merge_dims(N, 1)
        assert claiming(merge_dims, (N, 2))[1] == [(N, 2)]
        merge_dims(N, 3)
        return 7

    assert claiming(outer, ()) == (7, [(N, 1), (N, 3)])


def test_claims_of_a_rule_that_fails_are_nobodys() -> None:
    def fails() -> None:
        merge_dims(N, 1)
        raise ValueError("a rule")

    def outer() -> None:
        with pytest.raises(ValueError, match="a rule"):
            claiming(fails, ())

    assert claiming(outer, ()) == (None, [])


def test_a_shape_merge_that_fails_half_way_claims_nothing() -> None:
    def tries() -> None:
        with pytest.raises(ValueError, match="Dimension 1"):
            tf.TensorShape(["n", 3]).merge_with([2, 4])

    assert claiming(tries, ()) == (None, [])


def test_threads_do_not_see_the_claims_of_each_other() -> None:
    def other() -> None:
        merge_dims(N, 1)

    def rule() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    assert claiming(rule, ()) == (None, [])


def test_a_pass_infers_without_claims_and_a_reader_with_them() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 2], name="x")
        packed = tf.pack([x, np.zeros((3, 2), "f4")], name="both")
        assert claims_of(graph) == [("both", "n", 3)]
        infer(OPS["Pack"], list(packed.op.args))
        assert claims_of(graph) == [("both", "n", 3)]
        assert infer_with_claims(OPS["Pack"], list(packed.op.args))[2] == [(N, 3)]


def test_the_claims_of_set_shape_are_the_graphs() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", "n", None], name="x")
        x.set_shape([3, "m", 4])
    assert str(x.shape) == "(3, n, 4)"
    assert claims_of(graph) == [("x", "n", 3), ("x", "n", tf.Dimension("m"))]


def test_a_contradiction_in_set_shape_claims_nothing() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 2], name="x")
        with pytest.raises(ValueError, match="set_shape"):
            x.set_shape([3, 4])
    assert graph.equations == [] and graph.pinned == () and str(x.shape) == "(n, 2)"


def test_only_inference_calls_shape_rules() -> None:
    """A shape rule that is called outside of `claiming` would lose its claims."""
    found = set()
    for path in package_modules():
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if "shape_rule" in source else ():
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "shape_rule":
                found.add(path.relative_to(PACKAGE).as_posix())
    assert found == {"graph/building/builder.py"}
