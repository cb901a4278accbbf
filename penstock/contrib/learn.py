"""`tf.contrib.learn`: the names of modes and `preprocessing`; its estimators are not here."""

from ..api.missing_names import add_hints as _add_hints
from . import preprocessing as preprocessing


class ModeKeys:
    """The names of what a model is built for.

    >>> import penstock as tf
    >>> tf.contrib.learn.ModeKeys.TRAIN
    'train'

    Source: TensorFlow 1.x, `tf.contrib.learn.ModeKeys`.
    """

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


__all__ = ["ModeKeys", "preprocessing"]

_add_hints(__name__)
