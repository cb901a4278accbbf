"""The nest of a group: its instructions traced to steps, as in `ir.scalar_ir`, with reductions between them."""

from __future__ import annotations

from typing import Any

from ...graph.declare.op_declaration import OPS
from .fused_ir import Body, Value
from .nest_ir import ELEMENT, ROW, Load, Nest, Node, RowReduction, Store
from .nest_verifier import verify_nest
from .picked_elements import REDUCE_ROW, with_picked_elements
from .scalar_ir import (
    MODULE,
    Argument,
    CannotLower,
    Literal,
    Scalar,
    ScalarStep,
    ScalarTrace,
    Traced,
    lowered,
    needed,
)
from .shaped_rows import RowKind, ShapedRows
from .tiling import Shape

_REDUCE = {ELEMENT: REDUCE_ROW, ROW: "reduce column "}
_AXES: dict[RowKind, str] = {"full": ROW + ELEMENT, "kept": ROW, "row": ROW, "column": ELEMENT}


def nest_of(body: Body, form: ShapedRows, places: int | None = None) -> Nest:
    """The nest of a body on inputs of the shapes of `form`.

    places: the number of the input that holds the places in a row, 0, 1, 2 ...; None if there is none.

    Raises:
        CannotLower: an op has no scalar form, may fail, or gives bits that depend on how the work is divided.
    """
    for failing, _ in body.failing():
        raise CannotLower(f"{failing.op} may fail for some values")
    loads = _loads(body, form)
    dtypes = tuple([load.dtype for load in loads])
    trace = ScalarTrace(dtypes)
    of_load = {load: Traced(trace, Value(k), load.dtype.np) for k, load in enumerate(loads)}
    first = len(body.inputs)
    values: list[Any] = [None] * first
    for number, instruction in enumerate(body.instructions):
        opdef = OPS[instruction.op]
        kind = _read_as(body, form, number)
        for v in instruction.operands:
            if v < first:
                values[v] = of_load[_load(body, form, v, kind)]
        if opdef.reduction is None:
            values.append(lowered(instruction, values))
            continue
        rule, operand = opdef.reduction, values[instruction.args[0]]
        total = operand.astype(rule.wide(body.dtype_of(instruction.args[0])).np)
        dtype, count = instruction.dtype, 1
        if form.kinds[number] == "column":  # what makes a result of the total is left to the launch
            values.append(trace.write(f"{_REDUCE[ROW]}{rule.ufunc.__name__}", (total.value,), total.dtype))
            continue
        if kind == "full":
            total = trace.write(f"{_REDUCE[ELEMENT]}{rule.ufunc.__name__}", (total.value,), total.dtype)
            count = form.count
        else:
            total = _alone(rule.ufunc, total)
        try:
            made = total.astype(dtype.np) if rule.finish is None else rule.finish(total, count, dtype)
        except (TypeError, AttributeError, ValueError) as error:
            raise CannotLower(f"{instruction.op}: its result does not take single numbers ({error})") from None
        values.append(made)
    outputs = tuple([_output(values[o]) for o in body.outputs])
    program = needed(Scalar(dtypes, tuple(trace.steps), outputs))
    if places is not None:
        program, loads = with_picked_elements(program, loads, places)
        program = needed(program)
    _check_powers(program, loads)
    nodes: list[Node] = [*loads]
    nodes += [_node(step) for step in program.steps]
    stores = tuple([
        Store(k, _AXES[form.kinds[o - first]], value)
        for k, (o, value) in enumerate(zip(body.outputs, program.outputs, strict=True))
    ])  # fmt: skip
    nest = Nest(tuple(nodes), stores)
    axes = nest.axes()
    if any(isinstance(node, RowReduction) and node.axis not in axes[node.value] for node in nodes):
        raise CannotLower("it reduces a value that is the same for a whole row")
    if any(isinstance(node, RowReduction) and node.axis == ROW and axes[node.value] != ROW + ELEMENT for node in nodes):
        raise CannotLower("it reduces a value that is the same for all rows")
    verify_nest(nest)
    return nest


def _alone(ufunc: Any, value: Traced) -> Traced:
    """The reduction of one element: NumPy combines it with the identity of the function, if there is one."""
    if ufunc.identity is None:
        return value
    found: Traced = getattr(MODULE, ufunc.__name__)(value, value.dtype.type(ufunc.identity))
    return found


def _output(value: Traced) -> Argument:
    return value.value


def _node(step: ScalarStep) -> Node:
    for axis, prefix in _REDUCE.items():
        if step.primitive.startswith(prefix):
            (value,) = step.args
            if isinstance(value, Literal):
                raise CannotLower("it reduces a constant")
            return RowReduction(step.primitive.removeprefix(prefix), value, axis, step.dtype)
    return step


def _read_as(body: Body, form: ShapedRows, number: int) -> RowKind:
    """As what an instruction reads its operands."""
    instruction = body.instructions[number]
    if OPS[instruction.op].reduction is None:
        return form.kinds[number]
    return "full" if form.shapes[instruction.args[0]] == form.whole else "kept"


def _loads(body: Body, form: ShapedRows) -> list[Load]:
    """Each way in which an input is read, once."""
    first = len(body.inputs)
    found: dict[Load, None] = {}
    for number, instruction in enumerate(body.instructions):
        kind = _read_as(body, form, number)
        found.update(dict.fromkeys([_load(body, form, v, kind) for v in instruction.operands if v < first]))
    return list(found)


def _load(body: Body, form: ShapedRows, operand: int, kind: RowKind) -> Load:
    shape = form.shapes[operand]
    return Load(operand, _axes_of(shape, form, kind), body.inputs[operand], len(form.shape_of(kind)))


def _axes_of(shape: Shape, form: ShapedRows, kind: RowKind) -> str:
    """The axes of an input that broadcasts to the values of a kind.

    Raises:
        CannotLower: it holds one number for some of the elements of a row, but not for all.
    """
    whole = form.shape_of(kind)
    padded = (1,) * (len(whole) - len(shape)) + shape
    outer = len(form.whole) - form.axes
    axes = ROW if any(d != 1 for d in padded[:outer]) else ""
    row, inner = padded[outer:], whole[outer:]
    if all(d == 1 for d in row):
        return axes
    if row != inner:
        raise CannotLower("an operand is broadcast within a row")
    return axes + ELEMENT


def _check_powers(program: Scalar, loads: list[Load]) -> None:
    for step in program.steps:
        if step.primitive == "power":
            exponent = step.args[1]
            if isinstance(exponent, Value) and (exponent >= len(loads) or loads[exponent].axes):
                raise CannotLower("NumPy's power gives other last bits for one exponent than for many")
