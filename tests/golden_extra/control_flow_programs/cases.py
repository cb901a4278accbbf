"""Programs with `case` and `switch_case`."""

from __future__ import annotations

from typing import Any

from .program import grid, ph, program, programs

# ---- case ---------------------------------------------------------------------------------------


def _pairs(tf: Any, x: Any) -> list[Any]:
    return [(x < 1.0, lambda: x + 10.0), (x < 2.0, lambda: x * 10.0), (x > 3.0, lambda: -x)]


@programs(exclusive=[False, True])
def case_with_a_default(tf: Any, exclusive: bool) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case(_pairs(tf, x), default=lambda: x - 100.0, exclusive=exclusive)
    return [y], *({x: v} for v in (0.5, 1.5, 2.5, 3.5))


@programs(exclusive=[False, True])
def case_without_a_default(tf: Any, exclusive: bool) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case(_pairs(tf, x), exclusive=exclusive)
    return [y], *({x: v} for v in (0.5, 1.5, 2.5, 3.5))


@program
def case_of_a_dict(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case({x < 1.0: lambda: tf.constant(1), x > 2.0: lambda: tf.constant(2)}, lambda: tf.constant(3),
                exclusive=True)  # fmt: skip
    return [y], *({x: v} for v in (0.5, 1.5, 2.5))


@program
def case_of_one_pair(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case([(x < 1.0, lambda: x + 1.0)], default=lambda: x)
    return [y], {x: 0.5}, {x: 1.5}


@program
def case_of_one_pair_without_a_default(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.case([(x < 1.0, lambda: x + 1.0)])], {x: 0.5}, {x: 1.5}


@program
def case_of_no_pairs(tf: Any) -> Any:
    return [tf.case([], default=lambda: tf.constant(1))]


@program
def case_gives_structures(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case([(x < 1.0, lambda: {"a": x, "b": (x, x)}), (x < 2.0, lambda: {"a": -x, "b": (x, 2.0 * x)})],
                default=lambda: {"a": 3.0 * x, "b": (x, x)})  # fmt: skip
    return [y], *({x: v} for v in (0.5, 1.5, 2.5))


@program
def case_results_of_other_dtypes(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.case([(x < 1.0, lambda: x)], default=lambda: tf.constant(1))], {x: 0.0}


@program
def case_a_predicate_that_is_no_bool(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.case([(x, lambda: x)], default=lambda: x)], {x: 0.0}


@program
def case_a_predicate_that_is_a_python_bool(tf: Any) -> Any:
    return [tf.case([(True, lambda: tf.constant(1))], default=lambda: tf.constant(2))]


@program
def case_a_branch_that_is_no_function(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.case([(x < 1.0, x)], default=lambda: x)], {x: 0.0}


@program
def case_a_default_that_is_no_function(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.case([(x < 1.0, lambda: x)], default=x)], {x: 0.0}


@program
def case_pairs_that_are_no_pairs(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    return [tf.case([x < 1.0, lambda: x], default=lambda: x)], {x: 0.0}


@program
def case_only_the_taken_branch_runs(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    is_two = tf.equal(100 // tf.maximum(i, 1), 50)
    y = tf.case([(tf.equal(i, 0), lambda: tf.constant(-1)), (is_two, lambda: 7 // (i - 1))],
                default=lambda: 12 // (i - 3))  # fmt: skip
    return [y], *({i: v} for v in (0, 1, 2, 3, 5))


@program
def case_static_shapes(tf: Any) -> Any:
    x, a, b = ph(tf, "float32", []), ph(tf, "float32", [2, 3]), ph(tf, "float32", [2, None])
    y = tf.case([(x < 1.0, lambda: a), (x < 2.0, lambda: b)], default=lambda: a[:1])
    return [y], *({x: v, a: grid(2, 3), b: grid(2, 2)} for v in (0.5, 1.5, 2.5))


@program
def case_strict(tf: Any) -> Any:
    x = ph(tf, "float32", [])
    y = tf.case([(x < 1.0, lambda: [x])], default=lambda: [x + 1.0], strict=True)
    z = tf.case([(x < 1.0, lambda: [x])], default=lambda: [x + 1.0])
    return [y, z], {x: 0.5}, {x: 1.5}


@program
def case_nested_in_a_case(tf: Any) -> Any:
    x, y = ph(tf, "float32", []), ph(tf, "float32", [])
    inner: Any = lambda: tf.case([(y < 0.0, lambda: x - y), (y < 5.0, lambda: x + y)], default=lambda: x * y)
    z = tf.case([(x < 0.0, inner), (x < 5.0, lambda: y)], default=inner)
    return [z], *({x: a, y: b} for a in (-1.0, 1.0, 7.0) for b in (-2.0, 2.0, 8.0))


# ---- switch_case --------------------------------------------------------------------------------


@program
def switch_case_of_functions(tf: Any) -> Any:
    i, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    y = tf.switch_case(i, [lambda: x, lambda: x + 1.0, lambda: x * x])
    return [y], *({i: v, x: [2, 3]} for v in (0, 1, 2, 3, -1, 100))


@program
def switch_case_with_a_default(tf: Any) -> Any:
    i, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    y = tf.switch_case(i, [lambda: x, lambda: x + 1.0], default=lambda: -x)
    return [y], *({i: v, x: [2, 3]} for v in (0, 1, 2, -5))


@program
def switch_case_of_a_dict(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    y = tf.switch_case(i, {1: lambda: tf.constant(10), 0: lambda: tf.constant(0), 2: lambda: tf.constant(20)})
    return [y], *({i: v} for v in (0, 1, 2, 3))


@program
def switch_case_of_pairs(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    y = tf.switch_case(i, [(1, lambda: tf.constant(10)), (0, lambda: tf.constant(0))])
    return [y], *({i: v} for v in (0, 1, 2))


@program
def switch_case_keys_with_gaps_and_a_default(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    y = tf.switch_case(i, {0: lambda: tf.constant(1), 3: lambda: tf.constant(2)}, default=lambda: tf.constant(9))
    return [y], *({i: v} for v in (0, 1, 3))


@program
def switch_case_keys_with_gaps(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    return [tf.switch_case(i, {0: lambda: tf.constant(1), 2: lambda: tf.constant(2)})], {i: 0}


@program
def switch_case_the_same_key_twice(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    return [tf.switch_case(i, [(0, lambda: tf.constant(1)), (0, lambda: tf.constant(2))])], {i: 0}


@program
def switch_case_of_one(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    return [tf.switch_case(i, [lambda: tf.constant(4)])], {i: 0}, {i: 5}


@program
def switch_case_of_none(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    return [tf.switch_case(i, [])], {i: 0}


@programs(dtype=["int64", "float32", "uint8"])
def switch_case_index_of_another_dtype(tf: Any, dtype: str) -> Any:
    i = ph(tf, dtype, [])
    return [tf.switch_case(i, [lambda: tf.constant(4), lambda: tf.constant(5)])], {i: 1}


@program
def switch_case_of_a_python_index(tf: Any) -> Any:
    return [tf.switch_case(1, [lambda: tf.constant(4), lambda: tf.constant(5)])]


@program
def switch_case_gives_structures(tf: Any) -> Any:
    i, x = ph(tf, "int32", []), ph(tf, "float32", [2])
    y = tf.switch_case(i, [lambda: {"a": x, "b": [x]}, lambda: {"a": -x, "b": [x + 1.0]}])
    return [y], {i: 0, x: [1, 2]}, {i: 1, x: [1, 2]}


@program
def switch_case_branches_of_other_dtypes(tf: Any) -> Any:
    i = ph(tf, "int32", [])
    return [tf.switch_case(i, [lambda: tf.constant(1), lambda: tf.constant(1.0)])], {i: 0}


@program
def switch_case_static_shapes(tf: Any) -> Any:
    i, a, b = ph(tf, "int32", []), ph(tf, "float32", [2, 3]), ph(tf, "float32", [None, 3])
    y = tf.switch_case(i, [lambda: a, lambda: b, lambda: a * 2.0])
    z = tf.switch_case(i, [lambda: a, lambda: a[0], lambda: a])
    return [y, z], *({i: v, a: grid(2, 3), b: grid(4, 3)} for v in range(3))
