"""A function that is made of ops speaks of itself when one of its steps refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.extend import composite

Call = Callable[[dict[str, tf.Tensor]], Any]


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def operands() -> dict[str, tf.Tensor]:
    return {
        "x": tf.placeholder(tf.float32, ["batch", 3], name="x"),
        "ints": tf.constant([1, 2, 3], name="ints"),
        "texts": tf.constant(["a", "b"], name="texts"),
        "mask": tf.placeholder(tf.bool, [5], name="mask"),
        "open": tf.placeholder(tf.float32, name="open"),
    }


# call, first line, the operand lines that have a caret, last line where it is a cure
TOLD: list[tuple[Call, str, list[str]]] = [
    (lambda t: tf.zeros([None, 3]), "zeros(shape=[None, 3]): shape: None values not supported.", []),
    (lambda t: tf.ones(None), "ones(shape=None): shape: None values not supported.", []),
    (lambda t: tf.zeros([2, -3]), "zeros(shape=[2, -3]): Fill dimensions must be >= 0, but shape[1] is -3", []),
    (lambda t: tf.zeros(t["x"]), "zeros: Value passed to parameter 'shape' has DataType float32", ["shape"]),
    (lambda t: tf.ones([2], "int33"), "ones(shape=[2], dtype='int33'): 'int33' is not the name of a dtype", []),
    (lambda t: tf.ones([2], tf.string), "ones(shape=[2], dtype=string): Expected string, but got 1", []),
    (lambda t: tf.clip_by_value(t["ints"], 0.5, 2),
     "clip_by_value(t=[1, 2, 3], clip_value_min=0.5, clip_value_max=2): in its step maximum(y=0.5): Expected int3", []),
    (lambda t: tf.clip_by_value(t["x"], tf.zeros([4]), 2.0),
     "clip_by_value(clip_value_max=2.0): in its step maximum: Dimensions must be equal, but are 3 and 4",
     ["clip_value_min"]),
    (lambda t: tf.reduce_logsumexp(t["x"], 5), "reduce_logsumexp(axis=5): in its step reduce_max(axis=5, keepdims", []),
    (lambda t: tf.divide(2.5, t["ints"]), "divide(x=2.5, y=[1, 2, 3]): Expected int32, but got 2.5", []),
    (lambda t: tf.div(t["texts"], t["texts"]), "div(x=[b'a', b'b'], y=[b'a', b'b']): Value passed to parameter", ["x"]),
    (lambda t: tf.where(t["mask"], t["x"], t["ints"]),
     "where(y=[1, 2, 3]): Input 'y' of 'Select' Op has type int32 that does not match type float32 of argument", ["y"]),
    (lambda t: tf.where(t["x"], t["x"], t["x"]), "where: Input 'condition' of 'Select' Op has type flo", ["condition"]),
    (lambda t: tf.where(t["mask"], t["x"]), "where: x and y must both be non-None or both be None.", []),
    (lambda t: tf.to_int32(t["texts"]), "to_int32(x=[b'a', b'b']): Cast string to int32 is not supported", ["x"]),
    (lambda t: tf.group(1), "group(inputs=(1,)): 1 is of type int; inputs are operations", []),
    (lambda t: tf.constant(1.5, tf.int32), "constant(value=1.5, dtype=int32): Expected int32, but got 1.5", []),
    (lambda t: tf.constant([1, 2, 3], shape=[2]), "constant(value=[1, 2, 3], shape=[2]): Too many elements provid", []),
    (lambda t: tf.convert_to_tensor(t["x"], tf.int32), "convert_to_tensor(dtype=int32): Tensor conversion request", []),
    (lambda t: v1.split(t["x"], 2, 1), "split(num_or_size_splits=2, axis=1): Dimension size must be evenly", ["value"]),
    (lambda t: v1.split(t["x"], [1, 1], 1), "split(num_or_size_splits=[1, 1], axis=1): can't split axis of", ["value"]),
    (lambda t: v1.concat([t["x"], t["x"]], 7), "concat(axis=7): Shape must be at least rank 8 but is r", ["values[0]"]),
    (lambda t: v1.stack([t["x"], t["ints"]]),
     "stack: Tensors in list passed to 'values' of 'Pack' Op have types that don't all match: values[0] is float32, va",
     ["values[1]"]),
    (lambda t: v1.unstack(t["x"], 4, axis=1), "unstack(num=4, axis=1): Dimension must be 4 but is 3", []),
    (lambda t: v1.reverse(t["x"], [7]), "reverse(axis=[7]): 'axis'[0] = 7 is out of valid range [-2, 2)", []),
    (lambda t: v1.gather(t["x"], [1.5], axis=1), "gather(indices=[1.5], axis=1): Value passed to parameter 'indic", []),
    (lambda t: v1.squeeze(t["x"], axis=1), "squeeze(axis=1): Can not squeeze dim[1], expected a dimension", ["input"]),
    (lambda t: v1.expand_dims(t["x"], 5), "expand_dims(axis=5): axis 5 not in the interval [-3, 2].", ["input"]),
    (lambda t: v1.expand_dims(t["x"], 1, dim=1), "expand_dims(axis=1, dim=1): Cannot specify both 'dim' and 'axis", []),
    (lambda t: v1.shape(t["x"], out_type="float"), "shape(out_type='float'): Value passed to parameter 'out_type'", []),
]  # fmt: skip


@pytest.mark.parametrize(("call", "first", "carets"), TOLD, ids=[first.split(": ")[0] for _, first, _ in TOLD])
def test_an_error_of_a_step_speaks_of_the_call(call: Call, first: str, carets: list[str], graph: tf.Graph) -> None:
    given = operands()
    before = [op.name for op in graph.get_operations()]
    with pytest.raises((ValueError, TypeError)) as e:
        call(given)
    lines = str(e.value).splitlines()
    assert lines[0].startswith(first)
    assert "test_composite.py" in lines[1]
    assert [lines[i - 1].split()[0] for i, line in enumerate(lines) if line.strip() == "^"] == carets
    # A tensor that the call is given, made in the same line, stays.
    added = [op.name for op in graph.get_operations() if op.name not in before]
    assert added in ([], ["zeros/dims", "zeros/value", "zeros"])


def test_an_axis_of_python_is_no_node() -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    v1.split(x, [1, 2], 1)
    v1.unstack(x, axis=1)
    v1.gather(x, [1], axis=1)
    assert [op.name for op in x.graph.get_operations() if op.type == "Const" and not op.outputs[0].consumers()] == []


def test_the_words_of_an_op_are_not_taken_for_its_parameters() -> None:
    with pytest.raises(TypeError) as e:
        tf.where(tf.constant([1, 2]), 1.0, 2.0)  # select calls the others t and e
    assert "Write tf.cast(condition, tf.bool) if that is meant." in str(e.value)
    with pytest.raises(ValueError, match="can't split axis of size 2"):
        v1.split(tf.constant([1, 2]), [1, 2])


def test_the_call_of_a_composite_with_too_few_arguments_shows_its_parameters() -> None:
    with pytest.raises(TypeError, match=r"clip_by_value\(t, clip_value_min, clip_value_max, name=None\): missing a re"):
        tf.clip_by_value([1.0])  # type: ignore[call-arg]  # refused, which is the test


def test_an_outer_composite_tells_what_an_inner_one_refused(graph: tf.Graph) -> None:
    @composite("outer")
    def squashed(x: Any, name: str | None = None) -> tf.Tensor:
        return tf.clip_by_value(x, 0.5, 2)

    ints = tf.constant(np.arange(9), name="ints")
    with pytest.raises(TypeError) as e:
        squashed(ints, name="mine")
    first, second, third = str(e.value).splitlines()
    assert first.startswith("squashed: in its step maximum(y=0.5): Expected int64 passed to parameter 'y'")
    assert second.split()[0] == "'mine'" and third.split()[0] == "x"
    assert isinstance(e.value, tf.errors.DTypeError) and e.value.step == "maximum(y=0.5)"
    assert [op.name for op in graph.get_operations()] == ["ints"]
