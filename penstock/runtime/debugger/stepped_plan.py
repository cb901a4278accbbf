"""`SteppedPlan`: a plan whose steps can be called one by one, those of graphs inside its ops and of fused groups too.

Nothing is overwritten: no step has a donor or works in place, and constants stand in slots like any value. So a value,
once made, stays what it is, and a state of the run is a table of references.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload
from weakref import ref

from ...graph.declare.op_declaration import OPS
from ...graph.model.nodes import Operation
from ...graph.model.subgraph import bodies_of
from ..backends import HOST
from ..base.session_config import SessionConfig
from ..execution.bind import BoundStep, backend_for, bind_step, is_trusted
from ..execution.body_call import InnerCall
from ..execution.executor import Program
from ..execution.run_errors import FindOp
from ..execution.user_code import step_in_caller_context
from ..observe.run_record import members_of
from ..observe.step_results import result_names
from ..planning.donation import without_donors
from ..planning.pinned_shapes import claims_of
from ..planning.plan import Plan, Slot, calls_user_code, effects_of_step
from ..planning.slot_names import body_of, names_of_slots, results_of
from .group_members import member_plan


class SlotValues(dict[int, Any]):
    """The values in the slots of a run; those of constants belong to all runs of a plan."""

    __slots__ = ("_constants",)

    def __init__(self, constants: Mapping[int, Any], values: Iterable[tuple[int, Any]]) -> None:
        super().__init__(values)
        self._constants = constants

    def __missing__(self, slot: int) -> Any:
        return self._constants[slot]

    def __contains__(self, slot: object) -> bool:
        return super().__contains__(slot) or slot in self._constants

    def get(self, slot: int, default: Any = None) -> Any:
        """The value in a slot."""
        try:
            return self[slot]
        except KeyError:
            return default

    def copy(self) -> SlotValues:
        """A copy with the same values."""
        return SlotValues(self._constants, self.items())


class BoundSteps(Sequence[BoundStep]):
    """Steps that are bound when they are first asked for."""

    __slots__ = ("_bind", "_made")

    def __init__(self, count: int, bind: Callable[[int], BoundStep]) -> None:
        self._made: list[BoundStep | None] = [None] * count
        self._bind = bind

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, position: int) -> BoundStep: ...

    @overload
    def __getitem__(self, position: slice) -> Sequence[BoundStep]: ...

    def __getitem__(self, position: int | slice) -> BoundStep | Sequence[BoundStep]:
        if isinstance(position, slice):
            return [self[each] for each in range(len(self._made))[position]]
        made = self._made[position]
        if made is None:
            made = self._made[position] = self._bind(position)
        return made


class SteppedPlan:
    """A plan. Its steps are bound when they are first needed, so that a run begins soon.

    Attributes:
        plan: the plan, without updates in place.
        steps: the steps, ready to be called.
        bodies: position of a step -> the graphs inside its op; only steps of which a walk is known. A fused group has
            one, of its members.
        groups: the positions of the fused groups.
        members: the name of each tensor that only a fused group has -> the position of that group.
        ops: for each step the op of its node.
        replays: for each step whether it may be called again without being noticed.
        scopes: position of a step -> the names of the graphs inside its op, "" where they are not known.
        slot_of: the slot of each value by the name of its tensor.
        made_at: the step that makes the value of a slot.
        results: for each step the names of the tensors that it makes.
        constants: the slots of constants with their values.
    """

    __slots__ = (
        "_config", "_find_op", "_inner", "_names", "_pinned", "_session", "bodies", "constants", "groups", "made_at",
        "members", "ops", "plan", "replays", "results", "scopes", "slot_of", "steps",
    )  # fmt: skip

    def __init__(
        self, plan: Plan, find_op: FindOp, config: SessionConfig, session: Any, operations: Iterable[Operation],
        is_as_written: bool, left: Mapping[str, Sequence[int]], has_groups: bool = True,
    ) -> None:  # fmt: skip
        """A stepped plan.

        Args:
            plan: the plan.
            find_op: finds the operation of a name.
            config: the session's configuration.
            session: what kernels get as their session; it is kept.
            operations: the operations of its graph, of which the constants are named.
            is_as_written: whether the plan was made without passes.
            left: which outputs of branches and loops the run needs: `Stage.places`.
            has_groups: whether fused groups are entered; not those of one node inside of a group.
        """
        plan = without_donors(plan)
        self.plan = plan
        self.constants: dict[int, Any] = {
            int(slot): array if device == HOST.name else backend_for(device).from_host(array)
            for slot, array, device in plan.constants
        }
        self._inner: dict[int, InnerCall] = {}
        self._names: dict[int, tuple[str, ...]] = {}
        self._find_op = find_op
        self._config = config
        self._session = session
        self._pinned = claims_of(plan) if plan.pinned else {}
        self.steps: Sequence[BoundStep] = BoundSteps(len(plan.steps), self._bound)
        self.bodies: dict[int, tuple[SteppedPlan, ...]] = {}
        self.scopes: dict[int, tuple[str, ...]] = {}
        for position, step in enumerate(plan.steps):
            opdef = OPS.get(step.op)
            if opdef is not None and opdef.walk_rule is not None:
                held = [arg for arg in step.args if isinstance(arg, Plan)]
                holder = find_op(step.node)
                graphs = () if holder is None else bodies_of(holder)
                scopes = [graph.name for graph in graphs] if len(graphs) == len(held) else [""] * len(held)
                self.scopes[position] = tuple(scopes)
                inside = [graph.operations for graph in graphs] if len(graphs) == len(held) else [()] * len(held)
                self.bodies[position] = tuple([
                    SteppedPlan(each, find_op, config, session, held_operations, is_as_written, left)
                    for each, held_operations in zip(held, inside, strict=True)
                ])  # fmt: skip
        self.replays = tuple([effects_of_step(step).may_replay for step in plan.steps])
        self.slot_of: dict[str, Slot] = {}
        self.made_at: dict[int, int] = {}
        names_of_constants = {id(array): slot for slot, array, _ in plan.constants}
        for op in operations:
            if op.opdef.facts.is_constant and id(op.args[0]) in names_of_constants:
                self.slot_of[op.outputs[0].name] = names_of_constants[id(op.args[0])]
        results: list[tuple[str, ...]] = []
        for position, step in enumerate(plan.steps):
            names = results_of(step)
            if position in self.bodies:
                names = result_names(step, find_op(step.node), is_as_written, left.get(step.node))
            results.append(names)
            self.slot_of.update(zip(names, step.outputs, strict=True))
            self.made_at.update(dict.fromkeys([int(slot) for slot in step.outputs], position))
        self.results = tuple(results)
        self.ops = tuple([step.op for step in plan.steps])
        self.slot_of.update(plan.feeds)
        groups = [i for i, step in enumerate(plan.steps) if has_groups and body_of(step) is not None]
        self.groups = frozenset(groups)
        self.members: dict[str, int] = {}
        names_of_inputs = names_of_slots(plan) if self.groups else {}
        for position in groups:
            members = member_plan(plan.steps[position], plan.slots, names_of_inputs, find_op)
            made = SteppedPlan(members.plan, find_op, config, session, (), is_as_written, left, has_groups=False)
            made.ops = members.ops
            made.results = members.results
            # What comes from outside is found there by its name.
            made.slot_of = {
                name: slot for names, step in zip(members.results, members.plan.steps, strict=True)
                for name, slot in zip(names, step.outputs, strict=True)
            }  # fmt: skip
            self.bodies[position], self.scopes[position] = (made,), ("",)
            self.members.update({name: position for name in made.slot_of if name not in self.slot_of})

    def _bound(self, position: int) -> BoundStep:
        """One step, ready to be called."""
        step = self.plan.steps[position]
        made = bind_step(step, self._pinned, {}, ref(self._session), self._inner_call, self.plan.slots)
        if step.op in OPS and not is_trusted(step):
            made = made._replace(call=_with_own_results(made.call))
        return step_in_caller_context(made, step, self._config.threads)

    def _inner_call(self, body: Plan) -> InnerCall:
        program = Program(body, self._find_op, self._config, ref(self._session))
        made = self._inner[id(body)] = InnerCall(program, is_quiet=not calls_user_code(body))
        return made

    def begin(self, feeds: Sequence[Any]) -> SlotValues:
        """The slots before the first step."""
        return SlotValues(self.constants, zip([int(slot) for _, slot in self.plan.feeds], feeds, strict=True))

    def begin_inside(self, position: int, part: int, inputs: Sequence[Any]) -> SlotValues:
        """The slots before the first step of a graph inside the op of a step.

        Raises:
            InvalidArgumentError: sizes break a relation that the shapes of the graph assume.
        """
        body = self.bodies[position][part]
        return body.begin(inputs if position in self.groups else self.functions(position)[part].checked(inputs))

    def functions(self, position: int) -> list[InnerCall]:
        """The functions that run the graphs inside the op of a step."""
        _ = self.steps[position]  # which makes them
        return [self._inner[id(arg)] for arg in self.plan.steps[position].args if isinstance(arg, Plan)]

    def names_inside(self, position: int) -> tuple[str, ...]:
        """The names of the nodes inside the op of a step."""
        found = self._names.get(position)
        if found is None:
            found = self._names[position] = members_of(self.plan.steps[position])
        return found

    def plan_of(self, position: int, part: int) -> Plan:
        """The plan of a graph inside the op of a step, as the step has it."""
        return [arg for arg in self.plan.steps[position].args if isinstance(arg, Plan)][part]

    def names_of_graphs(self) -> Iterator[tuple[str, str, Collection[str]]]:
        """(the op that holds it, its name, the tensors in it) of each graph inside an op, those inside others too."""
        for position, scopes in self.scopes.items():
            if position in self.groups:
                continue
            for scope, body in zip(scopes, self.bodies[position], strict=True):
                yield self.plan.steps[position].node, scope, {**body.slot_of, **body.members}
                yield from body.names_of_graphs()

    def frees(self, position: int) -> tuple[Slot, ...]:
        """The slots that no step after this one reads."""
        return tuple([slot for slot in self.plan.steps[position].frees if slot not in self.constants])

    def arguments(self, position: int, slots: SlotValues) -> list[Any]:
        """The arguments of the kernel of a step: arrays in place of slots, functions in place of plans."""

        _ = self.steps[position]  # which makes the functions

        def given(arg: Any) -> Any:
            if isinstance(arg, Slot):
                return slots[arg]
            if isinstance(arg, tuple):
                return tuple([given(each) for each in arg])
            return self._inner[id(arg)] if isinstance(arg, Plan) else arg

        return [given(arg) for arg in self.plan.steps[position].args]


def _with_own_results(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call of a user's kernel, which may keep its results and change them in a later call."""

    def copied(*arrays: Any) -> Any:
        result = call(*arrays)
        return [each.copy() for each in result] if isinstance(result, (list, tuple)) else result.copy()

    return copied
