"""Ops of an extension that the fuzz declares: effects, results that share memory without saying so, failures.

They are declared while `extension_ops()` is entered. `log` holds what the ops with effects have seen, in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import penstock as tf
from penstock.extend import Int, InvalidArgumentError, T, Tensor, TensorShape, op, shape_of
from penstock.graph.declare.effects import Effects
from penstock.graph.declare.op_declaration import OPS

from ..op_samples import Place, calls

Entry = tuple[int, str, tuple[int, ...], Any]
SHELF = frozenset({"shelf"})
"""A resource of its own: its effects have no order among those of the world."""


class Extension:
    """The declared ops as attributes, and what they keep from one call to the next."""

    def __init__(self) -> None:
        self.log: list[Entry] = []
        self.shelf: list[Entry] = []
        self.calls = 0
        self.kept: dict[Any, Any] = {}
        self.taken: list[tuple[Any, Any]] = []
        self.types: list[str] = []
        self.seen: Any = self._one("FuzzSeen", self._note, stateful=True)
        self.seen_each: Any = self._one("FuzzSeenEach", self._note, stateful=True, elementwise=True)
        self.same: Any = self._one("FuzzSame", lambda x, tag: x)
        self.turned: Any = self._one("FuzzTurned", lambda x, tag: x[::-1] if x.ndim else x)
        self.declared: Any = self._one("FuzzDeclared", lambda x, tag: x[::-1] if x.ndim else x, views="x")
        self.fresh: Any = self._one("FuzzFresh", lambda x, tag: x.copy(), fresh=True)
        self.keeping: Any = self._one("FuzzKeeping", self._take, keeps="x", fresh=True)
        self.put: Any = self._one("FuzzPut", self._put, effects=Effects(SHELF, SHELF), views="x")
        self.got: Any = self._one("FuzzGot", self._get, effects=Effects(SHELF))
        self.own: Any = self._one("FuzzOwn", self._keep)
        self.counted: Any = self._one("FuzzCounted", self._count, pure=False)
        self.small: Any = self._one("FuzzSmall", _require_small)
        self.second: Any = self._second()
        self.swapped: Any = self._swapped()

    def sampled(self, type_: str, number: int, replaced: dict[Place, Any]) -> list[Tensor]:
        """A sample of an op, built with other operands."""
        return calls(OPS[type_])[number].build(replaced)

    def fitted(self, x: Tensor, dtype: str, shape: list[int]) -> Tensor:
        """The elements of `x`, again from the first one where they are too few, as another dtype and shape."""
        count = math.prod(shape)
        flat = tf.reshape(x, [-1])
        rows = -(-count // math.prod(d or 0 for d in x.shape.as_list())) if x.shape.is_fully_defined() else count
        return tf.reshape(tf.cast(tf.tile(flat, [rows])[:count], dtype), shape)

    def reset(self) -> None:
        """Forget everything that was kept."""
        self.begin()
        self.kept.clear()

    def begin(self) -> None:
        """Forget what one run has noted."""
        self.log.clear()
        self.shelf.clear()
        self.taken.clear()
        self.calls = 0

    def changed(self) -> bool:
        """Whether an array that an op holds on to, as it declares, has changed since."""
        return any(str(_bits(array)) != was for array, was in self.taken)

    def _one(self, type_: str, kernel: Callable[[Any, int], Any], **facts: Any) -> Any:
        """An op of one operand and a number, of the operand's dtype and shape."""

        @op(type_, **facts)
        def made(x: T, tag: Int, name: str | None = None) -> Tensor:  # type: ignore[empty-body]  # a declaration
            """What `kernel(x, tag)` gives."""

        @made.shape
        def _(x: Tensor, tag: int) -> TensorShape:
            return x.shape

        @made.kernel
        def _(xp: Any, x: Any, tag: int) -> Any:
            return kernel(x, tag)

        self.types.append(type_)
        return made

    def _second(self) -> Any:
        """A declared view of its second operand."""

        @op("FuzzSecond", views="y")
        def second(x: T, y: T, name: str | None = None) -> Tensor:  # type: ignore[empty-body]  # a declaration
            """`y`."""

        @second.shape
        def _(x: Tensor, y: Tensor) -> TensorShape:
            return y.shape

        @second.kernel
        def _(xp: Any, x: Any, y: Any) -> Any:
            return y

        self.types.append("FuzzSecond")
        return second

    def _swapped(self) -> Any:
        """Two results that are the operands, the other way round; nothing is declared."""

        @op("FuzzSwapped")
        def swapped(x: T, y: T, name: str | None = None) -> list[Tensor]:  # type: ignore[empty-body]  # a declaration
            """`y` and the first row of `x`."""

        @swapped.shape
        def _(x: Tensor, y: Tensor) -> list[TensorShape]:
            dims = x.shape.raw
            return [y.shape, TensorShape(None) if dims is None else shape_of(dims[1:])]

        @swapped.kernel
        def _(xp: Any, x: Any, y: Any) -> Any:
            if not len(x):
                raise InvalidArgumentError(message="x has no rows")
            return [y, x[0, ...]]

        self.types.append("FuzzSwapped")
        return swapped

    # ---- kernels ------------------------------------------------------------------------------

    def _note(self, x: Any, tag: int) -> Any:
        self.log.append((tag, x.dtype.name, x.shape, _bits(x)))
        return x

    def _keep(self, x: Any, tag: int) -> Any:
        """The same array for the same values, call after call."""
        return self.kept.setdefault((tag, x.dtype, x.shape, str(_bits(x))), x.copy())

    def _take(self, x: Any, tag: int) -> Any:
        self.taken.append((x, str(_bits(x))))
        return x.copy()

    def _put(self, x: Any, tag: int) -> Any:
        self.shelf.append((tag, x.dtype.name, x.shape, _bits(x)))
        return x

    def _get(self, x: Any, tag: int) -> Any:
        """The tag of what was put last, in each element, where the dtype can hold it."""
        made = x.copy()
        if self.shelf and x.dtype.kind in "fiuc":
            made[...] = self.shelf[-1][0] % 100
        return made

    def _count(self, x: Any, tag: int) -> Any:
        self.calls += 1
        return x.copy()


def _require_small(x: Any, tag: int) -> Any:
    if x.size and not bool(np.all(np.abs(x) < tag)):
        raise InvalidArgumentError(message=f"an element is not below {tag}")
    return x


def _bits(x: Any) -> Any:
    """What an array holds, any NaN like any other."""
    if x.dtype.kind == "O":
        return x.tolist()
    if x.dtype.kind in "fc" or x.dtype.name == "bfloat16":
        x = np.where(x != x, x.dtype.type(np.nan), x)
    return x.tobytes()


@contextmanager
def extension_ops() -> Iterator[Extension]:
    """Declare the ops, and take them back at the end."""
    extension: Extension | None = None
    try:
        extension = Extension()
        yield extension
    finally:  # only these: modules of the package that are imported meanwhile declare ops, too
        for type_ in () if extension is None else extension.types:
            OPS.pop(type_, None)
