"""`gradients`: the backward graph, which computes derivatives of some tensors with respect to others.

    between      the operations on a path from xs to ys
    backward     in the reverse order of creation, each rule turns the gradients of outputs into those of inputs
    total        what reaches one tensor from several consumers is added up

A node made for an operation "layer/mul" is called "gradients/layer/mul_grad/...", and remembers its line.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from itertools import islice
from typing import Any

from ..errors import DTypeError, GraphError, ShapeError, ValueRuleError
from ..graph.building.capturing import InnerGraph, counterpart
from ..graph.building.convert import first_tensor
from ..graph.building.given_none import note_none
from ..graph.building.registered_conversions import conversions
from ..graph.common.source_location import GradientOrigin, user_stacklevel
from ..graph.common.tracebacks import hides_frames
from ..graph.model.default_graph import cure_for, target_graph
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.indexed_slices import IndexedSlices
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.scopes import NameScope
from ..graph.model.tensor_source import TensorSource
from ..ops.state.variable_ops import touched_by
from . import rule_namespace as ops
from .gradient_paths import between, is_differentiable
from .gradient_sums import Gradient, may_add, total
from .rule_calls import input_gradients

_FUSED_PARTS = 4


class UnconnectedGradients(Enum):
    """What `gradients` gives for an x on which no y depends.

    >>> import penstock as tf
    >>> tf.UnconnectedGradients("zero")
    <UnconnectedGradients.ZERO: 'zero'>
    """

    NONE = "none"
    ZERO = "zero"


class AggregationMethod:
    """How `gradients` adds up what reaches one tensor: accepted for TensorFlow's sake, all give the same graph."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@hides_frames
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:  # a union would make every program test for what it knows
    """The derivatives of the sum of all `ys` with respect to each of `xs`, as new nodes of the graph.

    Args:
        ys: a tensor or a list of tensors; floats or complex numbers. Of ints and bools no gradient passes.
        xs: a tensor or a list of tensors; floats or complex numbers. Others get None.
        grad_ys: for each of `ys` a tensor of its shape and dtype, by which its elements are weighted; None means ones.
        name: the name of the scope of the new nodes.
        colocate_gradients_with_ops: whether a gradient asks for the device of the operation that it belongs to.
        gate_gradients: accepted for TensorFlow's sake; a run gives the same values either way.
        aggregation_method: the same.
        stop_gradients: tensors that count as constants.
        unconnected_gradients: what an x gets on which no y depends: "none" or "zero".

    Returns:
        A list with a gradient for each of `xs`, of its shape and dtype: a tensor; an `IndexedSlices` where only some
        rows are different from zero, as for the operand of `gather`; None where no y depends on it. A None cannot be
        added or printed as a tensor: `tf.explain_gradient(y, x)` says where the path from x ends, and
        unconnected_gradients="zero" gives zeros.

    Raises:
        TypeError: something in `ys`, `xs` or `grad_ys` is no tensor; a y is a string; a complex y has no `grad_ys`.
        ValueError: `grad_ys` has another length or shape than `ys`, or tensors are of several graphs.
        LookupError: an op on the way says nothing about its derivative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     y = tf.reduce_sum(tf.square(x))
    ...     (slope,) = tf.gradients(y, x)
    ...     print(slope, session.run(slope, {x: [1.0, 2.0, -3.0]}))
    <Tensor 'gradients/Square_grad/mul_1:0' float32 (n,)> [ 2.  4. -6.]

    Source: TensorFlow 1.x, `tf.gradients`.
    """
    graph = target_graph(first_tensor([ys, xs]))
    found = gradients_in(graph, ys, xs, grad_ys, name, colocate_gradients_with_ops, aggregation_method,
                         stop_gradients, unconnected_gradients)  # fmt: skip
    if None in found:
        _warn_of_ints(ys, xs, found)
        place = f"xs[{found.index(None)}]" if len(found) > 1 else "xs"
        note_none(graph, "tf.gradients()", f"ys do not depend on {place}; tf.explain_gradient(y, x) says why, "
                  "unconnected_gradients='zero' gives zeros")  # fmt: skip
    return found


def _warn_of_ints(ys: Any, xs: Any, found: Sequence[Gradient | None]) -> None:
    """A `MistakeWarning` where a gradient is None because an x, or every y, has a dtype without gradients."""
    x_list, y_list = ([*each] if isinstance(each, (list, tuple)) else [each] for each in (xs, ys))
    wrong = [("xs", place, x) for place, x in enumerate(x_list)
             if found[place] is None and isinstance(x, Tensor) and not is_differentiable(x.dtype)]  # fmt: skip
    if not wrong and all(isinstance(y, Tensor) and not is_differentiable(y.dtype) for y in y_list):
        wrong = [("ys", place, y) for place, y in enumerate(y_list)]
    for label, place, tensor in wrong[:1]:
        text = (f"tf.gradients: {label}[{place}] {tensor.name!r} is {tensor.dtype.name} ({tensor.op.origin.made}); "
                "only floats and complex numbers have gradients, so the result is None. Cast to a float before what is "
                "to be differentiated, tf.cast(t, tf.float32), or leave it out")  # fmt: skip
        warnings.warn(text, MistakeWarning, stacklevel=user_stacklevel())


def gradients_in(
    graph: Graph,
    ys: Any,
    xs: Any,
    grad_ys: Any,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """`gradients`, for callers in the package that take care of a None themselves."""

    def build() -> list[Gradient | None]:
        return _built(ys, xs, grad_ys, name, colocate_gradients_with_ops, aggregation_method, stop_gradients,
                      unconnected_gradients)  # fmt: skip

    return graph.journal.all_or_nothing(build)


def _built(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    name: str,
    colocate_gradients_with_ops: bool,
    aggregation_method: int | None,
    stop_gradients: Any,
    unconnected_gradients: UnconnectedGradients | str,
) -> list[Gradient | None]:
    """`gradients`, inside of a transaction."""
    y_list = as_tensors("gradients", "ys", ys, any_number=True)
    x_list = as_tensors("gradients", "xs", xs, any_dtype=True)
    weights = _weights(grad_ys, len(y_list))
    stops = [] if stop_gradients is None else as_tensors("gradients", "stop_gradients", stop_gradients, any_dtype=True)
    wanted = _unconnected(unconnected_gradients)
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError(f"gradients: Invalid aggregation_method specified {aggregation_method}.")
    if not x_list:
        return []
    graph = target_graph((y_list or x_list)[0])
    if y_list and not any(y.graph is graph for y in y_list):
        graph = y_list[0].graph  # a call in a body about tensors outside of it: the gradients are outside too
    for label, tensors in (("ys", y_list), ("xs", x_list), ("stop_gradients", stops)):
        for place, tensor in enumerate(tensors):
            if tensor.graph is not graph and (label == "ys" or not graph.admits(tensor)):
                raise GraphError(f"gradients: {label}[{place}] {tensor.name!r} belongs to {tensor.graph}, ys[0] "
                                 f"{y_list[0].name!r} to {graph}; all tensors of a call must be from the same graph. "
                                 f"{cure_for(tensor)}")  # fmt: skip
    x_list, stops = [counterpart(graph, x) for x in x_list], [counterpart(graph, stop) for stop in stops]
    reads = _later_reads(graph, xs, x_list)
    every_x = [*x_list, *[read for each in reads.values() for read in each]]
    inside = scope_of_rule(graph)
    with graph.as_default(), folded_scope(graph, name):
        x_gradients = _outwards(graph, graph, y_list, weights, every_x, stops, colocate_gradients_with_ops, inside)
        later = iter(x_gradients[len(x_list) :])
        del x_gradients[len(x_list) :]
        for place, each in reads.items():
            parts = [g for g in (x_gradients[place], *islice(later, len(each))) if g is not None]
            x_gradients[place] = total(parts) if parts else None
        for place, x in enumerate(x_list):
            if x_gradients[place] is None and x.op.opdef.facts.state == "holds" and is_differentiable(x.dtype):
                _check_reads_inside(y_list, x)
        if wanted is UnconnectedGradients.ZERO:
            return Backward(graph, x_list).filled(x_gradients)
        return x_gradients


def _outwards(
    graph: Graph,
    level: Graph,
    ys: Sequence[Tensor],
    weights: Sequence[Any],
    xs: Sequence[Tensor],
    stops: Sequence[Tensor],
    colocate: bool,
    inside: str,
) -> list[Gradient | None]:
    """The gradients of tensors of `level`, built in `graph`; in a body also through what it captures from outside.

    Args:
        graph: the graph of the new nodes.
        level: `graph` or one around it.
        ys, weights, stops: as of `gradients`, the first in `level`.
        xs: tensors of `level` or of graphs around it.
        colocate: as of `gradients`.
        inside: a scope that the names of new nodes need not repeat.
    """
    own_stops = [level.admit(stop) for stop in stops]
    own_xs = [x for x in xs if x.graph is level]
    if level.outer is None or len(own_xs) == len(xs):
        return Backward(graph, xs, colocate, inside).run(ys, weights, own_stops)
    assert isinstance(level, InnerGraph)  # the others have none around them
    captured = list(level.captured.items())
    found = Backward(graph, [*own_xs, *[inner for _, inner in captured]], colocate, inside).run(ys, weights, own_stops)
    reached = [(outer, g) for (outer, _), g in zip(captured, found[len(own_xs) :], strict=True) if g is not None]
    further = _outwards(graph, level.outer, [outer for outer, _ in reached], [g for _, g in reached],
                        [x for x in xs if x.graph is not level], [s for s in stops if s.graph is not level],
                        colocate, inside)  # fmt: skip
    here, there = iter(found), iter(further)
    return [next(here if x.graph is level else there) for x in xs]


def _later_reads(graph: Graph, xs: Any, tensors: Sequence[Tensor]) -> dict[int, list[Tensor]]:
    """For each x that is a variable, by its place, the nodes that read it besides its own: after control inputs."""
    items = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    variables = {tensors[i].op.name: i for i, item in enumerate(items) if isinstance(item, TensorSource)}
    found: dict[int, list[Tensor]] = {}
    if variables:
        for op in graph.get_operations():
            if op.opdef.facts.state == "reads" and not op.inputs and op.args[0] in variables:
                found.setdefault(variables[op.args[0]], []).append(op.outputs[0])
    return found


def _check_reads_inside(ys: Sequence[Tensor], variable: Tensor) -> None:
    """Raise LookupError if ys depend on a variable that a branch or loop only reads inside, by a node of its own.

    No gradient passes there: the body does not capture the variable.
    """
    name = variable.op.args[0]
    holders = [op for op in variable.graph.get_operations() if op.opdef.bodies and name in touched_by(op)[0]]
    if not holders:
        return
    seen = {y.op for y in ys}
    waiting = list(seen)
    while waiting:
        above = [t.op for t in waiting.pop().inputs]
        waiting += [op for op in dict.fromkeys(above) if op not in seen]
        seen.update(above)
    for op in holders:
        if op in seen and name not in touched_by(op)[1]:
            raise LookupError(
                f"gradients: {op.name!r}, {op.origin.made}, reads the variable {name!r} inside with read_value(), "
                "where no gradient passes. Use the variable itself inside, or read it outside"
            )


def folded_scope(graph: Graph, name: str) -> NameScope:
    """The scope of derivatives, which pictures draw as one box at first; a scope entered again stays."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{name!r} is no name of a scope; give a string")
    return graph.name_scope(name, show="folded" if name and not name.endswith("/") else None)


def scope_of_rule(graph: Graph) -> str:
    """The scope that holds now, in a call inside a rule, as of recomputed values: names need not say it twice."""
    around = graph.surroundings
    return around.prefix if around.origins else ""


class Backward:
    """One call of `gradients`: what has reached each tensor so far.

    Args:
        graph: the graph.
        xs: the tensors whose gradients are asked for.
        colocate: whether new nodes ask for the devices of the operations that they belong to.
        inside: a scope that the names of new nodes need not repeat.
    """

    def __init__(
        self, graph: Graph, xs: Sequence[Tensor], colocate: bool = False, inside: str | None = None
    ) -> None:
        self._graph = graph
        self._xs = xs
        self._colocate = colocate
        self._inside = scope_of_rule(graph) if inside is None else inside
        self._pending: dict[Tensor, list[Gradient]] = {}
        self._arrived: dict[Tensor, int] = {}
        self._final: dict[Tensor, Gradient | None] = {}

    def run(self, ys: Sequence[Tensor], weights: Sequence[Any], stops: Sequence[Tensor]) -> list[Gradient | None]:
        """Build the nodes, in the scope that holds now; a gradient for each x, or None."""
        path = between(ys, self._xs, stops)
        is_x = set(self._xs)
        for place, (y, weight) in enumerate(zip(ys, weights, strict=True)):
            if y in path.reached or y in is_x:  # an int that is its own x has its weights, as in TensorFlow
                with self._at(y.op, place):
                    self._pending.setdefault(y, []).append(_seed(self._graph, place, y, weight))
        for op in reversed(path.operations):
            if not any(out in self._pending for out in op.outputs):
                continue
            with self._at(op):
                incoming = [self._take(out) for out in op.outputs]
                for out, gradient in zip(op.outputs, incoming, strict=True):
                    if out in is_x:
                        self._final[out] = gradient
                self._pass_on(op, incoming, path.reached)
        for x in self._xs:
            if x not in self._final:
                with self._at(x.op):
                    self._final[x] = self._take(x)
        return [self._final[x] for x in self._xs]

    def filled(self, x_gradients: Sequence[Gradient | None]) -> list[Gradient | None]:
        """Zeros in place of each None."""
        filled = list(x_gradients)
        for place, x in enumerate(self._xs):
            if filled[place] is None:
                with self._at(x.op, place):
                    filled[place] = ops.zeros_like(x)
        return filled

    def _pass_on(self, op: Operation, incoming: Sequence[Gradient | None], reached: Any) -> None:
        try:
            for tensor, gradient in input_gradients(op, incoming, reached):
                self._arrive(tensor, gradient)
        except Exception as error:
            error.add_note(f"This is the gradient of {op.name!r}, {op.type} {op.origin.made}.")
            raise

    def _arrive(self, tensor: Tensor, gradient: Gradient) -> None:
        """Add to what has reached a tensor: at once where that is one op, so that a run need not keep all parts."""
        parts = self._pending.setdefault(tensor, [])
        parts.append(gradient)
        if len(parts) > 1 and may_add(parts):
            count = self._arrived[tensor] = self._arrived.get(tensor, 1) + 1
            # Many parts, as of a weight that all steps share, would wait for each other in one group of additions.
            parts[:] = [total(parts, one_op=count > _FUSED_PARTS)]

    def _take(self, tensor: Tensor) -> Gradient | None:
        """The sum of what has reached a tensor."""
        found = self._pending.pop(tensor, None)
        return None if found is None else total(found)

    @contextmanager
    def _at(self, op: Operation, seed: int | None = None) -> Iterator[None]:
        """Inside, nodes belong to the gradient of `op`: their scope, their line and, if asked for, their device."""
        around = self._graph.surroundings
        prefix, origins, device = around.prefix, around.origins, around.device
        origin = op.origin
        around.origins = (GradientOrigin(origin.file, origin.line, origin.function, op.name),)
        if seed is None:
            around.prefix = f"{prefix}{op.name.removeprefix(self._inside)}_grad/"
        if self._colocate:
            around.device = op.device
        try:
            yield
        finally:
            around.prefix, around.origins, around.device = prefix, origins, device


def _seed(graph: Graph, place: int, y: Tensor, weight: Any) -> Gradient:
    """The gradient that the walk starts with at a y."""
    if weight is None:
        if y.dtype.is_variant:
            raise DTypeError(f"gradients: ys[{place}] {y.name!r} is a TensorArray or a wrapped tensor; give a tensor "
                             "that is computed from it, such as array.stack()")  # fmt: skip
        if y.dtype.is_complex:
            raise DTypeError(f"gradients: Gradients of complex tensors must set grad_ys: ys[{place}] {y.name!r} is "
                             f"{y.dtype}")  # fmt: skip
        number = True if y.dtype.is_bool else 1
        if y.shape.ndims == 0:
            return ops.constant(number, y.dtype, name=f"grad_ys_{place}")
        one = ops.constant(number, y.dtype, name=f"grad_ys_{place}/one")
        return ops.broadcast_to(one, ops.shape(y, f"grad_ys_{place}/shape"), f"grad_ys_{place}")
    converted = weight
    if not isinstance(weight, (Tensor, IndexedSlices)):
        converted = ops.convert_to_tensor(weight, y.dtype, f"grad_ys_{place}")
    seed: Gradient = converted
    if seed.graph is not graph and not graph.admits(seed if isinstance(seed, Tensor) else seed.values):
        part = seed.values if isinstance(seed, IndexedSlices) else seed
        raise GraphError(f"gradients: grad_ys[{place}] {part.name!r} belongs to {seed.graph}, ys[{place}] {y.name!r} "
                         f"to {graph}; all tensors of a call must be from the same graph. "
                         f"{cure_for(part)}")  # fmt: skip
    if seed.dtype is not y.dtype:
        raise DTypeError(f"gradients: grad_ys[{place}] is {seed.dtype}, ys[{place}] {y.name!r} is {y.dtype}; they "
                         f"must be of one dtype. Write tf.cast(..., tf.{y.dtype})")  # fmt: skip
    if not seed.shape.is_compatible_with(y.shape):
        raise ShapeError(f"gradients: grad_ys[{place}] has shape {seed.shape}, ys[{place}] {y.name!r} has {y.shape}; "
                         "there is a weight for each element")  # fmt: skip
    return seed


def as_tensors(
    call: str, label: str, values: Any, any_dtype: bool = False, any_number: bool = False
) -> list[Tensor]:
    """The tensors of a list, or of one tensor; TypeError if there is something else among them.

    They have derivatives, unless `any_number` admits ints and bools, or `any_dtype` everything.
    """
    items = list(values) if isinstance(values, (list, tuple)) else [values]
    tensors: list[Tensor] = []
    for place, item in enumerate(items):
        at = f"{label}[{place}]" if isinstance(values, (list, tuple)) else label
        tensor = ops.convert_to_tensor(item) if isinstance(item, (IndexedSlices, *conversions.kinds)) else item
        if isinstance(tensor, TensorSource):
            tensor = tensor.element
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{call}: {at} is {item!r}; give a tensor or a list of tensors of the graph")
        admits = any_dtype or (any_number and not tensor.dtype.is_string)
        if not admits and not is_differentiable(tensor.dtype):
            kind = "ints have" if tensor.dtype.is_integer else f"{tensor.dtype}s have"
            raise DTypeError(f"{call}: {at} {tensor.name!r} is {tensor.dtype}, {tensor.op.origin.made}, and {kind} "
                             "no derivative; give a tensor of floats or complex numbers")  # fmt: skip
        tensors.append(tensor)
    return tensors


def _weights(grad_ys: Any, count: int) -> list[Any]:
    if grad_ys is None:
        return [None] * count
    weights = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(weights) != count:
        raise ValueRuleError(f"gradients: Length mismatch. Passed {len(weights)} grad_ys for {count} ys; give one for "
                             "each y, None for ones")  # fmt: skip
    first_tensor(weights)
    return weights


def _unconnected(given: UnconnectedGradients | str) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(given)
    except ValueError:
        raise ValueError(
            f"gradients: Unknown value for unconnected_gradients: {given!r}; it is 'none' or 'zero'"
        ) from None
