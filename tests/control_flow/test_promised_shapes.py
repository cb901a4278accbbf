"""What a call promises is kept and compared: `shape_invariants`, rows that there are, predicates of which one holds."""

from collections.abc import Iterator
from typing import Any

import pytest

import penstock as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


def test_an_invariant_keeps_a_size_with_a_name() -> None:
    x = tf.placeholder(tf.float32, ["n", 3])
    doubled = tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: a * 2.0, [x],
                            shape_invariants=[tf.TensorShape([x.shape[0], None])])  # fmt: skip
    assert str(doubled.shape) == "(n, ?)"


@pytest.mark.parametrize("size", [3, None])
def test_an_invariant_fits_what_enters_the_loop(size: int | None) -> None:
    with pytest.raises(ValueError, match=r"enters the loop with shape \([3?],\), but the specified .* is \(4,\)"):
        tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: a * 2.0, [tf.placeholder(tf.float32, [size])],
                      shape_invariants=[tf.TensorShape([4])])  # fmt: skip


def test_invariants_of_a_dict_belong_to_its_keys_in_whatever_order_they_stand() -> None:
    def grown(s: dict[str, Any]) -> dict[str, Any]:
        return {"a": s["a"], "b": tf.concat(0, [s["b"], [1.0]])}

    found = tf.while_loop(lambda s: tf.reduce_sum(s["b"]) < 3.0, grown, [{"b": tf.zeros([1]), "a": tf.zeros([2, 2])}],
                          shape_invariants=[{"b": tf.TensorShape([None]), "a": tf.TensorShape([2, 2])}])  # fmt: skip
    assert str(found[0]["b"].shape) == "(?,)" and str(found[0]["a"].shape) == "(2, 2)"


@pytest.mark.parametrize("call", [tf.scan, tf.foldl, tf.foldr])
def test_the_first_row_of_none_is_no_initializer(call: Any, graph: tf.Graph) -> None:
    no_rows = tf.zeros([0, 2])
    with pytest.raises(ValueError, match="elems has no rows, so the first one cannot be the initializer"):
        call(lambda a, row: a + row[0], (no_rows, tf.zeros([0])))
    found = tf.Session(graph=graph).run(call(lambda a, row: a, no_rows, initializer=7))
    assert found.tolist() == ([] if call is tf.scan else 7)


def test_a_case_without_a_true_predicate_gives_the_value_of_each() -> None:
    x = tf.placeholder(tf.int32, [])
    y = tf.case([(tf.equal(x, n, name=f"is_{n}"), lambda n=n: tf.constant(n)) for n in (1, 2, 3)])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(is_1:0, is_2:0, is_3:0\), Values:\] \[0 0 0\]"):
        tf.Session().run(y, {x: 7})
