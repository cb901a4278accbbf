"""Names in signatures: `tf.saved_model.signature_constants`."""

from ..train.saved_models.model_constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from ..train.saved_models.model_constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from ..train.saved_models.model_constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from ..train.saved_models.model_constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from ..train.saved_models.model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ..train.saved_models.model_constants import PREDICT_INPUTS as PREDICT_INPUTS
from ..train.saved_models.model_constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from ..train.saved_models.model_constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from ..train.saved_models.model_constants import REGRESS_INPUTS as REGRESS_INPUTS
from ..train.saved_models.model_constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from ..train.saved_models.model_constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
