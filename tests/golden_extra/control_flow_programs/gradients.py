"""Programs that differentiate branches, maps, scans, folds and TensorArrays, twice too."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import grid, ph, program, programs
from .tensor_arrays import array


def slopes(tf: Any, y: Any, *xs: Any) -> list[Any]:
    """`y` and its gradients."""
    return [y, *tf.gradients(y, list(xs))]


def twice(tf: Any, y: Any, x: Any) -> list[Any]:
    """`y`, its gradient with respect to `x`, and the gradient of that."""
    (first,) = tf.gradients(y, [x])
    return [y, first, *tf.gradients(first, [x])]


# ---- branches -----------------------------------------------------------------------------------


@program
def gradient_of_a_cond(tf: Any) -> Any:
    p, x, w = ph(tf, "bool", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: x * x, lambda: x * w)
    return slopes(tf, y, x, w), {p: True, x: [1, 2], w: [3, 4]}, {p: False, x: [1, 2], w: [3, 4]}


@program
def gradient_of_a_cond_only_one_branch_depends(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: tf.exp(x), lambda: tf.constant([5.0, 6.0]))
    return slopes(tf, y, x), {p: True, x: [0, 1]}, {p: False, x: [0, 1]}


@program
def gradient_of_a_cond_that_gives_its_captures(tf: Any) -> Any:
    p, x, w = ph(tf, "bool", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: x, lambda: w)
    return slopes(tf, y * y, x, w), {p: True, x: [1, 2], w: [3, 4]}, {p: False, x: [1, 2], w: [3, 4]}


@program
def gradient_of_a_cond_unconnected(tf: Any) -> Any:
    p, x, w = ph(tf, "bool", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: x * 2.0, lambda: x * 3.0)
    return slopes(tf, y, x, w), {p: True, x: [1, 2]}


@program
def gradient_of_a_cond_with_ints(tf: Any) -> Any:
    p, x, k = ph(tf, "bool", []), ph(tf, "float32", [3]), ph(tf, "int32", [])
    y, _ = tf.cond(p, lambda: (x[k] * 2.0, k), lambda: (x[0] * x[1], k + 1))
    return slopes(tf, y, x), {p: True, x: [1, 2, 3], k: 1}, {p: False, x: [1, 2, 3], k: 1}


@program
def gradient_of_a_cond_of_several_results(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    a, b = tf.cond(p, lambda: (x * 2.0, x * x), lambda: (tf.sin(x), x))
    return slopes(tf, a, x) + slopes(tf, b, x) + slopes(tf, a * b, x), {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def gradient_of_a_nested_cond(tf: Any) -> Any:
    p, q, x = ph(tf, "bool", []), ph(tf, "bool", []), ph(tf, "float32", [2])
    inner: Any = lambda: tf.cond(q, lambda: x * x * x, lambda: tf.exp(x))
    y = tf.cond(p, inner, lambda: tf.cond(q, lambda: -x, lambda: x * 0.0)) * x
    return slopes(tf, y, x), *({p: a, q: b, x: [1, 2]} for a in (True, False) for b in (True, False))


@program
def gradient_of_a_cond_twice(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float64", [2])
    return (
        twice(tf, tf.cond(p, lambda: x * x * x, lambda: tf.exp(x * 0.5)), x),
        {p: True, x: [1, 2]},
        {p: False, x: [1, 2]},
    )


@program
def gradient_of_a_cond_of_unknown_sizes(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [None])
    y = tf.reduce_sum(tf.cond(p, lambda: tf.concat([x * x, x], 0), lambda: x[1:]))
    return slopes(tf, y, x), {p: True, x: [1, 2, 3]}, {p: False, x: [1, 2, 3]}, {p: False, x: [1]}


@program
def gradient_of_a_cond_through_gather(tf: Any) -> Any:
    p, x, k = ph(tf, "bool", []), ph(tf, "float32", [4, 2]), ph(tf, "int32", [None])
    y = tf.cond(p, lambda: tf.gather(x, k), lambda: tf.gather(x, k[:1]) * 2.0)
    (g,) = tf.gradients(y, x)
    return [tf.convert_to_tensor(g)], {p: True, x: grid(4, 2), k: [1, 1, 3]}, {p: False, x: grid(4, 2), k: [2, 0]}


@program
def gradient_with_respect_to_the_result_of_a_cond(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: x * 2.0, lambda: x * 3.0)
    return slopes(tf, y * y, y), {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def gradient_of_a_cond_through_the_condition(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    y = tf.cond(x * x > 1.0, lambda: x * 3.0, lambda: x * x)
    return slopes(tf, y, x), {x: 0.5}, {x: 2.0}, {x: -2.0}


@program
def gradient_of_a_case(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case([(x < 1.0, lambda: x * x), (x < 2.0, lambda: x * 7.0)], default=lambda: tf.exp(x))
    return slopes(tf, y, x), *({x: v} for v in (0.5, 1.5, 2.5))


@program
def gradient_of_a_switch_case(tf: Any) -> Any:
    i, x, w = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    y = tf.switch_case(i, [lambda: x * w, lambda: x * x, lambda: tf.reduce_sum(w) + tf.zeros([2])])
    return slopes(tf, y, x, w), *({i: v, x: [1, 2], w: [3, 4]} for v in range(3))


@program
def gradient_in_a_branch(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: tf.gradients(x * x * x, x)[0], lambda: x)
    return slopes(tf, y, x), {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def gradient_inside_a_branch_of_what_is_inside(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])

    def branch() -> Any:
        inner = x * 2.0
        return tf.gradients(inner * inner, inner)[0]

    return [tf.cond(p, branch, lambda: x)], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def gradient_of_a_cond_with_weights(tf: Any) -> Any:
    p, x, g = ph(tf, "bool", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: x * x, lambda: 1.0 / x)
    return tf.gradients(y, x, grad_ys=g), {p: True, x: [1, 2], g: [10, 20]}, {p: False, x: [1, 2], g: [10, 20]}


# ---- maps, scans, folds -------------------------------------------------------------------------


@program
def gradient_of_a_map(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None, 2]), ph(tf, "float32", [2])
    y = tf.map_fn(lambda v: tf.sin(v * w) + v * v, x)
    return slopes(tf, y, x, w), {x: grid(3, 2), w: [0.5, 2]}, {x: np.zeros((0, 2)), w: [0.5, 2]}


@program
def gradient_of_a_map_of_several(tf: Any) -> Any:
    x, y = ph(tf, "float32", [None]), ph(tf, "float32", [None, 2])
    z = tf.map_fn(lambda e: e[0] * e[1] * e[1], (x, y), dtype=tf.float32)
    return slopes(tf, z, x, y), {x: [1, 2, 3], y: grid(3, 2)}


@program
def gradient_of_a_map_twice(tf: Any) -> Any:
    x = ph(tf, "float64", [None])
    return twice(tf, tf.map_fn(lambda v: v * v * v + tf.exp(v), x), x), {x: [0.5, 1, -1]}


@program
def gradient_of_a_map_with_a_cond(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return slopes(tf, tf.map_fn(lambda v: tf.cond(v > 0.0, lambda: v * v, lambda: v * 3.0), x), x), {x: [1, -1, 2, 0]}


@program
def gradient_of_a_map_in_a_map(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None, 3]), ph(tf, "float32", [])
    y = tf.map_fn(lambda r: tf.map_fn(lambda v: v * v * w, r), x)
    return slopes(tf, y, x, w), {x: grid(2, 3), w: 2.0}


@program
def gradient_of_a_map_through_gather(tf: Any) -> Any:
    table, k = ph(tf, "float32", [4, 2]), ph(tf, "int32", [None])
    y = tf.map_fn(lambda i: tf.gather(table, i) ** 2, k, dtype=tf.float32)
    (g,) = tf.gradients(y, table)
    return [tf.convert_to_tensor(g)], {table: grid(4, 2), k: [3, 0, 3]}


@program
def gradient_of_a_map_of_ints(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None]), ph(tf, "int32", [None])
    y = tf.map_fn(lambda e: e[0] * tf.cast(e[1], tf.float32), (x, k), dtype=tf.float32)
    return slopes(tf, y, x), {x: [1, 2], k: [3, 4]}


@programs(reverse=[False, True])
def gradient_of_a_scan(tf: Any, reverse: bool) -> Any:
    x = ph(tf, "float32", [None])
    y = tf.scan(lambda a, v: a * v + tf.sin(v), x, reverse=reverse)
    return slopes(tf, y, x), {x: [1, 2, 0.5]}, {x: [2]}


@programs(reverse=[False, True])
def gradient_of_a_scan_with_an_initializer(tf: Any, reverse: bool) -> Any:
    x, a, w = ph(tf, "float32", [None, 2]), ph(tf, "float32", [2]), ph(tf, "float32", [2, 2])
    step = lambda a, v: tf.tanh(tf.squeeze(tf.matmul(tf.expand_dims(a, 0), w), 0) + v)
    y = tf.scan(step, x, a, reverse=reverse)
    return slopes(tf, y, x, a, w), {x: grid(3, 2), a: [0.5, 1], w: [[0.5, -0.5], [0.25, 1]]}, {
        x: np.zeros((0, 2)), a: [0.5, 1], w: [[0.5, -0.5], [0.25, 1]]}  # fmt: skip


@program
def gradient_of_a_scan_twice(tf: Any) -> Any:
    x = ph(tf, "float64", [None])
    return twice(tf, tf.scan(lambda a, v: a * v + v * v, x), x), {x: [0.5, 1, -1]}


@program
def gradient_of_a_scan_of_pairs(tf: Any) -> Any:
    x, y = ph(tf, "float32", [None]), ph(tf, "float32", [None])
    a, b = tf.scan(lambda s, e: (s[0] * e[0], s[1] + s[0] * e[1]), (x, y))
    return slopes(tf, a, x, y) + slopes(tf, b, x, y), {x: [1, 2, 3], y: [0.5, -1, 2]}


@program
def gradient_of_the_last_row_of_a_scan(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    y = tf.scan(lambda a, v: a * v, x)
    return slopes(tf, y[-1], x), {x: grid(4, 2)}


@programs(fold=["foldl", "foldr"])
def gradient_of_a_fold(tf: Any, fold: str) -> Any:
    x, a = ph(tf, "float32", [None, 2]), ph(tf, "float32", [2])
    y = getattr(tf, fold)(lambda a, v: tf.sin(a) * v + a, x, initializer=a)
    return slopes(tf, y, x, a), {x: grid(3, 2), a: [0.5, 1]}


@programs(fold=["foldl", "foldr"])
def gradient_of_a_fold_twice(tf: Any, fold: str) -> Any:
    x = ph(tf, "float64", [None])
    return twice(tf, getattr(tf, fold)(lambda a, v: a * v + v, x), x), {x: [0.5, 2, -1]}


@program
def gradient_of_a_scan_in_a_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [3])
    body = lambda i, y: (i + 1, tf.scan(lambda a, v: a * 0.5 + v * v, y))
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x])
    return slopes(tf, y, x), *({n: v, x: [0.5, 1, -0.5]} for v in (0, 1, 2))


# ---- TensorArrays -------------------------------------------------------------------------------


@program
def gradient_of_write_and_stack(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    y = array(tf).write(0, x * x).write(2, x * 3.0).write(1, [1.0, 2.0]).stack()
    return slopes(tf, y * [[1.0], [2.0], [3.0]], x), {x: [1, 2]}


@program
def gradient_of_unstack_and_read(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    ta = array(tf, tf.shape(x)[0]).unstack(x)
    return slopes(tf, ta.read(1) * ta.read(0), x), {x: grid(3, 2)}


@program
def gradient_of_gather_and_scatter(tf: Any) -> Any:
    x = ph(tf, "float32", [3, 2])
    y = array(tf).scatter([2, 0, 1], x * x).gather([1, 2])
    return slopes(tf, y * y, x), {x: grid(3, 2)}


@program
def gradient_of_split_and_concat(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None, 2]), ph(tf, "int32", [None])
    y = array(tf, infer_shape=False).split(x * x, k).concat()
    return slopes(tf, y * y, x), {x: grid(6, 2), k: [1, 3, 2]}


@program
def gradient_of_an_array_written_in_a_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])

    def body(i: Any, y: Any, ta: Any) -> Any:
        return i + 1, y * x, ta.write(i, y)

    _, y, ta = tf.while_loop(lambda i, *_: i < n, body, [0, x, array(tf, n)])
    return slopes(tf, ta.stack(), x) + slopes(tf, y, x), {n: 1, x: [1, 2]}, {n: 4, x: [1, 2]}


@program
def gradient_of_an_array_read_in_a_loop(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    n = tf.shape(x)[0]
    ta = array(tf, n).unstack(x)
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * ta.read(i) + 1.0), [0, tf.ones([2])])
    return slopes(tf, y, x), {x: grid(3, 2)}, {x: grid(1, 2)}, {x: grid(0, 2)}


@program
def gradient_of_an_array_read_and_written_in_a_loop(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None]), ph(tf, "float32", [])
    n = tf.size(x)
    inputs = array(tf, n).unstack(x)

    def body(i: Any, total: Any, ta: Any) -> Any:
        total = total * w + inputs.read(i)
        return i + 1, total, ta.write(i, total * total)

    _, total, ta = tf.while_loop(lambda i, *_: i < n, body, [0, 0.0, array(tf, n)])
    return slopes(tf, ta.stack(), x, w) + slopes(tf, total, x, w), {x: [1, 2, 3], w: 0.5}


@program
def gradient_of_an_array_twice(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])
    _, _, ta = tf.while_loop(lambda i, *_: i < n, lambda i, y, ta: (i + 1, y * x, ta.write(i, y * y)),
                             [0, x, array(tf, n, "float64")])  # fmt: skip
    return twice(tf, tf.reduce_sum(ta.stack()), x), {n: 1, x: [1, 2]}, {n: 3, x: [1, 2]}


@program
def gradient_of_an_array_in_a_nested_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])

    def outer(i: Any, y: Any, ta: Any) -> Any:
        z = tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * x), [0, y])[1]
        return i + 1, z * 0.5, ta.write(i, z)

    _, _, ta = tf.while_loop(lambda i, *_: i < n, outer, [0, x, array(tf, n)])
    return slopes(tf, ta.stack(), x), {n: 1, x: [1, 2]}, {n: 3, x: [1, 2]}


@program
def gradient_of_an_array_with_a_cond(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    body = lambda i, ta: (i + 1, ta.write(i, tf.cond(i < 2, lambda: x * x, lambda: x * tf.cast(i, tf.float32))))
    _, ta = tf.while_loop(lambda i, ta: i < n, body, [0, array(tf, n)])
    return slopes(tf, ta.stack(), x), {n: 1, x: [1, 2]}, {n: 4, x: [1, 2]}
