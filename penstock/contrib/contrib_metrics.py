"""`tf.contrib.metrics`: metrics over batches with the predictions before the labels."""

from ..ops.reduce.counting import confusion_matrix
from .older_metrics import (
    accuracy, aggregate_metric_map, aggregate_metrics, streaming_accuracy, streaming_auc, streaming_false_negatives,
    streaming_false_negatives_at_thresholds, streaming_false_positives, streaming_false_positives_at_thresholds,
    streaming_mean, streaming_mean_absolute_error, streaming_mean_cosine_distance, streaming_mean_iou,
    streaming_mean_relative_error, streaming_mean_squared_error, streaming_mean_tensor, streaming_percentage_less,
    streaming_precision, streaming_precision_at_thresholds, streaming_recall, streaming_recall_at_thresholds,
    streaming_root_mean_squared_error, streaming_sensitivity_at_specificity, streaming_sparse_precision_at_k,
    streaming_sparse_recall_at_k, streaming_specificity_at_sensitivity, streaming_true_negatives,
    streaming_true_negatives_at_thresholds, streaming_true_positives, streaming_true_positives_at_thresholds,
)

__all__ = [
    "accuracy", "aggregate_metric_map", "aggregate_metrics", "confusion_matrix", "streaming_accuracy",
    "streaming_auc", "streaming_false_negatives", "streaming_false_negatives_at_thresholds",
    "streaming_false_positives", "streaming_false_positives_at_thresholds", "streaming_mean",
    "streaming_mean_absolute_error", "streaming_mean_cosine_distance", "streaming_mean_iou",
    "streaming_mean_relative_error", "streaming_mean_squared_error", "streaming_mean_tensor",
    "streaming_percentage_less", "streaming_precision", "streaming_precision_at_thresholds", "streaming_recall",
    "streaming_recall_at_thresholds", "streaming_root_mean_squared_error", "streaming_sensitivity_at_specificity",
    "streaming_sparse_precision_at_k", "streaming_sparse_recall_at_k", "streaming_specificity_at_sensitivity",
    "streaming_true_negatives", "streaming_true_negatives_at_thresholds", "streaming_true_positives",
    "streaming_true_positives_at_thresholds",
]  # fmt: skip
