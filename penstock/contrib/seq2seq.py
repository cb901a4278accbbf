"""`tf.contrib.seq2seq`: decoders of sequences, helpers, attention, losses."""

from ..ops.index.gather_tree import gather_tree as gather_tree
from ..seq2seq.attention import AttentionMechanism as AttentionMechanism
from ..seq2seq.attention import BahdanauAttention as BahdanauAttention
from ..seq2seq.attention import LuongAttention as LuongAttention
from ..seq2seq.attention import hardmax as hardmax
from ..seq2seq.attention import tile_batch as tile_batch
from ..seq2seq.attention_wrapper import AttentionWrapper as AttentionWrapper
from ..seq2seq.attention_wrapper import AttentionWrapperState as AttentionWrapperState
from ..seq2seq.beam_search_decoder import BeamSearchDecoder as BeamSearchDecoder
from ..seq2seq.beam_search_decoder import FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput
from ..seq2seq.beam_search_step import BeamSearchDecoderOutput as BeamSearchDecoderOutput
from ..seq2seq.beam_search_step import BeamSearchDecoderState as BeamSearchDecoderState
from ..seq2seq.decoder import BasicDecoder as BasicDecoder
from ..seq2seq.decoder import BasicDecoderOutput as BasicDecoderOutput
from ..seq2seq.decoder import Decoder as Decoder
from ..seq2seq.decoder import dynamic_decode as dynamic_decode
from ..seq2seq.helpers import CustomHelper as CustomHelper
from ..seq2seq.helpers import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from ..seq2seq.helpers import Helper as Helper
from ..seq2seq.helpers import InferenceHelper as InferenceHelper
from ..seq2seq.helpers import SampleEmbeddingHelper as SampleEmbeddingHelper
from ..seq2seq.helpers import TrainingHelper as TrainingHelper
from ..seq2seq.scheduled_helpers import ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper
from ..seq2seq.scheduled_helpers import ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper
from ..seq2seq.sequence_losses import sequence_loss as sequence_loss
