"""Programs with `while_loop`: results, structures, numbers of iterations, shapes."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .program import grid, ph, program, programs

State = namedtuple("State", ["i", "total"])

# ---- one loop -----------------------------------------------------------------------------------


@program
def loop_that_counts(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    i = tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])
    return [i], *({n: v} for v in (0, 1, 5, 1000, -3))


@program
def loop_of_two_variables(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 1.5 + 1.0), [0, x])
    return [i, y], *({n: v, x: [1, -2]} for v in (0, 1, 7))


@programs(dtype=["float64", "float16", "int64", "int8", "complex64", "bool", "string"])
def loop_over_each_dtype(tf: Any, dtype: str) -> Any:
    n = ph(tf, "int32", [])
    start = {"bool": [True, False], "string": ["a", "b"]}.get(dtype, [1, 2])
    step = {
        "bool": tf.logical_not,
        "string": lambda y: tf.string_join([y, "c"]),
    }.get(dtype, lambda y: y + y)
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, step(y)), [0, tf.constant(start, dtype)])
    return [y], *({n: v} for v in (0, 1, 5))


@program
def loop_whose_condition_reads_all_variables(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    a, b = tf.while_loop(lambda a, b: a + b < 10.0, lambda a, b: (b, a + b), [x, x + 1.0])
    return [a, b], {x: 0.0}, {x: 3.0}, {x: 100.0}


@program
def loop_that_swaps(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    out = tf.while_loop(
        lambda i, *_: i < n, lambda i, a, b, c: (i + 1, b, c, a), [0, [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    )
    return list(out), *({n: v} for v in range(5))


@program
def loop_whose_variables_do_not_change(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [3])
    _, y, z = tf.while_loop(lambda i, y, z: i < n, lambda i, y, z: (i + 1, y, z + y), [0, x, tf.zeros([3])])
    return [y, z], {n: 0, x: [1, 2, 3]}, {n: 4, x: [1, 2, 3]}


@program
def loop_whose_body_gives_constants(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.constant(5.0)), [0, tf.constant(1.0)])
    return [y], {n: 0}, {n: 2}


@program
def loop_with_captures(tf: Any) -> Any:
    n, w, b = ph(tf, "int32", []), ph(tf, "float32", [2, 2]), ph(tf, "float32", [2])
    bound = n * 2
    _, y = tf.while_loop(
        lambda i, y: i < bound, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w) + b)), [0, tf.ones([1, 2])]
    )
    return [y], *({n: v, w: [[0.5, -1], [1, 0.25]], b: [0.1, 0.2]} for v in (0, 1, 3))


@program
def loop_with_captures_in_the_condition(tf: Any) -> Any:
    limit, step = ph(tf, "float32", []), ph(tf, "float32", [])
    y = tf.while_loop(lambda y: y * y < limit, lambda y: y + step, [tf.constant(0.0)])
    return [y], {limit: 2.0, step: 0.5}, {limit: 0.0, step: 0.5}, {limit: 30.0, step: 1.25}


@program
def loop_with_a_captured_tensor_that_is_fed(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    twice = x * 2.0
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + twice), [0, twice])
    return [y], {n: 2, x: [1, 2]}, {n: 2, twice: [10, 20]}


@program
def loop_the_result_is_fed(tf: Any) -> Any:
    i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + y), [0, 1.0])
    return [y * 2.0, i], {y: 100.0}, {}


@program
def loop_of_one_variable_that_is_no_list(tf: Any) -> Any:
    y = tf.while_loop(lambda y: y < 10, lambda y: y * 2, [tf.constant(1)])
    return [y]


@program
def loop_whose_body_gives_a_list_of_one(tf: Any) -> Any:
    return [tf.while_loop(lambda y: y < 10, lambda y: [y * 2], [tf.constant(1)])]


@programs(same=[True, False])
def loop_return_same_structure(tf: Any, same: bool) -> Any:
    one = tf.while_loop(lambda y: y < 10, lambda y: [y * 2], [tf.constant(1)], return_same_structure=same)
    two = tf.while_loop(lambda y, z: y < 10, lambda y, z: (y * 2, z), [tf.constant(1), 2.0], return_same_structure=same)
    three = tf.while_loop(lambda y: y < 10, lambda y: (y * 2,), (tf.constant(1),), return_same_structure=same)
    return [one, two, three]


@program
def loop_variables_in_a_tuple(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + y), (0, 1.0))]


@program
def loop_body_gives_a_list_where_variables_are_a_tuple(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y + y], (0, 1.0))]


@program
def loop_of_a_named_tuple(tf: Any) -> Any:
    out = tf.while_loop(
        lambda s: s.i < 4, lambda s: [State(s.i + 1, s.total + s.i)], [State(tf.constant(0), tf.constant(0))]
    )
    return [out]


@program
def loop_of_a_named_tuple_as_the_variables(tf: Any) -> Any:
    out = tf.while_loop(
        lambda i, total: i < 4, lambda i, total: State(i + 1, total + i), State(tf.constant(0), tf.constant(0))
    )
    return [out]


@program
def loop_of_nested_structures(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    start = (tf.constant(0), {"a": tf.constant(1.0), "b": [tf.constant([1.0, 2.0]), tf.constant(3)]})

    def body(i: Any, state: Any) -> Any:
        a, (v, k) = state["a"], state["b"]
        return i + 1, {"a": a + tf.reduce_sum(v), "b": [v * a, k + i]}

    return [tf.while_loop(lambda i, state: i < n, body, start)], *({n: v} for v in (0, 1, 3))


@program
def loop_body_gives_another_structure(tf: Any) -> Any:
    start = (tf.constant(0), (tf.constant(1.0), tf.constant(2.0)))
    return [tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s[0], s[1]), start)]


@program
def loop_body_gives_too_few(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: i + 1, [0, 1.0])]


@program
def loop_body_gives_too_many(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: (i + 1, i), [0])]


@program
def loop_body_changes_the_dtype(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i + 1, tf.float32), [tf.constant(0)])]


@program
def loop_the_condition_is_no_bool(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i, lambda i: i - 1, [tf.constant(3)])]


@program
def loop_the_condition_is_a_vector(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant([0, 1])])]


@program
def loop_the_condition_is_a_vector_of_one(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant([0])])]


@program
def loop_the_condition_is_a_python_bool(tf: Any) -> Any:
    return [tf.while_loop(lambda i: False, lambda i: i + 1, [tf.constant(0)])]


@program
def loop_the_condition_has_an_unknown_shape(tf: Any) -> Any:
    p = ph(tf, "bool")
    y = tf.while_loop(lambda y: tf.logical_and(p, y < 3), lambda y: y + 1, [tf.constant(0)])
    return [y], {p: True}, {p: False}, {p: [True, False]}


@program
def loop_without_variables(tf: Any) -> Any:
    return [tf.while_loop(lambda: tf.constant(False), list, [])]


@program
def loop_condition_that_is_no_function(tf: Any) -> Any:
    return [tf.while_loop(tf.constant(True), lambda i: i + 1, [tf.constant(0)])]


@program
def loop_body_that_is_no_function(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, tf.constant(1), [tf.constant(0)])]


@program
def loop_the_body_is_never_run(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [None])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.reshape(tf.reshape(y, [2, 2]), [4])), [0, x],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])  # fmt: skip
    return [y], {n: 0, x: [1, 2, 3]}, {n: 2, x: [1, 2, 3, 4]}, {n: 1, x: [1, 2, 3]}


@program
def loop_an_iteration_fails(tf: Any) -> Any:
    n, table = ph(tf, "int32", []), tf.constant([1.0, 2.0, 3.0])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + tf.gather(table, i)), [0, 0.0])
    return [y], {n: 3}, {n: 4}, {n: 2}


# ---- how many -----------------------------------------------------------------------------------


@programs(most=[0, 1, 3, 100])
def loop_maximum_iterations(tf: Any, most: int) -> Any:
    n = ph(tf, "int32", [])
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), [0, 1.0], maximum_iterations=most)
    return [i, y], *({n: v} for v in (0, 1, 3, 7))


@programs(dtype=["int32", "int64"])
def loop_maximum_iterations_of_a_tensor(tf: Any, dtype: str) -> Any:
    most = ph(tf, dtype, [])
    i, y = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * 2.0), [0, 1.0], maximum_iterations=most)
    return [i, y], *({most: v} for v in (0, 1, 5, 8, -1))


@program
def loop_maximum_iterations_of_one_variable(tf: Any) -> Any:
    return [tf.while_loop(lambda i: True, lambda i: i + 2, [tf.constant(0)], maximum_iterations=7)]


@program
def loop_maximum_iterations_that_is_a_vector(tf: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], maximum_iterations=tf.constant([1, 2]))]


@programs(value=[1.5, "three"])
def loop_maximum_iterations_that_is_no_int(tf: Any, value: Any) -> Any:
    return [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], maximum_iterations=value)]


@programs(parallel=[1, 2, 32])
def loop_parallel_iterations(tf: Any, parallel: int) -> Any:
    out = tf.while_loop(lambda i, y: i < 9, lambda i, y: (i + 1, y + tf.cast(i, tf.float32)), [0, 0.0],
                        parallel_iterations=parallel, swap_memory=True, back_prop=False)  # fmt: skip
    return list(out)


@programs(parallel=[0, -1, "x"])
def loop_parallel_iterations_that_are_refused(tf: Any, parallel: Any) -> Any:
    return [tf.while_loop(lambda i: i < 9, lambda i: i + 1, [0], parallel_iterations=parallel)]


# ---- shapes -------------------------------------------------------------------------------------


@program
def loop_static_shapes(tf: Any) -> Any:
    n, x, y, z = ph(tf, "int32", []), ph(tf, "float32", [2, 3]), ph(tf, "float32", [None, 3]), ph(tf, "float32")
    out = tf.while_loop(lambda i, *_: i < n, lambda i, a, b, c: (i + 1, a + 1.0, b * 2.0, -c), [n - 2, x, y, z])
    return list(out), {n: 2, x: grid(2, 3), y: grid(4, 3), z: grid(5)}


@program
def loop_a_size_that_grows_without_an_invariant(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, y], 0)), [0, tf.ones([1])])]


@program
def loop_a_rank_that_grows_without_an_invariant(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.expand_dims(y, 0)), [0, tf.ones([1])])]


@program
def loop_a_size_that_is_forgotten_without_an_invariant(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, x), [0, tf.ones([2])])], {x: [1, 2]}


@program
def loop_a_size_that_grows(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.concat([y, y + 1.0], 0)), [0, tf.ones([1])],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])  # fmt: skip
    return [y], *({n: v} for v in (0, 1, 4))


@program
def loop_a_matrix_that_gains_rows(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [1, 2])
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 2])]
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.concat([y, y[-1:] * 2.0], 0)), [0, x], shapes)
    return [y], *({n: v, x: [[1, 2]]} for v in (0, 1, 4))


@program
def loop_a_size_that_shrinks(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    y = tf.while_loop(lambda y: tf.size(y) > 3, lambda y: y[1:-1], [x])
    return [y], {x: np.arange(8)}, {x: np.arange(3)}, {x: np.arange(5)}


@program
def loop_a_rank_that_changes(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.expand_dims(y, 0)), [0, tf.constant([1.0, 2.0])],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])  # fmt: skip
    return [y], *({n: v} for v in (0, 1, 3))


@program
def loop_invariants_of_nested_structures(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    start = (tf.constant(0), {"a": tf.ones([1, 2]), "b": tf.constant(2.0)})
    shapes = (tf.TensorShape([]), {"a": tf.TensorShape([None, 2]), "b": tf.TensorShape([])})
    body = lambda i, s: (i + 1, {"a": tf.concat([s["a"], s["a"][:1] * s["b"]], 0), "b": s["b"] + 1.0})
    return [tf.while_loop(lambda i, s: i < n, body, start, shapes)], *({n: v} for v in (0, 1, 3))


@program
def loop_an_invariant_that_the_start_contradicts(tf: Any) -> Any:
    return [tf.while_loop(lambda y: y[0] < 1.0, lambda y: y, [tf.ones([2])], [tf.TensorShape([3])])]


@program
def loop_an_invariant_that_the_body_contradicts(tf: Any) -> Any:
    return [
        tf.while_loop(lambda y: tf.size(y) < 5, lambda y: tf.concat([y, y], 0), [tf.ones([2])], [tf.TensorShape([2])])
    ]


@program
def loop_invariants_of_another_structure(tf: Any) -> Any:
    return [tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y), [0, 1.0], [tf.TensorShape([])])]


@program
def loop_invariants_that_are_no_shapes(tf: Any) -> Any:
    return [tf.while_loop(lambda y: tf.size(y) < 5, lambda y: tf.concat([y, y], 0), [tf.ones([2])], [[None]])]


@program
def loop_an_invariant_weaker_than_the_start(tf: Any) -> Any:
    _, y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y + 1.0), [0, tf.ones([2, 3])],
                         [tf.TensorShape([]), tf.TensorShape([None, 3])])  # fmt: skip
    return [y]


@program
def loop_of_empty_tensors(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [0, 2])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), [0, x])
    return [y, tf.reduce_sum(y)], {n: 3, x: np.zeros((0, 2))}


@program
def loop_sizes_of_each_run(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [None])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + tf.cumsum(x)), [0, x])
    return [y], *({n: k, x: np.arange(k * 2)} for k in range(4))
