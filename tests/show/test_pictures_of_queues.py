"""Boxes of queues, tables and readers say what they hold and what fills them, and no type of a handle."""

from __future__ import annotations

import penstock as tf
from penstock.show import picture_of
from penstock.show.content.object_boxes import is_handle


def test_the_queue_of_a_fetched_batch_says_what_it_holds_and_what_fills_it() -> None:
    with tf.Graph().as_default() as graph:
        (row,) = tf.train.slice_input_producer([tf.ones([9, 3])], name="rows")
        batch = tf.train.shuffle_batch([row, row[0]], 4, 20, 5, name="batches")
    picture = picture_of(graph, fetches=batch, context="cut")
    boxes = {box.id: box for box in picture.boxes}
    (queue,) = [box for name, box in boxes.items() if "random_shuffle_queue" in name]
    filled = [op.name for op in graph.get_operations() if op.type == "QueueEnqueueV2"]
    assert queue.detail == ("holds float32 (3,), float32 ()", "capacity = 20", f"filled by {filled[0]}")
    assert [arrow.label for arrow in picture.arrows if arrow.source == queue.id] == [""]


def test_no_box_and_no_arrow_shows_the_type_of_a_handle() -> None:
    with tf.Graph().as_default() as graph:
        names = tf.train.string_input_producer(["a.txt", "b.txt"])
        _, line = tf.TextLineReader().read(names)
        many = tf.PaddingFIFOQueue(3, [tf.float32] * 5, [[None]] * 5, name="many")
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="counts")
        fetches = [tf.train.batch([line], 2), many.dequeue(), table.lookup(line)]
    for context in ("dim", "cut"):
        picture = picture_of(graph, fetches=fetches, context=context)
        handles = {op.name for op in graph.get_operations() if is_handle(op)}
        assert len(handles) == 5
        shown = {box.id: box.detail for box in picture.boxes if box.id in handles}
        assert len(shown) >= 4
        assert not [lines for lines in shown.values() if "string ()" in lines]
        assert shown["many"][0] == "holds float32 (?,), float32 (?,), float32 (?,) and 2 more"
        producer = next(lines for name, lines in shown.items() if name.startswith("input_producer"))
        assert producer[2].startswith("filled by input_producer/")
        assert shown["counts"] == ("int64 by string",)
        assert {arrow.label for arrow in picture.arrows if arrow.source in handles} == {""}
