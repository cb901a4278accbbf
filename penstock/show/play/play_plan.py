"""A plan as data for the play page, whose interpreter runs it.

    {"slots": [{"dtype": "float32", "shape": [null, 3]}], "feeds": [["x:0", 0]], "state": [["v", "value", 1]],
     "constants": [[2, TENSOR]], "steps": [{"op": "Add", "node": "add", "args": [{"t": 0}, {"t": 2}], "out": [3],
     "frees": [0], "after": []}], "fetches": [3], "written": [["v", 3]]}

An argument is `{"t": slot}`, `{"ts": [slots]}`, `{"plan": PLAN}`, `{"body": BODY}`, `{"dtype": "int32"}`,
`{"tensor": TENSOR}` or `{"v": JSON}`. A step that the page cannot run has `"given"`, which says why: it shows the
values that Python recorded, or `"lacks"`, how it failed there; `"anew"` if another run may give other ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dimension import Dim, Dimension
from ...runtime.ir.fused_ir import Body, Instruction, Value
from ...runtime.planning.plan import Plan, Slot, SlotInfo, Step, is_operand
from .play_scripts import play_kernels
from .play_values import NoPageFormError, attribute_data, tensor_data


def plan_data(plan: Plan) -> dict[str, Any]:
    """The plan as data.

    Raises:
        NoPageFormError: a constant of it has no form on a page.
    """
    count = len(plan.user_feeds)
    return {
        "slots": [_slot(info) for info in plan.slots],
        "feeds": [[name, int(slot)] for name, slot in plan.user_feeds],
        "state": [
            [each.resource, each.kind, int(slot)]
            for each, (_, slot) in zip(plan.state, plan.feeds[count:], strict=True)
        ],
        "constants": [[int(slot), tensor_data(array)] for slot, array, _ in plan.constants],
        "steps": list(_steps(plan)),
        "fetches": [int(slot) for slot in plan.user_fetches],
        "written": [
            [name, int(slot)]
            for name, slot in zip(plan.written, plan.fetches[len(plan.user_fetches) :], strict=True)
        ],
    }  # fmt: skip


def why_not_run(plan: Plan, step: Step) -> str:
    """Why the page cannot run a step; "" if it can."""
    if step.kernel is not None:
        return "its kernel was replaced"
    if step.op not in play_kernels():
        return f"no kernel for {step.op}"
    parameters = OPS[step.op].parameters if step.op in OPS else ()
    if any(name.endswith("_file") and arg for name, arg in zip(parameters, step.args, strict=False)):
        return "it reads a file"
    inside = next((found for arg in step.args if (found := _why_not_inside(arg))), "")
    if inside:
        return f"inside: {inside}"
    try:
        for arg in step.args:
            _argument(arg)
    except NoPageFormError as error:
        return str(error)
    return ""


def _why_not_inside(arg: Any) -> str:
    if isinstance(arg, Plan):
        return next((found for step in arg.steps if (found := why_not_run(arg, step))), "")
    if isinstance(arg, Body):
        return next((f"no kernel for {each.op}" for each in arg.instructions if each.op not in play_kernels()), "")
    return ""


def numbers_in(data: Any) -> int:
    """How many elements of tensors the data hold."""
    if isinstance(data, dict):
        if isinstance(data.get("data"), list) and "dtype" in data:
            return len(data["data"])
        return sum(map(numbers_in, data.values()))
    return sum(map(numbers_in, data)) if isinstance(data, list) else 0


def plans_inside(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The plans inside the steps of a plan, in the order in which a walk through steps and arguments meets them."""
    for step in data["steps"]:
        for arg in step["args"]:
            if "plan" in arg:
                yield arg["plan"]
                yield from plans_inside(arg["plan"])


def ops_in(data: dict[str, Any]) -> Iterator[str]:
    """The types of the ops that a page computes for a plan, those in bodies and fused groups included."""
    for step in data["steps"]:
        if "given" in step:
            continue
        yield step["op"]
        for arg in step["args"]:
            if "plan" in arg:
                yield from ops_in(arg["plan"])
            elif "body" in arg:
                yield from (each["op"] for each in arg["body"]["instructions"])


def _slot(info: SlotInfo) -> dict[str, Any]:
    sizes = None if info.shape is None else [size if isinstance(size, int) else None for size in info.shape]
    return {"dtype": info.dtype.name, "shape": sizes}


def _steps(plan: Plan) -> Iterator[dict[str, Any]]:
    lost: set[Slot] = set()  # TensorArrays that only Python has: no page can hold them
    for step in plan.steps:
        reason = why_not_run(plan, step)
        if not reason and not lost.isdisjoint(step.inputs):
            reason = "it takes a TensorArray that the page does not compute"
        if reason:
            lost.update([slot for slot in step.outputs if plan.slots[slot].dtype.is_variant])
        yield _step(step, reason)


def _step(step: Step, reason: str) -> dict[str, Any]:
    row: dict[str, Any] = {"op": step.op, "node": step.node}
    if reason:
        row["given"] = reason
        if (opdef := OPS.get(step.op)) is not None and not opdef.is_pure:
            row["anew"] = 1
        row["args"] = [_operand(arg) for arg in step.args if is_operand(arg)]
    else:
        row["args"] = [_argument(arg) for arg in step.args]
    row["out"] = [int(slot) for slot in step.outputs]
    if step.frees:
        row["frees"] = [int(slot) for slot in step.frees]
    if step.after:
        row["after"] = list(step.after)
    return row


def _result_shapes(plan: Plan) -> list[list[Any] | None]:
    """The shape of each result of a body before it has run; None where only a run can find it.

    A size is an int, or [size, [times, feed, axis], ...], the parts of a sum.
    """
    places: dict[Any, tuple[int, int]] = {}
    for number, (_, slot) in enumerate(plan.feeds):
        for axis, size in enumerate(plan.slots[slot].shape or ()):
            if isinstance(size, Dimension) and size.const == 0 and [count for _, count in size.terms] == [1]:
                places.setdefault(size.terms[0][0], (number, axis))

    def known(size: Dim) -> Any:
        if isinstance(size, int):
            return size
        return [size.const, *([count, *places[symbol]] for symbol, count in size.terms)]

    found: list[list[Any] | None] = []
    for slot in plan.fetches:
        shape = plan.slots[slot].shape
        is_known = shape is not None and all(
            isinstance(size, int) or all(symbol in places for symbol, _ in size.terms) for size in shape
        )
        found.append([known(size) for size in shape or ()] if is_known else None)
    return found


def _operand(arg: Any) -> dict[str, Any]:
    return {"t": int(arg)} if isinstance(arg, Slot) else {"ts": [int(slot) for slot in arg]}


def _argument(arg: Any) -> dict[str, Any]:
    if is_operand(arg):
        return _operand(arg)
    if isinstance(arg, Plan):
        return {"plan": {**plan_data(arg), "results": _result_shapes(arg)}}
    if isinstance(arg, Body):
        return {"body": _body(arg)}
    return _attribute(arg)


def _attribute(arg: Any) -> dict[str, Any]:
    made = attribute_data(arg)
    if isinstance(made, dict) and ("dtype" in made or "tensor" in made):
        return made
    return {"v": made}


def _body(body: Body) -> dict[str, Any]:
    return {
        "inputs": [dtype.name for dtype in body.inputs],
        "instructions": [_instruction(each) for each in body.instructions],
        "outputs": [int(value) for value in body.outputs],
    }


def _instruction(each: Instruction) -> dict[str, Any]:
    args = [{"val": int(arg)} if isinstance(arg, Value) else _attribute(arg) for arg in each.args]
    return {"op": each.op, "node": each.node, "dtype": each.dtype.name, "args": args}
