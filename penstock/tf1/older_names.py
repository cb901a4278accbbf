"""Names that TensorFlow 1.0 took away, with what to write instead.

A program of 0.x has them, and one that uses them is of that era. One of 1.x has not: `hasattr(tf, "pack")` is how
programs for both find out which TensorFlow they run on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GONE: Final[Mapping[str, str]] = {
    "pack": "tf.stack", "unpack": "tf.unstack", "mul": "tf.multiply", "sub": "tf.subtract", "neg": "tf.negative",
    "select": "tf.where", "inv": "tf.reciprocal", "complex_abs": "tf.abs", "listdiff": "tf.setdiff1d",
    "op_scope": "tf.name_scope", "variable_op_scope": "tf.variable_scope", "batch_matmul": "tf.matmul",
    "batch_cholesky": "tf.cholesky", "batch_matrix_inverse": "tf.matrix_inverse",
    "batch_matrix_determinant": "tf.matrix_determinant", "batch_matrix_solve": "tf.matrix_solve",
    "batch_matrix_transpose": "tf.matrix_transpose", "batch_fft": "tf.fft", "scalar_summary": "tf.summary.scalar",
    "histogram_summary": "tf.summary.histogram", "image_summary": "tf.summary.image",
    "audio_summary": "tf.summary.audio", "merge_summary": "tf.summary.merge",
    "merge_all_summaries": "tf.summary.merge_all", "train.SummaryWriter": "tf.summary.FileWriter",
    "nn.rnn": "tf.nn.static_rnn", "nn.bidirectional_rnn": "tf.nn.static_bidirectional_rnn",
    "nn.state_saving_rnn": "tf.nn.static_state_saving_rnn", "nn.seq2seq": "tf.contrib.legacy_seq2seq",
    "nn.deconv2d": "tf.nn.conv2d_transpose", "python.ops.seq2seq": "tf.contrib.legacy_seq2seq",
    "models.rnn": "tf.contrib.rnn", "models.rnn.rnn": "tf.nn", "models.rnn.rnn_cell": "tf.nn.rnn_cell",
    "models.rnn.seq2seq": "tf.contrib.legacy_seq2seq",
}  # fmt: skip
"""Names without their `tf.`, as TensorFlow 0.x had them: what 1.x has in their place."""
