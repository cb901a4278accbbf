"""Wrappers of kernels: attribute values, `set_shape` claims, user-defined kernels, results on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.literal import normal_bools
from ..ir.kernel_protocol import Kernel
from ..planning.pinned_shapes import Claim, Witness
from ..planning.plan import Slot, Step, is_operand, returns_list

Call = Callable[..., Any]


def with_arguments(kernel: Call, xp: Any, args: tuple[Any, ...]) -> Call:
    """The kernel with arrays inserted for slots among the attribute values."""
    # (position, number of arrays), None for a single array
    places = [(i, None if isinstance(arg, Slot) else len(arg)) for i, arg in enumerate(args) if is_operand(arg)]
    if places == [(i, None) for i in range(len(args))]:
        return partial(kernel, xp)
    if places == [(i, None) for i in range(len(places))]:  # the usual order: 0.5 us less
        return _with_arguments_behind(kernel, xp, args[len(places) :])

    def call(*arrays: Any) -> Any:
        filled = list(args)
        at = 0
        for position, several in places:
            if several is None:
                filled[position] = arrays[at]
                at += 1
            else:
                filled[position] = list(arrays[at : at + several])
                at += several
        return kernel(xp, *filled)

    return call


def _with_arguments_behind(kernel: Call, xp: Any, rest: tuple[Any, ...]) -> Call:
    """The kernel with the attribute values `rest` behind the arrays."""

    def call(*arrays: Any) -> Any:
        return kernel(xp, *arrays, *rest)

    return call


def with_normal_bools(kernel: Kernel) -> Kernel:
    call = kernel.call

    def normal(*arrays: Any) -> Any:
        result = call(*arrays)
        if isinstance(result, list):
            return [normal_bools(r) if r.dtype == np.bool_ else r for r in result]
        return normal_bools(result)

    return kernel.around(normal, kernel.into)


def with_dtypes(kernel: Kernel, step: Step) -> Kernel:
    """The kernel with results cast to the step's dtypes: CuPy functions without bfloat16 return float32."""
    several = len(step.outputs) != 1 or returns_list(step)
    dtypes = [dtype.np for dtype in step.dtypes]
    call = kernel.call

    def call_typed(*arrays: Any) -> Any:
        result = call(*arrays)
        if not several:
            return result if result.dtype == dtypes[0] else result.astype(dtypes[0])
        return [r if r.dtype == d else r.astype(d) for r, d in zip(result, dtypes, strict=True)]

    return kernel.around(call_typed, kernel.into)


def without_undeclared_sharing(kernel: Kernel, step: Step) -> Kernel:
    """A user's kernel, with a result copied if it shares memory with an operand that the op does not declare."""
    sharing = OPS[step.op].facts.sharing
    places = operand_places(step)
    undeclared = [
        tuple([i for i, place in enumerate(places) if place not in sharing.viewed_by(number)])
        for number in range(len(step.outputs))
    ]
    several = len(step.outputs) != 1 or returns_list(step)
    call = kernel.call

    def copied_if_shared(result: Any, number: int, arrays: tuple[Any, ...]) -> Any:
        return result.copy() if any(np.may_share_memory(result, arrays[i]) for i in undeclared[number]) else result

    def call_and_copy(*arrays: Any) -> Any:
        result = call(*arrays)
        if not several:
            return copied_if_shared(result, 0, arrays)
        return [copied_if_shared(each, number, arrays) for number, each in enumerate(result)]

    return kernel.around(call_and_copy, kernel.into)


def with_claims(kernel: Kernel, claims: dict[int, Claim], witnesses: tuple[Witness, ...]) -> Kernel:
    """The kernel with `set_shape` claims about its results checked; the arrays of witnesses follow the operands."""
    call = kernel.call
    extra = len(witnesses)

    def check(*arrays: Any) -> Any:
        operands = arrays[: len(arrays) - extra]
        result = call(*operands)
        sizes = {w.symbol: a.shape[w.axis] for w, a in zip(witnesses, arrays[len(operands) :], strict=True)}
        for index, claim in claims.items():
            claim.check((result[index] if isinstance(result, (list, tuple)) else result).shape, sizes)
        return result

    return kernel.around(check)
def operand_places(step: Step) -> list[int]:
    """For each input of the step, the position of its operand in the signature."""
    operands = [(i, len(arg) if isinstance(arg, tuple) else 1) for i, arg in enumerate(step.args) if is_operand(arg)]
    return [place for place, count in operands for _ in range(count)]


