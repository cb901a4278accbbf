"""The check of lesson 15: a variance that is right for other tables, and the cut of its graph in bytes and waits."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "a-number-is-a-byte": "what crosses is counted in numbers. But a float32 has four bytes, and it is bytes that a "
    "connection carries.",
    "all-of-it-goes": "all that a run reads goes over the cut. But what is used on the machine that has it stays "
    "there.",
    "the-table-goes": "a device says where the data is. But it says where an operation runs, and what it reads has to "
    "get there: work on a table where the table is, and send what is small.",
    "elementwise-is-smaller": "once a machine has worked on its table, little is left to send. But squares or "
    "distances are as many as the numbers; only a sum, a mean or the like is small.",
    "the-mean-of-the-parts": "the result for all is the mean of the results for the parts. But the parts are not "
    "equally large, and the distances are those from the mean of all.",
    "there-and-back": "only bytes cost. But what goes there, comes back and goes there again makes the machines wait "
    "for each other, however short it is.",
    "a-run-for-each-machine": "each machine needs a run of its own, and Python adds up. But one graph runs on both: "
    "the cut is inside of the run.",
    "a-machine-of-its-own": "a third place can add up at no cost. But what it adds has to get there too, and the "
    "program's own machine is a place as any other.",
}
MOST_BYTES, MOST_WAITS = 32, 1


def check_the_count(work):
    crossing, right = work.variable("crossing"), work.graph.partitions(work.tensor("plain")).crossing
    if crossing == right:
        return
    told = f"`crossing` is {crossing!r}"
    if crossing == right // 4:
        work.wrong("a-number-is-a-byte", f"{told}. That many numbers go over the cut")
    if crossing in (16000, 12000):
        work.wrong("all-of-it-goes", f"{told}. `both` is built on the machine that has `large`, so `large` does "
                   "not have to go anywhere")
    work.wrong("", f"{told}; that is not what graph.partitions says")


def check_frugal_is_right(work):
    kind = type(work.variable("frugal")).__name__
    frugal = work.tensor("frugal", "a-run-for-each-machine", f"`frugal` is a {kind}, which was computed outside of the "
                         "graph. Build a tensor; one run gives it, on both machines")
    random = np.random.default_rng(work.seed)
    for shift in (0.0, 2.0):
        one, other = random.normal(shift, 1, 1000), random.normal(1, 2, 3000)
        got = np.asarray(_value(work, frugal, one, other))
        if got.shape != ():
            work.wrong("", f"the shape of `frugal` is {list(got.shape)}; it should be one number")
        right = np.concatenate([one, other]).var()
        if np.isclose(got, right, rtol=2e-3):
            continue
        fact = f"for two tables that the check has drawn, `frugal` is {got:.5g}; it should be {right:.5g}"
        parts = [one.var(), other.var()]
        own = np.mean(parts), np.average(parts, weights=[1, 3]), sum(parts)
        if any(np.isclose(got, each, rtol=2e-3) for each in own):
            work.wrong("the-mean-of-the-parts", f"{fact}. Each machine takes the distances from its own mean")
        means = (one.mean() + other.mean()) / 2, (np.square(one).mean() + np.square(other).mean()) / 2
        mixed = [np.square(one - means[0]).sum() + np.square(other - means[0]).sum(), means[1] - means[0] ** 2]
        if any(np.isclose(got, each, rtol=2e-3) for each in (mixed[0] / 4000, mixed[1])):
            work.wrong("the-mean-of-the-parts", f"{fact}. The mean of all is not half of the sum of two means: one "
                       "table has 1000 numbers, the other one 3000")
        work.wrong("", fact)


def check_the_cut(work):
    parts = work.graph.partitions(work.tensor("frugal"))
    if any(each.place < 0 for each in parts):
        work.wrong("a-machine-of-its-own", "a part of `frugal` has neither of the two machines as its device: it "
                   "runs on the program's own machine. Build it in a block of `NORTH` or of `SOUTH`")
    if parts.crossing is None:
        work.wrong("", "the sizes of what crosses are not known; reduce the tables to single numbers")
    largest = max(parts.crossings, key=lambda each: each.size, default=None)
    if parts.crossing > MOST_BYTES:
        told = f"{parts.crossing} bytes go over the cut of `frugal`; {MOST_BYTES} are enough. {largest}"
        if work.graph.get_tensor_by_name(largest.tensor).op.type == "VariableV2":
            work.wrong("the-table-goes", f"{told}. Build what reads it on the machine that has it")
        work.wrong("elementwise-is-smaller", f"{told}. Reduce it to a number before it goes")
    if parts.waits > MOST_WAITS:
        work.wrong("there-and-back", f"only {parts.crossing} bytes go over the cut, but {parts.waits} times one after "
                   f"the other, in {len(parts)} partitions. Which numbers can both machines compute without knowing "
                   "anything of the other?")


def praise(work):
    before, after = (work.graph.partitions(work.tensor(name)) for name in ("plain", "frugal"))
    return (f"{after.crossing} bytes instead of {before.crossing}, in {len(after)} partitions: the two machines work "
            "at the same time, and one of them waits once.")


def _value(work, tensor, one, other):
    tables = {work.variable("small"): one, work.variable("large"): other}
    if any(not isinstance(each, tf.Variable) for each in tables):
        work.wrong("", "`small` and `large` are no variables any more; leave the two tables as they were")
    return work.value(tensor, tables)
