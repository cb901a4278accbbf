"""Random programs in which queues, variables that grow and tables that change stand beside ordinary ops: what their
runs give, one after the other. The same text builds them in TensorFlow, whose side this module is, too:

    python -m tests.fuzz.fed_by_queues 0 300 out.json
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Report = dict[str, Any]
RUNS = 14
"""How many runs a program makes."""
COLUMNS = 3
"""How many columns each matrix has; its number of rows varies."""


class MixedProgram:
    """The tensors of a graph that is being built, and what its session does."""

    def __init__(self, tf: Any, rng: np.random.RandomState) -> None:
        self.tf, self.rng = tf, rng
        self.matrices: list[Any] = []
        self.fed = tf.placeholder(tf.float32, [None, COLUMNS], name="fed")
        self.count = tf.placeholder(tf.int32, [], name="count")
        self.updates: list[Any] = []
        self.reads: list[Any] = []
        self.starts: list[Any] = []
        self.unordered: list[Any] = []

    def one(self) -> Any:
        """A matrix of some rows."""
        return self.matrices[self.rng.randint(len(self.matrices))]

    def chance(self, one_in: int = 2) -> bool:
        """Whether something happens."""
        return self.rng.randint(one_in) == 0


def _source(p: MixedProgram) -> Any:
    """A queue that a runner fills with rows, in order, and that ends after some epochs."""
    tf, rng = p.tf, p.rng
    rows = rng.randint(-4, 5, (rng.randint(3, 9), COLUMNS)).astype("f4") / 4
    epochs = int(rng.randint(2, 9))
    kind = rng.randint(4)
    if kind == 0:
        (row,) = tf.train.slice_input_producer([rows], num_epochs=epochs, shuffle=False)
        return row
    if kind == 1:
        number = tf.train.range_input_producer(len(rows), num_epochs=epochs, shuffle=False).dequeue()
        return tf.gather(tf.constant(rows), number)
    if kind == 2:
        texts = [",".join(str(each) for each in row) for row in rows]
        text = tf.train.string_input_producer(texts, num_epochs=epochs, shuffle=False).dequeue()
        return tf.stack(tf.decode_csv(text, [[0.0]] * COLUMNS))
    return tf.train.input_producer(tf.constant(rows), num_epochs=epochs, shuffle=False).dequeue()


def _element_steps(p: MixedProgram, row: Any) -> Any:
    """What happens to a row between two queues."""
    tf, rng = p.tf, p.rng
    for _ in range(rng.randint(3)):
        kind = rng.randint(5)
        if kind == 0:
            row = row * 2.0 + 1.0
        elif kind == 1:
            row = tf.cond(tf.reduce_sum(row) > 0.0, lambda row=row: row - 1.0, lambda row=row: -row)
        elif kind == 2:
            row = tf.concat([row[1:], row[:1]], 0)
        elif kind == 3:
            row = tf.map_fn(lambda each: each * each, row)
        else:
            row = tf.clip_by_value(row, -1.0, 1.0)
    row.set_shape([COLUMNS])
    return row


def _batches(p: MixedProgram) -> Any:
    """Batches of a pipeline of queues."""
    tf, rng = p.tf, p.rng
    row = _element_steps(p, _source(p))
    size = int(rng.randint(1, 5))
    smaller = p.chance()
    if p.chance():
        queue = _own_queue(p)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([row])]))
        row = _element_steps(p, queue.dequeue())
        if p.chance(3):
            return queue.dequeue_up_to(size) if smaller else queue.dequeue_many(size)
    if p.chance(4):
        number = tf.reduce_sum(tf.cast(row > 0.0, tf.int32))
        batch, numbers = tf.train.batch([row, number], size, capacity=int(rng.randint(size, 20)),
                                        allow_smaller_final_batch=smaller)  # fmt: skip
        return batch + tf.cast(tf.expand_dims(numbers, 1), tf.float32)
    if p.chance(4):
        batch = tf.train.batch({"a": tf.expand_dims(row, 0)}, size, enqueue_many=True,
                               allow_smaller_final_batch=smaller)  # fmt: skip
        return batch["a"]
    if p.chance(4):
        shuffled = tf.train.shuffle_batch([row], size, capacity=20, min_after_dequeue=int(rng.randint(1, 8)),
                                          allow_smaller_final_batch=True)  # fmt: skip
        p.unordered.append(shuffled)
        return None
    return tf.train.batch([row], size, capacity=int(rng.randint(size, 30)), allow_smaller_final_batch=smaller)


def _own_queue(p: MixedProgram) -> Any:
    tf, capacity = p.tf, int(p.rng.randint(5, 20))
    if p.chance():
        return tf.FIFOQueue(capacity, [tf.float32], [[COLUMNS]])
    return tf.PaddingFIFOQueue(capacity, [tf.float32], [[COLUMNS]])


def _hand_filled(p: MixedProgram) -> Any:
    """A queue that updates fill and reads empty, in one run."""
    tf, rng = p.tf, p.rng
    queue = _own_queue(p)
    x = p.one() if p.matrices else p.fed
    rows = tf.concat([x, tf.ones([3, COLUMNS])], 0)[:3]
    with tf.control_dependencies([queue.enqueue_many([rows])]):
        many = queue.dequeue_many(3) if p.chance() else tf.stack([queue.dequeue()])
    if many.shape[0] == 1:
        with tf.control_dependencies([many]):
            many = tf.concat([many, queue.dequeue_many(2)], 0)
    with tf.control_dependencies([many]):
        size = queue.size()
    return many + tf.cast(size, tf.float32) * int(rng.randint(1, 3))


def _growing(p: MixedProgram) -> Any:
    """A variable whose number of rows changes: rows are added by some updates, dropped by others."""
    tf, rng = p.tf, p.rng
    first = rng.randint(-2, 3, (2, COLUMNS)).astype("f4")
    kind = rng.randint(3)
    name = f"grows{len(p.updates)}"
    if kind == 0:
        v = tf.Variable(first, validate_shape=False, name=name)
    elif kind == 1:
        v = tf.get_variable(name, initializer=tf.constant(first), validate_shape=False)
    else:
        v = tf.Variable(first, name=name)
    x = p.one()
    value = tf.placeholder_with_default(v, [None, COLUMNS])  # TensorFlow computes with a first shape that it knows
    longer = tf.concat([value, x], 0)[-7:]
    p.updates.append(tf.assign(v, longer, validate_shape=False))
    if p.chance():
        p.updates.append(tf.assign(v, value[: p.count], validate_shape=False))
    if p.chance():
        with tf.control_dependencies([tf.assign(v, longer * 0.5, validate_shape=False)]):
            after = tf.placeholder_with_default(v.read_value(), [None, COLUMNS])
        p.updates.append(tf.reduce_sum(after, 0))
    p.reads.append(tf.shape(value))
    p.reads.append(tf.reduce_sum(value * 2.0, 0))
    return value


def _table(p: MixedProgram) -> Any:
    """A table that changes, with rows or numbers as values."""
    tf, x = p.tf, p.one()
    keys = tf.cast(tf.floor(x[:, 0] * 2.0), tf.int64)
    wide = p.chance()
    default = np.full(COLUMNS, -1.0, "f4") if wide else np.float32(-1.0)
    is_dense = p.chance(3)
    if not is_dense:
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, default)
    else:
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, default, empty_key=-99, deleted_key=-98)
    first = tf.range(-2, 2, dtype=tf.int64)
    numbers = tf.cast(first, tf.float32)
    values = tf.tile(tf.expand_dims(numbers, 1), [1, COLUMNS]) if wide else numbers
    p.starts.append(table.insert(first, values))
    one = tf.expand_dims(tf.reduce_max(keys), 0) if p.chance() else tf.constant([3], tf.int64)
    mean = tf.reduce_mean(x, 0) if wide else tf.reduce_mean(x)
    with tf.control_dependencies([table.insert(one, tf.expand_dims(mean, 0))]):
        after = table.lookup(one)
    p.updates.append(after)
    if p.chance():
        p.updates.append(table.remove(one))
    p.reads.append(table.size())
    if not is_dense:  # TensorFlow's exports its empty places too
        exported, entries = table.export()
        order = tf.argsort(exported)
        p.reads.append(tf.gather(entries, order))
        p.reads.append(tf.gather(exported, order))
    looked = table.lookup(keys)
    return looked if wide else tf.expand_dims(looked, 1) * tf.ones([1, COLUMNS])


def _words(p: MixedProgram) -> Any:
    """A table of words that does not change."""
    tf, x = p.tf, p.one()
    words = tf.constant(["0", "1", "2", "-1"])
    numbers = tf.constant([5.0, 6.0, 7.0, 8.0])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, numbers), 0.5)
    return x + tf.expand_dims(table.lookup(tf.as_string(tf.cast(x[:, 1], tf.int32))), 1)


def _plain(p: MixedProgram) -> Any:
    tf, x, y = p.tf, p.one(), p.one()
    kind = p.rng.randint(9)
    if kind == 0:
        return tf.tanh(x) + 0.5
    if kind == 1:
        return x - tf.reduce_mean(y, 0)
    if kind == 2:
        return tf.concat([x, y], 0)[:6]
    if kind == 3:
        return tf.boolean_mask(x, x[:, 0] >= 0.0)
    if kind == 4:
        return tf.nn.relu(x) * tf.cast(tf.shape(y)[0], tf.float32)
    if kind == 5:
        return tf.matmul(x, tf.constant(np.arange(9).reshape(3, 3) / 9, tf.float32))
    if kind == 6:
        return tf.reverse(x, [0])
    if kind == 7:
        return tf.gather(x, tf.range(tf.shape(x)[0] // 2 + 1) % tf.maximum(tf.shape(x)[0], 1))
    return tf.unsorted_segment_sum(x, tf.cast(x[:, 0] > 0.0, tf.int32), 2)


def _control(p: MixedProgram) -> Any:
    tf, x, y = p.tf, p.one(), p.one()
    kind = p.rng.randint(4)
    if kind == 0:
        return tf.cond(tf.shape(x)[0] > tf.shape(y)[0], lambda: x * 2.0, lambda: y[:2])
    if kind == 1:
        return tf.while_loop(lambda i, a: i < p.count, lambda i, a: (i + 1, tf.concat([a, x[:1]], 0)), (0, y),
                             shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, COLUMNS])))[1]  # fmt: skip
    if kind == 2:
        return tf.case([(p.count > 2, lambda: tf.exp(-tf.abs(x)))], default=lambda: y + 1.0)
    return tf.map_fn(lambda row: row / (1.0 + tf.reduce_sum(tf.abs(row))), x)


def _trained(p: MixedProgram) -> Any:
    """Weights that batches train."""
    tf, x = p.tf, p.one()
    w = tf.get_variable(f"w{len(p.updates)}", [COLUMNS, COLUMNS], initializer=tf.constant_initializer(0.25))
    y = tf.matmul(x, w)
    loss = tf.reduce_sum(tf.square(y - 1.0)) * 0.1
    optimizer = tf.train.GradientDescentOptimizer(0.05) if p.chance() else tf.train.MomentumOptimizer(0.02, 0.5)
    p.updates.append(optimizer.minimize(loss, var_list=[w]))
    p.reads.append(tf.reduce_sum(w))
    return y


_WAYS: list[Callable[[MixedProgram], Any]] = [
    _batches, _hand_filled, _growing, _growing, _table, _table, _words, _plain, _plain, _plain, _control, _control,
    _trained,
]  # fmt: skip


def build(p: MixedProgram) -> None:
    """Add a random program to the default graph."""
    tf, rng = p.tf, p.rng
    p.matrices.append(p.fed)
    batch = _batches(p)
    if batch is not None:
        batch.set_shape([None, COLUMNS]) if p.chance() else None
        p.matrices.append(batch)
    for _ in range(rng.randint(3, 9)):
        tensor = _WAYS[rng.randint(len(_WAYS))](p)
        if tensor is not None:
            p.matrices.append(tf.clip_by_value(tensor, -8.0, 8.0))


def data_of(value: Any) -> Any:
    """A recorded value."""
    if value is None:
        return None
    array = np.asarray(value)
    return [array.dtype.name, list(array.shape), [float(f"{each:.6g}") for each in array.astype("f8").reshape(-1)]]


def _runs(p: MixedProgram, session: Any) -> list[Any]:
    """What some runs give: reads of several tensors, single updates, calls of a callable."""
    tf, rng = p.tf, p.rng
    told: list[Any] = []
    reads = [*p.matrices, *p.reads]
    callables: dict[str, Any] = {}
    for _ in range(RUNS):
        x = rng.randint(-4, 5, (rng.randint(1, 5), COLUMNS)).astype("f4") / 4
        feed = {p.fed: x, p.count: int(rng.randint(0, 4))}
        chosen = [reads[rng.randint(len(reads))] for _ in range(rng.randint(1, 4))]
        way = rng.randint(4) if p.updates else 0
        try:
            if way == 1:
                update = p.updates[rng.randint(len(p.updates))]
                value = session.run(update, feed)
                is_value = "Tensor" in type(update).__name__ and "ssign" not in update.op.type
                told.append(data_of(value) if is_value and update.dtype.base_dtype == tf.float32 else "updated")
            elif way == 2:
                key = str(rng.randint(2))
                if key not in callables:
                    callables[key] = session.make_callable(chosen, [p.fed, p.count])
                told.append([data_of(each) for each in callables[key](x, feed[p.count])])
            elif way == 3:
                update = p.updates[rng.randint(len(p.updates))]
                session.run([update], feed)
                told.append([data_of(each) for each in session.run(chosen, feed)])
            else:
                told.append([data_of(each) for each in session.run(chosen, feed)])
        except tf.errors.OpError as error:
            told.append(type(error).__name__)
            break  # it may have filled a queue and not emptied it; then a later run would wait for ever
        except ValueError as error:
            told.append(type(error).__name__)
    return told


def _drained(p: MixedProgram, session: Any) -> list[Any]:
    """The rows of shuffled batches, all of them, sorted."""
    told = []
    for batch in p.unordered:
        rows: list[Any] = []
        try:
            for _ in range(400):
                rows.extend(session.run(batch, {p.fed: np.zeros((1, COLUMNS), "f4"), p.count: 1}).tolist())
        except p.tf.errors.OutOfRangeError:
            told.append([[float(f"{each:.5g}") for each in row] for row in sorted(rows)])
    return told


def report_of(tf: Any, seed: int) -> Report:
    """What the runs of a random program give."""
    rng = np.random.RandomState(seed)
    with tf.Graph().as_default():
        p = MixedProgram(tf, rng)
        build(p)
        start = [tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()]
        config = tf.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True  # it believes in first shapes
        with tf.Session(config=config) as session:
            session.run(start)
            session.run(p.starts)
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                report = {"runs": _runs(p, session), "rows": _drained(p, session)}
            finally:
                coordinator.request_stop()
                coordinator.join(threads, stop_grace_period_secs=30, ignore_live_threads=True)
    return report


def main() -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.FATAL)
    first, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    reports: dict[str, Report] = {}
    for seed in range(first, first + count):
        try:
            reports[str(seed)] = report_of(tf, seed)
        except Exception as error:
            reports[str(seed)] = {"error": f"{type(error).__name__}: {error}"[:400]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(reports, file)
    print(sum("error" not in each for each in reports.values()), "of", count, threading.active_count())


if __name__ == "__main__":
    main()
