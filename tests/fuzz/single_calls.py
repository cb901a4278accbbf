"""Random calls of ops whose answers TensorFlow still gives, some of them wrong. The same text calls TensorFlow's:

    python -m tests.fuzz.single_calls 0 40 tests/fuzz/single_calls.json

A call gives arrays, or that it is refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Rng = np.random.RandomState


def ctc_beam_search_decoder(tf: Any, rng: Rng) -> list[Any]:
    """Logits of every dtype and spread, beams narrow and wide, some asked for more paths than there are."""
    steps, batch, classes = int(rng.randint(1, 9)), int(rng.randint(1, 4)), int(rng.randint(2, 6))
    logits = (rng.randn(steps, batch, classes) * rng.choice([0.3, 1.0, 4.0])).astype(["f4", "f8"][rng.randint(2)])
    lengths = rng.randint(0, steps + 1, batch) if rng.rand() < 0.3 else rng.randint(min(2, steps), steps + 1, batch)
    paths = int(rng.randint(1, 4))
    width = int(rng.choice([1, 2, 3, 5, 10, 100]))
    decoded, scores = tf.nn.ctc_beam_search_decoder(
        logits, lengths.astype("i4"), beam_width=width, top_paths=paths, merge_repeated=bool(rng.randint(2))
    )
    return [*(part for each in decoded for part in (each.indices, each.values, each.dense_shape)), scores]


def mutable_hash_table(tf: Any, rng: Rng) -> list[Any]:
    """A table into which keys are put, and from which they are removed, step by step; some values do not fit."""
    pairs = [(tf.string, tf.int64), (tf.string, tf.float32), (tf.int64, tf.float32), (tf.int64, tf.string)]
    kind, dtype = pairs[rng.randint(4)]  # those that TensorFlow has kernels for
    shape = [[], [], [2]][rng.randint(3)]

    def keys() -> Any:
        numbers = rng.randint(0, 6, [int(rng.randint(0, 4))] if rng.rand() < 0.8 else [2, int(rng.randint(1, 3))])
        if kind != tf.string:
            return tf.constant(numbers, kind)
        return tf.constant(np.array([b"%d" % n for n in numbers.flat], object).reshape(numbers.shape), tf.string)

    def values(sizes: Any) -> Any:
        numbers = rng.randint(-9, 9, sizes)
        if dtype != tf.string:
            return tf.constant(numbers, dtype)
        return tf.constant(np.array([b"%d" % n for n in numbers.flat], object).reshape(numbers.shape), tf.string)

    table = tf.lookup.experimental.MutableHashTable(kind, dtype, values(shape))
    outputs: list[Any] = []
    done: list[Any] = []
    for _ in range(int(rng.randint(1, 6))):
        with tf.control_dependencies(done):
            step, given = int(rng.randint(4)), keys()
            if step == 0:
                done = [table.remove(given)]
            elif step == 1:
                outputs.append(table.lookup(given))
                done = [outputs[-1].op]
            else:
                sizes = [*given.shape.as_list(), *shape]
                if rng.rand() < 0.05:
                    sizes = [*sizes, 1]
                fed = tf.placeholder_with_default(values(sizes), None)
                done = [table.insert(given, fed)]
    with tf.control_dependencies(done):
        every = tf.constant(np.arange(8), kind) if kind != tf.string else tf.as_string(tf.constant(np.arange(8)))
        return [*outputs, table.lookup(every), table.size()]


def _boxes(rng: Rng, count: int) -> Any:
    """Boxes of which some are large, turned over, without area or outside of the image."""
    corners = rng.uniform(-0.2, 1.0, (count, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(-0.1, 0.9, (count, 2))], 1).astype("f4")
    flat = rng.rand(count) < 0.05
    boxes[flat, 2] = boxes[flat, 0]
    return boxes


def non_max_suppression(tf: Any, rng: Rng) -> list[Any]:
    """All four functions, on boxes that overlap much; some scores are equal, some thresholds out of range."""
    count = int(rng.randint(0, 12))
    boxes, scores = _boxes(rng, count), np.round(rng.rand(count), int(rng.choice([1, 6]))).astype("f4")
    most, limit = int(rng.randint(0, 8)), float(rng.choice([0.0, 0.1, 0.3, 0.5, 0.9, 1.0, 1.5], p=[*[0.16] * 6, 0.04]))
    lowest = float(rng.choice([-np.inf, 0.2, 0.5]))
    kind = int(rng.randint(4))
    if kind == 0:
        return [tf.image.non_max_suppression(boxes, scores, most, limit, lowest)]
    if kind == 1:
        pads, raw = bool(rng.randint(2)), getattr(tf, "raw_ops", None)
        if raw is None:
            return list(tf.image.non_max_suppression_padded(boxes, scores, most, limit, lowest, pads))
        return list(raw.NonMaxSuppressionV4(  # TensorFlow 2's function of the old name is another one
            boxes=boxes, scores=scores, max_output_size=most, iou_threshold=limit, score_threshold=lowest,
            pad_to_max_output_size=pads,
        ))  # fmt: skip
    if kind == 2:
        sigma = float(rng.choice([0.0, 0.2, 0.5]))
        return list(tf.image.non_max_suppression_with_scores(boxes, scores, most, limit, lowest, sigma))
    overlaps = rng.rand(count, count).astype("f4")
    return [tf.image.non_max_suppression_overlaps(overlaps, scores, most, limit, lowest)]


def draw_bounding_boxes(tf: Any, rng: Rng) -> list[Any]:
    """Boxes inside, outside and across the borders of images of 1, 3 or 4 channels, with and without colours."""
    batch, height, width, depth = int(rng.randint(1, 3)), int(rng.randint(1, 9)), int(rng.randint(1, 9)), int(
        rng.choice([1, 3, 4])
    )
    images = rng.rand(batch, height, width, depth).astype("f4")
    boxes = np.stack([_boxes(rng, int(rng.randint(3, 4))) for _ in range(batch)])
    colors = rng.rand(int(rng.randint(1, 4)), 4).astype("f4") if rng.rand() < 0.4 else None
    return [tf.image.draw_bounding_boxes(images, boxes, colors=colors)]


def crop_and_resize(tf: Any, rng: Rng) -> list[Any]:
    """Crops of boxes that may leave the image, by both methods, with gradients; some numbers of images are wrong."""
    batch, height, width, depth = (int(rng.randint(1, most)) for most in (3, 7, 7, 3))
    count = int(rng.randint(0, 4))
    image = tf.constant(rng.rand(batch, height, width, depth).astype("f4"))
    boxes = tf.constant(_boxes(rng, count))
    places = rng.randint(0, batch + (rng.rand() < 0.05), count).astype("i4")
    size = [int(rng.randint(1, 6)), int(rng.randint(1, 6))]
    method = "bilinear" if rng.rand() < 0.7 else "nearest"
    crops = tf.image.crop_and_resize(image, boxes, places, size, method, float(rng.choice([0.0, -1.5])))
    weights = tf.constant(rng.randn(count, *size, depth).astype("f4"))
    if method == "nearest":
        return [crops, *tf.gradients(tf.reduce_sum(crops * weights), [image])]
    return [crops, *tf.gradients(tf.reduce_sum(crops * weights), [image, boxes])]


def resize_area(tf: Any, rng: Rng) -> list[Any]:
    """Images made smaller and larger."""
    batch, height, width, depth = (int(rng.randint(1, most)) for most in (3, 9, 9, 3))
    images = (rng.rand(batch, height, width, depth) * 255).astype(["f4", "f8", "u1", "i4"][rng.randint(4)])
    size = [int(rng.randint(0, 9)) for _ in range(2)] if rng.rand() < 0.1 else rng.randint(1, 9, 2).tolist()
    return [tf.image.resize_area(images, size, bool(rng.randint(2)))]


def fractional_pool(tf: Any, rng: Rng) -> list[Any]:
    """Both pools with seeds, their sequences and gradients."""
    batch, height, width, depth = int(rng.randint(1, 3)), int(rng.randint(2, 12)), int(rng.randint(2, 12)), 2
    ratio = [1.0, float(np.round(rng.uniform(1, 2.5), 2)), float(np.round(rng.uniform(1, 2.5), 2)), 1.0]
    value = rng.permutation(batch * height * width * depth).reshape(batch, height, width, depth)
    dtype = ["f4", "f8", "i4", "i8"][rng.randint(4)]
    x = tf.constant((value - 20).astype(dtype))
    function = tf.nn.fractional_max_pool if rng.rand() < 0.5 else tf.nn.fractional_avg_pool
    pooled = function(x, ratio, bool(rng.randint(2)), bool(rng.randint(2)), True, int(rng.randint(1, 99)),
                      int(rng.randint(1, 99)))  # fmt: skip
    if dtype[0] == "i":
        return list(pooled)
    weights = tf.constant(rng.rand(), x.dtype)
    return [*pooled, *tf.gradients(tf.reduce_sum(pooled[0] * pooled[0] * weights), x)]


def parse_sequence_example(tf: Any, rng: Rng) -> list[Any]:
    """Contexts and feature lists of some examples, a few of them without a list.

    TensorFlow 2.21 crashes on some that are damaged or have too few values: `tests/ops/records` has ours.
    """
    texts = []
    for _ in range(int(rng.randint(1, 4))):  # TensorFlow 2.21 ends the process where there are none
        example = tf.train.SequenceExample()
        example.context.feature["n"].int64_list.value.append(int(rng.randint(9)))
        for _ in range(int(rng.randint(0, 4))):
            pair = example.feature_lists.feature_list["p"].feature.add()
            pair.float_list.value.extend([0.5, 1.5])
        for _ in range(int(rng.randint(0, 4)) if rng.rand() < 0.8 else 0):
            words = example.feature_lists.feature_list["w"].feature.add()
            words.bytes_list.value.extend([b"a", b"bc", b""][: int(rng.randint(4))])
        texts.append(example.SerializeToString())
    steps = tf.io.FixedLenSequenceFeature([2], tf.float32, allow_missing=bool(rng.rand() < 0.8))
    context, lists, lengths = tf.io.parse_sequence_example(
        tf.constant(np.array(texts, object), tf.string, [len(texts)]), {"n": tf.io.FixedLenFeature([], tf.int64)},
        {"p": steps, "w": tf.io.VarLenFeature(tf.string)},
    )  # fmt: skip
    words = lists["w"]
    return [context["n"], lists["p"], lengths["p"], words.indices, words.values, words.dense_shape]


def random_numbers(tf: Any, rng: Rng) -> list[Any]:
    """Counts of all rates and dtypes, numbers that a seed decides alone, elements that are repeated."""
    seed, kind = rng.randint(-(2**31), 2**31 - 1, 2), int(rng.randint(5))
    sizes = [int(size) for size in rng.randint(0, 6, rng.randint(0, 3))]
    dtype = str(rng.choice(["float16", "float32", "float64"]))
    if kind == 0:
        rates = np.exp(rng.uniform(-4, 10, rng.randint(0, 5, rng.randint(0, 3)))).astype(rng.choice(["f4", "f8"]))
        kinds = [dtype, "int32", "int64"]
        return [tf.random_poisson(rates, sizes, str(rng.choice(kinds)), seed=int(rng.randint(99999)))]
    if kind == 1:
        function = str(rng.choice(["stateless_uniform", "stateless_normal", "stateless_truncated_normal"]))
        return [getattr(tf.random, function)(sizes, seed, -2.0, 3.0, dtype)]
    if kind == 2:
        high = int(rng.randint(-9, 10**6))  # not always above the lowest
        return [tf.random.stateless_uniform(sizes, seed, -7, high, str(rng.choice(["int32", "int64"])))]
    if kind == 3:
        return [tf.random.stateless_categorical(rng.randn(2, 3).astype(dtype), int(rng.randint(9)), seed)]
    x = rng.randn(*rng.randint(0, 4, rng.randint(1, 4))).astype("f4")
    axis = int(rng.randint(-x.ndim, x.ndim)) if rng.rand() < 0.7 else None
    size = x.size if axis is None else x.shape[axis]
    times = int(rng.randint(4)) if rng.rand() < 0.5 else rng.randint(0, 4, size)
    return [tf.repeat(x, times if x.size else 2, axis)]  # without elements TensorFlow refuses several numbers


def distributions(tf: Any, rng: Rng) -> list[Any]:
    """Samples of seeds and facts of the distributions that draw gamma numbers, and of counts."""
    d, seed = tf.distributions, int(rng.randint(99999))
    k = np.exp(rng.randn(int(rng.randint(1, 4)), int(rng.randint(2, 5)))).astype("f4")
    kind = int(rng.randint(4))
    if kind == 0:
        one = d.Dirichlet(k)
        return [one.sample(3, seed=seed), one.entropy(), one.covariance(), d.kl_divergence(one, d.Dirichlet(k[0] + 1))]
    if kind == 1:
        one = d.StudentT(k[0], 0.5, k[0])
        return [one.sample(3, seed=seed), one.entropy(), one.variance(), one.cdf(k[0] - 1)]
    if kind == 2:
        one = d.Beta(k[0], k[0] * 2)
        return [one.sample(3, seed=seed), one.entropy(), d.kl_divergence(one, d.Beta(k[0], 1.5))]
    one = d.Multinomial(3.0, probs=k[0] / k[0].sum())
    return [one.sample(2, seed=seed), one.log_prob(np.eye(k.shape[1], dtype="f4") * 3), one.covariance()]


CALLS: dict[str, Callable[[Any, Rng], list[Any]]] = {
    call.__name__: call for call in (
        crop_and_resize, ctc_beam_search_decoder, distributions, draw_bounding_boxes, fractional_pool,
        mutable_hash_table, non_max_suppression, parse_sequence_example, random_numbers, resize_area,
    )
}  # fmt: skip


def answer(tf: Any, name: str, seed: int) -> list[Any] | str:
    """What one call gives: lists of (dtype, shape, elements), or "refused".

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`.
        name: a key of `CALLS`.
        seed: the call.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            fetches = CALLS[name](tf, Rng(seed))
            arrays = [np.asarray(each) for each in session.run(fetches)]
        except (tf.errors.OpError, ValueError):
            return "refused"
    return [[each.dtype.str, list(each.shape), _elements(each)] for each in arrays]


def _elements(array: Any) -> list[Any]:
    flat = array.reshape(-1)
    if array.dtype.kind == "O":
        return [each.hex() for each in flat]
    if array.dtype.kind == "f":
        return [float(f"{each:.9g}") for each in flat.tolist()]
    return list(flat.tolist())


def same(ours: list[Any] | str, theirs: list[Any] | str, tolerance: float = 2e-5) -> bool:
    """Whether two answers agree, floats up to rounding."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs
    if [each[:2] for each in ours] != [each[:2] for each in theirs]:
        return False
    return all(
        np.allclose(a[2], b[2], tolerance, tolerance, equal_nan=True) if a[0][1] == "f" else a[2] == b[2]
        for a, b in zip(ours, theirs, strict=True)
    )


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tf = import_module("tensorflow").compat.v1
    first, count, path, *names = sys.argv[1:]
    seeds = range(int(first), int(first) + int(count))
    found = {name: {str(seed): answer(tf, name, seed) for seed in seeds} for name in names or CALLS}
    lines = ",\n".join(f'"{name}": {{\n' + ",\n".join(f'"{seed}": {json.dumps(each)}' for seed, each in calls.items())
                       + "\n}" for name, calls in found.items())  # fmt: skip
    with open(path, "w") as file:
        file.write("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
