"""Data of `tf.contrib.slim`: records that readers give, decoded into named items."""
