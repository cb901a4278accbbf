"""Distribution of ops that hold graphs: what a branch or the body of a loop gives if its inputs are cut.

Each operation inside is asked in order. Inside a body nothing can be combined, so an operation that needs the whole
refuses the op that holds the body. Two exceptions make gradients work in shards:

    parts of sums     a result of a branch, a row of a stack, or a loop variable that begins as zeros and to which each
                      iteration adds: the shards give parts of the sum
    cut rows          a loop that is given cut rows and keeps nothing from one iteration to the next but such sums:
                      each shard runs the iterations of its rows
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from ...graph.declare.axis_labels import may_depend_on
from ...graph.declare.distributing import distribute
from ...graph.declare.distribution import SIZES, WHOLE, Along, Distributed, Partial, Refused, Sizes, State, Whole
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph

Inside: TypeAlias = State | Partial
IsSum: TypeAlias = Callable[[Operation], bool]
"""Whether an operation adds its inputs up."""


def through_branches(operation: Operation, states: Sequence[State], name: str, is_sum: IsSum) -> Distributed | Refused:
    """The rule of `If`."""
    if states[0] is not WHOLE:
        return Refused("which branch runs would differ from shard to shard")
    given: list[list[Inside]] = []
    for place in operation.opdef.bodies:
        found = through_body(operation.args[place], states[1:], name, is_sum)
        if isinstance(found, Refused):
            return found
        given.append(found)
    if given[0] != given[1]:
        return Refused("its branches give results of which one is cut and the other is not, or otherwise")
    return Distributed(tuple(given[0]), _sizes_at(states))


def through_body(
    body: SubGraph, states: Sequence[Inside], name: str, is_sum: IsSum, totals: Collection[Tensor] = ()
) -> list[Inside] | Refused:
    """The states of the results of a body whose inputs have the given states.

    totals: inputs that may as well be parts of sums: they begin as zeros, and something is added to them.
    """
    known: dict[Tensor, Inside] = dict(zip(body.inputs, states, strict=True))
    for op in body.operations:
        given = [known.get(tensor, WHOLE) for tensor in op.inputs]
        if all(state is WHOLE for state in given):
            continue
        if is_sum(op) and Partial("sum") in given:
            given = [Partial("sum") if t in totals else state for t, state in zip(op.inputs, given, strict=True)]
        answer = _inside(op, given, name, is_sum)
        if isinstance(answer, Refused):
            return Refused(f"in {op.name}: {answer.why}")
        known.update(zip(op.outputs, answer, strict=True))
    return [known.get(tensor, WHOLE) for tensor in body.outputs]


def _inside(op: Operation, given: Sequence[Inside], name: str, is_sum: IsSum) -> Sequence[Inside] | Refused:
    if any(isinstance(state, Partial) for state in given):
        return _of_parts(op, given, is_sum)
    states = [state for state in given if not isinstance(state, Partial)]
    answer = distribute(op, states, name)
    if isinstance(answer, Refused):
        return answer
    from_own = all(result is SIZES or not may_depend_on(output, name)
                   for output, result in zip(op.outputs, answer.results, strict=True))  # fmt: skip
    if not from_own and any(s is SIZES and i not in answer.own_sizes for i, s in enumerate(states)):
        return Refused(f"it needs the whole's size along {name}, which a body does not have")
    return answer.results


def _of_parts(op: Operation, given: Sequence[Inside], is_sum: IsSum) -> Sequence[Inside] | Refused:
    """What an operation gives that reads a part of a sum: the sum is linear, and so is moving its elements."""
    parts = [state for state in given if isinstance(state, Partial)]
    total = Partial("sum")
    of_data = [state for state, tensor in zip(given, op.inputs, strict=True) if tensor.dtype is op.outputs[0].dtype]
    if all(part == total for part in parts) and all(state is WHOLE or state == total for state in given):
        if is_sum(op) and len(parts) == len(given):
            return [total]
        if op.opdef.facts.moves and len(of_data) == len(parts):
            return [total] * len(op.outputs)
    return Refused("it needs what all shards give together")


# ---- loops --------------------------------------------------------------------------------------


def through_loop(
    operation: Operation, states: Sequence[State], name: str, is_sum: IsSum, zeros: Callable[[Tensor], bool]
) -> Distributed | Refused:
    """The rule of `While`.

    Args:
        operation, states, name: those of the rule.
        is_sum: whether an operation adds its inputs up.
        zeros: whether a tensor is known to hold zeros.
    """
    limit, operands, cond, body, variables, rows, *_ = operation.args
    first = 0 if limit is None else 1
    if first and states[0] is not WHOLE:
        return Refused("how often the loop runs would differ from shard to shard")
    given = states[first:]
    if any(state == Along(0) for state in given[variables : variables + rows]):
        return _by_rows(operation, given, is_sum, zeros)
    before: list[Inside] = [*given[:variables], *map(_row_of, given[variables : variables + rows]),
                            *given[variables + rows :]]  # fmt: skip
    totals = [body.inputs[k] for k in range(variables) if zeros(operands[k]) and _only_added_to(body, k, is_sum)]
    after = through_body(body, before, name, is_sum, totals)
    if isinstance(after, Refused):
        return after
    goes_on = through_body(cond, before, name, is_sum)
    if isinstance(goes_on, Refused) or goes_on[0] is not WHOLE:
        return Refused("how often the loop runs would differ from shard to shard")
    for k, (one, other) in enumerate(zip(before[:variables], after[:variables], strict=True)):
        if one != other and not (other == Partial("sum") and body.inputs[k] in totals):
            return Refused(f"loop variable {k} is {_words(one)} before an iteration and {_words(other)} after it")
    stacks = [_stack_of(state) for state in after[variables:]]
    if any(state is SIZES for state in stacks):
        return Refused("it stacks sizes, which differ from shard to shard")
    return Distributed((*after[:variables], *stacks, WHOLE), _sizes_at(states))


def _only_added_to(body: SubGraph, k: int, is_sum: IsSum) -> bool:
    """Whether all that becomes of loop variable `k` is that its next value is it plus something."""
    tensor = body.inputs[k]
    while tensor is not body.outputs[k]:
        readers = [op for op in body.operations for each in op.inputs if each is tensor]
        if len(readers) != 1 or not is_sum(readers[0]) or tensor in body.outputs:
            return False
        (tensor,) = readers[0].outputs
    return body.outputs.count(tensor) == 1


def _by_rows(
    operation: Operation, given: Sequence[State], is_sum: IsSum, zeros: Callable[[Tensor], bool]
) -> Distributed | Refused:
    """Each shard runs the iterations of its rows."""
    limit, operands, cond, body, variables, rows, *_ = operation.args
    if limit is not None or not cond.outputs[0].op.opdef.facts.is_constant:
        return Refused("the loop may end before its last row")
    if any(state != Along(0) for state in given[variables : variables + rows]):
        return Refused("some of its rows are cut and others are not")
    if any(isinstance(state, Along) for state in (*given[:variables], *given[variables + rows :])):
        return Refused("both its rows and what all iterations read are cut")
    for k in range(variables):
        if not (zeros(operands[k]) and _only_added_to(body, k, is_sum) and body.inputs[k] not in cond.outputs):
            return Refused(f"each iteration needs loop variable {k} of the one before")
    stacks = len(body.outputs) - variables
    total = Partial("sum")
    return Distributed((*[total] * variables, *[Along(0)] * stacks, total))


def _row_of(state: State) -> Inside:
    return Along(state.axis - 1) if isinstance(state, Along) else state


def _stack_of(state: Inside) -> Along | Partial | Whole | Sizes:
    return Along(state.axis + 1) if isinstance(state, Along) else state


def _sizes_at(states: Sequence[State]) -> frozenset[int]:
    """All inputs that are sizes: inside a body there are only the shard's."""
    return frozenset(i for i, state in enumerate(states) if state is SIZES)


_WORDS: Mapping[type, str] = {Along: "cut", Whole: "whole", Sizes: "a size", Partial: "a part of a sum"}


def _words(state: Inside) -> str:
    return _WORDS[type(state)]
