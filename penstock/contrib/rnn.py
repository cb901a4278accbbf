"""`tf.contrib.rnn`: the cells of `tf.nn.rnn_cell`, further ones, and loops over lists of inputs."""

from ..recurrent.attention_cell import AttentionCellWrapper
from ..recurrent.basic_cells import BasicRNNCell, GRUCell
from ..recurrent.block_cells import GRUBlockCell, GRUBlockCellV2, LSTMBlockCell, LSTMBlockFusedCell
from ..recurrent.cell_base import RNNCell
from ..recurrent.cell_states import LSTMStateTuple
from ..recurrent.cell_wrappers import DeviceWrapper, ResidualWrapper
from ..recurrent.convolving_cells import Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell, ConvLSTMCell
from ..recurrent.coupled_cells import (
    CoupledInputForgetGateLSTMCell,
    FusedRNNCellAdaptor,
    HighwayWrapper,
    TimeReversedFusedRNN,
)
from ..recurrent.dropout_wrapper import DropoutWrapper
from ..recurrent.grid_lstm import GridLSTMCell
from ..recurrent.layer_norm_lstm import LayerNormBasicLSTMCell
from ..recurrent.lstm_cells import BasicLSTMCell, LSTMCell
from ..recurrent.multi_cell import MultiRNNCell
from ..recurrent.phased_lstm import PhasedLSTMCell
from ..recurrent.projection_wrappers import EmbeddingWrapper, InputProjectionWrapper, OutputProjectionWrapper
from ..recurrent.searched_cells import NASCell, UGRNNCell
from ..recurrent.stacked_rnn import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from ..recurrent.static_rnn import static_bidirectional_rnn, static_rnn, static_state_saving_rnn

__all__ = [
    "AttentionCellWrapper",
    "BasicLSTMCell",
    "BasicRNNCell",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "CoupledInputForgetGateLSTMCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "FusedRNNCellAdaptor",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "GRUCell",
    "GridLSTMCell",
    "HighwayWrapper",
    "InputProjectionWrapper",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "MultiRNNCell",
    "NASCell",
    "OutputProjectionWrapper",
    "PhasedLSTMCell",
    "RNNCell",
    "ResidualWrapper",
    "TimeReversedFusedRNN",
    "UGRNNCell",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
]
