"""Products with derivatives: `jvp`, a directional derivative, and `hessians`, matrices of second derivatives."""

from __future__ import annotations

from typing import Any

from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from . import rule_namespace as ops
from .backward import as_tensors, folded_scope, gradients


@hides_frames
def jvp(ys: Any, xs: Any, tangents: Any, name: str = "jvp") -> list[Tensor | None]:
    """The derivative of each of `ys` in the direction `tangents`: how it changes when the `xs` move that way.

    It is computed by two backward passes: the gradient is linear in its weights, and the gradient of that with respect
    to the weights is the product. Nodes that only the first pass needs are not run.

    Args:
        ys: a tensor or a list of tensors, floats.
        xs: a tensor or a list of tensors, floats.
        tangents: for each of `xs` a tensor of its shape and dtype.
        name: the name of the scope of the new nodes.

    Returns:
        A list with a tensor for each of `ys`, of its shape and dtype; None for one that depends on no x.

    Raises:
        TypeError: an element is no tensor of floats, or a tangent has another dtype than its x.
        ValueError: there are not as many tangents as xs, or one has another shape than its x.
        LookupError: an op on the way says nothing about its derivative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0, 2.0, 3.0])
    ...     print(session.run(tf.jvp(x * x, x, [1.0, 0.0, -1.0])))
    [array([ 2.,  0., -6.], dtype=float32)]
    """
    y_list, x_list = as_tensors("jvp", "ys", ys), as_tensors("jvp", "xs", xs)
    directions = list(tangents) if isinstance(xs, (list, tuple)) else [tangents]
    if len(directions) != len(x_list):
        raise ValueRuleError(f"jvp: {len(directions)} tangents for {len(x_list)} xs; give one for each")
    if not y_list:
        return []
    graph = y_list[0].graph

    def build() -> list[Tensor | None]:
        with graph.as_default(), folded_scope(graph, name):
            moves = [_tangent(place, x, each) for place, (x, each) in enumerate(zip(x_list, directions, strict=True))]
            return [_along(y, x_list, moves) for y in y_list]

    return graph.journal.all_or_nothing(build)


def _along(y: Tensor, xs: list[Tensor], moves: list[Tensor]) -> Tensor | None:
    weight = ops.zeros_like(y, name="weight")  # its value does not matter
    slopes = [(ops.convert_to_tensor(g), move)
              for g, move in zip(gradients(y, xs, grad_ys=weight), moves, strict=True) if g is not None]  # fmt: skip
    if not slopes:
        return None
    (found,) = gradients([g for g, _ in slopes], weight, grad_ys=[move for _, move in slopes])
    return ops.zeros_like(y) if found is None else ops.convert_to_tensor(found)


def _tangent(place: int, x: Tensor, given: Any) -> Tensor:
    move = given if isinstance(given, Tensor) else ops.convert_to_tensor(given, x.dtype)
    if move.dtype is not x.dtype:
        raise DTypeError(f"jvp: tangents[{place}] is {move.dtype}, xs[{place}] {x.name!r} is {x.dtype}; they must be "
                         "of one dtype")  # fmt: skip
    if not move.shape.is_compatible_with(x.shape):
        raise ShapeError(f"jvp: tangents[{place}] has shape {move.shape}, xs[{place}] {x.name!r} has {x.shape}; a "
                         "tangent says for each element how fast it moves")  # fmt: skip
    return move


@hides_frames
def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """The second derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: a tensor or a list of tensors, floats.
        xs: a tensor or a list of tensors, floats whose shapes are fully known.
        name: the name of the scope of the new nodes.
        colocate_gradients_with_ops, gate_gradients, aggregation_method: as in `gradients`.

    Returns:
        A list with a tensor for each x, of shape x.shape + x.shape: at [i, j] the derivative of the sum with respect to
        the elements i and j of x. There is a backward pass for each element of x.

    Raises:
        TypeError: an element is no tensor of floats.
        ValueError: the shape of an x is not fully known.
        LookupError: an op on the way says nothing about its derivative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0, 2.0])
    ...     print(session.run(tf.hessians(x[0] * x[0] * x[1], x))[0])
    [[4. 2.]
     [2. 0.]]

    Source: TensorFlow 1.x, `tf.hessians`.
    """
    y_list, x_list = as_tensors("hessians", "ys", ys), as_tensors("hessians", "xs", xs)
    for place, x in enumerate(x_list):
        if not x.shape.is_fully_defined():
            raise ShapeError(f"hessians: xs[{place}] {x.name!r} has shape {x.shape}; it must be fully known, because "
                             "there is a backward pass for each element. Give the placeholder its sizes")  # fmt: skip
    if not y_list or not x_list:
        return []
    graph = y_list[0].graph
    options = {"colocate_gradients_with_ops": colocate_gradients_with_ops, "gate_gradients": gate_gradients,
               "aggregation_method": aggregation_method, "unconnected_gradients": "zero"}  # fmt: skip

    def build() -> list[Tensor]:
        with graph.as_default(), folded_scope(graph, name):
            return [_hessian(y_list, x, options) for x in x_list]

    return graph.journal.all_or_nothing(build)


def _hessian(ys: list[Tensor], x: Tensor, options: dict[str, Any]) -> Tensor:
    (slope,) = gradients(ys, x, **options)
    sizes = x.shape.as_list()
    flat = ops.reshape(ops.convert_to_tensor(slope), [-1])
    count = flat.shape[0].value or 0
    rows = [gradients(flat[place], x, **options)[0]
            for place in range(count)]  # fmt: skip
    if not rows:
        return ops.zeros([*sizes, *sizes], x.dtype)
    return ops.reshape(ops.pack([ops.convert_to_tensor(row) for row in rows]), [*sizes, *sizes])
