"""`RNNCell`: the base of recurrent cells, which a program's own cells inherit too.

A cell is called as `output, new_state = cell(inputs, state)`. Its variables are made at the first call, below the scope
that is current there: "rnn/basic_lstm_cell/kernel". Later calls share them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from typing import Any

from ..control_flow.structures import flat
from ..errors import DTypeError, ShapeError, UseError, ValueRuleError
from ..graph.building.context_functions import name_scope
from ..graph.common.not_copyable import NotCopyable
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike, as_int
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype
from ..graph.shapes.shape import TensorShape
from ..layers.layer import Layer
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.create.shape_size_rank import shape as shape_op
from ..ops.declare.composite import all_or_nothing
from ..variables.get_variable import get_variable
from ..variables.partitioned_variable import with_parts
from ..variables.variable import Variable
from ..variables.variable_lists import get_variable_scope
from ..variables.variable_scope_block import variable_scope
from ..variables.variable_scope_object import VariableScope
from .cell_states import map_leaves, zeros_of
from .weights_of_scopes import WeightsOfScopes

_OF_ITS_WEIGHTS = ("_scope", "built", "_variables", "_home", "_elsewhere", "_calls")
"""What a cell knows of its variables and calls."""


class RNNCell(Layer):
    """The base of recurrent cells.

    A class of cells has the properties `state_size` and `output_size`, and a method `call(inputs, state)` that gives
    the output and the next state; variables are made there with `tf.get_variable`, or in `build(inputs_shape)` with
    `self.add_variable`. Instead of `call` it may have `__call__(inputs, state, scope=None)`, as programs for the first
    versions of TensorFlow do.

    Args:
        trainable: whether optimizers change the variables.
        name: the name of the cell's variable scope, made unique; by default that of the class, as "my_cell".
        dtype: the dtype of the variables; by default that of the first inputs.
        kwargs: `_reuse`, whether existing variables are taken; `_scope`, the variable scope to use.

    Raises:
        TypeError: another argument is given.

    >>> import penstock as tf
    >>> class Sum(tf.nn.rnn_cell.RNNCell):
    ...     state_size = output_size = 2
    ...     def build(self, inputs_shape):
    ...         self.gain = self.add_variable("gain", [], initializer=tf.ones_initializer())
    ...     def call(self, inputs, state):
    ...         state = state + inputs * self.gain
    ...         return state, state
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell, x = Sum(), tf.ones([1, 3, 2])
    ...     start = cell.get_initial_state(inputs=x)  # as cell.zero_state(1, tf.float32)
    ...     outputs, last = tf.nn.dynamic_rnn(cell, x, initial_state=start)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(last), [v.name for v in cell.variables])
    [[3. 3.]] ['rnn/sum/gain:0']

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.RNNCell`.
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        reuse, scope = kwargs.pop("_reuse", None), kwargs.pop("_scope", None)
        if kwargs:
            raise UseError(f"{type(self).__name__}: unexpected arguments {sorted(kwargs)}; a cell takes trainable, "
                           "name, dtype, _reuse and _scope")  # fmt: skip
        super().__init__(trainable, name or _snake_case(type(self).__name__), dtype)
        self._reuse = reuse
        if scope is not None:
            with variable_scope(scope) as captured:
                self._scope = captured

    _home: tuple[str, str | None] | None = None
    _elsewhere: Mapping[tuple[str, str | None], RNNCell] = {}

    # ---- what a class of cells says ---------------------------------------------------------------

    @property
    def state_size(self) -> Any:
        """The size, or a structure of sizes, of the state: ints and TensorShapes without the batch."""
        raise NotImplementedError(f"{type(self).__name__} has no state_size: a cell says the size of its state")

    @property
    def output_size(self) -> Any:
        """The size, or a structure of sizes, of the output."""
        raise NotImplementedError(f"{type(self).__name__} has no output_size: a cell says the size of its output")

    def build(self, inputs_shape: Any) -> None:
        """Makes variables with `self.add_variable`, once the static shape of the first inputs is known."""

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the next state."""
        raise NotImplementedError(f"{type(self).__name__} has neither call(inputs, state) nor __call__")

    # ---- for classes of cells ---------------------------------------------------------------------

    def add_variable(
        self,
        name: str,
        shape: Any,
        dtype: DTypeLike | None = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        constraint: Any = None,
        **kwargs: Any,
    ) -> Variable:
        """Makes, or shares, a variable of the cell; in `build` or `call`.

        Args:
            name: the name below the cell's scope.
            shape: the shape.
            dtype: the dtype; by default that of the cell.
            initializer: how it starts; by default the initializer of the variable scope.
            regularizer: a function of the variable whose result is a regularization loss.
            trainable: whether optimizers change it.
            constraint: a function from a new value to the one that an optimizer keeps.
            kwargs: further arguments of `tf.get_variable`.

        Returns:
            A Variable.

        Raises:
            ValueError: it exists and is not to be reused, or has another shape or dtype.
        """
        learns = trainable and self.trainable
        variable: Variable = get_variable(
            name, shape, self.dtype if dtype is None else dtype, initializer, regularizer, learns,
            constraint=constraint, **kwargs
        )  # fmt: skip
        self._remember(variable, learns)
        return variable

    add_weight = add_variable

    # ---- states -----------------------------------------------------------------------------------

    @hides_frames
    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros.

        Args:
            batch_size: the number of rows, an int or an int scalar.
            dtype: the dtype of all its tensors.

        Returns:
            A structure like `state_size` of tensors of shape [batch_size, size].

        Raises:
            TypeError: there is no such dtype, or `batch_size` is not int.
        """
        def build() -> Any:
            return zeros_of(self.state_size, batch_size, as_dtype(dtype))

        return all_or_nothing([batch_size], build, scope=f"{type(self).__name__}ZeroState")

    @hides_frames
    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike | None = None) -> Any:
        """A state of zeros, for the rows of `inputs` or for `batch_size` rows.

        Args:
            inputs: a tensor whose first size is the number of rows.
            batch_size: the number of rows, where there are no inputs.
            dtype: the dtype; by default that of the inputs.

        Returns:
            A structure like `state_size` of tensors.

        Raises:
            ValueError: the number of rows or the dtype is not given.
        """
        if inputs is not None:
            tensor = convert_to_tensor(flat(inputs)[0])
            batch_size, dtype = shape_op(tensor)[0], dtype or tensor.dtype
        if batch_size is None or dtype is None:
            raise UseError(f"batch_size and dtype must be given where there are no inputs: batch_size={batch_size!r}, "
                           f"dtype={dtype!r}")  # fmt: skip
        return self.zero_state(batch_size, dtype)

    # ---- calls ------------------------------------------------------------------------------------

    @hides_frames
    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> tuple[Any, Any]:  # type: ignore[override]
        """The output and the next state of one step.

        Args:
            inputs: a tensor of shape [batch, size], or a structure of tensors.
            state: a structure like `state_size` of tensors.
            scope: the variable scope of the cell, at its first call; by default one of the cell's name.
        """
        if "_variables" not in vars(self):
            raise UseError(f"{type(self).__name__}.__init__ does not call super().__init__(), which a cell with "
                           "`call` needs")  # fmt: skip
        before = {key: list(value) if isinstance(value, list) else value for key, value in vars(self).items()}
        # A body that is built a second time, for other shapes, makes the variables again.
        outermost(get_default_graph()).journal.note(_restore, self, before)
        try:
            return all_or_nothing(
                [*flat(inputs), *flat(state)], lambda: self._called(inputs, state, scope, kwargs)
            )
        except BaseException:
            _restore(self, before)
            raise

    def _called(self, inputs: Any, state: Any, scope: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        if WeightsOfScopes.are_on:
            place = get_variable_scope().name, scope if scope is None or isinstance(scope, str) else scope.name
            if self._home is not None and self._home != place:
                return self._in_scope(place)(inputs, state, scope, **kwargs)
            self._home = place
        inputs, state = (map_leaves(convert_to_tensor, each) for each in (inputs, state))
        if self._scope is None:
            shared = scope if scope is not None else self.name if self._reuse else None
            with variable_scope(shared, None if shared is not None else self.name) as captured:
                self._scope = captured
        reuse = True if self.built else self._reuse
        with (
            variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False, custom_getter=self._noting_getter),
            name_scope(self._scope.original_name_scope),
        ):
            if not self.built:
                self.dtype = self.dtype or flat(inputs)[0].dtype
                self.build(inputs.shape if isinstance(inputs, Tensor) else map_leaves(lambda each: each.shape, inputs))
                self.built, self._first_shape = True, inputs.shape if isinstance(inputs, Tensor) else None
            if _takes_scope(self.call):
                kwargs = {**kwargs, "scope": self._scope}
            try:
                output, new = next_pair(self, self.call(inputs, state, **kwargs))
            except ShapeError:
                self._require_first_size(inputs)
                raise
            except DTypeError:
                self._require_one_dtype(inputs, state)
                raise
        if isinstance(inputs, Tensor) and isinstance(output, Tensor):
            self._calls.append((inputs, output))
        return output, new

    def _require_first_size(self, inputs: Any) -> None:
        """ShapeError for inputs of another size than those for which the cell made its weights."""
        if self._first_shape is None or not isinstance(inputs, Tensor) or not self._variables:
            return
        first, now = self._first_shape.raw, inputs.shape.raw
        if first and now and first[-1] != now[-1]:
            raise ShapeError(
                f"the cell {self.name!r} made its weights for inputs of size {first[-1]}, and these have size "
                f"{now[-1]}; make another cell for them: [cell] * n is one cell n times, write "
                "[make_cell() for _ in range(n)]"
            ) from None

    def _require_one_dtype(self, inputs: Any, state: Any) -> None:
        """DTypeError for a state of another dtype than the inputs, with which the cell's own steps have failed."""
        of_inputs, of_state = (
            list({each.dtype.name for each in flat(part) if isinstance(each, Tensor)}) for part in (inputs, state)
        )
        if len(of_inputs) == len(of_state) == 1 and of_inputs != of_state:
            raise DTypeError(
                f"the cell {self.name!r} got inputs of {of_inputs[0]} and a state of {of_state[0]}; both must have one "
                f"dtype. dtype=tf.{of_inputs[0]}, or an initial_state of cell.zero_state(batch_size, "
                f"tf.{of_inputs[0]}), gives the state that of the inputs"
            ) from None

    def _in_scope(self, place: tuple[str, str | None]) -> RNNCell:
        """The same cell with the weights of another scope."""
        if place not in self._elsewhere:
            other = copy(self)
            other._scope, other.built, other._variables, other._home, other._calls = None, False, [], None, []
            self._elsewhere = {**self._elsewhere, place: other}
        return self._elsewhere[place]

    def __deepcopy__(self, memo: dict[int, Any]) -> RNNCell:
        """A cell like this one that makes weights of its own at its first call."""
        other = copy(self)
        memo[id(self)] = other
        if self.built:
            other._scope, other.built, other._variables, other._home, other._elsewhere = None, False, [], None, {}
        other._calls = []
        for key, value in vars(self).items():
            if key not in _OF_ITS_WEIGHTS and not isinstance(value, NotCopyable):
                setattr(other, key, deepcopy(value, memo))
        return other

    def _noting_getter(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """`tf.get_variable` inside `call`: what it makes is the cell's."""
        variable = getter(*args, **kwargs)
        learns = kwargs.get("trainable") is not False and self.trainable
        self._remember(variable, learns)
        return variable

    def _remember(self, variable: Any, learns: bool) -> None:
        for part in with_parts([variable]):
            if isinstance(part, Variable) and all(each is not part for each, _ in self._variables):
                self._variables.append((part, learns))


class CellOfUnits(RNNCell):
    """A cell whose output, and whose state unless it says more, has a number for each of its units."""

    _num_units: int

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units


def units_of(value: Any, what: str) -> int:
    """A number of units that a program gives a cell; `what` is the cell and the argument, for errors.

    Raises:
        DTypeError: it is no int.
        ValueRuleError: it is not positive.
    """
    units = as_int(value, what)
    if units <= 0:
        raise ValueRuleError(f"{what} must be positive, not {units}")
    return units


def next_pair(cell: Any, returned: Any) -> tuple[Any, Any]:
    """What a cell has returned, as output and state.

    Raises:
        UseError: it is no pair.
    """
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        kind = f"{len(returned)} values" if isinstance(returned, (tuple, list)) else repr(returned)
        raise UseError(f"the cell {type(cell).__name__} returned {kind}; a cell returns two values, the output and the "
                       "next state: return output, state")  # fmt: skip
    return returned[0], returned[1]


def step_size(cell: RNNCell, inputs_shape: Any) -> int:
    """The size of the inputs of one step, [batch, size], which a cell has to know to make its variables.

    Raises:
        UseError: the inputs are no single tensor.
        DTypeError: the inputs are not floats.
        ShapeError: the size is not known, or the inputs are no matrix.
    """
    if not isinstance(inputs_shape, TensorShape):
        raise UseError(f"{cell.name} reads one tensor at each step, and these inputs are a structure of tensors; "
                       "tf.nn.dynamic_rnn takes one tensor, [batch, time, size], and tf.nn.static_rnn a list with a "
                       "tensor for each time")  # fmt: skip
    if cell.dtype is not None and not cell.dtype.is_floating:
        raise DTypeError(f"{cell.name}: a cell reads floats, and its inputs are {cell.dtype}; tf.cast makes floats of "
                         "numbers, tf.nn.embedding_lookup vectors of ids")  # fmt: skip
    if inputs_shape.ndims not in (None, 2):
        raise ShapeError(f"a cell gets the inputs of one step, [batch, size], and these have shape {inputs_shape}; "
                         "tf.nn.dynamic_rnn takes those of all steps, [batch, time, size]; tf.expand_dims(x, -1) makes "
                         "a vector of each number")  # fmt: skip
    return input_size(inputs_shape)


def input_size(inputs_shape: Any) -> int:
    """The last size of inputs.

    Raises:
        ValueError: it is not known.
    """
    size = inputs_shape.raw[-1] if inputs_shape.raw else None
    if not isinstance(size, int):
        raise ShapeError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}. Give it with t.set_shape")
    return size


def _takes_scope(call: Callable[..., Any]) -> bool:
    return "scope" in inspect.signature(call).parameters


def _snake_case(name: str) -> str:
    """The name of a variable scope from that of a class: "BasicLSTMCell" is "basic_lstm_cell"."""
    spaced = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    lower = re.sub("([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{lower}" if lower.startswith("_") else lower


def _restore(cell: RNNCell, before: dict[str, Any]) -> None:
    state = vars(cell)
    state.clear()
    state.update(before)


def entered(scope: Any, default: str) -> variable_scope:
    """The block of a loop's variable scope: `scope`, a name or a scope, or one of the default's name."""
    if scope is not None and not isinstance(scope, (str, VariableScope)):
        raise UseError(f"scope is a str or a variable scope, not {scope!r}")
    return variable_scope(scope or default)


def check_cell(call: str, cell: Any) -> None:
    """Raise a UseError unless `cell` has what a cell has.

    Raises:
        UseError: it has not.
    """
    if not (callable(cell) and hasattr(cell, "state_size") and hasattr(cell, "output_size")) or isinstance(cell, type):
        raise UseError(f"{call}: cell must be an instance of RNNCell, such as tf.nn.rnn_cell.GRUCell(64), not {cell!r}")
