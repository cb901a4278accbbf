"""Mistakes in convolutions: what is refused while building, what warns, what only a run refuses, and the words."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock

tf: Any = penstock  # calls that type checkers refuse


def x(*sizes: Any) -> Any:
    return tf.placeholder(tf.float32, sizes, name="x")


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tf.nn.conv2d(x(None, 8, 8), tf.zeros([3, 3, 1, 4]), 1, "SAME"), ValueError, "tf.expand_dims adds one"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 3, 4]), 1, "SAME"), ValueError, "Depth of input (1)"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4], "float64"), 1, "SAME"), TypeError, "tf.cast(filter"),
    (lambda: tf.nn.conv2d(x(None, 2, 8, 1), tf.zeros([3, 3, 1, 4]), 1, "VALID"), ValueError, "subtracting 3 from 2"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), 1.5, "VALID"), TypeError, "strides must be a"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), 0, "VALID"), ValueError, "must be >= 1"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), [1, 2, 2], "VALID"), ValueError, "length 1, 2"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), 1, "valid"), ValueError, "write 'VALID'"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), 1, 2), TypeError, "a list of [before, after]"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), 1), ValueError, "'padding' is missing"),
    (lambda: tf.nn.conv2d(x(None, 8, 8, 1), strides=1, padding="SAME"), ValueError, "'filter' is missing"),
    (
        lambda: tf.nn.conv2d(x(None, 8, 8, 1), tf.zeros([3, 3, 1, 4]), 1, "SAME", data_format="channels_last"),
        ValueError, "Write 'NHWC'",
    ),
    (lambda: tf.nn.conv2d(tf.zeros([1, 5, 5, 1], "int64"), np.ones([3, 3, 1, 1], "i8"), 1, "SAME"), TypeError, "int64"),
    (lambda: tf.nn.conv1d(x(1, 5), tf.zeros([3, 3, 4]), 1, "SAME"), ValueError, "Sequences have the batch"),
    (lambda: tf.nn.conv2d_transpose(x(2, 7, 7, 8), tf.zeros([3, 3, 8, 4]), [2, 14, 14, 4], 2), ValueError, "4 and 8"),
    (lambda: tf.nn.conv2d_transpose(x(2, 7, 7, 8), tf.zeros([3, 3, 4, 8]), [14, 14, 4], 2), ValueError, "4 values"),
    (lambda: tf.nn.depthwise_conv2d(x(1, 5, 5, 3), tf.zeros([3, 3, 4, 1]), 1, "SAME"), ValueError, "each channel"),
    (lambda: tf.nn.depthwise_conv2d(x(1, 5, 5, 3), tf.zeros([3, 3, 3, 1]), 2, "SAME", 2), ValueError, "rate is larger"),
    (lambda: tf.layers.conv2d(x(None, 8, 8), 4, 3), ValueError, "expected ndim=4, found ndim=3"),
    (lambda: tf.layers.conv2d(x(None, 8, 8, None), 4, 3), ValueError, "channel dimension"),
    (lambda: tf.layers.conv2d(x(None, 8, 8, 1), 4, (3, 3, 3)), ValueError, "tuple of 2 integers"),
    (lambda: tf.layers.conv2d(x(None, 8, 8, 1), 4, 3, padding="full"), ValueError, "'valid', 'same'"),
    (lambda: tf.layers.conv2d(x(None, 8, 8, 1), 4, 3, activation="relu"), TypeError, "tf.nn.relu"),
    (lambda: tf.layers.conv2d(tf.zeros([1, 8, 8, 1], "int32"), 4, 3), TypeError, "floats"),
    (lambda: tf.layers.conv2d(x(None, 8, 8, 1), 4, 3, 2, dilation_rate=2), ValueError, "dilation_rate > 1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_a_wrong_call_is_refused_where_it_is_made_and_adds_nothing(
    call: Callable[[], Any], kind: type[Exception], words: str
) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(kind) as caught:
            call()
        assert words in str(caught.value)
        types = {op.type for op in graph.get_operations()}
        assert not {name for name in types if "Conv" in name} and not tf.global_variables()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.nn.conv2d(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 1]), [2, 1, 1, 1], "VALID"), "batch and depth"),
        (
            lambda: tf.nn.conv2d_transpose(tf.ones([2, 7, 7, 8]), tf.ones([3, 3, 4, 8]), [2, 15, 14, 4], 2),
            "computed = [2,8,7,8]",
        ),
        (
            lambda: tf.nn.conv2d_backprop_filter(tf.ones([1, 5, 5, 1]), [3, 3, 1, 1], tf.ones([1, 2, 3, 1]), 1, "SAME"),
            "computed = [1,5,5,1]",
        ),
    ],
)
def test_what_every_run_will_refuse_warns_while_building(call: Callable[[], Any], words: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.warns(UserWarning, match="every run"):
            made = call()
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(made)
        assert words in str(caught.value)


def test_gradients_where_a_window_has_no_position_are_no_mistake() -> None:
    with warnings.catch_warnings(), tf.Graph().as_default(), tf.Session() as session:
        warnings.simplefilter("error")
        nothing = tf.zeros([1, 0, 3, 1])
        dx = tf.nn.conv2d_backprop_input([1, 2, 5, 1], tf.ones([3, 3, 1, 1]), nothing, 1, "VALID")
        dw = tf.nn.conv2d_backprop_filter(tf.ones([1, 2, 5, 1]), [3, 3, 1, 1], nothing, 1, "VALID")
        assert [np.abs(each).sum() for each in session.run([dx, dw])] == [0, 0]


@pytest.mark.parametrize(
    ("shape", "words"),
    [((2, 5, 5, 4), "evenly divisible"), ((2, 1, 5, 3), "would be negative"), ((2, 5, 5), "must be 4-dimensional")],
)
def test_what_only_the_run_sees_is_refused_there(shape: tuple[int, ...], words: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.float32)
        y = tf.nn.conv2d(image, tf.ones([3, 3, 3, 4]), 1, "VALID")
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(y, {image: np.ones(shape)})
