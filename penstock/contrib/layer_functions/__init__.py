"""The layers of `tf.contrib.layers`, their initializers, regularizers and summaries, and `optimize_loss`."""
