"""Names of the files and collections of SavedModels: `tf.saved_model.constants`."""

from ..train.saved_models.model_constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from ..train.saved_models.model_constants import ASSETS_KEY as ASSETS_KEY
from ..train.saved_models.model_constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from ..train.saved_models.model_constants import MAIN_OP_KEY as MAIN_OP_KEY
from ..train.saved_models.model_constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from ..train.saved_models.model_constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from ..train.saved_models.model_constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from ..train.saved_models.model_constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from ..train.saved_models.model_constants import VARIABLES_FILENAME as VARIABLES_FILENAME
