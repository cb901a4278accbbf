"""The operation with which a model starts: initializers of variables and tables in one."""

from __future__ import annotations

from typing import Any

from ...graph.building.context_functions import control_dependencies
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Operation
from ...ops.control.control import group
from ...variables.variable_lists import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)


@hides_frames
def main_op() -> Operation:
    """An operation that initialises all variables and tables.

    Returns:
        The Operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     print(tf.saved_model.main_op.main_op().type)
    NoOp

    Source: TensorFlow 1.x, `tf.saved_model.main_op.main_op`.
    """
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


@hides_frames
def main_op_with_restore(restore_op_name: Any) -> Operation:
    """An operation that does what `main_op` does, and then runs another one.

    Args:
        restore_op_name: the operation or its name.

    Returns:
        The Operation.

    Raises:
        KeyError: there is no operation of that name.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     restore = tf.no_op(name="restore")
    ...     print(tf.saved_model.main_op.main_op_with_restore("restore").type)
    NoOp

    Source: TensorFlow 1.x, `tf.saved_model.main_op.main_op_with_restore`.
    """
    first = main_op()
    with control_dependencies([first]):
        return group(first, first.graph.as_graph_element(restore_op_name))
