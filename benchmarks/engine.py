"""`Engine`: the vocabulary in which benchmark programs are written, and the requests that an engine answers.

Arithmetic and comparisons are Python's operators, which every engine gives its values. Everything else is a method
here; an engine that has no such operation leaves it out and the table says so.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Run = Callable[[], Any]


class Unsupported(Exception):
    """A case that an engine cannot express; the words stand in the table."""


@dataclass(frozen=True, slots=True)
class Training:
    """How the parameters of a loss are changed in each step.

    optimizer: gradient descent, or Adam with TensorFlow's constants.
    rate: the learning rate.
    parameters: the positions of the inputs that are parameters.
    gradients: the positions of the inputs that are their gradients; empty if they are those of the loss, which a step
        returns.
    sized: whether the placeholders of the other inputs have shapes, where there are placeholders.
    """

    optimizer: Literal["sgd", "adam"]
    rate: float
    parameters: tuple[int, ...]
    gradients: tuple[int, ...] = ()
    sized: bool = True


State = Callable[[], Sequence[Any]]
"""The parameters after the last step; with Adam the two moments of each behind it."""


def load(module: str) -> Any:
    """A peer's module: found when it runs, since none is installed where the checks are made."""
    return importlib.import_module(module)


class Engine:
    """One system under test, alone in its process."""

    name: ClassVar[str]
    version: str

    # ---- running ----------------------------------------------------------------------------

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        """Build `program`, without planning or compiling it; calling the result runs it on `inputs`."""
        raise NotImplementedError

    def train(
        self, training: Training, loss: Callable[..., Any], inputs: Sequence[Array], through: str = "run"
    ) -> tuple[Run, State]:
        """A step of training, built and initialised, and the state."""
        self.missing("training")

    def settle(self, call: Run) -> None:
        """Have everything compiled that an engine compiles while a program runs; most compile at the first run."""

    def arrays(self, result: Any) -> list[Array]:
        """What a run gave, as NumPy arrays."""
        several = isinstance(result, (list, tuple))
        return [np.asarray(part) for part in (result if several else [result])]

    # ---- elementwise ------------------------------------------------------------------------

    def exp(self, x: Any) -> Any:
        """e to the x."""
        self.missing("exp")

    def tanh(self, x: Any) -> Any:
        """The hyperbolic tangent."""
        self.missing("tanh")

    def sigmoid(self, x: Any) -> Any:
        """1 / (1 + exp(-x))."""
        self.missing("sigmoid")

    def minimum(self, x: Any, y: Any) -> Any:
        """The smaller of two."""
        self.missing("minimum")

    def not_equal(self, x: Any, y: Any) -> Any:
        """Whether two differ: `!=` compares identities in half of the engines."""
        self.missing("not_equal")

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """x where the condition holds, otherwise y."""
        self.missing("where")

    def cast(self, x: Any, dtype: str) -> Any:
        """Another dtype, by NumPy's name."""
        self.missing("cast")

    def sum(self, x: Any, axis: int | None = None) -> Any:
        """The sum over one axis or all, in the dtype of x."""
        self.missing("sum")

    def relu(self, x: Any) -> Any:
        """x where it is greater than 0, otherwise 0."""
        self.missing("relu")

    def log_softmax(self, x: Any) -> Any:
        """x - log(sum(exp(x))) along the last axis."""
        self.missing("log_softmax")

    def matmul(self, x: Any, y: Any) -> Any:
        """The matrix product."""
        self.missing("matmul")

    def with_gradients(self, loss: Callable[..., Any], xs: Sequence[Any], of: Sequence[int]) -> list[Any]:
        """loss(*xs), a scalar, and its gradients with respect to the xs at the positions `of`."""
        self.missing("gradients")

    # ---- random numbers ---------------------------------------------------------------------

    def repeat(self, count: int, body: Callable[..., Sequence[Any]], state: Sequence[Any]) -> list[Any]:
        """The values after `count` iterations of a loop; `body` gets the number of the iteration and the values."""
        self.missing("repeat")

    def fold(self, body: Callable[..., Sequence[Any]], state: Sequence[Any], rows: Any) -> list[Any]:
        """The values after a loop over the rows of a tensor; `body` gets a row and the values."""
        self.missing("fold")

    def uniform(self, key: Any, size: int) -> Any:
        """float32 in [0, 1). `key` holds two uint32, for engines whose random functions have no state."""
        self.missing("random numbers")

    def normal(self, key: Any, size: int) -> Any:
        """Normal float32."""
        self.missing("random numbers")

    def truncated_normal(self, key: Any, size: int) -> Any:
        """Normal float32 in (-2, 2)."""
        self.missing("random numbers")

    # ---- moving -----------------------------------------------------------------------------

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        """The rows of each label."""
        self.missing("partition")

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        """The rows of `data` at `indices`, which name each row once."""
        self.missing("stitch")

    def positions(self, x: Any) -> Any:
        """0, 1, ... for each row of x, in int32."""
        self.missing("range")

    def gather(self, x: Any, indices: Any) -> Any:
        """Rows by number."""
        self.missing("gather")

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        """x with its rows at `indices`, a column of row numbers, replaced."""
        self.missing("scatter")

    def running_sum(self, x: Any) -> Any:
        """x[0], x[0] + x[1], ... along the first axis."""
        self.missing("cumsum")

    def sums_by_id(self, x: Any, ids: Any, count: int, in_order: bool) -> Any:
        """The sums of the rows of each id below `count`. in_order: whether the ids are sorted."""
        self.missing("segment_sum")

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        """The first lengths[i] entries of row i the other way round."""
        self.missing("reverse_sequence")

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        """Dimensions in another order, in memory as well."""
        self.missing("transpose")

    def concat(self, values: list[Any], axis: int) -> Any:
        """One after the other."""
        self.missing("concat")

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        """Equal parts, each with memory of its own."""
        self.missing("split")

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        """Zeros around."""
        self.missing("pad")

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        """Repeated."""
        self.missing("tile")

    def stack(self, values: list[Any], axis: int) -> Any:
        """Side by side along a new axis."""
        self.missing("stack")

    def reverse(self, x: Any, axis: int) -> Any:
        """The other way round along one axis, in memory as well."""
        self.missing("reverse")

    def multiplex(self, values: list[Any], index: Any) -> Any:
        """Row i of values[index[i, 0]]."""
        self.missing("multiplex")

    def to_number(self, x: Any) -> Any:
        """Texts read as float32."""
        self.missing("string_to_number")

    def missing(self, word: str) -> NoReturn:
        """Leave a case out."""
        raise Unsupported(f"{word}: no such operation")
