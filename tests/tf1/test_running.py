"""`penstock tf1` runs programs unchanged: imports below tensorflow, both eras, its errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import run_tf1

IMPORTS = """
import sys
import numpy as np
import tensorflow as tf
import tensorflow.contrib.layers as layers
import tensorflow.contrib.rnn
from tensorflow.contrib import rnn
from tensorflow.python.client import device_lib, timeline
from tensorflow.python.framework import dtypes, ops
from tensorflow.python.ops import array_ops, rnn_cell, variable_scope as vs
from tensorflow.python.ops.rnn_cell_impl import LSTMCell
from tensorflow.python.platform import gfile, tf_logging as logging
from tensorflow.python.training import moving_averages
from tensorflow.core.framework import summary_pb2
import tensorflow.compat.v1 as v1

assert v1.concat is tf.concat is array_ops.concat and rnn.BasicLSTMCell is rnn_cell.BasicLSTMCell
assert dtypes.float32 == tf.float32 and tf.nn.rnn_cell.LSTMCell is LSTMCell and gfile.Exists is tf.gfile.Exists
assert tf.__version__ == "1.15.0" and __name__ == "__main__"
with vs.variable_scope("a"):
    x = tf.placeholder(tf.float32, [None, 3])
    y = layers.fully_connected(x, 4, activation_fn=tf.nn.relu)
z = tf.concat([x, y], 1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(tf.shape(z), {x: np.ones([2, 3])}), sys.argv[1:], device_lib.list_local_devices()[0].device_type)
ops.reset_default_graph()
"""


FILES = """
import tensorflow as tf
import tensorflow.python.platform
from tensorflow.python.framework.graph_util import convert_variables_to_constants
from tensorflow.python.framework import graph_util, tensor_util
from tensorflow.python.saved_model import builder, signature_constants, tag_constants
from tensorflow.core.framework import graph_pb2, summary_pb2
from tensorflow.core.protobuf import config_pb2, saver_pb2
from tensorflow.core.example import example_pb2
from tensorflow.python.client import session, timeline
from tensorflow.python.util import nest
from tensorflow.contrib.framework import arg_scope
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
from tensorflow.python.ops import clip_ops, control_flow_ops, embedding_ops, gradients, init_ops, nn_ops, state_ops

assert session.Session is tf.Session and config_pb2.ConfigProto is tf.ConfigProto and tag_constants.SERVING == "serve"
assert graph_pb2.GraphDef is tf.GraphDef and example_pb2.Example is tf.train.Example
assert control_flow_ops.while_loop is tf.while_loop and nn_ops.softmax is tf.nn.softmax
assert core_rnn_cell.LSTMCell is tf.contrib.rnn.LSTMCell and nest.flatten([1, (2,)]) == [1, 2]
metadata = tf.RunMetadata()
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
with tf.Session() as one:
    one.run(tf.constant(1) + 1, options=options, run_metadata=metadata)
print("traceEvents" in timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
"""


def write(folder: Path, text: str, name: str = "program.py") -> str:
    (folder / name).write_text(text, "utf-8")
    return name


def test_imports_below_tensorflow_are_penstocks(tmp_path: Path) -> None:
    run = run_tf1(tmp_path, write(tmp_path, IMPORTS), "--rate", "3")
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[2 7] ['--rate', '3'] CPU\n" and run.stderr == ""


def test_files_inside_tensorflow_that_programs_import(tmp_path: Path) -> None:
    run = run_tf1(tmp_path, write(tmp_path, FILES))
    assert run.stdout == "True\n", run.stderr


def test_the_era_is_read_from_the_program_and_its_modules(tmp_path: Path) -> None:
    write(tmp_path, "import tensorflow as tf\n\ndef join(parts):\n    return tf.concat(0, parts)\n", "model.py")
    text = "import tensorflow as tf, model\nprint(tf.Session().run(model.join([[1], [2]])), tf.__version__)\n"
    run = run_tf1(tmp_path, write(tmp_path, text))
    assert run.stdout == "[1 2] 0.12.1\n", run.stderr
    again = run_tf1(tmp_path, "--era", "1", "program.py")
    assert again.returncode == 1 and "concat" in again.stderr


def test_an_era_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    text = "import tensorflow as tf\na, n = tf.constant([1, 2]), 2\nprint(tf.Session().run(tf.split(a, n)))\n"
    run = run_tf1(tmp_path, write(tmp_path, text))
    assert run.returncode == 0
    assert "the program does not tell its era, and line 3 calls tf.split" in run.stderr and "--era 0" in run.stderr


def test_a_module_runs_by_its_name(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    write(package, "")
    write(package, "import tensorflow as tf\nfrom . import program\nprint(tf.pack([1, 2]).shape)\n", "train.py")
    write(package, "", "__init__.py")
    run = run_tf1(tmp_path, "-m", "package.train")
    assert run.stdout == "(2,)\n", run.stderr
    missing = run_tf1(tmp_path, "-m", "package.missing")
    assert missing.returncode == 2 and "there is no such module" in missing.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import tensorflow as tf\nprint 'a'\n", "program.py:2: this is a program for Python 2: a print statement"),
        ("import tensorflow as tf\ntry:\n  pass\nexcept Exception, e:\n  pass\n", "program.py:4: this is a program"),
        ("import tensorflow as tf\nfor i in xrange(3): pass\n", "xrange, which Python 3 calls range"),
    ],
)
def test_a_program_of_python_2_gets_one_line(tmp_path: Path, text: str, words: str) -> None:
    run = run_tf1(tmp_path, write(tmp_path, text))
    assert run.returncode != 0 and words in run.stderr.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("from tensorflow.keras import layers", "tensorflow has no keras in Penstock: Keras is a library"),
        ("import tensorflow.contrib.tpu", "tensorflow.contrib has no tpu in Penstock: Estimators are a library"),
        ("from tensorflow.contrib.cudnn_rnn import CudnnRNN", "has no CudnnRNN in Penstock"),
        ("from tensorflow.python.tpu import tpu", "tensorflow.python has no tpu in Penstock: not planned"),
        ("import tensorflow as tf\ntf.nn.log_poisson_loss", "nn has no log_poisson_loss in Penstock: write tf.exp"),
        ("import tensorflow as tf\ntf.nn.softmaxx", "did you mean softmax?"),
        ("import tensorflow.contrib.layer as layers", "contrib has no layer in Penstock: did you mean layers?"),
        ("from tensorflow.models.rnn import ptb", "tensorflow.models.rnn has no ptb in Penstock: of tensorflow.models"),
    ],
)
def test_a_missing_name_says_what_to_use(tmp_path: Path, text: str, words: str) -> None:
    run = run_tf1(tmp_path, write(tmp_path, text))
    assert run.returncode == 1 and words in run.stderr.splitlines()[-1]


def test_errors_of_use_are_one_line(tmp_path: Path) -> None:
    none = run_tf1(tmp_path, "nothing.py")
    assert none.returncode == 2 and none.stderr == "penstock tf1: nothing.py: No such file or directory\n"
    notebook = run_tf1(tmp_path, write(tmp_path, '{"cells": []}', "a.ipynb"))
    assert notebook.returncode == 2 and "penstock.tensorflow_stand_in()" in notebook.stderr
    assert "a program is missing" in run_tf1(tmp_path).stderr
    assert "is a folder without a __main__.py" in run_tf1(tmp_path, ".").stderr


def test_stars_bring_names_and_leave_print_alone(tmp_path: Path) -> None:
    stars = "from tensorflow.python.ops.math_ops import *\nfrom tensorflow import *\n"
    text = f"{stars}print(reduce_mean.__name__, Session)\n"
    run = run_tf1(tmp_path, write(tmp_path, text))
    assert run.stdout.startswith("reduce_mean <class"), run.stderr


def test_a_package_that_came_with_tensorflow_says_how_to_get_it(tmp_path: Path) -> None:
    text = "import sys\nsys.modules.pop('six', None)\nsys.path[:] = []\nfrom six.moves import xrange\n"
    run = run_tf1(tmp_path, write(tmp_path, text))
    assert run.returncode == 1
    assert "No module named 'six': it was installed with TensorFlow 1. Install it: pip install six" in run.stderr


BUCKETS = """
import numpy as np, tensorflow as tf
np.random.seed(0)
tf.set_random_seed(0)
size, words, buckets = 8, 12, [(1, 2), (2, 3)]
w = tf.get_variable("proj_w", [size, words]); w_t = tf.transpose(w); b = tf.get_variable("proj_b", [words])
def sampled_loss(inputs, labels):
    labels = tf.reshape(labels, [-1, 1])
    return tf.nn.sampled_softmax_loss(w_t, b, inputs, labels, 5, words)
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(size)] * 2)
def seq2seq_f(encoder_inputs, decoder_inputs):
    return tf.nn.seq2seq.embedding_attention_seq2seq(
        encoder_inputs, decoder_inputs, cell, num_encoder_symbols=words, num_decoder_symbols=words,
        embedding_size=size, output_projection=(w, b), feed_previous=False)
ins = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
outs = [tf.placeholder(tf.int32, [None]) for _ in range(4)]
weights = [tf.placeholder(tf.float32, [None]) for _ in range(4)]
_, losses = tf.nn.seq2seq.model_with_buckets(
    ins, outs, outs[1:], weights, buckets, lambda x, y: seq2seq_f(x, y), softmax_loss_function=sampled_loss)
params = tf.trainable_variables()
updates = [tf.train.AdamOptimizer(0.1).apply_gradients(zip(tf.gradients(each, params), params)) for each in losses]
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    ids = {t: np.full(4, 3 + k % 3) for k, t in enumerate(ins + outs)}
    feed = dict(ids, **{}); feed.update({t: np.ones(4) for t in weights})
    first = sess.run(losses, feed)
    for _ in range(10):
        for update in updates: sess.run(update, feed)
    print(len(params), [bool(b < a / 2) for a, b in zip(first, sess.run(losses, feed))])
"""


def test_a_model_with_buckets_of_0x_takes_a_loss_by_place(tmp_path: Path) -> None:
    """Its second bucket uses the cells of the first, which have variables by then."""
    run = run_tf1(tmp_path, write(tmp_path, BUCKETS))
    assert run.stdout == "28 [True, True]\n", run.stdout + run.stderr
