"""Wrappers of cells that change what goes in and comes out: dropout, residuals, a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control_flow.structures import differs, flat
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.building.context_functions import device as on_device
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..ops.elementwise.arithmetic import add
from .cell_base import RNNCell
from .cell_states import map_leaves


class CellAround(RNNCell):
    """A cell around another one, whose states it has, which may be more than their sizes say."""

    _cell: Any

    @property
    def state_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.output_size

    @hides_frames
    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros of the cell inside.

        Args:
            batch_size: the number of rows, an int or an int scalar.
            dtype: the dtype of all tensors.

        Returns:
            A structure like `state_size` of tensors.

        Raises:
            TypeError: there is no such dtype, or `batch_size` is not int.
        """
        return self._cell.zero_state(batch_size, dtype)


class CellWrapper(CellAround):
    """A cell around another one, whose variables and sizes it has; it has no variable scope of its own."""

    def __init__(self, cell: Any) -> None:
        super().__init__()
        if not isinstance(cell, RNNCell) and not callable(cell):
            raise UseError(f"The argument 'cell' ({cell!r}) is not an RNNCell: it must be a cell, such as "
                           "tf.nn.rnn_cell.GRUCell(64)")  # fmt: skip
        self._cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self._cell

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of the cell inside."""
        return list(getattr(self._cell, "trainable_variables", ()))

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those of the cell inside."""
        return list(getattr(self._cell, "non_trainable_variables", ()))

    @hides_frames
    def __call__(self, inputs: Any, state: Any, scope: Any = None, **kwargs: Any) -> tuple[Any, Any]:  # type: ignore[override]
        return self._around(inputs, state, {**kwargs, **({} if scope is None else {"scope": scope})})

    def _around(self, inputs: Any, state: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        results: tuple[Any, Any] = self._cell(inputs, state, **kwargs)
        return results


class ResidualWrapper(CellWrapper):
    """Adds the inputs to the outputs of a cell.

    Args:
        cell: the cell, whose outputs have the structure and shapes of its inputs.
        residual_fn: a function of the inputs and the outputs that gives the outputs, in place of the sum.

    Raises:
        TypeError: `cell` is no cell.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell = tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(2))
    ...     output, state = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(output - state).round(3))
    [[1. 1.]]

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.ResidualWrapper`.
    """

    def __init__(self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None) -> None:
        super().__init__(cell)
        self._residual_fn = residual_fn or _sum_of

    def _around(self, inputs: Any, state: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        outputs, new = super()._around(inputs, state, kwargs)
        return self._residual_fn(inputs, outputs), new


class DeviceWrapper(CellWrapper):
    """Places the operations of a cell on a device.

    Args:
        cell: the cell.
        device: the name of the device, or a function of an operation, as `tf.device` takes it.

    Raises:
        TypeError: `cell` is no cell.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.DeviceWrapper(tf.nn.rnn_cell.GRUCell(2), "/cpu:0")
    ...     output, _ = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
    ...     print(output.op.device)
    /device:CPU:0

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.DeviceWrapper`.
    """

    def __init__(self, cell: Any, device: Any) -> None:
        super().__init__(cell)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros, made on the device.

        Args:
            batch_size: the number of rows, an int or an int scalar.
            dtype: the dtype of all tensors.

        Returns:
            A structure like `state_size` of tensors.

        Raises:
            TypeError: there is no such dtype, or `batch_size` is not int.
        """
        with on_device(self._device):
            return super().zero_state(batch_size, dtype)

    def _around(self, inputs: Any, state: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        with on_device(self._device):
            return super()._around(inputs, state, kwargs)


def _sum_of(inputs: Any, outputs: Any) -> Any:
    """inputs + outputs, leaf by leaf."""
    different = differs(inputs, outputs)
    if different:
        raise ValueRuleError(f"ResidualWrapper: inputs and outputs must be alike: {different} (inputs, outputs)")
    for x, y in zip(flat(inputs), flat(outputs), strict=True):
        if not x.shape.is_compatible_with(y.shape):
            raise ShapeError(
                f"ResidualWrapper adds the inputs to the outputs: Shapes {x.shape} and {y.shape} are incompatible. "
                "Give the cell as many units as the inputs have numbers, or a residual_fn"
            )
    return map_leaves(add, inputs, outputs)
