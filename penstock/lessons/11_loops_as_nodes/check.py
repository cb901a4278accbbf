"""The check of lesson 11: a loop that ends with what is fed, its derivative, and the stacks that this takes."""

import re

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "python-repeats": "a loop of Python repeats something in the graph. But it repeats while the graph is built; how "
    "many rounds there are is fixed before anything is fed.",
    "a-run-for-each-round": "each round is a run, and Python carries the value over. But a loop node does all rounds "
    "in one run, and only then has the result a derivative.",
    "the-outer-name-changes": "a tensor from outside changes with the rounds. But it has one value in all of them; "
    "only the loop variables, which the body gets as arguments, go around.",
    "names-go-around": "the results of a body find their variables by name or by kind. But they are taken in order: "
    "the first result becomes the first loop variable.",
    "a-loop-ends-by-itself": "a loop node ends when its work is done. But it ends only if the condition is false, and "
    "a loop variable that the body does not change stays as it is.",
    "derivatives-are-measured": "a derivative of a loop has to be found by trying: change a little, and divide. But "
    "tf.gradients builds a loop that goes back through the rounds, exactly.",
    "only-the-last-is-kept": "a loop forgets what was before, also for its derivative. But the way back goes through "
    "each round and needs the values from there, so there is a stack with one for each.",
    "no-way-back": "any loop can be gone back through. But one with back_prop=False keeps no values, and against the "
    "arrows there is no path at all: the derivative is None.",
}
YEARS = 12


def stopped(work):
    """Named here: what a program that stopped with an error had done before."""
    if work.variables.get("slope", ...) in (None, [None]) or "Fetch argument None" in work.stopped:
        work.wrong("no-way-back", "`slope` is None, and then the program stopped: no path leads back from `balance` to "
                   "`rate`, or the loop was built with back_prop=False")
    if "is symbolic" in work.stopped and re.match(r"\s*(while|for)\b", work.stopped.split("\n\n")[1]):
        work.wrong("python-repeats", "a loop of Python runs while the graph is built, and then `years` has no value "
                   "yet. tf.while_loop builds a loop that runs when the graph does")
    if "a loop variable keeps its dtype" in work.stopped:
        work.wrong("names-go-around", "a result of the body has another dtype than the loop variable at its place: are "
                   "the results in the order of the arguments?")
    if "DeadlineExceeded" in work.stopped:
        work.wrong("a-loop-ends-by-itself", "the run was ended after five seconds: the loop does not end. What has to "
                   "change in each round so that the condition is false at last?")


def check_balance(work):
    if isinstance(work.variable("balance"), (list, tuple)):
        work.wrong("", "`balance` is the list of all loop variables at the end. Take the balance out of it: [0]")
    balance = work.tensor("balance", "a-run-for-each-round", "`balance` is a value "
                          f"({type(work.variable('balance')).__name__}): it was computed outside of the graph. Build a "
                          "tensor, for any number of years")
    for feeds in _feeds(work):
        got, right = _number(work, balance, feeds), _saved(*feeds)
        if np.isclose(got, right, rtol=1e-4):
            continue
        deposit, rate, years = feeds
        told = f"with a deposit of {deposit:g}, a rate of {rate:g} and {_in_years(years)}, `balance` is {got:g}; it " \
            f"should be {right:g}"
        if not _loops(work, balance) and not np.isfinite(got) and work.tensor("years").op in work.above(balance):
            work.wrong("", f"{told}. There is no loop in your graph, and a formula may divide by the rate. Build it "
                       "with tf.while_loop: not every body has a formula")
        if not _loops(work, balance) or work.tensor("years").op not in work.above(balance):
            work.wrong("python-repeats", f"{told}. No loop node depends on what is fed for `years`: your graph has as "
                       "many rounds as Python made")
        same = [_number(work, balance, (deposit, rate, more)) for more in (1, 3, 7)]
        if np.ptp(same) < 1e-3 * abs(same[0]):
            work.wrong("the-outer-name-changes", f"{told}. It is the same after 1, 3 and 7 years: each round begins "
                       "anew. The body has to use the balance that it gets as an argument")
        if np.isclose(got, _saved(deposit, rate, years + 1), rtol=1e-4):
            work.wrong("", f"{told}. That is the balance one year later: the account is empty at the beginning, and "
                       "there are as many rounds as `years`, not one more")
        if np.isclose(got, _saved(*feeds) * (1 + rate), rtol=1e-4):
            work.wrong("", f"{told}. Each deposit has interest in its own year: add the interest first, then pay in")
        work.wrong("", told)


def check_there_is_a_loop(work):
    if not _loops(work, work.tensor("balance")):
        work.wrong("", "`balance` is right, but there is no loop in your graph. This time build it with tf.while_loop "
                   "or tf.foldl: not every body has a formula")


def check_slope(work):
    slope = work.variable("slope")
    if isinstance(slope, list) and len(slope) == 1 and isinstance(slope[0], tf.Tensor):
        work.wrong("", "`slope` is a list that holds a tensor, as tf.gradients gives it. Take the tensor out: [0]")
    if slope is None or isinstance(slope, list):
        work.wrong("no-way-back", f"`slope` is {slope}: no path leads from `rate` to `balance`")
    slope = work.tensor("slope", "derivatives-are-measured", "`slope` is a value "
                        f"({type(work.variable('slope')).__name__}), worked out for certain feeds. Build a tensor")
    for feeds in _feeds(work):
        got, right = _number(work, slope, feeds), _slope(*feeds)
        if np.isclose(got, right, rtol=1e-4, atol=1e-3):
            continue
        deposit, rate, years = feeds
        told = f"with a deposit of {deposit:g}, a rate of {rate:g} and {_in_years(years)}, `slope` is {got:g}; it " \
            f"should be {right:g}"
        if np.isclose(got, right, rtol=0.1, atol=1.0):
            work.wrong("derivatives-are-measured", f"{told}. That is near, but not the derivative: use tf.gradients")
        if np.isclose(got, _saved(*feeds) / deposit, rtol=1e-4):
            work.wrong("", f"{told}. It is the derivative in `deposit`")
        work.wrong("", told)


def check_stacked(work):
    stacked, right = work.variable("stacked"), _stacked(work)
    if isinstance(stacked, tf.Tensor) or not np.isscalar(stacked):
        work.wrong("", f"`stacked` is a {type(stacked).__name__}; it should be a number, such as 3")
    if stacked == right:
        return
    if stacked < right and stacked < YEARS:
        work.wrong("only-the-last-is-kept", f"`stacked` is {stacked}. In your graph a run of `slope` with {YEARS} "
                   "years keeps more: the backward loop needs a value from each round")
    work.wrong("", f"`stacked` is {stacked}; a run of your `slope` with {YEARS} years does not have that many numbers "
               "on stacks. Run the results of the loops below `gradients` that have a dimension, and count")


def praise(work):
    nodes = len(work.nodes())
    return f"{nodes} nodes for any number of years, and {_stacked(work)} numbers on stacks for {YEARS} of them."


def _feeds(work):
    """Deposits, rates and years that the program does not have; one rate is 0, one time there is no year."""
    random = np.random.default_rng(work.seed)
    deposits, rates = random.integers(20, 90, 4), np.round(random.uniform(0.02, 0.3, 4), 2)
    found = zip(deposits, [rates[0], 0.0, rates[2], rates[3]], [1, int(random.integers(3, 9)), 0, 17], strict=True)
    return [(float(deposit), float(rate), years) for deposit, rate, years in found]


def _in_years(years):
    return f"{years} year{'' if years == 1 else 's'}"


def _saved(deposit, rate, years):
    total = 0.0
    for _ in range(years):
        total += rate * total + deposit
    return total


def _slope(deposit, rate, years):
    total = change = 0.0
    for _ in range(years):
        total, change = total + rate * total + deposit, change + total + rate * change
    return change


def _number(work, tensor, feeds):
    """The value of a tensor that should be one number."""
    names = (work.tensor(name) for name in ("deposit", "rate", "years"))
    got = np.asarray(work.value(tensor, dict(zip(names, feeds, strict=True))))
    if got.shape != ():
        work.wrong("", f"the shape of `{tensor.name}` is {list(got.shape)}; it should be one number")
    return float(got)


def _loops(work, tensor):
    return [op for op in work.above(tensor) if op.type == "While"]


def _stacked(work):
    """How many numbers the loops that `slope` needs have in results with a dimension, with 12 years."""
    feeds = dict(zip((work.tensor(name) for name in ("deposit", "rate", "years")), (50.0, 0.1, YEARS), strict=True))
    results = [each for op in _loops(work, work.tensor("slope")) for each in op.outputs
               if each.shape.ndims and not each.dtype.is_variant]
    return sum(np.size(each) for each in work.value(results, feeds)) if results else 0
