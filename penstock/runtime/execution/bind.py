"""Binding: each step of a plan becomes a kernel over its input arrays.

A bound kernel inserts attribute values among the operands, returns arrays, and checks the claims of `set_shape`. The
executor then only walks a list of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ...errors import InvalidArgumentError, UseError
from ...graph.declare.op_declaration import OPS, OpDef
from ...graph.model.nodes import Operation
from ...graph.shapes.shape import TensorShape
from ...ops.control.while_op import while_op
from ...ops.text.printing import Print
from ..backends import HOST, Backend, find_backend, missing_reason
from ..base.pending_writes import PendingWrites
from ..compiled.promoted_group import PromotedGroup
from ..compiled.single_op import promotable
from ..compiled.tile_passes import Over
from ..compiled.tiny_groups import TinyGroup
from ..ir.fused_ir import LARGEST, Body, fused
from ..ir.kernel_protocol import Kernel, RunContext, SessionRef
from ..kernels.fast_kernels import FAST
from ..kernels.kernel_choice import kernel_of, rule_kernel_of
from ..loops.promoted_loop import bind_while
from ..nest.row_group import RowGroup
from ..nest.row_op import RowOp
from ..nest.tail_group import TailGroup
from ..numpy.writers import as_array, single_op_kernel
from ..planning.pinned_shapes import Claims
from ..planning.plan import Plan, Slot, SlotInfo, Step, returns_list
from ..planning.planner import TO_DEVICE, TO_HOST
from .kernel_wrappers import (
    with_arguments,
    with_claims,
    with_dtypes,
    with_normal_bools,
    without_undeclared_sharing,
)
from .promised_results import with_promises
from .session_kernels import dataset_kernel, drawing_kernel, limited, object_kernel

Call = Callable[..., Any]


class BoundStep(NamedTuple):
    """A step that is ready to run.

    Attributes:
        call: the kernel's call.
        inputs: the slots it reads; the last one of a step that may update a variable in place holds the
            `PendingWrites` of the run.
        output: the slot (an int) or the slots it writes.
        frees: the slots that are dropped after it; the program keeps its constants.
        into: the kernel's `into`; None if the kernel allocates its own memory.
        take: gives the tuple of the values in `inputs` (80 ns; a comprehension takes 200); None for fewer than two.
        kernel: the kernel.
    """

    call: Call
    inputs: tuple[Slot, ...]
    output: Any
    frees: tuple[Slot, ...]
    into: Call | None
    take: Callable[[list[Any]], tuple[Any, ...]] | None
    kernel: Kernel


def _bind_group(inputs: Sequence[Any], body: Body, over: Over = ()) -> Kernel:
    if len(body.instructions) > LARGEST:
        return TinyGroup(body).kernel
    if body.is_nest:
        return RowGroup(body).kernel
    ends = any(OPS[instruction.op].reduction is not None for instruction in body.instructions)
    return (TailGroup if ends else PromotedGroup)(body, over=over).kernel


class SharedGroups:
    """The kernels of the fused groups of a plan: one for all steps that compute the same from the same shapes.

    An unrolled loop has a step for each iteration. Together they are compiled as soon as the time of all pays for it.
    """

    def __init__(self, plan: Plan) -> None:
        self._slots = plan.slots
        self._kernels: dict[Any, Kernel] = {}

    def kernel(self, step: Step) -> Kernel:
        """The kernel of a fused step."""
        inputs, body = step.args
        over = tuple([() if slot is None else (inputs.index(slot),) for slot in step.over])
        if len(body.instructions) > LARGEST:
            return _bind_group(inputs, body)
        # The texts tell 0.0 from -0.0, and 1 from True.
        what = [(i.op, i.args, i.dtype, "") if i.operands is i.args else (i.op, (), i.dtype, _text_of(i.args))
                for i in body.instructions]  # fmt: skip
        key = body.inputs, tuple(what), body.outputs, tuple([self._slots[slot].shape for slot in inputs]), over
        try:
            found = self._kernels.get(key)
        except TypeError:  # an argument that cannot be hashed
            return _bind_group(inputs, body, over)
        if found is None:
            found = self._kernels[key] = _bind_group(inputs, body, over)
        return found


def _text_of(args: tuple[Any, ...]) -> str:
    """A text that tells arguments apart; axes of reductions are small arrays."""
    return repr([(str(a.dtype), a.tolist()) if isinstance(a, np.ndarray) else a for a in args])


def _bind_print(*args: Any) -> Kernel:
    return limited(with_arguments(Print.kernels["*"], np, args), args[Print.parameters.index("first_n")])


BINDERS: dict[str, Callable[..., Kernel]] = {
    fused.type: _bind_group,
    Print.type: _bind_print,
    while_op.type: bind_while,
}
"""Op type -> function that makes the host kernel of a step from its arguments, once per plan."""


def backend_for(name: str) -> Backend:
    """The backend that a plan names; InvalidArgumentError if it is not available."""
    found = HOST if name == HOST.name else find_backend(name)
    if found is None:
        raise InvalidArgumentError(message=f"the plan needs the device {name!r}, but {missing_reason(name)}")
    return found


def bind_step(
    step: Step,
    pinned: Claims,
    constants: dict[Slot, Any],
    session: SessionRef = None,
    inner: Callable[[Plan], Call] | None = None,
    slots: Sequence[SlotInfo] = (),
    groups: SharedGroups | None = None,
) -> BoundStep:
    """A step that is ready to run.

    Args:
        step: the step.
        pinned: the claims of `set_shape` about slots.
        constants: the values of constant slots, which need not be passed in each run.
        session: the session of the program.
        inner: makes the function that runs a graph inside the op.
        slots: what the plan knows of the values in slots.
        groups: the kernels of fused groups of the plan.
    """
    backend = backend_for(step.device)
    inputs = step.inputs
    if step.op == TO_HOST:
        kernel = Kernel(backend.to_host)
    elif step.op == TO_DEVICE:
        kernel = Kernel(backend.from_host)
    else:
        ready = step if inner is None else _with_bodies(step, inner)
        kernel = _kernel(ready, backend, groups)
        if kernel.in_context is not None:
            kernel = kernel.bound(RunContext(backend, step.node, session))
        if kernel.with_constants is not None:  # the kernel keeps the constants
            kernel = kernel.with_constants({i: constants[slot] for i, slot in enumerate(inputs) if slot in constants})
            inputs = tuple([slot for slot in inputs if slot not in constants])
        is_from_outside = backend is HOST and not is_trusted(step)
        if is_from_outside and slots:
            kernel = with_promises(kernel, step, _promised(step, slots, pinned), [slots[slot].shape for slot in inputs])
        kernel = _normalised(kernel, step, backend)
        if is_from_outside:
            kernel = without_undeclared_sharing(kernel, step)
            if any(d.is_bool for d in step.dtypes):
                kernel = with_normal_bools(kernel)
    claims = {i: pinned[slot] for i, slot in enumerate(step.outputs) if slot in pinned}
    if claims:
        witnesses = tuple(dict.fromkeys([w for claim in claims.values() for w in claim.witnesses]))
        kernel = with_claims(kernel, claims, witnesses)
        inputs = (*inputs, *[w.slot for w in witnesses])
    # A plain int marks the common case of one output: one class test in the loop.
    output = int(step.outputs[0]) if len(step.outputs) == 1 else step.outputs
    if len(step.outputs) == 1 and returns_list(step):
        kernel = _only(kernel)
    if step.over and kernel.over is not None and inputs == step.inputs and slots:
        kernel = _over(kernel, step, isinstance(output, int))
        inputs = (*inputs, Slot(len(slots)))
    frees = tuple([s for s in step.frees if s not in constants])
    return BoundStep(kernel.call, inputs, output, frees, kernel.into, _taker(inputs), kernel)


def joined_step(
    call: Call, inputs: Sequence[Slot], outputs: Any, steps: Sequence[BoundStep], inside: Collection[Slot] = (),
    into: Call | None = None,
) -> BoundStep:  # fmt: skip
    """Several steps as one.

    Args:
        call: what computes them.
        inputs: the slots it reads.
        outputs: the slots it writes; one that is not in a tuple if `call` gives no list.
        steps: the steps.
        inside: the slots that only these steps read and write.
        into: see `BoundStep`.
    """
    frees = tuple(dict.fromkeys([slot for each in steps for slot in each.frees if slot not in inside]))
    return BoundStep(call, tuple(inputs), outputs, frees, into, _taker(inputs), Kernel(call))


def _taker(slots: Sequence[Slot]) -> Callable[[list[Any]], tuple[Any, ...]] | None:
    return itemgetter(*map(int, slots)) if len(slots) > 1 else None


def only_call(
    steps: Sequence[BoundStep], feeds: tuple[int, ...], fetches: tuple[int, ...], constants: Mapping[Slot, Any]
) -> Callable[[Sequence[Any]], list[Any]] | None:
    """A run as one call on the feeds; None unless its one step is on feeds and constants, and gives what is fetched."""
    if len(steps) != 1:
        return None
    step = steps[0]
    has_many = isinstance(step.output, tuple) and fetches == step.output
    if not has_many and fetches != (step.output,):
        return None
    call, inputs = step.call, tuple(map(int, step.inputs))
    if inputs == feeds:
        # A list of the caller's own: kernels return tuples, or lists that they keep.
        return (lambda arrays: [*call(*arrays)]) if has_many else lambda arrays: [call(*arrays)]
    fixed = {int(slot): array for slot, array in constants.items() if slot in inputs}
    places = {slot: i for i, slot in enumerate((*feeds, *fixed))}
    if not inputs or not places.keys() >= set(inputs):
        return None
    at, rest = [places[slot] for slot in inputs], tuple(fixed.values())
    pick: Callable[[Any], Any] = itemgetter(*at) if len(at) > 1 else itemgetter(slice(at[0], at[0] + 1))
    if not rest:
        return (lambda arrays: [*call(*pick(arrays))]) if has_many else lambda arrays: [call(*pick(arrays))]
    if has_many:
        return lambda arrays: [*call(*pick((*arrays, *rest)))]
    return lambda arrays: [call(*pick((*arrays, *rest)))]


def _promised(step: Step, slots: Sequence[SlotInfo], pinned: Claims) -> list[TensorShape]:
    """What the shape rule knows of the results; nothing where `set_shape` claims more, which is checked as that."""
    return [TensorShape(None if slot in pinned else slots[slot].shape) for slot in step.outputs]


def _with_bodies(step: Step, inner: Callable[[Plan], Call]) -> Step:
    """The step with each plan among its arguments replaced by a function of arrays."""
    places = OPS[step.op].bodies
    if not places or not any(isinstance(step.args[i], Plan) for i in places):
        return step
    made = [inner(arg) if i in places and isinstance(arg, Plan) else arg for i, arg in enumerate(step.args)]
    return replace(step, args=tuple(made))


def _over(kernel: Kernel, step: Step, is_one: bool) -> Kernel:
    """The kernel of a step that is to write results over operands; without `PendingWrites` it does not."""
    assert kernel.over is not None  # the caller checked
    over, call = kernel.over, kernel.call
    at = [None if slot is None else step.inputs.index(slot) for slot in step.over]
    only = at[0] or 0  # of a step with one result

    def several(*arrays: Any) -> Any:
        *operands, writes = arrays
        if writes is None:
            return call(*operands)
        return over(writes, [None if i is None else arrays[i] for i in at], *operands)

    def one(*arrays: Any) -> Any:
        writes = arrays[-1]
        if writes is None:
            return call(*arrays[:-1])
        return over(writes, (arrays[only],), *arrays[:-1])[0]

    return replace(kernel.around(one if is_one else several), native=kernel.native)


def _only(kernel: Kernel) -> Kernel:
    """The kernel of a step with one result, which it returns without a list."""
    call = kernel.call

    def one(*arrays: Any) -> Any:
        return call(*arrays)[0]

    return _called(kernel, kernel.only or one)


def _called(kernel: Kernel, call: Call) -> Kernel:
    """The kernel with another form of its call."""
    return Kernel(call, kernel.into, tier=kernel.tier, over=kernel.over, native=kernel.native, writer=kernel.writer)


def host_call(step: Step) -> Call:
    """The function of the input arrays that runs a step on the host."""
    return _kernel(step, HOST).bound(RunContext(HOST, step.node)).call


def kernel_for(op: Operation) -> Call:
    """The function of the input arrays that a run would call for `op` on the host; it gives the same bits."""
    numbers = map(Slot, count())
    args = list(op.args)
    for position, _, operand in op.opdef.operands:
        if args[position] is not None:
            args[position] = tuple([next(numbers) for _ in args[position]]) if operand.many else next(numbers)
    outputs = tuple([next(numbers) for _ in op.outputs])
    return host_call(Step(op.type, op.name, tuple(args), outputs, tuple([t.dtype for t in op.outputs])))


def _kernel(step: Step, backend: Backend, groups: SharedGroups | None = None) -> Kernel:
    """The kernel of a step as a function of the input arrays."""
    xp = backend.xp
    opdef = OPS[step.op]
    own = {"cpu": "numpy", "gpu": "cupy"}.get(backend.name, backend.name)
    binder = BINDERS.get(step.op)
    if binder is not None and backend is HOST and step.kernel is None:
        return binder(*step.args) if groups is None or step.op != fused.type else groups.kernel(step)
    if step.over and opdef.prepared_rule is not None:
        over = _over_rows(rule_kernel_of(opdef, "prepared"), xp, step)
        return Kernel(_plain_kernel(step, backend, opdef, own).call, over=over)
    if step.donor is not None and opdef.in_place_rule is not None:
        return Kernel(_in_place(rule_kernel_of(opdef, "in place"), kernel_of(opdef, own), xp, step))
    if opdef.facts.of_session:
        return object_kernel(step, step.kernel or kernel_of(opdef, own), xp)
    if opdef.draws_rule is not None:
        return drawing_kernel(step, opdef, step.kernel or kernel_of(opdef, own), xp)
    kernel = _plain_kernel(step, backend, opdef, own)
    if opdef.facts.makes_dataset:
        return dataset_kernel(kernel.call)
    if backend is HOST and step.kernel is None and opdef.row_rule is not None:
        return RowOp(opdef, [None if isinstance(arg, Slot) else arg for arg in step.args], kernel).kernel
    if backend is not HOST or step.kernel is not None or not opdef.facts.elementwise or not opdef.is_plain:
        return kernel
    return promotable(opdef, step.dtypes[0], kernel)


def _plain_kernel(step: Step, backend: Backend, opdef: OpDef[Any, Any], own: str) -> Kernel:
    xp = backend.xp
    if "*" not in opdef.kernels:
        raise UseError(f"the op {opdef.type!r} has no kernel; its declaration needs a function under @....kernel")
    has_choice = own in opdef.kernels or opdef.type in FAST.get(own, ())
    kernel = step.kernel or (kernel_of(opdef, own) if has_choice else opdef.kernels["*"])
    ufunc = None if step.kernel is not None or own in opdef.kernels else opdef.facts.ufunc
    if ufunc is not None and all(isinstance(arg, Slot) for arg in step.args):
        if backend is HOST and not step.dtypes[0].is_string:
            return single_op_kernel(opdef, step.dtypes[0])
        return Kernel(getattr(xp, ufunc))
    return Kernel(with_arguments(kernel, xp, step.args))


def _in_place(rule: Call, kernel: Call, xp: Any, step: Step) -> Call:
    """The in-place rule if the donor is writable and contiguous, else the copying kernel."""
    at = step.inputs.index(step.donor) if step.donor is not None else 0
    changing, copying = with_arguments(rule, xp, step.args), with_arguments(kernel, xp, step.args)

    def call(*arrays: Any) -> Any:
        flags = arrays[at].flags
        return (changing if flags.writeable and flags.c_contiguous else copying)(*arrays)

    return call


def _over_rows(rule: Call, xp: Any, step: Step) -> Call:
    """`Kernel.over` of an op that changes some rows of its operand."""
    at = step.inputs.index(step.over[0]) if step.over[0] is not None else 0
    plain = _plain_kernel(step, HOST, OPS[step.op], "numpy").call
    prepare = with_arguments(rule, xp, step.args)

    def over(writes: PendingWrites, places: Sequence[Any], *arrays: Any) -> list[Any]:
        flags = arrays[at].flags
        if flags.writeable and flags.c_contiguous:
            write = prepare(*arrays)
            if write is None:
                return [arrays[at]]
            if writes.may_add(write.seconds):
                writes.calls.append(write.call)
                return [arrays[at]]
        return [plain(*arrays)]

    return over


def _normalised(kernel: Kernel, step: Step, backend: Backend) -> Kernel:
    """The kernel with results as arrays: it may return NumPy scalars and bytes for rank 0; on a device also cast."""
    if backend is not HOST:
        return with_dtypes(kernel, step)
    if kernel.makes_arrays:
        return kernel
    call = kernel.call
    if len(step.outputs) != 1 or returns_list(step):
        dtypes = step.dtypes

        def several(*arrays: Any) -> Any:
            results = call(*arrays)
            for result in results:
                if result.__class__ is not np.ndarray:
                    return [as_array(r, d) for r, d in zip(results, dtypes, strict=True)]
            return results

        return _called(kernel, several)
    dtype, ndarray = step.dtypes[0], np.ndarray

    def one(*arrays: Any) -> Any:
        result = call(*arrays)
        return result if result.__class__ is ndarray else as_array(result, dtype)

    return _called(kernel, one)


def is_trusted(step: Step) -> bool:
    """True if the kernel belongs to the package, whose tests verify what its ops declare."""
    return step.kernel is None and not OPS[step.op].calls_user_code
