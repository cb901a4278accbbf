"""Composition of fused groups: the body of a group whose operand another group computes."""

from __future__ import annotations

from typing import Any

from .fused_ir import Body, Instruction, Value


def composed(inner: Body, outer: Body, at: int) -> Body:
    """`outer` with its input number `at` computed by `inner`, which has one result.

    The inputs are those of `outer` but that one, and then those of `inner`. Every element is computed as before.
    """
    others = len(outer.inputs) - 1
    inputs = (*outer.inputs[:at], *outer.inputs[at + 1 :], *inner.inputs)
    of_inner = [others + i for i in range(len(inner.inputs))]
    of_inner += [len(inputs) + i for i in range(len(inner.instructions))]
    of_outer = [i - (i > at) for i in range(len(outer.inputs))]
    of_outer[at] = of_inner[inner.outputs[0]]
    of_outer += [len(inputs) + len(inner.instructions) + i for i in range(len(outer.instructions))]
    instructions = [_renumbered(each, of_inner) for each in inner.instructions]
    instructions += [_renumbered(each, of_outer) for each in outer.instructions]
    return Body(inputs, tuple(instructions), tuple([Value(of_outer[o]) for o in outer.outputs]))


def _renumbered(instruction: Instruction, numbers: list[int]) -> Instruction:
    args: tuple[Any, ...] = tuple([Value(numbers[a]) if isinstance(a, Value) else a for a in instruction.args])
    return instruction._replace(args=args)
