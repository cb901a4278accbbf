"""The check of lesson 2: two results under their names, every node in a scope, and a run that fetches by name."""

import numpy as np

from penstock.lessons import values_in

MISCONCEPTIONS = {
    "a-variable-names-a-node": "a node has the name of the Python variable that holds it. But the graph does not see "
    "Python's variables; a node gets its name from `name=`, or else from its operation.",
    "a-name-can-be-used-twice": "a name can be given twice. But names are unique in a graph: the second one gets a "
    "number. Different scopes keep equal names apart.",
    "a-slash-is-a-scope-for-all": "a prefix in one name holds for the nodes around it too. But it is a part of that "
    "one name; `with tf.name_scope(...)` gives a prefix to all nodes that are built in its block.",
    "the-next-scope-ends-the-last": "a scope ends where the next one begins. But it ends with its block, and a scope "
    "that is opened inside is a part of it.",
    "a-node-is-its-result": "the name of a node is the name of its result. But a node may have several results: the "
    "first one of `heights/scores` is `heights/scores:0`. To fetch the node gives no value.",
    "names-are-for-pictures": "names are only labels in pictures. But a run finds tensors by them, also in a graph "
    "that comes from a file, where there are no variables.",
}
WANTED = {"heights/scores": "height:0", "weights/scores": "weight:0"}


def stopped(work):
    """Named here: what a run did not find, because the nodes are called otherwise."""
    if {"first", "second"} <= work.variables.keys():
        check_the_results_have_their_names(work)
        name = next((name for name in ("first", "second") if f"The name '{name}" in work.stopped), None)
        if name is not None:
            work.wrong("a-variable-names-a-node", f"`{name}` is a name of Python's, and the graph does not know it. "
                       f"The results are called `{'` and `'.join(WANTED)}`")


def check_the_results_have_their_names(work):
    known = {op.name: op for op in work.nodes()}
    for name in WANTED:
        if name in known:
            continue
        scores = [other for other in known if other.rpartition("/")[2].startswith("scores")]
        nested = [other for other in scores if other.endswith(name)]
        fact = f"there is no node called `{name}`"
        if nested:
            work.wrong("the-next-scope-ends-the-last", f"{fact}; it is called `{nested[0]}`, so one scope was opened "
                       "inside of another. Leave the block of the first before the second begins")
        if len(scores) > 1:
            work.wrong("a-name-can-be-used-twice", f"{fact}; your results are called `{'` and `'.join(scores)}`. Put "
                       "each call into a scope of its own: `label` says which")
        made = work.variable("first" if name.startswith("heights") else "second")
        called = getattr(made, "name", None)
        if called is None:
            work.wrong("", f"{fact}, and the function returned {_kind(made)}. Build the scores with Penstock's "
                       "operations, and return the last of them")
        work.wrong("a-variable-names-a-node", f"{fact}; the result is called `{called}`. Give the operation that makes "
                   "it name=\"scores\", in the scope `label`")


def check_the_results_are_right(work):
    feeds = {fed: np.round(work.random.uniform(1, 90, 4), 1) for fed in WANTED.values()}
    for name, fed in WANTED.items():
        values = np.float32(feeds[fed])
        got = np.asarray(work.value(f"{name}:0", feeds))
        spread = (values.std(), values.std(ddof=1))  # both are called the standard deviation
        centred = values - values.mean()
        given, made = (work.graph.get_tensor_by_name(each).op for each in (fed, f"{name}:0"))
        if given not in work.above(made):
            work.wrong("", f"`{name}` does not depend on `{fed[:-2]}`: with other values it stays the same. Build it "
                       "from the argument `values`")
        if got.shape != values.shape:
            work.wrong("", f"`{name}:0` has the shape {list(got.shape)} for {len(values)} people; it should have a "
                       "score for each of them")
        if any(np.allclose(got, centred / each, atol=1e-4) for each in spread):
            continue
        told = (f"`{name}:0` is {_short(got)} for {fed} = {_short(feeds[fed])}; it should be "
                f"{_short(centred / values.std())}")
        by = np.linalg.norm(centred) / max(np.linalg.norm(got), 1e-9)
        if np.allclose(got * by, centred, rtol=1e-3, atol=1e-3):
            work.wrong("", f"{told}. You have divided by {by:.4g}, and the standard deviation of these values is "
                       f"{values.std():.4g}: the root of the mean of the squares, in each run anew")
        work.wrong("", f"{told}: minus their mean, divided by the root of the mean of their squares")


def check_every_node_stands_in_a_scope(work):
    outside = [op.name for op in work.nodes() if op.type not in ("Placeholder", "Const")
               and not op.name.startswith(("heights/", "weights/"))]
    if outside:
        are = "stands" if len(outside) == 1 else "stand"
        work.wrong("a-slash-is-a-scope-for-all", f"`{'`, `'.join(outside[:6])}` {are} outside of both scopes. All "
                   "nodes of the function belong in the scope `label`, not only the last")


def check_they_are_fetched_by_name(work):
    result = work.variable("result")
    if not work.runs:
        work.wrong("", "the program makes no run; fetch both results with session.run")
    last = work.runs[-1]
    texts = [each for each in values_in(last.fetches) if isinstance(each, str)]
    if not texts and "get_tensor_by_name" in work.source:
        work.wrong("", f"you look the results up with get_tensor_by_name, and the run{last.at} fetches what it finds. "
                   "That works, but a run does the looking up itself: give session.run the names as text")
    if not texts:
        work.wrong("names-are-for-pictures", f"the run{last.at} fetches tensors. Fetch them by name: write the names "
                   "of the two results as text")
    bare = [text for text in texts if text in WANTED]
    if bare:
        work.wrong("a-node-is-its-result", f"the run{last.at} fetches `{bare[0]}`, which is a node, and gives None "
                   f"for it. Its result is `{bare[0]}:0`")
    missing = [f"{name}:0" for name in WANTED if f"{name}:0" not in texts]
    if missing:
        work.wrong("", f"the run{last.at} does not fetch `{'` and `'.join(missing)}` by name")
    values = values_in(result)
    feeds = {f"{fed}:0": work.variable(data) for fed, data in (("height", "HEIGHTS"), ("weight", "WEIGHTS"))}
    for (name, fed), data in zip(WANTED.items(), ("HEIGHTS", "WEIGHTS"), strict=True):
        right = np.asarray(work.value(f"{name}:0", {fed: feeds[fed]}))
        if not any(np.shape(value) == right.shape and np.allclose(value, right, atol=1e-4) for value in values):
            work.wrong("", f"`result` should hold {_short(right)}, the scores for {data}; keep what the run returns")


def praise(work):
    return ("Everything that the function built is in `heights` and `weights`, and a run found both results by name "
            "alone, without a variable of Python.")


def _kind(value):
    return "None" if value is None else f"a value ({type(value).__name__})"


def _short(value):
    return np.array2string(np.asarray(value), precision=3)
