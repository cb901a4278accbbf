"""Functions with gradients of their own: `custom_gradient`, and `recompute_grad`, which saves memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..errors import ValueRuleError
from ..graph.building.capturing import stand_ins
from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.gradient_registry import give_gradient
from ..graph.model.default_graph import target_graph
from ..graph.model.nodes import Graph, Operation, Tensor
from ..ops.control.identity_ops import identity_after, identity_n
from ..ops.random.reused_random_values import drawn_again, recorded_draws
from . import rule_namespace as ops
from .backward import gradients
from .gradient_paths import is_differentiable
from .rule_calls import is_refusal

F = TypeVar("F", bound=Callable[..., Any])


@hides_frames
def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for a function that builds its value and says how to compute its gradient.

    Args:
        f: a function of tensors. It returns (value, grad): a tensor or a list of tensors, and a function from a
            gradient for each of these to a gradient for each argument (a tensor, an `IndexedSlices` or None; a single
            one need not be a list).

    Returns:
        A function with the parameters of `f`, which returns the value. Its arguments become tensors.

    Raises:
        TypeError: `f` is not a function; when called: `f` does not return such a pair.
        ValueError (in `gradients`): the number of gradients is not that of the arguments.

    >>> import penstock as tf
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.log(1 + e), lambda g: g * (1 - 1 / (1 + e))
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant(100.0)
    ...     print(session.run(tf.gradients(log1pexp(x), x)))
    [np.float32(1.0)]

    Source: TensorFlow 1.x, `tf.custom_gradient`.
    """
    if not callable(f):
        raise TypeError(f"custom_gradient({f!r}): this is not a function")

    @functools.wraps(f)
    @hides_frames
    def call(*args: Any, **kwargs: Any) -> Any:
        graph = target_graph(first_tensor(list(args)))

        def build() -> Any:
            with graph.as_default():
                operands = [ops.convert_to_tensor(each) for each in args]
                found = f(*[ops.identity(each) for each in operands], **kwargs)
                if not isinstance(found, tuple) or len(found) != 2 or not callable(found[1]):
                    raise TypeError(f"custom_gradient: {f.__name__} returned {found!r}; it returns (value, grad), "
                                    "where grad is a function of the gradients of the value")  # fmt: skip
                return with_gradient(found[0], operands, found[1], f.__name__)

        return graph.journal.all_or_nothing(build)

    return call


def with_gradient(value: Any, operands: Sequence[Tensor], grad: Callable[..., Any], label: str) -> Any:
    """`value`, a tensor or a list of tensors, with `grad` as its gradient with respect to `operands`."""
    is_list = isinstance(value, (list, tuple))
    results = [ops.convert_to_tensor(each) for each in (value if is_list else [value])]
    # Of one node: the results get no gradient of their own, the operands get what `grad` says.
    passed = identity_n([*results, *operands], name=label if label.isidentifier() else "CustomGradient")

    def rule(op: Operation, *gs: Any) -> list[Any]:
        try:
            given = grad(*gs[: len(results)])
        except TypeError as error:
            if not is_refusal(error):
                raise
            raise TypeError(f"custom_gradient: the gradient of {label} must take a gradient for each of its "
                            f"{len(results)} values: {error}") from None  # fmt: skip
        found = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(found) != len(operands):
            raise ValueRuleError(f"custom_gradient: the gradient of {label} gives {len(found)} gradients for "
                                 f"{len(operands)} arguments; give one for each, None where there is none")  # fmt: skip
        return [None] * len(results) + found

    if passed:
        give_gradient(passed[0].graph, passed[0].op, functools.update_wrapper(rule, grad))
    outputs = passed[: len(results)]
    if not is_list:
        return outputs[0]
    return type(value)(outputs)


@hides_frames
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` whose gradient computes the values inside it again instead of keeping them.

    A run keeps only the arguments until the backward pass. In a chain of n layers that is cut into about sqrt(n) such
    functions the memory grows with sqrt(n), and the forward pass is done twice. The results of random ops are kept,
    so what is computed again has the same random numbers.

    Args:
        f: a function of tensors that returns a tensor or a list of tensors. Tensors that it takes from outside, such as
            weights, get gradients too.

    Returns:
        A function with the parameters of `f`.

    Raises:
        TypeError: `f` is not a function.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([0.0, 1.0])
    ...     y = tf.recompute_grad(lambda t: tf.square(tf.exp(t)))(x)
    ...     print(session.run(tf.gradients(y, x)))
    [array([ 2.      , 14.778114], dtype=float32)]

    Source: TensorFlow 2.x, `tf.recompute_grad`.
    """
    if not callable(f):
        raise TypeError(f"recompute_grad({f!r}): this is not a function")

    @functools.wraps(f)
    @hides_frames
    def call(*args: Any, **kwargs: Any) -> Any:
        graph = target_graph(first_tensor(list(args)))

        def build() -> Any:
            with graph.as_default():
                operands = [ops.convert_to_tensor(each) for each in args]
                start = len(graph)
                with recorded_draws() as drawn:
                    value = f(*operands, **kwargs)
                captured = _captured(graph, start, operands)

                def grad(*gs: Any) -> list[Any]:
                    return _again(f, operands, kwargs, captured, drawn, gs)

                return with_gradient(value, [*operands, *captured], grad, f.__name__)

        return graph.journal.all_or_nothing(build)

    return call


def _captured(graph: Graph, start: int, operands: Sequence[Tensor]) -> list[Tensor]:
    """The tensors with gradients that nodes made since `start` take from outside, besides `operands`."""
    outside = stand_ins(graph)  # in a body, what is used for the first time
    taken = dict.fromkeys(t for op in graph.operations_since(start) for t in op.inputs
                          if t.op.index < start or t in outside)  # fmt: skip
    return [t for t in taken if t not in operands and is_differentiable(t.dtype)]


def _again(
    f: Callable[..., Any],
    operands: Sequence[Tensor],
    kwargs: Any,
    captured: Sequence[Tensor],
    drawn: Sequence[Tensor],
    gs: Sequence[Any],
) -> list[Any]:
    """The gradients of `operands` and `captured`, from values that are computed again once `gs` are there."""
    after = [ops.convert_to_tensor(each) for each in gs if each is not None]
    with operands[0].graph.name_scope("recomputed"), drawn_again(drawn):
        again = [identity_after(each, after) for each in operands]
        value = f(*again, **kwargs)
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    wanted = [each for each in [*again, *captured] if is_differentiable(each.dtype)]
    found = dict(zip(wanted, gradients(values, wanted, grad_ys=list(gs), stop_gradients=again), strict=True))
    return [found.get(each) for each in [*again, *captured]]
