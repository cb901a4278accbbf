"""A sequential nest computed step by step with NumPy's numbers: what its code is compared with in tests."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from penstock.runtime.ir.fused_ir import Value
from penstock.runtime.ir.scalar_ir import Argument, Literal, ScalarStep
from penstock.runtime.nest.sequential.sequential_ir import (
    BoundCheck,
    Fetch,
    For,
    FunctionCall,
    Keep,
    Leave,
    LoopPosition,
    MemoryPlace,
    Read,
    RepeatedBody,
    Scratch,
    SequentialNest,
    Statement,
    When,
    Write,
)

from .by_numpy import stepped


class _Left(Exception):
    """A loop without an end is left."""


class _Ended(Exception):
    """A check has failed; its argument is what the function gives."""


def by_steps(nest: SequentialNest, functions: Mapping[str, Callable[..., object]] | None = None) -> Callable[..., int]:
    """The function of a nest; it takes what the compiled one takes: arrays, of which it reads the memory, and ints.

    functions: those that the nest calls, by name; they take addresses and ints.
    """

    def function(*args: Any) -> int:
        walk = _StepWalk(nest, functions or {})
        for k, each in enumerate(args):
            walk.values[Value(k)] = int(each.ctypes.data if isinstance(each, np.ndarray) else each)
        try:
            walk.run(nest.body)
        except _Ended as ended:
            return int(ended.args[0])
        return int(walk.number(nest.result))

    return function


class _StepWalk:
    def __init__(self, nest: SequentialNest, functions: Mapping[str, Callable[..., object]]) -> None:
        self.nest = nest
        self.functions = functions
        self.values: dict[Value, Any] = {}
        self.own: list[Any] = []

    def number(self, argument: Argument) -> Any:
        return argument.value if isinstance(argument, Literal) else self.values[argument]

    def address(self, place: MemoryPlace) -> int:
        return int(self.values[place.base]) + sum([int(self.number(a)) * int(self.number(b)) for a, b in place.terms])

    def run(self, body: Sequence[Statement]) -> None:
        for each in body:
            if isinstance(each, Value):
                self.values[each] = self.made(each)
            elif isinstance(each, Write):
                data, dtype = self.number(each.value), self.nest.dtype_of(each.value).np
                data = data if isinstance(data, bytes) else np.asarray(data, dtype).tobytes()
                ctypes.memmove(self.address(each.place), data, len(data))
            elif isinstance(each, Keep):
                self.values[each.kept] = self.number(each.value)
            elif isinstance(each, BoundCheck):
                if not 0 <= self.number(each.value) < self.number(each.bound):
                    raise _Ended(self.number(each.otherwise))
            elif isinstance(each, FunctionCall):
                function = self.functions[str(each.function)]
                function(*[self.address(a) if isinstance(a, MemoryPlace) else int(self.number(a))
                                                for a in each.arguments])  # fmt: skip
            elif isinstance(each, Fetch):
                pass
            elif isinstance(each, When):
                if self.number(each.condition):
                    self.run(each.body)
            elif isinstance(each, RepeatedBody):
                with suppress(_Left):
                    while True:
                        self.run(each.body)
            elif isinstance(each, Leave):
                if self.number(each.condition):
                    raise _Left
            else:
                self.loop(each)

    def loop(self, each: For) -> None:
        position = self.nest.nodes[each.position]
        assert isinstance(position, LoopPosition)  # the verifier says so
        for k in range(int(self.number(each.size))):
            self.values[each.position] = position.dtype.np.type(k)
            self.run(each.body)

    def made(self, value: Value) -> Any:
        node = self.nest.nodes[value]
        if isinstance(node, Scratch):
            self.own.append(ctypes.create_string_buffer(node.size))
            return ctypes.addressof(self.own[-1])
        if isinstance(node, Read):
            size = node.dtype.size if node.size is None else int(self.number(node.size))
            data = ctypes.string_at(self.address(node.place), size)
            if node.size is not None:
                return data
            if node.dtype.is_bool:
                return np.frombuffer(data, np.uint8)[0] != 0
            return np.frombuffer(data, node.dtype.np)[0]
        if isinstance(node, ScalarStep):
            with np.errstate(all="ignore"):
                return stepped(node, [np.asarray(self.number(a), self.nest.dtype_of(a).np) for a in node.args])[()]
        return self.number(node.first)  # type: ignore[union-attr]  # a kept value: the verifier says so
