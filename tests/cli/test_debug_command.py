"""`penstock debug`: the program runs as Python would run it, stops at its runs, and gets their results."""

from __future__ import annotations

import os
import sys

import pytest

from penstock import cli
from penstock.runtime.session.run_hooks import RUN_HOOKS, STAND_INS

from .debugged_programs import LOGS, DebugRunner

SESSION = """\
run 1, program.py:9  print("loss", session.run(loss, {x: [2.0, -4.0]}))
  fed: x:0 [2]
before step 1 of 3: model/scaled (Mul)  program.py:5  scaled = tf.multiply(x, 0.5, name="scaled")
(debug) next
before step 2 of 3: model/logs (Log)  program.py:6  logs = tf.log(scaled, name="logs")
(debug) n
before step 3 of 3: model/loss (Mean)  program.py:7  loss = tf.reduce_mean(logs, name="loss")
(debug) p logs
model/logs:0  float32 (2,)  1 NaN
[ 0. nan]
(debug) back
before step 2 of 3: model/logs (Log)  program.py:6  logs = tf.log(scaled, name="logs")
(debug) set scaled[1] 1
model/scaled:0[1]  float32 ()  1.0  was -2.0
(debug) finish
loss 0.0
run 2, program.py:10  print("scaled", session.run(scaled, {x: [2.0, 4.0]}))
  fed: x:0 [2]
before step 1 of 1: model/scaled (Mul)  program.py:5  scaled = tf.multiply(x, 0.5, name="scaled")
(debug) quit
scaled [1. 2.]
"""


def test_a_session_steps_back_sets_a_value_and_the_program_goes_on_with_the_result(debug: DebugRunner) -> None:
    found = debug(LOGS, "next; n; p logs; back; set scaled[1] 1; finish; quit")
    assert found.out == SESSION
    assert (found.code, found.err) == (0, "")
    assert not STAND_INS and not RUN_HOOKS


def test_commands_come_from_a_pipe_and_its_end_lets_the_program_go_on(debug: DebugRunner) -> None:
    found = debug.piped(LOGS, "# from a file\n\nn ; p scaled  # twice\np scaled[1]\n")
    assert found.code == 0
    assert "model/scaled:0[1]  float32 ()  -2.0\n(debug) quit\nloss nan\nscaled [1. 2.]\n" in found.out


AS_MAIN = """\
import os, sys
print(__name__, __file__, sys.argv, sys.path[0], sys.modules["__main__"].__dict__ is globals(), os.getcwd())
"""


def test_the_program_is_main_with_its_own_arguments_and_path(debug: DebugRunner) -> None:
    path, argv = list(sys.path), list(sys.argv)
    found = debug(AS_MAIN, None, after=("--run", "3", "-m"))
    file = str(debug.folder / "program.py")
    assert found.out == f"__main__ {file} {[file, '--run', '3', '-m']} {debug.folder} True {os.getcwd()}\n"
    assert "the program has made no run" in found.err
    assert "--run comes after the program and is given to it; to use it here, write it before" in found.err
    assert (found.code, sys.path, sys.argv) == (0, path, argv)


def test_a_module_runs_as_with_python_m(debug: DebugRunner) -> None:
    package = debug.folder / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "start.py").write_text("import sys\nprint(__name__, __package__, sys.argv[1:])\n")
    assert cli.main(["debug", "-m", "mine.start", "a", "-b"]) == 0
    assert debug.capture.readouterr().out == "__main__ mine ['a', '-b']\n"


def test_an_error_of_the_program_is_told_as_python_tells_it(debug: DebugRunner) -> None:
    found = debug(LOGS.replace("with tf.Session", "raise KeyError('mine')\nwith tf.Session"), None)
    assert found.code == 1
    lines = found.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert "program.py\", line 8, in <module>" in lines[1] and "KeyError: 'mine'" in lines
    assert "penstock debug: program.py ended with a KeyError at line 8" in lines
    assert "runpy" not in found.err and "debug_terminal" not in found.err


def test_an_error_in_the_text_of_the_program_is_told(debug: DebugRunner) -> None:
    found = debug("x = (", None)
    assert found.code == 1 and "SyntaxError" in found.err and "program.py" in found.err


@pytest.mark.parametrize(
    ("exit_with", "code", "told"), [("3", 3, "sys.exit(3)"), ("None", 0, ""), ("'no data'", 1, "")]
)
def test_sys_exit_gives_the_exit_code(exit_with: str, code: int, told: str, debug: DebugRunner) -> None:
    found = debug(f"import sys\nsys.exit({exit_with})", None)
    assert found.code == code and told in found.err
    assert ("no data" in found.err) == (exit_with == "'no data'")


def test_a_program_that_is_not_there_is_one_line_and_exit_code_2(debug: DebugRunner) -> None:
    assert cli.main(["debug", "nothing.py"]) == 2
    assert debug.capture.readouterr().err.endswith("nothing.py: No such file or directory\n")


def test_run_and_fetch_choose_the_runs_that_stop(debug: DebugRunner) -> None:
    found = debug(LOGS, "q", "--run", "2")
    assert found.code == 0 and found.out.startswith("loss nan\nrun 2, ")
    found = debug(LOGS, "q", "--fetch", "model/sc*")
    assert found.code == 0 and found.out.startswith("loss nan\nrun 2, ")
    found = debug(LOGS, "q", "--fetch", "model/lss")
    assert found.code == 1 and "none of 2 runs has fetched it" in found.err and "did you mean 'model/loss'" in found.err
    found = debug(LOGS, "q", "--run", "7")
    assert found.code == 1 and "--run 7: the program has made 2 runs" in found.err


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("bak", "bak is no command; did you mean back?"),
        ("print_tensor loss", "here it is `print`"),
        ("p", "print what?"),
        ("p lgs", "no tensor is called lgs; did you mean model/logs?"),
        ("p logs", "it is not computed yet; its step comes later. `until model/logs` goes there"),
        ("p logs.mean()", "logs is model/logs:0: it is not computed yet"),
        ("p x[5]", "index 5 is out of bounds"),
        ("p x[a]", "[a] is no index"),
        ("p unused", "`why unused` tells why"),
        ("set x", "set what?"),
        ("set x one", "one is no value"),
        ("set x[9] 1", "x:0 is float32 (2,)"),
        ("set x [[1.0]]", "shape"),
        ("unset x", "it is not set"),
        ("until", "until what?"),
        ("until x", "x is given to the run; no step makes it"),
        ("until no*", "no step of this run has a name like no*"),
        ("until nothing", "no tensor is called nothing"),
        ("back to", "back to what?"),
        ("back logs", "`back to logs`"),
        ("back to logs", "no step before this one matches"),
        ("step 0", "0 is no number of steps"),
        ("goto", "goto which time?"),
        ("graph nothing", "no tensor is called nothing"),
        ("values nothing", "no value that has been computed"),
        ("help nothing", "nothing is no command"),
    ],
)
def test_a_command_that_fails_ends_the_program_with_exit_code_1(command: str, says: str, debug: DebugRunner) -> None:
    program = LOGS.replace("with tf.Session", "unused = tf.exp(x, name='unused')\nwith tf.Session")
    found = debug(program, f"{command}; n")
    assert found.code == 1
    assert found.err.startswith(f"penstock debug: {command}: ") and says in found.err
    assert "loss" not in found.out.split(f"(debug) {command}")[1]
    assert "Debugger." not in found.err and "dbg." not in found.err


FAILS = """\
import penstock as tf
n = tf.placeholder(tf.int32, [], name="n")
twelfth = tf.floordiv(12, n, name="twelfth")
out = tf.negative(twelfth, name="out")
with tf.Session() as session:
    for given in (0, 0, 3):
        try:
            print(session.run(out, {n: given}))
        except tf.errors.InvalidArgumentError as error:
            print("told:", type(error).__name__)
"""


def test_a_step_that_fails_stops_the_run_and_finish_gives_the_error_to_the_program(debug: DebugRunner) -> None:
    found = debug(FAILS, "finish; finish; c; set n 4; c; c")
    assert found.code == 0
    assert found.out.count("the step failed: InvalidArgumentError") == 2
    assert "told: InvalidArgumentError\nrun 2" in found.out
    assert "(debug) c\n-3\n-4\n" in found.out  # the third run has no failure and does not stop


def test_a_run_that_is_refused_is_told_as_without_the_debugger(debug: DebugRunner) -> None:
    found = debug("import penstock as tf\ntf.Session().run('nothing')\n", None)
    assert found.code == 1
    assert "the fetch 'nothing' cannot be run" in found.err and "debug_terminal" not in found.err
    found = debug(FAILS.replace("except tf.errors.InvalidArgumentError", "except NameError"), "c; c")
    assert found.code == 1 and "debug_terminal" not in found.err and "twelfth" in found.err


CALLS = """\
import threading
import penstock as tf
inner = tf.constant(2.0, name="inner") * 3.0
with tf.Session() as session:
    def called(value):
        other = []
        thread = threading.Thread(target=lambda: other.append(session.run(inner)))
        thread.start()
        thread.join()
        return value + session.run(inner) + other[0]
    print(session.run(tf.py_func(called, [tf.constant(1.0)], tf.float32, name="call")))
"""


def test_runs_that_a_step_calls_are_not_stopped(debug: DebugRunner) -> None:
    found = debug(CALLS, "n; p call; q")
    assert found.code == 0 and found.out.count("before step") == 1
    assert "call:0  float32 ()  13.0" in found.out and found.out.endswith("\n13.0\n")


def test_callables_and_eval_stop_too(debug: DebugRunner) -> None:
    program = """\
import penstock as tf
x = tf.placeholder(tf.float32, [], name="x")
y = tf.square(x, name="y")
with tf.Session() as session:
    call = session.make_callable(y, [x])
    print(call(3.0))
    print(y.eval({x: 4.0}))
"""
    found = debug(program, "n; set y 5; finish; q")
    assert found.code == 0 and "run 1, program.py:6" in found.out and "run 2, program.py:7" in found.out
    assert "5.0\nrun 2" in found.out and found.out.endswith("16.0\n")


def test_exit_ends_the_program_with_a_code(debug: DebugRunner) -> None:
    found = debug(LOGS + "print('after')\n", "n; exit 4")
    assert found.code == 4 and "after" not in found.out


def test_warnings_of_the_program_name_its_lines(debug: DebugRunner) -> None:
    with pytest.warns(UserWarning, match="old data"):
        debug("import warnings\nwarnings.warn('old data')\n", None)


def test_help_lists_the_commands_and_tells_more_of_one(debug: DebugRunner) -> None:
    found = debug(LOGS, "help; help back; ?; q")
    assert found.code == 0
    assert "step, s [n]" in found.out and "Values are those of the first time." in found.out


def test_the_state_of_a_session_is_that_after_a_run(debug: DebugRunner) -> None:
    program = """\
import penstock as tf
v = tf.Variable(1.0, name="v")
more = v.assign_add(2.0)
with tf.Session() as session:
    session.run(v.initializer)
    session.run(more)
    print(session.run(v))
"""
    assert debug(program, "finish; n; b; finish; p v; q").out.endswith("v:0  float32 ()  3.0\n(debug) q\n3.0\n")


FUSED = """\
import penstock as tf
x = tf.placeholder(tf.float32, [2], name="x")
root = tf.sqrt(tf.subtract(x, 1.0, name="less"), name="root")
y = tf.multiply(root, 2.0, name="y")
with tf.Session() as session:
    print("y", session.run(y, {x: [2.0, 0.5]}))
"""


def test_a_run_is_stepped_through_as_it_is_optimised(debug: DebugRunner) -> None:
    found = debug(FUSED, "break nan; continue; why; back; set less[1] 4; finish", "--fused")
    assert (found.code, found.err) == (0, "")
    assert "in group y: y (Mul)" in found.out and "breakpoint 1: root:0" in found.out
    assert "it begins here: 1 NaN of 2" in found.out and found.out.endswith("y [2. 4.]\n")
