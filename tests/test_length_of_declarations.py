"""The length of every op's declaration with its rules, in lines of code.

A declaration is the function under `@op(...)` and every rule that its module attaches to the op: shape, kernel,
partial, prepare, fails, mistake, samples and so on, decorators included. Docstrings, comments and blank lines do not
count. A rule that two ops share counts for each. Samples count, being part of what is written to add an op. A gradient
rule has a limit of its own. Functions that rules call do not count; fast kernels for one backend have left the
declarations for `runtime/kernels`. An elementwise op or a reduction of one statement (`exp = unary(...)`) has a limit
of its own and is left out of the median, which would be 6 lines with them.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import median
from types import ModuleType

from penstock.graph.declare.op_declaration import OpDef

from .op_samples import USERS_OPS

MEDIAN = 25
LONGEST = 65  # named rules: a signature may take three lines
LONGEST_LINE = 21
LONGEST_GRADIENT = 20


@dataclass(frozen=True)
class Declaration:
    """The lines of one op."""

    name: str
    lines: int
    is_written_out: bool


def declarations(module: ModuleType) -> Iterator[Declaration]:
    """Those that a module of `penstock.ops` holds."""
    source = inspect.getsource(module)
    code = code_lines(source)
    values = vars(module).items()
    ops = {name for name, value in values if isinstance(value, OpDef) and value.__module__ == module.__name__}
    found: dict[str, int] = dict.fromkeys(ops, 0)
    written: set[str] = set()
    for node in ast.parse(source).body:
        lines = len(code & span(node))
        if isinstance(node, ast.FunctionDef) and node.name in ops:
            written.add(node.name)
            found[node.name] += lines
        if not is_gradient(node):
            for name in attached_to(node) & ops:
                found[name] += lines
    for name, count in sorted(found.items()):
        if count:
            yield Declaration(name, count, name in written)


def attached_to(node: ast.stmt) -> set[str]:
    """The names of the ops to which a statement attaches a rule: a decorated function or a call, or an assignment."""
    if isinstance(node, ast.FunctionDef):
        return {root(each) for each in node.decorator_list}
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return {root(node.value.func)}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def is_gradient(node: ast.stmt) -> bool:
    """Whether a statement attaches a gradient rule, or says why there is none."""
    if isinstance(node, ast.FunctionDef):
        return any(isinstance(d, ast.Call) and ast.unparse(d.func).endswith(".gradient") for d in node.decorator_list)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func).endswith((".no_gradient", ".gradient", "attach_formulas"))
    return False


def gradients(module: ModuleType) -> Iterator[int]:
    """The length of each gradient rule of a module."""
    source = inspect.getsource(module)
    code = code_lines(source)
    return (len(code & span(node)) for node in ast.parse(source).body if is_gradient(node))


def root(node: ast.expr) -> str:
    """`gather` of `gather.shape` and of `gather.kernel_for("cupy")`."""
    while isinstance(node, (ast.Call, ast.Attribute)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def span(node: ast.stmt) -> set[int]:
    """The lines of a statement, decorators included, without a docstring."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    lines = set(range(min([node.lineno, *[d.lineno for d in decorators]]), (node.end_lineno or 0) + 1))
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
        lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return lines


def code_lines(source: str) -> set[int]:
    lines = enumerate(map(str.strip, source.splitlines()), start=1)
    return {number for number, line in lines if line and not line.startswith("#")}


MODULES = [sys.modules[name] for name in sorted({op.__module__ for op in USERS_OPS.values()})]


@cache
def every_declaration() -> list[Declaration]:
    return [each for module in MODULES for each in declarations(module)]


def longer_than(most: int, written_out: bool) -> dict[str, int]:
    return {each.name: each.lines for each in every_declaration()
            if each.is_written_out is written_out and each.lines > most}  # fmt: skip


def test_every_op_is_measured() -> None:
    names = {name for each in every_declaration() for name in (each.name, each.name.removesuffix("_op"))}
    assert {op.__name__ for op in USERS_OPS.values()} <= names | RENAMED


# Nodes of functions that users call by another name.
RENAMED = {
    "boolean_mask", "softmax", "log_softmax", "top_k", "qr", "random_uniform", "random_normal", "truncated_normal",
    "leaky_relu", "bias_add", "softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits",
    "random_shuffle", "multinomial", "random_gamma", "conv2d", "conv2d_backprop_input", "conv2d_backprop_filter",
    "conv3d", "conv3d_backprop_input_v2", "conv3d_backprop_filter_v2", "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_input", "depthwise_conv2d_native_backprop_filter", "max_pool", "max_pool_grad",
    "max_pool_grad_grad", "avg_pool", "avg_pool_grad", "max_pool3d", "max_pool3d_grad", "max_pool3d_grad_grad",
    "avg_pool3d", "avg_pool3d_grad", "max_pool_with_argmax", "max_pool_grad_with_argmax",
    "max_pool_grad_grad_with_argmax", "lrn", "lrn_grad", "extract_image_patches", "space_to_depth", "depth_to_space",
    "space_to_batch_nd", "batch_to_space_nd", "resize_nearest_neighbor", "resize_nearest_neighbor_grad",
    "resize_bilinear", "resize_bilinear_grad", "resize_bicubic", "resize_bicubic_grad",
    "ctc_greedy_decoder", "ctc_loss", "edit_distance", "sparse_add", "sparse_concat", "sparse_fill_empty_rows",
    "sparse_maximum", "sparse_minimum", "sparse_reorder", "sparse_reshape", "sparse_segment_mean",
    "sparse_segment_sqrt_n", "sparse_segment_sum", "sparse_slice", "sparse_softmax", "sparse_split",
    "sparse_tensor_dense_matmul", "sparse_to_dense", "string_to_hash_bucket_fast",
    "parse_example", "decode_png", "decode_jpeg", "decode_gif", "decode_bmp", "decode_image", "encode_png",
    "encode_jpeg", "matrix_diag", "matrix_diag_part", "matrix_set_diag", "self_adjoint_eig", "svd",
    "log_matrix_determinant", "rfft", "irfft", "setdiff1d", "string_length", "regex_replace", "substr", "reduce_join",
    "sample_distorted_bounding_box", "ctc_beam_search_decoder",
    "fractional_max_pool", "fractional_avg_pool", "fractional_max_pool_grad", "fractional_avg_pool_grad",
    "crop_and_resize", "draw_bounding_boxes",
    "non_max_suppression", "non_max_suppression_padded", "non_max_suppression_with_scores",
    "serialize_sparse", "serialize_many_sparse", "deserialize_many_sparse", "combined_non_max_suppression",
    "image_projective_transform", "string_split", "non_max_suppression_overlaps", "resize_area",
    "crop_and_resize_grad_image", "crop_and_resize_grad_boxes",
}  # fmt: skip


def test_the_median_declaration_is_short() -> None:
    assert median(each.lines for each in every_declaration() if each.is_written_out) <= MEDIAN


def test_no_declaration_is_long() -> None:
    assert longer_than(LONGEST, written_out=True) == {}


def test_no_gradient_rule_is_long() -> None:
    assert max(length for module in MODULES for length in gradients(module)) <= LONGEST_GRADIENT


def test_an_elementwise_op_or_a_reduction_is_a_few_lines() -> None:
    assert longer_than(LONGEST_LINE, written_out=False) == {}
