"""Imported ONNX models beside onnxruntime, on one thread, and how long a large model takes to load.

    python -m benchmarks.onnx_models

onnxruntime must be installed beside Penstock. Both run the same file in one process, in turns; a figure is the lower
quartile of the processor times of a call, because other programs use the machine too. The networks: dense layers,
convolutions, and ONNX's own LSTM, GRU and RNN.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS, CALLS, WARM = 7, 30, 300
Built = tuple[bytes, dict[str, Any]]


def _weights(rng: Any, *shape: int) -> Any:
    return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)


def mlp() -> Built:
    """784, 512, 512 and 10 units, 64 rows."""
    import penstock as tf

    rng = np.random.default_rng(0)
    with tf.Graph().as_default():
        x = value = tf.placeholder(tf.float32, ["batch", 784], name="x")
        for i, (a, b) in enumerate([(784, 512), (512, 512), (512, 10)]):
            value = tf.matmul(value, _weights(rng, a, b)) + _weights(rng, b)
            value = tf.nn.relu(value) if i < 2 else tf.nn.softmax(value)
        content = tf.save_onnx(None, {"y": value}, [x])
    return content, {"x": rng.standard_normal((64, 784)).astype(np.float32)}


def cnn() -> Built:
    """Two convolutions of 5 x 5 with pooling, then dense layers; 32 images of 28 x 28."""
    import penstock as tf

    rng = np.random.default_rng(1)
    with tf.Graph().as_default():
        x = value = tf.placeholder(tf.float32, [32, 28, 28, 1], name="x")
        for a, b in ((1, 32), (32, 64)):
            value = tf.nn.conv2d(value, _weights(rng, 5, 5, a, b), [1, 1, 1, 1], "SAME") + _weights(rng, b)
            value = tf.nn.max_pool(tf.nn.relu(value), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        value = tf.nn.relu(tf.matmul(tf.reshape(value, [-1, 3136]), _weights(rng, 3136, 128)))
        value = tf.nn.softmax(tf.matmul(value, _weights(rng, 128, 10)))
        content = tf.save_onnx(None, {"y": value}, [x])
    return content, {"x": rng.standard_normal((32, 28, 28, 1)).astype(np.float32)}


def recurrent(op: str, gates: int, directions: int = 1) -> Built:
    """A recurrent operator: 50 steps, 32 rows, 64 inputs, 128 units."""
    import penstock as tf
    from penstock.interchange.onnx.wire.onnx_messages import ModelProto, OnnxGraphProto, OnnxNodeProto, OpsetProto
    from penstock.interchange.onnx.wire.onnx_tensors import tensor_proto
    from penstock.interchange.onnx.writing.onnx_writer import attribute, value_info
    from penstock.interchange.wire.wire_format import encode

    rng = np.random.default_rng(2)
    time_steps, rows, inputs, units = 50, 32, 64, 128
    arrays = {"w": (directions, gates * units, inputs), "r": (directions, gates * units, units),
              "b": (directions, 2 * gates * units)}  # fmt: skip
    attributes = [attribute("hidden_size", units), attribute("direction", "bidirectional" if directions == 2 else
                                                             "forward")]  # fmt: skip
    if op == "GRU":
        attributes.append(attribute("linear_before_reset", 1))
    graph = OnnxGraphProto(
        [OnnxNodeProto(["x", "w", "r", "b"], ["y"], "", op, attributes)], op,
        [tensor_proto((rng.standard_normal(shape) * 0.1).astype(np.float32), name) for name, shape in arrays.items()],
    )  # fmt: skip
    graph.inputs = [value_info("x", tf.float32, tf.TensorShape([time_steps, rows, inputs]))]
    graph.outputs = [value_info("y", tf.float32, tf.TensorShape([time_steps, directions, rows, units]))]
    content = encode(ModelProto(10, graph=graph, opsets=[OpsetProto("", 21)]))
    return content, {"x": rng.standard_normal((time_steps, rows, inputs)).astype(np.float32)}


def lstm() -> Built:
    """The operator LSTM."""
    return recurrent("LSTM", 4)


def lstm2() -> Built:
    """The same in both directions."""
    return recurrent("LSTM", 4, 2)


def gru() -> Built:
    """The operator GRU, as PyTorch writes it."""
    return recurrent("GRU", 3)


def rnn() -> Built:
    """The operator RNN."""
    return recurrent("RNN", 1)


def ours(content: bytes, feeds: dict[str, Any]) -> Callable[[], Any]:
    """A call here."""
    import penstock as tf

    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(content)
        session = tf.Session(graph=graph, config=tf.SessionConfig(threads=1))
        fetches = list(model.outputs.values())
        call = session.make_callable(fetches, [model.inputs[name] for name in feeds])
    values = list(feeds.values())
    return lambda: call(*values)


def theirs(content: bytes, feeds: dict[str, Any]) -> Callable[[], Any]:
    """A call of onnxruntime on one thread."""
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feeds)


def _time(call: Callable[[], Any], count: int) -> list[float]:
    times = []
    for _ in range(count):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return times


def _quartile(times: list[float]) -> float:
    return statistics.quantiles(times, n=4)[0]


def beside(build: Callable[[], Built]) -> tuple[float, float]:
    """The lower quartiles of both sides, in seconds; the values must agree."""
    content, feeds = build()
    calls = ours(content, feeds), theirs(content, feeds)
    first, second = [np.asarray(call()[0]) for call in calls]
    np.testing.assert_allclose(first, second, 1e-3, 1e-4)
    times: tuple[list[float], list[float]] = [], []
    for call in calls:
        _time(call, WARM)
    for _ in range(ROUNDS * CALLS):
        for call, found in zip(calls, times, strict=True):
            found += _time(call, 1)
    return _quartile(times[0]), _quartile(times[1])


def loading() -> tuple[float, float, float]:
    """Seconds to load a model of 100 MB, to load and run it, and to read the bytes of its file."""
    import penstock as tf

    rng = np.random.default_rng(3)
    with tf.Graph().as_default():
        x = value = tf.placeholder(tf.float32, [1, 2048], name="x")
        for _ in range(6):
            value = tf.nn.relu(tf.matmul(value, _weights(rng, 2048, 2048)))
        content = tf.save_onnx(None, {"y": value}, [x])
    found: tuple[list[float], list[float], list[float]] = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.onnx")
        path.write_bytes(content)

        def load(runs: bool) -> None:
            with tf.Graph().as_default() as graph:
                model = tf.load_onnx(path)
                if runs:
                    tf.Session(graph=graph).run(model.outputs["y"], {model.inputs["x"]: np.ones((1, 2048), np.float32)})

        for _ in range(12):
            for times, call in zip(found, (lambda: load(False), lambda: load(True), path.read_bytes), strict=True):
                times += _time(call, 1)
    quartiles = [_quartile(times) for times in found]
    return quartiles[0], quartiles[1], quartiles[2]


def main() -> None:
    """Print the tables."""
    for build in (mlp, cnn, lstm, lstm2, gru, rnn):
        here, there = beside(build)
        print(f"{build.__name__:5} {here * 1e3:8.3f} ms  onnxruntime {there * 1e3:8.3f} ms  ratio {here / there:.2f}")
    loaded, ran, read = loading()
    print(f"100 MB: loaded in {loaded * 1e3:.1f} ms, loaded and run in {ran * 1e3:.1f} ms, read in {read * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
