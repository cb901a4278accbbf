"""Random cells of `tf.contrib.rnn` over random lengths do as loops written in NumPy.

PENSTOCK_NUMPY_RNNS says how many, PENSTOCK_NUMPY_FIRST from which seed on; `docs/verified.md` has the last large run.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..helpers import some_nightly
from ..recurrent import numpy_cells
from ..recurrent.numpy_cells import below, filled

COUNT = int(os.environ.get("PENSTOCK_NUMPY_RNNS", "24"))
FIRST = int(os.environ.get("PENSTOCK_NUMPY_FIRST", "0"))
GRU_NAMES = ("w_ru", "b_ru", "w_c", "b_c")


@pytest.mark.parametrize("seed", some_nightly(range(FIRST, FIRST + COUNT), range(FIRST, FIRST + COUNT, 4)))
def test_a_random_cell_does_as_in_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time, batch, depth, units = (int(rng.integers(1, 6)) for _ in range(4))
    lengths = rng.integers(0, time + 1, batch)
    x = rng.standard_normal((time, batch, depth))
    peepholes, bias = bool(rng.random() < 0.5), float(rng.choice([0.0, 1.0]))
    clip = 0.2 if rng.random() < 0.5 else None
    rnn = tf.contrib.rnn
    kind = int(rng.integers(0, 6))
    with tf.Graph().as_default(), tf.Session() as session:
        made: Any
        if kind == 0:
            made, scope = rnn.LSTMBlockCell(units, bias, clip, peepholes), "lstm_cell"
        elif kind == 1:
            made, scope = rnn.LSTMCell(units, peepholes, clip, forget_bias=bias), "lstm_cell"
        elif kind == 2:
            made, scope = rnn.LayerNormBasicLSTMCell(units + 1), "layer_norm_basic_lstm_cell"
        elif kind == 3:
            made, scope = rnn.GRUCell(units), "gru_cell"
        elif kind == 4:
            made, scope = rnn.GRUBlockCell(units), "gru_cell"
        else:
            made, scope = rnn.BasicLSTMCell(units, bias), "basic_lstm_cell"
        is_open, time_major = rng.random() < 0.5, bool(rng.random() < 0.5)
        rows = x if time_major else x.swapaxes(0, 1)
        fed = tf.placeholder(tf.float64, [None, None, depth] if is_open else rows.shape)
        outputs, state = tf.nn.dynamic_rnn(made, fed, lengths, dtype=tf.float64, time_major=time_major)
        values = below(filled(session), f"rnn/{scope}")
        found, last = session.run([outputs, state], {fed: rows})

    def cell(row: np.ndarray, before: object) -> object:
        if kind == 2:
            return numpy_cells.layer_norm_lstm(values, row, before)
        if kind == 3:
            return numpy_cells.gru(values, row, before)
        if kind == 4:
            return numpy_cells.gru(values, row, before, GRU_NAMES)
        return numpy_cells.lstm(values, row, before, bias, clip if kind < 2 else None)

    zero = np.zeros((batch, units + 1 if kind == 2 else units))
    wanted, wanted_last = numpy_cells.steps(cell, x, (zero, zero) if isinstance(last, tuple) else zero, lengths)
    np.testing.assert_allclose(found, wanted if time_major else wanted.swapaxes(0, 1), 1e-8, 1e-11)
    np.testing.assert_allclose(np.stack(last), np.stack(wanted_last), 1e-8, 1e-11)
