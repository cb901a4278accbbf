"""`tf.contrib.cudnn_rnn`: layers and cells that have cuDNN's formulas."""

from ..recurrent.coupled_cells import CudnnCompatibleGRUCell as CudnnCompatibleGRUCell
from ..recurrent.coupled_cells import CudnnCompatibleLSTMCell as CudnnCompatibleLSTMCell
from ..recurrent.cudnn_layers import CudnnGRU as CudnnGRU
from ..recurrent.cudnn_layers import CudnnLSTM as CudnnLSTM
from ..recurrent.cudnn_layers import CudnnRNNRelu as CudnnRNNRelu
from ..recurrent.cudnn_layers import CudnnRNNTanh as CudnnRNNTanh

__all__ = [
    "CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell", "CudnnGRU", "CudnnLSTM", "CudnnRNNRelu", "CudnnRNNTanh",
]  # fmt: skip
