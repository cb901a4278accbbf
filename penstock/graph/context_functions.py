"""Which `with` blocks work on the default graph?

`tf.name_scope`, `tf.device` and `tf.control_dependencies`: the graph's own methods, on whichever graph is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..errors import GraphError
from .convert import first_tensor
from .graph import get_default_graph, target_graph
from .nodes import Operation
from .scopes import ControlDependencies, DeviceScope, NameScope, Show


def name_scope(
    name: str | NameScope | None, default_name: str | None = None, values: Any = None, *, show: Show | None = None
) -> NameScope:
    """A `with` block whose nodes are called `name/...`.

    Args:
        name: the scope; taken already, it gets `_1`. With a trailing slash, or as a scope object, the same scope is
            entered again. None means `default_name`, or if that is None too, no scope at all.
        values: tensors whose graph is meant; the default graph where there are none.
        show: how pictures show the scope: "collapsed" as one box, "hidden" not at all, "open" as long as closing others
            is enough. Without it, `graph.export(depth=)` and the room on the picture decide. Saved with the graph.

    Raises:
        ValueError: not a valid name, or not a way to show it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     with tf.name_scope("tower") as scope:
    ...         a = tf.constant(1, name="a")
    ...     with tf.name_scope(scope):
    ...         b = tf.constant(2, name="b")
    ...     with tf.name_scope("tower"):
    ...         c = tf.constant(3, name="c")
    >>> a.name, b.name, c.name
    ('tower/a:0', 'tower/b:0', 'tower_1/c:0')

    Source: TensorFlow 1.x, `tf.name_scope`.
    """
    inner = first_tensor(values)
    graph = target_graph(inner)
    if values is not None and isinstance(values, (list, tuple)):
        for value in values:
            other = first_tensor(value)
            if other is not None and not graph.admits(other):
                raise GraphError(f"name_scope: {other.name!r} belongs to {other.op.graph}, other values to {graph}")
    return graph.name_scope(default_name if name is None else name, show)


def device(device_name: str | Callable[[Operation], str | None] | None) -> DeviceScope:
    """A `with` block whose nodes ask for a device, such as "/gpu:0"; None asks for none again.

    A function is called with each new operation and names its device; what it leaves open the block around decides.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.device("/cpu:0"):
    ...     print(tf.constant(1).device)
    ...     with tf.device(lambda op: "/gpu:0" if op.type == "Sum" else None):
    ...         print(tf.reduce_sum([1, 2]).device, tf.constant(1).device)
    /cpu:0
    /gpu:0 /cpu:0

    Raises:
        ValueError: not a device's name; TypeError: neither a name nor a function.

    Source: TensorFlow 1.x, `tf.device`.
    """
    return get_default_graph().device(device_name)


def control_dependencies(control_inputs: Iterable[Any] | None) -> ControlDependencies:
    """A `with` block whose nodes run after `control_inputs` (operations or tensors); None forgets the blocks around.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     first = tf.constant(1, name="first")
    ...     with tf.control_dependencies([first]):
    ...         second = tf.constant(2, name="second")
    >>> second.op.control_inputs
    (<Operation 'first' Const>,)

    Source: TensorFlow 1.x, `tf.control_dependencies`.
    """
    return get_default_graph().control_dependencies(control_inputs)
