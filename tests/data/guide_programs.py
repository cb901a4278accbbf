"""Programs with queues and datasets as TensorFlow's guides write them, for either package. TensorFlow's side is this
module:

    python -m tests.data.guide_programs tests/data/guide_programs.json

A result is text, an error the name of TensorFlow's class.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[[Any, str], Any]] = {}


def program(function: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    PROGRAMS[function.__name__] = function
    return function


def shown(value: Any) -> Any:
    """A result as text, in its structure."""
    if isinstance(value, dict):
        return {key: shown(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [shown(each) for each in value]
    return repr(np.asarray(value).tolist())


def err(call: Callable[[], Any]) -> Any:
    """What a call gives, or the class of its error."""
    try:
        return call()
    except Exception as error:
        return named(error)


def named(error: Exception) -> str:
    """TensorFlow's or Python's class of an error."""
    kinds = ("CancelledError", "OutOfRangeError", "InvalidArgumentError", "FailedPreconditionError", "NotFoundError",
             "ValueError", "TypeError", "KeyError", "RuntimeError")  # fmt: skip
    names = [each.__name__ for each in type(error).__mro__]
    return next((name for name in names if name in kinds), names[0])


@program
def fifo(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]])
    e = q.enqueue([1, [1.0, 2.0]])
    d = q.dequeue()
    m = q.dequeue_many(2)
    s = q.size()
    c = q.close()
    r = []
    with tf.Session() as session:
        session.run(e)
        session.run(e)
        session.run(e)
        r.append(session.run(s))
        r.append(session.run(d))
        r.append(session.run(m))
        r.append(session.run(s))
        session.run(e)
        session.run(c)
        r.append(err(lambda: session.run(e)))
        r.append(err(lambda: session.run(m)))
        r.append(session.run(d))
        r.append(err(lambda: session.run(d)))
        r.append(err(lambda: session.run(c)))
        r.append(session.run(q.is_closed()))
    return [
        *r,
        d[1].shape.as_list(),
        m[1].shape.as_list(),
        d[0].op.name,
        m[0].op.name,
        e.name,
        s.op.name,
        c.name,
        q.name,
    ]


@program
def up_to(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(10, tf.int32, shapes=[])
    r = []
    with tf.Session() as session:
        session.run(q.enqueue_many([[1, 2, 3, 4, 5]]))
        session.run(q.close())
        u = q.dequeue_up_to(3)
        r += [session.run(u), session.run(u), err(lambda: session.run(u)), u.shape.as_list()]
    return r


@program
def shuffle_queue(tf: Any, folder: str) -> Any:
    r = []
    for seed in (1, 5, None):
        if seed is None:
            tf.set_random_seed(7)
        q = tf.RandomShuffleQueue(20, 3, tf.int32, shapes=[], seed=seed)
        with tf.Session() as session:
            session.run(q.enqueue_many([list(range(12))]))
            d = q.dequeue()
            r.append([session.run(d) for _ in range(9)])
            session.run(q.close())
            r.append(session.run(q.dequeue_many(3)))
    return r


@program
def padding(tf: Any, folder: str) -> Any:
    q = tf.PaddingFIFOQueue(10, [tf.int32, tf.string], shapes=[[None], []])
    x = tf.placeholder(tf.int32, [None])
    e = q.enqueue([x, "a"])
    with tf.Session() as session:
        for n in (1, 3, 0):
            session.run(e, {x: np.arange(n)})
        m = q.dequeue_many(3)
        return session.run(m), [t.shape.as_list() for t in m]


@program
def priority(tf: Any, folder: str) -> Any:
    q = tf.PriorityQueue(10, [tf.string], shapes=[[]])
    with tf.Session() as session:
        session.run(q.enqueue_many([np.array([5, 1, 3], "i8"), ["a", "b", "c"]]))
        d = q.dequeue()
        return [session.run(d) for _ in range(3)]


@program
def names(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[], []], names=["i", "f"])
    with tf.Session() as session:
        session.run(q.enqueue({"i": 1, "f": 2.0}))
        d = q.dequeue()
        return session.run(d), err(lambda: q.enqueue([1, 2.0]))


@program
def from_list(tf: Any, folder: str) -> Any:
    qs = [tf.FIFOQueue(5, tf.int32, shapes=[]) for _ in range(2)]
    i = tf.placeholder(tf.int32, [])
    q = tf.QueueBase.from_list(i, qs)
    d = q.dequeue()
    with tf.Session() as session:
        session.run([qs[0].enqueue(10), qs[1].enqueue(20)])
        return session.run(d, {i: 1}), session.run(d, {i: 0})


@program
def cancel(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(1, tf.int32, shapes=[])
    e = q.enqueue(1)
    r = []
    with tf.Session() as session:
        session.run(e)
        t = threading.Thread(target=lambda: r.append(err(lambda: session.run(e))))
        t.start()
        time.sleep(0.3)
        session.run(q.close(cancel_pending_enqueues=True))
        t.join()
    return r


@program
def pending_close(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(1, tf.int32, shapes=[])
    e = q.enqueue(1)
    c = q.close()
    d = q.dequeue()
    r = []
    with tf.Session() as session:
        session.run(e)
        t = threading.Thread(target=lambda: r.append(err(lambda: session.run(e))))
        t.start()
        time.sleep(0.3)
        t2 = threading.Thread(target=lambda: r.append(err(lambda: session.run(c))))
        t2.start()
        time.sleep(0.3)
        a = session.run(d)
        b = session.run(d)
        t.join()
        t2.join()
        return a, b, sorted(map(str, r)), err(lambda: session.run(d))


@program
def text_batch(tf: Any, folder: str) -> Any:
    for i in range(2):
        with open(f"{folder}/f{i}.csv", "w") as f:
            f.write("".join(f"{i},{j},{j * 0.5}\n" for j in range(5)))
    fq = tf.train.string_input_producer([f"{folder}/f{i}.csv" for i in range(2)], num_epochs=2, shuffle=False)
    reader = tf.TextLineReader()
    k, v = reader.read(fq)
    a, b, c = tf.decode_csv(v, [[0], [0], [0.0]])
    ex = tf.train.batch([k, a, b, c], 4, allow_smaller_final_batch=True)
    r: list[Any] = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        co = tf.train.Coordinator()
        th = tf.train.start_queue_runners(session, co)
        try:
            while not co.should_stop():
                k_, a_, b_, c_ = session.run(ex)
                r.append([[x.decode().rsplit("/", 1)[1] for x in k_], a_, b_, c_])
        except tf.errors.OutOfRangeError as e:
            r.append("done " + type(e).__name__)
        finally:
            co.request_stop()
        co.join(th)
        r.append(session.run([reader.num_records_produced(), reader.num_work_units_completed()]))
    return r, [t.op.name for t in ex], [t.shape.as_list() for t in ex]


@program
def shuffle_batch(tf: Any, folder: str) -> Any:
    tf.set_random_seed(3)
    x, y = tf.train.slice_input_producer([np.arange(10), np.arange(10) * 2], num_epochs=1, shuffle=True, seed=2)
    a, b = tf.train.shuffle_batch([x, y], 3, 30, 9, seed=4)
    r = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        co = tf.train.Coordinator()
        th = tf.train.start_queue_runners(session, co)
        try:
            while 1:
                r.append(session.run([a, b]))
        except tf.errors.OutOfRangeError:
            pass
        co.request_stop()
        co.join(th)
    return (
        sorted(len(x[0]) for x in r),
        all((np.array(x[0]) * 2 == x[1]).all() for x in r),
        [op.name for op in tf.get_default_graph().get_operations() if "queue" in op.type.lower()],
        [v.name for v in tf.local_variables()],
    )


@program
def dict_batch(tf: Any, folder: str) -> Any:
    q = tf.train.range_input_producer(6, num_epochs=1, shuffle=False)
    i = q.dequeue()
    b = tf.train.batch({"i": i, "s": tf.as_string(i)}, 2)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        co = tf.train.Coordinator()
        th = tf.train.start_queue_runners(session, co)
        r = [session.run(b) for _ in range(3)]
        e = err(lambda: session.run(b))
        co.request_stop()
        co.join(th)
    return r, e


@program
def one_tensor(tf: Any, folder: str) -> Any:
    """What calls give whose example is a list of one tensor."""
    x, keep = tf.constant([1.0, 2.0]), tf.constant(True)
    made = [
        tf.train.batch([x], 3),
        tf.train.batch({"x": x}, 3),
        tf.train.batch((x,), 3),
        tf.train.batch_join([[x], [x]], 3),
        tf.train.shuffle_batch([x], 3, 20, 5),
        tf.train.shuffle_batch_join([[x]], 3, 20, 5),
        tf.train.maybe_batch([x], keep, 3),
        tf.train.maybe_shuffle_batch([x], 3, 20, 5, keep),
        tf.train.slice_input_producer([x]),
        tf.train.batch([x, x], 3),
    ]
    return [[type(each).__name__ if isinstance(each, (list, dict)) else "tensor", tf.shape(each).shape.as_list()]
            if not isinstance(each, dict) else sorted(each) for each in made]  # fmt: skip


@program
def whole_file(tf: Any, folder: str) -> Any:
    Path(folder, "a.bin").write_bytes(b"hello")
    fq = tf.train.string_input_producer([f"{folder}/a.bin"])
    _, v = tf.WholeFileReader().read(fq)
    with tf.Session() as session:
        co = tf.train.Coordinator()
        th = tf.train.start_queue_runners(session, co)
        r = session.run(v)
        co.request_stop()
        co.join(th)
    return r


@program
def fixed(tf: Any, folder: str) -> Any:
    Path(folder, "b.bin").write_bytes(b"HHaabbccF")
    q = tf.FIFOQueue(3, tf.string, shapes=[])
    rd = tf.FixedLengthRecordReader(2, 2, 1)
    k, v = rd.read(q)
    with tf.Session() as session:
        session.run(q.enqueue(f"{folder}/b.bin"))
        session.run(q.close())
        r = [session.run([k, v]) for _ in range(3)]
        return [[a.decode().rsplit("/", 1)[1], b] for a, b in r], err(lambda: session.run([k, v]))


@program
def coordinator_error(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(3, tf.float32, shapes=[])
    x = tf.placeholder_with_default(0, [])
    bad = q.enqueue(tf.cast(1 // x, tf.float32))
    qr = tf.train.QueueRunner(q, [bad])
    with tf.Session() as session:
        co = tf.train.Coordinator()
        th = qr.create_threads(session, co, start=True)
        co.wait_for_stop()
        return err(lambda: co.join(th))


@program
def exceptions(tf: Any, folder: str) -> Any:
    r = [
        err(lambda: tf.FIFOQueue(3, [tf.int32], shapes=[[], []])),
        err(lambda: tf.FIFOQueue(3, tf.int32).dequeue_many(2)),
        err(lambda: tf.FIFOQueue(3, tf.int32, shapes=[[2]]).enqueue([[1, 2, 3]])),
        err(lambda: tf.FIFOQueue(3, tf.int32).enqueue([1, 2])),
        err(lambda: tf.train.batch([tf.placeholder(tf.float32)], 2)),
        err(lambda: tf.train.string_input_producer([])),
    ]
    return [x if isinstance(x, str) else "made" for x in r]


@program
def feedable(tf: Any, folder: str) -> Any:
    a = tf.data.Dataset.range(5)
    b = tf.data.Dataset.range(10, 15)
    h = tf.placeholder(tf.string, [])
    it = tf.data.Iterator.from_string_handle(h, a.output_types, a.output_shapes)
    n = it.get_next()
    ia = a.make_one_shot_iterator()
    ib = b.make_initializable_iterator()
    with tf.Session() as session:
        ha, hb = session.run([ia.string_handle(), ib.string_handle()])
        session.run(ib.initializer)
        return [session.run(n, {h: ha}), session.run(n, {h: hb}), session.run(n, {h: ha}), session.run(n, {h: hb})]


@program
def reinit(tf: Any, folder: str) -> Any:
    it = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    n = it.get_next()
    i1 = it.make_initializer(tf.data.Dataset.range(2))
    i2 = it.make_initializer(tf.data.Dataset.range(7, 9))
    with tf.Session() as session:
        r = [err(lambda: session.run(n))]
        session.run(i1)
        r.append(session.run(n))
        session.run(i2)
        r += [session.run(n), session.run(n), err(lambda: session.run(n))]
    return r


@program
def placeholders(tf: Any, folder: str) -> Any:
    x = tf.placeholder(tf.float32, [None, 2])
    bs = tf.placeholder(tf.int64, [])
    d = tf.data.Dataset.from_tensor_slices(x).batch(bs)
    it = d.make_initializable_iterator()
    n = it.get_next()
    y = tf.reduce_sum(n, 1)
    with tf.Session() as session:
        session.run(it.initializer, {x: np.arange(6.0).reshape(3, 2), bs: 2})
        r = [session.run(y), session.run(y)]
        r.append(err(lambda: d.make_one_shot_iterator()))
    return r


@program
def train(tf: Any, folder: str) -> Any:
    rng = np.random.RandomState(0)
    X = rng.rand(64, 3).astype("f4")
    Y = X @ np.array([[1.0], [2.0], [3.0]], "f4")
    x, y = (
        tf.data.Dataset.from_tensor_slices((X, Y))
        .shuffle(64, seed=1)
        .repeat()
        .batch(16)
        .make_one_shot_iterator()
        .get_next()
    )
    w = tf.Variable(tf.zeros([3, 1]))
    loss = tf.reduce_mean(tf.square(x @ w - y))
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        ls = []
        for _ in range(30):
            ls.append(round(float(session.run([op, loss])[1]), 3))
    return ls


@program
def py_gen(tf: Any, folder: str) -> Any:
    def g() -> Any:
        for i in range(3):
            yield {"a": i, "b": np.ones(i, "f4")}

    d = tf.data.Dataset.from_generator(g, {"a": tf.int32, "b": tf.float32}, {"a": [], "b": [None]})
    n = d.make_one_shot_iterator().get_next()

    def bad() -> Any:
        yield 1
        raise ValueError("boom")

    m = tf.data.Dataset.from_generator(bad, tf.int32).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        r = [session.run(n) for _ in range(3)]
        session.run(m)
        e = err(lambda: session.run(m))
    return r, e


@program
def map_error(tf: Any, folder: str) -> Any:
    n = tf.data.Dataset.from_tensor_slices([1, 0, 2]).map(lambda x: 4 // x).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        return session.run(n), err(lambda: session.run(n)), session.run(n), err(lambda: session.run(n))


@program
def errors_in_stages(tf: Any, folder: str) -> Any:
    """What stages consume whose elements fail, and how they end."""
    x, of = tf.data.experimental, tf.data.Dataset
    numbers = of.range(7)
    some = numbers.map(lambda n: 60 // ((n - 1) * (n - 3) * (n - 4)))
    nested = numbers.map(lambda n: tf.fill([60 // (n - 1)], n))

    def few(n: Any) -> Any:
        return of.range(2).map(lambda k: 60 // (n - 2 + k))

    stages = [
        of.zip((numbers, some)), of.zip((some, numbers)), of.zip((some, some)), of.zip((some, of.range(2))),
        of.zip((of.range(2), some)), some.concatenate(some), some.batch(2), some.batch(2, drop_remainder=True),
        some.map(lambda n: n + 1), some.map(lambda n: n + 1, num_parallel_calls=2), some.prefetch(2), some.repeat(2),
        some.take(3), some.skip(1), some.skip(2), some.shard(2, 0), some.shard(2, 1), some.filter(lambda n: n > 0),
        numbers.filter(lambda n: 6 // (n - 2) > -9), numbers.flat_map(few),
        numbers.interleave(few, cycle_length=2), numbers.interleave(few, cycle_length=2, block_length=2),
        some.padded_batch(2, []), some.cache(), some.window(2).flat_map(lambda w: w), some.window(2).flat_map(
            lambda w: w.batch(2)), some.shuffle(3, seed=1), some.apply(x.ignore_errors()),
        some.apply(x.enumerate_dataset()), some.apply(x.scan(np.int64(0), lambda s, n: (s + n, s))),
        nested.apply(x.unbatch()), numbers.apply(x.scan(np.int64(0), lambda s, n: (s + 6 // (n - 2), s))),
        some.apply(x.take_while(lambda n: n < 99)), numbers.apply(x.take_while(lambda n: 6 // (n - 2) < 99)),
        some.apply(x.group_by_window(lambda n: n % 2, lambda k, d: d.batch(2), 2)),
        numbers.apply(x.group_by_window(lambda n: 6 // (n - 2) % 2, lambda k, d: d.batch(2), 2)),
        numbers.apply(x.group_by_window(lambda n: n % 2, lambda k, d: few(k + 1), 2)),
        x.choose_from_datasets([some, numbers], of.range(9).map(lambda n: n % 2)),
        x.choose_from_datasets([numbers, numbers], some.map(lambda n: n % 2)),
        some.batch(2).repeat(2), some.take(5).batch(2), some.apply(x.map_and_batch(lambda n: n + 1, 2)),
        numbers.apply(x.map_and_batch(lambda n: 6 // (n - 2), 2)), numbers.map(lambda n: 6 // (n - 2)).batch(2),
        numbers.map(lambda n: 6 // (n - 2), num_parallel_calls=2).batch(2),
    ]  # fmt: skip
    r: list[Any] = []
    for stage in stages:
        e = stage.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            r.append([err(lambda e=e: session.run(e)) for _ in range(12)])  # type: ignore[misc]
    total = some.reduce(np.int64(0), lambda a, b: a + b)
    with tf.Session() as session:
        return [*r, err(lambda: session.run(total))]


@program
def converted(tf: Any, folder: str) -> Any:
    """What a generator may give for a dtype."""
    r: list[Any] = []
    for value in (1.5, np.float32(1.5), True, np.int64(3), 2.0, "7", b"7", "x", [1, 2]):
        for dtype in (tf.int32, tf.float32, tf.bool) if not isinstance(value, (str, bytes)) else (tf.int32, tf.string):
            d = tf.data.Dataset.from_generator(lambda value=value: iter([value, value]), dtype, tf.TensorShape([]))
            e = d.make_one_shot_iterator().get_next()
            with tf.Session() as session:
                r.append([str(value), str(dtype), err(lambda e=e: session.run(e)), err(lambda e=e: session.run(e))])  # type: ignore[misc]
    return r


@program
def monitored(tf: Any, folder: str) -> Any:
    q = tf.train.range_input_producer(4, num_epochs=1, shuffle=False)
    i = q.dequeue()
    step = tf.train.get_or_create_global_step()
    inc = tf.assign_add(step, 1)
    r = []
    with tf.train.MonitoredTrainingSession() as session:
        while not session.should_stop():
            r.append(session.run([i, inc]))
    return r


@program
def monitored_data(tf: Any, folder: str) -> Any:
    n = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
    step = tf.train.get_or_create_global_step()
    inc = tf.assign_add(step, 1)
    r = []
    with tf.train.MonitoredTrainingSession() as session:
        while not session.should_stop():
            r.append(session.run([n, inc]))
    return r


@program
def in_cond(tf: Any, folder: str) -> Any:
    a = tf.data.Dataset.range(3).make_one_shot_iterator()
    b = tf.data.Dataset.range(10, 13).make_one_shot_iterator()
    p = tf.placeholder(tf.bool, [])
    n = tf.cond(p, lambda: a.get_next(), lambda: b.get_next())
    with tf.Session() as session:
        return [session.run(n, {p: x}) for x in (True, False, False, True)]


@program
def in_loop(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(10, tf.int32, shapes=[])
    s = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + q.dequeue()), [0, 0])[1]
    with tf.Session() as session:
        session.run(q.enqueue_many([[1, 2, 3, 4]]))
        return session.run(s), session.run(q.size())


@program
def both_in_one_run(tf: Any, folder: str) -> Any:
    q = tf.FIFOQueue(10, tf.int32, shapes=[])
    d = q.dequeue()
    e = q.enqueue(5)
    with tf.Session() as session:
        return session.run([e, d])[1]


@program
def csvd(tf: Any, folder: str) -> Any:
    Path(folder, "c.csv").write_text("h1,h2\n1,a\n2,\n")
    n = (
        tf.data.experimental.CsvDataset(f"{folder}/c.csv", [tf.int32, ["z"]], header=True)
        .batch(5)
        .make_one_shot_iterator()
        .get_next()
    )
    with tf.Session() as session:
        return session.run(n)


@program
def sparse_el(tf: Any, folder: str) -> Any:
    s = tf.SparseTensor([[0, 0], [1, 2], [2, 0]], [1, 2, 3], [4, 3])
    d = tf.data.Dataset.from_tensor_slices(s)
    n = d.make_one_shot_iterator().get_next()
    dn = tf.sparse_tensor_to_dense(n)
    with tf.Session() as session:
        return [session.run(dn) for _ in range(4)], err(lambda: session.run(dn))


@program
def table(tf: Any, folder: str) -> Any:
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    it = tf.data.Dataset.from_tensor_slices(["b", "x", "a"]).map(t.lookup).make_initializable_iterator()
    n = it.get_next()
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        session.run(it.initializer)
        return [session.run(n) for _ in range(3)]


def results(
    tf: Any, names: list[str] | None = None, programs: dict[str, Callable[[Any, str], Any]] | None = None
) -> dict[str, Any]:
    """What the programs give."""
    found = {}
    for name, function in (PROGRAMS if programs is None else programs).items():
        if names is None or name in names:
            with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
                try:
                    found[name] = shown(function(tf, folder))
                except Exception as error:
                    found[name] = f"{named(error)}: {error}"[:200]
    return found


def main() -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    Path(sys.argv[1]).write_text(json.dumps(results(tf), indent=1) + "\n")


if __name__ == "__main__":
    main()
