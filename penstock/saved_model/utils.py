"""Tensors in signatures: `tf.saved_model.utils`."""

from ..train.saved_models.signatures import build_tensor_info as build_tensor_info
from ..train.saved_models.signatures import build_tensor_info_from_op as build_tensor_info_from_op
from ..train.saved_models.signatures import get_tensor_from_tensor_info as get_tensor_from_tensor_info
