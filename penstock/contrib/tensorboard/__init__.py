"""`tf.contrib.tensorboard`: the plugin of TensorBoard that shows embeddings."""

from . import plugins as plugins

__all__ = ["plugins"]
