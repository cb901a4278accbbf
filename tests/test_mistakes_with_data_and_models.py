"""Mistakes of a first hour with data, recurrent cells, models and commands: the error says what to do."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cli.main import main
from penstock.runtime.base import session_objects


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph


def model() -> bytes:
    """An ONNX model: y = x times a matrix."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        y = tf.matmul(x, tf.ones([3, 2]), name="y")
        return tf.save_onnx(None, {"y": y}, graph=graph)


class Pairless(tf.nn.rnn_cell.RNNCell):
    """A cell that forgets to return its state."""

    state_size = output_size = 2

    def call(self, inputs: Any, state: Any) -> Any:
        return inputs


class Growing(tf.nn.rnn_cell.RNNCell):
    """A cell whose state has the size of the inputs."""

    state_size = output_size = 2

    def call(self, inputs: Any, state: Any) -> Any:
        return inputs, inputs


def unrolled(cell: Any, inputs: Any = None) -> Any:
    return tf.nn.dynamic_rnn(cell, tf.zeros([1, 4, 3]) if inputs is None else inputs, dtype=tf.float32)


def wrong(function: Callable[..., Any], *arguments: Any) -> Any:
    """A call that type checkers would refuse."""
    return function(*arguments)


def iterator() -> Any:
    return tf.data.Dataset.range(3).make_initializable_iterator()


def text_file(folder: Path, text: str) -> str:
    path = folder / "some.txt"
    path.write_text(text)
    return str(path)


def first(dataset: Any) -> Any:
    return tf.Session().run(dataset.make_one_shot_iterator().get_next())


CALLS: list[tuple[Callable[[Path], Any], type[Exception], str]] = [
    (lambda _: tf.Session().run(iterator()), TypeError, r"fetch the tensors that its get_next\(\) returns"),
    (lambda _: tf.Session().run(tf.data.Dataset.range(3)), TypeError, r"make_one_shot_iterator\(\)\.get_next\(\)"),
    (lambda _: tf.Session().run(tf.FIFOQueue(3, tf.float32)), TypeError, r"such as queue\.dequeue\(\)"),
    (lambda _: tf.Session().run(tf.train.AdamOptimizer()), TypeError, r"its minimize\(loss\) returns"),
    (lambda _: tf.Session().run(tf.layers.Dense(3)), TypeError, "when it is called with its inputs"),
    (lambda _: tf.Session().run(iterator().get_next()), tf.errors.FailedPreconditionError,
     r"session\.run\(iterator\.initializer\)"),
    (lambda _: tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(2)), TypeError,
     r"one tuple: Dataset\.zip\(\(a, b\)\)"),
    (lambda at: first(tf.data.TFRecordDataset(text_file(at, "a line of text\n"))), tf.errors.DataLossError,
     "lines of text are read by TextLineDataset"),
    (lambda _: first(tf.data.Dataset.from_tensors("hello").map(lambda line: tf.decode_csv(line, [[0.0], [0.0]]))),
     tf.errors.InvalidArgumentError, "Expect 2 fields but have 1 in record 0: 'hello'"),
    (lambda _: tf.Session().run(tf.constant(1.0), {"nowhere": 1.0}), TypeError, "there is no operation 'nowhere'"),
    (lambda _: tf.data.Dataset.range(3).map(lambda n: n.eval()), ValueError, "inside the body of a loop"),
    (lambda _: tf.data.Dataset.range(3).map(lambda n: wrong(n.numpy)), TypeError, r"tf\.py_func for code of Python"),
    (lambda _: tf.data.Dataset.range(3).map(tf.Session().run), ValueError,
     r"made at [^;]*\. It has a value only while the body runs"),
    (lambda _: unrolled(Pairless()), TypeError, "Pairless returned .*return output, state"),
    (lambda _: unrolled(Growing()), ValueError, r"got a state of shape \(1, 2\) and returned one of shape \(1, 3\)"),
    (lambda _: unrolled(tf.nn.rnn_cell.GRUCell(4), [tf.zeros([1, 3])] * 2), TypeError, r"tf\.nn\.static_rnn"),
    (lambda _: wrong(tf.nn.rnn_cell.GRUCell, "4"), TypeError, "GRUCell: num_units must be a Python int, not '4'"),
    (lambda _: tf.nn.rnn_cell.BasicLSTMCell(0), ValueError, "BasicLSTMCell: num_units must be positive, not 0"),
    (lambda at: tf.load_onnx(str(at)), ValueError, "is a folder; give the path of a file"),
    (lambda at: tf.load_onnx(text_file(at, "hello\nworld\n")), ValueError, "this is no ONNX model, or it is damaged"),
    (lambda _: tf.load_onnx(b""), ValueError, "the file is empty"),
    (lambda _: tf.load_onnx(model()).inputs["X"], KeyError, "no 'X' among its inputs; its inputs are 'x'"),
    (lambda _: tf.Session().run(tf.load_onnx(model())), TypeError, r"model\.outputs\['y'\]"),
    (lambda _: tf.load_onnx(model(), input_map={"x": tf.constant([[1, 2, 3]])}), ValueError,
     r"input_map gives int32 \(1, 3\) for the input 'x', which is float32 \(batch, 3\)"),
    (lambda _: wrong(tf.saved_model.load, tf.Session(), "folder", ["serve"]), TypeError,
     r"write load\(session, \['serve'\], 'folder'\)"),
    (lambda _: wrong(tf.saved_model.load, "folder"), TypeError,
     r"as TensorFlow 2 loads; .* write tf\.saved_model\.load\(session, \['serve'\], 'folder'\)"),
    (lambda _: wrong(tf.saved_model.load, "folder", "train"), TypeError, r"load\(session, \['train'\], 'folder'\)"),
    (lambda _: wrong(tf.saved_model.load, tf.Session(), ["serve"]), TypeError, "export_dir is missing"),
    (lambda _: wrong(getattr, tf.Variable(1.0), "to_proto"), AttributeError, r"tf\.train\.export_meta_graph\(\)"),
    (lambda _: wrong(getattr, tf.Variable, "from_proto"), AttributeError, r"tf\.train\.import_meta_graph\(message\)"),
    (lambda _: wrong(getattr, tf.nn, "deconv2d"), AttributeError, r"write tf\.nn\.conv2d_transpose"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), CALLS)
def test_the_error_says_what_to_do(
    call: Callable[[Path], Any], error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        call(tmp_path)


def test_a_table_that_was_not_initialized_names_the_initializer_of_tables() -> None:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"session\.run\(tf\.tables_initializer\(\)\)"):
        tf.Session().run(table.lookup(tf.constant(["a"])))


def test_a_node_that_an_import_cannot_make_is_told_with_its_reason() -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    tf.multiply(x, 2.0, name="y")
    nodes = x.graph.as_graph_def()
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Node 'import/y': .* has type float32"):
        tf.import_graph_def(nodes, {"x:0": tf.constant([1])}, ["y:0"])


# ---- waiting for a queue that nothing fills ---------------------------------------------------------------------


def test_a_timeout_says_that_nothing_was_put_into_the_queue() -> None:
    batch = tf.train.batch([tf.constant(1)], 2)
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"start_queue_runners\(session\)$|runners\(session\)\n"):
        tf.Session().run(batch, options=tf.RunOptions(timeout_in_ms=50))


def test_a_run_that_waits_long_for_an_empty_queue_warns_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_objects, "TOLD_AFTER", 0.05)
    queue = tf.FIFOQueue(3, tf.float32, shapes=[])
    element, put = queue.dequeue(), queue.enqueue(5.0)
    with tf.Session() as session:
        threading.Timer(0.5, lambda: session.run(put)).start()
        with pytest.warns(tf.MistakeWarning, match="Nothing has been put into the queue so far") as told:
            assert session.run(element) == 5.0
        assert told[0].filename == __file__


def test_a_run_that_waits_for_the_next_element_of_a_working_queue_says_nothing(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(session_objects, "TOLD_AFTER", 0.05)
    queue = tf.FIFOQueue(3, tf.float32, shapes=[])
    element, put = queue.dequeue(), queue.enqueue(5.0)
    with tf.Session() as session:
        session.run(put)
        session.run(element)
        threading.Timer(0.3, lambda: session.run(put)).start()
        session.run(element)
    assert not [each for each in recwarn if issubclass(each.category, tf.MistakeWarning)]


def test_a_keyboard_interrupt_says_what_the_run_waited_for() -> None:
    element = tf.FIFOQueue(3, tf.float32, shapes=[], name="numbers").dequeue()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    try:
        with tf.Session() as session, pytest.raises(KeyboardInterrupt) as stopped:
            session.run(element)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "waited for an element of queue 'numbers'" in stopped.value.__notes__[0]


# ---- commands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lern"], "there is no command 'lern'; did you mean learn?"),
        (["lessons"], "did you mean learn?"),
        (["inspect", "nowhere"], "nowhere: No such file or directory"),
    ],
)
def test_commands_say_what_was_meant(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert told in capsys.readouterr().err


def test_nodes_of_a_model_are_at_no_line_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(model())
    assert main(["inspect", str(file)]) == 0
    assert main(["run", str(file), "--feed", "x=[[1, 2]]"]) == 2
    printed = capsys.readouterr()
    assert "model.onnx" in printed.out
    assert "graph_commands.py" not in printed.out + printed.err


# ---- play pages -------------------------------------------------------------------------------------------------


def test_a_page_with_a_loop_over_a_tensor_array_is_written(tmp_path: Path) -> None:
    n = tf.placeholder(tf.int32, [], name="n")
    array = tf.TensorArray(tf.float32, n)
    loop = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, tf.to_float(i))), [0, array])
    page = n.graph.export(tmp_path / "page.html", play=True, feeds={n: 3}, fetches=loop[1].stack())
    assert "Nothing computes" not in page.read_text("utf-8") and "TensorArrayWrite" in page.read_text("utf-8")


def test_a_page_of_a_dataset_shows_an_element(tmp_path: Path) -> None:
    rows = np.arange(8.0).reshape(4, 2)
    dataset = tf.data.Dataset.from_tensor_slices(rows).map(lambda row: row * 2.0).batch(2)
    total = tf.reduce_sum(dataset.make_one_shot_iterator().get_next())
    page = total.graph.export(tmp_path / "page.html", play=True, fetches=total)
    assert "a dataset, a queue or a reader takes it" in page.read_text("utf-8")


def test_the_command_passes_over_runs_that_ask_for_handles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("""\
import penstock as tf

iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
total = tf.add(iterator.get_next(), 1, name="total")
with tf.Session() as session:
    session.run(iterator.string_handle())
    session.run(total)
""")
    assert main(["play", str(program), "-o", str(tmp_path / "page.html")]) == 0
    assert '"asked":["total:0"]' in (tmp_path / "page.html").read_text("utf-8")
