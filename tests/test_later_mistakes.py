"""Mistakes with gradients, extensions, names and settings: the error names the right cause and the right cure."""

import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import config
from penstock.extend import T, Tensor, TensorShape, op, shape_of
from penstock.graph.declare.op_declaration import OPS


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made
    for type in [each for each in OPS if each.startswith("Mistaken")]:
        del OPS[type]


def call(name: str, *args: Any, **options: Any) -> Any:
    """A call that type checkers would refuse."""
    return getattr(tf, name)(*args, **options)


def x() -> Any:
    return tf.placeholder(tf.float32, ["batch", 3], name="x")


def custom(grad: Callable[..., Any]) -> Any:
    """The gradient of a function of one argument whose gradient is `grad`."""
    at = x()
    return tf.gradients(tf.custom_gradient(lambda a: (tf.square(a), grad))(at), at)


def run(fetches: Any, feeds: Any = None, **options: Any) -> Any:
    with tf.Session() as session:
        return session.run(fetches, feeds, **options)


def fed_bool() -> None:
    flag = tf.placeholder(tf.bool, [1])
    run(flag, {flag: ["False"]})


def recursive(a: Any) -> Any:
    return recursive(tf.square(a))


CAUSES: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    "a None of gradients": (lambda: tf.reduce_sum(call("gradients", tf.stop_gradient(at := x()), at)[0]), ValueError,
                            r"input_tensor: None values not supported(.|\n)*tf.explain_gradient\(y, x\) says why"),
    "a None fetched": (lambda: run(tf.gradients(x(), tf.constant(1.0))), TypeError,
                       r"tf.gradients\(\) gave None at .*: ys do not depend on xs; tf.explain_gradient\(y, x\)"),
    "grad without parameters": (lambda: custom(lambda: 1.0), TypeError,
                                "^custom_gradient: the gradient of <lambda> must take a gradient for each of"),
    "grad of another shape": (lambda: custom(lambda dy: tf.ones([7])), ValueError,
                              r"the gradient \(test_later_mistakes.py:\d+\) of "),
    "recompute_grad of a tensor": (lambda: call("recompute_grad", x()), TypeError, "this is not a function"),
    "options": (lambda: run(tf.constant(1), options="full"), TypeError, r"write options=tf.RunOptions\(\.\.\.\)"),
    "run_metadata": (lambda: run(tf.constant(1), run_metadata=True), TypeError, r"metadata = tf.RunMetadata\(\)"),
    "with Graph()": (lambda: x().graph.__enter__(), TypeError, "write `with graph.as_default"),
    "int / float": (lambda: tf.constant([1]) / tf.constant([1.5]), TypeError, r"Write tf.cast\(x, tf.float32\)"),
    "int * float": (lambda: tf.constant([1]) * tf.constant([1.5]), TypeError, r"Write tf.cast\(x, tf.float32\)"),
    "float * int": (lambda: tf.constant([1.5]) * tf.constant([1]), TypeError, r"Write tf.cast\(y, tf.float32\)"),
    "cast(dtype, x)": (lambda: call("cast", tf.float32, x()), TypeError, r"The order is cast\(x, dtype\)\."),
    "cast to string": (lambda: tf.cast(x(), tf.string), TypeError, r"by tf.as_string\(x\)"),
    "zeros(2, 3)": (lambda: call("zeros", 2, 3), TypeError, r"sizes of a shape are one list, such as \[2, 3\]"),
    "constant(value, shape)": (lambda: call("constant", 1.0, [2, 3]), TypeError, r"write shape=\[2, 3\]"),
    "constant(tensor)": (lambda: tf.constant(x()), TypeError, r"has in it, the tensor 'x:0'(.|\n)*convert_to_tensor"),
    "concat(0, x, x)": (lambda: call("concat", 0, at := x(), at), TypeError, "a name is a str, not Tensor; perhaps"),
    "transpose(x, 1, 0)": (lambda: call("transpose", x(), 1, 0), TypeError,
                           r"^transpose\(a, perm=None, name='transpose'\): name=0: a name is a str"),
    "stop_gradient(x, [x])": (lambda: call("stop_gradient", x(), [1]), TypeError, r"name=\[1\]: a name is a str"),
    "pad with a mode": (lambda: tf.pad(x(), [[0, 0], [1, 1]], "REFLECT"), ValueError, "pad has no mode"),
    "a keyword of a reduction": (lambda: call("reduce_sum", x(), dim=0), TypeError, "dim is called axis here"),
    "export(path, fetches)": (lambda: tf.get_default_graph().export("a.svg", x()), TypeError,  # type: ignore[call-arg]
                              r"^Graph.export\(\) takes 2 positional (.|\n)*; by name: fetches, feeds,"),
    "a setting that there is not": (lambda: setattr(config, "threads", 2), AttributeError,
                                    r"config has no setting 'threads'; there are config.memory"),
    "sizes of cost": (lambda: call("get_default_graph").cost(sizes=3), TypeError, r"write cost\(batch=64\)"),
    "a text for a bool": (fed_bool, TypeError, "a text is no bool"),
    "recursion without an end": (lambda: recursive(x()), RecursionError, "maximum recursion"),
    "an axis of a reduction": (lambda: tf.reduce_sum(x(), axis=2), ValueError, "Invalid reduction dimension 2"),
    "tile(x, 2)": (lambda: tf.tile(x(), 2), ValueError, "Give a list with one entry per dimension"),
    "a range of one number": (lambda: tf.histogram_fixed_width(x(), 5), ValueError, r"value_range is \[low, high\]"),
    "parts that differ": (lambda: tf.split(1, 2, x()), ValueError, "penstock.compat.v1.split takes a list of sizes"),
    "an equation with a semicolon": (lambda: tf.einsum("ij;jk", x(), x()), ValueError, "Write a letter for each dim"),
    "an equation for two": (lambda: tf.einsum("ij,jk->ik", x()), ValueError, "has a term for each input"),
    "a result from nowhere": (lambda: tf.einsum("ij->iz", x()), ValueError, "is a dimension of some input"),
    "a value of a trace": (lambda: tf.Session().trace(tf.constant(1, name="one"))["onne"], KeyError,
                           "did you mean 'one:0'"),
    "an axis of argmax": (lambda: tf.argmax(x(), axis=2), ValueError, "must be in the range"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", CAUSES)
def test_the_cause_and_the_cure_are_named_and_the_traceback_ends_here(mistake: str) -> None:
    wrong, kind, words = CAUSES[mistake]
    with pytest.raises(kind, match=words) as found:
        wrong()
    files = {Path(frame.filename).name for frame in traceback.extract_tb(found.value.__traceback__)}
    assert files == {Path(__file__).name}


def test_graphs_are_not_read_from_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(ValueError, match=r"is the file a GraphDef\? Its suffix is \.pb or \.pbtxt"):
        tf.load_graphdef(tmp_path / "a.npy")


@pytest.mark.parametrize("wrong", [lambda: tf.cumsum(x(), 5), lambda: tf.slice(x(), [0, 0], [2, 5])])
def test_what_fails_in_every_run_is_told_when_it_is_built(wrong: Callable[[], Any]) -> None:
    with pytest.warns(tf.MistakeWarning, match="every run that reaches this will fail"):
        wrong()


def test_a_slice_that_an_unknown_size_may_hold_is_no_mistake() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.slice(x(), [5, 0], [7, 3])


# ---- declarations -------------------------------------------------------------------------------


def declared(name: str, **facts: Any) -> Any:
    def mistaken(x: T, name: str | None = None) -> Tensor:
        raise NotImplementedError

    return op(name, **facts)(mistaken)


def test_an_op_without_a_shape_rule_says_so() -> None:
    with pytest.raises(TypeError, match=r"the op 'MistakenShape' has no shape rule; its declaration needs .*\.shape"):
        declared("MistakenShape")([1.0])


def test_an_op_without_a_kernel_says_so() -> None:
    made = declared("MistakenKernel")
    made.shape(lambda x: x.shape)
    with pytest.raises(TypeError, match=r"the op 'MistakenKernel' has no kernel"):
        run(made([1.0]))


@pytest.mark.parametrize("given", [[3], None, 3])
def test_a_shape_rule_that_gives_no_shape_says_what_it_gives(given: Any) -> None:
    made = declared("MistakenResult")
    made.shape(lambda x: given)
    with pytest.raises(TypeError, match=r"the shape rule of the op 'MistakenResult' gives .*; it must give a Tensor"):
        made([1.0])


def test_a_gradient_rule_with_other_parameters_says_which_it_gets() -> None:
    made = declared("MistakenGradient")

    def shape(x: Tensor) -> TensorShape:
        return shape_of(x.shape.raw or ())

    made.shape(shape)
    made.gradient("g")(lambda op, g: g)
    at = tf.constant([1.0])
    with pytest.raises(TypeError, match=r"does not take the arguments \(ops, op, \*gradients\)"):
        tf.gradients(made(at), at)


def test_an_op_is_declared_with_its_type() -> None:
    with pytest.raises(TypeError, match="the type of the op comes first, as text"):
        op(np.sum)  # type: ignore[arg-type]  # the error under test


def test_a_misspelled_fact_has_a_near_name() -> None:
    with pytest.raises(TypeError, match="no such fact: elementwize; did you mean 'elementwise'"):
        declared("MistakenFact", elementwize=True)
