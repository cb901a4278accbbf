"""Derivatives of graphs: the backward graph of `tf.gradients`, and what is built on it."""
