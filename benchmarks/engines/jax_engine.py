"""JAX: tracing is its building, compiling its plan. Results whose shape depends on values cannot be compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import Array, Engine, Run, Unsupported, load


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
