"""`tf.contrib.legacy_seq2seq`, `tf.nn.seq2seq` of TensorFlow 0.x: decoders over lists with one tensor for each step."""

from ..seq2seq.step_decoders import attention_decoder as attention_decoder
from ..seq2seq.step_decoders import embedding_attention_decoder as embedding_attention_decoder
from ..seq2seq.step_decoders import embedding_rnn_decoder as embedding_rnn_decoder
from ..seq2seq.step_decoders import rnn_decoder as rnn_decoder
from ..seq2seq.step_losses import sequence_loss as sequence_loss
from ..seq2seq.step_losses import sequence_loss_by_example as sequence_loss_by_example
from ..seq2seq.step_models import basic_rnn_seq2seq as basic_rnn_seq2seq
from ..seq2seq.step_models import embedding_attention_seq2seq as embedding_attention_seq2seq
from ..seq2seq.step_models import embedding_rnn_seq2seq as embedding_rnn_seq2seq
from ..seq2seq.step_models import embedding_tied_rnn_seq2seq as embedding_tied_rnn_seq2seq
from ..seq2seq.step_models import model_with_buckets as model_with_buckets
from ..seq2seq.step_models import tied_rnn_seq2seq as tied_rnn_seq2seq
