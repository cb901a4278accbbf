"""TensorArrays on the play page and in a session: random programs of loops over them, and every op by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.errors import OpError
from penstock.show.page.page_document import page_part
from penstock.show.play.play_plan import ops_in
from penstock.show.play.play_scripts import _DECLARED

from ..control_flow.array_programs import ArrayProgram
from ..helpers import nightly
from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of, case_of, difference, in_page

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

Built = tuple[list[Any], dict[Any, Any]]
OF_ARRAYS = frozenset(
    op for name in ("tensor_arrays.js", "array_gradients.js") for op in _DECLARED.findall(page_part(name))
)


def rows() -> Any:
    return np.arange(12, dtype=np.float32).reshape(4, 3) / 8


def every_way() -> Built:
    """Writes, reads, rows, parts, sizes and their gradients."""
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    array = tf.TensorArray(tf.float32, 5, clear_after_read=False, element_shape=[3], infer_shape=False)
    array = array.scatter([3, 0, 1], x[:3]).write(4, x[3] * 2.0)
    parts = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 0, 3])
    joined = parts.concat()
    some = array.gather([4, 1, 1, 0])
    missing = array.read(2)
    loss = tf.reduce_sum(some * some) + tf.reduce_sum(joined * x * 3.0) + tf.reduce_sum(array.read(4) * x[0])
    slope = tf.gradients(loss, x)[0]
    second = tf.gradients(tf.reduce_sum(slope * slope * x), x)[0]
    return [array.size(), some, missing, joined, slope, second], {x: rows()}


def empty_arrays() -> Built:
    n = tf.placeholder(tf.int32, [], name="n")
    array = tf.TensorArray(tf.float32, n, element_shape=[2])
    others = tf.TensorArray(tf.int32, n, element_shape=[None, 2], infer_shape=False)
    return [array.stack(), array.size(), others.concat()], {n: np.int32(0)}


def dtypes() -> Built:
    """Elements that are texts, ints of 64 bits, bools, half and complex numbers."""
    found = []
    for dtype, values in (
        ("string", [b"a", b"\xff"]), ("int64", [2**60 + 1, -5]), ("bool", [True, False]), ("float16", [0.1, -0.0]),
        ("complex64", [1 + 2j, -3j]), ("float64", [0.1, np.nan]),
    ):  # fmt: skip
        value = tf.constant(np.array(values, tf.as_dtype(dtype).np))
        array = tf.TensorArray(dtype, 3, element_shape=[], clear_after_read=False).write(2, value[0]).write(0, value[1])
        found += [array.stack(), array.read(2), array.read(1)]
    return found, {}


def ragged_loop() -> Built:
    """A loop in which values change their shape, so that the gradient keeps them in variants; and a branch."""
    x = tf.placeholder(tf.float32, [None], name="x")

    def body(i: Any, v: Any) -> Any:
        longer = tf.concat([v, v[:1] * 2.0], 0)
        return i + 1, tf.cond(i % 2 < 1, lambda: longer * longer, lambda: longer + 1.0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    _, v = tf.while_loop(lambda i, v: i < 3, body, [0, x], shape_invariants=shapes)
    slope = tf.gradients(tf.reduce_sum(v), x)[0]
    return [v, slope, *tf.gradients(tf.reduce_sum(slope), x)], {x: np.array([0.5, 2.0], np.float32)}


def one_array_read_twice() -> Built:
    """Gradients of several reads of one element add up."""
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    _, total = tf.while_loop(
        lambda i, t: i < 4, lambda i, t: (i + 1, t + array.read(i) * array.read(3 - i)), [0, tf.zeros([3])]
    )
    both = array.read(1) + array.stack()[2] + total
    return [both, *tf.gradients(tf.reduce_sum(both * both), x)], {x: rows()}


def its_own_gradient() -> Built:
    """The array of gradients that programs may ask for."""
    x = tf.placeholder(tf.float32, [3], name="x")
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    sums = array.grad("own").write(1, x[0]).write(1, x[2])
    return [sums.read(1), sums.size()], {x: np.array([0.5, 2.0, -1.0], np.float32)}


def rows_of_a_loop() -> Built:
    """A loop whose array a pass makes rows of, with a declared shape of the elements."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    n = tf.shape(x)[0]
    ins = tf.TensorArray(tf.float32, n).unstack(x)
    outs = tf.TensorArray(tf.float32, n, element_shape=[3])

    def body(i: Any, h: Any, outs: Any) -> Any:
        h = tf.tanh(h + ins.read(i))
        return i + 1, h, outs.write(i, h)

    _, _, outs = tf.while_loop(lambda i, *_: i < n, body, [0, tf.zeros([3]), outs])
    stacked = outs.stack()
    y = tf.placeholder(tf.float32, [None, None], name="y")
    back = tf.TensorArray(tf.float32, tf.shape(y)[0]).unstack(y).stack()
    return [stacked, back, *tf.gradients(tf.reduce_sum(stacked), x)], {x: rows(), y: rows()}


def write_twice() -> Built:
    i = tf.placeholder(tf.int32, [], name="i")
    return [tf.TensorArray(tf.float32, 3).write(0, 1.0).write(i, 2.0).stack()], {i: np.int32(0)}


def read_twice() -> Built:
    i = tf.placeholder(tf.int32, [], name="i")
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    first = array.read(i)
    with tf.control_dependencies([first]):
        return [first, array.read(0)], {i: np.int32(0)}


def behind_the_end() -> Built:
    i = tf.placeholder(tf.int32, [], name="i")
    return [tf.TensorArray(tf.float32, 3).write(i, 1.0).stack()], {i: np.int32(3)}


def not_written() -> Built:
    i = tf.placeholder(tf.int32, [], name="i")
    return [tf.TensorArray(tf.float32, 3, infer_shape=False).read(i)], {i: np.int32(1)}


def two_shapes() -> Built:
    n = tf.placeholder(tf.int32, [], name="n")
    array = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, tf.zeros([n])).write(1, tf.zeros([2]))
    return [array.stack()], {n: np.int32(3)}


PROGRAMS = (every_way, empty_arrays, dtypes, ragged_loop, one_array_read_twice, its_own_gradient,
            rows_of_a_loop)  # fmt: skip
MISTAKES = (write_twice, read_twice, behind_the_end, not_written, two_shapes)


class Compared:
    """A program as the page takes it, and what the session gives: values, or the text of an error."""

    def __init__(self, build: Callable[[], Built], as_written: bool) -> None:
        self.name = f"{build.__name__}, {'as written' if as_written else 'optimised'}"
        with tf.Graph().as_default() as graph:
            fetches, feeds = build()
            self.fetches = [each for each in fetches if not each.dtype.is_variant]
            self.case = case_of(self.fetches, feeds, as_written)
            config = tf.SessionConfig(threads=1)
            with tf.Session(graph=graph, config=config.as_written() if as_written else config) as session:
                try:
                    self.want: Any = session.run(self.fetches, feeds)
                except OpError as error:
                    self.want = str(error)

    def complaint(self, made: dict[str, Any]) -> str:
        """How the page differs; "" if it does not."""
        given = [step["given"] for step in self.case["plan"]["steps"] if "given" in step]
        if given:
            return f"{self.name}: not computed: {given}"
        if isinstance(self.want, str) or "fetches" not in made:
            text = str(made.get("error", made))
            words = text[max(0, text.find("TensorArray")) :]  # what comes before says where it is
            is_same = isinstance(self.want, str) and words in self.want
            return "" if is_same else f"{self.name}: {text} instead of {self.want}"
        for tensor, got, want in zip(self.fetches, made["fetches"], self.want, strict=True):
            told = difference(array_of(got), want, near={"float32": 2e-5}.get(tensor.dtype.name, 0.0))
            if told:
                return f"{self.name}: {tensor.name}: {told}"
        return ""


def complaints(page: Browser, cases: list[Compared]) -> list[str]:
    found = in_page(page, [case.case for case in cases])
    return [told for case, made in zip(cases, found, strict=True) if (told := case.complaint(made))]


def test_every_op_of_arrays_gives_what_a_session_gives(page: Browser) -> None:
    cases = [Compared(build, as_written) for build in PROGRAMS for as_written in (True, False)]
    assert [case.want for case in cases if isinstance(case.want, str)] == []
    assert complaints(page, cases) == []


def test_mistakes_have_the_words_of_the_session(page: Browser) -> None:
    cases = [Compared(build, as_written) for build in MISTAKES for as_written in (True, False)]
    assert all(isinstance(case.want, str) for case in cases)
    assert complaints(page, cases) == []


def random_cases(seeds: range) -> list[Compared]:
    """Both plans of the programs that build."""
    found = []
    for seed in seeds:
        program = ArrayProgram(seed)

        def built(program: ArrayProgram = program) -> Built:
            fed, fetches = program.build(tf)
            return list(fetches.values()), {fed[name]: array for name, array in program.feeds(0).items()}

        built.__name__ = f"seed {seed}"
        try:
            found += [Compared(built, as_written) for as_written in (True, False)]
        except (ValueError, TypeError):
            continue  # as in TensorFlow, some do not build
    return found


@pytest.mark.parametrize("seeds", [range(12), *nightly([range(12, 24)])], ids=str)
def test_some_random_programs_agree(page: Browser, seeds: range) -> None:
    cases = random_cases(seeds)
    assert len(cases) > 12
    assert complaints(page, cases) == []


@pytest.mark.slow
def test_many_random_programs_agree(page: Browser) -> None:
    assert complaints(page, random_cases(range(24, 300))) == []


@pytest.mark.nightly
def test_the_programs_use_every_kernel_of_arrays() -> None:
    cases = [Compared(build, as_written) for build in PROGRAMS for as_written in (True, False)]
    used = {op for case in [*cases, *random_cases(range(24))] for op in ops_in(case.case["plan"])}
    assert OF_ARRAYS - used == set()
