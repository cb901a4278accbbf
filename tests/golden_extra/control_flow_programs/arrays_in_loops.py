"""Programs whose loops have TensorArrays among their variables or captures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import grid, ph, program
from .tensor_arrays import array


@program
def array_written_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    body = lambda i, ta: (i + 1, ta.write(i, tf.cast(i * i, tf.float32)))
    i, ta = tf.while_loop(lambda i, ta: i < n, body, [0, array(tf, n)])
    return [i, ta.stack(), ta.size()], {n: 1}, {n: 4}


@program
def array_written_in_a_loop_of_no_iterations(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, ta = tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, [1.0, 2.0])),
                          [0, array(tf, n, element_shape=[2])])  # fmt: skip
    return [ta.stack()], {n: 0}, {n: 2}


@program
def array_read_in_a_loop(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    n = tf.shape(x)[0]
    ta = array(tf, n).unstack(x)
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 0.5 + ta.read(i)), [0, tf.zeros([2])])
    return [y], {x: grid(3, 2)}, {x: grid(0, 2)}


@program
def array_read_and_written_in_a_loop(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    n = tf.size(x)
    inputs, outputs = array(tf, n).unstack(x), array(tf, n)

    def body(i: Any, total: Any, ta: Any) -> Any:
        total = total + inputs.read(i)
        return i + 1, total, ta.write(i, total)

    _, total, ta = tf.while_loop(lambda i, *_: i < n, body, [0, 0.0, outputs])
    return [total, ta.stack()], {x: [1, 2, 3]}, {x: [5]}


@program
def array_read_and_written_at_the_same_place(tf: Any) -> Any:
    x, n = ph(tf, "float32", [4]), ph(tf, "int32", [])
    ta = array(tf, 4, clear_after_read=False).unstack(x)
    body = lambda i, ta: (i + 1, ta.write(i % 4, ta.read(i % 4) * 2.0 + ta.read((i + 1) % 4)))
    _, ta = tf.while_loop(lambda i, ta: i < n, body, [0, ta])
    return [ta.stack()], *({x: [1, 2, 3, 4], n: v} for v in (0, 1, 6))


@program
def array_that_grows_in_a_loop(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    start = array(tf, 0, dynamic_size=True, element_shape=[])
    body = lambda i, y, ta: (i + 1, y / 2.0, ta.write(i, y))
    i, _, ta = tf.while_loop(lambda i, y, ta: y > 1.0, body, [0, x, start])
    return [i, ta.stack(), ta.size()], {x: 10.0}, {x: 0.5}, {x: 1000.0}


@program
def array_of_ragged_elements_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    ta = array(tf, n, "int32", infer_shape=False, element_shape=[None])
    _, ta = tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, tf.range(i + 1))), [0, ta])
    return [ta.concat()], {n: 1}, {n: 4}


@program
def array_written_backwards(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, ta = tf.while_loop(
        lambda i, ta: i >= 0, lambda i, ta: (i - 1, ta.write(i, i * 10)), [n - 1, array(tf, n, "int32")]
    )
    return [ta.stack(), ta.size()], {n: 3}


@program
def array_in_a_nested_loop(tf: Any) -> Any:
    n, m = ph(tf, "int32", []), ph(tf, "int32", [])

    def outer(i: Any, ta: Any) -> Any:
        _, ta = tf.while_loop(lambda j, ta: j < m, lambda j, ta: (j + 1, ta.write(i * m + j, i * 10 + j)), [0, ta])
        return i + 1, ta

    _, ta = tf.while_loop(lambda i, ta: i < n, outer, [0, array(tf, n * m, "int32")])
    return [ta.stack()], {n: 2, m: 3}, {n: 1, m: 1}


@program
def array_in_a_cond_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def body(i: Any, ta: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: ta.write(i, i * 100), lambda: ta.write(i, -i))

    _, ta = tf.while_loop(lambda i, ta: i < n, body, [0, array(tf, n, "int32")])
    return [ta.stack()], {n: 1}, {n: 5}


@program
def array_made_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def body(i: Any, y: Any) -> Any:
        return i + 1, array(tf, 3).write(0, y[2]).write(2, y[0]).write(1, y[1] + 1.0).stack()

    return list(tf.while_loop(lambda i, y: i < n, body, [0, [1.0, 2.0, 3.0]])), {n: 0}, {n: 1}, {n: 4}


@program
def array_in_a_structure(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    start = (tf.constant(0), {"sum": tf.constant(0.0), "all": array(tf, n)})

    def body(i: Any, s: Any) -> Any:
        new = s["sum"] + tf.cast(i, tf.float32)
        return i + 1, {"sum": new, "all": s["all"].write(i, new)}

    _, s = tf.while_loop(lambda i, s: i < n, body, start)
    return [s["sum"], s["all"].stack()], {n: 1}, {n: 4}


@program
def array_written_twice_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, ta = tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(0, i)), [0, array(tf, 1, "int32")])
    return [ta.stack()], {n: 1}, {n: 3}


@program
def array_written_out_of_range_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, ta = tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, i)), [0, array(tf, 3, "int32")])
    return [ta.stack()], {n: 3}, {n: 4}


@program
def array_read_after_clear_in_a_loop(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    ta = array(tf, 2).unstack(x)
    _, y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y + ta.read(0)), [0, 0.0])
    return [y], {x: [1, 2]}


@program
def array_shapes_that_differ_between_iterations(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, ta = tf.while_loop(
        lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, tf.range(i))), [0, array(tf, n, "int32")]
    )
    return [ta.stack()], {n: 1}, {n: 3}


@program
def array_static_shape_after_a_loop(tf: Any) -> Any:
    x, n = ph(tf, "float32", [2, 3]), ph(tf, "int32", [])
    _, ta = tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, x)), [0, array(tf, n)])
    _, tb = tf.while_loop(lambda i, ta: i < 4, lambda i, ta: (i + 1, ta.write(i, x)), [0, array(tf, 4)])
    return [ta.stack(), tb.stack(), tb.size()], {x: grid(2, 3), n: 2}


@program
def array_unstack_then_map_then_stack(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    y = tf.map_fn(lambda v: array(tf, 2).unstack(v).gather([1, 0]), x)
    return [y], {x: grid(3, 2)}


@program
def array_bubble_sort(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    n = tf.size(x)
    ta = array(tf, n, clear_after_read=False).unstack(x)

    def step(i: Any, j: Any, ta: Any) -> Any:
        a, b = ta.read(j), ta.read(j + 1)
        ta = tf.cond(a > b, lambda: ta.write(j, b).write(j + 1, a), lambda: ta)
        last = j + 2 >= n - i
        return tf.where(last, i + 1, i), tf.where(last, 0, j + 1), ta

    _, _, ta = tf.while_loop(lambda i, j, ta: i < n - 1, step, [0, 0, ta])
    return [ta.stack()], {x: [3, 1, 2]}, {x: [5, 4, 3, 2, 1, 0]}, {x: [1.0]}, {x: np.array([2, 1, 2, 1])}


@program
def array_of_two_dtypes_in_one_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    body = lambda i, a, b: (i + 1, a.write(i, i * 2), b.write(i, tf.as_string(i)))
    _, a, b = tf.while_loop(lambda i, a, b: i < n, body, [0, array(tf, n, "int32"), array(tf, n, "string")])
    return [a.stack(), b.stack()], {n: 3}


@program
def array_scattered_and_gathered_in_a_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [4])
    start = array(tf, 4, clear_after_read=False).unstack(x)
    body = lambda i, ta: (
        i + 1,
        array(tf, 4, clear_after_read=False).scatter([1, 2, 3, 0], ta.gather([0, 1, 2, 3]) + 1.0),
    )
    _, ta = tf.while_loop(lambda i, ta: i < n, body, [0, start])
    return [ta.stack()], {n: 0, x: [1, 2, 3, 4]}, {n: 3, x: [1, 2, 3, 4]}
