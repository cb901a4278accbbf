"""NumPy as a person writes it: the oracle of the others, and what a program without any engine costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ..engine import Array, Engine, Run


class Numpy(Engine):
    """Every word at once, on arrays."""

    name = "numpy"

    def __init__(self) -> None:
        self.version = np.__version__
        self.generator = np.random.default_rng(1)

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        return lambda: program(self, *inputs)

    def exp(self, x: Any) -> Any:
        return np.exp(x)

    def tanh(self, x: Any) -> Any:
        return np.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def relu(self, x: Any) -> Any:
        return np.maximum(x, x.dtype.type(0))

    def minimum(self, x: Any, y: Any) -> Any:
        return np.minimum(x, y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return x != y

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return np.where(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return np.asarray(x).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        # In bfloat16 a running sum stands still at 256.
        wide = np.float32 if x.dtype.name in ("bfloat16", "float16") else x.dtype
        return np.asarray(np.sum(x, axis=axis, dtype=wide)).astype(x.dtype)

    def repeat(self, count: int, body: Callable[..., Sequence[Any]], state: Sequence[Any]) -> list[Any]:
        for i in range(count):
            state = body(np.int32(i), *state)
        return list(state)

    def fold(self, body: Callable[..., Sequence[Any]], state: Sequence[Any], rows: Any) -> list[Any]:
        for row in rows:
            state = body(row, *state)
        return list(state)

    def uniform(self, key: Any, size: int) -> Any:
        return self.generator.random(size, np.float32)

    def normal(self, key: Any, size: int) -> Any:
        return self.generator.standard_normal(size, np.float32)

    def truncated_normal(self, key: Any, size: int) -> Any:
        found = self.normal(key, size)
        while len(again := np.nonzero(np.abs(found) >= 2)[0]):
            found[again] = self.normal(key, len(again))
        return found

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        if parts <= 16:
            return [x[labels == part] for part in range(parts)]
        ends = np.cumsum(np.bincount(labels, minlength=parts))[:-1]
        return [part.copy() for part in np.split(x[np.argsort(labels, kind="stable")], ends)]

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        out = np.empty((sum(map(len, indices)), *data[0].shape[1:]), data[0].dtype)
        for index, rows in zip(indices, data, strict=True):
            out[index] = rows
        return out

    def positions(self, x: Any) -> Any:
        return np.arange(len(x), dtype=np.int32)

    def gather(self, x: Any, indices: Any) -> Any:
        return x[indices]

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        out = x.copy()
        out[indices[:, 0]] = updates
        return out

    def running_sum(self, x: Any) -> Any:
        return np.cumsum(x, axis=0)

    def sums_by_id(self, x: Any, ids: Any, count: int, in_order: bool) -> Any:
        out = np.zeros((count, *x.shape[1:]), x.dtype)
        np.add.at(out, ids, x)
        return out

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        at = np.arange(x.shape[1], dtype=lengths.dtype)
        return np.take_along_axis(x, np.where(at < lengths[:, None], lengths[:, None] - 1 - at, at), axis=1)

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return np.ascontiguousarray(x.transpose(perm))

    def concat(self, values: list[Any], axis: int) -> Any:
        return np.concatenate(values, axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        return [part.copy() for part in np.split(x, parts, axis)]

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return np.pad(x, widths)

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return np.tile(x, times)

    def stack(self, values: list[Any], axis: int) -> Any:
        return np.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return np.flip(x, axis).copy()

    def multiplex(self, values: list[Any], index: Any) -> Any:
        return np.choose(index, values)

    def to_number(self, x: Any) -> Any:
        return x.astype("S").astype(np.float32)
