"""The check of lesson 7: the values of several runs in a row, the writes that they need, and the races of the graph."""

import numpy as np

MISCONCEPTIONS = {
    "a-run-for-each-step": "what comes after another needs a run of its own. But one run can read, write and read "
    "again: paths in the graph say what comes first.",
    "a-built-write-happens": "a write happens because it stands in the program. But it is an operation like any other: "
    "only a run that needs it does it.",
    "the-result-is-the-state": "the variable has changed once its new value is computed. But a value is only a value: "
    "an assign has to write it, or the next run begins with the old one.",
    "lines-are-the-order": "a line sees what the lines above it have written. But a use of a variable reads its value "
    "at the start of the run, unless a path leads from a write to it.",
    "old-reads-wait": "all that is named in a block of control_dependencies waits. But only what is built in it does: "
    "a read that was built before has the value from before.",
    "an-order-that-nothing-says": "if the values are right, the order is clear. But no path says it, so a reader has "
    "to know the rules, and with another line it may change: say what you mean.",
}
RATE = 0.1


def check_after_is_in_the_graph(work):
    if type(work.variable("after")).__name__ == "Variable":
        work.wrong("a-built-write-happens", "`after` is the variable itself: a run that fetches it reads the value and "
                   "writes nothing. Take the result of the last write, such as `after = balance.assign_add(...)`")
    work.tensor("after", "a-run-for-each-step", f"`after` is a {type(work.variable('after')).__name__}, not a "
                "tensor: the steps were made by runs of their own. Build a tensor that one run can compute")


def check_the_first_run(work):
    payment = _payments(work)[0]
    start, (before, after) = _runs(work, [payment])[0]
    paid, right = start + payment, (start + payment) * (1 + RATE)
    writes = _writes(work)
    fact = f"with {start:g} in the account and a payment of {payment:g}, `after` is {after:g}"
    if not np.isclose(before, start):
        work.wrong("", f"with {start:g} in the account `before` is {before:g}: leave it as it was, a read of the value "
                   "at the start")
    if np.isclose(after, right):
        return
    fact = f"{fact}; it should be {right:g}"
    if np.isclose(after, start) and writes:
        work.wrong("old-reads-wait", f"{fact}. `after` waits for a write, but the read of the value was built before "
                   "the block, and so does not wait. Read the variable anew in the block")
    if not writes:
        work.wrong("a-built-write-happens", f"{fact}. No path leads from a write to `after`, so a run that fetches it "
                   "writes nothing")
    if np.isclose(after, paid):
        work.wrong("lines-are-the-order", f"{fact}. It sees the payment, but not the interest: a path has to lead from "
                   "the second write to `after`, too")
    if np.isclose(after, paid + RATE * start):
        work.wrong("lines-are-the-order", f"{fact}. The interest is that of the old balance: it uses the variable, and "
                   "no path leads from the payment to that use")
    if np.isclose(after, paid * RATE):
        work.wrong("", f"{fact}. That is the interest alone: it was written in place of the balance. Add it")
    if np.isclose(after, paid + RATE * payment):
        work.wrong("", f"{fact}. The interest is that of the payment alone, not of the new balance")
    unused = _writes_without_a_path(work)
    if unused:
        work.wrong("a-built-write-happens", f"{fact}. `{unused[0].name}` is built, but no path leads from it to "
                   "`after`, so a run that fetches `after` leaves it out")
    work.wrong("", fact)


def check_the_next_run_goes_on(work):
    payments = _payments(work)
    found = _runs(work, payments)
    last = None
    for (_, (before, after)), payment in zip(found, payments, strict=True):
        if last is not None and not np.isclose(before, last):
            writes = "writes the variable, but not that value" if _writes(work) else "writes no variable"
            work.wrong("the-result-is-the-state", f"one run ends with `after` = {last:g}, and the next begins with "
                       f"{before:g}: the run {writes}")
        if not np.isclose(after, (before + payment) * (1 + RATE), rtol=1e-4):
            work.wrong("", f"with {before:g} in the account and a payment of {payment:g}, `after` is {after:g}; it "
                       f"should be {(before + payment) * (1 + RATE):g}")
        last = after


def check_no_race_is_left(work):
    races = work.graph.races([work.tensor("before"), work.tensor("after")])
    found = [race for races_of_one in races.by_variable().values() for race in races_of_one]
    if found:
        race = found[0]
        work.wrong("an-order-that-nothing-says", f"the values are right, but no path orders `{race.first}` and "
                   f"`{race.write}`. Say which comes first: build the later one in a block of "
                   "tf.control_dependencies, or from the result of the earlier one")


def praise(work):
    ends = " -> ".join(f"{after:g}" for _, (_, after) in _runs(work, _payments(work)))
    return f"Each run goes on where the last one ended ({ends}), and a path orders every read and write."


def _payments(work):
    """Payments that the program does not have: the first is far from 0, one is 0, and one is negative."""
    first, second = work.random.integers(20, 90, 2)
    return float(first), float(second), 0.0, -float(work.random.integers(5, 20))


def _writes_without_a_path(work):
    """The writes, without initializers, that `after` does not need."""
    first = {variable.initializer for variable in work.graph.get_collection("variables")}
    needed = work.above(work.tensor("after"))
    return [op for op in work.nodes() if op.type.startswith(("Assign", "Scatter")) and op not in needed | first]


def _runs(work, payments):
    """For each payment the balance before the run, and the values of `before` and `after`, in one new session."""
    before, after, amount = (work.tensor(name) for name in ("before", "after", "amount"))
    runs = []
    with work.session() as session:
        for payment in payments:
            start = float(session.run(work.variable("balance")))
            try:
                values = session.run([before, after], {amount: payment})
            except Exception as error:
                work.wrong("", f"a run with a payment of {payment:g} fails: {str(error).splitlines()[0]}")
            if np.shape(values[1]):
                work.wrong("", f"`after` has the shape {list(np.shape(values[1]))}; it should be one number")
            runs.append((start, tuple(map(float, values))))
    return runs


def _writes(work):
    """Whether a run of `after` writes a variable."""
    return bool(work.plan(work.tensor("after"), [work.tensor("amount")]).written)
