"""Wrappers of kernels for special steps: claimed shapes, kernels from outside the package, results on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.literal import normal_bools
from ...graph.op_declaration import OPS
from ..ir.kernel_protocol import Kernel
from ..planning.pinned_shapes import Claim, Witness
from ..planning.plan import Step, is_operand, returns_list


def with_normal_bools(kernel: Kernel) -> Kernel:
    call = kernel.call

    def normal(*arrays: Any) -> Any:
        result = call(*arrays)
        if isinstance(result, list):
            return [normal_bools(r) if r.dtype == np.bool_ else r for r in result]
        return normal_bools(result)

    return kernel.around(normal, kernel.into)


def typed(kernel: Kernel, step: Step) -> Kernel:
    """CuPy gives float32 where a function of its own knows no bfloat16; such results are rounded once, here."""
    several = len(step.outputs) != 1 or returns_list(step)
    dtypes = [dtype.np for dtype in step.dtypes]
    call = kernel.call

    def call_typed(*arrays: Any) -> Any:
        result = call(*arrays)
        if not several:
            return result if result.dtype == dtypes[0] else result.astype(dtypes[0])
        return [r if r.dtype == d else r.astype(d) for r, d in zip(result, dtypes, strict=True)]

    return kernel.around(call_typed, kernel.into)


def sharing_nothing(kernel: Kernel, step: Step) -> Kernel:
    """What a kernel from elsewhere returns shares no memory with an operand, unless its op says so: else a copy."""
    sharing = OPS[step.op].facts.sharing
    places = operand_places(step)
    undeclared = [
        tuple([i for i, place in enumerate(places) if place not in sharing.viewed_by(number)])
        for number in range(len(step.outputs))
    ]
    several = len(step.outputs) != 1 or returns_list(step)
    call = kernel.call

    def own(result: Any, number: int, arrays: tuple[Any, ...]) -> Any:
        return result.copy() if any(np.may_share_memory(result, arrays[i]) for i in undeclared[number]) else result

    def call_apart(*arrays: Any) -> Any:
        result = call(*arrays)
        if not several:
            return own(result, 0, arrays)
        return [own(each, number, arrays) for number, each in enumerate(result)]

    return kernel.around(call_apart, kernel.into)


def with_claims(kernel: Kernel, claims: dict[int, Claim], witnesses: tuple[Witness, ...]) -> Kernel:
    """Claims made with `set_shape` about results are checked against what the run gives; what the witnesses look at
    comes after the operands."""
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
    """For each input of the step the place of its operand in the signature."""
    operands = [(i, len(arg) if isinstance(arg, tuple) else 1) for i, arg in enumerate(step.args) if is_operand(arg)]
    return [place for place, count in operands for _ in range(count)]


