"""`GridLSTMCell`: LSTMs along time and along bands of frequencies."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.model.nodes import Tensor
from ..variables.constant_initializers import ZerosInitializer
from .basic_cells import linear
from .cell_base import RNNCell, step_size, units_of

_WAYS = ("freq", "time")


class GridLSTMCell(RNNCell):
    """An LSTM that walks over bands of the features of a step, beside the one that walks over time.

    Each block of the features is cut into windows. For each window one LSTM has its memory from the step before, the
    other from the window before; both read the outputs of both. The output has, for each window, those of the two.

    Args:
        num_units: the number of units.
        use_peepholes: whether gates see both memories.
        share_time_frequency_weights: whether both LSTMs have the same weights.
        cell_clip: the largest size of a memory; None for no limit.
        initializer: how kernels and weights of peepholes start; by default the initializer of the variable scope.
        num_unit_shards: not used.
        forget_bias: added to the forget gates.
        feature_size: the size of a window.
        frequency_skip: how far the next window is.
        num_frequency_blocks: a list with the number of windows of each block.
        start_freqindex_list, end_freqindex_list: where each block begins and ends; by default there is one block.
        couple_input_forget_gates: whether the forget gates are 1 - the input gates.
        state_is_tuple: whether the state is a tuple with `state_f00_b00_c` and such names; else one tensor.
        reuse: whether existing variables are taken.

    Raises:
        TypeError: `num_units` is not an int.
        ValueError: `num_frequency_blocks` is missing, or does not fit the features.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.GridLSTMCell(4, feature_size=2, frequency_skip=2, num_frequency_blocks=[3])
    ...     output, state = cell(tf.zeros([5, 6]), cell.zero_state(5, tf.float32))
    ...     print(output.shape, [v.name for v in cell.variables][:2], state._fields[0])
    (5, 24) ['grid_lstm_cell/W_f_0:0', 'grid_lstm_cell/B_f_0:0'] state_f00_b00_c

    Source: TensorFlow 1.x, `tf.contrib.rnn.GridLSTMCell`; Kalchbrenner et al., arXiv:1507.01526; Sainath and Li,
    Interspeech 2016.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False, share_time_frequency_weights: bool = False,
        cell_clip: float | None = None, initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: int | None = None, frequency_skip: int | None = None,
        num_frequency_blocks: Sequence[int] | None = None, start_freqindex_list: Sequence[int] | None = None,
        end_freqindex_list: Sequence[int] | None = None, couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True, reuse: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, name="grid_lstm_cell")
        self._num_units = units_of(num_units, "GridLSTMCell: num_units")
        if num_frequency_blocks is None:
            raise ValueRuleError("GridLSTMCell: Must specify num_frequency_blocks, a list with the number of windows "
                                 "of each block of the features, such as "
                                 "[(size - feature_size) // frequency_skip + 1]")  # fmt: skip
        self._use_peepholes, self._shares = use_peepholes, share_time_frequency_weights
        self._clip, self._initializer, self._forget_bias = cell_clip, initializer, forget_bias
        self._size, self._skip = feature_size, frequency_skip
        self._blocks = [int(each) for each in num_frequency_blocks]
        self._starts, self._ends = start_freqindex_list, end_freqindex_list
        self._is_coupled = couple_input_forget_gates
        self._names = [f"state_f{f:02d}_b{b:02d}_{part}" for b, count in enumerate(self._blocks)
                       for f in range(count) for part in "cm"]  # fmt: skip
        self._state_type: Any = namedtuple("GridLSTMStateTuple", self._names) if state_is_tuple else None

    @property
    def state_size(self) -> Any:
        """The size of c and m of each window."""
        if self._state_type is None:
            return self._num_units * len(self._names)
        return self._state_type(*[self._num_units] * len(self._names))

    @property
    def output_size(self) -> int:
        """Two outputs for each window."""
        return self._num_units * len(self._names)

    def build(self, inputs_shape: Any) -> None:
        """Makes a kernel and a bias for each block and direction, and the weights of peepholes."""
        self._windows = self._windows_of(step_size(self, inputs_shape))
        units, start = self._num_units, self._initializer
        gates = "io" if self._is_coupled else "fio"
        columns = units * (len(gates) + 1)
        ways = _WAYS[:1] if self._shares else _WAYS
        self._kernels: dict[tuple[str, int], Any] = {}
        self._seen: dict[tuple[str, str, str, int], Any] = {}
        for block, windows in enumerate(self._windows):
            rows = windows[0][1] + 2 * units
            for way in ways:
                kernel = self.add_variable(f"W_{way[0]}_{block}", [rows, columns], initializer=start)
                bias = self.add_variable(f"B_{way[0]}_{block}", [columns], initializer=ZerosInitializer())
                self._kernels[way, block] = kernel, bias
            for way, gate, seen in ((w, g, s) for w in ways for g in gates for s in "ft" if self._use_peepholes):
                name = f"W_{gate.upper()}_diag_{way}{seen}_{block}"
                self._seen[way, gate, seen, block] = self.add_variable(name, [units], initializer=start)

    def _windows_of(self, size: int) -> list[list[tuple[int, int]]]:
        """Where the windows of each block begin, and how long they are."""
        starts = list(self._starts or [0])
        ends = list(self._ends or []) if self._starts else [size]
        if not len(starts) == len(ends) == len(self._blocks):
            raise ValueRuleError(f"GridLSTMCell: there are {len(self._blocks)} num_frequency_blocks, {len(starts)} "
                                 f"starts and {len(ends)} ends of blocks; each block has one of each")  # fmt: skip
        length = self._size or size
        skip = self._skip or 1
        blocks = []
        for start, end, count in zip(starts, ends, self._blocks, strict=True):
            windows = (end - start - length) // skip + 1
            if windows != count:
                raise ShapeError(f"GridLSTMCell: Invalid num_frequency_blocks, requires {count} but gets {windows}, "
                                 f"please check the input size and filter config are correct: features {start} to {end}"
                                 f", feature_size {length}, frequency_skip {skip}")  # fmt: skip
            blocks.append([(start + i * skip, length) for i in range(count)])
        return blocks

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """The outputs of all windows, and their memories and outputs along time."""
        parts = list(state) if self._state_type else ops.split(1, len(self._names), state)
        outputs: list[Any] = []
        after: list[Any] = []
        zeros = ops.multiply(parts[0], 0.0)
        for block, windows in enumerate(self._windows):
            c_freq, m_freq = zeros, zeros
            for start, length in windows:
                c_time, m_time = parts[len(after)], parts[len(after) + 1]
                steps = [inputs[:, start : start + length], m_time, m_freq]
                c_freq, c_time, m_freq, m_time = self._window(block, steps, c_freq, c_time)
                after += [c_time, m_time]
                outputs += [m_time, m_freq]
        return ops.concat(1, outputs), self._state_type(*after) if self._state_type else ops.concat(1, after)

    def _window(self, block: int, steps: list[Any], c_freq: Any, c_time: Any) -> tuple[Any, Any, Any, Any]:
        """The new memories and outputs of both LSTMs."""
        gates = {way: self._gates(way, block, steps) for way in _WAYS if (way, block) in self._kernels}
        memories = []
        for way, c in zip(_WAYS, (c_freq, c_time), strict=True):
            own = gates.get(way, gates["freq"])
            i = ops.sigmoid(self._looked(way, "i", block, own["i"], c_freq, c_time))
            if self._is_coupled:
                f = 1.0 - i
            else:
                biased = ops.add(own["f"], self._forget_bias)
                f = ops.sigmoid(self._looked(way, "f", block, biased, c_freq, c_time))
            new = ops.add(ops.multiply(f, c), ops.multiply(i, ops.tanh(own["j"])))
            memories.append(new if self._clip is None else ops.clip_by_value(new, -self._clip, self._clip))
        outputs = []
        for way, c in zip(_WAYS, memories, strict=True):
            o = gates.get(way, gates["freq"])["o"]
            outputs.append(ops.multiply(ops.sigmoid(self._looked(way, "o", block, o, *memories)), ops.tanh(c)))
        return memories[0], memories[1], outputs[0], outputs[1]

    def _gates(self, way: str, block: int, steps: list[Any]) -> dict[str, Any]:
        names = "ijo" if self._is_coupled else "ijfo"
        return dict(zip(names, ops.split(1, len(names), linear(steps, *self._kernels[way, block])), strict=True))

    def _looked(self, way: str, gate: str, block: int, value: Any, c_freq: Any, c_time: Any) -> Any:
        """A gate that has looked at both memories."""
        if not self._use_peepholes:
            return value
        way = "freq" if self._shares else way
        for seen, c in (("f", c_freq), ("t", c_time)):
            value = ops.add(value, ops.multiply(self._seen[way, gate, seen, block].as_operand(), c))
        return value
