"""`Variable`: a value that a session keeps from run to run.

    w = Variable([1.0, 2.0], name="w")
        w/initial_value        the value that the initializer writes
        w                      VariableV2: the value at the start of a run, which `w` stands for in calls
        w/Assign               the initializer

Reads and writes are nodes; `runtime.passes.versions` says which value a read sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from ..errors import BuildError, DTypeError, GraphError, ShapeError, UseError, ValueRuleError
from ..graph.building.convert import convert, first_tensor
from ..graph.common.hooks import hooks
from ..graph.common.not_copyable import PART_OF_A_GRAPH, NotCopyable
from ..graph.common.source_location import user_origins
from ..graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import INT32_64
from ..graph.model.context import defaults
from ..graph.model.default_graph import get_default_graph, outermost, target_graph
from ..graph.model.indexed_slices import IndexedSlices
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.tensor_source import TensorSource
from ..graph.shapes.dtypes import DType, as_dtype
from ..graph.shapes.literal import literal
from ..graph.shapes.shape import TensorShape, as_shape
from ..ops.control.control import identity
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.state.partial_writes import count_up
from ..ops.state.variable_ops import (
    assign_add_value,
    assign_sub_value,
    assign_value,
    initialized_value,
    read_variable,
    variable,
    variable_is_initialized,
)
from .initial_values import safe_initial_value
from .read_kinds import is_written_in, reads_are_captured
from .variable_node import (
    AbsentMember,
    VariableNode,
    VariablesAsObjects,
    VariableSlice,
    graph_of_write,
    name_below,
    scatter_into,
    written_whole,
)

GLOBAL = "variables"
"""The key of the collection of all variables that are not local: TensorFlow's GraphKeys.GLOBAL_VARIABLES."""
TRAINABLE = "trainable_variables"


@hides_frames_of_methods
class Variable(NotCopyable, VariableNode):
    """A value that a session keeps from run to run, and that runs can change.

    A session has a value for it once `initializer` has run there. Where a call takes a tensor, a variable stands for
    its value at the start of the run; inside `tf.control_dependencies([write])` for its value after that write.

    Args:
        initial_value: a number, list, array or tensor, or a function without arguments that gives one. It may be
            computed from other variables, as in `tf.Variable(a * 2.0)`: then the initializer takes the value that
            `a` has or gets in the same run, else its initial value.
        trainable: whether optimizers change it: it is added to the collection "trainable_variables".
        collections: the keys of the collections it is added to; without them "variables".
        validate_shape: whether every value has the shape of `initial_value`; False lets the shape change.
        caching_device: accepted for TensorFlow's sake.
        name: its name; "Variable" without one.
        variable_def: not supported: `tf.train.import_meta_graph` reads variables of files.
        dtype: the dtype to convert `initial_value` to.
        expected_shape: the shape that `initial_value` must have.
        import_scope: accepted for TensorFlow's sake.
        constraint: a function from the new value to the one that an optimizer keeps, such as a projection.
        use_resource: accepted for TensorFlow's sake; there is one kind of variable.

    Raises:
        TypeError: `initial_value` cannot be converted to `dtype`, or a function is not callable without arguments.
        ValueError: there is no `initial_value`, or its shape is not known and `validate_shape` is True.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     count = tf.Variable(0, name="count")
    ...     more = count.assign_add(2)
    ...     session.run(count.initializer)
    ...     print(session.run(more), session.run(more), session.run(count))
    2 4 4

    Source: TensorFlow 1.x, `tf.Variable`.
    """

    __slots__ = ("__weakref__", "_caching_device", "_constraint", "_initial_value", "_initializer",
                 "_trainable", "_validate_shape")  # fmt: skip

    _uncopied = (PART_OF_A_GRAPH, "Make a second one from its value: tf.Variable(v.initialized_value()).")

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool = True,
        collections: Iterable[Any] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
    ) -> None:
        if variable_def is not None:
            raise UseError("Variable(variable_def=...): a variable of a file is made by tf.train.import_meta_graph")
        if initial_value is None:
            raise ValueRuleError("Variable: initial_value must be specified; give a number, an array, a tensor or a "
                                 "function that gives one")  # fmt: skip
        if collections is not None and not isinstance(collections, (list, tuple, set)):
            raise ValueRuleError(
                f"Variable: collections argument to Variable constructor must be a list, tuple, or set. Got "
                f"{collections!r} of type {type(collections).__name__}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueRuleError("Variable: The `constraint` argument must be a callable.")
        keys = [GLOBAL] if collections is None else list(collections)
        if trainable and TRAINABLE not in keys:
            keys.append(TRAINABLE)
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._validate_shape = bool(validate_shape)
        self._caching_device = caching_device
        self._save_slice_info = None
        given = None if callable(initial_value) and not isinstance(initial_value, TensorSource) else initial_value
        graph = outermost(target_graph(first_tensor(given)))
        _check_outside(graph, given, name)
        wanted = None if dtype is None else as_dtype(dtype)
        expected = None if expected_shape is None else as_shape(expected_shape)
        name = _with_scopes_of_bodies(graph, name or "Variable")
        graph.journal.all_or_nothing(self._build, graph, initial_value, wanted, expected, name, keys)

    def _build(
        self,
        graph: Graph,
        initial_value: Any,
        dtype: DType | None,
        expected: TensorShape | None,
        name: str | None,
        keys: list[Any],
    ) -> None:
        around = graph.surroundings
        origins, around.origins = around.origins, around.origins or user_origins()
        try:
            self._build_at(graph, initial_value, dtype, expected, name)
        finally:
            around.origins = origins
        for key in keys:
            graph.add_to_collection(key, self)

    def _build_at(
        self, graph: Graph, initial_value: Any, dtype: DType | None, expected: TensorShape | None, name: str | None
    ) -> None:
        """Add the nodes, all of which come from one line."""
        with graph.as_default(), graph.control_dependencies(None), graph.name_scope(name or "Variable") as scope:
            if callable(initial_value) and not isinstance(initial_value, TensorSource):
                around = graph.surroundings
                ours, around.origins = around.origins, ()  # nodes of the function come from its own lines
                with graph.name_scope("Initializer"), graph.device(None):  # an initial value may be made anywhere
                    made = _called(initial_value, name)
                    _check_outside(graph, made, name)
                    value = _converted(made, dtype)
                around.origins = ours
            else:
                value = _converted(initial_value, dtype)
            if expected is not None and not value.shape.is_compatible_with(expected):
                raise ShapeError(f"Variable: initial_value has shape {value.shape}, expected_shape is {expected}")
            shape = value.shape if self._validate_shape else TensorShape(None)
            if self._validate_shape and not shape.is_fully_defined():
                raise ValueRuleError(
                    f"Variable: initial_value must have a shape specified: {value.name!r} has {shape}. Give it one "
                    "with set_shape, or write validate_shape=False for a variable whose shape may change"
                )
            full = scope[:-1]
            self._initial_value: Tensor | None = value
            self._element = variable(full, value.dtype, shape, scope)
            with graph.name_scope("Initializer"):
                written = safe_initial_value(value, full)
            with graph.colocate_with(self._element):
                self._initializer: Operation | None = assign_value(written, full, shape, "Assign").op

    @classmethod
    def _standing_for(cls, operation: Operation, initializer: Operation | None, trainable: bool = True) -> Variable:
        """The variable whose nodes are in the graph already, as after an import."""
        made = cls.__new__(cls)
        made._element = operation.outputs[0]
        made._initializer = initializer
        made._initial_value = None if initializer is None else initializer.inputs[0]
        made._trainable = trainable
        made._constraint = None
        made._validate_shape = True
        made._caching_device = None
        made._save_slice_info = None
        return made

    # ---- facts ------------------------------------------------------------------------------

    def take_initializer(self, operation: Operation) -> None:
        """Called by the package: `operation` writes the first value from here on."""
        self._initializer = operation

    @property
    def initializer(self) -> Operation:
        """The operation that gives it its initial value."""
        if self._initializer is None:
            raise GraphError(f"the variable {self.resource!r} has no initializer in this graph; load a value")
        return self._initializer

    @property
    def initial_value(self) -> Tensor:
        """The tensor of its initial value."""
        if self._initial_value is None:
            raise GraphError(f"the variable {self.resource!r} has no initial value in this graph")
        return self._initial_value

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that an optimizer applies to new values; None without one."""
        return self._constraint

    # ---- reading ----------------------------------------------------------------------------

    def as_operand(self) -> Tensor:
        """The tensor that a call made now reads: the value at the start of the run, or one after control inputs.

        Returns:
            A tensor.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     print(v.as_operand())
        <Tensor 'v:0' float32 ()>
        """
        graph = get_default_graph()
        if not graph.surroundings.controls or not graph.admits(self._element):
            return self._element
        if graph.outer is not None and not is_written_in(graph, self.resource):
            return self._element  # a body begins with one value, whatever the controls inside it are
        return self.read_value()

    def value(self) -> Tensor:
        """The tensor of its value at the start of the run; inside control dependencies as `read_value`.

        Returns:
            A tensor.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     print(v.value())
        <Tensor 'v:0' float32 ()>
        """
        return self.as_operand()

    def read_value(self) -> Tensor:
        """A new node that reads the variable: after the operations of `tf.control_dependencies` around the call.

        Returns:
            A tensor.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable(1.0)
        ...     with tf.control_dependencies([v.assign(5.0)]):
        ...         after = v.read_value()
        ...     session.run(v.initializer)
        ...     print(*session.run([v, after]))
        1.0 5.0
        """
        with target_graph(self._element).as_default():
            if reads_are_captured():
                return identity(self._element, name_below(self, "read"))
            return read_variable(self.resource, self.dtype, self.shape, name=name_below(self, "read"))

    def initialized_value(self) -> Tensor:
        """Its value if it has one in the run's session, else its initial value: for initial values of others.

        Where the run writes the variable by an operation made before, such as its initializer, it is the new value.

        Returns:
            A tensor.

        Raises:
            ValueError: the graph does not hold its initial value.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable(2.0)
        ...     twice = tf.Variable(v.initialized_value() * 2.0)
        ...     _ = session.run([v.initializer, twice.initializer])
        ...     print(session.run(twice))
        4.0
        """
        initial = self.initial_value if self._initializer is None else self._initializer.inputs[0]
        return initialized_value(initial, self.resource, name=name_below(self, "initialized_value"))

    def eval(self, session: Any = None) -> Any:
        """Its value in a session: `session.run(v)`.

        Args:
            session: the session; without it, the default session.

        Returns:
            A NumPy array; of rank 0 a NumPy scalar.

        Raises:
            ValueError: there is no session.
            FailedPreconditionError: it has no value there.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable(2.0)
        ...     session.run(v.initializer)
        ...     print(v.eval())
        2.0
        """
        return self._element.eval(session=session)

    # ---- writing ----------------------------------------------------------------------------

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """A node that writes a value to the variable.

        Args:
            value: a tensor, or what becomes one; its dtype and shape are those of the variable.
            use_locking: accepted for TensorFlow's sake; writes are always whole.
            name: the name of the node.
            read_value: False returns the operation.

        Returns:
            A tensor of the value that it writes, or the operation.

        Raises:
            TypeError: the value has another dtype.
            ValueError: the value has another shape.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable([1, 2])
        ...     print(session.run(v.assign([3, 4])), session.run(v))
        [3 4] [3 4]
        """
        return self._write(assign_value, "Assign", value, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """A node that adds to the variable.

        Args:
            delta: what is added, of the variable's dtype and shape.
            use_locking: accepted for TensorFlow's sake.
            name: the name of the node.
            read_value: False returns the operation.

        Returns:
            A tensor of the sum, or the operation.

        Raises:
            TypeError: `delta` has another dtype.
            ValueError: `delta` has another shape.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable(2.0)
        ...     session.run(v.initializer)
        ...     print(session.run(v.assign_add(1.0)))
        3.0
        """
        return self._write(assign_add_value, "AssignAdd", delta, name, read_value)

    @documented_like(assign_add)
    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """A node that subtracts from the variable.

        Args:
            delta: what is subtracted, of the variable's dtype and shape.

        Returns:
            A tensor of the difference, or the operation.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable(2.0)
        ...     session.run(v.initializer)
        ...     print(session.run(v.assign_sub(1.0)))
        1.0
        """
        return self._write(assign_sub_value, "AssignSub", delta, name, read_value)

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        """A node that adds rows to those of the variable: `tf.scatter_add` of an `IndexedSlices`.

        Args:
            sparse_delta: the rows and their numbers.
            use_locking: accepted for TensorFlow's sake.
            name: the name of the node.

        Returns:
            A tensor of the whole new value.

        Raises:
            TypeError: `sparse_delta` is no `IndexedSlices`.
            ValueError: known shapes do not fit.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable([1.0, 2.0])
        ...     session.run(v.initializer)
        ...     print(session.run(v.scatter_add(tf.IndexedSlices(tf.constant([3.0]), tf.constant([1])))))
        [1. 5.]
        """
        return self._scatter("scatter_add", sparse_delta, name)

    @documented_like(scatter_add)
    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        """A node that subtracts rows from those of the variable: `tf.scatter_sub` of an `IndexedSlices`.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable([1.0, 2.0])
        ...     session.run(v.initializer)
        ...     print(session.run(v.scatter_sub(tf.IndexedSlices(tf.constant([3.0]), tf.constant([1])))))
        [ 1. -1.]
        """
        return self._scatter("scatter_sub", sparse_delta, name)

    @documented_like(scatter_add)
    def scatter_update(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Tensor:
        """A node that replaces rows of the variable: `tf.scatter_update` of an `IndexedSlices`.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable([1.0, 2.0])
        ...     session.run(v.initializer)
        ...     print(session.run(v.scatter_update(tf.IndexedSlices(tf.constant([3.0]), tf.constant([1])))))
        [1. 3.]
        """
        return self._scatter("scatter_update", sparse_delta, name)

    def count_up_to(self, limit: int) -> Tensor:
        """A node that adds 1 to a counter, as long as it is below a limit.

        Args:
            limit: the number at which the run fails.

        Returns:
            A tensor of the value before.

        Raises:
            TypeError: the variable is no int32 or int64, or `limit` no int.
            OutOfRangeError (when run): the limit is reached.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable(0)
        ...     step = v.count_up_to(2)
        ...     session.run(v.initializer)
        ...     print(session.run(step), session.run(step), session.run(v))
        0 1 2
        """
        if not self.dtype.bit & INT32_64:
            raise DTypeError(f"count_up_to: {self.resource!r} is {self.dtype}; a counter is int32 or int64")
        with graph_of_write(self).as_default():
            counted: Tensor = count_up(limit, self.resource, self.dtype, self.shape)
        return counted

    def _scatter(self, function: str, delta: IndexedSlices, name: str | None) -> Tensor:
        if not isinstance(delta, IndexedSlices):
            raise UseError(f"{function}: sparse_delta is not IndexedSlices: {delta!r}")
        return scatter_into(self, function, delta.indices, delta.values, name)

    def __getitem__(self, key: Any) -> Any:  # a VariableSlice
        return VariableSlice(self, self.as_operand()[key])

    def _write(self, op: Any, kind: str, value: Any, name: str | None, read_value: bool) -> Any:
        written = written_whole(self, op, kind, value, name)
        return written if read_value else written.op

    def load(self, value: Any, session: Any = None) -> None:
        """Gives the variable a value in a session, at once.

        Args:
            value: an array, or what becomes one; it is copied.
            session: the session; without it, the default session.

        Raises:
            TypeError: the value has another dtype.
            ValueError: there is no session, or the value has another shape.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     v = tf.Variable([1.0, 2.0])
        ...     v.load([3.0, 4.0])
        ...     print(session.run(v))
        [3. 4.]
        """
        try:
            array = literal(value, self.dtype)
        except BuildError as error:
            error.reword(f"load of the variable {self.resource!r}: {error.brief}")
            raise
        if not self.shape.is_compatible_with(array.shape):
            raise ShapeError(f"load: the value has shape {list(array.shape)}, the variable {self.resource!r} has "
                             f"{self.shape}")  # fmt: skip
        hooks.load_values({self.resource: np.array(array, order="C")}, self.graph, session)

    # ---- Python -----------------------------------------------------------------------------

    to_proto = AbsentMember("tf.train.export_meta_graph() gives the messages of all variables, with the graph")
    from_proto = AbsentMember("tf.train.import_meta_graph(message) makes the variables that a MetaGraph describes")

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"the variable {self.resource!r} is not iterable: write tf.unpack(v) for its rows")

    def __bool__(self) -> bool:  # type: ignore[override]  # a tensor never has a truth value, a variable may
        return VariablesAsObjects.are_true or super().__bool__()

    def _no_value(self, attempt: str, cure: str) -> NoReturn:
        self._element._no_value(attempt, cure)

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


def _check_outside(graph: Graph, given: Any, name: str | None) -> None:
    """Raise GraphError if an initial value is a tensor inside a body; a variable is made outside of all bodies."""
    tensor = first_tensor(given) if isinstance(given, (Tensor, TensorSource, list, tuple)) else None
    if tensor is not None and tensor.graph is not graph and tensor.graph.outer is not None:
        raise GraphError(
            f"Variable: the initial value of {name or 'Variable'!r} is {tensor.name!r}, {tensor.op.origin.made}, which "
            "is inside a branch or loop. A variable is made outside of all bodies and gets its initial value there. "
            "Give a value that does not depend on the body, or a function that builds one; write the variable in the "
            "body with assign"
        )


def _called(function: Callable[[], Any], name: str | None) -> Any:
    """What the function of an initial value gives."""
    try:
        return function()
    except GraphError as error:
        if error.code == "graph/two-graphs" and any(graph.outer is not None for graph in defaults.stack):
            raise GraphError(
                f"Variable: the function of the initial value of {name or 'Variable'!r} uses a tensor inside a branch "
                "or loop. A variable is made outside of all bodies and gets its initial value there. Use values that "
                "do not depend on the body, and write the variable in the body with assign"
            ) from error
        raise


def _with_scopes_of_bodies(graph: Graph, name: str) -> str:
    """A name with the name scopes that are open in the bodies around the call, whose own names are left out."""
    around = get_default_graph()
    if name.endswith("/"):
        return name
    while around is not graph and around.outer is not None:
        name = around.surroundings.prefix.removeprefix(around.root_prefix) + name
        around = around.outer
    return name


def _converted(value: Any, dtype: DType | None) -> Tensor:
    try:
        if isinstance(value, (Tensor, TensorSource)):
            return convert_to_tensor(value, dtype, name="initial_value")
        return convert(get_default_graph(), value, dtype, None, "initial_value")  # 10 us less
    except BuildError as error:
        error.reword(f"Variable: initial_value: {error.brief}")
        raise


@hides_frames
def is_variable_initialized(variable: Variable) -> Tensor:
    """Whether a variable has a value in the run's session.

    Args:
        variable: the variable.

    Returns:
        A bool tensor of rank 0.

    Raises:
        TypeError: it is no variable.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(1.0)
    ...     before = session.run(tf.is_variable_initialized(v))
    ...     session.run(v.initializer)
    ...     print(before, session.run(tf.is_variable_initialized(v)))
    False True

    Source: TensorFlow 1.x, `tf.is_variable_initialized`.
    """
    if not isinstance(variable, Variable):
        raise UseError(f"is_variable_initialized({variable!r}): give a tf.Variable")
    with target_graph(variable.element).as_default():
        return variable_is_initialized(variable.resource, name="IsVariableInitialized")

