"""Mistakes in training programs: the error says what was found, the rule, and what to write; it ends in this file.

Three rules hold for all of them: no message speaks of gradients unless the call is about gradients, none shows an
address or a path of the package, and the traceback has the program's frames only. Where the cure is code, it is run.
"""

import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.extend import T, Tensor, op
from penstock.graph.declare.op_declaration import OPS


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made
    for name in [each for each in OPS if each.startswith("MistakenKernel")]:
        del OPS[name]


tf_any: Any = tf
train: Any = tf.train
layers: Any = tf.layers
losses: Any = tf.losses
summary: Any = tf.summary


def loss() -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    return tf.reduce_sum(w * w)


def x() -> Any:
    return tf.placeholder(tf.float32, [None, 3], name="x")


def run(fetches: Any, *more: Any) -> Any:
    with tf.Session() as session:
        return session.run(fetches, *more)


def descent(rate: Any = 0.1) -> Any:
    return train.GradientDescentOptimizer(rate)


def trained_value() -> Any:
    value = loss()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            value = session.run(value)


def pairs(exchange: bool) -> Any:
    found = descent().compute_gradients(loss())
    return descent().apply_gradients([(v, g) for g, v in found] if exchange else [g for g, _ in found])


def average() -> Any:
    return train.ExponentialMovingAverage(0.9).average(tf.Variable(1.0, name="v"))


def fixed(count: int) -> Any:
    v = [tf.Variable(1.0, trainable=False, name=f"v{i}") for i in range(count)]
    return descent().minimize(tf.add_n([each * 1.0 for each in v]) if v else tf.constant(1.0))


def cond(true_fn: Any, false_fn: Any, pred: Any = None) -> Any:
    return tf_any.cond(tf.placeholder(tf.bool, []) if pred is None else pred, true_fn, false_fn)


def loop(test: Any, body: Any, *start: Any) -> Any:
    return tf_any.while_loop(test, body, list(start))



def reset() -> None:
    with tf.Graph().as_default():
        tf.reset_default_graph()


def plus_equals() -> Any:
    v: Any = tf.Variable(1.0)
    v += 1.0
    return v.initializer


def get(**options: Any) -> Any:
    return tf_any.get_variable("a", [2], **options)


def leaked() -> Any:
    kept: list[Any] = []

    def body(i: Any) -> Any:
        kept.append(i * 2)
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [0])
    return run(kept[0])


ABOUT_GRADIENTS = "gradient"
MISTAKES: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    # what to minimize, and with what
    "a number as loss": (lambda: descent().minimize(3.0), TypeError, "loss is 3.0; give a tensor of the graph"),
    "a list as loss": (lambda: descent().minimize([loss()]), TypeError, r"give one tensor: tf.add_n\(losses\)"),
    "a function as loss": (lambda: descent().minimize(loss), TypeError, "give the tensor that the function returns"),
    "a value as loss": (lambda: descent().minimize(np.float32(2)), TypeError, "this is a value, as a run gives it"),
    "an int loss": (lambda: descent().minimize(tf.reduce_sum(tf.Variable([1, 2]))), ValueError,
                    r"Invalid type int32 for Sum:0, expected: .*float64. It is the loss, made at test_training_mistakes"
                    r".py:\d+ .*such as tf.Variable\(1.0\)"),
    "a loss of a choice": (lambda: descent().minimize(tf.cast(tf.argmax(tf.Variable([1.0]), 0), tf.float32)),
                           ValueError, "cut: ArgMax(.|\n)*ints have no derivative"),
    "no variables": (lambda: fixed(0), ValueError, "No variables to optimize. The graph of the loss has no variables"),
    "nothing trainable": (lambda: fixed(1), ValueError, r"No variable of the graph is trainable: 'v0:0' was made with "
                          r"trainable=False. Leave that out, or name the variables: minimize\(loss, var_list=\[v\]\)"),
    "many fixed variables": (lambda: fixed(6), ValueError, r"'v3:0' ... were made with trainable=False"),
    "var_list=[]": (lambda: descent().minimize(loss(), var_list=[]), ValueError,
                    r"No variables to optimize. var_list is \[\], which has none. Leave var_list out for all"),
    "names as var_list": (lambda: descent().minimize(loss(), var_list=["w"]), TypeError, "give variables, as tf.Var"),
    "a tensor in var_list": (lambda: descent().minimize(loss(), var_list=[x()]), TypeError, "give variables, as tf"),
    "an int as global_step": (lambda: descent().minimize(loss(), global_step=0), TypeError, "get_or_create_global_st"),
    # rates
    "no rate": (lambda: train.GradientDescentOptimizer(), TypeError, "missing 1 required positional argument: 'learn"),
    "rate None": (lambda: descent(None), ValueError,
                  r"^GradientDescentOptimizer\(learning_rate=None\): None values not "
                  "supported; give a number, a tensor, or a function that gives one$"),
    "a text as rate": (lambda: descent("0.1"), TypeError,
                       r"learning_rate='0.1'\): this is a text.*Write float\(text\)"),
    "a text as momentum": (lambda: train.MomentumOptimizer(0.1, "0.9"), TypeError, r"momentum='0.9'\): this is a text"),
    "beta None": (lambda: train.AdamOptimizer(beta1=None), ValueError, r"AdamOptimizer\(beta1=None\): None values"),
    "a text as Adadelta's rate": (lambda: train.AdadeltaOptimizer("1"), TypeError, r"\(learning_rate='1'\)"),
    "lr=": (lambda: train.AdamOptimizer(lr=0.1), TypeError,
            "no parameter is called 'lr'; the parameters are learning_"),
    "negative l1": (lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0), ValueError, "needs to be posit"),
    "decay without a step": (lambda: train.exponential_decay(0.1, None, 10, 0.9), ValueError, "get_or_create_global_s"),
    "rates of pieces": (lambda: train.piecewise_constant(tf.constant(1), [1, 2], [0.1, 0.2]), ValueError,
                        "there are 2 boundaries and 2 values"),
    # apply_gradients
    "no pairs": (lambda: descent().apply_gradients([]), ValueError, "No variables provided: grads_and_vars has no pairs"
                 "; a step changes at least one variable. Give the pairs that compute_gradients returns"),
    "pairs of None": (lambda: descent().apply_gradients([(None, tf.Variable(1.0))]), ValueError,
                      r"No gradients provided for any variable: \['Variable:0'\]: every gradient is None"),
    "no pairs but tensors": (lambda: pairs(exchange=False), TypeError, r"by itself; give pairs \(gradient, variable\)"),
    "exchanged pairs": (lambda: pairs(exchange=True), TypeError, "the two are exchanged; give pairs"),
    # a None, or a value, in the place of a tensor
    "merge_all of nothing": (lambda: run(summary.merge_all()), TypeError,
                             r"not NoneType; tf.summary.merge_all\(\) gave None at test_training_mistakes.py:\d+: the "
                             r"collection 'summaries' of the graph is empty; call it after tf.summary.scalar\(...\)"),
    "merge_all of a scope": (lambda: run(summary.merge_all(scope="a")), TypeError, "is empty under the scope 'a'"),
    "no average yet": (lambda: run(average()), TypeError,
                       r"ExponentialMovingAverage.average\(\) gave None at .*: 'v:0' "
                       r"has no average yet; call apply\(\[...\]\) with it first"),
    "no global step": (lambda: run(train.get_global_step()), TypeError,
                       "has no global step yet; call tf.train.get_or_c"),
    "another None": (lambda: run(None), TypeError, "not NoneType; leave it out; if a function"),
    "add None": (lambda: tf.add(tf_any.constant(1.0), None), ValueError,  # type: ignore[arg-type]  # the mistake
                 r"None values not supported(.|\n)*Give a number, a list, an array or a tensor"),
    "compute with an average": (lambda: tf.identity(average()), ValueError, "'v:0' has no average yet"),
    "clip a gradient None": (lambda: tf.clip_by_norm(tf.gradients(loss(), tf.constant(1.0))[0], 1.0), ValueError,
                             r"tf.gradients\(\) gave None at test_training_mistakes.py:\d+: ys do not depend on xs"),
    "loss = run(loss)": (trained_value, TypeError,
                         r"np.float32\(5.0\) is a value, as a run gives it. If a name was set to "
                         r"the result of a run, as in `loss = session.run\(loss\)`, give the result another name"),
    "a function fetched": (lambda: run(tf.global_variables_initializer), TypeError,
                           r"function 'global_variables_initializer' itself; call it: "
                           r"global_variables_initializer\(\)"),
    "two fetches": (lambda: run(x(), x()), TypeError,
                    r"second argument is feed_dict.*not 'x_1:0'. Several fetches are one "
                    r"list: run\(\[a, b\]\)"),
    "a fetch and an operation": (lambda: run(x(), tf.no_op()), TypeError, r"Several fetches are one list"),
    "a session of a tensor": (lambda: tf_any.Session(x()), TypeError,
                              r"A session of this process is Session\(\); its run"),
    # Python on tensors
    "t.item()": (lambda: x().item(), TypeError,
                 r"t.item\(\): .* holds no value until Session.run; use session.run\(t\)"),
    "t.item(0)": (lambda: x().item(0), TypeError, r"use session.run\(t\).item\(\)"),
    "round(t, 2)": (lambda: round(x(), 2), TypeError, r"round\(t\): .*use tf.round\(t\) in the graph"),
    "v += 1": (plus_equals, AttributeError,
               r"v.initializer of a tf.Variable v. `v \+= 1.0` makes v a tensor; v.assign_add"),
    "t.minimize": (lambda: x().minimize, AttributeError,
                   r"write tf.train.GradientDescentOptimizer\(rate\).minimize\(t\)"),
    # branches and loops
    "a tuple and a tensor": (lambda: cond(lambda: (tf.constant(1.0),) * 2, lambda: tf.constant(1.0)), ValueError,
                             r"it is a tuple of 2 in one and one tensor in the other \(true_fn first\). Return "
                             r"equally many "
                             r"tensors in the same order from both, such as `lambda: \(a, b\)`"),
    "values for branches": (lambda: cond(x(), x()), TypeError,
                            "true_fn must be callable: a function without arguments"),
    "a number as condition": (lambda: cond(x, x, tf.constant(1.0)), TypeError, r"write tf.not_equal\(pred, 0\)"),
    "a bool as condition": (lambda: cond(x, x, True), TypeError, "call true_fn itself"),
    "a branch without a return": (lambda: cond(lambda: None, x), TypeError, "returned None where a tensor is needed"),
    "branches with an argument": (lambda: cond(lambda a: a, x), TypeError, r"its parameters are \(a\)"),
    "branches of two dtypes": (lambda: cond(lambda: tf.constant(1.0), lambda: tf.constant(1)), TypeError,
                               r"Write tf.cast\(..., tf.float32\) in one"),
    "a tensor as test": (lambda: loop(x(), lambda i: i, 0), TypeError, "'cond' must be callable"),
    "a body without a return": (lambda: loop(lambda i: i < 3, lambda i: None, 0), TypeError, "write `return`"),
    "a body of too few": (lambda: loop(lambda i, j: i < 3, lambda i, j: i, 0, 0), ValueError,
                          "the structure of loop_vars"),
    "a body of another dtype": (lambda: loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), 0), TypeError,
                                "a loop variable keeps its dtype"),
    "a vector as test": (lambda: loop(lambda a: a < 3.0, lambda a: a, tf.zeros([2])), ValueError,
                         "write tf.reduce_all or"),
    "a tensor of a body": (leaked, ValueError, "has a value only while the body runs. Return it from the function"),
    "map_fn exchanged": (lambda: tf_any.map_fn(tf.zeros([3]), lambda a: a), TypeError, "fn must be callable"),
    "None as control input": (lambda: tf.control_dependencies([None]), TypeError, "the list has None in it"),
    # variables
    "an initializer by name": (lambda: get(initializer="zeros"), TypeError, r"such as tf.zeros_initializer\(\)"),
    "a number as regularizer": (lambda: get(regularizer=0.1), TypeError,
                                r"such as lambda w: 0.01 \* tf.nn.l2_loss\(w\)"),
    "a shape and a value": (lambda: get(initializer=0.0), ValueError, r"write tf.constant_initializer\(value\)"),
    "a shape as name": (lambda: tf_any.get_variable([2], "a"), TypeError, "a name is a str, not list"),
    "one variable to initialize": (lambda: tf_any.variables_initializer(tf.Variable(1.0)), TypeError,
                                   r"is one variable; give a list: \[v\]"),
    "assign to a tensor": (lambda: tf_any.assign(x(), 1.0), TypeError, "only a tf.Variable can be written"),
    "a placeholder as value": (lambda: tf.Variable(x()), ValueError, "or write validate_shape=False"),
    "reset in a block": (reset, ValueError, "call it outside of every such block"),
    # layers and losses
    "an activation by name": (lambda: layers.dense(x(), 3, activation="relu"), TypeError, "one, such as tf.nn.relu"),
    "a float of units": (lambda: layers.dense(x(), 3.5), TypeError, "units=3.5"),
    "a vector for a layer": (lambda: layers.dense(tf.zeros([3]), 3), ValueError, "expected min_ndim=2, found ndim=1"),
    "no losses": (losses.get_total_loss, ValueError, "the graph has no losses. tf.losses.* and tf.losses.add_loss"),
    "labels that are rows": (lambda: losses.sparse_softmax_cross_entropy(tf.zeros([2, 3], tf.int32), tf.zeros([2, 3])),
                             ValueError, "are those of softmax_cross_entropy_with_logits"),
    "classes for rows": (lambda: losses.softmax_cross_entropy(tf.zeros([2], tf.int32), tf.zeros([2, 3])), ValueError,
                         "predictions and labels have one shape"),
    "weights of another size": (lambda: losses.mean_squared_error(tf.zeros([3, 2]), tf.zeros([3, 2]), tf.zeros([4])),
                                ValueError, "they are a scalar, or have the rank of values"),
    "a reduction by name": (lambda: losses.mean_squared_error([1.0], [1.0], reduction="mean"), ValueError,
                            "Key should be one of"),
    # summaries, hooks, settings
    "a summary of a vector": (lambda: summary.scalar("a", [1.0, 2.0]), ValueError, r"Write tf.reduce_mean\(values\)"),
    "a summary exchanged": (lambda: summary.scalar(x(), "a"), TypeError, "name must be a str"),
    "merge nothing": (lambda: summary.merge([]), ValueError, "give at least one summary"),
    "a list of hooks": (lambda: train.MonitoredTrainingSession(hooks=3), TypeError, r"write \[hook\] for a single one"),
    "a hook without a time": (lambda: train.CheckpointSaverHook("a"), ValueError, "save_secs or save_steps of a hook"),
    "a step that is none": (lambda: train.global_step(tf.Session(), 3), TypeError,
                            "give the variable that counts steps"),
    "a device": (lambda: tf.Session(config=tf.SessionConfig(device="tpu")), ValueError,
                 r"^SessionConfig\(device='tpu'\): no device is called 'tpu'; there are cpu, gpu. Leave device= out"),
    # savers
    "nothing to save": (lambda: train.Saver(), ValueError, "the graph has none, or var_list is empty"),
    "names to save": (lambda: train.Saver(["w"]), TypeError, "only variables can be saved"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_to_do_and_ends_in_the_program(mistake: str) -> None:
    wrong, kind, words = MISTAKES[mistake]
    with pytest.raises(kind, match=words) as found:
        wrong()
    assert_is_plain(found.value, words)


def assert_is_plain(error: BaseException, expected: str = "") -> None:
    text = str(error)
    files = {Path(frame.filename).name for frame in traceback.extract_tb(error.__traceback__)}
    assert files == {Path(__file__).name}
    assert not re.search(r" at 0x|site-packages|penstock/\w+/", text)
    code = " ".join(line for line in text.splitlines() if "test_training_mistakes.py" not in line)
    about = "gradient" in expected or re.match(r"compute_gradients|apply_gradients|minimize|clip_by_norm", text)
    is_named = "GradientDescentOptimizer" in text
    assert about or is_named or ABOUT_GRADIENTS not in code.lower(), text


# ---- files ---------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Iterator[tuple[Any, tf.Session, str]]:
    loss()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        path = saver.save(session, str(tmp_path / "m"), global_step=7)
        assert path is not None
        yield saver, session, path


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", r"this is a folder. Give the path that save\(\) returned.*the newest in that folder is '.*m-7'"),
        ("m", r"the newest in that folder is '.*m-7', by tf.train.latest_checkpoint\("),
        ("nowhere/m", "there is no folder '.*nowhere'"),
        ("m-7.meta", r"this is one file of a checkpoint, whose path is what stands before .index"),
    ],
)
def test_a_path_that_is_no_checkpoint_is_told_with_the_one_that_is_meant(
    saved: tuple[Any, tf.Session, str], tmp_path: Path, path: str, words: str
) -> None:
    saver, session, right = saved
    with pytest.raises(ValueError, match=words) as found:
        saver.restore(session, str(tmp_path / path))
    assert_is_plain(found.value)
    if "newest" in words:
        assert repr(right) in str(found.value) and tf.train.latest_checkpoint(str(tmp_path)) == right
        saver.restore(session, right)


def test_a_folder_without_checkpoints_says_so(saved: tuple[Any, tf.Session, str], tmp_path: Path) -> None:
    saver, session, _ = saved
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"this is a folder.*has no list of checkpoints"):
        saver.restore(session, tmp_path / "empty")


def test_arguments_of_save_that_are_exchanged(saved: tuple[Any, tf.Session, str], tmp_path: Path) -> None:
    saver, session, _ = saved
    with pytest.raises(TypeError, match=r"the order is save\(sess, save_path\)"):
        saver.save(str(tmp_path / "a"), session)
    with pytest.raises(ValueError, match=r"Make it first: os.makedirs\('.*new'\)") as found:
        saver.save(session, str(tmp_path / "new" / "a"))
    exec(str(found.value).partition("Make it first: ")[2], {"os": os})
    saver.save(session, str(tmp_path / "new" / "a"))


def test_the_path_of_a_checkpoint_for_that_of_a_graph(saved: tuple[Any, tf.Session, str]) -> None:
    path = saved[2]
    with pytest.raises(tf.errors.NotFoundError, match=r"the path of a checkpoint, whose graph is in '.*m-7.meta'"):
        tf.train.import_meta_graph(path)
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(f"{path}.meta") is not None


def test_a_summary_is_run_before_it_is_written(tmp_path: Path) -> None:
    node = tf.summary.scalar("a", 1.0)
    with tf.summary.FileWriter(str(tmp_path)) as writer, tf.Session() as session:
        with pytest.raises(TypeError, match=r"has no value before a run: write writer.add_summary") as found:
            writer.add_summary(node, 0)
        assert_is_plain(found.value)
        advice = str(found.value).partition("write ")[2]
        eval(advice, {"writer": writer, "session": session, "summary": node, "step": 0})


# ---- what gave a None ----------------------------------------------------------------------------


def test_the_call_that_gave_the_none_is_named_not_another(graph: tf.Graph) -> None:
    step = descent().minimize(loss() + 0.0 * tf.Variable(1.0, name="used"))
    unused = tf.Variable(1.0, name="unused")
    descent().minimize(loss(), var_list=[unused, *tf.trainable_variables()])  # leaves the None out by itself
    with pytest.raises(TypeError) as found:
        run([step, tf.summary.merge_all()])
    assert "merge_all() gave None" in str(found.value) and "gradient" not in str(found.value)
    given = descent().compute_gradients(loss(), [unused])
    with pytest.raises(TypeError, match=r"compute_gradients\(\) gave None at .*not depend on 'unused:0'; leave out"):
        run(given[0][0])
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"not NoneType; leave it out; if a function"):
        run(None)


def test_the_advice_on_pairs_without_a_gradient_works() -> None:
    unused = tf.Variable(1.0, name="unused")
    pairs = descent().compute_gradients(loss(), [unused, *tf.trainable_variables()])
    kept = eval("[(g, v) for g, v in pairs if g is not None]", {"pairs": pairs})
    assert {v.name for _, v in kept} == {"w:0"}
    descent().apply_gradients(kept)


# ---- kernels of extensions -----------------------------------------------------------------------

KERNELS: dict[str, tuple[Callable[..., Any], str]] = {
    "None": (lambda xp, x: None, r"returned None; it must be an array of float32 \(2,\)"),
    "another shape": (lambda xp, x: xp.zeros([7], xp.float32),
                      r"an array of float32 \(7,\); .*as the op's shape rule says"),
    "another dtype": (lambda xp, x: x.astype("f8"), r"an array of float64 \(2,\).*Write .astype\('float32'\)"),
    "a list": (lambda xp, x: [1.0, 2.0], "returned a list of 2; it must be an array"),
    "a number": (lambda xp, x: 3.0,
                 r"returned 3.0; it must be an array of float32 \(2,\), as the op's shape rule says"),
}  # fmt: skip


@pytest.mark.parametrize("feeds", [True, False], ids=["fed", "a constant"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_that_breaks_its_promise_names_its_line(kernel: str, feeds: bool) -> None:
    def mistaken(x: T, name: str | None = None) -> Tensor:
        raise NotImplementedError

    function, words = KERNELS[kernel]
    made: Any = op("MistakenKernel")(mistaken)
    made.shape(lambda x: x.shape)
    made.kernel(function)
    given = tf.placeholder(tf.float32, [2]) if feeds else tf.constant([1.0, 2.0])
    result = made(given) * 2.0
    line = function.__code__.co_firstlineno
    with pytest.raises(tf.errors.InternalError, match=words) as found:
        run(result, {given: [1.0, 2.0]} if feeds else None)
    assert f"the kernel of MistakenKernel (test_training_mistakes.py:{line})" in str(found.value)
    assert 'in node "MistakenKernel"' in str(found.value)


def test_a_kernel_keeps_the_sizes_that_its_operands_have_in_the_run() -> None:
    def mistaken(x: T, name: str | None = None) -> Tensor:
        raise NotImplementedError

    made: Any = op("MistakenKernelOfRows")(mistaken)
    made.shape(lambda x: x.shape)
    made.kernel(lambda xp, x: xp.concatenate([x, x]) if x.size > 2 else x * 2)
    given = tf.placeholder(tf.float32, ["rows", None])
    result = made(given)
    assert run(result, {given: [[1.0, 2.0]]}).tolist() == [[2.0, 4.0]]
    with pytest.raises(tf.errors.InternalError, match=r"of float32 \(4, 3\); .* float32 \(2, 3\), as the op.s"):
        run(result, {given: np.ones((2, 3))})


# ---- pictures, and hyperparameters ----------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".svg", ".html", ".dot"])
def test_a_pattern_that_hides_nothing_is_told(graph: tf.Graph, tmp_path: Path, suffix: str) -> None:
    run(tf.identity(1.0, name="tower"))
    with pytest.warns(tf.MistakeWarning, match=r"hide='towr'\) hides nothing: no node and no scope .*'tower'"):
        graph.export(str(tmp_path / f"a{suffix}"), hide=["towr"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph.export(str(tmp_path / f"b{suffix}"), hide=["tower"])


RATES = ["learning_rate", "l1_regularization_strength", "l2_regularization_strength",
         "l2_shrinkage_regularization_strength", "beta"]  # fmt: skip


@pytest.mark.parametrize("name", RATES)
def test_every_number_of_ftrl_may_be_a_function_or_a_tensor(name: str) -> None:
    results = []
    for value in (0.05, lambda: 0.05, lambda: tf.constant(0.05), tf.constant(0.05), np.float32(0.05)):
        w = tf.Variable([1.0, -2.0])
        options: Any = {"learning_rate": 0.1, name: value}
        step = tf.train.FtrlOptimizer(**options).minimize(tf.reduce_sum(w * w))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            results.append(session.run(w))
    for each in results[1:]:
        np.testing.assert_allclose(each, results[0], rtol=1e-6)
