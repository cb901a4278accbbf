"""`GraphKeys`: the names of the collections that TensorFlow's own functions use."""

from __future__ import annotations

from typing import Final


class GraphKeys:
    """The names of the collections of a graph that functions of this package, or of TensorFlow, fill or read.

    >>> import penstock as tf
    >>> tf.GraphKeys.TRAINABLE_VARIABLES
    'trainable_variables'
    """

    GLOBAL_VARIABLES: Final = "variables"
    """Variables that are saved and shared: what `tf.Variable` and `tf.get_variable` make. `VARIABLES` in 0.x."""
    VARIABLES: Final = "variables"
    LOCAL_VARIABLES: Final = "local_variables"
    METRIC_VARIABLES: Final = "metric_variables"
    MODEL_VARIABLES: Final = "model_variables"
    TRAINABLE_VARIABLES: Final = "trainable_variables"
    """What optimizers change where no list of variables is given."""
    MOVING_AVERAGE_VARIABLES: Final = "moving_average_variables"
    SUMMARIES: Final = "summaries"
    QUEUE_RUNNERS: Final = "queue_runners"
    TABLE_INITIALIZERS: Final = "table_initializer"
    ASSET_FILEPATHS: Final = "asset_filepaths"
    REGULARIZATION_LOSSES: Final = "regularization_losses"
    """What regularizers returned."""
    CONCATENATED_VARIABLES: Final = "concatenated_variables"
    SAVERS: Final = "savers"
    WEIGHTS: Final = "weights"
    BIASES: Final = "biases"
    ACTIVATIONS: Final = "activations"
    UPDATE_OPS: Final = "update_ops"
    LOSSES: Final = "losses"
    SAVEABLE_OBJECTS: Final = "saveable_objects"
    RESOURCES: Final = "resources"
    LOCAL_RESOURCES: Final = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES: Final = "trainable_resource_variables"
    INIT_OP: Final = "init_op"
    LOCAL_INIT_OP: Final = "local_init_op"
    READY_OP: Final = "ready_op"
    READY_FOR_LOCAL_INIT_OP: Final = "ready_for_local_init_op"
    SUMMARY_OP: Final = "summary_op"
    GLOBAL_STEP: Final = "global_step"
    EVAL_STEP: Final = "eval_step"
    TRAIN_OP: Final = "train_op"
    COND_CONTEXT: Final = "cond_context"
    WHILE_CONTEXT: Final = "while_context"
