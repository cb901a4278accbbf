"""The programs in `examples/` print what they are there to show.

Each expectation is a list of passages that occur in this order; runs of blanks and line ends count as one blank.
"""

import re
import runpy
from pathlib import Path

import pytest

from .golden_cases import EXTRA, read
from .helpers import some_nightly

FOLDER = Path(__file__).resolve().parents[1] / "examples"

EXPECTED = {
    "idea_in_100_lines": [
        "x placeholder (None, 3)",
        "answer total ()",
        "plan: ['squares', 'const', 'add', 'answer']",  # and not 'unused'
        "answer: 21.0",
        "from the middle: 2.0",
        "refused: sizes that differ must contain a 1, but are 3 and 4",
    ],
    "standardise_by_group": [
        "group_0/Sqrt Sqrt",
        "[[-1. 1.] [-1. 1.] [ 1. -1.] [ 1. -1.]]",
    ],
    "examples_in_a_file": [
        "200 records; the last one holds ['tags', 'x', 'y']",
        "x (rows, 2) weight (rows,) tags (?, ?)",
        "tags of four rows: [b'odd', b'1', b'odd', b'3'] at [[1, 0], [1, 1], [3, 0], [3, 1]]",
        "weights [2.0, -3.0] bias [0.5]",
    ],
    "kmeans": [
        "'assign/nearest:0' int64 (points,)",
        "float32 (3, 2)",
        "round 5 sizes [ 970 996 1034]",
        "970 points around (-0.02, 0.02)",
    ],
    "pagerank": [
        "(pages,)",
        "30 steps in 6 runs",
        "home 0.343 shop 0.203",
        "blog 0.040",
    ],
    "train_a_classifier": [
        "gradients ['(2, 16)', '(16,)', '(16, 3)', '(3,)']",
        "depends on layer2/bias:0 by 1 path",
        "step 0: the loss is above 0.1 step 99: the loss is below 0.1",
        "more than 97 % of the test are right: True",
    ],
    "convolutional_digits": [
        "(images, 10, 10, 8) (images, 5, 5, 16) (images, 10)",
        "conv2d/kernel:0",
        "before: more than half are right: False after: more than 95 % are right: True",
    ],
    "character_lstm": [
        "scores (texts, letters, 35) state (texts, 64)",
        "rnn/basic_lstm_cell/kernel:0",
        "step 0: the loss is above 0.1 step 300: the loss is below 0.1",
        "Shall I compare thee to a summer's day? Thou art more lovely and more temperate:",
        "And summer's lease hath all too short a date.",
    ],
    "train_from_datasets": ["(?, 4) (?,)", "epoch 2: more than 90 % are right: True"],
    "train_from_queues": ["(20,) QueueDequeueManyV2", "100 steps, then the files", "y = 2.00 x + -0.50"],
    "importing_data": [  # what TensorFlow 2.21 printed
        "one-shot: [0, 1, 4, 9]",
        "by placeholder: [([[0.0, 1.0], [2.0, 3.0]], [0, 1]), ([[4.0, 5.0]], [2])]",
        "by placeholder: [([[0.0, 1.0]], [0])]",
        "reinitializable: [100, 101, 102]",
        "reinitializable: [110, 111]",
        "reinitializable: [100, 101, 102]",
        "padded: [[1, 2, 0], [3, 0, 0], [4, 1, 2]]",
        "epochs: [2, 2, 1, 2, 2, 1] sum 20",
        "records: [(0, []), (1, [b'w']), (2, [b'w', b'w']), (0, []), (1, [b'w']), (2, [b'w', b'w'])]",
        "lines: ['first of one.txt', 'last of one.txt', 'first of two.txt', 'last of two.txt']",
        "images: (3, 4, 4, 1) [0.0, 100.0, 200.0] [7, 8, 9]",
    ],
    "reading_data": [  # what TensorFlow 2.21 printed
        "fixed length: [([0, 1], [3, 13]), ([2, 3], [23, 33]), ([4], [43])]",
        "shuffled records: (12, 2) [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]",
        "preloaded: [([0.0, 2.0, 4.0, 6.0], [0, 1, 2, 3]), ([8.0, 10.0, 0.0, 2.0], [4, 5, 0, 1]), "
        "([4.0, 6.0, 8.0, 10.0], [2, 3, 4, 5])]",
        "queue runner: [1, 1, 1, 100, 100, 100]",
    ],
    "train_iris": read(EXTRA / "train_iris.json")["output"],  # what TensorFlow printed
    # The same, of examples with loops and branches.
    **{n: [" ".join(line.split()) for line in lines] for n, lines in read(EXTRA / "examples.json")["output"].items()},
    "play_pages": [
        "play_partition.html is below 400 kB: True play_loop.html is below 400 kB: True",
        "play_training.html is below 400 kB: True",
    ],
    "mixture_of_experts": [
        "sum:0 (rows, 3)",
        "cut: route/ArgMax ArgMax it gives int64, and ints have no derivative",
        "rows of the experts [4, 2]",
        "rows equals differences: True router equals differences: True",
        "kernel_0 equals differences: True kernel_1 equals differences: True",
    ],
    "cluster": [
        "equal results: True",
        "for five numbers it pays: False",
        "losses equal to the bit: True",
        "weights: [ 1. -2. 0.5]",
    ],
    "weather_report": [
        "'read/columns:1' float32 (lines,)",
        "'write/report:0' string (?,)",
        "oslo: mean -2.5 of 2",
        "rome: mean 14.5 of 2",
        "cairo: mean 23.5 of 1",
    ],
    "dynamic_stitch": [
        "merged (7, 2) [[ 1 2] [11 12] [21 22] [31 32] [41 42] [51 52] [61 62]]",
        "x [ 1.1 -1. 6.2 5.3 -1. 8.4]",
    ],
    "tensor_scatter_nd_update": [
        "[ 0 9 0 10 11 0 0 12]",
        "[[ 1 5] [ 1 1] [10 1]]",
        "outer (6,) inner (3,)",
        "[[0 0 0] [0 0 0] [1 2 3] [0 0 0] [4 5 6] [0 0 0]]",
        f"pixels changed: {2.0 * 11 * 7 * 5 * 3} in (13, 11, 7, 5, 3)",
        f"pixels changed: {3.0 * 7 * 5 * 3} in (13, 11, 7, 5, 3)",
        "[[1. 0. 0. 0. 1.] [0. 1. 0. 1. 0.] [0. 0. 1. 0. 0.] [0. 1. 0. 1. 0.] [1. 0. 0. 0. 1.]]",
        "t[i] = v:",
        "tf.tensor_scatter_nd_update(t, [[i]], [v])",
    ],
    "multiplex_and_stack": [
        "[[3 0 3 4] [0 1 3 4] [1 2 4 2] [2 3 3 4]]",
        "[[5. 6.] [3. 4.]]",
        "stack along 0 has shape (3, 1, 2): [[[1. 2.]] [[3. 4.]] [[5. 6.]]]",
        "stack along 1 has shape (1, 3, 2): [[[1. 2.] [3. 4.] [5. 6.]]]",
        "stack along -2 has shape (1, 3, 2): [[[1. 2.] [3. 4.] [5. 6.]]]",
    ],
    "shapes_before_anything_runs": [
        "join/both Concat join/both/concat_dim, x, y float32 (batch+extra, 6)",
        "pairs (3*batch+3*extra, 2)",
        "parts (?, 6)",
        "dimension 0 of choose/parts:1 (?, 6) is not known:",
        "Dimensions must be equal, but are 3 and 4",
        "Dimension batch cannot have two sizes in one run",
    ],
    "layers_in_scopes": [
        "layer_0 3 operations Add x1, MatMul x1, Relu x1 <- flowers:0",
        "layer_2/ MatMul MatMul float32 (flowers, 3) <- layer_1/relu:0",
        "kernel",
        "species [",
        "checks True",
    ],
    "errors_that_help": [
        "== shapes that do not fit ShapeError (BuildError, PenstockError, ValueError)",
        "are 3 and 4",
        "DTypeError (BuildError, PenstockError, TypeError)",
        "Write tf.cast(y, tf.float32)",
        "must be evenly divisible by 2 but is 3",
        "penstock.compat.v1.concat has TensorFlow 1.x's order",
        "tf.where(t, x, y)",
        "tf.tensor_scatter_nd_update(t, [[i]], [v])",
        "float(session.run(t))",
        "You must feed a value for placeholder tensor 'table' with dtype float32 and shape [10,4]",
        "Cannot feed value of shape (1, 2) for Tensor table:0, which has shape (10, 4)",
        "InvalidArgumentError (OpError, PenstockError) indices[1] = 12 is not in [0, 10)",
        'in node "chosen" (Gather)',
    ],
    "tensor_transformations": [
        "string_to_number ==> [ 1.5 -2. 300. ]",
        "to_double ==> [1. 2.]",
        "to_float ==> [1. 2.]",
        "to_bfloat16 ==> [1 2]",
        "to_int32 ==> [1 2]",
        "to_int64 ==> [1 2]",
        "cast(a, int32) ==> [1 2]",
        "shape(t) ==> [2 2 3]",
        "size(t) ==> 12",
        "rank(t) ==> 3",
        "reshape(t, [3, 3]) ==> [[1 2 3] [4 5 6] [7 8 9]]",
        "reshape(t, [2, 4]) ==> [[1 1 2 2] [3 3 4 4]]",
        "reshape(t, [-1]) ==> [1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6]",
        "shape(squeeze(t)) ==> [2 3]",
        "shape(squeeze(t, [2, 4])) ==> [1 2 3 1]",
        "shape(expand_dims(t, 0)) ==> [1 2]",
        "shape(expand_dims(t, 1)) ==> [2 1]",
        "shape(expand_dims(t, -1)) ==> [2 1]",
        "shape(expand_dims(t2, 0)) ==> [1 2 3 5]",
        "shape(expand_dims(t2, 2)) ==> [2 3 1 5]",
        "shape(expand_dims(t2, 3)) ==> [2 3 5 1]",
        "slice(t, [1, 0, 0], [1, 1, 3]) ==> [[[3 3 3]]]",
        "slice(t, [1, 0, 0], [1, 2, 3]) ==> [[[3 3 3] [4 4 4]]]",
        "slice(t, [1, 0, 0], [2, 1, 3]) ==> [[[3 3 3]] [[5 5 5]]]",
        "shape(split0) ==> [ 5 10]",
        "tile([a b c d], [2]) ==> [b'a' b'b' b'c' b'd' b'a' b'b' b'c' b'd']",
        "pad(t, [[2, 1], [1, 2]]) ==> [[0 0 0 0 0] [0 0 0 0 0] [0 1 1 0 0] [0 2 2 0 0] [0 0 0 0 0]]",
        "concat(0, [t1, t2]) ==> [[ 1 2 3] [ 4 5 6] [ 7 8 9] [10 11 12]]",
        "concat(1, [t1, t2]) ==> [[ 1 2 3 7 8 9] [ 4 5 6 10 11 12]]",
        "shape(concat(0, [t3, t4])) ==> [4 3]",
        "shape(concat(1, [t3, t4])) ==> [2 6]",
        "pack([x, y, z]) ==> [[1 4] [2 5] [3 6]]",
        "unpack(t1)[0] ==> [1 2 3]",
        "unpack(t1)[1] ==> [4 5 6]",
        "reverse_sequence(rows, [7, 2, 3, 5], 1) ==> [[ 6 5 4 3 2 1 0 7] [ 9 8 10 11 12 13 14 15] "
        "[18 17 16 19 20 21 22 23] [28 27 26 25 24 29 30 31]]",
        "reverse(t, [False, False, False, True]) ==> [[[[ 3 2 1 0] [ 7 6 5 4] [11 10 9 8]] "
        "[[15 14 13 12] [19 18 17 16] [23 22 21 20]]]]",
        "reverse(t, [False, True, False, False]) ==> [[[[12 13 14 15] [16 17 18 19] [20 21 22 23]] "
        "[[ 0 1 2 3] [ 4 5 6 7] [ 8 9 10 11]]]]",
        "reverse(t, [False, False, True, False]) ==> [[[[ 8 9 10 11] [ 4 5 6 7] [ 0 1 2 3]] "
        "[[20 21 22 23] [16 17 18 19] [12 13 14 15]]]]",
        "transpose(x) ==> [[1 4] [2 5] [3 6]]",
        "transpose(x, perm=[1, 0]) ==> [[1 4] [2 5] [3 6]]",
        "transpose(b, perm=[0, 2, 1]) ==> [[[ 1 4] [ 2 5] [ 3 6]] [[ 7 10] [ 8 11] [ 9 12]]]",
        "gather(t1, [1, 0, 1]) ==> [[4 5 6] [1 2 3] [4 5 6]]",
        "dynamic_partition([10, 20], 1, 2)[0] ==> []",
        "dynamic_partition([10, 20], 1, 2)[1] ==> [[10 20]]",
        "dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)[0] ==> [10 20 50]",
        "dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)[1] ==> [30 40]",
        "dynamic_stitch(indices, data) ==> [[ 1 2] [11 12] [21 22] [31 32] [41 42] [51 52] [61 62]]",
    ],
}


def test_every_example_has_an_expectation() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(EXPECTED)


LONG = ("cluster", "character_lstm", "convolutional_digits", "word2vec")
"""Those that start processes or train for seconds."""


@pytest.mark.parametrize("name", some_nightly(EXPECTED, EXPECTED.keys() - set(LONG)))
def test_an_example_prints_what_it_is_there_to_show(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where it writes files
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    printed = " ".join(capsys.readouterr().out.split())
    at = 0
    for passage in EXPECTED[name]:
        found = printed.find(passage, at)
        assert found >= 0, f"{passage!r} does not occur, or not in this place, in\n{printed}"
        at = found + len(passage)


def test_the_idea_fits_in_100_lines_and_its_parts_name_modules_that_exist() -> None:
    path = FOLDER / "idea_in_100_lines.py"
    lines = path.read_text("utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    assert len(code) <= 100
    named = re.findall(r"penstock/[\w/]+\.py", "\n".join(lines))
    assert len(named) >= 10
    for file in named:
        assert (FOLDER.parent / file).is_file(), file
