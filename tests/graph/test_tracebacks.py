"""Tracebacks end in the user's line: the package's frames are hidden, those of the user's functions are not."""

import inspect
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.errors import InternalError, InvalidArgumentError, OpError, PenstockError, ShapeError
from penstock.extend import T, composite, find_op, op
from penstock.graph.declare.op_declaration import OPS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = str(Path(inspect.getfile(tf)).parent) + os.sep


@pytest.fixture(autouse=True, scope="module")
def forgotten() -> Iterator[None]:
    yield
    for type in ("FaultyShape13", "FaultyKernel13"):
        OPS.pop(type, None)  # another worker may have run the test that declares it


def files(error: BaseException) -> list[str]:
    """The files of the frames that a printed traceback shows, causes included."""
    shown = []
    found: BaseException | None = error
    while found is not None:
        shown += [frame.f_code.co_filename for frame, _ in traceback.walk_tb(found.__traceback__)]
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    return shown


def functions(error: BaseException) -> list[str]:
    return [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]


def raised(call: Callable[[], Any]) -> BaseException:
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.fixture(autouse=True)
def short() -> Iterator[None]:
    before = tf.config.traceback
    tf.config.traceback = "short"
    yield
    tf.config.traceback = before


@op("FaultyShape13")
def faulty_shape(x: T, name: str | None = None) -> tf.Tensor:
    """An op whose shape rule fails in a function of its own."""
    raise NotImplementedError


@faulty_shape.shape
def _(x: tf.Tensor) -> Any:
    return helper_of_the_user(x)


@op("FaultyKernel13")
def faulty_kernel(x: T, name: str | None = None) -> tf.Tensor:
    """An op whose kernel fails in a function of its own."""
    raise NotImplementedError


@faulty_kernel.shape
def _(x: tf.Tensor) -> tf.TensorShape:
    return x.shape


@faulty_kernel.kernel
def _(xp: Any, x: Any) -> Any:
    return helper_of_the_user(x)


def helper_of_the_user(x: Any) -> Any:
    raise ZeroDivisionError("the user's own")


@composite("Sum13")
def sum_of_the_user(x: Any, y: Any, name: str | None = None) -> Any:
    return tf.add(x, y)


def mistakes() -> dict[str, Callable[[], Any]]:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        y = tf.placeholder(tf.float32, [4, 5], name="y")
        wrong = tf.gather([1, 2], tf.placeholder_with_default([9], [1]))
    session = tf.Session(graph=graph)
    call = session.make_callable(x, [x])
    closed = tf.Session(graph=graph)
    closed.close()
    return {
        "an op": lambda: tf.matmul(x, y),
        "an op called wrongly": lambda: tf.matmul(x),  # type: ignore[call-arg]  # that is the mistake
        "an operator": lambda: x + y,
        "a reflected operator": lambda: "text" * x,
        "an index": lambda: x[0, 0, 0],
        "a unary operator": lambda: ~x,
        "a function of NumPy": lambda: np.add(x, y),
        "a function that NumPy has alone": lambda: np.linalg.svd(x),
        "a ufunc that NumPy has alone": lambda: np.frexp(x),
        "a composite": lambda: tf.clip_by_value(x, y, y),
        "zeros": lambda: tf.zeros("x"),
        "a constant": lambda: tf.constant([[1], [2, 3]]),
        "a conversion": lambda: tf.convert_to_tensor(None),
        "a placeholder": lambda: tf.placeholder("no dtype"),
        "a dtype": lambda: tf.as_dtype("no dtype"),
        "a condition": lambda: bool(x),
        "a float": lambda: float(x),
        "an iteration": lambda: list(tf.placeholder(tf.float32)),
        "a length": lambda: len(tf.placeholder(tf.float32)),
        "a value": x.numpy,
        "an assignment": lambda: x.__setitem__(0, 1),
        "a shape": lambda: x.set_shape([7, 7]),
        "an attribute": lambda: x.op.get_attr("none"),
        "a copy": lambda: pickle.dumps(x),
        "a method of arrays": lambda: x.sum,  # type: ignore[attr-defined]
        "a name of TensorFlow": lambda: tf.function,  # type: ignore[attr-defined]
        "a node that does not exist": lambda: graph.get_tensor_by_name("none:0"),
        "a scope": lambda: graph.name_scope("?").__enter__(),
        "a device": lambda: tf.device("?").__enter__(),
        "control inputs": lambda: tf.control_dependencies(3).__enter__(),  # type: ignore[arg-type]
        "a file": lambda: tf.load_graph("/no/such/file.json"),
        "an export": lambda: graph.export("graph.unknown"),
        "v1": lambda: v1.concat([x, y], 0),
        "v1 split": lambda: v1.split(x, 2, axis=1),
        "a session": lambda: tf.Session(graph=3),  # type: ignore[arg-type]
        "a run without a feed": lambda: session.run(x),
        "a run that fails": lambda: session.run(wrong),
        "a fetch": lambda: session.run("none:0"),
        "a feed": lambda: session.run(x, {x: [1.0]}),
        "a feed of a list": lambda: session.run(x, {x: [[1.0], [2.0, 3.0]]}),
        "a closed session": lambda: closed.run(x),
        "eval": lambda: x.eval(session=session),
        "an operation": lambda: x.op.run(session=session),
        "eval without a session": lambda: x.eval(),
        "a callable": lambda: call([1.0]),
        "a callable without values": call,
        "a callable of nothing": lambda: session.make_callable("none:0"),
        "a plan": lambda: session.plan("none:0"),
        "an explanation": lambda: session.explain("none:0"),
        "memory": lambda: session.memory("none:0"),
        "placement": lambda: session.placement("none:0"),
        "a trace": lambda: session.trace(wrong),
        "a profile": lambda: session.profile(wrong),
        "an interactive session": lambda: tf.InteractiveSession(graph=3),  # type: ignore[arg-type]
        "a configuration": lambda: tf.SessionConfig(threads=0),
        "options of a run": lambda: tf.RunOptions(progress=3),  # type: ignore[arg-type]
        "a merge of shapes": lambda: x.shape.merge_with([7, 7]),
        "a rank": lambda: x.shape.with_rank(7),
        "a merge of sizes": lambda: tf.Dimension(3).merge_with(4),
        "a sparse tensor": lambda: tf.SparseTensor(x, x, x),
        "a picture of a plan": lambda: session.plan(x).export("plan.unknown"),
        "a node that was not explained": lambda: session.explain(x).why("none"),
        "a cap": lambda: setattr(tf.config.memory, "cap", "much"),
        "a mode": lambda: setattr(tf.config.jit, "mode", "much"),
        "a wrong keyword": lambda: tf.where(cond=x),  # type: ignore[call-arg]
        "a wrong keyword of a session": lambda: session.plan(x, fees=[]),  # type: ignore[call-arg]
        "a static shape": lambda: tf.TensorShape([-1]),
        "a static shape of floats": lambda: tf.TensorShape([1.5]),  # type: ignore[list-item]
        "a place in a shape": lambda: x.shape[5],
        "a dimension": lambda: tf.Dimension("a b"),
        "a negative dimension": lambda: tf.Dimension(-1),
        "an unknown dimension as an int": lambda: int(tf.Dimension("n")),
        "a dtype made by hand": lambda: tf.DType("x"),  # type: ignore[call-arg]
        "an op that does not exist": lambda: find_op("None"),
        "an element that does not exist": lambda: graph.as_graph_element("none"),
        "a number of threads": lambda: tf.SessionConfig(threads="x"),  # type: ignore[arg-type]
        "a choice that does not exist": lambda: tf.SessionConfig(thread=1),  # type: ignore[call-arg]
        "a pattern": lambda: tf.Watch(exclude=3),  # type: ignore[arg-type]
        "a value that was not traced": lambda: session.trace(y, {y: np.zeros((4, 5))})["none"],
        "feeds without values": lambda: session.trace(y, [y]),  # type: ignore[arg-type]
        "a node without a cost": lambda: graph.cost(x).node("none"),
        "a setting": lambda: setattr(tf.config, "traceback", "long"),
        "an op of the user": lambda: faulty_shape(x),
        "a kernel of the user": lambda: session.run(faulty_kernel(x), {x: np.zeros((2, 3), "f4")}),
        "a composite of the user": lambda: sum_of_the_user(x, y),
    }


MISTAKES = mistakes()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_frame_of_the_package_is_in_a_traceback(mistake: str) -> None:
    error = raised(MISTAKES[mistake])
    assert not [file for file in files(error) if file.startswith((PACKAGE, "<string>"))]
    assert __file__ in files(error)


@pytest.mark.parametrize("mistake", ["an op", "an operator", "a composite", "a run that fails", "a plan"])
def test_the_setting_full_shows_every_frame(mistake: str) -> None:
    tf.config.traceback = "full"
    assert any(file.startswith(PACKAGE) for file in files(raised(MISTAKES[mistake])))


def test_the_setting_is_short_or_full() -> None:
    with pytest.raises(ValueError, match=r"config\.traceback is 3; it is 'short' or 'full'"):
        tf.config.traceback = 3  # type: ignore[assignment]  # that is the mistake
    assert tf.config.traceback == "short"


def test_frames_of_the_users_functions_beneath_the_package_stay() -> None:
    assert functions(raised(MISTAKES["an op of the user"]))[-2:] == ["_", "helper_of_the_user"]
    error = raised(MISTAKES["a kernel of the user"])
    assert isinstance(error, InternalError) and isinstance(error.__cause__, ZeroDivisionError)
    assert functions(error.__cause__) == ["_", "helper_of_the_user"]


def test_an_error_that_passes_through_the_users_code_keeps_its_frames() -> None:
    error = raised(MISTAKES["a composite of the user"])
    assert isinstance(error, ShapeError)
    assert functions(error)[-2:] == ["<lambda>", "sum_of_the_user"]


def test_the_users_own_errors_before_and_the_causes_stay() -> None:
    def mistaken() -> None:
        try:
            helper_of_the_user(1)
        except ZeroDivisionError:
            MISTAKES["a condition"]()

    error = raised(mistaken)
    assert isinstance(error.__context__, ZeroDivisionError)  # as it is printed above the error
    assert functions(error.__context__) == ["mistaken", "helper_of_the_user"]


def test_a_bug_of_the_package_keeps_its_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.runtime.session.session.split_feed_dict", lambda *args: None)
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [], name="x")
    error = raised(lambda: tf.Session(graph=graph).run(x, {x: 1.0}))
    assert isinstance(error, TypeError)
    assert any(file.startswith(PACKAGE) for file in files(error))


def test_errors_in_threads_and_after_pickling_are_whole() -> None:
    found: list[BaseException] = []
    thread = threading.Thread(target=lambda: found.append(raised(MISTAKES["a run that fails"])))
    thread.start()
    thread.join()
    (error,) = found
    assert isinstance(error, InvalidArgumentError)
    assert not [file for file in files(error) if file.startswith(PACKAGE)]
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InvalidArgumentError and str(again) == str(error)


def test_an_error_in_a_generator_of_the_user_ends_there() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")

    def feeds() -> Iterator[Any]:
        yield tf.add(x, [1.0, 2.0, 3.0])

    error = raised(lambda: tf.add_n(feeds()))  # type: ignore[arg-type]
    assert isinstance(error, PenstockError)
    error = raised(lambda: list(feeds()))
    assert functions(error)[-1] == "feeds"


def test_a_session_goes_on_after_a_short_traceback() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
    with tf.Session(graph=graph) as session:
        with pytest.raises(ValueError, match="shape"):
            session.run(x, {x: [1.0]})
        assert session.run(x, {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]


SCRIPT = """
import penstock as tf
x = tf.placeholder(tf.float32, [2, 3], name="x")
def build():
    return tf.matmul(x, x)
build()
"""


@pytest.mark.parametrize("mode", ["", "full"])
def test_a_script_ends_in_its_own_line_unless_the_environment_says_full(mode: str, tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PENSTOCK_TRACEBACK": mode, "PYTHONPATH": str(ROOT)}
    text = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True).stderr
    assert ("builder.py" in text) == bool(mode)
    assert 'model.py", line 5, in build' in text and "ShapeError: matmul" in text


def test_the_report_of_pytest_ends_in_the_users_line(tmp_path: Path) -> None:
    test = tmp_path / "test_model.py"
    test.write_text(SCRIPT.replace("\nbuild()", "\ndef test_build():\n    build()"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PENSTOCK_TRACEBACK": ""}
    text = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "test_model.py:5: ShapeError" in text
    assert "builder.py" not in text


def test_errors_of_runs_in_other_errors_are_shortened_too() -> None:
    def mistaken() -> None:
        try:
            MISTAKES["a run that fails"]()
        except OpError as error:
            raise ValueError("the user's") from error

    error = raised(mistaken)
    assert not [file for file in files(error) if file.startswith(PACKAGE)]
