"""Programs with `while_loop`: what is in the body; loops in conds and conds in loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import grid, ph, program


@program
def loop_with_a_cond(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    step: Any = lambda i, y: (i + 1, tf.cond(tf.equal(y % 2, 0), lambda: y // 2, lambda: 3 * y + 1))
    out = tf.while_loop(lambda i, y: y > 1, step, [0, n])
    return list(out), *({n: v} for v in (1, 2, 7, 27))


@program
def loop_with_a_cond_whose_branches_capture(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [3])

    def body(i: Any, y: Any) -> Any:
        scaled = y * 0.5
        return i + 1, tf.cond(i < 2, lambda: scaled + x, lambda: y - x * tf.cast(i, tf.float32))

    return list(tf.while_loop(lambda i, y: i < n, body, [0, x])), *({n: v, x: [1, 2, 3]} for v in (0, 1, 2, 5))


@program
def cond_with_loops(tf: Any) -> Any:
    p, n = ph(tf, "bool", []), ph(tf, "int32", [])
    up: Any = lambda: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + 2.0), [0, 1.0])[1]
    down: Any = lambda: tf.while_loop(lambda i, y: i > 0, lambda i, y: (i - 1, y * 2.0), [n, 1.0])[1]
    return [tf.cond(p, up, down)], *({p: a, n: v} for a in (True, False) for v in (0, 3))


@program
def loop_in_a_loop(tf: Any) -> Any:
    n, m = ph(tf, "int32", []), ph(tf, "int32", [])

    def body(i: Any, y: Any) -> Any:
        _, z = tf.while_loop(lambda j, z: j < m, lambda j, z: (j + 1, z + i * j), [0, y])
        return i + 1, z

    return list(tf.while_loop(lambda i, y: i < n, body, [0, 0])), *({n: a, m: b} for a in (0, 1, 4) for b in (0, 1, 5))


@program
def loop_in_a_loop_that_ends_with_the_outer_variable(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    inner: Any = lambda i, y: tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * 2 + j), [0, y])[1]
    return list(tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, inner(i, y)), [0, 1])), {n: 0}, {n: 1}, {n: 5}


@program
def loop_three_deep(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])

    def nested(depth: int, start: Any, outer: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            inner = nested(depth - 1, y, [*outer, i]) if depth else y * 0.5 + x
            return i + 1, inner + tf.cast(sum(outer, i), tf.float64)

        return tf.while_loop(lambda i, y: i < n, body, [0, start])[1]

    return [nested(2, x, [])], *({n: v, x: [1, 2]} for v in (0, 1, 2, 3))


@program
def loop_in_the_condition_of_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def condition(i: Any) -> Any:
        total = tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j), [0, 0])[1]
        return total < n

    return [tf.while_loop(condition, lambda i: i + 1, [0])], {n: 0}, {n: 1}, {n: 20}


@program
def loop_after_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, a = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + 1.0), [0, 0.0])
    _, b = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + a), [0, a])
    return [a, b], {n: 0}, {n: 4}


@program
def loop_two_beside_each_other(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [])
    a = tf.while_loop(lambda y: y < 50.0, lambda y: y * 2.0, [x])
    b = tf.while_loop(lambda y: y > 0.1, lambda y: y / 2.0, [x])
    return [a, b, a + b], {n: 0, x: 1.0}, {n: 0, x: 70.0}, {n: 0, x: 0.01}


@program
def loop_with_gathers_and_updates(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [4])

    def body(i: Any, y: Any) -> Any:
        k = i % 4
        return i + 1, tf.tensor_scatter_nd_update(y, [[k]], [tf.gather(y, (k + 1) % 4) + 1.0])

    return list(tf.while_loop(lambda i, y: i < n, body, [0, x])), *({n: v, x: [1, 2, 3, 4]} for v in (0, 1, 6))


@program
def loop_with_partitions_and_stitches(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [None])

    def body(i: Any, y: Any) -> Any:
        label = tf.cast(y > tf.reduce_mean(y), tf.int32)
        rows = tf.dynamic_partition(tf.range(tf.size(y)), label, 2)
        small, large = tf.dynamic_partition(y, label, 2)
        new = tf.dynamic_stitch(rows, [small + 1.0, large * 0.5])
        return i + 1, tf.reshape(new, tf.shape(y))

    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x], [tf.TensorShape([]), tf.TensorShape([None])])
    return [y], *({n: v, x: grid(6)} for v in (0, 1, 5))


@program
def loop_with_slices_as_variables(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [4, 2])
    body = lambda i, a, b: (i + 1, tf.concat([a[1:], a[:1]], 0), a[::-1] + b)
    return list(tf.while_loop(lambda i, a, b: i < n, body, [0, x, x])), *({n: v, x: grid(4, 2)} for v in (0, 1, 3))


@program
def loop_with_a_view_as_a_variable(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [3, 3])
    body = lambda i, a, b: (i + 1, tf.transpose(b), tf.transpose(a) * 2.0)
    _, a, b = tf.while_loop(lambda i, a, b: i < n, body, [0, x, x + 1.0])
    return [a, b, x], *({n: v, x: grid(3, 3)} for v in (0, 1, 4))


@program
def loop_with_control_dependencies_inside(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def body(i: Any, y: Any) -> Any:
        checked = tf.Assert(y < 100.0, [y])
        with tf.control_dependencies([checked]):
            return i + 1, y * 3.0

    return list(tf.while_loop(lambda i, y: i < n, body, [0, 1.0])), {n: 2}, {n: 10}, {n: 4}


@program
def loop_under_control_dependencies(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    with tf.control_dependencies([tf.Assert(n < 10, ["too many"])]):
        out = tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])
    return [out], {n: 3}, {n: 11}


@program
def loop_of_a_variable_and_the_operation_that_made_it(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    start = tf.exp(x)
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + start), [0, start])
    return [start, y, start * y], {n: 0, x: [0, 1]}, {n: 3, x: [0, 1]}


@program
def loop_whose_variables_are_one_tensor(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, a, b = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a + b, b * 2.0), [0, x, x])
    return [a, b, x], {n: 0, x: [1, 2]}, {n: 3, x: [1, 2]}


@program
def loop_whose_body_gives_one_tensor_twice(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])

    def body(i: Any, a: Any, b: Any) -> Any:
        total = a + b
        return i + 1, total, total

    _, a, b = tf.while_loop(lambda i, a, b: i < n, body, [0, x, x * 2.0])
    return [a, b], {n: 0, x: [1, 2]}, {n: 3, x: [1, 2]}


@program
def loop_a_tensor_of_the_body_used_outside(tf: Any) -> Any:
    kept = []

    def body(i: Any) -> Any:
        kept.append(i * 2)
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    return [kept[0] + 1]


@program
def loop_with_sorts_and_segments(tf: Any) -> Any:
    n, x, ids = ph(tf, "int32", []), ph(tf, "float32", [4]), ph(tf, "int32", [4])
    body = lambda i, y: (i + 1, tf.sort(tf.gather(tf.unsorted_segment_sum(y, ids, 3), ids) - y))
    return list(tf.while_loop(lambda i, y: i < n, body, [0, x])), *(
        {n: v, x: grid(4), ids: [0, 2, 2, 1]} for v in (0, 1, 4)
    )


@program
def loop_with_strings(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    body = lambda i, s: (i + 1, tf.string_join([s, tf.as_string(i)], separator=","))
    return list(tf.while_loop(lambda i, s: i < n, body, [0, tf.constant("")])), *({n: v} for v in (0, 1, 11))


@program
def loop_whose_iterations_are_very_many(tf: Any) -> Any:
    i, y = tf.while_loop(lambda i, y: i < 20000, lambda i, y: (i + 1, (y * 5 + i) % 1009), [0, 1])
    return [i, y]


@program
def loop_that_ends_on_a_value(tf: Any) -> Any:
    x = ph(tf, "float64", [])
    body = lambda y, last: (0.5 * (y + x / y), y)
    root, _ = tf.while_loop(lambda y, last: tf.abs(y - last) > 1e-12, body, [x, x * 2.0 + 1.0])
    return [root], {x: 2.0}, {x: 81.0}, {x: 1e-4}


@program
def loop_of_int_arithmetic_that_wraps(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, h = tf.while_loop(lambda i, h: i < n, lambda i, h: (i + 1, h * 1664525 + 1013904223 + i), [0, 1])
    return [h], *({n: v} for v in (0, 1, 2, 50))


@program
def loop_a_division_by_zero_in_an_iteration(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, y = tf.while_loop(lambda i, y: i > n, lambda i, y: (i - 1, y + 100 // i), [5, 0])
    return [y], {n: 2}, {n: -2}, {n: 0}


@program
def loop_infinities_and_nan(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [4])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * y - 1.0 / y), [0, x])
    return [y], *({n: v, x: [0.0, 1.0, -np.inf, np.nan]} for v in (0, 1, 2))


@program
def loop_a_nan_ends_it(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.while_loop(lambda y: y < 100.0, lambda y: tf.log(y) * 30.0, [x])], {x: 3.0}, {x: -1.0}, {x: np.nan}
