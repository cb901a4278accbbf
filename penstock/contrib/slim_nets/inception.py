"""`tf.contrib.slim.nets.inception`: the Inception networks that are here, under one name."""

from .inception_v3 import inception_v3 as inception_v3
from .inception_v3 import inception_v3_arg_scope as inception_v3_arg_scope
from .inception_v3 import inception_v3_base as inception_v3_base
