"""`SteppedPlan`: a plan whose steps can be called one by one, those of the graphs inside its ops too.

Nothing is overwritten: no step has a donor or works in place, and constants stand in slots like any value. So a value,
once made, stays what it is, and a state of the run is a table of references.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import ref

from ...graph.nodes import Operation
from ...graph.op_declaration import OPS
from ...graph.subgraph import bodies_of
from ..backends import HOST
from ..base.session_config import SessionConfig
from ..execution.bind import BoundStep, backend_for, bind_step
from ..execution.body_call import InnerCall
from ..execution.executor import Program
from ..execution.run_errors import FindOp
from ..execution.user_code import with_caller_context
from ..observe.run_record import results_of
from ..planning.donation import without_donors
from ..planning.pinned_shapes import claims_of
from ..planning.plan import Plan, Slot, effects_of_step


class SteppedPlan:
    """A plan, bound step by step.

    Attributes:
        plan: the plan, without updates in place.
        steps: the steps, ready to be called.
        bodies: position of a step -> the graphs inside its op; only steps of which a walk is known.
        replays: for each step whether it may be called again without being noticed.
        scopes: position of a step -> the names of the graphs inside its op, "" where they are not known.
        slot_of: the slot of each value by the name of its tensor.
        made_at: the step that makes the value of a slot.
        constants: the slots of constants with their values.
    """

    __slots__ = ("_inner", "_session", "bodies", "constants", "made_at", "plan", "replays", "scopes", "slot_of",
                 "steps")  # fmt: skip

    def __init__(
        self, plan: Plan, find_op: FindOp, config: SessionConfig, session: Any, operations: Iterable[Operation]
    ) -> None:
        """A stepped plan.

        Args:
            plan: the plan.
            find_op: finds the operation of a name.
            config: the session's configuration.
            session: what kernels get as their session; it is kept.
            operations: the operations of its graph, of which the constants are named.
        """
        plan = without_donors(plan)
        self.plan = plan
        self.constants: dict[int, Any] = {
            int(slot): array if device == HOST.name else backend_for(device).from_host(array)
            for slot, array, device in plan.constants
        }
        pinned = claims_of(plan) if plan.pinned else {}

        self._inner: dict[int, InnerCall] = {}
        self._session = session
        reference = ref(session)

        def inner(body: Plan) -> InnerCall:
            made = self._inner[id(body)] = InnerCall(Program(body, find_op, config, reference))
            return made

        bound = [bind_step(step, pinned, {}, reference, inner, plan.slots) for step in plan.steps]
        self.steps: Sequence[BoundStep] = with_caller_context(bound, plan, config.threads)
        self.bodies: dict[int, tuple[SteppedPlan, ...]] = {}
        self.scopes: dict[int, tuple[str, ...]] = {}
        for position, step in enumerate(plan.steps):
            opdef = OPS.get(step.op)
            if opdef is not None and opdef.walk_rule is not None:
                held = [arg for arg in step.args if isinstance(arg, Plan)]
                holder = find_op(step.node)
                graphs = () if holder is None else bodies_of(holder)
                names = [graph.name for graph in graphs] if len(graphs) == len(held) else [""] * len(held)
                self.scopes[position] = tuple(names)
                inside = [graph.operations for graph in graphs] if len(graphs) == len(held) else [()] * len(held)
                self.bodies[position] = tuple([
                    SteppedPlan(each, find_op, config, session, held_operations)
                    for each, held_operations in zip(held, inside, strict=True)
                ])  # fmt: skip
        self.replays = tuple([effects_of_step(step).may_replay for step in plan.steps])
        self.slot_of: dict[str, Slot] = {}
        self.made_at: dict[int, int] = {}
        names_of_constants = {id(array): slot for slot, array, _ in plan.constants}
        for op in operations:
            if op.opdef.facts.is_constant and id(op.args[0]) in names_of_constants:
                self.slot_of[op.outputs[0].name] = names_of_constants[id(op.args[0])]
        for position, step in enumerate(plan.steps):
            self.slot_of.update(zip(results_of(step), step.outputs, strict=True))
            self.made_at.update(dict.fromkeys([int(slot) for slot in step.outputs], position))
        self.slot_of.update(plan.feeds)

    def begin(self, feeds: Sequence[Any]) -> dict[int, Any]:
        """The slots before the first step."""
        slots = dict(self.constants)
        slots.update(zip([int(slot) for _, slot in self.plan.feeds], feeds, strict=True))
        return slots

    def begin_inside(self, position: int, part: int, inputs: Sequence[Any]) -> dict[int, Any]:
        """The slots before the first step of a graph inside the op of a step.

        Raises:
            InvalidArgumentError: sizes break a relation that the shapes of the graph assume.
        """
        body = self.bodies[position][part]
        return body.begin(self._functions(position)[part].checked(inputs))

    def frees(self, position: int) -> tuple[Slot, ...]:
        """The slots that no step after this one reads."""
        return tuple([slot for slot in self.plan.steps[position].frees if slot not in self.constants])

    def arguments(self, position: int, slots: dict[int, Any]) -> list[Any]:
        """The arguments of the kernel of a step: arrays in place of slots, functions in place of plans."""

        def given(arg: Any) -> Any:
            if isinstance(arg, Slot):
                return slots[arg]
            if isinstance(arg, tuple):
                return tuple([given(each) for each in arg])
            return self._inner[id(arg)] if isinstance(arg, Plan) else arg

        return [given(arg) for arg in self.plan.steps[position].args]

    def _functions(self, position: int) -> list[InnerCall]:
        return [self._inner[id(arg)] for arg in self.plan.steps[position].args if isinstance(arg, Plan)]
