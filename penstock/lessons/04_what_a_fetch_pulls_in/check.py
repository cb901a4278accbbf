"""The check of lesson 4: a run that fetches and feeds no more than it needs, and one that is fed in the middle."""

import numpy as np

from penstock.lessons import values_in

MISCONCEPTIONS = {
    "everything-must-be-fed": "every placeholder needs a value, because a run computes the whole graph. But a run goes "
    "backwards from its fetches, and needs only the placeholders that it meets.",
    "everything-runs-anyway": "a run computes everything anyway, so one may fetch it all. But it computes what is "
    "fetched and what that needs, and nothing else.",
    "only-placeholders-are-fed": "only placeholders can be fed. But any tensor can: a run takes the value that you "
    "give, and computes nothing above it.",
    "what-if-needs-new-nodes": "for another value in the middle one has to leave the graph, or to build a part of it "
    "again. But any tensor of the graph can be fed with another value.",
}
BUILT = {"prices", "counts", "rate", "mul", "total", "tax", "bill", "dearest", "share"}
ABOVE_TOTAL = ("prices:0", "counts:0")


def check_the_graph_is_as_it_was(work):
    added = [op.name for op in work.nodes() if op.name not in BUILT]
    if added:
        is_text = "is a node" if len(added) == 1 else "are nodes"
        work.wrong("what-if-needs-new-nodes", f"`{'`, `'.join(added[:5])}` {is_text} that the program did not have. "
                   "Both questions can be answered by the graph as it is")
    names = {op.name for op in work.nodes()}
    if BUILT - names:
        work.wrong("", f"`{min(BUILT - names)}` is missing. Leave the lines above the session as they were")


def check_the_graph_computes_what_it_did(work):
    prices, counts = (np.float32(np.round(work.random.uniform(1, 20, 4), 1)) for _ in range(2))
    rate = np.float32(round(work.random.uniform(0.1, 0.9), 2))
    total = (prices * counts).sum()
    right = {"total": total, "tax": total * rate, "bill": total * (1 + rate), "dearest": prices.max(),
             "share": prices.max() / total}
    got = work.value({name: f"{name}:0" for name in right}, {"prices:0": prices, "counts:0": counts, "rate:0": rate})
    for name, value in right.items():
        if not np.allclose(got[name], value, rtol=1e-3):
            work.wrong("", f"`{name}` does not compute what it did: for other prices it is {got[name]:g} instead of "
                       f"{value:g}. Leave the lines above the session as they were")


def check_the_first_run(work):
    today = work.variable("today")
    run = _run_with(work, ("dearest", "total"))
    if run is None:
        work.wrong("", "no run fetches `dearest` and `total` together. Give session.run a list of the two")
    needless = [name for name in run.fed if name not in ABOVE_TOTAL]
    more = sorted({each.name for each in run.fetched} - {"dearest:0", "total:0"})
    if more:
        few, many = (len(work.computed(fetches)) for fetches in (["dearest:0", "total:0"], run.fetches))
        work.wrong("everything-runs-anyway", f"the run{run.at} also fetches `{'`, `'.join(more)}`, so it computes "
                   f"{many} operations instead of {few}" + (f", and has to be fed `{needless[0]}`" if needless else ""))
    if needless:
        work.wrong("everything-must-be-fed", f"the run{run.at} is fed `{'`, `'.join(needless)}`, which neither "
                   "`dearest` nor `total` needs. Leave it out")
    prices, counts = (np.float32(work.variable(name)) for name in ("PRICES", "COUNTS"))
    fed = {name: np.float32(run.feeds[f"{name.lower()}:0"]) for name in ("PRICES", "COUNTS")}
    other = [name for name, right in (("PRICES", prices), ("COUNTS", counts)) if not np.array_equal(fed[name], right)]
    if other:
        work.wrong("", f"the run{run.at} is fed other numbers than {other[0]}, so `today` does not come from it")
    got = [float(each) for each in values_in(today) if np.shape(each) == ()]
    for right in (prices.max(), (prices * counts).sum()):
        if not any(np.isclose(each, right) for each in got):
            work.wrong("", f"`today` should hold {right:g} among its values; feed PRICES and COUNTS, and keep what the "
                       "run returns")


def check_the_second_run(work):
    what_if = work.variable("what_if")
    values = values_in(what_if)
    run = _run_with(work, ("bill",))
    other = next((each for each in work.runs if "total:0" in each.fed and "bill:0" not in each.fed), None)
    if run is None and other is not None:
        names = "`, `".join(each.name.removesuffix(":0") for each in other.fetched)
        work.wrong("", f"the run{other.at} is fed the total, but it fetches `{names}`. The question is the bill: fetch "
                   "`bill`")
    if run is None:
        work.wrong("what-if-needs-new-nodes", "no run fetches `bill`, so the answer was worked out beside the graph. "
                   "Fetch `bill`, and give the run the total")
    needless = [name for name in run.fed if name in ABOVE_TOTAL]
    if "total:0" not in run.fed and needless and "bill:0" not in run.fed:
        total = float(work.value("total:0", run.feeds))
        if not np.isclose(total, 1000.0):
            work.wrong("only-placeholders-are-fed", f"the run{run.at} computes `total` from the prices and counts, and "
                       f"that is {total:g}, not 1000. Feed `total` itself: {{total: 1000.0, ...}}. Another value for "
                       "Python's variable does not reach the graph")
        work.wrong("only-placeholders-are-fed", f"the run{run.at} computes `total` from prices and counts that were "
                   "made up to give 1000. Feed `total` itself")
    if needless:
        work.wrong("everything-must-be-fed", f"the run{run.at} is fed `{'`, `'.join(needless)}`. But `total` is fed, "
                   "and what stands above it does not run. Leave them out")
    if "bill:0" in run.fed:
        work.wrong("", f"the run{run.at} is fed `bill` itself, so it computes nothing. Feed what you know: the total "
                   "and the rate")
    if "tax:0" in run.fed:
        work.wrong("what-if-needs-new-nodes", f"the run{run.at} is fed `tax`, so that was worked out beside the graph. "
                   "Feed what you know, the total and the rate; the graph computes the tax")
    gives = float(work.value("bill:0", run.feeds))
    if not np.isclose(gives, 1200.0):
        work.wrong("", f"the run{run.at} is fed a total of {float(run.feeds['total:0']):g} and gives a bill of "
                   f"{gives:g}; feed 1000 and a rate of 0.2, and take the answer from this run")
    if not any(np.shape(each) == () and np.isclose(float(each), 1200.0) for each in values):
        work.wrong("", f"`what_if` should be 1200, the bill for a total of 1000 at a rate of 0.2; it is {what_if}")


def praise(work):
    first, second = _run_with(work, ("dearest", "total")), _run_with(work, ("bill",))
    counts = [len(work.computed(run.fetches, list(run.fed))) for run in (first, second)]
    whole = len([op for op in work.nodes() if op.type not in ("Placeholder", "Const")])
    return (f"The graph has {whole} operations to compute. Your first run computed {counts[0]} of them, the second "
            f"{counts[1]}.")


def _run_with(work, names):
    """The last run that fetches the first results of these nodes."""
    wanted = {f"{name}:0" for name in names}
    found = [run for run in work.runs if wanted <= {each.name for each in run.fetched}]
    return found[-1] if found else None
