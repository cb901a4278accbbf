"""Tests of decoders and of models of sequences."""
