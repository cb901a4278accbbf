"""Smaller runs that do the same: the same error, a NaN, a difference between two configurations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import cli
from penstock.repro import load_repro
from penstock.repro.criteria import SameFailure, criterion_of, same_value, variation_of
from penstock.repro.lifted_node import operands_at_failure, place_of
from penstock.repro.minified_run import program_text
from penstock.repro.minify import minified
from penstock.repro.run_parts import pruned, size_of_run
from penstock.repro.saved_run import SavedRun

from ..helpers import op_of
from ..warm_python import run_warm

F32 = np.float32


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Session(graph=tf.Graph()) as session:
        yield session


def failed(session: tf.Session, fetches: Any, feeds: Any, folder: Path) -> SavedRun:
    with pytest.raises(tf.errors.OpError):
        session.run(fetches, feeds)
    return load_repro(session.repro(folder)).saved


def smallest(saved: SavedRun, nan: bool = False, differs: tuple[str, ...] = ()) -> SavedRun:
    criterion = criterion_of(saved, nan, differs)
    found = minified(saved, criterion, 60.0)
    assert found.ended == "done" and criterion.holds(found.saved)
    return found.saved


def types(saved: SavedRun) -> list[str]:
    return [node["op"] for node in saved.document["nodes"]]


def test_why_is_this_nan_becomes_three_nodes(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, ["n", 20], name="x")
    w = tf.placeholder(tf.float32, [20, 5], name="w")
    p = tf.nn.softmax(tf.matmul(x, w) * 100.0)
    loss = -tf.reduce_sum(p * tf.log(p)) + tf.reduce_mean(tf.square(w))
    rng = np.random.default_rng(0)
    feeds = {x: rng.standard_normal((30, 20)), w: rng.standard_normal((20, 5))}
    small = smallest(load_repro(session.repro(tmp_path / "wrong", loss, feeds)).saved, nan=True)
    assert types(small) == ["Placeholder", "Log", "Mul"]
    (fed,) = small.feeds.values()
    assert fed.tolist() == [[0]]
    assert small.run(small.session())[0].shape == (1, 1)


def test_dimensions_of_one_name_shrink_together(session: tf.Session, tmp_path: Path) -> None:
    table = tf.placeholder(tf.float32, ["v", 7], name="table")
    x = tf.placeholder(tf.int32, ["n", 4], name="x")
    y = tf.reduce_sum(tf.tanh(tf.gather(table * 2.0, x + 1, name="rows")), [1, 2])
    feeds = {x: np.arange(120).reshape(30, 4) % 97, table: np.ones((97, 7))}
    small = smallest(failed(session, y, feeds, tmp_path / "a"))
    assert types(small) == ["Placeholder", "Placeholder", "Gather"] and size_of_run(small) == (3, 2)


def test_sizes_that_depend_on_each_other_shrink_alone(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, ["batch", 3], name="x")
    i = tf.placeholder(tf.int32, ["batch"], name="i")
    y = tf.reduce_mean(tf.gather(tf.reshape(tf.tanh(x), [-1]), tf.range(tf.shape(x)[0]) * 3 + i, name="picked"))
    saved = failed(session, y, {x: np.ones((8, 3)), i: [0, 1, 2, 0, 1, 2, 0, 3]}, tmp_path / "failed")
    small = smallest(saved)
    assert size_of_run(small) == (3, 2)
    program = program_text(small)
    assert program is not None and "shape=[None]" in program
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"= 1 is not in \[0, 1\)"):
        exec(program, {})


def loop(i: Any, v: Any) -> Any:
    return tf.while_loop(lambda k, t: k < i, lambda k, t: (k + 1, t + tf.gather(v, k, name="rows")), [0, 0.0])[1]


def branch(i: Any, v: Any) -> Any:
    return tf.cond(i > 2, lambda: tf.gather(v, i + 1, name="rows"), lambda: 0.0)


def loop_in_a_branch(i: Any, v: Any) -> Any:
    return tf.cond(i > 2, lambda: loop(i, v), lambda: 0.0)


@pytest.mark.parametrize("made", [loop, branch, loop_in_a_branch], ids=lambda made: made.__name__)
def test_what_fails_inside_is_lifted_out(session: tf.Session, made: Callable[..., Any], tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    i = tf.placeholder(tf.int32, [], name="i")
    session.run(v.initializer)
    small = smallest(failed(session, [made(i, v), v * 2.0], {i: 5}, tmp_path / "failed"))
    assert types(small) == ["Placeholder", "Placeholder", "Gather"] and not small.variables


def test_the_nan_of_a_loop_is_lifted_out_and_a_loop_without_an_end_is_given_up(
    session: tf.Session, tmp_path: Path
) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.while_loop(lambda k, t: k < 40, lambda k, t: (k + 1, tf.sqrt(t - 0.3) * 1.1), [0, x])[1]
    saved = load_repro(session.repro(tmp_path / "wrong", tf.reduce_sum(y), {x: np.linspace(0.5, 1, 30)})).saved
    assert types(smallest(saved, nan=True)) == ["Placeholder", "Sqrt"]


@pytest.mark.parametrize("mapped", ["map_fn", "scan"])
def test_what_fails_for_one_element_is_lifted_out(session: tf.Session, mapped: str, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    if mapped == "map_fn":
        y = tf.map_fn(lambda v: tf.check_numerics(tf.log(v), "log"), x)
    else:
        y = tf.scan(lambda a, v: a + tf.check_numerics(tf.log(v), "log"), x, initializer=0.0)
    small = smallest(failed(session, tf.reduce_sum(y), {x: np.linspace(1, -1, 5)}, tmp_path / "failed"))
    assert len(types(small)) <= 3 and "While" not in types(small)


def test_a_failing_assertion_in_a_gradient_becomes_a_few_nodes(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.reduce_sum(tf.tanh(tf.check_numerics(tf.sqrt(x), "no root")) * 3.0)
    saved = failed(session, tf.gradients(y, [x]), {x: np.linspace(-1, 5, 40)}, tmp_path / "failed")
    small = smallest(saved)
    assert len(types(small)) <= 3 and size_of_run(small)[1] == 1


def test_a_variable_without_a_value_stays_one(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    small = smallest(failed(session, tf.reduce_sum(v * 2.0) + 1.0, {}, tmp_path / "failed"))
    assert types(small)[0] == "VariableV2" and len(types(small)) <= 2


def test_random_numbers_are_fed(session: tf.Session, tmp_path: Path) -> None:
    r = tf.random_uniform([100], 0, 50, dtype=tf.int32)
    small = smallest(failed(session, tf.gather(tf.range(40), r * 1, name="rows"), {}, tmp_path / "failed"))
    assert types(small) == ["Placeholder", "Placeholder", "Gather"] and size_of_run(small)[1] == 2


def test_strings_become_short(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.string, ["n"], name="x")
    y = tf.reduce_sum(tf.string_to_number(tf.string_join([x, tf.constant("0")])))
    small = smallest(failed(session, y, {x: [b"1", b"2.5", b"x"]}, tmp_path / "failed"))
    assert types(small) == ["Placeholder", "StringToNumber"] and [a.size for a in small.feeds.values()] == [1]


def test_a_difference_between_configurations_stays(session: tf.Session, tmp_path: Path) -> None:
    calls = count()

    def counted(x: Any) -> Any:
        return x + F32(next(calls))

    with op_of(counted, stateful=True) as op:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.square(op(x * 2.0) + 1.0)
        saved = load_repro(session.repro(tmp_path / "wrong", [y, x + 1.0], {x: np.arange(50)})).saved
        small = smallest(saved, differs=("passes=none",))
        assert len(small.fetches) == 1 and len(types(small)) == 2 and size_of_run(small)[1] == 1


def test_a_search_ends_in_time_and_at_ctrl_c_with_the_best_so_far(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.int32, ["n"], name="x")
    saved = failed(session, tf.gather([1, 2], x * 1), {x: np.arange(100)}, tmp_path / "failed")
    assert minified(saved, criterion_of(saved, False, ()), 0.0).ended == "time"

    class Interrupted(SameFailure):
        trials = 0

        def holds(self, saved: SavedRun) -> bool:
            Interrupted.trials += 1
            if Interrupted.trials > 6:
                raise KeyboardInterrupt
            return SameFailure(self.expected).holds(saved)

    assert saved.expected is not None
    found = minified(saved, Interrupted(saved.expected), 60.0)
    assert found.ended == "Ctrl-C" and size_of_run(found.saved) < size_of_run(saved)


def test_the_command_writes_a_folder_and_a_program(
    session: tf.Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    folder = tmp_path / "failed"
    failed(session, tf.reduce_sum(tf.check_numerics(tf.log(x), "bad log", name="check")), {x: [1.0, -2.0]}, folder)
    assert cli.main(["minify", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.startswith('InvalidArgumentError in "check" (CheckNumerics): bad log')
    assert "-> 2 nodes with 1" in out
    program = (folder / "minified" / "program.py").read_text()
    assert program in out
    run = run_warm(["-c", program])
    assert "InvalidArgumentError: bad log" in run.stderr
    assert load_repro(folder / "minified").check() == 0
    assert cli.main(["minify", str(folder), "-o", str(tmp_path / "b")]) == 0 and (tmp_path / "b" / "repro.py").exists()


@pytest.mark.parametrize(("options", "words"), [
    (["--nan"], "does not show what is looked for"), (["--differs", "passes=none"], "does not show"),
    (["--differs", "speed=fast"], "write passes=none"), (["--differs", "passes=nothing"], "write passes=none"),
    (["--nan", "--differs", "jit=off"], "give one"),
])  # fmt: skip
def test_what_cannot_be_looked_for_is_told(
    session: tf.Session, options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = session.repro(tmp_path / "run", tf.constant(1.0) + 2.0)
    assert cli.main(["minify", str(folder), *options]) == 2
    assert words in capsys.readouterr().err


def test_a_run_that_is_not_known_to_fail_and_a_missing_folder_are_told(
    session: tf.Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = session.repro(tmp_path / "run", tf.constant(1.0))
    assert cli.main(["minify", str(folder)]) == 2 and cli.main(["minify", str(tmp_path / "none")]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "not known to fail" in first and "No such file" in second


def test_a_nan_that_is_given_is_told(
    session: tf.Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    folder = session.repro(tmp_path / "run", x + 1.0, {x: [np.nan, 1]})
    assert cli.main(["minify", str(folder), "--nan"]) == 0
    assert "in what the run is given: x:0" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["passes=all", "passes=fold,merge", "threads=3", "arena=on", "jit=now"])
def test_changes_of_the_configuration_have_names(text: str) -> None:
    found = variation_of(text)
    assert found.words == text and found != variation_of("passes=none")


def test_a_program_builds_the_same_graph(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.bfloat16, ["n", 1, 2], name="a/x")
    flag = tf.placeholder(tf.bool, [2, 1, 1], name="class")
    a, b = tf.split(2, 2, tf.concat(0, [x, tf.transpose(x, [0, 1, 2])]))
    y = tf.select(tf.logical_not(flag), a, tf.cast(tf.cast(b, tf.complex64), tf.bfloat16))
    text = tf.string_join([["a\n", b"\xff"], "c"], separator="'")
    feeds = {x: np.ones((1, 1, 2)), flag: np.array([[[True]], [[False]]])}
    saved = load_repro(session.repro(tmp_path / "run", [y, text], feeds)).saved
    program = program_text(saved)
    assert program is not None
    made: dict[str, Any] = {}
    exec(program.replace("print(", "found = ("), made)
    expected = session.run([y, text], feeds)
    assert [np.array_equal(one, other) for one, other in zip(made["found"], expected, strict=True)] == [True, True]
    before, after = saved.graph(), made["graph"]
    assert [op.name for op in after.get_operations()] == [op.name for op in before.get_operations()]


# ---- what counts as the same --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ([np.nan, 1.0], [5.0, 1.0], False),
        ([5.0, 1.0], [np.nan, 1.0], False),
        ([np.nan, 1.0], [1.0, np.nan], False),
        ([np.nan, 1.0], [np.nan, 1.0], True),
        ([np.nan, 1.0], [np.nan, 2.0], False),
        ([0.0], [-0.0], False),
        ([1.0, 2.0], [[1.0, 2.0]], False),
        (np.zeros((2, 3)), np.zeros((3, 2)), False),
        (np.zeros((0, 3)), np.zeros((0, 2)), False),
        (np.int32(1), np.array([1, 0], np.int16).view(np.int32)[0], True),
        (np.zeros(2, np.int32), np.zeros(2, np.float32), False),
        (np.array([b"a", b"b"], object), np.array([b"a", b"c"], object), False),
        (np.array([b"a"], object), np.array([[b"a"]], object), False),
        (None, np.zeros(1), False),
        (None, None, True),
    ],
)
def test_values_are_the_same_by_shape_dtype_bits_and_places_of_nans(one: Any, other: Any, is_same: bool) -> None:
    assert same_value(one, other) is is_same


def test_a_random_op_inside_a_map_draws_the_same_numbers_again(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    tf.set_random_seed(3)
    drawn = tf.map_fn(lambda v: v + tf.random_uniform([2], name="drawn"), x, name="rows")
    unneeded = tf.random_uniform([2], name="unneeded")
    feeds = {x: [0.0, 1.0, 2.0]}
    for _ in range(3):
        session.run([drawn, unneeded], feeds)  # the stream is not at its start
    saved = load_repro(session.repro(tmp_path / "run", drawn, feeds)).saved
    want = session.run(drawn, feeds)
    for each in (saved, pruned(saved)):
        assert each.random is not None and list(each.random) == ["rows/fn/drawn/RandomUniform"]
        with each.session() as again:
            assert np.array_equal(again.run(list(each.fetches), dict(each.feeds))[0], want)
    with replace(saved, random=None).session() as again:
        assert not np.array_equal(again.run(list(saved.fetches), dict(saved.feeds))[0], want)


def test_what_fails_in_nested_loops_is_lifted_with_the_values_of_the_innermost_iteration(
    session: tf.Session, tmp_path: Path
) -> None:
    x = tf.placeholder(tf.float32, [], name="x")

    def row(i: Any, total: Any) -> Any:
        def cell(j: Any, t: Any) -> Any:
            at = tf.cast(i, tf.float32) * 10.0 + tf.cast(j, tf.float32)
            return j + 1, t + tf.check_numerics(tf.log(x - at), "log")

        return i + 1, tf.while_loop(lambda j, t: j < 4, cell, [0, total], name="inner")[1]

    y = tf.while_loop(lambda i, t: i < 3, row, [0, 0.0], name="outer")[1]
    small = smallest(failed(session, y, {x: 12.5}, tmp_path / "failed"))  # in iteration 3 of iteration 1
    assert "While" not in types(small) and len(types(small)) <= 3
    with small.session() as again, pytest.raises(tf.errors.InvalidArgumentError):
        again.run(list(small.fetches), dict(small.feeds))


def test_operands_are_those_of_the_innermost_iteration() -> None:
    inner = {"name": "outer/body/inner/body/Log", "op": "Log", "inputs": {"x": "outer/body/inner/body/a:0"}}
    recorded = {"outer[2]/inner[1]/a:0": np.array(21.0), "outer[1]/inner[2]/a:0": np.array(12.0)}
    for iteration, value in ((1, 21.0), (2, 12.0)):
        ((constants, operands),) = operands_at_failure([], inner, recorded, iteration)
        assert constants == [] and operands == {"outer/body/inner/body/a:0": value}
    assert place_of("outer[2]/inner[1]/a:0", []) == ("outer/body/inner/body/a", 1)
