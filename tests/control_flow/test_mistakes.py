"""Mistakes with branches and loops: each is told in words of the call, and leaves nothing in the graph."""

from collections.abc import Callable
from typing import Any

import pytest

import penstock as tf
import penstock.compat.v1 as v1


def _x(tf: Any, *sizes: int) -> Any:
    return tf.placeholder(tf.float32, list(sizes), name="x")


def _less(*values: Any) -> Any:
    return values[0] < 5


Call = Callable[[Any], Any]
MISTAKES: list[tuple[Call, type[Exception], str]] = [
    (lambda tf: tf.cond(_x(tf, 2) > 0.0, lambda: 1.0, lambda: 2.0), ValueError, "cond: pred must be a scalar bool, and "
     "'Greater:0' bool (2,) (test_mistakes.py:"),
    (lambda tf: tf.cond(_x(tf), lambda: 1.0, lambda: 2.0), TypeError, "has the dtype float32: write tf.not_equal(pred"),
    (lambda tf: tf.cond(None, lambda: 1.0, lambda: 2.0), TypeError, "cond: pred is None"),
    (lambda tf: tf.cond(_x(tf) > 0.0, lambda v: v, lambda: 2.0), TypeError, "cond: true_fn must be a function without "
     "arguments, and its parameters are (v)"),
    (lambda tf: tf.cond(_x(tf) > 0.0, lambda: None, lambda: 2.0), TypeError, "cond: true_fn returned None"),
    (lambda tf: tf.cond(_x(tf) > 0.0, lambda: (v for v in [1.0]), lambda: 2.0), TypeError, "returned a generator"),
    (lambda tf: tf.cond(_x(tf) > 0.0, lambda: (lambda: 1.0), lambda: 2.0), TypeError, "returned the function"),
    (lambda tf: tf.cond(_x(tf) > 0.0, lambda: _x(tf) * 2.0, lambda: 2.0), ValueError, "cond: the placeholder "
     "'cond/true/x' is inside the body 'cond/true', where nothing can be fed\n  Make it outside"),
    (lambda tf: 1.0 if _x(tf) > 0.0 else 2.0, TypeError, "use tf.cond(t, true_fn, false_fn)"),
    (lambda tf: tf.switch_case(tf.constant([1, 2]), [lambda: 1.0, lambda: 2.0]), ValueError, "branch_index "
     "must be a scalar, not 'Const:0' of shape (2,)"),
    (lambda tf: tf.switch_case(tf.constant(1), [1.0, 2.0]), TypeError, "switch_case: branch_fns[0] is 1.0"),
    (lambda tf: tf.while_loop(_less, lambda i: i + 1, [0, 1]), TypeError, "while_loop: body gets 2 arguments, one for "
     "each of loop_vars, and its parameters are (i)"),
    (lambda tf: tf.while_loop(lambda i: i < 5, lambda i, j: (i, j), [0, 1]), TypeError, "while_loop: cond gets 2 arg"),
    (lambda tf: tf.while_loop(_less, lambda i: None, [0]), TypeError, "while_loop: body returned None"),
    (lambda tf: tf.while_loop(_less, lambda i: i + 1, None), TypeError, "element 0 of 'loop_vars' is None"),
    (lambda tf: tf.while_loop(_less, lambda i: i + 1, [0], maximum_iterations=[3]), ValueError,
     "while_loop: 'maximum_iterations' must be a scalar, not of shape (1,): [3]"),
    (lambda tf: tf.while_loop(lambda v: tf.size(v) < 9, lambda v: tf.tile(v, [2]), [tf.constant([1])]), ValueError,
     "\n  Leave the size open with shape_invariants, such as tf.TensorShape([None])"),
    (lambda tf: tf.while_loop(_less, lambda i: list(range(i)), [0]), TypeError, "tf.while_loop repeats something"),
    (lambda tf: tf.map_fn(lambda a, b: a + b, (tf.ones([3]), tf.ones([3])), dtype=tf.float32), TypeError,
     "map_fn: fn gets 1 argument, a row of elems"),
    (lambda tf: tf.map_fn(lambda v: v, [1, 2, 3]), ValueError, "write tf.constant([...]) for one tensor"),
    (lambda tf: tf.scan(lambda a: a, _x(tf, 3)), TypeError, "scan: fn gets 2 arguments, the value so far and a row"),
    (lambda tf: list(tf.placeholder(tf.float32, [None])), TypeError, "tf.map_fn and tf.scan call a func"),
    (lambda tf: tf.while_loop(_less, lambda i: tf.Session().run(i + 1), [0]), tf.errors.InvalidArgumentError,
     "It is an input of a body, and has a value only while the body runs."),
]  # fmt: skip


@pytest.mark.parametrize("module", [tf, v1], ids=["penstock", "v1"])
@pytest.mark.parametrize("place", range(len(MISTAKES)))
def test_a_mistake_is_told_in_words_of_the_call(place: int, module: Any) -> None:
    call, kind, words = MISTAKES[place]
    with tf.Graph().as_default() as graph:
        with pytest.raises(kind) as caught:
            call(module)
        assert words in str(caught.value)
        assert not [op for op in graph.get_operations() if op.type in ("If", "While")]


def test_an_error_of_the_programs_own_function_is_not_reworded() -> None:
    def body(i: Any) -> Any:
        return int("one") + i

    def wrong(i: Any) -> Any:
        return body(i, i)  # type: ignore[call-arg]  # what the test is about

    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="invalid literal"):
            tf.while_loop(_less, body, [0])
        with pytest.raises(TypeError, match=r"body\(\) takes 1 positional argument but 2 were given"):
            tf.while_loop(_less, wrong, [0])
