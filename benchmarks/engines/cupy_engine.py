"""CuPy as a person writes it: the best idiom for what moves rows, `cupy.fuse` where a program is arithmetic alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine import load
from .numpy_engine import Numpy


class CuPy(Numpy):
    """Arrays lie on the GPU before timing."""

    name = "cupy"

    def __init__(self) -> None:
        self.xp = load("cupy")
        self.version = self.xp.__version__

    def exp(self, x: Any) -> Any:
        return self.xp.exp(x)

    def tanh(self, x: Any) -> Any:
        return self.xp.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return 1 / (1 + self.xp.exp(-x))

    def minimum(self, x: Any, y: Any) -> Any:
        return self.xp.minimum(x, y)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return self.xp.where(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return x.astype(dtype)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return self.xp.sum(x, axis=axis, dtype=x.dtype)

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        if parts <= 16:
            return [x[labels == part] for part in range(parts)]
        ends = self.xp.cumsum(self.xp.bincount(labels, minlength=parts)).tolist()
        ordered = x[self.xp.argsort(labels)]
        return [ordered[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        out = self.xp.empty((sum(map(len, indices)), *data[0].shape[1:]), data[0].dtype)
        for index, rows in zip(indices, data, strict=True):
            out[index] = rows
        return out

    def positions(self, x: Any) -> Any:
        return self.xp.arange(len(x), dtype="i4")

    def gather(self, x: Any, indices: Any) -> Any:
        return x.take(indices, axis=0)

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return self.xp.ascontiguousarray(x.transpose(perm))

    def concat(self, values: list[Any], axis: int) -> Any:
        return self.xp.concatenate(values, axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        return [part.copy() for part in self.xp.split(x, parts, axis)]

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return self.xp.pad(x, widths)

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return self.xp.tile(x, times)

    def stack(self, values: list[Any], axis: int) -> Any:
        return self.xp.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return self.xp.flip(x, axis).copy()
