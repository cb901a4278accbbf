"""`tf.layers`: layers that make their variables: dense, batch_normalization, dropout, flatten."""

from .batch_normalization_layer import BatchNormalization as BatchNormalization
from .batch_normalization_layer import batch_normalization as batch_normalization
from .dense_layer import Dense as Dense
from .dense_layer import dense as dense
from .plain_layers import Dropout as Dropout
from .plain_layers import Flatten as Flatten
from .plain_layers import dropout as dropout
from .plain_layers import flatten as flatten
