"""Calls whose operands have static shapes, only ranks, or nothing: what builds and runs.

Each is text that runs with TensorFlow 1 and with `penstock.compat.v1`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .derivative_orders_calls import INPUTS as FLOATS
from .derivative_orders_calls import expressions as differentiable

INPUTS: dict[str, Any] = {
    **FLOATS,
    "i": np.array([[3, 1, 2], [0, 5, 4]], np.int32),
    "j": np.array([1, 0], np.int32),
    "b": np.array([[True, False, True], [False, False, True]]),
    "w": np.array([[b"a b", b"c"], [b"", b"d,e"]], object),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "k": np.array(1, np.int32),
    "z": np.array([[1 + 2j, 0.5 - 1j]]),
}
"""The placeholders."""

OTHERS = (
    "tf.split(x, [1, 2], 1)", "tf.split(x, [1, 1], 0)", "tf.split(x, [2, -1], -1)", "tf.split(t, 2, 2)",
    "tf.split(t, 3, -2)", "tf.split(x, [1, 2], axis=tf.constant(1))", "tf.unstack(x, 3, 1)", "tf.unstack(x, 3, -1)",
    "tf.unstack(t, 3, -2)", "tf.unstack(x, 2)", "tf.unstack(x, 2, -2)", "tf.stack([x, y], 1)", "tf.stack([x, y], -1)",
    "tf.stack([t, t], 2)", "tf.concat([x, y], -1)", "tf.concat([x, y], 1)", "tf.concat([t, t], k)",
    "tf.reverse_sequence(i, j, 1, 0)", "tf.reverse_sequence(i, [1, 2, 0], 0, 1)",
    "tf.reverse_sequence(t, j, seq_axis=2, batch_axis=0)",
    "tf.reverse_sequence(t, [1, 2, 0], seq_axis=2, batch_axis=1)", "tf.reverse(t, [1])", "tf.reverse(t, [-1, 0])",
    "tf.reverse(x, j)", "tf.gather(x, j)", "tf.gather(x, j, axis=1)", "tf.gather(t, j, axis=-1)",
    "tf.gather_nd(t, [[0, 1]])", "tf.boolean_mask(x, b)", "tf.boolean_mask(x, [True, False])", "tf.boolean_mask(t, b)",
    "tf.boolean_mask(x, [True, False, True], axis=1)", "tf.expand_dims(x, -1)", "tf.expand_dims(x, 1)",
    "tf.expand_dims(x, k)", "tf.squeeze(tf.expand_dims(x, 1))", "tf.squeeze(tf.expand_dims(x, 1), [1])",
    "tf.squeeze(tf.expand_dims(x, 2), [-1])", "tf.reshape(x, [3, -1])",
    "tf.reshape(t, tf.shape(t)[1:] * 2 // 2 * 1 + [0, 4])", "tf.transpose(x)", "tf.transpose(t, [2, 0, 1])",
    "tf.transpose(t)", "tf.tile(x, [2, 1])", "tf.pad(x, [[1, 0], [0, 2]])", "tf.slice(t, [0, 1, 0], [2, 1, -1])",
    "t[0]", "t[..., 1]", "t[:, ::-1, 1:3]", "x[tf.newaxis]", "x[k]", "t[1:, k]", "tf.shape(x)", "tf.size(t)",
    "tf.rank(t)", "tf.shape(x)[1]", "tf.zeros_like(x)", "tf.ones_like(i)", "tf.fill(tf.shape(x), 2.0)",
    "tf.broadcast_to(x, tf.shape(x))", "tf.one_hot(j, 3)", "tf.one_hot(i, 6, axis=0)", "tf.one_hot(i, 6, axis=1)",
    "tf.one_hot(i, 6, 2.0, -1.0)", "tf.argmax(x)", "tf.argmax(x, 1)", "tf.argmin(x, -1)", "tf.argsort(x)",
    "tf.sort(x, direction='DESCENDING')", "tf.sort(x, 0)", "tf.argsort(t, 1)", "tf.nn.top_k(x, 2)",
    "tf.nn.in_top_k(tf.cast(x, tf.float32), j, 2)", "tf.cumsum(t, 1, reverse=True)", "tf.cumsum(t, -1, exclusive=True)",
    "tf.cumprod(x, 1)", "tf.reduce_sum(t)", "tf.reduce_sum(t, [0, -1])", "tf.reduce_mean(t, 1, keepdims=True)",
    "tf.reduce_max(t, k)", "tf.reduce_all(b, 0)", "tf.reduce_any(b)", "tf.reduce_prod(x, -1)",
    "tf.reduce_logsumexp(t, [1, 2])", "tf.reduce_min(i, [])", "tf.string_join([w, w], ',')", "tf.as_string(x)",
    "tf.string_to_number([['1'], ['2']])", "tf.string_split(tf.reshape(w, [-1])).values",
    "tf.decode_csv(w[1, 1], [['a'], ['b']])", "tf.decode_csv(['1,2', '3,4'], [[0], [0]])", "tf.where(b)",
    "tf.where(b, x, y)", "tf.where(x > y, x, y)", "tf.where([True, False], x, y)", "tf.unique(j)",
    "tf.searchsorted(tf.sort(x), y)", "tf.histogram_fixed_width(x, [0.0, 2.0], 3)", "tf.sequence_mask(i)",
    "tf.sequence_mask(j, 3)", "tf.nn.softmax(x)", "tf.nn.softmax(x, 0)", "tf.nn.softmax(t, 1)", "tf.nn.log_softmax(t)",
    "tf.nn.log_softmax(t, -2)", "tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=x)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(labels=p, logits=x, axis=0)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(labels=t, logits=t * 0.5)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=j, logits=x)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i % 4, logits=t)",
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=p, logits=x)", "tf.nn.l2_normalize(x)", "tf.nn.l2_normalize(t, 1)",
    "tf.nn.moments(t, [0, 1])", "tf.nn.moments(x, [1], keep_dims=True)", "tf.nn.bias_add(x, y[0])",
    "tf.nn.bias_add(t, t[0, 0])", "tf.nn.crelu(t)", "tf.nn.crelu(t, axis=1)", "tf.nn.embedding_lookup(x, j)",
    "tf.nn.embedding_lookup(x, [[1, 0], [0, 0]])", "tf.nn.embedding_lookup([x, y], [3, 0])", "tf.matmul(x, y, True)",
    "tf.matmul(t, t, transpose_b=True)", "tf.matmul(m, m)", "tf.einsum('ij,kj->ik', x, y)",
    "tf.einsum('...j,kj->...k', t, t[0])", "tf.einsum('bij->bji', t)", "tf.cross(x, y)", "tf.diag(j)",
    "tf.diag_part(m)", "tf.segment_sum(x, [0, 0])", "tf.segment_mean(t, j * 0)", "tf.unsorted_segment_sum(x, j, 2)",
    "tf.unsorted_segment_max(t, i, 6)", "tf.dynamic_partition(x, j, 2)", "tf.dynamic_partition(t, i % 2, 2)",
    "tf.dynamic_stitch([[0, 2], [1, 3]], [x, y])", "tf.scatter_nd([[1], [3]], x, [4, 3])",
    "tf.tensor_scatter_nd_update(x, [[1]], y[:1])", "tf.roll(t, 1, 1)", "tf.roll(x, [1, -1], [0, 1])",
    "tf.clip_by_value(x, -1.0, 1.0)", "tf.clip_by_norm(t, 1.0, [1])", "tf.clip_by_global_norm([x, t], 1.0)",
    "tf.add_n([x, y])", "tf.linspace(x[0, 0], x[0, 2], 3)", "tf.range(k, 5)", "tf.meshgrid(j, [1, 2, 3])",
    "tf.cast(i, tf.float32)", "tf.abs(z)", "tf.real(z)", "tf.conj(z)", "tf.identity_n([x, i])", "tf.tuple([x, i])",
    "tf.map_fn(lambda r: r * 2.0, x)", "tf.map_fn(lambda r: tf.reduce_sum(r), t)", "tf.scan(lambda a, r: a + r, x)",
    "tf.scan(lambda a, r: a + tf.reduce_sum(r), t, initializer=tf.constant(0.0, tf.float64))",
    "tf.foldl(lambda a, r: a + r, x)", "tf.foldr(lambda a, r: a * r, t)",
    "tf.while_loop(lambda n, v: n < 2, lambda n, v: (n + 1, v * 2.0), [0, x])[1]",
    "tf.while_loop(lambda n, v: n < 2, lambda n, v: (n + 1, tf.tanh(v)), [k, t])[1]",
    "tf.cond(k > 0, lambda: x, lambda: y)", "tf.cond(k > 0, lambda: tf.reduce_sum(x, 1), lambda: y[0])",
    "tf.case([(k > 3, lambda: x)], default=lambda: y * 2.0)", "tf.multinomial(tf.cast(x, tf.float32), 0)",
    "tf.shape(tf.random_normal(tf.shape(x)))", "tf.shape(tf.random_shuffle(t))", "tf.shape(tf.nn.dropout(x, rate=0.5))",
    "tf.shape(tf.nn.dropout(t, rate=0.5, noise_shape=[2, 1, 4]))", "tf.losses.softmax_cross_entropy(p, x)",
    "tf.losses.sparse_softmax_cross_entropy(j, x)", "tf.losses.mean_squared_error(x, y, p)",
    "tf.losses.mean_squared_error(x, y, 2.0, reduction='none')", "tf.losses.absolute_difference(t, t + 1.0)",
    "tf.losses.hinge_loss(p, x)", "tf.losses.log_loss(p, p * 0.5)", "tf.losses.cosine_distance(x, y, axis=1)",
    "tf.losses.huber_loss(x, y)", "tf.losses.mean_pairwise_squared_error(x, y)", "tf.ensure_shape(x, [2, 3])",
    "tf.ensure_shape(x, [None, 3])", "tf.assert_rank(x, 2)", "tf.check_numerics(t, 'bad')", "tf.Print(t, [], 'p')",
    "tf.nn.zero_fraction(x)", "tf.logical_and(b, b)", "tf.equal(x, y)", "tf.pow(p, y)", "x + y[0]",
    "x @ tf.transpose(y)", "-x ** 2", "x % 2.0", "tf.nn.relu_layer(x, m[0:1, :1] + y[0][:, None], y[0][:1])",
    "tf.nn.batch_normalization(x, y, p, p, y, 0.001)", "tf.gradients(tf.reduce_sum(tf.split(x, [1, 2], 1)[1]), x)",
    "tf.gradients(tf.unstack(t, 3, 1)[1], t)", "tf.gradients(tf.stack([x, y], 1), x)",
    "tf.gradients(tf.stack([x, y], -1), x)", "tf.gradients(tf.gather(x, j, axis=1), x)",
    "tf.gradients(tf.reverse_sequence(t, [1, 2, 0], seq_axis=2, batch_axis=1), t)",
    "tf.gradients(tf.nn.softmax(x, 0), x)", "tf.gradients(tf.cumsum(t, 1), t)", "tf.gradients(tf.sort(x), x)",
    "tf.gradients(tf.nn.top_k(x, 2)[0], x)", "tf.gradients(tf.concat([x, y], 1), y)", "tf.gradients(x + y[0], y)",
    "tf.gradients(tf.boolean_mask(x, [True, False]), x)", "tf.gradients(tf.reduce_max(t, [0, 2]), t)",
    "tf.gradients(tf.nn.bias_add(t, t[0, 0]), t)", "tf.gradients(tf.matmul(t, t, transpose_b=True), t)",
    "tf.gradients(tf.einsum('ij,kj->ik', x, y), x)", "tf.gradients(tf.tile(x, [2, 1]), x)",
    "tf.gradients(tf.losses.mean_pairwise_squared_error(x, y), x)", "tf.gradients(tf.nn.moments(t, [0, 1])[1], t)",
)  # fmt: skip

WAYS = ("ranks", "nothing")
"""Beside the static shapes: sizes unknown, ranks unknown."""


def calls() -> list[str]:
    """All of them."""
    return list(dict.fromkeys([*differentiable().values(), *OTHERS]))


def flat(result: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(result, (list, tuple)):
        return [tensor for each in result for tensor in flat(each)]
    return [] if result is None else [result]


def values(tf: Any, text: str, way: str) -> list[Any]:
    """What a call gives. `way`: "shapes", or one of WAYS."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = {}
        for name, array in INPUTS.items():
            shape = {"shapes": array.shape, "ranks": [None] * array.ndim, "nothing": None}[way]
            inputs[name] = tf.placeholder(tf.string if array.dtype == object else array.dtype, shape, name)
        results = flat(eval(text, {"tf": tf, "np": np, **inputs}))
        fetches = [each if each.__class__.__name__ == "Operation" else tf.convert_to_tensor(each) for each in results]
        return list(session.run(fetches, {inputs[name]: array for name, array in INPUTS.items()}))
