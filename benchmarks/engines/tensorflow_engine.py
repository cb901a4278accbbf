"""TensorFlow's graph mode, `tf.compat.v1`: the same words as Penstock's, in TF 1.x's argument orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine import Array, Engine, Run, State, Training, load


class TensorFlow(Engine):
    """One thread in both of its pools."""

    name = "tensorflow"

    def __init__(self) -> None:
        module = load("tensorflow")
        self.version = module.__version__
        self.tf = module.compat.v1
        self.tf.disable_eager_execution()

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        tf = self.tf
        graph = tf.Graph()
        with graph.as_default():
            fed = [tf.placeholder(tf.string if x.dtype == object else tf.as_dtype(x.dtype), x.shape) for x in inputs]
            fetches = program(self, *fed)
        session = self._session(graph)
        if through == "callable":
            call = session.make_callable(fetches, fed)
            return lambda: call(*inputs)
        feeds = dict(zip(fed, inputs, strict=True))
        return lambda: session.run(fetches, feeds)

    def _session(self, graph: Any) -> Any:
        config = self.tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        return self.tf.Session(graph=graph, config=config)

    def train(
        self, training: Training, loss: Callable[..., Any], inputs: Sequence[Array], through: str = "run"
    ) -> tuple[Run, State]:
        tf = self.tf
        graph = tf.Graph()
        with graph.as_default():
            parameters = {i: tf.Variable(inputs[i]) for i in training.parameters}
            others = [i for i in range(len(inputs)) if i not in parameters]
            shapes = {i: inputs[i].shape if training.sized else None for i in others}
            fed = {i: tf.placeholder(tf.as_dtype(inputs[i].dtype), shapes[i]) for i in others}
            kinds = {"sgd": tf.train.GradientDescentOptimizer, "adam": tf.train.AdamOptimizer}
            optimizer = kinds[training.optimizer](training.rate)
            trained = list(parameters.values())
            if training.gradients:
                given = [fed[i] for i in training.gradients]
                fetches: Any = optimizer.apply_gradients(list(zip(given, trained, strict=True)))
            else:
                value = loss(self, *[parameters[i] if i in parameters else fed[i] for i in range(len(inputs))])
                fetches = [value, optimizer.minimize(value)]
            slots = ["m", "v"] if training.optimizer == "adam" else []
            kept = [each for x in trained for each in (x, *[optimizer.get_slot(x, name) for name in slots])]
            first = tf.global_variables_initializer()
        session = self._session(graph)
        session.run(first)
        if through == "callable":
            call = session.make_callable(fetches, list(fed.values()))
            arrays = [inputs[i] for i in fed]
            return lambda: call(*arrays), lambda: session.run(kept)
        feeds = {tensor: inputs[i] for i, tensor in fed.items()}
        return lambda: session.run(fetches, feeds), lambda: session.run(kept)

    def exp(self, x: Any) -> Any:
        return self.tf.exp(x)

    def tanh(self, x: Any) -> Any:
        return self.tf.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return self.tf.sigmoid(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return self.tf.minimum(x, y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return self.tf.not_equal(x, y)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return self.tf.where(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return self.tf.cast(x, dtype)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return self.tf.reduce_sum(x, axis)

    def relu(self, x: Any) -> Any:
        return self.tf.nn.relu(x)

    def log_softmax(self, x: Any) -> Any:
        return self.tf.nn.log_softmax(x)

    def matmul(self, x: Any, y: Any) -> Any:
        return self.tf.matmul(x, y)

    def with_gradients(self, loss: Callable[..., Any], xs: Sequence[Any], of: Sequence[int]) -> list[Any]:
        value = loss(*xs)
        return [value, *self.tf.gradients(value, [xs[i] for i in of])]

    def repeat(self, count: int, body: Callable[..., Sequence[Any]], state: Sequence[Any]) -> list[Any]:
        tf = self.tf
        made = tf.while_loop(
            lambda i, *kept: tf.less(i, count), lambda i, *kept: [i + 1, *body(i, *kept)], [tf.constant(0), *state]
        )
        return list(made[1:])

    def fold(self, body: Callable[..., Sequence[Any]], state: Sequence[Any], rows: Any) -> list[Any]:
        return self.repeat(int(rows.shape[0]), lambda i, *kept: body(rows[i], *kept), state)

    def uniform(self, key: Any, size: int) -> Any:
        return self.tf.random_uniform([size], seed=1)

    def normal(self, key: Any, size: int) -> Any:
        return self.tf.random_normal([size], seed=1)

    def truncated_normal(self, key: Any, size: int) -> Any:
        return self.tf.truncated_normal([size], seed=1)

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        made: list[Any] = self.tf.dynamic_partition(x, labels, parts)
        return made

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        return self.tf.dynamic_stitch(indices, data)

    def positions(self, x: Any) -> Any:
        return self.tf.range(self.tf.shape(x)[0])

    def gather(self, x: Any, indices: Any) -> Any:
        return self.tf.gather(x, indices)

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        return self.tf.tensor_scatter_nd_update(x, indices, updates)

    def running_sum(self, x: Any) -> Any:
        return self.tf.cumsum(x)

    def sums_by_id(self, x: Any, ids: Any, count: int, in_order: bool) -> Any:
        return self.tf.segment_sum(x, ids) if in_order else self.tf.unsorted_segment_sum(x, ids, count)

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        return self.tf.reverse_sequence(x, lengths, seq_axis=1, batch_axis=0)

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return self.tf.transpose(x, perm)

    def concat(self, values: list[Any], axis: int) -> Any:
        return self.tf.concat(values, axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        made: list[Any] = self.tf.split(x, parts, axis)
        return made

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return self.tf.pad(x, widths)

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return self.tf.tile(x, times)

    def stack(self, values: list[Any], axis: int) -> Any:
        return self.tf.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return self.tf.reverse(x, [axis])

    def multiplex(self, values: list[Any], index: Any) -> Any:
        # Its own multiplex is of TF 0.x; this is the one op that does the same.
        return self.tf.gather_nd(self.tf.stack(values, 1), self.tf.stack([self.positions(index), index[:, 0]], 1))

    def to_number(self, x: Any) -> Any:
        return self.tf.string_to_number(x)
