"""Programs in which what is inside a branch or a loop is used outside, or something does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import ph, program


@program
def a_tensor_of_a_branch_used_outside(tf: Any) -> Any:
    p, kept = ph(tf, "bool", []), []

    def branch() -> Any:
        kept.append(tf.constant(1.0) * 2.0)
        return kept[0]

    tf.cond(p, branch, lambda: tf.constant(0.0))
    return [kept[0] + 1.0], {p: True}


@program
def a_tensor_of_one_branch_used_in_the_other(tf: Any) -> Any:
    p, kept = ph(tf, "bool", []), []

    def branch() -> Any:
        kept.append(tf.constant(1.0) * 2.0)
        return kept[0]

    return [tf.cond(p, branch, lambda: kept[0] + 1.0)], {p: True}


@program
def a_tensor_of_one_loop_used_in_another(tf: Any) -> Any:
    kept = []

    def body(i: Any) -> Any:
        kept.append(i + 1)
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    return [tf.while_loop(lambda i: i < 3, lambda i: i + kept[0], [tf.constant(0)])]


@program
def a_tensor_of_the_condition_used_in_the_body(tf: Any) -> Any:
    kept = []

    def condition(i: Any) -> Any:
        kept.append(i * 2)
        return kept[0] < 10

    return [tf.while_loop(condition, lambda i: i + kept[0] + 1, [tf.constant(0)])]


@program
def an_inner_tensor_of_an_outer_loop_used_in_the_inner(tf: Any) -> Any:
    def outer(i: Any, y: Any) -> Any:
        twice = i * 2
        inner = tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z + twice), [0, y])
        return i + 1, inner[1]

    return list(tf.while_loop(lambda i, y: i < 3, outer, [0, 0]))


@program
def a_body_that_raises(tf: Any) -> Any:
    def body(i: Any) -> Any:
        raise KeyError("mine")

    return [tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])]


@program
def a_body_whose_shapes_do_not_fit(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + tf.ones([4])), [0, tf.ones([3])])]


@program
def a_branch_whose_dtypes_do_not_fit(tf: Any) -> Any:
    x = tf.constant([1, 2])
    return [tf.cond(tf.constant(True), lambda: x + tf.constant(1.0), lambda: x)]


@program
def a_branch_that_takes_an_argument(tf: Any) -> Any:
    return [tf.cond(tf.constant(True), lambda x: x, lambda: tf.constant(1))]


@program
def a_body_that_takes_too_few(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i: i, [0, 1.0])]


@program
def a_placeholder_made_inside(tf: Any) -> Any:
    kept = []

    def branch() -> Any:
        kept.append(ph(tf, "float32", []))
        return kept[0] * 2.0

    p = ph(tf, "bool", [])
    y = tf.cond(p, branch, lambda: tf.constant(1.0))
    return [y], {p: False}


@program
def loop_variables_of_other_graphs(tf: Any) -> Any:
    with tf.Graph().as_default():
        other = tf.constant(1)
    return [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [other])]


@program
def a_variable_of_the_loop_is_none(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y), [0, None])]


@program
def a_body_that_gives_none(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, None), [0, 1.0])]


@program
def loop_variables_that_are_no_sequence(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: i + 1, tf.constant(0))]


@program
def a_python_condition_on_a_tensor(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.cond(x > 1.0 and x < 2.0, lambda: x, lambda: -x)], {x: 1.0}


@program
def map_elements_of_another_graph(tf: Any) -> Any:
    with tf.Graph().as_default():
        other = tf.constant([1.0])
    return [tf.map_fn(lambda v: v, other)]


@program
def fetching_what_is_inside(tf: Any) -> Any:
    kept = []

    def body(i: Any) -> Any:
        kept.append(i + 1)
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    return [kept[0]]


@program
def feeding_what_is_captured_by_two_levels(tf: Any) -> Any:
    x, n = ph(tf, "float32", [2]), ph(tf, "int32", [])
    twice = x * 2.0
    inner: Any = lambda y: tf.cond(y[0] < 10.0, lambda: y + twice, lambda: y - twice)
    out = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, inner(y)), [0, twice])
    return [out[1]], {x: [1, 2], n: 3}, {x: [1, 2], twice: np.array([7, 7]), n: 3}
