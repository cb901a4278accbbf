"""The check of lesson 6: each trip has its hours, in order, and each formula worked on the trips of its kind only."""

import re
from itertools import permutations

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "python-decides": "Python can choose the formula of each trip. But it sees no values while the graph is built; the "
    "graph sorts the elements, in each run anew.",
    "one-graph-for-one-list": "the kinds and places of the list at hand can be written into the graph. But they are "
    "data, like the distances: the graph works them out from what is fed.",
    "parts-remember-their-places": "a part knows where its elements came from. But it holds values and nothing else: "
    "the places are partitioned with the same labels, and go into the stitch.",
    "places-count-anew": "the places of a part are 0, 1, 2 and so on. But they are places in the whole: partition the "
    "numbers 0, 1, 2, ... of all elements with the same labels.",
    "all-is-computed-then-chosen": "choosing among results spares work. But what is chosen from has been computed, for "
    "all elements: partition first, and each formula sees its own part only.",
    "a-part-is-never-empty": "there is an element of each kind. But a run may have none: a formula on an empty part "
    "gives an empty result, and needs no special case.",
}
FORMULAS = (("foot", lambda km: km / 5), ("train", lambda km: km / 120 + 0.25), ("plane", lambda km: km / 800 + 2))
MIXED = [2, 0, 2, 1, 0]
KINDS = ([1, 1], [0, 0, 0], [2], [0, 2, 0, 2], [])


def check_it_is_in_the_graph(work):
    hours = work.tensor("hours", "python-decides", f"`hours` is a value ({type(work.variable('hours')).__name__}): the "
                        "trips were told apart by Python, after a run. Build a tensor")
    missing = [name for name in ("km", "kind") if work.tensor(name).op not in work.above(hours)]
    if missing:
        work.wrong("one-graph-for-one-list", f"`hours` does not depend on `{missing[0]}`: with other values there it "
                   "stays the same. Use the placeholder, not the list")


def check_the_hours(work):
    km = _distances(work, MIXED)
    right = _right(km, MIXED)
    error, got = _run(work, km, MIXED)
    if error is not None:
        _name_constants(work, f"a run with {len(MIXED)} trips fails: {_first(error)}")
        work.wrong("", f"a run with the kinds {MIXED} fails: {_first(error)}")
    if got.shape == right.shape and np.allclose(got, right, atol=1e-4):
        return
    parts = [right[np.asarray(MIXED) == number] for number in range(3)]
    told = (f"for the distances {km} and the kinds {MIXED}, `hours` is {_short(got)}; it should be "
            f"{_short(right)}")
    _name_constants(work, told)
    if got.shape == right.shape and np.allclose(got, np.concatenate(parts), atol=1e-4):
        work.wrong("parts-remember-their-places", f"{told}. The hours are right, but they stand part after part. Put "
                   "them back with tf.dynamic_stitch")
    if any(got.shape == each.shape and np.allclose(got, each, rtol=1e-5) for each in _counted_anew(parts)):
        work.wrong("places-count-anew", f"{told}. The parts were laid over each other, because each has places that "
                   "begin with 0")
    for order in list(permutations(range(3)))[1:]:
        other = _right(km, [order[number] for number in MIXED])
        if got.shape == other.shape and np.allclose(got, other, rtol=1e-4):
            number = next(each for each in range(3) if order[each] != each)
            work.wrong("", f"{told}. Trips of kind {number} get the hours of `{FORMULAS[order[number]][0]}`")
    stitches = [op for op in work.above(work.tensor("hours")) if op.type == "DynamicStitch"]
    if any(work.tensor("kind") in op.inputs[: len(op.inputs) // 2] for op in stitches):
        work.wrong("parts-remember-their-places", f"{told}. `kind` says what each trip is, and not where it stands: "
                   "partition the places 0, 1, 2, ... by it")
    work.wrong("", told)


def check_parts_may_be_empty(work):
    for kind in KINDS:
        km = _distances(work, kind)
        error, got = _run(work, km, kind)
        right = _right(km, kind)
        told = f"for the kinds {kind}" if kind else "for a list without trips"
        if error is not None:
            _name_constants(work, f"{told} the run fails: {_first(error)}")
            work.wrong("a-part-is-never-empty", f"{told} the run fails: {_first(error)}")
        if got.shape != right.shape or not np.allclose(got, right, atol=1e-4):
            work.wrong("a-part-is-never-empty", f"{told} `hours` is {_short(got)}; it should be {_short(right)}")


def check_each_formula_worked_on_its_part(work):
    elements = _elements(work)
    if not any(elements):
        work.wrong("", "no node of the three functions has run. Call on_foot, by_train and by_plane as they are")
    for number, (name, _) in enumerate(FORMULAS):
        worked = elements[number]
        due = MIXED.count(number)
        if worked > due:
            are = "is" if due == 1 else "are"
            work.wrong("all-is-computed-then-chosen", f"of {len(MIXED)} trips {due} {are} of kind {number}, but "
                       f"`{name}` was computed for {worked}. Give the function its part only")


def praise(work):
    return (f"{len(MIXED)} trips, {sum(_elements(work))} pieces of work, and every result at its place. Lists of "
            "one kind and an empty list work as well.")


def _distances(work, kind):
    """Distances that the program does not have, one for each trip."""
    return [float(each) for each in work.random.integers(2, 2000, len(kind))]


def _run(work, km, kind):
    """The error and the value of a run with these trips: one of the two is None."""
    try:
        with work.session() as session:
            feeds = {work.tensor("km"): np.float32(km), work.tensor("kind"): np.int32(kind)}
            return None, np.asarray(session.run(work.tensor("hours"), feeds))
    except tf.errors.PenstockError as error:
        return error, None


def _right(km, kind):
    return np.float32([FORMULAS[number][1](far) for far, number in zip(km, kind, strict=True)])


def _elements(work):
    """For how many elements each function's node was computed, from a trace of a run with mixed trips."""
    with work.session() as session:
        feeds = {work.tensor("km"): _distances(work, MIXED), work.tensor("kind"): MIXED}
        trace = session.trace(work.tensor("hours"), feeds)
    return [sum(np.size(value) for key, value in trace.items() if re.search(rf"(^|/){name}(_\d+)?:0$", str(key)))
            for name, _ in FORMULAS]  # fmt: skip


def _counted_anew(parts):
    """What a stitch gives whose places begin with 0 in each part."""
    laid = np.zeros(max(map(len, parts)), np.float32)
    for part in parts:
        laid[: len(part)] = part
    yield laid


def _name_constants(work, fact):
    """Named here: sizes or places that are written into the graph."""
    kind = work.tensor("kind").op
    for op in work.above(work.tensor("hours")):
        if op.type == "DynamicStitch":
            places = op.inputs[: len(op.inputs) // 2]
        elif op.type in ("Split", "SplitV", "ScatterNd", "Gather", "GatherV2", "GatherNd"):
            places = op.inputs[1:2]
        else:
            continue
        if not any(kind in work.above(each) for each in places):
            work.wrong("one-graph-for-one-list", f"{fact}. The places in `{op.name}` do not depend on `kind`")


def _first(error):
    return str(error).splitlines()[0]


def _short(value):
    return np.array2string(np.asarray(value), precision=3)
