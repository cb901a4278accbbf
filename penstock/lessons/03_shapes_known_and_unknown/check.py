"""The check of lesson 3: sizes that are numbers or names where they are known, and a claim that a run checks."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "no-shape-is-freer": "a placeholder without a shape is the free choice. But then the graph knows nothing: say "
    "what every run has in common, here the number of axes and the four tasks.",
    "a-shape-is-that-of-the-data": "the shape of a placeholder is that of the data at hand. But a number holds for "
    "every run; a size that differs from run to run gets a name.",
    "none-says-enough": "None says enough, and twice None means the same size. But it says nothing: a run takes any "
    "sizes there, also two that differ, and stretches a 1. The same name in two places means the same size.",
    "a-name-is-a-comment": "a name is only a label of one axis. But it stands for a size, one in each run: sizes that "
    "are the same have one name, and sizes that differ have different names.",
    "the-graph-works-it-out": "the graph works out every size, or a run finds it in time. But how many rows fall "
    "into a part depends on values; what you know of it, set_shape has to say.",
    "a-call-makes-them-fit": "a call that changes the values makes the shapes right. But a claim changes nothing: "
    "set_shape says what is so, and a run with other sizes is refused.",
}


def stopped(work):
    """Named here: placeholders whose shapes are wrong, at which a later line then stopped."""
    if {"scores", "bonus", "group"} <= work.variables.keys():
        check_the_placeholders(work)


def check_the_placeholders(work):
    for name, axes in (("scores", 2), ("bonus", 1)):
        tensor = work.tensor(name)
        shape = tensor.shape
        if tensor.op.type != "Placeholder":
            work.wrong("", f"`{name}` is made by {tensor.op.type}; it should be a placeholder: tf.placeholder")
        if shape.ndims is None:
            work.wrong("no-shape-is-freer", f"`{name}` has no shape, so the graph does not even know that it has "
                       f"{axes} {'axis' if axes == 1 else 'axes'}. Say so")
        if shape.ndims != axes:
            work.wrong("", f"`{name}` has the shape {shape}, so {shape.ndims} axes; it should have {axes}")
    rows, tasks = work.tensor("scores").shape
    if tasks.value != 4:
        work.wrong("none-says-enough" if not _is_known(tasks) else "a-name-is-a-comment",
                   f"the second size of `scores` is {tasks}, but every run has 4 tasks: a number is known there")
    for name, size in (("scores", rows), ("bonus", work.tensor("bonus").shape[0])):
        if size.value is not None:
            work.wrong("a-shape-is-that-of-the-data", f"`{name}` has room for {size} students, no more and no fewer. "
                       "The number of students differs from run to run: give it a name")
        if not _is_known(size):
            work.wrong("none-says-enough", f"the number of students in `{name}` is {size}, so nothing says that "
                       "it is that of `group`. Use the name that `group` has for it")
    students = work.tensor("group").shape[0]
    for name, size in (("scores", rows), ("bonus", work.tensor("bonus").shape[0])):
        if size != students:
            work.wrong("a-name-is-a-comment", f"`{name}` counts `{size}`, and `group` counts `{students}`: for the "
                       "graph these are two sizes, and a run may feed different ones. Use one name")


def check_the_pairs_are_right(work):
    scores = _scores(work)
    for group, first, second in (([0, 1], 0, 1), ([1, 0], 1, 0)):
        _try(work, {"scores": scores, "bonus": [0.0, 6.0], "group": group}, [(first, second)])
    four = {"scores": scores + scores[::-1], "bonus": [3.0, 0.0, 0.0, 1.0], "group": [1, 1, 0, 0]}
    _try(work, four, [(2, 0), (3, 1)])
    _try(work, {"scores": np.zeros([0, 4]), "bonus": [], "group": []}, [])


def check_unequal_groups_are_refused(work):
    for group in ([0, 1, 1, 1], [0, 0, 1, 0]):
        feeds = {"scores": _scores(work) * 2, "bonus": [0.0] * 4, "group": group}
        error, got = _run(work, feeds)
        if error is not None:
            continue
        fact = (f"with one student in one group and three in the other, `pairs` is {got.round(2)}, and no error: "
                f"{'the one was paired with all three' if got.shape == (3,) else 'some have no partner'}")
        names = [str(work.tensor(side).shape) for side in ("left", "right")]
        if len(got) != 3 or any(op.type in ("Reshape", "Slice", "StridedSlice") for op in _inside(work)):
            work.wrong("a-call-makes-them-fit", f"{fact}. Call set_shape on `left` and on `right` instead")
        if names[0] != names[1] and "(?,)" not in names:
            work.wrong("a-name-is-a-comment", f"{fact}. `left` is {names[0]} and `right` is {names[1]}: two names, so "
                       "two sizes. Use one name in both")
        if any(op.type == "EnsureShape" for op in _inside(work)):
            work.wrong("the-graph-works-it-out", f"{fact}. tf.ensure_shape checks numbers; it is set_shape that takes "
                       "names")
        work.wrong("the-graph-works-it-out", f"{fact}. `left` is {names[0]} and `right` is {names[1]}; what you know "
                   "of their sizes is not in the graph. Say with set_shape that they are the same")


def check_the_graph_knows_the_result(work):
    pairs = work.tensor("pairs")
    if pairs.shape.ndims != 1 or not _is_known(pairs.shape[0]):
        work.wrong("the-graph-works-it-out", f"unequal groups are refused, but the graph still does not know the size "
                   f"of the result: `pairs` is {pairs.shape}. Call set_shape before you calculate:\n\n"
                   + _indented(str(tf.why_unknown(pairs))))


def praise(work):
    final, pairs = work.tensor("final").shape, work.tensor("pairs").shape
    return (f"`final` is {final} and `pairs` is {pairs}: the sizes have names, and a run that does not keep to them is "
            "refused.")


def _scores(work):
    """The scores of two students in four tasks."""
    return np.round(work.random.uniform(0, 9, [2, 4]), 1).tolist()


def _try(work, feeds, pairs):
    """Compare `pairs` with the right values, for feeds whose groups are equally large."""
    error, got = _run(work, feeds)
    count = len(feeds["bonus"])
    if error is not None:
        _name_the_refusal(work, error, count)
    marks = np.sum(feeds["scores"], axis=1) + np.asarray(feeds["bonus"])
    right = np.asarray([(marks[one] + marks[other]) / 2 for one, other in pairs])
    if got.shape != right.shape or not np.allclose(got, right, atol=1e-4):
        work.wrong("", f"`pairs` is {got} for the final marks {marks} in the groups {feeds['group']}; it should be "
                   f"{right}: for each pair the mean of its two marks")


def _name_the_refusal(work, error, count):
    """Why a run with two equally large groups fails."""
    sizes = [size for side in ("left", "right") for size in work.tensor(side).shape or ()]
    students = work.tensor("group").shape[0]
    told = f"a run with {count} students in two groups of {count // 2} fails: {str(error).splitlines()[0]}"
    if any(size.value is not None for size in sizes) or any(op.type == "Reshape" for op in _inside(work)):
        work.wrong("a-shape-is-that-of-the-data", f"{told}. A number holds for every run: give the size of a group a "
                   "name")
    if students in sizes:
        work.wrong("a-name-is-a-comment", f"{told}. `{students}` is the size of the whole class. A group has another "
                   "size, so it needs another name")
    work.wrong("", told)


def _run(work, feeds):
    """The error and the value of a run with these feeds: one of the two is None."""
    try:
        with work.session() as session:
            given = {work.tensor(name): value for name, value in feeds.items()}
            return None, np.asarray(session.run(work.tensor("pairs"), given))
    except tf.errors.PenstockError as error:
        return error, None


def _inside(work):
    """The operations between the two groups and the result."""
    return work.above(work.tensor("pairs")) - work.above(work.tensor("left"))


def _is_known(size):
    """Whether a size is a number, a name, or an expression in names."""
    return "?" not in str(size)


def _indented(text):
    return "    " + text.replace("\n", "\n    ")
