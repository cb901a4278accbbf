"""Results of `compat.v1` have TensorFlow's names, or are found by them; `REASONS` has the others."""

from __future__ import annotations

import inspect
import operator
import re
import warnings
from fnmatch import fnmatch
from types import ModuleType
from typing import Any

import pytest

import penstock.compat.v1 as tf
from penstock.graph.declare.graphdef_form import GraphDefForm
from penstock.graph.declare.op_declaration import OpDef
from penstock.interchange.tensorflow.rules.direct_rules import form_of

from ..golden_extra.result_name_calls import RECORDED, names, result
from ..helpers import every_case

COMPOSITE = "TensorFlow computes it by other nodes, and no program asks for them"
REASONS = {
    "tf.nn.embedding_lookup": COMPOSITE,
    "tf.image.psnr": COMPOSITE,
    "tf.nn.swish": COMPOSITE + "; in 2.21 it is a function with a gradient of its own",
    "tf.nn.moments": COMPOSITE,
    "tf.nn.weighted_moments": COMPOSITE,
    "tf.nn.sufficient_statistics": COMPOSITE,
    "tf.nn.normalize_moments": COMPOSITE,
    "tf.nn.batch_normalization": COMPOSITE,
    "tf.nn.zero_fraction": COMPOSITE,
    "tf.nn.dropout": COMPOSITE + "; the name is SelectV2 in 2.21 and mul_1 in 1.15",
    "tf.sort": COMPOSITE,
    "tf.argsort": COMPOSITE,
    "tf.eye": COMPOSITE,
    "tf.meshgrid": COMPOSITE,
    "tf.clip_by_global_norm": COMPOSITE + "; in 2.21 the names repeat the scope",
    "tf.linspace": "one node, as in 1.15",
    "tf.nn.softmax": "along another axis it is one node here",
    "tf.concat": "one value is that value here",
    "tf.verify_tensor_all_finite": "one node, as the assertion is",
    "tf.assert_equal": "an assertion that holds is a node of its name here",
    "tf.foldl": "the loop is not inside another scope here",
    "tf.foldr": "the loop is not inside another scope here",
    "tf.scan": "its result begins with the initial value here, which is joined to the others",
    "tf.floor_div": "the default name is that of floordiv, the same function",
    "tf.histogram_fixed_width": "the default name is that of the op's type",
    "tf.nn.softmax_cross_entropy_with_logits": "its default name has no suffix here; with a name it is found",
    "tf.nn.in_top_k": "the default name is that of the op's type; with a name it is found",
    "tf.tensordot": COMPOSITE,
    "tf.norm": COMPOSITE,
    "tf.matrix_transpose": COMPOSITE,
    "tf.confusion_matrix": COMPOSITE,
    "tf.parallel_stack": COMPOSITE,
    "tf.bincount": "one node, as in 1.15",
    "tf.accumulate_n": "the default name is that of the op's type, as in 1.15",
    "tf.strided_slice": "its node is in the scope of the call here",
    "tf.pad": "mirrored rows are gathered here",
    **dict.fromkeys(
        ("tf.lbeta", "tf.linalg.adjoint", "tf.linalg.logdet", "tf.linalg.matvec", "tf.unique_with_counts", "tf.shape_n",
         "tf.cholesky_solve", "tf.matrix_solve_ls", "tf.batch_gather", "tf.nn.avg_pool1d", "tf.nn.max_pool1d",
         "tf.nn.atrous_conv2d", "tf.nn.atrous_conv2d_transpose", "tf.nn.batch_norm_with_global_normalization",
         "tf.losses.mean_pairwise_squared_error", "tf.metrics.mean_iou", "tf.switch_case", "tf.sparse_retain",
         "tf.train.piecewise_constant", "tf.random_gamma", "tf.repeat", "tf.debugging.assert_all_finite",
         "tf.signal.frame", "tf.signal.inverse_stft",
         "tf.signal.inverse_stft_window_fn", "tf.signal.mfccs_from_log_mel_spectrograms", "tf.signal.overlap_and_add"),
        COMPOSITE,
    ),
    **dict.fromkeys(
        ("tf.assert_greater", "tf.assert_greater_equal", "tf.assert_less", "tf.assert_less_equal", "tf.assert_near",
         "tf.assert_none_equal", "tf.assert_negative", "tf.assert_non_negative", "tf.assert_non_positive",
         "tf.assert_positive", "tf.Assert"),
        "an assertion is one node here and a branch there, whose node at the end has the name",
    ),
    **dict.fromkeys(
        ("tf.searchsorted", "tf.scatter_nd_add", "tf.scatter_nd_sub", "tf.scatter_nd_update", "tf.nn.nce_loss",
         "tf.nn.sampled_softmax_loss", "tf.metrics.root_mean_squared_error", "tf.metrics.mean_cosine_distance",
         "tf.hessians", "tf.debugging.assert_shapes"),
        "TensorFlow 2.21 does not use the name that it is given",
    ),
    **dict.fromkeys(
        ("tf.parse_example", "tf.io.parse_example", "tf.parse_single_example", "tf.io.parse_single_example",
         "tf.parse_single_sequence_example", "tf.io.parse_sequence_example", "tf.train.slice_input_producer"),
        "its node is the one of 1.15",
    ),
    **dict.fromkeys(
        ("tf.sparse_reset_shape", "tf.sparse_reshape"), "the values are those of the operand here, without a node"
    ),
    **dict.fromkeys(
        ("tf.strings.regex_full_match", "tf.regex_replace"), "one default name for all patterns, texts and tensors"
    ),
    "tf.image.non_max_suppression_padded": "one node for one image, as in 1.15; 2.21 has a loop over images",
    "tf.reduce_join": "one node, whose name is the given one",
    "tf.sparse_fill_empty_rows": "one node of four results, whose name is the given one",
    "tf.image.rot90": "the number of quarters is known when it is built: no branch",
    "tf.gradients": "parts of a gradient have the names of the operations that they are of, see docs/derivatives.md",
    "tf.nn.pool": "the default name is that of the function; with a name it is found",
    "tf.sparse_placeholder": "the default name is that of the function; with a name it is found",
    "tf.train.input_producer": "the default name is that of the function; with a name it is found",
}
"""Function -> why names of its results differ."""


def function_of(text: str) -> str:
    found: list[str] = re.findall(r"tf[\w.]+", text)  # "(tf.call_before(X), tf.function())[1]"
    return found[text.startswith("(")]


def complaint(text: str) -> str:
    """How the names of a call's results differ from TensorFlow's; "" if they do not."""
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = result(tf, text)
        each = list(found) if isinstance(found, (list, tuple)) else [found]
        for one, name in zip(each, RECORDED[text], strict=True):
            own = one.values if isinstance(one, tf.SparseTensor) else one
            if own.name != name:
                try:
                    same = graph.as_graph_element(name) is own
                except KeyError:
                    same = False
                if not same:
                    return f"{text}: TensorFlow {RECORDED[text]}, here {names(found)}"
    return ""


def differs(text: str) -> bool:
    try:
        return bool(complaint(text))
    except TypeError:  # of a mode that is not there
        return True


def is_there(text: str) -> bool:
    owner: Any = tf
    for part in function_of(text).split(".")[1:]:
        owner = getattr(owner, part, None)
    return owner is not None


CALLS = [text for text in RECORDED if is_there(text)]


def test_most_calls_of_the_record_are_there() -> None:
    assert len(CALLS) > 1100


WITHOUT_RECORD = {
    "lists and files, not results": (
        "tf.add_to_collection tf.get_collection tf.global_variables tf.local_variables tf.model_variables "
        "tf.moving_average_variables tf.trainable_variables tf.name_scope tf.op_scope tf.import_graph_def tf.load_onnx "
        "tf.losses.get_losses tf.losses.get_regularization_losses tf.train.write_graph tf.train.load_variable "
        "tf.create_partitioned_variables"
    ),
    "nothing to name without such losses": "tf.losses.get_regularization_loss",
    "their names are recorded with the values: `layers.json`, `convolution_layers.json`, `recurrent`": (
        "tf.layers.* tf.nn.bidirectional_dynamic_rnn tf.nn.dynamic_rnn tf.nn.raw_rnn tf.nn.state_saving_rnn "
        "tf.nn.static_bidirectional_rnn tf.nn.static_rnn tf.nn.static_state_saving_rnn"
    ),
    "not in TensorFlow 2.21's compat.v1, but in older ones or in Penstock alone": (
        "tf.contrib.* tf.batch_matmul tf.batch_matrix_band_part tf.batch_matrix_diag tf.batch_matrix_diag_part "
        "tf.histogram_summary tf.image_summary tf.merge_summary tf.scalar_summary tf.initialize_variables tf.inv "
        "tf.jvp tf.multiplex tf.pack tf.unpack tf.select tf.parallel_dynamic_stitch tf.with_dependencies "
        "tf.nn.bidirectional_rnn tf.nn.rnn tf.nn.conv3d_backprop_filter_v2 tf.math.igamma_grad_a tf.bitwise_* tf.invert"
    ),
    "a dict, or several sparse tensors": (
        "tf.sparse_merge tf.nn.ctc_greedy_decoder tf.nn.ctc_beam_search_decoder tf.nn.ctc_beam_search_decoder_v2 "
        "tf.nn.safe_embedding_lookup_sparse"
    ),
    "its operands have no short form": "tf.nn.ctc_loss tf.nn.conv_transpose",
    "it prints": "tf.print",
    "the names are those of `tf.convert_to_tensor`, `tf.matmul` and of the method of a variable": (
        "tf.convert_to_tensor_or_indexed_slices tf.convert_to_tensor_or_sparse_tensor tf.count_up_to tf.sparse_matmul"
    ),
    "Penstock has none": "tf.summary.audio",
}
"""Reason -> functions with a parameter for a name that have no record; "*" stands for any letters."""


def named_functions() -> dict[int, list[str]]:
    """The public functions of `compat.v1` that take a name or a scope, each with all of its own names."""
    found: dict[int, list[str]] = {}
    for module in (
        "", "nn", "math", "linalg", "losses", "image", "strings", "random", "sparse", "train", "layers", "metrics",
        "summary", "signal", "spectral", "bitwise", "manip", "io", "debugging", "contrib.layers", "contrib.framework",
    ):  # fmt: skip
        owner: Any = operator.attrgetter(module)(tf) if module else tf
        for name in dir(owner):
            each = getattr(owner, name, None)
            if name.startswith("_") or isinstance(each, (type, ModuleType)) or not callable(each):
                continue
            try:
                parameters = inspect.signature(each).parameters
            except (TypeError, ValueError):
                continue
            if {"name", "scope"} & parameters.keys():
                found.setdefault(id(each), []).append(f"tf.{module}.{name}" if module else f"tf.{name}")
    return found


def node_of(path: str) -> tuple[OpDef[Any, Any], GraphDefForm] | None:
    """The op that a function is and its node in TensorFlow; None for a function that does more than add that node."""
    function = operator.attrgetter(path.removeprefix("tf."))(tf)
    form = form_of(function.type) if isinstance(function, OpDef) else None
    return None if form is None else (function, form)


def test_every_public_function_that_takes_a_name_has_a_record_or_a_reason_or_is_one_node() -> None:
    recorded = {function_of(text) for text in RECORDED}
    patterns = [pattern for texts in WITHOUT_RECORD.values() for pattern in texts.split()]
    missing = [names[0] for names in named_functions().values() if not recorded & {*names}
               and not any(fnmatch(name, pattern) for name in names for pattern in patterns)]  # fmt: skip
    nodes = {name: node_of(name) for name in missing}
    assert [name for name, node in nodes.items() if node is None or node[0].default_name != node[1].type] == []
    everything = [name for names in named_functions().values() for name in names]
    assert not [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in everything)]
    assert not recorded & {*patterns}


@every_case("text", [text for text in CALLS if function_of(text) not in REASONS], parts=4)
def test_results_have_the_names_of_tensorflow(text: str) -> None:
    assert not complaint(text)


@every_case("function", REASONS)
def test_each_reason_is_needed(function: str) -> None:
    assert any(differs(text) for text in CALLS if function_of(text) == function)


def test_results_of_inner_operations_of_tensorflow_are_found_by_name() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        p = tf.placeholder(tf.bool, [], name="p")
        a, b = tf.cond(p, lambda: (tf.constant(1.0), tf.constant(2.0)), lambda: (tf.constant(3.0), tf.constant(4.0)))
        i, total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + a), (0, 0.0), name="loop")
        assert graph.get_tensor_by_name("cond/Merge:0") is a and graph.get_tensor_by_name("cond/Merge_1:0") is b
        assert graph.get_tensor_by_name("loop/Exit:0") is i and graph.get_tensor_by_name("loop/Exit_1:0") is total
        assert session.run("loop/Exit_1:0", {"p:0": True}) == 3.0
        with pytest.raises(KeyError, match="loop/Exit_9"):
            graph.get_tensor_by_name("loop/Exit_9:0")
        with pytest.raises(KeyError):
            graph.get_tensor_by_name("loop/Exit:1")
        real = tf.identity(b, name="cond/Merge")  # a node of that name comes first
        assert graph.get_tensor_by_name("cond/Merge:0") is real


@pytest.mark.parametrize("scope", ["", "import"])
def test_an_import_returns_results_of_inner_operations_of_tensorflow(scope: str) -> None:
    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [], name="p")
        tf.cond(p, lambda: (tf.constant(1.0), tf.constant(2.0)), lambda: (tf.constant(3.0), tf.constant(4.0)))
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name="loop")
    names = ["cond/Merge_1:0", "loop/Exit:0"]
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.import_graph_def(graph.as_graph_def(), return_elements=names, name=scope)
        start = f"{scope}/" if scope else ""
        assert session.run(found, {f"{start}p:0": False}) == [4.0, 3]
        with pytest.raises(ValueError, match="cond/Merge_7:0' not found"):
            tf.import_graph_def(graph.as_graph_def(), return_elements=["cond/Merge_7:0"])
