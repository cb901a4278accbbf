"""Making sequential nests: a function of stand-ins, as kernels are traced, with loops as `with` blocks.

    @nest("copy", "out x", "count")
    def copy(n):
        with n.each("i", n.count) as i:
            n.put(n.out, [(i, 4)], n.read(n.x, [(i, 4)], float32))
        return n.done()

Operators on what `read` and `each` give become steps of the nest, with NumPy's dtypes; 16-bit floats are added in
float32 and rounded, as in every traced kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from ....graph.shapes.dtypes import DType, bfloat16, complex128, int64, of_numpy
from ...ir.fused_ir import Value
from ...ir.scalar_ir import Argument, Literal, ScalarStep, ScalarTrace, Traced
from .sequential_ir import (
    BoundCheck,
    Fetch,
    For,
    FunctionCall,
    Keep,
    Leave,
    LocalValue,
    LoopPosition,
    MemoryPlace,
    Node,
    Parameter,
    Read,
    RepeatedBody,
    Scratch,
    SequentialNest,
    Statement,
    When,
    Write,
)
from .sequential_verifier import verify_sequential

Build: TypeAlias = Callable[..., SequentialNest]
Stand: TypeAlias = Any
"""A stand-in for a number, a `Traced`: operators make steps of it, which checkers do not know."""
Number: TypeAlias = Any
"""A stand-in or an int."""
Terms: TypeAlias = Sequence[tuple[Number, Number] | Number]
"""A place: the sum of products and numbers, in bytes."""


class NestBuilder(ScalarTrace):
    """A nest that is being made. Its parameters are attributes; they must not have the names of methods."""

    def __init__(self, name: str, memory: str, numbers: str = "", of_arrays: bool = False) -> None:
        super().__init__(())
        self._name = name
        self._nodes: list[Node] = []
        self._body: list[Statement] = []
        for word in memory.split():
            setattr(self, word, self._value(Parameter(word, False, of_arrays), is_computed=False))
        for word in numbers.split():
            setattr(self, word, self._value(Parameter(word, True), is_computed=False))

    def __getattr__(self, name: str) -> Any:  # parameters, for checkers; others do not exist
        raise AttributeError(name)

    def _value(self, node: Node, is_computed: bool = True) -> Traced:
        self._nodes.append(node)
        value = Value(len(self._nodes) - 1)
        if is_computed:
            self._body.append(value)
        return Traced(self, value, node.dtype.np)

    def write(self, primitive: str, args: tuple[Argument, ...], dtype: Any) -> Traced:
        """A step: what the operators of stand-ins call."""
        return self._value(ScalarStep(primitive, args, of_numpy(dtype)))

    def done(self, result: Number = 0) -> SequentialNest:
        """The nest, which gives `result`."""
        nest = SequentialNest(self._name, tuple(self._nodes), tuple(self._body), _argument(result))
        verify_sequential(nest)
        return nest

    # ---- memory -------------------------------------------------------------------------------

    def read(self, base: Stand, terms: Terms, dtype: DType) -> Stand:
        """An element."""
        return self._value(Read(_place(base, terms), dtype))

    def read_row(self, base: Stand, terms: Terms, size: Number) -> Stand:
        """A row of so many bytes, which can only be written."""
        return self._value(Read(_place(base, terms), int64, _argument(size)))

    def put(self, base: Stand, terms: Terms, value: Stand, past_caches: bool = False) -> None:
        """Write a value."""
        self._body.append(Write(_place(base, terms), value.value, past_caches))

    def fetch(self, base: Stand, terms: Terms) -> None:
        """Bring near what will be read soon."""
        self._body.append(Fetch(_place(base, terms)))

    def own_memory(self, size: int) -> Stand:
        """The address of memory of the function's own."""
        return self._value(Scratch(size))

    # ---- control ------------------------------------------------------------------------------

    @contextmanager
    def each(
        self, axis: str, size: Number, lanes: Sequence[int] = (), together: Sequence[int] = (), parallel: bool = False,
        vector: int = 0,
    ) -> Iterator[Stand]:  # fmt: skip
        """A loop; its position."""
        position = self._value(LoopPosition(axis), is_computed=False)
        outer, self._body = self._body, []
        yield position
        body, self._body = tuple(self._body), outer
        assert isinstance(position.value, Value)  # it was just made
        self._body.append(For(position.value, _argument(size), body, tuple(lanes), tuple(together), parallel, vector))

    @contextmanager
    def when(self, condition: Stand) -> Iterator[None]:
        """Statements under a condition."""
        outer, self._body = self._body, []
        yield
        body, self._body = tuple(self._body), outer
        self._body.append(When(condition.value, body))

    @contextmanager
    def repeat(self) -> Iterator[None]:
        """Statements again and again, until `leave`."""
        outer, self._body = self._body, []
        yield
        body, self._body = tuple(self._body), outer
        self._body.append(RepeatedBody(body))

    def leave(self, condition: Stand) -> None:
        """Go on behind the innermost `repeat` under a condition."""
        self._body.append(Leave(condition.value))

    def check(self, value: Stand, bound: Number, otherwise: Number) -> None:
        """End with `otherwise` unless 0 <= value < bound."""
        self._body.append(BoundCheck(value.value, _argument(bound), _argument(otherwise)))

    def call(self, function: str | Stand, *arguments: tuple[Stand, Terms] | Number) -> None:
        """Call a function, by name or address, with addresses, each (base, terms), and ints."""
        called: Any = function.value if isinstance(function, Traced) else function
        self._body.append(FunctionCall(called, tuple([
            _place(*each) if isinstance(each, tuple) else _argument(each) for each in arguments
        ])))  # fmt: skip

    def kept(self, first: Number, dtype: DType) -> Stand:
        """A value that is kept from round to round, and begins as `first`."""
        return self._value(LocalValue(_argument(first, dtype), dtype))

    def keep(self, kept: Stand, value: Number) -> None:
        """Change it."""
        self._body.append(Keep(kept.value, _argument(value, of_numpy(kept.dtype))))


class NestTemplate:
    """A function of a key that makes a nest, with the nest's name."""

    def __init__(self, name: str, build: Build) -> None:
        self.name = name
        self._build = build

    def __call__(self, *key: Any) -> SequentialNest:
        """The nest for a key."""
        return self._build(*key)


def nest(name: str, memory: str, numbers: str, of_arrays: bool = False) -> Callable[[Build], NestTemplate]:
    """Make of a function of a builder and a key one of the key alone.

    memory, numbers: the parameters: first memory, then ints. of_arrays: memory is given as array objects.
    """
    return lambda build: NestTemplate(name, lambda *key: build(NestBuilder(name, memory, numbers, of_arrays), *key))


def _argument(number: Number, dtype: DType = int64) -> Argument:
    return number.value if isinstance(number, Traced) else Literal(dtype, np.asarray(number, dtype.np).tobytes())


def _place(base: Stand, terms: Terms) -> MemoryPlace:
    assert isinstance(base.value, Value)  # a parameter, or what was read
    terms = [term for term in terms if not isinstance(term, int) or term]
    pairs = [term if isinstance(term, tuple) else (term, 1) for term in terms]
    return MemoryPlace(base.value, tuple([(_argument(a), _argument(b)) for a, b in pairs]))


def dtype_of_key(key: str) -> DType:
    """The dtype that the key of a loop names: NumPy's short name, bfloat16 "bf"."""
    return bfloat16 if key == "bf" else of_numpy(np.dtype(key))


def bits_of(size: int) -> DType:
    """A dtype whose numbers keep all bits of so many bytes."""
    return complex128 if size == 16 else dtype_of_key(f"u{size}")
