"""TensorFlow 1.x's arguments: every value here was recorded from TensorFlow 2.21's `tf.compat.v1` in graph mode."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
import penstock.compat.v1 as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def run(fetch: Any, feeds: dict[tf.Tensor, Any] | None = None) -> Any:
    with tf.Session(graph=tf.get_default_graph()) as session:
        return session.run(fetch, feeds)


M = [[1, 2, 3], [4, 5, 6]]
CUBE = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]

# call, static shapes, values
RECORDED: list[tuple[Callable[[], Any], str, Any]] = [
    (lambda: tf.split([1, 2, 3, 4, 5, 6], 3), "(2,) (2,) (2,)", [[1, 2], [3, 4], [5, 6]]),
    (lambda: tf.split(M, [1, 2], axis=1), "(2, 1) (2, 2)", [[[1], [4]], [[2, 3], [5, 6]]]),
    (lambda: tf.split(M, [1, -1], axis=-1), "(2, 1) (2, 2)", [[[1], [4]], [[2, 3], [5, 6]]]),
    (lambda: tf.split(M, 3, axis=-1), "(2, 1) (2, 1) (2, 1)", [[[1], [4]], [[2], [5]], [[3], [6]]]),
    (lambda: tf.split([1, 2, 3], [1, 2], num=2), "(1,) (2,)", [[1], [2, 3]]),
    (lambda: tf.split([1, 2, 3], [0, 3]), "(0,) (3,)", [[], [1, 2, 3]]),
    (lambda: tf.split([1, 2, 3], np.array([2, 1])), "(2,) (1,)", [[1, 2], [3]]),
    (lambda: tf.split([1, 2, 3], tf.constant([2, 1])), "(2,) (1,)", [[1, 2], [3]]),
    (lambda: tf.concat([[1], [2, 3]], 0), "(3,)", [1, 2, 3]),
    (lambda: tf.concat([[[1]], [[2]]], -1), "(1, 2)", [[1, 2]]),
    (lambda: tf.concat([[[1]], [[2]]], axis=tf.constant(1)), "(1, 2)", [[1, 2]]),
    (lambda: tf.reverse([[1, 2], [3, 4]], [0]), "(2, 2)", [[3, 4], [1, 2]]),
    (lambda: tf.reverse([[1, 2], [3, 4]], [-1]), "(2, 2)", [[2, 1], [4, 3]]),
    (lambda: tf.reverse([[1, 2], [3, 4]], [0, 1]), "(2, 2)", [[4, 3], [2, 1]]),
    (lambda: tf.reverse([[1, 2], [3, 4]], []), "(2, 2)", [[1, 2], [3, 4]]),
    (lambda: tf.stack([1, 2]), "(2,)", [1, 2]),
    (lambda: tf.stack([[1, 2], [3, 4]], axis=1), "(2, 2)", [[1, 3], [2, 4]]),
    (lambda: tf.stack([[1, 2], [3, 4]], axis=-1), "(2, 2)", [[1, 3], [2, 4]]),
    (lambda: tf.unstack([[1, 2], [3, 4]]), "(2,) (2,)", [[1, 2], [3, 4]]),
    (lambda: tf.unstack([[1, 2], [3, 4]], axis=1), "(2,) (2,)", [[1, 3], [2, 4]]),
    (lambda: tf.unstack([[1, 2], [3, 4]], axis=-2), "(2,) (2,)", [[1, 2], [3, 4]]),
    (lambda: tf.squeeze([[[1], [2]]]), "(2,)", [1, 2]),
    (lambda: tf.squeeze([[[1], [2]]], 0), "(2, 1)", [[1], [2]]),
    (lambda: tf.squeeze([[[1], [2]]], [0, -1]), "(2,)", [1, 2]),
    (lambda: tf.squeeze([[[1], [2]]], squeeze_dims=[2]), "(1, 2)", [[1, 2]]),
    (lambda: tf.gather([10, 20, 30], [2, 0]), "(2,)", [30, 10]),
    (lambda: tf.gather(M, [2, 0], axis=1), "(2, 2)", [[3, 1], [6, 4]]),
    (lambda: tf.gather(M, [2, 0], axis=-1), "(2, 2)", [[3, 1], [6, 4]]),
    (lambda: tf.gather(M, [2, 0], None, None, 1), "(2, 2)", [[3, 1], [6, 4]]),
    (lambda: tf.gather(M, [1, 0], axis=-2), "(2, 3)", [[4, 5, 6], [1, 2, 3]]),
    (lambda: tf.gather(M, [[2, 0]], axis=1), "(2, 1, 2)", [[[3, 1]], [[6, 4]]]),
    (lambda: tf.gather(M, 1, axis=1), "(2,)", [2, 5]),
    (
        lambda: tf.gather(CUBE, [[1, 0], [0, 0]], axis=1),
        "(2, 2, 2, 2)",
        [[[[3, 4], [1, 2]], [[1, 2], [1, 2]]], [[[7, 8], [5, 6]], [[5, 6], [5, 6]]]],
    ),
    (lambda: tf.gather(M, [[2, 0], [1, 1]], batch_dims=1), "(2, 2)", [[3, 1], [5, 5]]),
    (lambda: tf.gather(CUBE, [[1], [0]], axis=2, batch_dims=1), "(2, 2, 1)", [[[2], [4]], [[5], [7]]]),
    (lambda: tf.gather_nd(CUBE, [[1], [0]], batch_dims=1), "(2, 2)", [[3, 4], [5, 6]]),
    (lambda: tf.pad([1, 2, 3], [[2, 1]], "REFLECT"), "(6,)", [3, 2, 1, 2, 3, 2]),
    (lambda: tf.pad([1, 2, 3], [[3, 1]], mode="symmetric"), "(7,)", [3, 2, 1, 1, 2, 3, 3]),
    (lambda: tf.pad(M, [[1, 0], [0, 1]], constant_values=7), "(3, 4)", [[7, 7, 7, 7], [1, 2, 3, 7], [4, 5, 6, 7]]),
    (lambda: tf.strided_slice(M, [0, 2], [2, 0], [1, -1], end_mask=2), "(2, 3)", [[3, 2, 1], [6, 5, 4]]),
    (lambda: tf.strided_slice(M, [0, 0, 1], [0, 0, 2], ellipsis_mask=1, new_axis_mask=2), "(2, 1, 1)", [[[2]], [[5]]]),
    (lambda: tf.strided_slice(M, [-1], [0], shrink_axis_mask=1), "(3,)", [4, 5, 6]),
    (lambda: tf.expand_dims([1, 2], 0), "(1, 2)", [[1, 2]]),
    (lambda: tf.expand_dims([1, 2], axis=-1), "(2, 1)", [[1], [2]]),
    (lambda: tf.expand_dims([1, 2], dim=1), "(2, 1)", [[1], [2]]),
    (lambda: tf.reverse_sequence(M, [2, 3], seq_axis=1), "(2, 3)", [[2, 1, 3], [6, 5, 4]]),
    (lambda: tf.reverse_sequence(M, [1, 2, 2], seq_dim=0, batch_dim=1), "(2, 3)", [[1, 5, 6], [4, 2, 3]]),
    (lambda: tf.reverse_sequence(M, [1, 2, 2], 0, 1), "(2, 3)", [[1, 5, 6], [4, 2, 3]]),
    (
        lambda: tf.reverse_sequence(CUBE, [2, 1], seq_axis=2, batch_axis=1),
        "(2, 2, 2)",
        [[[2, 1], [3, 4]], [[6, 5], [7, 8]]],
    ),
]


@pytest.mark.parametrize(("call", "shapes", "values"), RECORDED)
def test_values_and_static_shapes_are_those_of_tensorflow(call: Callable[[], Any], shapes: str, values: Any) -> None:
    made = call()
    assert " ".join(str(t.shape) for t in (made if isinstance(made, list) else [made])) == shapes
    found = run(made)
    assert ([r.tolist() for r in found] if isinstance(found, list) else found.tolist()) == values


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tf.split(M, [1, 1], axis=1), ValueError, r"can't split axis of size 3 into pieces of size \[1, 1\]"),
    (lambda: tf.split(M, [4, -1], axis=1), ValueError, "can't split axis of size 3 into pieces of size"),
    (lambda: tf.split(M, 2, axis=1), ValueError, "evenly divisible by 2 but is 3"),
    (lambda: tf.split([1, 2, 3], [-1, -1]), ValueError, "size_splits can only have one -1"),
    (lambda: tf.split([1, 2, 3], [-2, 5]), ValueError, "a size is at least 0, or -1"),
    (lambda: tf.split([1, 2, 3], []), TypeError, "size_splits must be ints"),
    (lambda: tf.split([1, 2, 3], [1.0, 2.0]), TypeError, "size_splits must be ints"),
    (lambda: tf.split([1, 2, 3], tf.constant(3)), TypeError, "the number of parts must be a Python int"),
    (lambda: tf.split([1, 2, 3], tf.placeholder(tf.int32, [2])), TypeError, "known when the graph is built"),
    (lambda: tf.split([1, 2, 3], [1, 2], num=3), ValueError, "Length of size_splits should be equal to num_outputs"),
    (lambda: tf.split([1, 2, 3], [1, 2], axis=1), ValueError, r"Argument `axis` = 1 not in range \[-1, 1\)"),
    (lambda: tf.split(0, 2, [1, 2]), TypeError, r"split\(value, num_or_size_splits, axis\) here"),
    (lambda: tf.concat([1, 2], 0), ValueError, r"Can't concatenate scalars \(use tf.stack instead\)"),
    (lambda: tf.concat(0, [[1], [2]]), TypeError, r"concat\(values, axis\) here"),
    (lambda: tf.reverse([[1, 2], [3, 4]], [0, 0]), ValueError, "axis 0 specified more than once"),
    (lambda: tf.reverse([[1, 2], [3, 4]], [0, -2]), ValueError, "axis 0 specified more than once"),
    (lambda: tf.reverse([[1, 2], [3, 4]], [2]), ValueError, r"'axis'\[0\] = 2 is out of valid range"),
    (lambda: tf.reverse([[1, 2], [3, 4]], 0), ValueError, "Shape must be rank 1 but is rank 0"),
    (lambda: tf.reverse([[1, 2], [3, 4]], [True, False]), TypeError, "takes one bool per dimension"),
    (lambda: tf.stack([[1, 2], [3, 4]], axis=2), ValueError, r"Argument `axis` = 2 not in range \[-2, 2\)"),
    (lambda: tf.stack([tf.zeros([2]), tf.zeros([2])], -3), ValueError, r"Argument `axis` = -3 not in range \[-2, 2\)"),
    (lambda: tf.unstack([[1, 2], [3, 4]], 3), ValueError, "Dimension must be 3 but is 2"),
    (lambda: tf.unstack([[1, 2], [3, 4]], axis=2), ValueError, r"Argument `axis` = 2 not in range \[-2, 2\)"),
    (lambda: tf.unstack(tf.placeholder(tf.int32, [None, 2])), ValueError, "Cannot infer argument `num` from shape"),
    (lambda: tf.unstack(tf.placeholder(tf.int32), axis=1), ValueError, "the rank of .* must be known"),
    (lambda: tf.squeeze([[1]], axis=0, squeeze_dims=0), ValueError, "Cannot specify both 'squeeze_dims' and 'axis'"),
    (lambda: tf.squeeze([[[1], [2]]], 1), ValueError, r"Can not squeeze dim\[1\], expected a dimension of 1, got 2"),
    (lambda: tf.gather(M, 1, axis=2), ValueError, "Shape must be at least rank 3 but is rank 2"),
    (lambda: tf.gather(M, 1, axis=-3), ValueError, "Shape must be at least rank 3 but is rank 2"),
    (lambda: tf.gather(M, [[0], [1]], batch_dims=3), ValueError, "batch_dims = 3 must be in"),
    (lambda: tf.pad(M, [[0, 0], [3, 0]], "REFLECT"), ValueError, "paddings must be less than the dimension size"),
    (lambda: tf.pad(M, [[0, 0], [0, 0]], "MIRROR"), ValueError, "Unknown padding mode"),
    (lambda: tf.gather_nd(M, [[0], [1]], batch_dims=2), ValueError, "batch_dims = 2 must be in"),
    (lambda: tf.strided_slice(M, [0], [1], ellipsis_mask=3), ValueError, "Multiple ellipses"),
    (lambda: tf.strided_slice(M, [0], [1, 2]), ValueError, "must be as many"),
    (lambda: tf.expand_dims([1, 2], 0, dim=1), ValueError, "Cannot specify both 'dim' and 'axis'"),
    (lambda: tf.expand_dims([1, 2]), ValueError, r"Must specify an axis argument to tf.expand_dims\(\)"),
    (lambda: tf.reverse_sequence(M, [2, 3]), TypeError, "Expected int for argument 'seq_axis', not None"),
    (lambda: tf.reverse_sequence(M, [2, 3], seq_axis=1, seq_dim=1), ValueError, "Cannot specify both 'seq_dim' and"),
    (lambda: tf.reverse_sequence(M, [2, 3, 1], 1, 1), ValueError, "batch_dim == seq_dim"),
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_what_tensorflow_refuses_is_refused_in_its_words_and_adds_nothing(
    call: Callable[[], Any], kind: type[Exception], words: str, graph: tf.Graph
) -> None:
    with pytest.raises(kind, match=words):
        call()
    assert all(op.type in ("Placeholder", "Const", "Fill", "Zeros") for op in graph.get_operations())


# ---- what only the run knows ------------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.booleans(), st.data())
def test_parts_of_given_sizes_join_to_the_whole(sizes: list[int], known: bool, data: st.DataObject) -> None:
    open_part = data.draw(st.integers(-1, len(sizes) - 1))
    written = [-1 if i == open_part else size for i, size in enumerate(sizes)]
    total = sum(sizes)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [2, total if known else None])
        parts = tf.split(x, written, axis=1)
        value = np.arange(2 * total).reshape(2, total)
        found = run(parts, {x: value})
        expected = np.split(value, np.cumsum(sizes)[:-1].tolist(), axis=1)
        for part, got, wanted, size in zip(parts, found, expected, written, strict=True):
            assert got.tolist() == wanted.tolist()
            assert part.shape.is_compatible_with(list(got.shape))
            assert part.shape[1].value == (got.shape[1] if known or size != -1 else None)


@pytest.mark.parametrize(
    ("sizes", "length"), [([1, 2], 4), ([1, 2], 2), ([3, -1, 2], 4), ([3, -1, 2], 3), ([2, -1], 1)]
)
def test_sizes_that_do_not_add_up_are_found_by_the_run(sizes: list[int], length: int) -> None:
    x = tf.placeholder(tf.int32, [None])
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.split(x, sizes), {x: np.zeros(length)})


@given(st.integers(-2, 1), st.sampled_from([(), (2,), (2, 2)]), st.booleans(), st.booleans())
def test_gathering_along_any_axis_agrees_with_numpy_whatever_is_known(
    axis: int, picks: tuple[int, ...], rank_known: bool, indices_known: bool
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [None, None] if rank_known else None)
        i = tf.placeholder(tf.int32, picks if indices_known else None)
        value, index = np.arange(12).reshape(3, 4), np.arange(int(np.prod(picks))).reshape(picks) % 3
        made = tf.gather(x, i, axis=axis)
        found = run(made, {x: value, i: index})
        assert np.array_equal(found, np.take(value, index, axis))
        assert made.shape.is_compatible_with(list(np.shape(found)))


@given(st.lists(st.sampled_from([0, 1, -1, -2]), max_size=2), st.booleans(), st.booleans())
def test_reversing_agrees_with_numpy_whatever_is_known(axes: list[int], rank_known: bool, axes_known: bool) -> None:
    if len({a % 2 for a in axes}) < len(axes):
        return
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [2, None] if rank_known else None)
        a = tf.placeholder(tf.int32, [None])
        value = np.arange(6).reshape(2, 3)
        found = run(tf.reverse(x, axes if axes_known else a), {x: value, a: axes})
        assert found.tolist() == np.flip(value, tuple(axes)).tolist()


def test_an_axis_that_only_the_run_knows_is_checked_by_it() -> None:
    x, axes = tf.placeholder(tf.int32), tf.placeholder(tf.int32, [None])
    for bad in (2, -3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(tf.reverse(x, axes), {x: [[1, 2]], axes: [bad]})


def test_names_given_reach_the_nodes() -> None:
    x = tf.placeholder(tf.float32, [2, 4], name="x")
    assert tf.split(x, 2, 1, name="halves")[0].name == "halves:0"
    assert tf.concat([x, x], 0).op.name == "concat"
    assert tf.stack([x, x]).op.name == "stack"
    assert tf.stack([x, x], 1, name="stacked").op.name == "stacked"
    assert tf.unstack(x)[0].name == "unstack:0"
    assert tf.unstack(x, axis=1, name="columns")[0].name == "columns:0"
    assert tf.squeeze(x, name="squeezed").op.name == "squeezed"
    assert tf.gather(x, [0], name="rows").op.name == "rows"
    assert tf.gather(x, [0], axis=1, name="picked").op.name == "picked"
    assert tf.expand_dims(x, 0, "wider").op.name == "wider"
    assert tf.shape(x, "sizes").op.name == "sizes"


def test_out_type_chooses_the_dtype_of_shapes() -> None:
    x = tf.placeholder(tf.float32, ["n", 3])
    assert tf.shape(x).dtype is tf.int32
    assert tf.shape(x, out_type=tf.int64).dtype is tf.int64
    assert tf.size(x, out_type=tf.int64).dtype is tf.int64
    assert str(tf.zeros(tf.shape(x, out_type=tf.int64)).shape) == "(n, 3)"


# ---- the namespace ----------------------------------------------------------------------------------


def test_every_public_name_is_there() -> None:
    assert [name for name in penstock.__all__ if not hasattr(tf, name)] == []
    assert tf.errors is penstock.errors


def test_what_is_not_replaced_is_the_very_same_thing() -> None:
    for name in ("add", "tile", "Graph", "Session", "float32", "dynamic_stitch", "dynamic_partition",
                 "tensor_scatter_nd_update", "tensor_scatter_update", "placeholder", "pack", "unpack"):  # fmt: skip
        assert getattr(tf, name) is getattr(penstock, name)
    assert tf.nn.softmax is penstock.softmax


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("split", "value num_or_size_splits axis=0 num=None name='split'"),
        ("concat", "values axis name='concat'"),
        ("reverse", "tensor axis name=None"),
        ("stack", "values axis=0 name='stack'"),
        ("unstack", "value num=None axis=0 name='unstack'"),
        ("squeeze", "input axis=None name=None squeeze_dims=None"),
        ("gather", "params indices validate_indices=None name=None axis=None batch_dims=0"),
        ("expand_dims", "input axis=None name=None dim=None"),
        ("decode_csv",
         "records record_defaults field_delim=',' use_quote_delim=True name=None na_value='' select_cols=None"),
        ("reverse_sequence",
         "input seq_lengths seq_axis=None batch_axis=None name=None seq_dim=None batch_dim=None"),
    ],
)  # fmt: skip
def test_the_signatures_are_tensorflows(name: str, signature: str) -> None:
    parameters = inspect.signature(getattr(tf, name)).parameters.values()
    written = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters]
    assert " ".join(written) == signature


def test_the_top_namespace_keeps_the_order_of_the_pages() -> None:
    assert [p.tolist() for p in run(penstock.split(0, 2, [1, 2]))] == [[1], [2]]
    with pytest.raises(TypeError, match=r"penstock\.compat\.v1"):
        penstock.split([1, 2], 2, 0)
    with pytest.raises(TypeError, match=r"penstock\.compat\.v1"):
        penstock.concat([[1], [2]], 0)  # type: ignore[arg-type]  # 1.x's order


def test_a_program_may_ask_for_graphs_in_its_first_lines() -> None:
    tf.disable_eager_execution()
    tf.disable_v2_behavior()
    assert not tf.executing_eagerly()


def test_the_module_is_imported_as_programs_import_it() -> None:
    code = "import penstock.compat.v1 as tf; print(tf.Session().run(tf.stack([1, 2])))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (result.stdout, result.stderr) == ("[1 2]\n", "")


# ---- programs ---------------------------------------------------------------------------------------


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_one_step_of_a_recurrent_cell() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    h = tf.placeholder(tf.float32, [None, 3], name="h")
    c = tf.zeros_like(h)
    weights = tf.constant(np.linspace(-1, 1, 5 * 12).reshape(5, 12), tf.float32)
    i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), weights, name="gates"), 4, axis=1)
    new_c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    new_h = tf.tanh(new_c) * tf.sigmoid(o)
    both = tf.stack([new_c, new_h], axis=1, name="state")
    with tf.Session() as sess:
        state, hidden = sess.run(
            [both, tf.unstack(both, axis=1)[1]],
            feed_dict={x: [[1, 2], [3, -4]], h: [[0, 1, 0], [0.5, 0, 0]]},
        )
    assert both.get_shape().as_list() == [None, 2, 3]
    expected = [
        [[-0.11240766, -0.12302985, -0.13320087], [-0.03601507, -0.04309183, -0.05078702]],
        [[-0.21197756, -0.21271729, -0.21333076], [-0.06154125, -0.06101403, -0.06045228]],
    ]
    close(state, expected)
    close(hidden, [row[1] for row in expected])


def test_attention_over_sequences_read_backwards() -> None:
    words = tf.placeholder(tf.int32, [None, None])
    lengths = tf.placeholder(tf.int64, [None])
    table = tf.constant(np.arange(12).reshape(6, 2) / 10.0, tf.float32)
    vectors = tf.gather(table, words)
    backwards = tf.reverse_sequence(vectors, lengths, seq_axis=1, batch_axis=0)
    query = tf.tile(tf.expand_dims(tf.transpose(tf.constant([[1.0, -0.5]])), 0), [tf.shape(words)[0], 1, 1])
    scores = tf.squeeze(tf.matmul(backwards, query), axis=[2])
    weights = tf.nn.softmax(scores)
    pooled = tf.reduce_sum(tf.expand_dims(weights, axis=-1) * backwards, axis=1)
    fetches = {"pooled": pooled, "best": tf.argmax(scores, 1), "last": tf.reverse(backwards, [1])[:, 0]}
    with tf.Session() as sess:
        found = sess.run(fetches, {words: [[1, 2, 3], [5, 4, 0]], lengths: [3, 2]})
    assert vectors.get_shape().as_list() == [None, None, 2]
    close(found["pooled"], [[0.41331118, 0.51331121], [0.68642664, 0.7864266]])
    assert found["best"].tolist() == [0, 1]
    close(found["last"], [[0.2, 0.3], [0.0, 0.1]])


def test_rows_in_buckets_are_handled_apart_and_put_back() -> None:
    rows = tf.placeholder(tf.float32, [None, 5], name="rows")
    which = tf.placeholder(tf.int32, [None])
    places = tf.dynamic_partition(tf.range(tf.shape(which)[0]), which, 2)
    parts = tf.dynamic_partition(rows, which, 2)
    done = tf.dynamic_stitch(places, [parts[0] * 10, -parts[1]])
    left, middle, right = tf.split(done, [1, -1, 2], axis=1)
    swapped = tf.concat([right, middle, left], axis=-1)
    picked = tf.gather(swapped, [4, 0], axis=1)
    scattered = tf.tensor_scatter_nd_update(picked, [[0]], [[100.0, 200.0]])
    with tf.control_dependencies([tf.identity(scattered)]):
        total = tf.identity(tf.reduce_sum(scattered, 0), name="total")
    with tf.Session() as sess:
        found = sess.run((swapped, total, "total:0"), {rows: np.arange(15).reshape(3, 5), which: [1, 0, 1]})
    shapes = [t.get_shape().as_list() for t in (left, middle, right, swapped, picked)]
    assert shapes == [[None, 1], [None, 2], [None, 2], [None, 5], [None, 2]]
    assert found[0].tolist() == [[-3, -4, -1, -2, 0], [80, 90, 60, 70, 50], [-13, -14, -11, -12, -10]]
    assert [found[1].tolist(), found[2].tolist()] == [[140, 267], [140, 267]]


@pytest.mark.parametrize("axes", [[0, 0], [1, -1], [2], [-3]])
def test_axes_that_only_the_run_knows_are_checked_by_it(axes: list[int]) -> None:
    x, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    turned = tf.reverse(x, axis)
    assert run(turned, {x: [[1.0, 2.0], [3.0, 4.0]], axis: [1, 0]}).tolist() == [[4.0, 3.0], [2.0, 1.0]]
    with pytest.raises(tf.errors.InvalidArgumentError):  # TensorFlow: "axis 0 specified more than once", "out of range"
        run(turned, {x: [[1.0, 2.0]], axis: axes})


WHOLE = "Determined shape must either match input shape along split_dim exactly if fully specified"


@pytest.mark.parametrize(("sizes", "rows"), [([2, 2], 7), ([8, 8], 7), ([2, -1], 1), ([3, 5], 7), ([1], 0)])
@pytest.mark.parametrize("passes", [(), None])
def test_sizes_that_do_not_add_up_are_an_error_whichever_part_is_fetched(
    sizes: list[int], rows: int, passes: tuple[str, ...] | None
) -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    parts = tf.split(x, sizes)
    config = tf.SessionConfig() if passes is None else tf.SessionConfig(passes=passes)
    with tf.Session(config=config) as session:
        for fetch in (parts, *parts, tf.shape(parts[0])):
            with pytest.raises(tf.errors.InvalidArgumentError, match=WHOLE):
                session.run(fetch, {x: np.ones((rows, 2))})


def test_the_part_that_is_left_may_have_no_rows() -> None:
    x = tf.placeholder(tf.float32, ["n", 2])
    parts = tf.split(x, [2, -1])
    assert [str(p.shape) for p in parts] == ["(2, 2)", "(n-2, 2)"]
    assert [v.shape for v in run(parts, {x: np.ones((2, 2))})] == [(2, 2), (0, 2)]
    assert [v.shape for v in run(parts, {x: np.ones((7, 2))})] == [(2, 2), (5, 2)]


def test_a_graph_with_parts_of_given_sizes_comes_back_from_a_file(tmp_path: Path) -> None:
    tf.split(tf.placeholder(tf.float32, [5], name="x"), [2, 3], name="parts")
    loaded = tf.load_graph(tf.save_graph(tf.get_default_graph(), tmp_path / "graph.json"))
    with tf.Session(graph=loaded) as session:
        found = session.run(["parts:0", "parts:1"], {"x:0": np.arange(5.0)})
    assert [v.tolist() for v in found] == [[0, 1], [2, 3, 4]]
