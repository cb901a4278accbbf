"""Partition and stitch agree with plain loops, and are inverse to each other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS

from ..standin import computed_there
from .index_cases import Array, dtypes, empty, index_arrays, message_of, run, same, sizes, values

f4 = np.float32


def partitioned(data: Array, labels: Array, count: int) -> list[Array]:
    rest = data.shape[labels.ndim :]
    rows: list[list[Array]] = [[] for _ in range(count)]
    for place in np.ndindex(labels.shape):
        rows[int(labels[place])].append(data[place])
    out = []
    for each in rows:
        part = empty((len(each), *rest), data)
        for i, row in enumerate(each):
            part[i] = row
        out.append(part)
    return out


def stitched(indices: list[Array], data: list[Array]) -> Array:
    height = max((int(i.max()) for i in indices if i.size), default=-1) + 1
    merged = empty((height, *data[0].shape[indices[0].ndim :]), data[0])
    for index, value in zip(indices, data, strict=True):
        for place in np.ndindex(index.shape):
            merged[int(index[place])] = value[place]
    return merged


# ---- dynamic_partition --------------------------------------------------------------------------


@given(st.data(), dtypes, st.integers(1, 12), st.booleans())
def test_partition_is_a_loop_over_the_labels(data: Any, dtype: str, count: int, known: bool) -> None:
    prefix = data.draw(st.lists(sizes, max_size=2))
    array = data.draw(values([*prefix, *data.draw(st.lists(sizes, max_size=2))], dtype))
    labels = data.draw(index_arrays(prefix, count))
    got = run(lambda d, p: tf.dynamic_partition(d, p, count), array, labels, known=known)
    want = partitioned(array, labels, count)
    assert len(got) == count
    assert all(same(g, w) for g, w in zip(got, want, strict=True))


@pytest.mark.parametrize("count", [1, 2, 8, 9, 256, 257, 65536, 70000])
def test_every_number_of_partitions_keeps_the_order(count: int) -> None:
    rng = np.random.default_rng(count)
    labels = rng.integers(0, count, 5000).astype("i4")
    labels[:2] = 0, count - 1
    rows = np.arange(10000, dtype="i8").reshape(5000, 2)
    got = OPS["DynamicPartition"].kernels["*"](np, rows, labels, count)
    assert len(got) == count
    order = np.concatenate(got)
    want = rows[sorted(range(5000), key=lambda i: (labels[i], i))]
    assert np.array_equal(order, want)
    assert [len(g) for g in got] == np.bincount(labels, minlength=count).tolist()


def test_partition_names_the_first_label_out_of_range() -> None:
    def halves(d: Any, p: Any) -> Any:
        return tf.dynamic_partition(d, p, 2)

    data = np.zeros((2, 2), f4)
    assert message_of(halves, data, np.array([0, 2], "i4")) == "partitions[1] = 2 is not in [0, 2)"
    assert message_of(halves, data, np.array([[0, 1], [-1, 9]], "i4")) == "partitions[1,0] = -1 is not in [0, 2)"
    assert message_of(halves, data, np.array(-1, "i4")) == "partitions = -1 is not in [0, 2)"
    message = message_of(halves, np.zeros((2, 4), f4), np.array([0, 0, 0], "i4"))
    assert message == "data.shape must start with partitions.shape, got data.shape = [2,4], partitions.shape = [3]"


@pytest.mark.parametrize(("count", "kind"), [(0, ValueError), (-1, ValueError), (2.5, TypeError), (True, TypeError),
                                             (None, TypeError), (2**40, ValueError)])  # fmt: skip
def test_the_number_of_partitions_is_a_positive_python_int(count: Any, kind: type[Exception]) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(kind, match="num_partitions"):
        tf.dynamic_partition([1, 2], [0, 1], count)
    assert graph.get_operations() == []


def test_the_number_of_partitions_is_no_tensor() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="num_partitions"):
        tf.dynamic_partition([1, 2], [0, 1], tf.constant(2))  # type: ignore[arg-type]  # the mistake under test


def test_partition_keeps_names_and_counts_what_it_can() -> None:
    with tf.Graph().as_default():
        x, p = tf.placeholder(f4, ["n", "m"]), tf.placeholder("int32", ["n"])
        assert [str(t.shape) for t in tf.dynamic_partition(x, p, 2)] == ["(?, m)"] * 2
        assert [str(t.shape) for t in tf.dynamic_partition(x, p, 1)] == ["(n, m)"]
        assert [str(t.shape) for t in tf.dynamic_partition([1, 2, 3], [0, 2, 2], 3)] == ["(1,)", "(0,)", "(2,)"]
        one, two = tf.dynamic_partition(x, p, 2)
        assert one.shape[0] != two.shape[0]


def test_a_bad_constant_label_is_an_error_of_the_run() -> None:
    with tf.Graph().as_default() as graph:
        outputs = tf.dynamic_partition([1, 2], [0, 5], 2)
        assert [str(t.shape) for t in outputs] == ["(?,)", "(?,)"]
        with tf.Session(graph=graph) as session, pytest.raises(tf.errors.InvalidArgumentError, match="partitions"):
            session.run(outputs)


def test_shapes_that_cannot_fit_are_refused_at_build_with_the_operand() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3") as caught:
            tf.dynamic_partition([1, 2], [0, 1, 0], 2)
        assert getattr(caught.value, "operand", None) == 0
        assert getattr(caught.value, "dim", None) == 0
        assert "\n  data.shape must begin with partitions.shape: give a vector" in str(caught.value)
        with pytest.raises(ValueError, match=r"at least rank 2 but is rank 1[\s\S]*one label for each row"):
            tf.dynamic_partition([1, 2], [[0], [1]], 2)
        with pytest.raises(ValueError, match=r"but are 2 and 3[\s\S]*begin with indices\[m\]\.shape"):
            tf.dynamic_stitch([[0, 1, 2]], [[[1.0], [2.0]]])


# ---- dynamic_stitch -----------------------------------------------------------------------------


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Array], list[Array]]:
    """Indices with repetitions and gaps, and data for them."""
    dtype, constant = draw(dtypes), draw(st.lists(sizes, max_size=2))
    prefixes = draw(st.lists(st.lists(sizes, max_size=2), min_size=1, max_size=3))
    indices = [draw(index_arrays(prefix, 6)) for prefix in prefixes]
    return indices, [draw(values([*prefix, *constant], dtype)) for prefix in prefixes]


@given(pairs(), st.booleans())
def test_stitch_is_a_loop_in_which_the_last_one_wins(pair: tuple[list[Array], list[Array]], known: bool) -> None:
    want = stitched(*pair)
    assert same(run(tf.dynamic_stitch, *pair, known=known), want)
    assert same(run(tf.parallel_dynamic_stitch, *pair, known=known), want)


@given(pairs())
def test_the_kernel_gives_on_a_device_what_it_gives_on_numpy(pair: tuple[list[Array], list[Array]]) -> None:
    if pair[1][0].dtype != object:
        kernel = OPS["DynamicStitch"].kernels["*"]
        assert same(computed_there(kernel, *pair), kernel(np, *pair))


@given(st.data(), dtypes, st.integers(1, 10))
def test_stitching_the_partitions_gives_the_data_back(data: Any, dtype: str, count: int) -> None:
    prefix = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
    array = data.draw(values([*prefix, *data.draw(st.lists(sizes, max_size=2))], dtype))
    labels = data.draw(index_arrays(prefix, count))
    n = labels.size

    def round_trip(d: Any, p: Any) -> Any:
        places = tf.reshape(tf.range(n), prefix)
        return tf.dynamic_stitch(tf.dynamic_partition(places, p, count), tf.dynamic_partition(d, p, count))

    assert same(run(round_trip, array, labels), array.reshape((n, *array.shape[len(prefix) :])))


def test_rows_that_no_index_names_are_zeros_and_empty_strings() -> None:
    assert run(tf.dynamic_stitch, [np.array([3], "i4")], [np.array([7], "i8")]).tolist() == [0, 0, 0, 7]
    got = run(tf.dynamic_stitch, [np.array(1, "i4")], [np.array([b"x", b"y"], object)])
    assert got.tolist() == [[b"", b""], [b"x", b"y"]]


def test_stitch_names_what_does_not_fit() -> None:
    def index(*entries: Any) -> Array:
        return np.array(entries, "i4")

    one = np.zeros((1,), f4)
    message = message_of(tf.dynamic_stitch, [index(0), index([0, 1], [-3, 2])], [one, np.zeros((2, 2), f4)])
    assert message.startswith("indices[2] is out of range: indices[1][1,0] = -3")
    message = message_of(tf.dynamic_stitch, [index(1, 0, 2)], [np.zeros((2, 3), f4)])
    assert message == "data[0].shape = [2,3] does not start with indices[0].shape = [3]"
    message = message_of(tf.dynamic_stitch, [index(1, 0), index(4)], [np.zeros((2, 3), f4), one])
    assert message == ("Need data[0].shape[1:] = data[1].shape[1:], got data[0].shape = [2,3], data[1].shape = [1], "
                       "indices[0].shape = [2], indices[1].shape = [1]")  # fmt: skip


def test_stitch_refuses_lists_that_do_not_match() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="must match length 2"):
            tf.dynamic_stitch([[0], [1]], [[1]])
        with pytest.raises(ValueError, match="shorter than minimum length 1"):
            tf.dynamic_stitch([], [])
        with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 3"):
            tf.dynamic_stitch([[0], [1]], [[[1, 2]], [[3, 4, 5]]])
        with pytest.raises(TypeError):
            tf.dynamic_stitch([tf.constant([0], tf.int64)], [[1]])
        assert [op.type for op in graph.get_operations()] == ["Const"]


def test_stitch_knows_its_shape_from_indices_and_data() -> None:
    with tf.Graph().as_default():
        x, i = tf.placeholder(f4, ["k", "m"]), tf.placeholder("int32", ["k"])
        assert str(tf.dynamic_stitch([i], [x]).shape) == "(?, m)"
        assert str(tf.dynamic_stitch([[5], [[1], [2]]], [tf.zeros([1, 2]), tf.zeros([2, 1, 2])]).shape) == "(6, 2)"
        assert str(tf.dynamic_stitch([tf.zeros([0], tf.int32)], [tf.zeros([0, 2])]).shape) == "(0, 2)"
        assert str(tf.dynamic_stitch([i], [tf.placeholder(f4)]).shape) == "<unknown>"


def test_a_part_that_is_fed_need_not_have_the_size_of_its_twin() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
        rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), p, 2)
        parts, others = tf.dynamic_partition(x, p, 2), tf.dynamic_partition(x * 2.0, p, 2)
        again = tf.dynamic_partition(tf.dynamic_stitch(rows, parts), p, 2)
        assert parts[0].shape.raw == others[0].shape.raw
        feeds = {x: [1.0, 2.0, 3.0, 4.0], p: [0, 1, 0, 1]}
        assert session.run(parts[0] + others[0], {**feeds, parts[0]: [10.0]}).tolist() == [12.0, 16.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not start with"):
            session.run(again, {**feeds, parts[0]: [1.0, 2.0, 3.0]})
