"""`tf.nn.rnn_cell`: recurrent cells.

>>> import penstock as tf
>>> tf.nn.rnn_cell.GRUCell(64).state_size
64
"""

from .basic_cells import BasicRNNCell as BasicRNNCell
from .basic_cells import GRUCell as GRUCell
from .cell_base import RNNCell as RNNCell
from .cell_states import LSTMStateTuple as LSTMStateTuple
from .cell_wrappers import DeviceWrapper as DeviceWrapper
from .cell_wrappers import ResidualWrapper as ResidualWrapper
from .dropout_wrapper import DropoutWrapper as DropoutWrapper
from .lstm_cells import BasicLSTMCell as BasicLSTMCell
from .lstm_cells import LSTMCell as LSTMCell
from .multi_cell import MultiRNNCell as MultiRNNCell
from .projection_wrappers import EmbeddingWrapper as EmbeddingWrapper
from .projection_wrappers import InputProjectionWrapper as InputProjectionWrapper
from .projection_wrappers import OutputProjectionWrapper as OutputProjectionWrapper

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
