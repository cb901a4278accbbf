"""`tf.metrics`: what a model is worth, counted over batches in local variables."""

from .at_thresholds import (
    false_negatives_at_thresholds, false_positives_at_thresholds, precision_at_thresholds, recall_at_thresholds,
    true_negatives_at_thresholds, true_positives_at_thresholds,
)
from .averages import (
    accuracy, mean, mean_absolute_error, mean_cosine_distance, mean_relative_error, mean_squared_error, mean_tensor,
    percentage_below, root_mean_squared_error,
)
from .best_k import (
    average_precision_at_k, precision_at_k, precision_at_top_k, recall_at_k, recall_at_top_k,
    sparse_average_precision_at_k, sparse_precision_at_k,
)
from .class_metrics import mean_iou, mean_per_class_accuracy
from .condition_counts import false_negatives, false_positives, precision, recall, true_negatives, true_positives
from .curves import auc, sensitivity_at_specificity, specificity_at_sensitivity

__all__ = [
    "accuracy",
    "auc",
    "average_precision_at_k",
    "false_negatives",
    "false_negatives_at_thresholds",
    "false_positives",
    "false_positives_at_thresholds",
    "mean",
    "mean_absolute_error",
    "mean_cosine_distance",
    "mean_iou",
    "mean_per_class_accuracy",
    "mean_relative_error",
    "mean_squared_error",
    "mean_tensor",
    "percentage_below",
    "precision",
    "precision_at_k",
    "precision_at_thresholds",
    "precision_at_top_k",
    "recall",
    "recall_at_k",
    "recall_at_thresholds",
    "recall_at_top_k",
    "root_mean_squared_error",
    "sensitivity_at_specificity",
    "sparse_average_precision_at_k",
    "sparse_precision_at_k",
    "specificity_at_sensitivity",
    "true_negatives",
    "true_negatives_at_thresholds",
    "true_positives",
    "true_positives_at_thresholds",
]
