"""In programs of TensorFlow 0.x a cell has weights of its own in each variable scope."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.recurrent.weights_of_scopes import WeightsOfScopes
from penstock.tf1.stand_in import tensorflow_stand_in

from .programs import run_tf1

CELLS: Any = tf.nn.rnn_cell


@pytest.fixture
def _of_0x(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WeightsOfScopes, "are_on", True)


def test_the_stand_in_of_0x_turns_it_on_until_it_is_closed() -> None:
    with tensorflow_stand_in("0"):
        assert WeightsOfScopes.are_on
    assert not WeightsOfScopes.are_on
    with tensorflow_stand_in("1"):
        assert not WeightsOfScopes.are_on


@pytest.mark.usefixtures("_of_0x")
@pytest.mark.parametrize("wrapped", [False, True])
def test_one_cell_several_times_has_weights_of_its_own_in_each_place(wrapped: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cell = CELLS.BasicLSTMCell(5)
        one = CELLS.DropoutWrapper(cell, output_keep_prob=1.0) if wrapped else cell
        stack = CELLS.MultiRNNCell([one] * 3)
        x = tf.placeholder(tf.float32, [4, 2, 3])
        outputs, state = tf.nn.dynamic_rnn(stack, x, dtype=tf.float32)
        kernels = [v for v in tf.trainable_variables() if "kernel" in v.name]
        assert [v.shape.as_list() for v in kernels] == [[8, 20], [10, 20], [10, 20]]
        assert len({tuple(each.shape.as_list()) for each in (part.c for part in state)}) == 1
        grads = tf.gradients(tf.reduce_sum(outputs), tf.trainable_variables())
        session.run(tf.global_variables_initializer())
        found = session.run(grads, {x: np.ones((4, 2, 3))})
        assert all(np.abs(each).max() > 0 for each in found) and not np.array_equal(found[2], found[4])


@pytest.mark.usefixtures("_of_0x")
def test_a_scope_that_is_entered_again_shares_its_weights() -> None:
    with tf.Graph().as_default():
        cell = CELLS.GRUCell(3)
        x, state = tf.ones([2, 3]), tf.zeros([2, 3])
        for scope in ("first", "second"):
            with tf.variable_scope(scope):
                for step in range(3):
                    if step:
                        tf.get_variable_scope().reuse_variables()
                    _, state = cell(x, state)
        names = [v.name for v in tf.trainable_variables() if v.name.endswith("gates/kernel:0")]
        assert names == ["first/gru_cell/gates/kernel:0", "second/gru_cell/gates/kernel:0"]
        tf.nn.bidirectional_rnn(cell, cell, [x, x], dtype=tf.float32)
        assert len([v for v in tf.trainable_variables() if v.name.endswith("gates/kernel:0")]) == 4


def test_a_program_of_the_first_years_runs(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "from tensorflow.models.rnn import rnn, rnn_cell, seq2seq\n"
        "from tensorflow.models.rnn.rnn_cell import BasicLSTMCell\n"
        "x = [tf.placeholder(tf.float32, [2, 3]) for _ in range(3)]\n"
        "cell = rnn_cell.MultiRNNCell([BasicLSTMCell(4)] * 2)\n"
        "outputs, state = rnn.rnn(cell, x, dtype=tf.float32)\n"
        "w = tf.get_variable('w', [4, 5])\n"
        "logits = [tf.matmul(each, w) for each in outputs]\n"
        "loss = seq2seq.sequence_loss_by_example(logits, [tf.constant([1, 2])] * 3, [tf.ones([2])] * 3, 5)\n"
        "print(len(tf.trainable_variables()), loss.get_shape().as_list(), tf.__version__)\n"
    )
    assert run_tf1(tmp_path, str(program)).stdout == "5 [2] 0.12.1\n"


def test_pack_and_unpack_of_the_last_0x_take_an_axis() -> None:
    with tensorflow_stand_in("0"):
        old: Any = importlib.import_module("tensorflow")
        with old.Graph().as_default():
            x = old.zeros([2, 3])
            assert old.pack([x, x], axis=1).get_shape().as_list() == [2, 2, 3]
            assert len(old.unpack(x, axis=1)) == 3 and len(old.unpack(x)) == 2
            assert old.pack([x, x], name="both").name == "both:0"


_JOINED = """
import tensorflow as tf
from tensorflow.models.rnn import rnn, rnn_cell
start = tf.placeholder("float", [None, 2 * 4])
x = tf.split(0, 3, tf.ones([6, 2]))
outputs, last = rnn.rnn(rnn_cell.BasicLSTMCell(4), x, initial_state=start)
stack = rnn_cell.MultiRNNCell([rnn_cell.LSTMCell(4, num_proj=2), rnn_cell.GRUCell(3)])
init = stack.zero_state(2, tf.float32)
with tf.variable_scope("stack"):
    _, new = stack(tf.ones([2, 3]), init)
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    print(session.run(last, {start: [[0.0] * 8] * 2}).shape, session.run(new, {init: init.eval()}).shape)
    print(stack.state_size)
"""


@pytest.mark.parametrize(("more", "joined"), [
    ("", True), ("cell = rnn_cell.BasicLSTMCell(2, state_is_tuple=True)\n", False),
    ("new_c = lambda state: state.c\n", False),
    ("class P:\n    state = [1, 2]\n    def f(self):\n        return self.state[1]\n", False),
])  # fmt: skip
def test_states_are_one_tensor_where_a_program_of_0x_takes_none_apart(tmp_path: Path, more: str, joined: bool) -> None:
    done = run_tf1(tmp_path, str(write(tmp_path, _JOINED + more)))
    if joined:
        assert (done.stdout, done.stderr) == ("(2, 8) (2, 9)\n9\n", "")
        assert run_tf1(tmp_path, "--era", "1", str(write(tmp_path, _JOINED))).returncode
    else:
        assert done.returncode and "LSTMStateTuple" in done.stderr


def write(folder: Path, text: str) -> Path:
    path = folder / "joined.py"
    path.write_text(text, "utf-8")
    return path
