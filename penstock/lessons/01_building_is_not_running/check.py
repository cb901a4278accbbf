"""The check of lesson 1: two tensors that follow the placeholder, and one run that fetches both."""

import re

import numpy as np

import penstock as tf
from penstock.lessons import values_in

MISCONCEPTIONS = {
    "a-call-computes": "a value has to be computed before the next line can use it. But building needs no values: a "
    "line only says what a run shall do.",
    "a-tensor-is-its-value": "a tensor holds its value once it is built. But it only stands for a value, and a run "
    "computes it.",
    "one-graph-for-one-week": "the graph is built for certain numbers. But it is built once, and each run feeds it "
    "with numbers of its own.",
    "a-run-gives-one-value": "each value needs a run of its own. But a run may fetch any number of tensors, and what "
    "they share is computed once.",
}
PYTHONS = {"max": "tf.reduce_max", "min": "tf.reduce_min", "sum": "tf.reduce_sum", "sorted": "tf.sort"}
VALUES = (np.ndarray, np.generic, float, int, list, tuple)


def stopped(work):
    """Named here: a function of Python that needs values, called with a tensor."""
    for name, op in PYTHONS.items():
        if "is symbolic" in work.stopped and re.search(rf"(?<![\w.]){name}\(", work.stopped.split("\n\n")[1]):
            work.wrong("a-call-computes", f"Python's `{name}` has to see values, and while the graph is built there "
                       f"are none. `{op}` builds an operation, and a run computes it")


def check_the_tensors_are_tensors(work):
    for name in ("fahrenheit", "warmest"):
        value = work.variable(name)
        if isinstance(value, VALUES):
            ran = [run for run in work.runs if run.line and run.line < _line_of(work, "result")]
            how = f"the run at line {ran[0].line} computed it" if ran else "Python or NumPy computed it"
            work.wrong("a-call-computes", f"`{name}` is a value ({type(value).__name__}): {how}, and the graph knows "
                       "nothing of it. Build it from `celsius` with Penstock's operations, without a run in between")
        work.tensor(name)


def check_they_follow_the_placeholder(work):
    celsius = work.tensor("celsius")
    other = np.round(work.random.uniform(-40, 40, 4), 1)
    wanted = np.float32(other) * np.float32(1.8) + 32
    for name, right in (("fahrenheit", wanted), ("warmest", wanted.max())):
        tensor = work.tensor(name)
        got = np.asarray(work.value(tensor, {celsius: other}))
        if got.shape == right.shape and np.allclose(got, right, atol=1e-3):
            continue
        if celsius.op not in work.above(tensor):
            work.wrong("one-graph-for-one-week", f"`{name}` does not depend on `celsius`: with other temperatures it "
                       "stays the same. Build it from the placeholder, not from numbers")
        told = f"`{name}` is {_short(got)} for celsius = {_short(other)}; it should be {_short(right)}"
        if name == "warmest" and got.shape == () and got == wanted.argmax():
            work.wrong("", f"{told}. That is the place of the largest value; tf.reduce_max gives the value")
        work.wrong("", told)


def check_there_is_one_run(work):
    result = work.variable("result")
    wanted = {"fahrenheit": work.tensor("fahrenheit"), "warmest": work.tensor("warmest")}
    if any(isinstance(each, tf.Tensor) for each in values_in(result)):
        work.wrong("a-tensor-is-its-value", "`result` holds tensors, not values. Ask for the values: session.run(...)")
    if not work.runs:
        work.wrong("a-call-computes", "the program makes no run, so Penstock has computed nothing: `result` comes from "
                   "elsewhere. Use session.run")
    whole = [run for run in work.runs if set(wanted.values()) <= set(run.fetched)]
    if work.run_count > 1:
        lines = sorted({run.line for run in work.runs if run.line})
        where = f", at line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))}" if lines else ""
        work.wrong("a-run-gives-one-value", f"the program makes {work.run_count} runs{where}; one is enough: fetch "
                   "`fahrenheit` and `warmest` together")
    if not whole:
        missing = [name for name, tensor in wanted.items() if tensor not in work.runs[0].fetched]
        work.wrong("", f"the run does not fetch `{'` and `'.join(missing)}`. Fetch both tensors that you built")


def check_the_result_is_that_of_the_week(work):
    week = np.float32(work.variable("WEEK"))
    run = work.runs[0]
    fed = np.float32(run.feeds.get("celsius:0", []))
    if fed.shape != week.shape or not np.array_equal(fed, week):
        work.wrong("", f"the run{run.at} is fed {_short(fed)}, not WEEK, so `result` does not come from it")
    wanted = week * np.float32(1.8) + 32
    got = [np.asarray(each) for each in values_in(work.variable("result"))]
    for right in (wanted, wanted.max()):
        if not any(each.shape == right.shape and np.allclose(each, right, atol=1e-3) for each in got):
            work.wrong("", f"`result` should hold {_short(right)} among its values. Feed `celsius` with WEEK, and keep "
                       "what the run returns")


def praise(work):
    run = work.runs[0]
    steps = len(run.plan.steps)
    return (f"The first half built {len(work.graph)} operations and computed nothing. One run then took "
            f"{steps} step{'' if steps == 1 else 's'} for both values.")


def _line_of(work, name):
    """The line that gives the result its value; very large if that is not known."""
    lines = work.source.splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.lstrip().startswith(name)]
    return found[0] if found else 10**9


def _short(value):
    return np.array2string(np.asarray(value), precision=4)
