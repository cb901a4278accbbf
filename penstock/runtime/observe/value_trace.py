"""Traces: the value of every node of one run.

`session.trace(fetches, feed_dict)` runs the graph as it was written, without passes, and keeps every value. The result,
a `Trace`, maps names of tensors to arrays in the order in which they were computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...graph.common.hooks import hooks
from ...graph.common.near_names import did_you_mean
from ...graph.common.tracebacks import hides_frames
from ...graph.inspect.text_table import format_table
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import bodies_of
from ...graph.shapes.dtypes import of_numpy
from ..base.observed_bodies import is_kept
from ..execution.row_major import row_major_copy
from ..execution.run_errors import FindOp
from ..execution.step_listener import InsideListener
from ..planning.plan import Plan
from .nan_watch import on_host
from .step_results import result_names
from .value_summary import summary_of

_SHORT = 8
_MOST_ROWS = 100
HEAD = ("tensor", "op", "type", "value", "line")


class Trace(Mapping[str | Tensor, Any]):
    """The values of a run, a mapping from names of tensors to arrays: fed values first, then in the order of the run.

    Keys may also be tensors; the name of an operation means its first output. It prints as a table.

    Attributes:
        result: what `session.run` would have returned; None if the run failed.
    """

    def __init__(self, values: dict[str, Any], operations: Mapping[str, Operation], fetches: Any = None) -> None:
        self._values = values
        self._operations = operations
        self.result: Any = fetches
        """What `session.run` would have returned; None if the run failed."""

    @hides_frames
    def __getitem__(self, key: str | Tensor) -> Any:
        name = key.name if isinstance(key, Tensor) else key
        if name in self._values:
            return self._values[name]
        if f"{name}:0" in self._values:
            return self._values[f"{name}:0"]
        raise KeyError(f"trace[{name!r}]: this run computed no such value; it has {len(self._values)} others"
                       f"{did_you_mean(str(name), self._values)}")  # fmt: skip

    def __contains__(self, key: object) -> bool:
        name = key.name if isinstance(key, Tensor) else key
        return name in self._values or f"{name}:0" in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __str__(self) -> str:
        shown = rows_of(self, _MOST_ROWS)
        if len(self) > _MOST_ROWS:
            shown.append((f"... {len(self) - _MOST_ROWS} values more", "", "", "", ""))
        return format_table(HEAD, shown)

    def _row(self, name: str) -> tuple[str, ...]:
        op = self._operations.get(name.rpartition(":")[0])
        value = self._values[name]
        type_text = f"{_kind(value)} {getattr(value, 'shape', ())}"
        return (name, op.type if op else "", type_text, _value_text(value), op.origin.place if op else "")

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} values>"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


def rows_of(trace: Trace, most: int) -> list[tuple[str, ...]]:
    """Tensor, op, type, value and line of the first `most` values, as text."""
    return [trace._row(name) for name in list(trace._values)[:most]]


def _kind(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return "string" if dtype is None else of_numpy(dtype).name


def _value_text(value: Any) -> str:
    found = summary_of(value)
    return " ".join(found.preview.split()) if 0 < found.size <= _SHORT else str(found)


class TraceListener:
    """A listener that keeps a copy of every value."""

    calls_user_code = False

    def __init__(
        self,
        plan: Plan,
        find_op: FindOp,
        outer: TraceListener | None = None,
        address: Callable[[str], str] = lambda name: name,
        fed: Collection[str] | None = None,
        left: Mapping[str, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        """A listener for a run of `plan`.

        Args:
            plan: the plan, or that of a body.
            find_op: finds an operation, those in bodies too.
            outer: for a body, the listener of the run around, which keeps the copies.
            address: the name under which a value of this run is kept.
            fed: the feeds that are kept; None for all. Captures have names of their own outside.
            left: which outputs of branches and loops the run needs: `Stage.places`.
        """
        self._plan = plan
        self._find_op = find_op
        self._address = address
        self.values: dict[str, Any] = {} if outer is None else outer.values
        self.inner: dict[str, Operation] = {} if outer is None else outer.inner
        """The operations in bodies by their addresses."""
        self._fed = fed
        self._left = left
        self._is_body = outer is not None

    def begin(self, slots: Sequence[Any]) -> None:
        """Copy the fed values."""
        for name, slot in self._plan.feeds:
            if self._fed is None or name in self._fed:
                self.values[self._address(name)] = _host_copy(slots[slot])

    def step(self, position: int, start: float, stop: float, results: Sequence[Any]) -> None:
        """Copy the results of a step."""
        step = self._plan.steps[position]
        op = self._find_op(step.node)
        if self._is_body and op is not None:
            self.inner[self._address(step.node)] = op
        for name, result in zip(result_names(step, op, True, self._left.get(step.node)), results, strict=True):
            # A fed output keeps its fed value.
            self.values.setdefault(self._address(name), _host_copy(result))

    def inside(self, position: int) -> InsideListener | None:
        """Listeners for the runs of the graphs inside a step; of many iterations some are kept (`is_kept`)."""
        step = self._plan.steps[position]
        holder = self._find_op(step.node)
        if holder is None:
            return None
        plans = [arg for arg in step.args if isinstance(arg, Plan)]
        bodies = {id(plan): body for plan, body in zip(plans, bodies_of(holder), strict=True)}
        repeats = holder.opdef.facts.repeats
        counts = dict.fromkeys(bodies, 0)

        def run(plan: Plan) -> TraceListener | None:
            iteration = counts[id(plan)]
            counts[id(plan)] += 1
            if not is_kept(iteration):
                return None
            body = bodies[id(plan)]
            inner = _inside(self._address, body.name, iteration if repeats else None)
            own = {tensor.name for tensor in body.inputs[: len(body.inputs) - len(body.captures)]}
            return TraceListener(plan, self._find_op, self, inner, own, self._left)

        return run


def _inside(address: Callable[[str], str], body: str, iteration: int | None) -> Callable[[str], str]:
    """The addresses of values inside a body: `loop[3]/name` for `loop/body/name` in iteration 3."""
    loop, _, part = body.rpartition("/")

    def inner(name: str) -> str:
        rest = name.removeprefix(f"{body}/")
        if iteration is None:
            return f"{address(body)}/{rest}"
        return f"{address(loop)}[{iteration}]/{'cond/' if part == 'cond' else ''}{rest}"

    return inner


def _host_copy(value: Any) -> Any:
    array = on_host(value)
    return row_major_copy(array) if array.ndim else array[()]


def trace_of(
    keeper: TraceListener, fed: Sequence[Tensor], operations: Sequence[Operation], result: Any = None
) -> Trace:
    """The trace of the copied values, with the constants added: fed values first, then the nodes in order.

    What is inside of loops and branches comes last.
    """
    kept = keeper.values
    values = {tensor.name: kept[tensor.name] for tensor in fed if tensor.name in kept}
    for op in operations:
        for tensor in op.outputs:
            if op.opdef.facts.is_constant:
                values.setdefault(tensor.name, _host_copy(op.args[0]))
            elif tensor.name in kept:
                values.setdefault(tensor.name, kept[tensor.name])
    for name, value in kept.items():
        values.setdefault(name, value)
    return Trace(values, {op.name: op for op in (*(t.op for t in fed), *operations)} | keeper.inner, result)
