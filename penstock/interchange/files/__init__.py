"""Files of this machine under TensorFlow's names: `tf.gfile`."""
