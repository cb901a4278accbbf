"""JAX: tracing is its building, compiling its plan. Results whose shape depends on values cannot be compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import Array, Engine, Run, State, Training, Unsupported, load


class Jax(Engine):
    """Inputs are on its device before timing; a run ends when its result is there."""

    name = "jax"

    def __init__(self) -> None:
        self.jax = load("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.np = load("jax.numpy")
        self.version = self.jax.__version__

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        if any(x.dtype == object for x in inputs):
            raise Unsupported("no strings")
        jax = self.jax
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in inputs]
        traced = jax.jit(lambda *xs: program(self, *xs)).trace(*shapes)
        ready: list[Any] = []

        def run() -> Any:
            if not ready:
                ready.extend((traced.lower().compile(), [jax.device_put(x) for x in inputs]))
            return jax.block_until_ready(ready[0](*ready[1]))

        return run

    def train(
        self, training: Training, loss: Callable[..., Any], inputs: Sequence[Array], through: str = "run"
    ) -> tuple[Run, State]:
        """The state is donated: its memory is that of the next one."""
        jax, np_, places = self.jax, self.np, training.parameters

        def step(state: Any, xs: Any) -> Any:
            values = [kept[0] for kept in state["kept"]]
            count = state["count"] + 1

            def of(*parameters: Any) -> Any:
                given = dict(zip(places, parameters, strict=True))
                return loss(self, *[given.get(i, x) for i, x in enumerate(xs)])

            if training.gradients:
                value, slopes = None, [xs[i] for i in training.gradients]
            else:
                value, slopes = jax.value_and_grad(of, argnums=tuple(range(len(places))))(*values)
            kept = []
            rate = np_.float32(training.rate)
            if training.optimizer == "adam":
                counted = count.astype(np_.float32)
                rate = rate * np_.sqrt(1 - np_.float32(0.999) ** counted) / (1 - np_.float32(0.9) ** counted)
            for old, slope in zip(state["kept"], slopes, strict=True):
                if training.optimizer == "sgd":
                    kept.append([old[0] - rate * slope])
                    continue
                p, m, v = old
                m = m + (slope - m) * np_.float32(0.1)
                v = v + (slope * slope - v) * np_.float32(0.001)
                kept.append([p - rate * m / (np_.sqrt(v) + np_.float32(1e-8)), m, v])
            return value, {"kept": kept, "count": count}

        copies = 3 if training.optimizer == "adam" else 1
        first = [[inputs[i], *[np.zeros_like(inputs[i])] * (copies - 1)] for i in places]
        kept = [[jax.device_put(x) for x in each] for each in first]
        state = {"kept": kept, "count": np_.zeros((), np_.int32)}
        data = [None if i in places else jax.device_put(x) for i, x in enumerate(inputs)]
        compiled = jax.jit(step, donate_argnums=0).lower(state, data).compile()
        now = [state]

        def run() -> Any:
            value, now[0] = compiled(now[0], data)
            return jax.block_until_ready((value, now[0]))

        return run, lambda: [each for one in now[0]["kept"] for each in one]

    def exp(self, x: Any) -> Any:
        return self.np.exp(x)

    def tanh(self, x: Any) -> Any:
        return self.np.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return self.jax.nn.sigmoid(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return self.np.minimum(x, y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return x != y

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return self.np.where(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return x.astype(dtype)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return self.np.sum(x, axis, dtype=x.dtype)

    def relu(self, x: Any) -> Any:
        return self.jax.nn.relu(x)

    def log_softmax(self, x: Any) -> Any:
        return self.jax.nn.log_softmax(x)

    def matmul(self, x: Any, y: Any) -> Any:
        return x @ y

    def with_gradients(self, loss: Callable[..., Any], xs: Sequence[Any], of: Sequence[int]) -> list[Any]:
        value, slopes = self.jax.value_and_grad(loss, argnums=tuple(of))(*xs)
        return [value, *slopes]

    def repeat(self, count: int, body: Callable[..., Sequence[Any]], state: Sequence[Any]) -> list[Any]:
        made = self.jax.lax.fori_loop(np.int32(0), np.int32(count), lambda i, kept: tuple(body(i, *kept)), tuple(state))
        return list(made)

    def fold(self, body: Callable[..., Sequence[Any]], state: Sequence[Any], rows: Any) -> list[Any]:
        made, _ = self.jax.lax.scan(lambda kept, row: (tuple(body(row, *kept)), None), tuple(state), rows)
        return list(made)

    def uniform(self, key: Any, size: int) -> Any:
        return self.jax.random.uniform(self.jax.random.wrap_key_data(key), (size,), np.float32)

    def normal(self, key: Any, size: int) -> Any:
        return self.jax.random.normal(self.jax.random.wrap_key_data(key), (size,), np.float32)

    def truncated_normal(self, key: Any, size: int) -> Any:
        return self.jax.random.truncated_normal(self.jax.random.wrap_key_data(key), -2, 2, (size,), np.float32)

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        raise Unsupported("partition: sizes that depend on values cannot be compiled")

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        rows, at = self.np.concatenate(data), self.np.concatenate(indices)
        return self.np.zeros_like(rows).at[at].set(rows)

    def positions(self, x: Any) -> Any:
        return self.np.arange(len(x), dtype=np.int32)

    def gather(self, x: Any, indices: Any) -> Any:
        return x[indices]

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        return x.at[indices[:, 0]].set(updates)

    def running_sum(self, x: Any) -> Any:
        return self.np.cumsum(x, axis=0)

    def sums_by_id(self, x: Any, ids: Any, count: int, in_order: bool) -> Any:
        return self.jax.ops.segment_sum(x, ids, count, indices_are_sorted=in_order)

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        at = self.np.arange(x.shape[1], dtype=lengths.dtype)
        where = self.np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
        return self.np.take_along_axis(x, where, axis=1)

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return self.np.transpose(x, perm)

    def concat(self, values: list[Any], axis: int) -> Any:
        return self.np.concatenate(values, axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        made: list[Any] = self.np.split(x, parts, axis)
        return made

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return self.np.pad(x, widths)

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return self.np.tile(x, times)

    def stack(self, values: list[Any], axis: int) -> Any:
        return self.np.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return self.np.flip(x, axis)

    def multiplex(self, values: list[Any], index: Any) -> Any:
        return self.np.stack(values)[index[:, 0], self.np.arange(len(index))]
