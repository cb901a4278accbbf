"""`AttentionCellWrapper`: a cell that attends to its own last outputs."""

from __future__ import annotations

from typing import Any

from ..control_flow.structures import flat
from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.model.nodes import Tensor
from ..variables.get_variable import get_variable
from ..variables.variable_scope_block import variable_scope
from .basic_cells import new_linear
from .cell_base import RNNCell, step_size


class AttentionCellWrapper(RNNCell):
    """A cell whose inputs are joined with a mean of its last outputs, weighted by how they fit its state.

    Args:
        cell: the cell inside.
        attn_length: how many outputs are looked at.
        attn_size: the size of what is looked at; by default that of the cell's output.
        attn_vec_size: the size of the comparison; by default `attn_size`.
        input_size: the size of the joined inputs; by default that of the inputs.
        state_is_tuple: True; False is refused.
        reuse: whether existing variables are taken.

    Raises:
        ValueError: `attn_length` is below 1, or `state_is_tuple` is False.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.AttentionCellWrapper(tf.contrib.rnn.BasicLSTMCell(4), attn_length=3)
    ...     output, state = cell(tf.zeros([2, 5]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [each.shape.as_list() for each in state[1:]])
    (2, 4) [[2, 4], [2, 12]]

    Source: TensorFlow 1.x, `tf.contrib.rnn.AttentionCellWrapper`; Bahdanau et al., arXiv:1409.0473.
    """

    def __init__(
        self, cell: Any, attn_length: int, attn_size: int | None = None, attn_vec_size: int | None = None,
        input_size: int | None = None, state_is_tuple: bool = True, reuse: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, name="attention_cell_wrapper")
        if attn_length <= 0:
            raise ValueRuleError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            raise ValueRuleError("AttentionCellWrapper has no joined state; leave state_is_tuple=False out")
        self._cell, self._attn_length, self._input_size = cell, attn_length, input_size
        self._attn_size: int = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size

    @property
    def state_size(self) -> tuple[Any, int, int]:
        """The state of the cell inside, the size of the mean, and that of the last outputs."""
        return self._cell.state_size, self._attn_size, self._attn_size * self._attn_length

    @property
    def output_size(self) -> int:
        """The size of what is looked at."""
        return self._attn_size

    def build(self, inputs_shape: Any) -> None:
        """Notes the size of the inputs."""
        self._joined = step_size(self, inputs_shape) if self._input_size is None else self._input_size

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """The output, and the new state beside the mean and the last outputs."""
        inner, mean, outputs = state
        rows = ops.reshape(outputs, [-1, self._attn_length, self._attn_size])
        given, inner = self._cell(new_linear([inputs, mean], self._joined), inner)
        mean = self._mean(ops.concat(1, flat(inner)), rows)
        with variable_scope("attn_output_projection"):
            output = new_linear([given, mean], self._attn_size)
        rows = ops.concat(1, [rows[:, 1:], ops.expand_dims(output, 1)])
        return output, (inner, mean, ops.reshape(rows, [-1, self._attn_length * self._attn_size]))

    def _mean(self, query: Tensor, rows: Tensor) -> Tensor:
        """The mean of the rows, weighted by how they fit the query."""
        with variable_scope("attention"):
            weights = get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            vector = get_variable("attn_v", [self._attn_vec_size])
            flat_rows = ops.reshape(rows, [-1, self._attn_size])
            kernel = ops.reshape(weights.as_operand(), [self._attn_size, self._attn_vec_size])
            seen = ops.reshape(ops.matmul(flat_rows, kernel), [-1, self._attn_length, self._attn_vec_size])
            asked = ops.expand_dims(new_linear([query], self._attn_vec_size), 1)
            fit = ops.softmax(ops.reduce_sum(vector.as_operand() * ops.tanh(seen + asked), 2))
            return ops.reduce_sum(ops.expand_dims(fit, 2) * rows, 1)
