"""`tf.contrib.cudnn_rnn`: the cells that have cuDNN's formulas."""

from ..recurrent.coupled_cells import CudnnCompatibleGRUCell as CudnnCompatibleGRUCell
from ..recurrent.coupled_cells import CudnnCompatibleLSTMCell as CudnnCompatibleLSTMCell

__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"]
