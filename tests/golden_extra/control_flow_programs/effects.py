"""Programs with variables, random numbers, prints and assertions in branches and bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import ph, program, programs

# ---- variables ----------------------------------------------------------------------------------


def variable(tf: Any, value: Any, **given: Any) -> Any:
    """A variable with its values as a float32."""
    return tf.Variable(np.array(value, "float32"), **given)


@program
def a_branch_reads_a_variable(tf: Any) -> Any:
    p, v = ph(tf, "bool", []), variable(tf, [1, 2])
    return [tf.cond(p, lambda: v * 2.0, lambda: tf.zeros([2]))], {p: True}, {p: False}


@program
def a_branch_writes_a_variable(tf: Any) -> Any:
    p, v = ph(tf, "bool", []), variable(tf, 1)
    y = tf.cond(p, lambda: tf.identity(tf.assign_add(v, 10.0)), lambda: tf.identity(tf.assign(v, -1.0)))
    with tf.control_dependencies([y]):
        return [y, v.read_value()], {p: True}, {p: True}, {p: False}, {p: True}


@program
def a_write_outside_runs_whatever_the_condition(tf: Any) -> Any:
    p, v = ph(tf, "bool", []), variable(tf, 1)
    outside = tf.assign_add(v, 10.0)
    y = tf.cond(p, lambda: tf.identity(outside), lambda: tf.constant(0.0))
    with tf.control_dependencies([y]):
        return [y, v.read_value()], {p: True}, {p: False}, {p: True}


@program
def a_branch_of_operations(tf: Any) -> Any:
    p, v, w = ph(tf, "bool", []), variable(tf, 1), variable(tf, 5)
    done = tf.cond(p, lambda: tf.group(tf.assign_add(v, 1.0), tf.assign_add(w, 2.0)), lambda: tf.no_op())
    with tf.control_dependencies([done]):
        return [v.read_value(), w.read_value()], {p: True}, {p: False}, {p: True}


@program
def a_branch_with_an_order_inside(tf: Any) -> Any:
    p, v = ph(tf, "bool", []), variable(tf, 1)

    def branch() -> Any:
        with tf.control_dependencies([tf.assign(v, 7.0)]), tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return v.read_value() * 2.0

    y = tf.cond(p, branch, lambda: v.read_value())
    return [y], {p: False}, {p: True}, {p: False}


@program
def a_loop_reads_a_variable(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, [1, 2])
    return [tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + v), [0, tf.zeros([2])])[1]], {n: 0}, {n: 3}


@program
def a_loop_writes_a_variable(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, 1)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, tf.cast(i, tf.float32))]):
            return i + 1

    i = tf.while_loop(lambda i: i < n, body, [tf.constant(0)], parallel_iterations=1)
    with tf.control_dependencies([i]):
        return [i, v.read_value()], {n: 0}, {n: 4}, {n: 3}


@program
def a_loop_writes_and_reads_a_variable(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, 1)

    def body(i: Any, y: Any) -> Any:
        with tf.control_dependencies([tf.assign(v, y * 2.0)]):
            now = v.read_value()
        return i + 1, now + 1.0

    i, y = tf.while_loop(lambda i, y: i < n, body, [0, 1.0], parallel_iterations=1)
    with tf.control_dependencies([i, y]):
        return [y, v.read_value()], {n: 0}, {n: 1}, {n: 4}


@program
def a_loop_whose_condition_reads_a_variable(tf: Any) -> Any:
    v = variable(tf, 1)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 2.0)]):
            return i + 1

    def condition(i: Any) -> Any:
        with tf.control_dependencies([i]):
            return v.read_value() < 10.0

    return [tf.while_loop(condition, body, [tf.constant(0)], parallel_iterations=1)], {}, {}


@program
def a_loop_writes_two_variables(tf: Any) -> Any:
    n, v, w = ph(tf, "int32", []), variable(tf, 1), variable(tf, 2)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            doubled = tf.assign(w, v.read_value() * 2.0)
        with tf.control_dependencies([doubled]):
            return i + 1

    i = tf.while_loop(lambda i: i < n, body, [tf.constant(0)], parallel_iterations=1)
    with tf.control_dependencies([i]):
        return [v.read_value(), w.read_value()], {n: 3}, {n: 0}, {n: 1}


@program
def a_loop_writes_rows_of_a_variable(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, np.zeros((4, 2)))

    def body(i: Any) -> Any:
        row = tf.fill([2], tf.cast(i, tf.float32))
        with tf.control_dependencies([tf.scatter_update(v, i % 4, row + 1.0)]):
            return i + 1

    i = tf.while_loop(lambda i: i < n, body, [tf.constant(0)], parallel_iterations=1)
    with tf.control_dependencies([i]):
        return [v.read_value()], {n: 2}, {n: 6}


@program
def a_cond_in_a_loop_writes_a_variable(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, 0)

    def body(i: Any) -> Any:
        done = tf.cond(tf.equal(i % 3, 0), lambda: tf.identity(tf.assign_add(v, 1.0)), lambda: tf.constant(0.0))
        with tf.control_dependencies([done]):
            return i + 1

    i = tf.while_loop(lambda i: i < n, body, [tf.constant(0)], parallel_iterations=1)
    with tf.control_dependencies([i]):
        return [v.read_value()], {n: 1}, {n: 7}, {n: 0}


@program
def a_loop_in_a_cond_writes_a_variable(tf: Any) -> Any:
    p, v = ph(tf, "bool", []), variable(tf, 1)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign(v, v.read_value() * 2.0)]):
            return i + 1

    i = tf.cond(
        p,
        lambda: tf.while_loop(lambda i: i < 3, body, [tf.constant(0)], parallel_iterations=1),
        lambda: tf.constant(-1),
    )
    with tf.control_dependencies([i]):
        return [i, v.read_value()], {p: True}, {p: False}, {p: True}


@program
def a_loop_trains_a_variable(tf: Any) -> Any:
    n, x, v = ph(tf, "int32", []), ph(tf, "float32", [2]), variable(tf, [0, 0])

    def body(i: Any) -> Any:
        now = v.read_value()
        (slope,) = tf.gradients(tf.reduce_sum((now - x) ** 2), now)
        with tf.control_dependencies([tf.assign_sub(v, 0.25 * slope)]):
            return i + 1

    i = tf.while_loop(lambda i: i < n, body, [tf.constant(0)], parallel_iterations=1)
    with tf.control_dependencies([i]):
        return [v.read_value()], {n: 1, x: [1, 2]}, {n: 5, x: [1, 2]}


@program
def gradient_with_respect_to_a_variable_in_a_loop(tf: Any) -> Any:
    n, v, x = ph(tf, "int32", []), variable(tf, [2, 3]), ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * v), [0, x])
    return [y, *tf.gradients(y, [v, x])], {n: 0, x: [1, 2]}, {n: 3, x: [1, 2]}


@program
def gradient_with_respect_to_a_variable_in_a_cond(tf: Any) -> Any:
    p, v = ph(tf, "bool", []), variable(tf, [2, 3])
    y = tf.cond(p, lambda: v * v, lambda: tf.exp(v))
    return [y, *tf.gradients(y, [v])], {p: True}, {p: False}


@program
def a_training_step_through_a_loop(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None, 2]), variable(tf, [[0.5, -0.5], [0.25, 1]])
    step = lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w)))
    _, y = tf.while_loop(lambda i, y: i < 4, step, [0, x])
    loss = tf.reduce_mean(tf.square(y - 0.5))
    update = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.control_dependencies([update]):
        return [loss, w.read_value()], *({x: [[1, 2], [3, -4]]} for _ in range(3))


@program
def gather_of_a_variable_in_a_loop(tf: Any) -> Any:
    n, v = ph(tf, "int32", []), variable(tf, [[1, 2], [3, 4], [5, 6]])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + tf.gather(v, i % 3) ** 2), [0, tf.zeros([2])])
    (slope,) = tf.gradients(y, v)
    return [y, tf.convert_to_tensor(slope)], {n: 1}, {n: 4}


@program
def a_map_reads_a_variable(tf: Any) -> Any:
    x, v = ph(tf, "float32", [None]), variable(tf, 3)
    return [tf.map_fn(lambda e: e * v, x), *tf.gradients(tf.map_fn(lambda e: e * v, x), [v, x])], {x: [1, 2]}


@program
def a_variable_made_in_a_loop_with_a_callable(tf: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        return i + 1, y + v

    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        out = tf.while_loop(lambda i, y: i < 3, body, [0, tf.zeros([2])])
    return [out[1]]


@program
def a_variable_made_in_a_branch(tf: Any) -> Any:
    p = ph(tf, "bool", [])

    def branch() -> Any:
        return tf.get_variable("v", [2], initializer=tf.constant_initializer(3.0)) * 2.0

    return [tf.cond(p, branch, lambda: tf.zeros([2]))], {p: True}, {p: False}


@program
def an_uninitialised_variable_in_a_branch_that_is_not_taken(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    v = tf.Variable(tf.zeros([2]), collections=[])
    return [tf.cond(p, lambda: v * 2.0, lambda: tf.ones([2]))], {p: True}, {p: False}


# ---- random numbers -----------------------------------------------------------------------------


@program
def random_numbers_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    body = lambda i, y: (i + 1, tf.concat([y, tf.random_uniform([2], seed=7)], 0))
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, tf.zeros([0])], [tf.TensorShape([]), tf.TensorShape([None])],
                         parallel_iterations=1)  # fmt: skip
    return [y], {n: 3}, {n: 0}, {n: 2}


@program
def random_ints_and_shuffles_in_a_loop(tf: Any) -> Any:
    def body(i: Any, y: Any, z: Any) -> Any:
        return i + 1, y * 10 + tf.random_uniform([], 0, 10, tf.int32, seed=3), tf.random_shuffle(z, seed=5)

    return list(tf.while_loop(lambda i, y, z: i < 5, body, [0, 0, tf.range(6)], parallel_iterations=1)), {}, {}


@program
def random_numbers_in_the_taken_branch(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    y = tf.cond(p, lambda: tf.random_uniform([2], seed=1), lambda: tf.random_uniform([2], 10.0, 20.0, seed=2))
    return [y], {p: True}, {p: False}, {p: True}, {p: False}


@program
def random_numbers_in_a_map(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return (
        [tf.map_fn(lambda v: v + tf.random_uniform([], seed=9), x, parallel_iterations=1)],
        {x: [10, 20, 30]},
        {x: [10]},
    )


@program
def random_numbers_with_a_graph_seed_differ_between_iterations(tf: Any) -> Any:
    tf.set_random_seed(4)
    body = lambda i, y: (i + 1, tf.concat([y, tf.random_uniform([1])], 0))
    _, y = tf.while_loop(lambda i, y: i < 4, body, [0, tf.zeros([0])], [tf.TensorShape([]), tf.TensorShape([None])])
    return [tf.size(tf.unique(y)[0])]


@program
def gradient_of_a_loop_with_random_numbers(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    body = lambda i, y: (i + 1, y * tf.random_uniform([3], 0.5, 1.5, seed=11) * x)
    _, y = tf.while_loop(lambda i, y: i < 3, body, [0, x], parallel_iterations=1)
    return [y, *tf.gradients(y, x)], {x: [1, 2, 3]}, {x: [1, 2, 3]}


# ---- assertions and prints ----------------------------------------------------------------------


@program
def an_assertion_in_a_branch(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [])

    def branch() -> Any:
        with tf.control_dependencies([tf.Assert(x > 0.0, ["not positive", x])]):
            return tf.sqrt(x)

    return [tf.cond(p, branch, lambda: x)], {p: True, x: 4.0}, {p: True, x: -4.0}, {p: False, x: -4.0}


@program
def an_assertion_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def body(i: Any, y: Any) -> Any:
        with tf.control_dependencies([tf.assert_less(y, 50, message="too large")]):
            return i + 1, y * 2

    return list(tf.while_loop(lambda i, y: i < n, body, [0, 1])), {n: 3}, {n: 6}, {n: 7}, {n: 1}


@program
def an_assertion_in_a_loop_that_nothing_waits_for(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def body(i: Any, y: Any) -> Any:
        tf.assert_less(y, 5)
        return i + 1, y * 2

    return list(tf.while_loop(lambda i, y: i < n, body, [0, 1])), {n: 2}, {n: 6}


@program
def an_assertion_of_a_known_value(tf: Any) -> Any:
    return [tf.assert_equal(tf.constant(1), tf.constant(2))]


@programs(name=["equal", "none_equal", "less", "less_equal", "greater", "greater_equal"])
def assertions_of_two(tf: Any, name: str) -> Any:
    x, y = ph(tf, "int32", [None]), ph(tf, "int32", [None])
    with tf.control_dependencies([getattr(tf, f"assert_{name}")(x, y)]):
        z = x + y
    return [z], {x: [1, 2], y: [1, 2]}, {x: [1, 2], y: [2, 3]}, {x: [1, 2], y: [0, 1]}, {x: [1, 2], y: [1, 3]}, {
        x: np.zeros(0), y: np.zeros(0)}  # fmt: skip


@programs(name=["positive", "negative", "non_negative", "non_positive"])
def assertions_of_one(tf: Any, name: str) -> Any:
    x = ph(tf, "float32", [None])
    with tf.control_dependencies([getattr(tf, f"assert_{name}")(x)]):
        z = x + 1.0
    return [z], {x: [1, 2]}, {x: [-1, -2]}, {x: [0]}, {x: [0, 1]}, {x: [-1, 0]}, {x: np.zeros(0)}, {x: [1, -1]}


@program
def assertions_of_ranks_and_types(tf: Any) -> Any:
    x = ph(tf, "float32")
    with tf.control_dependencies([tf.assert_rank(x, 2)]):
        a = tf.identity(x)
    with tf.control_dependencies([tf.assert_rank_at_least(x, 1)]):
        b = tf.identity(x)
    with tf.control_dependencies([tf.assert_rank_in(x, [1, 2])]):
        c = tf.identity(x)
    return [a, b, c], {x: np.ones((2, 2))}, {x: np.ones(2)}, {x: 1.0}


@program
def a_print_in_a_loop(tf: Any) -> Any:
    body = lambda i, y: (i + 1, tf.Print(y * 2.0, [i, y], "inside"))
    return list(tf.while_loop(lambda i, y: i < 3, body, [0, 1.0]))


@program
def a_python_function_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])

    def body(i: Any, y: Any) -> Any:
        (z,) = tf.py_func(lambda v: (v * 2 + 1).astype("float32"), [y], [tf.float32])
        z.set_shape([])
        return i + 1, z

    return list(tf.while_loop(lambda i, y: i < n, body, [0, 1.0])), {n: 0}, {n: 4}


@program
def a_check_of_numerics_in_a_loop(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    body = lambda i, y: (i + 1, tf.check_numerics(1.0 / (3.0 - tf.cast(i, tf.float32)), "inside"))
    return list(tf.while_loop(lambda i, y: i < n, body, [0, 1.0])), {n: 3}, {n: 4}


@program
def dropout_in_a_cond(tf: Any) -> Any:
    training, x = ph(tf, "bool", []), ph(tf, "float32", [8])
    y = tf.cond(training, lambda: tf.nn.dropout(x, rate=0.5, seed=3), lambda: x)
    return [y, *tf.gradients(y, x)], {training: False, x: np.ones(8)}, {training: True, x: np.ones(8)}
