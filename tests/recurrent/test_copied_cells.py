"""A cell that has run can be copied: the copy is like it, and has weights of its own."""

from __future__ import annotations

import copy

import penstock as tf


def test_a_copy_of_a_cell_with_variables_makes_its_own() -> None:
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.LSTMCell(4)])
        x = tf.ones([2, 5])
        with tf.variable_scope("first"):
            cell(x, cell.zero_state(2, tf.float32))
        other = copy.deepcopy(cell)
        assert not other.built and other.variables == [] and len(cell.variables) == 6
        with tf.variable_scope("second"):
            output, _ = other(x, other.zero_state(2, tf.float32))
        assert output.shape.as_list() == [2, 4]
        assert {v.name.partition("/")[0] for v in other.variables} == {"second"}
        assert {v.name.partition("/")[0] for v in cell.variables} == {"first"}
