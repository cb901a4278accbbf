"""The check of lesson 12: gradients by hand in all their digits, and the peak of memory of a chain's gradient."""

import numpy as np

import penstock as tf
from penstock.runtime.observe.kept_for_gradients import kept_values

MISCONCEPTIONS = {
    "one-way-is-enough": "a gradient comes back along one way. But a value that is used twice has an influence in two "
    "ways, and its gradient is the sum of both.",
    "the-last-one-counts": "a way back that comes later takes the place of the one before. But the gradients of all "
    "uses are added.",
    "the-derivative-alone": "the gradient of an operand is the derivative of the operation. But it is that times the "
    "gradient of the result: what comes from behind has to go through.",
    "its-own-factor": "the derivative of a product by a factor is that factor. But it is the other one: the result "
    "changes the more, the larger the other factor is.",
    "a-number-is-enough": "a gradient is a number, worked out from a run. But here it is a node, which is right for "
    "every feed.",
    "the-machine-does-it": "by hand means with less of tf.gradients. But the exercise is to do what tf.gradients does: "
    "an operation at a time, with the three rules.",
    "keep-less-of-each": "what is recomputed layer by layer keeps the least. But the operand of each function is kept, "
    "and with one function for each layer that is as much as before.",
    "all-at-once": "one function around everything keeps nothing. But in the end its inside is computed once more, and "
    "then all of it is in memory together.",
    "a-wrapped-function-is-used": "it helps to wrap a function in tf.recompute_grad. But that makes a new function, "
    "and only what is built with that one is recomputed.",
}
MOST, LAYERS, ROWS = 9, 16, 200


def stopped(work):
    """Named here: a gradient that is a value, which the program could not fetch."""
    values = [name for name in ("d_t", "d_x", "d_w") if isinstance(work.variables.get(name), np.ndarray)]
    if values:
        work.wrong("a-number-is-enough", f"`{values[0]}` is an array; it must be a tensor, which a run computes for "
                   "any feeds")


def check_by_hand(work):
    for name in ("d_t", "d_x", "d_w"):
        kind = type(work.variable(name)).__name__
        tensor = work.tensor(name, "a-number-is-enough", f"`{name}` is a {kind}; it must be a tensor, which a run "
                             "computes for any feeds")
        if any(op.name.startswith("gradients") for op in work.above(tensor)):
            work.wrong("the-machine-does-it", f"`{name}` is made by tf.gradients. Build it from `d_y`, with the "
                       "derivatives of the product and of the sine")
    for x, w in _values(work):
        t = x * w
        s, c = np.sin(t), np.cos(t)
        d_t = s + t * c
        fact = _told(work, "d_t", x, w, d_t)
        if fact:
            got = _got(work, "d_t", x, w)
            if _close(got, s) or _close(got, t * c):
                lost = "sine" if _close(got, s) else "product itself"
                work.wrong("one-way-is-enough", f"{fact}. That is one of two ways: what comes back through the {lost} "
                           "is missing")
            if _close(got, s + c) or _close(got, c):
                work.wrong("the-derivative-alone", f"{fact}. What comes back from the sine is `cos(t)` alone. But the "
                           "sine got the gradient of its result, `d_y * t`; multiply by that")
            if _close(got, t + s * c):
                work.wrong("its-own-factor", f"{fact}. The product hands each factor the gradient times the *other* "
                           "factor")
            if _close(got, s * t * c):
                work.wrong("the-last-one-counts", f"{fact}. The parts of the two ways are multiplied; they have to be "
                           "added")
            work.wrong("", fact)
        _compare_product(work, "d_x", x, w, d_t, w, x)
        _compare_product(work, "d_w", x, w, d_t, x, w)


def check_the_chain_is_right(work):
    frugal = work.tensor("frugal", "a-number-is-enough", f"`frugal` is a {type(work.variable('frugal')).__name__}; it "
                         "must be a tensor")
    feeds = _feeds(work, 7)
    got, right = np.asarray(work.value(frugal, feeds)), work.value(work.tensor("plain"), feeds)
    if got.shape != right.shape or not np.allclose(got, right, rtol=1e-3, atol=1e-4):
        work.wrong("", "`frugal` is not the gradient of a chain of 16 layers in `table`: for 7 rows, " + (
            f"its shape is {list(got.shape)} instead of {list(right.shape)}" if got.shape != right.shape else
            f"it begins with {got.flat[0]:.4g} instead of {right.flat[0]:.4g}"))


def check_the_memory(work):
    tables, kept, products = _costs(work, "frugal")
    if tables > MOST:
        fact = f"a run of `frugal` has {tables} tables in memory at its peak; {MOST} are enough"
        if products <= 2 * LAYERS:
            work.wrong("a-wrapped-function-is-used", f"{fact}. Its plan has {products} products, as that of `plain`: "
                       "no layer is computed again. Call the function that tf.recompute_grad gives")
        if kept > LAYERS // 2:
            work.wrong("keep-less-of-each", f"{fact}. {kept} values are kept for the way back: the operand of each of "
                       "your functions. Take fewer, longer functions")
        if kept <= 2:
            each = "all 16 layers" if kept == 1 else f"the {LAYERS // kept} layers of a function"
            work.wrong("all-at-once", f"{fact}. {kept} value{' is' if kept == 1 else 's are'} kept for the way back, "
                       f"but then {each} are computed again, and are in memory together. Take more, shorter functions")
        work.wrong("", f"{fact}. {kept} values are kept between your functions, and the longest of them needs the rest")
    if products > 3 * LAYERS:
        work.wrong("", f"the plan of `frugal` has {products} products of matrices; {3 * LAYERS} are enough: 16 on the "
                   "way forward, 16 again, and 16 of the gradients. Is one recomputed function inside another?")


def praise(work):
    (before, _, _), (after, _, products) = _costs(work, "plain"), _costs(work, "frugal")
    return (f"`plain` needs memory for {before} tables, `frugal` for {after}. The price is {products - 2 * LAYERS} "
            "products that are made twice.")


def _values(work):
    """Products far from zero, where the sine of t is about t."""
    random = np.random.default_rng(work.seed)
    return [(np.round(random.uniform(0.5, 2, size), 2), np.round(random.uniform(0.5, 1.5, size), 2)
             * random.choice([-1.0, 1.0], size)) for size in (3, 1)]


def _got(work, name, x, w):
    got = np.asarray(work.value(work.tensor(name), {work.tensor("x"): x, work.tensor("w"): w}))
    if got.shape not in (x.shape, ()):
        work.wrong("", f"the shape of `{name}` is {list(got.shape)} for {len(x)} elements")
    return got


def _close(got, right):
    return np.allclose(got, right, rtol=1e-3, atol=1e-4)


def _told(work, name, x, w, right):
    """What is wrong with a gradient; "" if it is right."""
    got = _got(work, name, x, w)
    if got.shape == x.shape and _close(got, right):
        return ""
    return (f"for x = {x.tolist()} and w = {w.tolist()}, `{name}` is {np.array2string(got, precision=4)}; it should be "
            f"{np.array2string(right, precision=4)}")


def _compare_product(work, name, x, w, d_t, other, own):
    told = _told(work, name, x, w, d_t * other)
    if not told:
        return
    got = _got(work, name, x, w)
    if _close(got, d_t * own):
        work.wrong("its-own-factor", f"{told}. A factor gets the gradient times the *other* factor")
    if _close(got, other):
        work.wrong("the-derivative-alone", f"{told}. It is the derivative of the product, but not yet times `d_t`")
    work.wrong("", told)


def _feeds(work, rows):
    random = np.random.default_rng(work.seed)
    table, weights = random.normal(size=[rows, 20]), random.normal(size=[20, 20]) / 4
    return {work.tensor("table"): table, work.tensor("weights"): weights}


def _costs(work, name):
    """The tables at the peak of a run, the tables that are kept for the way back, and the products of matrices."""
    fetch, feeds = work.tensor(name), _feeds(work, ROWS)
    table = 4 * ROWS * 20
    with tf.Session(graph=work.graph) as session:
        memory, plan = session.memory(fetch, feeds), session.plan(fetch, feeds)
    backward = {op.name for op in work.above(fetch) if op.name.startswith("gradients")}
    kept = sum(each.bytes == table for each in kept_values(plan, memory, backward))
    products = sum(step.op == "MatMul" for step in plan.steps)
    return int(memory.peak // table), kept, products
