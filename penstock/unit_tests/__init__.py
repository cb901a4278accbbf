"""What `tf.test` offers to unit tests: `TestCase` and its assertions about arrays."""
