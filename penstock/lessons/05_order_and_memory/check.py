"""The check of lesson 5: an order that follows the arrows, and the peak of memory of a sum, planned and measured."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "a-reader-may-come-first": "steps may come in any order. But a step needs the results that it reads, so it comes "
    "after the steps that make them: the arrows allow some orders only.",
    "any-order-costs-the-same": "orders with the same results cost the same. But a value stays in memory until its "
    "last reader has run, and when that is depends on the order.",
    "lines-are-the-order": "the order of the lines is the order of the run. But the session chooses the order, and "
    "makes one step of several additions; only arrows bind it.",
    "a-value-goes-with-its-line": "tables are used up one after the other by what adds them up. But a step has all "
    "that it reads in memory when it begins, and one that reads six tables needs all six.",
    "a-wait-frees": "what is done before the next one begins is gone by then. But memory is freed after the last "
    "reader, not after the maker: the reader has to come before the next table, too.",
    "old-nodes-wait": "everything that is named in a block of control_dependencies waits. But only what is built in it "
    "does; a node that existed before runs whenever its operands are there.",
    "python-frees": "memory is spared by leaving the graph: a run for each table, or a del. But a run frees "
    "by itself what no later step reads; the graph only has to allow it.",
}
NAMES = ("near", "far", "highest", "lowest", "mean")
READS = {"highest": "near", "mean": "near", "lowest": "far"}
ROWS = 100
MOST = 3
MAKERS = ("MatMul", "Mul", "Einsum")


def check_the_order(work):
    order = work.variable("order")
    if isinstance(order, str) or not hasattr(order, "__iter__"):
        work.wrong("", f"`order` is {order!r}; it should be a list of five names")
    names = [_name(each) for each in order]
    known = {op.name for op in work.nodes()}
    strange = [name for name in names if name not in known]
    if strange:
        work.wrong("", f"`order` names `{strange[0]}`, and the graph has no such node. The names are those of the "
                   f"nodes: {', '.join(NAMES)}")
    names = [name for name in names if name in NAMES]
    if sorted(names) != sorted(NAMES):
        twice = [name for name in NAMES if names.count(name) > 1]
        missing = [name for name in NAMES if name not in names]
        said = f"names `{twice[0]}` twice" if twice else f"leaves out `{'`, `'.join(missing)}`"
        work.wrong("", f"`order` {said}. Each of the five nodes runs once")
    for reader, made in READS.items():
        if names.index(reader) < names.index(made):
            work.wrong("a-reader-may-come-first", f"in your order `{reader}` comes before `{made}`, which it reads")
    last = {made: max(names.index(reader) for reader, of in READS.items() if of == made) for made in ("near", "far")}
    first, second = sorted(last, key=names.index)
    if names.index(second) < last[first]:
        work.wrong("any-order-costs-the-same", f"your order is right, but when `{second}` is made, `{first}` is still "
                   f"needed: `{names[last[first]]}` reads it later. So both tables are in memory. Let all readers of "
                   "the one table come before the other is made")


def check_the_sum_is_right(work):
    frugal = work.variable("frugal")
    if not isinstance(frugal, tf.Tensor):
        work.wrong("python-frees", f"`frugal` is a value ({type(frugal).__name__}), which was added up outside of the "
                   "graph. Build a tensor; one run has to give the whole sum")
    for rows in (3, 1):
        feeds = _feeds(work, rows)
        got = np.asarray(work.value(work.tensor("frugal"), feeds))
        right = sum(np.matmul(each, each.T) for each in feeds.values())
        if got.shape != right.shape or not np.allclose(got, right, atol=1e-3):
            size = f"its shape is {list(got.shape)} instead of {list(right.shape)}" if got.shape != right.shape else \
                f"it begins with {got.flat[0]:g} instead of {right.flat[0]:g}"
            work.wrong("", f"`frugal` is not the sum of the six tables: for columns of {rows}, {size}")


def check_the_memory(work):
    tables, at = _peak(work)
    if tables <= MOST:
        return
    fact = f"a run of `frugal` has {tables} tables in memory at its peak{at}; {MOST} are enough"
    above = work.above(work.tensor("frugal"))
    makers = [op for op in above if op.type in MAKERS and op.outputs[0].shape.ndims == 2]
    waiting = [op for op in makers if op.control_inputs]
    at_once = [op for op in above if op.type in ("AddN", "Pack", "ConcatV2", "Concat", "Stack")
               and sum(_needs(each.op, makers) for each in op.inputs) > MOST]
    if at_once and waiting:
        work.wrong("a-wait-frees", f"{fact}. The tables wait for each other, but `{at_once[0].name}` reads them "
                   "all, so each of them is kept until then")
    if at_once:
        work.wrong("a-value-goes-with-its-line", f"{fact}. `{at_once[0].name}` is one step that reads all tables "
                   "at once. Let the run add them one after the other")
    # An arrow from what a node reads anyway is not kept, so the graph alone does not tell.
    if not waiting and (any(op.control_inputs for op in above) or "control_dependencies" in work.source):
        work.wrong("old-nodes-wait", f"{fact}. You have control dependencies, but no table was built in such a block, "
                   "so all tables may be made at the beginning. Build the table inside")
    if not waiting and len(makers) > MOST:
        work.wrong("lines-are-the-order", f"{fact}. Nothing says that a table is made after the sum before it, so the "
                   "session makes them all and then adds them up in one step. Say so with tf.control_dependencies")
    if waiting and not any(each.type in ("Add", "AddV2", "AddN") for op in waiting for each in op.control_inputs):
        work.wrong("a-wait-frees", f"{fact}. The tables wait for each other, but not for the sums that read them, so "
                   "the sums may come at the end. Let each table wait for the sum before it")
    work.wrong("", f"{fact}. When may each table be freed? Only after its last reader")


def praise(work):
    session = work.session()
    plain = round(session.memory(work.tensor("plain"), _feeds(work, ROWS)).peak / (4 * ROWS * ROWS))
    return f"`plain` needs memory for {plain} tables, `frugal` for {_peak(work)[0]}; the values are the same."


def _peak(work):
    """How many tables a run of `frugal` has in memory at its peak, planned or measured, and at which step, in words."""
    frugal, feeds, told = work.tensor("frugal"), _feeds(work, ROWS), tf.RunMetadata()
    with work.session() as session:
        memory = session.memory(frugal, feeds)
        session.run(frugal, feeds, run_metadata=told)
        steps = session.plan(frugal, feeds).steps
    table = 4 * ROWS * ROWS
    at = f", in the step `{steps[memory.peak_step].node}`" if 0 <= memory.peak_step < len(steps) else ""
    if memory.peak >= told.record.peak_bytes - table // 2:
        return round(memory.peak / table), at
    return round(told.record.peak_bytes / table), ""


def _needs(op, makers):
    """Whether a table, or what a call with one operand made of it."""
    while op not in makers and len(op.inputs) >= 1 and op.type in ("Identity", "ExpandDims", "Reshape"):
        op = op.inputs[0].op
    return op in makers


def _feeds(work, rows):
    random = np.random.default_rng(work.seed)
    return {each: random.normal(size=[rows, 1]).astype(np.float32) for each in work.variable("columns")}


def _name(element):
    """The name of a node that is given as text, as a tensor or as the node."""
    text = element if isinstance(element, str) else getattr(element, "name", str(element))
    return text.removesuffix(":0")
