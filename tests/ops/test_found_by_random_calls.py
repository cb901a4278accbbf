"""What `tests/fuzz/random_calls.py` told apart: values that TensorFlow 2.21 gives."""

from __future__ import annotations

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
