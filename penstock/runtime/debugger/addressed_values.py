"""Values of iterations that are over, by address: `steps[3]/h` is `h` in the iteration 3 of the loop `steps`.

Frames of iterations are not kept. The loop runs again from its begin, step by step, until the value is there. What its
steps print or read does not happen again.

    steps[3]/h              the end of a name is enough, as for any value inside
    steps[3]/cond/Less      the graph of the condition
    outer[2]/inner[0]/h     a loop in a loop
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...graph.declare.op_declaration import OPS
from .debugged_names import ValuePlace, names_within
from .run_state import Path, RunFrame, RunState
from .stepped_plan import SteppedPlan
from .stepping import Stepper

_LOOP = re.compile(r"([^\[\]]+)\[(\d+)\]/")

Here = tuple[tuple[Path, int], ...]
"""Where a state is: the place of each frame and its next step."""


@dataclass(frozen=True, slots=True)
class ValueAddress:
    """A value in one iteration.

    Attributes:
        loops: the names of the loops, or their ends, and the iterations, the outermost first.
        name: the name of the value, or its end.
    """

    loops: tuple[tuple[str, int], ...]
    name: str

    @property
    def loop(self) -> str:
        """The iteration, such as "outer[2]/inner[0]"."""
        return "/".join(f"{name}[{iteration}]" for name, iteration in self.loops)

    def __str__(self) -> str:
        return f"{self.loop}/{self.name}"


def address_in(text: Any) -> ValueAddress | None:
    """The address that a text is; None if it is none.

    >>> address_in("outer[2]/inner[0]/h")
    ValueAddress(loops=(('outer', 2), ('inner', 0)), name='h')
    >>> print(address_in("steps/h"))
    None
    """
    loops, start = [], 0
    while isinstance(text, str) and (found := _LOOP.match(text, start)) is not None:
        loops.append((found[1], int(found[2])))
        start = found.end()
    if not loops or not text[start:] or "[" in text[start:]:
        return None
    return ValueAddress(tuple(loops), text[start:])


def here_of(state: RunState) -> Here:
    """Where a state is."""
    return tuple([(frame.path, frame.position) for frame in state.frames])


def address_before(state: RunState, place: ValuePlace) -> ValueAddress | None:
    """The address of a value in the iteration before the one of its frame; None if that is no later iteration."""
    loops = [((scope or node).rpartition("/")[2], iteration)
             for (node, scope), iteration, is_loop in _holders(state.frames[0].code, place.frame.path) if is_loop]
    if not loops or not loops[-1][1]:
        return None
    name, iteration = loops[-1]
    end = place.name.removeprefix(f"{place.frame.scope}/").removesuffix(":0")
    return ValueAddress((*loops[:-1], (name, iteration - 1)), end)


def start_of(frame: RunFrame, address: ValueAddress) -> int:
    """The time at which the outermost loop of an address begins: 0 if it is no step of the plan itself."""
    name = address.loops[0][0]
    for position in frame.code.bodies:
        if position not in frame.code.groups and _is_called(_titles(frame.code, position), name):
            return frame.times[position - 1] if 0 < position <= len(frame.times) else 0
    return 0


def has_loop(code: SteppedPlan, address: ValueAddress) -> bool:
    """Whether the run has the loops of an address at all."""
    titles = [(holder, _around(scope)) for holder, scope, _ in code.names_of_graphs()]
    return all(any(_is_called(each, name) for each in titles) for name, _ in address.loops)


def values_at(state: RunState, stepper: Stepper, address: ValueAddress, until: Here) -> Iterator[tuple[str, Any]]:
    """The full name and the value of a tensor at an address, each time that it is made while a state goes on.

    Args:
        state: the state before the loop; it is changed.
        stepper: runs the steps.
        address: the address.
        until: where to end.

    Raises:
        OpError: a step failed.
    """
    root = state.frames[0].code
    of_condition: list[tuple[str, Any]] = []
    while True:
        for frame in state.frames[1:]:
            if _is_in(root, frame.path, address):
                for name in _names(frame, address.name):
                    slot = frame.code.slot_of.get(name)
                    if slot is not None and slot in frame.slots:
                        if _is_of_condition(root, frame, address.name):
                            of_condition.append((name, frame.slots[slot]))
                        else:
                            yield name, frame.slots[slot]
        if state.has_ended or here_of(state) == until:
            yield from of_condition  # the iteration had no body
            return
        stepper.tick(state, None)
        for frame, position, results in stepper.made:
            if frame.path and _is_in(root, frame.path, address):
                known = frame.code.results[position]
                for name in _names(frame, address.name):
                    if name in known:
                        yield name, results[known.index(name)]


def last_value(state: RunState, stepper: Stepper, name: str, position: int, most: int) -> tuple[str, Any] | None:
    """The last value of a tensor inside of an op that has ended, and the iteration that made it; None if it has none.

    Args:
        state: the state before the op; it is changed.
        stepper: runs the steps.
        name: the full name of the tensor.
        position: the step of the plan that is the op.
        most: how many steps may run for it; None is returned where they are not enough.
    """
    found: tuple[str, Any] | None = None
    root = state.frames[0].code
    for _ in range(most):
        if state.frames[0].position > position:
            return found
        stepper.tick(state, None)
        for frame, step, results in stepper.made:
            if frame.path and name in frame.code.results[step]:
                found = _loops_of(root, frame.path), results[frame.code.results[step].index(name)]
    return None


def _names(frame: RunFrame, name: str) -> Iterator[str]:
    """The full names that may be meant by one inside a graph."""
    yield from _names_in(frame.scope, name)


def _names_in(scope: str, name: str) -> Iterator[str]:
    outer = scope.rpartition("/")[0]
    for form in ("{}", "{scope}/{}", "{outer}/{}"):
        full = form.format(name, scope=scope, outer=outer)
        yield from (full, f"{full}:0")


def _is_of_condition(root: SteppedPlan, frame: RunFrame, name: str) -> bool:
    """Whether a frame runs the condition of a loop, whose body has a value of that name too: a loop variable."""
    code, path = root, _without_group(root, frame.path)
    if not path:
        return False
    for position, part, _ in path[:-1]:
        code = code.bodies[position][part]
    position, part, _ = path[-1]
    body, scope = code.bodies[position][-1], code.scopes[position][-1]
    names = {*body.slot_of, *body.members}
    return part < len(code.bodies[position]) - 1 and any(each in names for each in _names_in(scope, name))


def _is_in(root: SteppedPlan, path: Path, address: ValueAddress) -> bool:
    """Whether a frame runs in the iterations of an address, and in no further loop."""
    left = list(address.loops)
    for titles, iteration, is_loop in _holders(root, path):
        if left and _is_called(titles, left[0][0]):
            if iteration != left[0][1]:
                return False
            left.pop(0)
        elif is_loop and not left:
            return False
    return not left


def _holders(root: SteppedPlan, path: Path) -> Iterator[tuple[tuple[str, str], int, bool]]:
    """The names of the ops around a frame, with the iterations, and whether they are loops."""
    code = root
    for position, part, iteration in _without_group(root, path):
        yield _titles(code, position), iteration, OPS[code.plan.steps[position].op].facts.repeats
        code = code.bodies[position][part]


def _without_group(root: SteppedPlan, path: Path) -> Path:
    """The path of a frame, or of the graph around it if it runs the members of a fused group."""
    code = root
    for depth, (position, part, _) in enumerate(path):
        if position in code.groups:
            return path[:depth]
        code = code.bodies[position][part]
    return path


def _titles(code: SteppedPlan, position: int) -> tuple[str, str]:
    """The names of an op that holds graphs: its own, and the scope of its graphs, which is the name that a loop had
    before a pass put one in its place that keeps values for the gradient."""
    return code.plan.steps[position].node, _around(code.scopes[position][-1])


def _around(scope: str) -> str:
    return scope.rpartition("/")[0]


def _loops_of(root: SteppedPlan, path: Path) -> str:
    return "/".join(f"{(scope or node).rpartition('/')[2]}[{iteration}]"
                    for (node, scope), iteration, is_loop in _holders(root, path) if is_loop)  # fmt: skip


def _is_called(titles: tuple[str, str], name: str) -> bool:
    return any(each == name or each.endswith(f"/{name}") for each in titles)


def holder_of(code: SteppedPlan, name: str) -> int | None:
    """The step of a plan inside of which a tensor is made; None if it is made in no graph inside an op."""
    for position, bodies in code.bodies.items():
        if any(name in names_within(body) for body in bodies):
            return position
    return None
