"""Objects of classes that a program has registered stand wherever a tensor is taken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.graph.building import registered_conversions
from penstock.graph.building.registered_conversions import conversions

from ..golden_extra.result_name_calls import OPERANDS, RECORDED
from ..helpers import every_case

TF: Any = tf


class Holder:
    """It holds a tensor; Python's operators give tensors, as the classes of programs have it."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __getattr__(self, name: str) -> Any:
        if name == "op":  # of the calls that ask for the operation itself
            return self.tensor.op
        raise AttributeError(name)

    def __len__(self) -> int:
        return int(self.tensor.shape[0])


for each in ("__getitem__", "__add__", "__mul__", "__truediv__", "__gt__"):
    setattr(Holder, each, lambda self, other, each=each: getattr(self.tensor, each)(
        other.tensor if isinstance(other, Holder) else other))  # fmt: skip


class Amount:
    """It becomes a constant of the dtype that is asked for."""

    def __init__(self, count: Any) -> None:
        self.count = count


def held(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    assert as_ref is False
    return value.tensor


def counted(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    return tf.constant(value.count, dtype, name=name)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both classes are registered for the tests here alone."""
    monkeypatch.setattr(conversions, "kinds", ())
    monkeypatch.setattr(conversions, "_functions", [])
    tf.register_tensor_conversion_function(Holder, held)
    tf.register_tensor_conversion_function((Amount,), counted)
    yield


LEFT_OUT = "IndexedSlices|quantize_v2|string_to_hash_bucket|conv2d_backprop"
"""Calls of what Penstock has not, and one that TensorFlow refuses too."""


@every_case("text", [text for text in RECORDED if not re.search(LEFT_OUT, text)], parts=3, by_day=1)
def test_every_call_takes_them(text: str) -> None:
    found = []
    for wrap in (lambda each: each, lambda each: each if isinstance(each, tf.SparseTensor) else Holder(each)):
        with tf.Graph().as_default():
            x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="X")
            known = {"tf": tf, "X": wrap(x), "P": wrap(tf.constant(True, name="P")), "V": tf.Variable(1.0, name="V"),
                     "W": tf.Variable([[1.0, 2.0]], name="W"), "N": "foo"}  # fmt: skip
            for letter, make in OPERANDS.items():
                known[letter] = wrap(make(tf, letter))
            found.append(str(eval(text, known)))
    numbers = r" object at 0x\w+|graph \d+"
    assert re.sub(numbers, "", found[0]) == re.sub(numbers, "", found[1])


def test_the_dtype_of_the_other_operand_is_asked_for() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.5, 2.5], tf.float64)
        for tensor, expect in (
            (x + Amount(2), [3.5, 4.5]), (Amount(2) + x, [3.5, 4.5]), (TF.multiply(x, Amount(2)), [3.0, 5.0]),
            (x / Amount(2), [0.75, 1.25]), (tf.stack([x[0], Amount(2)]), [1.5, 2]),
            (tf.convert_to_tensor(Amount(2), preferred_dtype=tf.float64), 2.0),
            (TF.gather(x, Amount(1)), 2.5), (x[Amount(1) :], [2.5]), (tf.reshape(x, [Amount(2), 1]), [[1.5], [2.5]]),
        ):  # fmt: skip
            assert tensor.dtype == tf.float64
            assert np.array_equal(session.run(tensor), expect)
        assert tf.convert_to_tensor(Amount(2)).dtype == tf.int32
        assert tf.convert_to_tensor([Amount(1), Amount(2)]).shape == [2]
        assert tf.convert_to_tensor([[Holder(x)], [[1.0, 2.0]]]).shape == [2, 1, 2]
        assert session.run(tf.gradients(Holder(x * x), [Holder(x)])) == [pytest.approx([3.0, 5.0])]
        v = tf.Variable([0.0, 0.0], dtype=tf.float64)
        session.run(v.initializer)
        assert np.array_equal(session.run(tf.assign(v, Holder(x))), [1.5, 2.5])
        loop = tf.while_loop(lambda i, a: i < Amount(3), lambda i, a: (i + Amount(1), a + Holder(x)), [Amount(0), x])
        assert np.array_equal(session.run(loop[1]), [6.0, 10.0])
        assert np.array_equal(session.run(tf.cond(Holder(tf.constant(True)), lambda: Holder(x), lambda: x)), [1.5, 2.5])


def test_functions_are_asked_by_priority_and_may_pass() -> None:
    class Base:
        pass

    class Below(Base):
        pass

    def giving(number: Any) -> Any:
        return lambda value, **_: number if number is NotImplemented else tf.constant(number)

    with tf.Graph().as_default(), tf.Session() as session:
        tf.register_tensor_conversion_function(Base, giving(1))
        tf.register_tensor_conversion_function(Base, giving(2))
        assert session.run(TF.identity(Below())) == 1
        tf.register_tensor_conversion_function(Below, giving(3), priority=50)
        assert session.run(TF.identity(Below())) == 3 and session.run(TF.identity(Base())) == 1
        tf.register_tensor_conversion_function(Below, giving(NotImplemented), priority=0)
        assert session.run(TF.identity(Below())) == 3
        v = tf.Variable(4)
        session.run(v.initializer)
        tf.register_tensor_conversion_function(Below, lambda value, **_: v, priority=-1)
        assert session.run(TF.identity(Below())) == 4


def test_what_a_function_must_give() -> None:
    class Wrong:
        pass

    tf.register_tensor_conversion_function(Wrong, lambda value, **_: 3)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(1.0)
        with pytest.raises(TypeError, match=r"registered for Wrong returned 3, which is no tensor; let it return"):
            TF.add(x, Wrong())
        with pytest.raises(TypeError, match=r"of float32, and int32 is asked for; .*tf\.cast\(x, tf\.int32\)"):
            tf.add(tf.constant(1), Holder(x))
        with pytest.raises(TypeError, match=r"made a tensor by a registered function: fetch tf\.convert_to_tensor"):
            session.run(Holder(x))
        wide = tf.zeros([2, 3])
        count = len(graph.get_operations())
        with pytest.raises(ValueError, match="matmul"):
            TF.matmul(Holder(wide), Amount(np.zeros([2, 3], np.float32)))
        assert len(graph.get_operations()) == count


@pytest.mark.parametrize(("kind", "function", "words"), [
    (int, held, "Cannot register conversions for Python numeric types .* such as int: .*write a class of your own"),
    (np.ndarray, held, "such as ndarray"),
    (Holder(1), held, "must be a type or a tuple of types, not .*write the class itself"),
    (Holder, 3, "must be callable, and it is 3; write a function"),
])  # fmt: skip
def test_what_is_registered(kind: Any, function: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        registered_conversions.register_tensor_conversion_function(kind, function)


def test_an_object_may_say_which_element_of_the_graph_it_is() -> None:
    class Named:
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor

        def _as_graph_element(self) -> Any:
            return self.tensor

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        assert session.run({"twice": Named(x * 2.0)}, {Named(x): 4.0}) == {"twice": 8.0}


def test_variables_are_grouped_and_are_indices() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1)
        x = tf.constant([5, 6, 7])
        session.run(v.initializer)
        session.run(tf.group(v, tf.assign_add(v, 1).op))
        assert session.run(tf.tuple([v, x])[0]) == 2
        assert session.run([x[v], x[:v]])[0] == 7 and tf.stack([v, v], axis=0).shape == [2]
        assert tf.constant(1.0, name=None).name.startswith("Const")
