"""Sums that pick one element of a row become loads of that element.

    sum over j of where(j == label, f(x[i, j]), 0)    -->    f(x[i, label]) + 0.0

In a sparse cross entropy that is the logit of the class. The sum would compute and add a whole row of zeros. Adding 0.0
gives what a sum gives for -0.0. The caller has checked that labels are places in the row; the code reads no other
memory if they are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .fused_ir import Value
from .nest_ir import ELEMENT, ROW, Load
from .scalar_ir import Argument, Literal, Scalar, ScalarStep

REDUCE_ROW = "reduce row "
"""What the names of steps begin with that reduce rows, before they become nodes of their own."""


def with_picked_elements(program: Scalar, loads: Sequence[Load], places: int) -> tuple[Scalar, list[Load]]:
    """The program and its loads without such sums.

    Args:
        program: its inputs are the loads.
        loads: the loads.
        places: the number of the operand that holds the places in a row, 0, 1, 2 ...
    """
    first = len(loads)
    picks: dict[int, tuple[Value, int]] = {}  # the step of a sum -> what it picks, and the operand that says where
    for number, step in enumerate(program.steps):
        pick = _picked(program, loads, places, step)
        if pick is not None and all(load.at is None for load in loads):
            picks[number] = pick
    if not picks:
        return program, list(loads)
    more: dict[Load, int] = {}
    for value, at in picks.values():
        for load in _loads_behind(program, loads, value):
            more.setdefault(_picking(load, at), len(more))
    number_of: dict[Any, Argument] = {Value(k): Value(k) for k in range(first)}
    steps: list[ScalarStep] = []

    def write(primitive: str, args: Sequence[Argument], dtype: Any) -> Value:
        steps.append(ScalarStep(primitive, tuple(args), dtype))
        return Value(first + len(more) + len(steps) - 1)

    def renamed(argument: Argument, numbers: Mapping[Any, Argument]) -> Argument:
        return argument if isinstance(argument, Literal) else numbers[argument]

    for number, step in enumerate(program.steps):
        if number not in picks:
            args = [renamed(a, number_of) for a in step.args]
            number_of[Value(first + number)] = write(step.primitive, args, step.dtype)
            continue
        value, at = picks[number]
        own: dict[Any, Argument] = {}
        for each in _cone(program, loads, value):
            if each < first:
                own[each] = Value(first + more[_picking(loads[each], at)]) if ELEMENT in loads[each].axes else each
            elif _is_by_row(program, loads, each):
                own[each] = number_of[each]
            else:
                computed = program.steps[each - first]
                own[each] = write(computed.primitive, [renamed(a, own) for a in computed.args], computed.dtype)
        zero = Literal(step.dtype, step.dtype.np.type(0).tobytes())
        number_of[Value(first + number)] = write("add", (zero, own[value]), step.dtype)
    outputs = tuple([renamed(o, number_of) for o in program.outputs])
    inputs = (*program.inputs, *[load.dtype for load in more])
    return Scalar(inputs, tuple(steps), outputs), [*loads, *more]


def _picking(load: Load, at: int) -> Load:
    return Load(load.operand, ROW, load.dtype, load.rank, at)


def _picked(program: Scalar, loads: Sequence[Load], places: int, step: ScalarStep) -> tuple[Value, int] | None:
    """What a sum picks, and the operand that says where; None for any other step."""
    if step.primitive != f"{REDUCE_ROW}add" or not isinstance(step.args[0], Value):
        return None
    chosen = _step(program, step.args[0])
    if chosen is None or chosen.primitive != "where" or not step.dtype.is_floating:
        return None
    condition, value, other = chosen.args
    if not isinstance(condition, Value) or not isinstance(value, Value) or not isinstance(other, Literal):
        return None
    if any(other.data):
        return None
    compared = _step(program, condition)
    if compared is None or compared.primitive != "equal":
        return None
    ends = [_load_behind(program, loads, a) for a in compared.args]
    for here, there in (ends, ends[::-1]):
        if here is not None and there is not None and here.operand == places and here.axes == ELEMENT:
            is_whole = all(load.axes == ROW + ELEMENT for load in _loads_behind(program, loads, value))
            return (value, there.operand) if there.axes == ROW and there.dtype.is_integer and is_whole else None
    return None


def _step(program: Scalar, value: Argument) -> ScalarStep | None:
    place = int(value) - len(program.inputs) if isinstance(value, Value) else -1
    return program.steps[place] if place >= 0 else None


def _load_behind(program: Scalar, loads: Sequence[Load], value: Argument) -> Load | None:
    """The load that a value is, perhaps cast."""
    while isinstance(value, Value):
        step = _step(program, value)
        if step is None:
            return loads[value]
        if step.primitive != "astype":
            return None
        value = step.args[0]
    return None


def _is_by_row(program: Scalar, loads: Sequence[Load], value: Value) -> bool:
    """True if a value is the same for all elements of a row."""
    step = _step(program, value)
    if step is None:
        return ELEMENT not in loads[value].axes
    if step.primitive.startswith("reduce"):
        return True
    return all(_is_by_row(program, loads, a) for a in step.args if isinstance(a, Value))


def _cone(program: Scalar, loads: Sequence[Load], value: Value) -> list[Value]:
    """The values from which `value` is computed for an element, itself last; values of rows are not looked into."""
    seen: set[Value] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        step = _step(program, each)
        if step is not None and not _is_by_row(program, loads, each):
            waiting += [a for a in step.args if isinstance(a, Value)]
    return sorted(seen)


def _loads_behind(program: Scalar, loads: Sequence[Load], value: Value) -> list[Load]:
    """The loads of elements from which a value is computed."""
    behind = [loads[each] for each in _cone(program, loads, value) if each < len(loads)]
    return [load for load in behind if ELEMENT in load.axes]
