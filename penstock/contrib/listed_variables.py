"""Lists of variables for `tf.contrib.framework`: by scope, by suffix, by name; variables of models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .. import Operation, Tensor, add_to_collection, get_collection, get_variable, group, placeholder
from .. import device as device_scope
from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..train import Saver, list_variables, load_checkpoint
from ..variables.graph_keys import GraphKeys


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a collection, in the order in which they were made.

    Args:
        scope: the beginning of their names, or a variable scope; None means all.
        suffix: the end of their names, without ":0"; None means all.
        collection: the name of the collection.

    Returns:
        A list of variables.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.contrib.layers.fully_connected(tf.zeros([2, 3]), 4, scope="a")
    ...     print([v.name for v in tf.contrib.framework.get_variables("a", suffix="biases")])
    ['a/biases:0']

    Source: TensorFlow 1.x, `tf.contrib.framework.get_variables`.
    """
    name = getattr(scope, "name", scope)
    found = list(get_collection(collection, f"{name}/" if hasattr(scope, "name") and name else name))
    return [v for v in found if suffix is None or re.search(f"{re.escape(suffix)}$", v.op.name)]


@documented_like(get_variables)
def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Those of `get_variables` that optimizers change.

    Args:
        suffix: the end of their names; None means all.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.Variable(1.0, name="a"), tf.Variable(1.0, trainable=False, name="b")
    ...     print([v.name for v in tf.contrib.framework.get_trainable_variables()])
    ['a:0']
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


@documented_like(get_variables)
def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Those of `get_variables` that layers of `tf.contrib.layers` made.

    Args:
        suffix: the end of their names; None means all.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.Variable(1.0), tf.contrib.layers.fully_connected(tf.zeros([2, 3]), 4)
    ...     len(tf.contrib.framework.get_model_variables())
    2
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


@documented_like(get_variables)
def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The local variables, such as those of metrics.

    Args:
        suffix: the end of their names; None means all.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.metrics.mean([1.0])
    ...     len(tf.contrib.framework.get_local_variables())
    2
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The variables whose last part of the name is `given_name`.

    Args:
        given_name: the last part of their names.
        scope: the beginning of their names; None means all.

    Returns:
        A list of variables.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.contrib.layers.fully_connected(tf.zeros([2, 3]), 4)
    ...     print([v.name for v in tf.contrib.framework.get_variables_by_name("weights")])
    ['fully_connected/weights:0']

    Source: TensorFlow 1.x, `tf.contrib.framework.get_variables_by_name`.
    """
    return [v for v in get_variables(scope) if v.op.name.rpartition("/")[2] == given_name]


@documented_like(get_variables_by_name)
def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The variables whose names end so.

    Args:
        suffix: the end of their names.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.Variable(1.0, name="my_rate")
    ...     len(tf.contrib.framework.get_variables_by_suffix("rate"))
    1
    """
    return get_variables(scope, suffix)


@hides_frames
def get_unique_variable(var_op_name: str) -> Any:
    """The variable of a name.

    Args:
        var_op_name: its whole name, without ":0".

    Returns:
        The variable.

    Raises:
        ValueError: there is none of that name.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     tf.contrib.framework.get_unique_variable("v") is v
    True

    Source: TensorFlow 1.x, `tf.contrib.framework.get_unique_variable`.
    """
    for each in get_variables():
        if each.op.name == var_op_name:
            return each
    raise ValueRuleError(f"Variable {var_op_name} not found in this graph; tf.global_variables() lists them")


@hides_frames
def get_variables_to_restore(include: Iterable[str] | None = None, exclude: Iterable[str] | None = None) -> list[Any]:
    """The variables of some scopes and not of others.

    Args:
        include: scopes or names to take; None means all.
        exclude: scopes or names to leave out.

    Returns:
        A list of variables.

    Raises:
        TypeError: a list of scopes is a string.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     _ = tf.Variable(1.0, name="a/x"), tf.Variable(1.0, name="b/x")
    ...     print([v.name for v in tf.contrib.framework.get_variables_to_restore(exclude=["b"])])
    ['a/x:0']

    Source: TensorFlow 1.x, `tf.contrib.framework.get_variables_to_restore`.
    """
    for name, given in (("include", include), ("exclude", exclude)):
        if isinstance(given, str):
            raise TypeError(f"{name}: must be a list of scopes, not {given!r}; write [{given!r}]")
    taken = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    left = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in dict.fromkeys(taken) if id(v) not in left]


@hides_frames
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = "float32",
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    **options: Any,
) -> Any:
    """A variable of `tf.get_variable`, in the collection of model variables too.

    Args:
        name: its name.
        shape: its shape; None takes that of an initial value.
        dtype: its dtype.
        initializer: how it starts.
        regularizer: a function of it whose result is a regularization loss.
        trainable: whether optimizers change it.
        collections: collections beside that of model variables; by default the global variables.
        options: other arguments of `tf.get_variable`, and device, as of `tf.device`.

    Returns:
        The variable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.contrib.framework.model_variable("v", [2])
    ...     tf.model_variables() == [v]
    True

    Source: TensorFlow 1.x, `tf.contrib.framework.model_variable`.
    """
    keys = [*(collections or [GraphKeys.GLOBAL_VARIABLES]), GraphKeys.MODEL_VARIABLES]
    with device_scope(options.pop("device", None)):
        return get_variable(name, shape, dtype, initializer, regularizer, trainable, keys, **options)


@hides_frames
def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Iterable[str] | None = None,
    exclude_patterns: Iterable[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables of a list whose names some regular expressions find, and others do not.

    Args:
        var_list: variables.
        include_patterns: expressions of names to take; None means all.
        exclude_patterns: expressions of names to leave out.
        reg_search: whether an expression may match anywhere, or only at the begin.

    Returns:
        A list of variables.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     listed = [tf.Variable(1.0, name="a/x"), tf.Variable(1.0, name="a/y")]
    ...     print([v.op.name for v in tf.contrib.framework.filter_variables(listed, exclude_patterns=["x$"])])
    ['a/y']

    Source: TensorFlow 1.x, `tf.contrib.framework.filter_variables`.
    """
    find = re.search if reg_search else re.match
    taken = list(var_list)
    if include_patterns is not None:
        patterns = list(include_patterns)
        taken = [v for v in taken if any(find(each, v.op.name) for each in patterns)]
    left = list(exclude_patterns or ())
    return [v for v in taken if not any(find(each, v.op.name) for each in left)]


def get_variable_full_name(var: Any) -> str:
    """The name that a variable has in checkpoints; of a part of a partitioned one the name of the whole.

    Args:
        var: the variable.

    Returns:
        A name without ":0".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
    ...     print([(part.op.name, tf.contrib.framework.get_variable_full_name(part)) for part in w])
    [('w/part_0', 'w'), ('w/part_1', 'w')]

    Source: TensorFlow 1.x, `tf.contrib.framework.get_variable_full_name`.
    """
    part = getattr(var, "_save_slice_info", None)
    name: str = var.op.name if part is None else part.full_name
    return name


def add_model_variable(var: Any) -> None:
    """Put a variable into the collection of model variables, if it is not there.

    Args:
        var: the variable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     tf.contrib.framework.add_model_variable(v)
    ...     tf.model_variables() == [v]
    True

    Source: TensorFlow 1.x, `tf.contrib.framework.add_model_variable`.
    """
    if not any(var is each for each in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


@hides_frames
def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], None]:
    """A function of a session that restores variables from a checkpoint, as `init_fn` of a training loop.

    Args:
        model_path: the path of the checkpoint.
        var_list: variables, or a dictionary of them by their names in the checkpoint.
        ignore_missing_vars: whether variables that the checkpoint lacks keep their value.
        reshape_variables: whether values of another shape with as many numbers are taken.

    Returns:
        A function of a session.

    Raises:
        ValueError: `var_list` is empty, or with `ignore_missing_vars` the checkpoint has none of them.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     callable(tf.contrib.framework.assign_from_checkpoint_fn("model.ckpt", [tf.Variable(1.0)]))
    True

    Source: TensorFlow 1.x, `tf.contrib.framework.assign_from_checkpoint_fn`.
    """
    named = dict(var_list) if isinstance(var_list, Mapping) else {v.op.name: v for v in var_list}
    if not named:
        raise ValueRuleError("var_list cannot be empty")
    if ignore_missing_vars:
        known = {name for name, _ in list_variables(model_path)}
        named = {name: v for name, v in named.items() if name in known}
        if not named:
            raise ValueRuleError(f"assign_from_checkpoint_fn: {model_path} has none of the variables; it has "
                                 f"{', '.join(sorted(known)) or 'nothing'}")  # fmt: skip
    saver = Saver(named, reshape=reshape_variables)

    def restore(session: Any) -> None:
        saver.restore(session, model_path)

    return restore


@hides_frames
def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Operation, dict[Tensor, Any]]:
    """An operation that gives variables the values of a checkpoint, and what to feed it.

    Args:
        model_path: the path of the checkpoint.
        var_list: variables, or a dictionary of them by their names in the checkpoint.
        ignore_missing_vars: whether variables that the checkpoint lacks keep their value.

    Returns:
        An Operation, and a dict of feeds: `session.run(*assign_from_checkpoint(...))`.

    Raises:
        ValueError: the checkpoint lacks a variable, or has another shape of it.

    >>> import tempfile, penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session, tempfile.TemporaryDirectory() as folder:
    ...     v = tf.Variable(2.0)
    ...     session.run(v.initializer)
    ...     path = tf.train.Saver().save(session, folder + "/model")
    ...     session.run(v.assign(5.0).op)
    ...     session.run(*tf.contrib.framework.assign_from_checkpoint(path, [v]))
    ...     print(session.run(v))
    2.0

    Source: TensorFlow 1.x, `tf.contrib.framework.assign_from_checkpoint`.
    """
    named = dict(var_list) if isinstance(var_list, Mapping) else {v.op.name: v for v in var_list}
    reader = load_checkpoint(model_path)
    feeds: dict[Tensor, Any] = {}
    writes = []
    for name, variable in named.items():
        if not reader.has_tensor(name):
            if ignore_missing_vars:
                continue
            raise ValueRuleError(f"assign_from_checkpoint: Checkpoint is missing variable [{name}]; "
                                 "ignore_missing_vars=True leaves it as it is")  # fmt: skip
        value = reader.get_tensor(name)
        if not variable.shape.is_compatible_with(value.shape):
            raise ValueRuleError(f"assign_from_checkpoint: the variable {variable.op.name} has shape {variable.shape}, "
                                 f"and {name} in the checkpoint {list(value.shape)}")  # fmt: skip
        fed = placeholder(variable.dtype.base_dtype, value.shape, name=f"checkpoint_values/{variable.op.name}")
        writes.append(variable.assign(fed))
        feeds[fed] = value
    return group(*writes), feeds


@hides_frames
def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Operation, dict[Tensor, Any]]:
    """An operation that gives variables these values, and what to feed it.

    Args:
        var_names_to_values: arrays by the names of variables, without ":0". An array of another shape with as many
            elements takes the variable's.

    Returns:
        An Operation, and a dict of feeds: `session.run(*assign_from_values(...))`.

    Raises:
        ValueError: the graph has no variable of a name, or an array has another number of elements.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     v = tf.Variable([0.0, 0.0], name="v")
    ...     session.run(*tf.contrib.framework.assign_from_values({"v": [1.0, 2.0]}))
    ...     print(session.run(v))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.contrib.framework.assign_from_values`.
    """
    pairs = [(get_unique_variable(name), np.asarray(value)) for name, value in var_names_to_values.items()]
    for variable, value in pairs:
        if variable.shape.num_elements() not in (None, value.size):
            raise ValueRuleError(f"assign_from_values: the variable {variable.op.name} has shape {variable.shape}, "
                                 f"and its value {list(value.shape)}")  # fmt: skip
    feeds: dict[Tensor, Any] = {}
    writes = []
    for variable, value in pairs:
        fed = placeholder(variable.dtype.base_dtype, variable.shape, name=f"placeholder/{variable.op.name}")
        writes.append(variable.assign(fed))
        feeds[fed] = value.reshape(variable.shape.as_list()) if variable.shape.is_fully_defined() else value
    return group(*writes), feeds


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], None]:
    """A function of a session that gives variables these values, as `init_fn` of a training loop.

    Args:
        var_names_to_values: arrays by the names of variables, without ":0".

    Returns:
        A function of a session.

    Raises:
        ValueError: as of `assign_from_values`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     v = tf.Variable(0.0, name="v")
    ...     tf.contrib.framework.assign_from_values_fn({"v": 3.0})(session)
    ...     print(session.run(v))
    3.0

    Source: TensorFlow 1.x, `tf.contrib.framework.assign_from_values_fn`.
    """
    write, feeds = assign_from_values(var_names_to_values)

    def assign(session: Any) -> None:
        session.run(write, feeds)

    return assign
