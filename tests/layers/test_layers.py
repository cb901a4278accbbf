"""Layers: signatures, shared variables, names, errors that leave nothing behind, a training with moving averages."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import UnimplementedError

X = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]], np.float32)


def test_a_call_that_fails_adds_no_node_and_no_variable() -> None:
    with tf.Graph().as_default() as graph:
        layer = tf.layers.Dense(2)
        for wrong in (tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32), tf.placeholder(tf.int32, [2, 3])):
            count = len(graph.get_operations())
            with pytest.raises((TypeError, ValueError)):
                layer(wrong)
            with pytest.raises((TypeError, ValueError)):
                tf.layers.dense(wrong, 2)
            assert len(graph.get_operations()) == count
        assert tf.global_variables() == [] and not layer.built and layer.variables == []
        assert layer(X).name == "dense/BiasAdd:0"


def test_the_activation_that_fails_takes_the_variables_back() -> None:
    def broken(x: tf.Tensor) -> tf.Tensor:
        raise RuntimeError("broken")

    with tf.Graph().as_default() as graph:
        with pytest.raises(RuntimeError, match="broken"):
            tf.layers.dense(X, 2, broken, name="d")
        assert graph.get_operations() == [] and tf.global_variables() == []
        tf.layers.dense(X, 2, name="d")


def test_a_name_that_is_taken_needs_reuse() -> None:
    with tf.Graph().as_default():
        tf.layers.dense(X, 2, name="d")
        with pytest.raises(ValueError, match="Variable d/kernel already exists"):
            tf.layers.dense(X, 2, name="d")
        tf.layers.dense(X, 2, name="d", reuse=tf.AUTO_REUSE)
        with pytest.raises(ValueError, match="e/kernel"):
            tf.layers.dense(X, 2, name="e", reuse=True)
        assert [v.name for v in tf.global_variables()] == ["d/kernel:0", "d/bias:0"]


def test_units_is_an_int() -> None:
    with pytest.raises(TypeError, match="must be a Python int"):
        tf.layers.Dense(2.5)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ValueError, match="expected a positive integer"):
        tf.layers.Dense(-1)


def test_an_unused_layer_has_no_scope() -> None:
    with pytest.raises(ValueError, match="has not been used yet"):
        tf.layers.Dense(2).scope_name


def test_float16_inputs_have_averages_of_float32() -> None:
    with tf.Graph().as_default():
        y = tf.layers.batch_normalization(tf.placeholder(tf.float16, [None, 3]), training=True)
        assert y.dtype is tf.float16 and {v.dtype for v in tf.global_variables()} == {tf.float32}


def test_what_batch_normalization_does_not_have_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(UnimplementedError, match="renorm has neither virtual batches"):
        tf.layers.batch_normalization(X, virtual_batch_size=2, renorm=True)
    for more, words in (({"renorm_clipping": {"max": 1.0}, "renorm": True}, "keys not in"),
                        ({"fused": True, "renorm": True}, "`renorm=True`"),
                        ({"fused": True, "virtual_batch_size": 2}, "leave `fused` out"),
                        ({"axis": 0, "virtual_batch_size": 2}, "axis cannot be 0"),
                        ({"virtual_batch_size": 7}, "must divide their number")):  # fmt: skip
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            tf.layers.batch_normalization(X, **more)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("sizes", [(8, 3), (8, 2, 5, 3)])
def test_virtual_batches_are_normalized_each_by_itself(sizes: tuple[int, ...], known: bool) -> None:
    """Compared with TensorFlow's layer by hand: names, shapes, values and updates are equal."""
    data = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, *sizes[1:]])
        training = True if known else tf.placeholder(tf.bool, [])
        layer: Any = tf.layers.BatchNormalization(virtual_batch_size=4, momentum=0.75, epsilon=0.0,
                                             gamma_initializer=tf.constant_initializer(2.0))  # fmt: skip
        y = layer(x, training)
        session.run(tf.global_variables_initializer())
        feed = {x: data} if known else {x: data, training: True}
        found = session.run([y, *layer.updates], feed)[0]
        groups = data.reshape(4, -1, *sizes[1:])
        axes = tuple(d for d in range(groups.ndim) if d not in (1, groups.ndim - 1))
        mean, spread = groups.mean(axes, keepdims=True), groups.var(axes, keepdims=True)
        assert np.allclose(found, (2.0 * (groups - mean) / np.sqrt(spread)).reshape(sizes), atol=1e-5)
        assert y.shape.as_list() == [None, *sizes[1:]]
        assert layer.moving_mean.shape == [1] * len(sizes) + [3] == layer.gamma.shape
        assert np.allclose(session.run(layer.moving_mean), 0.25 * mean.mean(1, keepdims=True), atol=1e-6)
        if not known:
            average, variance = session.run([layer.moving_mean, layer.moving_variance])
            expect = 2.0 * (groups - average) / np.sqrt(variance)
            assert np.allclose(session.run(y, {x: data, training: False}), expect.reshape(sizes), atol=1e-5)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(y, {x: data[:3], training: True})


def test_normalized_inputs_are_adjusted_in_training() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, training = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.bool, [])
        ten, one = tf.constant_initializer(10.0), tf.constant_initializer(1.0)
        more: dict[str, Any] = {"gamma_initializer": ten, "beta_initializer": one}
        y = tf.layers.batch_normalization(x, training=training, epsilon=0.0, **more, adjustment=lambda shape: (
            tf.fill([shape[0], 1], 2.0), tf.fill([shape[0], 1], 0.5)))  # fmt: skip
        bare = tf.layers.batch_normalization(x, training=True, epsilon=0.0, scale=False, center=False,
                                             adjustment=lambda shape: (3.0, tf.zeros(shape)))  # fmt: skip
        session.run(tf.global_variables_initializer())
        data = [[1.0, 3.0], [3.0, 1.0]]
        assert session.run(y, {x: data, training: True}).tolist() == [[-14.0, 26.0], [26.0, -14.0]]
        assert session.run(y, {x: data, training: False}).tolist() == [[11.0, 31.0], [31.0, 11.0]]
        assert session.run(bare, {x: data}).tolist() == [[-3.0, 3.0], [3.0, -3.0]]


def test_the_moving_averages_come_near_the_moments_of_the_inputs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        training = tf.placeholder(tf.bool, [])
        y = tf.layers.batch_normalization(x, momentum=0.5, epsilon=1e-6, training=training)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        before = session.run(tf.global_variables())
        session.run(updates, {x: X, training: False})
        for one, other in zip(before, session.run(tf.global_variables()), strict=True):
            assert np.array_equal(one, other)
        for _ in range(60):
            session.run(updates, {x: X, training: True})
        in_training = session.run(y, {x: X, training: True})
        assert np.allclose(session.run(y, {x: X, training: False}), in_training, atol=1e-4)


def test_a_step_under_the_updates_trains_and_moves_the_averages() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.layers.batch_normalization(tf.layers.dense(X, 4), training=True)
        loss = tf.losses.mean_squared_error(np.ones((2, 4), np.float32), y)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(tf.global_variables_initializer())
        first = session.run(loss)
        for _ in range(50):
            session.run(step)
        (mean,) = [v for v in tf.global_variables() if v.name.endswith("moving_mean:0")]
        assert session.run(loss) < first / 2 and np.abs(session.run(mean)).max() > 0


@pytest.mark.parametrize(
    "layer", [tf.layers.Conv1D, tf.layers.Conv2D, tf.layers.SeparableConv2D, tf.layers.Conv3DTranspose]
)
def test_the_constructor_of_a_convolution_has_steps_of_its_own_rank(layer: type[tf.layers.Conv1D]) -> None:
    parameters = inspect.signature(layer).parameters
    assert parameters["strides"].default == (1 if layer.rank == 1 else (1,) * layer.rank)
    assert parameters["padding"].default == "valid" and parameters["filters"].default is inspect.Parameter.empty
    with pytest.raises(TypeError, match=rf"{layer.__name__}.__init__\(\) missing 1 required .*'kernel_size'"):
        layer(3)  # type: ignore[call-arg]


def test_a_subclass_of_a_layer_has_the_signature_of_its_own_constructor() -> None:
    class Halving(tf.layers.Conv2D):
        def __init__(self, filters: int, strides: int = 1) -> None:
            super().__init__(filters, 2, strides + 1)

    assert list(inspect.signature(Halving).parameters) == ["filters", "strides"]
    with tf.Graph().as_default():
        assert Halving(3)(tf.zeros([1, 8, 8, 2])).shape == (1, 4, 4, 3)


@pytest.mark.parametrize("name", ["conv1d", "conv2d", "separable_conv2d", "conv3d_transpose"])
def test_the_function_of_a_layer_takes_the_inputs_the_arguments_of_the_layer_and_reuse(name: str) -> None:
    function = getattr(tf.layers, name)
    layer = next(kind for kind in vars(tf.layers).values() if getattr(kind, "base_name", "") == name)
    own = {key: each for key, each in inspect.signature(layer).parameters.items() if key != "dtype"}
    parameters = dict(inspect.signature(function).parameters)
    assert list(parameters) == ["inputs", *own, "reuse"] and {**own, **parameters} == parameters
    with (
        tf.Graph().as_default(),
        pytest.raises(TypeError, match=rf"^{name}\(inputs, .*unexpected keyword argument 'us'"),
    ):
        function(tf.zeros([1, 8, 8, 8, 2]), 2, 2, us=True)


def test_the_function_of_a_layer_shares_variables_by_position_and_by_name() -> None:
    with tf.Graph().as_default():
        x = tf.zeros([1, 8, 2])
        one = tf.layers.conv1d(x, 3, 2, name="c")
        other = tf.layers.conv1d(inputs=x, filters=3, kernel_size=2, name="c", reuse=True)
        assert [v.name for v in tf.global_variables()] == ["c/kernel:0", "c/bias:0"] and one.shape == other.shape
        with pytest.raises(ValueError, match="c/kernel"):
            tf.layers.conv1d(x, 3, 2, name="c")


def image(*shape: Any, dtype: Any = tf.float32) -> tf.Tensor:
    return tf.placeholder(dtype, shape or [None, 28, 28, 3])


def shared(layer: Any) -> None:
    layer(image())
    layer(image(None, 28, 28, 1))


L = tf.layers
MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "vectors": (
        lambda: L.conv2d(image(None, 784), 8, 3), ValueError, r"\[batch, height, width, channels\]; tf.reshape"),
    "gray images": (lambda: L.conv2d(image(None, 28, 28), 8, 3), ValueError, r"tf.expand_dims\(x, -1\) adds"),
    "gray images, channels first": (
        lambda: L.max_pooling2d(image(None, 28, 28), 2, 2, data_format="channels_first"), ValueError,
        r"\[batch, channels, height, width\]; tf.expand_dims\(x, 1\)"),
    "a matrix for sequences": (lambda: L.conv1d(image(None, 9), 8, 3), ValueError, r"\[batch, width, channels\]"),
    "four strides": (lambda: L.conv2d(image(), 8, 3, strides=[1, 2, 2, 1]), ValueError, "no entries for the batch"),
    "a window of text": (
        lambda: L.conv2d(image(), 8, ["3", 3]),  # type: ignore[list-item]
        TypeError, "kernel_size must be a Python int"),
    "no filters": (lambda: L.conv2d(image(), 0, 3), ValueError, "`filters`, expected a positive integer: 0"),
    "filters and window swapped": (
        lambda: L.conv2d(image(), [3, 3], 8),  # type: ignore[arg-type]
        TypeError, r"filters must be a Python int, not \[3, 3\]"),
    "bytes": (lambda: L.conv2d(image(dtype=tf.uint8), 8, 3), TypeError, r"tf.cast\(x, tf.float32\)"),
    "bytes to normalize": (
        lambda: L.batch_normalization(image(dtype=tf.uint8)), TypeError, r"tf.cast\(x, tf.float32\)"),
    "unknown channels": (lambda: L.batch_normalization(image(None, 9, 9, None)), ValueError, "t.set_shape"),
    "the units first": (
        lambda: L.dense(10, image(None, 5)), TypeError, "units must be a Python int"),  # type: ignore[arg-type]
    "two inputs": (
        lambda: L.dense([image(None, 5), image(None, 4)], 3), ValueError,
        r"reads one tensor, and the inputs are 2 of shapes \(\?, 5\), \(\?, 4\); .*tf.concat"),
    "a layer for two numbers of channels": (
        lambda: shared(L.Conv2D(8, 3)), ValueError, r"'conv2d' made its weights for inputs of shape .*28, 1\); make"),
    "a percentage": (lambda: L.dropout(image(), 80), ValueError, r"rate is 80; it must be in \[0, 1\)"),
    "a negative rate": (lambda: L.Dropout(-0.1), ValueError, r"rate is -0.1"),
    "no flatten": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(image(None, 9, 9, 10), image(None, dtype=tf.int32)),
        ValueError, "tf.layers.flatten in front of the last layer"),
    "weights of no call": (lambda: L.Conv2D(8, 3).kernel, AttributeError, "'conv2d' has no kernel yet: its first call"),
    "weights of a dense layer": (lambda: L.Dense(8).kernel, AttributeError, "'dense' has no kernel yet"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_says_what_to_do(mistake: str) -> None:
    call, kind, words = MISTAKES[mistake]
    with tf.Graph().as_default(), pytest.raises(kind, match=f"(?s){words}"):
        call()


def test_a_layer_without_variables_reads_inputs_of_any_size() -> None:
    with tf.Graph().as_default():
        shared(L.Flatten())
        shared(L.MaxPooling2D(2, 2))


@pytest.mark.parametrize(("taps", "steps"), [(k, s) for k in (1, 2, 3, 5) for s in (1, 2, 4)])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_a_transposed_convolution_has_the_size_whose_convolution_has_that_of_its_operand(
    taps: int, steps: int, padding: str
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 6, None, 2])
        y = tf.layers.conv2d_transpose(x, 3, taps, steps, padding)
        session.run(tf.global_variables_initializer())
        sizes = session.run(y, {x: np.ones((2, 6, 5, 2), "f4")}).shape
    more = max(taps - steps, 0) if padding == "valid" else 0
    assert sizes == (2, 6 * steps + more, 5 * steps + more, 3)
    assert y.shape[1:3].as_list()[0] in (6 * steps + more, None)
