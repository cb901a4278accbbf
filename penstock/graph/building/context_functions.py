"""The `with` blocks of the default graph: names, devices and control dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import GraphError, UseError
from ..common.tracebacks import hides_frames
from ..devices.device_spec import DeviceSpec
from ..model.default_graph import get_default_graph, outermost, target_graph
from ..model.nodes import Operation
from ..model.scopes import Colocation, ControlDependencies, DeviceScope, NameScope, Show
from .convert import first_tensor


@hides_frames
def name_scope(
    name: str | NameScope | None, default_name: str | None = None, values: Any = None, *, show: Show | None = None
) -> NameScope:
    """A `with` block in which the names of new operations begin with `name/`.

    Args:
        name: the name of the scope; one that is taken gets `_1` and so on. A name with a trailing slash, or a scope, is
            entered again. None means `default_name`.
        default_name: the name where `name` is None; if it is None too, there is no new scope.
        values: tensors whose graph is meant; without them it is the default graph.
        show: how pictures show the scope: "collapsed" as one box, "folded" as one box unless a depth is given, "hidden"
            not at all, "open" as long as closing others is enough. Without it, `graph.export(depth=)` and the room on
            the picture decide. It is saved with the graph.

    Returns:
        A context manager, which gives the scope.

    Raises:
        TypeError: `name` is not a string, a scope or None.
        ValueError: `name` is not a valid name, or `show` is another word.

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


@hides_frames
def op_scope(values: Any, name: str | NameScope | None, default_name: str | None = None) -> NameScope:
    """A `with` block of a name scope: `tf.name_scope` with its arguments in the order of TensorFlow's first releases.

    Args:
        values: tensors whose graph is meant.
        name: the name of the scope, or None for `default_name`.
        default_name: the name where `name` is None.

    Returns:
        A context manager, which gives the scope.

    Raises:
        TypeError, ValueError: as in `tf.name_scope`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.op_scope([], None, "loss") as scope:
    ...     print(scope)
    loss/

    Source: TensorFlow 0.x, `tf.op_scope`.
    """
    return name_scope(name, default_name, values)


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """A `with` block that changes nothing: TensorFlow names the place of variables, and here each session has its own.

    Args:
        container_name: the name, which the block gives.

    Returns:
        A context manager, which gives the name.

    Raises:
        TypeError: `container_name` is not a string.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.container("train") as name:
    ...     print(name, tf.constant(1).name)
    train Const:0

    Source: TensorFlow 1.x, `tf.container`.
    """
    if not isinstance(container_name, str):
        raise UseError(f"container({container_name!r}): the name must be a string")
    yield container_name


@hides_frames
def device(device_name: str | DeviceSpec | Callable[[Operation], Any] | None) -> DeviceScope:
    """A `with` block whose operations ask for a device, such as "/gpu:0" or "/job:worker/task:1".

    Blocks inside one another are merged part by part, and the innermost decides: "/gpu:0" inside "/job:ps/cpu:0" is
    "/job:ps/device:GPU:0". Functions are called from the inside out. A function sees as `op.device` what the blocks
    inside of its own have named; what it gives takes the place of that, and blocks around fill in what is open.

    Args:
        device_name: a name; a `DeviceSpec`; a function that is called with each new operation and gives its name or
            DeviceSpec, or None to leave the choice to the other blocks; or None, which forgets the blocks around.

    Returns:
        A context manager.

    Raises:
        TypeError: none of these.
        ValueError: the name is not that of a device.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.device("/job:worker/cpu:0"):
    ...     print(tf.constant(1).device)
    ...     with tf.device(lambda op: "/gpu:0" if op.type == "Sum" else None):
    ...         print(tf.reduce_sum([1, 2]).device, tf.constant(1).device)
    /job:worker/device:CPU:0
    /job:worker/device:GPU:0 /job:worker/device:CPU:0

    Source: TensorFlow 1.x, `tf.device`.
    """
    return get_default_graph().device(device_name)


@hides_frames
def colocate_with(op: Any, ignore_existing: bool = False) -> Colocation:
    """A `with` block whose operations ask for the device of another operation, whatever the blocks around it say.

    Args:
        op: an operation, tensor or variable; None for no device.
        ignore_existing: accepted for TensorFlow's sake; None needs it.

    Returns:
        A context manager.

    Raises:
        TypeError: `op` is none of these.
        ValueError: `op` is None without `ignore_existing`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     with tf.device("/job:ps/task:0"):
    ...         w = tf.Variable(1.0)
    ...     with tf.device("/job:worker/task:1"), tf.colocate_with(w):
    ...         print(tf.constant(1).device)
    /job:ps/task:0

    Source: TensorFlow 1.x, `tf.colocate_with`.
    """
    return get_default_graph().colocate_with(op, ignore_existing)


@hides_frames
def control_dependencies(control_inputs: Iterable[Any] | None) -> ControlDependencies:
    """A `with` block whose operations run after `control_inputs`.

    Args:
        control_inputs: a list of operations, tensors or their names. None lifts the dependencies of the blocks around.

    Returns:
        A context manager.

    Raises:
        TypeError: it is not a list of operations and tensors.
        ValueError: one of them belongs to another graph.
        KeyError: no operation or tensor has that name.

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


@contextmanager
def init_scope() -> Iterator[None]:
    """A `with` block whose operations are built in the graph around all functions, and wait for nothing.

    What a branch, a body of a loop or a function of elements builds inside of it is built once, outside; control
    dependencies of blocks around count no more. Names begin with the scope of the graph outside.

    Returns:
        A context manager.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     first = tf.constant(1, name="first")
    ...     with tf.control_dependencies([first]), tf.init_scope():
    ...         second = tf.constant(2, name="second")
    >>> second.op.control_inputs
    ()

    Source: TensorFlow 1.x, `tf.init_scope`.
    """
    graph = outermost(get_default_graph())
    with graph.as_default(), graph.control_dependencies(None):
        yield
