"""Folders of runs: what is in them, that they do the same again, and that nothing half written is left."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.repro import at_failure, load_repro, repro_folder
from penstock.repro.at_failure import FolderOfFailures
from penstock.repro.repro_run import Repro, without_numbers
from penstock.runtime.backends import register_backend
from penstock.runtime.base.user_results import KEEPING
from penstock.runtime.session.run_hooks import FAILURE_HOOKS

from ..helpers import op_of, own_backends
from ..standin import StandIn

F32 = np.float32
FILES = ["graph.json", "repro.py", "run.json"]


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Session(graph=tf.Graph()) as session:
        yield session


def failing(session: tf.Session, fetches: Any, feeds: Any = None, **options: Any) -> tf.errors.OpError:
    with pytest.raises(tf.errors.OpError) as caught:
        session.run(fetches, feeds, **options)
    return caught.value


def checked(repro: Repro) -> str:
    """The output of a check that finds what is expected."""
    out = io.StringIO()
    assert repro.check(out) == 0, out.getvalue()
    return out.getvalue()


def loop(i: Any, v: Any) -> Any:
    return tf.while_loop(lambda k, t: k < i, lambda k, t: (k + 1, t + tf.gather(v, k)), [0, 0.0])[1]


def branch(i: Any, v: Any) -> Any:
    return tf.cond(i > 2, lambda: tf.gather(v, i), lambda: 0.0)


def gradient(i: Any, v: Any) -> Any:
    return tf.gradients(tf.reduce_sum(tf.gather(v, [i]) * 2.0), [v])[0]


def beside_a_name(i: Any, v: Any) -> Any:
    with tf.name_scope("a.b-c/d"):
        return tf.gather(v, i, name="x_")


@pytest.mark.parametrize("made", [loop, branch, gradient, beside_a_name], ids=lambda made: made.__name__)
def test_a_folder_fails_with_the_same_error(session: tf.Session, made: Callable[..., Any], tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    i = tf.placeholder(tf.int32, [], name="i")
    y = made(i, v) + tf.reduce_sum(tf.random_normal([3]))
    session.run(v.initializer)
    session.run(v.assign([3.0, 4.0]))
    error = failing(session, y, {i: 5})
    session.run(v.assign([5.0, 6.0]))
    repro = load_repro(session.repro(tmp_path / "failed"))
    assert repro.expected is not None and repro.expected.message == error.message
    assert repro.saved.variables["v"].tolist() == [3, 4]
    assert "fails as expected" in checked(repro)
    assert sorted(each.name for each in (tmp_path / "failed").iterdir()) == FILES


def test_the_program_in_the_folder_runs_alone(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    y = tf.gather(x + tf.constant(np.zeros(400, F32)), 900)
    failing(session, y, {x: np.zeros(400, F32)})
    folder = session.repro(tmp_path / "a b'\"")
    assert sorted(each.name for each in folder.iterdir()) == sorted([*FILES, "graph.npz", "run.npz"])
    root = str(Path(tf.__file__).parents[1])
    run = subprocess.run([sys.executable, folder / "repro.py"], capture_output=True, text=True, timeout=120,
                         cwd=tmp_path, env={**os.environ, "PYTHONPATH": root})  # fmt: skip
    assert run.returncode == 0 and not run.stderr
    assert 'expected: InvalidArgumentError in "Gather" (Gather): indices = 900 is not in [0, 400)' in run.stdout


def test_a_repro_that_does_not_fail_says_so(session: tf.Session, tmp_path: Path) -> None:
    i = tf.placeholder(tf.int32, [], name="i")
    failing(session, tf.gather([1, 2], i), {i: 5})
    folder = session.repro(tmp_path / "failed")
    run = folder / "run.json"
    run.write_text(run.read_text().replace('"values": [5]', '"values": [1]').replace('"cores": "', '"cores": "9'))
    out = io.StringIO()
    assert load_repro(folder).check(out) == 1
    assert "The run does not fail here. Other than where it was made:\n  cores 9" in out.getvalue()


def test_only_what_the_fetches_need_is_written(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.add(x, 1.0, name="y")
    tf.py_func(lambda a: a, [y], [tf.float32], name="other")
    assert [op.name for op in load_repro(session.repro(tmp_path / "part", y, {x: [1, 2]})).graph.get_operations()] == [
        "x", "y/y", "y"]  # fmt: skip
    whole = load_repro(session.repro(tmp_path / "whole", y, {x: [1, 2]}, whole=True))
    assert len(whole.graph.get_operations()) == 4 and checked(whole)


def test_fed_tensors_in_the_middle_become_placeholders(session: tf.Session, tmp_path: Path) -> None:
    one = tf.py_func(lambda: F32(1), [], tf.float32)
    one.set_shape([])
    a, b = tf.split(0, 2, tf.add(one, [1.0, 2.0]), name="parts")
    y = tf.gather(a, 7, name="y")
    failing(session, [y], {a: [3.0]})
    repro = load_repro(session.repro(tmp_path / "failed"))
    assert [op.name for op in repro.graph.get_operations()] == ["parts_0", "y/indices", "y"]
    assert list(repro.feeds) == ["parts_0:0"] and checked(repro)
    failing(session, [y, b], {a: [3.0]})
    assert "cannot travel" in load_repro(session.repro(tmp_path / "failed")).saved.notes[0]


DTYPES = ["float16", "bfloat16", "float64", "complex128", "bool", "int8", "uint64", "string"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [2, 3000])
def test_feeds_of_every_kind_travel(session: tf.Session, dtype: str, size: int, tmp_path: Path) -> None:
    kind = tf.as_dtype(dtype)
    x = tf.placeholder(kind, [None], name="x")
    texts = np.array([b"a\xff", b"", b"c"] * size, object)
    value = texts[:size] if dtype == "string" else np.arange(size).astype(kind.np)
    failing(session, tf.gather(x, size), {x: value})
    repro = load_repro(session.repro(tmp_path / "failed"))
    assert repro.feeds["x:0"].dtype == kind.np and repro.feeds["x:0"].tolist() == value.tolist() and checked(repro)


def test_special_floats_travel(session: tf.Session, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    value = np.array([np.nan, np.inf, -0.0], F32)
    repro = load_repro(session.repro(tmp_path / "run", x + 0.0, {x: value}))
    assert repro.feeds["x:0"].tobytes() == value.tobytes()


def test_choices_and_options_travel(tmp_path: Path) -> None:
    watch = tf.Watch(inf=False, exclude="a*")
    config = tf.SessionConfig(threads=1, passes=(), arena=False, watch=watch, progress=print)
    with tf.Session(graph=tf.Graph(), config=config) as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        failing(session, tf.log(x), {x: [1, -1]}, options=tf.RunOptions(timeout_in_ms=9000, watch=True))
        repro = load_repro(session.repro(tmp_path / "failed"))
    assert repro.config == tf.SessionConfig(threads=1, passes=(), arena=False, watch=watch)
    assert repro.options == tf.RunOptions(timeout_in_ms=9000, watch=True)
    assert repro.saved.notes == ("the progress function cannot travel; the run in the folder has none",)
    assert repro.expected is not None and repro.expected.kind == "NonFiniteError" and checked(repro)


def test_a_python_function_that_failed_fails_the_same_way(session: tf.Session, tmp_path: Path) -> None:
    def refuse(x: Any) -> Any:
        raise ValueError("no 3 here")

    failing(session, tf.py_func(refuse, [3.0], tf.float32, name="f"))
    repro = load_repro(session.repro(tmp_path / "failed"))
    assert repro.expected is not None and repro.expected.message == "ValueError: no 3 here" and checked(repro)
    again = load_repro(repro.session().repro(tmp_path / "again", "f:0"))
    assert again.check(io.StringIO()) == 1


def test_a_run_on_a_device_travels_with_its_values_on_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_backends(monkeypatch)
    register_backend(StandIn())
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.device("standin"):
            y = tf.check_numerics(tf.log(x + 1.0), "log", name="y")
    with tf.Session(graph=graph) as session:
        on_device = session.run(x * 1.0, {x: [0.0, -1.5, 0.0]}, as_device=True)
        failing(session, y, {x: on_device}, as_device=True)
        repro = load_repro(session.repro(tmp_path / "failed"))
    assert repro.saved.as_device and repro.feeds["x:0"].tolist() == [0, -1.5, 0] and checked(repro)


def test_the_run_of_a_random_op_draws_the_same_numbers(session: tf.Session, tmp_path: Path) -> None:
    r = tf.random_uniform([100], 0, 50, dtype=tf.int32)
    y = tf.gather(tf.range(40), r)
    session.run(r)
    error = failing(session, y)
    repro = load_repro(session.repro(tmp_path / "failed"))
    assert error.message in checked(repro)
    session.run(r)
    assert load_repro(session.repro(tmp_path / "call", r)).saved.random == session.random_state()


def test_a_run_without_a_failure_asks_for_fetches(session: tf.Session, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no run of this session has failed"):
        session.repro(tmp_path / "x")
    with pytest.raises(ValueError, match="cannot be run"):
        session.repro(tmp_path / "x", "nothing")
    with pytest.raises(TypeError, match="a folder is a path"):
        session.repro(3, "nothing")  # type: ignore[arg-type]  # that is the mistake
    with pytest.raises(TypeError, match="belongs to fetches"):
        session.repro(tmp_path / "x", feed_dict={})
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.repro(tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_where_a_run_was_when_its_time_was_over_is_no_matter(tmp_path: Path) -> None:
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(timeout_in_ms=20)) as session:
        failing(session, tf.while_loop(lambda k: k < 1_000_000_000, lambda k: k + 1, [0]))
        checked(load_repro(session.repro(tmp_path / "failed")))


def test_a_folder_with_other_files_is_left_alone(session: tf.Session, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="holds other files"):
        session.repro(tmp_path, tf.constant(1))
    with pytest.raises(FileExistsError):
        session.repro(tmp_path / "mine.txt", tf.constant(1))
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]
    session.repro(tmp_path / "new", tf.constant(1))
    session.repro(tmp_path / "new", tf.constant(2, name="two"))
    assert load_repro(tmp_path / "new").fetches == ["two:0"] and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("problem", [OSError(28, "No space left"), KeyboardInterrupt()], ids=["disk", "Ctrl-C"])
def test_nothing_half_written_is_left(
    session: tf.Session, problem: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.repro(tmp_path / "old", tf.constant(1, name="one"))
    plain = Path.write_bytes

    def write(path: Path, content: bytes) -> int:
        if path.name == "run.json":
            plain(path, content[:10])
            raise problem
        return plain(path, content)

    monkeypatch.setattr(Path, "write_bytes", write)
    for name in ("old", "new"):
        with pytest.raises(type(problem)):
            session.repro(tmp_path / name, tf.constant(2))
    monkeypatch.undo()
    assert [each.name for each in tmp_path.iterdir()] == ["old"]
    assert load_repro(tmp_path / "old").fetches == ["one:0"]


DAMAGE: list[tuple[str, Callable[[str], str]]] = [
    ("run.json", lambda text: text[:40]), ("run.json", lambda text: "[]"), ("run.json", lambda text: "[" * 100_000),
    ("run.json", lambda text: text.replace("penstock-repro", "other")),
    ("run.json", lambda text: text.replace('"version": 1', '"version": 2')),
    ("run.json", lambda text: text.replace('"fetches": [', '"fetches": [3, ')),
    ("run.json", lambda text: text.replace('"random": null', '"random": {"a": [1, 2]}')),
    ("run.json", lambda text: text.replace('"config": {}', '"config": {"progress": "os.system"}')),
    ("run.json", lambda text: text.replace('"config": {}', '"config": {"threads": "many"}')),
    ("run.json", lambda text: text.replace('"float32"', '"object"')),
    ("graph.json", lambda text: text.replace('"Add"', '"Nothing"')), ("graph.json", lambda text: text[:-20]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "damage"), DAMAGE, ids=map(str, range(len(DAMAGE))))
def test_a_damaged_folder_is_refused_in_words(
    session: tf.Session, name: str, damage: Callable[[str], str], tmp_path: Path
) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    folder = session.repro(tmp_path / "run", x + 1.0, {x: 1})
    text = (folder / name).read_text()
    assert damage(text) != text
    (folder / name).write_text(damage(text))
    with pytest.raises(ValueError, match="load_repro"):
        load_repro(folder)


# ---- PENSTOCK_REPRO -----------------------------------------------------------------------------


@pytest.fixture
def failures(tmp_path: Path) -> Iterator[Path]:
    folder = FolderOfFailures(str(tmp_path / "failed"))
    FAILURE_HOOKS.append(folder.write)
    KEEPING.is_on = True
    yield tmp_path / "failed"
    FAILURE_HOOKS.remove(folder.write)
    KEEPING.is_on = False


def test_each_failing_run_of_the_process_is_written_and_told(
    session: tf.Session, failures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_failure, "MOST", 3)
    v = tf.Variable([1.0, 2.0], name="v")
    i = tf.placeholder(tf.int32, [], name="i")
    session.run(v.initializer)
    more = tf.assign_add(v, [1.0, 1.0])
    with tf.control_dependencies([more]):
        y = tf.gather(tf.range(1), i)
    errors = []
    for _ in range(3):
        errors.append(failing(session, y, {i: 7}))
        session.run(more)
    call = session.make_callable(y, [i])
    with pytest.raises(tf.errors.OpError) as last:
        call(8)
    names = ["001-InvalidArgumentError", "002-InvalidArgumentError", "003-InvalidArgumentError"]
    assert sorted(each.name for each in failures.iterdir()) == names
    assert "PENSTOCK_REPRO: the run was written to" in errors[0].__notes__[-1]
    assert not any("PENSTOCK_REPRO" in note for note in getattr(last.value, "__notes__", ()))
    # Variables are those at the start of each run.
    assert [load_repro(failures / name).saved.variables["v"].tolist() for name in names] == [[1, 2], [2, 3], [3, 4]]
    assert checked(load_repro(failures / names[2]))


def test_results_of_python_functions_are_fed(session: tf.Session, failures: Path) -> None:
    i = tf.placeholder(tf.int32, [], name="i")
    calls = count()
    a, b = tf.py_func(lambda x: (x + np.int32(next(calls)), b"text"), [i], [tf.int32, tf.string], name="f")
    y = tf.gather(tf.range(5), a + 1)
    for _ in range(2):
        failing(session, [y, b], {i: 7})
    assert [load_repro(each).feeds["f_0:0"].item() for each in sorted(failures.iterdir())] == [7, 8]
    for each in sorted(failures.iterdir()):
        assert checked(load_repro(each)) and len(list(failures.iterdir())) == 2  # what is repeated is not written again
    assert len(load_repro(each).saved.notes) == 2


def test_a_folder_that_cannot_be_written_changes_no_error(session: tf.Session, failures: Path) -> None:
    failures.write_text("a file")
    i = tf.placeholder(tf.int32, [], name="i")
    error = failing(session, tf.gather([1], i), {i: 7})
    assert error.message == "indices = 7 is not in [0, 1)" and "could not be written" in error.__notes__[-1]


def test_an_op_that_the_program_declares_is_told(session: tf.Session, failures: Path) -> None:
    def refuse(x: Any) -> Any:
        raise ZeroDivisionError("here")

    with op_of(refuse, stateful=True) as refused:
        error = failing(session, refused(tf.constant([1.0])))
        (folder,) = failures.iterdir()
        (note,) = load_repro(folder).saved.notes
    assert "here" in error.message and "PENSTOCK_REPRO" in error.__notes__[-1]
    assert "import that before the folder is opened" in note
    with pytest.raises(ValueError, match="import the module that declares it first"):
        load_repro(folder)


def test_two_threads_that_fail_at_once_write_two_folders(session: tf.Session, failures: Path) -> None:
    i = tf.placeholder(tf.int32, [], name="i")
    y = tf.gather([1], i)
    barrier = threading.Barrier(2)

    def work(index: int) -> None:
        barrier.wait(60)
        for _ in range(3):
            failing(session, y, {i: index})

    threads = [threading.Thread(target=work, args=(index,)) for index in (7, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = [load_repro(each).feeds["i:0"].item() for each in sorted(failures.iterdir())]
    assert sorted(found) == [7, 7, 7, 8, 8, 8]


def test_the_environment_asks_for_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks: list[Any] = []
    monkeypatch.setattr(at_failure, "FAILURE_HOOKS", hooks)
    monkeypatch.setattr(KEEPING, "is_on", False)
    monkeypatch.delenv(at_failure.VARIABLE, raising=False)
    at_failure.write_failures()
    assert hooks == []
    monkeypatch.setenv(at_failure.VARIABLE, str(tmp_path))
    at_failure.write_failures()
    assert len(hooks) == 1


def test_numbers_in_messages_are_made_equal() -> None:
    assert without_numbers("indices[3] = -12 is not in [0, 1e+05)") == "indices[#] = # is not in [#)"
    assert without_numbers("shapes [2, 3] vs. [4]") == without_numbers("shapes [7,8,9] vs. [1]")


def test_the_files_are_those_that_a_folder_may_hold(session: tf.Session, tmp_path: Path) -> None:
    folder = session.repro(tmp_path / "run", tf.constant(1))
    assert {each.name for each in folder.iterdir()} <= repro_folder.FILES
