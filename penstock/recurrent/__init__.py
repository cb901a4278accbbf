"""Recurrent networks: cells (`tf.nn.rnn_cell`), and loops that run them over time (`tf.nn.dynamic_rnn` ...)."""
