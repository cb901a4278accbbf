"""Random examples parsed with random features; some have other values than wanted, some are damaged bytes. The same
text runs in TensorFlow, whose side this module is, too:

    python -m tests.fuzz.example_programs 0 600 out.npz
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

Results = dict[str, Any]
DTYPES = ("float32", "int64", "string")
KEYS = ("a", "bb", "c", "a long name/é", "")
DEFAULTS = {"float32": 1.5, "int64": 7, "string": b"d"}


def results(tf: Any, seed: int) -> Results:
    """What one program gives: arrays by name, or that it is refused.

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        seed: the program.
    """
    rng = np.random.RandomState(seed)
    wanted = {key: _wanted(rng) for key in KEYS[: rng.randint(1, 6)]}
    is_sequence = bool(rng.rand() < 0.25)
    if is_sequence:
        parsed, texts = _sequence(tf, rng, wanted)
    else:
        is_one = bool(rng.rand() < 0.3)
        texts = [_damaged(rng, _example(tf, rng, wanted)) for _ in range(1 if is_one else rng.randint(0, 6))]
        fed = tf.placeholder(tf.string, [] if is_one else [None])
        features = {key: _feature(tf, *each) for key, each in wanted.items()}
        parsed = (tf.parse_single_example if is_one else tf.parse_example)(fed, features)
        texts = {fed: texts[0] if is_one else np.array([*texts, b""], object)[:-1]}
    with tf.Session() as session:
        try:
            values = session.run(parsed, texts)
        except (tf.errors.OpError, UnicodeDecodeError):  # TensorFlow's message may hold bytes that are no text
            return {f"{seed}/refused": np.array(True)}
    parts = {
        f"{seed}/{key}/{number}": np.asarray(part)
        for key, value in values.items()
        for number, part in enumerate(value if isinstance(value, tuple) else [value])
    }
    return {name: _plain(part) for name, part in parts.items()}


def _plain(array: Any) -> Any:
    """An array without objects: strings as their bytes in hexadecimal digits."""
    if array.dtype != object:
        return array
    texts = np.array([each.hex() for each in array.reshape(-1)], dtype="U")
    return (texts if texts.size else np.zeros(0, "U1")).reshape(array.shape)


def _wanted(rng: Any) -> tuple[str, str, list[int], bool]:
    kind = str(rng.choice(["fixed", "fixed", "var", "rows"]))
    shape = [[], [1], [2], [2, 2], [3]][rng.randint(5)]
    return kind, str(rng.choice(DTYPES)), shape, bool(rng.rand() < 0.6)


def _feature(tf: Any, kind: str, dtype: str, shape: list[int], has_default: bool) -> Any:
    default = DEFAULTS[dtype]
    if kind == "var":
        return tf.VarLenFeature(dtype)
    if kind == "rows":
        return tf.FixedLenSequenceFeature(shape, dtype, True, default if has_default and not shape else None)
    filled = np.full(shape, default, object if dtype == "string" else dtype).tolist()
    return tf.FixedLenFeature(shape, dtype, filled if has_default else None)


def _fill(rng: Any, feature: Any, dtype: str, count: int) -> None:
    if dtype == "string":
        feature.bytes_list.value.extend([rng.bytes(rng.choice([0, 1, 5, 200])) for _ in range(count)])
    elif dtype == "float32":
        feature.float_list.value.extend([float(rng.choice([0.5, -0.0, np.inf, rng.randn()])) for _ in range(count)])
    else:
        numbers = [0, -1, 300, -(1 << 63), (1 << 63) - 1, int(rng.randint(1 << 40))]
        feature.int64_list.value.extend([numbers[rng.randint(6)] for _ in range(count)])


def _count(rng: Any, kind: str, shape: list[int]) -> int:
    size = int(np.prod(shape))
    if rng.rand() < 0.03:
        return int(rng.randint(5))
    return int(rng.randint(4)) if kind == "var" else size if kind == "fixed" else size * int(rng.randint(3))


def _example(tf: Any, rng: Any, wanted: Any) -> bytes:
    example = tf.train.Example()
    for key, (kind, dtype, shape, _) in wanted.items():
        if rng.rand() < 0.85:
            used = dtype if rng.rand() < 0.97 else str(rng.choice(DTYPES))
            _fill(rng, example.features.feature[key], used, _count(rng, kind, shape))
    if rng.rand() < 0.3:
        _fill(rng, example.features.feature["other"], str(rng.choice(DTYPES)), 2)
    return bytes(example.SerializeToString(deterministic=True))


def _damaged(rng: Any, text: bytes) -> bytes:
    """Some of the texts end too early, or have another byte."""
    if text and rng.rand() < 0.03:
        return text[: rng.randint(len(text))]
    return text


def _sequence(tf: Any, rng: Any, wanted: Any) -> tuple[Any, Any]:
    example = tf.train.SequenceExample()
    for key, (kind, dtype, shape, _) in wanted.items():
        if kind == "fixed":
            _fill(rng, example.context.feature[key], dtype, int(np.prod(shape)))
        elif rng.rand() < 0.9:
            steps = example.feature_lists.feature_list[key]
            for _ in range(rng.randint(4)):
                _fill(rng, steps.feature.add(), dtype, int(rng.randint(4)) if kind == "var" else int(np.prod(shape)))
    fed = tf.placeholder(tf.string, [])
    lists = {
        key: tf.VarLenFeature(dtype) if kind == "var" else tf.FixedLenSequenceFeature(shape, dtype, may_miss)
        for key, (kind, dtype, shape, may_miss) in wanted.items()
        if kind != "fixed"
    }
    context = {key: _feature(tf, *each) for key, each in wanted.items() if each[0] == "fixed"}
    values, steps = tf.parse_single_sequence_example(fed, context, lists)
    parsed = {f"context {key}": each for key, each in values.items()}
    parsed |= {f"steps {key}": each for key, each in steps.items()}
    return parsed, {fed: bytes(example.SerializeToString(deterministic=True))}


if __name__ == "__main__":
    v1 = import_module("tensorflow.compat.v1")
    v1.disable_eager_execution()
    first, number, target = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    found: Results = {}
    for program in range(first, first + number):
        with v1.Graph().as_default():
            found |= results(v1, program)
    np.savez(target, **found)
