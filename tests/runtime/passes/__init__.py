"""Tests of the passes, one file each, and of the pipeline as a whole."""
