"""Every parameter of every public function is given things of wrong kinds: the error is ours and names the parameter.

Its class stands below `Raises:` in the function's docstring, unless the value cannot become a tensor at all.

`test_fuzz_arguments.py` exchanges arguments of the ops' samples at random; here a call that works is taken, one
parameter after the other, in the order and under the names that users write, also those of `compat.v1`.
"""

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import penstock as tf
from penstock.compat import v1
from penstock.errors import InternalError, PenstockError
from penstock.graph.declare.op_declaration import OpDef

from .docstring_parts import is_documented
from .helpers import every_case
from .op_samples import calls

Make = Callable[[], Any]
FOLDER = str(Path(__file__).parent)


def returned(value: Any) -> Any:
    return value


def wrong_values() -> dict[str, Make]:
    fixed = [
        None, [0], [[1, 2], [3]], (1, 2), [], 1.5, "x", b"x", True, math.nan, math.inf, 2**70, -(2**40), -7,
        np.arange(3), np.array([0]), np.array(1), np.float32(1.5), object(), {"a": 1}, {1}, int, 1j, slice(1), len,
        np.datetime64("2020-01-01"), tf.TensorShape([None, 2]), tf.Dimension(None),
    ]  # fmt: skip
    made: dict[str, Make] = {f"{type(v).__name__} {i}": partial(returned, v) for i, v in enumerate(fixed)}
    made["an int tensor"] = lambda: tf.placeholder(tf.int32, [])
    made["a vector"] = lambda: tf.placeholder(tf.int32, [None])
    made["a float tensor"] = lambda: tf.placeholder(tf.float32, [2])
    return made


WRONG = wrong_values()
OTHER_NAMES = {"reduction_indices": "axis", "keep_dims": "keepdims", "dimension": "axis", "dim": "axis"}


def x() -> Any:
    return tf.placeholder(tf.float32, [4, 4])


def ints() -> Any:
    return tf.placeholder(tf.int32, [4])


def bools() -> Any:
    return tf.placeholder(tf.bool, [4, 4])


def images() -> Any:
    return tf.placeholder(tf.float32, [4, 4, 4, 4])


def features() -> Any:
    return {"x": tf.FixedLenFeature([], tf.float32)}


def sparse() -> Any:
    return tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 3])


def sparse_ids() -> Any:
    return tf.SparseTensor([[0, 1], [2, 0]], np.array([1, 2], "i8"), [3, 3])


def slices() -> Any:
    return tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]))


PAIRS = [[1.0], [2.0]]
CALLS: dict[str, tuple[Any, ...]] = {
    "assert_proper_iterable": ([1],), "assert_same_float_dtype": ([],),
    "add_n": (PAIRS,), "as_string": (x,), "boolean_mask": (x, [True] * 4), "broadcast_to": (x, [2, 4, 4]),
    "cast": (x, "int32"), "clip_by_value": (x, 0.0, 1.0), "clip_by_norm": (x, 1.0), "clip_by_average_norm": (x, 1.0),
    "clip_by_global_norm": (PAIRS, 1.0), "global_norm": (PAIRS,), "identity_n": (PAIRS,),
    "constant": (1.0,), "convert_to_tensor": (1.0,), "decode_csv": (["1,2"], [[1], [2]]),
    "dynamic_partition": (x, ints, 2),
    "dynamic_stitch": ([[0, 1]], [[1.0, 2.0]]), "expand_dims": (x, 0), "eye": (2,),
    "fill": ([2], 1.0), "gather": (x, [0]),
    "gather_nd": (x, [[0]]), "linspace": (0.0, 1.0, 3), "lin_space": (0.0, 1.0, 3), "matmul": (x, x),
    "multiplex": ([np.ones((2, 2), "f4")] * 2, np.zeros((2, 1), "i4")), "one_hot": ([1], 3), "pack": (PAIRS,),
    "random_uniform": ([2],), "random_normal": ([2],), "truncated_normal": ([2],),
    "random_gamma": ([2], 1.0), "random_poisson": (1.0, [2]), "repeat": (x, 2),
    "random_crop": (x, [1, 1]), "multinomial": (x, 2),
    "pad": (x, [[0, 0], [1, 1]]), "parallel_dynamic_stitch": ([[0, 1]], [[1.0, 2.0]]), "placeholder": ("float32",),
    "placeholder_with_default": ([1.0], [1]), "range": (0, 3), "reshape": (x, [16]), "reverse_sequence": (x, ints, 1),
    "scatter_nd": ([[0]], [1.0], [2]), "select": (True, 1.0, 2.0), "sequence_mask": ([1],),
    "slice": (x, [0, 0], [1, 1]), "stack": (PAIRS,),
    "string_join": ([["a"], ["b"]],), "string_split": (["a b"],), "squeeze": (x,),
    "count_up_to": (lambda: tf.Variable(0), 2),
    "string_to_number": (["1"],), "tensor_scatter_nd_update": (x, [[0]], np.ones((1, 4), "f4")),
    "tensor_scatter_update": (x, [[0]], np.ones((1, 4), "f4")), "tile": (x, [1, 2]), "unique": (ints,),
    "where": ([True],), "zeros": ([2],), "ones": ([2],), "bitwise_and": (ints, ints), "bitwise_or": (ints, ints),
    "bitwise_xor": (ints, ints), "invert": (ints,), "logical_and": (bools, bools), "logical_or": (bools, bools),
    "logical_xor": (bools, bools), "logical_not": (bools,), "reduce_all": (bools,), "reduce_any": (bools,),
    "top_k": (x, 2), "qr": (x,), "moments": (x, [0]), "histogram_fixed_width": (x, [0.0, 1.0]), "roll": (x, 1, 0),
    "Assert": (True, PAIRS), "Print": (x, PAIRS), "assert_integer": (ints,), "assert_rank": (x, 2),
    "assert_rank_at_least": (x, 2), "assert_rank_in": (x, [2]), "assert_scalar": (1.0,), "assert_type": (x, "float32"),
    "ensure_shape": (x, [4, 4]), "py_func": (lambda: abs, [], "float32"), "string_format": ([1], "%s"),
    "numpy_function": (lambda: abs, [], "float32"), "tuple": (lambda: [tf.constant(1)],), "with_dependencies": ([], x),
    "cross": (np.ones((2, 3)), np.ones((2, 3))), "searchsorted": (x, x),
    "batch_to_space": (images, [[0, 0], [0, 0]], 2), "batch_to_space_nd": (images, [2, 2], [[0, 0], [0, 0]]),
    "space_to_batch": (images, [[0, 0], [0, 0]], 2), "space_to_batch_nd": (images, [2, 2], [[0, 0], [0, 0]]),
    "depth_to_space": (images, 2), "space_to_depth": (images, 2),
    "required_space_to_batch_paddings": ([4, 4], [2, 2]),
    "extract_image_patches": (images, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    "decode_compressed": (["a"],), "decode_raw": (["a"], "uint8"), "matching_files": ("a",), "read_file": ("a",),
    "write_file": ("a", "b"), "parse_tensor": ("a", "float32"), "parse_example": (["a"], features),
    "parse_single_example": ("a", features), "parse_single_sequence_example": ("a", features),
    "edit_distance": (sparse, sparse), "string_to_hash_bucket_fast": (["a"], 3),
    "sparse_add": (sparse, sparse), "sparse_concat": (0, lambda: [sparse(), sparse()]),
    "sparse_fill_empty_rows": (sparse, 0.0), "sparse_mask": (slices, [0]), "sparse_maximum": (sparse, sparse),
    "sparse_merge": (sparse_ids, sparse, 4), "sparse_minimum": (sparse, sparse), "sparse_placeholder": ("float32",),
    "sparse_reorder": (sparse,), "sparse_reset_shape": (sparse,), "sparse_reshape": (sparse, [9]),
    "serialize_sparse": (sparse,), "serialize_many_sparse": (sparse,),
    "deserialize_many_sparse": ([["a", "b", "c"]], "float32"),
    "sparse_retain": (sparse, [True, False]), "sparse_slice": (sparse, [0, 0], [2, 2]), "sparse_softmax": (sparse,),
    "sparse_split": (0, 2, sparse), "sparse_tensor_dense_matmul": (sparse, np.ones((3, 2), "f4")),
    "sparse_tensor_to_dense": (sparse,), "sparse_to_dense": ([[0, 1]], [2, 2], [1.0], 0.0),
    "sparse_to_indicator": (sparse_ids, 4), "sparse_transpose": (sparse,),
    "accumulate_n": (PAIRS,), "parallel_stack": (PAIRS,), "shape_n": (PAIRS,), "where_v2": ([True],),
    "broadcast_dynamic_shape": ([2], [1]), "broadcast_static_shape": ([2], [1]), "bitcast": (x, "int32"),
    "saturate_cast": (x, "int32"), "scalar_mul": (1.0, x), "truncatediv": (ints, ints),
    **dict.fromkeys(["tensor_scatter_add", "tensor_scatter_sub", "tensor_scatter_min", "tensor_scatter_max",
                     *(f"tensor_scatter_nd_{kind}" for kind in
                     ("add", "sub", "min", "max"))], (x, [[0]], np.ones((1, 4), "f4"))),
    "batch_gather": (x, [[0], [1], [2], [3]]), "invert_permutation": (ints,), "setdiff1d": (ints, ints),
    "listdiff": (ints, ints), "unique_with_counts": (ints,), "unravel_index": (ints, ints),
    "tensordot": (x, x, 1), "strided_slice": (x, [0], [1]),
    "matrix_set_diag": (x, np.ones(4, "f4")), "matrix_band_part": (x, 0, 1),
    "batch_matrix_band_part": (x, 0, 1), "bincount": (ints,), "confusion_matrix": (ints, ints), "count_nonzero": (x,),
    "decode_base64": (["a"],), "encode_base64": (["a"],), "string_strip": (["a"],), "reduce_join": (["a"],),
    "regex_replace": (["a"], "a", "b"), "substr": (["ab"], 0, 1),
    **dict.fromkeys([f"{kind}{axes}" for kind in ("fft", "ifft") for axes in ("", "2d", "3d")],
                    (np.ones((2, 2, 2), "c8"),)),
    **dict.fromkeys(
        [f"sparse_reduce_{kind}" for kind in ("sum", "max", "sum_sparse", "max_sparse")], (sparse,)
    ),
    **dict.fromkeys([f"sparse_segment_{kind}" for kind in ("sum", "mean", "sqrt_n")], (x, [0, 1], [0, 1])),
    **dict.fromkeys([f"segment_{kind}" for kind in ("sum", "mean", "prod", "max", "min")], (x, [0, 0, 1, 3])),
    **dict.fromkeys(
        [f"unsorted_segment_{kind}" for kind in ("sum", "prod", "max", "min", "mean", "sqrt_n")], (x, ints, 3)
    ),
}  # fmt: skip
HERE = {"concat": (0, PAIRS), "split": (0, 2, x), "reverse": (x, [True, False])}
THERE = {"concat": (PAIRS, 0), "split": (x, 2), "reverse": (x, [0])}


def functions(module: ModuleType) -> Iterator[str]:
    for name in dir(module):  # also what is imported when first used
        value = getattr(module, name)
        where = str(getattr(value, "__module__", ""))
        ours = where.startswith(("penstock.ops.", "penstock.compat."))
        if name in ("group", "meshgrid", "einsum", "print"):  # have no parameters to speak of: group(*inputs)
            continue
        if ours and callable(value) and not inspect.isclass(value) and not name.startswith("_"):
            yield name


@cache
def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function, in their order."""
    return list(inspect.signature(function).parameters.values())


def usual_call(module: ModuleType, name: str) -> dict[str, Any]:
    """The arguments of a call that works, by parameter."""
    function = getattr(module, name)
    parameters = parameters_of(function)
    own = (THERE if module is v1 else HERE).get(name) or CALLS.get(name)
    if own is None and isinstance(function, OpDef):  # the samples of the declaration
        for sample in calls(function)[:1]:
            return dict(zip(function.parameters, sample.values, strict=False))
    given = own if own is not None else [x for p in parameters if p.default is p.empty]
    return {p.name: v() if callable(v) else v for p, v in zip(parameters, given, strict=False)}


@cache
def is_of_conversion(make: Make) -> bool:
    """Whether the value cannot become a tensor at all."""
    with tf.Graph().as_default():
        try:
            tf.convert_to_tensor(make())
        except PenstockError:
            return True
    return False


NAMES = {
    f"{module.__name__}.{name}": (module, name)
    for module in (tf, v1)
    for name in sorted(functions(module))
    if module is tf or getattr(v1, name) is not getattr(tf, name, None)
}
"""Every function once, also one that has the same name in both."""


@every_case("path", NAMES, parts=6, by_day=2)
def test_a_wrong_argument_is_refused_in_our_words_which_name_it(path: str) -> None:
    module, name = NAMES[path]
    function = getattr(module, name)
    lines = []
    with tf.Graph().as_default(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(**usual_call(module, name))  # the call that everything else departs from
    for parameter in [each.name for each in parameters_of(function)]:
        values = list(WRONG.items())
        while values:
            with tf.Graph().as_default() as graph, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                usual = usual_call(module, name)
                while values:  # a refused call leaves the graph as it was, so it serves for the next one
                    what, make = values.pop(0)
                    arguments = {**usual, parameter: make()}
                    before = len(graph)
                    try:
                        function(**arguments)
                        break
                    except PenstockError as error:
                        lines += [f"{parameter} = {what}: {w}" for w in wrong_words(function, parameter, make, error)]
                    except Exception as error:
                        lines.append(f"{parameter} = {what}: {type(error).__name__}: {error}")
                    if len(graph) != before:
                        lines.append(f"{parameter} = {what}: nodes were left behind")
                        break
    assert not lines, "\n".join(lines[:20])


def wrong_words(function: Callable[..., Any], parameter: str, make: Make, error: PenstockError) -> Iterator[str]:
    """What is wrong with an error of ours."""
    words = str(error)
    if parameter != "name" and not is_of_conversion(make) and not is_documented(function, error):
        yield f"Raises does not name {type(error).__name__}"
    if FOLDER in words:
        yield f"a whole path: {words[:150]}"
    names = (parameter, OTHER_NAMES.get(parameter, parameter), "dtype", "None values")
    if isinstance(error, InternalError) or not any(n in words for n in names):
        yield words.splitlines()[0][:150]
