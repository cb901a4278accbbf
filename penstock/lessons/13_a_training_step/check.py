"""The check of lesson 13: several training steps, run by run, against the rule; and that one fetch is a whole step."""

import numpy as np

import penstock as tf

MISCONCEPTIONS = {
    "a-slot-is-a-value": "what an optimizer keeps can be a tensor or a number of the program. But a run forgets all "
    "that it computed; only a variable is there in the next one.",
    "the-result-is-the-state": "the variable has changed once its new value is computed. But only a write changes it; "
    "setting a name of Python to a new tensor does not.",
    "a-built-write-happens": "both writes happen because both are built. But a run makes those that what it fetches "
    "needs, and no path leads from here to the other.",
    "lines-are-the-order": "the second line sees what the first one has written. But it reads the value of the start "
    "of the run, unless a path leads from the write to it.",
    "only-the-gradient-counts": "a step follows the gradient of now alone. But with momentum it goes on with most of "
    "the speed that it had: 0.9 of the old speed is a part of the new one.",
    "the-gradient-points-down": "the gradient points to where the loss is smaller. But it points uphill, so it is "
    "subtracted.",
    "feeds-stay": "a run remembers what was fed before, or the data may be a part of the graph. But each run has its "
    "own feeds, and a step has to follow the data that it is given.",
    "the-optimizer-is-a-command": "an optimizer is a command that changes variables from outside. But it builds "
    "nodes, and the same nodes can be built by hand: do so here.",
    "slots-cost-nothing": "an optimizer keeps nothing, or one number. But it keeps one or two numbers for each number "
    "of the variable, and maybe some for itself.",
}
PART, RATE = 0.9, 0.05


def stopped(work):
    """Named here: a step that is no node."""
    if type(work.variables.get("step")).__name__ == "function":
        work.wrong("the-result-is-the-state", "`step` is a function, which a run cannot fetch. It must be an operation "
                   "or a tensor, which writes both variables")


def check_the_slot_is_a_variable(work):
    work.variable("step")
    speed = work.variable("speed")
    if not isinstance(speed, tf.Variable):
        what = "a tensor, which each run computes anew" if isinstance(speed, tf.Tensor) else f"a {type(speed).__name__}"
        work.wrong("a-slot-is-a-value", f"`speed` is {what}. It has to be a tf.Variable, so that the next run finds it")


def check_the_steps(work):
    step = _step(work)
    if any("/update_" in op.name for op in work.above(step)):
        work.wrong("the-optimizer-is-a-command", "`step` is built by tf.train. Build it by hand: a gradient and two "
                   "writes")
    moves = _moves(work, step)
    (_, first, _), (_, second, _) = moves[0], moves[1]
    zeros = np.zeros(2)
    if all(np.allclose(after, before) for before, after, _ in moves):
        written = _written(work, step)
        if "w" in written:
            work.wrong("a-built-write-happens" if len(written) == 1 else "lines-are-the-order",
                       "a run of `step` writes `w`, and leaves it as it was: it uses the speed from before, which is "
                       "0. A path has to lead from the write of `speed` to `step`")
        if written:
            work.wrong("a-built-write-happens", "a run of `step` leaves `w` as it was; it writes " + _list(written) +
                       ". A path has to lead from the write of `w` to `step`")
        work.wrong("the-result-is-the-state", "a run of `step` changes no variable: it computes a value and writes it "
                   "nowhere. Use assign, or assign_sub, of the variable")
    if np.allclose(first, zeros):
        work.wrong("lines-are-the-order", "the first run of `step` leaves `w` as it was: it uses the speed from "
                   "before, which is 0. Let it read the result of the write of `speed`")
    rule = _by_rule(work, PART, RATE)
    if all(np.allclose(after, wanted, rtol=1e-3, atol=1e-4) for (_, after, _), wanted in zip(moves, rule, strict=True)):
        return
    fact = f"after two steps `w` is {_short(second)}; it should be {_short(rule[1])}"
    if np.allclose(first, -rule[0], rtol=1e-3):
        work.wrong("the-gradient-points-down", f"after one step `w` is {_short(first)}, and it should be "
                   f"{_short(rule[0])}: the step goes uphill. Subtract")
    if np.allclose(second, _by_rule(work, 0.0, RATE)[1], rtol=1e-3):
        if set(_written(work, step)) != {"w", work.variable("speed").op.name}:
            work.wrong("a-built-write-happens", f"{fact}. A run of `step` writes " + _list(_written(work, step)) +
                       ", so the speed stays 0: no path leads from its write to `step`")
        work.wrong("only-the-gradient-counts", f"{fact}. That is what the gradients alone give: the new speed does not "
                   "depend on the old one")
    if not {work.tensor("x").op, work.tensor("y").op} <= work.above(step):
        work.wrong("feeds-stay", f"{fact}. `step` does not depend on what is fed for `x` and `y`")
    if not np.allclose(first, rule[0], rtol=1e-3):
        fact = f"after one step `w` is {_short(first)}; it should be {_short(rule[0])}"
    work.wrong("", fact)


def check_each_run_is_one_step(work):
    told = [(loss, right) for (_, _, loss), right in zip(_moves(work, _step(work)), _losses(work), strict=True)]
    wrong = [each for each in told if not np.isclose(*each, rtol=1e-3, atol=1e-5)]
    if wrong:
        work.wrong("", f"`loss`, fetched beside `step`, is {wrong[0][0]:.5g}; it should be {wrong[0][1]:.5g}, that of "
                   "before the step")
    races = work.graph.races([work.tensor("loss"), _step(work)])
    found = [race for races_of_one in races.by_variable().values() for race in races_of_one]
    if found:
        work.wrong("lines-are-the-order", f"the values are right, but no path orders `{found[0].first}` and "
                   f"`{found[0].write}`. Build the later one from the result of the earlier one")


def check_what_adam_keeps(work):
    kept, right = work.variable("kept"), _adam_keeps()
    if kept == right:
        return
    if isinstance(kept, (int, float, np.number)) and kept < right:
        work.wrong("slots-cost-nothing", f"`kept` is {kept}. Adam keeps more: build its minimize in a graph of its "
                   "own, and look at tf.global_variables()")
    work.wrong("", f"`kept` is {kept!r}; it should be a number: how many numbers are in all variables, without the "
               "two of `w`")


def praise(work):
    losses = [loss for _, _, loss in _moves(work, _step(work))]
    return (f"One fetch is one step. In {len(losses)} steps on data that your program has not seen, the loss went from "
            f"{losses[0]:.3g} to {losses[-1]:.3g}.")


def _step(work):
    step = work.variable("step")
    if isinstance(step, tf.Variable) or not isinstance(step, (tf.Tensor, tf.Operation)):
        work.wrong("the-result-is-the-state", f"`step` is a {type(step).__name__}; it must be an operation or a tensor "
                   "of the graph, which one run can fetch")
    return step


def _written(work, step):
    """The names of the variables that a run of the step writes."""
    return [str(each) for each in work.plan(step, [work.tensor("x"), work.tensor("y")]).written]


def _list(names):
    return " and ".join(f"`{name}`" for name in names) + " only"


def _data(work):
    """Rows and results for six steps, that the program does not have."""
    random = np.random.default_rng(work.seed)
    goal = np.round(random.uniform(1, 3, 2), 1)
    found = []
    for size in (4, 3, 4, 2, 4, 4):
        rows = np.round(random.uniform(0.2, 1.5, [size, 2]), 1)
        found.append((rows, rows @ goal))
    return found


def _moves(work, step):
    """For each step: `w` before, `w` after it, and the loss that was fetched beside it."""
    moves = []
    w, loss = work.variable("w"), work.tensor("loss")
    with work.session() as session:
        for rows, results in _data(work):
            before = session.run(w)
            try:
                loss_now = session.run([loss, step], {work.tensor("x"): rows, work.tensor("y"): results})[0]
            except Exception as error:
                work.wrong("", f"a run of `step` with {len(rows)} rows fails: {str(error).splitlines()[0]}")
            moves.append((before, session.run(w), float(loss_now)))
    return moves


def _simulated(work, part, rate):
    """For each step, by the rule: `w` after it, and the loss before it."""
    w, speed = np.zeros(2), np.zeros(2)
    for rows, results in _data(work):
        error = rows @ w - results
        speed = part * speed + 2 * (rows * error[:, None]).mean(0)
        w = w - rate * speed
        yield w, np.square(error).mean()


def _by_rule(work, part, rate):
    return [w for w, _ in _simulated(work, part, rate)]


def _losses(work):
    return [loss for _, loss in _simulated(work, PART, RATE)]


def _adam_keeps():
    with tf.Graph().as_default():
        w = tf.Variable([0.0, 0.0])
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(w))
        return sum(each.shape.num_elements() for each in tf.global_variables()) - 2


def _short(value):
    return np.array2string(np.asarray(value), precision=4)
