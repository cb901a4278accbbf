"""Random recurrent networks: cells, wrappers and loops, with their gradients. The same text builds them in TensorFlow,
whose side this module is, too (with the package tf-keras, which has the cells, and TF_USE_LEGACY_KERAS=1):

    python -m tests.fuzz.recurrent_programs 0 300 out.npz
"""

from __future__ import annotations

import sys
import warnings
import zlib
from importlib import import_module
from typing import Any

import numpy as np

Results = dict[str, Any]
LOOPS = ("dynamic", "dynamic", "dynamic", "both ways", "static", "static both ways", "raw")


def results(tf: Any, seed: int) -> Results:
    """Outputs, last states, gradients, and the names of the variables with their sizes.

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        seed: the program.
    """
    rng = np.random.RandomState(seed)
    batch, time, size = int(rng.choice([1, 2, 5])), int(rng.choice([1, 3, 6])), int(rng.choice([1, 3, 4]))
    loop = LOOPS[rng.randint(len(LOOPS))]
    dtype = rng.choice(["float32", "float32", "float64"])
    is_major = bool(rng.rand() < 0.4)
    shape = [time, batch, size] if is_major else [batch, time, size]
    given: list[Any] = list(shape)
    for axis, chance in enumerate((0.5, 0.5)):
        is_listed = loop.startswith("static") and axis == (0 if is_major else 1)  # its length is a number
        if rng.rand() < chance and not is_listed:
            given[axis] = None
    x = tf.placeholder(dtype, given)
    lengths = tf.placeholder("int32", [None]) if rng.rand() < 0.5 else None
    try:
        outputs, states = _network(tf, rng, loop, x, lengths, is_major, size)
    except ValueError:  # such as a residual of another size
        return {f"{seed}/refused": np.array(True)}
    tensors = [*_flat(outputs), *_flat(states)]
    weights = [tf.cos(tf.cast(i + 1, dtype)) * tf.reduce_sum(tf.tanh(each)) for i, each in enumerate(tensors)]
    variables = tf.trainable_variables()
    gradients = tf.gradients(tf.add_n(weights), [x, *variables])
    found = {f"{seed}/names": np.array([f"{v.name} {v.shape.as_list()}" for v in tf.global_variables()])}
    feeds = {x: rng.randn(*shape).astype(dtype)}
    if lengths is not None:
        feeds[lengths] = rng.randint(0, time + 1, batch).astype("i4")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            v.load(_value(seed, v.name, v.shape.as_list(), dtype), session)
        for run in range(2):
            kept = [each for each in gradients if each is not None]
            values = session.run([tensors, kept], feeds)
            for i, value in enumerate(values[0]):
                found[f"{seed}/{run}/value {i}"] = value
            for i, value in enumerate(values[1]):
                found[f"{seed}/{run}/gradient {i}"] = value
            if None in given and run == 0 and loop.startswith("dynamic"):
                feeds = _longer(rng, feeds, x, lengths, given, is_major, dtype)
        found[f"{seed}/unconnected"] = np.array([each is None for each in gradients])
    return found


def _longer(rng: Any, feeds: Any, x: Any, lengths: Any, given: Any, is_major: bool, dtype: Any) -> Any:
    """Feeds of other sizes, where they are not given."""
    sizes = [size + 2 if known is None else size for size, known in zip(feeds[x].shape, given, strict=True)]
    time, batch = (sizes[0], sizes[1]) if is_major else (sizes[1], sizes[0])
    new = {x: rng.randn(*sizes).astype(dtype)}
    if lengths is not None:
        new[lengths] = rng.randint(0, time + 1, batch).astype("i4")
    return new


def _value(seed: int, name: str, shape: list[int], dtype: Any) -> Any:
    """The value of a variable, from its name."""
    rng = np.random.RandomState((zlib.crc32(name.encode()) + seed) % 2**32)
    return (rng.randn(*shape) * 0.5).astype(dtype)


def _flat(structure: Any) -> list[Any]:
    if isinstance(structure, (list, tuple)):
        return [leaf for part in structure for leaf in _flat(part)]
    return [structure]


def _network(
    tf: Any, rng: Any, loop: str, x: Any, lengths: Any, is_major: bool, size: int
) -> Any:
    nn, dtype = tf.nn, x.dtype
    scope = [None, "net"][rng.randint(2)]
    if loop == "raw":
        return _raw(tf, rng, x, lengths, is_major, size)
    cell = _cell(tf, rng, size, dtype)
    state = None
    options: Any = {"sequence_length": lengths, "scope": scope}
    if loop.endswith("both ways"):
        other = _cell(tf, rng, size, dtype)
        if loop.startswith("static"):
            steps = tf.unstack(x, axis=0 if is_major else 1)
            outputs, forward, backward = nn.static_bidirectional_rnn(cell, other, steps, dtype=dtype, **options)
            return outputs, (forward, backward)
        return nn.bidirectional_dynamic_rnn(cell, other, x, dtype=dtype, time_major=is_major, **options)
    if rng.rand() < 0.4:
        rows = tf.shape(x)[1 if is_major else 0]
        zeros = cell.zero_state(rows, dtype)
        state = _map(lambda leaf: leaf + tf.cast(0.25, dtype), zeros)
    if loop == "static":
        steps = tf.unstack(x, axis=0 if is_major else 1)
        return nn.static_rnn(cell, steps, initial_state=state, dtype=dtype, **options)
    return nn.dynamic_rnn(cell, x, initial_state=state, dtype=dtype, time_major=is_major, **options)


def _map(function: Any, structure: Any) -> Any:
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_map(function, part) for part in structure])
    if isinstance(structure, (list, tuple)):
        return tuple(_map(function, part) for part in structure)
    return function(structure)


def _raw(tf: Any, rng: Any, x: Any, lengths: Any, is_major: bool, size: int) -> tuple[Any, Any]:
    cell = _cell(tf, rng, size, x.dtype)
    rows = x if is_major else tf.transpose(x, [1, 0, 2])
    time, batch = tf.shape(rows)[0], tf.shape(rows)[1]
    ends = lengths if lengths is not None else tf.fill([batch], time)
    counts = bool(rng.rand() < 0.5)

    def loop_fn(at: Any, output: Any, state: Any, count: Any) -> Any:
        new = cell.zero_state(batch, x.dtype) if output is None else state
        finished = at >= ends
        row = tf.cond(tf.reduce_all(finished), lambda: tf.zeros_like(rows[0]), lambda: rows[at])
        row.set_shape([None, size])
        after = (tf.constant(0) if count is None else count + 1) if counts else None
        return finished, row, new, output, after

    arrays, state, count = tf.nn.raw_rnn(cell, loop_fn)
    extra = [tf.cast(count, x.dtype)] if counts else []
    return arrays.stack(), [state, extra]


def _cell(tf: Any, rng: Any, size: int, dtype: Any, depth: int = 0) -> Any:
    """A random cell; one of several layers, or in wrappers, at times."""
    cells = tf.nn.rnn_cell
    units = int(rng.choice([1, 3, 4]))
    kind = rng.randint(9)
    if kind == 8 and depth == 0:
        return cells.MultiRNNCell([_cell(tf, rng, size, dtype, 1) for _ in range(rng.randint(1, 4))])
    if kind == 0:
        cell = cells.BasicRNNCell(units, activation=[None, "relu", tf.nn.softsign][rng.randint(3)])
    elif kind in (1, 2):
        cell = cells.GRUCell(units, activation=[None, "tanh"][rng.randint(2)])
    elif kind in (3, 4):
        cell = cells.BasicLSTMCell(units, forget_bias=float(rng.choice([0.0, 1.0])))
    else:
        cell = cells.LSTMCell(
            units, use_peepholes=bool(rng.rand() < 0.5), cell_clip=[None, 0.4][rng.randint(2)],
            num_proj=[None, 2][rng.randint(2)], proj_clip=[None, 0.3][rng.randint(2)],
            initializer=[None, tf.ones_initializer()][rng.randint(2)], name=[None, "lstm"][rng.randint(2)],
        )  # fmt: skip
    if rng.rand() < 0.2:
        cell = cells.DropoutWrapper(cell, input_keep_prob=1.0, output_keep_prob=1.0)
    if rng.rand() < 0.15 and cell.output_size == size:
        cell = cells.ResidualWrapper(cell)
    if rng.rand() < 0.15:
        cell = cells.DeviceWrapper(cell, "/cpu:0")
    return cell


def main() -> None:
    """Write the results of the programs from a seed on."""
    start, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    warnings.simplefilter("ignore")
    tf = import_module("tensorflow.compat.v1")
    tf.logging.set_verbosity(tf.logging.ERROR)
    found: Results = {}
    for seed in range(start, start + count):
        with tf.Graph().as_default():
            found |= results(tf, seed)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    main()
