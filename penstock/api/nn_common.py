"""The names that `penstock.nn` and `penstock.compat.v1.nn` share: functions of neural networks.

Those that their first use imports are in `public_names`.
"""

from ..ops.candidates.candidate_samplers import all_candidate_sampler as all_candidate_sampler
from ..ops.candidates.candidate_samplers import compute_accidental_hits as compute_accidental_hits
from ..ops.candidates.candidate_samplers import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from ..ops.candidates.candidate_samplers import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from ..ops.candidates.candidate_samplers import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from ..ops.candidates.candidate_samplers import uniform_candidate_sampler as uniform_candidate_sampler
from ..ops.elementwise.transcendental import tanh as tanh
from ..ops.index.top_k import top_k as top_k
from ..ops.nn.activations import log_softmax as log_softmax
from ..ops.nn.activations import relu as relu
from ..ops.nn.activations import relu6 as relu6
from ..ops.nn.activations import sigmoid as sigmoid
from ..ops.nn.activations import softmax as softmax
from ..ops.nn.activations import softplus as softplus
from ..ops.nn.bias import bias_add as bias_add
from ..ops.nn.bias import relu_layer as relu_layer
from ..ops.nn.bias import xw_plus_b as xw_plus_b
from ..ops.nn.cross_entropies import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from ..ops.nn.dropout import dropout as dropout
from ..ops.nn.embedding import embedding_lookup as embedding_lookup
from ..ops.nn.embedding import embedding_lookup_sparse as embedding_lookup_sparse
from ..ops.nn.in_top_k import in_top_k as in_top_k
from ..ops.nn.normalization import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from ..ops.nn.normalization import batch_normalization as batch_normalization
from ..ops.nn.normalization import fused_batch_norm as fused_batch_norm
from ..ops.nn.normalization import normalize_moments as normalize_moments
from ..ops.nn.normalization import sufficient_statistics as sufficient_statistics
from ..ops.nn.normalization import weighted_moments as weighted_moments
from ..ops.nn.rectifiers import crelu as crelu
from ..ops.nn.rectifiers import elu as elu
from ..ops.nn.rectifiers import leaky_relu as leaky_relu
from ..ops.nn.rectifiers import log_sigmoid as log_sigmoid
from ..ops.nn.rectifiers import selu as selu
from ..ops.nn.rectifiers import softsign as softsign
from ..ops.nn.rectifiers import swish as swish
from ..ops.nn.safe_embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from ..ops.reduce.moments import moments as moments
from ..ops.reduce.norms import l2_loss as l2_loss
from ..ops.reduce.norms import l2_normalize as l2_normalize
from ..ops.reduce.norms import zero_fraction as zero_fraction
