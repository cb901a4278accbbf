"""Programs with `map_fn`, `scan`, `foldl` and `foldr`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .program import grid, ph, program, programs

Pair = namedtuple("Pair", ["left", "right"])

# ---- map_fn -------------------------------------------------------------------------------------


@program
def map_of_numbers(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.map_fn(lambda v: v * v + 1.0, x)], {x: [1, 2, 3]}, {x: [5]}, {x: np.zeros(0)}


@programs(shape=["[4, 2]", "[None, 2]", "[4, None]", "None"])
def map_of_rows(tf: Any, shape: str) -> Any:
    x = ph(tf, "float32", eval(shape))
    feeds = {x: grid(4, 2)}
    return [
        tf.map_fn(lambda v: v * 2.0, x),
        tf.map_fn(lambda v: tf.reduce_sum(v), x),
        tf.map_fn(lambda v: v[:1], x),
    ], feeds


@program
def map_of_rows_none_of_them(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    y = tf.map_fn(lambda v: tf.stack([tf.reduce_sum(v), v[0], 1.0]), x)
    return [y, tf.shape(y)], {x: np.zeros((0, 2))}, {x: grid(2, 2)}


@programs(dtype=["float64", "int32", "int64", "bool", "complex64", "float16", "string"])
def map_of_each_dtype(tf: Any, dtype: str) -> Any:
    x = ph(tf, dtype, [3])
    value = np.array(["a", "b", "c"], object) if dtype == "string" else np.array([1, 0, 2]).astype(dtype)
    return [tf.map_fn(lambda v: tf.stack([v, v]), x)], {x: value}


@program
def map_to_another_dtype(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.map_fn(lambda v: tf.cast(v, tf.int32) * 2, x, dtype=tf.int32),
            tf.map_fn(lambda v: v > 1.0, x, dtype="bool"),
            tf.map_fn(lambda v: tf.as_string(v), x, fn_output_signature=tf.string)], {x: [1, 2.5]}  # fmt: skip


@program
def map_to_another_dtype_without_saying_so(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    return [tf.map_fn(lambda v: tf.cast(v, tf.int32), x)], {x: [1, 2, 3]}


@program
def map_that_says_another_dtype(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    return [tf.map_fn(lambda v: v, x, dtype=tf.int32)], {x: [1, 2, 3]}


@program
def map_of_several(tf: Any) -> Any:
    x, y = ph(tf, "float32", [None]), ph(tf, "float32", [None, 2])
    feeds = {x: [1, 2, 3], y: grid(3, 2)}
    return [tf.map_fn(lambda e: e[0] * e[1], (x, y), dtype=tf.float32),
            tf.map_fn(lambda e: (e[0] + 1.0, tf.reduce_sum(e[1])), (x, y)),
            tf.map_fn(lambda e: [e[0], e[1]], [x, y])], feeds  # fmt: skip


@program
def map_of_several_to_one_without_a_dtype(tf: Any) -> Any:
    x, y = ph(tf, "float32", [3]), ph(tf, "float32", [3])
    return [tf.map_fn(lambda e: e[0] * e[1], (x, y))], {x: [1, 2, 3], y: [1, 2, 3]}


@program
def map_of_several_of_other_dtypes(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None]), ph(tf, "int32", [None])
    y = tf.map_fn(lambda e: tf.cast(e[1], tf.float32) * e[0], (x, k), dtype=tf.float32)
    z = tf.map_fn(lambda e: (e[1] + 1, e[0]), (x, k), dtype=(tf.int32, tf.float32))
    return [y, z], {x: [1, 2, 3], k: [4, 5, 6]}


@program
def map_of_dicts_and_named_tuples(tf: Any) -> Any:
    x, y = ph(tf, "float32", [3]), ph(tf, "float32", [3])
    a = tf.map_fn(
        lambda e: {"s": e["x"] + e["y"], "d": e["x"] - e["y"]},
        {"x": x, "y": y},
        dtype={"s": tf.float32, "d": tf.float32},
    )
    b = tf.map_fn(lambda e: Pair(e.right, e.left), Pair(x, y))
    return [a, b], {x: [1, 2, 3], y: [5, 5, 5]}


@program
def map_of_different_numbers_of_rows(tf: Any) -> Any:
    x, y = ph(tf, "float32", [None]), ph(tf, "float32", [None])
    z = tf.map_fn(lambda e: e[0] + e[1], (x, y), dtype=tf.float32)
    return [z], {x: [1, 2], y: [1, 2]}, {x: [1, 2, 3], y: [1, 2]}, {x: [1, 2], y: [1, 2, 3]}


@program
def map_of_different_static_numbers_of_rows(tf: Any) -> Any:
    x, y = ph(tf, "float32", [2]), ph(tf, "float32", [3])
    return [tf.map_fn(lambda e: e[0] + e[1], (x, y), dtype=tf.float32)], {x: [1, 2], y: [1, 2, 3]}


@program
def map_of_a_scalar(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.map_fn(lambda v: v, x)], {x: 1.0}


@program
def map_of_an_unknown_rank_that_is_a_scalar(tf: Any) -> Any:
    x = ph(tf, "float32")
    return [tf.map_fn(lambda v: v, x)], {x: [1.0]}, {x: 1.0}


@program
def map_of_an_array(tf: Any) -> Any:
    return [tf.map_fn(lambda v: v + 1, np.array([1, 2, 3])), tf.map_fn(lambda v: v * v, np.arange(3.0))]


@program
def map_of_nothing(tf: Any) -> Any:
    return [tf.map_fn(lambda v: v, [])]


@program
def map_with_something_that_is_no_function(tf: Any) -> Any:
    return [tf.map_fn(1, tf.constant([1.0]))]


@program
def map_with_captures(tf: Any) -> Any:
    x, w, n = ph(tf, "float32", [None, 2]), ph(tf, "float32", [2, 2]), ph(tf, "float32", [])
    y = tf.map_fn(lambda v: tf.squeeze(tf.matmul(tf.expand_dims(v, 0), w), 0) + n, x)
    return [y], {x: grid(3, 2), w: [[1, 2], [3, 4]], n: 0.5}, {x: grid(1, 2), w: [[1, 2], [3, 4]], n: 0.5}


@program
def map_with_ragged_results(tf: Any) -> Any:
    k = ph(tf, "int32", [None])
    return [tf.map_fn(lambda v: tf.range(v), k, infer_shape=False)], {k: [3, 3]}, {k: [2, 3]}


@program
def map_with_results_of_an_unknown_size(tf: Any) -> Any:
    k = ph(tf, "int32", [None])
    return [tf.map_fn(lambda v: tf.range(v), k)], {k: [3, 3]}, {k: [2, 3]}


@program
def map_with_a_cond(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.map_fn(lambda v: tf.cond(v > 0.0, lambda: tf.sqrt(v), lambda: -v * 10.0), x)], {x: [4, -1, 0, 9]}


@program
def map_with_a_loop(tf: Any) -> Any:
    k = ph(tf, "int32", [None])
    power = lambda v: tf.while_loop(lambda i, y: i < v, lambda i, y: (i + 1, y * 2), [0, 1])[1]
    return [tf.map_fn(power, k)], {k: [0, 3, 1, 10]}


@program
def map_in_a_map(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None, 3]), ph(tf, "float32", [])
    return (
        [tf.map_fn(lambda r: tf.map_fn(lambda v: v * w + r[0], r), x)],
        {x: grid(2, 3), w: 2.0},
        {x: grid(0, 3), w: 2.0},
    )


@program
def map_with_gathers(tf: Any) -> Any:
    table, k = ph(tf, "float32", [4, 2]), ph(tf, "int32", [None])
    return [tf.map_fn(lambda i: tf.gather(table, i) * 2.0, k, dtype=tf.float32)], {table: grid(4, 2), k: [3, 0, 3]}, {
        table: grid(4, 2), k: [3, 4]}  # fmt: skip


@program
def map_that_gives_constants(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.map_fn(lambda v: 1.0, x), tf.map_fn(lambda v: tf.constant([1.0, 2.0]), x)], {x: [5, 6]}


@programs(back_prop=[True, False])
def map_with_every_option(tf: Any, back_prop: bool) -> Any:
    x = ph(tf, "float32", [3])
    return [tf.map_fn(lambda v: v + 1.0, x, parallel_iterations=2, back_prop=back_prop, swap_memory=True, name="m")], {
        x: [1, 2, 3]}  # fmt: skip


@program
def map_of_the_same_twice(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    y = tf.map_fn(lambda v: v + 1.0, x)
    return [y, tf.map_fn(lambda v: v * 2.0, y), tf.map_fn(lambda e: e[0] * e[1], (y, y), dtype=tf.float32)], {x: [1, 2]}


# ---- scan ---------------------------------------------------------------------------------------


@programs(reverse=[False, True])
def scan_without_an_initializer(tf: Any, reverse: bool) -> Any:
    x = ph(tf, "float32", [None])
    y = tf.scan(lambda a, v: a * 2.0 + v, x, reverse=reverse)
    return [y], {x: [1, 2, 3]}, {x: [7]}


@program
def scan_of_nothing_without_an_initializer(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.scan(lambda a, v: a + v, x)], {x: np.zeros(0)}


@programs(reverse=[False, True])
def scan_with_an_initializer(tf: Any, reverse: bool) -> Any:
    x, a = ph(tf, "float32", [None]), ph(tf, "float32", [2])
    y = tf.scan(lambda a, v: a * 0.5 + v, x, initializer=a, reverse=reverse)
    return [y, tf.shape(y)], {x: [1, 2, 3], a: [10, 20]}, {x: np.zeros(0), a: [1, 2]}


@program
def scan_to_another_dtype(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.scan(lambda a, v: a + tf.cast(v, tf.int32), x, initializer=0)], {x: [1.5, 2.5]}


@programs(reverse=[False, True])
def scan_of_several(tf: Any, reverse: bool) -> Any:
    x, y = ph(tf, "float32", [None]), ph(tf, "float32", [None, 2])
    z = tf.scan(lambda a, e: a + e[0] * e[1], (x, y), initializer=tf.zeros([2]), reverse=reverse)
    w = tf.scan(lambda a, e: (a[0] + e[0], a[1] * e[1]), (x, y), reverse=reverse)
    return [z, w], {x: [1, 2, 3], y: grid(3, 2)}


@program
def scan_fibonacci(tf: Any) -> Any:
    start = (np.array(0), np.array(1))
    return [tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([8]), initializer=start)]


@program
def scan_of_structures(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    start = {"s": tf.constant(0.0), "p": tf.constant(1.0)}
    return [tf.scan(lambda a, v: {"s": a["s"] + v, "p": a["p"] * v}, x, initializer=start)], {x: [1, 2, 3]}


@program
def scan_of_rows_with_static_shapes(tf: Any) -> Any:
    x, y = ph(tf, "float32", [3, 2]), ph(tf, "float32", [None, 2])
    return [tf.scan(lambda a, v: a + v, x), tf.scan(lambda a, v: a + tf.reduce_sum(v), y, tf.constant(0.0)),
            tf.scan(lambda a, v: a + v, y)], {x: grid(3, 2), y: grid(4, 2)}  # fmt: skip


@program
def scan_whose_shape_changes(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    return [tf.scan(lambda a, v: tf.stack([v, v]), x)], {x: [1, 2, 3]}


@program
def scan_whose_dtype_changes(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    return [tf.scan(lambda a, v: tf.cast(v, tf.int32), x)], {x: [1, 2, 3]}


@program
def scan_whose_structure_changes(tf: Any) -> Any:
    x = ph(tf, "float32", [3])
    return [tf.scan(lambda a, v: (a, v), x)], {x: [1, 2, 3]}


@program
def scan_of_a_scalar(tf: Any) -> Any:
    return [tf.scan(lambda a, v: a + v, tf.constant(1.0))]


@program
def scan_with_a_cond(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [tf.scan(lambda a, v: tf.cond(v > 0.0, lambda: a + v, lambda: a * 0.5), x)], {x: [1, 2, -1, 4]}


@program
def scan_in_a_loop(tf: Any) -> Any:
    n, x = ph(tf, "int32", []), ph(tf, "float32", [4])
    step = lambda i, y: (i + 1, tf.scan(lambda a, v: a + v * 0.5, y))
    return list(tf.while_loop(lambda i, y: i < n, step, [0, x])), *({n: v, x: [1, 2, 3, 4]} for v in (0, 1, 3))


@program
def scan_with_captures(tf: Any) -> Any:
    x, w = ph(tf, "float32", [None, 2]), ph(tf, "float32", [2, 2])
    step = lambda a, v: tf.tanh(tf.squeeze(tf.matmul(tf.expand_dims(a, 0), w), 0) + v)
    return [tf.scan(step, x, tf.zeros([2]))], {x: grid(4, 2), w: [[0.5, -0.5], [0.25, 1]]}


@program
def scan_of_strings(tf: Any) -> Any:
    x = ph(tf, "string", [None])
    return [tf.scan(lambda a, v: tf.string_join([a, v]), x)], {x: ["a", "b", "c"]}


# ---- folds --------------------------------------------------------------------------------------


@programs(fold=["foldl", "foldr"])
def fold_without_an_initializer(tf: Any, fold: str) -> Any:
    x = ph(tf, "float32", [None])
    return [getattr(tf, fold)(lambda a, v: a * 2.0 + v, x)], {x: [1, 2, 3]}, {x: [7]}


@programs(fold=["foldl", "foldr"])
def fold_of_nothing(tf: Any, fold: str) -> Any:
    x = ph(tf, "float32", [None])
    return [getattr(tf, fold)(lambda a, v: a + v, x, initializer=tf.constant(5.0))], {x: np.zeros(0)}


@programs(fold=["foldl", "foldr"])
def fold_of_nothing_without_an_initializer(tf: Any, fold: str) -> Any:
    x = ph(tf, "float32", [None])
    return [getattr(tf, fold)(lambda a, v: a + v, x)], {x: np.zeros(0)}


@programs(fold=["foldl", "foldr"])
def fold_with_an_initializer(tf: Any, fold: str) -> Any:
    x, a = ph(tf, "float32", [None, 2]), ph(tf, "float32", [2])
    return [getattr(tf, fold)(lambda a, v: a * 0.5 + v, x, initializer=a)], {x: grid(3, 2), a: [10, 20]}


@programs(fold=["foldl", "foldr"])
def fold_to_another_shape_and_dtype(tf: Any, fold: str) -> Any:
    x = ph(tf, "float32", [None])
    step = lambda a, v: a * 3 + tf.cast(v, tf.int32)
    return [getattr(tf, fold)(step, x, initializer=np.array([1, 2]))], {x: [1, 2, 3]}


@programs(fold=["foldl", "foldr"])
def fold_of_several(tf: Any, fold: str) -> Any:
    x, y = ph(tf, "float32", [None]), ph(tf, "float32", [None])
    step = lambda a, e: a * e[0] + e[1]
    return [getattr(tf, fold)(step, (x, y), initializer=tf.constant(1.0))], {x: [1, 2, 3], y: [4, 5, 6]}


@programs(fold=["foldl", "foldr"])
def fold_of_structures(tf: Any, fold: str) -> Any:
    x = ph(tf, "float32", [None])
    step = lambda a, v: {"most": tf.maximum(a["most"], v), "sum": a["sum"] + v}
    start = {"most": tf.constant(-1.0), "sum": tf.constant(0.0)}
    return [getattr(tf, fold)(step, x, initializer=start)], {x: [1, 5, 3]}


@programs(fold=["foldl", "foldr"])
def fold_of_arrays(tf: Any, fold: str) -> Any:
    return [getattr(tf, fold)(lambda a, v: a - v, np.arange(5)), getattr(tf, fold)(lambda a, v: a + v, tf.ones([4, 2]))]


@programs(fold=["foldl", "foldr"])
def fold_in_a_map(tf: Any, fold: str) -> Any:
    x = ph(tf, "float32", [None, 3])
    return [tf.map_fn(lambda r: getattr(tf, fold)(lambda a, v: a * 2.0 - v, r), x)], {x: grid(2, 3)}
