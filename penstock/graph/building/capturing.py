"""Bodies from Python functions: how a function of tensors becomes a `SubGraph`.

`subgraph(function, operands)` calls the function once with inner tensors that stand for the operands. What it builds
goes into a graph of its own, an `InnerGraph`. A tensor of a graph around it that the function uses is *captured*: it
gets an inner tensor that stands for it, and the holder gets one more operand. All tensors from outside pass through
`Graph.admit`, which `graph.building.builder` calls at the beginning of a call; an ordinary graph admits none.

    with graph:  x, w = ...
        body = subgraph(lambda a: a * w, [x])      inputs body/a, body/w; captures w
        y = call([x], body)                        call adds the captures: operands x, w

The function is called within the outer graph's scope, on its device, and outside of its control dependencies, which
are the holder's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import GraphError
from ..common.source_location import user_origins
from ..common.tracebacks import hides_frames
from ..model.append import append_placeholder
from ..model.default_graph import target_graph
from ..model.journal import entry
from ..model.lookup import INNER
from ..model.nodes import Graph, Operation, Tensor
from ..model.scopes import ControlDependencies
from ..model.subgraph import DEEPEST, SubGraph, effects_within
from ..model.tensor_source import TensorSource
from ..shapes.shape import TensorShape
from .convert import convert, first_tensor

if TYPE_CHECKING:
    from ..declare.op_declaration import OpDef


class InnerGraph(Graph):
    """The graph of a body. While the body is built, it captures tensors of the graphs around it."""

    def __init__(self, outer: Graph, scope: str) -> None:
        super().__init__()
        self.outer = outer
        self.scope = scope
        self.captured: dict[Tensor, Tensor] = {}
        self.outside: dict[Tensor, Tensor] = {}  # inner tensor -> the operand that it stands for
        self.outer_controls: dict[Operation, None] = {}  # those of `outer` that the whole body waits for
        around = outer.surroundings
        self.root_prefix = self.surroundings.prefix = scope + "/"
        self.surroundings.device = around.device

    def is_around(self, graph: Graph) -> bool:
        """Whether `graph` is one of those around this one."""
        above: Graph | None = self.outer
        while above is not None and above is not graph:
            above = above.outer
        return above is graph

    def admits(self, element: Tensor | Operation) -> bool:
        """Whether a call that is built here may use `element`."""
        graph = element.graph
        return graph is self or (isinstance(element, Tensor) and not self.finalized and self.is_around(graph))

    def admit(self, tensor: Tensor) -> Tensor:
        """The inner tensor that stands for `tensor`; a tensor that may not be used here stays what it is."""
        if tensor.op.graph is self or not self.admits(tensor):
            return tensor
        found = self.captured.get(tensor)
        if found is None:
            assert self.outer is not None  # or it would not be admitted
            outer = self.outer.admit(tensor)
            found = self.captured.get(outer)
            if found is None:
                found = self.stand_in(outer, outer.op.name.rpartition("/")[2])
                self.journal.note(*entry(self.captured, outer))
                self.captured[outer] = found
        return found

    def stand_in(self, tensor: Tensor, name: str, shape: TensorShape | None = None) -> Tensor:
        """A new inner tensor of the dtype of `tensor`, and of its shape unless one is given: an input of the body."""
        with self.lock:
            full = self.names.unique(f"{self.scope}/{name}")
            known = tensor.shape if shape is None else shape  # a shape of unknown rank is false
            inner = append_placeholder(self, tensor.dtype, known, full, user_origins())
        self.outside[inner] = tensor
        return inner

    def control_from_outside(self, op: Operation) -> None:
        """Make the whole body wait for an operation of a graph around it."""
        outer = self.outer
        assert outer is not None
        if op.graph is outer:
            self.journal.note(*entry(self.outer_controls, op))
            self.outer_controls[op] = None
        elif isinstance(outer, InnerGraph):
            outer.control_from_outside(op)

    @hides_frames
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> ControlDependencies:
        """As of a `Graph`; for an operation of a graph around this one, the whole body waits."""
        if control_inputs is None or isinstance(control_inputs, (str, Tensor)) or not isinstance(
                control_inputs, Iterable):  # fmt: skip
            return super().control_dependencies(control_inputs)
        own = []
        for given in control_inputs:
            element = given.element if isinstance(given, TensorSource) else given
            if isinstance(element, (Tensor, Operation)) and self.is_around(element.graph):
                graph = element.graph
                self.control_from_outside(graph.awaited(element) if isinstance(element, Tensor) else element)
            elif not self._is_input(element):  # an input is there before anything runs
                own.append(given)
        return super().control_dependencies(own)

    def counterpart(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that is a copy of `tensor`; `tensor` itself, unless this graph is such a copy."""
        return tensor

    def _is_input(self, element: Any) -> bool:
        outputs = element.outputs if isinstance(element, Operation) else (element,)
        return any(isinstance(t, Tensor) and t in self.outside for t in outputs)

    def check_open(self) -> None:
        """Raise GraphError if the body is built."""
        if self.finalized:
            raise GraphError(f"the body {self.scope!r} is built, and nothing can be added to it", cure=INNER)

    def __repr__(self) -> str:
        return f"<Graph #{self.serial} of the body {self.scope!r}, {len(self)} operations>"


def stand_ins(graph: Graph) -> Collection[Tensor]:
    """The tensors that stand for tensors of a graph around `graph`; none, unless it is the graph of a body."""
    return graph.outside if isinstance(graph, InnerGraph) else ()


def counterpart(graph: Graph, tensor: Tensor) -> Tensor:
    """The tensor of `graph` that is a copy of `tensor`, if it is the graph of a copied body; else `tensor` itself."""
    return graph.counterpart(tensor) if isinstance(graph, InnerGraph) else tensor


def subgraph(
    function: Callable[..., Any],
    operands: Sequence[Any],
    name: str = "body",
    shapes: Sequence[TensorShape | None] | None = None,
    names: Sequence[str] | None = None,
) -> SubGraph:
    """A function as a graph inside an op: it is called once, with a tensor for each operand.

    Args:
        function: takes as many tensors as there are operands and returns a tensor, or a list or tuple of tensors.
        operands: tensors, or values that become tensors.
        name: the scope of the operations.
        shapes: for each operand the static shape of the tensor that stands for it; None for that of the operand.
        names: for each operand what the tensor is called; by default the parameter of the function.

    Returns:
        A `SubGraph`. Outer tensors that the function uses are in its `captures`; a call of an op with it adds these to
        the operands.

    Raises:
        GraphError (a ValueError): a placeholder is made inside, a result is of another graph, or graphs are nested too
            deeply.

    >>> import penstock as tf
    >>> from penstock.extend import subgraph
    >>> with tf.Graph().as_default():
    ...     w = tf.constant(3.0)
    ...     body = subgraph(lambda x: x * w, [2.0])
    >>> body.captures == (w,)
    True
    """
    outer = target_graph(first_tensor(list(operands)))
    return outer.journal.all_around_or_nothing(_traced, outer, function, operands, name, shapes, names)


def _traced(
    outer: Graph,
    function: Callable[..., Any],
    operands: Sequence[Any],
    name: str,
    shapes: Sequence[TensorShape | None] | None,
    names: Sequence[str] | None,
) -> SubGraph:
    with outer.as_default():
        graph = InnerGraph(outer, outer.claim_scope(name))
        _check_depth(graph)
        prefix = f"{graph.scope}/"
        tensors = [outer.admit(convert(outer, v, None, None, prefix + "operand", "operands")) for v in operands]
    called = names or input_names(function, len(tensors))
    inputs = [graph.stand_in(t, n, s) for t, n, s in zip(tensors, called, shapes or [None] * len(called), strict=True)]
    with graph.as_default():
        made = function(*inputs)
        found = made if isinstance(made, (list, tuple)) else [] if made is None else [made]
        outputs = [graph.admit(convert(graph, each, None, None, prefix + "result", "result")) for each in found]
    for tensor in outputs:
        if tensor.op.graph is not graph:
            cure = INNER if tensor.op.graph.outer is not None else "Make it in the graph of the call."
            raise GraphError(f"subgraph: the function returned {tensor.name!r} of {tensor.op.graph}", cure=cure)
    graph.finalize()
    return pruned(graph, inputs, outputs)


def _check_depth(graph: InnerGraph) -> None:
    depth = 0
    above = graph.outer
    while above is not None:
        above, depth = above.outer, depth + 1
    if depth > DEEPEST:
        raise GraphError(f"subgraph: {graph.scope!r} would be {depth} bodies deep; the limit is {DEEPEST}")


def input_names(function: Callable[..., Any], count: int) -> list[str]:
    """A name for each input: that of the function's parameter where it has one."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name.strip("_") for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[i] if i < len(names) and names[i] else f"input_{i}" for i in range(count)]


def pruned(
    graph: InnerGraph, inputs: list[Tensor], outputs: list[Tensor], targets: Sequence[Operation] = ()
) -> SubGraph:
    """The body with only the captures that are used. `targets`: operations that run whether a result needs them or not.
    """
    captured = {inner: outer for outer, inner in graph.captured.items()}
    needed = _needed(graph, outputs, targets)
    used = [inner for inner in captured if inner.op in needed]
    return closed(graph, [*inputs, *used], [captured[inner] for inner in used], outputs, [*inputs, *captured], targets)


def closed(
    graph: InnerGraph, inputs: Sequence[Tensor], captures: Sequence[Tensor], outputs: Sequence[Tensor],
    fed: Sequence[Tensor], targets: Sequence[Operation] = ()
) -> SubGraph:  # fmt: skip
    """A built body with only the operations that its results need: what no result needs does not run.

    Args:
        graph: the graph of the body.
        inputs: its inputs.
        captures: the outer tensors that the last of them stand for.
        outputs: its results.
        fed: the tensors whose values come from outside, whether they are inputs or not.
        targets: operations that run whether a result needs them or not.

    Raises:
        GraphError: another placeholder is needed.
    """
    stand_ins = {t.op for t in fed}
    needed = _needed(graph, outputs, targets)
    kept = [op for op in graph.get_operations() if op in needed and op not in stand_ins]
    for op in kept:
        _check_fed(graph, op)
    inside = {*kept, *stand_ins}
    pinned = tuple([t for t in graph.pinned if t.op in inside])
    return SubGraph(
        operations=tuple(kept),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        effects=effects_within(kept),
        captures=tuple(captures),
        targets=tuple(targets),
        pinned=pinned,
        pinned_names=tuple([t.name for t in pinned]),
        equations=tuple([(dim, size, op.name) for op, dim, size in graph.equations if op in inside]),
        name=graph.scope,
        controls=tuple(graph.outer_controls),
    )


def _needed(graph: InnerGraph, outputs: Sequence[Tensor], targets: Sequence[Operation]) -> set[Operation]:
    needed = {*targets, *[t.op for t in outputs]}
    for op in reversed(graph.get_operations()):
        if op in needed:
            needed.update([t.op for t in op.inputs])
            needed.update(op.control_inputs)
    return needed


def _check_fed(graph: InnerGraph, op: Operation) -> None:
    if op.opdef.facts.must_feed:
        raise GraphError(
            f"subgraph: the placeholder {op.name!r} is inside the body {graph.scope!r}, where nothing can be fed",
            cure="Make it outside and use it in the body, or give it as an operand.",
        )


def with_captures(opdef: OpDef[Any, Any], args: Sequence[Any]) -> list[Any]:
    """The arguments of a call with what its bodies capture added to their operands.

    Bodies that share a list of operands share the captures too: each gets inputs for all of them.
    """
    found = list(args)
    for place in {place for _, place in opdef.body_operands}:
        bodies = [i for i, operands in opdef.body_operands if operands == place]
        if not all(found[i].__class__ is SubGraph for i in bodies) or not isinstance(found[place], (list, tuple)):
            continue  # the checks of attributes and operands report what is wrong
        captures = list(dict.fromkeys(t for i in bodies for t in found[i].captures))
        for i in bodies:
            found[i] = _with_inputs_for(found[i], captures)
        found[place] = [*found[place], *captures]
    return found


def _with_inputs_for(body: SubGraph, captures: Sequence[Tensor]) -> SubGraph:
    if list(body.captures) == list(captures):
        return body
    own = len(body.inputs) - len(body.captures)
    stands = dict(zip(body.captures, body.inputs[own:], strict=True))
    graph = body.inputs[0].graph if body.inputs else body.outputs[0].graph if body.outputs else None
    if not isinstance(graph, InnerGraph):
        graph = InnerGraph(captures[0].graph, body.name)
    for tensor in captures:
        if tensor not in stands:
            stands[tensor] = graph.stand_in(tensor, tensor.op.name.rpartition("/")[2])
    inputs = (*body.inputs[:own], *[stands[t] for t in captures])
    return replace(body, inputs=inputs, captures=tuple(captures))
