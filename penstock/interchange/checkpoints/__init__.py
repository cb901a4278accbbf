"""Checkpoints of TensorFlow and safetensors files, read and written without either library."""
