"""`arg_scope`: default arguments for layers within a block.

    with arg_scope([fully_connected, conv2d], weights_regularizer=l2_regularizer(0.1)):
        conv2d(x, 64, 3)        # has the regularizer
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from ..errors import UseError
from ..graph.common.tracebacks import hides_frames

P = ParamSpec("P")
R = TypeVar("R")
Scope = dict[str, dict[str, Any]]
_KEY = "_key_op"
_current: ContextVar[Scope | None] = ContextVar("penstock_arg_scope", default=None)


def arg_scope_func_key(op: Callable[..., Any]) -> str:
    """The name under which scopes know a function.

    >>> import penstock as tf
    >>> tf.contrib.framework.arg_scope_func_key(tf.contrib.layers.flatten)
    'penstock.contrib.layer_functions.slim_layers.flatten'

    Source: TensorFlow 1.x, `tf.contrib.framework.arg_scope_func_key`.
    """
    return str(getattr(op, _KEY, op))


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Whether a function takes arguments from scopes.

    >>> import penstock as tf
    >>> tf.contrib.framework.has_arg_scope(tf.contrib.layers.conv2d), tf.contrib.framework.has_arg_scope(tf.matmul)
    (True, False)

    Source: TensorFlow 1.x, `tf.contrib.framework.has_arg_scope`.
    """
    return hasattr(func, _KEY)


def add_arg_scope(func: Callable[P, R]) -> Callable[P, R]:
    """A decorator for functions whose arguments `arg_scope` may set.

    Args:
        func: the function.

    Returns:
        The function, with the arguments of the scope around a call where the call gives none.

    >>> import penstock as tf
    >>> @tf.contrib.framework.add_arg_scope
    ... def area(width, height=1):
    ...     return width * height
    >>> with tf.contrib.framework.arg_scope([area], height=3):
    ...     area(2), area(2, height=5)
    (6, 10)

    Source: TensorFlow 1.x, `tf.contrib.framework.add_arg_scope`.
    """
    key = f"{func.__module__}.{getattr(func, '__qualname__', type(func).__name__)}"

    @hides_frames
    @functools.wraps(func)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        scope = _current.get()
        if not scope or key not in scope:
            return func(*args, **kwargs)
        merged: Any = {**scope[key], **kwargs}
        return func(*args, **merged)

    setattr(call, _KEY, key)
    return call


@hides_frames
def arg_scope(
    list_ops_or_scope: Iterable[Callable[..., Any]] | Scope, **kwargs: Any
) -> AbstractContextManager[Scope]:
    """A block in which functions have other default arguments.

    Args:
        list_ops_or_scope: functions with `add_arg_scope`, such as those of `tf.contrib.layers`; or a scope that an
            earlier block gave, which is used again.
        kwargs: the arguments.

    Returns:
        The scope, which another block can use.

    Raises:
        UseError: a function takes no arguments from scopes, or arguments are given beside a scope.

    >>> import penstock as tf
    >>> layers = tf.contrib.layers
    >>> with tf.Graph().as_default(), tf.contrib.framework.arg_scope([layers.fully_connected], activation_fn=None):
    ...     print(layers.fully_connected(tf.zeros([2, 3]), 4).op.type)
    Add

    Source: TensorFlow 1.x, `tf.contrib.framework.arg_scope`.
    """
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise UseError(f"arg_scope: a scope is given, and arguments beside it ({', '.join(kwargs)}); give "
                           "functions and arguments, or a scope alone")  # fmt: skip
        return _in_scope(list_ops_or_scope, (), {})
    if not isinstance(list_ops_or_scope, list | tuple | set):
        raise UseError(f"arg_scope: the functions are a list, not {list_ops_or_scope!r}: write "
                       "arg_scope([layers.conv2d], ...)")  # fmt: skip
    for each in list_ops_or_scope:
        if not has_arg_scope(each):
            name = getattr(each, "__name__", repr(each))
            raise UseError(f"arg_scope: {name} takes no arguments from scopes, as those of tf.layers and tf.nn do not; "
                           "those of tf.contrib.layers do. Give it the arguments, or write "
                           f"@tf.contrib.framework.add_arg_scope above a def {name} of your own")  # fmt: skip
    return _in_scope(None, [arg_scope_func_key(each) for each in list_ops_or_scope], kwargs)


@contextmanager
def _in_scope(
    whole: Mapping[str, Mapping[str, Any]] | None, keys: Sequence[str], kwargs: Mapping[str, Any]
) -> Iterator[Scope]:
    """A block with a scope; without one with that of now, in which some functions have these arguments, too."""
    outer = _current.get() or {} if whole is None else whole
    scope = {key: dict(arguments) for key, arguments in outer.items()}
    for key in keys:
        scope[key] = {**scope.get(key, {}), **kwargs}
    token = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(token)


def current_arg_scope() -> Scope:
    """The scope of the block around the call; empty outside of blocks.

    >>> import penstock as tf
    >>> tf.contrib.framework.current_arg_scope()
    {}

    Source: TensorFlow 1.x, `tf.contrib.framework.current_arg_scope`.
    """
    return _current.get() or {}
