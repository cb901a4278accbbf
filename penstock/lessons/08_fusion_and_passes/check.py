"""The check of lesson 8: the passes of two plans, counted, and a graph whose plan has one."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "one-operation-one-step": "each operation is a step of every plan. But a session fuses operations that work "
    "element by element, and the results between them are never written.",
    "fusion-joins-everything": "all operations can be fused into one step. But the largest of all is known only after "
    "the last element; what needs it for each element is a second pass.",
    "every-operation-fuses": "every operation can be a part of a group. But products of matrices, sorting and running "
    "sums are steps of their own, and so is a pass through what they read.",
    "an-arrow-costs-nothing": "an arrow of control_dependencies only sets the order. But what waits for a step cannot "
    "be computed in the same one, so it ends a group.",
    "equal-values-are-one": "formulas with the same values are one computation. But a session sees nodes, not values: "
    "what is written in two ways is computed in two ways. Use one tensor for both.",
    "a-run-between-is-free": "a value may be taken out of the graph and put back. But a run ends every group, and "
    "what it gives is a number of that run only.",
}
SIZE = 2000
LOOKS = {"Size", "Shape", "Rank", "Reshape", "ExpandDims", "Squeeze", "Identity", "StridedSlice", "Slice"}
GROUPED = {"Fused", "Sum", "Max", "Mean", "Min", "Mul", "RealDiv", "Add", "Sub", "Neg", "Abs", "Square", "Sqrt"}


def check_the_count(work):
    counted = work.variable("counted")
    try:
        first, second = (int(each) for each in counted)
    except (TypeError, ValueError):
        work.wrong("", f"`counted` is {counted!r}; it should be two numbers, such as (3, 3)")
    right = _passes(work, "plain", as_written=True), _passes(work, "plain")
    if (first, second) == (len(right[0]), len(right[1])):
        return
    if first == second:
        work.wrong("one-operation-one-step", f"`counted` says {first} for both plans. The second one has fewer steps: "
                   "each step with a formula below it does several operations")
    if second == 1:
        work.wrong("fusion-joins-everything", "`counted` says that the session needs one pass. Look at its plan: the "
                   f"steps `{'` and `'.join(right[1])}` read arrays")
    which, said, names = ("first", first, right[0]) if first != len(right[0]) else ("second", second, right[1])
    more = "fewer" if said > len(names) else "more"
    work.wrong("", f"`counted` says {said} for the {which} plan; there are {more}. A step counts if it reads an array, "
               "not if it only reads single numbers")


def check_fast_is_right(work):
    fast = work.tensor("fast", "a-run-between-is-free", "`fast` is a value: it was computed outside of the graph. "
                       "Build a tensor from `x`")
    for values in [np.round(work.random.uniform(-9, 9, size), 1) for size in (3, 1, 6)]:
        got = np.asarray(work.value(fast, {work.tensor("x"): values}))
        loudness = np.sqrt(np.square(np.float32(values)) + 1)
        right = (loudness / loudness.max()).sum()
        if got.shape == () and np.isclose(got, right, rtol=1e-3):
            continue
        if work.runs and got.shape == ():
            told = f"`fast` is {got:.4g} for the samples {values.tolist()}; it should be {right:.4g}"
            work.wrong("a-run-between-is-free", f"{told}. The run{work.runs[0].at} took a number out of the graph, "
                       "which is right for its samples only")
        work.wrong("", f"`fast` is {got} for the samples {values.tolist()}; it should be {right:.4g}")


def check_there_is_one_pass(work):
    names = _passes(work, "fast")
    if len(names) <= 1:
        return
    fact = f"the plan of `fast` has {len(names)} steps that go through all samples: `{'`, `'.join(names)}`"
    above = work.above(work.tensor("fast"))
    steps = work.plan(work.tensor("fast"), [work.tensor("x")]).steps
    alone = [step for step in steps if step.node in names and step.op not in GROUPED]
    if any(op.control_inputs for op in above):
        work.wrong("an-arrow-costs-nothing", f"{fact}. One of them has to wait for another because of "
                   "tf.control_dependencies. Leave that out: nothing here needs it")
    if alone:
        work.wrong("every-operation-fuses", f"{fact}. `{alone[0].node}` ({alone[0].op}) is no part of a group. Use a "
                   "sum and a largest value of the loudness itself")
    if not _needs(steps, names[-1], names[0]):
        work.wrong("equal-values-are-one", f"{fact}. Neither needs the other, but they do not read the same nodes, so "
                   "each computes the loudness for itself. Use one tensor, such as `loudness`, for both")
    work.wrong("fusion-joins-everything", f"{fact}. The last of them needs a result of the first for each element. Do "
               "with the single numbers what need not be done to each element")


def praise(work):
    before, after = len(_passes(work, "plain", as_written=True)), len(_passes(work, "plain"))
    return f"Written down, `plain` takes {before} passes, fused {after}, and `fast` takes 1."


def _needs(steps, last, first):
    """Whether a step reads, directly or through others, what another one made; the steps are named by their nodes."""
    made = set()
    for step in steps:
        if step.node == first or made.intersection(step.inputs):
            if step.node == last:
                return step.node != first
            made.update(step.outputs)
    return False


def _passes(work, name, as_written=False):
    """The nodes of the steps that read an array as long as the samples."""
    fetch, feeds = work.tensor(name), {work.tensor("x"): np.zeros(SIZE, np.float32)}
    config = tf.SessionConfig(passes=()) if as_written else tf.SessionConfig()
    with tf.Session(graph=work.graph, config=config) as session:
        memory, plan = session.memory(fetch, feeds), session.plan(fetch, feeds)
    long = {buffer.slot for buffer in memory.buffers if buffer.size is None or buffer.size >= SIZE}
    return [step.node for step in plan.steps if step.op not in LOOKS and any(each in long for each in step.inputs)]
