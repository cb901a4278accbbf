"""Models with their weights, signatures and files in one folder: the names of `tf.saved_model`."""

from ..interchange.protos.model_protos import SavedModel as SavedModel
from ..interchange.protos.model_protos import SignatureDef as SignatureDef
from ..interchange.protos.model_protos import TensorInfo as TensorInfo
from ..train.saved_models.model_building import SavedModelBuilder as SavedModelBuilder
from ..train.saved_models.model_building import simple_save as simple_save
from ..train.saved_models.model_constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from ..train.saved_models.model_constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from ..train.saved_models.model_constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from ..train.saved_models.model_constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from ..train.saved_models.model_constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from ..train.saved_models.model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ..train.saved_models.model_constants import GPU as GPU
from ..train.saved_models.model_constants import PREDICT_INPUTS as PREDICT_INPUTS
from ..train.saved_models.model_constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from ..train.saved_models.model_constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from ..train.saved_models.model_constants import REGRESS_INPUTS as REGRESS_INPUTS
from ..train.saved_models.model_constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from ..train.saved_models.model_constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from ..train.saved_models.model_constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from ..train.saved_models.model_constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from ..train.saved_models.model_constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from ..train.saved_models.model_constants import SERVING as SERVING
from ..train.saved_models.model_constants import TPU as TPU
from ..train.saved_models.model_constants import TRAINING as TRAINING
from ..train.saved_models.model_constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from ..train.saved_models.model_constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from ..train.saved_models.model_loading import load as load
from ..train.saved_models.model_loading import maybe_saved_model_directory as maybe_saved_model_directory
from ..train.saved_models.signatures import build_signature_def as build_signature_def
from ..train.saved_models.signatures import build_tensor_info as build_tensor_info
from ..train.saved_models.signatures import build_tensor_info_from_op as build_tensor_info_from_op
from ..train.saved_models.signatures import classification_signature_def as classification_signature_def
from ..train.saved_models.signatures import get_tensor_from_tensor_info as get_tensor_from_tensor_info
from ..train.saved_models.signatures import is_valid_signature as is_valid_signature
from ..train.saved_models.signatures import predict_signature_def as predict_signature_def
from ..train.saved_models.signatures import regression_signature_def as regression_signature_def
from . import builder as builder
from . import constants as constants
from . import loader as loader
from . import main_op as main_op
from . import signature_constants as signature_constants
from . import signature_def_utils as signature_def_utils
from . import tag_constants as tag_constants
from . import utils as utils

contains_saved_model = maybe_saved_model_directory
