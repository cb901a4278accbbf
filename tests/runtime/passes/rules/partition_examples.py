"""Examples of the rules on partitions and stitches."""

from collections.abc import Iterator

import penstock as tf
from penstock.runtime.passes.rules.partition_stitch import GatherOfStitch, PartitionOfStitch, StitchOfPartitions

from .rule_examples import Example, example, example_of, near_misses_of


@example_of(StitchOfPartitions)
def _() -> Example:
    x = tf.placeholder("float32", ["n"])
    p = tf.cast(tf.not_equal(x, -1.0), "int32")
    some = tf.dynamic_partition(x, p, 2)
    rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), p, 2)
    return example(tf.dynamic_stitch(rows, [some[0], some[1] + 1.0]), {x: [0.1, -1.0, 5.2, 4.3, -1.0, 7.4]})


@near_misses_of(StitchOfPartitions)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32", ["n"])
    p = tf.placeholder("int32", ["n"])
    feeds = {x: [1.0, 2.0, 3.0], p: [0, 1, 0]}
    some = tf.dynamic_partition(x, p, 2)
    rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), p, 2)
    sums = [some[0] - tf.reduce_sum(some[0]), some[1]]
    yield example(tf.dynamic_stitch(rows, sums), feeds, "is not elementwise")
    yield example(tf.dynamic_stitch(rows[::-1], some[::-1]), feeds, "not all parts of one partition, in order")
    swapped = [tf.gather(x, rows[1]), tf.gather(x, rows[0])]
    even = {x: [1.0, 2.0, 3.0, 4.0], p: [0, 1, 0, 1]}
    yield example(tf.dynamic_stitch(rows, swapped), even, "the indices have another order")


def _stitched(x: tf.Tensor, p: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
    rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), p, 2)
    some = tf.dynamic_partition(x, p, 2)
    return tf.dynamic_stitch(rows, [tf.cumsum(some[0]), some[1]]), rows


@example_of(PartitionOfStitch)
def _() -> Example:
    x, p = tf.placeholder("float32", ["n", 2]), tf.placeholder("int32", ["n"])
    stitched, _ = _stitched(x, p)
    return example(tf.dynamic_partition(stitched, p, 2), {x: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], p: [0, 1, 0]})


@near_misses_of(PartitionOfStitch)
def _() -> Iterator[Example]:
    x, p, q = tf.placeholder("float32", ["n"]), tf.placeholder("int32", ["n"]), tf.placeholder("int32", ["n"])
    feeds = {x: [1.0, 2.0, 3.0], p: [0, 1, 0], q: [1, 1, 0]}
    stitched, rows = _stitched(x, p)
    yield example(tf.dynamic_partition(stitched, q, 2), feeds, "the rows were not stitched by")
    sizes = [tf.placeholder("float32", [None]), tf.placeholder("float32", [None])]
    other = tf.dynamic_partition(tf.dynamic_stitch(rows, sizes), p, 2)
    yield example(other, {**feeds, sizes[0]: [1.0, 2.0], sizes[1]: [3.0]}, "whether each data has a row for each index")


@example_of(GatherOfStitch)
def _() -> Example:
    x, p = tf.placeholder("float32", ["n", 2]), tf.placeholder("int32", ["n"])
    stitched, rows = _stitched(x, p)
    taken = [tf.gather(stitched, rows[0]), tf.gather(stitched, rows[1])]
    return example(taken, {x: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], p: [0, 1, 0]})


@near_misses_of(GatherOfStitch)
def _() -> Iterator[Example]:
    x, p, q = tf.placeholder("float32", ["n"]), tf.placeholder("int32", ["n"]), tf.placeholder("int32", ["n"])
    feeds = {x: [1.0, 2.0, 3.0], p: [0, 1, 0], q: [1, 1, 0]}
    stitched, _ = _stitched(x, p)
    others = tf.dynamic_partition(tf.range(tf.shape(x)[0]), q, 2)
    yield example(tf.gather(stitched, others[0]), feeds, "the rows were not stitched by")
    places = tf.dynamic_partition(tf.range(tf.shape(x)[0]) * 1, p, 2)
    yield example(tf.gather(stitched, places[0]), feeds, "is not known to be range(n)")
