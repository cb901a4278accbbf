"""`tf.contrib.framework`: arg_scope, lists of variables, the global step, checkpoints."""

from typing import Any

from .. import argsort as argsort
from .. import get_variable as variable
from .. import is_tensor as is_tensor
from .. import sort as sort
from .. import assign as _assign
from .. import zeros as _zeros
from ..graph.devices.device_spec import DeviceSpec as _DeviceSpec
from ..graph.declare.shared_docs import documented_like as _documented_like
from ..graph.model.default_graph import get_default_graph as _get_default_graph
from ..train import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step, init_from_checkpoint,
    list_variables, load_checkpoint, load_variable,
)
from ..variables.graph_keys import GraphKeys as _Keys
from ..variables.variable import Variable as _Variable
from .argument_scope import add_arg_scope, arg_scope, arg_scope_func_key, current_arg_scope, has_arg_scope
from .layer_functions.layer_utilities import constant_value as smart_constant_value, smart_cond
from .listed_variables import (
    add_model_variable, assign_from_checkpoint, assign_from_checkpoint_fn, assign_from_values, assign_from_values_fn,
    filter_variables, get_local_variables, get_model_variables, get_trainable_variables,
    get_unique_variable, get_variable_full_name, get_variables, get_variables_by_name, get_variables_by_suffix,
    get_variables_to_restore,
    model_variable,
)

__all__ = [
    "VariableDeviceChooser", "add_model_variable", "assign_from_values", "assign_from_values_fn",
    "get_variable_full_name", "global_variable",
    "add_arg_scope", "arg_scope", "arg_scope_func_key", "assert_global_step", "assign_from_checkpoint",
    "assign_from_checkpoint_fn", "argsort", "sort", "zero_initializer",
    "create_global_step", "current_arg_scope", "filter_variables", "get_global_step", "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step", "get_trainable_variables", "get_unique_variable", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "has_arg_scope",
    "init_from_checkpoint", "is_tensor", "list_variables", "load_checkpoint", "load_variable", "local_variable",
    "model_variable", "get_name_scope", "smart_cond", "smart_constant_value", "variable",
]  # fmt: skip


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """A variable of the collection LOCAL_VARIABLES, which optimizers and checkpoints leave alone.

    Args:
        initial_value, validate_shape, name: as of `tf.Variable`.
        use_resource: accepted for TensorFlow's sake.

    Returns:
        A variable.

    Raises:
        ValueError: as of `tf.Variable`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     count = tf.contrib.framework.local_variable(0, name="count")
    ...     print([v.name for v in tf.local_variables()], tf.global_variables())
    ['count:0'] []

    Source: TensorFlow 1.x, `tf.contrib.framework.local_variable`.
    """
    return _Variable(initial_value, False, [_Keys.LOCAL_VARIABLES], validate_shape, name=name)


@_documented_like(local_variable)
def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """A variable of the collection GLOBAL_VARIABLES, which checkpoints keep and optimizers leave alone.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     steps = tf.contrib.framework.global_variable(0, name="steps")
    ...     print([v.name for v in tf.global_variables()], tf.trainable_variables())
    ['steps:0'] []
    """
    return _Variable(initial_value, False, [_Keys.GLOBAL_VARIABLES], validate_shape, name=name)


def get_name_scope() -> str:
    """The name scope of the default graph, empty outside of all.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.name_scope("a"):
    ...     tf.contrib.framework.get_name_scope()
    'a'

    Source: TensorFlow 1.x, `tf.contrib.framework.get_name_scope`.
    """
    return _get_default_graph().get_name_scope()


def zero_initializer(ref: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """An operation that writes zeros into a variable, whether it has a value or not.

    Args:
        ref: the variable.
        use_locking: accepted for TensorFlow's sake.
        name: a name for the operation.

    Returns:
        The value after it, a tensor of the variable's shape.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.contrib.framework.zero_initializer(tf.Variable([1.0, 2.0]))))
    [0. 0.]

    Source: TensorFlow 1.x, `tf.contrib.framework.zero_initializer`.
    """
    return _assign(ref, _zeros(ref.shape, ref.dtype.base_dtype), name=name)


class VariableDeviceChooser:
    """A function for `tf.device` and for `device=` of `model_variable` that takes the tasks of a job in turns.

    Args:
        num_tasks: the number of the job's tasks; with 0 no job is named.
        job_name: the job.
        device_type: "CPU" or "GPU".
        device_index: the number of the device at its task.
        replica: the number of a replica; None names none.

    >>> import penstock as tf
    >>> chooser = tf.contrib.framework.VariableDeviceChooser(num_tasks=2)
    >>> with tf.Graph().as_default():
    ...     print([tf.contrib.framework.model_variable(n, [1], device=chooser).device for n in "abc"])
    ['/job:ps/task:0/device:CPU:0', '/job:ps/task:1/device:CPU:0', '/job:ps/task:0/device:CPU:0']

    Source: TensorFlow 1.x, `tf.contrib.framework.VariableDeviceChooser`.
    """

    def __init__(
        self, num_tasks: int = 0, job_name: str = "ps", device_type: str = "CPU", device_index: int = 0,
        replica: int | None = None,
    ) -> None:  # fmt: skip
        self._tasks, self._next = num_tasks, 0
        self._job = job_name
        self._place = _DeviceSpec(replica=replica, device_type=device_type, device_index=device_index)

    def __call__(self, op: Any) -> str:
        """The device of the next variable."""
        if not self._tasks:
            return self._place.to_string()
        task, self._next = self._next, (self._next + 1) % self._tasks
        return self._place.replace(job=self._job, task=task).to_string()
