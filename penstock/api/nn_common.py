"""The names that `penstock.nn` and `penstock.compat.v1.nn` share: functions of neural networks.

Those that their first use imports are in `public_names`.
"""

from ..ops.candidates.candidate_samplers import (
    all_candidate_sampler, compute_accidental_hits, fixed_unigram_candidate_sampler, learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler, uniform_candidate_sampler,
)
from ..ops.elementwise.transcendental import tanh
from ..ops.index.top_k import top_k
from ..ops.nn.activations import log_softmax, relu, relu6, sigmoid, softmax, softplus
from ..ops.nn.bias import bias_add, relu_layer, xw_plus_b
from ..ops.nn.cross_entropies import softmax_cross_entropy_with_logits_v2
from ..ops.nn.dropout import dropout
from ..ops.nn.embedding import embedding_lookup, embedding_lookup_sparse
from ..ops.nn.in_top_k import in_top_k
from ..ops.nn.normalization import (
    batch_norm_with_global_normalization, batch_normalization, fused_batch_norm, normalize_moments,
    sufficient_statistics, weighted_moments,
)
from ..ops.nn.rectifiers import crelu, elu, leaky_relu, log_sigmoid, selu, softsign, swish
from ..ops.nn.safe_embedding import safe_embedding_lookup_sparse
from ..ops.reduce.moments import moments
from ..ops.reduce.norms import l2_loss, l2_normalize, zero_fraction
