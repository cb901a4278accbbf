"""What `tests/fuzz/random_calls.py` told apart: values that TensorFlow 2.21 gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from penstock.compat import v1 as tf

TEXTS = [b"ab", b"\xffab", b"", b"aab", b"\xc3\xa4b"]
REPLACED = {
    "(a|b)*": [b"<ab>", b"<>\xff<ab>", b"<>", b"<aab>", b"<>\xc3\xa4<b>"],
    "a*": [b"<a>b<>", b"<>\xff<a>b<>", b"<>", b"<aa>b<>", b"<>\xc3\xa4<>b<>"],
    "": [b"<>a<>b<>", b"<>\xff<>a<>b<>", b"<>", b"<>a<>a<>b<>", b"<>\xc3\xa4<>b<>"],
    "b?": [b"<>a<b>", b"<>\xff<>a<b>", b"<>", b"<>a<>a<b>", b"<>\xc3\xa4<b>"],
    "a*?": [b"<>a<>b<>", b"<>\xff<>a<>b<>", b"<>", b"<>a<>a<>b<>", b"<>\xc3\xa4<>b<>"],
    "^": [b"<>ab", b"<>\xffab", b"<>", b"<>aab", b"<>\xc3\xa4b"],
    "$": [b"ab<>", b"\xffab<>", b"<>", b"aab<>", b"\xc3\xa4b<>"],
}


@pytest.mark.parametrize("pattern", REPLACED)
def test_empty_matches_are_replaced_as_by_re2(pattern: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        replaced = session.run(tf.strings.regex_replace(tf.constant(TEXTS), pattern, r"<\0>"))
    assert replaced.tolist() == REPLACED[pattern]


@pytest.mark.parametrize(
    ("text", "start", "part"),
    [(b"\xff\x00q", 0, b"\xff\x00"), (b"a\xc3", 1, b"\xc3"), (b"\xe2\x82\xac\xff", -2, b"\xe2\x82\xac\xff"),
     (b"ab\x80c", 1, b"b\x80c"), (b"ab\x80c", -2, b"b\x80c")],
)  # fmt: skip
def test_parts_by_characters_keep_bytes_that_are_no_text(text: bytes, start: int, part: bytes) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.strings.substr(text, start, 2, unit="UTF8_CHAR")) == part


@pytest.mark.parametrize("labels", [[1, 1], [1, 3], [1, 1, 3]])
def test_labels_that_collapse_need_time_too(labels: list[int]) -> None:
    logits = np.zeros([3, 1, 4], "f4")
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0, i] for i in range(len(labels))], np.array(labels, "i4"), [1, len(labels)])
        ignored = tf.nn.ctc_loss(sparse, logits, [1], True, ignore_longer_outputs_than_inputs=True)
        assert session.run(ignored).tolist() == [0.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"required: {len(labels)}, available: 1"):
            session.run(tf.nn.ctc_loss(sparse, logits, [1], True))


def test_colours_are_read_as_grey_with_the_weights_of_libpng() -> None:
    pixels = np.array([[[10, 20, 30], [255, 255, 255], [0, 0, 255], [201, 90, 3], [128, 128, 128]]], "u1")
    with tf.Graph().as_default(), tf.Session() as session:
        grey = session.run(tf.image.decode_png(tf.image.encode_png(pixels), channels=1))
    assert grey.ravel().tolist() == [18, 255, 29, 113, 128]


@pytest.mark.parametrize("lengths", [[6, 4], [3, 7], [2, 2]])
def test_a_transform_completes_operands_of_unknown_rank(lengths: list[int]) -> None:
    signal = np.random.default_rng(0).random((3, 4)).astype("f4")
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, None)
        forth, back = tf.signal.rfft2d(fed, lengths), tf.signal.irfft2d(tf.cast(fed, tf.complex64), lengths)
        values = session.run([forth, back], {fed: signal})
    np.testing.assert_allclose(values[0], np.fft.rfft2(signal, lengths), 1e-4, 1e-5)
    np.testing.assert_allclose(values[1], np.fft.irfft2(signal, lengths), 1e-4, 1e-5)


def test_an_image_that_has_its_size_becomes_floats_with_a_frame() -> None:
    with tf.Graph().as_default():
        framed = tf.image.resize_image_with_pad(np.zeros([2, 2, 3], "u1"), 2, 5)
        assert (framed.dtype, framed.shape.as_list()) == (tf.float32, [2, 5, 3])


def test_sizes_that_follow_from_other_operands_are_known() -> None:
    with tf.Graph().as_default():
        any_shape, images = tf.placeholder(tf.float32, None), tf.placeholder(tf.float32, [None] * 4)
        sparse = tf.SparseTensor([[0, 1], [3, 0]], [1.0, 2.0], [4, 2])
        shapes = {
            (None, 3, 3): tf.matrix_inverse(tf.placeholder(tf.float32, [None, 3, None])),
            (5, None, None): tf.matrix_set_diag(any_shape, tf.placeholder(tf.float32, [5, None])),
            (None,): tf.unique_with_counts(any_shape).count,
            (None,) * 4: tf.nn.lrn(any_shape),
            (None, 7, 9, None): tf.image.pad_to_bounding_box(images, 1, 1, 7, 9),
            (4,): tf.sparse_fill_empty_rows(sparse, 0.0)[1],
            (6, 2): tf.sparse_concat(0, [sparse] * 3).indices,
            (2,): tf.edit_distance(tf.SparseTensor([[1, 0]], [1], [2, 1]), tf.SparseTensor([[1, 0]], [2], [2, 1])),
        }
    assert [tensor.shape.as_list() for tensor in shapes.values()] == [list(shape) for shape in shapes]


def test_three_operands_of_unknown_shape_have_derivatives() -> None:
    sizes = [[3, 1], [2], []]
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.float64, None) for _ in sizes]
        known = [tf.placeholder(tf.float64, each) for each in sizes]
        numbers = [np.linspace(0.2, 0.8, int(np.prod(each))).reshape(each) for each in sizes]
        gradients = [tf.gradients(tf.betainc(a, b, x), x) for a, b, x in (fed, known)]
        feeds = dict(zip([*fed, *known], [*numbers, *numbers], strict=True))
        (unknown,), (expected,) = session.run(gradients, feeds)
    assert unknown.shape == ()
    np.testing.assert_allclose(unknown, expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_floats_are_divided_and_rounded_towards_zero(dtype: str) -> None:
    x = np.array([7.5, -7.5, 1.5, -0.25, np.inf, 1.0, 0.0] * 40, dtype)
    y = np.array([2.0, 2.0, -1.0, 1.0, 1.0, 0.0, 0.0] * 40, dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.placeholder(dtype, [None]), tf.placeholder(dtype, [None])
        whole, chained = tf.truncatediv(a, b), tf.truncatediv(a + a, b) * 2
        for _ in range(3):  # the plan for known shapes is machine code
            values = session.run([whole, chained], {a: x, b: y})
    assert values[0].dtype == np.dtype(dtype)
    np.testing.assert_array_equal(values[0][:7], [3, -3, -1, -0.0, np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(values[1][:7], [14, -14, -6, -0.0, np.inf, np.inf, np.nan])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_quotient_of_16_bits_is_rounded_before_it_is_truncated(dtype: str) -> None:
    x, y = np.random.default_rng(0).uniform(-3, 3, (2, 4000)).astype("f4") * [[1.0], [0.05]]
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.cast(tf.constant(x), dtype), tf.cast(tf.constant(y), dtype)
        whole, quotient = session.run([tf.truncatediv(a, b), a / b])
        assert (np.trunc(quotient.astype("f4")) == whole.astype("f4")).all()
        assert (np.trunc(session.run(tf.cast(a, "float32") / tf.cast(b, "float32"))) != whole.astype("f4")).any()


@pytest.mark.parametrize("name", ["sparse_segment_sum", "sparse_segment_mean", "sparse_segment_sqrt_n"])
def test_segments_behind_the_last_id_are_zeros(name: str) -> None:
    data = np.arange(1.0, 9.0).reshape(4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        count, rows = tf.placeholder(tf.int64, []), tf.constant(data)
        args: tuple[Any, ...] = (rows, [3, 0, 3], [0, 0, 2])
        fixed, fed = (getattr(tf, name)(*args, num_segments=each) for each in (5, count))
        assert fixed.shape.as_list() == [5, 2] and fed.shape.as_list() == [None, 2]
        plain, gradient = getattr(tf, name)(*args), tf.gradients(fixed, rows)[0]
        values = session.run([fixed, fed, plain, gradient, *tf.gradients(plain, rows)], {count: 4})
        assert values[0].tolist() == [*values[2].tolist(), [0, 0], [0, 0]]
        assert values[1].tolist() == [*values[2].tolist(), [0, 0]]
        assert values[3].tolist() == values[4].tolist()
        with pytest.raises(tf.errors.InvalidArgumentError, match="segment ids must be less than num_segments"):
            session.run(fed, {count: 2})
        for wrong in (-1, 1.5, [1]):
            with pytest.raises((ValueError, TypeError), match="num_segments"):
                getattr(tf, name)(*args, num_segments=wrong)


@pytest.mark.parametrize(("mode", "wanted"), [("SYMMETRIC", [2, 1, 1, 2, 3, 3]), ("REFLECT", [3, 2, 1, 2, 3, 2])])
def test_the_rows_of_paddings_say_the_rank(mode: str, wanted: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, None)
        padded = tf.pad(fed, [[2, 1]], mode)
        assert padded.shape.as_list() == [None]
        assert session.run(padded, {fed: [1, 2, 3]}).tolist() == wanted
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(padded, {fed: [[1, 2, 3]]})


@pytest.mark.parametrize("axis", [None, 1, 2, -1])
def test_slices_in_batches_of_unknown_rank(axis: int | None) -> None:
    table, places = np.arange(24.0).reshape(2, 3, 4), np.array([[[2, 0]], [[1, 1]]])
    with tf.Graph().as_default(), tf.Session() as session:
        x, i = tf.placeholder(tf.float64, None), tf.placeholder(tf.int64, None)
        known = tf.gather(table, places, axis=axis, batch_dims=1)
        for a, b in ((x, i), (x, tf.constant(places)), (tf.constant(table), i)):
            for batch in (1, -2):
                picked = tf.gather(a, b, axis=axis, batch_dims=batch)
                wanted, value = session.run([known, picked], {x: table, i: places})
                assert value.tolist() == wanted.tolist() and value.shape == wanted.shape
        gradients = tf.gradients(tf.gather(x, i, axis=axis, batch_dims=1), x)
        assert session.run(gradients, {x: table, i: places})[0].sum() == session.run(known).size
        with pytest.raises(tf.errors.InvalidArgumentError, match="first batch_dims sizes"):
            session.run(tf.gather(x, i, axis=axis, batch_dims=1), {x: table, i: places[:1]})


@pytest.mark.parametrize("batch", [[], [2]])
@pytest.mark.parametrize("name", ["rot90", "flip_left_right", "flip_up_down", "transpose_image", "grayscale_to_rgb"])
def test_images_of_unknown_rank_are_turned_as_others(name: str, batch: list[int]) -> None:
    depth = 1 if name == "grayscale_to_rgb" else 3
    pixels = np.arange(2.0 * 4 * depth * (2 if batch else 1)).reshape(*batch, 2, 4, depth)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float64, None)
        value, wanted = session.run([getattr(tf.image, name)(fed), getattr(tf.image, name)(pixels)], {fed: pixels})
        assert value.tolist() == wanted.tolist()
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"3 or 4 dimensions|should be size 1"):
            session.run(getattr(tf.image, name)(fed), {fed: np.zeros([2, 2])})


def test_one_image_of_unknown_rank_gets_a_frame() -> None:
    pixels = np.arange(24.0).reshape(2, 4, 3)
    calls: list[Callable[[Any], Any]] = [
        lambda x: tf.image.resize_image_with_crop_or_pad(x, 3, 3), lambda x: tf.image.resize_image_with_pad(x, 3, 5),
        lambda x: tf.image.pad_to_bounding_box(x, 1, 0, 4, 4), lambda x: tf.image.crop_to_bounding_box(x, 0, 1, 2, 2),
    ]  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float64, None)
        for call in calls:
            framed, known = call(fed), call(pixels)
            assert framed.shape.as_list() == [*known.shape.as_list()[:2], None]
            value, wanted = session.run([framed, known], {fed: pixels})
            assert value.tolist() == wanted.tolist()
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(framed, {fed: pixels[None]})


@pytest.mark.parametrize(("shape", "known"), [([2], [None, 3]), ([2, 1], [None, 3]), ([2], None)])
def test_labels_of_unknown_shape_have_weights_by_row(shape: list[int], known: list[int | None] | None) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        labels, weights = tf.placeholder(tf.int32, None), tf.placeholder(tf.float32, [None, 1])
        logits = tf.placeholder(tf.float32, known)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights)
        feeds = {labels: np.reshape([1, 2], shape), weights: [[1.0], [2.0]], logits: np.ones([2, 3])}
        assert abs(session.run(loss, feeds) - 1.5 * np.log(3)) < 1e-6
        if known:
            for wrong in ([[1, 2]], [1], [[1, 1], [2, 2]]):
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(loss, feeds | {labels: wrong})


def test_the_share_of_classes_below_is_tensorflows() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dice = tf.distributions.Categorical(probs=[[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
        np.testing.assert_allclose(session.run(dice.cdf([0, 2])), [0.0, 0.2], 1e-6)
        np.testing.assert_allclose(session.run(dice.cdf(1)), [0.2, 0.1], 1e-6)
        above = session.run(dice.survival_function([[0, 2], [1, 3]]))
        np.testing.assert_allclose(above, [[1, 0.8], [0.8, 0]], 1e-6, 1e-6)
        one, two = tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(1.0, 2.0)
        whole, parts = session.run([one.cross_entropy(two), one.entropy() + one.kl_divergence(two)])
        assert whole == parts


# TensorFlow's, of triangles with a zero in the diagonal.
@pytest.mark.parametrize(
    ("matrix", "rhs", "lower", "adjoint", "wanted"),
    [([[0.0, 5.0], [1.0, 1.0]], [1.0, 1.0], True, False, [np.inf, -np.inf]),
     ([[2.0, 1.0], [7.0, 0.0]], [1.0, 1.0], False, False, [-np.inf, np.inf]),
     ([[2.0, 0.0], [2.0, 0.0]], [1.0, 0.0], True, False, [0.5, -np.inf]),
     ([[2.0, 0.0], [2.0, 0.0]], [1.0, 1.0], True, False, [0.5, np.nan]),
     ([[2.0, 4.0], [0.0, 0.0]], [1.0, 1.0], False, True, [0.5, -np.inf])],
)  # fmt: skip
def test_a_zero_in_the_diagonal_of_a_triangle_gives_infinities(
    matrix: list[list[float]], rhs: list[float], lower: bool, adjoint: bool, wanted: list[float]
) -> None:
    matrices, columns = np.array([matrix, [[4.0, 0.0], [0.0, 4.0]]]), np.array([rhs, rhs])[:, :, None]
    with tf.Graph().as_default(), tf.Session() as session:
        both = session.run(tf.matrix_triangular_solve(matrices, columns, lower, adjoint))
    np.testing.assert_array_equal(both[..., 0], [wanted, np.array(rhs) / 4])


def test_a_pivot_that_lapack_loses_is_no_error() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        matrix = np.array([[1e-200, 0.0], [1e200, 1e-200]])
        solved = session.run(tf.matrix_triangular_solve(matrix, [[1e-200], [1e200]]))
    assert solved.tolist() == [[1.0], [0.0]]
