"""Reading models: `tf.saved_model.loader`."""

from ..train.saved_models.model_loading import load as load
from ..train.saved_models.model_loading import maybe_saved_model_directory as maybe_saved_model_directory
