"""Programs with `cond`."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .program import grid, ph, program, programs

Pair = namedtuple("Pair", ["left", "right"])
BOTH: tuple[bool, bool] = (True, False)

# ---- cond ---------------------------------------------------------------------------------------


@program
def cond_of_a_placeholder(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2, 3])
    y = tf.cond(p, lambda: x * 2.0, lambda: x - 1.0)
    return [y], *({p: v, x: grid(2, 3)} for v in BOTH)


@program
def cond_old_names_of_the_branches(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, fn1=lambda: tf.constant(1), fn2=lambda: tf.constant(2))], {p: True}, {p: False}


@program
def cond_named_branches(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    y = tf.cond(p, true_fn=lambda: tf.constant(1), false_fn=lambda: tf.constant(2), name="choice")
    return [y], {p: True}, {p: False}


@program
def cond_only_the_taken_branch_runs(tf: Any) -> Any:
    i, x = ph(tf, "int32", []), tf.constant([1.0, 2.0, 3.0])
    y = tf.cond(i < 3, lambda: tf.gather(x, i), lambda: tf.constant(-1.0))
    return [y], {i: 1}, {i: 3}, {i: 2}, {i: -1}


@program
def cond_an_int_division_by_zero_is_not_run(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    return [tf.cond(tf.not_equal(i, 0), lambda: 10 // i, lambda: i)], {i: 3}, {i: 0}, {i: -4}


@program
def cond_captured_ops_outside_run_always(tf: Any) -> Any:
    i, x = ph(tf, "int32", []), tf.constant([1.0, 2.0, 3.0])
    outside = tf.gather(x, i)
    return [tf.cond(i < 3, lambda: outside, lambda: tf.constant(-1.0))], {i: 1}, {i: 3}


@program
def cond_of_a_constant(tf: Any) -> Any:
    return [tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0))]


@programs(value=[True, False])
def cond_of_a_python_bool(tf: Any, value: bool) -> Any:
    return [tf.cond(value, lambda: tf.constant(1.0), lambda: tf.constant(2.0))]


@program
def cond_of_a_numpy_bool(tf: Any) -> Any:
    return [tf.cond(tf.constant(np.bool_(False)), lambda: tf.constant(1.0), lambda: tf.constant(2.0))]


@program
def cond_of_a_comparison(tf: Any) -> Any:
    x, y = ph(tf, "float32", []), ph(tf, "float32", [])
    larger = tf.cond(x > y, lambda: x, lambda: y)
    return [larger], {x: 1, y: 2}, {x: 2, y: 1}, {x: np.nan, y: 1}, {x: 3, y: 3}


@program
def cond_gives_python_numbers(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: 1.5, lambda: 2.5), tf.cond(p, lambda: 1, lambda: 2)], {p: True}, {p: False}


@program
def cond_gives_arrays(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: grid(2, 2), lambda: grid(2, 2, shift=1))], {p: True}, {p: False}


@program
def cond_gives_strings(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: tf.constant("yes"), lambda: tf.constant(["no"])[0])], {p: True}, {p: False}


@programs(dtype=["float64", "float16", "int8", "int64", "uint8", "bool", "complex64"])
def cond_of_each_dtype(tf: Any, dtype: str) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, dtype, [3])
    y = tf.cond(p, lambda: tf.identity(x), lambda: tf.reverse(x, [0]))
    return [y], *({p: v, x: np.array([1, 0, 2]).astype(dtype)} for v in BOTH)


@program
def cond_branches_of_other_dtypes(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(1.0))], {p: True}


@program
def cond_branches_of_other_numbers_of_results(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: [tf.constant(1)], lambda: [tf.constant(1), tf.constant(2)])], {p: True}


@program
def cond_a_list_and_a_tuple(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    one = tf.constant(1)
    return [tf.cond(p, lambda: [one, one], lambda: (one, one))], {p: True}


@program
def cond_a_branch_gives_nothing(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: None, lambda: tf.constant(1))], {p: True}


@program
def cond_both_branches_give_nothing(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, lambda: None, lambda: None)], {p: True}


@program
def cond_branches_are_no_functions(tf: Any) -> Any:
    return [tf.cond(tf.constant(True), tf.constant(1), tf.constant(2))]


@program
def cond_without_a_branch(tf: Any) -> Any:
    return [tf.cond(tf.constant(True), lambda: tf.constant(1))]


@program
def cond_with_both_names_of_a_branch(tf: Any) -> Any:
    one = tf.constant(1)
    return [tf.cond(tf.constant(True), true_fn=lambda: one, false_fn=lambda: one, fn1=lambda: one)]


@programs(dtype=["int32", "float32", "string"])
def cond_the_condition_is_no_bool(tf: Any, dtype: str) -> Any:
    p = ph(tf, dtype, [])
    return [tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))], {p: np.array(1).astype(dtype)}


@program
def cond_the_condition_is_a_vector(tf: Any) -> Any:
    p = ph(tf, "bool", [2])
    return [tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))], {p: [True, True]}


@program
def cond_the_condition_has_an_unknown_shape(tf: Any) -> Any:
    p = ph(tf, "bool")
    y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    return [y], {p: True}, {p: [True]}, {p: [True, False]}, {p: False}


@programs(left=["[2, 3]", "[None, 3]", "None", "[]", "[6]"], right=["[2, 3]", "[2, 4]", "[None, None]", "None"])
def cond_the_static_shape_of_two(tf: Any, left: str, right: str) -> Any:
    p = ph(tf, "bool", [])
    shapes = {"[2, 3]": (2, 3), "[None, 3]": (5, 3), "None": (2,), "[]": (), "[6]": (6,), "[2, 4]": (2, 4),
              "[None, None]": (1, 1)}  # fmt: skip
    x, y = ph(tf, "float32", eval(left)), ph(tf, "float32", eval(right))
    z = tf.cond(p, lambda: x + 1.0, lambda: y + 2.0)
    feeds = {x: grid(*shapes[left]), y: grid(*shapes[right])}
    return [z], {p: True, **feeds}, {p: False, **feeds}


@program
def cond_lists_tuples_and_dicts(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    structures = [
        tf.cond(p, lambda: [x, x + 1.0], lambda: [x + 2.0, x]),
        tf.cond(p, lambda: (x, x + 1.0), lambda: (x + 2.0, x)),
        tf.cond(p, lambda: {"a": x, "b": x * 3.0}, lambda: {"b": x, "a": x * 4.0}),
        tf.cond(p, lambda: Pair(x, 2.0 * x), lambda: Pair(3.0 * x, x)),
        tf.cond(p, lambda: {"k": (x, [x + 5.0])}, lambda: {"k": (x + 6.0, [x])}),
    ]
    return structures, {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@programs(strict=[True, False])
def cond_one_result_in_a_list(tf: Any, strict: bool) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: [x + 1.0], lambda: [x - 1.0], strict=strict)
    return [y], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@programs(strict=[True, False])
def cond_one_result_in_a_tuple(tf: Any, strict: bool) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: (x + 1.0,), lambda: (x - 1.0,), strict=strict)
    return [y], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@programs(strict=[True, False])
def cond_empty_lists(tf: Any, strict: bool) -> Any:
    p = ph(tf, "bool", [])
    return [tf.cond(p, list, list, strict=strict)], {p: True}


@program
def cond_nested(tf: Any) -> Any:
    p, q, x = ph(tf, "bool", []), ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(
        p,
        lambda: tf.cond(q, lambda: x + 1.0, lambda: x * x),
        lambda: tf.cond(q, lambda: x - 1.0, lambda: tf.cond(x[0] > 0.0, lambda: -x, lambda: x / 2.0)),
    )
    return [y], *({p: a, q: b, x: v} for a in BOTH for b in BOTH for v in ([1, -2], [-3, 4]))


@program
def cond_nested_with_captures_of_both_levels(tf: Any) -> Any:
    p, q, x = ph(tf, "bool", []), ph(tf, "bool", []), ph(tf, "float32", [2])

    def outer() -> Any:
        y = x * 2.0
        return tf.cond(q, lambda: y + x, lambda: y - x * 3.0)

    return [tf.cond(p, outer, lambda: x)], *({p: a, q: b, x: [1, 5]} for a in BOTH for b in BOTH)


@program
def cond_the_same_captured_tensor_in_both(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.exp(x)
    return [tf.cond(p, lambda: y + 1.0, lambda: y), y], {p: True, x: [0, 1]}, {p: False, x: [0, 1]}


@program
def cond_a_captured_tensor_is_fed(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = x * 2.0
    z = tf.cond(p, lambda: y + 1.0, lambda: y - 1.0)
    return [z], {p: True, y: [5, 6]}, {p: False, y: [5, 6]}, {p: True, x: [5, 6]}


@program
def cond_a_captured_constant_is_fed(tf: Any) -> Any:
    p, c = ph(tf, "bool", []), tf.constant([1.0, 2.0])
    z = tf.cond(p, lambda: c * 2.0, lambda: c)
    return [z], {p: True, c: [5, 6]}, {p: False, c: [5, 6]}, {p: True}


@program
def cond_the_result_is_fed(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    y = tf.cond(p, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    return [y * 3.0], {p: True, y: 7.0}, {p: False}


@program
def cond_the_condition_is_fed_in_the_middle(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    p = tf.greater(x, 1.0)
    y = tf.cond(p, lambda: x + 1.0, lambda: x - 1.0)
    return [y], {x: 2.0}, {x: 2.0, p: False}, {x: 0.0}


@program
def cond_branches_give_views(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [4, 2])
    y = tf.cond(p, lambda: x[::2], lambda: tf.transpose(x)[:, :2])
    return [y, x + 1.0], {p: True, x: grid(4, 2)}, {p: False, x: grid(4, 2)}


@program
def cond_partitions_inside(tf: Any) -> Any:
    p, x, labels = ph(tf, "bool", []), ph(tf, "float32", [None]), ph(tf, "int32", [None])

    def parts() -> Any:
        return tf.dynamic_partition(x, labels, 2)

    y = tf.cond(p, parts, lambda: [x, x[:0]])
    return [y], *({p: v, x: grid(5), labels: [0, 1, 1, 0, 1]} for v in BOTH)


@program
def cond_results_of_different_sizes_are_added_up(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [None])
    y = tf.cond(p, lambda: tf.concat([x, x], 0), lambda: x[:1])
    return [tf.reduce_sum(y), tf.shape(y)], {p: True, x: [1, 2, 3]}, {p: False, x: [1, 2, 3]}


@program
def cond_in_a_name_scope(tf: Any) -> Any:
    p = ph(tf, "bool", [])
    with tf.name_scope("outer"):
        y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2), name="inner")
    return [tf.identity(y)], {p: True}


@program
def cond_under_control_dependencies(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [])
    with tf.control_dependencies([tf.check_numerics(x, "x")]):
        y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    return [y], {p: True, x: 1.0}, {p: True, x: np.nan}


@program
def cond_results_used_in_a_cond(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    a = tf.cond(x > 0.0, lambda: x, lambda: -x)
    b = tf.cond(a > 2.0, lambda: a * a, lambda: a + x)
    return [a, b], {x: 1.0}, {x: -1.0}, {x: 3.0}, {x: -3.0}


@program
def cond_smart_cond(tf: Any) -> Any:
    from_constants = [tf.cond(tf.equal(1, k), lambda: tf.constant("same"), lambda: tf.constant("other"))
                      for k in (1, 2)]  # fmt: skip
    return from_constants


@program
def cond_a_branch_fails_only_if_taken(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [None])
    y = tf.cond(p, lambda: tf.reshape(x, [2, 2]), lambda: tf.zeros([2, 2]))
    return [y], {p: True, x: grid(4)}, {p: True, x: grid(3)}, {p: False, x: grid(3)}


@program
def cond_repeated_in_many_runs(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "int64", [None])
    y = tf.cond(p, lambda: tf.cumsum(x), lambda: tf.cumsum(x, reverse=True))
    return [y], *({p: k % 2 == 0, x: np.arange(k)} for k in range(5))


@program
def cond_results_of_a_branch_are_shared(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: [x, x], lambda: [x + 1.0, x])
    return [y, y[0] + y[1]], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def cond_with_none_in_structures(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: (x, None), lambda: (x + 1.0, None))
    return [y], {p: True, x: [1, 2]}


@program
def cond_gives_indexed_slices(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2, 3])

    def slices(k: int) -> Any:
        return tf.IndexedSlices(x * float(k), tf.constant([k, 0]), tf.constant([4, 3]))

    y = tf.cond(p, lambda: slices(1), lambda: slices(2))
    return [y, tf.convert_to_tensor(y)], {p: True, x: grid(2, 3)}, {p: False, x: grid(2, 3)}
