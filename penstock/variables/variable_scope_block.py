"""`tf.variable_scope`: the block that changes the current variable scope, and the name scope with it.

A block has two effects. Variables of `tf.get_variable` inside have names that begin with the scope's own name, wherever
the block stands among name scopes. Operations inside stand in a new name scope, which is unique as all are: the second
block of the name "a" has the name scope "a_1", and its variables begin with "a/" all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from ..errors import UseError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..graph.model.default_graph import outermost, target_graph
from ..graph.model.journal import Journal
from ..graph.model.nodes import Graph
from .variable_scope_object import (
    AUTO_REUSE,
    CustomGetter,
    Reuse,
    VariableScope,
    current_scope,
)

# How often each variable scope has been opened: the numbers that make `default_name` unique.
#
# A block whose name comes from `default_name` takes the first of `name`, `name_1` ... that has not been opened in the
# scope around. When that scope ends, what was opened inside counts no more, so that the same code entered again, with
# reuse, finds the same names. The counts are a tree by the parts of names, because a scope forgets all below it at
# once: a table of full names would be searched at the end of every scope.


class OpenedScope:
    """How often one scope has been opened, and the scopes inside it."""

    __slots__ = ("count", "inside")

    def __init__(self) -> None:
        self.count = 0
        self.inside: dict[str, OpenedScope] = {}


class OpenedScopes:
    """The scopes that one thread has opened in one graph. The graph's lock guards it, because its journal does."""

    __slots__ = ("_journal", "_log", "_root")

    def __init__(self, journal: Journal) -> None:
        self._root = OpenedScope()
        self._journal = journal
        self._log: list[tuple[OpenedScope, int, dict[str, OpenedScope]]] | None = None

    def open(self, name: str) -> None:
        """Count one more opening of the scope `name`."""
        scope = self._root
        for part in name.split("/"):
            inner = scope.inside.get(part)
            if inner is None:
                inner = scope.inside[part] = OpenedScope()
            scope = inner
        self._change(scope, scope.count + 1, scope.inside)

    def count(self, name: str) -> int:
        """How often the scope `name` has been opened since the scope around it began."""
        scope = self._found(name)
        return 0 if scope is None else scope.count

    def forget_inside(self, name: str) -> None:
        """Forget the scopes inside the scope `name`."""
        scope = self._found(name)
        if scope is not None and scope.inside:
            self._change(scope, scope.count, {})

    def unique(self, prefix: str, name: str) -> str:
        """`name`, or the first of `name_1` ... of which no scope `prefix/name` has been opened."""
        around = f"{prefix}/" if prefix else ""
        free, number = name, 0
        while self.count(around + free):
            number += 1
            free = f"{name}_{number}"
        return free

    def mark(self) -> Any:
        """What `restore` needs to return to the counts as they are now."""
        outer = self._log
        self._log = [] if outer is None else outer
        return outer is None, len(self._log)

    def restore(self, mark: Any) -> None:
        """Return to the counts as they were at `mark`."""
        is_outermost, length = mark
        log = self._log or []
        while len(log) > length:
            scope, count, inside = log.pop()
            self._journal.note(_put, scope, scope.count, scope.inside)
            _put(scope, count, inside)
        if is_outermost:
            self._log = None

    def _found(self, name: str) -> OpenedScope | None:
        scope: OpenedScope | None = self._root
        for part in name.split("/"):
            scope = None if scope is None else scope.inside.get(part)
        return scope

    def _change(self, scope: OpenedScope, count: int, inside: dict[str, OpenedScope]) -> None:
        self._journal.note(_put, scope, scope.count, scope.inside)
        if self._log is not None:
            self._log.append((scope, scope.count, scope.inside))
        _put(scope, count, inside)


def _put(scope: OpenedScope, count: int, inside: dict[str, OpenedScope]) -> None:
    scope.count, scope.inside = count, inside


class variable_scope:
    """A `with` block in which `tf.get_variable` makes, or shares, variables whose names begin with `name_or_scope/`.

    Args:
        name_or_scope: the name of the scope; a scope that a block gave, to enter it again; or None for `default_name`.
        default_name: a name that is made unique: "name", "name_1" ... No variable can be shared by such a name.
        values: tensors whose graph is meant; without them it is the default graph.
        initializer, regularizer, constraint, custom_getter, dtype: arguments of `tf.get_variable` for calls inside
            that leave them out. Blocks inside inherit all but `constraint`.
        reuse: True returns existing variables and makes none; `tf.AUTO_REUSE` does what is possible; None and False
            inherit from the scope around.
        caching_device, use_resource: accepted, without effect.
        partitioner: a function of a shape and a dtype, such as `tf.fixed_size_partitioner(2)`, that says into how many
            parts variables are cut; see `tf.get_variable`.
        auxiliary_name_scope: False opens no name scope.

    Raises:
        TypeError: `name_or_scope` is neither a name nor a scope, or there is no `default_name` in its place.
        ValueError: a name is not valid, or `reuse` is another value.

    >>> import penstock as tf
    >>> def layer(x):
    ...     with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
    ...         w = tf.get_variable("w", [3, 2])
    ...         return w, tf.matmul(x, w, name="out")
    >>> with tf.Graph().as_default():
    ...     (w1, out1), (w2, out2) = layer(tf.zeros([4, 3])), layer(tf.ones([4, 3]))
    >>> w1.name, out1.name, out2.name, w1 is w2
    ('layer/w:0', 'layer/out:0', 'layer_1/out:0', True)

    Source: TensorFlow 1.x, `tf.variable_scope`.
    """

    @hides_frames
    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: CustomGetter | None = None,
        reuse: Reuse = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise UseError("variable_scope(None): a scope has a name; without one, default_name is needed")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise UseError(f"variable_scope({name_or_scope!r}): name_or_scope is a str, or the scope that another "
                           f"block gave, not {type(name_or_scope).__name__}")  # fmt: skip
        if name_or_scope is None and not isinstance(default_name, str):
            raise UseError(f"variable_scope(default_name={default_name!r}): a name is a str")
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueRuleError(f"variable_scope(reuse={reuse!r}): reuse is True, False, None or tf.AUTO_REUSE")
        if not isinstance(auxiliary_name_scope, bool):
            raise UseError(f"variable_scope(auxiliary_name_scope={auxiliary_name_scope!r}): it is True or False")
        self._name_or_scope = name_or_scope
        self._default_name = default_name or ""
        self._reuse = reuse or None
        self._has_name_scope = auxiliary_name_scope
        self._constraint = constraint
        self._given = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
        }
        self._graph = _graph_of(values)
        self._unique_name: str | None = None  # once a block of a default name is entered
        self._exits: list[ExitStack] = []

    @hides_frames
    def __enter__(self) -> VariableScope:
        if self._name_or_scope is None and self._reuse:
            raise ValueRuleError(f"variable_scope(None, {self._default_name!r}, reuse={self._reuse!r}): a default name "
                                 "is made unique, so there is nothing to reuse. Give the scope a name")  # fmt: skip
        with ExitStack() as entered:
            entered.enter_context(self._graph.as_default())
            holder = outermost(self._graph)
            around = current_scope(holder)
            name_scope = self._name_scope_to_open()
            prefix = None if name_scope is None else entered.enter_context(self._graph.name_scope(name_scope))
            scope = self._scope_inside(holder, around, prefix)
            before = holder.surroundings.variable_scope
            entered.callback(_leave, holder, scope, before, self._count(holder, scope))
            holder.surroundings.variable_scope = scope
            self._exits.append(entered.pop_all())
        return scope

    def __exit__(self, *exception: Any) -> None:
        self._exits.pop().__exit__(*exception)

    def _name_scope_to_open(self) -> str | None:
        """The name scope that the block opens; None leaves that of the surroundings."""
        if not self._has_name_scope:
            return self._graph.surroundings.prefix
        if self._name_or_scope is None:
            return self._default_name
        whole = self._name_or_scope
        return (whole if isinstance(whole, str) else whole.name.split("/")[-1]) or None

    def _scope_inside(self, holder: Graph, around: VariableScope, prefix: str | None) -> VariableScope:
        """The variable scope that is current in the block."""
        model = self._name_or_scope
        if isinstance(model, VariableScope):
            scope = VariableScope(self._reuse or model.reuse, model.name, name_scope=model.original_name_scope)
        else:
            if model is None:
                if self._unique_name is None:
                    self._unique_name = _opened(holder).unique(around.name, self._default_name)
                name = self._unique_name
            else:
                name = model
            prefix = name if prefix is None else prefix
            scope = VariableScope(self._reuse or around.reuse, around.full_name(name), name_scope=prefix)
            model = around
        for attribute, value in self._given.items():
            setattr(scope, attribute, getattr(model, attribute) if value is None else value)
        if self._given["custom_getter"] is not None and model.custom_getter is not None:
            scope.custom_getter = _nested(self._given["custom_getter"], model.custom_getter)
        if self._given["dtype"] is not None:
            scope.set_dtype(self._given["dtype"])
        scope.constraint = self._constraint
        return scope

    def _count(self, holder: Graph, scope: VariableScope) -> Any:
        """Count that the scope is opened; what `_leave` needs to forget what is opened inside."""
        with holder.lock:
            opened = _opened(holder)
            opened.open(scope.name)
            return opened.mark() if isinstance(self._name_or_scope, VariableScope) else None


def _leave(holder: Graph, scope: VariableScope, before: VariableScope | None, mark: Any) -> None:
    """End the block of `scope`; `before` was current when it began, None for the scope outside of all blocks."""
    surroundings = holder.surroundings
    if surroundings.variable_scope is not scope:
        raise RuntimeError("variable_scope: `with` blocks must end in the reverse order of their beginning")
    surroundings.variable_scope = before
    with holder.lock:
        opened = _opened(holder)
        if mark is None:
            opened.forget_inside(scope.name)
        else:
            opened.restore(mark)


def _opened(holder: Graph) -> OpenedScopes:
    surroundings = holder.surroundings
    if surroundings.opened_scopes is None:
        surroundings.opened_scopes = OpenedScopes(holder.journal)
    opened: OpenedScopes = surroundings.opened_scopes
    return opened


def _nested(inner: CustomGetter, outer: CustomGetter) -> CustomGetter:
    """The custom getter of a block inside a block that has one: it gets the other as its true getter."""

    def get(getter: Any, *args: Any, **named: Any) -> Any:
        def through(*inner_args: Any, **inner_named: Any) -> Any:
            return outer(getter, *inner_args, **inner_named)

        return inner(through, *args, **named)

    return get


def _graph_of(values: Any) -> Graph:
    found = None
    for value in values if isinstance(values, Iterable) and not isinstance(values, str) else ():
        found = first_tensor(value) if found is None else found
    return target_graph(found)


@hides_frames
def variable_op_scope(
    values: Any,
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: CustomGetter | None = None,
    reuse: Reuse = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> variable_scope:
    """A `with` block of a variable scope: `tf.variable_scope` with its arguments in an older order.

    Args:
        values: tensors whose graph is meant.
        name_or_scope: the name of the scope, a scope, or None for `default_name`.
        default_name: a name that is made unique.
        initializer, regularizer, caching_device, partitioner, custom_getter, reuse, dtype, use_resource, constraint: as
            in `tf.variable_scope`.

    Returns:
        A context manager, which gives the scope.

    Raises:
        TypeError, ValueError: as in `tf.variable_scope`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.variable_op_scope([], None, "layer") as scope:
    ...     print(scope.name)
    layer

    Source: TensorFlow 1.x, `tf.variable_op_scope`.
    """
    return variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter,
        reuse, dtype, use_resource, constraint,
    )  # fmt: skip
