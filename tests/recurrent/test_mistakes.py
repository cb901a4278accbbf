"""Mistakes with cells and loops, each told in the program's own call; the graph is as it was before."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1

C = tf.nn.rnn_cell


class NoSuper(C.RNNCell):
    state_size = output_size = 2

    def __init__(self) -> None:
        self.kept = 1

    def call(self, inputs: Any, state: Any) -> Any:
        return inputs, state


class NoCall(C.RNNCell):
    state_size = output_size = 2


class ChangesState(C.RNNCell):
    state_size = output_size = 2

    def call(self, inputs: Any, state: Any) -> Any:
        return state, (state, state)


class Widens(C.RNNCell):
    state_size = output_size = 2

    def call(self, inputs: Any, state: Any) -> Any:
        return state, tf.concat(1, [state, state])


def x(*shape: Any) -> tf.Tensor:
    return tf.placeholder(tf.float32, shape or [None, 5, 3])


def dynamic(cell: Any, inputs: Any = None, **options: Any) -> Any:
    return tf.nn.dynamic_rnn(cell, x() if inputs is None else inputs, **{"dtype": tf.float32, **options})


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a class for a cell": (lambda: dynamic(C.GRUCell), TypeError, "must be an instance of RNNCell"),
    "a number for a cell": (lambda: dynamic(64), TypeError, "must be an instance of RNNCell.*not 64"),
    "no dtype": (lambda: dynamic(C.GRUCell(4), dtype=None), ValueError, "you must give a dtype"),
    "units as text": (lambda: C.GRUCell("64"), TypeError, "64"),  # type: ignore[arg-type]
    "an unknown activation": (lambda: C.GRUCell(4, activation="thanh"), TypeError, "did you mean 'tanh'"),
    "an argument that no cell has": (lambda: C.GRUCell(4, units=3), TypeError, r"unexpected arguments \['units'\]"),
    "no depth": (lambda: dynamic(C.GRUCell(4), x(None, 5, None)), ValueError, "Input size .depth of inputs"),
    "a matrix": (lambda: dynamic(C.GRUCell(4), x(5)), ValueError, "rank at least 2"),
    "unknown rank": (lambda: dynamic(C.GRUCell(4), tf.placeholder(tf.float32)), ValueError, "rank at least 2"),
    "lengths of two dimensions": (
        lambda: dynamic(C.GRUCell(4), sequence_length=[[1]]), ValueError, "must be a vector of length batch_size"),
    "too many lengths": (
        lambda: dynamic(C.GRUCell(4), x(2, 5, 3), sequence_length=[1, 2, 3]), ValueError,
        "sequence_length has 3 entries, and the inputs have 2"),
    "a state of another cell": (
        lambda: dynamic(C.BasicLSTMCell(4), initial_state=tf.zeros([2, 8])), TypeError, r"is a pair \(c, h\)"),
    "a state of another size": (
        lambda: dynamic(C.GRUCell(4), x(2, 5, 3), initial_state=tf.zeros([2, 3])), ValueError,
        r"initial_state has a part of shape \(2, 3\), .* has the size 4; cell.zero_state"),
    "ints": (
        lambda: dynamic(C.GRUCell(4), tf.placeholder(tf.int32, [None, 5, 3])), TypeError,
        "reads floats, and its inputs are .*int32"),
    "one number at each step": (
        lambda: tf.nn.dynamic_rnn(C.GRUCell(4), x(2, 5), dtype=tf.float32), ValueError,
        r"tf.expand_dims\(x, -1\) makes a vector"),
    "classes that are no rows": (
        lambda: v1.nn.nce_loss(tf.zeros([9, 3]), tf.zeros([9]), tf.zeros([2], tf.int64), x(2, 3), 4, 9),
        ValueError, r"tf.expand_dims\(labels, 1\)"),
    "a filter with too few channels": (
        lambda: tf.nn.conv2d(x(2, 8, 8, 3), x(3, 3, 1, 4), [1, 1, 1, 1], "SAME"), ValueError,
        "number of groups.*one that reads all has 3 input channels"),
    "all steps for one": (lambda: C.GRUCell(4)(x(2, 5, 3), x(2, 4)), ValueError, "gets the inputs of one step"),
    "one tensor for a list": (
        lambda: tf.nn.static_rnn(C.GRUCell(4), x(), dtype=tf.float32), TypeError,  # type: ignore[arg-type]
        "unpack.*dynamic_rnn"),
    "an empty list": (lambda: tf.nn.static_rnn(C.GRUCell(4), [], dtype=tf.float32), ValueError, "must not be empty"),
    "no cells": (lambda: C.MultiRNNCell([]), ValueError, "at least one cell"),
    "cells that are no list": (
        lambda: C.MultiRNNCell(C.GRUCell(4)), TypeError, "must be a list or tuple"),  # type: ignore[arg-type]
    "tuples in one tensor": (
        lambda: C.MultiRNNCell([C.BasicLSTMCell(4)], state_is_tuple=False), ValueError, "state_is_tuple is not set"),
    "a probability of 2": (lambda: C.DropoutWrapper(C.GRUCell(4), 2.0), ValueError, "between 0 and 1"),
    "dropout around a number": (lambda: C.DropoutWrapper(64, 0.5), TypeError, "is not an RNNCell"),
    "variational without dtype": (
        lambda: C.DropoutWrapper(C.GRUCell(4), variational_recurrent=True), ValueError, "dtype must be provided"),
    "variational without size": (
        lambda: C.DropoutWrapper(C.GRUCell(4), 0.5, variational_recurrent=True, dtype=tf.float32), ValueError,
        "input_size must be provided"),
    "a residual of another size": (
        lambda: dynamic(C.ResidualWrapper(C.GRUCell(4))), ValueError, r"3.*4.*as many units as the inputs"),
    "no super().__init__": (lambda: dynamic(NoSuper()), TypeError, r"does not call super\(\).__init__\(\)"),
    "no call": (lambda: dynamic(NoCall()), NotImplementedError, r"neither call\(inputs, state\) nor __call__"),
    "another structure of the state": (
        lambda: dynamic(ChangesState()), ValueError, "new state must be like the state before"),
    "a state that grows": (lambda: dynamic(Widens()), ValueError, "2.*4|shape"),
    "a loop_fn that is none": (lambda: tf.nn.raw_rnn(C.GRUCell(4), None), TypeError, "loop_fn"),  # type: ignore[arg-type]
    "a scope that is none": (lambda: dynamic(C.GRUCell(4), scope=3), TypeError, "scope is a str or a variable scope"),
    "other depths": (
        lambda: tf.contrib.rnn.stack_bidirectional_rnn([C.GRUCell(4)], [], [x(2, 3)], dtype=tf.float32), ValueError,
        "at least one"),
    "classes for cells": (
        lambda: C.MultiRNNCell([C.GRUCell, C.GRUCell]), TypeError, r"cells\[0\] must be an instance of RNNCell"),
    "a state of another batch": (
        lambda: dynamic(C.GRUCell(4), x(3, 5, 3), initial_state=tf.zeros([2, 4])), ValueError,
        r"of 2 rows, and the inputs have 3 sequences; cell.zero_state\(3, dtype\)"),
    "two states for one": (
        lambda: dynamic(C.GRUCell(4), x(2, 5, 3), initial_state=(tf.zeros([2, 4]),) * 2), ValueError,
        "initial_state has 2 tensors, and the state of the cell is one, of size 4"),
    "the dtype for the lengths": (
        lambda: tf.nn.dynamic_rnn(C.GRUCell(4), x(), tf.float32), TypeError,  # type: ignore[arg-type]
        "sequence_length is tf.float32, a dtype; write dtype=tf.float32"),
    "one length for all": (lambda: dynamic(C.GRUCell(4), sequence_length=5), ValueError, r"tf.fill\(\[batch_size\]"),
    "a column of lengths": (
        lambda: dynamic(C.GRUCell(4), sequence_length=tf.placeholder(tf.int32, [None, 1])), ValueError,
        r"tf.reshape\(lengths, \[-1\]\)"),
    "one tensor for the states of two cells": (
        lambda: dynamic(C.MultiRNNCell([C.GRUCell(4), C.GRUCell(4)]), x(2, 5, 3), initial_state=tf.zeros([2, 8])),
        ValueError, r"initial_state is one tensor, of shape \(2, 8\).*tuple of 2, of sizes \(4, 4\); cell.zero_state"),
    "one tensor in a call of two cells": (
        lambda: C.MultiRNNCell([C.GRUCell(4), C.GRUCell(4)])(x(2, 3), tf.placeholder(tf.float32, [2, 8])), ValueError,
        r"tuple of length 2, but received.*cell.zero_state.*MultiRNNCell\(cells, state_is_tuple=False\)"),
    "a state of another dtype": (
        lambda: dynamic(C.GRUCell(4), initial_state=tf.placeholder(tf.float64, [None, 4])), TypeError,
        "got inputs of float32 and a state of float64; both must have one dtype.*dtype=tf.float32"),
    "a dtype of other inputs": (
        lambda: dynamic(C.BasicLSTMCell(4), dtype=tf.float64), TypeError,
        "got inputs of float32 and a state of float64; both must have one dtype.*dtype=tf.float32"),
    "nothing is kept": (
        lambda: C.DropoutWrapper(C.GRUCell(4), output_keep_prob=0.0), ValueError,
        "output_keep_prob is 0, with which nothing is kept"),
    "the layout of tf.nn": (
        lambda: v1.layers.conv2d(x(2, 3, 8, 8), 4, 3, data_format="NCHW"), ValueError,
        "write data_format='channels_first'"),
    "the layout of tf.nn for a pool": (
        lambda: v1.layers.max_pooling2d(x(2, 8, 8, 3), 2, 2, data_format="NHWC"), ValueError,
        "write data_format='channels_last'"),
    "the layout of tf.nn for vectors": (
        lambda: v1.layers.flatten(x(2, 3, 8, 8), data_format="NCHW"), ValueError,
        "write data_format='channels_first'"),
    "a missing batch": (lambda: C.GRUCell(4).get_initial_state(), TypeError, "batch_size and dtype must be given"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_and_leaves_nothing_behind(mistake: str) -> None:
    call, kind, words = MISTAKES[mistake]
    with tf.Graph().as_default() as graph:
        with pytest.raises(kind, match=f"(?s){words}"):
            call()
        left = [op.type for op in graph.get_operations() if op.type != "Placeholder"]
        assert [each for each in left if each not in ("Const", "Fill")] == []
        assert tf.global_variables() == []


def of_other_rows(cells: int, **options: Any) -> Any:
    """A loop over a batch of unknown size, with a sequence_length or an initial_state of unknown size."""
    inputs = x()
    cell, other = C.GRUCell(4), C.GRUCell(4)
    if cells == 2:
        return inputs, tf.nn.bidirectional_dynamic_rnn(cell, other, inputs, dtype=tf.float32, **options)[1][0]
    return inputs, dynamic(cell, inputs, **options)[1]


@pytest.mark.parametrize("cells", [1, 2])
def test_lengths_of_another_batch_are_told_by_the_run(cells: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        lengths = tf.placeholder(tf.int32, [None])
        inputs, state = of_other_rows(cells, sequence_length=lengths)
        session.run(tf.global_variables_initializer())
        batch = np.ones((4, 5, 3), np.float32)
        for _ in range(3):  # the second and third run have a plan for the shapes of the first
            assert session.run(state, {inputs: batch, lengths: [5, 2, 3, 1]}).shape == (4, 4)
        for wrong in ([5], [5, 2, 3], [5, 2, 3, 1, 1]):
            words = rf"\[sequence_length has\] \[{len(wrong)}\] \[entries, and the inputs have\] \[4\] \[sequences\]"
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                session.run(state, {inputs: batch, lengths: wrong})


def test_a_state_of_another_batch_is_told_by_the_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        start = tf.placeholder(tf.float32, [None, 4])
        inputs, state = of_other_rows(1, initial_state=start)
        session.run(tf.global_variables_initializer())
        batch = np.ones((4, 5, 3), np.float32)
        for _ in range(3):
            assert session.run(state, {inputs: batch, start: np.zeros((4, 4))}).shape == (4, 4)
        words = r"\[initial_state has a part of\] \[3\] \[rows, and the inputs have\] \[4\] \[sequences\]"
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(state, {inputs: batch, start: np.zeros((3, 4))})


def test_known_rows_need_no_check() -> None:
    with tf.Graph().as_default() as graph:
        dynamic(C.GRUCell(4), x(2, 5, 3), sequence_length=[1, 2], initial_state=tf.zeros([2, 4]))
        assert "Assert" not in {op.type for op in graph.get_operations()}


def test_one_cell_for_all_layers_is_a_warning_that_says_what_to_write() -> None:
    with pytest.warns(UserWarning, match=r"share their weights; .*for _ in range\(n\)"):
        C.MultiRNNCell([C.GRUCell(4)] * 2)


def test_a_cell_for_inputs_of_two_sizes_names_the_cell_and_both() -> None:
    words = r"the cell 'gru_cell' made its weights for inputs of size 3, and these have size 4; make another cell"
    with tf.Graph().as_default(), pytest.warns(UserWarning, match="share their weights"):
        shared = C.MultiRNNCell([C.GRUCell(4)] * 2)
        with pytest.raises(ValueError, match=words):
            dynamic(shared)


def test_one_cell_for_both_directions_is_a_warning() -> None:
    cell = C.GRUCell(4)
    with tf.Graph().as_default(), pytest.warns(UserWarning, match=r"same cell, .*gru_cell.*make two: GRUCell"):
        tf.nn.bidirectional_dynamic_rnn(cell, cell, x(2, 5, 3), dtype=tf.float32)


def test_a_tuple_of_tensors_for_a_layer_is_a_warning() -> None:
    with tf.Graph().as_default():
        _, state = dynamic(C.BasicLSTMCell(4), x(2, 5, 3))
        with pytest.warns(tf.MistakeWarning, match=r"a tuple of 2 tensors, .* shape \(2, 2, 4\); take one of c, h"):
            tf.layers.dense(state, 2)
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(C.GRUCell(4), C.GRUCell(4), x(2, 5, 3), dtype=tf.float32)
        with pytest.warns(tf.MistakeWarning, match=r"take one of \[0\], \[1\], or join them with tf.concat"):
            tf.layers.dense(outputs, 2)


def test_lengths_that_do_not_fit_the_batch_fail_the_run_and_the_session_goes_on() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, lengths = x(), tf.placeholder(tf.int32, [None])
        outputs, _ = dynamic(C.GRUCell(4), inputs, sequence_length=lengths)
        session.run(tf.global_variables_initializer())
        feeds = {inputs: np.ones((2, 5, 3), "f4"), lengths: [1, 2, 3]}
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(outputs, feeds)
        assert session.run(outputs, {**feeds, lengths: [1, 2]}).shape == (2, 5, 4)


def test_nothing_warns_in_an_ordinary_network() -> None:
    with warnings.catch_warnings(), tf.Graph().as_default():
        warnings.simplefilter("error")
        dynamic(C.MultiRNNCell([C.LSTMCell(4), C.GRUCell(3)]), sequence_length=tf.placeholder(tf.int32, [None]))
