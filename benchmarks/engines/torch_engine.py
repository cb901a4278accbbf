"""PyTorch, at once and through torch.compile. At once there is no graph: building costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ..engine import Array, Engine, Run, Unsupported, load


class Torch(Engine):
    """Inputs are tensors before timing, without a copy."""

    name = "torch"

    def __init__(self) -> None:
        self.torch = load("torch")
        self.torch.set_num_threads(1)
        self.version = self.torch.__version__

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        tensors = [self._tensor(x) for x in inputs]

        def run() -> Any:
            with self.torch.inference_mode():
                return program(self, *tensors)

        return run

    def _tensor(self, x: Array) -> Any:
        if x.dtype == object:
            raise Unsupported("no strings")
        if x.dtype == ml_dtypes.bfloat16:
            return self.torch.from_numpy(x.view(np.int16)).view(self.torch.bfloat16)
        return self.torch.from_numpy(x)

    def arrays(self, result: Any) -> list[Array]:
        parts = result if isinstance(result, (list, tuple)) else [result]
        bfloat16 = self.torch.bfloat16
        return [
            x.contiguous().view(self.torch.int16).numpy().view(ml_dtypes.bfloat16) if x.dtype == bfloat16 else x.numpy()
            for x in parts
        ]

    def exp(self, x: Any) -> Any:
        return self.torch.exp(x)

    def tanh(self, x: Any) -> Any:
        return self.torch.tanh(x)

    def sigmoid(self, x: Any) -> Any:
        return self.torch.sigmoid(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return self.torch.minimum(x, y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return x != y

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return self.torch.where(condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return x.to(getattr(self.torch, dtype))

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return self.torch.sum(x, axis, dtype=x.dtype)

    def uniform(self, key: Any, size: int) -> Any:
        return self.torch.rand(size)

    def normal(self, key: Any, size: int) -> Any:
        return self.torch.randn(size)

    def truncated_normal(self, key: Any, size: int) -> Any:
        return self.torch.nn.init.trunc_normal_(self.torch.empty(size))

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        if parts <= 16:
            return [x[labels == part] for part in range(parts)]
        order = self.torch.argsort(labels, stable=True)
        return [part.clone() for part in x[order].split(self.torch.bincount(labels, minlength=parts).tolist())]

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        out = self.torch.empty((sum(map(len, indices)), *data[0].shape[1:]), dtype=data[0].dtype)
        for index, rows in zip(indices, data, strict=True):
            out[index] = rows
        return out

    def positions(self, x: Any) -> Any:
        return self.torch.arange(len(x), dtype=self.torch.int32)

    def gather(self, x: Any, indices: Any) -> Any:
        return self.torch.index_select(x, 0, indices)

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        return self.torch.index_copy(x, 0, indices[:, 0].long(), updates)

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        long = lengths.long()[:, None]
        at = self.torch.arange(x.shape[1])
        return self.torch.gather(x, 1, self.torch.where(at < long, long - 1 - at, at))

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return x.permute(*perm).contiguous()

    def concat(self, values: list[Any], axis: int) -> Any:
        return self.torch.cat(values, axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        return [part.clone(memory_format=self.torch.contiguous_format) for part in self.torch.chunk(x, parts, axis)]

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return self.torch.nn.functional.pad(x, [side for pair in reversed(widths) for side in pair])

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return self.torch.tile(x, tuple(times))

    def stack(self, values: list[Any], axis: int) -> Any:
        return self.torch.stack(values, axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return self.torch.flip(x, [axis])

    def multiplex(self, values: list[Any], index: Any) -> Any:
        return self.torch.stack(values)[index[:, 0].long(), self.torch.arange(len(index))]


class Inductor(Torch):
    """torch.compile: tracing and compiling happen in the first run."""

    name = "inductor"

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        tensors = [self._tensor(x) for x in inputs]
        compiled = self.torch.compile(lambda *xs: program(self, *xs), dynamic=False)

        def run() -> Any:
            with self.torch.inference_mode():
                return compiled(*tensors)

        return run
