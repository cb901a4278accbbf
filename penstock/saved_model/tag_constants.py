"""Tags of graphs: `tf.saved_model.tag_constants`."""

from ..train.saved_models.model_constants import EVAL as EVAL
from ..train.saved_models.model_constants import GPU as GPU
from ..train.saved_models.model_constants import SERVING as SERVING
from ..train.saved_models.model_constants import TPU as TPU
from ..train.saved_models.model_constants import TRAINING as TRAINING
