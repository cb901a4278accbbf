"""Programs with TensorArrays outside of loops: every method, static shapes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import grid, ph, program, programs


def array(tf: Any, size: Any = 3, dtype: str = "float32", **given: Any) -> Any:
    """A TensorArray."""
    return tf.TensorArray(dtype, size, **given)


@program
def array_write_and_read(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    ta = array(tf).write(0, x).write(1, x * 2.0).write(2, [7.0, 8.0])
    return [ta.read(1), ta.read(0), ta.read(2)], {x: [1, 2]}


@program
def array_write_and_stack(tf: Any) -> Any:
    x = ph(tf, "float32", [2])
    ta = array(tf).write(2, x).write(0, x * 2.0).write(1, -x)
    return [ta.stack()], {x: [1, 2]}


@programs(dtype=["float64", "int32", "int64", "bool", "string", "complex64", "float16"])
def array_of_each_dtype(tf: Any, dtype: str) -> Any:
    value = np.array(["a", "b"], object) if dtype == "string" else np.array([1, 0]).astype(dtype)
    x = ph(tf, dtype, [2])
    ta = array(tf, 2, dtype).write(0, x[0]).write(1, x[1])
    return [ta.stack(), ta.size()], {x: value}


@program
def array_unstack_and_read(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    ta = array(tf, tf.shape(x)[0]).unstack(x)
    return [ta.read(0), ta.size()], {x: grid(3, 2)}


@program
def array_unstack_and_stack(tf: Any) -> Any:
    x = ph(tf, "float32", [3, 2])
    ta = array(tf).unstack(x * 2.0)
    return [ta.stack(), array(tf).unstack(x).gather([2, 0])], {x: grid(3, 2)}


@program
def array_unstack_of_another_number(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [array(tf, 2).unstack(x).stack()], {x: [1, 2]}, {x: [1, 2, 3]}, {x: [1]}


@program
def array_unstack_of_a_scalar(tf: Any) -> Any:
    return [array(tf, 1).unstack(tf.constant(1.0)).stack()]


@program
def array_gather(tf: Any) -> Any:
    x, k = ph(tf, "float32", [3, 2]), ph(tf, "int32", [None])
    ta = array(tf, clear_after_read=False).unstack(x)
    return [ta.gather(k)], {x: grid(3, 2), k: [2, 0, 2]}, {x: grid(3, 2), k: np.zeros(0)}, {x: grid(3, 2), k: [3]}


@program
def array_scatter(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None, 2]), ph(tf, "int32", [None])
    return [array(tf).scatter(k, x).stack()], {x: grid(3, 2), k: [2, 0, 1]}, {x: grid(2, 2), k: [2, 0]}, {
        x: grid(2, 2), k: [3, 0]}  # fmt: skip


@program
def array_scatter_of_different_sizes(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None]), ph(tf, "int32", [None])
    return [array(tf, 2).scatter(k, x).stack()], {x: [1, 2, 3], k: [0, 1]}, {x: [1, 2], k: [1, 0]}


@program
def array_split_and_concat(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None, 2]), ph(tf, "int32", [None])
    ta = array(tf, infer_shape=False).split(x, k)
    return [ta.read(0), ta.read(1), ta.read(2)], {x: grid(6, 2), k: [1, 3, 2]}, {x: grid(6, 2), k: [0, 6, 0]}


@program
def array_split_of_wrong_lengths(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None]), ph(tf, "int32", [None])
    y = array(tf, 2, infer_shape=False).split(x, k).read(0)
    return [y], {x: [1, 2, 3], k: [1, 2]}, {x: [1, 2, 3], k: [1, 1]}, {x: [1, 2, 3], k: [1, 1, 1]}


@program
def array_split_and_concat_again(tf: Any) -> Any:
    x, k = ph(tf, "float32", [None, 2]), ph(tf, "int32", [None])
    y = array(tf, infer_shape=False).split(x, k).concat()
    return [y], {x: grid(6, 2), k: [1, 3, 2]}, {x: grid(3, 2), k: [1, 1, 1]}


@program
def array_concat(tf: Any) -> Any:
    x, y = ph(tf, "float32", [None, 2]), ph(tf, "float32", [None, 2])
    ta = array(tf, 2, infer_shape=False).write(0, x).write(1, y)
    return [ta.concat()], {x: grid(1, 2), y: grid(3, 2)}, {x: grid(2, 2), y: grid(2, 2)}, {x: grid(0, 2), y: grid(2, 2)}


@program
def array_concat_of_scalars(tf: Any) -> Any:
    return [array(tf, 2).write(0, 1.0).write(1, 2.0).concat()]


@program
def array_concat_of_different_columns(tf: Any) -> Any:
    x, y = ph(tf, "float32", [None, None]), ph(tf, "float32", [None, None])
    ta = array(tf, 2, infer_shape=False).write(0, x).write(1, y)
    return [ta.concat()], {x: grid(1, 2), y: grid(1, 3)}, {x: grid(1, 2), y: grid(3, 2)}


@program
def array_size(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    ta = array(tf, n)
    return [ta.size(), array(tf, 4).size()], {n: 0}, {n: 5}


@program
def array_size_that_is_negative(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    return [array(tf, n).size()], {n: -1}


@program
def array_that_grows(tf: Any) -> Any:
    k = ph(tf, "int32", [])
    ta = array(tf, 0, dynamic_size=True).write(0, 1.0).write(k, 2.0)
    return [ta.size(), ta.read(k)], {k: 1}, {k: 5}


@program
def array_that_grows_with_a_hole(tf: Any) -> Any:
    k = ph(tf, "int32", [])
    ta = array(tf, 0, dynamic_size=True, element_shape=[]).write(0, 1.0).write(k, 2.0)
    return [ta.stack()], {k: 1}, {k: 3}


@program
def array_write_out_of_range(tf: Any) -> Any:
    k = ph(tf, "int32", [])
    return [array(tf, 2).write(0, 3.0).write(k, 1.0).read(0)], {k: 1}, {k: 2}, {k: -1}


@program
def array_read_out_of_range(tf: Any) -> Any:
    k = ph(tf, "int32", [])
    return [array(tf, 2).unstack([1.0, 2.0]).read(k)], {k: 1}, {k: 2}, {k: -1}


@program
def array_read_of_what_was_not_written(tf: Any) -> Any:
    k = ph(tf, "int32", [])
    return [array(tf, 2).write(0, [1.0, 2.0]).read(k)], {k: 0}, {k: 1}


@program
def array_read_of_what_was_not_written_with_an_element_shape(tf: Any) -> Any:
    k = ph(tf, "int32", [])
    return [array(tf, 2, element_shape=[2]).write(0, [1.0, 2.0]).read(k)], {k: 0}, {k: 1}


@program
def array_stack_of_what_was_not_written(tf: Any) -> Any:
    return [array(tf, 2).write(0, [1.0, 2.0]).stack()]


@program
def array_stack_of_what_was_not_written_with_an_element_shape(tf: Any) -> Any:
    return [array(tf, 2, element_shape=[2]).write(0, [1.0, 2.0]).stack()]


@program
def array_stack_of_nothing_written(tf: Any) -> Any:
    return [array(tf, 2, element_shape=[3]).stack(), array(tf, 0, element_shape=[3]).stack()]


@program
def array_stack_of_no_elements(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    return [array(tf, n).stack()], {n: 0}


@program
def array_stack_of_no_elements_with_an_element_shape(tf: Any) -> Any:
    n = ph(tf, "int32", [])
    return [array(tf, n, element_shape=[2, 3]).stack()], {n: 0}


@programs(clear=[None, True, False])
def array_read_twice(tf: Any, clear: Any) -> Any:
    ta = array(tf, 2, clear_after_read=clear).unstack([1.0, 2.0])
    first = ta.read(0)
    with tf.control_dependencies([first]):
        second = ta.read(0)
    return [first, second]


@program
def array_write_twice(tf: Any) -> Any:
    return [array(tf, 2).write(0, 1.0).write(0, 2.0).read(0)]


@program
def array_write_after_read(tf: Any) -> Any:
    ta = array(tf, 2).write(0, 1.0)
    first = ta.read(0)
    with tf.control_dependencies([first]):
        ta = ta.write(0, 5.0)
    return [first, ta.read(0)]


@program
def array_of_mixed_static_shapes(tf: Any) -> Any:
    return [array(tf, 2).write(0, [1.0]).write(1, [1.0, 2.0]).read(0)]


@program
def array_of_mixed_shapes(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    ta = array(tf, 2).write(0, [1.0]).write(1, x)
    return [ta.stack()], {x: [2.0]}, {x: [2.0, 3.0]}


@program
def array_of_mixed_shapes_that_infers_none(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    ta = array(tf, 2, infer_shape=False).write(0, [1.0]).write(1, x)
    return [ta.read(0), ta.read(1)], {x: [2.0]}, {x: [2.0, 3.0]}


@program
def array_stack_of_mixed_shapes(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    ta = array(tf, 2, infer_shape=False).write(0, [1.0]).write(1, x)
    return [ta.stack()], {x: [2.0]}, {x: [2.0, 3.0]}


@program
def array_write_of_another_dtype(tf: Any) -> Any:
    return [array(tf, 2).write(0, tf.constant(1)).read(0)]


@program
def array_write_against_the_element_shape(tf: Any) -> Any:
    return [array(tf, 2, element_shape=[2]).write(0, [1.0, 2.0, 3.0]).read(0)]


@program
def array_write_against_the_element_shape_in_the_run(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    return [array(tf, 2, element_shape=[2]).write(0, x).read(0)], {x: [1, 2]}, {x: [1, 2, 3]}


@program
def array_static_shapes(tf: Any) -> Any:
    x, y, n = ph(tf, "float32", [3, 2]), ph(tf, "float32", [None, 2]), ph(tf, "int32", [])
    a = array(tf, 3, clear_after_read=False).unstack(x)
    b = array(tf, n, clear_after_read=False).unstack(y)
    c = array(tf, n, element_shape=[None, 2], clear_after_read=False).write(0, x)
    d = array(tf, n, infer_shape=False, clear_after_read=False).write(0, x)
    return [a.stack(), a.read(0), a.gather([0]), b.stack(), b.read(0), c.read(0), d.read(0), a.size()], {
        x: grid(3, 2), y: grid(2, 2), n: 2}  # fmt: skip


@program
def array_element_shape(tf: Any) -> Any:
    x = ph(tf, "float32", [2, 3])
    ta = array(tf, 2).write(0, x)
    unknown = array(tf, 2)
    known = array(tf, 2, element_shape=[None, 4])
    return [tf.constant(str(s.element_shape)) for s in (ta, unknown, known)], {x: grid(2, 3)}


@program
def array_properties(tf: Any) -> Any:
    ta = array(tf, 2, "int32")
    grown = array(tf, 0, dynamic_size=True)
    return [tf.constant([ta.dtype.name, str(ta.dynamic_size), str(grown.dynamic_size)])]


@program
def array_identity(tf: Any) -> Any:
    return [array(tf, 2).unstack([1.0, 2.0]).identity().read(1)]


@program
def array_close(tf: Any) -> Any:
    ta = array(tf, 2).unstack([1.0, 2.0])
    y = ta.read(0)
    with tf.control_dependencies([y]):
        return [y, ta.close()]


@program
def array_of_a_flow(tf: Any) -> Any:
    ta = array(tf, 2).unstack([1.0, 2.0])
    again = tf.TensorArray("float32", handle=ta.handle, flow=ta.flow)
    return [again.read(1)]


@program
def array_dynamic_size_and_element_shape(tf: Any) -> Any:
    x = ph(tf, "float32", [None, 2])
    ta = array(tf, 0, dynamic_size=True, element_shape=[2]).unstack(x)
    return [ta.stack(), ta.size()], {x: grid(3, 2)}, {x: grid(0, 2)}


@program
def array_without_a_size(tf: Any) -> Any:
    return [tf.TensorArray("float32").size()]


@program
def array_size_that_is_no_scalar(tf: Any) -> Any:
    return [array(tf, [2, 3]).size()]


@program
def array_size_that_is_a_float(tf: Any) -> Any:
    return [array(tf, tf.constant(2.0)).size()]


@program
def array_index_that_is_a_float(tf: Any) -> Any:
    return [array(tf, 2).write(tf.constant(0.0), 1.0).read(0)]


@program
def array_index_that_is_a_vector(tf: Any) -> Any:
    return [array(tf, 2).write(tf.constant([0]), 1.0).read(0)]


@program
def array_index_of_int64(tf: Any) -> Any:
    return [array(tf, 2).write(tf.constant(0, tf.int64), 1.0).read(0)]


@program
def array_in_a_cond(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    y = tf.cond(p, lambda: array(tf, 2).write(0, x).write(1, x * 2.0).stack(), lambda: tf.zeros([2, 2]))
    return [y], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def array_captured_by_a_cond(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    ta = array(tf, 2, clear_after_read=False).unstack(x)
    return [tf.cond(p, lambda: ta.read(0), lambda: ta.read(1) * 10.0)], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def array_that_a_cond_gives(tf: Any) -> Any:
    p, x = ph(tf, "bool", []), ph(tf, "float32", [2])
    ta = array(tf, 2, clear_after_read=False).unstack(x)
    out = tf.cond(p, lambda: ta.write(0, 5.0), lambda: ta)
    return [out.stack()], {p: True, x: [1, 2]}, {p: False, x: [1, 2]}


@program
def array_of_empty_elements(tf: Any) -> Any:
    x = ph(tf, "float32", [2, 0])
    return [array(tf, 2).unstack(x).stack()], {x: np.zeros((2, 0))}


@program
def array_elements_fetched_in_two_runs(tf: Any) -> Any:
    x = ph(tf, "float32", [None])
    ta = array(tf, tf.size(x)).unstack(x)
    return [ta.read(tf.size(x) - 1)], {x: [1, 2]}, {x: [3]}, {x: [4, 5, 6]}


@program
def array_colocate_and_names(tf: Any) -> Any:
    ta = tf.TensorArray(tf.float32, 2, tensor_array_name="mine", colocate_with_first_write_call=False, name="other")
    return [ta.unstack([1.0, 2.0], name="put").stack(name="got")]
