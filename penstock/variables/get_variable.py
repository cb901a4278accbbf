"""`tf.get_variable`: make a variable by name, or return the one of that name.

    scope's defaults -> custom getter -> shared or made -> regularizer

A graph keeps what was made in `Graph.shared_variables`. A call is one transaction: if it fails, nothing of it stays,
and of several threads that ask for one name the first makes the variable.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import GraphError, ShapeError, UseError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.common.near_names import did_you_mean
from ..graph.common.quick_dataclass import dataclass
from ..graph.common.source_location import Origin, user_origin
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.model.nodes import Graph
from ..graph.shapes.dtypes import DType, as_dtype
from ..graph.shapes.literal import literal
from ..graph.shapes.shape import TensorShape, as_shape
from .constant_initializers import Initializer, ZerosInitializer
from .graph_keys import GraphKeys
from .partitioned_variable import PartitionedVariable
from .partitioning import partitioned
from .random_initializers import GlorotUniformInitializer
from .slice_info import PartitionInfo
from .variable import Variable
from .variable_scope_object import (
    CustomGetter,
    Reuse,
    current_scope,
)

Initial = Callable[..., Any] | Any


@hides_frames
def get_variable(
    name: str,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: CustomGetter | None = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """The variable of a name in the current variable scope: an existing one if the scope says `reuse`, else a new one.

    Args:
        name: the name; that of the scope comes before it.
        shape: the shape; it is not given if `initializer` is a value.
        dtype: the dtype; by default that of the scope, float32.
        initializer: a function of a shape and a dtype, such as `tf.zeros_initializer()`; a function without
            arguments; or the value, a tensor, an array or a list. By default that of the scope; if it has none,
            `tf.glorot_uniform_initializer()` for floats, zeros for ints, bools and strings.
        regularizer: a function that is called with a new variable. What it returns is added to the collection
            `tf.GraphKeys.REGULARIZATION_LOSSES`, unless it is None.
        trainable: whether optimizers change the variable where they are given no list; True by default.
        collections: the collections to add it to; by default `[tf.GraphKeys.GLOBAL_VARIABLES]`.
        validate_shape: False allows an initial value of unknown shape.
        custom_getter: a function that is called in place of this one: `custom_getter(getter, name, **arguments)`.
        constraint: a function of the value after an optimizer's update, which returns the value to keep.
        partitioner: a function of a shape and a dtype that says into how many parts the variable is cut along each
            axis, such as `tf.fixed_size_partitioner(2)`. Parts are variables called "name/part_0" and so on.
        caching_device, use_resource, synchronization, aggregation: accepted, without effect.

    Returns:
        A Variable; with a partitioner a `tf.PartitionedVariable`.

    Raises:
        ValueError: the name is taken and the scope does not say `reuse`; or it says `reuse=True` and there is no such
            variable; or the variable has another shape or dtype; or there is no initial value.
        TypeError: `name` is not a str, or there is no such dtype.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     with tf.variable_scope("layer"):
    ...         w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    ...     with tf.variable_scope("layer", reuse=True):
    ...         print(w.name, tf.get_variable("w") is w)
    layer/w:0 True

    Source: TensorFlow 1.x, `tf.get_variable`.
    """
    graph = outermost(get_default_graph())
    scope = current_scope(graph)
    if not isinstance(name, str):
        raise UseError(f"get_variable({name!r}): a name is a str, not {type(name).__name__}")
    wanted = WantedVariable(
        name=scope.full_name(name),
        shape=shape,
        dtype=as_dtype(dtype) if dtype is not None else scope.dtype,
        initializer=scope.initializer if initializer is None else initializer,
        regularizer=scope.regularizer if regularizer is None else regularizer,
        reuse=scope.reuse,
        trainable=trainable,
        collections=collections,
        caching_device=scope.caching_device if caching_device is None else caching_device,
        partitioner=scope.partitioner if partitioner is None else partitioner,
        validate_shape=validate_shape,
        use_resource=scope.use_resource if use_resource is None else use_resource,
        constraint=scope.constraint if constraint is None else constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )
    if dtype is not None and initializer is not None and not callable(initializer):
        _check_dtype_of_value(wanted, initializer)
    getter = scope.custom_getter if custom_getter is None else custom_getter
    if getter is not None and not callable(getter):
        raise UseError(f"get_variable({name!r}, custom_getter={getter!r}): this is not a function")
    found: Variable = graph.journal.all_or_nothing(_outside_of_name_scopes, graph, getter, wanted)
    return found


@dataclass(frozen=True, slots=True)
class WantedVariable:
    """The arguments of a call, with what the scope says of those that are left out; `name` is the full name."""

    name: str
    shape: Any = None
    dtype: Any = None
    initializer: Any = None
    regularizer: Any = None
    reuse: Reuse = None
    trainable: bool | None = None
    collections: Any = None
    caching_device: Any = None
    partitioner: Any = None
    validate_shape: bool = True
    use_resource: bool | None = None
    constraint: Any = None
    synchronization: Any = None
    aggregation: Any = None
    partition_info: PartitionInfo | None = None
    """Which part of a partitioned variable it is."""


def _outside_of_name_scopes(graph: Graph, getter: CustomGetter | None, wanted: WantedVariable) -> Any:
    with graph.as_default(), graph.name_scope(None):
        return shared_or_made(graph, wanted) if getter is None else _through_getter(graph, getter, wanted)


def _through_getter(graph: Graph, getter: CustomGetter, wanted: WantedVariable) -> Any:
    def true_getter(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, **more: Any) -> Any:
        dtype = wanted.dtype if dtype is None else as_dtype(dtype)
        return shared_or_made(graph, WantedVariable(name, shape, dtype, initializer, **more))

    arguments = {field: getattr(wanted, field) for field in WantedVariable.__slots__ if field != "partition_info"}
    return getter(getter=true_getter, **arguments)


def shared_or_made(graph: Graph, wanted: WantedVariable) -> Any:
    """The variable, or the partitioned variable, that a call is about."""
    known = graph.shared_variables.get(wanted.name)
    if _has_parts(wanted, known):

        def make(name: str, shape: Any, initializer: Any, dtype: Any, info: PartitionInfo) -> Variable:
            return _single(graph, replace(wanted, name=name, shape=shape, initializer=initializer, dtype=dtype,
                                          partitioner=None, partition_info=info))  # fmt: skip

        with graph.as_default(), graph.name_scope(None):
            return partitioned(graph, wanted, make)
    if f"{wanted.name}/part_0" in graph.shared_variables:
        raise GraphError(f"No partitioner was provided, but a partitioned version of the variable was found: "
                         f"{wanted.name}/part_0. Perhaps a variable of the same name was already created with "
                         "partitioning?", code="variable/differs")  # fmt: skip
    return _single(graph, wanted)


def _has_parts(wanted: WantedVariable, known: Any) -> bool:
    """Whether a call is about a partitioned variable. A scalar has no parts."""
    if isinstance(known, PartitionedVariable) and wanted.reuse is True:
        return True
    shape = wanted.shape
    is_scalar = shape.ndims == 0 if isinstance(shape, TensorShape) else isinstance(shape, (list, tuple)) and not shape
    return wanted.partitioner is not None and not is_scalar


def _single(graph: Graph, wanted: WantedVariable) -> Variable:
    found: Variable | None = graph.shared_variables.get(wanted.name)
    shape = None if wanted.shape is None else as_shape(wanted.shape)
    has_value = wanted.initializer is not None and not callable(wanted.initializer)
    if found is not None:
        return _shared(found, wanted, shape)
    if wanted.reuse is True:
        raise _not_made(graph, wanted.name)
    if isinstance(wanted.initializer, str):
        raise UseError(f"get_variable({wanted.name!r}, initializer={wanted.initializer!r}): a text is no initializer; "
                       "give a function such as tf.zeros_initializer(), or a value")  # fmt: skip
    if wanted.regularizer is not None and not callable(wanted.regularizer):
        raise UseError(f"get_variable({wanted.name!r}, regularizer={wanted.regularizer!r}): this is not a function; "
                       "give one of the variable, such as lambda w: 0.01 * tf.nn.l2_loss(w)")  # fmt: skip
    if shape is not None and has_value:
        raise ShapeError(f"get_variable({wanted.name!r}): both the shape {shape} and an initial value are given; a "
                         "value has its own shape. Leave the shape out, or write "
                         "tf.constant_initializer(value)")  # fmt: skip
    variable = _made(wanted, shape)
    graph.journal.note(graph.shared_variables.pop, wanted.name, None)
    graph.shared_variables[wanted.name] = variable
    if wanted.regularizer is not None:
        _regularize(graph, wanted, variable)
    return variable


def _shared(found: Variable, wanted: WantedVariable, shape: TensorShape | None) -> Variable:
    if not wanted.reuse:
        raise _made_twice(found, wanted.name)
    if shape is not None and not shape.is_compatible_with(found.shape):
        raise GraphError(f"Trying to share variable {wanted.name}, but specified shape {shape} and found shape "
                         f"{found.shape}.{_lines(found, wanted.name)}", code="variable/differs")  # fmt: skip
    if wanted.dtype is not found.dtype:
        raise GraphError(f"Trying to share variable {wanted.name}, but specified dtype {wanted.dtype.name} and found "
                         f"dtype {found.dtype.name}.{_lines(found, wanted.name)}", code="variable/differs")  # fmt: skip
    return found


def _made(wanted: WantedVariable, shape: TensorShape | None) -> Variable:
    initial, dtype = _initial_value(wanted, shape)
    return Variable(
        initial,
        trainable=wanted.trainable is not False,
        collections=wanted.collections,
        validate_shape=wanted.validate_shape,
        name=wanted.name,
        dtype=dtype,
        constraint=wanted.constraint,
    )


def _initial_value(wanted: WantedVariable, shape: TensorShape | None) -> tuple[Any, DType | None]:
    """What a new variable starts with: a value, or a function that makes it; and the dtype, None for a value's own."""
    initializer = wanted.initializer
    if initializer is None:
        if shape is None:
            raise ShapeError(f"get_variable({wanted.name!r}): a new variable needs a shape, or an initializer that is "
                             "a value. Write tf.get_variable(name, shape)", code="variable/no-shape")  # fmt: skip
        initializer = _default_initializer(wanted)
    elif not callable(initializer):
        return initializer, None
    if isinstance(initializer, type):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        has_info = isinstance(initializer, Initializer) and wanted.partition_info is None
        more = {} if has_info else _partition_info(initializer, wanted.partition_info)
        return functools.partial(initializer, shape.as_list(), dtype=wanted.dtype, **more), wanted.dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    raise ShapeError(f"get_variable({wanted.name!r}): the shape {shape} is not fully known, and the initializer "
                     f"{initializer!r} needs all sizes. Give them, or a function without arguments")  # fmt: skip


def _default_initializer(wanted: WantedVariable) -> Initializer:
    dtype: DType = wanted.dtype
    if dtype.is_floating:
        return GlorotUniformInitializer()
    if dtype.is_complex:
        raise ValueRuleError(f"get_variable({wanted.name!r}): there is no default initializer for {dtype.name}; give "
                             "one, such as tf.zeros_initializer()")  # fmt: skip
    return ZerosInitializer()


def _partition_info(initializer: Callable[..., Any], info: PartitionInfo | None) -> dict[str, PartitionInfo | None]:
    """The argument that functions written for TensorFlow 0.x have besides shape and dtype."""
    return {"partition_info": info} if "partition_info" in _parameters(initializer) else {}


def _needs_no_arguments(initializer: Callable[..., Any]) -> bool:
    return all(each.default is not each.empty or each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
               for each in _parameters(initializer).values())  # fmt: skip


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a builtin that does not tell
        return {}


def _check_dtype_of_value(wanted: WantedVariable, value: Any) -> None:
    tensor = first_tensor(value)
    found = tensor.dtype if tensor is not None else as_dtype(literal(value).dtype)
    if found is not wanted.dtype:
        raise GraphError(f"Initializer type {found.name!r} and explicit dtype {wanted.dtype.name!r} don't match: the "
                         f"variable {wanted.name!r} would take the dtype of the value. Leave out dtype, or convert the "
                         "value", code="dtype/differ")  # fmt: skip


def _regularize(graph: Graph, wanted: WantedVariable, variable: Variable) -> None:
    with graph.control_dependencies(None), graph.name_scope(f"{wanted.name}/Regularizer/"):
        loss = wanted.regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


# ---- errors -------------------------------------------------------------------------------------


def _made_twice(found: Variable, name: str) -> GraphError:
    scope = name.rpartition("/")[0]
    return GraphError(
        f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
        f"VarScope?{_lines(found, name)}\n  To share it, write `with tf.variable_scope({scope!r}, reuse=True):` "
        "around the second call. To make another one, give it another name or scope.",
        code="variable/exists",
    )


def _not_made(graph: Graph, name: str) -> GraphError:
    known = graph.shared_variables
    near = did_you_mean(name, known)
    other = next((v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.op.name == name), None)
    lines = [_line("asked for", name, user_origin())]
    if other is not None:
        lines.append(f"{_line('exists', name, other.op.origin)}, by tf.Variable; get_variable finds its own variables")
    if near:
        found = near.partition("'")[2].partition("'")[0]
        lines.append(_line("made", found, known[found].op.origin))
    return GraphError(
        f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
        f"reuse=tf.AUTO_REUSE in VarScope?{f' The nearest name is {found!r}.' if near else ''}\n" + "\n".join(lines),
        code="variable/missing",
    )


def _lines(found: Variable, name: str) -> str:
    return f"\n{_line('made first', name, found.op.origin)}\n{_line('asked again', name, user_origin())}"


def _line(what: str, name: str, origin: Origin) -> str:
    return f"  {what} {name!r} at {origin.place}  {origin.code}".rstrip()


# ---- local variables ----------------------------------------------------------------------------


@hides_frames
def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: CustomGetter | None = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """As `tf.get_variable`, but a new variable is local: not saved, and not trainable.

    Args:
        name: the name; that of the scope comes before it.
        collections: collections to add it to besides `tf.GraphKeys.LOCAL_VARIABLES`.
        trainable: has no effect: a local variable is not trainable.
        shape, dtype, initializer, regularizer, validate_shape, custom_getter, constraint: as in `tf.get_variable`.
        caching_device, use_resource, synchronization, aggregation, partitioner: as in `tf.get_variable`.

    Returns:
        A Variable; with a partitioner a `tf.PartitionedVariable`.

    Raises:
        ValueError, TypeError: as in `tf.get_variable`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     count = tf.get_local_variable("count", [], tf.int64)
    ...     print(count.name, tf.local_variables() == [count], tf.global_variables())
    count:0 True []

    Source: TensorFlow 1.x, `tf.get_local_variable`.
    """
    return get_variable(
        name, shape, dtype, initializer, regularizer, False, [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device, partitioner, validate_shape, use_resource, custom_getter, constraint, synchronization,
        aggregation,
    )  # fmt: skip


def no_regularizer(_: Any) -> None:
    """The regularizer that adds no loss, for a variable whose scope has another one.

    Args:
        _: the variable.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("net", regularizer=tf.nn.l2_loss):
    ...     w = tf.get_variable("w", [2], regularizer=tf.no_regularizer)
    ...     print(tf.losses.get_regularization_losses())
    []

    Source: TensorFlow 1.x, `tf.no_regularizer`.
    """
