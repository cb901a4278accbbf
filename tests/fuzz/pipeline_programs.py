"""Random pipelines of `tf.data`: the elements that their iterators give, and how they end. The same text builds them in
TensorFlow, whose side this module is, too:

    python -m tests.fuzz.pipeline_programs 0 300 out.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

MOST_ELEMENTS = 120
"""Endless pipelines are read so far."""

Report = dict[str, Any]
Step = Callable[[Any, Any], Any]


def source_of(tf: Any, rng: np.random.RandomState) -> Any:
    """A dataset of scalars, vectors, dicts, pairs or strings."""
    count = int(rng.choice([0, 1, 2, 5, 7, 12, 30]))
    kind = rng.randint(7)
    data = tf.data.Dataset
    if kind == 0:
        step = int(rng.choice([1, 2, -1, 3]))
        return data.range(int(rng.randint(-3, 4)), int(rng.randint(-3, 4)) + count * np.sign(step), step)
    if kind == 1:
        return data.from_tensor_slices(rng.randint(-9, 9, (count, 3)).astype("f4"))
    if kind == 2:
        return data.from_tensor_slices((rng.randint(0, 99, count).astype("i8"), rng.rand(count, 2)))
    if kind == 3:
        return data.from_tensor_slices({"a": rng.randint(0, 9, count), "b": rng.rand(count).astype("f4")})
    if kind == 4:
        return data.from_tensor_slices(np.array([b"w%d" % n for n in rng.randint(0, 99, count)], object))
    if kind == 5:
        return data.from_tensors(rng.randint(0, 9, int(rng.randint(0, 4))).astype("i4"))
    return data.range(count).map(lambda n: tf.fill([n % 4], n))


def is_number(dtype: Any) -> bool:
    return str(getattr(dtype, "name", "")) in ("int32", "int64", "float32", "float64")


def on_numbers(tf: Any, dataset: Any, function: Callable[[Any], Any]) -> Any:
    """`map` that applies a function to each leaf of numbers."""
    types = dataset.output_types

    def leaf(value: Any, dtype: Any) -> Any:
        return function(value) if is_number(dtype) else value

    if isinstance(types, dict):
        return dataset.map(lambda each: {key: leaf(each[key], types[key]) for key in types})
    if isinstance(types, tuple):
        if any(isinstance(each, (tuple, dict)) for each in types):
            return dataset
        return dataset.map(lambda *parts: tuple([leaf(p, t) for p, t in zip(parts, types)]))  # noqa: B905
    return dataset.map(lambda each: leaf(each, types))


def leaf_of(element: Any) -> Any:
    """The first leaf of an element."""
    while isinstance(element, (tuple, dict)):
        element = element[sorted(element)[0]] if isinstance(element, dict) else element[0]
    return element


def first_leaf(*parts: Any) -> Any:
    return leaf_of(parts[0])


def ranks(dataset: Any) -> list[int | None]:
    """The ranks of the leaves."""
    found: list[int | None] = []

    def walk(shapes: Any) -> None:
        if isinstance(shapes, dict):
            for key in sorted(shapes):
                walk(shapes[key])
        elif isinstance(shapes, tuple):
            for each in shapes:
                walk(each)
        else:
            found.append(shapes.ndims)

    walk(dataset.output_shapes)
    return found


def step_of(tf: Any, rng: np.random.RandomState, dataset: Any, done: set[int]) -> Any:
    """The dataset after one more transformation, whose number is added to `done`.

    TensorFlow fuses a shuffle and no pass to an error.
    """
    kind = rng.randint(24)
    was_shuffled = bool(done & {1, 23})
    done.add(kind)
    small = int(rng.choice([1, 2, 3, 5]))
    experimental = tf.data.experimental
    if kind == 0:
        return dataset.batch(small, drop_remainder=bool(rng.randint(2)))
    if kind == 1:
        return dataset.shuffle(int(rng.choice([1, 2, 5, 50])), seed=int(rng.randint(99)),
                               reshuffle_each_iteration=[None, True, False][rng.randint(3)])  # fmt: skip
    if kind == 2:
        return dataset.repeat([None, 1 if was_shuffled else 0, 1, 2, 3][rng.randint(5)])
    if kind == 3:
        return dataset.take(int(rng.choice([-1, 0, 2, 4, 20])))
    if kind == 4:
        return dataset.skip(int(rng.choice([-1, 0, 1, 3])))
    if kind == 5:
        shards = int(rng.randint(1, 4))
        return dataset.shard(shards, int(rng.randint(shards)))
    if kind == 6:
        return on_numbers(tf, dataset, lambda x: x * 2 + 1)
    if kind == 7:
        return on_numbers(tf, dataset, lambda x: tf.cast(x, tf.float32) * tf.random_uniform([], seed=3) * 0 + 1)
    if kind == 8:
        return dataset.prefetch(small)
    if kind == 9:
        return dataset.cache()
    if kind == 10:
        return dataset.apply(experimental.enumerate_dataset(start=int(rng.randint(5))))
    if kind == 11 and all(rank is not None for rank in ranks(dataset)):
        return dataset.padded_batch(small, dataset.output_shapes, drop_remainder=bool(rng.randint(2)))
    if kind == 12 and all(rank for rank in ranks(dataset)):
        return dataset.apply(experimental.unbatch())
    if kind == 13:
        limit = int(rng.randint(0, 9))
        types = leaf_of_types(dataset)
        if is_number(types):
            return dataset.filter(
                lambda *parts: tf.reduce_sum(tf.cast(first_leaf(*parts), tf.float32)) > float(limit)
            )
    if kind == 14:
        return dataset.flat_map(lambda *parts: tf.data.Dataset.from_tensors(_whole(parts)).repeat(2))
    if kind == 15:
        cycle, block = int(rng.randint(1, 4)), int(rng.randint(1, 3))
        return dataset.interleave(
            lambda *parts: tf.data.Dataset.from_tensors(_whole(parts)).repeat(3), cycle, block
        )
    if kind == 16:
        return tf.data.Dataset.zip((dataset, tf.data.Dataset.range(small * 3)))
    if kind == 17:
        return dataset.concatenate(dataset.take(small))
    if kind == 18:
        return dataset.map(lambda *parts: _whole(parts), num_parallel_calls=2)
    if kind == 19:
        state = tf.constant(0, tf.int64)
        function = lambda s, e: (s + 1, (s, e))  # noqa: E731
        return dataset.apply(experimental.scan(state, function))
    if kind == 20 and not any(isinstance(each, (dict, tuple)) for each in [dataset.output_types]):
        shift, stride = int(rng.choice([1, 2, 3])), int(rng.choice([1, 2]))
        return dataset.window(small, shift, stride, bool(rng.randint(2))).flat_map(lambda window: window.batch(2))
    if kind == 21:
        types = leaf_of_types(dataset)
        if is_number(types):
            key = lambda *parts: tf.cast(  # noqa: E731
                tf.reduce_sum(tf.cast(first_leaf(*parts), tf.int64)) % 3, tf.int64)  # fmt: skip
            return dataset.apply(experimental.group_by_window(key, lambda k, group: group, small))
    if kind == 22:
        weights, seed = None if rng.randint(2) else [0.2, 0.8], int(rng.randint(99))
        return experimental.sample_from_datasets([dataset.take(20), dataset.take(5)], weights, seed=seed)
    if kind == 23:
        size, seed = int(rng.choice([2, 5, 50])), int(rng.randint(99))
        return dataset.apply(experimental.shuffle_and_repeat(size, small, seed))
    return dataset


def _whole(parts: Any) -> Any:
    return parts[0] if len(parts) == 1 else parts


def leaf_of_types(dataset: Any) -> Any:
    """The dtype of the first leaf."""
    return leaf_of(dataset.output_types)


def flat(value: Any) -> list[Any]:
    """The leaves of an element as lists."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flat(value[key])]
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in flat(part)]
    array = np.asarray(value)
    texts = [each.decode() if isinstance(each, bytes) else each for each in array.reshape(-1).tolist()]
    return [[array.dtype.name, list(array.shape), [repr(each) for each in texts]]]


def shapes_text(shapes: Any) -> Any:
    """The static shapes of an element; sizes that have a name count as unknown."""
    if isinstance(shapes, dict):
        return {key: shapes_text(shapes[key]) for key in sorted(shapes)}
    if isinstance(shapes, tuple):
        return [shapes_text(each) for each in shapes]
    return None if shapes.ndims is None else [
        None if dim is None or not isinstance(dim, int) else dim for dim in shapes.as_list()]  # fmt: skip


def report_of(tf: Any, seed: int) -> Report:
    """What a random pipeline gives."""
    rng = np.random.RandomState(seed)
    with tf.Graph().as_default():
        if rng.randint(3) == 0:
            tf.set_random_seed(int(rng.randint(99)))
        dataset = source_of(tf, rng)
        done: set[int] = set()
        for _ in range(rng.randint(1, 7)):
            dataset = step_of(tf, rng, dataset, done)
        is_one_shot = bool(rng.randint(2))
        iterator = dataset.make_one_shot_iterator() if is_one_shot else dataset.make_initializable_iterator()
        element = iterator.get_next()
        report: Report = {"shapes": shapes_text(dataset.output_shapes), "elements": [], "end": "more"}
        with tf.Session() as session:
            for _ in range(1 if is_one_shot else 2):
                if not is_one_shot:
                    session.run(iterator.initializer)
                try:
                    for _ in range(MOST_ELEMENTS):
                        report["elements"].append(flat(session.run(element)))
                except tf.errors.OpError as error:
                    report["end"] = type(error).__name__
    return report


def main() -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    first, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    reports: dict[str, Report] = {}
    for seed in range(first, first + count):
        try:
            reports[str(seed)] = report_of(tf, seed)
        except Exception as error:
            reports[str(seed)] = {"error": f"{type(error).__name__}: {error}"[:400]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(reports, file)


if __name__ == "__main__":
    main()
