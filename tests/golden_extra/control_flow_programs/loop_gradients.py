"""Programs that differentiate loops, twice too."""

from __future__ import annotations

from typing import Any

from .gradients import slopes, twice
from .program import grid, ph, program


@program
def gradient_of_a_power(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, tf.ones([2])])
    return slopes(tf, y, x), *({n: v, x: [1.5, -2]} for v in (0, 1, 2, 5))


@program
def gradient_of_a_loop_with_respect_to_its_start(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) + y * y), [0, x])
    return slopes(tf, y, x), *({n: v, x: [0.5, -0.25]} for v in (0, 1, 4))


@program
def gradient_of_a_loop_with_captures(tf: Any) -> Any:
    n, x, w, b = ph(tf, "int32", []), ph(tf, "float32", [1, 2]), ph(tf, "float32", [2, 2]), ph(tf, "float32", [2])
    body = lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w) + b))
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x])
    return slopes(tf, y, x, w, b), *({n: v, x: [[1, 2]], w: [[0.5, -1], [1, 0.25]], b: [0.1, 0.2]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_twice(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x + tf.sin(y)), [0, x])
    return twice(tf, y, x), *({n: v, x: [0.5, -0.25]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_of_a_known_number_of_iterations(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), [0, x], maximum_iterations=4)
    return slopes(tf, y, x), {x: [1, 2, -0.5]}


@program
def gradient_of_a_loop_that_ends_early(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    i, y = tf.while_loop(lambda i, y: y < 100.0, lambda i, y: (i + 1, y * x), [0, x], maximum_iterations=50)
    return [i, *slopes(tf, y, x)], {x: 2.0}, {x: 3.5}, {x: 200.0}


@program
def gradient_of_two_variables(tf: Any) -> Any:
    n, x, z = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    _, a, b = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a * b, a + b), [0, x, z])
    return slopes(tf, a, x, z) + slopes(tf, b, x, z) + slopes(tf, a * b, x), *(
        {n: v, x: [1, 2], z: [0.5, -1]} for v in (0, 1, 3)
    )


@program
def gradient_of_variables_that_are_swapped(tf: Any) -> Any:
    n, x, z = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    _, a, b = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a * 2.0), [0, x, z])
    return slopes(tf, a, x, z) + slopes(tf, b, x, z), *({n: v, x: [1, 2], z: [3, 4]} for v in (0, 1, 2, 3))


@program
def gradient_of_a_loop_unconnected(tf: Any) -> Any:
    n, x, w = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), [0, x])
    return slopes(tf, y, x, w), {n: 2, x: [1, 2]}


@program
def gradient_of_a_loop_with_respect_to_ints(tf: Any) -> Any:
    n, x, k = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "int32", [])
    _, y, m = tf.while_loop(
        lambda i, y, m: i < n, lambda i, y, m: (i + 1, y * tf.cast(m, tf.float32), m + 1), [0, x, k]
    )
    return [m, *slopes(tf, y, x, k, n)], {n: 3, x: [1, 2], k: 2}


@program
def gradient_of_a_loop_with_ints(tf: Any) -> Any:
    n, x, k = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "int32", [])
    _, y, m = tf.while_loop(
        lambda i, y, m: i < n, lambda i, y, m: (i + 1, y * tf.cast(m, tf.float32), m + 1), [0, x, k]
    )
    return [m, *slopes(tf, y, x)], *({n: v, x: [1, 2], k: 2} for v in (0, 1, 3))


@program
def gradient_of_a_loop_whose_variable_does_not_matter(tf: Any) -> Any:
    n, x, z = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    _, a, _ = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a * 2.0, b + a), [0, x, z])
    return slopes(tf, a, x, z), {n: 0, x: [1, 2], z: [3, 4]}, {n: 2, x: [1, 2], z: [3, 4]}


@program
def gradient_of_a_loop_that_stops_the_gradient(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.stop_gradient(y) * x), [0, x])
    return slopes(tf, y, x), *({n: v, x: [2, 3]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_whose_sizes_change(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [None])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.concat([y * 2.0, y * y], 0)), [0, x],
                         [tf.TensorShape([]), tf.TensorShape([None])])  # fmt: skip
    return slopes(tf, tf.reduce_sum(y * y), x), *({n: v, x: [0.5, -1]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_whose_sizes_shrink(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    y = tf.while_loop(lambda y: tf.size(y) > 2, lambda y: y[1:] * y[:-1], [x])
    return slopes(tf, y, x), {x: [1, 2, 3, 4, 5]}, {x: [1, 2]}, {x: [3, 1, 2]}


@program
def gradient_of_a_loop_of_unknown_sizes(tf: Any) -> Any:
    n, x, w = ph(tf, "int32", []), ph(tf, "float32", [None, 2]), ph(tf, "float32", [2, 2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.nn.relu(tf.matmul(y, w)) + y), [0, x])
    feeds = [{n: v, x: grid(r, 2), w: [[0.5, -1], [1, 0.25]]} for v in (0, 1, 3) for r in (1, 3)]
    return slopes(tf, y, x, w), *feeds


@program
def gradient_of_a_loop_of_unknown_rank(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32")
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * y - x), [0, x])
    return slopes(tf, y, x), {n: 2, x: 3.0}, {n: 2, x: grid(2, 2)}


@program
def gradient_of_a_loop_with_a_broadcast(tf: Any) -> Any:
    n, x, b = ph(tf, "int32", []), ph(tf, "float32", [None, 3]), ph(tf, "float32", [])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * b + x[:1]), [0, x])
    return slopes(tf, y, x, b), {n: 3, x: grid(2, 3), b: 0.5}, {n: 1, x: grid(1, 3), b: 2.0}


@program
def gradient_of_a_loop_with_a_cond(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [])
    step: Any = lambda i, y: (i + 1, tf.cond(y > 1.0, lambda: y * 0.5 + x, lambda: y * y * x))
    _, y = tf.while_loop(lambda i, y: i < n, step, [0, x])
    return slopes(tf, y, x), *({n: v, x: a} for v in (0, 1, 4) for a in (0.5, 2.0))


@program
def gradient_of_a_cond_with_a_loop(tf: Any) -> Any:
    p, n, x = ph(tf, "bool", []), ph(tf, "int32", []), ph(tf, "float32", [2])
    loop: Any = lambda: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])[1]
    return slopes(tf, tf.cond(p, loop, lambda: x * 3.0), x), *(
        {p: a, n: v, x: [1, 2]} for a in (True, False) for v in (0, 3)
    )


@program
def gradient_of_a_loop_in_a_loop(tf: Any) -> Any:
    n, m, x = ph(tf, "int32", []), ph(tf, "int32", []), ph(tf, "float32", [2])

    def outer(i: Any, y: Any) -> Any:
        inner = tf.while_loop(lambda j, z: j < m, lambda j, z: (j + 1, z * x + tf.sin(y)), [0, y])
        return i + 1, inner[1] * 0.5

    _, y = tf.while_loop(lambda i, y: i < n, outer, [0, x])
    return slopes(tf, y, x), *({n: a, m: b, x: [0.5, 1.5]} for a in (0, 1, 3) for b in (0, 1, 2))


@program
def gradient_of_a_loop_in_a_loop_of_growing_numbers(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])
    inner: Any = lambda i, y: tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), [0, y])[1]
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, inner(i, y) + x), [0, x])
    return slopes(tf, y, x), *({n: v, x: [0.5, 1.5]} for v in (0, 1, 2, 5))


@program
def gradient_of_a_loop_in_a_loop_twice(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])
    inner: Any = lambda y: tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * x), [0, y])[1]
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, inner(y) + y), [0, x])
    return twice(tf, y, x), *({n: v, x: [0.5, 1.5]} for v in (0, 1, 2))


@program
def gradient_of_a_loop_without_back_prop(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], back_prop=False)
    return slopes(tf, y, x), {x: [1, 2]}


@program
def gradient_beside_a_loop_without_back_prop(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], back_prop=False)
    return slopes(tf, y * x, x), {x: [1, 2]}


@program
def gradient_of_a_loop_through_gather(tf: Any) -> Any:
    n, table = ph(tf, "int32", []), ph(tf, "float32", [4, 2])
    body = lambda i, y: (i + 1, y * 0.5 + tf.gather(table, i % 4))
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, tf.zeros([2])])
    (g,) = tf.gradients(y, table)
    return [y, tf.convert_to_tensor(g)], *({n: v, table: grid(4, 2)} for v in (0, 1, 6))


@program
def gradient_of_a_loop_through_gathers_of_rows(tf: Any) -> Any:
    n, table, k = ph(tf, "int32", []), ph(tf, "float32", [4, 2]), ph(tf, "int32", [None])
    body = lambda i, y: (i + 1, y + tf.reduce_sum(tf.gather(table, k)) * tf.gather(table, i))
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, tf.zeros([2])])
    (g,) = tf.gradients(y, table)
    return [y, tf.convert_to_tensor(g)], *({n: v, table: grid(4, 2), k: [1, 1, 3]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_through_an_update(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [4])
    body = lambda i, y: (i + 1, tf.tensor_scatter_nd_update(y, [[i % 4]], [tf.reduce_sum(y * x)]))
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x])
    return slopes(tf, y, x), *({n: v, x: [1, 2, 3, 4]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_through_slices(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [5, 2])
    body = lambda i, y: (i + 1, y + x[i] * x[4 - i])
    _, y = tf.while_loop(lambda i, y: i < n, body, [0, tf.zeros([2])])
    return slopes(tf, y, x), *({n: v, x: grid(5, 2)} for v in (0, 1, 5))


@program
def gradient_of_a_loop_through_partitions(tf: Any) -> Any:
    n, x, labels = ph(tf, "int32", []), ph(tf, "float32", [4]), ph(tf, "int32", [4])

    def body(i: Any, y: Any) -> Any:
        a, b = tf.dynamic_partition(y, labels, 2)
        rows = tf.dynamic_partition(tf.range(4), labels, 2)
        return i + 1, tf.reshape(tf.dynamic_stitch(rows, [a * a, tf.sin(b)]), [4])

    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x])
    return slopes(tf, y, x), *({n: v, x: [1, 2, 0.5, -1], labels: [0, 1, 1, 0]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_of_several_ys(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, a, b = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, a * x, b + a), [0, x, x])
    return tf.gradients([a, b, a * b], [x]), *({n: v, x: [1, 2]} for v in (0, 1, 3))


@program
def gradient_with_respect_to_the_result_of_a_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])
    return slopes(tf, y * y + x, y, x), *({n: v, x: [1, 2]} for v in (0, 2))


@program
def gradient_of_a_loop_after_a_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    loop: Any = lambda start: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * start + 1.0), [0, start])[1]
    return slopes(tf, loop(loop(x)), x), *({n: v, x: [0.5, 1]} for v in (0, 1, 2))


@program
def gradient_with_stop_gradients(tf: Any) -> Any:
    n, x, w = ph(tf, "int32", []), ph(tf, "float32", [2]), ph(tf, "float32", [2])
    v = w * 2.0
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * v + x), [0, x])
    return tf.gradients(y, [x, w, v], stop_gradients=[v]), {n: 3, x: [1, 2], w: [0.5, 1]}


@program
def gradient_inside_a_body(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])

    def body(i: Any, y: Any) -> Any:
        loss = tf.reduce_sum((y - x) ** 2 + tf.sin(y))
        return i + 1, y - 0.1 * tf.gradients(loss, y)[0]

    _, y = tf.while_loop(lambda i, y: i < n, body, [0, tf.zeros([2], tf.float64)])
    return [y], *({n: v, x: [1, -2]} for v in (0, 1, 10))


@program
def gradient_of_a_gradient_inside_a_body(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [2])

    def body(i: Any, y: Any) -> Any:
        return i + 1, y - 0.1 * tf.gradients(tf.reduce_sum(y**3 + x * y), y)[0]

    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x])
    return slopes(tf, y, x), *({n: v, x: [0.5, -0.25]} for v in (0, 1, 4))


@program
def gradient_of_a_loop_with_reductions_and_norms(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float64", [3, 3])
    body = lambda i, v: (i + 1, tf.matmul(x, v) / tf.sqrt(tf.reduce_sum(tf.matmul(x, v) ** 2)))
    _, v = tf.while_loop(lambda i, v: i < n, body, [0, tf.ones([3, 1], tf.float64)])
    return slopes(tf, v, x), *({n: k, x: [[2, 1, 0], [1, 3, 1], [0, 1, 4]]} for k in (0, 1, 5))


@program
def gradient_of_a_complex_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "complex64", [2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * y + x), [0, x])
    return slopes(tf, tf.real(y * tf.conj(y)), x), *({n: v, x: [0.25 + 0.5j, -0.5j]} for v in (0, 1, 3))


@program
def gradient_of_a_loop_with_a_zero_weight(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    _, y, k = tf.while_loop(lambda i, y, k: i < n, lambda i, y, k: (i + 1, y * x, k * 3), [0, x, 1])
    return slopes(tf, y * tf.cast(k, tf.float32), x), *({n: v, x: [1, 2]} for v in (0, 2))


@program
def gradient_of_a_loop_fed_in_the_middle(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    start = x * 2.0
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * start), [0, start])
    return slopes(tf, y, start), {n: 3, x: [1, 2]}, {n: 3, start: [5, 6]}


@program
def gradient_of_assertions_inside(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])

    def body(i: Any, y: Any) -> Any:
        with tf.control_dependencies([tf.Assert(tf.reduce_all(y < 1000.0), [y])]):
            return i + 1, y * x

    _, y = tf.while_loop(lambda i, y: i < n, body, [0, x])
    return slopes(tf, y, x), *({n: v, x: [2, 3]} for v in (0, 3, 9))
