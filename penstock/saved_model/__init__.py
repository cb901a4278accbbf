"""Models with their weights, signatures and files in one folder: the names of `tf.saved_model`."""

from ..interchange.protos.model_protos import SavedModel, SignatureDef, TensorInfo
from ..train.saved_models.model_building import SavedModelBuilder, simple_save
from ..train.saved_models.model_constants import (
    ASSETS_DIRECTORY, CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME, CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY, GPU, PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS, REGRESS_INPUTS,
    REGRESS_METHOD_NAME, REGRESS_OUTPUTS, SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION, SERVING, TPU, TRAINING, VARIABLES_DIRECTORY, VARIABLES_FILENAME,
)
from ..train.saved_models.model_loading import contains_saved_model, load, maybe_saved_model_directory
from ..train.saved_models.signatures import (
    build_signature_def, build_tensor_info, build_tensor_info_from_op, classification_signature_def,
    get_tensor_from_tensor_info, is_valid_signature, predict_signature_def, regression_signature_def,
)
from . import builder as builder
from . import constants as constants
from . import loader as loader
from . import main_op as main_op
from . import signature_constants as signature_constants
from . import signature_def_utils as signature_def_utils
from . import tag_constants as tag_constants
from . import utils as utils

__all__ = [
    "ASSETS_DIRECTORY", "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES",
    "CLASSIFY_OUTPUT_SCORES", "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "GPU", "PREDICT_INPUTS", "PREDICT_METHOD_NAME",
    "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME", "REGRESS_OUTPUTS", "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT", "SAVED_MODEL_SCHEMA_VERSION", "SERVING", "SavedModel", "SavedModelBuilder",
    "SignatureDef", "TPU", "TRAINING", "TensorInfo", "VARIABLES_DIRECTORY", "VARIABLES_FILENAME",
    "build_signature_def", "build_tensor_info", "build_tensor_info_from_op", "builder",
    "classification_signature_def", "constants", "contains_saved_model", "get_tensor_from_tensor_info",
    "is_valid_signature", "load", "loader", "main_op", "maybe_saved_model_directory", "predict_signature_def",
    "regression_signature_def", "signature_constants", "signature_def_utils", "simple_save", "tag_constants",
    "utils",
]  # fmt: skip
