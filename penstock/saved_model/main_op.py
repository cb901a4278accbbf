"""The operation with which a model starts: `tf.saved_model.main_op`."""

from ..train.saved_models.start_operation import main_op as main_op
from ..train.saved_models.start_operation import main_op_with_restore as main_op_with_restore
