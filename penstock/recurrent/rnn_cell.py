"""`tf.nn.rnn_cell`: recurrent cells.

>>> import penstock as tf
>>> tf.nn.rnn_cell.GRUCell(64).state_size
64
"""

from .basic_cells import BasicRNNCell, GRUCell
from .cell_base import RNNCell
from .cell_states import LSTMStateTuple
from .cell_wrappers import DeviceWrapper, ResidualWrapper
from .dropout_wrapper import DropoutWrapper
from .lstm_cells import BasicLSTMCell, LSTMCell
from .multi_cell import MultiRNNCell
from .projection_wrappers import EmbeddingWrapper, InputProjectionWrapper, OutputProjectionWrapper

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "GRUCell",
    "InputProjectionWrapper",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "OutputProjectionWrapper",
    "RNNCell",
    "ResidualWrapper",
]
