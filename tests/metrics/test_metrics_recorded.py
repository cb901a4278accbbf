"""`tf.metrics` computes what TensorFlow 2.21 was recorded computing: values, updates, dtypes, names of variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..helpers import every_case
from .metric_cases import cases, run_case

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded.json").read_text("utf-8"))
CASES = cases()


@every_case("name", list(CASES))
def test_a_metric_computes_what_was_recorded(name: str) -> None:
    want = RECORDED[name]
    got = run_case(tf, *CASES[name])
    assert got["dtypes"] == want["dtypes"]  # below: "max_1" is an accident of scopes there
    assert got["variables"] == [each.replace("/max_1", "/max") for each in want["variables"]]
    for part in ("values", "updates"):
        for found, recorded in zip(got[part], want[part], strict=True):
            assert np.allclose(found, np.array(recorded, found.dtype), rtol=2e-6, atol=1e-6, equal_nan=True), part


def test_collections_and_variables() -> None:
    with tf.Graph().as_default() as graph:
        value, update = tf.metrics.accuracy([1], [1], metrics_collections=["m"], updates_collections="u", name="mine")
        assert graph.get_collection("m") == [value] and graph.get_collection("u") == [update]
        names = [v.name for v in graph.get_collection(tf.GraphKeys.METRIC_VARIABLES)]
        assert names == ["mine/total:0", "mine/count:0"] and tf.trainable_variables() == []


def test_sparse_labels_are_sets_of_classes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 2, 0], tf.int64), [2, 2])
        scores = tf.constant([[0.1, 0.8, 0.3], [0.9, 0.5, 0.2]])
        _, recall = tf.metrics.recall_at_k(labels, scores, 2)
        _, precision = tf.metrics.precision_at_k(labels, scores, 2)
        session.run(tf.local_variables_initializer())
        assert np.allclose(session.run([recall, precision]), [2 / 3, 2 / 4])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.metrics.accuracy([1, 2], [1, 2, 3]), "Shapes .* are incompatible"),
        (lambda: tf.metrics.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0]), "weights can not be broadcast to values"),
        (lambda: tf.metrics.auc([1], [0.5], curve="ROCK"), "curve must be either ROC or PR, ROCK unknown"),
        (lambda: tf.metrics.auc([1], [0.5], summation_method="x"), "Invalid summation_method: x"),
        (lambda: tf.metrics.auc([1], [0.5], summation_method="careful_interpolation"), "curve=.PR."),
        (lambda: tf.metrics.auc([1], [0.5], num_thresholds=1), "2 thresholds or more"),
        (lambda: tf.metrics.sensitivity_at_specificity([1], [0.5], 1.5), r"in the range \[0, 1\], not 1.5"),
        (lambda: tf.metrics.recall_at_k([[1]], [[0.1, 0.2]], 0), "k=0: it is an int, and 1 or more"),
        (lambda: tf.metrics.recall_at_top_k([1], [[[1]]]), "labels have the rank of predictions"),
        (lambda: tf.metrics.mean_cosine_distance([[1.0]], [[1.0]], dim=2), "dim"),
    ],
)  # fmt: skip
def test_wrong_arguments_leave_nothing(call: Any, words: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match=words):
            call()
        assert graph.get_operations() == [] and tf.local_variables() == []
