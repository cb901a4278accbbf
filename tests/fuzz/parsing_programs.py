"""Random pipelines that parse: `map` before `batch`, over texts and bytes of which some are damaged. The same text
builds them in TensorFlow, whose side this module is, too:

    python -m tests.fuzz.parsing_programs 0 300 out.json
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

import numpy as np

from .pipeline_programs import flat

MOST = 40
"""The most elements and errors of a program."""

PLAIN = (0.5, 2.0, 8.0, 32.0, 0.125)
"""Numbers without a byte above 127: TensorFlow decodes the texts that are fed to it."""

Report = list[Any]


def texts_of(rng: np.random.RandomState, kind: int) -> Any:
    """Lines of numbers, numbers as texts, bytes of equal length, or serialised examples; some of them damaged."""
    count = int(rng.choice([1, 4, 7, 13]))
    damage = rng.rand(count) < float(rng.choice([0.0, 0.0, 0.1, 0.4]))
    made = []
    for i in range(count):
        a, b = int(rng.randint(-9, 99)), float(np.round(rng.randn(), 3))
        if kind == 0:
            text = f"{a},{b},w{i}" if not damage[i] else ["x,1,2", "1,2", "", "1,,z", '"1,2'][rng.randint(5)]
            made.append(text.encode())
        elif kind == 1:
            made.append(str(b).encode() if not damage[i] else [b"", b"1x", b"1e", b" 3"][rng.randint(4)])
        elif kind == 2:
            size = int(rng.choice([0, 6, 11, 24])) if damage[i] else 12
            made.append(bytes(rng.randint(0, 128, size).tolist()))
        else:
            a, b, c = abs(a), float(rng.choice(PLAIN)), float(rng.choice(PLAIN))
            made.append(example(a, [b, c]) if not damage[i] else [b"", b"\x7f\x01", example(a, [b])][rng.randint(3)])
    return np.array(made, object)


def example(number: int, pair: list[float]) -> bytes:
    """A serialised `Example` with {"n": [number], "p": pair}, as protobuf writes it."""

    def field(key: int, content: bytes) -> bytes:
        return bytes([key << 3 | 2, len(content)]) + content

    def varint(value: int) -> bytes:
        value &= (1 << 64) - 1
        out = b""
        while value > 127:
            out += bytes([value & 127 | 128])
            value >>= 7
        return out + bytes([value])

    floats = field(1, np.array(pair, "<f4").tobytes())
    ints = field(1, varint(number))
    entries = [
        field(1, field(1, b"n") + field(2, field(3, ints))),
        field(1, field(1, b"p") + field(2, field(2, floats))),
    ]
    return field(1, b"".join(entries))


def function_of(tf: Any, rng: np.random.RandomState, kind: int) -> Any:
    """What a program does with one text."""
    after = int(rng.randint(6))
    scale = float(rng.choice([0.5, 2.0]))

    def more(x: Any) -> Any:
        if after == 1:
            return x * scale + 1.0
        if after == 2:
            return tf.stack([x, x])  # says nothing of batches
        if after == 3:
            return tf.cast(x, tf.int32) // tf.cast(tf.constant(2), tf.int32)
        if after == 4:
            return tf.reshape(x, [-1, 1])
        return x

    if kind == 0:
        defaults = [[0], [0.0], [""]] if rng.randint(2) else [tf.constant([], tf.int32), [1.0], ["none"]]

        def line(text: Any) -> Any:
            a, b, c = tf.decode_csv(text, defaults)
            return (tf.one_hot(a, 4), more(b), c) if after % 2 else {"a": 12 // (a + 1), "b": more(b), "c": c}

        return line
    if kind == 1:
        return lambda text: more(tf.string_to_number(text))
    if kind == 2:
        size = int(rng.choice([12, 6]))

        def raw(text: Any) -> Any:
            x = tf.decode_raw(text, tf.uint8)
            if after % 2:
                x = tf.reshape(x, [size // 3, 3])
            elif after == 2:
                x.set_shape([None])
            return tf.cast(x, tf.float32) * scale

        return raw
    features = {"n": tf.FixedLenFeature([], tf.int64), "p": tf.FixedLenFeature([2], tf.float32)}
    if rng.randint(2):
        features["p"] = tf.FixedLenFeature([2], tf.float32, [0.5, 1.5])

    def parsed(text: Any) -> Any:
        found = tf.parse_single_example(text, features)
        return {"n": found["n"] % 7, "p": more(found["p"])}

    return parsed


def dataset_of(tf: Any, rng: np.random.RandomState, kind: int, texts: Any) -> Any:
    """A random dataset of what programs make of texts."""
    dataset = tf.data.Dataset.from_tensor_slices(texts)
    if rng.randint(3) == 0:
        dataset = dataset.shuffle(5, seed=int(rng.randint(9)))
    if rng.randint(3) == 0:
        dataset = dataset.repeat(2)
    dataset = dataset.map(function_of(tf, rng, kind), **({"num_parallel_calls": 2} if rng.randint(5) == 0 else {}))
    if rng.randint(6) == 0:
        dataset = dataset.apply(tf.data.experimental.ignore_errors())
    dataset = dataset.batch(int(rng.choice([1, 2, 3, 8])), drop_remainder=bool(rng.randint(2)))
    if rng.randint(5) == 0:
        dataset = dataset.apply(tf.data.experimental.ignore_errors())
    return dataset.take(int(rng.randint(1, 5))) if rng.randint(6) == 0 else dataset


def report_of(tf: Any, seed: int) -> Report:
    """What the iterator of a seed gives, errors among it."""
    found: Report = []
    rng = np.random.RandomState(seed)
    kind = int(rng.randint(4))
    given = texts_of(rng, kind)
    with tf.Graph().as_default():
        texts = tf.placeholder(tf.string, [len(given)])
        iterator = dataset_of(tf, rng, kind, texts).make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer, {texts: given})
            while len(found) < MOST:
                try:
                    found.append(flat(session.run(element)))
                except tf.errors.OutOfRangeError:
                    return [*found, "end"]
                except tf.errors.OpError as error:
                    found.append(type(error).__name__)
    return found


def main() -> None:
    """Write what TensorFlow gives for some seeds."""
    tf = import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    first, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    reports = {}
    for seed in range(first, first + count):
        try:
            reports[str(seed)] = report_of(tf, seed)
        except (TypeError, ValueError) as error:  # the graph cannot be built
            reports[str(seed)] = [f"{type(error).__name__} while building"]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(reports, file, separators=(",", ":"))


if __name__ == "__main__":
    main()
