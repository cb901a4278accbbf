"""Sums of a matrix product and something else: two steps that become one call.

    y = x @ w + bias        total = total + x.T @ g        w = w - (x.T @ g) * rate, over the memory of w

The loop of small products (`kernels.small_products`) adds the other operand when it stores a tile, which saves writing
and reading the product. An addition gives the same bits in either order. The two steps must follow each other, and
nothing else may read the product. Where the loop does not serve these operands, both steps run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ....graph.common.quick_dataclass import dataclass
from ...base.pending_writes import PendingWrites
from ...ir.fused_ir import Value, fused
from ...kernels.products.fast_matmul import matmul_plus, subtract_product
from ...kernels.products.small_products import FEWEST
from ...planning.aliasing import aliases_of
from ...planning.plan import Plan, Slot, Step
from ..bind import BoundStep, joined_step
from .step_pairs import is_plain_step, pairs_of_steps

_SUMS: Final = frozenset({"Add", "AddN"})


def summed_products(plan: Plan) -> list[int]:
    """The positions of products whose next step adds something to them."""
    pairs = pairs_of_steps(plan, "MatMul", lambda step, then: _is_sum(plan, step, then) or update_of(plan, step, then))
    return _without_races(plan, pairs)


def _without_races(plan: Plan, found: list[int]) -> list[int]:
    """The positions but for updates whose product reads what a step writes over: both are made at the end of the run,
    at the same time."""
    updates = [i for i in found if update_of(plan, plan.steps[i], plan.steps[i + 1])]
    if not updates:
        return found
    aliases = aliases_of(plan)
    written = {root for step in plan.steps for slot in step.over if slot is not None for root in aliases.roots(slot)}
    races = {i for i in updates if any(not written.isdisjoint(aliases.roots(x)) for x in plan.steps[i].inputs)}
    return [i for i in found if i not in races]


def _is_sum(plan: Plan, step: Step, then: Step) -> bool:
    if then.op not in _SUMS or not is_plain_step(step) or not is_plain_step(then) or then.over:
        return False
    return len(then.inputs) == 2 and then.inputs.count(step.outputs[0]) == 1 and _is_large(plan, step)


def update_of(plan: Plan, step: Step, then: Step) -> Update | None:
    """What the second step does if it is `x - product * rate`, written over x; None for others."""
    if then.op != fused.type or not is_plain_step(step) or not is_plain_step(then) or len(then.outputs) != 1:
        return None
    inputs, body = then.args
    ops = [each.op for each in body.instructions]
    if ops != ["Mul", "Sub"] or len(inputs) != 3 or len(then.over) != 1 or not _is_large(plan, step):
        return None
    factors, (x, scaled) = [int(v) for v in body.instructions[0].args], body.instructions[1].args
    product = inputs.index(step.outputs[0]) if step.outputs[0] in inputs else -1
    if product not in factors or len(set(factors)) < 2 or scaled != 3 or x in factors or x == 3:
        return None
    if tuple(body.outputs) != (Value(4),) or then.over[0] != inputs[x]:
        return None
    (rate,) = [v for v in factors if v != product]
    return Update(inputs[rate], inputs[x]) if rate < 3 else None


def _is_large(plan: Plan, step: Step) -> bool:
    """Whether the loop may serve a product; a size that is not known may be large."""
    shape, left = plan.slots[step.outputs[0]].shape, plan.slots[step.inputs[0]].shape
    if shape is None or left is None or len(shape) != 2 or len(left) != 2:
        return False
    sizes = [d for d in (*shape, left[0] if step.args[2] else left[1]) if isinstance(d, int)]
    return len(sizes) < 3 or sizes[0] * sizes[1] * sizes[2] >= FEWEST


@dataclass(frozen=True, slots=True)
class Update:
    """The slots of the rate of an update, and of what it changes."""

    rate: Slot
    changed: Slot


def joined(plan: Plan, product: BoundStep, then: BoundStep, position: int) -> BoundStep:
    """The product at a position and the step after it as one."""
    step = plan.steps[position]
    update = update_of(plan, step, plan.steps[position + 1])
    if update is not None:
        return _joined_update(plan, step, product, then, update)
    slot = step.outputs[0]
    is_first = then.inputs[0] == slot
    other = then.inputs[1 if is_first else 0]
    flags = _flags(step)
    multiply, add, add_into = product.call, then.call, then.into

    def both(add: Callable[..., Any], a: Any, b: Any, more: Any) -> Any:
        made = multiply(a, b)
        return add(made, more) if is_first else add(more, made)

    def call(a: Any, b: Any, more: Any) -> Any:
        found = matmul_plus(a, b, more, *flags)
        return both(add, a, b, more) if found is None else found

    def into(place: Any, a: Any, b: Any, more: Any) -> Any:
        # In the plan a and b end one step before the sum begins, so its place in the arena may be theirs.
        apart = not (np.may_share_memory(place, a) or np.may_share_memory(place, b))
        found = matmul_plus(a, b, more, *flags, place if apart else None)
        if found is not None:
            return found
        assert add_into is not None  # or the joined step has no `into`
        return both(lambda *operands: add_into(place, *operands), a, b, more)

    inputs = (*product.inputs, other)
    return joined_step(call, inputs, then.output, (product, then), (slot,), None if add_into is None else into)


def _joined_update(plan: Plan, step: Step, product: BoundStep, then: BoundStep, update: Update) -> BoundStep:
    """A product and the update that it is for."""
    slot = step.outputs[0]
    flags = _flags(step)
    multiply, apply = product.call, then.call
    place = {slot: 0, update.rate: 1, update.changed: 2}
    order = [place.get(each, 3) for each in then.inputs]

    def call(a: Any, b: Any, rate: Any, x: Any, writes: PendingWrites | None) -> Any:
        found = None if writes is None else subtract_product(writes, a, b, rate, x, *flags)
        if found is not None:
            return x
        given = multiply(a, b), rate, x, writes
        return apply(*[given[i] for i in order])

    inputs = (*product.inputs, update.rate, update.changed, Slot(len(plan.slots)))
    return joined_step(call, inputs, then.output, (product, then), (slot,))


def _flags(step: Step) -> tuple[bool, bool]:
    transpose_a, transpose_b, adjoint_a, adjoint_b = step.args[2:6]
    return bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
