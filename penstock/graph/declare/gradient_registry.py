"""Gradients that programs register by name, and the operations of a graph that have one of their own.

A gradient of an operation is, in this order: the one that `gradient_override_map` or `custom_gradient` gave it, the one
of its op's declaration, and the one registered under the type of the op.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar

from ..common.tracebacks import hides_frames, hides_frames_of_methods
from ..model.context import Surroundings
from ..model.journal import Journal, entry

F = TypeVar("F", bound=Callable[..., Any])
RegisteredGradient: TypeAlias = Callable[..., Any]
"""(operation, *gradients of its outputs) -> a gradient for each input: the form of TensorFlow 1."""

REGISTERED: dict[str, RegisteredGradient | None] = {}
"""What `RegisterGradient` and `NotDifferentiable` have entered; None: not differentiable."""


@hides_frames_of_methods
class RegisterGradient:
    """A decorator that registers a gradient under the type of an op, or under a name for `gradient_override_map`.

    The function gets the operation and a gradient for each of its outputs, zeros where nothing comes in, and returns a
    gradient for each input: a tensor, an `IndexedSlices` or None; a single one need not be a list.

    Args:
        op_type: the type of the op, or a name of your own.

    Raises:
        TypeError: `op_type` is not a string.
        KeyError (when it decorates): something is registered under that name already.

    >>> import penstock as tf
    >>> @tf.RegisterGradient("DoubledForExample")
    ... def doubled(op, grad):
    ...     return 2.0 * grad
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant(3.0)
    ...     with session.graph.gradient_override_map({"Identity": "DoubledForExample"}):
    ...         y = tf.identity(x)
    ...     print(session.run(tf.gradients(y, x)))
    [np.float32(2.0)]

    Source: TensorFlow 1.x, `tf.RegisterGradient`.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"RegisterGradient({op_type!r}): op_type must be a string, such as 'Relu'")
        self.op_type = op_type

    def __call__(self, f: F) -> F:
        _register("RegisterGradient", self.op_type, f)
        return f


@hides_frames
def not_differentiable(op_type: str) -> None:
    """States that ops of a type have no derivative: `tf.gradients` stops there and gives None.

    Args:
        op_type: the type of the op.

    Raises:
        TypeError: `op_type` is not a string.
        KeyError: a gradient is registered under that name already.

    >>> import penstock as tf
    >>> tf.NotDifferentiable("CountForExample")

    Source: TensorFlow 1.x, `tf.NotDifferentiable`.
    """
    if not isinstance(op_type, str):
        raise TypeError(f"NotDifferentiable({op_type!r}): op_type must be a string, such as 'Relu'")
    _register("NotDifferentiable", op_type, None)


NotDifferentiable = NoGradient = not_differentiable


def _register(call: str, name: str, function: RegisteredGradient | None) -> None:
    if name in REGISTERED:
        found = REGISTERED[name]
        code = getattr(found, "__code__", None)
        place = f", at {os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code is not None else ""
        raise KeyError(f"{call}({name!r}): a gradient of that name is registered already{place}; choose another name, "
                       "and use it with graph.gradient_override_map")  # fmt: skip
    REGISTERED[name] = function


class HasSurroundings(Protocol):
    """What an override block needs of a graph."""

    surroundings: Surroundings


class GraphGradients:
    """The part of a `Graph` that knows which of its operations have gradients of their own."""

    surroundings: Surroundings
    journal: Journal
    lock: Any

    def __init__(self) -> None:
        self.own_gradients: dict[Any, RegisteredGradient | str] = {}
        """Operation -> its gradient, or the name under which that is registered."""

    @hides_frames
    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> GradientOverrides:
        """A `with` block whose operations of some types have other gradients than those of their op.

        Args:
            op_type_map: the type of an op -> the name under which `RegisterGradient` registered its gradient. The name
                is looked up by `tf.gradients`.

        Returns:
            A context manager.

        Raises:
            TypeError: it is not a dict of strings.

        >>> import penstock as tf
        >>> g = tf.Graph()
        >>> with g.as_default(), g.gradient_override_map({"Relu": "GuidedRelu"}):
        ...     y = tf.relu(tf.constant(1.0))
        >>> g.own_gradients[y.op]
        'GuidedRelu'

        Source: TensorFlow 1.x, `tf.Graph.gradient_override_map`.
        """
        if not isinstance(op_type_map, Mapping):
            raise TypeError(f"gradient_override_map({op_type_map!r}): this is not a dict from types of ops to names")
        for key, value in op_type_map.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"gradient_override_map: {key!r}: {value!r} is not a pair of strings, such as "
                                "'Relu': 'GuidedRelu'")  # fmt: skip
        return GradientOverrides(self, op_type_map)


def note_overrides(graph: GraphGradients, op: Any, overrides: tuple[tuple[str, str], ...]) -> None:
    """Note which of `overrides`, innermost last, concerns a new operation."""
    name = dict(overrides).get(op.type)
    if name is not None:
        give_gradient(graph, op, name)


def give_gradient(graph: GraphGradients, op: Any, gradient: RegisteredGradient | str) -> None:
    """Note that `op` has a gradient of its own."""
    with graph.lock:
        graph.journal.note(*entry(graph.own_gradients, op))
        graph.own_gradients[op] = gradient


class GradientOverrides:
    """The block of `Graph.gradient_override_map`."""

    def __init__(self, graph: HasSurroundings, names: Mapping[str, str]) -> None:
        self._graph = graph
        self._names = tuple(names.items())
        self._saved: list[tuple[tuple[str, str], ...]] = []

    def __enter__(self) -> None:
        around = self._graph.surroundings
        self._saved.append(around.overrides)
        around.overrides = around.overrides + self._names

    def __exit__(self, *exception: object) -> None:
        self._graph.surroundings.overrides = self._saved.pop()
