"""Record files and examples: what TensorFlow programs keep their data in."""
