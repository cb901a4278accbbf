"""Lists of variables: the collections of the default graph, and the operations that initialise and check them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import UseError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.dtypes import string
from ..ops.control.control import group, no_op
from ..ops.create.constant_and_placeholder import constant
from ..ops.create.shape_size_rank import rank
from ..ops.elementwise.logical import logical_not
from ..ops.index.gathering import boolean_mask
from ..ops.move.concat_stack import pack
from .graph_keys import GraphKeys
from .variable import Variable, is_variable_initialized
from .variable_scope_object import VariableScope, current_scope

# ---- collections --------------------------------------------------------------------------------


@hides_frames
def add_to_collection(name: Any, value: Any) -> None:
    """Appends `value` to a collection of the default graph: `Graph.add_to_collection`.

    Args:
        name: any hashable value; `tf.GraphKeys` has those of TensorFlow.
        value: a tensor, an operation, a variable or any other value.

    Raises:
        TypeError: `name` is not hashable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.add_to_collection("losses", "mean")
    ...     tf.get_collection("losses")
    ['mean']

    Source: TensorFlow 1.x, `tf.add_to_collection`.
    """
    get_default_graph().add_to_collection(name, value)


@hides_frames
def add_to_collections(names: Any, value: Any) -> None:
    """Appends `value` to several collections of the default graph: `Graph.add_to_collections`.

    Args:
        names: the names of the collections, or the name of one.
        value: a tensor, an operation, a variable or any other value.

    Raises:
        TypeError: a name is not hashable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.add_to_collections(["losses", "summaries"], "mean")
    ...     tf.get_collection("summaries")
    ['mean']

    Source: TensorFlow 1.x, `tf.add_to_collections`.
    """
    get_default_graph().add_to_collections(names, value)


@hides_frames
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The values in a collection of the default graph: `Graph.get_collection`.

    Args:
        key: the name of the collection.
        scope: a regular expression; only values whose `name` begins with a match are returned.

    Returns:
        A new list; it is empty if there is no such collection.

    Raises:
        TypeError: `key` is not hashable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w, b = tf.Variable(1.0, name="layer/w"), tf.Variable(1.0, name="b")
    ...     tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="layer/") == [w]
    True

    Source: TensorFlow 1.x, `tf.get_collection`.
    """
    return get_default_graph().get_collection(key, scope)


@hides_frames
def get_collection_ref(key: Any) -> list[Any]:
    """The list that holds a collection of the default graph: `Graph.get_collection_ref`. Changing it changes the
    collection.

    Args:
        key: the name of the collection, which is made if there is none.

    Returns:
        The list itself.

    Raises:
        TypeError: `key` is not hashable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.get_collection_ref("losses").append("mean")
    ...     tf.get_collection("losses")
    ['mean']

    Source: TensorFlow 1.x, `tf.get_collection_ref`.
    """
    return get_default_graph().get_collection_ref(key)


def get_variable_scope() -> VariableScope:
    """The variable scope that `tf.get_variable` uses here.

    Returns:
        A VariableScope.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("layer"):
    ...     print(tf.get_variable_scope().name)
    layer

    Source: TensorFlow 1.x, `tf.get_variable_scope`.
    """
    return current_scope(outermost(get_default_graph()))


# ---- variables ----------------------------------------------------------------------------------


@hides_frames
def global_variables(scope: str | None = None) -> list[Variable]:
    """The global variables of the default graph: those that `tf.Variable` and `tf.get_variable` make, unless they are
    given other collections.

    Args:
        scope: a regular expression; only variables whose name begins with a match are returned.

    Returns:
        A new list, in the order in which they were made.

    Raises:
        TypeError: `scope` is not a str.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(1.0, name="w")
    ...     print(tf.global_variables())
    [<tf.Variable 'w:0' shape=() dtype=float32>]

    Source: TensorFlow 1.x, `tf.global_variables`.
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Variable]:
    """The global variables of the default graph: `tf.global_variables` under its name in TensorFlow 0.x.

    Returns:
        A new list, in the order in which they were made.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(1.0, name="w")
    ...     print(tf.all_variables() == [w])
    True

    Source: TensorFlow 0.x, `tf.all_variables`.
    """
    return global_variables()


@hides_frames
@documented_like(global_variables)
def local_variables(scope: str | None = None) -> list[Variable]:
    """The local variables of the default graph: those that `tf.get_local_variable` makes.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     count = tf.get_local_variable("count", [])
    ...     print(tf.local_variables() == [count])
    True
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@hides_frames
@documented_like(global_variables)
def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The trainable variables of the default graph: those that an optimizer changes where it is given no list.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w, step = tf.Variable(1.0), tf.Variable(0, trainable=False)
    ...     print(tf.trainable_variables() == [w])
    True
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@hides_frames
@documented_like(global_variables)
def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph in the collection `tf.GraphKeys.MODEL_VARIABLES`, which programs fill.

    Returns:
        A new list, in the order in which they were added.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(1.0, collections=[tf.GraphKeys.MODEL_VARIABLES])
    ...     print(tf.model_variables() == [w])
    True
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


@hides_frames
@documented_like(global_variables)
def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph whose moving averages are kept.

    Returns:
        A new list, in the order in which they were added.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.moving_average_variables())
    []
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# ---- initialisers -------------------------------------------------------------------------------


@hides_frames
def variables_initializer(var_list: Iterable[Variable], name: str | None = "init") -> Operation:
    """An operation that gives variables their initial values.

    Args:
        var_list: the variables.
        name: the name of the operation.

    Returns:
        The operation.

    Raises:
        TypeError: an element is no variable.
        ValueError: a variable has no initializer in this graph.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     a, b = tf.Variable(1.0), tf.Variable(2.0)
    ...     session.run(tf.variables_initializer([a, b]))
    ...     print(*session.run([a, b]))
    1.0 2.0

    Source: TensorFlow 1.x, `tf.variables_initializer`.
    """
    if isinstance(var_list, Variable):
        raise UseError(f"variables_initializer: {var_list!r} is one variable; give a list: [v]")
    variables = list(var_list)
    for variable in variables:
        if not isinstance(variable, Variable):
            raise UseError(f"variables_initializer: {variable!r} is not a variable; give a list of tf.Variable")
    return group(*[variable.initializer for variable in variables], name=name) if variables else no_op(name=name)


def global_variables_initializer() -> Operation:
    """An operation that gives all global variables of the default graph their initial values.

    Variables that are made after this call are not among them.

    Returns:
        The operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable([1.0, 2.0])
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(w))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.global_variables_initializer`.
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An operation that gives all local variables of the default graph their initial values.

    Returns:
        The operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     count = tf.get_local_variable("count", [], tf.int32)
    ...     session.run(tf.local_variables_initializer())
    ...     print(session.run(count))
    0

    Source: TensorFlow 1.x, `tf.local_variables_initializer`.
    """
    return variables_initializer(local_variables())


@hides_frames
@documented_like(variables_initializer)
def initialize_variables(var_list: Iterable[Variable], name: str | None = "init") -> Operation:
    """`tf.variables_initializer` under its name in TensorFlow 0.x.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.initialize_variables([tf.Variable(1.0)]).name)
    init

    Source: TensorFlow 0.x, `tf.initialize_variables`.
    """
    return variables_initializer(var_list, name)


def initialize_all_variables() -> Operation:
    """`tf.global_variables_initializer` under its name in TensorFlow 0.x.

    Returns:
        The operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable([1.0, 2.0])
    ...     session.run(tf.initialize_all_variables())
    ...     print(session.run(w))
    [1. 2.]

    Source: TensorFlow 0.x, `tf.initialize_all_variables`.
    """
    return global_variables_initializer()


def initialize_local_variables() -> Operation:
    """`tf.local_variables_initializer` under its name in TensorFlow 0.x.

    Returns:
        The operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.initialize_local_variables().name)
    init

    Source: TensorFlow 0.x, `tf.initialize_local_variables`.
    """
    return local_variables_initializer()


@hides_frames
@documented_like(variables_initializer)
def tables_initializer(name: str | None = "init_all_tables") -> Operation:
    """An operation that initialises the look-up tables of the default graph.

    Raises:
        ValueError: `name` is not a valid name.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.tables_initializer().name)
    init_all_tables
    """
    initializers = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name) if initializers else no_op(name=name)


# ---- checks -------------------------------------------------------------------------------------


@hides_frames
def report_uninitialized_variables(
    var_list: Iterable[Variable] | None = None, name: str | None = "report_uninitialized_variables"
) -> Tensor:
    """The names of variables that have no value in the run's session.

    Args:
        var_list: the variables; by default the global and the local ones of the default graph.
        name: the name of the scope of its operations.

    Returns:
        A vector of strings, of unknown size.

    Raises:
        TypeError: an element is no variable.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    ...     missing = tf.report_uninitialized_variables()
    ...     session.run(a.initializer)
    ...     print(session.run(missing))
    [b'b']

    Source: TensorFlow 1.x, `tf.report_uninitialized_variables`.
    """
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    graph = get_default_graph()
    with graph.name_scope("report_uninitialized_variables" if name is None else name):
        if not variables:
            return constant([], string)
        missing = logical_not(pack([is_variable_initialized(variable) for variable in variables]))
        return boolean_mask(constant([variable.op.name for variable in variables]), missing)


@hides_frames
def assert_variables_initialized(var_list: Iterable[Variable] | None = None) -> Tensor | None:
    """A tensor whose run fails if a variable has no value in the session.

    Args:
        var_list: the variables; by default the global and the local ones of the default graph.

    Returns:
        A tensor, whose value says nothing; None if there are no variables.

    Raises:
        FailedPreconditionError (when run): a variable has no value.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(1.0, name="w")
    ...     check = tf.assert_variables_initialized()
    ...     session.run(w.initializer)
    ...     done = session.run(check)

    Source: TensorFlow 1.x, `tf.assert_variables_initialized`.
    """
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    ranks = [rank(variable) for variable in variables]
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else pack(ranks)
