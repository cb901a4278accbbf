"""A program cannot reach its check: what it does to its own process, to Python's functions or to files is in vain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.lessons.checked_process import check_file
from penstock.lessons.checking import verdict_of_files
from penstock.lessons.handed_work import read_work, write_work
from penstock.lessons.lesson_folders import find_lesson
from penstock.lessons.lesson_proof import verdict_here
from penstock.lessons.student_work import RunRecorder, Work

from ..helpers import some_nightly

WRONG = """import penstock as tf
{trick}
WEEK = [12.0, 15.5, 9.0, 21.0, 18.5, 17.0, 14.0]
celsius = tf.placeholder(tf.float32, ["days"], name="celsius")
fahrenheit = celsius * 1.0
warmest = tf.reduce_max(fahrenheit)
session = tf.Session()
result = session.run([fahrenheit, warmest], {{celsius: WEEK}})
"""
"""A wrong program for lesson 1, with a place for a trick."""
TRICKS = {
    "NumPy compares no more": "import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True",
    "the check is changed": "import penstock.lessons.checking as c\nc.verdict_of = c.verdict_of_files = "
    "lambda *a: c.Verdict(True, 'ok')",
    "work has other methods": "from penstock.lessons import Work\nWork.value = Work.wrong = lambda *a, **k: 0",
    "the verdict is printed": "import os\nos.write(1, b'{\"passed\": true, \"message\": \"ok\"}')",
    "a module called numpy lies beside it": "open('numpy.py', 'w').write('allclose = lambda *a, **k: True')",
}


TRICKS["all of these"] = "\n".join(TRICKS.values())


@pytest.mark.parametrize("trick", some_nightly(TRICKS, ["all of these"]))
def test_a_trick_in_the_programs_own_process_does_not_pass(
    trick: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(WRONG.format(trick=TRICKS[trick]))
    verdict = check_file(find_lesson(1), tmp_path / "mine.py")
    assert not verdict.passed and "`fahrenheit` is [" in verdict.message, verdict.message


@pytest.mark.parametrize("function", ["py_func", "an op of the program"])
def test_a_lesson_about_the_graph_refuses_a_result_that_python_computes(function: str) -> None:
    made = {
        "py_func": "fahrenheit = tf.py_func(lambda c: np.float32(c * 1.8 + 32), [celsius], tf.float32)",
        "an op of the program": """from penstock.extend import Float, Tensor, op
@op("Warmer")
def warmer(x: Float, name: str | None = None) -> Tensor:
    ...
@warmer.shape
def shape_of(x):
    return x.shape
@warmer.kernel
def kernel_of(xp, x):
    return x * xp.float32(1.8) + xp.float32(32)
fahrenheit = warmer(celsius)""",
    }[function]
    program = WRONG.format(trick="import numpy as np").replace("fahrenheit = celsius * 1.0", made)
    verdict = verdict_here(find_lesson(1), program, "mine.py")
    assert not verdict.passed and "This lesson is about the graph" in verdict.message, verdict.message


def test_python_inside_the_body_of_a_loop_is_refused_too() -> None:
    loop = """fahrenheit = tf.map_fn(lambda c: tf.py_func(lambda a: np.float32(a * 1.8 + 32), [c], tf.float32), celsius)
fahrenheit.set_shape(["days"])"""
    program = WRONG.format(trick="import numpy as np").replace("fahrenheit = celsius * 1.0", loop)
    verdict = verdict_here(find_lesson(1), program, "mine.py")
    assert "calls a function of Python" in verdict.message, verdict.message


def test_a_constant_in_the_place_of_an_answer_does_not_pass_lesson_4() -> None:
    right = find_lesson(4).solutions[0].read_text()
    head = right[: right.index("what_if")]
    for rate, told in (("0.5", "gives a bill of"), ("0.2", "gives a bill of")):
        program = f"{head}session.run(bill, {{total: 1.0, rate: {rate}}})\nwhat_if = 1200.0\n"
        verdict = verdict_here(find_lesson(4), program, "mine.py")
        assert not verdict.passed and told in verdict.message, verdict.message


def test_a_node_that_became_a_constant_does_not_pass_lesson_4() -> None:
    right = find_lesson(4).solutions[0].read_text()
    program = right.replace("total = tf.reduce_sum(prices * counts, name=\"total\")",
                            "prices * counts\ntotal = tf.constant(110.0, name=\"total\")")  # fmt: skip
    assert program != right
    verdict = verdict_here(find_lesson(4), program, "mine.py")
    assert not verdict.passed and "`total` does not compute what it did" in verdict.message, verdict.message


def test_a_run_that_was_fed_something_else_is_not_the_source_of_the_result() -> None:
    program = WRONG.format(trick="").replace("celsius * 1.0", "celsius * 1.8 + 32")
    program = program.replace("{celsius: WEEK}", "{celsius: [1.0]}") + "result = [[w * 1.8 + 32 for w in WEEK], 69.8]\n"
    verdict = verdict_here(find_lesson(1), program, "mine.py")
    assert not verdict.passed and "not WEEK" in verdict.message, verdict.message


def test_handed_over_work_is_a_copy_with_the_same_values(tmp_path: Path) -> None:
    recorder = RunRecorder()
    with tf.Graph().as_default() as graph, recorder.recording(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.multiply(x, 2.0, name="y")
        fed = np.asarray([3.0, np.nan], np.float32)
        session.run({"a": y}, {x: fed})
        fed[:] = 0
        with pytest.raises(tf.errors.PenstockError):
            session.run(y)
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        values = {"v": v, "y": y, "op": y.op, "other": other, "number": np.float32(2), "array": np.arange(3),
                  "nested": {"k": [1, (2.5, None)]}, "gap": ..., "fn": len, "nan": np.nan, "module": np}  # fmt: skip
        write_work(Work(values, tuple(recorder.runs), recorder.count), tmp_path, observed=[1, np.ones(2)])
    work = read_work(tmp_path, 7)
    assert work.graph is not graph and str(work.graph.diff(graph)) == "no difference"
    got = work.variables
    assert work.value(got["v"]).tolist() == [1.0, 2.0] and got["y"] is work.graph.get_tensor_by_name("y:0")
    assert got["op"] is got["y"].op and got["other"].graph is not work.graph and got["gap"] is ...
    assert got["nested"] == {"k": [1, (2.5, None)]} and got["number"] == np.float32(2)
    assert got["array"].tolist() == [0, 1, 2] and callable(got["fn"]) and np.isnan(got["nan"]) and "module" not in got
    first, second = work.runs
    assert np.array_equal(first.feeds["x:0"], [3.0, np.nan], equal_nan=True) and not first.failed and second.failed
    assert first.fetched == (got["y"],) and len(first.plan.steps) == 1 and first.record is not None
    assert work.observed[0] == 1 and work.observed[1].tolist() == [1.0, 1.0]
    assert work.random.random() == np.random.default_rng(7).random()


def test_damaged_files_are_a_verdict_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "work.json").write_text("{")
    verdict = verdict_of_files(find_lesson(1), tmp_path, 1)
    assert not verdict.passed and "cannot read what your program handed over" in verdict.message


def test_a_program_that_swapped_the_arguments_and_then_stopped_is_told_the_idea() -> None:
    lesson = find_lesson(9)
    program = (lesson.folder / "mistakes" / "swapped_and_used.py").read_text()
    verdict = verdict_here(lesson, program, "mine.py")
    assert verdict.key == "either-way-round" and "mine.py stopped at line" in verdict.message


def test_a_write_that_no_path_reaches_is_named() -> None:
    lesson = find_lesson(7)
    right = lesson.solutions[0].read_text()
    head = right[: right.index("before =")]
    program = head + """before = tf.identity(balance, name="before")
with tf.control_dependencies([before]):
    lost = balance.assign_add(amount, name="lost")
    added = balance.assign_add(7.0, name="added")
    after = tf.identity(added, name="after")
session = tf.Session()
"""
    verdict = verdict_here(lesson, program, "mine.py")
    assert verdict.key == "a-built-write-happens" and "`lost` is built, but no path leads" in verdict.message


def test_looking_tensors_up_by_name_is_told_apart_from_not_knowing_names() -> None:
    lesson = find_lesson(2)
    right = next(text for path in lesson.solutions if '"heights/scores:0"' in (text := path.read_text()))
    program = right.replace('"heights/scores:0"', 'tf.get_default_graph().get_tensor_by_name("heights/scores:0")')
    program = program.replace('"weights/scores:0"', 'tf.get_default_graph().get_tensor_by_name("weights/scores:0")')
    verdict = verdict_here(lesson, program, "mine.py")
    assert not verdict.passed and verdict.key == "" and "does the looking up itself" in verdict.message
