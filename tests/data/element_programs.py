"""Programs with datasets whose steps choose, group, pad or count elements, for either package.

TensorFlow's side is this module:

    python -m tests.data.element_programs tests/data/element_programs.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .guide_programs import err, results

PROGRAMS: dict[str, Callable[[Any, str], Any]] = {}


def program(function: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    PROGRAMS[function.__name__] = function
    return function


def elements(tf: Any, dataset: Any, most: int = 20) -> list[Any]:
    """The elements up to the end or an error, which is the last of the list."""
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found: list[Any] = []
    with tf.Session() as session:
        while len(found) < most and not (found and isinstance(found[-1], str)):
            found.append(err(lambda: session.run(following)))
    return found


def sequences(tf: Any, lengths: list[int]) -> Any:
    """A dataset of vectors of these lengths, filled with them."""
    counts = tf.data.Dataset.from_tensor_slices(np.array(lengths, np.int32))
    return counts.map(lambda n: tf.fill(tf.reshape(n, [1]), n))


def bucketed(tf: Any, lengths: list[int], boundaries: list[int], sizes: list[int], **options: Any) -> Any:
    bucket = tf.data.experimental.bucket_by_sequence_length(
        lambda x: tf.size(x), boundaries, sizes, **options
    )
    return elements(tf, sequences(tf, lengths).apply(bucket))


@program
def bucket_boundaries(tf: Any, folder: str) -> Any:
    return bucketed(tf, [3, 1, 2, 3, 5, 4, 6, 5, 1], [3, 5], [2, 3, 2])


@program
def bucket_padded_to_boundary(tf: Any, folder: str) -> Any:
    return bucketed(tf, [1, 3, 2, 3, 1], [3, 5], [2, 2, 2], pad_to_bucket_boundary=True)


@program
def bucket_beyond_the_last_boundary(tf: Any, folder: str) -> Any:
    *found, error = bucketed(tf, [1, 7, 2, 8], [3, 5], [2, 2, 2], pad_to_bucket_boundary=True)
    return found, isinstance(error, str)  # TensorFlow's is an internal one


@program
def bucket_drop_remainder(tf: Any, folder: str) -> Any:
    return bucketed(tf, [1, 4, 2, 4, 1, 6], [3, 5], [2, 2, 2], drop_remainder=True)


@program
def bucket_no_padding(tf: Any, folder: str) -> Any:
    return bucketed(tf, [2, 2, 4, 4], [3], [2, 2], no_padding=True)


@program
def bucket_padding_values(tf: Any, folder: str) -> Any:
    return bucketed(tf, [1, 2, 4, 3], [3], [2, 2], padding_values=-1)


@program
def bucket_wrong_counts(tf: Any, folder: str) -> Any:
    return err(lambda: bucketed(tf, [1], [3], [2]))


@program
def windows_by_key(tf: Any, folder: str) -> Any:
    group = tf.data.experimental.group_by_window(lambda n: n % 3, lambda key, window: window.batch(9), 2)
    return elements(tf, tf.data.Dataset.range(8).apply(group))


@program
def windows_of_sizes_by_key(tf: Any, folder: str) -> Any:
    group = tf.data.experimental.group_by_window(
        lambda n: n % 2, lambda key, window: window.map(lambda n: n * 10 + key).batch(9),
        window_size_func=lambda key: key + 1,
    )  # fmt: skip
    return elements(tf, tf.data.Dataset.range(7).apply(group))


@program
def windows_with_both_sizes(tf: Any, folder: str) -> Any:
    def grouped(*sizes: Any) -> Any:
        group = tf.data.experimental.group_by_window(lambda n: n, lambda key, window: window.batch(2), *sizes)
        return elements(tf, tf.data.Dataset.range(2).apply(group))

    return [err(lambda: grouped(2, lambda key: key + 1)), err(grouped), err(lambda: grouped(2))]


def in_a_dict(tf: Any) -> Any:
    return sequences(tf, [1, 3]).map(lambda x: {"z": x, "a": tf.concat([x, x], 0)})


@program
def padded_dict(tf: Any, folder: str) -> Any:
    return elements(tf, in_a_dict(tf).padded_batch(2, {"z": [4], "a": [7]}))


@program
def padded_dict_with_values(tf: Any, folder: str) -> Any:
    return elements(tf, in_a_dict(tf).padded_batch(2, {"z": [None], "a": [-1]}, {"z": -1, "a": -2}))


@program
def padded_too_small(tf: Any, folder: str) -> Any:
    three = tf.data.Dataset.from_tensors(np.zeros(3, np.int32))
    too_small = sequences(tf, [1, 3]).padded_batch(2, [2])
    return [err(lambda: elements(tf, three.padded_batch(1, [2]))), elements(tf, too_small)]


def numbered(tf: Any) -> list[Any]:
    return [tf.data.Dataset.range(10 * n, 10 * n + n) for n in (1, 2, 3)]


@program
def chosen_until_one_ends(tf: Any, folder: str) -> Any:
    order = tf.data.Dataset.from_tensor_slices(np.array([2, 1, 0, 0, 1, 2, 1, 2], np.int64))
    choose = tf.data.experimental.choose_from_datasets
    return [elements(tf, choose(numbered(tf), order, stop_on_empty_dataset=stops)) for stops in (False, True)]


@program
def chosen_out_of_range(tf: Any, folder: str) -> Any:
    order = tf.data.Dataset.from_tensor_slices(np.array([0, 3, 1], np.int64))
    return elements(tf, tf.data.experimental.choose_from_datasets(numbered(tf), order))


@program
def sampled_until_one_ends(tf: Any, folder: str) -> Any:
    sample = tf.data.experimental.sample_from_datasets
    return [elements(tf, sample(numbered(tf), [0.3, 0.3, 0.4], 7, stop_on_empty_dataset=stops))
            for stops in (False, True)]  # fmt: skip


@program
def map_and_batch_without_the_rest(tf: Any, folder: str) -> Any:
    batched = tf.data.experimental.map_and_batch
    return [elements(tf, tf.data.Dataset.range(5).apply(batched(lambda n: n * n, 2, drop_remainder=drops)))
            for drops in (False, True)]  # fmt: skip


@program
def shuffled_and_repeated(tf: Any, folder: str) -> Any:
    mixed = tf.data.experimental.shuffle_and_repeat(4, 2, seed=5)
    return elements(tf, tf.data.Dataset.range(6).apply(mixed))


@program
def a_state_of_another_dtype(tf: Any, folder: str) -> Any:
    scan = tf.data.experimental.scan(np.int64(0), lambda state, n: (tf.cast(state + n, tf.float32), n))
    return err(lambda: elements(tf, tf.data.Dataset.range(3).apply(scan)))


@program
def a_state_of_two(tf: Any, folder: str) -> Any:
    scan = tf.data.experimental.scan((np.int64(0), np.int64(1)), lambda s, n: ((s[1], s[0] + s[1]), s[0] * 100 + n))
    return elements(tf, tf.data.Dataset.range(7).apply(scan))


@program
def while_it_holds(tf: Any, folder: str) -> Any:
    small = tf.data.experimental.take_while(lambda n: n % 4 < 3)
    return elements(tf, tf.data.Dataset.range(9).apply(small))


@program
def a_map_that_counts(tf: Any, folder: str) -> Any:
    """A function with an effect runs once for each element of a batch, in order."""
    seen: list[int] = []

    def note(n: Any) -> Any:
        seen.append(int(n))
        return n

    found = elements(tf, tf.data.Dataset.range(5).map(lambda n: tf.py_func(note, [n], tf.int64)).batch(2))
    return found, seen


@program
def a_map_with_a_check(tf: Any, folder: str) -> Any:
    """A check that no value depends on ends the batch of its element."""

    def checked(n: Any) -> Any:
        with tf.control_dependencies([tf.debugging.Assert(n < 3, ["too large"])]):
            return tf.identity(n)

    return elements(tf, tf.data.Dataset.range(6).map(checked).batch(2))


@program
def an_error_in_a_batch_that_is_left_out(tf: Any, folder: str) -> Any:
    def looked_up(n: Any) -> Any:
        return tf.gather(np.array([1, 2, 3, 4], np.int32), n)

    numbers = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 2, 3, 9], np.int32))
    return [elements(tf, numbers.map(looked_up).batch(2, drop_remainder=drops)) for drops in (False, True)]


def main() -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    Path(sys.argv[1]).write_text(json.dumps(results(tf, programs=PROGRAMS), indent=1) + "\n")


if __name__ == "__main__":
    main()
