"""Small models that Keras and tf2onnx export, with onnxruntime's values, recorded in keras_models/.

    python -m tests.interchange.onnx.record_keras_models [functions]

tensorflow, keras, tf2onnx, onnx and onnxruntime are needed (recorded with 2.21.0, 3.15.1, 1.17.0, 1.23.2, 1.32.0), and
Penstock is not. Keras models are written by `model.export(format="onnx")`, functions of TensorFlow by tf2onnx. Each
model is an .onnx file; beside it an .npz file has the inputs (in_...), onnxruntime's outputs (out_...), and for models
of floats the gradient of the sum of squared outputs with respect to the first input, as TensorFlow computes it
(gradient).
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("keras_models")
OPSET = 17


def _without_notes(content: bytes) -> bytes:
    """The model without what its writer noted at nodes."""
    import onnx

    model = onnx.load_model_from_string(content)
    for node in model.graph.node:
        node.ClearField("doc_string")
        del node.metadata_props[:]
    return bytes(model.SerializeToString())


def _record(name: str, content: bytes, feeds: list[Any], gradient: Any) -> None:
    import onnxruntime

    content = _without_notes(content)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    named = dict(zip([each.name for each in session.get_inputs()], feeds, strict=True))
    arrays = {f"in_{key}": value for key, value in named.items()}
    for info, value in zip(session.get_outputs(), session.run(None, named), strict=True):
        arrays[f"out_{info.name}"] = value
    if gradient is not None:
        arrays["gradient"] = gradient
    (FOLDER / f"{name}.onnx").write_bytes(content)
    np.savez_compressed(FOLDER / f"{name}.npz", **arrays)
    print(name, len(content), {key: value.shape for key, value in arrays.items()})


def _gradient(call: Callable[[Any], Any], feed: Any) -> Any:
    import tensorflow as tf  # type: ignore[import-untyped]  # it is in an environment of its own

    if feed.dtype.kind != "f":
        return None
    x = tf.constant(feed)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(call(x) ** 2)
    return tape.gradient(loss, x).numpy()


def _of_keras(name: str, model: Any, feed: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        model(feed)
        model.export(str(path), format="onnx", verbose=False, opset_version=OPSET)
        _record(name, path.read_bytes(), [feed], _gradient(lambda x: model(x, training=False), feed))


def _of_function(name: str, function: Any, *feeds: Any) -> None:
    import tensorflow as tf
    import tf2onnx  # type: ignore[import-not-found]  # it is in an environment of its own

    specs = [tf.TensorSpec([None, *x.shape[1:]] if x.ndim else [], x.dtype, name=f"x{i}") for i, x in enumerate(feeds)]
    model, _ = tf2onnx.convert.from_function(tf.function(function), specs, opset=OPSET)
    _record(name, model.SerializeToString(), [*feeds], _gradient(lambda x: function(x, *feeds[1:]), feeds[0]))


def of_keras() -> None:
    """What Keras exports."""
    import keras  # type: ignore[import-not-found]  # it is in an environment of its own
    from keras import layers

    keras.utils.set_random_seed(7)
    rng = np.random.default_rng(7)

    def gelu(x: Any) -> Any:  # tf2onnx writes no Erfc, which the exact one has
        return keras.activations.gelu(x, approximate=True)

    def floats(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(np.float32)

    _of_keras("keras_mlp", keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), layers.Dense(16, gelu),
              layers.Dense(4, "softmax")]), floats(3, 8))  # fmt: skip
    cnn = keras.Sequential([keras.Input((10, 10, 2)), layers.Conv2D(4, 3, padding="same"), layers.BatchNormalization(),
                            layers.ReLU(), layers.MaxPooling2D(), layers.SeparableConv2D(6, 3, activation="swish"),
                            layers.GlobalAveragePooling2D(), layers.Dense(3)])  # fmt: skip
    norm = cnn.layers[1]
    norm.set_weights([floats(4), floats(4), floats(4), np.abs(floats(4)) + 0.5])
    _of_keras("keras_cnn", cnn, floats(2, 10, 10, 2))
    for cell in ("LSTM", "GRU", "SimpleRNN"):
        _of_keras(f"keras_{cell.lower()}", keras.Sequential([keras.Input((7, 4)), getattr(layers, cell)(6),
                  layers.Dense(3)]), floats(3, 7, 4))  # fmt: skip
    _of_keras("keras_two_way", keras.Sequential([keras.Input((5, 3)), layers.Bidirectional(layers.LSTM(
              4, return_sequences=True)), layers.Dense(2)]), floats(2, 5, 3))  # fmt: skip
    x = keras.Input((6, 16))
    seen = layers.MultiHeadAttention(2, 8)(layers.LayerNormalization()(x), layers.LayerNormalization()(x))
    y = layers.Add()([x, seen])
    wide = layers.Dense(16)(layers.Dense(32, gelu)(layers.LayerNormalization()(y)))
    _of_keras("keras_transformer", keras.Model(x, layers.Add()([y, wide])), floats(2, 6, 16))
    words = rng.integers(0, 40, (3, 6)).astype(np.float32)
    words_model = keras.Sequential([keras.Input((6,), dtype="int32"), layers.Embedding(40, 8),
                                    layers.GlobalAveragePooling1D(), layers.Dense(3, "softmax")])  # fmt: skip
    _of_keras("keras_words", words_model, words.astype(np.int32))


def of_functions() -> None:
    """What tf2onnx writes for functions with branches and loops."""
    import tensorflow as tf

    rng = np.random.default_rng(8)
    w = rng.standard_normal((4, 4)).astype(np.float32) * 0.4

    def branch(x: Any) -> Any:
        return tf.cond(tf.reduce_sum(x) > 0.5, lambda: tf.tanh(x @ w), lambda: x * 2.0 - tf.sin(x))

    def loop(x: Any, count: Any) -> Any:
        return tf.while_loop(lambda i, v: i < count, lambda i, v: (i + 1, tf.tanh(v @ w) + x), [0, x])[1]

    def running(x: Any) -> Any:
        return tf.scan(lambda a, row: 0.5 * a + tf.sin(row), x, initializer=tf.zeros([4]))

    feed = rng.standard_normal((3, 4)).astype(np.float32)
    _of_function("tf_branch", branch, feed)
    _of_function("tf_loop", loop, feed, np.array(4, np.int32))
    _of_function("tf_scan", running, feed)


def main() -> None:
    """Record every model."""
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    FOLDER.mkdir(exist_ok=True)
    for step in (of_keras, of_functions) if sys.argv[1:] != ["functions"] else (of_functions,):
        step()


if __name__ == "__main__":
    main()
