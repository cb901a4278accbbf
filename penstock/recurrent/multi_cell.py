"""`MultiRNNCell`: cells one on top of the other."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import UseError, ValueRuleError
from ..graph.common.source_location import user_stacklevel
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..ops.declare.composite import all_or_nothing
from ..ops.move.concat_stack import concat
from ..ops.move.slicing import slice as slice_op
from ..variables.variable_scope_block import variable_scope
from .cell_base import RNNCell
from .weights_of_scopes import JoinedStates, WeightsOfScopes


class MultiRNNCell(RNNCell):
    """Cells one on top of the other: the output of each is the input of the next.

    Args:
        cells: a list of cells; cell i has the variable scope "cell_i".
        state_is_tuple: whether the state is a tuple with the state of each cell; else all lie side by side in one
            tensor.

    Raises:
        TypeError: `cells` is not a list or tuple.
        ValueError: it is empty, or a state is a tuple though `state_is_tuple` is False.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(size) for size in (4, 2)])
    ...     output, state = cell(tf.zeros([5, 3]), cell.zero_state(5, tf.float32))
    ...     print(output.shape, cell.state_size, cell.variables[-1].name)
    (5, 2) (4, 2) multi_rnn_cell/cell_1/gru_cell/candidate/bias:0

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.MultiRNNCell`.
    """

    @hides_frames
    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not isinstance(cells, (list, tuple)):
            raise UseError(f"MultiRNNCell: cells must be a list or tuple, but saw: {cells!r}. Write [cell]")
        if not cells:
            raise ValueRuleError("Must specify at least one cell for MultiRNNCell.")
        for number, cell in enumerate(cells):
            if isinstance(cell, type) or not callable(cell):
                raise UseError(f"MultiRNNCell: cells[{number}] must be an instance of RNNCell, such as "
                               f"tf.nn.rnn_cell.GRUCell(64), not {cell!r}")  # fmt: skip
        if len({id(cell) for cell in cells}) < len(cells) and not WeightsOfScopes.are_on:
            warnings.warn(
                "MultiRNNCell: two of the cells are the same object and share their weights; "
                "[cell] * n is one cell n times: write [make_cell() for _ in range(n)]",
                stacklevel=user_stacklevel(),
            )
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple and not JoinedStates.are_on
        if not self._state_is_tuple and any(isinstance(cell.state_size, (tuple, list)) for cell in cells):
            raise ValueRuleError("Some cells return tuples of states, but the flag state_is_tuple is not set.  State "
                                 f"sizes are: {[cell.state_size for cell in cells]}")  # fmt: skip

    @property
    def state_size(self) -> Any:
        """The sizes of all states, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return self._cells[-1].output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of all cells that optimizers change."""
        return [each for cell in self._cells for each in getattr(cell, "trainable_weights", ())]

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables of all cells that optimizers change."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables of all cells that optimizers leave as they are."""
        return [each for cell in self._cells for each in getattr(cell, "non_trainable_variables", ())]

    @hides_frames
    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros for each cell.

        Args:
            batch_size: the number of rows, an int or an int scalar.
            dtype: the dtype of all tensors.

        Returns:
            A tuple of states, or one tensor if `state_is_tuple` is False.

        Raises:
            TypeError: there is no such dtype, or `batch_size` is not int.
        """
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)

        def build() -> Any:
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

        return all_or_nothing([batch_size], build, scope="MultiRNNCellZeroState")

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The last cell's output, and the states of all cells."""
        if self._state_is_tuple and (not isinstance(state, (tuple, list)) or len(state) != len(self._cells)):
            raise ValueRuleError(
                f"Expected state to be a tuple of length {len(self._cells)}, but received: {state}. It has a state for "
                "each cell, as cell.zero_state(batch_size, dtype) does; one tensor for all is the state of "
                "MultiRNNCell(cells, state_is_tuple=False)"
            )
        states, begin = [], 0
        for i, cell in enumerate(self._cells):
            with variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    own = state[i]
                else:
                    own = slice_op(state, [0, begin], [-1, cell.state_size])
                    begin += cell.state_size
                inputs, new = cell(inputs, own)
                states.append(new)
        return inputs, tuple(states) if self._state_is_tuple else concat(1, states)
