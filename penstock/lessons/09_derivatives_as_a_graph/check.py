"""The check of lesson 9: three derivatives that are right in all their digits, for feeds of the check."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "derivatives-are-measured": "a derivative is found by trying: change a little, and divide. But that is a guess "
    "with few digits. The graph knows each operation's derivative, and builds it exactly.",
    "gradients-gives-one-tensor": "tf.gradients gives a tensor. But it gives a list, with one for each tensor of its "
    "second argument, also if that is only one.",
    "either-way-round": "the two arguments of tf.gradients can be swapped. But the first is what changes, the second "
    "what it depends on; against the arrows there is no path, and so no derivative.",
    "the-second-is-the-square": "the second derivative is the first one squared, or taken twice of the same thing. But "
    "it is the derivative of the first, which is a graph of its own.",
    "a-name-is-fixed": "what has a name of its own counts as fixed. But a derivative goes along every path; "
    "stop_gradient or stop_gradients closes one.",
    "fixed-is-all-or-nothing": "to hold a thing fixed is to close every path through what it is made of. But only the "
    "path over the target is to be closed; the height itself still moves.",
}


def stopped(work):
    """Named here: what a program that stopped with an error had done before."""
    if not work.nodes() and "py_func" in work.source:
        work.wrong("derivatives-are-measured", "a function of Python (tf.py_func) is closed to tf.gradients, and the "
                   "graph cannot see what it does. Build the derivative with tf.gradients")
    for name in ("slope", "bend", "pull"):
        value = work.variables.get(name, ...)
        if value is None or (isinstance(value, list) and len(value) == 1 and value[0] is None):
            _nothing_left(work, name)
            work.wrong("either-way-round", f"`{name}` is {value}, and then the program stopped: no path leads from the "
                       "second argument of tf.gradients to the first. The first is what changes, the second what it "
                       "depends on")


def check_slope(work):
    _is_tensor(work, "slope")
    _compare(work, "slope", _slope)


def check_bend(work):
    _is_tensor(work, "bend")
    for other, told in ((lambda x: _slope(x) ** 2, "the square of the slope"), (_slope, "the slope once more")):
        if _is(work, "bend", other):
            work.wrong("the-second-is-the-square", f"`bend` is {told}. Ask for the derivative of `slope`")
    _compare(work, "bend", lambda x: 2 * np.cos(x) - x * np.sin(x))


def check_pull(work):
    _is_tensor(work, "pull")
    if _is(work, "pull", lambda x: 0.5 * x * np.sin(x) * _slope(x)):
        if work.nodes("StopGradient"):
            work.wrong("a-name-is-fixed", "`pull` is the derivative of `gap` along both paths: your stop_gradient is "
                       "on neither of them, for `gap` was built of `target` before. Build the square anew, from the "
                       "stopped target, or give tf.gradients stop_gradients=")
        work.wrong("a-name-is-fixed", "`pull` is the derivative of `gap` along both paths: over `height` itself, and "
                   "over `target`. Close the second one")
    if _is(work, "pull", lambda x: 0 * x):
        work.wrong("fixed-is-all-or-nothing", "`pull` is 0 everywhere: no path from `x` is left open")
    for other, told in (
        (lambda x: x * np.sin(x), "the derivative in `height`. Ask for the one in `x`"),
        (lambda x: 0.5 * x * np.sin(x), "the derivative in `height`. Ask for the one in `x`"),
        (lambda x: -0.5 * x * np.sin(x) * _slope(x), "what comes over `target`, with `height` held fixed. It is the "
         "other one that is to be fixed"),
        (lambda x: -x * np.sin(x) * _slope(x), "the derivative with the other sign"),
    ):  # fmt: skip
        if _is(work, "pull", other):
            work.wrong("", f"`pull` is {told}")
    _compare(work, "pull", lambda x: x * np.sin(x) * _slope(x))


def praise(work):
    count = len(work.nodes())
    return (f"{count} operations, of which you wrote down few: the derivatives are nodes, so they run with every feed, "
            "and a derivative has a derivative.")


def _places(work):
    """Lists of places, the same ones during one check."""
    random = np.random.default_rng(work.seed)
    return [np.round(random.uniform(-4, 4, size), 1).tolist() for size in (4, 1, 2)]


def _slope(x):
    return np.sin(x) + x * np.cos(x)


def _is_tensor(work, name):
    value = work.variable(name)
    if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], tf.Tensor):
        work.wrong("gradients-gives-one-tensor", f"`{name}` is a list that holds a tensor. Take the tensor out: [0]")
    if value is None or (isinstance(value, (list, tuple)) and None in value):
        _nothing_left(work, name)
        work.wrong("either-way-round", f"`{name}` is {value}: no path leads from the second argument to the first. The "
                   "first argument is what changes, the second what it depends on")
    work.tensor(name, "derivatives-are-measured", f"`{name}` is a value ({type(value).__name__}), worked out for "
                "certain places. Build a tensor, which a run computes for any places")


def _nothing_left(work, name):
    """Every path was closed, not one that leads the other way."""
    if name == "pull" and "stop_gradient" in work.source:
        work.wrong("fixed-is-all-or-nothing", "`pull` is None: what counts as fixed is on every path from `x` to "
                   "`gap`. Only `target` is to be fixed")


def _value(work, name, places):
    return np.asarray(work.value(work.tensor(name), {work.tensor("x"): places}))


def _is(work, name, function):
    """Whether the tensor has the values of a function, for all places."""
    found = [(_value(work, name, places), function(np.float64(places))) for places in _places(work)]
    return all(got.shape == wanted.shape and np.allclose(got, wanted, atol=2e-5) for got, wanted in found)


def _compare(work, name, function):
    """Say what is wrong with the values of a derivative."""
    if _is(work, name, function):
        return
    places = _places(work)[0]
    got, right = _value(work, name, places), function(np.float64(places))
    told = f"for x = {places}, `{name}` is {_short(got)}; it should be {_short(right)}"
    if got.shape == right.shape and np.allclose(got, right, atol=0.2, rtol=0.1):
        work.wrong("derivatives-are-measured", f"{told}. That is near, but not the derivative: use tf.gradients")
    if work.tensor("x").op not in work.above(work.tensor(name)):
        work.wrong("derivatives-are-measured", f"{told}. It does not depend on `x`")
    work.wrong("", told)


def _short(value):
    return np.array2string(np.asarray(value), precision=5)
