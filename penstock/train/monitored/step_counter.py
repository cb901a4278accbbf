"""The global step: an int variable that counts training steps."""

from __future__ import annotations

from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import DTypeError, ValueRuleError
from ...graph.building.convert import first_tensor
from ...graph.building.given_none import note_none
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph, outermost
from ...graph.model.nodes import Graph, Tensor
from ...graph.shapes.dtypes import int64
from ...variables.variable import Variable

GLOBAL_STEP = "global_step"


@hides_frames
def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps that were made, in a session.

    Args:
        sess: the session.
        global_step_tensor: the variable that counts steps.

    Returns:
        An int.

    Raises:
        TypeError: it is no variable or tensor.
        FailedPreconditionError: the variable has no value in that session.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     steps = tf.train.create_global_step()
    ...     session.run(steps.initializer)
    ...     print(tf.train.global_step(session, steps))
    0
    """
    if first_tensor(global_step_tensor) is None:
        raise DTypeError(f"global_step: global_step_tensor is {global_step_tensor!r}; give the variable that counts "
                         "steps, as tf.train.get_or_create_global_step() does")  # fmt: skip
    return int(sess.run(global_step_tensor))


@hides_frames
def get_global_step(graph: Graph | None = None) -> Variable | Tensor | None:
    """The global step of a graph: what the collection "global_step" holds, else what is called "global_step".

    Args:
        graph: the graph; None means the default graph.

    Returns:
        A variable or tensor; None if there is none.

    Raises:
        TypeError: it is no scalar of ints.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.train.get_global_step())
    None
    """
    home = outermost(get_default_graph() if graph is None else graph)
    listed = home.get_collection(GLOBAL_STEP)
    if len(listed) > 1:
        raise ValueRuleError(f"get_global_step: the collection {GLOBAL_STEP!r} of {home} holds {len(listed)} values: "
                             f"{[each.name for each in listed]}; there is one global step")  # fmt: skip
    found = listed[0] if listed else _named(home)
    if found is None:
        note_none(home, "tf.train.get_global_step()", "the graph has no global step yet; call "
                  "tf.train.get_or_create_global_step() instead")  # fmt: skip
    else:
        assert_global_step(found)
    return found


@hides_frames
def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the global step of a graph: an int64 variable of the name "global_step" that begins with 0.

    Args:
        graph: the graph; None means the default graph.

    Returns:
        The variable.

    Raises:
        ValueError: the graph has one.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.create_global_step().name
    'global_step:0'
    """
    home = outermost(get_default_graph() if graph is None else graph)
    found = get_global_step(home)
    if found is not None:
        raise ValueRuleError(f'create_global_step: "global_step" already exists: {found.name!r}, made at '
                             f"{found.op.origin.place}. Write tf.train.get_or_create_global_step()")  # fmt: skip
    with home.as_default(), home.name_scope(None):
        return Variable(lambda: ops.cast(0, int64), trainable=False, name=GLOBAL_STEP,
                        collections=["variables", GLOBAL_STEP])  # fmt: skip


@hides_frames
def get_or_create_global_step(graph: Graph | None = None) -> Variable | Tensor:
    """The global step of a graph, which is made if there is none.

    Args:
        graph: the graph; None means the default graph.

    Returns:
        The variable.

    Raises:
        TypeError: what is called "global_step" is no scalar of ints.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     steps = tf.train.get_or_create_global_step()
    ...     print(tf.train.get_or_create_global_step() is steps)
    True
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


@hides_frames
def assert_global_step(global_step_tensor: Any) -> None:
    """Raises an error unless something can be a global step: a scalar variable or tensor of ints.

    Args:
        global_step_tensor: what to look at.

    Raises:
        TypeError: it is no variable and no tensor, or not of ints, or no scalar.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.assert_global_step(tf.constant(3))
    """
    given = global_step_tensor
    if not isinstance(given, (Variable, Tensor)):
        raise DTypeError(f'Existing "global_step" must be a Variable or Tensor: {given!r}')
    if not given.dtype.is_integer:
        raise DTypeError(f'Existing "global_step" does not have integer type: {given.name!r} is {given.dtype}')
    if given.get_shape().is_fully_defined() and given.get_shape().ndims != 0:
        raise DTypeError(f'Existing "global_step" is not scalar: {given.name!r} has shape {given.get_shape()}')


def _named(graph: Graph) -> Variable | Tensor | None:
    """The variable or tensor "global_step:0"."""
    for each in graph.get_collection("variables"):
        if each.op.name == GLOBAL_STEP:
            variable: Variable = each
            return variable
    try:
        return graph.get_tensor_by_name(f"{GLOBAL_STEP}:0")
    except KeyError:
        return None
