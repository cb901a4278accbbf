"""Steps and loops of training as `tf.contrib.training` and `tf.contrib.slim` have them, and hyperparameters."""
