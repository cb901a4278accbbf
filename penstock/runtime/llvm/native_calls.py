"""`NativeCall`: a call of a C function that the block driver can make, and what kernels need to tell of theirs.

A kernel that can say which C functions it would call has a *native form*: a function of its operands, of the arrays for
its results, and of a `NativeMemory`, that gives the calls, or None. The arrays are those of one run; the program that
is written of the calls runs on the arrays of others, which lie elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from .ufunc_loops import Loop

Array: TypeAlias = np.ndarray[Any, Any]


class Address(NamedTuple):
    """An argument: the address of an operand."""

    of: int


class Addresses(NamedTuple):
    """An argument: a pointer to the addresses of operands."""

    of: tuple[int, ...]


class Numbers(NamedTuple):
    """An argument: a pointer to numbers."""

    numbers: tuple[int, ...]


Argument: TypeAlias = int | Address | Addresses | Numbers | Array


class NativeCall(NamedTuple):
    """A call of a C function: its address, and an int or a pointer for each argument; an array stands for its object.

    The function fails never, and takes no other arguments than words.
    """

    function: int
    arguments: tuple[Argument, ...]


def loop_call(loop: Loop, addresses: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> NativeCall:
    """A call of an inner loop of NumPy."""
    return NativeCall(loop.address, (Addresses(tuple(addresses)), Numbers(tuple(sizes)), Numbers(tuple(strides)),
                                     loop.data))  # fmt: skip


class NativeMemory(Protocol):
    """What the calls of one step need beside its operands and results.

    Attributes:
        copy: the address of the function that copies rows (`block_driver`).
        choices: the addresses of loops of `where`, by the bytes of an element.
        spent: seconds that calls of the step took in Python since it was asked last: code may pay for them.
        seconds: what the calls of the step are expected to take, as far as it is told.
        is_early: whether code that is not compiled yet would serve.
        uses_blas: whether a call is one of BLAS, which must have one thread.
        turned: transposes that a call before has computed, by address, shape and strides.
    """

    copy: int
    choices: Mapping[int, int]
    spent: float
    seconds: float
    is_early: bool
    uses_blas: bool
    turned: dict[Any, Array]

    def scratch(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Memory that the calls may use."""

    def constant(self, x: Array) -> Array:
        """An array that every run reads."""

    def may_require(self, x: Array, test: Callable[[Array], bool]) -> bool:
        """Have the calls made only where an operand passes a test; False if it is not known before the block runs."""

    def keep(self, thing: object) -> None:
        """Have something live as long as the calls may be made."""


NativeForm: TypeAlias = Callable[[Sequence[Array], Sequence[Array], NativeMemory], "list[NativeCall] | None"]
"""(operands, arrays for the results, memory) -> the calls, None where there are none."""
