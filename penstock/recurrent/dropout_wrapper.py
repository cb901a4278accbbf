"""`DropoutWrapper`: dropout of a cell's inputs, outputs and state, the same in all steps or new in each."""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from ..control_flow.structures import flat, packed, parts_of
from ..control_flow.tensor_array import TensorArray
from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..ops.nn.dropout import dropout
from .cell_states import LSTMStateTuple, map_leaves, sizes_of
from .cell_wrappers import CellWrapper

Keep = Any
"""A probability: a number, or a float scalar."""


class DropoutWrapper(CellWrapper):
    """Dropout of what goes into a cell and comes out of it.

    Args:
        cell: the cell.
        input_keep_prob, output_keep_prob, state_keep_prob: the probability with which an element of the inputs, of the
            outputs, of the new state stays: a number in [0, 1] or a float scalar.
        variational_recurrent: whether the same elements are dropped in all steps of a run, for all rows.
        input_size: the size, or sizes, of the inputs; needed for the former with an `input_keep_prob`.
        dtype: the dtype of inputs, outputs and state; needed for `variational_recurrent`.
        seed: an int from which the seeds of all places follow.
        dropout_state_filter_visitor: a function of each part of a new state: False for a part that is to stay, True for
            one with dropout, or a structure of these. By default the memory c of an `LSTMStateTuple` stays.

    Raises:
        TypeError: `cell` is no cell.
        ValueError: a probability is not in [0, 1], or `dtype` or `input_size` is missing.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), output_keep_prob=0.5, seed=1)
    ...     output, state = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
    ...     session.run(tf.global_variables_initializer())
    ...     dropped, whole = session.run([output, state])
    ...     print(((dropped == 0) | (abs(dropped - 2 * whole) < 1e-6)).all())
    True

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.DropoutWrapper`; Gal and Ghahramani, arXiv:1512.05287.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Keep = 1.0,
        output_keep_prob: Keep = 1.0,
        state_keep_prob: Keep = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(cell)
        self._visitor = dropout_state_filter_visitor or _all_but_memories
        self._seed = seed
        self._keep = {
            part: _probability(f"{part}_keep_prob", value)
            for part, value in (("input", input_keep_prob), ("output", output_keep_prob), ("state", state_keep_prob))
        }
        self._noise: dict[str, list[Tensor]] = {}
        if not variational_recurrent:
            return
        if dtype is None:
            raise ValueRuleError("When variational_recurrent=True, dtype must be provided")
        if _drops(self._keep["input"]) and input_size is None:
            raise ValueRuleError("When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size "
                                 "must be provided")  # fmt: skip
        sizes = {"input": input_size, "state": cell.state_size, "output": cell.output_size}
        for part, size in sizes.items():
            if part != "input" or _drops(self._keep["input"]):
                self._noise[part] = [
                    ops.random_uniform([1, *sizes_of(leaf)], dtype=dtype, seed=self._seed_of(part, i))
                    for i, leaf in enumerate(flat(size))
                ]

    def _around(self, inputs: Any, state: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        if _drops(self._keep["input"]):
            inputs = self._dropped("input", inputs, map_leaves(lambda leaf: True, inputs))
        output, new = super()._around(inputs, state, kwargs)
        if _drops(self._keep["state"]):
            new = self._dropped("state", new, _choices(self._visitor, new))
        if _drops(self._keep["output"]):
            output = self._dropped("output", output, map_leaves(lambda leaf: True, output))
        return output, new

    def _dropped(self, part: str, values: Any, choices: Any) -> Any:
        """A structure like `values`, with dropout where `choices` has True."""
        noise = iter(self._noise.get(part, ()))  # of all leaves; the seeds count choices, as TensorFlow's do
        return packed(values, list(self._leaves(part, values, choices, count(), noise)))

    def _leaves(
        self, part: str, values: Any, choices: Any, numbers: Iterator[int], noise: Iterator[Tensor]
    ) -> Iterator[Any]:
        if not isinstance(choices, bool):
            for value, choice in zip(parts_of(values) or (), parts_of(choices) or (), strict=True):
                yield from self._leaves(part, value, choice, numbers, noise)
            return
        number = next(numbers)
        for leaf in flat(values):
            own = next(noise, None)
            yield self._dropped_leaf(part, number, leaf, own) if choices else leaf

    def _dropped_leaf(self, part: str, number: int, value: Any, noise: Tensor | None) -> Tensor:
        keep = self._keep[part]
        if noise is None:
            return dropout(value, keep, seed=self._seed_of(part, number))
        stays = ops.floor(ops.add(keep, noise))
        dropped = ops.multiply(ops.truediv(value, keep), stays)
        dropped.set_shape(value.shape)
        return dropped

    def _seed_of(self, part: str, number: int) -> int | None:
        """TensorFlow's seed of a place."""
        if self._seed is None:
            return None
        text = f"{self._seed}{part}_{number}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF


def _probability(label: str, value: Keep) -> Keep:
    if isinstance(value, numbers.Real):
        if not 0 <= float(value) <= 1:
            raise ValueRuleError(f"Parameter {label} must be between 0 and 1: {value}")
        if not value:
            raise ValueRuleError(f"Parameter {label} is 0, with which nothing is kept; it is the probability with "
                                 "which an element is kept, and 1 - rate where you have a rate of dropout")  # fmt: skip
        return float(value)
    return ops.convert_to_tensor(value)


def _drops(keep: Keep) -> bool:
    return not isinstance(keep, float) or keep < 1


def _choices(visitor: Callable[[Any], Any], state: Any) -> Any:
    """What a visitor says of each part of a state, down to where it says True or False."""
    said = visitor(state)
    if said is False:
        return False
    parts = parts_of(state)
    if parts is None or isinstance(state, TensorArray):
        return bool(said)
    if said is True:
        inner = [_choices(visitor, part) for part in parts]
        return tuple(inner)
    return tuple(_within(visitor, one, part) for one, part in zip(parts_of(said) or (), parts, strict=True))


def _within(visitor: Callable[[Any], Any], said: Any, part: Any) -> Any:
    """The choices for a part of which the visitor of the whole has said True or False already."""
    if said is False:
        return False
    return _choices(visitor, part) if parts_of(part) is not None else bool(said)


def _all_but_memories(part: Any) -> Any:
    """TensorFlow's choice: dropout of everything but the memory of an LSTM."""
    if isinstance(part, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(part, TensorArray)
