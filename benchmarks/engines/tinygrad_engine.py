"""tinygrad: a lazy graph whose kernels are generated C; needs clang on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from ..engine import Array, Engine, Run, Unsupported, load


class Tinygrad(Engine):
    """Each program is a TinyJit, which replays its kernels from the third run on."""

    name = "tinygrad"

    def __init__(self) -> None:
        if shutil.which("clang") is None:
            raise ImportError("there is no clang, which compiles its kernels for the CPU")
        self.module = load("tinygrad")
        self.version = version("tinygrad")

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        odd = [x.dtype.name for x in inputs if x.dtype.name in ("bfloat16", "object")]
        if odd:
            raise Unsupported("no strings" if odd[0] == "object" else "no bfloat16 from NumPy")
        tensors = [self.module.Tensor(x).contiguous().realize() for x in inputs]

        def whole(*values: Any) -> Any:
            made = program(self, *values)
            parts = made if isinstance(made, list) else [made]
            self.module.Tensor.realize(*[part.contiguous() for part in parts])
            return made

        compiled = self.module.TinyJit(whole)

        def run() -> Any:
            made = compiled(*tensors)
            self.module.Device[self.module.Device.DEFAULT].synchronize()
            return made

        return run

    def arrays(self, result: Any) -> list[Array]:
        return [part.numpy() for part in (result if isinstance(result, list) else [result])]

    def exp(self, x: Any) -> Any:
        return x.exp()

    def tanh(self, x: Any) -> Any:
        return x.tanh()

    def sigmoid(self, x: Any) -> Any:
        return x.sigmoid()

    def minimum(self, x: Any, y: Any) -> Any:
        return x.minimum(y)

    def not_equal(self, x: Any, y: Any) -> Any:
        return x != y

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return condition.where(x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        return x.cast(getattr(self.module.dtypes, dtype))

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return x.sum(axis, dtype=x.dtype)

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        raise Unsupported("partition: sizes that depend on values cannot be compiled")

    def gather(self, x: Any, indices: Any) -> Any:
        raise Unsupported("gather: compares every index with every row")

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return x.permute(*perm).contiguous()

    def concat(self, values: list[Any], axis: int) -> Any:
        return values[0].cat(*values[1:], dim=axis)

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        return [part.contiguous() for part in x.chunk(parts, axis)]

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        return x.pad(tuple(tuple(pair) for pair in widths))

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return x.repeat(*times)

    def stack(self, values: list[Any], axis: int) -> Any:
        return values[0].stack(*values[1:], dim=axis)

    def reverse(self, x: Any, axis: int) -> Any:
        return x.flip(axis).contiguous()
