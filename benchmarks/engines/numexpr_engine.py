"""numexpr: one elementwise expression as text, in blocks that fit the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..engine import Array, Engine, Run, Unsupported, load

LIMIT = 20_000  # characters: its parser is Python's, and a value used twice is written twice


@dataclass(frozen=True, slots=True)
class Text:
    """An expression; `constants` keeps Python numbers in the dtype of the operands, which numexpr would widen."""

    text: str
    dtype: np.dtype[Any]
    constants: dict[str, Array]

    def _join(self, sign: str, other: Any, swapped: bool = False) -> Text:
        if isinstance(other, Text):
            word, dtype = other.text, np.result_type(self.dtype, other.dtype)
        else:
            word, dtype = f"c{len(self.constants)}", self.dtype
            self.constants[word] = np.asarray(other, self.dtype)
        made = f"({word}{sign}{self.text})" if swapped else f"({self.text}{sign}{word})"
        if len(made) > LIMIT:
            raise Unsupported("an expression of more than 20,000 characters")
        return Text(made, np.dtype(bool) if sign in "<>!=" else dtype, self.constants)

    def __add__(self, other: Any) -> Text:
        return self._join("+", other)

    def __sub__(self, other: Any) -> Text:
        return self._join("-", other)

    def __mul__(self, other: Any) -> Text:
        return self._join("*", other)

    def __radd__(self, other: Any) -> Text:
        return self._join("+", other, swapped=True)

    def __rmul__(self, other: Any) -> Text:
        return self._join("*", other, swapped=True)

    def __gt__(self, other: Any) -> Text:
        return self._join(">", other)

    def __lt__(self, other: Any) -> Text:
        return self._join("<", other)


class Numexpr(Engine):
    """An output array is made by each run, as in the others."""

    name = "numexpr"

    def __init__(self) -> None:
        self.module = load("numexpr")
        self.module.set_num_threads(1)
        self.version = self.module.__version__

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        odd = [x.dtype.name for x in inputs if x.dtype.name in ("float16", "bfloat16")]
        if odd:
            raise Unsupported(f"no {odd[0]}")
        constants: dict[str, Array] = {}
        made = program(self, *[Text(f"x{i}", x.dtype, constants) for i, x in enumerate(inputs)])
        if not isinstance(made, Text):
            raise Unsupported("one result only")
        names = {**{f"x{i}": x for i, x in enumerate(inputs)}, **constants}

        def run() -> Any:
            return self.module.evaluate(made.text, local_dict=names).astype(made.dtype, copy=False)

        return run

    def _call(self, word: str, *operands: Text) -> Text:
        return Text(f"{word}({','.join(x.text for x in operands)})", operands[-1].dtype, operands[0].constants)

    def missing(self, word: str) -> NoReturn:
        raise Unsupported("elementwise expressions only")

    def exp(self, x: Any) -> Any:
        return self._call("exp", x)

    def tanh(self, x: Any) -> Any:
        return self._call("tanh", x)

    def sigmoid(self, x: Any) -> Any:
        return (self._call("exp", x * -1) + 1)._join("/", 1, swapped=True)

    def not_equal(self, x: Any, y: Any) -> Any:
        return x._join("!=", y)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return self._call("where", condition, x, y)

    def cast(self, x: Any, dtype: str) -> Any:
        if dtype in ("float16", "bfloat16"):
            raise Unsupported(f"no {dtype}")
        return Text(x.text, np.dtype(dtype), x.constants)

    def sum(self, x: Any, axis: int | None = None) -> Any:
        return Text(f"sum({x.text}{'' if axis is None else f', axis={axis}'})", x.dtype, x.constants)
