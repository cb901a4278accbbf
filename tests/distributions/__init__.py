"""Tests of `tf.distributions`."""
