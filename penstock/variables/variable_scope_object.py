"""`VariableScope`: what `tf.get_variable` is to use where a call does not say it.

Each thread has one current scope for each graph; `variable_scope` blocks change it. The scope outside of all blocks is
made when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final

from ..graph.declare.signature import DTypeLike
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.model.nodes import Graph
from ..graph.shapes.dtypes import DType, as_dtype, float32
from .graph_keys import GraphKeys


class ReuseMode(Enum):
    """How `tf.get_variable` treats a name that a variable has already, besides True and False."""

    AUTO_REUSE = 1
    """Return the variable of the name if there is one, else make it."""


AUTO_REUSE: Final = ReuseMode.AUTO_REUSE

Reuse = bool | ReuseMode | None
CustomGetter = Callable[..., Any]


class VariableScope:
    """What `tf.get_variable` uses where a call does not say it: a prefix for names, an initializer, and so on.

    `tf.get_variable_scope()` returns the current one, and a `tf.variable_scope` block the one that it has made. Given
    to a later block, it is entered again.

    Attributes:
        name: what the names of variables begin with.
        original_name_scope: the name scope of the block that made it, for `tf.name_scope`.
        reuse: False if variables are made, True if existing ones are returned, `tf.AUTO_REUSE` for either.
        initializer, regularizer, partitioner, constraint, custom_getter, dtype, caching_device, use_resource: the
            arguments of `tf.get_variable` that are meant where a call leaves them out.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("layer", dtype=tf.float64) as scope:
    ...     w = tf.get_variable("w", [2])
    ...     scope.set_initializer(tf.ones_initializer())
    ...     scope.set_dtype(tf.float32)
    ...     b = tf.get_variable("b", [2], trainable=False)
    >>> print(scope.name, scope.reuse, w.dtype, b.dtype)
    layer False <dtype: 'float64'> <dtype: 'float32'>
    >>> with w.graph.as_default():
    ...     print(scope.trainable_variables() == [w], scope.global_variables() == [w, b], scope.local_variables())
    ...     print(scope.get_collection("losses"))
    True True []
    []

    Settings that have no effect, or none of their own, are accepted:

    >>> scope.set_regularizer(None), scope.set_custom_getter(None), scope.set_partitioner(None)
    (None, None, None)
    >>> scope.set_caching_device("/cpu:0"), scope.set_use_resource(True)
    (None, None)
    """

    __slots__ = ("_reuse", "caching_device", "constraint", "custom_getter", "dtype", "initializer", "name",
                 "original_name_scope", "partitioner", "regularizer", "use_resource")  # fmt: skip

    def __init__(
        self,
        reuse: Reuse,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: CustomGetter | None = None,
        name_scope: str = "",
        dtype: DTypeLike = float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._reuse = reuse
        self.name = name
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.original_name_scope = name_scope
        self.dtype: DType = as_dtype(dtype)
        self.use_resource = use_resource
        self.constraint = constraint

    @property
    def reuse(self) -> Reuse:
        """Whether variables are made (False), existing ones are returned (True), or either (`tf.AUTO_REUSE`)."""
        return self._reuse

    def reuse_variables(self) -> None:
        """Lets `tf.get_variable` return existing variables from here to the end of the scope.

        >>> import penstock as tf
        >>> with tf.Graph().as_default(), tf.variable_scope("layer") as scope:
        ...     w = tf.get_variable("w", [2])
        ...     scope.reuse_variables()
        ...     print(tf.get_variable("w") is w)
        True
        """
        self._set("_reuse", True)

    def set_initializer(self, initializer: Any) -> None:
        """Sets the initializer of variables made from here on.

        Args:
            initializer: a function of a shape and a dtype, such as `tf.zeros_initializer()`; None for the default.
        """
        self._set("initializer", initializer)

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the regularizer of variables made from here on.

        Args:
            regularizer: a function of a variable that returns a tensor or None; None for no regularizer.
        """
        self._set("regularizer", regularizer)

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the dtype of variables made from here on.

        Args:
            dtype: any dtype.

        Raises:
            TypeError: there is no such dtype.
        """
        self._set("dtype", as_dtype(dtype))

    def set_custom_getter(self, custom_getter: CustomGetter | None) -> None:
        """Sets the function that is called in place of `tf.get_variable` from here on.

        Args:
            custom_getter: a function of the true getter and its arguments; None for none.
        """
        self._set("custom_getter", custom_getter)

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the caching device, which has no effect: a variable is read where it is.

        Args:
            caching_device: any value.
        """
        self._set("caching_device", caching_device)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether variables are resources, which has no effect: all variables are of one kind.

        Args:
            use_resource: any value.
        """
        self._set("use_resource", use_resource)

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets how variables made from here on are cut into parts.

        Args:
            partitioner: a function of a shape and a dtype, such as `tf.fixed_size_partitioner(2)`; None for no parts.
        """
        self._set("partitioner", partitioner)

    def get_collection(self, name: Any) -> list[Any]:
        """The values of a collection whose names lie in this scope.

        Args:
            name: the name of the collection.

        Returns:
            A new list.
        """
        return get_default_graph().get_collection(name, f"{self.name}/" if self.name else "")

    def trainable_variables(self) -> list[Any]:
        """The trainable variables whose names lie in this scope.

        Returns:
            A new list.
        """
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The global variables whose names lie in this scope.

        Returns:
            A new list.
        """
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The local variables whose names lie in this scope.

        Returns:
            A new list.
        """
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def full_name(self, name: str) -> str:
        """The name of a variable that is called `name` in this scope."""
        return f"{self.name}/{name}" if self.name else name

    def _set(self, attribute: str, value: Any) -> None:
        graph = get_default_graph()
        with graph.lock:
            graph.journal.note(setattr, self, attribute, getattr(self, attribute))
            setattr(self, attribute, value)

    def __repr__(self) -> str:
        return f"<VariableScope {self.name!r} reuse={getattr(self._reuse, 'name', self._reuse)}>"


def current_scope(graph: Graph) -> VariableScope:
    """The variable scope of this thread in `graph`, which is no body."""
    around = graph.surroundings
    found = around.variable_scope or around.root_variable_scope
    if found is None:
        found = around.root_variable_scope = VariableScope(False)
    scope: VariableScope = found
    return scope


@contextmanager
def whole_variables() -> Iterator[None]:
    """Inside, the variable scope of this thread has no partitioner."""
    scope = current_scope(outermost(get_default_graph()))
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    try:
        yield
    finally:
        scope.set_partitioner(partitioner)
