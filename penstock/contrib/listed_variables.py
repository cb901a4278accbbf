"""Lists of variables for `tf.contrib.framework`: by scope, by suffix, by name; variables of models."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .. import get_collection, get_variable
from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
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
        options: other arguments of `tf.get_variable`.

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
    options.pop("device", None)
    return get_variable(name, shape, dtype, initializer, regularizer, trainable, keys, **options)
