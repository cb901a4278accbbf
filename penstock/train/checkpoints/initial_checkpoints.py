"""`init_from_checkpoint`: variables whose initializers read a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import NotFoundError, ShapeError, ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...interchange.checkpoints.open_checkpoint import exists
from ...ops.state.checkpoint_ops import restore_v2
from ...variables.variable import Variable
from ...variables.variable_lists import global_variables
from .checkpoint_files import latest_checkpoint
from .checkpoint_reader import list_variables


@hides_frames
def init_from_checkpoint(ckpt_dir_or_file: str | bytes | os.PathLike[str], assignment_map: Mapping[str, Any]) -> None:
    """Lets the initializers of variables read a checkpoint instead of their initial values.

    Args:
        ckpt_dir_or_file: the path of a checkpoint, or a folder, whose latest one is taken.
        assignment_map: what becomes of what: {"name in the file": variable}, {"name in the file": "name in the graph"},
            {"scope/": "scope in the graph/"} for all below, or {"/": "scope/"} for the whole file.

    Raises:
        NotFoundError: there is no checkpoint.
        ValueError: a name is not in the file or not in the graph, a scope is mapped to a name, or shapes differ.

    >>> import penstock as tf, tempfile
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(7.0, name="old/v")
    ...     session.run(tf.global_variables_initializer())
    ...     path = tf.train.Saver().save(session, tempfile.mkdtemp() + "/model")
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(0.0, name="new/v")
    ...     tf.train.init_from_checkpoint(path, {"old/": "new/"})
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(v))
    7.0

    Source: TensorFlow 1.x, `tf.train.init_from_checkpoint`.
    """
    given = os.fsdecode(ckpt_dir_or_file)
    path = latest_checkpoint(given) if os.path.isdir(given) else given
    if path is None or not exists(path):
        raise NotFoundError(None, None, f"init_from_checkpoint: there is no checkpoint at {given!r}")
    shapes = {name: tuple(shape) for name, shape in list_variables(path)}
    pairs = [pair for key, target in assignment_map.items() for pair in _pairs(key, target, shapes, path)]
    for name, variable in pairs:
        if not variable.shape.is_compatible_with(shapes[name]):
            raise ShapeError(f"init_from_checkpoint: Shape of variable {variable.name} ({variable.shape}) doesn't "
                             f"match with shape of tensor {name} ({list(shapes[name])}) from checkpoint "
                             "reader")  # fmt: skip
    for name, variable in pairs:
        (value,) = restore_v2(path, [name], [""], [variable.dtype.base_dtype], name="init_from_checkpoint")
        value.set_shape(variable.shape)
        variable.take_initializer(variable.assign(value).op)


def _pairs(key: str, target: Any, shapes: Mapping[str, Any], path: str) -> Iterator[tuple[str, Variable]]:
    """Names in the file with their variables."""
    by_name = {variable.op.name: variable for variable in global_variables()}
    if isinstance(target, Variable):
        yield _in_file(key, shapes, path), target
    elif not isinstance(target, str):
        raise ValueRuleError(f"init_from_checkpoint: {key!r} is mapped to {target!r}; it is mapped to a variable, to "
                             "the name of one, or a scope to a scope")  # fmt: skip
    elif not target.endswith("/") and not key.endswith("/"):
        if target not in by_name:
            raise ValueRuleError(f"init_from_checkpoint: {target!r} is no variable of the graph; tf.global_variables() "
                                 "lists them; a scope ends with /")  # fmt: skip
        yield _in_file(key, shapes, path), by_name[target]
    elif not (target.endswith("/") and key.endswith("/")):
        raise ValueRuleError(f"init_from_checkpoint: Assignment map with scope only name {target} should map to scope "
                             f"only {key}. Should be 'scope/': 'other_scope/'.")  # fmt: skip
    else:
        scope, prefix = target.lstrip("/"), key.lstrip("/")
        found = [(name, v) for name, v in by_name.items() if name.startswith(scope)]
        if not found:
            raise ValueRuleError(f"init_from_checkpoint: no variable of the graph is below the scope {target!r}")
        for name, variable in found:
            yield _in_file(prefix + name[len(scope) :], shapes, path), variable


def _in_file(name: str, shapes: Mapping[str, Any], path: str) -> str:
    if name not in shapes:
        raise ValueRuleError(f"init_from_checkpoint: Tensor {name} is not found in {path} checkpoint; it has "
                             f"{', '.join(sorted(shapes)[:8]) or 'none'}")  # fmt: skip
    return name
