"""The steps of a plan as instructions: each step of a condition or a body in its turn.

What is known when the code is written (constants, shapes, and everything computed from them) is computed right then by
the steps' own kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...ops.checks.assertion import Assert
from ...ops.control.if_op import if_op
from ...ops.control.while_op import while_op
from ..ir.fused_ir import Body, Instruction
from ..ir.fused_ir import Value as ValueNumber
from ..ir.scalar_ir import HALVES, CannotLower
from ..planning.plan import Plan, Slot, Step, effects_of_step, returns_list
from .elementwise_steps import ElementwiseSteps
from .indexing_steps import IndexingSteps
from .loop_code import LoopCode
from .loop_values import InMemory, Known, NeedsValue, Number, Pending, Value, dense
from .movement_steps import MovementSteps, only_moves
from .nest_in_loop import copy
from .nested_steps import NestedSteps
from .product_steps import ProductSteps
from .reduction_steps import ReductionSteps
from .row_steps import RowSteps

_SUMS: Final = frozenset({"Add", "AddN"})
MOST_KNOWN: Final = 1 << 16
"""The most elements of a result that is computed while code is written."""


class BodyWriter:
    """Writes the steps of plans into one function."""

    def __init__(self, code: LoopCode) -> None:
        self.code = code
        self._scopes: list[dict[Any, Value]] = []
        self.kept: list[Value] = []  # values that outlive the scopes: loop variables, results of bodies
        self._place = ""  # where the result of the step that is being written has to lie in the end
        self.elements = ElementwiseSteps(code, self._live)
        self._movement = MovementSteps(code, self.elements)
        self._reductions = ReductionSteps(code, self.elements)
        self._products = ProductSteps(code, self.elements)
        self._rows = RowSteps(self._instructions, self._reshaped)
        self._nested = NestedSteps(code, self.elements, self.results, self.put, self._scopes)
        indexing = IndexingSteps(code, self.elements).rules()
        self._rules: dict[str, Callable[..., Value]] = {
            **indexing,
            "MatMul": lambda *args: self._products.matmul(self._place, *args),
            "AddN": self._add_n,
            "ArgMax": self._reductions.argmax,
            "ArgMin": self._reductions.argmin,
            "BiasAdd": lambda value, bias: self.elements.result("Add", (value, bias), value.dtype),
            "IdentityAfter": lambda value, after: value,
        }

    def _live(self) -> Iterator[Value]:
        for scope in self._scopes:
            yield from scope.values()
        yield from self.kept

    # ---- plans ------------------------------------------------------------------------------

    def results(
        self, plan: Plan, feeds: Sequence[Value], targets: Mapping[int, str] | None = None
    ) -> list[Value]:
        """The fetches of a plan on these feeds.

        targets: for slots the address where their value has to lie in the end.

        Raises:
            CannotLower: a step has no compiled form here.
        """
        if plan.equations or plan.pinned or plan.state:
            raise CannotLower("its shapes have claims that each iteration checks" if not plan.state else "it has state")
        scope: dict[Any, Value] = {int(slot): value for (_, slot), value in zip(plan.feeds, feeds, strict=True)}
        for slot, array, device in plan.constants:
            if device != "cpu":
                raise CannotLower("a constant lies on another device")
            scope[int(slot)] = Known(np.asarray(array))
        self._scopes.append(scope)
        fetched, places = set(map(int, plan.fetches)), targets or {}
        joined: set[int] = set()  # positions of steps that are written with an earlier one
        for position, step in enumerate(plan.steps):
            if position not in joined:
                self.code.text.step(step)
                together = self._summed(plan, position, scope, fetched, places)
                joined.update(together)
                for each in together[1:]:
                    self.code.text.step(plan.steps[each])
                if not together:
                    self._place = places.get(int(step.outputs[0]), "") if len(step.outputs) == 1 else ""
                    self._step(step, scope)
                    self._place = ""
                self.code.pause()
                for slot in [slot for slot in step.outputs if int(slot) in places and int(slot) in scope]:
                    self._aim(scope[int(slot)], places[int(slot)])
            for slot in step.frees:
                if int(slot) not in fetched:
                    scope.pop(int(slot), None)
        self._scopes.pop()
        return [scope[int(slot)] for slot in plan.fetches]

    def _summed(
        self, plan: Plan, position: int, scope: dict[Any, Value], fetched: set[int], places: Mapping[int, str]
    ) -> Sequence[int]:
        """Write a product, what a later step adds to it, and a split of the sum's columns, if these become one call.

        Returns the positions of the steps that are written.
        """
        product = plan.steps[position]
        if product.op != "MatMul" or product.kernel is not None:
            return ()
        at = _reader(plan, position, fetched)
        if at is None or plan.steps[at].op not in _SUMS or len(plan.steps[at].inputs) != 2:
            return ()
        then = plan.steps[at]
        (other,) = [slot for slot in then.inputs if slot != product.outputs[0]]
        if int(other) not in scope:  # a step between them computes it
            return ()
        ways: list[tuple[tuple[int, ...], int]] = [((position, at), 1)]
        split_at = _reader(plan, at, fetched)
        if split_at is not None and plan.steps[split_at].op == "Split":
            axis, parts = [_filled(arg, scope) for arg in plan.steps[split_at].args[:2]]
            if isinstance(axis, Known) and axis.array.tolist() in (1, -1):
                ways.insert(0, ((position, at, split_at), parts))
        operands = [_filled(arg, scope) for arg in product.args]
        for steps, columns in ways:
            outputs = plan.steps[steps[-1]].outputs
            place = places.get(int(outputs[0]), "") if columns == 1 else ""
            try:
                made = self._products.matmul_plus(place, columns, scope[int(other)], *operands)
            except CannotLower:
                return ()  # `_step` tells it, with the name of the step
            if made is not None:
                scope.update(zip(map(int, outputs), made, strict=True))
                return steps
        return ()

    def _step(self, step: Step, scope: dict[Any, Value]) -> None:
        if step.kernel is not None or step.device != "cpu" or step.op not in OPS or OPS[step.op].calls_user_code:
            raise CannotLower(f"{step.op} ({step.node}) is run by another kernel")
        args = [_filled(arg, scope) for arg in step.args]
        try:
            made = self._made(step, args)
        except CannotLower as error:
            raise type(error)(f"{step.op} ({step.node}): {error}") from None
        for slot, dtype, value in zip(step.outputs, step.dtypes, made, strict=True):
            if value.dtype is not dtype:
                raise CannotLower(f"{step.op} ({step.node}) makes {value.dtype.name}, not {dtype.name}")
            scope[int(slot)] = value

    def _made(self, step: Step, args: list[Any]) -> list[Value]:
        body = args[-1] if args else None
        if isinstance(body, Body):
            return self._instructions(body, args[0])
        opdef = OPS[step.op]
        if not effects_of_step(step).is_pure:
            raise CannotLower("it has an effect, or reads a variable")
        if opdef.bodies:
            if step.op == if_op.type:
                return self._nested.branches(*args)
            if step.op == while_op.type:
                return self._nested.loop(*args)
            raise CannotLower("it holds a graph")
        known = self._known(step, args)
        if known is not None:
            return known
        return self._by_rule(step.op, args, step.dtypes)

    def _by_rule(self, op: str, args: list[Any], dtypes: Sequence[Any]) -> list[Value]:
        opdef = OPS[op]
        if opdef.facts.elementwise and opdef.is_tensorwise and opdef.type != "Select":
            return [self.elements.result(op, args, dtypes[0])]
        if op == "Select":
            return [self._select(args, dtypes[0])]
        if opdef.reduction is not None:
            return [self._reductions.result(op, args, dtypes[0])]
        rule = self._rules.get(op)
        if only_moves(opdef):
            try:
                return self._movement.results(op, args, self._place)
            except NeedsValue:
                if rule is None:
                    raise
        if op == Assert.type:
            return self._checked(args[0])
        if rule is not None:
            return [rule(*args)]
        if opdef.row_rule is not None:
            return self._rows.results(op, args)
        raise CannotLower("it has no compiled form in loops")

    def _known(self, step: Step, args: list[Any]) -> list[Value] | None:
        """The results if they do not depend on a value that changes; shapes are known."""
        opdef = OPS[step.op]
        if not step.outputs or (opdef.facts.elementwise and any(d in HALVES for d in step.dtypes)):
            return None  # the kernel of an op on 16-bit floats is not its definition
        given = args
        if opdef.facts.reads_shape_only or opdef.facts.fills:
            given = [_stand_in(arg) for arg in args]
        plain = [_array(arg) for arg in given]
        if any(arg is _UNKNOWN for arg in plain):
            return None
        made = opdef.kernels["*"](np, *plain)
        results = list(made) if returns_list(step) else [made]
        arrays = [np.asarray(r, d.np) for r, d in zip(results, step.dtypes, strict=True)]
        if any(a.size > MOST_KNOWN or a.dtype == object for a in arrays):
            raise CannotLower("a constant is large, or a string")
        return [Known(a) for a in arrays]

    # ---- groups -----------------------------------------------------------------------------

    def _instructions(self, body: Body, inputs: Sequence[Value]) -> list[Value]:
        values: dict[Any, Value] = dict(enumerate(inputs))
        self._scopes.append(values)
        last = _last_uses(body)
        for number, instruction in enumerate(body.instructions, len(body.inputs)):
            values[number] = self._instruction(instruction, values)
            for unused in last.get(number, ()):
                values.pop(unused, None)
        self._scopes.pop()
        return [values[int(o)] for o in body.outputs]

    def _instruction(self, instruction: Instruction, values: dict[Any, Value]) -> Value:
        args = [values[int(a)] if isinstance(a, ValueNumber) else a for a in instruction.args]
        opdef = OPS[instruction.op]
        if opdef.facts.fills:  # zeros like a value of the group
            array = np.asarray(opdef.kernels["*"](np, *[_array(_stand_in(arg)) for arg in args]), instruction.dtype.np)
            if array.size <= MOST_KNOWN:
                return Known(array)
        return self._by_rule(instruction.op, args, [instruction.dtype])[0]

    def _checked(self, condition: Value) -> list[Value]:
        """An assertion: the plain path runs an iteration in which it fails, and words the error."""
        flag = self.elements.number(condition)
        self.code.bail_if(self.code.do(f"xor i1 {flag.operand}, true"))
        return []

    # ---- ops with arguments in another form -------------------------------------------------

    def _add_n(self, inputs: Sequence[Value]) -> Value:
        total = inputs[0]
        for each in inputs[1:]:
            if each.shape != total.shape:
                raise CannotLower("its operands have several shapes")
            total = self.elements.result("Add", (total, each), total.dtype)
        return total

    def _select(self, args: Sequence[Any], dtype: Any) -> Value:
        condition, t, e = args
        if t.shape != e.shape:
            raise CannotLower("its values have two shapes")
        if condition.shape not in ((), t.shape):
            if len(condition.shape) != 1 or condition.shape != t.shape[:1]:
                raise CannotLower("its condition does not fit")
            condition = self._reshaped(condition, (*condition.shape, *[1] * (len(t.shape) - 1)))
        return self.elements.result("Select", (condition, t, e), dtype)

    def _reshaped(self, value: Value, sizes: Sequence[int]) -> Value:
        return self._movement.results("Reshape", [value, Known(np.array(sizes, np.int32))])[0]

    # ---- results of a body ------------------------------------------------------------------

    def put(self, value: Value, pointer: str) -> None:
        """Store a value at an address, row-major."""
        code = self.code
        if isinstance(value, Number):
            code.store(value.dtype, value.operand, pointer)
            return
        if isinstance(value, Known) and value.array.size == 1:
            self.put(self.elements.number(value), pointer)
            return
        block = self.elements.block(value)
        if block.pointer == pointer:
            return
        copy(code, dense(block.dtype, block.shape, pointer), block)

    @staticmethod
    def _aim(value: Value, pointer: str) -> None:
        """Let the loop that computes `value` write it to `pointer`."""
        if isinstance(value, Pending) and value.block is None and not value.place:
            value.place = pointer


def _reader(plan: Plan, position: int, fetched: set[int]) -> int | None:
    """The position of the one step that reads the one result of another, once; None if it has other readers."""
    (result,) = plan.steps[position].outputs
    readers = [k for k, step in enumerate(plan.steps[position:], position) if result in step.inputs]
    if len(readers) != 1 or int(result) in fetched:
        return None
    step = plan.steps[readers[0]]
    return readers[0] if step.kernel is None and step.inputs.count(result) == 1 else None


_UNKNOWN = object()


def _array(arg: Any) -> Any:
    if isinstance(arg, Known):
        return arg.array
    if isinstance(arg, (Number, InMemory, Pending)):
        return _UNKNOWN
    if isinstance(arg, tuple):
        found = [_array(each) for each in arg]
        return _UNKNOWN if any(each is _UNKNOWN for each in found) else found
    return arg


def _stand_in(arg: Any) -> Any:
    """A value of the same shape, for ops that read nothing else."""
    return Known(np.zeros(arg.shape, arg.dtype.np)) if isinstance(arg, (Number, InMemory, Pending)) else arg


def _filled(arg: Any, scope: dict[Any, Value]) -> Any:
    if isinstance(arg, Slot):
        return scope[int(arg)]
    return tuple([_filled(each, scope) for each in arg]) if isinstance(arg, tuple) else arg


def _last_uses(body: Body) -> dict[int, list[int]]:
    """For each instruction the values that no later one reads and that are no results."""
    last: dict[int, int] = {}
    for number, instruction in enumerate(body.instructions, len(body.inputs)):
        for value in instruction.operands:
            last[int(value)] = number
    outputs = set(map(int, body.outputs))
    found: dict[int, list[int]] = {}
    for read, number in last.items():
        if read not in outputs:
            found.setdefault(number, []).append(read)
    return found

