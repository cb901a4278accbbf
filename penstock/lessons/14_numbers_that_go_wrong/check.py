"""The check of lesson 14: where a value is first not finite, and a cost that is right where the given one is not."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "seen-is-made": "a NaN is made where it is seen. But everything that reads one is NaN as well; it begins at the "
    "operation whose operands are all finite, or numbers, and whose result is not.",
    "infinite-is-a-number": "the trouble begins with the NaN. But often something became infinite before, and that is "
    "the first sign.",
    "the-result-is-mended": "what is NaN can be replaced by another number. But that hides the rows whose cost is "
    "largest; the right cost is a number, and it needs another formula.",
    "clipped-is-the-same": "scores can be cut off where exp overflows. But then two scores above the bound count as "
    "equal, and the cost is that of other scores.",
    "a-small-number-helps": "a small number, added before the logarithm, keeps it finite. But it also decides the "
    "result: no cost is larger than minus its logarithm, and there the gradient is wrong.",
    "more-digits-are-enough": "float64 is large enough. But exp(710) is infinite there too; more digits only move the "
    "place.",
    "half-of-the-way": "if no exponential overflows, all is well. But the small ones become 0 beside the large one, "
    "and the logarithm of 0 is infinite: the quotient has to go as well.",
    "what-is-not-chosen-counts-not": "tf.where picks one of two results, and the other one does not matter. But both "
    "are computed, and the gradient of the other, if NaN, gets through: choose before the operation.",
}


def check_where_it_begins(work):
    rows = _given()
    right_inf, right_nan = _first(work, rows, np.isinf), _first(work, rows, np.isnan)
    found_inf, found_nan = _name(work, "first_inf"), _name(work, "first_nan")
    if found_nan != right_nan:
        where = _place(work, found_nan, rows)
        if found_nan in _after(work, right_nan):
            work.wrong("seen-is-made", f"`{found_nan}` is NaN, but so is an operand of it. Go back along the arrows, "
                       "to where the operands are no NaN yet")
        work.wrong("infinite-is-a-number" if found_nan == right_inf else "",
                   f"`first_nan` is `{found_nan}`, and {where}. Use run.break_on(nan=True)")
    if found_inf != right_inf:
        where = _place(work, found_inf, rows)
        if found_inf == right_nan:
            work.wrong("infinite-is-a-number", f"`first_inf` is `{found_inf}`, and {where}; before it, something has "
                       "become infinite. Use run.break_on(inf=True)")
        work.wrong("seen-is-made" if found_inf in _after(work, right_inf) else "",
                   f"`first_inf` is `{found_inf}`, and {where}. Which operation has finite operands and an infinite "
                   "result?")


def check_safe_is_the_same_for_small_scores(work):
    for rows, truth in _small(work):
        got, right = _cost(work, rows, truth), _right(rows, truth)
        if not np.isclose(got, right, rtol=1e-3, atol=1e-4):
            work.wrong("", f"for the scores {rows.tolist()} and the truth {truth.tolist()}, `safe` is {got:.5g}; it "
                       f"should be {right:.5g}, as `cost` is")


def check_safe_is_right_for_large_scores(work):
    for rows, truth in _large(work):
        got, right = _cost(work, rows, truth), _right(rows, truth)
        if np.isclose(got, right, rtol=1e-3):
            continue
        fact = f"for the scores {rows.tolist()} and the truth {truth.tolist()}, `safe` is {got:.5g}; it should be " \
            f"{right:.5g}"
        above = work.above(work.tensor("safe"))
        types = {op.type for op in above}
        if np.isfinite(got) and ("ClipByValue" in types or _has_bound(above, 30.0)):
            work.wrong("clipped-is-the-same", f"{fact}. A bound changes the scores")
        if any(op.type in ("IsNan", "IsFinite", "IsInf") and "logsumexp" not in op.name for op in above):
            work.wrong("the-result-is-mended", f"{fact}. A value that is not finite was replaced by another one")
        if np.isnan(got) and work.graph.get_operation_by_name("share") in above:
            work.wrong("the-result-is-mended", f"{fact}. It is made of `share`, which is NaN already, and what is made "
                       "of a NaN is NaN. Begin with `scores`")
        if np.isfinite(got) and _added(above):
            work.wrong("a-small-number-helps", f"{fact}. The number that is added before the logarithm decides it")
        if any(op.type == "Cast" and op.outputs[0].dtype == "float64" for op in above):
            work.wrong("more-digits-are-enough", f"{fact}. In float64, exp is infinite from 710 on")
        if "Max" in types or np.isinf(got):
            work.wrong("half-of-the-way", f"{fact}. Nothing is too large any more, but the share of a kind that is far "
                       "behind is 0. Take the logarithm of the quotient apart")
        work.wrong("", fact)


def check_the_gradient_is_finite(work):
    safe, scores, truth = (work.tensor(name) for name in ("safe", "scores", "truth"))
    with work.graph.as_default():
        slope = tf.gradients(safe, scores)[0]
    if slope is None:
        work.wrong("", "`safe` has no gradient in `scores`: no path leads back. The cost should be able to be trained")
    for rows, kinds in (*_small(work), *_large(work)):
        got = np.asarray(work.value(slope, {scores: rows, truth: kinds}))
        if not np.isfinite(got).all():
            at = tuple(int(each) for each in np.argwhere(~np.isfinite(got))[0])
            work.wrong("what-is-not-chosen-counts-not", f"the cost is right, but for the scores {rows.tolist()} its "
                       f"gradient at {at} is {got[at]}. A formula that overflows is still there, behind tf.where")
        if not np.allclose(got, _slope(rows, kinds), atol=1e-3):
            work.wrong("", f"the cost is right, but for the scores {rows.tolist()} its gradient is {got.tolist()}; it "
                       f"should be {np.round(_slope(rows, kinds), 4).tolist()}")


def praise(work):
    rows, truth = _large(work)[0]
    cost = work.value(work.tensor("cost"), {work.tensor("scores"): rows, work.tensor("truth"): truth})
    return f"For the scores {rows.tolist()}, `cost` is {cost:g}, and `safe` is {_cost(work, rows, truth):g}."


def _given():
    return np.float32([[200.0, 0.0, -10.0], [1.0, 2.0, 3.0]]), np.int32([1, 2])


def _small(work):
    random = np.random.default_rng(work.seed)
    return [(np.round(random.uniform(-5, 5, [size, 3]), 1), random.integers(0, 3, size)) for size in (3, 1)]


def _large(work):
    """Scores of which one is far in front, by more than float32, and by more than float64 can bear."""
    random = np.random.default_rng(work.seed)
    found = []
    for front in (float(random.integers(120, 300)), float(random.integers(1500, 9000)), 1e30):
        rows = np.array([[front, 1.0, -2.0], [0.5, 1.5, 1.0]])
        found.append((rows, np.array([int(random.integers(1, 3)), 0])))
    return found


def _log_shares(rows):
    rows = np.asarray(rows, np.float64)
    shifted = rows - rows.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def _right(rows, truth):
    return -_log_shares(rows)[np.arange(len(rows)), truth].mean()


def _slope(rows, truth):
    return (np.exp(_log_shares(rows)) - np.eye(3)[truth]) / len(rows)


def _cost(work, rows, truth):
    got = np.asarray(work.value(work.tensor("safe"), {work.tensor("scores"): rows, work.tensor("truth"): truth}))
    if got.shape != ():
        work.wrong("", f"the shape of `safe` is {list(got.shape)}; it should be one number, as `cost` is")
    return float(got)


def _name(work, variable):
    """A name of an operation of the graph that the program gives as text, as a tensor or as the operation."""
    found = work.variable(variable)
    name = (found if isinstance(found, str) else getattr(found, "name", repr(found))).removesuffix(":0")
    if name not in {op.name for op in work.nodes()}:
        work.wrong("", f"`{variable}` is {found!r}, and the graph has no operation of that name")
    return name


def _values(work, rows):
    """The value of each float result that `cost` needs, by the name of the operation, in the order of the graph."""
    needed = work.above(work.tensor("cost"))
    tensors = [op.outputs[0] for op in work.nodes() if op in needed and op.outputs and op.outputs[0].dtype == "float32"]
    feeds = {work.tensor("scores"): rows[0], work.tensor("truth"): rows[1]}
    return dict(zip([each.op.name for each in tensors], work.value(tensors, feeds), strict=True))


def _first(work, rows, test):
    return next(name for name, value in _values(work, rows).items() if np.any(test(value)))


def _place(work, name, rows):
    """What an operation makes, in words."""
    value = _values(work, rows).get(name)
    if value is None:
        return "`cost` does not need it"
    if np.isfinite(value).all():
        return "its result is finite"
    return f"its result is {np.round(value.astype(float), 3).tolist()}"


def _after(work, name):
    """The names of the operations between another one and `cost`."""
    first = work.graph.get_operation_by_name(name)
    return {op.name for op in work.above(work.tensor("cost")) if op is not first and op.outputs
            and first in work.above(op)}


def _numbers(operations):
    """The number that each operation adds, subtracts or compares with, if it is a constant."""
    for op in operations:
        for each in op.inputs:
            value = each.op.opdef.facts.is_constant and np.asarray(each.op.args[0])
            if value is not False and value.size == 1 and value.dtype.kind == "f":
                yield op, float(value)


def _has_bound(operations, least):
    return any(op.type in ("Minimum", "Maximum") and abs(value) >= least for op, value in _numbers(operations))


def _added(operations):
    kinds = ("Add", "AddV2", "Maximum")
    return any(op.type in kinds and 0 < abs(value) < 1e-2 for op, value in _numbers(operations))
