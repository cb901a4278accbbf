"""Ops that move, gather, scatter, reduce, sort and multiply on the play page, in a real browser.

Random arguments against Python's kernels, values and errors. And `moves`, which tells for each element of a result
where it came from: the elements of the operands, put in these places, give the result; and what a sum or a product
was made of is what changes it in Python.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import OpError
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import of_numpy
from penstock.ops.tensor_array.array_elements import zeros
from penstock.show.play.play_scripts import play_kernels
from penstock.show.play.play_values import attribute_data, tensor_data

from ..op_samples import USERS_OPS, Call, calls
from . import play_image_cases, play_pooling_cases  # noqa: F401  (they add their cases to CASES)
from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of, case_of, difference, in_page
from .play_random_cases import CASES
from .test_play_arrays_browser import OF_ARRAYS
from .test_play_kernels_browser import NEAR

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

FEW, MANY = 10, 300
"""Random calls of each op, in the usual run and in the slow one."""
PRODUCTS = (
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Conv3DBackpropFilterV2",
    "Conv3DBackpropInputV2", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput",
    "LRN", "LRNGrad",
    "MatMul", "Einsum", "Softmax", "LogSoftmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
)  # fmt: skip
"""Sums that BLAS adds in an order of its own, or of powers."""
COMPLEX_PRODUCTS = ("Prod", "Cumprod", "ScatterNd", "Cumsum", "Sum", "Mean")
"""NumPy fuses the multiplications of complex numbers where the processor can."""

_RUN = """
return arguments[0].map(({ op, args }) => {
  const kernel = PLAY_KERNELS.get(op);
  const valueOf = (arg) => ("xs" in arg ? arg.xs.map(tensorFromData) : attributeOf(arg, null));
  const given = args.map((arg) => ("x" in arg ? tensorFromData(arg.x) : valueOf(arg)));
  let results;
  try {
    results = kernel.run(given, { node: "node" });
  } catch (error) {
    return error instanceof PlayError ? { error: error.message } : { crash: String(error.stack || error) };
  }
  const moves = kernel.moves ? kernel.moves(given, results) : null;
  return { results: results.map(tensorToData), moves };
})
"""


def case(op: str, args: Sequence[Any]) -> dict[str, Any]:
    """A call of a kernel as data."""
    operands = {position: operand for position, _, operand in OPS[op].operands}
    return {"op": op, "args": [_argument(value, position in operands) for position, value in enumerate(args)]}


def _argument(value: Any, is_operand: bool) -> dict[str, Any]:
    if is_operand and isinstance(value, (list, tuple)):
        return {"xs": [tensor_data(each) for each in value]}
    if is_operand and value is not None:
        return {"x": tensor_data(value)}
    made = attribute_data(value)
    return made if isinstance(made, dict) and "dtype" in made else {"v": made}


def in_python(op: str, args: Sequence[Any]) -> list[Any] | OpError:
    """What the kernel of the declaration computes, or its error."""
    kernel = OPS[op].own_kernel
    assert kernel is not None
    try:
        with np.errstate(all="ignore"):
            made = kernel(np, *args[: len(OPS[op].parameters)])
    except OpError as error:
        return error
    return [_as_array(each) for each in (made if isinstance(made, (list, tuple)) else [made])]


def _as_array(value: Any) -> Any:
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


def random_cases(op: str, count: int) -> list[list[Any]]:
    """Arguments of an op, the same ones each time."""
    rng = np.random.default_rng(zlib.crc32(op.encode()))
    return [CASES[op](rng)[: len(OPS[op].parameters)] for _ in range(count)]


def complaint(op: str, made: dict[str, Any], wanted: list[Any] | OpError) -> str:
    """How the page differs from Python; "" if it does not."""
    if isinstance(wanted, OpError):
        said = str(made.get("error", made))
        return "" if said == wanted.message else f"{said!r} instead of the error {wanted.message!r}"
    if "results" not in made:
        return str(made)
    if len(made["results"]) != len(wanted):
        return f"{len(made['results'])} results instead of {len(wanted)}"
    if any(each not in (0, 1) for data in made["results"] if data["dtype"] == "bool" for each in data["data"]):
        return f"a bool that is neither 0 nor 1: {made['results']}"
    for got, want in zip(map(array_of, made["results"]), wanted, strict=True):
        name = of_numpy(want.dtype).name
        is_near = op in PRODUCTS or (op in COMPLEX_PRODUCTS and want.dtype.kind == "c")
        told = difference(got, want, near=NEAR.get(name, 0.0) if is_near else 0.0)
        if told:
            return told
    return ""


def compare(page: Browser, ops: Sequence[str], count: int) -> None:
    cases = [(op, args) for op in ops for args in random_cases(op, count)]
    found = in_page(page, [case(*each) for each in cases], _RUN)
    problems = []
    for (op, args), made in zip(cases, found, strict=True):
        told = complaint(op, made, in_python(op, args)) or misplaced(args, made) or untried(op, made)
        if told:
            problems.append(f"{op}{tuple(args)}: {told}")
    assert not problems, f"{len(problems)} of {len(cases)}:\n" + "\n".join(problems[:25])


def operands_of(args: Sequence[Any]) -> list[Any]:
    """The arrays among the arguments, lists flattened, as the page counts operands."""
    return [each for arg in args for each in (arg if isinstance(arg, list) else [arg]) if isinstance(each, np.ndarray)]


def misplaced(args: Sequence[Any], made: dict[str, Any]) -> str:
    """Where an element did not come from where the page says; "" if all did."""
    operands = operands_of(args)
    for data, origins in zip(made.get("results", []), made.get("moves") or [], strict=False):
        result = array_of(data)
        if len(origins) != result.size:
            return f"{len(origins)} origins of {result.size} elements"
        for element, origin in zip(result.reshape(-1), origins, strict=True):
            if origin is None:
                source = zeros((), result.dtype)[()]
            elif origin and isinstance(origin[0], int):
                source = operands[origin[0]].reshape(-1)[origin[1]]
            else:
                continue
            if not is_same(element, source):
                return f"{element!r} does not come from {origin}, which is {source!r}"
    return ""


def untried(op: str, made: dict[str, Any]) -> str:
    """Whether an element is made of several and no test changes these; "" if one does."""
    several = any(origin and not isinstance(origin[0], int) and len(origin) > 1
                  for origins in made.get("moves") or [] for origin in origins)  # fmt: skip
    return "of several elements; add the op to COMBINING" if several and op not in (*COMBINING, "StringSplit") else ""


def is_same(a: Any, b: Any) -> bool:
    """Whether two elements are one value, NaN and -0 included."""
    return a == b if isinstance(a, bytes) else not difference(np.asarray(a), np.asarray(b))


def test_random_calls_give_what_python_gives(page: Browser) -> None:
    compare(page, sorted(CASES), FEW)


def test_sums_of_any_length_are_rounded_as_numpy_rounds_them(page: Browser) -> None:
    rng = np.random.default_rng(0)
    lengths = (7, 8, 9, 31, 127, 128, 129, 137, 144, 200, 256, 257, 300, 1000)
    rows = [rng.random((2, n)).astype(dtype) for n in lengths for dtype in ("f2", "f4", "f8", "c8")]
    calls: list[list[Any]] = [[each, np.array(-1), False] for each in rows]
    calls += [[rng.random((n, 2)).astype("c16")[:, :1], np.array(0), False] for n in lengths]
    found = in_page(page, [case("Sum", args) for args in calls], _RUN)
    for args, made in zip(calls, found, strict=True):
        wanted = in_python("Sum", args)
        assert not isinstance(wanted, OpError)
        assert not difference(array_of(made["results"][0]), wanted[0]), args[0].shape


@pytest.mark.slow
@pytest.mark.parametrize("op", sorted(CASES))
def test_many_random_calls_give_what_python_gives(page: Browser, op: str) -> None:
    compare(page, [op], MANY)


# ---- the pages with which the project began -----------------------------------------------------


def examples() -> dict[str, tuple[Any, Any]]:
    """The examples of the five pages: what is built, and what the page says that it gives."""
    cube = [[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]]
    four = np.arange(24, dtype=np.int32).reshape(1, 2, 3, 4)
    t1, t2 = [[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]
    x = tf.constant([0.1, -1.0, 5.2, 4.3, -1.0, 7.4])
    chosen = tf.cast(tf.not_equal(x, -1.0), tf.int32)
    parts = tf.dynamic_partition(x, chosen, 2)
    parts[1] = parts[1] + 1.0
    places = tf.dynamic_partition(tf.range(tf.shape(x)[0]), chosen, 2)
    candidates = [[[i, j, 3, 4] for j in range(4)] for i in range(4)]
    merged: Any = [6, [4, 1], [[5, 2], [0, 3]]]
    rows: Any = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    cross = tf.constant([[[i, i] for i in range(5)], [[i, 4 - i] for i in range(5)]])
    return {
        "cast": (tf.cast([1.8, 2.2], tf.int32), [1, 2]),
        "shape": (tf.shape(cube[:2]), [2, 2, 3]),
        "size": (tf.size(cube[:2]), 12),
        "rank": (tf.rank(cube[:2]), 3),
        "reshape": (tf.reshape(cube, [-1]), np.repeat(range(1, 7), 3)),
        "squeeze": (tf.shape(tf.squeeze(tf.zeros([1, 2, 1, 3, 1, 1]), [2, 4])), [1, 2, 3, 1]),
        "expand_dims": (tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 2)), [2, 3, 1, 5]),
        "slice": (tf.slice(cube, [1, 0, 0], [2, 1, 3]), [[[3, 3, 3]], [[5, 5, 5]]]),
        "split": (tf.shape(tf.split(1, 3, tf.zeros([5, 30]))[0]), [5, 10]),
        "tile": (tf.tile([b"a", b"b"], [2]), np.array([b"a", b"b", b"a", b"b"], object)),
        "pad": (tf.pad([[1, 1], [2, 2]], [[1, 1], [2, 2]]), np.pad([[1, 1], [2, 2]], [[1, 1], [2, 2]])),
        "concat": (tf.concat(1, [t1, t2]), [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]),
        "pack": (tf.pack(tf.unpack(tf.constant(t1))), t1),
        "reverse": (tf.reverse(four, [False, True, False, False]), four[:, ::-1]),
        "reverse_sequence": (tf.reverse_sequence(t1, [2, 3], 1), [[2, 1, 3], [6, 5, 4]]),
        "transpose": (tf.transpose(cube, [0, 2, 1]), np.transpose(cube, [0, 2, 1])),
        "gather": (tf.gather(t2, [[1, 0]]), [[[10, 11, 12], [7, 8, 9]]]),
        "partition": (tf.dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2)[0], [10, 20, 50]),
        "stitch": (tf.dynamic_stitch(merged, rows), [[10 * i + 1, 10 * i + 2] if i else [1, 2] for i in range(7)]),
        "partition, work, stitch": (tf.dynamic_stitch(places, parts), np.array([1.1, -1, 6.2, 5.3, -1, 8.4], "f4")),
        "multiplex": (tf.multiplex(candidates, [[3], [0], [1], [2]]),
                      [[3, 0, 3, 4], [0, 1, 3, 4], [1, 2, 3, 4], [2, 3, 3, 4]]),
        "stack": (tf.stack([[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]], -2), np.array([[[1, 2], [3, 4], [5, 6]]], "f4")),
        "scatter": (tf.tensor_scatter_nd_update(tf.zeros([8], tf.int32), [[1], [3], [4], [7]], [9, 10, 11, 12]),
                    [0, 9, 0, 10, 11, 0, 0, 12]),
        "an X": (tf.tensor_scatter_nd_update(tf.zeros([5, 5]), cross, tf.ones([2, 5])),
                 np.maximum(np.eye(5), np.eye(5)[::-1]).astype("f4")),
        "numbers": (tf.string_to_number(["-1.5", "0x10"]), np.array([-1.5, 16], "f4")),
    }  # fmt: skip


def test_the_examples_of_the_first_pages_give_what_these_say(page: Browser) -> None:
    with tf.Graph().as_default():
        made = examples()
        cases = [case_of([each for each, _ in made.values()], {}, as_written) for as_written in (True, False)]
    for run in in_page(page, cases):
        for (name, (_, wanted)), got in zip(made.items(), run["fetches"], strict=True):
            assert np.array_equal(array_of(got), np.asarray(wanted)), name


# ---- what a sum or a product was made of --------------------------------------------------------

TRIALS = (0.0, 1.0, 7.0, -7.0)
"""What an element becomes, one after the other, to see which results change."""


def made_of(op: str, args: Sequence[Any]) -> list[list[set[tuple[int, int]]]]:
    """For each element of each result the elements of the operands of which it depends, tried out in Python.

    Indices, axes and sizes are not tried: the operands are those of one dtype with the first result.
    """
    first = in_python(op, args)
    assert not isinstance(first, OpError)
    found: list[list[set[tuple[int, int]]]] = [[set() for _ in range(np.size(each))] for each in first]
    flat = operands_of(args)
    for base in (None, 0.0, 1.0):
        for operand in _combined(op, args):
            kept = flat[operand].copy()
            if base is not None:
                flat[operand][...] = base
            before = in_python(op, args)
            for element in range(kept.size):
                for trial in TRIALS:
                    held = flat[operand].reshape(-1)[element]
                    flat[operand].reshape(-1)[element] = trial
                    after = in_python(op, args)
                    flat[operand].reshape(-1)[element] = held
                    for result, (old, new) in enumerate(zip(before, after, strict=True)):  # type: ignore[arg-type]
                        for place in np.flatnonzero(np.asarray(old != new).reshape(-1)):
                            found[result][place].add((operand, element))
            flat[operand][...] = kept
    return found


def _combined(op: str, args: Sequence[Any]) -> list[int]:
    """The numbers of the operands that are combined, counted as `operandsOf` of the page counts."""
    if op == "Einsum":
        return list(range(len(args[0])))
    return next((operands for ops, operands in _OTHERS.items() if op in ops.split()), [0])


_OTHERS = {
    "ScatterNd AvgPoolGrad AvgPool3DGrad": [1],
    "MaxPoolGrad": [2],
    "Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput": [1, 2],
    "CombineRows Conv2DBackpropFilter Conv3DBackpropFilterV2 DepthwiseConv2dNativeBackpropFilter": [0, 2],
    "MatMul Cross SoftmaxCrossEntropyWithLogits Conv2D Conv3D DepthwiseConv2dNative": [0, 1],
    "LRNGrad": [0, 1, 2],
}
"""Operands other than the first alone. An operand that only chooses is not among them."""

COMBINING = (
    "All", "Any", "ArgMax", "ArgMin", "AvgPool", "AvgPool3D", "AvgPool3DGrad", "AvgPoolGrad", "CombineRows", "Conv2D",
    "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2",
    "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput",
    "Cross", "Cumprod", "Cumsum", "Einsum", "LogSoftmax", "MatMul",
    "LRN", "LRNGrad", "Max", "MaxPool", "MaxPool3D", "MaxPoolGrad", "MaxPoolGradWithArgmax",
    "Mean", "Min", "Prod", "ResizeBicubic", "ResizeBicubicGrad", "ResizeBilinear", "ResizeBilinearGrad",
    "ResizeNearestNeighborGrad", "ScatterNd", "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum",
    "Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "Sum", "UnsortedSegmentMax",
    "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum",
)  # fmt: skip


def small(call: Call) -> list[Any] | None:
    """The arguments of a sample with numbers that are all different; None where there are too many, or none."""
    values: list[Any] = [list(each) if isinstance(each, list) else each for each in call.values[:-1]]
    for position, attribute in call.op.attrs:
        values[position] = attribute.convert(values[position])
    rng = np.random.default_rng(0)
    for operand in _combined(call.op.type, values):
        at, inside = _place(values, operand)
        x: Any = values[at] if inside is None else values[at][inside]
        if not 0 < x.size <= 24:
            return None
        dtype = bool if x.dtype == bool else np.float32
        fresh = np.asarray(rng.random(x.shape) + 1.5).astype(dtype)
        if inside is None:
            values[at] = fresh
        else:
            values[at][inside] = fresh
    return values


def _place(values: Sequence[Any], operand: int) -> tuple[int, int | None]:
    """Where the operand with this number stands: its argument, and its place in a list."""
    count = 0
    for at, each in enumerate(values):
        for inside, found in enumerate(each if isinstance(each, list) else [each]):
            if isinstance(found, np.ndarray):
                if count == operand:
                    return at, inside if isinstance(each, list) else None
                count += 1
    raise IndexError(operand)


def test_an_element_is_made_of_what_changes_it_in_python(page: Browser) -> None:
    calls_used = [(call.op.type, small(call)) for op in COMBINING if op in USERS_OPS for call in calls(USERS_OPS[op])]
    cases = [(op, args) for op, args in calls_used if args is not None]
    found = in_page(page, [case(*each) for each in cases], _RUN)
    problems = []
    for (op, args), made in zip(cases, found, strict=True):
        assert "moves" in made, (op, args, made)
        told = [[_sources(origin) for origin in origins] for origins in made["moves"]]
        if told != made_of(op, args):
            problems.append(f"{op}{tuple(args)}: the page says {told}, Python {made_of(op, args)}")
    assert not problems, "\n".join(problems[:10])
    assert len(cases) > 80


def _sources(origin: Any) -> set[tuple[int, int]]:
    if origin is None:
        return set()
    each = [origin] if origin and isinstance(origin[0], int) else origin
    return {(operand, element) for operand, element in each}


MAKING = {
    "BroadcastGradientArgs", "HistogramFixedWidth", "InTopKV2", "LinSpace", "OnesLike", "Range", "Rank", "SearchSorted",
    "Shape", "Size", "StringJoin", "StringToNumber", "ZerosLike",
}  # fmt: skip
"""Ops whose elements come from no element of an operand, or all from the one in their place."""


def test_every_op_that_moves_elements_tells_where_they_go(page: Browser) -> None:
    told = set(page.run("return [...PLAY_KERNELS].filter(([, kernel]) => kernel.moves).map(([type]) => type)"))
    told -= OF_ARRAYS  # see test_play_array_origins_browser
    assert set(CASES) - told == MAKING
    assert told <= set(CASES)
    assert set(CASES) <= play_kernels()
