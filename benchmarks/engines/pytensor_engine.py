"""PyTensor, the living successor of Theano: a graph by calls, compiled by `function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import Array, Engine, Run, Unsupported, load


class PyTensor(Engine):
    """Its default compiler."""

    name = "pytensor"

    def __init__(self) -> None:
        self.module = load("pytensor")
        self.pt = load("pytensor.tensor")
        self.version = self.module.__version__
        self.module.config.floatX = "float32"

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        odd = [x.dtype.name for x in inputs if x.dtype.name in ("float16", "bfloat16", "object")]
        if odd:
            raise Unsupported("no strings" if odd[0] == "object" else f"no {odd[0]} on the CPU")
        values = [self.pt.tensor(dtype=x.dtype.name, shape=x.shape) for x in inputs]
        results = program(self, *values)
        ready: list[Any] = []

        def run() -> Any:
            if not ready:
                ready.append(self.module.function(values, results))
            return ready[0](*inputs)

        return run

    def exp(self, x: Any) -> Any:
        return self.pt.exp(x)

    def tanh(self, x: Any) -> Any:
        return self.pt.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return self.pt.sigmoid(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return self.pt.minimum(x, y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return self.pt.neq(x, y)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return self.pt.switch(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        if dtype in ("float16", "bfloat16"):
            raise Unsupported(f"no {dtype} on the CPU")
        return self.pt.cast(x, dtype)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return self.pt.sum(x, axis, dtype=x.dtype)

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        if parts > 16:
            raise Unsupported("partition: one pass and one compiled node per part")
        return [x[self.pt.eq(labels, part).nonzero()] for part in range(parts)]

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        rows, at = self.pt.concatenate(data), self.pt.concatenate(indices)
        return self.pt.set_subtensor(self.pt.zeros_like(rows)[at], rows)

    def positions(self, x: Any) -> Any:
        return self.pt.arange(x.shape[0], dtype="int32")

    def gather(self, x: Any, indices: Any) -> Any:
        return x[indices]

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        return self.pt.set_subtensor(x[indices[:, 0]], updates)

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        at = np.arange(x.type.shape[1], dtype=np.int32)
        where = self.pt.switch(self.pt.lt(at, lengths[:, None]), lengths[:, None] - 1 - at, at)
        return self.pt.take_along_axis(x, where, axis=1)

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        raise Unsupported("transpose: gives a view, which moves nothing")

    def concat(self, values: list[Any], axis: int) -> Any:
        return self.pt.concatenate(values, axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        raise Unsupported("split: gives views, which move nothing")

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return self.pt.pad(x, widths)

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return self.pt.tile(x, times)

    def stack(self, values: list[Any], axis: int) -> Any:
        return self.pt.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        raise Unsupported("reverse: gives a view, which moves nothing")

    def multiplex(self, values: list[Any], index: Any) -> Any:
        return self.pt.choose(index, values)
