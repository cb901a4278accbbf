"""Streams of batches for every metric, run by TensorFlow (`record.py`) and by Penstock (`test_metrics_recorded.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

BATCHES = 3


def cases() -> dict[str, tuple[str, list[list[Any]], dict[str, Any]]]:
    """Name -> the metric, the arrays of each batch in the order of its arguments (the last may be weights), options."""
    random = np.random.RandomState(7)

    def batches(*makers: Any) -> list[list[Any]]:
        return [[make() for make in makers] for _ in range(BATCHES)]

    def classes(*shape: int) -> Any:
        return lambda: random.randint(0, 3, shape).astype(np.int64)

    def floats(*shape: int) -> Any:
        return lambda: random.rand(*shape).astype(np.float32)

    def bits(*shape: int) -> Any:
        return lambda: random.rand(*shape) < 0.6

    pairs = batches(classes(6), classes(6))
    found: dict[str, tuple[str, list[list[Any]], dict[str, Any]]] = {
        "accuracy": ("accuracy", pairs, {}),
        "accuracy_weighted": ("accuracy", batches(classes(6), classes(6), floats(6)), {}),
        "accuracy_squeezed": ("accuracy", batches(classes(6, 1), classes(6), floats(6, 1)), {}),
        "accuracy_floats": ("accuracy", batches(classes(6), lambda: random.randint(0, 3, [6]).astype(np.float32)), {}),
        "mean": ("mean", batches(floats(2, 3)), {}),
        "mean_weighted": ("mean", batches(floats(2, 3), floats(2, 1)), {}),
        "mean_rank": ("mean", batches(floats(2, 3, 1), floats(2, 3)), {}),
        "mean_tensor": ("mean_tensor", batches(floats(2, 3)), {}),
        "mean_tensor_weighted": ("mean_tensor", batches(floats(2, 3), floats(1, 3)), {}),
        "mean_absolute_error": ("mean_absolute_error", batches(floats(4), floats(4), floats(4)), {}),
        "mean_squared_error": ("mean_squared_error", batches(floats(4), floats(4)), {}),
        "root_mean_squared_error": ("root_mean_squared_error", batches(floats(4), floats(4), floats(4)), {}),
        "mean_relative_error": (
            "mean_relative_error",
            [list(np.array([[1, 2, 3], [2, 2, 4], [1, 0, 2]], np.float32))] * BATCHES, {},
        ),
        "mean_cosine_distance": ("mean_cosine_distance", batches(floats(3, 4), floats(3, 4)), {"dim": 1}),
        "percentage_below": ("percentage_below", batches(floats(7)), {"threshold": 0.5}),
        "mean_iou": ("mean_iou", pairs, {"num_classes": 4}),
        "mean_iou_weighted": ("mean_iou", batches(classes(2, 3), classes(2, 3), floats(2, 3)), {"num_classes": 3}),
        "mean_per_class_accuracy": ("mean_per_class_accuracy", pairs, {"num_classes": 3}),
        "mean_per_class_accuracy_weighted": (
            "mean_per_class_accuracy", batches(classes(5), classes(5), floats(5)), {"num_classes": 4}),
    }  # fmt: skip
    for name in ("true_positives", "false_positives", "true_negatives", "false_negatives", "precision", "recall"):
        found[name] = (name, batches(bits(8), bits(8)), {})
        found[f"{name}_weighted"] = (name, batches(bits(2, 4), bits(2, 4), floats(2, 1)), {})
        if name.endswith("s"):
            found[f"{name}_at_thresholds"] = (
                f"{name}_at_thresholds", batches(bits(8), floats(8)), {"thresholds": [0.1, 0.5, 0.75]})  # fmt: skip
    for name in ("precision_at_thresholds", "recall_at_thresholds"):
        found[name] = (name, batches(bits(6), floats(6), floats(6)), {"thresholds": [0.0, 0.5, 1.0]})
    curves: Sequence[tuple[str, dict[str, Any]]] = (
        ("roc", {}), ("pr", {"curve": "PR"}), ("minoring", {"summation_method": "minoring", "num_thresholds": 20}),
        ("majoring", {"summation_method": "majoring", "curve": "PR", "num_thresholds": 5}),
        ("careful", {"summation_method": "careful_interpolation", "curve": "PR"}),
        ("thresholds", {"thresholds": [0.7, 0.25]}),
    )  # fmt: skip
    for name, options in curves:
        found[f"auc_{name}"] = ("auc", batches(bits(9), floats(9)), options)
    found["auc_weighted"] = ("auc", batches(bits(9), floats(9), floats(9)), {})
    found["sensitivity"] = ("sensitivity_at_specificity", batches(bits(20), floats(20)), {"specificity": 0.6})
    found["specificity"] = ("specificity_at_sensitivity", batches(bits(20), floats(20)), {"sensitivity": 0.6})
    many = batches(lambda: random.randint(0, 5, [4, 2]).astype(np.int64), floats(4, 5))
    one = batches(lambda: random.randint(0, 5, [4]).astype(np.int64), floats(4, 5))
    scale = np.array([1, 0, 2, 0.5], np.float32)
    for name in ("recall_at_k", "precision_at_k"):
        found[name] = (name, many, {"k": 2})
        found[f"{name}_one_label"] = (name, one, {"k": 3})
        found[f"{name}_class"] = (name, many, {"k": 3, "class_id": 1})
        found[f"{name}_weighted"] = (name, [[*each, scale] for each in many], {"k": 2})
    found["average_precision_at_k"] = ("average_precision_at_k", many, {"k": 3})
    found["average_precision_at_k_weighted"] = (
        "average_precision_at_k", [[*each, scale] for each in many], {"k": 4})  # fmt: skip
    return found


def run_case(tf: Any, metric: str, batches: list[list[Any]], options: dict[str, Any]) -> dict[str, Any]:
    """The value before, the update of each batch, the value after each, and the names of the variables."""
    plain = 1 if metric in ("mean", "mean_tensor", "percentage_below") else 2
    plain = 3 if metric == "mean_relative_error" else plain
    with tf.Graph().as_default(), tf.Session() as session:
        feeds = [tf.placeholder(array.dtype, array.shape) for array in batches[0]]
        options = dict(options)
        if len(feeds) > plain:
            options["weights"] = feeds[plain]
        value, update = getattr(tf.metrics, metric)(*feeds[:plain], **options)
        session.run(tf.local_variables_initializer())
        values, updates = [session.run(value)], []
        for batch in batches:
            updates.append(session.run(update, dict(zip(feeds, batch, strict=True))))
            values.append(session.run(value))
        names = sorted(v.name for v in tf.local_variables())
    return {"values": values, "updates": updates, "variables": names,
            "dtypes": [str(values[0].dtype), str(updates[0].dtype)]}  # fmt: skip
