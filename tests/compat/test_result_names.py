"""Results of `compat.v1` have TensorFlow's names, or are found by them; `REASONS` has the others."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import penstock.compat.v1 as tf

from ..golden_extra.result_name_calls import names, result

RECORDED: dict[str, list[str]] = json.loads(
    (Path(__file__).parent.parent / "golden_extra" / "result_names.json").read_text()
)

COMPOSITE = "TensorFlow computes it by other nodes, and no program asks for them"
REASONS = {
    "tf.nn.embedding_lookup": COMPOSITE,
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
}
"""Function -> why names of its results differ."""


def function_of(text: str) -> str:
    found = re.match(r"[\w.]+", text)
    assert found is not None
    return found.group()


def complaint(text: str) -> str:
    """How the names of a call's results differ from TensorFlow's; "" if they do not."""
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = result(tf, text)
        each = list(found) if isinstance(found, (list, tuple)) else [found]
        for one, name in zip(each, RECORDED[text], strict=True):
            if one.name != name:
                try:
                    same = graph.as_graph_element(name) is one
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
    assert len(CALLS) > 300


@pytest.mark.parametrize("text", [text for text in CALLS if function_of(text) not in REASONS])
def test_results_have_the_names_of_tensorflow(text: str) -> None:
    assert not complaint(text)


@pytest.mark.parametrize("function", REASONS)
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
