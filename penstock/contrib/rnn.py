"""`tf.contrib.rnn`: the cells of `tf.nn.rnn_cell`, further ones, and loops over lists of inputs."""

from ..recurrent.attention_cell import AttentionCellWrapper as AttentionCellWrapper
from ..recurrent.basic_cells import BasicRNNCell as BasicRNNCell
from ..recurrent.basic_cells import GRUCell as GRUCell
from ..recurrent.block_cells import GRUBlockCell as GRUBlockCell
from ..recurrent.block_cells import GRUBlockCellV2 as GRUBlockCellV2
from ..recurrent.block_cells import LSTMBlockCell as LSTMBlockCell
from ..recurrent.block_cells import LSTMBlockFusedCell as LSTMBlockFusedCell
from ..recurrent.cell_base import RNNCell as RNNCell
from ..recurrent.cell_states import LSTMStateTuple as LSTMStateTuple
from ..recurrent.cell_wrappers import DeviceWrapper as DeviceWrapper
from ..recurrent.cell_wrappers import ResidualWrapper as ResidualWrapper
from ..recurrent.convolving_cells import Conv1DLSTMCell as Conv1DLSTMCell
from ..recurrent.convolving_cells import Conv2DLSTMCell as Conv2DLSTMCell
from ..recurrent.convolving_cells import Conv3DLSTMCell as Conv3DLSTMCell
from ..recurrent.convolving_cells import ConvLSTMCell as ConvLSTMCell
from ..recurrent.dropout_wrapper import DropoutWrapper as DropoutWrapper
from ..recurrent.layer_norm_lstm import LayerNormBasicLSTMCell as LayerNormBasicLSTMCell
from ..recurrent.lstm_cells import BasicLSTMCell as BasicLSTMCell
from ..recurrent.lstm_cells import LSTMCell as LSTMCell
from ..recurrent.multi_cell import MultiRNNCell as MultiRNNCell
from ..recurrent.projection_wrappers import EmbeddingWrapper as EmbeddingWrapper
from ..recurrent.projection_wrappers import InputProjectionWrapper as InputProjectionWrapper
from ..recurrent.projection_wrappers import OutputProjectionWrapper as OutputProjectionWrapper
from ..recurrent.searched_cells import NASCell as NASCell
from ..recurrent.searched_cells import UGRNNCell as UGRNNCell
from ..recurrent.stacked_rnn import stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn
from ..recurrent.stacked_rnn import stack_bidirectional_rnn as stack_bidirectional_rnn
from ..recurrent.static_rnn import static_bidirectional_rnn as static_bidirectional_rnn
from ..recurrent.static_rnn import static_rnn as static_rnn
from ..recurrent.static_rnn import static_state_saving_rnn as static_state_saving_rnn

__all__ = [
    "AttentionCellWrapper",
    "BasicLSTMCell",
    "BasicRNNCell",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "GRUCell",
    "InputProjectionWrapper",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "MultiRNNCell",
    "NASCell",
    "OutputProjectionWrapper",
    "RNNCell",
    "ResidualWrapper",
    "UGRNNCell",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
]
