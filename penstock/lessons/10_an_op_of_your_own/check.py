"""The check of lesson 10: the shape, the values and the derivative of the student's op, as observed where it ran."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "the-result-is-as-large-as-x": "a result has the shape of the operand. But that is so only for ops that work "
    "element by element; the rule has to say what this one does.",
    "the-kernel-tells-the-shape": "the run finds the shape, so the rule may leave it open. But then every later "
    "call knows less: sizes can be counted with, also if they are names.",
    "one-size-for-one-input": "the shape is that of the data at hand. But an op is declared once, for operands of any "
    "size: count from x.shape.",
    "the-kernel-builds": "a kernel is made of Penstock's ops. But it runs in the middle of a run: it gets arrays and "
    "returns an array, with the functions of xp.",
    "any-dtype-will-do": "the kernel may return whatever numbers are right. But the result has the dtype that was "
    "declared: here that of x, also for float64.",
    "the-gradient-computes": "a gradient gets arrays. But it is called while the graph is built: g is a tensor, and "
    "the rule builds nodes with ops.",
    "the-gradient-is-as-large-as-g": "the gradient has the shape of the result. But it is the derivative by x, so it "
    "has the shape of x.",
    "one-place-is-enough": "an element has one place in the result. But it has two, and what comes back from both has "
    "to be added, each from its own place.",
}
ABOUT_THE_GRAPH = False  # the op is code of the program, so `observe` calls it where the program ran
SIZES = (3, 1, 0, 4)
CURE = "\nto do: "


def stopped(work):
    """Named here: a shape rule that asks for values."""
    if "len(x)" in work.stopped and "is symbolic" in work.stopped:
        work.wrong("the-kernel-tells-the-shape", "the shape rule is called while the graph is built, so its `x` is a "
                   "tensor without values. Its size is `x.shape[0]`, and you can count with that")


def observe(variables, random):
    """What the op does, as data: its shapes, its results and its gradients for numbers that the check draws."""
    mirror = variables.get("mirror")
    if not hasattr(mirror, "kernel"):
        return None
    shapes = [_attempt(lambda size=size: _shape(mirror, size)) for size in ("m", 7)]
    lists = _lists(random)
    results = [_attempt(lambda x=x, dtype=dtype: _result(mirror, dtype, x)) for dtype in DTYPES for x in lists]
    gradients = [_attempt(lambda x=x: _gradient(mirror, x)) for x in lists]
    return {"shapes": shapes, "results": results, "gradients": gradients, "twice": _attempt(lambda: _twice(mirror))}


DTYPES = ("float32", "float64")


def check_the_shape(work):
    observed = _observed(work)
    for (size, right), (shape, error) in zip((("m", "(2*m,)"), (7, "(14,)")), observed["shapes"], strict=True):
        if error:
            work.wrong("", f"a call with a vector of {size} elements fails: {_first(error)}")
        if shape == right:
            continue
        told = f"of a vector of {size} elements, the shape rule makes {shape}; it should be {right}"
        if "Tensor" in shape:
            work.wrong("the-kernel-tells-the-shape", f"of a vector of {size} elements, the shape rule makes a shape "
                       "with a tensor in it, which only a run could compute. The size of `x` is `x.shape[0]`")
        if "?" in shape or "unknown" in shape:
            work.wrong("the-kernel-tells-the-shape", f"{told}. Count with the size of `x`")
        if shape == f"({size},)":
            work.wrong("the-result-is-as-large-as-x", told)
        if isinstance(size, str) and "m" not in shape:
            work.wrong("one-size-for-one-input", told)
        work.wrong("", told)


def check_the_kernel(work):
    results = iter(_observed(work)["results"])
    for dtype in DTYPES:
        for values in _lists(np.random.default_rng(work.seed)):
            got, error = next(results)
            fed = np.asarray(values, dtype)
            right = np.concatenate([fed, fed[::-1]])
            if error:
                _name_the_failure(work, error, f"a run with x = {values} ({dtype}) fails: {_first(error)}")
            if got.shape != right.shape or not np.array_equal(got, right):
                work.wrong("", f"for x = {values} the kernel gives {_short(got)}; it should be {_short(right)}")


def check_the_gradient(work):
    lists = _lists(np.random.default_rng(work.seed))
    for values, (got, error) in zip(lists, _observed(work)["gradients"], strict=True):
        if error:
            _name_the_gradient(work, error)
        if got is None:
            work.wrong("", "tf.gradients gives None: the rule returns no derivative")
        weights = _weights(values)
        half = weights[: len(values)], weights[len(values) :]
        right = half[0] + half[1][::-1]
        if got.shape == right.shape and np.allclose(got, right):
            continue
        told = (f"for x = {values} and g = {_short(weights)}, the gradient is {_short(got)}; it should be "
                f"{_short(right)}")
        if got.shape != right.shape:
            work.wrong("the-gradient-is-as-large-as-g", told)
        if any(np.allclose(got, each) for each in (half[0], half[1], half[1][::-1], half[0] + half[1])):
            work.wrong("one-place-is-enough", told)
        work.wrong("", told)


def praise(work):
    shapes, error = _observed(work)["twice"]
    more = "" if error else (f": mirrored twice, a vector of shape {shapes[0]} has the shape {shapes[1]}, and its "
                             f"gradient {shapes[2]}")
    return f"Your op works for every size and goes through tf.gradients{more}."


# ---- in the process of the program -------------------------------------------------------------


def _attempt(function):
    """The value of a call and "", or None and how it failed."""
    try:
        return function(), ""
    except Exception as error:
        told = f"{'AttributeError: ' * isinstance(error, AttributeError)}{error}" or type(error).__name__
        return None, f"{told}{CURE}{error.cure}" if getattr(error, "cure", None) else told


def _shape(mirror, size):
    with tf.Graph().as_default():
        return str(mirror(tf.placeholder(tf.float32, [size])).shape)


def _result(mirror, dtype, values):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype, ["n"], name="x")
        return np.asarray(session.run(mirror(x), {x: np.asarray(values, dtype)}))


def _gradient(mirror, values):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        (slope,) = tf.gradients(mirror(x) * tf.constant(_weights(values)), x)
        return None if slope is None else np.asarray(session.run(slope, {x: values}))


def _twice(mirror):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"])
        twice = mirror(mirror(x))
        (slope,) = tf.gradients(twice, x)
    return [str(each.shape) for each in (x, twice, slope)]


# ---- in both -----------------------------------------------------------------------------------


def _lists(random):
    return [np.round(random.uniform(-9, 9, size), 1).tolist() for size in SIZES]


def _weights(values):
    return np.arange(1, 2 * len(values) + 1, dtype=np.float32) ** 2


def _observed(work):
    if work.observed is None:
        kind = type(work.variable("mirror")).__name__
        work.wrong("", f"`mirror` is of type {kind}; leave the declaration with @op(\"Mirror\") as it was")
    return work.observed


def _name_the_failure(work, error, told):
    """Why a run of the op fails: what the kernel returned, or what it did."""
    if "Tensor" in error or "tensor" in error.partition("\n")[0] or "Operation" in error:
        work.wrong("the-kernel-builds", told)
    if "float64" in error or "dtype" in error:
        work.wrong("any-dtype-will-do", told)
    work.wrong("", told)


def _name_the_gradient(work, error):
    """Why the gradient cannot be built."""
    told = f"the derivative fails: {_first(error)}{_cure(error)}"
    if "symbolic" in error or "NumPy" in error or error.startswith("AttributeError"):
        work.wrong("the-gradient-computes", told)
    if "shape" in _first(error):
        work.wrong("the-gradient-is-as-large-as-g", told)
    work.wrong("", told)


def _first(error):
    return next((line for line in error.splitlines() if line.strip()), "an error without a text")


def _cure(error):
    """What the error says to do, as `_attempt` has put it behind the text."""
    return f". {error.partition(CURE)[2]}" if CURE in error else ""


def _short(value):
    return np.array2string(np.asarray(value), precision=4)
