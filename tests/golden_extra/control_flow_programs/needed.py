"""Programs with writes, assertions and failing operations in bodies that some runs need and others do not, and with
derivatives of bodies whose constants and operations wait for writes and assertions."""

from __future__ import annotations

from typing import Any

from .effects import variable
from .program import ph, program, programs


def after(tf: Any, waits: list[Any], v: Any) -> Any:
    """The value of a variable once some tensors are computed."""
    with tf.control_dependencies(waits):
        return v.read_value()


def written(tf: Any, v: Any) -> Any:
    """A tensor that is computed after 1 is added to a variable."""
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        return tf.constant(0.5)


# ---- results that nothing needs -----------------------------------------------------------------


@programs(waits=["a", "b", "ab"])
def a_branch_of_which_one_result_writes(tf: Any, waits: str) -> Any:
    p, x, v = ph(tf, "bool", []), ph(tf, "float32", []), variable(tf, 1)
    a, b = tf.cond(p, lambda: (x * 2.0, written(tf, v)), lambda: (x, x))
    needed = [{"a": a, "b": b}[name] for name in waits]
    return [*needed, after(tf, needed, v)], {p: True, x: 3}, {p: False, x: 3}, {p: True, x: 4}


@programs(waits=["i", "a", "b", "ab"])
def a_loop_of_which_one_variable_writes(tf: Any, waits: str) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, 1)
    i, a, b = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a * 2.0, b + written(tf, v)), [0, 1.0, 0.0],
                            parallel_iterations=1)  # fmt: skip
    needed = [{"i": i, "a": a, "b": b}[name] for name in waits]
    return [*needed, after(tf, needed, v)], {n: 3}, {n: 0}, {n: 2}


@program
def a_loop_variable_that_another_one_needs_writes(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, 1)
    _, a, _ = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a + b, b * 2.0 + written(tf, v)),
                            [0, 1.0, 0.0], parallel_iterations=1)  # fmt: skip
    return [a, after(tf, [a], v)], {n: 3}, {n: 0}, {n: 1}


@programs(waits=["a", "b"])
def a_map_of_which_one_result_writes(tf: Any, waits: str) -> Any:
    x, v = ph(tf, "float32", [None]), variable(tf, 1)
    a, b = tf.map_fn(lambda e: (e * 2.0, e + written(tf, v)), x, dtype=(tf.float32, tf.float32), parallel_iterations=1)
    needed = [{"a": a, "b": b}[name] for name in waits]
    return [*needed, after(tf, needed, v)], {x: [1, 2, 3]}, {x: [1]}


@program
def a_scan_of_which_one_result_writes(tf: Any) -> Any:
    x, v = ph(tf, "float32", [None]), variable(tf, 1)
    a, _ = tf.scan(lambda s, e: (s[0] + e, s[1] + written(tf, v)), x, (0.0, 0.0), parallel_iterations=1)
    return [a, after(tf, [a], v)], {x: [1, 2, 3]}


@program
def a_branch_inside_a_branch_of_which_one_result_writes(tf: Any) -> Any:
    p, q, x, v = ph(tf, "bool", []), ph(tf, "bool", []), ph(tf, "float32", []), variable(tf, 1)

    def inside() -> Any:
        a, b = tf.cond(q, lambda: (x * 2.0, written(tf, v)), lambda: (x, x))
        with tf.control_dependencies([a]):
            return tf.identity(x), b

    c, _ = tf.cond(p, inside, lambda: (x, x))
    return [c, after(tf, [c], v)], {p: True, q: True, x: 3}, {p: False, q: True, x: 3}


@program
def a_loop_inside_a_loop_of_which_one_variable_writes(tf: Any) -> Any:
    v = variable(tf, 1)

    def inner(a: Any) -> Any:
        return tf.while_loop(lambda j, a, b: j < 2, lambda j, a, b: (j + 1, a * 2.0, b + written(tf, v)), [0, a, 0.0],
                             parallel_iterations=1)  # fmt: skip

    def body(i: Any, a: Any, b: Any) -> Any:
        _, c, d = inner(a)
        return i + 1, c, b + d

    _, a, _ = tf.while_loop(lambda i, a, b: i < 3, body, [0, 1.0, 0.0], parallel_iterations=1)
    return [a, after(tf, [a], v)], {}, {}


@programs(kind=["cond", "loop", "map", "case", "fold"])
def a_write_inside_that_nothing_needs(tf: Any, kind: str) -> Any:
    x, v = ph(tf, "float32", [2]), variable(tf, 1)

    def body(y: Any) -> Any:
        tf.assign_add(v, 1.0)
        return y * 2.0

    if kind == "cond":
        made = tf.cond(x[0] > 0.0, lambda: body(x), lambda: x)
    elif kind == "case":
        made = tf.case([(x[0] > 9.0, lambda: x)], default=lambda: body(x))
    elif kind == "loop":
        _, made = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, body(y)), [0, x])
    elif kind == "map":
        made = tf.map_fn(body, x)
    else:
        made = tf.foldl(lambda a, y: a + body(y), x)
    return [made, after(tf, [made], v)], {x: [1, 2]}, {x: [1, 2]}


@programs(kind=["cond", "loop", "map"], needed=[False, True])
def an_operation_that_fails_inside(tf: Any, kind: str, needed: bool) -> Any:
    x = ph(tf, "float32", [2])

    def body(y: Any) -> Any:
        return y * 2.0, y + tf.gather(tf.constant([1.0, 2.0]), tf.cast(y, tf.int32) + 5)

    if kind == "cond":
        a, b = tf.cond(x[0] > 0.0, lambda: body(x[0]), lambda: (x[0], x[0]))
    elif kind == "loop":
        _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, *body(a)), [0, x[0], 0.0])
    else:
        a, b = tf.map_fn(body, x, dtype=(tf.float32, tf.float32))
    return [b if needed else a], {x: [1, 2]}


@programs(needed=[False, True])
def an_assertion_inside_that_one_result_waits_for(tf: Any, needed: bool) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [])

    def branch() -> Any:
        with tf.control_dependencies([tf.Assert(x > 0.0, [x])]):
            checked = tf.sqrt(x)
        return x + 1.0, checked

    a, b = tf.cond(p, branch, lambda: (x, x))
    return [b if needed else a], {p: True, x: 4}, {p: True, x: -4}, {p: False, x: -4}


@program
def an_assertion_of_which_the_result_is_a_constant(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [])

    def branch() -> Any:
        with tf.control_dependencies([tf.Assert(x > 0.0, [x])]):
            return tf.constant(3.0)

    return [tf.cond(p, branch, lambda: x)], {p: True, x: 4}, {p: True, x: -4}, {p: False, x: -4}


# ---- derivatives --------------------------------------------------------------------------------

FORMULAS = {
    "scaled": lambda tf, x: x * 0.5,
    "scaled_sine": lambda tf, x: tf.sin(x) * 0.5,
    "exp": lambda tf, x: tf.exp(x),
    "product": lambda tf, x: x * x,
    "with_numbers": lambda tf, x: tf.tanh(x * tf.constant(0.5) + 0.25) / 2.0,
}


def _under_a_write(tf: Any, v: Any, formula: str, x: Any) -> Any:
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        return FORMULAS[formula](tf, x)


@programs(kind=["cond", "loop", "map", "scan", "case"], formula=list(FORMULAS))
def gradient_of_what_waits_for_a_write(tf: Any, kind: str, formula: str) -> Any:
    x, v = ph(tf, "float32", []), variable(tf, 1)

    def body(y: Any) -> Any:
        return _under_a_write(tf, v, formula, y)

    if kind == "cond":
        y = tf.cond(x > 0.0, lambda: body(x), lambda: x)
    elif kind == "case":
        y = tf.case([(x > 9.0, lambda: x)], default=lambda: body(x))
    elif kind == "loop":
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, body(y)), [0, x], parallel_iterations=1)
    elif kind == "map":
        y = tf.map_fn(body, tf.stack([x, x * 2.0]), parallel_iterations=1)
    else:
        y = tf.scan(lambda a, e: body(a + e), tf.stack([x, x * 2.0]), parallel_iterations=1)
    (slope,) = tf.gradients(y, x)
    return [y, slope, after(tf, [y, slope], v)], {x: 0.75}, {x: 0.25}


@programs(kind=["cond", "loop"])
def second_derivative_of_what_waits_for_a_write(tf: Any, kind: str) -> Any:
    x, v = ph(tf, "float32", []), variable(tf, 1)

    def body(y: Any) -> Any:
        return _under_a_write(tf, v, "with_numbers", y)

    if kind == "cond":
        y = tf.cond(x > 0.0, lambda: body(x), lambda: x)
    else:
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, body(y)), [0, x], parallel_iterations=1)
    (slope,) = tf.gradients(y, x)
    (second,) = tf.gradients(slope, x)
    return [y, slope, second, after(tf, [y, slope, second], v)], {x: 0.75}


@programs(kind=["cond", "loop"])
def gradient_of_what_waits_for_an_assertion(tf: Any, kind: str) -> Any:
    x = ph(tf, "float32", [])

    def body(y: Any) -> Any:
        with tf.control_dependencies([tf.Assert(y > 0.0, [y])]):
            return y * 0.5

    if kind == "cond":
        y = tf.cond(x < 9.0, lambda: body(x), lambda: x)
    else:
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, body(y)), [0, x])
    return [y, *tf.gradients(y, x)], {x: 2}, {x: -2}


@program
def gradient_alone_of_what_waits_for_a_write(tf: Any) -> Any:
    x, v = ph(tf, "float32", []), variable(tf, 1)
    y = tf.cond(x > 0.0, lambda: _under_a_write(tf, v, "exp", x), lambda: x)
    (slope,) = tf.gradients(y, x)
    return [slope, after(tf, [slope], v)], {x: 0.75}, {x: -0.75}


@program
def batch_normalisation_with_moving_averages(tf: Any) -> Any:
    x, training, w = ph(tf, "float32", [4, 2]), ph(tf, "bool", []), variable(tf, [[0.5, -0.5], [0.25, 1]])
    mean, variance = variable(tf, [0, 0], trainable=False), variable(tf, [1, 1], trainable=False)
    y = tf.matmul(x, w)

    def of_batch() -> Any:
        now, spread = tf.nn.moments(y, [0])
        updates = [tf.assign(mean, mean * 0.9 + now * 0.1), tf.assign(variance, variance * 0.9 + spread * 0.1)]
        with tf.control_dependencies(updates):
            return tf.nn.batch_normalization(y, now, spread, None, None, 0.01)

    normal = tf.cond(training, of_batch, lambda: tf.nn.batch_normalization(y, mean, variance, None, None, 0.01))
    loss = tf.reduce_mean(tf.square(normal - 0.5))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.control_dependencies([step, loss]):
        found = [each.read_value() for each in (w, mean, variance)]
    rows = [[1, 2], [3, -4], [0, 1], [2, 2]]
    return [loss, *found], {x: rows, training: True}, {x: rows, training: True}, {x: rows, training: False}
