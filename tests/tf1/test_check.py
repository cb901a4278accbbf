"""`penstock tf1 --check` tells what is here and what is not, and runs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock.tf1.checked_programs import check_programs, is_here
from penstock.tf1.era import era_of
from penstock.tf1.used_names import names_in

from .programs import run_tf1

PROGRAM = """import tensorflow as tf
from tensorflow.contrib import rnn
open("ran", "w").write("it ran")
x = tf.placeholder(tf.float32)
cell = rnn.BasicLSTMCell(3)
y = tf.keras.layers.Dense(3)(x)
z = tf.reduce_summ(x)
w = tf.reduce_summ(z)
FLAGS = tf.app.flags.FLAGS
print(FLAGS.rate, tf.layers.dense(x, 3))
"""


def write(folder: Path, text: str, name: str = "program.py") -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def test_a_check_lists_names_with_lines_and_runs_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, PROGRAM)
    (text,), code = check_programs([path], None)
    lines = text.replace(f"{path}", "program.py").splitlines()
    assert code == 1 and not (tmp_path / "ran").exists()
    assert lines[0].startswith("program.py:6: tf.keras.layers.Dense is not here: Keras is a library")
    assert lines[1:3] == [f"program.py:{n}: tf.reduce_summ is not here: did you mean reduce_sum?" for n in (7, 8)]
    assert lines[3].startswith("program.py: 6 of 8 names are here; TensorFlow 1.x: ")
    assert "tf.contrib.rnn.BasicLSTMCell (5)" in lines[4] and "tf.app.flags.FLAGS (9)" in lines[4]


def test_exit_codes_of_the_command(tmp_path: Path) -> None:
    write(tmp_path, "import tensorflow as tf\ntf.add(1, 2)\n", "good.py")
    write(tmp_path, "import tensorflow as tf\ntf.keras\n", "bad.py")
    write(tmp_path, "import tensorflow as tf\nprint 'a'\n", "old.py")
    write(tmp_path, "x = = 3\n", "broken.py")
    codes = [run_tf1(tmp_path, "--check", *names).returncode for names in (
        ["good.py"], ["good.py", "bad.py"], ["old.py"], ["bad.py", "broken.py"], ["missing.py"])]  # fmt: skip
    assert codes == [0, 1, 1, 2, 2]


def test_a_folder_is_all_of_its_programs(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("a.py", "below/b.py"):
        write(tmp_path, "import tensorflow as tf\ntf.nn.relo\n", name)
    texts, code = check_programs([str(tmp_path)], None)
    assert code == 1 and len(texts) == 2 and all("tf.nn.relo is not here: did you mean relu?" in text for text in texts)


def test_cells_of_a_notebook_are_checked(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": ["tf.keras"]},
             {"cell_type": "code", "source": ["%matplotlib inline\n", "import tensorflow as tf\n", "tf.nn.relu(1)"]}]
    path = write(tmp_path, json.dumps({"cells": cells}), "a.ipynb")
    (text,), code = check_programs([path], None)
    assert code == 0 and "all 1 names are here" in text and "tf.nn.relu (3)" in text


@pytest.mark.parametrize(
    ("line", "era"),
    [
        ("tf.concat(1, [a, b])", "0"), ("tf.concat([a, b], 1)", "1"), ("tf.concat(concat_dim=1, values=v)", "0"),
        ("tf.concat(v, axis=1)", "1"), ("tf.concat(-1, v)", "0"), ("tf.concat(v, -1)", "1"), ("tf.concat(a, b)", None),
        ("tf.split(1, 4, x)", "0"), ("tf.split(x, 4, 1)", "1"), ("tf.split(value=x, num_or_size_splits=2)", "1"),
        ("tf.split(split_dim=0, num_split=2, value=x)", "0"), ("tf.split(x, n)", None),
        ("tf.nn.softmax_cross_entropy_with_logits(y, t)", "0"),
        ("tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=y)", None),
        ("tf.reverse(x, [False, True])", "0"),
        ("tf.reverse(x, [1])", "1"), ("tf.pack([a])", "0"), ("tf.mul(a, b)", "0"),
        ("tf.layers.dense(x, 3)", "1"), ("tf.train.SummaryWriter('d')", "0"), ("tf.add(a, b)", None),
        ("tf.nn.nce_loss(w, b, embed, labels, 5, 10)", "0"), ("tf.nn.nce_loss(w, b, labels, embed, 5, 10)", "1"),
        ("tf.compat.v1.placeholder(t)", "1"), ("tf.initialize_all_variables()", None),
    ],
)  # fmt: skip
def test_signs_of_an_era(tmp_path: Path, line: str, era: str | None) -> None:
    found = era_of([names_in(write(tmp_path, f"import tensorflow as tf\n{line}\n"))])
    assert (found.era if found.sign else None) == era


def test_an_order_decides_against_names_and_both_orders_are_said(tmp_path: Path) -> None:
    lines = "import tensorflow as tf\ntf.layers.dense(x, 3)\ntf.concat(1, [a, b])\n"
    assert era_of([names_in(write(tmp_path, lines))]).era == "0"
    both = era_of([names_in(write(tmp_path, f"{lines}tf.concat([a, b], 1)\n"))])
    assert both.era == "1" and both.against is not None and "a sign of 0.x, too" in both.words


def test_names_of_values_that_programs_make_are_theirs() -> None:
    assert is_here("app.flags.FLAGS.anything", "1") and is_here("train.AdamOptimizer", "0")
    assert not is_here("train.AdamOptimizerr", "1") and not is_here("python.ops.gen_array_ops.nonsense", "1")


def test_a_check_follows_names_that_stand_for_namespaces(tmp_path: Path) -> None:
    path = write(tmp_path, (
        "import tensorflow as tf\nslim = tf.contrib.slim\nnets = slim.nets\nlayers = tf.layers\n"
        "def f(layers, x):\n    return layers.whatever(x)\n"
        "slim.conv2d(1, 2, 3)\nslim.data_provider.Provider({}, {})\nnets.vgg.vgg_17(1)\n"
        "x = tf.float32\nx = 3\nprint(x.nope)\n"
    ))  # fmt: skip
    (text,), code = check_programs([path], None)
    lines = text.replace(path, "p").splitlines()
    assert code == 1 and lines[0].startswith("p:8: tf.contrib.slim.data_provider.Provider is not here: wr")
    assert lines[1] == "p:9: tf.contrib.slim.nets.vgg.vgg_17 is not here: did you mean vgg_19?"
    assert "tf.contrib.slim.conv2d (7)" in text and "whatever" not in text and "nope" not in text
