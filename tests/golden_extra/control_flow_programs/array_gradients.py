"""Gradients through TensorArrays: of every read and write, of several at once, of elements that are missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import grid, ph, program, programs


def array(tf: Any, size: Any = 3, **given: Any) -> Any:
    """A TensorArray that may be read more than once."""
    return tf.TensorArray("float32", size, clear_after_read=False, **given)


def slope(tf: Any, y: Any, x: Any) -> Any:
    """The gradient, weighted differently for each element of y."""
    weights = tf.reshape(tf.cast(tf.range(1, tf.size(y) + 1), tf.float32), tf.shape(y))
    return tf.gradients(y * weights, x)[0]


@program
def array_gradient_of_write_and_stack(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    return [slope(tf, array(tf).write(2, x).write(0, x * x).write(1, -x).stack(), x)], {x: [1, 2]}


@program
def array_gradient_of_a_write_that_is_not_read(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    return [slope(tf, array(tf).write(0, x).write(1, x * 5.0).read(0), x)], {x: [1, 2]}


@programs(known=[True, False])
def array_gradient_of_unstack_and_read(tf: Any, known: bool) -> Any:
    x = ph(tf, "float32", [3, 2] if known else [None, 2])
    return [slope(tf, array(tf).unstack(x).read(1), x)], {x: grid(3, 2)}


@program
def array_gradient_of_several_reads(tf: Any) -> Any:
    x = ph(tf, "float32", [3, 2])
    ta = array(tf).unstack(x)
    return [slope(tf, ta.read(0) * ta.read(2) + ta.read(0), x)], {x: grid(3, 2)}


@program
def array_gradient_of_a_read_and_a_stack(tf: Any) -> Any:
    x = ph(tf, "float32", [3, 2])
    ta = array(tf).unstack(x)
    return [slope(tf, ta.stack() * ta.read(1), x)], {x: grid(3, 2)}


@program
def array_gradient_of_gather(tf: Any) -> Any:
    x, k = ph(tf, "float32", [4]), ph(tf, "int32", [None])
    return [slope(tf, array(tf, 4).unstack(x).gather(k), x)], {x: [1, 2, 3, 4], k: [3, 0]}


@program
def array_gradient_of_scatter_and_stack(tf: Any) -> Any:
    x, k = ph(tf, "float32", [3, 2]), ph(tf, "int32", [3])
    return [slope(tf, array(tf, 5, element_shape=[2]).scatter(k, x).stack(), x)], {x: grid(3, 2), k: [4, 0, 2]}


@program
def array_gradient_of_scatter_and_gather(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    return [slope(tf, array(tf).scatter([2, 0, 1], x).gather([0, 1]), x)], {x: [1, 2, 3]}


@program
def array_gradient_of_split_and_concat(tf: Any) -> Any:
    x = ph(tf, "float32", [4, 2])
    return [slope(tf, array(tf, 3, infer_shape=False).split(x, [1, 0, 3]).concat(), x)], {x: grid(4, 2)}


@program
def array_gradient_of_split_and_read(tf: Any) -> Any:
    x = ph(tf, "float32", [4])
    ta = array(tf, 2, infer_shape=False).split(x, [1, 3])
    return [slope(tf, ta.read(1), x)], {x: [1, 2, 3, 4]}


@program
def array_gradient_of_write_and_concat(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    ta = array(tf, 2, infer_shape=False).write(0, x).write(1, x[:1] * x[1:2])
    return [slope(tf, ta.concat(), x)], {x: [1, 2, 3]}


@program
def array_gradient_of_an_array_that_grows(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    ta = array(tf, 0, dynamic_size=True, element_shape=[]).write(0, x[0]).write(1, x[1] * x[0])
    return [slope(tf, ta.stack(), x)], {x: [3, 5]}


@program
def array_gradient_of_stacked_zeros_that_were_not_written(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    return [slope(tf, array(tf, 3, element_shape=[2]).write(1, x).stack(), x)], {x: [1, 2]}


@program
def array_gradient_of_ints_in_an_array(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    ta = tf.TensorArray("int32", 1).write(0, tf.cast(x, tf.int32))
    return [tf.gradients(tf.cast(ta.read(0), tf.float32), x)[0]], {x: [1, 2]}


@program
def array_gradient_of_an_array_stopped(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    return [tf.gradients(array(tf, 1).write(0, tf.stop_gradient(x)).stack(), x)[0]], {x: [1, 2]}


@program
def array_gradient_with_respect_to_two_writes(tf: Any) -> Any:
    x, y = ph(tf, "float32", [2]), ph(tf, "float32", [2])
    stacked = array(tf, 2).write(0, x * y).write(1, y).stack()
    return [tf.gradients(stacked * [[1.0, 2.0], [3.0, 4.0]], [x, y])], {x: [1, 2], y: [5, 7]}


@program
def array_gradient_of_scalars_in_float64(tf: Any) -> Any:
    x = ph(tf, "float64", [])
    ta = tf.TensorArray("float64", 3).write(0, x).write(1, x * x).write(2, x * x * x)
    return [tf.gradients(ta.stack(), x)[0]], {x: 1.5}


@program
def array_gradient_of_an_array_written_in_a_loop(tf: Any) -> Any:
    x, n = ph(tf, "float32", [2]), ph(tf, "int32", [])
    _, ta = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, x * tf.cast(i + 1, tf.float32))),
                          [0, array(tf, n, element_shape=[2])])  # fmt: skip
    return [slope(tf, ta.stack(), x)], {x: [1, 2], n: 4}, {x: [1, 2], n: 0}


@program
def array_gradient_of_an_array_read_in_a_loop(tf: Any) -> Any:
    x = ph(tf, "float32", [4, 2])
    ta = array(tf, 4).unstack(x)
    h = tf.while_loop(lambda i, _: i < 4, lambda i, h: (i + 1, tf.tanh(h + ta.read(i))), [0, tf.zeros([2])])[1]
    return [slope(tf, h, x)], {x: grid(4, 2)}


@program
def array_gradient_of_a_recurrence_over_arrays(tf: Any) -> Any:
    x, w = ph(tf, "float32", [4, 2]), ph(tf, "float32", [2])
    given = array(tf, 4).unstack(x)

    def body(i: Any, h: Any, out: Any) -> Any:
        h = tf.tanh(given.read(i) + h * w)
        return i + 1, h, out.write(i, h)

    out = tf.while_loop(lambda i, *_: i < 4, body, [0, tf.zeros([2]), array(tf, 4)])[2].stack()
    return [slope(tf, out, x), slope(tf, out, w)], {x: grid(4, 2), w: [0.5, -1.5]}


@program
def array_gradient_of_an_array_in_a_branch(tf: Any) -> Any:
    x, p = ph(tf, "float32", [2]), ph(tf, "bool", [])
    y = tf.cond(p, lambda: array(tf, 2).write(0, x * x).write(1, x).stack(),
                lambda: array(tf, 2).write(1, x).write(0, -x).stack())  # fmt: skip
    return [slope(tf, y, x)], {x: [1, 2], p: True}, {x: [1, 2], p: False}


@programs(rows=[1, 2, 5])
def array_gradient_of_rows_reversed_by_an_array(tf: Any, rows: int) -> Any:
    x = ph(tf, "float32", [None, 2])
    n = tf.shape(x)[0]
    given = array(tf, n).unstack(x)
    out = tf.while_loop(lambda i, _: i < n, lambda i, o: (i + 1, o.write(n - 1 - i, given.read(i) * given.read(0))),
                        [0, array(tf, n)])[1]  # fmt: skip
    return [slope(tf, out.stack(), x)], {x: np.asarray(grid(rows, 2))}
