"""Random sparse tensors through the ops on them, with derivatives; some have wrong indices. The same text builds
them in TensorFlow, whose side this module is, too:

    python -m tests.fuzz.sparse_programs 0 600 out.npz
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

Results = dict[str, Any]
STEPS = 3


def results(tf: Any, seed: int) -> Results:
    """What one program gives: arrays by name, or that it is refused.

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        seed: the program.
    """
    rng = np.random.RandomState(seed)
    rank = int(rng.choice([1, 2, 2, 2, 3]))
    shape = rng.randint(1, 5, rank)  # TensorFlow's derivatives divide by a size
    values, feeds = [], {}
    for _ in range(2):
        array = _array(rng, shape)
        s = tf.sparse_placeholder("float64", list(shape) if rng.rand() < 0.5 else None)
        feeds[s] = array
        values.append(s)
    s, other = values
    outputs: list[Any] = []
    for _ in range(STEPS):
        s, made = _step(tf, rng, s, other, rank, shape)
        outputs += made
        if s is None:
            break
    if s is not None:
        outputs += [s.indices, s.values, s.dense_shape]
    floats = [each for each in outputs if each.dtype.is_floating]
    loss = tf.add_n([tf.reduce_sum(tf.sin(each)) for each in floats])
    slopes = tf.gradients(loss, [each.values for each in values])
    slopes = [tf.zeros_like(s.values) if g is None else g for g, s in zip(slopes, values, strict=True)]
    with tf.Session() as session:
        try:
            arrays = session.run([*outputs, *slopes], feeds)
        except tf.errors.OpError:  # TensorFlow has several for indices out of range
            return {f"{seed}/refused": np.array(True)}
    return {f"{seed}/{number}": np.asarray(each) for number, each in enumerate(arrays)}


def _array(rng: Any, shape: Any) -> Any:
    size = int(np.prod(shape))
    count = int(rng.randint(0, size + 1)) if rng.rand() < 0.85 else 0
    places = np.sort(rng.choice(size, count, replace=False)) if count else np.zeros(0, np.int64)
    columns = np.unravel_index(places, shape) if count else [np.zeros(0)] * len(shape)
    indices = np.stack(columns, 1).astype(np.int64)
    wrong = rng.rand()
    if wrong < 0.04 and count:
        indices[-1, 0] = shape[0]
    elif wrong < 0.08 and count > 1:
        indices = indices[::-1].copy()
    elif wrong < 0.1 and count > 1:
        indices[1] = indices[0]
    return indices, rng.randn(count), np.asarray(shape, np.int64)


def _step(tf: Any, rng: Any, s: Any, other: Any, rank: int, shape: Any) -> tuple[Any, list[Any]]:
    """(the sparse tensor after a step, or None at the end; outputs on the way)."""
    kind = int(rng.randint(16))
    axis = int(rng.randint(rank))
    dense = tf.constant(rng.randn(*shape) + 3.0)
    if kind == 0:
        return None, [tf.sparse_tensor_to_dense(s, 0.5 if rng.rand() < 0.5 else None)]
    if kind == 1:
        return tf.sparse_add(s, other, 0.3 * int(rng.randint(2))), []
    if kind == 2:
        return None, [tf.sparse_add(s, dense)]
    if kind == 3:
        return tf.sparse_reorder(s), []
    if kind == 4:
        return s, [tf.sparse_reduce_sum(s, axis, keepdims=bool(rng.randint(2)))]
    if kind == 5:
        most = tf.sparse_reduce_max(s, None if rng.rand() < 0.3 else axis)
        return s, [tf.stop_gradient(most)]
    if kind == 6:
        return s * dense, []
    if kind == 7:
        return s / dense[:1] if rank > 1 else s / dense, []
    if kind == 8:
        start = [int(rng.randint(0, size + 1)) for size in shape]
        size = [int(rng.randint(0, size + 1)) for size in shape]
        return s, [tf.sparse_slice(s, start, size).values]
    if kind == 9:
        filled, empty = tf.sparse_fill_empty_rows(s, 0.25)
        return filled, [empty]
    if kind == 10 and rank >= 2:
        return tf.sparse_softmax(tf.sparse_reorder(s)), []
    if kind == 11:
        joined = tf.sparse_concat(axis, [s, other])
        return s, [joined.indices, tf.stop_gradient(joined.values), joined.dense_shape]
    if kind == 12 and shape[axis] > 0:
        parts = tf.sparse_split(sp_input=s, num_split=int(rng.randint(1, shape[axis] + 1)), axis=axis)
        return s, [each for part in parts for each in (part.indices, tf.stop_gradient(part.values), part.dense_shape)]
    if kind == 13:
        turned = tf.sparse_transpose(s, list(rng.permutation(rank)))
        flat = tf.sparse_reshape(turned, [-1])
        return s, [flat.indices, flat.values, turned.indices]
    if kind == 14 and rank == 2:
        adjoint_a, adjoint_b = bool(rng.randint(2)), bool(rng.randint(2))
        sizes = [int(shape[0 if adjoint_a else 1]), 3]
        b = tf.constant(rng.randn(*(sizes[::-1] if adjoint_b else sizes)))
        return s, [tf.sparse_tensor_dense_matmul(s, b, adjoint_a, adjoint_b)]
    function = tf.sparse_maximum if rng.rand() < 0.5 else tf.sparse_minimum
    both = function(s, other)
    return s, [both.indices, tf.stop_gradient(both.values)]


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tensorflow = import_module("tensorflow")
    first, count, path = sys.argv[1:]
    found: Results = {}
    for seed in range(int(first), int(first) + int(count)):
        with tensorflow.Graph().as_default():
            found |= results(tensorflow.compat.v1, seed)
    np.savez(path, **found)


if __name__ == "__main__":
    main()
