"""Calls of `compat.v1` whose results have names: recorded from TensorFlow in `result_names.json`.

X is a matrix of two rows and columns, P a bool, V and W are variables. N is the name, left out for the default.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .more_name_calls import more_calls

CALLS = """
tf.clip_by_value(X, 0., 1., name=N)
tf.clip_by_norm(X, 1., name=N)
tf.clip_by_average_norm(X, 1., name=N)
tf.gather(X, [0], axis=1, name=N)
tf.gather(X, [0], name=N)
tf.reduce_logsumexp(X, name=N)
tf.reduce_logsumexp(X, 1, True, name=N)
tf.reverse(X, [0], name=N)
tf.log_sigmoid(X, name=N)
tf.nn.l2_normalize(X, 0, name=N)
tf.boolean_mask(X, [True, False], name=N)
tf.nn.embedding_lookup(X, [0, 1], name=N)
tf.nn.softmax_cross_entropy_with_logits(labels=X, logits=X, name=N)
tf.nn.softmax_cross_entropy_with_logits_v2(labels=X, logits=X, name=N)
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=X, name=N)
tf.nn.sigmoid_cross_entropy_with_logits(labels=X, logits=X, name=N)
tf.nn.weighted_cross_entropy_with_logits(X, X, 2., name=N)
tf.nn.moments(X, [0], name=N)[0]
tf.nn.moments(X, [0], name=N)[1]
tf.split(X, 2, 0, name=N)[0]
tf.split(X, 2, 0, name=N)[1]
tf.split(X, [1, 1], 0, name=N)[1]
tf.unstack(X, axis=0, name=N)[1]
tf.unstack(X, axis=1, name=N)[1]
tf.stack([X, X], 1, name=N)
tf.sort(X, name=N)
tf.signal.frame(X, 2, 1, name=N)
tf.signal.hann_window(4, name=N)
tf.signal.hamming_window(4, name=N)
tf.signal.stft(X, 2, 1, name=N)
tf.signal.inverse_stft(C, 2, 1, name=N)
tf.signal.inverse_stft_window_fn(1, name=N)(2, tf.float32)
tf.signal.overlap_and_add(X, 1, name=N)
tf.signal.linear_to_mel_weight_matrix(name=N)
tf.signal.mfccs_from_log_mel_spectrograms(X, name=N)
tf.argsort(X, name=N)
tf.nn.dropout(X, .5, name=N)
tf.while_loop(lambda i: i < 3, lambda i:i+1, [0], name=N)
tf.cond(P, lambda:X, lambda:X+1., name=N)
tf.map_fn(lambda r:r*2., X, name=N)
tf.scan(lambda a, r:a+r, X, name=N)
tf.foldl(lambda a, r:a+r, X, name=N)
tf.foldr(lambda a, r:a+r, X, name=N)
tf.nn.softmax(X, name=N)
tf.nn.softmax(X, 0, name=N)
tf.nn.log_softmax(X, name=N)
tf.nn.xw_plus_b(X, X, X[0], name=N)
tf.nn.relu_layer(X, X, X[0], name=N)
tf.nn.relu(X, name=N)
tf.nn.elu(X, name=N)
tf.nn.leaky_relu(X, name=N)
tf.nn.crelu(X, name=N)
tf.nn.bias_add(X, X[0], name=N)
tf.nn.l2_loss(X, name=N)
tf.nn.top_k(X, 1, name=N)[0]
tf.nn.top_k(X, 1, name=N)[1]
tf.nn.in_top_k(X, [0, 1], 1, name=N)
tf.nn.batch_normalization(X, 0., 1., 0., 1., .1, name=N)
tf.nn.zero_fraction(X, name=N)
tf.nn.sufficient_statistics(X, [0], name=N)[1]
tf.nn.weighted_moments(X, [0], X, name=N)[0]
tf.global_norm([X], name=N)
tf.clip_by_global_norm([X], 1., name=N)[0][0]
tf.clip_by_global_norm([X], 1., name=N)[1]
tf.add_n([X, X], name=N)
tf.accumulate_n([X, X], name=N)
tf.add(X, X, name=N)
tf.subtract(X, X, name=N)
tf.multiply(X, X, name=N)
tf.divide(X, X, name=N)
tf.div(X, X, name=N)
tf.truediv(X, X, name=N)
tf.floordiv(X, X, name=N)
tf.floor_div(X, X, name=N)
tf.mod(X, X, name=N)
tf.pow(X, X, name=N)
tf.matmul(X, X, name=N)
tf.matmul([X], [X], name=N)
tf.tensordot(X, X, 1, name=N)
tf.einsum('ij, jk->ik', X, X, name=N)
tf.reduce_sum(X, name=N)
tf.reduce_sum(X, [0], name=N)
tf.reduce_mean(X, name=N)
tf.reduce_max(X, name=N)
tf.reduce_all(X>0., name=N)
tf.reduce_prod(X, name=N)
tf.argmax(X, 1, name=N)
tf.cast(X, tf.int32, name=N)
tf.to_float(tf.constant(1), name=N)
tf.to_int32(X, name=N)
tf.concat([X, X], 0, name=N)
tf.concat([X], 0, name=N)
tf.expand_dims(X, 0, name=N)
tf.squeeze(X, name=N)
tf.reshape(X, [-1], name=N)
tf.transpose(X, name=N)
tf.transpose(X, [1, 0], name=N)
tf.tile(X, [1, 2], name=N)
tf.pad(X, [[0, 0], [1, 1]], name=N)
tf.pad(X, [[0, 0], [1, 1]], 'REFLECT', name=N)
tf.slice(X, [0, 0], [1, 1], name=N)
tf.strided_slice(X, [0, 0], [1, 1], name=N)
tf.one_hot([0, 1], 2, name=N)
tf.zeros([2], name=N)
tf.ones([2], name=N)
tf.zeros_like(X, name=N)
tf.ones_like(X, name=N)
tf.fill([2], 1., name=N)
tf.range(3, name=N)
tf.linspace(0., 1., 3, name=N)
tf.constant(1., name=N)
tf.identity(X, name=N)
tf.stop_gradient(X, name=N)
tf.shape(X, name=N)
tf.size(X, name=N)
tf.rank(X, name=N)
tf.where(X>0., X, X, name=N)
tf.where(X>0., name=N)
tf.gather_nd(X, [[0, 0]], name=N)
tf.scatter_nd([[0]], [1.], [3], name=N)
tf.dynamic_partition(X, [0, 1], 2, name=N)[1]
tf.dynamic_stitch([[0], [1]], [X[:1], X[1:]], name=N)
tf.segment_sum(X, [0, 1], name=N)
tf.unsorted_segment_sum(X, [0, 1], 2, name=N)
tf.unique([1, 2], name=N)[0]
tf.sequence_mask([1, 2], name=N)
tf.reverse_sequence(X, [1, 2], 1, name=N)
tf.cumsum(X, name=N)
tf.cumprod(X, name=N)
tf.square(X, name=N)
tf.sqrt(X, name=N)
tf.rsqrt(X, name=N)
tf.exp(X, name=N)
tf.log(X, name=N)
tf.abs(X, name=N)
tf.negative(X, name=N)
tf.sigmoid(X, name=N)
tf.tanh(X, name=N)
tf.maximum(X, X, name=N)
tf.minimum(X, X, name=N)
tf.squared_difference(X, X, name=N)
tf.equal(X, X, name=N)
tf.less(X, X, name=N)
tf.logical_and(P, P, name=N)
tf.logical_not(P, name=N)
tf.logical_xor(P, P, name=N)
tf.round(X, name=N)
tf.floor(X, name=N)
tf.sign(X, name=N)
tf.random_normal([2], name=N)
tf.random_uniform([2], name=N)
tf.truncated_normal([2], name=N)
tf.random_shuffle(X, name=N)
tf.multinomial(X, 1, name=N)
tf.norm(X, name=N)
tf.trace(X, name=N)
tf.diag([1.], name=N)
tf.matrix_transpose(X, name=N)
tf.eye(2, name=N)
tf.placeholder(tf.float32, name=N)
tf.placeholder_with_default(X, [2, 2], name=N)
tf.bitcast(X, tf.int32, name=N)
tf.meshgrid([1, 2], [3], name=N)[0]
tf.broadcast_to(X, [3, 2, 2], name=N)
tf.tensor_scatter_update(X, [[0]], [[1., 1.]], name=N)
tf.confusion_matrix([0, 1], [1, 0], name=N)
tf.histogram_fixed_width(X, [0., 1.], name=N)
tf.group(X.op, name=N)
tf.no_op(name=N)
tf.tuple([X, X], name=N)[0]
tf.count_nonzero(X, name=N)
tf.saturate_cast(X, tf.int8, name=N)
tf.parallel_stack([X, X], name=N)
tf.quantize_v2(X, 0., 1., tf.qint8, name=N)[0]
tf.invert_permutation([1, 0], name=N)
tf.layers.dense(X, 3, name=N)
tf.verify_tensor_all_finite(X, 'm', name=N)
tf.check_numerics(X, 'm', name=N)
tf.as_string(X, name=N)
tf.string_join(['a', 'b'], name=N)
tf.py_func(lambda x:x, [X], tf.float32, name=N)
tf.assert_equal(X, X, name=N)
tf.Print(X, [X], name=N)
tf.sparse_to_dense([[0]], [2], 1., name=N)
tf.norm(X, 1, name=N)
tf.nn.normalize_moments(tf.constant(1.), X, X, None, name=N)[0]
tf.train.exponential_decay(.1, tf.constant(1), 10, .9, name=N)
tf.assign(V, 1., name=N)
tf.assign_add(V, 1., name=N)
tf.scatter_add(W, [0], [[1., 1.]], name=N)
tf.scalar_mul(2., X, name=N)
tf.case([(P, lambda:X)], lambda:X+1., name=N)
tf.reduce_logsumexp(X, 0, name=N)
tf.bincount([1, 2], name=N)
tf.setdiff1d([1, 2], [1], name=N)[0]
tf.nn.embedding_lookup([X], [0, 1], name=N)
tf.nn.relu6(X, name=N)
tf.nn.softplus(X, name=N)
tf.nn.swish(X)
""".strip().split("\n")


OPERANDS: dict[str, Callable[[Any, str], Any]] = {
    "Y": lambda tf, name: tf.placeholder(tf.float32, [2, 2], name=name),
    "I": lambda tf, name: tf.constant([[0, 1], [1, 0]], name=name),
    "C": lambda tf, name: tf.constant([[1.0 + 1.0j, 2.0], [3.0, 4.0]], tf.complex64, name=name),
    "T": lambda tf, name: tf.constant(["a", "b"], name=name),
    "K": lambda tf, name: tf.constant(0.5, shape=[1, 4, 4, 3], name=name),
    "Q": lambda tf, name: tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]),
}
"""Letter -> the operand, in calls that have it."""


def texts() -> list[str]:
    """Every call with a name, and without one."""
    calls = [*CALLS, *more_calls()]
    return list(dict.fromkeys([*calls, *[re.sub("(, )?(name|scope)=N", "", text) for text in calls]]))


def result(tf: Any, text: str) -> Any:
    """What a call gives, in the default graph."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="X")
    v, w = tf.Variable(1.0, name="V"), tf.Variable([[1.0, 2.0]], name="W")
    others = {letter: make(tf, letter) for letter, make in OPERANDS.items() if re.search(rf"\b{letter}\b", text)}
    known = {"tf": tf, "X": x, "P": tf.constant(True, name="P"), "V": v, "W": w, "N": "foo"}
    return eval(text, known | others)


def names(found: Any) -> list[str]:
    """The names of one result, or of several."""
    each = found if isinstance(found, (list, tuple)) else [found]
    return [one.name if hasattr(one, "name") else one.values.name for one in each]  # of a sparse tensor: its values
