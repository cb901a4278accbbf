"""`tf.contrib.metrics`: metrics over batches with the predictions before the labels."""

from ..ops.reduce.counting import confusion_matrix as confusion_matrix
from .older_metrics import accuracy as accuracy
from .older_metrics import aggregate_metric_map as aggregate_metric_map
from .older_metrics import aggregate_metrics as aggregate_metrics
from .older_metrics import streaming_accuracy as streaming_accuracy
from .older_metrics import streaming_auc as streaming_auc
from .older_metrics import streaming_false_negatives as streaming_false_negatives
from .older_metrics import streaming_false_negatives_at_thresholds as streaming_false_negatives_at_thresholds
from .older_metrics import streaming_false_positives as streaming_false_positives
from .older_metrics import streaming_false_positives_at_thresholds as streaming_false_positives_at_thresholds
from .older_metrics import streaming_mean as streaming_mean
from .older_metrics import streaming_mean_absolute_error as streaming_mean_absolute_error
from .older_metrics import streaming_mean_cosine_distance as streaming_mean_cosine_distance
from .older_metrics import streaming_mean_iou as streaming_mean_iou
from .older_metrics import streaming_mean_relative_error as streaming_mean_relative_error
from .older_metrics import streaming_mean_squared_error as streaming_mean_squared_error
from .older_metrics import streaming_mean_tensor as streaming_mean_tensor
from .older_metrics import streaming_percentage_less as streaming_percentage_less
from .older_metrics import streaming_precision as streaming_precision
from .older_metrics import streaming_precision_at_thresholds as streaming_precision_at_thresholds
from .older_metrics import streaming_recall as streaming_recall
from .older_metrics import streaming_recall_at_thresholds as streaming_recall_at_thresholds
from .older_metrics import streaming_root_mean_squared_error as streaming_root_mean_squared_error
from .older_metrics import streaming_sensitivity_at_specificity as streaming_sensitivity_at_specificity
from .older_metrics import streaming_sparse_precision_at_k as streaming_sparse_precision_at_k
from .older_metrics import streaming_sparse_recall_at_k as streaming_sparse_recall_at_k
from .older_metrics import streaming_specificity_at_sensitivity as streaming_specificity_at_sensitivity
from .older_metrics import streaming_true_negatives as streaming_true_negatives
from .older_metrics import streaming_true_negatives_at_thresholds as streaming_true_negatives_at_thresholds
from .older_metrics import streaming_true_positives as streaming_true_positives
from .older_metrics import streaming_true_positives_at_thresholds as streaming_true_positives_at_thresholds

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
