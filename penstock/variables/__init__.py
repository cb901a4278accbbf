"""Variables: `tf.Variable`, variable scopes, initializers."""
