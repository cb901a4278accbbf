"""Random graphs of TensorFlow 1 and what they compute: with loops, branches, variables, queues, functions, datasets,
gradients. This module is TensorFlow's side, which writes each graph as a GraphDef:

    python -m tests.fuzz.graph_programs 0 300 out.json
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Report = dict[str, Any]
RUNS = 2
"""How often the update of a program runs, with a fetch before and after each."""

FEEDS: dict[str, Any] = {
    "x:0": np.linspace(-1.2, 1.5, 6).astype(np.float32).reshape(2, 3),
    "n:0": np.int32(2),
    "p:0": np.array(True),
}


class _Builder:
    """The tensors of a graph that is being built, and the ways to add more."""

    def __init__(self, tf: Any, rng: np.random.RandomState, depth: int = 0) -> None:
        self.tf, self.rng, self.depth = tf, rng, depth
        self.matrices: list[Any] = []
        self.updates: list[Any] = []
        self.starts: list[Any] = []
        self.given: tuple[Any, Any] = (None, None)

    def one(self) -> Any:
        """A tensor of float32 with two rows and three columns."""
        return self.matrices[self.rng.randint(len(self.matrices))]

    def inside(self, *given: Any) -> _Builder:
        """What builds a branch or a body, of these tensors and those around."""
        made = _Builder(self.tf, self.rng, self.depth + 1)
        made.matrices = [*self.matrices[-3:], *given]
        made.given = self.given
        return made

    def steps(self, count: int) -> Any:
        """Add some steps; the last tensor."""
        for _ in range(count):
            made = None
            while made is None:
                ways = _WAYS if self.depth else _WAYS + _OUTSIDE
                made = ways[self.rng.randint(len(ways))](self)
            self.matrices.append(self.tf.ensure_shape(made, [2, 3]) if self.rng.randint(4) == 0 else made)
        return self.matrices[-1]

    def n(self) -> Any:
        """The int that is fed."""
        return self.given[0]

    def p(self) -> Any:
        """The bool that is fed."""
        return self.given[1]


def _unary(b: _Builder) -> Any:
    tf = b.tf
    chosen = [tf.tanh, tf.sin, tf.sigmoid, tf.nn.relu, tf.nn.elu, tf.nn.softplus, tf.square, tf.abs, tf.floor, tf.sign,
              tf.nn.softmax, tf.nn.log_softmax, tf.erf, tf.negative, tf.nn.relu6, tf.nn.leaky_relu, tf.atan, tf.rint,
              tf.stop_gradient, tf.identity, tf.nn.softsign, tf.nn.selu]  # fmt: skip
    return tf.clip_by_value(chosen[b.rng.randint(len(chosen))](b.one()), -5.0, 5.0)


def _binary(b: _Builder) -> Any:
    tf = b.tf
    chosen = [tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.squared_difference, tf.div_no_nan, tf.atan2,
              lambda x, y: tf.add_n([x, y, x]), lambda x, y: tf.where_v2(x > y, x, y + 1.0),
              lambda x, y: tf.where(tf.less(x, y), x, y), lambda x, y: tf.cast(tf.equal(x, y), tf.float32) + y,
              lambda x, y: tf.floormod(x, tf.abs(y) + 1.0)]  # fmt: skip
    return tf.clip_by_value(chosen[b.rng.randint(len(chosen))](b.one(), b.one()), -5.0, 5.0)


def _moved(b: _Builder) -> Any:
    tf, x, y, k = b.tf, b.one(), b.one(), b.rng.randint(14)
    axis = int(b.rng.randint(2))
    if k == 0:
        return tf.transpose(tf.reshape(x, [3, 2]))
    if k == 1:
        return tf.concat([x[:1], y[1:]], 0)
    if k == 2:
        return tf.reverse(x, [axis])
    if k == 3:
        return tf.stack(tf.unstack(x, axis=0)[::-1])
    if k == 4:
        return tf.gather(x, [1, 0]) + tf.gather(y, [2, 2, 0], axis=1)
    if k == 5:
        return tf.pad(x[:, 1:], [[0, 0], [1, 0]])
    if k == 6:
        return tf.tile(x[:, :1], [1, 3])
    if k == 7:
        return tf.concat(tf.split(x, 3, 1)[::-1], 1)
    if k == 8:
        return tf.matmul(x, y, transpose_b=True) @ y * 0.3
    if k == 9:
        return tf.slice(tf.concat([x, y], 1), [0, b.rng.randint(4)], [2, 3])
    if k == 10:
        return tf.gather_nd(tf.stack([x, y]), [[0], [1]])[axis]
    if k == 11:
        return tf.strided_slice(tf.concat([x, y], 0), [axis, 0], [4, 3], [2, 1])
    if k == 12:
        return tf.scatter_nd([[1], [0]], x, [2, 3])
    return tf.squeeze(tf.expand_dims(x, axis), [axis])


def _reduced(b: _Builder) -> Any:
    tf, x, k = b.tf, b.one(), b.rng.randint(9)
    if k == 0:
        return x - tf.reduce_mean(x, 1, keepdims=True)
    if k == 1:
        return x * tf.reduce_max(x) * 0.2
    if k == 2:
        return tf.one_hot(tf.argmax(x, 1), 3) + x
    if k == 3:
        return tf.cumsum(x, axis=1, exclusive=bool(b.rng.randint(2)), reverse=bool(b.rng.randint(2))) * 0.5
    if k == 4:
        values, places = tf.nn.top_k(x, 3)
        return values + tf.cast(places, tf.float32)
    if k == 5:
        return tf.cast(tf.shape(x), tf.float32)[1] + x
    if k == 6:
        return x + tf.nn.l2_loss(x) * 0.1
    if k == 7:
        mean, variance = tf.nn.moments(x, [0])
        return tf.nn.batch_normalization(x, mean, variance, None, None, 0.1)
    return tf.unsorted_segment_sum(x, [1, 1], 2)


def _cond(b: _Builder) -> Any:
    if b.depth > 1:
        return None
    x, y = b.one(), b.one()
    predicate = [b.p(), b.n() > 1, b.tf.reduce_sum(x) > 0.0][b.rng.randint(3)]
    then, other = (int(b.rng.randint(1, 3)) for _ in range(2))
    return b.tf.cond(predicate, lambda: b.inside(x).steps(then), lambda: b.inside(y).steps(other))


def _case(b: _Builder) -> Any:
    if b.depth > 1:
        return None
    x = b.one()
    if b.rng.randint(2):
        return b.tf.switch_case(b.n(), [lambda: x, lambda: b.inside(x).steps(1), lambda: b.inside(x).steps(2)])
    return b.tf.case([(b.tf.equal(b.n(), 0), lambda: x), (b.p(), lambda: b.inside(x).steps(1))],
                     default=lambda: b.inside(x).steps(1))  # fmt: skip


def _while(b: _Builder) -> Any:
    if b.depth > 1:
        return None
    tf, x, count = b.tf, b.one(), int(b.rng.randint(1, 3))
    most = b.n() if b.rng.randint(2) else int(b.rng.randint(1, 4))
    k = b.rng.randint(5)
    if k == 0:
        return tf.while_loop(lambda i, a: i < most, lambda i, a: (i + 1, b.inside(a).steps(count)), (0, x))[1]
    if k == 1:
        return tf.while_loop(lambda a, i, s: i < 3, lambda a, i, s: (b.inside(a).steps(count), i + 1, s + a),
                             (x, 0, tf.zeros([2, 3])), maximum_iterations=most)[2] * 0.3  # fmt: skip
    if k == 2:
        array = tf.TensorArray(tf.float32, 2, element_shape=[3])
        rows = tf.TensorArray(tf.float32, 2).unstack(x)
        body = lambda i, t: (i + 1, t.write(i, rows.read(i) * tf.cast(i + 1, tf.float32)))  # noqa: E731
        return tf.while_loop(lambda i, t: i < 2, body, (0, array))[1].stack()
    if k == 3:
        return tf.map_fn(lambda row: tf.tanh(row) * tf.reduce_sum(row), x)
    return tf.scan(lambda a, row: a * 0.5 + row, x, initializer=tf.zeros([3]))


def _function(b: _Builder) -> Any:
    if b.depth > 1:
        return None
    tf, x, y, count = b.tf, b.one(), b.one(), int(b.rng.randint(1, 3))

    def body(u: Any, v: Any) -> Any:
        inner = _Builder(tf, b.rng, 2)
        inner.matrices = [u, v]
        return inner.steps(count)

    return import_module("tensorflow").function(body, autograph=False)(x, y)


def _variable(b: _Builder) -> Any:
    """A variable, of which the first is updated: beside an update, TensorFlow gives either value."""
    tf, x = b.tf, b.one()
    k = b.rng.randint(5)
    first = np.array([[1, 2, 3], [0, -1, 0.5]], np.float32) * (k + 1) * 0.2
    v = tf.get_variable(f"v{len(tf.global_variables())}", initializer=first.astype(np.float32))
    if b.updates:
        return tf.identity(v)
    if k == 0:
        b.updates.append(tf.assign_add(v, x * 0.1))
    elif k == 1:
        b.updates.append(tf.scatter_update(v, [1], x[:1]))
    elif k == 2:
        b.updates.append(tf.train.MomentumOptimizer(0.1, 0.5).minimize(tf.reduce_sum(tf.square(v * x)), var_list=[v]))
    elif k == 3:
        b.updates.append(tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.square(v - x)), var_list=[v]))
    else:
        with tf.control_dependencies([tf.assign(v, v * 0.5 + x)]):
            b.updates.append(tf.identity(v))
    return tf.identity(v)


def _queue(b: _Builder) -> Any:
    tf, x, y = b.tf, b.one(), b.one()
    queue = tf.FIFOQueue(20, [tf.float32], [[3]]) if b.rng.randint(2) else tf.PaddingFIFOQueue(20, [tf.float32], [[3]])
    with tf.control_dependencies([queue.enqueue_many([x]), queue.enqueue([y[0]])]):
        many = queue.dequeue_many(3)
    return tf.gather(tf.sort(many, axis=0), [0, 2])


def _dataset(b: _Builder) -> Any:
    tf, data = b.tf, b.tf.data.Dataset
    rows = np.arange(12, dtype=np.float32).reshape(4, 3) * 0.1
    dataset = data.from_tensor_slices(rows).repeat(12)
    for _ in range(b.rng.randint(3)):
        k = b.rng.randint(5)
        if k == 0:
            dataset = dataset.map(lambda row: row * 2.0 - tf.reduce_sum(row))
        elif k == 1:
            dataset = dataset.filter(lambda row: row[0] < 2.0)
        elif k == 2:
            dataset = data.zip((dataset, data.range(99))).map(lambda row, i: row + tf.cast(i, tf.float32))
        elif k == 3:
            dataset = dataset.flat_map(lambda row: data.from_tensors(row).repeat(2))
        else:
            dataset = dataset.skip(1).take(40).prefetch(1)
    iterator = tf.data.make_initializable_iterator(dataset.batch(2, drop_remainder=True))
    b.starts.append(iterator.initializer)
    return iterator.get_next()


def _gradient(b: _Builder) -> Any:
    tf, x, y = b.tf, b.one(), b.one()
    (found,) = tf.gradients(tf.reduce_sum(tf.square(y)), [x])
    return None if found is None else tf.clip_by_value(tf.convert_to_tensor(found), -5.0, 5.0)


def _text(b: _Builder) -> Any:
    tf, x = b.tf, b.one()
    texts = tf.string_join([tf.as_string(tf.cast(x * 0.0, tf.int32)), "5"])
    return tf.string_to_number(texts) * 0.1 + x


def _ordered(b: _Builder) -> Any:
    tf, x = b.tf, b.one()
    with tf.control_dependencies([tf.Assert(tf.reduce_all(tf.is_finite(x)), [x]), tf.no_op()]):
        return tf.identity(x)


_WAYS: list[Callable[[_Builder], Any]] = [
    _unary, _unary, _unary, _binary, _binary, _binary, _moved, _moved, _moved, _reduced, _reduced, _cond, _case, _while,
    _while, _function, _text, _ordered,
]  # fmt: skip
_OUTSIDE: list[Callable[[_Builder], Any]] = [
    _variable, _variable, _queue, _dataset, _gradient, _gradient, _cond, _while,
]  # fmt: skip


def build(tf: Any, seed: int) -> tuple[list[str], str]:
    """Add a random program to the default graph: what to fetch, and the name of the update."""
    rng = np.random.RandomState(seed)
    b = _Builder(tf, rng)
    b.matrices.append(tf.placeholder(tf.float32, [2, 3] if rng.randint(2) else [None, 3], name="x"))
    b.given = tf.placeholder(tf.int32, [], name="n"), tf.placeholder(tf.bool, [], name="p")
    b.steps(int(rng.randint(3, 9)))
    update = tf.group(*b.updates, name="update")
    tf.group(tf.global_variables_initializer(), *b.starts, name="start")
    return [t.name for t in dict.fromkeys([b.matrices[-1], b.one()])], update.name


def _era(tf: Any, seed: int) -> None:
    (tf.enable_control_flow_v2 if seed % 2 else tf.disable_control_flow_v2)()
    (tf.enable_resource_variables if seed // 2 % 2 else tf.disable_resource_variables)()


def data_of(array: Any) -> Any:
    """A recorded array."""
    return [list(array.shape), [float(f"{each:.7g}") for each in np.asarray(array, np.float64).reshape(-1)]]


def report_of(tf: Any, seed: int) -> Report:
    """A random program as a GraphDef, and the values that it gives."""
    _era(tf, seed)
    with tf.Graph().as_default() as graph:
        fetches, update = build(tf, seed)
        values = []
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
        config.graph_options.rewrite_options.disable_meta_optimizer = True  # it loses values of branches
        with tf.Session(graph=graph, config=config) as session:
            session.run("start")
            values.append([data_of(each) for each in session.run(fetches, FEEDS)])
            for _ in range(RUNS):
                session.run(update, FEEDS)
                values.append([data_of(each) for each in session.run(fetches, FEEDS)])
        content = graph.as_graph_def().SerializeToString(deterministic=True)
    return {"fetches": fetches, "values": values, "graph": base64.b64encode(zlib.compress(content, 9)).decode()}


def main() -> None:
    """TensorFlow's side."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_eager_execution()
    tf.logging.set_verbosity(tf.logging.ERROR)
    first, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    reports: dict[str, Report] = {}
    for seed in range(first, first + count):
        try:
            reports[str(seed)] = report_of(tf, seed)
        except Exception as error:
            reports[str(seed)] = {"error": f"{type(error).__name__}: {error}"[:300]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(reports, file)
    print(sum("error" not in each for each in reports.values()), "of", count)


if __name__ == "__main__":
    main()
