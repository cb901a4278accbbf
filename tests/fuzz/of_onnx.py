"""The fuzz of written ONNX models: random programs with gradients, networks, branches and loops, run elsewhere.

    python -m tests.fuzz.of_onnx --count 3000 --seed-start 0

Each program is written as an ONNX model, which onnxruntime runs (where that has no kernel for a dtype, the evaluator of
the package onnx does); the values must be Penstock's up to rounding. Values are plain numbers: what ONNX leaves open,
such as the order of nan or ints that overflow, is not asked. What has no ONNX form must be told so.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import penstock as tf
from penstock.errors import GraphFormatError

from ..interchange.onnx.exported_samples import run_elsewhere
from ..random_graphs import Shape, Writer, with_fetches
from ..random_graphs.index_steps import INDEXING
from ..random_graphs.steps import ELEMENTWISE, STEPS
from .seeds import seeds_of

DTYPES = ("float32", "float32", "float32", "float64", "int32", "int64", "bool")
Built = tuple[list[Any], dict[Any, Any]]
"""The fetches and what is fed."""


class PlainWriter(Writer):
    """A writer of programs whose arrays hold plain numbers."""

    def array(self, dtype: str, shape: Shape) -> Any:
        """Plain values."""
        if dtype == "bool":
            return np.asarray(self.rng.random(shape) < 0.5)
        if dtype.startswith(("int", "uint")):
            return np.asarray(self.rng.integers(0 if dtype[0] == "u" else -4, 7, shape)).astype(dtype)
        return np.asarray(self.rng.standard_normal(shape) + 0.1).astype(dtype)


def of_steps(seed: int) -> Built:
    """The steps of the other fuzzes, and gradients of what they make."""
    writer = PlainWriter(seed, DTYPES)
    for _ in range(3):
        writer.leaf(writer.one_of(DTYPES), writer.shape())
    for _ in range(12):
        writer.one_of((*STEPS, *ELEMENTWISE, *INDEXING))(writer)
    _, fetches, feeds = with_fetches(writer).build()
    floats = [t for t in fetches if t.dtype.is_floating]
    xs = [t for t in feeds if t.dtype.is_floating]
    if floats and xs:
        with fetches[0].graph.as_default():
            fetches = [*fetches, *[g for g in tf.gradients(floats, xs) if isinstance(g, tf.Tensor)]]
    return fetches, feeds


def of_networks(seed: int) -> Built:
    """Layers with their backward pass: dense, convolution, pooling, normalisation, a loss."""
    rng = np.random.default_rng(seed)
    rows, size, depth = int(rng.integers(1, 4)), int(rng.integers(5, 9)), int(rng.integers(1, 4))
    batch = (rows, None, "batch")[int(rng.integers(3))]
    x = tf.placeholder(tf.float32, [batch, size, size, depth], name="x")
    weights: list[Any] = []

    def weight(shape: list[int]) -> Any:
        weights.append(tf.constant(rng.standard_normal(shape).astype(np.float32) * 0.4))
        return weights[-1]

    value = x
    for _ in range(int(rng.integers(1, 3))):
        channels, out, k = int(value.shape[-1]), int(rng.integers(1, 5)), int(rng.integers(1, 4))
        stride = int(rng.integers(1, 3))
        padding = str(rng.choice(["SAME", "VALID"])) if k <= int(value.shape[1]) else "SAME"
        if rng.random() < 0.7:
            value = tf.nn.conv2d(value, weight([k, k, channels, out]), [1, stride, stride, 1], padding)
        else:
            value = tf.nn.depthwise_conv2d(value, weight([k, k, channels, 2]), [1, stride, stride, 1], padding)
        value = _ACTIVATIONS[int(rng.integers(len(_ACTIVATIONS)))](value)
        if int(value.shape[1]) >= 2 and rng.random() < 0.6:
            pool = tf.nn.max_pool if rng.random() < 0.5 else tf.nn.avg_pool
            value = pool(value, [1, 2, 2, 1], [1, 2, 2, 1], padding)
    flat = int(np.prod([int(s) for s in value.shape[1:]]))
    value = tf.reshape(value, [-1, flat])
    classes = int(rng.integers(2, 5))
    logits = tf.matmul(value, weight([flat, classes])) + weight([classes])
    if rng.random() < 0.5:
        labels = tf.placeholder(tf.int32, [batch], name="labels")
        told: Any = rng.integers(0, classes, rows).astype(np.int32)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    else:
        labels = tf.placeholder(tf.float32, [batch, classes], name="labels")
        told = rng.random((rows, classes)).astype(np.float32)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    slopes = tf.gradients(loss, [x, *weights])
    image = rng.standard_normal((rows, size, size, depth)).astype(np.float32)
    return [logits, loss, *[g for g in slopes if g is not None]], {x: image, labels: told}


_ACTIVATIONS: tuple[Callable[[Any], Any], ...] = (
    tf.nn.relu, tf.nn.elu, tf.tanh, tf.sigmoid, tf.nn.softplus, tf.nn.relu6, tf.nn.selu,
)  # fmt: skip


def of_flow(seed: int) -> Built:
    """Branches and loops, one in the other, with gradients through them."""
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    x = tf.placeholder(tf.float32, [rows if rng.random() < 0.5 else None, width], name="x")
    c = tf.placeholder(tf.float32, [width], name="c")

    def body(value: Any, depth: int) -> Any:
        kind = int(rng.integers(0, 5 if depth < 2 else 2))
        if kind == 0:
            return tf.tanh(value * c + float(rng.standard_normal()))
        if kind == 1:
            return value * 0.5 - tf.sin(c)
        if kind == 2:
            at = float(rng.standard_normal())
            first, second = (lambda: body(value, depth + 1)), (lambda: body(value, depth + 1))
            return tf.cond(tf.reduce_sum(value) > at, first, second)
        count = int(rng.integers(0, 4))
        if kind == 3:
            return tf.while_loop(lambda i, v: i < count, lambda i, v: (i + 1, body(v, depth + 1)), [0, value])[1]
        limit = float(rng.random() * 3)
        return tf.while_loop(lambda i, v: tf.logical_and(i < 5, tf.reduce_sum(tf.abs(v)) > limit),
                             lambda i, v: (i + 1, body(v, depth + 1) * 0.5), [0, value])[1]  # fmt: skip

    made = [body(c, 0)]
    if rng.random() < 0.7:
        made.append(tf.scan(lambda a, row: body(a, 1) + row, x, initializer=tf.zeros([width])))
    if rng.random() < 0.7:
        made.append(tf.map_fn(lambda row: body(row, 1), x))
    slopes = tf.gradients([tf.reduce_sum(each * each) for each in made], [x, c])
    feeds = {x: rng.standard_normal((rows, width)).astype(np.float32), c: rng.standard_normal(width).astype(np.float32)}
    return [*made, *[g for g in slopes if g is not None]], feeds


KINDS: dict[str, Callable[[int], Built]] = {"steps": of_steps, "networks": of_networks, "flow": of_flow}


def complaint(seed: int, ran: Counter[str], run: Callable[[bytes, dict[str, Any]], tuple[str, list[Any]]]) -> str:
    """What is wrong with the program of a seed; "" if nothing is."""
    kind = list(KINDS)[seed % len(KINDS)]
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fetches, feeds = KINDS[kind](seed)
        graph = fetches[0].graph
        session = tf.Session(graph=graph)
        try:
            want = session.run(fetches, feeds)
        except tf.errors.OpError:
            ran[f"{kind}: an error here"] += 1
            return ""
        kept = [i for i, each in enumerate(fetches) if _is_written(each, feeds, ran)]
        if not kept:
            ran[f"{kind}: nothing is written"] += 1
            return ""
        named = {f"out{i}": fetches[i] for i in kept}
        content = tf.save_onnx(None, named, list(feeds), graph=graph)
    fed = {tensor.op.name: value for tensor, value in feeds.items()}
    where, got = run(content, fed)
    ran[f"{kind}: {where}"] += 1
    for i, value in zip(kept, got, strict=True):
        if not _near(value, want[i]):
            return f"{kind}: {fetches[i].name} ({fetches[i].op.type}): {where} gives {value!r}, here it is {want[i]!r}"
    return ""


def _is_written(fetch: Any, feeds: dict[Any, Any], ran: Counter[str]) -> bool:
    try:
        tf.save_onnx(None, {"out": fetch}, list(feeds), graph=fetch.graph)
    except GraphFormatError as error:
        lines = str(error).splitlines()
        if len(lines) < 3 or "(" not in lines[1]:
            raise AssertionError(f"an error that names no operation: {error}") from None
        ran[f"refused: {lines[1].split('(')[1].split(')')[0]}"] += 1
        return False
    return True


def _near(got: Any, want: Any) -> bool:
    """Whether values are equal up to the rounding of a program of some steps."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or (want.dtype.kind != "S" and want.dtype.kind != "O" and got.dtype != want.dtype):
        return False
    if want.dtype.kind in "biu":
        return bool((got == want).all())
    scale = 1e-3 * float(np.abs(want[np.isfinite(want)]).max(initial=1e-3))
    same = np.isclose(got, want, 2e-3, scale, equal_nan=True)
    return bool((same | ~np.isfinite(want)).all())


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    failures, tried, ran = 0, 0, Counter[str]()
    for seed in seeds_of("tests.fuzz.of_onnx", __doc__, arguments):
        tried += 1
        try:
            found = complaint(seed, ran, run_elsewhere)
        except Exception as error:
            found = f"{type(error).__name__}: {str(error)[:1000]}"
        if found:
            failures += 1
            print(f"seed {seed}: {found}\n", flush=True)
    print("\n".join(f"{count:6} {name}" for name, count in sorted(ran.items())))
    print(f"{tried} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
