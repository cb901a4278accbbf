"""The check of lesson 10: the shape, the values and the derivative of the student's op, in graphs of the check."""

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
LISTS = ([1.0, 2.0, 3.0], [5.0], [], [4.0, -1.0, 0.5, 2.0])


def check_the_shape(work):
    mirror = _op(work)
    for size, right in (("m", "(2*m,)"), (7, "(14,)")):
        with tf.Graph().as_default():
            try:
                shape = mirror(tf.placeholder(tf.float32, [size])).shape
            except Exception as error:
                work.wrong("", f"a call with a vector of {size} elements fails: {_first(error)}")
        if str(shape) == right:
            continue
        told = f"of a vector of {size} elements, the shape rule makes {shape}; it should be {right}"
        if "?" in str(shape) or shape.ndims is None:
            work.wrong("the-kernel-tells-the-shape", f"{told}. Count with the size of `x`")
        if str(shape) == f"({size},)":
            work.wrong("the-result-is-as-large-as-x", told)
        if isinstance(size, str) and shape[0].value is not None:
            work.wrong("one-size-for-one-input", told)
        work.wrong("", told)


def check_the_kernel(work):
    mirror = _op(work)
    for dtype in (tf.float32, tf.float64):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(dtype, ["n"], name="x")
            both = mirror(x)
            for values in LISTS:
                fed = np.asarray(values, dtype.as_numpy_dtype)
                right = np.concatenate([fed, fed[::-1]])
                try:
                    got = session.run(both, {x: fed})
                except Exception as error:
                    _name_the_failure(work, error, f"a run with x = {values} ({dtype.name}) fails: {_first(error)}")
                if got.shape != right.shape or not np.array_equal(got, right):
                    work.wrong("", f"for x = {values} the kernel gives {_short(got)}; it should be {_short(right)}")


def check_the_gradient(work):
    mirror = _op(work)
    for values in LISTS:
        weights = np.arange(1, 2 * len(values) + 1, dtype=np.float32) ** 2
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, ["n"], name="x")
            try:
                (slope,) = tf.gradients(mirror(x) * tf.constant(weights), x)
                got = None if slope is None else np.asarray(session.run(slope, {x: values}))
            except Exception as error:
                _name_the_gradient(work, error)
        if got is None:
            work.wrong("", "tf.gradients gives None: the rule returns no derivative")
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
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"])
        twice = _op(work)(_op(work)(x))
        (slope,) = tf.gradients(twice, x)
    return (f"Your op works for every size and goes through tf.gradients: mirrored twice, a vector of shape {x.shape} "
            f"has the shape {twice.shape}, and its gradient {slope.shape}.")


def _op(work):
    mirror = work.variable("mirror")
    if not hasattr(mirror, "kernel"):
        work.wrong("", f"`mirror` is a {type(mirror).__name__}; leave the declaration with @op(\"Mirror\") as it was")
    return mirror


def _name_the_failure(work, error, told):
    """Why a run of the op fails: what the kernel returned, or what it did."""
    said = str(error)
    if "Tensor" in said or "tensor" in said.partition("\n")[0] or "Operation" in said:
        work.wrong("the-kernel-builds", told)
    if "float64" in said or "dtype" in said:
        work.wrong("any-dtype-will-do", told)
    work.wrong("", told)


def _name_the_gradient(work, error):
    """Why the gradient cannot be built."""
    told = f"the derivative fails: {_first(error)}"
    if "symbolic" in str(error) or "NumPy" in str(error) or isinstance(error, AttributeError):
        work.wrong("the-gradient-computes", told)
    if "shape" in _first(error):
        work.wrong("the-gradient-is-as-large-as-g", told)
    work.wrong("", told)


def _first(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _short(value):
    return np.array2string(np.asarray(value), precision=4)
