"""Writing models: `tf.saved_model.builder`."""

from ...train.saved_models.model_building import SavedModelBuilder as SavedModelBuilder
