"""`while_loop`: a function that is run again on its own results, as long as a condition holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import BuildError, DTypeError, ShapeError, UseError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import target_graph
from ..graph.model.nodes import Graph, Tensor
from ..graph.shapes.dimension import Dim, unknown
from ..graph.shapes.dtypes import int64
from ..graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..ops.control.while_op import keeps_shape, while_op
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.held_graphs import outer_symbols
from ..ops.elementwise.casting import cast
from .call_errors import all_or_told
from .structures import differs, flat, packed, seen_from_outside
from .tracing import TracedFunction, sizes_outside, traced
from .unneeded_effects import warn_of_unneeded_effects

_MOST_TRACES = 8


@hides_frames
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: TensorLike | None = None,
    return_same_structure: bool = False,
) -> Any:
    """The values that `loop_vars` have once `cond` does not hold any more: `body` is run on them again and again.

    Both functions are called while the graph is built, and what they build is a graph of its own. They take as many
    arguments as there are loop variables. Tensors from outside may be used inside; they are the same in every
    iteration.

    A loop variable keeps its dtype. Where its static shape gives a size as a number, it keeps that too, unless
    `shape_invariants` leaves the size open; other sizes may change.

    Args:
        cond: a function of the loop variables that gives a scalar bool.
        body: a function of the loop variables that gives their next values, in the same structure.
        loop_vars: a list or tuple of tensors, or of nested structures of tensors.
        shape_invariants: for each loop variable a shape that it has in all iterations.
        parallel_iterations: a positive int, accepted for TensorFlow's sake: iterations run one after the other.
        back_prop: whether the loop has a gradient.
        swap_memory: accepted for TensorFlow's sake.
        name: the name of the node.
        maximum_iterations: a scalar int: the loop ends after so many iterations, whatever `cond` says.
        return_same_structure: whether a list of one loop variable stays a list; otherwise the tensor is the result.

    Returns:
        A structure like `loop_vars` with the last values.

    Raises:
        TypeError: a function is not callable, or a loop variable changes its dtype.
        ValueError: a loop variable changes its shape, the structure changes, or `loop_vars` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     i, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + tf.to_float(i)), [0, 0.0])
    ...     print(session.run([i, total]))
    [np.int32(5), np.float32(10.0)]

    Source: TensorFlow 1.x, `tf.while_loop`.
    """
    for label, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise UseError(f"while_loop: '{label}' must be callable, not {function!r}")
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise UseError(f"while_loop: 'parallel_iterations' must be a positive integer, not {parallel_iterations!r}")
    variables = list(loop_vars) if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    if not flat(variables):
        raise ValueRuleError("while_loop: 'loop_vars' must not be empty: a loop without variables does not end")

    for i, each in enumerate(flat(variables)):
        if each is None:
            raise UseError(f"while_loop: element {i} of 'loop_vars' is None; a loop variable begins with a tensor or a "
                           "number, such as 0.0")  # fmt: skip

    def build() -> Any:
        return _Loop(cond, body, variables, loop_vars, shape_invariants, back_prop, maximum_iterations).built(
            name or "while"
        )

    results = all_or_told("while_loop", [*flat(variables), maximum_iterations], build)
    if not return_same_structure and isinstance(results, (list, tuple)) and len(flat(results)) == 1:
        return results[0]
    return results


class _Open(BaseException):
    """A body was built for sizes that do not stay: it is built again with these shapes."""

    def __init__(self, shapes: list[TensorShape]) -> None:
        super().__init__()
        self.shapes = shapes


def settled(
    graph: Graph,
    call: str,
    once: Callable[[Sequence[TensorShape]], TracedFunction],
    tensors: Sequence[Tensor],
    shapes: Sequence[TensorShape],
) -> TracedFunction:
    """A body whose loop variables keep their shapes: it is built again, with open sizes for those that change.

    Args:
        graph: the graph around the loop.
        call: the name of the call in errors.
        once: builds the body for the shapes of the loop variables.
        tensors: the loop variables when the loop starts.
        shapes: their shapes inside, to begin with.

    Raises:
        TypeError: a loop variable changes its dtype.
        ShapeError: a size that is a number changes.
    """
    tried = list(shapes)
    for _ in range(_MOST_TRACES):
        try:
            return graph.journal.all_around_or_nothing(_checked, call, once, tensors, tried)
        except _Open as found:
            tried = found.shapes
    raise ShapeError(f"{call}: the shapes of the loop variables do not settle; give shape_invariants")


def _checked(
    call: str,
    once: Callable[[Sequence[TensorShape]], TracedFunction],
    tensors: Sequence[Tensor],
    shapes: list[TensorShape],
) -> TracedFunction:
    function = once(shapes)
    graph = function.graph
    known = outer_symbols(tensors, graph.inputs[: len(tensors)])
    opened = list(shapes)
    is_open = False
    for i, (tensor, before, after) in enumerate(zip(tensors, graph.inputs, graph.outputs, strict=False)):
        if before.dtype is not after.dtype:
            raise DTypeError(
                f"{call}: loop variable {i} is {before.dtype} when the loop starts ({tensor.op.origin.place}) and "
                f"{after.dtype} after one iteration ({after.op.origin.place}); a loop variable keeps its dtype. Write "
                f"tf.cast(..., tf.{before.dtype}) in the body"
            )
        if not keeps_shape(before.shape, after.shape, known):
            opened[i] = _loosened(call, i, tensor, before, after)
            is_open = True
    if is_open:
        raise _Open(opened)
    return function


class _Loop:
    """One call of `while_loop`."""

    def __init__(
        self,
        cond: Callable[..., Any],
        body: Callable[..., Any],
        variables: list[Any],
        like: Any,
        invariants: Any,
        back_prop: bool,
        most: Any,
    ) -> None:
        self._cond = cond
        self._body = body
        self._variables = variables
        self._like = like if isinstance(like, (list, tuple)) else variables
        self._invariants = invariants
        self._back_prop = back_prop
        self._most = most

    def built(self, name: str) -> Any:
        """The structure of last values."""
        graph = target_graph(first_tensor(flat(self._variables)))
        with graph.name_scope(name) as scope:
            tensors = [_initial(graph, i, leaf) for i, leaf in enumerate(flat(self._variables))]
            structure = packed(self._variables, tensors)
            shapes = self._shapes(tensors, structure)
            step = settled(graph, "while_loop", lambda found: self._once(tensors, found, structure), tensors, shapes)
            shapes = [t.shape for t in step.graph.inputs[: len(tensors)]]
            goes_on = traced("while_loop: cond", self._cond, tensors, "cond", shapes,
                             lambda inputs: packed(structure, inputs), _condition, structure)  # fmt: skip
            warn_of_unneeded_effects("while_loop", [("cond", goes_on), ("body", step)])
            limit = None if self._most is None else _limit(self._most)
            outputs = while_op(limit, tensors, goes_on.graph, step.graph, len(tensors), back_prop=bool(self._back_prop),
                               name=scope)  # fmt: skip
        last = packed(seen_from_outside(structure, [step.structure], sizes_outside(step.graph)),
                      outputs[: len(tensors)])  # fmt: skip
        if hasattr(self._like, "_fields"):
            return type(self._like)(*last)
        return tuple(last) if isinstance(self._like, tuple) else last

    def _shapes(self, tensors: Sequence[Tensor], structure: Any) -> list[TensorShape]:
        """The static shapes of the loop variables inside, as far as they are known before the body is built."""
        if self._invariants is None:
            return [t.shape for t in tensors]
        invariants = _flat_shapes(structure, self._invariants)
        shapes = []
        for i, (tensor, shape) in enumerate(zip(tensors, invariants, strict=True)):
            if shape is None or tensor.dtype.is_variant:
                shapes.append(tensor.shape)
                continue
            if not tensor.shape.is_compatible_with(shape) or not _allows(shape, tensor.shape):
                raise ShapeError(f"while_loop: The shape invariant specified for {tensor.name} is not compatible with "
                                 f"the initial shape of the loop variable. It enters the loop with shape "
                                 f"{tensor.shape}, but the specified shape invariant is {shape} (loop variable "
                                 f"{i})")  # fmt: skip
            shapes.append(_opened(shape, tensor))
        return shapes

    def _once(self, tensors: Sequence[Tensor], shapes: Sequence[TensorShape], structure: Any) -> TracedFunction:
        return traced("while_loop: body", self._body, tensors, "body", shapes,
                      lambda inputs: packed(structure, inputs), lambda found: self._next(found, structure),
                      structure)  # fmt: skip

    def _next(self, results: Any, structure: list[Any]) -> Any:
        """What the body returned, in the structure of the loop variables."""
        if len(structure) == 1 and not (isinstance(results, (list, tuple)) and len(results) == 1
                                        and differs(structure, results) is None):  # fmt: skip
            results = [results]
        if isinstance(results, tuple) and not hasattr(results, "_fields"):
            results = list(results)
        if not isinstance(results, list):
            results = [results] if len(structure) == 1 else results
        different = differs(structure, results)
        if different:
            raise ValueRuleError(f"while_loop: the body must return the loop variables in the structure of loop_vars: "
                                 f"{different} (loop_vars, body)")  # fmt: skip
        return results


def _condition(found: Any) -> Any:
    """What the condition returned: one bool."""
    if isinstance(found, (list, tuple)) and len(found) == 1:
        found = found[0]
    if found is None or isinstance(found, (list, tuple, dict)):
        raise UseError(f"while_loop: cond must return a boolean scalar, not {found!r}")
    tensor = convert_to_tensor(found)
    if not tensor.dtype.is_bool:
        raise DTypeError(f"while_loop: cond must return a boolean scalar, not {tensor.dtype} "
                         f"({tensor.op.origin.place}); compare it with something, such as i < 10")  # fmt: skip
    if tensor.shape.ndims not in (0, None):
        raise ShapeError(f"while_loop: cond must return a boolean scalar, not shape {tensor.shape} "
                         f"({tensor.op.origin.place}); write tf.reduce_all or tf.reduce_any around it")  # fmt: skip
    return tensor


def _limit(most: Any) -> Tensor:
    tensor = convert_to_tensor(most, name="limit")
    if not tensor.dtype.is_integer:
        raise DTypeError(f"while_loop: 'maximum_iterations' must be an int, not {tensor.dtype}: {most!r}")
    if tensor.shape.ndims not in (0, None):
        raise ShapeError(f"while_loop: 'maximum_iterations' must be a scalar, not of shape {tensor.shape}: {most!r}")
    return cast(tensor, int64)


def _initial(graph: Graph, place: int, leaf: Any) -> Tensor:
    try:
        tensor: Tensor = graph.admit(convert_to_tensor(leaf))
    except BuildError as error:
        error.attempt = error.attempt or f"while_loop: loop_vars, element {place}"
        raise
    return tensor


def _allows(shape: TensorShape, given: TensorShape) -> bool:
    """Whether every tensor of static shape `given` has the shape that is asked for."""
    if shape.raw is None:
        return True
    if given.raw is None or len(given.raw) != len(shape.raw):
        return False
    return all(not isinstance(size, int) or size == have for size, have in zip(shape.raw, given.raw, strict=True))


def _opened(shape: TensorShape, tensor: Tensor) -> TensorShape:
    """An invariant with a new unknown size where it gives none; a size with a name stays."""
    if shape.raw is None:
        return unknown_rank("shape_invariants says so", tensor)
    return shape_of([size if isinstance(size, int) or size.is_named else _open_size(tensor) for size in shape.raw])


def _open_size(tensor: Tensor) -> Dim:
    return unknown("it may change from one iteration of the loop to the next", tensor)


def _loosened(call: str, place: int, tensor: Tensor, before: Tensor, after: Tensor) -> TensorShape:
    """The shape of a loop variable with open sizes where they change.

    Raises:
        ShapeError: a size that is a number changes, or the rank does.
    """
    old, new = before.shape.raw, after.shape.raw
    assert old is not None  # an unknown shape stays what it is
    if new is not None and len(new) == len(old) and all(a == b or not isinstance(b, int)
                                                        for a, b in zip(new, old, strict=True)):  # fmt: skip
        return shape_of([b if a == b else _open_size(tensor) for a, b in zip(new, old, strict=True)])
    raise ShapeError(
        f"{call}: The shape for loop variable {place} is not an invariant for the loop: it enters the loop with "
        f"shape {before.shape} ({tensor.op.origin.place}), but has shape {after.shape} after one iteration "
        f"({after.op.origin.place})",
        cure="Leave the size open with shape_invariants, such as tf.TensorShape([None]), or call set_shape in the "
             "body if it does stay.",
    )  # fmt: skip


def _flat_shapes(structure: Any, invariants: Any) -> list[TensorShape | None]:
    """A shape for each leaf, from a structure of shapes."""
    if isinstance(invariants, tuple):
        invariants = list(invariants)
    found: list[TensorShape | None] = []
    _pair(structure, invariants, found, "shape_invariants")
    return found


def _pair(structure: Any, shapes: Any, flat_shapes: list[TensorShape | None], at: str) -> None:
    if isinstance(structure, Tensor):
        try:
            flat_shapes.append(None if shapes is None else TensorShape(shapes))
        except (TypeError, ValueError) as error:
            raise UseError(f"while_loop: {at} is {shapes!r}; give a tf.TensorShape for each loop variable") from error
        return
    leaves = flat(structure)
    if not isinstance(shapes, (list, tuple, dict)) and len(leaves) == 1:
        _pair(leaves[0], shapes, flat_shapes, at)
        return
    if shapes is None or isinstance(shapes, TensorShape):
        flat_shapes.extend([None] * len(leaves))
        return
    keys = sorted(structure) if isinstance(structure, dict) else range(len(structure))
    if not isinstance(shapes, (list, tuple, dict)) or len(shapes) != len(structure):
        raise ValueRuleError(f"while_loop: {at} has another structure than loop_vars: {shapes!r}")
    for key in keys:
        _pair(structure[key], shapes[key], flat_shapes, f"{at}[{key!r}]")
